#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the shape of the source tree (part of `make check`).

Enforced: at most 25 files in a folder of src, no subclass of Formulation, at most 8 classes derived
from Run, every class defined in one .cpp, constants of one name once in the sources of a layer (which
builds from scratch compile as one), and the size of the product. Printed only: numbers of
files, lengths of files and functions, headers with one client, casts to a Run.
"""
import collections
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES = 25
MOST_RUN_CLASSES = 8
# Features have to earn their lines.
MOST_CODE_LINES = 68_941

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
MEMBER = re.compile(r"^(?:\w[\w:<>&*, \[\]]* [&*]?)?([A-Z]\w+)::(~?\w+|operator\S+)\(", re.M)
FRAME = re.compile(r"\s*(#include|#pragma|namespace\b|\}  // namespace|[{}();,]*$)")
DERIVED = re.compile(r"class\s+(\w+)(?:\s+final)?\s*:\s*([^{;]+)\{")
INCLUDE = re.compile(r'#include "([^"]+)"')
CONSTANT = re.compile(r"^constexpr [\w:<>]+(?: [\w:]+)*? (\w+)(?= =|\{|\[)", re.M)
RUN_CAST = re.compile(r"static_cast<(?:const )?[\w:]*Run&>")


def sources(*folders):
    for folder in folders:
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".hpp"))


def code_lines(text):
    """Lines that say something: no comments, blanks, includes, namespaces or lone brackets."""
    return sum(1 for line in COMMENT.sub("", text).splitlines() if not FRAME.match(line))


def function_lengths(text):
    """Lengths of top-level bodies: from a line that ends in { at no indentation to its }."""
    first = None
    for number, line in enumerate(text.splitlines()):
        if first is None and re.match(r"^[\w\[~].*\{$", line) and not re.match(
                r"^(namespace|class|struct|enum|extern|union)\b", line):
            first = number
        elif first is not None and line.startswith("}"):
            yield number - first + 1
            first = None


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def failures(texts):
    folders = collections.Counter(path.parent for path in texts if path.is_relative_to(ROOT / "src"))
    for folder, count in folders.items():
        if count > MOST_FILES:
            yield f"{folder.relative_to(ROOT)}: {count} files, at most {MOST_FILES}"

    runs = set()
    for path, text in texts.items():
        for name, bases in DERIVED.findall(COMMENT.sub("", text)):
            if re.search(r"\bFormulation\b", bases):
                yield f"{path.relative_to(ROOT)}: class {name} derives from Formulation"
            if re.search(r"\w*Run\b", bases) and name.endswith("Run"):
                runs.add(name)
    if len(runs) > MOST_RUN_CLASSES:
        yield f"{len(runs)} classes derive from Run, at most {MOST_RUN_CLASSES}: {', '.join(sorted(runs))}"

    homes = collections.defaultdict(set)
    for path, text in texts.items():
        if path.suffix != ".cpp" or not path.is_relative_to(ROOT / "src"):
            continue
        layer = path.relative_to(ROOT / "src").parts[0]
        for name, _ in MEMBER.findall(COMMENT.sub("", text)):
            homes[layer, name].add(path)
    for (_, name), paths in sorted(homes.items()):
        # A name may recur in folders that distinguish it; one folder has one home for a class.
        by_folder = collections.Counter(path.parent for path in paths)
        for folder, count in by_folder.items():
            if count > 1:
                files = ", ".join(sorted(p.name for p in paths if p.parent == folder))
                yield f"{folder.relative_to(ROOT)}: class {name} is defined in {files}"

    constants = collections.defaultdict(list)
    for path, text in texts.items():
        layer = path.relative_to(ROOT).parts[1]
        if path.suffix == ".cpp" and layer != "kernel":
            for name in CONSTANT.findall(text):
                constants[layer, name].append(path.name)
    for (layer, name), files in sorted(constants.items()):
        if len(files) > 1:
            yield f"{layer}: {', '.join(files)} each have a constant {name}; say in its name what it is for"

    total = sum(code_lines(text) for text in texts.values())
    if total > MOST_CODE_LINES:
        yield f"{total} lines of product code, at most {MOST_CODE_LINES}"


def print_figures(texts):
    lengths = [text.count("\n") for text in texts.values()]
    functions = [n for path, text in texts.items() if path.suffix == ".cpp" for n in function_lengths(text)]
    clients = collections.Counter()
    for text in texts.values():
        clients.update(set(INCLUDE.findall(text)))
    single = sum(1 for path in texts if path.suffix == ".hpp" and path.is_relative_to(ROOT / "src")
                 and clients[str(path.relative_to(ROOT / "src"))] <= 2)
    print(f"product code {sum(code_lines(t) for t in texts.values())} lines in {len(texts)} files; "
          f"files p50 {statistics.median(lengths):.0f}, p90 {quantile(lengths, 0.9)}; "
          f"functions p50 {quantile(functions, 0.5)}, p90 {quantile(functions, 0.9)}; "
          f"headers with one client {single}; "
          f"casts to a Run {sum(len(RUN_CAST.findall(t)) for t in texts.values())}")


def main():
    texts = {path: path.read_text() for path in sources("src", "include", "apps")}
    print_figures(texts)
    found = list(failures(texts))
    print("\n".join(found) if found else "structure: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
