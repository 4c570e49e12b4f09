# SPDX-License-Identifier: BSD-3-Clause
"""Problems that were prepared once, runs of them, and runs step by step."""
from __future__ import annotations

import difflib
import os
from typing import Any, Callable, Mapping, NoReturn, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import Interrupted
from ._progress import ticking
from ._result import Result

_SCIPY = {"RK45": "dopri5", "RK23": "dopri5", "DOP853": "dop853", "Radau": "radau", "BDF": "bdf",
          "LSODA": "auto"}


def time_span(span: Any) -> tuple[float, float]:
    """Two finite, different numbers."""
    try:
        start, stop = (float(value) for value in span)
    except (TypeError, ValueError):
        raise ValueError(f"t_span must be two numbers, start and end, not {span!r}.") from None
    if not (np.isfinite(start) and np.isfinite(stop)):
        raise ValueError(f"t_span must be finite, not ({start}, {stop}).")
    if start == stop:
        raise ValueError(f"t_span begins and ends at {start:g}: there is nothing to integrate.")
    return start, stop


def evaluation_times(t_eval: Any, span: tuple[float, float]) -> NDArray[np.float64] | None:
    """Ordered times inside the span, or None."""
    if t_eval is None:
        return None
    times = real_array(t_eval, "t_eval")
    if times.ndim != 1:
        raise ValueError(f"t_eval must be one-dimensional, not of shape {times.shape}.")
    low, high = min(span), max(span)
    if times.size and (times.min() < low or times.max() > high):
        raise ValueError(f"t_eval must lie within t_span, {low:g} to {high:g}; it reaches from "
                         f"{times.min():g} to {times.max():g}.")
    steps = np.diff(times) * (1.0 if span[1] > span[0] else -1.0)
    if np.any(steps <= 0.0):
        raise ValueError("t_eval must be sorted in the direction of t_span, without repetitions.")
    return times


def real_array(values: Any, name: str) -> NDArray[np.float64]:
    """Finite real numbers; ValueError and TypeError with a sentence for everything else."""
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise TypeError(f"{name} is complex; all values must be real.")
    try:
        numbers = np.array(array, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers, not {values!r}.") from None
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite; entry {int(np.flatnonzero(~np.isfinite(numbers))[0])} "
                         "is not.")
    return numbers


def real_number(value: Any, name: str) -> float:
    """One finite real number."""
    number = real_array(value, name)
    if number.size != 1:
        raise ValueError(f"{name} must be one number, not an array of shape {number.shape}.")
    return float(number.reshape(-1)[0])


def by_name(values: Any, what: str, names: Sequence[str] | None = None) -> dict[str, float]:
    """Values by name, from a mapping or from a sequence for all of ``names``."""
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return {str(key): real_number(value, f"{what} {key!r}") for key, value in values.items()}
    if names is None:
        raise TypeError(f"{what} must be a dict of numbers by name, not {type(values).__name__}.")
    array = real_array(values, what)
    if array.shape != (len(names),):
        raise ValueError(f"{what} must have {len(names)} values ({', '.join(names)}), not shape {array.shape}.")
    return {name: float(value) for name, value in zip(names, array)}


def split_method(method: str, integrator: str) -> tuple[str, str]:
    """``"ggl+radau"`` is a method with its integrator."""
    if not isinstance(method, str) or not isinstance(integrator, str):
        raise TypeError("method and integrator are given by name, such as 'ggl' and 'radau:stages=3'.")
    if method in _SCIPY:
        raise ValueError(f"{method!r} is the name of an integrator: pass integrator={_SCIPY[method]!r}. "
                         "A method here is a way to treat the equations, such as 'direct' or 'ggl'; "
                         "'auto' chooses one.")
    if "+" in method:
        method, _, integrator = method.partition("+")
    return method, integrator


_OPTIONS = ("method", "integrator", "rtol", "atol", "max_step", "first_step", "fixed_step", "max_steps",
            "time_limit", "stop_times", "watch_singularities", "dense_output", "chart", "t_eval", "events",
            "parameters", "names", "fixed", "progress", "trace", "index")


