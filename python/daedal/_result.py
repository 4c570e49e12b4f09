# SPDX-License-Identifier: BSD-3-Clause
"""What a run came to, in the manner of scipy."""
from __future__ import annotations

import html
import os
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._stored import StoredSolution


def stored(solution: Any) -> StoredSolution:
    """A solution without the objects of C++."""
    return solution if isinstance(solution, StoredSolution) else StoredSolution(solution)


class DenseOutput:
    """The solution between its points, by the integrator's own interpolant.

    Parameters
    ----------
    t : float or array

    Attributes
    ----------
    t_min, t_max : float
        The interval that it covers.
    """

    def __init__(self, solution: _core.Solution | StoredSolution, n: int) -> None:
        self._solution = solution
        self._n = n
        times = solution.times
        self.t_min, self.t_max = sorted((float(times[0]), float(times[-1])))

    def __call__(self, t: ArrayLike) -> NDArray[np.float64]:
        """Values, shape (n,) for a number and (n, m) for an array of m times."""
        return self._sampled(t, self._solution.at)

    def derivative(self, t: ArrayLike) -> NDArray[np.float64]:
        """Time derivatives, in the same shape.

        Parameters
        ----------
        t : float or array_like

        Returns
        -------
        ndarray, shape (n,) or (n, m)
        """
        return self._sampled(t, self._solution.derivative)

    def after(self, t: ArrayLike) -> NDArray[np.float64]:
        """At events the values after them; elsewhere as a call.

        Parameters
        ----------
        t : float or array_like

        Returns
        -------
        ndarray, shape (n,) or (n, m)
        """
        return self._sampled(t, self._solution.after)

    def _sampled(self, t: ArrayLike, evaluate: Any) -> NDArray[np.float64]:
        try:
            times = np.asarray(t, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"Times must be numbers, not {t!r}.") from None
        if times.ndim > 1:
            raise ValueError(f"Times must be a number or a one-dimensional array, not of shape {times.shape}.")
        flat = np.atleast_1d(times)
        if flat.size and not (flat.min() >= self.t_min and flat.max() <= self.t_max):
            raise ValueError(f"The solution covers {self.t_min:g} to {self.t_max:g}; it has no values at "
                             f"{flat.min():g} to {flat.max():g}.")
        values = np.ascontiguousarray(evaluate(flat).T[:self._n])
        return values[:, 0] if times.ndim == 0 else values

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_solution": stored(self._solution)}

    def __repr__(self) -> str:
        return f"<DenseOutput from {self.t_min:g} to {self.t_max:g}>"


