#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a folder of Base Modelica models and compare them with reference trajectories.

    scripts/msl.py DIR [--json FILE] [--jobs N] [--match GLOB] [--daedal PROGRAM] [-- OPTIONS...]

DIR holds MODEL.bmo files and, beside them, MODEL.csv with the reference trajectory: a column
"time", then one column per signal. A run agrees when for every signal s, reference r and reference
time |s - r| <= max(2 % |r|, 2 % max|r|, 1e-6); around an event, within 1e-5 of the span, the range
of s is compared with the range of r. OPTIONS are given to every `daedal simulate`.

The exit code is 0 when every model was solved and agrees with its reference, else 1.
"""

import argparse
import bisect
import concurrent.futures
import csv
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

TOLERANCE = 0.02
FLOOR = 1e-6
# The output is this fine, so that interpolating it linearly adds nothing to be seen at 2 %; finer
# where the model asks for it, up to so many points.
OUTPUT_POINTS = 5000
MOST_POINTS = 100_000
# Events of two tools fall this share of the span apart.
EVENT_SHARE = 1e-5


def read_csv(path):
    """Times, and the values of every signal by name."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        columns = [[] for _ in names]
        for row in rows:
            for column, text in zip(columns, row):
                column.append(float(text))
    signals = dict(zip(names, columns))
    return signals.pop(names[0]), signals


def value_at(times, values, t):
    """The signal at t, interpolated linearly; beyond its ends the end."""
    right = bisect.bisect_right(times, t)
    if right == 0 or right == len(times):
        return values[0] if right == 0 else values[-1]
    share = (t - times[right - 1]) / (times[right] - times[right - 1])
    return values[right - 1] + share * (values[right] - values[right - 1])


def value_range(times, values, t, slack):
    """The least and the greatest value within the slack around t."""
    first = bisect.bisect_left(times, t - slack)
    last = bisect.bisect_right(times, t + slack)
    reached = values[first:last]
    reached += [value_at(times, values, t - slack), value_at(times, values, t + slack)]
    return min(reached), max(reached)


def compare(result, reference):
    """The signal that is worst against the reference: its name, the share of its greatest value
    that it is off, and where; the name alone when the result lacks it.

    Values are compared as ranges: two tools place an event a little apart, and at the event itself
    a signal has the values on both sides, and those it passes while the event is iterated."""
    times, values = result
    wanted_times, wanted = reference
    worst = {"signal": None, "deviation": 0.0, "time": None}
    slack = EVENT_SHARE * (wanted_times[-1] - wanted_times[0])
    for name, series in wanted.items():
        if name not in values:
            return {"signal": name, "deviation": None, "time": None}
        scale = max(max(map(abs, series)), FLOOR / TOLERANCE)
        for t in wanted_times:
            if t > times[-1] + slack:
                return {"signal": name, "deviation": None, "time": t}
            low, high = value_range(times, values[name], t, slack)
            wanted_low, wanted_high = value_range(wanted_times, series, t, slack)
            deviation = max(low - wanted_high, wanted_low - high, 0.0) / scale
            if not deviation <= worst["deviation"]:
                worst = {"signal": name, "deviation": deviation, "time": t}
    return worst


def output_interval(text, span):
    """References are samples of the model's own grid: on it nothing is interpolated."""
    interval = span / OUTPUT_POINTS
    own = re.search(r"experiment\([^)]*\bInterval *= *([0-9.eE+-]+)", text)
    if own and span / MOST_POINTS <= float(own.group(1)) < interval:
        return float(own.group(1))
    return interval


def daedal(program, arguments, limit):
    """The JSON document that a command prints; an error document where there is none."""
    try:
        done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True,
                              timeout=limit, check=False)
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {"status": "time-limit-reached", "error": {"message": f"No end after {limit} s."}}
    except json.JSONDecodeError:
        return {"status": "crashed", "error": {"message": done.stderr.strip()[-300:]}}


