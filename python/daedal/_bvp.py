# SPDX-License-Identifier: BSD-3-Clause
"""Boundary value problems."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _core
from ._model import Model, require_model
from ._problem import by_name, raise_interruption, real_array, real_number, whole_number
from ._result import Result


class BvpResult(Result):
    """The solution of a boundary value problem; a `Result` and more.

    Attributes
    ----------
    x : ndarray
        The mesh.
    parameters : dict
        Values of the parameters with ``fixed=False``.
    error_estimate : float
        In units of the tolerance.
    rounds : list of (intervals, iterations, error)
        The meshes on the way.
    """

    def __init__(self, solution: Any, model: Any) -> None:
        super().__init__(solution, model=model)
        self.x = np.array(solution.mesh)
        self.parameters: dict[str, float] = solution.parameters
        self.error_estimate: float = solution.error_estimate
        self.rounds: list[Any] = solution.rounds


def solve_bvp(model: Model, t_span: Any = None, *, method: str = "collocation", scheme: str = "gauss",
              points: int = 3, rtol: float | None = None, atol: float | None = None, intervals: int = 20,
              max_intervals: int = 20_000, adapt: bool = True, max_iterations: int = 50,
              parameters: Any = None, start: Any = None, guess: Mapping[str, Any] | None = None,
              output_points: int = 0, time_limit: float | None = None) -> BvpResult:
    """Solves a boundary value problem by collocation on an adapted mesh.

    Parameters
    ----------
    model : Model
        With conditions by `Model.boundary`, `Model.initial` and fixed start values.
    t_span : (float, float)
        The interval.
    method : str, optional
        ``"collocation"``, ``"srm"`` or ``"baumgarte"``.
    scheme : {"gauss", "radau", "lobatto"}, optional
    points : int, optional
        Collocation points of an interval, 1 to 5.
    rtol, atol : float, optional
        Without `rtol` it is the tolerance of the model text's experiment, or 1e-6; without `atol`
        it is ``rtol/100``.
    intervals, max_intervals : int, optional
        Of the first mesh and of the last.
    adapt : bool, optional
        False: solve once on the first mesh.
    max_iterations : int, optional
        Of Newton's method on a mesh.
    parameters, start : mapping, optional
        Values by name; start values count as conditions.
    guess : mapping, optional
        ``{"t": times, "x": values, ...}``: a first idea of the solution.
    output_points : int, optional
        Equidistant points beside those of the mesh.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    BvpResult

    Examples
    --------
    >>> import daedal
    >>> m = daedal.Model("Bratu")
    >>> u, v = m.variable("u"), m.variable("v")
    >>> m.add(u.der() == v, v.der() == -daedal.exp(u))
    >>> m.boundary(u == 0, daedal.final(u) == 0)
    >>> round(float(daedal.solve_bvp(m, (0, 1)).sol(0.5)[0]), 6)
    0.140539
    """
    require_model(model, "solve_bvp")
    span = model._span(t_span)
    core_model = model._core_model()
    options = _core.BvpOptions()
    options.set_method(method)
    options.scheme, options.points = str(scheme), whole_number(points, "points")
    options.rtol = None if rtol is None else real_number(rtol, "rtol")
    options.atol = 0.0 if atol is None else real_number(atol, "atol")
    options.intervals = whole_number(intervals, "intervals")
    options.max_intervals = whole_number(max_intervals, "max_intervals")
    options.adapt, options.max_iterations = bool(adapt), whole_number(max_iterations, "max_iterations")
    options.parameters = by_name(parameters, "parameters")
    options.start_values = by_name(start, "start")
    options.output_points = whole_number(output_points, "output_points")
    options.time_limit = np.inf if time_limit is None else real_number(time_limit, "time_limit")
    if guess is not None:
        options.guess = _guess(guess)
    solution, raised = _core.solve_bvp(core_model, _core.TimeSpan(*span), options)
    result = BvpResult(solution, core_model)
    if raised is not None:
        raise_interruption(raised, result)
    return result


def _guess(values: Mapping[str, Any]) -> Any:
    if not isinstance(values, Mapping) or "t" not in values:
        raise ValueError("A guess needs its times by the key 't', and values by the names of variables: "
                         "{'t': times, 'x': values}.")
    times = real_array(values["t"], "guess 't'")
    made = _core.BvpGuess()
    made.names = [str(name) for name in values if name != "t"]
    rows = [np.broadcast_to(real_array(values[name], f"guess {name!r}"), times.shape)
            for name in values if name != "t"]
    made.times = list(times)
    made.values = list(np.stack(rows, axis=1).reshape(-1)) if rows else []
    return made
