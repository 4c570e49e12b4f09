# SPDX-License-Identifier: BSD-3-Clause
"""Residuals that stay Python functions: called with numbers in every step."""
from __future__ import annotations

import time
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._events import EventPlan, terminal_message
from ._function import (Parameters, changed_start_note, fixed_mask, leading_arguments, parameter_items,
                        require_residual, start_values, unknown_names)
from ._problem import raise_interruption, real_array, run_options
from ._progress import ticking
from ._result import Result
from ._trace import function_name


class NumericResidual:
    """F with checks of what it returns."""

    def __init__(self, F: Callable[..., Any], n: int, parameters: Any) -> None:
        self.F = F
        self.n = n
        self.name = function_name(F)
        names, values, by_name = parameter_items(parameters)
        given = [float(value) for value in values]
        self.extra: list[Any] = []
        if parameters is not None:
            self.extra = [Parameters(zip(names, given)) if by_name else np.array(given)]

    def __call__(self, t: float, y: Any, yp: Any) -> NDArray[np.float64]:
        value = self.F(t, y, yp, *self.extra)
        if value is None:
            raise ValueError(f"{self.name} returned None: does it end with a return statement?")
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError(f"{self.name} returned complex numbers; all values must be real.")
        try:
            array = np.asarray(array, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"{self.name} must return numbers, not {value!r}.") from None
        if array.ndim == 0 and self.n == 1:
            array = array.reshape(1)
        if array.shape != (self.n,):
            raise ValueError(f"{self.name} returned an array of shape {array.shape} for {self.n} unknowns: "
                             "there must be as many equations as unknowns.")
        return array

    def jacobians(self, t: float, y: Any, yp: Any) -> tuple[Any, Any]:
        """dF/dy and dF/dyp by differences."""
        base = self(t, y, yp)
        columns = []
        for point, is_derivative in ((y, False), (yp, True)):
            matrix = np.empty((self.n, self.n))
            for j in range(self.n):
                moved = point.copy()
                step = 1e-7 * max(abs(moved[j]), 1.0)
                moved[j] += step
                value = self(t, y, moved) if is_derivative else self(t, moved, yp)
                matrix[:, j] = (value - base) / (moved[j] - point[j])
            columns.append(matrix)
        return columns[0], columns[1]


def consistent_start(residual: NumericResidual, t: float, y: Any, yp: Any,
                     fixed: Sequence[bool]) -> tuple[Any, Any]:
    """Values near y and yp with F = 0.

    What the derivatives cannot balance is left to the values, to those first whose derivatives do
    not appear.
    """
    y, yp = y.copy(), yp.copy()
    for _ in range(30):
        value = residual(t, y, yp)
        if not np.isfinite(value).all():
            break
        f_y, f_yp = residual.jacobians(t, y, yp)
        u, singular, _ = np.linalg.svd(f_yp)
        rank = int(np.sum(singular > 1e-7 * singular.max(initial=0.0)))
        left = u[:, rank:].T
        is_algebraic = np.abs(f_yp).max(axis=0, initial=0.0) <= 1e-7 * max(np.abs(f_yp).max(initial=0.0), 1e-300)
        freedom = np.where(fixed, 0.0, np.where(is_algebraic, 1.0, 1e-3))
        dy = np.zeros_like(y)
        if rank < len(y):
            dy = freedom * np.linalg.lstsq((left @ f_y) * freedom, -left @ value, rcond=1e-12)[0]
        dyp = np.linalg.lstsq(f_yp, -(value + f_y @ dy), rcond=1e-12)[0]
        y, yp = y + dy, yp + dyp
        small = np.abs(dy) <= 1e-13 * (1.0 + np.abs(y))
        if small.all() and (np.abs(dyp) <= 1e-13 * (1.0 + np.abs(yp))).all():
            break
    return y, yp


def _with_progress(call: Callable[..., Any], span: tuple[float, float], tick: Any) -> Callable[..., Any]:
    if tick is None:
        return call
    last = time.monotonic()

    def watched(t: float, y: Any, yp: Any) -> Any:
        nonlocal last
        if time.monotonic() - last > 0.1:
            last = time.monotonic()
            tick((t - span[0]) / (span[1] - span[0]), t, 0)
        return call(t, y, yp)
    return watched


def solve_residual(F: Callable[..., Any], span: tuple[float, float], y0: Any, yp0: Any, *, times: Any,
                   events: Any, parameters: Any, names: Any, fixed: Any, index: Any, nominal: Any,
                   progress: Any, options: dict[str, Any]) -> Result:
    """What solve_dae does with trace=False."""
    if options.pop("method", "auto") not in ("auto", "direct"):
        raise ValueError("With trace=False the structure of F is not known: no method but 'direct' can be "
                         "used. Choose an integrator, 'bdf' or 'radau', or let F be traced.")
    made = run_options(**options)
    y = start_values(y0)
    n = y.size
    require_residual(F, 3 if parameters is None else 4)
    residual = NumericResidual(F, n, parameters)
    all_names = unknown_names(names, n)
    yp = np.zeros(n) if yp0 is None else real_array(yp0, "yp0")
    if yp.shape != (n,):
        raise ValueError(f"yp0 must have the shape of y0, ({n},), not {yp.shape}.")
    kinds = _indices(index, n)
    if not kinds or yp0 is None:
        y, yp = consistent_start(residual, span[0], y, yp, fixed_mask(fixed, all_names))

    plan = EventPlan(events)
    calls = [_numeric_event(event, residual.extra) for event in plan.functions]
    with ticking(progress) as tick:
        core_plan = _core.ResidualPlan(_with_progress(residual, span, tick))
        core_plan.names = all_names
        core_plan.index = kinds
        core_plan.nominals = [] if nominal is None else list(nominal)
        terminal = plan.terminal
        if terminal:
            core_plan.events = lambda t, y, yp: np.array([calls[i](t, y, yp) for i in terminal])
            core_plan.directions = [int(np.sign(plan.directions[i])) for i in terminal]
            core_plan.remaining = [plan.occurrences[i] for i in terminal]
            core_plan.messages = [terminal_message(i) for i in terminal]
        solution, raised = _core.integrate_residual(core_plan, list(y), list(yp), _core.TimeSpan(*span),
                                                    _integrate_options(made, options))
    result = Result(solution, model=None, t_eval=times)
    result.notes += changed_start_note(all_names, start_values(y0), y)

    def values(at: Any) -> Any:
        rows, slopes = solution.at(at), solution.derivative(at)
        return np.array([[call(t, y, yp) for call in calls] for t, y, yp in zip(at, rows, slopes)])

    plan.fill(result, values)
    if raised is not None:
        raise_interruption(raised, result)
    return result


def _indices(index: Any, n: int) -> list[int]:
    if index is None:
        return []
    kinds = [int(item) for item in index]
    if len(kinds) != n or any(kind not in (0, 1, 2, 3) for kind in kinds):
        raise ValueError(f"index must say 1, 2 or 3 for each of the {n} unknowns, not {index!r}.")
    return kinds


def _integrate_options(made: Any, given: dict[str, Any]) -> Any:
    options = _core.IntegrateOptions()
    options.set_integrator(given.get("integrator", "auto"))
    for name in ("rtol", "atol", "fixed_step", "initial_step", "max_step", "max_steps", "time_limit",
                 "stop_times"):
        setattr(options, name, getattr(made, name))
    return options


def _numeric_event(event: Any, extra: list[Any]) -> Callable[..., float]:
    count = leading_arguments(event, 3 + len(extra))

    def call(t: float, y: Any, yp: Any) -> float:
        return float(event(*[t, y, yp, *extra][:count]))
    return call
