# SPDX-License-Identifier: BSD-3-Clause
"""Symbols in numpy: arrays of symbols, and what the functions of numpy and math do with them."""
from __future__ import annotations

import functools
import math
from typing import Any, Callable

import numpy as np

from . import _core
from ._core import Equation, Expr
from ._errors import refuse

_SYMBOLIC = (Expr, Equation)


# ---------------------------------------------------------------------------- functions of symbols

def _log1p(x: Any) -> Any:
    return (1.0 + x).log()


def _expm1(x: Any) -> Any:
    half = 0.5 * x  # exp(x) - 1 without cancellation at 0
    return 2.0 * half.sinh() * half.exp()


def _trunc(x: Any) -> Any:
    return _core.if_else(x < 0.0, -((-x).floor()), x.floor())


def _heaviside(x: Any, at_zero: Any) -> Any:
    return _core.if_else(x < 0.0, 0.0, _core.if_else(x > 0.0, 1.0, at_zero))


def _refuse_function(name: str) -> Callable[..., Any]:
    def refused(*_: Any, **__: Any) -> Any:
        refuse(f"The function {name} has no symbolic form",
               "Write it by the functions of numpy that have one (docs/python.md lists them), or pass "
               "trace=False.")
    return refused


#: Functions of one symbol by the names of numpy.
UNARY: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(Expr, name) for name in
       ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "sign", "floor")},
    "arcsin": Expr.asin, "arccos": Expr.acos, "arctan": Expr.atan,
    "absolute": Expr.abs, "fabs": Expr.abs,
    "arcsinh": lambda x: (x + (x * x + 1.0).sqrt()).log(),
    "arccosh": lambda x: (x + (x - 1.0).sqrt() * (x + 1.0).sqrt()).log(),
    "arctanh": lambda x: 0.5 * ((1.0 + x) / (1.0 - x)).log(),
    "exp2": lambda x: (math.log(2.0) * x).exp(),
    "expm1": _expm1,
    "log2": lambda x: x.log() / math.log(2.0),
    "log10": lambda x: x.log() / math.log(10.0),
    "log1p": _log1p,
    "cbrt": lambda x: x.sign() * x.abs() ** (1.0 / 3.0),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "conjugate": lambda x: x,
    "positive": lambda x: x,
    "negative": lambda x: -x,
    "deg2rad": lambda x: x * (math.pi / 180.0), "radians": lambda x: x * (math.pi / 180.0),
    "rad2deg": lambda x: x * (180.0 / math.pi), "degrees": lambda x: x * (180.0 / math.pi),
    "ceil": lambda x: -((-x).floor()),
    "trunc": _trunc,
    "logical_not": Expr.logical_not,
    # A symbol stands for a finite number.
    "isnan": lambda x: False, "isinf": lambda x: False, "isfinite": lambda x: True,
}

#: Functions of two symbols by the names of numpy; arithmetic is numpy's own.
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arctan2": _core.atan2,
    "hypot": lambda a, b: UNARY["sqrt"](a * a + b * b),
    "maximum": _core.maximum, "fmax": _core.maximum,
    "minimum": _core.minimum, "fmin": _core.minimum,
    "logical_and": _core.logical_and, "logical_or": _core.logical_or,
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "float_power": lambda a, b: a ** b,
    "heaviside": _heaviside,
    "copysign": lambda a, b: _core.if_else(b < 0.0, -abs(a), abs(a)),
}

_ARITHMETIC = ("add", "subtract", "multiply", "true_divide", "divide", "power", "floor_divide",
               "remainder", "mod", "matmul")


def is_symbolic(value: Any) -> bool:
    """Whether a value is a symbol or an equation."""
    return isinstance(value, _SYMBOLIC)


def _lifted(function: Callable[..., Any], numeric: Callable[..., Any]) -> Callable[..., Any]:
    """The function of symbols, or the one of numbers where all arguments are numbers."""
    def lifted(*args: Any) -> Any:
        for arg in args:
            if isinstance(arg, _SYMBOLIC):
                return function(*args)
        return numeric(*args)
    return lifted


