# SPDX-License-Identifier: BSD-3-Clause
"""Problems that were prepared once, runs of them, and runs step by step."""
from __future__ import annotations

import difflib
import functools
import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, NoReturn, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import Interrupted
from ._progress import fraction_reached, ticking
from ._result import Result

if TYPE_CHECKING:
    from ._model import Model

_SCIPY = {"RK45": "dopri5", "RK23": "dopri5", "DOP853": "dop853", "Radau": "radau", "BDF": "bdf",
          "LSODA": "auto"}


def time_span(span: Any) -> tuple[float, float]:
    """Two finite, different numbers."""
    try:
        if isinstance(span, (str, bytes, set, frozenset, Mapping)):
            raise TypeError
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
    # np.arange(0, 0.31, 0.1) ends at 0.30000000000000004: round-off is no reason to refuse.
    slack = 1e-13 * (high - low) + 4.0 * np.spacing(max(abs(low), abs(high)))
    if times.size and (times.min() < low - slack or times.max() > high + slack):
        raise ValueError(f"t_eval must lie within t_span, {low:.16g} to {high:.16g}; it reaches from "
                         f"{times.min():.16g} to {times.max():.16g}.")
    times = np.clip(times, low, high)
    steps = np.diff(times) * (1.0 if span[1] > span[0] else -1.0)
    if np.any(steps <= 0.0):
        raise ValueError("t_eval must be sorted in the direction of t_span, without repetitions.")
    return times


