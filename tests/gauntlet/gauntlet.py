#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs problems with known answers, and counts what the program made of them.

    tests/gauntlet/gauntlet.py [--quick] [--seeds N] [--match TEXT] [--jobs N] [--daedal PROGRAM]
                               [--verbose]

Every problem has one expected outcome: its solution, a warning, or the status in which it ends.

    right    success, and every output within 100 (rtol max|x| + atol) of the reference, times the
             problem's own growth of errors; or the expected status, or the expected warning
    warned   success with a warning about accuracy where the answer is right
    refused  another status than success where a solution exists
    wrong    success without a warning, and an output that is off by more; or success where none
             exists

References are closed forms, or solutions by mpmath with 30 digits that stand beside the problem.
The drawn DAEs run by `auto`, and the first --seeds of them by every named method: one that is not
for the index refuses the model by its name. The exit code is 0 when nothing is wrong and at least 95
of 100 solvable problems are right, by auto and by the named methods.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import manufactured  # noqa: E402
import problems  # noqa: E402

POINTS = 20
SLACK = 100.0


# Indices that a method is for, where its view of the model does not say it.
GENERAL = {"direct": (0, 1), "ode": (0,)}
VIEWS = {"general": range(0, 6), "constrained": range(2, 6), "hessenberg": (2, 3)}


def expected(method, index):
    """What a method makes of a drawn DAE: it is right, or refuses the model by a status."""
    if method["name"] == "direct" and index > 1:
        return "index-too-high"
    takes = GENERAL.get(method["name"], VIEWS[method["needs"]])
    return "right" if index in takes else "not-recognized"


def manufactured_problems(seeds, tolerances, method=None):
    for seed in seeds:
        dae = manufactured.draw(seed)
        plain = manufactured.Units()
        other = manufactured.draw_units(seed, dae)
        for rtol in tolerances:
            for kind, units in (("plain", plain), ("units", other)):
                name = f"manufactured-{seed}-index{dae.index}-{kind}-{rtol:g}"
                options = ["--rtol", repr(rtol)]
                if method:
                    name = f"{method['name']}-{name}"
                    options += ["--method", method["name"]]
                yield problems.Problem(
                    name=name,
                    text=manufactured.write(dae, units),
                    stop=2.0 * units.time,
                    expect=expected(method, dae.index) if method else "right",
                    options=options,
                    rtol=rtol,
                    exact={
                        name: scaled(function, units.factor(name), units.time)
                        for name, function in dae.solution.items()
                    },
                )


def named_methods(program):
    """All but those that need to be told more than the model, a chart of it."""
    done = subprocess.run([program, "methods", "--json"], capture_output=True, text=True, check=True)
    return [m for m in json.loads(done.stdout)["methods"] if m["needs"] in VIEWS]


def scaled(function, factor, time):
    return lambda t: factor * function(t / time)


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = rows[0]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]


def execute(problem, program, folder):
    model = os.path.join(folder, "model.mo")
    table = os.path.join(folder, "out.csv")
    with open(model, "w", encoding="utf-8") as file:
        file.write(problem.text)
    interval = abs(problem.stop - problem.start) / POINTS
    command = [program, "simulate", model, "--start-time", repr(problem.start), "--stop-time",
               repr(problem.stop), "--interval", repr(interval), "--json", "-o", table,
               *problem.options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "hang", [], [], ""
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return "error", [], [], done.stderr.strip()
    if report.get("status", "error") == "error":
        error = report.get("error", {})
        return error.get("code", "error"), [], [], error.get("message", done.stdout[:300])
    rows = read_rows(table) if os.path.exists(table) else []
    return report["status"], report["warnings"], rows, report["message"]


def worst(problem, rows):
    """The greatest error in units of the tolerance, with its variable and time."""
    result = (0.0, "", 0.0)
    for name, exact in problem.exact.items():
        values = [
            (row["time"], row[name], exact(row["time"]))
            for row in rows
            if not (problem.skip and problem.skip(row["time"]))
        ]
        size = max(abs(reference) for _, _, reference in values)
        allowed = problem.rtol * max(size, problem.floor)
        for t, value, reference in values:
            error = abs(value - reference)
            in_tolerances = error / allowed if allowed > 0.0 else (0.0 if error == 0.0 else 1e300)
            if not in_tolerances <= result[0]:
                result = (in_tolerances, name, t)
    return result


def judge(problem, program):
    with tempfile.TemporaryDirectory() as folder:
        status, warnings, rows, message = execute(problem, program, folder)
    succeeded = status in ("success", "event-stop")
    if problem.expect != "right" and problem.expect != "warned":
        if status == problem.expect:
            return "right", status
        return ("wrong" if succeeded and not warnings else "refused"), f"{status}: {message}"
    if not succeeded:
        return "refused", f"{status}: {message}"
    if problem.expect == "warned":
        is_told = any(problem.words in warning for warning in warnings)
        return ("right", "") if is_told else ("wrong", f"no warning of it: {warnings}")
    if not rows or abs(rows[-1]["time"] - problem.stop) > 1e-9 * abs(problem.stop):
        if status == "success":
            return "wrong", "the table does not reach the end"
    error, name, t = worst(problem, rows)
    what = f"{name} at t = {t:.6g} off by {error:.3g} tolerances"
    is_right = error <= SLACK * problem.growth
    if warnings:
        return "warned", f"{what if not is_right else 'right'}; {warnings[0][:200]}"
    return ("right" if is_right else "wrong"), what


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a part that takes under a minute")
    parser.add_argument("--seeds", type=int, help="of drawn DAEs for the named methods, up to 102")
    parser.add_argument("--match", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--daedal", default=str(HERE.parent.parent / "build" / "bin" / "daedal"))
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    tolerances = (1e-6,) if arguments.quick else (1e-4, 1e-6, 1e-9)
    by_auto = list(problems.all_problems(arguments.quick))
    by_auto += manufactured_problems(range(12 if arguments.quick else 102), tolerances)
    n_seeds = arguments.seeds if arguments.seeds is not None else (6 if arguments.quick else 30)
    by_name = [
        problem
        for method in named_methods(arguments.daedal)
        for problem in manufactured_problems(range(n_seeds), tolerances, method)
    ]
    are_good = [run(by_auto, "problems", arguments), run(by_name, "named methods", arguments)]
    return 0 if all(are_good) else 1


def run(everything, title, arguments):
    """Prints what is not right, and the counts. Whether they are good enough."""
    chosen = [p for p in everything if arguments.match in p.name]
    counts = dict.fromkeys(("right", "warned", "refused", "wrong"), 0)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = pool.map(lambda p: judge(p, arguments.daedal), chosen)
        for problem, (verdict, detail) in zip(chosen, verdicts):
            counts[verdict] += 1
            if verdict != "right" or arguments.verbose:
                print(f"{verdict:8} {problem.name}: {detail}", flush=True)
    print(f"{title}: {len(chosen)} runs: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return counts["wrong"] == 0 and counts["right"] >= 0.95 * len(chosen)


if __name__ == "__main__":
    sys.exit(main())
