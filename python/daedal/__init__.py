# SPDX-License-Identifier: BSD-3-Clause
"""Differential-algebraic equations of any index, solved as they are written.

>>> import daedal
>>> def pendulum(t, y, yp):
...     x, h, vx, vh, tension = y
...     return [yp[0] - vx, yp[1] - vh, yp[2] + tension * x, yp[3] + tension * h + 9.81,
...             x**2 + h**2 - 1]
>>> result = daedal.solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0])
>>> result.success
True
"""
from ._arrays import (arccos, arcsin, arctan, arctan2, cos, cosh, der, exp, final, floor, log, maximum,
                      minimum, no_event, pre, sign, sin, sinh, sqrt, tan, tanh, where)
from ._core import Equation, Expr
from ._core import version as __version__
from ._bvp import BvpResult, solve_bvp
from ._compare import Comparison, compare
from ._errors import (Error, FileError, Interrupted, ModelError, OptionError, ParseError, TraceError)
from ._inputs import Table
from ._model import Analysis, Lagrangian, Model, integrators, load, methods, parse, prepare
from ._problem import Problem, Simulation, SweepResult
from ._result import DenseOutput, Result
from ._solve import solve_dae
from ._sympy import from_mechanics, from_sympy

__all__ = [
    "Analysis", "BvpResult", "Comparison", "DenseOutput", "Equation", "Error", "Expr", "FileError",
    "Interrupted", "Lagrangian", "Model", "ModelError", "OptionError", "ParseError", "Problem",
    "Result", "Simulation", "SweepResult", "Table", "TraceError", "__version__", "arccos", "arcsin", "arctan",
    "arctan2", "compare", "cos", "cosh", "der", "exp", "final", "floor", "from_mechanics", "from_sympy",
    "integrators", "load", "log", "maximum", "methods", "minimum", "no_event", "parse", "pre",
    "prepare", "sign", "sin", "sinh", "solve_bvp", "solve_dae", "sqrt", "tan", "tanh", "where",
]