def real_array(values: Any, name: str) -> NDArray[np.float64]:
    """Finite real numbers; ValueError and TypeError with a sentence for everything else."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        raise ValueError(f"{name} must hold numbers in rows of one length, not {values!r}.") from None
    if np.iscomplexobj(array):
        raise TypeError(f"{name} is complex; all values must be real.")
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
        raise ValueError(f"{name} has masked entries; every value is needed.")
    try:
        if array.dtype.kind in "Mm" or array.dtype.kind in "USO" and any(not isinstance(item, (int, float, np.number))
                                               and (isinstance(item, (str, bytes)) or not hasattr(item, "__float__"))
                                               for item in array.flat):
            raise TypeError
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


def positive_or_infinite(value: Any, name: str) -> float:
    """One real number, or no bound."""
    return np.inf if value is None or np.isscalar(value) and value == np.inf else real_number(value, name)


def positive_number(value: Any, name: str) -> float:
    """One number above zero."""
    number = real_number(value, name)
    if number <= 0.0:
        raise ValueError(f"{name} must be positive, not {value!r}.")
    return number


def truth(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}.")
    return bool(value)


def text_value(value: Any, name: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {value!r}.")
    return value


def whole_number(value: Any, name: str) -> int:
    """One whole number; 1e6 counts as one."""
    number = real_number(value, name)
    if number != np.floor(number):
        raise ValueError(f"{name} must be a whole number, not {value!r}.")
    return int(number)


def by_name(values: Any, what: str, names: Sequence[str] | None = None) -> dict[str, float]:
    """Values by name, from a mapping or from a sequence for all of ``names``."""
    if values is None:
        return {}
    if isinstance(values, Mapping):
        made: dict[str, float] = {}
        for key, value in values.items():
            numbers = real_array(value, f"{what} {key!r}")
            if numbers.size == 1:
                made[str(key)] = float(numbers.reshape(-1)[0])
            else:  # of an array of variables or parameters
                made.update((f"{key}[{','.join(str(i) for i in place)}]", float(number))
                            for place, number in np.ndenumerate(numbers))
        return made
    if names is None:
        raise TypeError(f"{what} must be a dict of numbers by name, not {type(values).__name__}.")
    array = real_array(values, what)
    if array.shape != (len(names),):
        raise ValueError(f"{what} must have {len(names)} values ({', '.join(names)}), not shape {array.shape}.")
    return {name: float(value) for name, value in zip(names, array)}


@functools.cache
def _integrators_only() -> frozenset[str]:
    """The names of integrators that are no methods."""
    return frozenset(row["name"] for row in _core.integrator_rows()) - {row["name"] for row in _core.method_rows()}


def split_method(method: str, integrator: str) -> tuple[str, str]:
    """``"ggl+radau"`` is a method with its integrator."""
    if not isinstance(method, str) or not isinstance(integrator, str):
        raise TypeError("method and integrator are given by name, such as 'ggl' and 'radau:stages=3'.")
    if method in _SCIPY:
        raise ValueError(f"{method!r} is the name of an integrator: pass integrator={_SCIPY[method]!r}. "
                         "A method here is a way to treat the equations, such as 'direct' or 'ggl'; "
                         "'auto' chooses one.")
    if integrator in _SCIPY:
        raise ValueError(f"Of the integrators here {_SCIPY[integrator]!r} is the counterpart of scipy's "
                         f"{integrator!r}.")
    if method.partition(":")[0] in _integrators_only():
        raise ValueError(f"{method!r} is the name of an integrator: pass integrator={method!r}, or method="
                         f"'auto+{method}' in one.")
    if "+" in method:
        method, _, integrator = method.partition("+")
    return method, integrator


_OPTIONS = ("method", "integrator", "rtol", "atol", "max_step", "first_step", "fixed_step", "max_steps",
            "time_limit", "stop_times", "watch_singularities", "dense_output", "columns", "keep_rows",
            "chart", "t_eval", "events", "callback", "inputs", "parameters", "names",
            "fixed", "progress", "trace", "index")


#: Options of other calls, and where they belong.
_ELSEWHERE = {
    "events": "solve_dae takes events, and Model.when states them",
    "names": "names are given where the model is made",
    "fixed": "a model says by fixed=True which start values must hold, a run by start={...}",
    "trace": "solve_dae decides whether a function is traced",
    "index": "the index of a model is found",
    "parameters": "values of parameters are given to a run, by Problem.solve or Model.solve",
    "t_eval": "times are given to a run, by Problem.solve or Model.solve",
    "progress": "a bar is shown for a run, by Problem.solve or Model.solve",
    "callback": "it is called by a run, by Problem.solve, Model.solve, Problem.start or solve_dae",
    "inputs": "a model is given its inputs where it is prepared, by prepare or Model.solve",
    "min_step": "no step is refused for being small before round-off makes it meaningless",
}


def refuse_option(name: str) -> NoReturn:
    """TypeError with the nearest name that exists."""
    if name == "args":
        raise TypeError("There is no option 'args': pass parameters=..., which F takes as its fourth argument and "
                        "later runs can change.")
    if name in _ELSEWHERE:
        raise TypeError(f"There is no option {name!r} here: {_ELSEWHERE[name]}.")
    if name in ("jac", "jac_sparsity", "lband", "uband", "vectorized"):
        raise TypeError(f"There is no option {name!r}: derivatives and their structure follow from the function "
                        "itself.")
    near = [other for other in difflib.get_close_matches(name, _OPTIONS, 2) if other != name]
    raise TypeError(f"There is no option {name!r} here" + (f"; did you mean {near[0]!r}?" if near else "."))


def run_options(*, method: str = "auto", integrator: str = "auto", rtol: float | None = None,
                atol: float | None = None, max_step: float = np.inf, first_step: float | None = None,
                fixed_step: float | None = None, max_steps: int = 1_000_000,
                time_limit: float | None = None, stop_times: ArrayLike | None = None,
                watch_singularities: bool = False, dense_output: bool | None = None,
                columns: Sequence[str] | None = None, keep_rows: bool = True,
                chart: Any = None, **unknown: Any) -> Any:
    """SolveOptions of C++."""
    for name in unknown:
        refuse_option(name)
    options = _core.SolveOptions()
    options.interval = -np.inf  # rows at every step, whatever interval the model's text has
    method, integrator = split_method(method, integrator)
    options.set_method(method)
    options.set_integrator(integrator)
    options.rtol = None if rtol is None else real_number(rtol, "rtol")
    options.atol = 0.0 if atol is None else real_number(atol, "atol")
    options.max_step = positive_or_infinite(max_step, "max_step")
    options.initial_step = 0.0 if first_step is None else positive_number(first_step, "first_step")
    options.fixed_step = 0.0 if fixed_step is None else real_number(fixed_step, "fixed_step")
    options.max_steps = whole_number(max_steps, "max_steps")
    options.time_limit = np.inf if time_limit is None else real_number(time_limit, "time_limit")
    options.stop_times = [] if stop_times is None else list(np.atleast_1d(real_array(stop_times, "stop_times")))
    options.watch_singularities = truth(watch_singularities, "watch_singularities")
    options.dense_output = None if dense_output is None else truth(dense_output, "dense_output")
    if isinstance(columns, str) or columns is not None and not np.iterable(columns):
        raise TypeError(f"columns must be a list of names or patterns, such as ['x', 'v*'], not {columns!r}.")
    options.columns = [] if columns is None else [str(name) for name in columns]
    options.keep_rows = truth(keep_rows, "keep_rows")
    options.chart = chart
    return options


def raise_interruption(raised: Any, result: Any) -> NoReturn:
    """Passes on what a signal handler or a callback raised, with what was computed."""
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted("The run was interrupted; the exception's attribute 'result' has what was "
                          "computed before.", result) from raised
    raised.result = result
    raise raised


def checked_callback(callback: Any, n: int | None = None) -> Any:
    """A function of time and values, or None."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of t and y, not {type(callback).__name__}.")
    if callback is None or n is None:
        return callback
    return lambda t, y: callback(t, y[:n])


