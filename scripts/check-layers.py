#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the direction of includes between layers (the table of ARCHITECTURE.md), and that Eigen's
decompositions are instantiated in src/linalg only and public headers need nothing but the standard
library."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each layer may include, beside itself.
BASE = {"core"}
ALLOWED = {
    "core": set(),
    "expr": BASE,
    "system": BASE,
    "kernel": BASE | {"expr"},
    "linalg": BASE | {"structure"},
    "model": BASE | {"expr", "kernel", "linalg", "system"},
    "modelica": BASE | {"expr", "kernel", "model"},
    "structure": BASE,
    "analysis": BASE | {"expr", "kernel", "linalg", "system", "model", "structure"},
    "formulation": BASE | {"expr", "kernel", "linalg", "system", "model", "structure", "analysis"},
    "integrate": BASE | {"linalg", "system"},
    "bvp": BASE | {"expr", "kernel", "linalg", "system", "model", "formulation", "integrate"},
    "solve": BASE | {"expr", "kernel", "linalg", "system", "model", "modelica", "structure",
                     "analysis", "formulation", "integrate", "bvp"},
}
# Public headers and the layer each belongs to. Solutions are plain data that every layer may fill.
PUBLIC = {
    "error.hpp": "core", "status.hpp": "core", "export.hpp": "core", "version.hpp": "core",
    "stop_signal.hpp": "core", "run_control.hpp": "core", "solution.hpp": "core",
    "observer.hpp": "core",
    "selection.hpp": "core", "methods.hpp": "core", "sparsity.hpp": "core",
    "nearest_name.hpp": "core", "elementary.hpp": "expr", "system.hpp": "system", "expr.hpp": "expr",
    "native.hpp": "kernel", "function.hpp": "expr", "table.hpp": "expr",
    "model.hpp": "model", "options.hpp": "model", "output_grid.hpp": "model", "lagrangian.hpp": "model",
    "modelica.hpp": "modelica", "solve.hpp": "solve", "problem.hpp": "solve",
    "compare.hpp": "solve", "inputs.hpp": "solve", "ensemble.hpp": "solve", "rows.hpp": "solve", "residual.hpp": "model", "analyze.hpp": "solve", "integrate.hpp": "solve", "bvp.hpp": "bvp",
}
# What the program may include beside public headers and its own.
PROGRAM = {"study.hpp"}
OUTSIDE = re.compile(r'#include <(?!daedal/)([\w/]+\.(?:h|hpp)|Eigen/.*)>')
DECOMPOSITION = re.compile(r'#include <Eigen/(?!Core)')
INCLUDE = re.compile(r'#include [<"]([^>"]+)[>"]')


def target_layer(path):
    if path.startswith("daedal/"):
        return PUBLIC.get(path.removeprefix("daedal/"), "?")
    first = path.split("/")[0]
    return first if first in ALLOWED and "/" in path else None


def wrong_includes(file, layer):
    for number, line in enumerate(file.read_text().splitlines(), 1):
        where = f"{file.relative_to(ROOT)}:{number}"
        if layer != "linalg" and DECOMPOSITION.match(line):
            yield f"{where}: Eigen beyond Core belongs to src/linalg"
        match = INCLUDE.match(line)
        used = match and target_layer(match.group(1))
        if used == "?":
            yield f"{where}: {match.group(1)} is not in the table of public headers"
        elif used and used != layer and used not in ALLOWED[layer]:
            yield f"{where}: {layer} must not use {used}"


def violations():
    for layer in ALLOWED:
        for source in sorted((ROOT / "src" / layer).rglob("*.?pp")):
            yield from wrong_includes(source, layer)
    for source in sorted((ROOT / "apps").rglob("*.?pp")):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = re.match(r'#include "([^"]+)"', line)
            if match and match.group(1) not in PROGRAM and not any(
                    (folder / match.group(1)).exists() for folder in (ROOT / "apps/daedal", source.parent)):
                yield f"{source.relative_to(ROOT)}:{number}: the program uses public headers only"
    for header in sorted((ROOT / "include/daedal").glob("*.hpp")):
        if header.name not in PUBLIC:
            yield f"{header.relative_to(ROOT)}: is not in the table of public headers"
            continue
        yield from wrong_includes(header, PUBLIC[header.name])
        for number, line in enumerate(header.read_text().splitlines(), 1):
            if OUTSIDE.match(line):
                yield (f"{header.relative_to(ROOT)}:{number}: "
                       "public headers use only the standard library")


found = list(violations())
print("\n".join(found) if found else "layers: clean")
sys.exit(1 if found else 0)
