#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors and steps of Baumgarte's method over its rate: the table of docs/baumgarte.md.

The rate that the program chooses by itself is the unit: a column c has alpha = beta = c times it.

    scripts/scan-baumgarte.py [PROGRAM]
"""

import json
import re
import subprocess
import sys

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "build/bin/daedal"
FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
CASES = (
    ("pendulum, 10 s, rk4, h = 0.01", "pendulum", "rk4", ("--step", "0.01")),
    ("squeezer, rk4, h = 1e-4", "squeezer", "rk4", ("--step", "1e-4")),
    ("four-bar, rk4, h = 0.01", "four_bar", "rk4", ("--step", "0.01")),
    ("pendulum, 100 s, dop853, 1e-6", "pendulum", "dop853", ("--rtol", "1e-6", "--stop-time", "100")),
    ("spherical pendulum, dopri5, 1e-6", "spherical_pendulum", "dopri5", ("--rtol", "1e-6")),
    ("double pendulum, dop853, 1e-6", "double_pendulum", "dop853", ("--rtol", "1e-6")),
    ("four-bar, dopri5, 1e-6", "four_bar", "dopri5", ("--rtol", "1e-6")),
    ("closed chain, dopri5, 1e-6", "closed_chain", "dopri5", ("--rtol", "1e-6")),
    ("squeezer, dop853, 1e-6", "squeezer", "dop853", ("--rtol", "1e-6", "--atol", "1e-6")),
)


def run(*arguments):
    output = subprocess.run((PROGRAM, *arguments, "--json"), capture_output=True, text=True, check=False)
    return json.loads(output.stdout)


def chosen_rate(model, integrator, options):
    notices = run("simulate", model, "--method", "baumgarte", "--integrator", integrator, *options)["notices"]
    return next(float(m[1]) for m in (re.search(r"alpha = beta = ([0-9.e+-]+)\.", n) for n in notices) if m)


def main():
    print("| | rate | `index1` | " + " | ".join(f"{c:g}" for c in FACTORS) + " | projection |")
    print("|---" * (len(FACTORS) + 4) + "|")
    for title, name, integrator, options in CASES:
        model = f"problems/{name}.mo"
        rate = chosen_rate(model, integrator, options)
        methods = [f"index1+{integrator}"]
        methods += [f"baumgarte:alpha={c * rate:g}+{integrator}" for c in FACTORS]
        methods += [f"orthogonal-projection+{integrator}"]
        rows = run("compare", model, "--methods", ",".join(methods), *options)["rows"]
        cells = [f"{row['error']:.1e}, {row['statistics']['steps']}" if row["error"] is not None else "failed" for row in rows]
        print(f"| {title} | {rate:.3g} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