class Problem:
    """A model that was prepared once and can be solved many times.

    Made by `prepare`. Threads may solve the same problem at the same time.
    """

    def __init__(self, problem: _core.Problem, model: Model, settings: dict[str, Any]) -> None:
        self._problem = problem
        self._settings = settings
        self.model = model
        #: Of a function that was traced: how many unknowns it has, and what finds its events in a result.
        self._n: int | None = None
        self._locate: Callable[[Result, Mapping[str, float]], None] | None = None

    def _options(self, given: dict[str, Any], parameters: Any, start: Any) -> Any:
        for name in ("method", "integrator", "watch_singularities", "chart"):
            if name in given:
                raise TypeError(f"{name} is chosen where the problem is prepared: prepare(model, {name}=...).")
        options = run_options(**{**self._settings, **given})
        options.parameters = by_name(parameters, "parameters", self.model._parameter_order)
        if isinstance(parameters, Mapping) and any(np.size(value) > 1 for value in parameters.values()):
            # Elements of an array that keep their values are not given: they need not appear in an equation.
            kept = self.model.parameters
            options.parameters = {name: value for name, value in options.parameters.items() if kept.get(name) != value}
        options.start_values = by_name(start, "start", self.model._variable_order)
        return options

    def _span(self, t_span: Any) -> tuple[float, float]:
        return self.model._span(t_span)

    def solve(self, t_span: Any = None, *, parameters: Any = None, start: Any = None,
              t_eval: ArrayLike | None = None, progress: bool | Callable[[float], Any] = False,
              callback: Callable[[float, NDArray[np.float64]], Any] | None = None,
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
        callback : callable, optional
            Called as ``callback(t, y)`` at every step on the way; the run ends where it returns True.
            What it raises ends the run and is passed on, with what was computed as its attribute
            ``result``.
        **options
            As for `solve_dae`: rtol, atol, max_step, first_step, fixed_step, max_steps, time_limit,
            stop_times (without `rtol` it is the tolerance of the model text's experiment, or 1e-6); and
            `columns`, the names or patterns (``"wheel*"``) of the variables that the
            result has, in this order, and ``keep_rows=False``, with which it has its last row and its
            events alone.

        Returns
        -------
        Result
        """
        span = self._span(t_span)
        times = evaluation_times(t_eval, span)
        made = self._options(options, parameters, start)
        if times is not None or self._locate is not None:
            made.dense_output = True
        with ticking(progress) as tick:
            solution, raised = self._problem.solve(_core.TimeSpan(*span), made, tick,
                                                   checked_callback(callback, self._n))
            if tick is not None:
                tick(fraction_reached(solution, span))
        result = Result(solution, model=self._problem.model, n=self._n, t_eval=times)
        result.problem = self
        result._parameters = made.parameters
        if self._locate is not None:
            self._locate(result, made.parameters)
        if raised is not None:
            raise_interruption(raised, result)
        return result

    def start(self, t_span: Any = None, *, parameters: Any = None, start: Any = None,
              callback: Callable[[float, NDArray[np.float64]], Any] | None = None,
              **options: Any) -> Simulation:
        """The same run, to be advanced step by step.

        Parameters
        ----------
        t_span, parameters, start, callback, **options
            As for `solve`.

        Returns
        -------
        Simulation
        """
        span = self._span(t_span)
        return Simulation._started(
            self._problem.start(_core.TimeSpan(*span), self._options(options, parameters, start),
                                checked_callback(callback)), self)

    def restore(self, checkpoint: bytes, *,
                callback: Callable[[float, NDArray[np.float64]], Any] | None = None,
                **options: Any) -> Simulation:
        """A run that was saved, to be advanced from there with the same bits.

        Parameters
        ----------
        checkpoint : bytes
            From `Simulation.save`, in this process or in another one.
        callback : callable, optional
            As for `solve`.
        **options
            Limits of the rest of the run; everything else must be as it was.

        Returns
        -------
        Simulation
        """
        if not isinstance(checkpoint, (bytes, bytearray, memoryview)):
            raise TypeError(f"A checkpoint is bytes, as Simulation.save() returns them, not "
                            f"{type(checkpoint).__name__}.")
        return Simulation._started(
            self._problem.restore(bytes(checkpoint), self._options(options, None, None),
                                  checked_callback(callback)), self)

    def sweep(self, parameters: Any = None, t_span: Any = None, *, start: Any = None,
              t_eval: ArrayLike | None = None, workers: int | None = None, engine: str = "auto",
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
        engine : str, optional
            "threads": one run after the other in each of them; "lanes": eight at a time, where the
            integrator is explicit and no event comes. The results have the same bits; by default
            the faster one is chosen.
        progress : bool or callable, optional
        **options
            As for `solve`.

        Returns
        -------
        SweepResult
        """
        span = self._span(t_span)
        given = evaluation_times(t_eval, span)
        times = np.array([span[1]]) if given is None else given
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
        plan.times = np.zeros(0) if given is None else given
        plan.workers = (os.cpu_count() or 1) if workers is None else whole_number(workers, "workers")
        if plan.workers < 1:
            raise ValueError(f"A sweep needs at least one worker, not {workers}.")
        plan.engine = engine
        made = self._options(options, None, None)
        with ticking(progress) as tick:
            (values, statuses, messages, names), raised = self._problem.sweep(
                _core.TimeSpan(*span), made, plan, tick)
            if tick is not None and raised is None:
                tick(1.0)
        result = SweepResult(times, values, statuses, messages, names,
                             dict(zip(parameter_names + start_names, plan.values.T)))
        if raised is not None:
            raise_interruption(raised, result)
        return result

    def __reduce__(self) -> NoReturn:
        raise TypeError("A problem holds compiled equations and cannot be pickled. Its results can; sweep() solves "
                        "in threads, and other processes can prepare the model themselves.")

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
        """A table with a row per member: what was changed, the last values, the reason.

        Returns
        -------
        pandas.DataFrame
        """
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

    One thread advances it; others may set values, ask for them and save it meanwhile, between two steps.

    Attributes
    ----------
    time : float
    is_over : bool
    """

    def __init__(self, stepper: _core.Stepper, problem: Problem) -> None:
        self._stepper = stepper
        self._problem = problem
        self.names: list[str] = list(stepper.solution().names)

    @classmethod
    def _started(cls, stepper: _core.Stepper, problem: Problem) -> Simulation:
        if stepper.raised is not None:
            raise_interruption(stepper.raised, None)
        return cls(stepper, problem)

    def step(self) -> bool:
        """One accepted step, or the part of one up to an event.

        Returns
        -------
        bool
            False when the run is over.
        """
        goes_on, raised = self._stepper.step()
        if raised is not None:
            raise_interruption(raised, self.result())
        return goes_on

    def set_input(self, name: str, value: float) -> None:
        """From `time` on the input has another value.

        That is an event: states keep their values, and everything else follows. What is set at one
        time counts as one event.

        Parameters
        ----------
        name : str
        value : float

        Raises
        ------
        OptionError
            For an input that follows an expression or a table, or whose derivatives the equations need.
        """
        self._stepper.set("input", str(name), real_number(value, name))

    def set_parameter(self, name: str, value: float) -> None:
        """From `time` on the parameter has another value; see `set_input`.

        Parameters
        ----------
        name : str
        value : float
        """
        self._stepper.set("parameter", str(name), real_number(value, name))

    def save(self) -> bytes:
        """A checkpoint, from which `Problem.restore` goes on, for a file or another process.

        The run starts its steps anew from there, as the one that is restored does, so that both have
        the same bits. A run that was interrupted, or that has used up its time or its steps, is saved where
        it stopped.

        Returns
        -------
        bytes

        Raises
        ------
        OptionError
            Where the run is over otherwise, or cannot be started anew just there.
        """
        return self._stepper.save()

    def advance(self, t: float) -> bool:
        """Steps until `time` is ``t``, where the last of them ends; none where the run is past it already.

        Parameters
        ----------
        t : float

        Returns
        -------
        bool
            False when the run ended before.
        """
        goes_on, raised = self._stepper.advance(real_number(t, "t"))
        if raised is not None:
            raise_interruption(raised, self.result())
        return goes_on

    @property
    def time(self) -> float:
        """Where the run is."""
        return self._stepper.time

    @property
    def is_over(self) -> bool:
        """Whether the run has reached its end, or cannot go on."""
        return self._stepper.is_over

    @property
    def y(self) -> NDArray[np.float64]:
        """All values at `time`, in the order of `names`."""
        return self._stepper.values()

    def __getitem__(self, name: str) -> float:
        """The value of a variable at `time`."""
        return self._stepper.value(name)

    def result(self) -> Result:
        """What was computed so far.

        Returns
        -------
        Result
        """
        made = Result(self._stepper.solution(), model=self._problem._problem.model)
        made.problem = self._problem
        return made

    def __repr__(self) -> str:
        return f"<daedal.Simulation of {self._problem.model.name!r} at t = {self.time:g}>"
