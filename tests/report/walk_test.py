#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A newcomer's walk through the first chapter of the guide, typed in as it stands; its reports are opened in a
browser, and a mistake at each step is answered by a message that leads on.

walk_test.py PROGRAM"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ROOT / "build/bin/daedal").resolve()
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


class Walk(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        self.blocks = BLOCK.findall((ROOT / "docs/getting-started.md").read_text())
        for _, words, body in self.blocks:
            if name := re.search(r"file=(\S+)", words):
                pathlib.Path(self.folder.name, name[1]).write_text(body)

    def tearDown(self):
        self.folder.cleanup()

    def type(self, text):
        return subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=self.folder.name, env=self.environment,
                              capture_output=True, text=True, check=False)

    def test_the_reports_of_the_first_chapter_open(self):
        for language, words, body in self.blocks:
            if language == "sh" and "norun" not in words:
                self.assertEqual(self.type(body).returncode != 0, "fails" in words, body)
        reports = sorted(pathlib.Path(self.folder.name).glob("*.html"))
        self.assertEqual([report.name for report in reports], ["crank.html", "methods.html", "pendulum.html"])
        with Browser() as browser:
            for report in reports:
                browser.open(report)
                self.assertEqual(browser.problems(), [], report.name)
                self.assertGreater(browser.evaluate("document.querySelectorAll('canvas').length"), 0, report.name)
            self.assertTrue(browser.evaluate("document.querySelector('#animation button') !== null"))

    def test_mistakes_are_answered(self):
        for text, phrase in MISTAKES:
            with self.subTest(text):
                answer = self.type(text)
                self.assertNotEqual(answer.returncode, 0)
                self.assertIn(phrase, answer.stdout + answer.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
