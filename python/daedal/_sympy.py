# SPDX-License-Identifier: BSD-3-Clause
"""Models from sympy: equations with functions of time, and the objects of sympy.physics.mechanics."""
from __future__ import annotations

import operator
from typing import Any, Callable, Iterable, Mapping

import numpy as np

from ._arrays import ERROR_FUNCTIONS, maximum, minimum, where
from ._model import Model
from ._problem import real_number


def from_sympy(equations: Any, t: Any, *, start: Mapping[Any, Any] | None = None,
               parameters: Mapping[Any, float] | None = None, fixed: Any = (),
               name: str = "model") -> Model:
    """A model from sympy equations with functions of time.

    Parameters
    ----------
    equations : sequence or Matrix of sympy expressions and Eq
        An expression alone is set to zero.
    t : Symbol
        Time. Every undefined function ``f(t)`` is an unknown. Where derivatives of second or higher
        order occur, the lower ones are unknowns too, with names such as ``der(x)``.
    start : mapping, optional
        Start values of unknowns and their derivatives, by ``x(t)``, ``x(t).diff(t)`` or name.
    parameters : mapping, optional
        Values of the other symbols, by symbol or name. Those without a value must be given when the
        model is solved.
    fixed : True or sequence, optional
        Which start values must hold: all of `start`, or these keys of it.
    name : str, optional

    Returns
    -------
    Model

    Examples
    --------
    >>> import daedal, sympy
    >>> t, g = sympy.symbols("t g")
    >>> x, y, tension = (sympy.Function(name)(t) for name in ("x", "y", "tension"))
    >>> m = daedal.from_sympy([x.diff(t, 2) + tension * x, y.diff(t, 2) + tension * y + g,
    ...                        sympy.Eq(x**2 + y**2, 1)], t, start={x: 1}, parameters={g: 9.81})
    >>> m.analyze().index
    3
    """
    return _Translator(t, name).model_of(equations, start or {}, parameters or {}, fixed)


def from_mechanics(method: Any, *, start: Mapping[Any, Any] | None = None,
                   parameters: Mapping[Any, float] | None = None, fixed: Any = (),
                   substitute: Mapping[Any, Any] | None = None, name: str | None = None) -> Model:
    """A model from LagrangesMethod or KanesMethod of sympy.physics.mechanics.

    The equations are taken as they stand, with their constraints: nothing is solved for
    accelerations, and the start values of dependent coordinates and speeds may be rough.

    Parameters
    ----------
    method : LagrangesMethod or KanesMethod
        Of a KanesMethod `kanes_equations` must have been called. Multipliers of a LagrangesMethod are
        unknowns ``lam1``, ``lam2``, ...
    start, parameters, fixed
        As for `from_sympy`.
    substitute : mapping, optional
        Expressions for functions of time that are neither coordinates nor speeds: forces, prescribed
        motions.
    name : str, optional

    Returns
    -------
    Model
    """
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod, dynamicsymbols

    if isinstance(method, LagrangesMethod):
        equations, unknowns = _lagrange_equations(method)
    elif isinstance(method, KanesMethod):
        equations, unknowns = _kane_equations(method)
    else:
        raise TypeError("from_mechanics takes a LagrangesMethod or a KanesMethod, not "
                        f"{type(method).__name__}.")
    t = dynamicsymbols._t
    if substitute:
        equations = [equation.subs(dict(substitute)).doit() for equation in equations]
    translator = _Translator(t, name or type(method).__name__)
    others = sorted(str(f) for f in translator.functions(equations) if f not in unknowns)
    if others:
        raise ValueError(f"{', '.join(others)} {'is' if len(others) == 1 else 'are'} neither coordinates nor "
                         "speeds: say what they are by substitute={...}.")
    return translator.model_of(equations, start or {}, parameters or {}, fixed)


