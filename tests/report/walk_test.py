#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A newcomer's walk: a clean clone, `make demo` in it, and the first chapter of the guide typed in as it stands. The
reports are opened in a browser, and a mistake at each step is answered by a message that leads on.

walk_test.py [PROGRAM]: with a program that is there, the chapter alone."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIVEN = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)

# What was typed, and what the answer says.
MISTAKES = (
    ("daedal", "To begin: 'daedal new pendulum'"),
    ("daedal analyse pendulum.mo", "Did you mean 'analyze'?"),
    ("daedal analyze pendulm.mo", "Did you mean 'pendulum.mo'?"),
    ("sed 's/-lambda\\*x/-lamda*x/' pendulum.mo | daedal analyze -", "Did you mean 'lambda'?"),
    ("grep -v '\"rod\"' pendulum.mo | daedal analyze -", "nothing determines 'lambda'"),
    ("sed 's/der(y) = vy;/der(y) = vy/' pendulum.mo | daedal simulate -", "Expected ';' after the equation"),
    ("daedal simulate pendulum.mo -p l=2", "Did you mean 'L'?"),
    ("daedal simulate pendulum.mo -p L=two", "'two' in 'L=two' is not a number"),
    ("daedal simulate pendulum.mo --start x=3", "'rod' (line 14)"),
    ("daedal simulate pendulum.mo --method gg", "Did you mean 'ggl'?"),
    ("daedal simulate pendulum.mo --rtoll 1e-6", "Did you mean '--rtol'?"),
    ("daedal simulate pendulum.mo -o pendulum.xls", ".csv, .json or .mat"),
    ("daedal simulate pendulum.mo --report pendulum.pdf", "should end in .html"),
    ("daedal compare pendulum.mo", "--methods is required"),
    ("daedal compare pendulum.mo --methods auto,baumgart", "Did you mean 'baumgarte'?"),
)


# The same for those who have just cloned the project: on a machine without any package, as a user who is not root.
BARE = {"dpkg-query": "exit 1", "id": "echo 1000", "sudo": "exit 1"}
FIRST_MISTAKES = (
    ("make dmeo", "To begin: make demo"),
    ("scripts/install-deps.sh biuld", "is not one of build, test"),
    ("PATH=$PWD/bare:$PATH make demo", "scripts/install-deps.sh build --local"),
    ("PATH=$PWD/bare:$PATH DAEDAL_NO_INSTALL=1 make demo", "Daedal needs these Debian packages to build: g++ cmake"),
)


def said(run):
    return run.stdout + run.stderr


class Walk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.clone = None
        cls.program = GIVEN
        if GIVEN is not None:
            return
        cls.clone = tempfile.TemporaryDirectory()
        place = pathlib.Path(cls.clone.name) / "daedal"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place)], check=True)
        (place / "bare").mkdir()
        for name, text in BARE.items():
            (place / "bare" / name).write_text(f"#!/bin/sh\n{text}\n")
            (place / "bare" / name).chmod(0o755)
        cls.mistakes = [subprocess.run(text, shell=True, cwd=place, capture_output=True, text=True, check=False,
                                       stdin=subprocess.DEVNULL) for text, _ in FIRST_MISTAKES]
        cls.demo = subprocess.run(["make", "demo"], cwd=place, capture_output=True, text=True, check=False)
        cls.program = place / "build/bin/daedal"

    @classmethod
    def tearDownClass(cls):
        if cls.clone is not None:
            cls.clone.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.environment = dict(os.environ, PATH=f"{self.program.parent}:{os.environ['PATH']}")
        self.blocks = BLOCK.findall((ROOT / "docs/getting-started.md").read_text())
        for _, words, body in self.blocks:
            if name := re.search(r"file=(\S+)", words):
                pathlib.Path(self.folder.name, name[1]).write_text(body)

    def tearDown(self):
        self.folder.cleanup()

    def type(self, text):
        return subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=self.folder.name, env=self.environment,
                              capture_output=True, text=True, check=False)

    def look_at(self, reports):
        with Browser() as browser:
            for report in reports:
                browser.open(report)
                self.assertEqual(browser.problems(), [], report)
                self.assertGreater(browser.evaluate("document.querySelectorAll('canvas').length"), 0, report)
            self.assertTrue(browser.evaluate("document.querySelector('#animation button') !== null"))

    @unittest.skipIf(GIVEN is not None, "the chapter alone")
    def test_a_clean_clone_shows_its_demo(self):
        self.assertEqual(self.demo.returncode, 0, said(self.demo))
        for command in ("analyze", "simulate", "compare"):
            self.assertIn(f"$ build/bin/daedal {command} examples/linkage.mo", self.demo.stdout)
        reports = re.findall(r":\s+(/\S+\.html)", self.demo.stdout)
        self.assertEqual(len(reports), 2, self.demo.stdout)
        self.look_at(reversed(reports))

    @unittest.skipIf(GIVEN is not None, "the chapter alone")
    def test_mistakes_before_the_program_is_there_are_answered(self):
        for (text, phrase), answer in zip(FIRST_MISTAKES, self.mistakes):
            with self.subTest(text):
                self.assertNotEqual(answer.returncode, 0)
                self.assertIn(phrase, said(answer))

    def test_the_reports_of_the_first_chapter_open(self):
        for language, words, body in self.blocks:
            if language == "sh" and "norun" not in words:
                self.assertEqual(self.type(body).returncode != 0, "fails" in words, body)
        reports = sorted(pathlib.Path(self.folder.name).glob("*.html"))
        self.assertEqual([report.name for report in reports], ["crank.html", "methods.html", "pendulum.html"])
        self.look_at(reports)

    def test_mistakes_are_answered(self):
        for text, phrase in MISTAKES:
            with self.subTest(text):
                answer = self.type(text)
                self.assertNotEqual(answer.returncode, 0)
                self.assertIn(phrase, said(answer))


if __name__ == "__main__":
    unittest.main(verbosity=2)
