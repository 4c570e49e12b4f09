#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of reports in the guide: draw-reports.py [PROGRAM]

Opens reports of the examples in Chromium and writes docs/images/report_*.png."""
import base64
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/report"))
from browser import Browser  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin/daedal").resolve())
# The picture, the call, and the element at whose top it begins.
REPORTS = (
    ("linkage", "simulate examples/linkage.mo", "body"),
    ("four_bar", "simulate problems/four_bar.mo", "#animation"),
    ("robot_arm", "simulate examples/robot_arm.mo", "#animation"),
    ("squeezer", "simulate problems/squeezer.mo", "#animation"),
    ("methods", "compare problems/squeezer.mo --methods|index1,ggl,orthogonal-projection,tangent-space,"
     "overdetermined-index2 --tolerances|1e-4,1e-5,1e-6,1e-7,1e-8", "body"),
)
WIDTH, HEIGHT = 1280, 860


def main():
    with tempfile.TemporaryDirectory() as folder, Browser(WIDTH, HEIGHT) as browser:
        for name, call, element in REPORTS:
            page = pathlib.Path(folder, f"{name}.html")
            words = []
            for word in call.split(" --"):
                words += (["--" + word.split("|")[0], word.split("|", 1)[1]] if "|" in word else word.split())
            subprocess.run([PROGRAM, *words, "--report", str(page)], cwd=ROOT, check=True,
                           stdout=subprocess.DEVNULL)
            browser.open(page)
            # In the middle of the motion, where there is one: traces are behind the bodies.
            browser.evaluate("""(slider => slider && (slider.value = (+slider.min + +slider.max)/2,
                             slider.dispatchEvent(new Event('input', {bubbles: true}))))
                             (document.querySelector('#animation input[type=range]'))""")
            top = browser.evaluate(f"document.querySelector('{element}').getBoundingClientRect().top + scrollY")
            picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True,
                                   clip={"x": 0, "y": top, "width": WIDTH, "height": HEIGHT, "scale": 0.75})
            (ROOT / "docs/images" / f"report_{name}.png").write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    main()