def _lagrange_equations(method: Any) -> tuple[list[Any], set[Any]]:
    if not hasattr(method, "eom") or method.eom is None:
        method.form_lagranges_equations()
    constraints = list(method._hol_coneqs) if method._hol_coneqs else []
    n_holonomic = len(constraints)
    rates = list(method.coneqs) if method.coneqs else []
    unknowns = set(method.q)
    if rates:
        unknowns |= set(method.lam_vec)
    # The rates of the holonomic constraints come first; the others are nonholonomic.
    return list(method.eom) + constraints + rates[n_holonomic:], unknowns


def _kane_equations(method: Any) -> tuple[list[Any], set[Any]]:
    from sympy.physics.mechanics import dynamicsymbols

    if getattr(method, "_fr", None) is None or getattr(method, "_frstar", None) is None:
        raise ValueError("Call kanes_equations(bodies, loads) first: the equations of motion are not formed.")
    t = dynamicsymbols._t
    coordinates, speeds = list(method.q), list(method.u)
    kinematics = method.kindiffdict()
    dependent = set(method._qdep)
    # The rate of a dependent coordinate follows from the configuration constraints: with their
    # kinematic equations, and the velocity constraints, there would be more equations than unknowns.
    equations = [q.diff(t) - kinematics[q.diff(t)] for q in coordinates if q not in dependent]
    equations += list(method._fr + method._frstar)
    equations += list(method._f_h) if method._f_h else []
    if method._k_nh:
        equations += list(method._k_nh * method.u + method._f_nh)
    rates = {rate: value for rate, value in kinematics.items()}
    return [equation if i < len(coordinates) - len(dependent) else equation.subs(rates)
            for i, equation in enumerate(equations)], set(coordinates) | set(speeds)


def _key_name(key: Any) -> str:
    """The name of a start value or parameter in the model."""
    if isinstance(key, str):
        return key
    if getattr(key, "is_Derivative", False):
        name = key.expr.func.__name__
        order = int(sum(count for _, count in key.variable_count))
        return _derivative_name(name, order)
    if getattr(key, "is_Function", False):
        return str(key.func.__name__)
    return str(key)


def _derivative_name(name: str, order: int) -> str:
    return name if order == 0 else f"der({name})" if order == 1 else f"der({name},{order})"


def _listed(equations: Any) -> list[Any]:
    import sympy

    if isinstance(equations, (Mapping, str)) or not isinstance(equations, sympy.Basic) and not np.iterable(equations):
        raise TypeError(f"Equations are a sequence of sympy expressions and Eq, not {type(equations).__name__}.")
    is_one = isinstance(equations, sympy.Basic) and not isinstance(equations, (sympy.MatrixBase, sympy.Tuple))
    return [equations] if is_one else list(equations)


def _sides(equation: Any) -> list[tuple[Any, Any]]:
    """Both sides of an equation; of one between matrices, those of every entry."""
    import sympy

    if isinstance(equation, str):
        raise TypeError(f"An equation is a sympy expression or Eq, not the text {equation!r}.")
    if isinstance(equation, (bool, sympy.logic.boolalg.BooleanAtom)):
        raise ValueError("An equation came out as true or false: sympy evaluated it; use "
                         "Eq(lhs, rhs, evaluate=False) or an expression that is set to zero.")
    if isinstance(equation, sympy.Equality):
        lhs, rhs = equation.lhs.doit(), equation.rhs.doit()
        if isinstance(lhs, sympy.MatrixBase) and isinstance(rhs, sympy.MatrixBase):
            return list(zip(lhs, rhs))
        return [(lhs, rhs)]
    made = sympy.sympify(equation)
    if isinstance(made, sympy.core.relational.Relational):
        raise ValueError(f"{made} is a relation, not an equation.")
    return [(made.doit(), sympy.Integer(0))]


