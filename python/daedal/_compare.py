# SPDX-License-Identifier: BSD-3-Clause
"""The same model by several methods."""
from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

import numpy as np

from . import _core
from ._model import Model, require_model
from ._problem import by_name, raise_interruption, real_array, real_number, run_options, whole_number

_COLUMNS = ("method", "integrator", "rtol", "status", "error", "drift", "energy_drift", "steps",
            "evaluations", "seconds")


class Comparison:
    """A table: a row per method and tolerance.

    Attributes
    ----------
    rows : list of dict
        With method, integrator, rtol, status, message, error (relative to the reference), drift (the
        greatest residual of the constraints as written; ``constraints`` has all levels), energy_drift,
        steps, evaluations and seconds.
    reference : str
        The method of the reference run.
    """

    def __init__(self, found: dict[str, Any], model: Any) -> None:
        self._comparison = found["comparison"]
        self._model = model
        self.model_name: str = found["model_name"]
        self.reference: str = found["reference"]
        self.reference_status: str = found["reference_status"]
        self.reference_message: str = found["reference_message"]
        self.rows: list[dict[str, Any]] = [
            {"method": row["method"], "integrator": row["integrator"], "rtol": row["rtol"],
             "status": row["status"], "message": row["message"], "error": row["error"],
             "worst_variable": row["worst_variable"], "constraints": row["constraints"],
             "drift": row["constraints"].get(0, float("nan")),
             "energy_drift": np.nan if row["energy_drift"] is None else row["energy_drift"],
             "steps": row["statistics"]["steps"],
             "evaluations": row["statistics"]["residual_evaluations"],
             "seconds": row["statistics"]["wall_time"]} for row in found["rows"]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, i: int) -> dict[str, Any]:
        return self.rows[i]

    def to_pandas(self) -> Any:
        """The table with a row per method and tolerance.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.rows)[list(_COLUMNS)]

    def __repr__(self) -> str:
        cells = [[_text(row[name]) for name in _COLUMNS] for row in self.rows]
        widths = [max(len(name), *(len(line[i]) for line in cells)) if cells else len(name)
                  for i, name in enumerate(_COLUMNS)]
        lines = [[*_COLUMNS], *cells]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                         for line in lines)

    def _repr_html_(self) -> str:
        try:
            return str(self.to_pandas()._repr_html_())
        except ImportError:
            return f"<pre>{self!r}</pre>"

    def _methods(self) -> dict[str, list[dict[str, Any]]]:
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows:
            if row["status"] == "success" and np.isfinite(row["error"]):
                groups.setdefault(f"{row['method']} + {row['integrator']}", []).append(row)
        return groups

    def _plot(self, ax: Any, horizontal: str, vertical: str, labels: tuple[str, str]) -> Any:
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        for name, rows in self._methods().items():
            tiny = np.finfo(float).tiny
            ax.loglog([max(row[horizontal], tiny) for row in rows],
                      [max(row[vertical], 1e-17) for row in rows], marker="o", label=name)
        ax.set_xlabel(labels[0])
        ax.set_ylabel(labels[1])
        ax.legend()
        return ax

    def plot_work_precision(self, *, ax: Any = None) -> Any:
        """Error over seconds, a line per method.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        return self._plot(ax, "seconds", "error", ("seconds", "relative error"))

    def report(self, file: str | os.PathLike[str]) -> None:
        """Writes an HTML page with work against accuracy for every method.

        Parameters
        ----------
        file : path
        """
        _core.write_comparison_report(os.fspath(file), self._model, self._comparison)

    def plot_drift(self, *, ax: Any = None) -> Any:
        """The greatest residual of the constraints over the tolerance, a line per method.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        return self._plot(ax, "rtol", "drift", ("rtol", "greatest residual of the constraints"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else f"{value:.3g}"


def compare(model: Model, t_span: Any = None, *, methods: Sequence[str], tolerances: Sequence[float] = (1e-6,),
            reference: str = "auto", reference_rtol: float = 1e-12, grid: int = 200,
            energy: str = "energy", parameters: Any = None, start: Any = None,
            **options: Any) -> Comparison:
    """Solves a model by several methods and compares error, drift and work.

    Parameters
    ----------
    model : Model
    t_span : (float, float)
    methods : sequence of str
        Such as ``"ggl"``, ``"baumgarte:alpha=5"`` or ``"index1+radau"``.
    tolerances : sequence of float, optional
        Each method is run at each of them.
    reference : str, optional
        The method of the reference run, at `reference_rtol`.
    grid : int, optional
        At how many times the solutions are compared.
    energy : str, optional
        A variable whose change is reported.
    parameters, start : mapping, optional
    **options
        max_step, time_limit, ...

    Returns
    -------
    Comparison
        Prints as a table; ``to_pandas()``, ``plot_work_precision()``, ``plot_drift()``.
    """
    require_model(model, "compare")
    if isinstance(methods, str):
        methods = [methods]
    made = _core.CompareOptions()
    made.methods = [str(name) for name in methods]
    made.tolerances = np.atleast_1d(real_array(tolerances, "tolerances")).tolist()
    if not made.tolerances:
        raise ValueError("tolerances is empty: nothing would be compared.")
    base = run_options(**options)
    base.parameters = by_name(parameters, "parameters", model._parameter_order)
    base.start_values = by_name(start, "start", model._variable_order)
    made.base = base
    made.reference, made.reference_rtol = str(reference), real_number(reference_rtol, "reference_rtol")
    made.grid, made.energy = whole_number(grid, "grid"), str(energy)
    core_model = model._core_model()
    found, raised = _core.compare(core_model, _core.TimeSpan(*model._span(t_span)), made)
    comparison = Comparison(found, core_model)
    if raised is not None:
        raise_interruption(raised, comparison)
    return comparison