def _make_tables() -> tuple[dict[Any, Callable[..., Any]], dict[Any, Any]]:
    """By ufunc: the function of scalars, and the ufunc of arrays of objects."""
    scalars: dict[Any, Callable[..., Any]] = {}
    arrays: dict[Any, Any] = {}
    for n_in, table in ((1, UNARY), (2, BINARY)):
        for name, function in table.items():
            ufunc = getattr(np, name)
            scalars[ufunc] = _lifted(function, ufunc)
            arrays[ufunc] = np.frompyfunc(scalars[ufunc], n_in, 1)
    for name in _ARITHMETIC:
        ufunc = getattr(np, name)
        arrays[ufunc] = ufunc
    return scalars, arrays


_SCALARS, _ARRAYS = _make_tables()
_OPERATORS = {np.add: lambda a, b: a + b, np.subtract: lambda a, b: a - b,
              np.multiply: lambda a, b: a * b, np.true_divide: lambda a, b: a / b,
              np.power: lambda a, b: a ** b}


def _plain(value: Any) -> Any:
    """Without the types that would dispatch to this module again."""
    if isinstance(value, SymbolicArray):
        return value.view(np.ndarray)
    if isinstance(value, _SYMBOLIC):
        cell = np.empty((), dtype=object)
        cell[()] = value
        return cell
    return value


def symbolic(value: Any) -> Any:
    """Arrays of objects, also in tuples and lists, as arrays of symbols."""
    if isinstance(value, np.ndarray):
        if value.dtype == object and not isinstance(value, SymbolicArray):
            return value.view(SymbolicArray)
        return value
    if isinstance(value, (tuple, list)):
        return type(value)(symbolic(item) for item in value)
    return value


def _number(value: Any) -> Any:
    # An operator with a scalar of numpy on its left would come back here.
    is_one = isinstance(value, np.generic) or isinstance(value, np.ndarray) and value.ndim == 0
    return value.item() if is_one else value


