# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices, splines and linear algebra of scipy in functions that are traced; scipy is never imported here."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable

import numpy as np

from ._arrays import _HANDLERS, SymbolicArray, _has_symbols, is_symbolic, symbolic, where
from ._errors import refuse


def _is_array_of_symbols(value: Any) -> bool:
    return isinstance(value, SymbolicArray) and value.ndim > 0


def _product(matrix: Any, array: Any) -> Any:
    """matrix @ array by the entries that the matrix stores."""
    if array.shape[0] != matrix.shape[1]:
        raise ValueError(f"A matrix of shape {matrix.shape} cannot be multiplied by an array of shape {array.shape}.")
    entries = matrix.tocoo()
    result = np.zeros((matrix.shape[0], *array.shape[1:]), dtype=object)
    plain = array.view(np.ndarray)
    for i, j, value in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist()):
        result[i] = result[i] + value * plain[j]
    return symbolic(result)


def _from_left(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def multiplied(self: Any, other: Any) -> Any:
        return _product(self, other) if _is_array_of_symbols(other) else original(self, other)
    return multiplied


def _from_right(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def multiplied(self: Any, other: Any) -> Any:
        return _product(self.T, other.T).T if _is_array_of_symbols(other) else original(self, other)
    return multiplied


def _pieces(knots: list[float], piece: Callable[[int], Any], x: Any) -> Any:
    """piece(i) between the knots i and i + 1, as a tree of branches: every knot is located."""
    def branch(first: int, last: int) -> Any:
        if last - first == 1:
            return piece(first)
        middle = (first + last) // 2
        return where(x < knots[middle], branch(first, middle), branch(middle, last))

    return branch(0, len(knots) - 1)


def _on_polynomials(spline: Any, x: Any) -> Any:
    """The value of a scipy.interpolate.PPoly; beyond its ends the first and the last piece go on."""
    if spline.extrapolate == "periodic":
        refuse("A periodic spline of scipy has no symbolic form", "Make x % period its argument, and extrapolate=True.")
    knots = spline.x.tolist()

    def piece(i: int) -> Any:
        value: Any = 0.0
        for coefficient in spline.c[:, i]:  # one number, or one for each component
            value = value * (x - knots[i]) + coefficient
        return value

    return _pieces(knots, piece, x)


def _polynomials(interpolate: Any, spline: Any) -> Any:
    """A BSpline as a PPoly, which takes one column of coefficients at a time."""
    made = [interpolate.PPoly.from_spline(interpolate.BSpline(spline.t, column, spline.k))
            for column in spline.c.reshape(len(spline.c), -1).T]
    coefficients = np.stack([one.c for one in made], axis=-1)
    return interpolate.PPoly(coefficients.reshape(coefficients.shape[:2] + spline.c.shape[1:]), made[0].x)


def _of_each(function: Callable[[Any], Any], x: Any) -> Any:
    """For a symbol, or for each one of an array."""
    if is_symbolic(x):
        return function(x)
    values = [function(item) for item in x.reshape(-1)]
    return symbolic(np.array(values, dtype=object).reshape(x.shape + np.shape(values[0])))


def _is_symbols(x: Any) -> bool:
    return is_symbolic(x) or _is_array_of_symbols(x)


def _spline(original: Callable[..., Any], as_polynomials: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def value(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        if not _is_symbols(x):
            return original(self, x, nu, extrapolate)
        pieces = as_polynomials(self.derivative(nu) if nu else self)
        return _of_each(functools.partial(_on_polynomials, pieces), x)
    return value


def _between(x: Any, ends: Any, low: Any, value: Any, high: Any) -> Any:
    return where(x < ends[0], low, where(x > ends[1], high, value))


def _fitted(original: Callable[..., Any], interpolate: Any) -> Callable[..., Any]:
    """UnivariateSpline and its kind; what lies beyond the ends is extrapolated, 0, an error or the value there."""
    modes = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}

    @functools.wraps(original)
    def value(self: Any, x: Any, nu: int = 0, ext: Any = None) -> Any:
        if not _is_symbols(x):
            return original(self, x, nu, ext)
        mode = self.ext if ext is None else modes.get(ext, ext)
        return _of_each(functools.partial(_on_fit, interpolate, self._eval_args, nu, mode), x)
    return value


def _on_fit(interpolate: Any, knots_and_coefficients: Any, nu: int, mode: int, x: Any) -> Any:
    t, c, k = knots_and_coefficients
    fit = interpolate.BSpline(t, c[:len(t) - k - 1], k)
    fit = fit.derivative(nu) if nu else fit
    value = _on_polynomials(_polynomials(interpolate, fit), x)
    ends = float(t[k]), float(t[-k - 1])
    if mode in (1, 3):
        low, high = (0.0, 0.0) if mode == 1 else (float(fit(end)) for end in ends)
        return _between(x, ends, low, value, high)
    return value


def _evaluated(original: Callable[..., Any], interpolate: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
        if not _is_symbols(x):
            return original(x, tck, der, ext)
        return _of_each(functools.partial(_on_fit, interpolate, tck, der, ext), x)
    return splev


def _table(original: Callable[..., Any], interpolate: Any) -> Callable[..., Any]:
    """interp1d."""
    def on_one(self: Any, x: Any) -> Any:
        knots, rows = self.x.tolist(), np.moveaxis(self.y, self.axis, 0)
        kind = self._kind
        if kind == "linear":
            slopes = np.diff(rows, axis=0) / np.diff(self.x).reshape(-1, *[1] * (rows.ndim - 1))
            value = _pieces(knots, lambda i: rows[i] + slopes[i] * (x - knots[i]), x)
        elif kind in ("previous", "next"):
            value = _pieces(knots, lambda i: rows[i + (kind == "next")], x)
            value = where(x < knots[-1], value, rows[-1])
        elif kind in ("nearest", "nearest-up"):
            value = _pieces([knots[0], *self.x_bds.tolist(), knots[-1]], lambda i: rows[i], x)
        else:
            value = _on_polynomials(_polynomials(interpolate, self._spline), x)
            value = value[0] if rows.ndim == 1 and np.ndim(value) else value
        if self._extrapolate or self.bounds_error:
            return value  # where scipy raises an error F has no value, and the comparison along the solution tells
        below, above = (fill.reshape(rows.shape[1:]) for fill in (self._fill_value_below, self._fill_value_above))
        if not np.isfinite([below, above]).all():
            return value
        return _between(x, (knots[0], knots[-1]), below, value, above)

    @functools.wraps(original)
    def value(self: Any, x: Any) -> Any:
        return _of_each(functools.partial(on_one, self), x) if _is_symbols(x) else original(self, x)
    return value


def _numbers_inside(args: Any) -> Any:
    """Arrays that were made while a function is traced, and hold numbers alone, as numpy's own."""
    return [arg.astype(object).view(np.ndarray).astype(float)
            if isinstance(arg, SymbolicArray) and not _has_symbols(arg) else arg for arg in args]


def _algebra(original: Callable[..., Any], handler: Callable[..., Any] | None) -> Callable[..., Any]:
    """A function of scipy.linalg: what numpy's has a symbolic form of has one here, and numbers are numbers."""
    @functools.wraps(original)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(arg, SymbolicArray) for arg in args):
            return original(*args, **kwargs)
        args = _numbers_inside(args)
        if handler is not None and any(isinstance(arg, SymbolicArray) for arg in args):
            return handler(*args)
        return original(*args, **kwargs)
    return called


def _solved(original: Callable[..., Any]) -> Callable[..., Any]:
    """lu_solve and cho_solve, whose factors are numbers: by the inverse."""
    @functools.wraps(original)
    def called(factors: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        b, = _numbers_inside([b])
        if not isinstance(b, SymbolicArray):
            return original(factors, b, *args, **kwargs)
        return symbolic(original(factors, np.identity(len(b)), *args, **kwargs) @ b)
    return called


def _exponential_sum(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def logsumexp(a: Any, axis: Any = None, **kwargs: Any) -> Any:
        if not isinstance(a, SymbolicArray) or kwargs:
            return original(a, axis, **kwargs)
        # Relative to the greatest: nothing overflows.
        greatest = np.max(a, axis=axis, keepdims=True)
        total = np.log(np.sum(np.exp(a - greatest), axis=axis, keepdims=True)) + greatest
        return np.squeeze(total, axis=axis) if axis is not None else total.reshape(-1)[0]
    return logsumexp


def _softmax(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def softmax(x: Any, axis: Any = None) -> Any:
        if not isinstance(x, SymbolicArray):
            return original(x, axis)
        powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return powers / np.sum(powers, axis=axis, keepdims=True)
    return softmax


def _bases(classes: Any, name: str) -> list[Any]:
    """The classes that define a method which these inherit."""
    return list({next(base for base in cls.__mro__ if name in vars(base)): None for cls in classes})


def substitutes() -> list[tuple[Any, str, Any, Any]]:
    """Class, name of a method, the method and what stands in for it; nothing where scipy is not in use."""
    rows: list[tuple[Any, str, Any, Any]] = []
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None:
        kinds = [getattr(sparse, f"{name}_{kind}") for name in ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")
                 for kind in ("matrix", "array") if hasattr(sparse, f"{name}_{kind}")]
        matrices = [kind for kind in kinds if kind.__name__.endswith("matrix")]
        # The operator * multiplies element by element where the class is an array.
        for name, made, classes in (("__matmul__", _from_left, kinds), ("dot", _from_left, kinds),
                                    ("__mul__", _from_left, matrices), ("__rmatmul__", _from_right, kinds),
                                    ("__rmul__", _from_right, matrices)):
            rows += [(base, name, vars(base)[name], made(vars(base)[name])) for base in _bases(classes, name)]
    rows += _of_interpolation(sys.modules.get("scipy.interpolate"))
    algebra = sys.modules.get("scipy.linalg")
    for name in getattr(algebra, "__all__", ()):
        original = getattr(algebra, name)
        if name in ("lu_solve", "cho_solve"):
            rows.append((algebra, name, original, _solved(original)))
        elif callable(original) and not isinstance(original, type):
            rows.append((algebra, name, original,
                         _algebra(original, _HANDLERS.get(getattr(np.linalg, name, None)))))
    special = sys.modules.get("scipy.special")
    for name, made in (("logsumexp", _exponential_sum), ("softmax", _softmax)):
        if hasattr(special, name):
            rows.append((special, name, getattr(special, name), made(getattr(special, name))))
    return rows


def _of_interpolation(interpolate: Any) -> list[tuple[Any, str, Any, Any]]:
    if interpolate is None:
        return []
    pieces, splines = interpolate.PPoly, interpolate.BSpline
    rows: list[tuple[Any, str, Any, Any]] = []
    kinds: list[tuple[Any, Callable[[Any], Any]]] = [
        (pieces, lambda call: _spline(call, lambda spline: spline)),
        (splines, lambda call: _spline(call, functools.partial(_polynomials, interpolate))),
        (interpolate.UnivariateSpline, lambda call: _fitted(call, interpolate))]
    for kind, made in kinds:
        rows += [(base, "__call__", vars(base)["__call__"], made(vars(base)["__call__"]))
                 for base in _bases([kind], "__call__")]
    table = interpolate.interp1d
    rows.append((table, "__call__", table.__call__, _table(table.__call__, interpolate)))
    rows.append((interpolate, "splev", interpolate.splev, _evaluated(interpolate.splev, interpolate)))
    return rows
