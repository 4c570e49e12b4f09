#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The table "radau or bdf" of docs/automatic-choice.md: both on the models of bench/stiff, CPU
milliseconds of the run and the greatest relative difference at its end from radau at 1e-12. With
--auto the table of docs/performance.md: the same for the method and the integrator of `auto`.

    bench/stiff.py [--auto] [PROGRAM]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCES = ("1e-4", "1e-6", "1e-8", "1e-10")


def run(program, model, integrator, rtol, repeats):
    choice = ["--method", "direct", "--integrator", integrator] if integrator != "auto" else []
    with tempfile.NamedTemporaryFile(suffix=".csv") as rows:
        words = [program, "simulate", str(model), *choice, "--rtol", rtol,
                 "--atol", str(float(rtol) / 100), "--json", "--timing",
                 "--repeat", str(repeats), "-o", rows.name]
        answer = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
        last = pathlib.Path(rows.name).read_text().splitlines()[-1]
    return answer, [float(value) for value in last.split(",")[1:]]


def main():
    words = [word for word in sys.argv[1:] if word != "--auto"]
    program = words[0] if words else "build/bin/daedal"
    integrators = ("auto",) if "--auto" in sys.argv else ("bdf", "radau")
    print("| problem | " + " | ".join(f"rtol {rtol}" for rtol in TOLERANCES) + " |")
    print("|---|" + "---|" * len(TOLERANCES))
    for model in sorted((HERE / "stiff").glob("*.mo")):
        _, exact = run(program, model, "radau", "1e-12", 1)
        scale = max(abs(value) for value in exact)
        cells = []
        for rtol in TOLERANCES:
            times, errors = [], []
            for integrator in integrators:
                answer, end = run(program, model, integrator, rtol, 5)
                worst = max(abs(a - b) / max(abs(b), 1e-6 * scale) for a, b in zip(end, exact))
                is_whole = answer["status"] == "success"
                times.append(f"{1e3 * answer['timing']['run_s']:.2g}" if is_whole else "-")
                errors.append(f"{worst:.0e}" if is_whole else answer["status"])
            cells.append(f"{' / '.join(times)}; {' / '.join(errors)}")
        print(f"| {model.stem} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