class Result:
    """The result of a run. A failed run keeps everything up to the failure.

    Attributes
    ----------
    t : ndarray, shape (m,)
        Times: those of ``t_eval``, or of every step.
    y, yp : ndarray, shape (n, m)
        Values and time derivatives. ``result["name"]`` is the row of a variable.
    names : list of str
        The variables, in the order of the rows.
    success : bool
        Whether the end of the interval or a terminal event was reached.
    status : int
        0: the end of the interval was reached; 1: a terminal event; -1: neither.
    reason : str
        The same in one word, such as ``"success"``, ``"impasse-point"`` or ``"cancelled"``.
    message : str
        The same as a sentence.
    sol : DenseOutput or None
        Values between the points.
    t_events, y_events : list of ndarray
        When the events happened, and the values then; empty lists where no events were given.
    nfev, njev, nlu, nsteps : int
        Evaluations of the equations, of Jacobians, factorisations, accepted steps.
    method, integrator : str
        What was used, where ``"auto"`` was asked for too.
    constraints : dict
        The greatest residual of the constraints over the run by level: 0 position, 1 velocity, ...
    notes, warnings : list of str
        What was completed or chosen for you, and what to look at.
    events : list of (time, what)
        Every event of the run, those of ``where`` included.
    index : int
        The structural index of the model.
    """

    _FIELDS = ("message", "success", "status", "reason", "t", "y", "names", "method", "integrator",
               "nfev", "njev", "nlu", "nsteps", "constraints", "t_events", "y_events", "notes",
               "warnings")

    def __init__(self, solution: _core.Solution, *, model: _core.Model | None, n: int | None = None,
                 t_eval: NDArray[np.float64] | None = None) -> None:
        self._solution: Any = solution
        self._model = model
        self.names: list[str] = list(solution.names if n is None else solution.names[:n])
        self._n = len(self.names)
        self.success: bool = solution.success
        self.reason: str = solution.status
        self.status: int = {"success": 0, "event-stop": 1}.get(self.reason, -1)
        self.message: str = solution.message
        self.method: str = solution.method
        self.integrator: str = solution.integrator
        self.rtol: float = solution.rtol
        self.atol: float = solution.atol
        self.notes: list[str] = list(solution.notes)
        self.warnings: list[str] = list(solution.warnings)
        self.constraints: dict[int, float] = solution.constraints
        self.events: list[tuple[float, str]] = [(time, what) for time, what, _ in solution.events]
        self.statistics: dict[str, Any] = solution.statistics
        self.nfev: int = self.statistics["residual_evaluations"]
        self.njev: int = self.statistics["jacobian_evaluations"]
        self.nlu: int = self.statistics["factorizations"]
        self.nsteps: int = self.statistics["steps"]
        self.t_events: list[Any] = []
        self.y_events: list[Any] = []
        self.problem: Any = None
        self._parameters: dict[str, float] = {}
        has_steps = len(solution.times) > 1
        self.sol = DenseOutput(solution, self._n) if has_steps and solution.has_dense_output else None
        self._set_points(t_eval)
        self._yp: NDArray[np.float64] | None = None
        self._index: int | None = None

    def _set_points(self, t_eval: NDArray[np.float64] | None) -> None:
        if t_eval is None or self.sol is None:
            rows: Any = slice(None) if t_eval is None else np.isin(self._solution.times, t_eval)
            self.t = self._solution.times[rows].copy()
            self.y = np.ascontiguousarray(self._solution.values[rows].T[:self._n])
        else:
            inside = (t_eval >= self.sol.t_min) & (t_eval <= self.sol.t_max)
            self.t = t_eval[inside]
            self.y = self.sol.after(self.t)

    @property
    def yp(self) -> NDArray[np.float64]:
        """Time derivatives at ``t``, shape (n, m)."""
        if self._yp is None:
            if self.sol is None:
                self._yp = np.full_like(self.y, np.nan)
            else:
                self._yp = self.sol.derivative(self.t)
        return self._yp

    @property
    def index(self) -> int | None:
        """The structural index of the model; None for a residual that was not traced."""
        if self._index is None and self._model is not None:
            self._index = _core.analyze_structure(self._model).structural_index
        return self._index

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, str):
            if name not in self.names and hasattr(self, name):
                return getattr(self, name)
            rows = self._rows(name)
            return self.y[rows[0]] if name in self.names else self.y[rows]
        if len(name) == 0:
            return np.empty((0, len(self.t)))
        return np.stack([self[item] for item in name])

    def _rows(self, name: str) -> list[int]:
        """The row of a variable, or those of an array of variables."""
        if name in self.names:
            return [self.names.index(name)]
        found = [row for row, own in enumerate(self.names) if own.startswith(f"{name}[")]
        if not found:
            raise KeyError(f"{name!r}: the variables are {', '.join(self.names)}")
        return found

    def keys(self) -> Sequence[str]:
        """The names of the fields."""
        return self._FIELDS

    def __iter__(self) -> Iterator[str]:
        return iter(self._FIELDS)

    def __contains__(self, name: object) -> bool:
        return name in self.names or name in self._FIELDS

    def final(self, name: str | None = None) -> Any:
        """The last value of a variable, or a dict of all.

        Parameters
        ----------
        name : str, optional

        Returns
        -------
        float or dict of str to float
        """
        if len(self._solution.times) == 0:
            raise ValueError("The run has no values: " + self.message)
        last = dict(zip(self.names, self._solution.values[-1]))
        if name is None:
            return {key: float(value) for key, value in last.items()}
        if name not in last:
            raise KeyError(f"{name!r}: the variables are {', '.join(self.names)}")
        return float(last[name])

    def to_pandas(self) -> Any:
        """A table: a row per time, a column per variable.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.y.T, index=pandas.Index(self.t, name="t"), columns=self.names)

    def plot(self, names: Sequence[str] | None = None, *, ax: Any = None) -> Any:
        """Draws variables over time, by matplotlib.

        Parameters
        ----------
        names : sequence of str, optional
            Which variables; all by default.
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        chosen = list(self.names if names is None else [names] if isinstance(names, str) else names)
        rows = [row for name in chosen for row in self._rows(name)]
        times, values = self.t, self.y
        if self.sol is not None and len(self.t) < 400 and not self.events:
            times = np.linspace(self.sol.t_min, self.sol.t_max, 800)
            values = self.sol(times)
        for row in rows:
            ax.plot(times, values[row], label=self.names[row])
        ax.set_xlabel("t")
        if len(rows) > 1:
            ax.legend()
        elif rows:
            ax.set_ylabel(self.names[rows[0]])
        return ax

    def report(self, file: str | os.PathLike[str] | None = None, *, animate: str = "") -> str | None:
        """A page about the run: as text, or as an HTML file with plots and animation.

        Parameters
        ----------
        file : path, optional
            Where to write the HTML page, which opens without a network. Without it the text is
            returned.
        animate : str, optional
            Shapes of your own, such as ``"rod(0,0; x,y)"``; see docs/reports.md.

        Returns
        -------
        str or None
        """
        if file is None:
            return str(self._solution.report())
        if self._model is None:
            raise ValueError("Reports need a model; with trace=False there is none, and a stored result has left "
                             "its own behind.")
        _core.write_run_report(os.fspath(file), self._model, self._solution, self._parameters, animate)
        return None

    def __getstate__(self) -> dict[str, Any]:
        """All that is numbers and text: the model and the prepared problem stay behind."""
        _ = self.index, self.yp
        solution = stored(self._solution)
        state: dict[str, Any] = {**self.__dict__, "_solution": solution, "_model": None, "problem": None}
        if self.sol is not None:
            state["sol"] = DenseOutput(solution, self._n)
        return state

    def __repr__(self) -> str:
        rows = []
        width = max(len(name) for name in self._FIELDS)
        for name in self._FIELDS:
            value = getattr(self, name)
            if name in ("t_events", "y_events") and not self.t_events:
                continue
            text = repr(value) if not isinstance(value, np.ndarray) else (
                np.array2string(value, threshold=8, edgeitems=2, precision=4))
            rows.append(f"{name:>{width}}: " + text.replace("\n", "\n" + " " * (width + 2)))
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        color = "#2a7" if self.success else "#c33"
        rows = [("method", f"{self.method} with {self.integrator}"),
                ("time", f"{self.t[0]:g} to {self.t[-1]:g}, {len(self.t)} points" if len(self.t) else "none"),
                ("work", f"{self.nsteps} steps, {self.nfev} evaluations, {self.njev} Jacobians")]
        rows += [(f"constraints, level {level}", f"at most {residual:.3g}")
                 for level, residual in self.constraints.items()]
        rows += [("note", note) for note in self.notes] + [("warning", text) for text in self.warnings]
        body = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
                       f"<td style='text-align:left'>{html.escape(value)}</td></tr>" for key, value in rows)
        return (f"<b style='color:{color}'>{html.escape(self.reason)}</b>: {html.escape(self.message)}"
                f"<table>{body}</table>")
