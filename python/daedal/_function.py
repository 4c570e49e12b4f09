# SPDX-License-Identifier: BSD-3-Clause
"""Models from functions: F(t, y, yp) and events, with the checks of what they are given and return."""
from __future__ import annotations

import copy
import dataclasses
import inspect
import types
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import SymbolicArray, array_of
from ._errors import TraceError
from ._model import Model
from ._problem import real_array
from ._trace import Check, as_scalars, call_with_symbols, function_name, spread


class Parameters(dict[str, Any]):
    """Parameters by name, also as attributes: ``p["mass"]`` or ``p.mass``."""

    def __getattribute__(self, name: str) -> Any:
        # A parameter may be called "items": its value comes before the methods of a dict.
        if name in super().keys():
            return self[name]
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._lacks(name))

    def __missing__(self, name: Any) -> Any:
        raise KeyError(self._lacks(name))

    def _lacks(self, name: Any) -> str:
        return f"There is no parameter {name!r}; there are {', '.join(dict.keys(self))}."


def start_values(y0: ArrayLike) -> NDArray[np.float64]:
    """y0 as a one-dimensional array of finite numbers."""
    array = real_array(y0, "y0")
    if array.ndim > 1:
        raise ValueError(f"y0 must be one-dimensional, not of shape {array.shape}.")
    array = np.atleast_1d(array)
    if array.size == 0:
        raise ValueError("y0 is empty: there must be at least one unknown.")
    return array


def unknown_names(names: Sequence[str] | None, n: int) -> list[str]:
    """Names of the unknowns, all different."""
    if names is None:
        return [f"y[{i}]" for i in range(n)]
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    if not np.iterable(names) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"names must be a list of texts, one for each unknown, not {names!r}.")
    made = [str(name) for name in names]
    if not all(made):
        raise ValueError("Every unknown needs a name that is not empty.")
    if len(made) != n:
        raise ValueError(f"There are {len(made)} names for {n} unknowns.")
    if len(set(made)) != n:
        raise ValueError("The names of the unknowns must be different.")
    return made


def fixed_mask(fixed: Any, names: Sequence[str]) -> list[bool]:
    """Which start values must hold."""
    n = len(names)
    if fixed is None or isinstance(fixed, (bool, np.bool_)):
        return [bool(fixed)] * n
    if not isinstance(fixed, (str, int, np.integer)) and not np.iterable(fixed):
        raise ValueError(f"fixed must be True, a mask, or numbers or names of unknowns, not {fixed!r}.")
    items = [fixed] if isinstance(fixed, (str, int, np.integer)) else list(fixed)
    if len(items) == n and all(isinstance(item, (bool, np.bool_)) for item in items):
        return [bool(item) for item in items]
    mask = [False] * n
    for item in items:
        if isinstance(item, str):
            if item not in names:
                raise ValueError(f"fixed names {item!r}; the unknowns are {', '.join(names)}.")
            mask[names.index(item)] = True
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool) and -n <= item < n:
            mask[item] = True
        else:
            raise ValueError(f"fixed must be True, a mask, or numbers or names of unknowns; {item!r} is "
                             f"none of {n} unknowns.")
    return mask


def _is_record(value: Any) -> bool:
    """Whether parameters are the attributes of an object: a dataclass, or of a class of the user's."""
    if dataclasses.is_dataclass(value):
        return not isinstance(value, type)
    return (hasattr(value, "__dict__") and not callable(value) and not np.iterable(value)
            and not hasattr(value, "__array__") and not isinstance(value, types.ModuleType))


def _fields(record: Any) -> dict[str, Any]:
    """The attributes that are parameters; texts, functions and truth values stay what they are."""
    if isinstance(record, types.SimpleNamespace):
        return dict(vars(record))
    names = ([field.name for field in dataclasses.fields(record)] if dataclasses.is_dataclass(record)
             else [name for name in vars(record) if not name.startswith("_")])
    fields = {name: getattr(record, name) for name in names}
    return {name: value for name, value in fields.items()
            if value is not None and not isinstance(value, (str, bool, np.bool_)) and not callable(value)}


