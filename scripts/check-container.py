#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the container recipe without building it: the tasks, targets, packages and files that it names are those of
scripts/install-deps.sh, the Makefile, the build and the repository, and nothing that it needs is left out of its
context."""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def troubles():
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    commands = [part.strip() for line in lines if line.startswith("RUN ") for part in line[4:].split("&&")]
    system = next(line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("On Debian "))
    version = re.search(r"Debian (\d+)", system)[1]
    for image in re.findall(r"^FROM (\S+)", text, re.M):
        if image != f"debian:{version}":
            yield f"FROM {image}: the project is for debian:{version}"

    tasks = [command.split() for command in commands if command.startswith("scripts/")]
    for script, *arguments in tasks:
        case = re.search(rf"^  {re.escape(arguments[0])}\) ", (ROOT / script).read_text(), re.M)
        if not case:
            yield f"{script} has no task '{arguments[0]}'"
    targets = [word for command in commands if command.startswith("make ") for word in command.split()[1:]]
    for target in targets:
        if run("make", "-n", "-o", "deps-" + target, target).returncode != 0:
            yield f"the Makefile has no target '{target}'"
        # What a target installs by itself must be in the layer before it.
        if ["scripts/install-deps.sh", target] not in tasks:
            yield f"'make {target}' would install what no layer has: scripts/install-deps.sh {target}"

    needed = re.search(r"^build=\((.*?)^\)", (ROOT / "scripts/install-deps.sh").read_text(), re.M | re.S)[1]
    for command in commands:
        if "apt-get install" not in command:
            continue
        for name in command.split("--no-install-recommends")[1].split():
            if not name.startswith("/") and name not in needed.split():
                yield f"apt-get install {name}: it is not among the packages of the build"

    ignored = (ROOT / ".dockerignore").read_text().split()
    tracked = run("git", "ls-files").stdout.splitlines()
    for path in tracked:
        parts = [path, *map(str, pathlib.PurePath(path).parents)]
        if any(fnmatch.fnmatch(part, pattern) for part in parts for pattern in ignored):
            yield f".dockerignore leaves out {path}, which is part of the project"
    for source in re.findall(r"^COPY (?!--from)(\S+) ", text, re.M):
        if source != "." and source not in tracked:
            yield f"COPY {source}: there is no such file"
    built = re.search(r"^COPY --from=build (\S+)/(\S+) ", text, re.M)
    folder = pathlib.PurePath(built[1]).name
    if f"folder = {folder}\n" not in (ROOT / "debian/rules").read_text():
        yield f"COPY --from=build {built[1]}: the packages lie elsewhere"


def main():
    found = list(troubles())
    for trouble in found:
        print(f"Dockerfile: {trouble}")
    print(f"container: {'%d troubles' % len(found) if found else 'its tasks, targets, packages and files are there'}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
