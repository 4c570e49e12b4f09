# SPDX-License-Identifier: BSD-3-Clause
"""Residuals that stay Python functions: called with numbers in every step."""
from __future__ import annotations

import time
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._events import EventPlan, terminal_message
from ._function import (changed_start_note, event_value, fixed_mask, leading_arguments,
                        parameter_items, require_residual, start_values, unknown_names)
from ._problem import raise_interruption, real_array, run_options
from ._progress import fraction_reached, ticking
from ._result import Result
from ._trace import function_name


class NumericResidual:
    """F with checks of what it returns."""

    def __init__(self, F: Callable[..., Any], n: int, parameters: Any) -> None:
        self.F = F
        self.n = n
        self.name = function_name(F)
        _, values, make = parameter_items(parameters)
        self.extra: list[Any] = [] if parameters is None else [make([float(value) for value in values])]

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

    def slopes(self, t: float, y: Any, yp: Any, scale: Any, appears: Any = None) -> Any:
        """dF/dy by differences, or dF/dyp with `appears`, which says in which equations a derivative is.

        `scale` are the magnitudes of the unknowns. A change that round-off hides, or half hides, is made
        greater until two changes agree on the slope.
        """
        base = self(t, y, yp)
        point = y if appears is None else yp
        matrix = np.empty((self.n, self.n))
        for j in range(self.n):
            tried: list[Any] = []
            for factor in (1e-7, 1e-4, 1e-1, 1e2, 1e5, 1e8, 1e11):
                moved = point.copy()
                moved[j] += factor * scale[j]
                with np.errstate(all="ignore"):
                    value = self(t, moved, yp) if appears is None else self(t, y, moved)
                    tried.append((value - base) / (moved[j] - point[j]))
                if len(tried) == 1:
                    continue
                greatest = np.maximum(np.abs(tried[-1]), np.abs(tried[-2]))
                agree = np.abs(tried[-1] - tried[-2]) <= 1e-3 * greatest
                if agree.all() and (appears is None or ((greatest > 0.0) | ~appears[:, j]).all()):
                    break
            else:
                tried = [tried[0]] * 2  # they never do where F is nonlinear in it: the least change is best
            matrix[:, j] = tried[-2]
        return matrix

    def derivative_structure(self, t: float, y: Any, yp: Any, scale: Any) -> Any:
        """Which derivatives appear in which equation.

        Where one does not appear, no change of it changes the equation, by not a single bit; the great
        changes show coefficients that are tiny beside the other terms.
        """
        base = self(t, y, yp)
        found = np.zeros((self.n, self.n), dtype=bool)
        for j in range(self.n):
            for factor in (1.0, 1e8, 1e16):
                moved = yp.copy()
                moved[j] += factor * scale[j]
                with np.errstate(all="ignore"):
                    value = self(t, y, moved)
                found[:, j] |= (value != base) & ~(np.isnan(value) & np.isnan(base))
        return found


class _Start:
    """Consistent values near given ones, F = 0 at them.

    Equations without derivatives are met by the unknowns without derivatives. Where these cannot, or
    where combinations of equations are free of derivatives, the other unknowns that are not fixed give
    way as little as possible. All of it is in units of the magnitudes of the unknowns.
    """

    def __init__(self, residual: NumericResidual, t: float, span: float, tolerance: Any,
                 fixed: Sequence[bool]) -> None:
        self.residual = residual
        self.t = t
        self.span = span
        self.tolerance = tolerance
        self.is_fixed = np.array(fixed, dtype=bool)

    def scales(self, y: Any, yp: Any) -> tuple[Any, Any]:
        scale = np.maximum(np.abs(y), self.tolerance)
        return scale, np.maximum(np.abs(yp), scale / self.span)

    def find(self, y: Any, yp: Any) -> tuple[Any, Any]:
        # What is given as 0 is the least known: it moves as if it were as great as the greatest.
        freedom = np.maximum(np.where(y != 0.0, np.abs(y), np.abs(y).max()), self.tolerance)
        appears = self.residual.derivative_structure(self.t, y, yp, self.scales(y, yp)[1])
        is_algebraic = ~appears.any(axis=0)
        size = np.inf
        for k in range(50):
            value = self.residual(self.t, y, yp)
            if not np.isfinite(value).all():
                break
            scale, rate = self.scales(y, yp)
            f_y = scale * self.residual.slopes(self.t, y, yp, scale)
            f_yp = np.where(appears, rate * self.residual.slopes(self.t, y, yp, rate, appears), 0.0)
            left, inverse = _split(f_yp)
            dy = self._move(left @ f_y * (freedom / scale), left @ value, is_algebraic) * (freedom / scale)
            dyp = -inverse @ (value + f_y @ dy)
            y, yp = y + scale * dy, yp + rate * dyp
            last, size = size, max(np.abs(dy).max(), np.abs(dyp).max())
            if (np.abs(dy) <= 1e-14).all() and (np.abs(dyp) <= 1e-12).all() or (
                    k > 4 and size >= 0.5 * last):  # round-off alone is left
                break
        return y, yp

    def _move(self, matrix: Any, value: Any, is_algebraic: Any) -> Any:
        dy = np.zeros(len(self.is_fixed))
        if not len(value):
            return dy
        size = np.abs(matrix).max(axis=1, initial=0.0)
        weight = 1.0 / np.where(size > 0.0, size, 1.0)
        for columns in (is_algebraic & ~self.is_fixed, ~self.is_fixed):
            if not columns.any():
                continue
            dy[columns] = np.linalg.lstsq(weight[:, None] * matrix[:, columns], -weight * value, rcond=1e-10)[0]
            remaining = weight * (value + matrix @ dy)
            if (np.abs(remaining) <= 1e-6 * np.abs(weight * value) + 1e-13).all():
                break
        return dy


