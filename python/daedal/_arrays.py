# SPDX-License-Identifier: BSD-3-Clause
"""Symbols in numpy: arrays of symbols, and what the functions of numpy and math do with them."""
from __future__ import annotations

import functools
import math
import string
from typing import Any, Callable

import numpy as np

from . import _core
from ._core import Equation, Expr
from ._errors import refuse

_SYMBOLIC = (Expr, Equation)


# ---------------------------------------------------------------------------- functions of symbols

def _artanh_series(z: Any) -> Any:
    """artanh(z) = z + z^3/3 + ..., for |z| < 0.05: what is left out is below 1e-17 of the value."""
    square = z * z
    value: Any = 1.0 / 11.0
    for k in (9.0, 7.0, 5.0, 3.0, 1.0):
        value = 1.0 / k + square * value
    return z * value


def _near_zero(x: Any, bound: float, series: Any, elsewhere: Any) -> Any:
    # Both sides agree to round-off where they meet: no kink, no event.
    return _core.if_else(x.abs() < bound, series, elsewhere).no_event()


def _log1p(x: Any) -> Any:
    z = x / (2.0 + x)  # log(1 + x) = 2 artanh(z), without the cancellation of 1 + x near 0
    return _near_zero(x, 0.09, 2.0 * _artanh_series(z), (1.0 + x).log())


def _arctanh(x: Any) -> Any:
    return _near_zero(x, 0.05, _artanh_series(x), 0.5 * ((1.0 + x) / (1.0 - x)).log())


def _arcsinh(x: Any) -> Any:
    root = (x * x + 1.0).sqrt()
    z = x / (1.0 + root)
    # The sum under the logarithm has terms of one sign on either side.
    outside = _core.if_else(x < 0.0, -((root - x).log()), (root + x).log()).no_event()
    return _near_zero(x, 0.09, 2.0 * _artanh_series(z), outside)


def _arccosh(x: Any) -> Any:
    return _log1p((x - 1.0) + (x - 1.0).sqrt() * (x + 1.0).sqrt())


def _expm1(x: Any) -> Any:
    return (0.5 * x).tanh() * (x.exp() + 1.0)  # without cancellation at 0


def _sinc(x: Any) -> Any:
    angle = math.pi * x
    square = angle * angle
    series: Any = 1.0
    for k in (72.0, 42.0, 20.0, 6.0):  # 1 - a^2/6 + a^4/120 - ..., by Horner's scheme
        series = 1.0 - square * series / k
    return _near_zero(angle, 0.05, series, angle.sin() / angle)


#: (1 + 2x) exp(x^2) erfc(x) for x > 0.5 as a polynomial in (x - 3)/(x + 3), within 1e-16: Chebyshev's approximation.
_SCALED_ERFC = (
    -1.3317709095569178e-08, 1.7954336241076143e-08, 1.0888046075030496e-07, -1.0849535429769447e-07,
    -6.30389676311026e-07, 3.297474720064928e-07, 3.4849871092894606e-06, -7.173724923699945e-07,
    -2.0107202455758215e-05, 4.944618666686786e-06, 0.0001251014968923996, -0.00010515869114536735,
    -0.0007798326981198945, 0.0018886901962286093, 0.0025293918660875543, -0.023770514904168583,
    0.06830802734081015, -0.11927366341598962, 0.12964515870285032, -0.04756229435343795, -0.1356211061245819,
    1.2530080582697296)


def _erf_series(x: Any) -> Any:
    """2/sqrt(pi) (x - x^3/3 + x^5/10 - ...), for |x| <= 0.5: what is left out is below 1e-17 of the value."""
    square = x * x
    value: Any = 0.0
    for n in reversed(range(13)):
        value = (-1.0) ** n / (math.factorial(n) * (2 * n + 1)) + square * value
    return 2.0 / math.sqrt(math.pi) * x * value


def _erf_tail(x: Any) -> Any:
    """erfc(|x|), without cancellation."""
    size = x.abs()
    s = (size - 3.0) / (size + 3.0)
    value: Any = 0.0
    for coefficient in _SCALED_ERFC:
        value = coefficient + s * value
    return (-x * x).exp() * value / (1.0 + 2.0 * size)


def _erf(x: Any) -> Any:
    tail = _erf_tail(x)
    return _near_zero(x, 0.5, _erf_series(x), _core.if_else(x < 0.0, tail - 1.0, 1.0 - tail).no_event())


