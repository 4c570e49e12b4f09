#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Show that two builds of the program give the same results, before and after a refactoring.

    scripts/fingerprint.py record build/bin/daedal -o before.json [--quick] [--models DIR]...
    scripts/fingerprint.py compare before.json after.json [--bits | --bounds] [--allow PATTERN]...

`record` runs the program on the models of this checkout: every method with every integrator that the
catalogue admits, boundary value methods, every method and integrator parameter, options, analyses,
comparisons, reports and the tables of `reproduce`. Each --models adds a folder of model texts (.mo,
.bmo), solved by the methods for general models. It keeps the JSON documents (numbers in hexadecimal),
exit codes, and number of rows and checksum of each trajectory; wall times and the version are left
out. A run is named by its command. Runs are cut by --max-steps and --stop-time; one that uses up its
CPU time (--limit) is recorded as timed out and left out of comparisons. --quick takes the default
integrator of each method only. Use one checkout's script for both programs, so that the models are
the same.

`compare --bits` (the default) demands that everything is equal, bit for bit. `compare --bounds`
admits what a different order of operations may change: numbers within 10 rtol, counters of one run
within 5 % or two steps, counters summed over a method within 2 %, any number inside a message, and
any trajectory between start and end. Differences are printed by method, the worst first, in units of
what is admitted (--bits: relative). --allow admits every difference for which "COMMAND # FIELD"
contains a match of the regular expression; --expected FILE reads such expressions, one a line,
except from lines that begin with #.

The exit code is 0 when nothing differs beyond that, else 1.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PENDULUM = "problems/pendulum.mo"
CHARTS = {PENDULUM: "x = sin(a); y = -cos(a)"}
GENERAL_METHODS = ("direct", "dummy-derivatives", "dummy-derivatives --integrator radau",
                   "ode --integrator cvode-bdf")
COMPARED = ("pendulum", "four_bar", "slider_crank", "parallelogram", "hessenberg_chain")
# Dense matrices of a thousand unknowns, or arrays of ten links: seconds for every step.
TOO_SLOW = re.compile(r"heat\.mo .*(derivative-array|least-squares)|solve-bvp examples/heat|"
                      r"closed_chain\.mo .*least-squares")
# Options that the runs of the methods leave at their defaults, refusals among them.
OPTIONS = ("--interval 0.1", "--max-step 0.01", "--initial-step 1e-5", "--atol 1e-6", "--rtol 1e-4",
           "--rtol 0 --atol 0", "--rtol -1", "--start-time 1", "--stop-time -1", "--stop-time 0",
           "--stop-time inf", "-p g=1", "-p h=1", "-p g", "--start x=0.8", "--start vy=1 --start y=0.6",
           "--start z=1", "--watch-singularities", "--step 0.01", "--step -1", "--max-steps 10",
           "--method nosuch", "--method baumgarte:alpha", "--method ggl:alpha=1", "--integrator nosuch",
           "--integrator radau:stage=3", "--method user-chart", "--chart x=a", "--nosuch", "--variables x",
           "--variables nosuch", "--method-option alpha=5 --method baumgarte",
           "--integrator-option stages=5 --integrator radau")
BVP_OPTIONS = (*(f"--points {k} --scheme {s}" for s in ("gauss", "radau", "lobatto") for k in range(7)),
               "--fixed-mesh", "--fixed-mesh --mesh 7", "--max-mesh 30 --tolerance 1e-10",
               "--ignore-algebraic", "--max-iterations 1", "--interval 0 2", "--interval 2 0",
               "--output-points 11", "--start theta=1", "--method nosuch", "--scheme nosuch", "--mesh 0", "--tolerance -1")
BVP_METHODS = ("--scheme gauss", "--scheme radau", "--scheme lobatto", "--method srm", "--method baumgarte")

MESSAGES = {"message", "warnings", "notices", "causes", "remedies", "finding", "statement", "what", "summary",
            "meaning", "text"}
