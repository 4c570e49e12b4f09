# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices and splines of scipy in functions that are traced; scipy itself is never imported here."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable

import numpy as np

from ._arrays import SymbolicArray, is_symbolic, symbolic, where
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


def _on_polynomials(spline: Any, x: Any) -> Any:
    """The value of a scipy.interpolate.PPoly, as a tree of branches: every knot is located."""
    knots, coefficients = spline.x.tolist(), spline.c
    if spline.extrapolate is not True or coefficients.ndim != 2:
        refuse("A spline of scipy has a symbolic form where it gives one number and goes on beyond its ends",
               "Make it of one row of values with extrapolate=True, or use np.interp.")

    def branch(first: int, last: int) -> Any:
        if last - first == 1:
            value: Any = 0.0
            for coefficient in coefficients[:, first].tolist():
                value = value * (x - knots[first]) + coefficient
            return value
        middle = (first + last) // 2
        return where(x < knots[middle], branch(first, middle), branch(middle, last))

    return branch(0, len(knots) - 1)


def _spline(original: Callable[..., Any], as_polynomials: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def value(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        if not is_symbolic(x) and not _is_array_of_symbols(x):
            return original(self, x, nu, extrapolate)
        pieces = as_polynomials(self.derivative(nu) if nu else self)
        if is_symbolic(x):
            return _on_polynomials(pieces, x)
        return symbolic(np.frompyfunc(functools.partial(_on_polynomials, pieces), 1, 1)(x.view(np.ndarray)))
    return value


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
    interpolate = sys.modules.get("scipy.interpolate")
    if interpolate is not None:
        pieces = interpolate.PPoly
        splines = interpolate.BSpline
        for kind, as_polynomials in ((pieces, lambda spline: spline), (splines, pieces.from_spline)):
            rows += [(base, "__call__", vars(base)["__call__"], _spline(vars(base)["__call__"], as_polynomials))
                     for base in _bases([kind], "__call__")]
    return rows