def _apply(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    kwargs.pop("dtype", None)
    kwargs.pop("casting", None)
    out = kwargs.pop("out", None)
    if method == "__call__" and out is None and not kwargs and not any(
            isinstance(item, (np.ndarray, list, tuple)) and np.ndim(item) > 0 for item in inputs):
        function = _SCALARS.get(ufunc) or _OPERATORS.get(ufunc)
        if function is not None:
            return function(*(_number(item) for item in inputs))
    target = _ARRAYS.get(ufunc)
    if target is None:
        _refuse_function(f"numpy.{ufunc.__name__}")()
    if out is not None:
        if any(array is not None and array.dtype != object for array in out):
            refuse("An array of numbers cannot hold symbols",
                   "Make it inside the function by np.zeros, np.empty or np.array, or write "
                   "r = r + x in place of r += x.")
        kwargs["out"] = tuple(_plain(array) for array in out)
    result = getattr(target, method)(*(_plain(item) for item in inputs), **kwargs)
    if out is not None:
        return out[0] if len(out) == 1 else out
    return symbolic(result)


def _is_real_type(dtype: Any) -> bool:
    try:
        return np.issubdtype(np.dtype(dtype), np.floating)
    except TypeError:
        return False


# ------------------------------------------------------------------- functions that numpy dispatches

def _elementwise(function: Callable[..., Any], n: int) -> Callable[..., Any]:
    mapped = np.frompyfunc(function, n, 1)

    def call(*args: Any) -> Any:
        return symbolic(mapped(*(_plain(arg) for arg in args)))
    return call


def _where_scalar(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, Expr):
        return _core.if_else(condition, a, b)
    return a if condition else b


_where_array = _elementwise(_where_scalar, 3)


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, ``b`` elsewhere; for symbols, numbers and arrays.

    The instants at which the condition changes are located, so that an integrator never steps over
    a kink.

    Parameters
    ----------
    condition : Expr, bool or array of them
        A relation such as ``x > 0``; ``&``, ``|`` and ``~`` combine relations.
    a, b : float, Expr or array of them

    Returns
    -------
    float, Expr or array

    Examples
    --------
    >>> import daedal
    >>> daedal.where(True, 1.0, 2.0)
    1.0
    """
    if not any(np.ndim(_plain(item)) for item in (condition, a, b)):
        return _where_scalar(*(_number(_plain(item)) for item in (condition, a, b)))
    return _where_array(condition, a, b)


def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    value = default
    for condition, choice in reversed(list(zip(conditions, choices))):
        value = where(condition, choice, value)
    return value


def _clip(x: Any, low: Any = None, high: Any = None, **_: Any) -> Any:
    if low is not None:
        x = maximum(x, low)
    return x if high is None else minimum(x, high)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Linear between points, as a tree of branches: every kink is located."""
    points, values = _all_numbers(xp), list(_plain(fp))
    if period is not None or points.ndim != 1 or len(points) != len(values) or len(points) == 0 or not (
            np.diff(points) > 0).all():
        refuse("numpy.interp with symbols needs ascending points, one value for each, and no period",
               "Sort the points, or pass trace=False.")

    def branch(item: Any, first: int, last: int) -> Any:
        if last - first == 1:
            slope = (values[last] - values[first]) / (points[last] - points[first])
            return values[first] + slope * (item - points[first])
        middle = (first + last) // 2
        return where(item < points[middle], branch(item, first, middle), branch(item, middle, last))

    def value(item: Any) -> Any:
        last = len(points) - 1
        inside = branch(item, 0, last) if last else values[0]
        inside = where(item > points[last], values[last] if right is None else right, inside)
        return where(item < points[0], values[0] if left is None else left, inside)

    return symbolic(np.frompyfunc(value, 1, 1)(_plain(x))) if np.ndim(x) else value(x)


def _einsum(subscripts: Any, *operands: Any, **_: Any) -> Any:
    """By its definition: numpy's own does not take objects."""
    left, _, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if "->" not in subscripts:
        right = "".join(sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1))
    arrays = [np.asarray(_plain(operand)) for operand in operands]
    sizes = {letter: size for term, array in zip(terms, arrays)
             for letter, size in zip(term, array.shape)}
    summed = [letter for letter in sizes if letter not in right]
    result = np.zeros([sizes[c] for c in right], dtype=object)
    for place in np.ndindex(*result.shape):
        at = dict(zip(right, place))
        total: Any = 0.0
        for inner in np.ndindex(*[sizes[c] for c in summed]):
            at.update(zip(summed, inner))
            factors = [array[tuple(at[c] for c in term)] for term, array in zip(terms, arrays)]
            total = total + functools.reduce(lambda a, b: a * b, factors)
        result[place] = total
    return symbolic(result) if result.ndim else result[()]


def _all_numbers(value: Any) -> Any:
    """The numbers of an array, or a refusal: linear algebra of symbols is left to the solver."""
    array = np.asarray(_plain(value))
    if array.dtype == object and any(isinstance(item, _SYMBOLIC) for item in array.flat):
        refuse("Linear systems with symbols in the matrix are not solved while a model is written",
               "State the system as equations: the residual M @ x - f in place of "
               "x = np.linalg.solve(M, f). No inverse is needed, and none is better.")
    return array.astype(float)


def _solve(a: Any, b: Any) -> Any:
    # A matrix of numbers is inverted by LU for each unit vector of the right-hand side.
    return np.linalg.inv(_all_numbers(a)) @ b


def _numeric_function(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*(_all_numbers(arg) for arg in args), **kwargs)


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        args = tuple(object if _is_real_type(arg) and not isinstance(arg, (int, float)) else arg
                     for arg in args)
        if _is_real_type(kwargs.get("dtype", int)):
            kwargs["dtype"] = object
        return symbolic(function(_plain(a), *(_plain(arg) for arg in args), **kwargs))
    return call


_HANDLERS: dict[Any, Callable[..., Any]] = {
    np.where: where,
    np.select: _select,
    np.clip: _clip,
    np.interp: _interp,
    np.einsum: _einsum,
    np.linalg.solve: _solve,
    np.linalg.inv: _numeric_function(np.linalg.inv),
    np.linalg.det: _numeric_function(np.linalg.det),
    np.linalg.pinv: _numeric_function(np.linalg.pinv),
    np.linalg.eigvals: _numeric_function(np.linalg.eigvals),
    np.linalg.lstsq: _numeric_function(np.linalg.lstsq),
    np.zeros_like: _like(np.zeros_like),
    np.ones_like: _like(np.ones_like),
    np.empty_like: _like(np.empty_like),
    np.full_like: _like(np.full_like),
    **{getattr(np, name): _refuse_function(f"numpy.{name}") for name in
       ("isclose", "allclose", "array_equal", "sort", "argsort", "argmax", "argmin", "median",
        "searchsorted", "unique")},
}


