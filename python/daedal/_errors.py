# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions of the package, with the fields of their C++ counterparts."""
from __future__ import annotations

import linecache
import os
import sys
import threading
import traceback
from typing import Any, NoReturn

_PACKAGE = os.path.dirname(os.path.abspath(__file__))

#: Whether this thread calls a function with symbols: ``tracing.active``.
tracing = threading.local()


class Error(Exception):
    """The base of every exception of this package.

    Attributes
    ----------
    code : str
        What is wrong in one word, such as ``"unknown-name"``.
    where : tuple or None
        File, line and column that the message is about, where they are known.
    equations, variables : list of str
        The names that the message is about.
    """

    def __init__(self, message: str, *, code: str = "", where: Any = None,
                 equations: Any = (), variables: Any = ()) -> None:
        super().__init__(message)
        self.code = code
        self.where = where
        self.equations = list(equations)
        self.variables = list(variables)


class ModelError(Error, ValueError):
    """The model is wrong: unbalanced, contradictory, singular."""


class OptionError(Error, ValueError):
    """An option, the name of a method or a combination of them is wrong."""


class ParseError(Error, ValueError):
    """The model text is wrong.

    Attributes
    ----------
    diagnostics : list of (where, message)
        Every mistake that the parser found.
    """

    diagnostics: list[Any] = []


class FileError(Error, OSError):
    """A file cannot be read or written."""

    __str__ = Exception.__str__


class TraceError(Error, TypeError):
    """A function cannot be turned into a model, or does not agree with the model it became."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run.

    Attributes
    ----------
    result
        What was computed before; in an interactive session ``sys.last_value.result``.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


def _is_foreign(file: str) -> bool:
    path = os.path.abspath(file)
    return (path.startswith(_PACKAGE) or file.startswith("<__array_function__") or file.endswith((".pyx", ".pxd"))
            or any(f"{os.sep}{name}{os.sep}" in path for name in ("numpy", "scipy", "pandas")))


def _place(frames: Any) -> tuple[str, int, str]:
    """File, line number and text of the first of these frames that is neither ours nor numpy's."""
    for frame, line in frames:
        file = frame.f_code.co_filename
        if not _is_foreign(file):
            return file, line, linecache.getline(file, line).strip()
    return "", 0, ""


def user_place() -> tuple[str, int, str]:
    """File, line number and text of the innermost line of the user's that is being executed."""
    return _place(traceback.walk_stack(sys._getframe(1)))


_NUMERIC = (" Or pass trace=False to have the function called with numbers in every step (index 0 and 1 "
            "only).")
_REASONS = {
    "branch": ("branches on the value of",
               "Write daedal.where(condition, a, b) for if/else, np.maximum and np.minimum for max "
               "and min."),
    "==": ("asks whether an equation holds, which starts with",
           "Write daedal.where(condition, a, b) with < or > in place of a branch on equality."),
    "!=": ("compares by != the value of",
           "Write daedal.where(condition, a, b) with < or > for a branch."),
    "float": ("needs as a number the value of",
              "Leave out float() and the like, use functions of numpy or daedal, and store symbols in "
              "arrays that can hold them{}."),
    "int": ("needs as a whole number the value of",
            "np.floor(x) has a symbolic meaning, and arrays of whole numbers hold no symbols: make them of floats."),
    "index": ("uses as an index the value of",
              "Which element is meant must not depend on values: daedal.where chooses."),
    "complex": ("needs as a complex number the value of", "All values of a model are real."),
}


def _is_tracing() -> bool:
    return bool(getattr(tracing, "active", False))


def _placed(sentence: str, remedy: str, place: tuple[str, int, str]) -> tuple[str, tuple[str, int, int]]:
    file, line, text = place
    quoted = f"\n    {text}" if text else ""
    at = f" at {os.path.basename(file)}, line {line}:{quoted}\n" if line else ". "
    return f"{sentence}{at}{remedy}", (file, line, 0)


def refuse(sentence: str, remedy: str) -> NoReturn:
    """Raises a TraceError that names the line of the user's code."""
    message, where = _placed(sentence, remedy + (_NUMERIC if _is_tracing() else ""), user_place())
    raise TraceError(message, code="not-traceable", where=where)


def refuse_in_symbols(name: str, error: Exception) -> NoReturn:
    """Raises a TraceError about a function that works with numbers, and not with symbols."""
    frames = list(traceback.walk_tb(error.__traceback__))
    message, where = _placed(
        f"{name} works with numbers, but cannot be called with symbols to turn it into a model "
        f"({type(error).__name__}: {error})",
        "Use the functions of numpy that docs/python.md lists, and daedal.where in place of places that depend on "
        "values." + _NUMERIC, _place(reversed(frames)))
    raise TraceError(message, code="not-traceable", where=where) from error


def refuse_value(what: str, expression: Any) -> NoReturn:
    """Called where Python asks a symbol for its value."""
    does, remedy = _REASONS[what]
    holders = (": those that np.zeros, np.empty or np.array make inside the function, np.array(a) in place "
               "of a.copy()" if _is_tracing() else ": np.array([...], dtype=object)")
    text = repr(expression)
    if len(text) > 60:
        text = text[:57] + "..."
    refuse(f"The code {does} {text}, a symbol that has no value while a model is written,",
           remedy.format(holders))


def refuse_number(number: float) -> NoReturn:
    """Called where an expression shall take a number that is not finite."""
    message, where = _placed(f"An expression takes the number {number}", "All numbers of a model are finite.",
                             user_place())
    raise ModelError(message, code="not-finite", where=where)