def _split(f_yp: Any) -> tuple[Any, Any]:
    """The combinations of equations that are free of derivatives, and the inverse of the others."""
    size = np.abs(f_yp).max(axis=1, initial=0.0)
    rows = np.where(size > 0.0, size, 1.0)
    scaled = f_yp / rows[:, None]
    size = np.abs(scaled).max(axis=0, initial=0.0)
    columns = np.where(size > 0.0, size, 1.0)
    u, singular, v = np.linalg.svd(scaled / columns)
    rank = int(np.sum(singular > 1e-6 * singular.max(initial=0.0)))
    inverse = (v[:rank].T / singular[:rank]) @ u[:, :rank].T
    return u[:, rank:].T / rows, inverse / columns[:, None] / rows


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
    made.atol = made.atol or 1e-2 * made.rtol
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
        tolerance = made.atol / made.rtol * (np.ones(n) if nominal is None else np.asarray(nominal))
        start = _Start(residual, span[0], abs(span[1] - span[0]), tolerance, fixed_mask(fixed, all_names))
        y, yp = start.find(y, yp)

    plan = EventPlan(events)
    calls = [_numeric_event(event, residual.extra) for event in plan.functions]
    leaving = _leaving_zero(calls, span, y, yp)
    with ticking(progress) as tick:
        core_plan = _core.ResidualPlan(_with_progress(residual, span, tick))
        core_plan.names = all_names
        core_plan.index = kinds
        core_plan.nominals = [] if nominal is None else list(nominal)
        terminal = plan.terminal
        if terminal:
            core_plan.events = lambda t, y, yp: np.array([leaving[i] if t == span[0] and leaving[i] else
                                                          calls[i](t, y, yp) for i in terminal])
            core_plan.directions = [int(np.sign(plan.directions[i])) for i in terminal]
            core_plan.remaining = [plan.occurrences[i] for i in terminal]
            core_plan.messages = [terminal_message(i) for i in terminal]
        solution, raised = _core.integrate_residual(core_plan, list(y), list(yp), _core.TimeSpan(*span),
                                                    _integrate_options(made, options))
        if tick is not None:
            tick(fraction_reached(solution, span))
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
    kinds = real_array(index, "index")
    if kinds.shape != (n,) or not np.isin(kinds, (0, 1, 2, 3)).all():
        raise ValueError(f"index must say 1, 2 or 3 for each of the {n} unknowns, not {index!r}.")
    return [int(kind) for kind in kinds]


def _integrate_options(made: Any, given: dict[str, Any]) -> Any:
    options = _core.IntegrateOptions()
    options.set_integrator(given.get("integrator", "auto"))
    for name in ("rtol", "atol", "fixed_step", "initial_step", "max_step", "max_steps", "time_limit",
                 "stop_times"):
        setattr(options, name, getattr(made, name))
    return options


def _numeric_event(event: Any, extra: list[Any]) -> Callable[..., float]:
    count = leading_arguments(event, 3 + len(extra))

    name = function_name(event)

    def call(t: float, y: Any, yp: Any) -> float:
        value = event(*[t, y, yp, *extra][:count])
        return float(value) if isinstance(value, (float, np.floating)) else float(event_value(value, name))
    return call


def _leaving_zero(calls: list[Any], span: tuple[float, float], y: Any, yp: Any) -> list[float]:
    """What to take for an event function that is zero at the start: the sign on the other side of the crossing
    that it is in, so that this counts as an event; 0 where the function is not zero there."""
    step = 1e-9 * (span[1] - span[0])
    found = []
    for call in calls:
        is_zero = call(span[0], y.copy(), yp.copy()) == 0.0
        ahead = call(span[0] + step, y + step * yp, yp.copy()) if is_zero else 0.0
        found.append(-ahead)
    return found