def _erfc(x: Any) -> Any:
    tail = _erf_tail(x)
    return _near_zero(x, 0.5, 1.0 - _erf_series(x), _core.if_else(x < 0.0, 2.0 - tail, tail).no_event())


def _sign(x: Any) -> Any:
    # Written as relations, so that its jumps are located.
    return _core.if_else(x > 0.0, 1.0, _core.if_else(x < 0.0, -1.0, 0.0))


def _trunc(x: Any) -> Any:
    return _core.if_else(x < 0.0, -((-x).floor()), x.floor())


def _rint(x: Any) -> Any:
    """The nearest whole number; halves go to the even one, as in numpy."""
    nearest = (x + 0.5).floor()
    is_odd_half = _core.logical_and(x + 0.5 <= nearest, 2.0 * (0.5 * nearest).floor() < nearest)
    return nearest - _core.if_else(is_odd_half, 1.0, 0.0).no_event()


def _logaddexp(a: Any, b: Any) -> Any:
    difference = a - b
    return _core.maximum(a, b) + _log1p((-abs(difference)).exp())


def _exclusive_or(a: Any, b: Any) -> Any:
    return _core.logical_and(_core.logical_or(a, b), _logical_not(_core.logical_and(a, b)))


def _logical_not(a: Any) -> Any:
    return a.logical_not() if isinstance(a, Expr) else not a


def _greatest(a: Any, b: Any) -> Any:
    if isinstance(a, float) and a == -math.inf:
        return b
    return a if isinstance(b, float) and b == -math.inf else _core.maximum(a, b)


def _least(a: Any, b: Any) -> Any:
    if isinstance(a, float) and a == math.inf:
        return b
    return a if isinstance(b, float) and b == math.inf else _core.minimum(a, b)


def _heaviside(x: Any, at_zero: Any) -> Any:
    return _core.if_else(x < 0.0, 0.0, _core.if_else(x > 0.0, 1.0, at_zero))


def _refuse_function(name: str) -> Callable[..., Any]:
    def refused(*_: Any, **__: Any) -> Any:
        refuse(f"The function {name} has no symbolic form",
               "Write it by the functions of numpy that have one; docs/python.md lists them.")
    return refused


#: Functions of one symbol by the names of numpy.
UNARY: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(Expr, name) for name in
       ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "floor")},
    "sign": _sign,
    "arcsin": Expr.asin, "arccos": Expr.acos, "arctan": Expr.atan,
    "absolute": Expr.abs, "fabs": Expr.abs,
    "arcsinh": _arcsinh, "arccosh": _arccosh, "arctanh": _arctanh,
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
    "rint": _rint,
    "logical_not": Expr.logical_not, "invert": Expr.logical_not,
    # A symbol stands for a finite number.
    "isnan": lambda x: False, "isinf": lambda x: False, "isfinite": lambda x: True,
}

#: Functions of math and of scipy.special.
ERROR_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"erf": _erf, "erfc": _erfc}

#: Functions of scipy.special, which is not asked for.
_OF_SCIPY: dict[str, Callable[[Any], Any]] = {
    "expit": lambda x: 0.5 + 0.5 * (0.5 * x).tanh(),
    "logit": lambda x: (x / (1.0 - x)).log(),
    "exp10": lambda x: (math.log(10.0) * x).exp(),
    **ERROR_FUNCTIONS,
}

#: Functions of two symbols by the names of numpy; arithmetic is numpy's own.
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arctan2": _core.atan2,
    "hypot": lambda a, b: UNARY["sqrt"](a * a + b * b),
    "maximum": _greatest, "fmax": _greatest,
    "minimum": _least, "fmin": _least,
    "logical_and": _core.logical_and, "logical_or": _core.logical_or, "logical_xor": _exclusive_or,
    "bitwise_and": _core.logical_and, "bitwise_or": _core.logical_or, "bitwise_xor": _exclusive_or,
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: _core.logical_or(a < b, a > b),
    "fmod": lambda a, b: a - b * UNARY["trunc"](a / b),
    "logaddexp": _logaddexp,
    "logaddexp2": lambda a, b: _logaddexp(math.log(2.0) * a, math.log(2.0) * b) / math.log(2.0),
    "float_power": lambda a, b: a ** b,
    "heaviside": _heaviside,
    "copysign": lambda a, b: _core.if_else(b < 0.0, -abs(a), abs(a)),
}


