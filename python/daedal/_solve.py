# SPDX-License-Identifier: BSD-3-Clause
"""solve_dae: one call for a residual on numpy arrays."""
from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._events import EventPlan
from ._function import FunctionModel, changed_start_note, require_callable
from ._model import prepare
from ._problem import (checked_callback, evaluation_times, raise_interruption, real_array, refuse_option,
                       run_options, time_span, truth)
from ._progress import fraction_reached, ticking
from ._result import Result


def solve_dae(F: Callable[..., Any], t_span: Any, y0: ArrayLike, yp0: ArrayLike | None = None, *,
              method: str = "auto", rtol: float = 1e-6, atol: ArrayLike | None = None,
              t_eval: ArrayLike | None = None, events: Any = None, parameters: Any = None,
              names: Sequence[str] | None = None, fixed: Any = None, integrator: str = "auto",
              trace: bool = True, index: Sequence[int] | None = None,
              progress: bool | Callable[[float], Any] = False,
              callback: Callable[[float, Any], Any] | None = None, **options: Any) -> Result:
    """Solves F(t, y, y') = 0, of any index, from a residual on numpy arrays.

    F is called once with symbols in place of numbers and so becomes a model with its structure: hidden
    constraints are found, the method is chosen, and no Python runs in the step loop. The model is
    compared with F near the start and along the solution.

    Parameters
    ----------
    F : callable
        ``F(t, y, yp) -> residual`` of as many numbers as unknowns; with `parameters`
        ``F(t, y, yp, p)``. Slices, ``@``, functions of numpy and math, loops over components and
        arrays made by np.zeros work; branches on values are written with `daedal.where`.
    t_span : (float, float)
        Start and end; may run backwards.
    y0 : array_like, shape (n,)
        Start values. They may be rough: consistent ones near them are found, and `Result.notes`
        tells what changed.
    yp0 : array_like, shape (n,), optional
        Start derivatives. They matter where F is nonlinear in yp and several would solve it.
    method : str, optional
        ``"auto"``, or one of `daedal.methods`, with fields as in ``"baumgarte:alpha=5"``.
    rtol : float, optional
    atol : float or array_like, shape (n,), optional
        By default ``rtol / 100``.
    t_eval : array_like, optional
        Times at which the result has values; by default every step.
    events : callable or list of callables, optional
        ``event(t, y)``, ``event(t, y, yp)`` or with the parameters as well; zero at the event. As in
        scipy, ``event.terminal`` (True, or a number of occurrences) ends the run, and
        ``event.direction`` (positive: rising, negative: falling) says which crossings count.
    parameters : mapping or array_like, optional
        They stay symbols: ``result.problem.solve(t_span, parameters=...)`` runs with others.
    names : sequence of str, optional
        Of the unknowns.
    fixed : True, mask, or sequence of names or numbers, optional
        Which start values must hold as they are.
    integrator : str, optional
        ``"auto"``, or one of `daedal.integrators`, such as ``"radau:stages=3"``.
    trace : bool, optional
        False: F stays a Python function that is called with numbers in every step. Of index 0 or 1, or
        as `index` declares.
    index : sequence of int, optional
        With ``trace=False``: 1, 2 or 3 for every unknown; the start values must then be consistent.
    progress : bool or callable, optional
        Show a bar, or call a function with the fraction that is done.
    callback : callable, optional
        Called as ``callback(t, y)`` at every step on the way; the run ends where it returns True. What it
        raises ends the run and is passed on, with what was computed as its attribute ``result``.
    **options
        max_step, first_step, fixed_step, max_steps, time_limit (seconds), stop_times (that a step must
        hit), watch_singularities.

    Returns
    -------
    Result
        With ``t, y, yp, success, status, message, sol, t_events, y_events, nfev, njev, nlu`` as in
        scipy, and more. A run that fails is a result with ``success`` False, not an exception.

    Raises
    ------
    TraceError
        F cannot be traced, or does not agree with the model that it became.
    ModelError, OptionError, ValueError, TypeError
    Interrupted
        Ctrl-C; its attribute ``result`` has what was computed.

    Examples
    --------
    The pendulum in Cartesian coordinates, index 3:

    >>> import daedal
    >>> def pendulum(t, y, yp):
    ...     x, h, vx, vh, tension = y
    ...     return [yp[0] - vx, yp[1] - vh, yp[2] + tension * x, yp[3] + tension * h + 9.81,
    ...             x**2 + h**2 - 1]
    >>> result = daedal.solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0])
    >>> result.success, result.index
    (True, 3)
    """
    require_callable(F, "F")
    span = time_span(t_span)
    times = evaluation_times(t_eval, span)
    scalar_atol, nominal = _tolerances(rtol, atol, y0)
    common = dict(method=method, integrator=integrator, rtol=rtol, atol=scalar_atol, **options)
    trace = truth(trace, "trace")
    if times is not None or events is not None:
        common["dense_output"] = True  # values between the steps are needed
    for name in options:
        if name in ("args", "jac", "vectorized"):
            refuse_option(name)  # before F is looked at, which is then written for scipy
        if name in ("columns", "keep_rows"):
            raise TypeError(f"{name} is for models, by Problem.solve and Model.solve: the result of solve_dae is "
                            "compared with F along the whole solution.")
    if not trace:
        if callback is not None:
            raise ValueError("callback is for functions that are traced: with trace=False F itself is called in "
                             "every step.")
        from ._residual import solve_residual

        return solve_residual(F, span, y0, yp0, times=times, events=events, parameters=parameters,
                              names=names, fixed=fixed, index=index, nominal=nominal,
                              progress=progress, options=common)
    if index is not None:
        raise ValueError("index is for trace=False: the index of a traced function is found.")
    traced = FunctionModel(F, y0, parameters=parameters, names=names, fixed=fixed, nominal=nominal,
                           yp0=yp0, t0=span[0])
    traced.check_start(span[1])
    plan = EventPlan(events)
    plan.add_terminal(traced)
    problem = prepare(traced.model, **common)
    with ticking(progress) as tick:
        solution, raised = problem._problem.solve(_core.TimeSpan(*span), run_options(**problem._settings),
                                                  tick, checked_callback(callback, traced.n))
        if tick is not None:
            tick(fraction_reached(solution, span))
    result = Result(solution, model=problem._problem.model, n=traced.n, t_eval=times)
    result.problem = problem
    if len(solution.times):
        result.notes += changed_start_note(traced.names, traced.y0, solution.values[0, :traced.n])
    plan.locate(traced, result, {})
    problem._n = traced.n
    if plan.given:
        problem._locate = functools.partial(plan.locate, traced)
    if raised is not None:
        raise_interruption(raised, result)
    traced.check_along(result)
    return result


def _tolerances(rtol: Any, atol: Any, y0: Any) -> tuple[float | None, Any]:
    """One absolute tolerance, and the magnitudes that it is multiplied by."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value is not None and np.any(real_array(value, name) <= 0.0):
            raise ValueError(f"{name} must be positive, not {value}.")
    if atol is None or np.ndim(atol) == 0:
        return (None if atol is None else float(atol)), None
    array = real_array(atol, "atol")
    if array.shape != np.atleast_1d(np.asarray(y0)).shape:
        raise ValueError(f"atol must be a number or have the shape of y0, not {array.shape}.")
    largest = float(array.max())
    return largest, array / largest