def _named_parameters(parameters: Any) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Any]] | None:
    """Values by name of a mapping, a series of pandas, a named tuple or an object, and what makes it again."""
    if isinstance(parameters, Mapping) or callable(getattr(parameters, "keys", None)):
        return {str(name): parameters[name] for name in parameters.keys()}, Parameters
    if hasattr(parameters, "_asdict"):
        return dict(parameters._asdict()), lambda made: parameters._make(made.values())
    if not _is_record(parameters):
        return None

    def with_fields(made: dict[str, Any]) -> Any:
        record = copy.copy(parameters)
        for name, value in made.items():
            object.__setattr__(record, name, value)  # also where a dataclass is frozen
        return record

    fields = _fields(parameters)
    return (fields, with_fields) if fields else None


class _Part:
    """Parameters inside parameters: their names and values, and what makes them of other values."""

    def __init__(self, name: str, given: Any) -> None:
        named = _named_parameters(given)
        if named is not None:
            items, self._make = named
            parts = {key: _Part(f"{name}.{key}" if name else key, value) for key, value in items.items()}
            self.names = [one for part in parts.values() for one in part.names]
            self.values = [one for part in parts.values() for one in part.values]
            self.made = lambda values: self._make({key: part.made(values) for key, part in parts.items()})
            return
        array = real_array(given, f"parameter {name!r}")
        self.values = array.reshape(-1).tolist()
        self.names = [name] if array.size == 1 else [
            f"{name}[{','.join(str(i) for i in place)}]" for place in np.ndindex(*array.shape)]
        self.made = lambda values: (_array_of_parameters([next(values) for _ in self.names]).reshape(array.shape)
                                    if array.ndim else next(values))

    names: list[str]
    values: list[float]
    made: Callable[[Iterator[Any]], Any]


def parameter_items(parameters: Any) -> tuple[list[str], NDArray[np.float64], Callable[[list[Any]], Any]]:
    """Names, values, and what makes of values the argument that F takes."""
    if parameters is None or _named_parameters(parameters) is None:
        values = np.atleast_1d(real_array(() if parameters is None else parameters, "parameters"))
        if values.ndim > 1:
            raise ValueError(f"parameters must be one-dimensional or a dict, not of shape {values.shape}.")
        return [f"p[{i}]" for i in range(values.size)], values, _array_of_parameters
    part = _Part("", parameters)
    return part.names, np.array(part.values), lambda values: part.made(iter(values))


def _array_of_parameters(values: list[Any]) -> Any:
    return array_of(values) if values and not isinstance(values[0], float) else np.array(values)


def require_callable(function: Any, name: str) -> None:
    if not callable(function):
        raise TypeError(f"{name} must be a function, not {type(function).__name__}.")


def require_residual(F: Any, n_arguments: int) -> None:
    """TypeError for a function that cannot be called with (t, y, yp) or (t, y, yp, p)."""
    require_callable(F, "F")
    try:
        signature = inspect.signature(F)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*range(n_arguments))
    except TypeError:
        wanted = ", ".join(["t", "y", "yp", "p"][:n_arguments])
        most = leading_arguments(F, len(signature.parameters))
        hint = (" With parameters=... it gets a fourth one." if n_arguments == 3 and most == 4 else
                " For y' = f(t, y) pass lambda t, y, yp: yp - f(t, y)." if n_arguments == 3 and most < 3 else "")
        raise TypeError(f"F is called with the positional arguments ({wanted}); {function_name(F)}{signature} "
                        f"cannot be.{hint}") from None


