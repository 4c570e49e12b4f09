# SPDX-License-Identifier: BSD-3-Clause
"""Models: written with operators, made from functions, read from model text, or by energies."""
from __future__ import annotations

import html
import os
from typing import Any, Callable, Iterable, Mapping, NoReturn, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import SymbolicArray, array_of
from ._core import Equation, Expr
from ._errors import FileError, user_place
from ._inputs import with_inputs
from ._problem import (Problem, by_name, positive_number, raise_interruption, run_options, split_method, text_value,
                       time_span, truth)
from ._result import Result


def _flat(items: Iterable[Any]) -> list[Any]:
    """Equations and expressions out of lists and arrays."""
    found: list[Any] = []
    for item in items:
        if isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim):
            found.extend(_flat(item))
        elif isinstance(item, np.ndarray):
            found.append(item.item())
        else:
            found.append(item)
    return found


def _sides(item: Any) -> tuple[Any, Any]:
    if isinstance(item, Equation):
        return item.lhs, item.rhs
    if isinstance(item, Expr) and item.is_relation:
        raise TypeError(f"{item!r} is a relation, not an equation: an equation is written lhs == rhs.")
    if isinstance(item, Expr):
        return item, 0.0
    if isinstance(item, bool):
        raise TypeError(f"An equation came out as {item}: one of its sides must be an expression.")
    raise TypeError(f"An equation is written lhs == rhs, not {type(item).__name__}.")


def _require_name(name: Any) -> None:
    if not isinstance(name, str) or not name:
        raise TypeError(f"The name of a variable or parameter is a text that is not empty, not {name!r}.")


def _shape(shape: Any) -> tuple[int, ...]:
    """The lengths of an array of variables."""
    lengths = tuple(shape) if np.iterable(shape) and not isinstance(shape, str) else (shape,)
    if any(not isinstance(n, (int, np.integer)) or n < 0 for n in lengths):
        raise TypeError(f"shape must be a whole number or a tuple of them, not {shape!r}.")
    return lengths


def _require_options(name: str, options: dict[str, Any]) -> None:
    """What is declared with a variable or a parameter."""
    for key in ("unit", "description", "type"):
        text_value(options.get(key, ""), f"{key} of {name!r}")
    truth(options.get("fixed", False), f"fixed of {name!r}")
    positive_number(options.get("nominal", 1.0), f"nominal of {name!r}")
    least: Any = options.get("min", -np.inf)
    greatest: Any = options.get("max", np.inf)
    if not all(isinstance(bound, (int, float, np.number)) for bound in (least, greatest)) or not least <= greatest:
        raise ValueError(f"min and max of {name!r} must be two numbers, the lesser one first, not {least!r} and "
                         f"{greatest!r}.")


def _for_each(values: Any, shape: tuple[int, ...], what: str) -> Any:
    """One value for each element of an array of variables."""
    given = np.asarray(values, dtype=object)
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(f"{what} must be one number, or an array of shape {shape}, not {given.shape}.") from None


def require_model(model: Any, caller: str) -> None:
    """TypeError for what is not a model."""
    if not isinstance(model, Model):
        raise TypeError(f"{caller}() takes a daedal.Model, not {type(model).__name__}; Model.from_function makes "
                        "one of a residual.")