DROPPED = {"wall_seconds", "version"}
ROUND_OFF = {"largest_dropped", "gap", "confidence"}  # what is left of zero
ERRORS = {"error", "constraints", "energy_drift"}  # relative to the solution, so small that it counts
ESTIMATES = {"error_estimate", "rounds", "tables"}
COUNTERS = {"statistics", "rounds", "intervals", "rows"}
REFUSED = (2, 3)  # exit codes of misuse and of models that a method does not take
NUMBER = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-]\d+")
ABSENT = ("absent", 1e-6, 1)
WRITTEN_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")


def span(path):
    """Start and stop of the model's experiment annotation, 0 and 1 where it has none."""
    text = path.read_text(encoding="utf-8", errors="replace")
    found = [re.search(key + r"\s*=\s*([-+.\w]+)", text) for key in ("StartTime", "StopTime")]
    return [float(match[1]) if match else default for match, default in zip(found, (0.0, 1.0))]


def method_jobs(model, table, quick):
    """Every method with its own integrator over the whole span, then with the others over a fifth."""
    start, stop = span(ROOT / model)
    for method in table["methods"]:
        run = ["simulate", model, "--method", method["name"]]
        if method["name"] == "user-chart" and model in CHARTS:
            run += ["--chart", CHARTS[model]]
        job = [run + ["--max-steps", "2000"]]
        run += ["--max-steps", "500", "--stop-time", repr(start + 0.2 * (stop - start))]
        for integrator in table["integrators"]:
            # A method refuses the others whatever the model is: one model shows it.
            admitted = integrator[method["yields"]] and not quick
            if admitted or model == PENDULUM:
                step = [] if integrator["error_controlled"] else ["--step", repr((stop - start) / 1000)]
                job.append(run + ["--integrator", integrator["name"], *step])
        yield job


def model_runs(model):
    start, stop = span(ROOT / model)
    yield f"analyze {model}"
    yield f"analyze {model} --text"
    yield f"simulate {model} --max-steps 2000"
    yield f"simulate {model} --max-steps 2000 --text"
    for choice in BVP_METHODS:
        yield (f"solve-bvp {model} {choice} --tolerance 1e-4 --max-mesh 200 "
               f"--interval {start} {start + 0.2 * (stop - start)}")


def parameter_runs(table):
    """Every parameter of the catalogue at its default, at other values, and out of its range."""
    run = f"simulate {PENDULUM} --max-steps 500 --stop-time 2"
    for method in table["methods"]:
        for parameter in method["parameters"]:
            for value in dict.fromkeys((parameter["default"], 0.0, 0.5, 1.0, 2.0, -1.0)):
                if value is not None:
                    yield f"{run} --method {method['name']}:{parameter['name']}={value:g}"
    for integrator in table["integrators"]:
        for method in ("orthogonal-projection", "ggl", "overdetermined-index2"):
            chosen = f"{run} --method {method} --integrator {integrator['name']}"
            step = "--step 0.01" if integrator["fixed_step"] else ""
            yield f"{chosen} {step}"
            for parameter in integrator["parameters"]:
                name = parameter if isinstance(parameter, str) else parameter["name"]
                yield from (f"{chosen}:{name}={value} {step}" for value in (-1, 0, 1, 2, 3, 9))


def folder_jobs(folder, quick):
    for path in sorted(folder.iterdir()):
        if path.suffix in (".mo", ".bmo"):
            run = f"simulate {folder.name}/{path.name} --max-steps 2000"
            others = () if quick else GENERAL_METHODS
            yield [f"analyze {folder.name}/{path.name} --structure"]
            yield [run, *(f"{run} --method {method}" for method in others)]


