# SPDX-License-Identifier: BSD-3-Clause
"""What drives a model from outside."""
from __future__ import annotations

import numbers
from typing import Any, Mapping

from numpy.typing import ArrayLike

from . import _core
from ._problem import real_array, real_number

_INTERPOLATIONS = ("linear", "hold", "smooth")


class Table:
    """Points of an input over time, for ``inputs`` of `prepare`.

    Two points at one time are a jump. Where a table jumps or has a kink the run has an event. A run that begins
    before the table or ends after it is refused; with ``"hold"`` the last value goes on.

    Parameters
    ----------
    t, values : array_like, shape (m,)
    interpolation : {"linear", "hold", "smooth"}, optional
        Straight lines; the value of a point until the next; or a cubic spline, with which models of higher
        index have the derivatives they need.
    derivatives : array_like, shape (m,), optional
        Of a smooth table at its points, where you know them.

    Examples
    --------
    >>> import daedal, numpy as np
    >>> m = daedal.Model("Integrator")
    >>> u, x = m.input("u"), m.variable("x", 0.0, fixed=True)
    >>> m.add(x.der() == u)
    >>> t = np.linspace(0, 2, 5)
    >>> result = m.solve((0, 2), inputs={"u": daedal.Table(t, 3 * t)})
    >>> round(result.final("x"), 6)
    6.0
    """

    def __init__(self, t: ArrayLike, values: ArrayLike, interpolation: str = "linear", *,
                 derivatives: ArrayLike | None = None) -> None:
        if interpolation not in _INTERPOLATIONS:
            raise ValueError(f"There is no interpolation {interpolation!r}: take {', '.join(_INTERPOLATIONS)}.")
        columns = [real_array(t, "t"), real_array(values, "values"),
                   real_array([] if derivatives is None else derivatives, "derivatives")]
        for name, column in zip(("t", "values", "derivatives"), columns):
            if column.ndim != 1:
                raise ValueError(f"{name} of a table must be one-dimensional, not of shape {column.shape}.")
        self.t, self.values, self.derivatives = columns
        if not len(self.t) or len(self.t) != len(self.values) or len(self.derivatives) not in (0, len(self.t)):
            raise ValueError(f"A table needs a value for each of its times: it has {len(self.t)} times, "
                             f"{len(self.values)} values and {len(self.derivatives)} derivatives.")
        if (self.t[1:] < self.t[:-1]).any():
            raise ValueError("The times of a table must ascend.")
        self.interpolation = interpolation

    def _core(self) -> Any:
        return _core.InputTable(self.t, self.values, _INTERPOLATIONS.index(self.interpolation), self.derivatives)

    def __repr__(self) -> str:
        return f"<daedal.Table of {len(self.t)} points, {self.interpolation}>"


def _given(name: str, value: Any) -> Any:
    if isinstance(value, (Table, str)):
        return value._core() if isinstance(value, Table) else value
    if isinstance(value, numbers.Real):
        return real_number(value, name)
    if callable(value):
        raise TypeError(f"The input {name!r} is a function of Python, which no run could differentiate: give an "
                        "expression of time such as 'sin(3*time)', or daedal.Table(t, f(t), 'smooth').")
    raise TypeError(f"The input {name!r} must be a number, an expression of time in a string or a daedal.Table, "
                    f"not {type(value).__name__}.")


def with_inputs(model: _core.Model, inputs: Mapping[str, Any] | None) -> _core.Model:
    """The model with values for its inputs."""
    if inputs is None:
        return model
    if not isinstance(inputs, Mapping):
        raise TypeError(f"inputs must be values by name, not {type(inputs).__name__}.")
    return _core.with_inputs(model, {str(name): _given(str(name), value) for name, value in inputs.items()})