def changed_start_note(names: Sequence[str], y0: Any, y: Any) -> list[str]:
    """What became of rough start values, for the notes of a result."""
    scale = np.maximum(np.abs(y0), np.abs(y))
    changed = np.flatnonzero(np.abs(y - y0) > 1e-9 * scale + 1e-300)
    if changed.size == 0:
        return []
    most = 8
    listed = ", ".join(f"{names[i]} = {y[i]:.6g} (given {y0[i]:.6g})" for i in changed[:most])
    more = f" and {changed.size - most} more" if changed.size > most else ""
    return [f"Start values were made consistent with the equations: {listed}{more}."]


def leading_arguments(function: Any, most: int) -> int:
    """How many of (t, y, yp, p) an event function takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return 2
    count = 0
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return most
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            if parameter.default is parameter.empty or count < 2:
                count += 1
    if count > most:
        raise TypeError(f"The event {function_name(function)} takes {count} arguments; it may take "
                        f"{', '.join(['t', 'y', 'yp', 'p'][:most])} or the first of them.")
    return count


def event_value(value: Any, name: str) -> Any:
    """What an event function returned, as one symbol or number."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.size(value) != 1:
        raise ValueError(f"The event {name} returned {np.size(value)} values; it must return one number, which "
                         "becomes zero at the event. Several events are a list of functions.")
    item = np.reshape(value, -1)[0] if isinstance(value, (list, tuple, np.ndarray)) else value
    if isinstance(item, (bool, np.bool_)) or getattr(item, "is_relation", False):
        raise TypeError(f"The event {name} returned a relation; it must return a number that becomes zero at "
                        "the event, such as y[0] - 1 in place of y[0] > 1.")
    return as_scalars(item, f"The event {name}", 1)[0]