def plan(program, options):
    """Jobs: the folder they run in, and runs of which the others wait for the first to be accepted."""
    done = subprocess.run([program, "methods", "--json"], capture_output=True, text=True, check=True)
    table = json.loads(done.stdout)
    commands = ("simulate", "analyze", "compare", "solve-bvp", "methods", "reproduce", "")
    runs = [f"{command} --help --text" for command in commands]
    runs += ["methods", "methods --text", "reproduce", "reproduce nosuch", "simulate nosuch.mo"]
    runs += (f"simulate {PENDULUM} {option}" for option in OPTIONS)
    runs += (f"solve-bvp examples/swing_up.mo {option}" for option in BVP_OPTIONS)
    names = ",".join(m["name"] for m in table["methods"] if m["needs"] in ("constrained", "hessenberg"))
    runs += (f"compare problems/{model}.mo --methods {names} --tolerances 1e-4,1e-6 --stop-time 0.5"
             for model in COMPARED)
    runs += parameter_runs(table)
    jobs = []
    for path in sorted((*ROOT.glob("problems/*.mo"), *ROOT.glob("examples/*.mo"))):
        model = f"{path.parent.name}/{path.name}"
        runs += model_runs(model)
        jobs += ((ROOT, job) for job in method_jobs(model, table, options.quick))
    jobs += ((ROOT, [run]) for run in runs)
    for folder in (ROOT / "tests/fuzz/corpus", *map(pathlib.Path.resolve, options.models)):
        jobs += ((folder.parent, job) for job in folder_jobs(folder, options.quick))
    return jobs


def read_document(text):
    """The document without times; the tables of `reproduce` by name instead of by place."""
    document = json.loads(text, parse_float=lambda digits: float(digits).hex(),
                          object_hook=lambda o: {k: v for k, v in o.items() if k not in DROPPED})
    if isinstance(document, list):
        return {"tables": {": ".join((e["table"], e["row"], e["column"])): e["ours"] for e in document
                           if "seconds" not in e["row"] + e["column"]}}
    return document


def execute(program, folder, arguments, limit):
    """What one run leaves."""
    as_text = "--text" in arguments
    arguments = [a for a in arguments if a != "--text"]
    with tempfile.TemporaryDirectory() as scratch:
        rows = pathlib.Path(scratch, "rows.csv")
        writes = arguments[0] in ("simulate", "solve-bvp") and not as_text
        command = [program, *arguments, *(["-o", rows] if writes else []), *([] if as_text else ["--json"])]
        # CPU time, not wall time: what else the machine does should not decide.
        done = subprocess.run(["sh", "-c", f'ulimit -S -t {limit}; exec "$@"', "sh", *command], cwd=folder,
                              capture_output=True, text=True, check=False)
        if done.returncode == -signal.SIGXCPU:
            return {"exit": "timeout"}
        result = {"exit": done.returncode}
        text = done.stderr
        try:
            result["document"] = read_document(done.stdout)
        except json.JSONDecodeError:
            text += done.stdout
        if text:
            result["text"] = [re.sub(r"^(work .*), \S+ s$", r"\1", line) for line in text.splitlines()
                              if not line.startswith("wall clock")]
        if rows.exists():
            content = rows.read_bytes()
            result["rows"] = content.count(b"\n")
            result["csv"] = hashlib.sha256(content).hexdigest()
        return result


def execute_job(program, folder, job, limit):
    """The results of a job's runs by their commands."""
    results = {}
    for run in job:
        arguments = run.split() if isinstance(run, str) else run
        if TOO_SLOW.search(name := " ".join(arguments)):
            continue
        results[name] = execute(program, folder, arguments, limit)
        if len(results) == 1 and results[name]["exit"] in REFUSED:
            break
    return results