def refuse_option(name: str) -> NoReturn:
    """TypeError with the nearest name that exists."""
    if name == "args":
        raise TypeError("There is no option 'args': pass parameters=..., which F takes as its fourth argument and "
                        "later runs can change.")
    near = difflib.get_close_matches(name, _OPTIONS, 1)
    raise TypeError(f"There is no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "."))


def run_options(*, method: str = "auto", integrator: str = "auto", rtol: float = 1e-6,
                atol: float | None = None, max_step: float = np.inf, first_step: float | None = None,
                fixed_step: float | None = None, max_steps: int = 1_000_000,
                time_limit: float | None = None, stop_times: ArrayLike | None = None,
                watch_singularities: bool = False, dense_output: bool = True,
                chart: Any = None, **unknown: Any) -> Any:
    """SolveOptions of C++."""
    for name in unknown:
        refuse_option(name)
    options = _core.SolveOptions()
    method, integrator = split_method(method, integrator)
    options.set_method(method)
    options.set_integrator(integrator)
    options.rtol = real_number(rtol, "rtol")
    options.atol = 1e-2 * options.rtol if atol is None else real_number(atol, "atol")
    options.max_step = float(max_step)
    options.initial_step = 0.0 if first_step is None else real_number(first_step, "first_step")
    options.fixed_step = 0.0 if fixed_step is None else real_number(fixed_step, "fixed_step")
    options.max_steps = int(max_steps)
    options.time_limit = np.inf if time_limit is None else real_number(time_limit, "time_limit")
    options.stop_times = [] if stop_times is None else list(real_array(stop_times, "stop_times"))
    options.watch_singularities = bool(watch_singularities)
    options.dense_output = bool(dense_output)
    options.chart = chart
    return options


def raise_interruption(raised: Any, result: Any) -> NoReturn:
    """Passes on what a signal handler raised, with what was computed."""
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted("The run was interrupted; the exception's attribute 'result' has what was "
                          "computed before.", result) from raised
    raise raised


class Problem:
    """A model that was prepared once and can be solved many times.

    Made by `prepare`. Threads may solve the same problem at the same time.
    """

    def __init__(self, problem: Any, model: Any, settings: dict[str, Any]) -> None:
        self._problem = problem
        self._settings = settings
        self.model = model

    def _options(self, given: dict[str, Any], parameters: Any, start: Any) -> Any:
        options = run_options(**{**self._settings, **given})
        options.parameters = by_name(parameters, "parameters", self.model._parameter_order)
        options.start_values = by_name(start, "start", self.model._variable_order)
        return options

    def _span(self, t_span: Any) -> tuple[float, float]:
        return self.model._span(t_span)

    def solve(self, t_span: Any = None, *, parameters: Any = None, start: Any = None,
              t_eval: ArrayLike | None = None, progress: bool | Callable[[float], Any] = False,
              **options: Any) -> Result:
        """Solves the initial value problem.

        Parameters
        ----------
        t_span : (float, float), optional
            Start and end; may run backwards. Only models whose text has an experiment can do without.
        parameters : mapping or sequence, optional
            Values by name; the others keep those of the model.
        start : mapping, optional
            Start values by variable name. They count as fixed.
        t_eval : array_like, optional
            Times at which the result has values; by default every step.
        progress : bool or callable, optional
            Show a bar, or call a function with the fraction that is done.
        **options
            As for `solve_dae`: rtol, atol, max_step, first_step, fixed_step, max_steps, time_limit,
            stop_times.

        Returns
        -------
        Result
        """
        span = self._span(t_span)
        times = evaluation_times(t_eval, span)
        made = self._options(options, parameters, start)
        with ticking(progress) as tick:
            solution, raised = self._problem.solve(_core.TimeSpan(*span), made, tick)
        result = Result(solution, model=self._problem.model, t_eval=times)
        result.problem = self
        result._parameters = made.parameters
        if raised is not None:
            raise_interruption(raised, result)
        return result

    def start(self, t_span: Any = None, *, parameters: Any = None, start: Any = None,
              **options: Any) -> Simulation:
        """The same run, to be advanced step by step."""
        span = self._span(t_span)
        stepper = self._problem.start(_core.TimeSpan(*span), self._options(options, parameters, start))
        if stepper.raised is not None:
            raise_interruption(stepper.raised, None)
        return Simulation(stepper, self)

    def sweep(self, parameters: Any = None, t_span: Any = None, *, start: Any = None,
              t_eval: ArrayLike | None = None, workers: int | None = None,
              progress: bool | Callable[[float], Any] = False, **options: Any) -> SweepResult:
        """Solves for many values of parameters and start values, in threads without Python.

        Parameters
        ----------
        parameters : mapping of str to array_like, or DataFrame
            Arrays of one length, the values of the members; a number holds for all of them.
        t_span : (float, float)
        start : mapping of str to array_like, optional
            The same for start values.
        t_eval : array_like, optional
            Times at which the results have values; by default the end alone.
        workers : int, optional
            Threads; by default as many as there are processors.
        progress : bool or callable, optional
        **options
            As for `solve`.

        Returns
        -------
        SweepResult
        """
        span = self._span(t_span)
        times = evaluation_times([span[1]] if t_eval is None else t_eval, span)
        parameter_names, parameter_columns = _columns(parameters, "parameters")
        start_names, start_columns = _columns(start, "start")
        columns = parameter_columns + start_columns
        if not columns:
            raise ValueError("A sweep needs values of parameters or start values that change.")
        sizes = {len(column) for column in columns if column.ndim}
        if len(sizes) > 1:
            raise ValueError(f"All arrays of a sweep must have one length, not {sorted(sizes)}.")
        size = sizes.pop() if sizes else 1
        plan = _core.SweepPlan()
        plan.parameters = parameter_names
        plan.starts = start_names
        plan.values = np.stack([np.broadcast_to(column, (size,)) for column in columns], axis=1)
        plan.times = times
        plan.workers = max(1, int(workers) if workers is not None else (os.cpu_count() or 1))
        made = self._options(options, None, None)
        made.dense_output = t_eval is not None
        with ticking(progress) as tick:
            (values, statuses, messages, names), raised = self._problem.sweep(
                _core.TimeSpan(*span), made, plan, tick)
        result = SweepResult(times, values, statuses, messages, names,
                             dict(zip(parameter_names + start_names, plan.values.T)))
        if raised is not None:
            raise_interruption(raised, result)
        return result

    def __repr__(self) -> str:
        return f"<daedal.Problem of {self.model.name!r}>"


def _columns(values: Any, what: str) -> tuple[list[str], list[NDArray[np.float64]]]:
    if values is None:
        return [], []
    if not hasattr(values, "keys"):
        raise TypeError(f"{what} of a sweep must be arrays by name, not {type(values).__name__}.")
    names = [str(name) for name in values.keys()]
    columns = [real_array(values[name], f"{what} {name!r}") for name in values.keys()]
    for name, column in zip(names, columns):
        if column.ndim > 1:
            raise ValueError(f"{what} {name!r} must be a number or a one-dimensional array.")
    return names, columns


class SweepResult:
    """The members of a sweep.

    Attributes
    ----------
    t : ndarray, shape (m,)
    y : ndarray, shape (members, n, m)
        NaN where a run did not get.
    success : ndarray of bool, shape (members,)
    reasons, messages : list of str
        Of each member, as `Result.reason` and `Result.message`.
    names : list of str
    parameters : dict of str to ndarray
        What was changed.
    """

    def __init__(self, t: Any, values: Any, statuses: Any, messages: Any, names: Any,
                 parameters: dict[str, Any]) -> None:
        self.t = t
        self.y = np.swapaxes(values, 1, 2)
        self.reasons: list[str] = statuses
        self.messages: list[str] = messages
        self.success = np.array([status in ("success", "event-stop") for status in statuses])
        self.names: list[str] = names
        self.parameters = parameters

    def __len__(self) -> int:
        return len(self.reasons)

    def __getitem__(self, name: str) -> Any:
        """Values of a variable, shape (members, m); of one time, shape (members,)."""
        if name not in self.names:
            raise KeyError(f"{name!r}: the variables are {', '.join(self.names)}")
        rows = self.y[:, self.names.index(name), :]
        return rows[:, 0] if rows.shape[1] == 1 else rows

    def to_pandas(self) -> Any:
        """A DataFrame with a row per member: what was changed, the last values, the reason."""
        import pandas

        columns = dict(self.parameters)
        columns.update({name: self.y[:, i, -1] for i, name in enumerate(self.names)})
        columns["reason"] = self.reasons
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        return (f"<SweepResult: {len(self)} members, {int(self.success.sum())} successful, variables "
                f"{', '.join(self.names[:8])}{', ...' if len(self.names) > 8 else ''}>")


class Simulation:
    """A run that advances step by step; made by `Problem.start`.

    Attributes
    ----------
    time : float
    is_over : bool
    """

    def __init__(self, stepper: Any, problem: Problem) -> None:
        self._stepper = stepper
        self._problem = problem
        self.names: list[str] = list(stepper.solution().names)

    def step(self) -> bool:
        """One accepted step, or the part of one up to an event. False when the run is over."""
        return self._stepper.step()

    def advance(self, t: float) -> bool:
        """Steps until `time` has reached or passed ``t``. False when the run ended before."""
        goes_on, raised = self._stepper.advance(real_number(t, "t"))
        if raised is not None:
            raise_interruption(raised, self.result())
        return goes_on

    @property
    def time(self) -> float:
        return self._stepper.time

    @property
    def is_over(self) -> bool:
        return self._stepper.is_over

    @property
    def y(self) -> NDArray[np.float64]:
        """All values at `time`, in the order of `names`."""
        return self._stepper.values()

    def __getitem__(self, name: str) -> float:
        """The value of a variable at `time`."""
        return self._stepper.value(name)

    def result(self) -> Result:
        """What was computed so far."""
        made = Result(self._stepper.solution(), model=self._problem._problem.model)
        made.problem = self._problem
        return made

    def __repr__(self) -> str:
        return f"<daedal.Simulation of {self._problem.model.name!r} at t = {self.time:g}>"