class Model:
    """A system of differential and algebraic equations, of any index.

    Parameters
    ----------
    name, description : str, optional

    Examples
    --------
    >>> import daedal
    >>> m = daedal.Model("Pendulum")
    >>> x, y = m.variable("x", start=1), m.variable("y", start=0, fixed=True)
    >>> tension = m.variable("tension")
    >>> g = m.parameter("g", 9.81)
    >>> m.add(x.der(2) == -tension * x, y.der(2) == -tension * y - g)
    >>> m.add(x**2 + y**2 == 1, name="rod")
    >>> m.analyze().index
    3
    """

    def __init__(self, name: str = "model", description: str = "") -> None:
        self._draft: Any = _core.Draft(text_value(name, "name"), text_value(description, "description"))
        self._symbols: dict[str, Any] = {}
        self._built: _core.Model | None = None
        self._variable_order: list[str] | None = None
        self._parameter_order: list[str] | None = None
        self.warnings: list[str] = []

    @classmethod
    def _of_text(cls, core_model: _core.Model, warnings: list[str]) -> Model:
        made = cls.__new__(cls)
        made._draft = None
        made._symbols = {}
        made._built = core_model
        made._variable_order = None
        made._parameter_order = None
        made.warnings = warnings
        return made

    @classmethod
    def from_function(cls, F: Callable[..., Any], y0: ArrayLike, *, parameters: Any = None,
                      names: Sequence[str] | None = None, fixed: Any = None, t0: float = 0.0,
                      name: str | None = None) -> Model:
        """A model from a residual F(t, y, yp) or F(t, y, yp, p) on numpy arrays.

        Parameters
        ----------
        F : callable
            Called once with symbols in place of numbers.
        y0 : array_like
            Start values: wishes that give way where they contradict the equations, except those of
            `fixed`.
        parameters : mapping or array_like, optional
            Passed as the fourth argument; they stay symbols and can be changed in every run.
        names : sequence of str, optional
            Of the unknowns; by default ``y[0]``, ``y[1]``, ...
        fixed : True, mask, or sequence of names or numbers, optional
            Which start values must hold.
        t0 : float, optional
            Where the model is compared with F.
        name : str, optional
            Of the model; by default that of F.

        Returns
        -------
        Model
        """
        from ._function import FunctionModel

        traced = FunctionModel(F, y0, parameters=parameters, names=names, fixed=fixed, name=name, t0=t0)
        traced.check_start()
        return traced.model

    # ------------------------------------------------------------------------------- declarations

    def _writable(self) -> Any:
        if self._draft is None:
            raise TypeError("This model was read from text and cannot be changed; write it with "
                            "daedal.Model, or change the text.")
        self._built = None
        return self._draft

    def _require_new(self, name: str) -> None:
        if name in self._symbols:
            raise ValueError(f"The name {name!r} is declared already.")

    def _remember(self, name: str, symbol: Any) -> Any:
        self._symbols[name] = symbol
        return symbol

    def _declare(self, kind: str, name: str, start: Any, shape: Any, options: dict[str, Any]) -> Any:
        draft = self._writable()
        make = getattr(draft, kind)
        _require_name(name)
        options = {key: value for key, value in options.items() if value is not None}
        _require_options(name, options)
        if shape is None:
            self._require_new(name)
            return self._remember(name, make(name, start, **options))
        shape = _shape(shape)
        starts = _for_each(start, shape, f"The start of {name!r}")
        array = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            full = f"{name}[{','.join(str(i) for i in place)}]"
            self._require_new(full)
            array[place] = self._remember(full, make(full, starts[place], **options))
        return array.view(SymbolicArray)

    def variable(self, name: str, start: Any = None, *, fixed: bool = False, nominal: float = 1.0,
                 min: float = -np.inf, max: float = np.inf, unit: str = "", description: str = "",
                 shape: int | tuple[int, ...] | None = None) -> Any:
        """Declares an unknown function of time.

        Parameters
        ----------
        name : str
        start : float or expression of parameters, optional
            A wish for the start: it gives way where it contradicts the equations.
        fixed : bool, optional
            The start value must hold.
        nominal : float, optional
            A typical magnitude; the absolute tolerance is multiplied by it.
        min, max : float, optional
        unit, description : str, optional
        shape : int or tuple, optional
            Declares an array of variables ``name[0]``, ``name[1]``, ...

        Returns
        -------
        Expr or array of Expr
        """
        return self._declare("variable", name, start, shape,
                             dict(fixed=fixed, nominal=nominal, min=min, max=max, unit=unit,
                                  description=description))

    def discrete(self, name: str, start: Any = 0.0, *, type: str = "real", description: str = "") -> Any:
        """Declares a variable that changes at events alone; see `when`.

        Parameters
        ----------
        name : str
        start : float or expression of parameters, optional
        type : {"real", "integer", "boolean"}, optional
        description : str, optional

        Returns
        -------
        Expr
        """
        return self._declare("discrete", name, start, None,
                             dict(fixed=True, type=type, description=description))

    def input(self, name: str, *, type: str = "real", nominal: float = 1.0, unit: str = "",
              description: str = "") -> Any:
        """Declares what is given from outside: ``prepare(model, inputs={name: ...})``.

        Parameters
        ----------
        name : str
        type : {"real", "integer", "boolean"}, optional
            Integers and Booleans change at events alone.
        nominal : float, optional
        unit, description : str, optional

        Returns
        -------
        Expr
        """
        kind = "variable" if type == "real" else "discrete"
        return self._declare(kind, name, None, None,
                             dict(type=type, nominal=nominal, unit=unit, description=description,
                                  is_input=True))

    def parameter(self, name: str, value: Any = None, *, unit: str = "", description: str = "",
                  fixed: bool = True, shape: int | None = None) -> Any:
        """Declares a parameter, which every run can give another value.

        Parameters
        ----------
        name : str
        value : float or expression of parameters, optional
            Without it the value must be given when the model is solved.
        unit, description : str, optional
        fixed : bool, optional
            False: an unknown of the initial or boundary conditions.
        shape : int, optional
            Declares an array of parameters ``name[0]``, ``name[1]``, ...

        Returns
        -------
        Expr or array of Expr
        """
        draft = self._writable()
        _require_name(name)
        if shape is not None:
            size, = _shape(shape)
            values = _for_each(value, (size,), f"The value of {name!r}")
            return array_of([self.parameter(f"{name}[{i}]", values[i], unit=unit, description=description,
                                            fixed=fixed) for i in range(size)])
        _require_options(name, dict(unit=unit, description=description, fixed=fixed))
        self._require_new(name)
        return self._remember(name, draft.parameter(name, value, unit, description, fixed))

    @property
    def t(self) -> Any:
        """Time, as an expression."""
        return self._writable().time()

    def __getitem__(self, name: str) -> Any:
        """The variable or parameter of this name."""
        if self._draft is None:
            raise TypeError("This model was read from text: its variables have names, but no symbols to "
                            "write expressions with.")
        if name not in self._symbols:
            raise KeyError(f"{name!r} is not declared in model {self.name!r}.")
        return self._symbols[name]

    # ---------------------------------------------------------------------------------- equations

    def _add(self, kind: str, items: tuple[Any, ...], name: Any) -> None:
        draft = self._writable()
        equations = _flat(items)
        names = [name] * len(equations) if name is None or isinstance(name, str) else list(name)
        if len(names) != len(equations):
            raise ValueError(f"{len(names)} names for {len(equations)} equations.")
        if isinstance(name, str) and len(equations) > 1:
            names = [f"{name}[{i}]" for i in range(len(equations))]
        file, line, _ = user_place()
        for equation, its_name in zip(equations, names):
            lhs, rhs = _sides(equation)
            getattr(draft, kind)(lhs, rhs, its_name or "", (os.path.basename(file), line))

    def add(self, *equations: Any, name: str | Sequence[str] | None = None) -> None:
        """Adds equations ``lhs == rhs``, lists or arrays of them; an expression alone is set to zero.

        Parameters
        ----------
        *equations : Equation, Expr, or lists and arrays of them
        name : str or sequence of str, optional
            What messages call them.
        """
        self._add("equation", equations, name)

    def initial(self, *equations: Any, name: str | Sequence[str] | None = None) -> None:
        """Adds equations that hold at the start.

        Parameters
        ----------
        *equations : Equation, Expr, or lists and arrays of them
        name : str or sequence of str, optional
            What messages call them.
        """
        self._add("initial_equation", equations, name)

    def boundary(self, *equations: Any, name: str | Sequence[str] | None = None) -> None:
        """Adds conditions of a boundary value problem: ``daedal.final(x)`` is x at the end.

        Parameters
        ----------
        *equations : Equation, Expr, or lists and arrays of them
        name : str or sequence of str, optional
            What messages call them.
        """
        self._add("boundary_equation", equations, name)

    def when(self, condition: Any, changes: Mapping[Any, Any] | None = None, *,
             terminate: str | bool | None = None) -> None:
        """What happens each time a condition becomes true.

        Parameters
        ----------
        condition : Expr
            A relation such as ``height < 0``.
        changes : mapping of variable to expression, optional
            New values; ``daedal.pre(x)`` is the value just before.
        terminate : str or bool, optional
            Ends the run, with this message.

        Examples
        --------
        >>> import daedal
        >>> m = daedal.Model("Ball")
        >>> h, v = m.variable("h", 1.0, fixed=True), m.variable("v", 0.0, fixed=True)
        >>> m.add(h.der() == v, v.der() == -9.81)
        >>> m.when(h < 0, {v: -0.8 * daedal.pre(v)})
        """
        draft = self._writable()
        actions: list[Any] = [("set", self[variable] if isinstance(variable, str) else variable, value)
                              for variable, value in (changes or {}).items()]
        for _, variable, _ in actions:
            if not isinstance(variable, Expr):
                raise TypeError(f"when() changes variables, not {type(variable).__name__}.")
        if terminate:
            actions.append(("terminate", None, terminate if isinstance(terminate, str) else
                            "A terminal event of the model was reached."))
        if not isinstance(condition, Expr):
            raise TypeError(f"The condition of when() must be a relation, not {type(condition).__name__}.")
        if not actions:
            raise ValueError("when() needs changes or terminate=...: nothing would happen.")
        file, line, _ = user_place()
        draft.when(condition, actions, (os.path.basename(file), line))

    def sample(self, start: float, interval: float) -> Any:
        """True at start, start + interval, ...; a condition for `when`.

        Parameters
        ----------
        start, interval : float or expression of parameters

        Returns
        -------
        Expr
        """
        return self._writable().sample(start, interval)

    def require(self, condition: Any, message: str, *, warning: bool = False) -> None:
        """A condition that must hold during a run; otherwise it ends, or a warning is noted.

        Parameters
        ----------
        condition : Expr
            A relation.
        message : str
        warning : bool, optional
            Note it and go on.
        """
        self._writable().assertion(condition, message, warning)

    def energy(self, expression: Any) -> None:
        """States the total energy, so that `compare` can report how well it is kept.

        Parameters
        ----------
        expression : Expr
        """
        self._writable().energy(expression)

    # -------------------------------------------------------------------------------------- looks

    def _core_model(self) -> _core.Model:
        if self._built is None:
            if not self._draft.variable_names:
                raise ValueError(f"The model {self.name!r} has no variables: declare them with variable().")
            self._built = self._draft.build()
        return self._built

    @property
    def name(self) -> str:
        """What reports and messages call the model."""
        return str((self._built if self._draft is None else self._draft).name)

    @property
    def variables(self) -> list[str]:
        """The names of the unknowns."""
        return list(self._draft.variable_names if self._draft is not None else self._core_model().variables)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters with their values."""
        return self._core_model().parameter_values({})

    def _span(self, t_span: Any) -> tuple[float, float]:
        if t_span is not None:
            return time_span(t_span)
        experiment = self._core_model().experiment
        if experiment["stop_time"] is None:
            raise ValueError("t_span is missing, and the model has no experiment that would say it.")
        return time_span((experiment["start_time"] or 0.0, experiment["stop_time"]))

    def __reduce__(self) -> NoReturn:
        raise TypeError("A model cannot be pickled or copied; the function or text that makes it can.")

    def __repr__(self) -> str:
        return f"<daedal.Model {self.name!r} of {', '.join(self.variables[:8])}{', ...' * (len(self.variables) > 8)}>"

    # ----------------------------------------------------------------------------------- questions

    def analyze(self, t0: float = 0.0, *, parameters: Any = None, start: Any = None,
                numerical: bool = True, time_limit: float | None = None) -> Analysis:
        """Index, hidden constraints, degrees of freedom, consistent start.

        Parameters
        ----------
        t0 : float, optional
            Where the numbers are looked at.
        parameters, start : mapping, optional
            Values by name.
        numerical : bool, optional
            False: by counting alone, for models of any size.
        time_limit : float, optional
            Seconds.

        Returns
        -------
        Analysis
            Prints as text, and as a table in a notebook.
        """
        model = self._core_model()
        if not numerical:
            return Analysis(_core.analyze_structure(model), model)
        options = run_options(time_limit=time_limit)
        options.parameters = by_name(parameters, "parameters", self._parameter_order)
        options.start_values = by_name(start, "start", self._variable_order)
        analysis, raised = _core.analyze(model, float(t0), options)
        if raised is not None:
            raise_interruption(raised, Analysis(analysis, model))
        return Analysis(analysis, model)

    def prepare(self, **options: Any) -> Problem:
        """See `daedal.prepare`."""
        return prepare(self, **options)

    def solve(self, t_span: Any = None, *, method: str = "auto", integrator: str = "auto",
              watch_singularities: bool = False, chart: str | None = None,
              inputs: Mapping[str, Any] | None = None, **arguments: Any) -> Result:
        """Solves an initial value problem: `prepare` and `Problem.solve` in one call.

        Parameters
        ----------
        t_span : (float, float), optional
            Start and end. Only models whose text has an experiment can do without.
        method, integrator, watch_singularities, chart, inputs
            As of `prepare`.
        **arguments
            As of `Problem.solve`: parameters, start, t_eval, progress, rtol, atol, ...

        Returns
        -------
        Result
        """
        problem = self.prepare(method=method, integrator=integrator,
                               watch_singularities=watch_singularities, chart=chart, inputs=inputs)
        return problem.solve(t_span, **arguments)

    def solve_bvp(self, t_span: Any = None, **options: Any) -> Any:
        """See `daedal.solve_bvp`."""
        from ._bvp import solve_bvp

        return solve_bvp(self, t_span, **options)


def prepare(model: Model, *, method: str = "auto", integrator: str = "auto",
            watch_singularities: bool = False, chart: str | None = None,
            inputs: Mapping[str, Any] | None = None, **options: Any) -> Problem:
    """Makes a model ready to be solved many times.

    Parameters
    ----------
    model : Model
    method : str, optional
        As `daedal.methods` lists them, with fields as in ``"baumgarte:alpha=5"``, or with an integrator
        as in ``"ggl+radau"``.
    integrator : str, optional
        As `daedal.integrators` lists them, such as ``"radau:stages=3"``.
    watch_singularities : bool, optional
        Look for singular positions of a mechanism on the way, and report them.
    chart : str, optional
        For the method user-chart: equations that give every position by coordinates of your own.
    inputs : mapping, optional
        For each input of the model a number, an expression of time and parameters as model text writes
        it (``"sin(3*time)"``), or a `Table`. A number can be set in the middle of a run
        (`Simulation.set_input`).
    **options
        Defaults for the runs: rtol, atol, max_step, ...

    Returns
    -------
    Problem
    """
    require_model(model, "prepare")
    core_model = with_inputs(model._core_model(), inputs)
    method, integrator = split_method(method, integrator)
    settings = dict(options, method=method, integrator=integrator,
                    watch_singularities=watch_singularities)
    if chart is not None:
        settings["chart"] = _core.parse_chart(chart, core_model)
    return Problem(_core.prepare(core_model, run_options(**settings)), model, settings)


class Analysis:
    """What a model is, before anything is solved.

    Attributes
    ----------
    index : int
        Differentiation index at the start, or the structural one where numbers were not looked at.
    structural_index : int
    degrees_of_freedom : int
        How many initial values are free.
    mobility : int or None
        Of a mechanism.
    constraints : list of dict
        By level: 0 those written down, the others hidden; with count and equations.
    free, determined : list of str
        One set of variables that can be given together, and those that the equations leave no choice.
    consistent_start : bool
    start : dict of str to float
        Consistent start values.
    success : bool
    message : str
    notes, warnings : list of str
    """

    def __init__(self, analysis: _core.Analysis, model: _core.Model) -> None:
        self._analysis = analysis
        self._model = model

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._analysis, name)

    @property
    def index(self) -> int:
        """The differentiation index at the start, or the structural one where numbers were not looked at."""
        own = self._analysis.numerical_index
        return self._analysis.structural_index if own is None else own

    @property
    def degrees_of_freedom(self) -> int:
        """How many initial values are free."""
        own = self._analysis.numerical_states
        return self._analysis.structural_states if own is None else own

    @property
    def hidden_constraints(self) -> list[Any]:
        """The constraints that appear by differentiation only."""
        return [row for row in self._analysis.constraints if row["level"] > 0]

    def report(self, file: str | os.PathLike[str] | None = None) -> str | None:
        """The analysis as text, or written as an HTML page.

        Parameters
        ----------
        file : path, optional
            Where to write the page. Without it the text is returned.

        Returns
        -------
        str or None
        """
        if file is None:
            return self._analysis.report()
        _core.write_analysis_report(os.fspath(file), self._model, self._analysis)
        return None

    def __str__(self) -> str:
        return self._analysis.report()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        a = self._analysis
        rows: list[tuple[str, str]] = [
            ("index", str(self.index) + ("" if a.numerical_index is not None else " (structural)")),
            ("degrees of freedom", str(self.degrees_of_freedom))]
        if a.mobility is not None:
            rows.append(("mobility", str(a.mobility)))
        for row in a.constraints:
            kind = "constraints" if row["level"] == 0 else f"hidden constraints, level {row['level']}"
            names = f": {', '.join(row['equations'])}" if row["equations"] else ""
            rows.append((kind, f"{row['count']}{names}"))
        if not a.constraints and a.differentiated:
            rows.append(("hidden constraints", f"derivatives of {', '.join(a.differentiated)}"))
        if a.free:
            rows.append(("can be given", ", ".join(a.free)))
        if a.determined:
            rows.append(("determined", ", ".join(a.determined)))
        rows += [("warning", text) for text in a.warnings] + [("note", text) for text in a.notes]
        if a.start:
            rows.append(("consistent start",
                         ", ".join(f"{name} = {value:.6g}" for name, value in a.start.items())))
        body = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
                       f"<td style='text-align:left'>{html.escape(value)}</td></tr>" for key, value in rows)
        return (f"<b>{html.escape(a.model_name)}</b>: {a.n_variables} variables, {a.n_equations} equations. "
                f"{html.escape(a.message)}<table>{body}</table>")


class Lagrangian(Model):
    """A mechanical system by its energies; the equations of motion are derived.

    Examples
    --------
    >>> import daedal
    >>> p = daedal.Lagrangian("Pendulum")
    >>> x, vx = p.coordinate("x", start=1, fixed=True)
    >>> y, vy = p.coordinate("y")
    >>> p.kinetic_energy(0.5 * (vx**2 + vy**2))
    >>> p.potential_energy(9.81 * y)
    >>> p.constraint((x**2 + y**2 - 1) / 2, name="rod")
    >>> p.analyze().index
    3
    """

    def __init__(self, name: str = "model", description: str = "") -> None:
        super().__init__(name, description)
        self._draft = _core.LagrangianDraft(str(name), str(description))

    def variable(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a Lagrangian has coordinates.

        Parameters
        ----------
        *args, **kwargs
            As of `Model.variable`.
        """
        raise TypeError("A Lagrangian has coordinates: use coordinate() in place of variable().")

    def coordinate(self, name: str, start: Any = None, *, fixed: bool = False, velocity: Any = None,
                   velocity_fixed: bool = False, velocity_name: str = "", nominal: float = 1.0,
                   velocity_nominal: float = 1.0, unit: str = "") -> tuple[Any, Any]:
        """Declares a generalised coordinate.

        Parameters
        ----------
        name : str
        start, velocity : float or expression of parameters, optional
            Wishes for the start.
        fixed, velocity_fixed : bool, optional
            They must hold.
        velocity_name : str, optional
            By default ``der(name)``.
        nominal, velocity_nominal : float, optional
            Typical magnitudes.
        unit : str, optional

        Returns
        -------
        position, velocity : Expr
        """
        _require_name(name)
        self._require_new(name)
        q, v = self._writable().coordinate(name, start, fixed, velocity, velocity_fixed, velocity_name,
                                           nominal, velocity_nominal, unit)
        self._remember(name, q)
        self._remember(velocity_name or f"der({name})", v)
        return q, v

    def kinetic_energy(self, term: Any) -> None:
        """Adds to the kinetic energy.

        Parameters
        ----------
        term : Expr
            Of positions and velocities.
        """
        self._writable().kinetic_energy(term)

    def potential_energy(self, term: Any) -> None:
        """Adds to the potential energy.

        Parameters
        ----------
        term : Expr
            Of positions.
        """
        self._writable().potential_energy(term)

    def force(self, coordinate: Any, force: Any) -> None:
        """Adds a generalised force on a coordinate.

        Parameters
        ----------
        coordinate : Expr
            The position that `coordinate` returned.
        force : Expr or float
        """
        self._writable().force(coordinate, force)

    def constraint(self, *g: Any, name: str = "") -> None:
        """Adds constraints ``g == 0``, or written as equations.

        Parameters
        ----------
        *g : Equation, Expr, or lists and arrays of them
            Of positions and time.
        name : str, optional
            What messages call them.
        """
        draft = self._writable()
        items = _flat(g)
        for i, item in enumerate(items):
            lhs, rhs = _sides(item)
            full = f"{name}[{i}]" if name and len(items) > 1 else name
            draft.constraint(lhs - rhs if isinstance(item, Equation) else lhs, full)