def record(options):
    program = str(options.program.resolve())
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        parts = pool.map(lambda job: execute_job(program, *job, options.limit), plan(program, options))
        results = {name: result for part in parts for name, result in part.items()}
    lines = (f"{json.dumps(name)}: {json.dumps(result)}" for name, result in results.items())
    options.output.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    timed = [name for name, result in results.items() if result["exit"] == "timeout"]
    crashed = [name for name, result in results.items() if name not in timed and result["exit"] < 0]
    for what, names in (("timed out", timed), ("crashed", crashed)):
        for name in names:
            print(f"{what}: {name}")
    print(f"{len(results)} runs, {len(timed)} timed out, {len(crashed)} crashed, "
          f"{time.monotonic() - begin:.0f} s")
    return 0


def number(value, default=None):
    return float.fromhex(value) if isinstance(value, str) and NUMBER.fullmatch(value) else default


def leaves(value, path=(), rtol=1e-6, steps=1):
    """Every value of a document by its path, with the tolerance and the number of steps behind it."""
    if isinstance(value, (dict, list)) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        if isinstance(value, dict):
            rtol = number(value.get("rtol") or (value.get("tolerances") or {}).get("rtol"), rtol)
            steps = (value.get("statistics") or {}).get("steps") or steps
        for key, inner in items:
            yield from leaves(inner, (*path, str(key)), rtol, steps)
    else:
        yield path, (value, rtol, steps)


def in_bits(_, old, new):
    """The relative difference of numbers; infinite for everything else."""
    a, b = (float(v) if isinstance(v, int) else number(v) for v in (old[0], new[0]))
    if a is None or b is None:
        return math.inf
    return abs(a - b) / max(abs(a), abs(b)) if a != b else sys.float_info.min  # zeros of two signs


def in_bounds(path, old, new):
    """The difference in units of what is admitted."""
    (old, rtol, steps), new = old, new[0]
    if MESSAGES.intersection(path):
        same = WRITTEN_NUMBER.sub("#", str(old)) == WRITTEN_NUMBER.sub("#", str(new))
        return 0.0 if same else math.inf
    if path[-1] == "csv":
        return 0.0
    if COUNTERS.intersection(path) and isinstance(old, int) and isinstance(new, int):
        most = max(old, new)
        return abs(old - new) / max(0.05 * most, 2 * max(1.0, most / steps))
    a, b = number(old), number(new)
    if path[-1] in ROUND_OFF and (a is not None or b is not None):
        return 0.0
    if a is None or b is None:
        return math.inf
    most = max(abs(a), abs(b))
    if ESTIMATES.intersection(path):
        return abs(a - b) / (0.05 * most + 1e-9)
    return abs(a - b) / (10 * rtol * (most + (1.0 if ERRORS.intersection(path) else 0.01)))


def status(run):
    return run["exit"], (run.get("document") or {}).get("status")


def differences(old, new, options):
    """The fields of two results that differ too much: how far, the field, and both values."""
    before, after = dict(leaves(old)), dict(leaves(new))
    ends = [number(side.get(("document", "final", "time"), (None,))[0], 0.0) for side in (before, after)]
    # Where a run was given up may differ by 5 %, and so what it had reached there.
    moved = options.bounds and ends[0] != ends[1] and status(old) == status(new) and old["exit"] != 0
    for path in dict.fromkeys((*before, *after)):
        a, b = before.get(path, ABSENT), after.get(path, ABSENT)
        if a[0] == b[0] or (options.ignore_messages and MESSAGES.intersection(path)):
            continue
        if moved and path[1:2] in (("final",), ("constraints",)):
            distance = abs(ends[0] - ends[1]) / (0.05 * max(map(abs, ends))) if path[2] == "time" else 0.0
        else:
            distance = (in_bounds if options.bounds else in_bits)(path, a, b)
        if distance > (1.0 if options.bounds else 0.0):
            yield distance, "/".join(path), a[0], b[0]


def group_of(name):
    method = re.search(r"--method ([\w-]+)", name)
    return f"{name.split()[0]} {method[1]}" if method else name.split()[0]