def _modf(x: Any) -> tuple[Any, Any]:
    whole = _trunc(x)
    return x - whole, whole


#: Functions with two values: how many arguments they take, and what they are.
_PAIRS: dict[str, tuple[int, Callable[..., tuple[Any, Any]]]] = {
    "divmod": (2, lambda a, b: (a // b, a % b)),
    "modf": (1, _modf),
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
    tables: list[tuple[int, dict[str, Callable[..., Any]]]] = [(1, {**UNARY}), (2, {**BINARY})]
    for n_in, table in tables:
        for name, function in table.items():
            ufunc = getattr(np, name)
            scalars[ufunc] = _lifted(function, ufunc)
            arrays[ufunc] = np.frompyfunc(scalars[ufunc], n_in, 1)
    for name, (n_in, pair) in _PAIRS.items():
        ufunc = getattr(np, name)
        scalars[ufunc] = _lifted(pair, ufunc)
        arrays[ufunc] = np.frompyfunc(scalars[ufunc], n_in, 2)
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
    if method == "reduce" and kwargs.get("where", True) is not True and ufunc in (np.add, np.multiply):
        kwargs.setdefault("initial", 1.0 if ufunc is np.multiply else 0.0)  # objects have no neutral element
    if method == "__call__" and out is None and not kwargs and not any(
            isinstance(item, (np.ndarray, list, tuple)) and np.ndim(item) > 0 for item in inputs):
        function = _SCALARS.get(ufunc) or _OPERATORS.get(ufunc)
        if function is not None:
            return function(*(_number(item) for item in inputs))
    target = _ARRAYS.get(ufunc)
    if target is None and all(set(kinds) <= set("O->") for kinds in ufunc.types):
        target = ufunc  # made by np.vectorize or np.frompyfunc of a function of the user
    if target is None and ufunc.__name__ in _OF_SCIPY and not hasattr(np, ufunc.__name__):
        target = np.frompyfunc(_lifted(_OF_SCIPY[ufunc.__name__], ufunc), 1, 1)
    if target is None:
        is_own = getattr(np, ufunc.__name__, None) is ufunc
        _refuse_function(f"{'numpy.' if is_own else ''}{ufunc.__name__}")()
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
    items = [_plain(item) for item in (condition, a, b)]
    if not any(np.ndim(item) for item in items):
        return _where_scalar(*(_number(item) for item in items))
    if not any(np.asarray(item).dtype == object for item in items):
        return np.where(*items)
    return _where_array(condition, a, b)


def _where_of_numpy(condition: Any, *sides: Any) -> Any:
    if not sides:
        refuse("np.where of a condition alone asks for places, which depend on values",
               "np.where(condition, a, b) chooses between values.")
    return where(condition, *sides)


def _select(conditions: Any, choices: Any, default: Any = 0) -> Any:
    value = default
    for condition, choice in reversed(list(zip(conditions, choices))):
        value = where(condition, choice, value)
    return value


def _piecewise(x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(conditions, (list, tuple)) or (conditions and np.ndim(_plain(conditions[0])) != np.ndim(x)):
        conditions = [conditions]
    choices = [function(x, *args, **kwargs) if callable(function) else function for function in functions]
    if len(choices) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"np.piecewise has {len(choices)} functions for {len(conditions)} conditions; there "
                         "must be as many, or one more for what is left.")
    value = choices[-1] if len(choices) > len(conditions) else 0.0
    # Where several conditions hold, numpy takes the last of them.
    for condition, choice in zip(conditions, choices):
        value = where(condition, choice, value)
    return value


def _clip(x: Any, low: Any = None, high: Any = None, out: Any = None, *, a_min: Any = None,
          a_max: Any = None, min: Any = None, max: Any = None) -> Any:
    for bound in (low, a_min, min):
        x = x if bound is None else maximum(x, bound)
    for bound in (high, a_max, max):
        x = x if bound is None else minimum(x, bound)
    if out is None:
        return x
    out[...] = x
    return out


def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **_: Any) -> Any:
    shares = np.linspace(0.0, 1.0, num, endpoint=endpoint)
    return symbolic(np.multiply.outer(1.0 - shares, start) + np.multiply.outer(shares, stop))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The vector norms, by their definitions; numpy's own are enough where squares are added."""
    x = np.asarray(_plain(x)).view(SymbolicArray)
    if ord in (None, 2, "fro") or isinstance(axis, tuple) or (axis is None and x.ndim > 1):
        if ord in (None, "fro") or x.ndim == 1 or isinstance(axis, int):
            return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
        _refuse_function(f"numpy.linalg.norm of a matrix with ord={ord!r}")()
    if ord == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        _refuse_function("numpy.linalg.norm with ord=0")()
    return np.sum(np.abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Linear between points, as a tree of branches: every kink is located."""
    points, values = _all_numbers(xp), list(_plain(fp))
    if period is not None or points.ndim != 1 or len(points) != len(values) or len(points) == 0 or not (
            np.diff(points) > 0).all():
        refuse("numpy.interp with symbols needs ascending points, one value for each, and no period",
               "Sort the points.")

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
    if not isinstance(subscripts, str):
        subscripts, operands = _as_subscripts((subscripts, *operands))
    arrays = [np.asarray(_plain(operand)) for operand in operands]
    subscripts = _without_ellipsis(subscripts.replace(" ", ""), [array.ndim for array in arrays])
    left, _, right = subscripts.partition("->")
    terms = left.split(",")
    if "->" not in subscripts:
        right = "".join(sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1))
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


def _as_subscripts(items: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """einsum(a, [0, 1], b, [1], [0]) as subscripts and operands."""
    def letters(numbers: Any) -> str:
        return "".join("..." if number is Ellipsis else string.ascii_letters[number] for number in numbers)

    n = len(items) // 2
    text = ",".join(letters(items[2 * i + 1]) for i in range(n))
    return text + ("->" + letters(items[-1]) if len(items) % 2 else ""), tuple(items[2 * i] for i in range(n))


def _without_ellipsis(subscripts: str, ndims: list[int]) -> str:
    """Letters of their own for the axes that "..." stands for."""
    if "..." not in subscripts:
        return subscripts
    free = [c for c in string.ascii_letters if c not in subscripts]
    left, arrow, right = subscripts.partition("->")
    terms = left.split(",")
    counts = [ndim - len(term.replace("...", "")) if "..." in term else 0 for term, ndim in zip(terms, ndims)]
    most = max(counts)
    # They are aligned at the right, as in broadcasting.
    terms = [term.replace("...", "".join(free[most - count:most])) for term, count in zip(terms, counts)]
    if arrow:
        right = right.replace("...", "".join(free[:most]))
    else:
        once = sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1)
        right = "".join(free[:most] + once)
    return ",".join(terms) + "->" + right


def _has_symbols(array: Any) -> bool:
    return array.dtype == object and any(isinstance(item, _SYMBOLIC) for item in array.flat)


def _all_numbers(value: Any) -> Any:
    """The numbers of an array, or a refusal."""
    array = np.asarray(_plain(value))
    if _has_symbols(array):
        refuse("This function takes symbols in no place that decides how it works",
               "A table, a matrix to be decomposed and the like must be numbers here.")
    return array.astype(float)


#: Up to this size a matrix of symbols is inverted by its cofactors, which need no pivot; beyond, it takes some n^3
#: operations and as many choices between rows.
_LARGEST_BY_COFACTORS = 4
_LARGEST_MATRIX = 8


def _square_matrix(a: Any) -> Any:
    array = np.asarray(_plain(a))
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"A square matrix is needed, not an array of shape {array.shape}.")
    if _has_symbols(array) and len(array) > _LARGEST_MATRIX:
        refuse(f"Linear systems of more than {_LARGEST_MATRIX} equations with symbols in the matrix "
               "are not solved while a model is written",
               "State the system as equations: the residual M @ x - f in place of "
               "x = np.linalg.solve(M, f). No inverse is needed, and none is better.")
    return array


def _determinant(array: Any) -> Any:
    """By expansion along the first row (Laplace)."""
    if len(array) == 1:
        return array[0, 0]
    total: Any = 0.0
    for j in range(len(array)):
        term = array[0, j] * _determinant(np.delete(array[1:], j, axis=1))
        total = total + term if j % 2 == 0 else total - term
    return total


def _exchange(first: Any, second: Any, k: int) -> Any:
    """Both rows, so that the entry k of the first is the greater one; 1 or -1 as they kept their places or not.

    The choice changes no value but for round-off: no event.
    """
    a, b = first[k], second[k]
    if not isinstance(b, Expr) and b == 0.0:
        return first, second, 1.0
    if not isinstance(a, Expr) and a == 0.0:
        return second, first, -1.0
    is_greater = abs(b) > abs(a)
    if not isinstance(is_greater, Expr):
        return (second, first, -1.0) if is_greater else (first, second, 1.0)

    def choose(x: Any, y: Any) -> Any:
        return x if x is y else _core.if_else(is_greater, x, y).no_event()

    rows = [np.array([choose(x, y) for x, y in zip(*pair)], dtype=object) for pair in
            ((second, first), (first, second))]
    return (*rows, choose(-1.0, 1.0))


def _eliminated(array: Any, right: Any) -> tuple[Any, Any]:
    """The solution of a linear system by elimination with row pivots, and the determinant of its matrix."""
    n = len(array)
    rows = [np.concatenate(pair) for pair in zip(array.astype(object), right.astype(object))]
    determinant: Any = 1.0
    for k in range(n):
        for i in range(k + 1, n):
            rows[k], rows[i], sign = _exchange(rows[k], rows[i], k)
            determinant = determinant * sign
        pivot = rows[k][k]
        if not isinstance(pivot, Expr) and pivot == 0.0:
            raise np.linalg.LinAlgError("Singular matrix")
        determinant = determinant * pivot
        for i in range(k + 1, n):
            if isinstance(rows[i][k], Expr) or rows[i][k] != 0.0:
                rows[i][k + 1:] = rows[i][k + 1:] - rows[i][k] / pivot * rows[k][k + 1:]
                rows[i][k] = 0.0
    solution = np.empty_like(right, dtype=object)
    for k in reversed(range(n)):
        solution[k] = (rows[k][n:] - sum(rows[k][j] * solution[j] for j in range(k + 1, n))) / rows[k][k]
    return symbolic(solution), determinant


def _of_numbers(function: Callable[..., Any], *args: Any) -> Any:
    return function(*(np.asarray(_plain(arg)).astype(float) for arg in args))


def _det(a: Any) -> Any:
    if not _has_symbols(np.asarray(_plain(a))):
        return _of_numbers(np.linalg.det, a)
    array = _square_matrix(a)
    return (_determinant(array) if len(array) <= _LARGEST_BY_COFACTORS else
            _eliminated(array, np.empty((len(array), 0), dtype=object))[1])


def _inv(a: Any) -> Any:
    if not _has_symbols(np.asarray(_plain(a))):
        return _of_numbers(np.linalg.inv, a)
    array = _square_matrix(a)
    n = len(array)
    if n > _LARGEST_BY_COFACTORS:
        return _eliminated(array, np.eye(n))[0]
    adjugate = np.empty((n, n), dtype=object)
    for i, j in np.ndindex(n, n):
        minor = np.delete(np.delete(array, i, axis=0), j, axis=1)
        adjugate[j, i] = (-1.0) ** (i + j) * (_determinant(minor) if n > 1 else 1.0)
    return symbolic(adjugate) / _determinant(array)


def _solve(a: Any, b: Any, **_: Any) -> Any:
    matrix, right = np.asarray(_plain(a)), np.asarray(_plain(b))
    if not _has_symbols(matrix) and not _has_symbols(right):
        return _of_numbers(np.linalg.solve, a, b)
    if len(matrix) <= _LARGEST_BY_COFACTORS or not _has_symbols(matrix):
        return _inv(a) @ b
    if right.shape[:1] != matrix.shape[:1]:
        raise ValueError(f"A matrix of shape {matrix.shape} does not go with a right-hand side of shape {right.shape}.")
    return _eliminated(_square_matrix(a), right.reshape(len(right), -1))[0].reshape(right.shape)


def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.sum(where(_plain(a), 1.0, 0.0), axis=axis, keepdims=keepdims)


def _average(a: Any, axis: Any = None, weights: Any = None, **kwargs: Any) -> Any:
    if weights is None or kwargs or np.shape(_plain(a)) != np.shape(_plain(weights)):
        return np.ndarray.__array_function__(_SOME_ARRAY, np.average, (SymbolicArray,), (a, axis, weights), kwargs)
    return np.sum(np.multiply(a, weights), axis=axis) / np.sum(weights, axis=axis)


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        args = tuple(object if _is_real_type(arg) and not isinstance(arg, (int, float)) else arg
                     for arg in args)
        if _is_real_type(kwargs.get("dtype", int)):
            kwargs["dtype"] = object
        return symbolic(function(_plain(a), *(_plain(arg) for arg in args), **kwargs))
    return call


_HANDLERS: dict[Any, Callable[..., Any]] = {
    np.where: _where_of_numpy,
    np.select: _select,
    np.piecewise: _piecewise,
    np.clip: _clip,
    np.linspace: _linspace,
    np.linalg.norm: _norm,
    np.sinc: _elementwise(lambda x: _sinc(x) if isinstance(x, Expr) else np.sinc(x), 1),
    np.fix: _elementwise(_lifted(_trunc, np.trunc), 1),
    **{getattr(np, f"nan{name}"): getattr(np, name) for name in ("sum", "prod", "max", "min", "mean", "std", "var")},
    np.interp: _interp,
    np.einsum: _einsum,
    np.linalg.solve: _solve,
    np.linalg.inv: _inv,
    np.linalg.det: _det,
    np.count_nonzero: _count_nonzero,
    np.average: _average,
    np.zeros_like: _like(np.zeros_like),
    np.ones_like: _like(np.ones_like),
    np.empty_like: _like(np.empty_like),
    np.full_like: _like(np.full_like),
    **{getattr(np, name): _refuse_function(f"numpy.{name}") for name in
       ("isclose", "allclose", "array_equal", "sort", "argsort", "argmax", "argmin", "median",
        "searchsorted", "unique")},
}


class SymbolicArray(np.ndarray[Any, np.dtype[Any]]):
    """An array whose elements are symbols, equations or numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _dispatch(func, args, kwargs)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """A copy; as real numbers it stays what it is."""
        if not _is_real_type(dtype):
            return super().astype(dtype, *args, **kwargs)
        if np.dtype(dtype).itemsize < 8:
            refuse(f"Rounding to {np.dtype(dtype)} has no symbolic form", "All values of a model are double.")
        return self.copy()

    def der(self, order: int = 1) -> Any:
        """The total time derivative of each element."""
        return der(self, order)

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **_: Any) -> Any:
        """Values moved into an interval."""
        return _clip(self, min, max, out)

    def round(self, decimals: Any = 0, out: Any = None) -> Any:
        """Values rounded to so many decimals."""
        scale = 10.0 ** int(decimals)
        return np.divide(np.rint(self * scale), scale, out=out)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Where the key is a mask of relations, each element is chosen between the value and what it was."""
        if not isinstance(key, SymbolicArray) or not _has_symbols(key):
            super().__setitem__(key, value)  # type: ignore[no-untyped-call]
            return
        if np.ndim(value) != 0:
            refuse("What is stored in places that depend on values must be one number or symbol",
                   "np.where(condition, a, b) chooses between the elements of arrays.")
        self[...] = where(key, value, self)

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self.reshape(-1)[0])
        return super().__bool__()


_SOME_ARRAY = np.empty(0, dtype=object).view(SymbolicArray)


def _dispatch(func: Any, args: Any, kwargs: Any) -> Any:
    handler = _HANDLERS.get(func)
    if handler is not None:
        return handler(*args, **kwargs)
    module = str(getattr(func, "__module__", ""))
    if module.startswith(("numpy.linalg", "numpy.fft")) and func.__name__ not in ("multi_dot", "matrix_power"):
        # Decompositions and transforms are of numbers: new arrays that hold none but these are taken too.
        return func(*(_all_numbers(arg) if isinstance(arg, SymbolicArray) else arg for arg in args), **kwargs)
    if _is_real_type(kwargs.get("dtype", int)):
        kwargs = {key: value for key, value in kwargs.items() if key != "dtype"}
    return symbolic(np.ndarray.__array_function__(_SOME_ARRAY, func, (SymbolicArray,), args, kwargs))


def _expr_ufunc(_: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return _apply(ufunc, method, inputs, kwargs)


def _expr_function(_: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return _dispatch(func, args, kwargs)


def _equip() -> None:
    """Gives symbols what numpy looks for."""
    kind: Any
    for kind in _SYMBOLIC:
        kind.__array_ufunc__ = _expr_ufunc
        kind.__array_function__ = _expr_function
    for name, function in UNARY.items():
        if not hasattr(Expr, name):
            setattr(Expr, name, function)
    kind = Expr
    kind.arctan2 = _core.atan2
    kind.hypot = BINARY["hypot"]
    kind.__ceil__ = UNARY["ceil"]
    kind.__trunc__ = UNARY["trunc"]
    kind.__round__ = lambda self, digits=None: (
        _rint(self) if digits is None else _rint(self * 10.0**digits) / 10.0**digits)
    kind.__divmod__ = lambda self, other: (self // other, self % other)
    kind.__rdivmod__ = lambda self, other: (other // self, other % self)
    # In a printed line the symbol stands as it is, whatever digits were asked for.
    kind.__format__ = lambda self, spec: repr(self)
    kind.real = property(lambda self: self)
    kind.imag = property(lambda self: 0.0)
    kind.T = property(lambda self: self)
    kind.item = kind.copy = kind.conj = lambda self: self
    kind.astype = lambda self, dtype, **_: _plain(self).view(SymbolicArray).astype(dtype)[()]
    kind.ndim = 0
    kind.shape = ()
    kind.size = 1


_equip()


def array_of(symbols: Any) -> SymbolicArray:
    """A one-dimensional array of symbols."""
    array = np.empty(len(symbols), dtype=object)
    array[:] = symbols
    return array.view(SymbolicArray)


def maximum(a: Any, b: Any) -> Any:
    """The greater of two symbols, numbers or arrays of them.

    Parameters
    ----------
    a, b : float, Expr or array of them

    Returns
    -------
    float, Expr or array
    """
    return np.maximum(a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two symbols, numbers or arrays of them.

    Parameters
    ----------
    a, b : float, Expr or array of them

    Returns
    -------
    float, Expr or array
    """
    return np.minimum(a, b)


def _public(name: str) -> Callable[[Any], Any]:
    ufunc = getattr(np, name)

    def function(x: Any) -> Any:
        return ufunc(x)
    function.__name__ = name
    function.__doc__ = (f"numpy.{name} of a symbol, a number or an array of them.\n\n"
                        "    Parameters\n    ----------\n    x : float, Expr or array of them\n\n"
                        "    Returns\n    -------\n    float, Expr or array\n")
    return function


sin, cos, tan, exp, log, sqrt, sinh, cosh, tanh, arcsin, arccos, arctan, sign, floor = (
    _public(name) for name in
    ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan",
     "sign", "floor"))


def arctan2(y: Any, x: Any) -> Any:
    """numpy.arctan2 of symbols, numbers or arrays of them.

    Parameters
    ----------
    y, x : float, Expr or array of them

    Returns
    -------
    float, Expr or array
    """
    return np.arctan2(y, x)


def der(x: Any, order: int = 1) -> Any:
    """The total time derivative of a symbol, of an expression, or of each element of an array.

    Parameters
    ----------
    x : float, Expr or array of them
    order : int, optional

    Returns
    -------
    float, Expr or array
    """
    if isinstance(x, np.ndarray):
        return symbolic(np.frompyfunc(lambda item: der(item, order), 1, 1)(_plain(x)))
    if isinstance(x, Expr):
        return x.der(order)
    if not isinstance(x, (int, float, np.number)):
        raise TypeError(f"der() is of a variable, an expression or a number, not of {type(x).__name__}.")
    return 0.0


def no_event(x: Any) -> Any:
    """An expression whose relations follow their arguments: their changes are no events.

    Parameters
    ----------
    x : float or Expr

    Returns
    -------
    float or Expr
    """
    return x.no_event() if isinstance(x, Expr) else x


def _of_each(x: Any, name: str) -> Any:
    """A method of a symbol, or of each symbol of an array."""
    if isinstance(x, np.ndarray) and x.ndim:
        return symbolic(np.frompyfunc(lambda item: _of_each(item, name), 1, 1)(_plain(x)))
    if isinstance(x, np.ndarray):
        x = x.item()
    if not isinstance(x, Expr):
        raise TypeError(f"{name}() is of a variable of a model, not of {type(x).__name__}.")
    return getattr(x, name)()


def pre(x: Any) -> Any:
    """The value of a variable just before the event at hand.

    Parameters
    ----------
    x : Expr or array of Expr
        Variables of a model.

    Returns
    -------
    Expr or array of Expr
    """
    return _of_each(x, "pre")


def final(x: Any) -> Any:
    """The value of a variable at the end of the interval, for boundary conditions.

    Parameters
    ----------
    x : Expr or array of Expr
        Variables of a model.

    Returns
    -------
    Expr or array of Expr
    """
    return _of_each(x, "final")