class FunctionModel:
    """A residual, what it was given, and the model that it became."""

    def __init__(self, F: Callable[..., Any], y0: ArrayLike, *, parameters: Any = None,
                 names: Sequence[str] | None = None, fixed: Any = None, name: str | None = None,
                 nominal: NDArray[np.float64] | None = None, yp0: ArrayLike | None = None,
                 t0: float = 0.0) -> None:
        require_residual(F, 3 if parameters is None else 4)
        self.F = F
        self.t0 = t0
        self.y0 = start_values(y0)
        self.n = self.y0.size
        self.names = unknown_names(names, self.n)
        self.parameter_names, self.parameter_values, self._given = parameter_items(parameters)
        self.has_parameters = parameters is not None
        self.fixed = fixed_mask(fixed, self.names)
        self.nominal = np.ones(self.n) if nominal is None else nominal
        self.title = name or function_name(F)
        self.yp0 = np.zeros(self.n) if yp0 is None else real_array(yp0, "yp0")
        if self.yp0.shape != (self.n,):
            raise ValueError(f"yp0 must have the shape of y0, ({self.n},), not {self.yp0.shape}.")
        self.helpers: list[int] = []
        self._trace()
        if yp0 is not None:
            nonlinear = [i for i, is_so in enumerate(self.roots.nonlinear_derivatives()) if is_so]
            if nonlinear:
                # Several derivatives may solve the equations: variables of their own have start
                # values, which say which one is meant.
                self.helpers = nonlinear
                self._trace()

    def _trace(self) -> None:
        model = Model(self.title)
        draft = model._draft
        symbols = draft.variable_block(self.names, self.y0, self.fixed, self.nominal)
        derivatives = [symbol.der() for symbol in symbols]
        for i in self.helpers:
            helper = draft.variable(f"der({self.names[i]})", float(self.yp0[i]))
            draft.equation(derivatives[i], helper, "", None)
            derivatives[i] = helper
        parameters = draft.parameter_block(self.parameter_names, self.parameter_values)
        model._symbols = {**dict(zip(self.names, symbols)), **dict(zip(self.parameter_names, parameters))}
        model._variable_order = self.names
        model._parameter_order = self.parameter_names
        self.model = model
        self.draft = draft
        self.symbols = symbols
        self.arguments: list[Any] = [draft.time(), array_of(symbols), array_of(derivatives)]
        if self.has_parameters:
            self.arguments.append(self._given(parameters))
        value = call_with_symbols(self.F, self.copies(),
                                  lambda: self.call(self.t0, self.y0.copy(), self.yp0.copy()))
        items = as_scalars(value, self.title_of(), self.n)
        self.roots = draft.roots(items)
        draft.residual_equations(self.roots, [f"{self.title_of()}[{i}]" for i in range(self.n)])

    def title_of(self) -> str:
        return function_name(self.F)

    def copies(self) -> list[Any]:
        """The symbolic arguments; a function may write into its own."""
        return [item.copy() if isinstance(item, SymbolicArray) else item for item in self.arguments]

    def call(self, t: float, y: Any, yp: Any) -> Any:
        """F itself, with numbers."""
        return self.F(t, y, yp, *self.numeric_parameters())

    def numeric_parameters(self) -> list[Any]:
        return [self._given([float(value) for value in self.parameter_values])] if self.has_parameters else []

    def _point(self, y: Any, yp: Any) -> tuple[Any, Any]:
        """With the helpers, which hold derivatives."""
        if not self.helpers:
            return y, yp
        return np.concatenate([y, yp[self.helpers]]), np.concatenate([yp, np.zeros(len(self.helpers))])

    def _check(self, roots: Any, function: Any, call: Any) -> Check:
        n = self.n
        return Check(function, roots, lambda t, y, yp: call(t, y[:n].copy(), yp[:n].copy()))

    def _compare(self, t: float, y: Any, yp: Any, check: Check) -> bool:
        full_y, full_yp = self._point(y, yp)
        return check.at(t, full_y, full_yp, self.parameter_values)

    def check_start(self, t1: float | None = None) -> None:
        """Compares the model with F near the start."""
        t0 = self.t0
        t1 = t0 + 1.0 if t1 is None else t1
        has_value = False
        check = self._check(self.roots, self.F, self.call)
        for k, t in enumerate((t0, 0.37 * t0 + 0.63 * t1, 0.81 * t0 + 0.19 * t1)):
            y = self.y0 if k == 0 else spread(self.y0, k)
            yp = spread(self.yp0, k + 5)
            has_value |= self._compare(float(t), y, yp, check)
        if not has_value:
            self.call(float(t0), self.y0.copy(), self.yp0.copy())

    def check_along(self, result: Any, n_points: int = 5) -> None:
        """Compares the model with F along a solution."""
        sol = result.sol
        if sol is None or len(result._solution.times) == 0:
            return
        times = result._solution.times
        check = self._check(self.roots, self.F, self.call)
        for t in times[np.unique(np.linspace(0, len(times) - 1, n_points).astype(int))]:
            self._compare(float(t), sol(t), sol.derivative(t), check)
        if check.lacking is not None:
            result.warnings.append(f"{self.title_of()} itself has no value at t = {check.lacking[0]:.6g} "
                                   f"({check.lacking[1]}); the model that was made of it goes on there.")

    def trace_event(self, event: Callable[..., Any]) -> Any:
        """The symbol of an event function."""
        count = leading_arguments(event, len(self.arguments))

        def call(t: float, y: Any, yp: Any) -> Any:
            return event(*[t, y, yp, *self.numeric_parameters()][:count])

        value = call_with_symbols(event, self.copies()[:count],
                                  lambda: call(self.t0, self.y0.copy(), self.yp0.copy()))
        symbol = event_value(value, function_name(event))
        if not hasattr(symbol, "der"):
            raise TraceError(f"The event {function_name(event)} does not depend on its arguments: it is "
                             f"always {symbol:g}.", code="not-traceable")
        check = self._check(self.draft.roots([symbol]), event, call)
        for k in (1, 2):
            self._compare(0.0, spread(self.y0, k), spread(self.yp0, k + 5), check)
        return symbol
