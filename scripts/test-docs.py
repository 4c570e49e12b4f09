#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the documents: test-docs.py PROGRAM [PAGE...]

Blocks with file=NAME are saved, blocks ```sh are run in the order of the page, all in one empty folder a
page, with the program, the Python package and the installed library of its build folder in reach. ```sh
fails must end with an error, ```sh norun is not run and is counted. Links to other pages must lead
somewhere."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def run_page(page, environment):
    """The number of blocks run and not run, and what went wrong."""
    n_run = n_left = 0
    troubles = []
    text = page.read_text()
    for target in LINK.findall(BLOCK.sub("", text)):
        if not (page.parent / target).exists():
            troubles.append(f"the link to '{target}' leads nowhere")
    with tempfile.TemporaryDirectory() as folder:
        for language, words, body in BLOCK.findall(text):
            name = re.search(r"file=(\S+)", words)
            if name and "/" not in name[1]:  # those with a folder are files of the project
                pathlib.Path(folder, name[1]).write_text(body)
            if language != "sh":
                continue
            if "norun" in words:
                n_left += 1
                continue
            n_run += 1
            run = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, env=environment,
                                 capture_output=True, text=True)
            if (run.returncode != 0) != ("fails" in words):
                troubles.append(f"exit code {run.returncode} of\n{body}{run.stdout}{run.stderr}")
    return n_run, n_left, troubles


def surroundings(program):
    """What a user has who installed everything: the build folder is that of the program."""
    build = program.parent.parent
    prefix = build / "docs-test/prefix"
    if (build / "cmake_install.cmake").exists():
        subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], check=True,
                       stdout=subprocess.DEVNULL)
    libraries = ":".join(str(library.parent) for library in prefix.rglob("libdaedal.so"))
    # Debian's interpreter has Debian's numpy, whatever else is in the path.
    return dict(os.environ, PATH=f"{program.parent}:/usr/bin:{os.environ['PATH']}",
                PYTHONPATH=str(build / "python"), PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg",
                CMAKE_PREFIX_PATH=str(prefix), LD_LIBRARY_PATH=libraries,
                PKG_CONFIG_PATH=f"{libraries}/pkgconfig")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    environment = surroundings(program)
    pages = [pathlib.Path(p) for p in sys.argv[2:]] or sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md"]
    failed = False
    total = total_left = 0
    for page in pages:
        n_run, n_left, troubles = run_page(page, environment)
        total += n_run
        total_left += n_left
        for trouble in troubles:
            failed = True
            print(f"{page}: {trouble}")
    print(f"{len(pages)} pages, {total} commands run, {total_left} marked as not to be run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