def load(path: str | os.PathLike[str], parameters: Mapping[str, float] | None = None) -> Model:
    """The model of a file: flat Modelica (.mo), or Base Modelica as tools export it (.bmo).

    Parameters
    ----------
    path : str or path
    parameters : mapping, optional
        As for `parse`.

    Returns
    -------
    Model

    Raises
    ------
    ParseError
        With every mistake that was found, each with its position.
    FileError
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"load() takes the path of a file, not {path!r}; parse() takes model text.")
    file = os.fspath(path)
    if os.path.isdir(file):
        raise FileError(f"{file!r} is a folder, not a file with a model.", code="file-not-readable")
    return Model._of_text(*_core.parse_model(file, "", True, by_name(parameters, "parameters")))


def parse(text: str, parameters: Mapping[str, float] | None = None) -> Model:
    """The model that a model text states.

    Parameters
    ----------
    text : str
        Flat Modelica or Base Modelica.
    parameters : mapping, optional
        Values for parameters on which sizes of arrays, loops and if-equations depend; others may be given to
        `Model.solve` as well.

    Returns
    -------
    Model

    Examples
    --------
    >>> import daedal
    >>> m = daedal.parse("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")
    >>> round(m.solve((0, 1)).final("x"), 5)
    0.36788
    """
    return Model._of_text(*_core.parse_model(text_value(text, "Model text"), "model text", False,
                                             by_name(parameters, "parameters")))


def methods() -> list[dict[str, str]]:
    """The methods, each with name, summary, paper and what it needs.

    Returns
    -------
    list of dict
    """
    return _core.method_rows()


def integrators() -> list[dict[str, str]]:
    """The integrators, each with name and summary.

    Returns
    -------
    list of dict
    """
    return _core.integrator_rows()
