#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plots of docs/comparing-methods.md, from `daedal compare --json`; no module beyond the library.

    scripts/plot-comparison.py [PROGRAM] [FOLDER]
"""

import json
import math
import pathlib
import subprocess
import sys

METHODS = (
    "index1",
    "baumgarte",
    "orthogonal-projection",
    "coordinate-partitioning",
    "tangent-space",
    "ggl",
    "overdetermined-index2",
    "dummy-derivatives",
)
COLOURS = ("#888888", "#b8860b", "#1f77b4", "#2ca02c", "#17becf", "#d62728", "#9467bd", "#e377c2")
TOLERANCES = ("1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10")
PROBLEMS = (
    ("pendulum", "Pendulum, 10 s", ()),
    ("four_bar", "Four-bar, 5 s", ()),
    ("squeezer", "Andrews' squeezer, 0.03 s", ()),
    ("closed_chain", "Closed chain of ten links, 1 s", ()),
)
WIDTH, HEIGHT = 640, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 40, 50


def compare(program, model, options):
    command = (program, "compare", model, "--methods", ",".join(METHODS), "--tolerances", ",".join(TOLERANCES), *options, "--json")
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)["rows"]


def curves(rows, x, y):
    """The points of each method where both quantities are positive numbers."""
    result = {}
    for row in rows:
        point = (x(row), y(row))
        if row["status"] == "success" and all(value is not None and value > 0 for value in point):
            result.setdefault(row["method"], []).append(point)
    return {method: sorted(points) for method, points in result.items()}


class LogAxis:
    def __init__(self, values, begin, end):
        self.low = math.floor(min(math.log10(v) for v in values))
        self.high = max(math.ceil(max(math.log10(v) for v in values)), self.low + 1)
        self.begin, self.end = begin, end

    def place(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def decades(self):
        step = 1 if self.high - self.low <= 10 else 2
        return range(self.low, self.high + 1, step)


def svg(title, x_title, y_title, lines):
    points = [point for line in lines.values() for point in line]
    x_axis = LogAxis([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y_axis = LogAxis([p[1] for p in points], HEIGHT - BOTTOM, TOP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
    ]
    for decade in x_axis.decades():
        at = x_axis.place(10.0**decade)
        out.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#dddddd"/>')
        out.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">1e{decade}</text>')
    for decade in y_axis.decades():
        at = y_axis.place(10.0**decade)
        out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">1e{decade}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{x_title}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    out.append(f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">{y_title}</text>')
    shown = [method for method in METHODS if method in lines]
    for number, method in enumerate(shown):
        colour = COLOURS[METHODS.index(method)]
        path = " ".join(f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}" for x, y in lines[method])
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        for x, y in lines[method]:
            out.append(f'<circle cx="{x_axis.place(x):.1f}" cy="{y_axis.place(y):.1f}" r="2.5" fill="{colour}"/>')
        at = TOP + 14 + 18 * number
        out.append(f'<path d="M{WIDTH - RIGHT + 14} {at - 4}h22" stroke="{colour}" stroke-width="1.8"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 42}" y="{at}">{method}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/bin/daedal"
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    for name, title, options in PROBLEMS:
        rows = compare(program, f"problems/{name}.mo", options)
        work = curves(rows, lambda row: row["statistics"]["residual_evaluations"], lambda row: row["error"])
        text = svg(title, "evaluations of the equations", "error relative to the range", work)
        (folder / f"work_{name}.svg").write_text(text)
        # What is held is held to round-off: drawn at 1e-17 where it is exactly zero.
        drift = curves(rows, lambda row: row["rtol"], lambda row: max(row["constraints"].get("0") or 0.0, 1e-17))
        text = svg(title, "tolerance", "greatest violation of the constraints", drift)
        (folder / f"drift_{name}.svg").write_text(text)


if __name__ == "__main__":
    main()