class _Translator:
    """Sympy's expressions to ours."""

    def __init__(self, t: Any, name: str) -> None:
        self.t = t
        self.model = Model(name)
        self.done: dict[Any, Any] = {}

    def functions(self, equations: Iterable[Any]) -> list[Any]:
        from sympy.core.function import AppliedUndef

        found: dict[Any, None] = {}
        for equation in equations:
            for function in sorted(equation.atoms(AppliedUndef), key=str):
                if function.args != (self.t,):
                    raise ValueError(f"{function} is not a function of {self.t} alone.")
                found[function] = None
        return list(found)

    def model_of(self, equations: Any, start: Mapping[Any, Any], parameters: Mapping[Any, float],
                 fixed: Any) -> Model:
        import sympy

        sides = [side for equation in _listed(equations) for side in _sides(equation)]
        if not sides:
            raise ValueError("There are no equations.")
        flat = [side for pair in sides for side in pair]
        starts = {_key_name(key): value for key, value in start.items()}
        wishes = set(starts) if fixed is True else {_key_name(key) for key in fixed}
        self._declare(flat, starts, wishes, {_key_name(key): value for key, value in parameters.items()})
        for lhs, rhs in sides:
            self.model.add(self.translate(lhs) == self.translate(rhs) if lhs.free_symbols or lhs.atoms(
                sympy.Function) else self.translate(rhs) == self.translate(lhs))
        return self.model

    def _declare(self, expressions: list[Any], starts: dict[str, Any], wishes: set[str],
                 parameters: dict[str, Any]) -> None:
        import sympy

        orders: dict[Any, int] = {function: 0 for function in self.functions(expressions)}
        symbols: dict[Any, None] = {}
        for expression in expressions:
            for derivative in expression.atoms(sympy.Derivative):
                if derivative.expr not in orders or {v for v, _ in derivative.variable_count} != {self.t}:
                    raise ValueError(f"{derivative} is not a derivative of a function of {self.t} by {self.t}.")
                orders[derivative.expr] = max(orders[derivative.expr], int(derivative.derivative_count))
            for symbol in sorted(expression.free_symbols, key=str):
                if symbol != self.t:
                    symbols[symbol] = None
                    if str(symbol) == str(self.t):
                        raise ValueError(f"The equations have a symbol {symbol} that is not the time {self.t}: "
                                         "its assumptions differ.")
        for symbol in symbols:
            value = parameters.pop(str(symbol), None)
            self.done[symbol] = self.model.parameter(
                str(symbol), None if value is None else real_number(value, str(symbol)))
        if parameters:
            raise ValueError(f"The equations have no symbol {', '.join(parameters)}.")
        self.done[self.t] = self.model.t
        known = set()
        for function, order in orders.items():
            base = function.func.__name__
            previous: Any = None
            for k in range(max(order, 1)):
                name = _derivative_name(base, k)
                known.add(name)
                value = starts.get(name)
                variable = self.model.variable(name, None if value is None else real_number(value, name),
                                               fixed=name in wishes)
                expression = function if k == 0 else sympy.Derivative(function, (self.t, k))
                self.done[expression] = variable
                if k > 0:
                    self.model.add(previous.der() == variable)
                previous = variable
            if order > 0:
                self.done[sympy.Derivative(function, (self.t, order))] = previous.der()
            elif _derivative_name(base, 1) in starts:
                self.done[sympy.Derivative(function, self.t)] = previous.der()
            rate = _derivative_name(base, max(order, 1))
            if rate in starts:
                known.add(rate)
                self.model.initial(previous.der() == real_number(starts[rate], str(rate)))
        unknown = (set(starts) | wishes) - known
        if unknown:
            raise ValueError(f"There is no unknown {', '.join(sorted(unknown))}; the unknowns are "
                             f"{', '.join(self.model.variables)}.")

    def translate(self, root: Any) -> Any:
        """The expression of a sympy expression, without recursion: those of mechanics are deep."""
        import sympy

        stack = [root]
        while stack:
            node = stack[-1]
            if node in self.done:
                stack.pop()
                continue
            if isinstance(node, sympy.Derivative):
                raise ValueError(f"{node} is not a derivative of an unknown by {self.t}.")
            if isinstance(node, sympy.Integral):
                raise ValueError(f"{node} has no counterpart in a model: an unknown of its own, with the "
                                 "integrand as its derivative, says the same.")
            if node in (sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
                raise ValueError(f"{node} stands in an equation; all numbers of a model are finite.")
            if node is sympy.I:
                raise ValueError("I stands in an equation; all values of a model are real.")
            missing = [arg for arg in _arguments(node) if arg not in self.done]
            if missing:
                stack.extend(missing)
                continue
            self.done[node] = _combine(node, [self.done[arg] for arg in _arguments(node)])
            stack.pop()
        return self.done[root]


def _arguments(node: Any) -> list[Any]:
    if getattr(node, "is_Piecewise", False):
        return [part for pair in node.args for part in pair.args]
    return list(node.args)


def _functions() -> dict[str, Callable[..., Any]]:
    unary = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
             "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh",
             "atanh": "arctanh", "exp": "exp", "log": "log", "Abs": "absolute", "sign": "sign",
             "floor": "floor", "ceiling": "ceil"}
    table: dict[str, Callable[..., Any]] = {
        name: (lambda x, f=getattr(np, own): f(x)) for name, own in unary.items()}
    table.update({
        "cot": lambda x: 1.0 / np.tan(x), "sec": lambda x: 1.0 / np.cos(x), "csc": lambda x: 1.0 / np.sin(x),
        "sech": lambda x: 1.0 / np.cosh(x), "csch": lambda x: 1.0 / np.sinh(x), "coth": lambda x: 1.0 / np.tanh(x),
        "acot": lambda x: np.arctan(1.0 / x), "asec": lambda x: np.arccos(1.0 / x),
        "acsc": lambda x: np.arcsin(1.0 / x), "acoth": lambda x: np.arctanh(1.0 / x),
        "asech": lambda x: np.arccosh(1.0 / x), "acsch": lambda x: np.arcsinh(1.0 / x),
        "sinc": lambda x: np.sinc(x / np.pi), "Mod": lambda x, y: x % y, "frac": lambda x: x % 1.0,
        "atan2": lambda y, x: np.arctan2(y, x),
        "Heaviside": lambda x, half=0.5: where(x > 0.0, 1.0, where(x < 0.0, 0.0, half)),
        "erf": ERROR_FUNCTIONS["erf"], "erfc": ERROR_FUNCTIONS["erfc"],
        "re": lambda x: x, "conjugate": lambda x: x})
    return table


