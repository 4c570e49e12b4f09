#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/concepts, from runs of the models that stand there: draw-concepts.py [PROGRAM]

Writes docs/images/concept_*.svg. Needs matplotlib."""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bin/daedal").resolve())
BLUE, RED, GREEN, GREY = "#1b6ca8", "#c8553d", "#4a7c59", "#777777"


def model_of(page):
    text = (ROOT / "docs/concepts" / page).read_text()
    return re.search(r"^```modelica file=\S+\n(.*?)^```$", text, re.M | re.S)[1]


def run(text, *options, may_fail=False):
    """The columns of a run, by name."""
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder, "rows.csv")
        result = subprocess.run([PROGRAM, "simulate", "-", "-o", str(rows), "--quiet", *options], input=text,
                                text=True, check=False)
        if result.returncode != 0 and not may_fail:
            sys.exit(f"a run failed: {options}")
        with rows.open(newline="") as file:
            names, *values = csv.reader(file)
    return dict(zip(names, np.array(values, dtype=float).T))


def save(figure, name):
    figure.tight_layout()
    figure.savefig(ROOT / "docs/images" / f"concept_{name}.svg", metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def axes(n=1, **options):
    figure, all_axes = plt.subplots(1, n, figsize=(4.2 * max(n, 1.6), 3.2), **options)
    for one in np.atleast_1d(all_axes):
        one.grid(alpha=0.3)
        one.spines[["top", "right"]].set_visible(False)
    return figure, all_axes


def draw_index():
    rippled, smooth = (run(model_of("the-index.md"), "-p", f"ripple={height}") for height in (0.001, 0))
    figure, parts = axes(3)
    for part, name, title in zip(parts, ("x", "v", "F"), ("path x (m)", "velocity v (m/s)", "force F (N)")):
        part.plot(rippled["time"], rippled[name], color=RED, lw=0.9, label="with a ripple of 1 mm")
        part.plot(smooth["time"], smooth[name], color=BLUE, lw=1.8, label="without")
        part.set(title=title, xlabel="time (s)")
    parts[0].legend(frameon=False)
    save(figure, "index")


def draw_circle(part):
    angle = np.linspace(0, 2 * np.pi, 200)
    part.plot(np.cos(angle), np.sin(angle), color=GREY, lw=1)
    part.plot([0], [0], "o", color=GREY, ms=4)
    part.set_aspect("equal")


def draw_hidden():
    figure, part = axes(1)
    draw_circle(part)
    for demand, colour in (("-1", GREEN), ("0.5", GREEN), ("1", GREEN)):
        start = {name: column[0] for name, column in
                 run(model_of("hidden-constraints.md"), "--start", f"vx={demand}").items()}
        part.annotate("", (start["x"] + 0.4 * start["vx"], start["y"] + 0.4 * start["vy"]),
                      (start["x"], start["y"]), arrowprops={"arrowstyle": "->", "color": colour, "lw": 2})
    part.annotate("", (0.8 + 0.4, -0.6), (0.8, -0.6), arrowprops={"arrowstyle": "->", "color": RED, "lw": 2})
    part.plot([0, 0.8], [0, -0.6], color=BLUE, lw=2)
    part.plot([0.8], [-0.6], "o", color=BLUE)
    part.text(1.22, -0.66, "vx = 1, vy = 0: stretches the rod", color=RED)
    part.text(1.22, 0.0, "found for vx = 1, 0.5 and −1", color=GREEN)
    part.set(xlim=(-1.2, 3.2), ylim=(-1.3, 1.1), xlabel="x", ylabel="y")
    save(figure, "hidden")


def draw_drift():
    figure, part = axes(1)
    for method, colour in (("index1", RED), ("baumgarte", GREEN), ("orthogonal-projection", BLUE)):
        rows = run(model_of("drift.md"), "--method", method, "--integrator", "rk4", "--step", "0.01")
        violation = np.abs(rows["x"]**2 + rows["y"]**2 - 1)
        # The greatest of every second; what is zero is drawn at round-off.
        time = rows["time"][1:].reshape(100, -1)[:, -1]
        worst = np.maximum(violation[1:].reshape(100, -1).max(axis=1), 1e-16)
        part.semilogy(time, worst, color=colour, lw=1.8, label=method)
    part.set(xlabel="time (s)", ylabel="|x² + y² − 1|", title="rk4, step 0.01 s")
    part.legend(frameon=False, loc="center right")
    save(figure, "drift")


def draw_redundancy():
    text = (ROOT / "examples/linkage.mo").read_text()
    constraint = re.search(r'^ *\(\(xA \+ xB.*"middle crank";$', text, re.M)[0]
    figure, parts = axes(3, sharey=True)
    runs = (("three cranks", run(text)), ("without the middle one", run(text.replace(constraint, "  middle = 0;"))))
    for (title, rows), style in zip(runs, ("-", "--")):
        for name, part in zip(("left", "middle"), parts):
            part.plot(rows["time"], rows[name], style, color=BLUE if style == "-" else RED, label=title)
        whole = rows["left"] + rows["middle"] + rows["right"]
        parts[2].plot(rows["time"], whole, style, color=BLUE if style == "-" else RED, label=title)
    for part, title in zip(parts, ("left crank, as right (N/m)", "middle crank (N/m)", "all cranks (N/m)")):
        part.set(title=title, xlabel="time (s)")
    parts[0].legend(frameon=False)
    save(figure, "redundancy")


def draw_singular():
    text = model_of("singular-positions.md")
    passed = run(text, "--max-step", "0.02")
    stopped = run(text, "--method", "index1", "--interval", "0.01", may_fail=True)
    figure, (left, right) = axes(2)
    left.plot(passed["time"], passed["th1"] / np.pi, color=BLUE, lw=1.8, label="passed smoothly")
    left.plot(stopped["time"], stopped["th1"] / np.pi, color=RED, lw=3, alpha=0.6, label="index1: stops")
    left.plot(stopped["time"][-1], stopped["th1"][-1] / np.pi, "x", color=RED, ms=9)
    for level in (0, 1, 2):
        left.axhline(level, color=GREY, lw=0.8, ls=":")
    left.set(xlabel="time (s)", title="angle of the first crank / π (flat where dotted)")
    left.legend(frameon=False, loc="lower right")
    for time in np.arange(0.0, 3.0, 0.2):
        th1, th2 = (np.interp(time, passed["time"], passed[name]) for name in ("th1", "th2"))
        right.plot([0, np.cos(th1), 2 + np.cos(th2), 2], [0, np.sin(th1), np.sin(th2), 0], "o-", color=BLUE, ms=3,
                   lw=1, alpha=0.15 + 0.28 * time)
    right.set_aspect("equal")
    right.set(title="the linkage, every 0.2 s")
    save(figure, "singular")


def draw_start():
    start = {name: column[0] for name, column in run(model_of("consistent-start.md")).items()}
    figure, part = axes(1)
    draw_circle(part)
    for x, y, vx, vy, colour, text in ((0.9, -0.9, 1, 0, RED, "the guess"),
                                       (start["x"], start["y"], start["vx"], start["vy"], BLUE, "what was found")):
        part.plot([x], [y], "o", color=colour)
        part.annotate("", (x + 0.5 * vx, y + 0.5 * vy), (x, y),
                      arrowprops={"arrowstyle": "->", "color": colour, "lw": 2})
        part.text(x + 0.55 * vx, y + 0.55 * vy, text, color=colour)
    part.plot([0, start["x"]], [0, start["y"]], color=BLUE, lw=2)
    part.plot([0.9, start["x"]], [-0.9, start["y"]], color=GREY, ls=":")
    part.set(xlim=(-1.2, 2.6), ylim=(-1.2, 1.1), xlabel="x", ylabel="y")
    save(figure, "start")


if __name__ == "__main__":
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "daedal", "font.size": 9,
                         "font.family": ["sans-serif"]})
    for draw in (draw_index, draw_hidden, draw_drift, draw_redundancy, draw_singular, draw_start):
        draw()