class SymbolicArray(np.ndarray):
    """An array whose elements are symbols, equations or numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _dispatch(func, args, kwargs)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """A copy; as real numbers it stays what it is."""
        return self.copy() if _is_real_type(dtype) else super().astype(dtype, *args, **kwargs)

    def clip(self, min: Any = None, max: Any = None, **_: Any) -> Any:
        """Values moved into an interval."""
        return _clip(self, min, max)

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self.reshape(-1)[0])
        return super().__bool__()


_SOME_ARRAY = np.empty(0, dtype=object).view(SymbolicArray)


def _dispatch(func: Any, args: Any, kwargs: Any) -> Any:
    handler = _HANDLERS.get(func)
    if handler is not None:
        return handler(*args, **kwargs)
    if _is_real_type(kwargs.get("dtype", int)):
        kwargs = {key: value for key, value in kwargs.items() if key != "dtype"}
    return symbolic(np.ndarray.__array_function__(_SOME_ARRAY, func, (SymbolicArray,), args, kwargs))


def _expr_ufunc(_: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return _apply(ufunc, method, inputs, kwargs)


def _expr_function(_: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return _dispatch(func, args, kwargs)


def _equip() -> None:
    """Gives symbols what numpy looks for."""
    for kind in _SYMBOLIC:
        kind.__array_ufunc__ = _expr_ufunc
        kind.__array_function__ = _expr_function
    for name, function in UNARY.items():
        if not hasattr(Expr, name):
            setattr(Expr, name, function)
    Expr.arctan2 = _core.atan2
    Expr.hypot = BINARY["hypot"]
    Expr.__ceil__ = UNARY["ceil"]
    Expr.__trunc__ = UNARY["trunc"]
    Expr.real = property(lambda self: self)
    Expr.imag = property(lambda self: 0.0)
    Expr.ndim = 0
    Expr.shape = ()
    Expr.size = 1


_equip()


def array_of(symbols: Any) -> SymbolicArray:
    """A one-dimensional array of symbols."""
    array = np.empty(len(symbols), dtype=object)
    array[:] = symbols
    return array.view(SymbolicArray)


def maximum(a: Any, b: Any) -> Any:
    """The greater of two symbols, numbers or arrays of them."""
    return np.maximum(a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two symbols, numbers or arrays of them."""
    return np.minimum(a, b)


def _public(name: str) -> Callable[[Any], Any]:
    ufunc = getattr(np, name)

    def function(x: Any) -> Any:
        return ufunc(x)
    function.__name__ = name
    function.__doc__ = f"numpy.{name} of a symbol, a number or an array of them."
    return function


sin, cos, tan, exp, log, sqrt, sinh, cosh, tanh, arcsin, arccos, arctan, sign, floor = (
    _public(name) for name in
    ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan",
     "sign", "floor"))


def arctan2(y: Any, x: Any) -> Any:
    """numpy.arctan2 of symbols, numbers or arrays of them."""
    return np.arctan2(y, x)


def der(x: Any, order: int = 1) -> Any:
    """The total time derivative of a symbol, of an expression, or of each element of an array."""
    if isinstance(x, np.ndarray):
        return symbolic(np.frompyfunc(lambda item: der(item, order), 1, 1)(_plain(x)))
    if isinstance(x, Expr):
        return x.der(order)
    return 0.0


def no_event(x: Any) -> Any:
    """An expression whose relations follow their arguments: their changes are no events."""
    return x.no_event() if isinstance(x, Expr) else x


def pre(x: Expr) -> Expr:
    """The value of a variable just before the event at hand."""
    return x.pre()


def final(x: Expr) -> Expr:
    """The value of a variable at the end of the interval, for boundary conditions."""
    return x.final()
