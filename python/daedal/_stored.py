# SPDX-License-Identifier: BSD-3-Clause
"""Solutions that can be stored: the numbers of a run without the objects of C++ behind them."""
from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

#: Fields that are copied as they are.
_FIELDS = ("status", "success", "message", "remedies", "warnings", "notes", "model_name", "method",
           "integrator", "rtol", "atol", "constraints", "events", "statistics", "names",
           "has_dense_output")
#: Points of the polynomials that stand for the interpolant of a step, as many as it takes.
_POINTS = (5, 9, 17, 33)
#: Where they agree with the interpolant to so many units of the greatest value, they are enough.
_ENOUGH = 1e-13


def _chebyshev(n: int) -> Any:
    """The n extrema of a Chebyshev polynomial, on [0, 1]."""
    return 0.5 - 0.5 * np.cos(np.pi * np.arange(n) / (n - 1))


def _weights(n: int) -> Any:
    """Barycentric weights of these points (Berrut, Trefethen, SIAM Review 46, 2004, section 5.2)."""
    weights = (-1.0) ** np.arange(n)
    weights[[0, -1]] *= 0.5
    return weights


def _differentiation(n: int) -> Any:
    """The matrix that takes values at the points to derivatives there (ibid., section 9.3)."""
    x, w = _chebyshev(n), _weights(n)
    distance = x[:, None] - x[None, :]
    np.fill_diagonal(distance, 1.0)
    matrix = w[None, :] / w[:, None] / distance
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


def _interpolated(theta: Any, samples: Any) -> Any:
    """Values at one place of each step; `samples` are steps x points x variables."""
    n = samples.shape[1]
    distance = theta[:, None] - _chebyshev(n)
    hit = distance == 0.0
    share = _weights(n) / np.where(hit, 1.0, distance)
    share = np.where(hit.any(axis=1)[:, None], hit.astype(float), share)
    return np.einsum("kj,kjv->kv", share, samples) / share.sum(axis=1)[:, None]


class StoredSolution:
    """What a result asks a solution for, in plain arrays: it can be pickled and copied.

    The interpolant of a step is stored as its values at Chebyshev points, which give polynomials
    back to round-off.
    """

    def __init__(self, solution: Any) -> None:
        for name in _FIELDS:
            setattr(self, name, getattr(solution, name))
        self.times: NDArray[np.float64] = np.array(solution.times)
        self.values: NDArray[np.float64] = np.array(solution.values)
        self._report: str = solution.report()
        self._starts = np.flatnonzero(np.diff(self.times))
        self._samples = np.empty((0, 0, 0))
        if self.has_dense_output and len(self._starts):
            self._samples = self._sampled(solution)

    has_dense_output: bool

    def _sampled(self, solution: Any) -> Any:
        """At the points of all steps, with as many points as the hardest of them needs."""
        a, b = self.times[self._starts], self.times[self._starts + 1]
        scale = np.abs(self.values).max(axis=0, initial=0.0) + np.finfo(float).tiny
        between = np.array([0.313, 0.771])
        checks = a[:, None] + (b - a)[:, None] * between
        own = solution.at(checks.reshape(-1)).reshape(len(a), 2, -1)
        for n in _POINTS:
            places = a[:, None] + (b - a)[:, None] * _chebyshev(n)
            places[:, -1] = b
            samples = solution.at(places.reshape(-1)).reshape(len(a), n, -1)
            samples[:, 0] = solution.after(a)
            errors = [np.abs(_interpolated(np.full(len(a), theta), samples) - own[:, k]).max(axis=0)
                      for k, theta in enumerate(between)]
            if (np.maximum(*errors) <= _ENOUGH * scale).all():
                break
        return samples

    def _step_of(self, times: Any, side: Literal["left", "right"]) -> Any:
        ends = self.times[self._starts + 1]
        sign = 1.0 if self.times[-1] >= self.times[0] else -1.0
        return np.minimum(np.searchsorted(sign * ends, sign * times, side=side), len(ends) - 1)

    def _evaluate(self, times: Any, samples: Any, side: Literal["left", "right"]) -> Any:
        steps = self._step_of(times, side)
        a, b = self.times[self._starts[steps]], self.times[self._starts[steps] + 1]
        return _interpolated((times - a) / (b - a), samples[steps])

    def at(self, times: NDArray[np.float64]) -> Any:
        """Rows of values; at events those before them."""
        return self._evaluate(times, self._samples, "left")

    def after(self, times: NDArray[np.float64]) -> Any:
        """Rows of values; at events those after them."""
        return self._evaluate(times, self._samples, "right")

    def derivative(self, times: NDArray[np.float64]) -> Any:
        """Rows of derivatives."""
        steps = self._step_of(times, "left")
        length = self.times[self._starts[steps] + 1] - self.times[self._starts[steps]]
        slopes = np.einsum("ij,kjv->kiv", _differentiation(self._samples.shape[1]), self._samples)
        return self._evaluate(times, slopes, "left") / length[:, None]

    def report(self) -> str:
        """The text about the run."""
        return self._report