def sums_apart(pairs):
    """The counters that differ too much in their sums over a method's runs that ended the same way."""
    sums = collections.defaultdict(lambda: [0, 0])
    for name, *pair in pairs:
        for side, run in enumerate(pair if status(pair[0]) == status(pair[1]) else ()):
            for counter, value in (run.get("document") or {}).get("statistics", {}).items():
                sums[group_of(name), counter][side] += value
    for (group, counter), (a, b) in sums.items():
        distance = abs(a - b) / max(0.02 * max(a, b), 2)
        if distance > 1.0:
            yield distance, group, f"all runs of {group}", counter, a, b


def all_differences(old, new, options):
    """Differences with their groups, and the names of the runs that timed out."""
    pairs = [(name, old[name], new[name]) for name in old if name in new]
    timed = {name for name, *pair in pairs if any(run["exit"] == "timeout" for run in pair)}
    pairs = [pair for pair in pairs if pair[0] not in timed]
    found = [(math.inf, group_of(name), name, "run", name in old, name in new)
             for name in dict.fromkeys((*old, *new)) if (name in old) != (name in new)]
    for name, a, b in pairs:
        found += ((distance, group_of(name), name, *rest) for distance, *rest in differences(a, b, options))
    if options.bounds:
        found += sums_apart(pairs)
    return found, len(pairs), len(timed)


def shown(value):
    return f"{value} = {number(value)!r}" if number(value) is not None else str(value)[:300]


def compare(options):
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (options.before, options.after))
    lines = options.expected.read_text(encoding="utf-8").splitlines() if options.expected else []
    listed = [line for line in lines if line.strip() and not line.startswith("#")]
    allowed = [re.compile(pattern) for pattern in (*options.allow, *listed)]
    found, compared, timed = all_differences(old, new, options)
    kept = [f for f in found if not any(pattern.search(f"{f[2]} # {f[3]}") for pattern in allowed)]
    groups = collections.defaultdict(list)
    for distance, group, *rest in sorted(kept, key=lambda f: -f[0]):
        groups[group].append((distance, *rest))
    for group, members in groups.items():
        print(f"{group}: {len({m[1] for m in members})} runs differ, the worst by {members[0][0]:.3g}")
        for distance, name, field, a, b in members[:options.show]:
            print(f"  {distance:.3g}  {name} # {field}\n      {shown(a)}\n      {shown(b)}")
    print(f"{compared} runs compared {'within bounds' if options.bounds else 'bit for bit'}: "
          f"{len({f[2] for f in kept})} differ, with {len(kept)} differences; "
          f"{len(found) - len(kept)} differences are expected; {timed} runs timed out and were left out.")
    return 1 if kept else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run a program and keep what it answers")
    recording.add_argument("program", type=pathlib.Path)
    recording.add_argument("-o", "--output", type=pathlib.Path, required=True)
    recording.add_argument("--jobs", type=int, default=os.cpu_count())
    recording.add_argument("--limit", type=int, default=10, help="seconds of CPU time for one run [10]")
    recording.add_argument("--quick", action="store_true", help="the default integrator of each method only")
    recording.add_argument("--models", type=pathlib.Path, action="append", default=[], metavar="DIR")
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before", type=pathlib.Path)
    comparing.add_argument("after", type=pathlib.Path)
    strictness = comparing.add_mutually_exclusive_group()
    strictness.add_argument("--bits", action="store_true", help="everything equal [the default]")
    strictness.add_argument("--bounds", action="store_true", help="equal but for what round-off may change")
    comparing.add_argument("--ignore-messages", action="store_true", help="leave out texts for people")
    comparing.add_argument("--allow", action="append", default=[], metavar="PATTERN")
    comparing.add_argument("--expected", type=pathlib.Path, metavar="FILE")
    comparing.add_argument("--show", type=int, default=5, help="differences printed for each method [5]")
    return parser.parse_args()


def main():
    options = parse_arguments()
    return record(options) if options.command == "record" else compare(options)


if __name__ == "__main__":
    sys.exit(main())