def run_model(model, options):
    """One row of the table."""
    reference_file = model.with_suffix(".csv")
    reference = read_csv(reference_file) if reference_file.exists() else None
    row = {"model": model.stem, "parsed": False}
    structure = daedal(options.daedal, ["analyze", str(model), "--structure"], options.limit)
    row["parsed"] = "equations" in structure
    row["equations"] = structure.get("equations")
    row["index"] = (structure.get("structure") or {}).get("index")
    row["states"] = (structure.get("structure") or {}).get("states")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.csv")
        arguments = ["simulate", str(model), "-o", output, *options.simulate]
        if reference:
            times, signals = reference
            interval = output_interval(model.read_text(encoding="utf-8"), times[-1] - times[0])
            arguments += ["--interval", repr(interval)]
            arguments += [part for name in signals for part in ("--variables", name)]
        begin = time.perf_counter()
        document = daedal(options.daedal, arguments, options.limit)
        row["seconds"] = time.perf_counter() - begin
        row["status"] = document.get("status") or (document.get("error") or {}).get("code")
        row["method"] = (document.get("method") or {}).get("used")
        row["message"] = (document.get("error") or {}).get("message")
        solved = row["status"] in ("success", "event-stop")
        row["agrees"] = None
        if solved and reference:
            row["worst"] = compare(read_csv(output), reference)
            deviation = row["worst"]["deviation"]
            row["agrees"] = deviation is not None and deviation <= TOLERANCE
    row["passed"] = solved and row["agrees"] is not False
    return row


def worst_text(row):
    if "worst" not in row:
        return "no reference" if row["passed"] else ""
    worst = row["worst"]
    if worst["signal"] is None:
        return "0 %"
    if worst["deviation"] is None:
        return f"{worst['signal']} missing"
    return f"{100 * worst['deviation']:.2g} % {worst['signal']}"


def package_of(model):
    """Electrical.Analog of Modelica.Electrical.Analog.Examples.NandGate."""
    parts = model.split(".")
    end = parts.index("Examples") if "Examples" in parts else len(parts) - 1
    return ".".join(parts[1 if parts[0] == "Modelica" else 0:end]) or "-"


def print_table(rows, file):
    head = ("model", "parsed", "equations", "index", "states", "status", "method", "seconds",
            "agrees", "worst signal")
    word = {True: "yes", False: "no", None: "-"}
    lines = [head]
    for row in rows:
        lines.append((row["model"], word[row["parsed"]],
                      *("-" if row[key] is None else str(row[key])
                        for key in ("equations", "index", "states", "status", "method")),
                      f"{row['seconds']:.2f}", word[row["agrees"]], worst_text(row)))
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip(), file=file)
    for row in rows:
        if not row["passed"] and row["message"]:
            print(f"\n{row['model']}: {row['message']}", file=file)
    packages = {}
    for row in rows:
        packages.setdefault(package_of(row["model"]), []).append(row["passed"])
    print(file=file)
    for name, outcomes in packages.items():
        print(f"{name}: {sum(outcomes)} of {len(outcomes)}", file=file)
    passed = sum(row["passed"] for row in rows)
    print(f"\n{passed} of {len(rows)} models solved and in agreement.", file=file)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", metavar="FILE", help="write the rows as JSON (- for stdout)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--match", default="*", help="models by name, as a glob")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one model")
    default = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "daedal"
    parser.add_argument("--daedal", default=str(default), help="the program to run")
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:split])
    options.simulate = arguments[split + 1:]
    if not options.folder.is_dir():
        parser.error(f"'{options.folder}' is not a folder")
    if not os.access(options.daedal, os.X_OK):
        parser.error(f"the program '{options.daedal}' is not there; build it, or give --daedal")
    return options, parser


def main():
    options, parser = parse_arguments()
    models = sorted(path for path in options.folder.iterdir()
                    if path.suffix in (".bmo", ".mo") and fnmatch.fnmatch(path.stem, options.match))
    if not models:
        parser.error(f"no model MODEL.bmo in '{options.folder}' matches '{options.match}'")
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        rows = list(pool.map(lambda model: run_model(model, options), models))
    if options.json:
        text = json.dumps({"schema": 1, "models": rows}, indent=2)
        if options.json == "-":
            print(text)
        else:
            pathlib.Path(options.json).write_text(text + "\n", encoding="utf-8")
    if options.json != "-":
        print_table(rows, sys.stdout)
    return 0 if all(row["passed"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