_FUNCTIONS = _functions()


def _combine(node: Any, args: list[Any]) -> Any:
    import sympy

    if node.is_Number or node.is_NumberSymbol:
        return float(node)
    if node is sympy.true or node is sympy.false:
        return bool(node)
    if node.is_Add:
        return _folded(args, lambda a, b: a + b)
    if node.is_Mul:
        return _folded(args, lambda a, b: a * b)
    if node.is_Pow:
        return _power(args[0], args[1])
    kind = type(node).__name__
    if kind in ("Max", "Min"):
        return _folded(args, maximum if kind == "Max" else minimum)
    if kind in ("And", "Or"):
        return _folded(args, (lambda a, b: a & b) if kind == "And" else (lambda a, b: a | b))
    if kind == "Not":
        return ~args[0]
    if isinstance(node, sympy.core.relational.Relational) and len(args) == 2:
        relation = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}.get(node.rel_op)
        if relation is not None:
            return relation(args[0], args[1])
    if node.is_Piecewise:
        value, condition = args[-2], args[-1]
        if condition is not True:
            raise ValueError(f"{node} has no value where none of its conditions holds.")
        for i in range(len(args) - 4, -1, -2):
            value = where(args[i + 1], args[i], value)
        return value
    if kind in _FUNCTIONS:
        return _FUNCTIONS[kind](*args)
    raise ValueError(f"{node} has no counterpart in a model: {kind} is not among the functions of sympy that "
                     "are taken.")


def _folded(args: list[Any], operation: Callable[[Any, Any], Any]) -> Any:
    value = args[0]
    for arg in args[1:]:
        value = operation(value, arg)
    return value


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, float):
        if exponent == 0.5:
            return np.sqrt(base)
        if exponent == -0.5:
            return 1.0 / np.sqrt(base)
        if exponent == -1.0:
            return 1.0 / base
    return base ** exponent


