# SPDX-License-Identifier: BSD-3-Clause
"""The stubs of the extension module say what is in it; that they fit the package is mypy's to say."""
import ast
import importlib.resources
import inspect

import daedal
from daedal import _core


def _stub():
    return ast.parse(importlib.resources.files("daedal").joinpath("_core.pyi").read_text())


def _names(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def test_the_package_is_marked_as_typed():
    assert importlib.resources.files("daedal").joinpath("py.typed").is_file()


def test_the_stubs_name_everything_and_nothing_else():
    assert set(_names(_stub().body)) == {name for name in vars(_core) if not name.startswith("__")}


def test_the_stubs_name_the_members_of_every_class():
    for node in _stub().body:
        if not isinstance(node, ast.ClassDef) or node.name == "Expr":  # symbols get more from numpy's names
            continue
        own = {name for name in vars(getattr(_core, node.name)) if not name.startswith("_")}
        assert {name for name in _names(node.body) if not name.startswith("_")} >= own - {"report"}, node.name


def test_everything_public_has_a_docstring():
    for name in daedal.__all__:
        item = getattr(daedal, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(item), name
        if inspect.isclass(item) and item.__module__.startswith("daedal._") and item.__module__ != "daedal._core":
            for member, value in vars(item).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_docstrings_of_calls_name_their_parameters():
    for name in daedal.__all__:
        item = getattr(daedal, name)
        calls = [(name, item)] if inspect.isfunction(item) else [
            (f"{name}.{member}", value) for member, value in vars(item).items()
            if inspect.isfunction(value) and not member.startswith("_")] if (
                inspect.isclass(item) and item is not daedal.Expr) else []
        for full, call in calls:
            doc = inspect.getdoc(call)
            parameters = [p for p in inspect.signature(call).parameters if p != "self"]
            if parameters and not doc.startswith("See `"):
                assert "Parameters\n----------" in doc, full
                for parameter in parameters:
                    assert parameter in doc.partition("Parameters\n----------")[2], f"{full}: {parameter}"
