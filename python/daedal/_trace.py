# SPDX-License-Identifier: BSD-3-Clause
"""Tracing: a Python function on numpy arrays is called once with symbols, and becomes a model.

Arrays of symbols answer for themselves wherever numpy asks its arguments. Where it does not
(``np.zeros(5)``, which must take symbols later, and ``math.sin``, which wants a C double), the names
are bound to functions of this module while a function is traced: in numpy, in math, in Python, and in the
globals and closures that the function and those it calls look them up in. In other threads, and for
numbers, these do what the originals do.
"""
from __future__ import annotations

import builtins
import contextlib
import functools
import math
import sys
import threading
import types
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from ._arrays import BINARY, ERROR_FUNCTIONS, UNARY, SymbolicArray, _is_real_type, is_symbolic, symbolic
from ._core import Equation
from ._errors import Error, TraceError, refuse_in_symbols, tracing
from ._scipy import substitutes as substitutes_of_scipy

_lock = threading.RLock()
_FOREIGN = ("numpy", "scipy", "daedal")


# --------------------------------------------------------------------------- functions in their place

def _symbolic_array(value: Any) -> Any:
    """New arrays of real numbers must be able to take symbols."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value.astype(object).view(SymbolicArray)
    return symbolic(value)


def _is_foreign(scope: dict[str, Any]) -> bool:
    """Whether a name was looked up by numpy, scipy or this package, which expect plain arrays."""
    return str(scope.get("__name__")).partition(".")[0] in _FOREIGN


def _creator(original: Callable[..., Any], makes_new: bool, takes_content: bool) -> Callable[..., Any]:
    @functools.wraps(original)
    def made(*args: Any, **kwargs: Any) -> Any:
        if not getattr(tracing, "active", False) or _is_foreign(sys._getframe(1).f_globals):
            return original(*args, **kwargs)
        if takes_content:
            args = tuple(object if i > 0 and isinstance(arg, (type, str, np.dtype))
                         and _is_real_type(arg) else arg for i, arg in enumerate(args))
            if kwargs.get("dtype") is not None and _is_real_type(kwargs["dtype"]):
                kwargs["dtype"] = object
        value = original(*args, **kwargs)
        return _symbolic_array(value) if makes_new else symbolic(value)
    return made


def _math_function(original: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def called(*args: Any) -> Any:
        for arg in args:
            if is_symbolic(arg):
                return function(*args)
        return original(*args)
    return called


def _math_log(x: Any, base: Any = None) -> Any:
    return np.log(x) if base is None else np.log(x) / np.log(base)


_MATH: dict[str, Callable[..., Any]] = {
    **{name: UNARY[name] for name in
       ("sin", "cos", "tan", "exp", "sqrt", "sinh", "cosh", "tanh", "expm1", "log1p", "log2", "log10",
        "fabs", "floor", "ceil", "trunc", "degrees", "radians", "exp2", "cbrt", "isnan", "isinf",
        "isfinite")},
    "asin": UNARY["arcsin"], "acos": UNARY["arccos"], "atan": UNARY["arctan"],
    "asinh": UNARY["arcsinh"], "acosh": UNARY["arccosh"], "atanh": UNARY["arctanh"],
    "atan2": BINARY["arctan2"], "copysign": BINARY["copysign"],
    "pow": lambda a, b: a ** b,
    "hypot": lambda *items: np.sqrt(sum(item * item for item in items)),
    "fmod": BINARY["fmod"],
    "remainder": lambda a, b: a - b * np.rint(a / b),
    "modf": np.modf,
    "log": _math_log,
    **ERROR_FUNCTIONS,
}
_NEW = ("zeros", "ones", "empty", "full", "eye", "identity", "copy", "zeros_like", "ones_like",
        "empty_like", "full_like", "arange", "linspace", "diag", "tile", "repeat")
_CONTENT = ("array",)
_VIEWS = ("asarray", "asanyarray", "ascontiguousarray", "asfarray")
#: Functions that compare: lists of symbols must become arrays of them, which do not ask for values.
_LISTED = ("max", "min", "amax", "amin", "where", "clip", "ptp")
_LISTED_UFUNCS = ("maximum", "minimum", "fmax", "fmin", "less", "less_equal", "greater", "greater_equal",
                  "logical_and", "logical_or")


def _make_substitutes() -> list[tuple[Any, str, Any, Any]]:
    """Module, name, original and what stands in for it."""
    rows = []
    for name in _NEW + _CONTENT + _VIEWS:
        original = getattr(np, name, None)
        if original is not None:
            rows.append((np, name, original,
                         _creator(original, name not in _VIEWS, name in _CONTENT + _VIEWS)))
    for name, function in _MATH.items():
        original = getattr(math, name, None)
        if original is not None:
            rows.append((math, name, original, _math_function(original, function)))
    for name in _LISTED:
        original = getattr(np, name)
        rows.append((np, name, original, _taking_lists(original)))
    for name in _LISTED_UFUNCS:
        original = getattr(np, name)
        rows.append((np, name, original, _ListTakingUfunc(original)))
    rows.append((np.linalg, "norm", np.linalg.norm, _taking_lists(np.linalg.norm)))
    rows.append((np, "fromiter", np.fromiter, _from_iterator(np.fromiter)))
    rows.append((math, "fsum", math.fsum, _lifted_sum(math.fsum, 0.0)))
    rows.append((math, "dist", math.dist, _lifted_distance(math.dist)))
    for name, ufunc in (("max", np.maximum), ("min", np.minimum)):
        original = getattr(builtins, name)
        rows.append((builtins, name, original, _lifted_extreme(original, ufunc)))
    return rows


def _array_of_list(value: Any) -> Any:
    """A list with symbols in it, also in lists or arrays inside, as an array of them."""
    if isinstance(value, (list, tuple)) and _has_symbol(value):
        return symbolic(np.asarray([_array_of_list(item) for item in value], dtype=object))
    return value


def _has_symbol(items: Any) -> bool:
    return any(is_symbolic(item) or isinstance(item, SymbolicArray)
               or isinstance(item, (list, tuple)) and _has_symbol(item) for item in items)


def _taking_lists(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def called(*args: Any, **kwargs: Any) -> Any:
        return original(*(_array_of_list(arg) for arg in args), **kwargs)
    return called


class _ListTakingUfunc:
    """A ufunc of numpy whose arguments may be lists of symbols."""

    def __init__(self, ufunc: Any) -> None:
        self._ufunc = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._ufunc(*(_array_of_list(arg) for arg in args), **kwargs)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._ufunc, name)
        return _taking_lists(value) if name in ("reduce", "accumulate", "outer") else value


def _from_iterator(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def made(items: Any, dtype: Any, count: int = -1, **kwargs: Any) -> Any:
        items = list(items)[:None if count < 0 else count]
        if _is_real_type(dtype) and _has_symbol(items):
            return symbolic(np.array(items, dtype=object))
        return original(items, dtype, count, **kwargs)
    return made


def _lifted_distance(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def distance(p: Any, q: Any) -> Any:
        if _has_symbol(p) or _has_symbol(q):
            return _MATH["hypot"](*(a - b for a, b in zip(p, q)))
        return original(p, q)
    return distance


def _lifted_sum(original: Callable[..., Any], start: float) -> Callable[..., Any]:
    @functools.wraps(original)
    def summed(items: Any) -> Any:
        items = list(items)
        return sum(items, start) if any(is_symbolic(item) for item in items) else original(items)
    return summed


def _lifted_extreme(original: Callable[..., Any], ufunc: Any) -> Callable[..., Any]:
    """max and min of Python, which compare by branches."""
    @functools.wraps(original)
    def extreme(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and np.iterable(args[0]):
            args = (list(args[0]),)  # an iterator can be asked once
        items = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        if kwargs or not any(is_symbolic(item) for item in items):
            return original(*args, **kwargs)
        return functools.reduce(ufunc, items)
    return extreme


_SUBSTITUTES = _make_substitutes()


@functools.lru_cache(maxsize=2)
def _methods_of_scipy(_: tuple[bool, ...]) -> list[tuple[Any, str, Any, Any]]:
    return substitutes_of_scipy()


def _all_substitutes() -> list[tuple[Any, str, Any, Any]]:
    return _SUBSTITUTES + _methods_of_scipy(tuple(f"scipy.{name}" in sys.modules for name in
                                                  ("sparse", "interpolate", "linalg", "special")))


_BY_ORIGINAL = {id(original): substitute for _, _, original, substitute in _SUBSTITUTES}


def _uncompiled(function: Any) -> Any:
    """The Python function that numba has compiled, which takes symbols; others as they are."""
    original = getattr(function, "py_func", None)
    return original if isinstance(original, types.FunctionType) else function


def _plain_function(function: Any) -> Any:
    """The Python function behind a partial, a method or an object that can be called."""
    function = _uncompiled(function)
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType):
        function = getattr(type(function), "__call__", None)
    return function if isinstance(function, types.FunctionType) else None


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _replace_in(function: Any, undo: list[Callable[[], Any]], seen: set[int]) -> None:
    """Binds names that were imported by themselves (``from math import sin``) to the substitutes."""
    function = _plain_function(function)
    if function is None or id(function) in seen:
        return
    seen.add(id(function))
    scope = function.__globals__
    if _is_foreign(scope):
        return
    for name in _names(function.__code__):
        value = scope.get(name)
        substitute = _BY_ORIGINAL.get(id(value), _uncompiled(value))
        if substitute is not value:
            scope[name] = substitute
            undo.append(functools.partial(scope.__setitem__, name, value))
        if isinstance(substitute, types.FunctionType):
            _replace_in(substitute, undo, seen)
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:  # not bound yet
            continue
        substitute = _BY_ORIGINAL.get(id(value), _uncompiled(value))
        if substitute is not value:
            cell.cell_contents = substitute
            undo.append(functools.partial(setattr, cell, "cell_contents", value))
        if isinstance(substitute, types.FunctionType):
            _replace_in(substitute, undo, seen)


@contextlib.contextmanager
def substituted(function: Any) -> Iterator[None]:
    """While it lasts, ``function`` may be called with symbols."""
    with _lock:
        undo: list[Callable[[], Any]] = []
        was_active = getattr(tracing, "active", False)
        rows = [] if was_active else _all_substitutes()
        try:
            _replace_in(function, undo, set())
            for module, name, _, substitute in rows:
                setattr(module, name, substitute)
            tracing.active = True
            yield
        finally:
            tracing.active = was_active
            for module, name, original, _ in rows:
                setattr(module, name, original)
            for step in reversed(undo):
                step()


# ------------------------------------------------------------------------------------ the call itself

def function_name(function: Any) -> str:
    """What messages call a function."""
    name = getattr(_plain_function(function), "__name__", None) or type(function).__name__
    return "F" if name == "<lambda>" else name


def call_with_symbols(function: Any, args: Sequence[Any], with_numbers: Callable[[], Any]) -> Any:
    """The value of ``function`` for symbolic arguments; ``with_numbers`` calls it with numbers."""
    try:
        with substituted(function):
            return _uncompiled(function)(*args)
    except Error:
        raise
    except Exception as error:
        # What is wrong with numbers too is the function's own mistake, and its own message says it best.
        try:
            with np.errstate(all="ignore"):
                is_sound = not np.iscomplexobj(np.asarray(with_numbers()))
        except IndexError as own:
            raise ValueError(f"{function_name(function)} asks for an element that is not there ({own}): are there as "
                             "many values in y0 and in parameters as it takes?") from own
        except Exception:
            raise error from None
        if not is_sound:
            raise
        refuse_in_symbols(function_name(function), error)


def as_scalars(value: Any, name: str, n: int) -> list[Any]:
    """What a residual returned, as a list of ``n`` symbols and numbers."""
    if value is None:
        raise ValueError(f"{name} returned None: does it end with a return statement?")
    if hasattr(value, "__array__") and not is_symbolic(value):  # arrays, and series of pandas
        value = np.asanyarray(value)
        if value.ndim > 1:
            raise ValueError(f"{name} returned an array of shape {value.shape}; it must return one "
                             f"number for each of the {n} unknowns, shape ({n},).")
        items = list(value.reshape(-1))
    elif isinstance(value, (list, tuple)):
        items = list(value)
    elif n == 1 and (is_symbolic(value) or np.isscalar(value)):
        items = [value]
    else:
        raise TypeError(f"{name} returned {type(value).__name__}; it must return an array or a list of "
                        f"{n} value{'s' * (n != 1)}.")
    if len(items) != n:
        raise ValueError(f"{name} returned {len(items)} value{'s' * (len(items) != 1)} for {n} "
                         f"unknown{'s' * (n != 1)}: there must be as many equations as unknowns.")
    scalars = [item.reshape(-1)[0] if isinstance(item, np.ndarray) and item.size == 1 else item for item in items]
    return [_scalar(item, name, i) for i, item in enumerate(scalars)]


def _scalar(item: Any, name: str, i: int) -> Any:
    if isinstance(item, Equation):
        raise TypeError(f"{name} returned an equation in entry {i}; it must be a number that is to become zero: "
                        "lhs - rhs in place of lhs == rhs.")
    if getattr(item, "is_relation", False):
        raise TypeError(f"{name} returned a relation in entry {i}; it must be a number. daedal.where makes one "
                        "of a relation.")
    if is_symbolic(item):
        return item
    if item is None:
        raise ValueError(f"{name} leaves entry {i} of what it returns without a value.")
    if isinstance(item, (complex, np.complexfloating)):
        raise TypeError(f"{name} returned a complex number in entry {i}; all values must be real.")
    if not isinstance(item, (int, float, np.integer, np.floating, np.bool_)):
        raise TypeError(f"{name} returned {type(item).__name__} in entry {i}; it must be a number.")
    if not math.isfinite(item):
        raise ValueError(f"{name} returned {item} in entry {i}, whatever its arguments are.")
    return float(item)


# ----------------------------------------------------------------------- comparison with the original

#: Round-off of a sum in another order stays far below this share of its terms.
_TOLERANCE = 1e-9


class Check:
    """Compares a traced function with the function itself, by numbers."""

    def __init__(self, function: Any, roots: Any, call: Callable[[float, Any, Any], Any]) -> None:
        self.name = function_name(function)
        self.roots = roots
        self.call = call

    #: Where the function itself has no value, but the model has: the last such time, and what it said.
    lacking: tuple[float, str] | None = None

    def at(self, t: float, y: Any, yp: Any, parameters: Any) -> bool:
        """False where the function has no value there. Raises TraceError where they disagree."""
        found = self._difference(t, y, yp, parameters)
        if not isinstance(found, str):
            return found
        # At a jump, as that of t // 0.1 at t = 1, round-off decides: what is wrong is wrong beside it too.
        for nudge in (1.0 + 1e-7, 1.0 - 2e-7, 1.0 + 3e-7):
            if isinstance(self._difference(t * nudge, y * nudge, yp * nudge, parameters), str):
                raise TraceError(found, code="trace-mismatch")
        return True

    def _difference(self, t: float, y: Any, yp: Any, parameters: Any) -> bool | str:
        """True, False where there is no value, or what is wrong."""
        with np.errstate(all="ignore"):
            try:
                own = self.call(t, y.copy(), yp.copy())
                own = np.array(own if np.ndim(own) else [own], dtype=float).reshape(-1)
            except (ArithmeticError, ValueError) as error:
                if np.isfinite(self.roots.evaluate([t], y, yp, parameters)[0]).all():
                    self.lacking = (t, f"{type(error).__name__}: {error}")
                return False
        traced, magnitude = self.roots.evaluate([t], y, yp, parameters)
        if own.size != traced.size:
            return (f"{self.name} returned {traced.size} values when it was traced and {own.size} now: "
                    "their number must not change.")
        with np.errstate(all="ignore"):
            allowed = _TOLERANCE * (magnitude[0] + np.abs(own)) + 1e-300
            is_wrong = np.isfinite(own) & np.isfinite(traced[0]) & ~(np.abs(own - traced[0]) <= allowed)
            is_lacking = ~np.isfinite(own) & np.isfinite(traced[0])
        if is_lacking.any():
            self.lacking = (t, f"entry {int(np.flatnonzero(is_lacking)[0])} is not finite")
        if not is_wrong.any():
            return True
        i = int(np.flatnonzero(is_wrong)[0])
        return (f"The model made from {self.name} does not agree with {self.name} itself: at t = {t:g} "
                f"entry {i} is {own[i]:.10g}, in the model {traced[0][i]:.10g}. The function depends on "
                "something beside its arguments, such as random numbers, a counter or a value that it "
                "changes. Make it a function of its arguments alone, or pass trace=False to have it "
                "called with numbers in every step (index 0 and 1 only).")


def spread(values: Any, k: int) -> Any:
    """Values near ``values``, different for each k, the same in every run."""
    wave = np.sin(1.7 * np.arange(1, len(values) + 1) + 2.3 * k)
    scale = np.abs(values)
    typical = scale.max(initial=0.0)
    return values + 0.2 * wave * np.where(scale > 0.0, scale, 0.5 * (typical if typical > 0.0 else 1.0))


