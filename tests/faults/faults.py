#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults from outside: the program is killed or interrupted at random instants, its disk is full, its folder read-only.

After each of them: no file is half-written, what was at the output's place is there or replaced as a whole, the exit
code tells what happened, and the same command, or --resume, comes to the bits of a run that nobody disturbed.

    faults.py [--daedal PROGRAM] [--kills N] [--seed N]
"""
import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Exit codes of the program (docs/cli.md).
RUN_FAILED = 1
MISUSE = 2
INTERRUPTED = 130

# The step is bounded so that a run takes about two seconds: long enough for rows to be streamed.
OSCILLATOR = """model Oscillator
  parameter Real k = 1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), e;
equation
  der(x) = v;
  der(v) = -k*x;
  e = (v^2 + k*x^2)/2;
end Oscillator;
"""
BEFORE = "what was here before\n"


class Fault(Exception):
    """A promise that was not kept."""


def require(condition, text):
    if not condition:
        raise Fault(text)


class Bench:
    """A folder with a model, and the program run in it."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.model = folder / "oscillator.mo"
        self.model.write_text(OSCILLATOR)

    def path(self, name):
        return self.folder / name

    def start(self, arguments, **options):
        return subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, **options)

    def run(self, arguments, **options):
        """Exit code and words of a run that nobody disturbs."""
        process = self.start(arguments, **options)
        words, _ = process.communicate(timeout=600)
        return process.returncode, words

    def disturb(self, arguments, sign, seconds):
        """Those of a run that is sent a signal after so long; it may be over before."""
        process = self.start(arguments)
        try:
            words, _ = process.communicate(timeout=seconds)
            return process.returncode, words
        except subprocess.TimeoutExpired:
            process.send_signal(sign)
            words, _ = process.communicate(timeout=600)
            return process.returncode, words


def timed(bench, arguments):
    begin = time.monotonic()
    code, words = bench.run(arguments)
    require(code == 0, f"a run that nobody disturbs ended with {code}: {words}")
    return time.monotonic() - begin


def check_rows(text, whole, what):
    """`text` must be the first rows of `whole`."""
    require(text.endswith("\n"), f"{what} ends within a row")
    require(whole.startswith(text), f"{what} has rows that the whole run does not have")


def is_told(code, sign):
    """Those of a run that was sent a catchable signal, or was over before or had not begun to catch it."""
    return code in (0, INTERRUPTED, -sign)


class Rows:
    """simulate -o: the file is replaced as a whole, or keeps what was there."""

    name = "simulate -o"

    def __init__(self, bench):
        self.bench = bench
        self.output = bench.path("rows.csv")
        self.part = bench.path("rows.csv.part")
        self.command = ["simulate", bench.model, "--stop-time", "2000", "--max-step", "0.005", "--max-steps", "10000000",
                        "--interval", "0.5", "--quiet", "-o", self.output]
        self.seconds = timed(bench, self.command)
        self.whole = self.output.read_text()

    def disturb(self, sign, seconds):
        self.output.write_text(BEFORE)
        self.part.unlink(missing_ok=True)
        code, words = self.bench.disturb(self.command, sign, seconds)
        now = self.output.read_text()
        if sign == signal.SIGKILL:
            require(now in (BEFORE, self.whole), "the output is neither what it was nor the whole run")
            if self.part.exists() and self.part.stat().st_size > 0:
                check_rows(self.part.read_text(), self.whole, "the .part file")
            return "rows kept" if self.part.exists() else "no rows yet" if now == BEFORE else "over before"
        require(is_told(code, sign), f"exit code {code}: {words}")
        require(not self.part.exists(), "a .part file is left")
        if now != BEFORE:
            check_rows(now, self.whole, "the output")
        return "over before" if code == 0 else "no rows yet" if now == BEFORE else "rows kept"


class Checkpointed:
    """simulate --checkpoint: the same command goes on, to the rows of the run that was saved there."""

    name = "simulate --checkpoint"

    def __init__(self, bench):
        self.bench = bench
        self.file = bench.path("run.checkpoint")
        self.output = bench.path("saved.csv")
        self.command = ["simulate", bench.model, "--stop-time", "500", "--max-step", "0.005", "--max-steps", "10000000",
                        "--interval", "50", "--rtol", "1e-9", "--quiet", "-o", self.output, "--checkpoint", self.file,
                        "--checkpoint-every", "0.02s", "--resume", self.file]
        self.seconds = timed(bench, self.command)
        self.whole = self.output.read_text().splitlines()
        self.file.unlink(missing_ok=True)

    def disturb(self, sign, seconds):
        self.file.unlink(missing_ok=True)
        self.output.unlink(missing_ok=True)
        code, words = self.bench.disturb(self.command, sign, seconds)
        if sign != signal.SIGKILL:
            require(is_told(code, sign), f"exit code {code}: {words}")
        saved = self.file.exists()
        code, words = self.bench.run(self.command)
        require(code == 0, f"the run does not go on ({code}): {words}")
        rows = self.output.read_text().splitlines()
        require(len(rows) == len(self.whole), f"{len(rows)} rows instead of {len(self.whole)}")
        for row, expected in zip(rows[1:], self.whole[1:]):
            # Steps begin anew where a run is saved: the same solution within the tolerance, not the same bits.
            for a, b in zip(row.split(","), expected.split(",")):
                require(abs(float(a) - float(b)) < 1e-5, f"a row is {row}, not {expected}")
        return "went on" if saved else "from the start"


class Sweep:
    """sweep -o: the same command goes on, runs nothing twice and writes the tables that it writes undisturbed."""

    name = "sweep -o"
    tables = ("results.csv", "statistics.csv", "failures.csv")

    def __init__(self, bench):
        self.bench = bench
        self.folder = bench.path("sweep")
        self.command = ["sweep", bench.model, "-p", "k=1:0.1:4", "--stop-time", "20", "--max-step", "0.005", "--max-steps",
                        "10000000", "--quiet", "-j", "2", "-o", self.folder]
        self.seconds = timed(bench, self.command)
        self.whole = self.read()

    def read(self):
        return [(self.folder / name).read_text() for name in self.tables]

    def disturb(self, sign, seconds):
        shutil.rmtree(self.folder, ignore_errors=True)
        code, words = self.bench.disturb(self.command, sign, seconds)
        if sign != signal.SIGKILL:
            require(is_told(code, sign), f"exit code {code}: {words}")
        journal = self.folder / "journal"
        lines = journal.read_text().split("\n")[1:-1] if journal.exists() else []
        code, words = self.bench.run(self.command)
        require(code == 0, f"the sweep does not go on ({code}): {words}")
        require(self.read() == self.whole, "the tables differ from those of a sweep that nobody disturbed")
        after = journal.read_text().split("\n")[1:-1]
        require(after[:len(lines)] == lines, "a run that was finished was lost")
        given = collections.Counter(str(json.loads(line)["given"]) for line in after)
        require(max(given.values()) == 1, "a run was run twice")
        return "went on" if 0 < len(lines) < len(after) else "from the start" if not lines else "over before"


def disturb_at_random(subject, n, rng):
    kinds = collections.Counter()
    for i in range(n):
        # Two of three are killed; the others are asked to stop.
        sign = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGINT)[i % 6]
        # Up to a little after the end, which on a machine that others use comes later than it did once.
        seconds = rng.uniform(0.0, 1.1 * subject.seconds)
        try:
            kinds[subject.disturb(sign, seconds)] += 1
        except Fault as fault:
            raise Fault(f"{subject.name}, {sign.name} after {seconds:.4f} s: {fault}") from None
    print(f"{subject.name}: {n} signals, {', '.join(f'{kind} {count}' for kind, count in sorted(kinds.items()))}")


def fill(disk):
    try:
        with open(disk / "filler", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1024))
    except OSError:
        pass


def full_disk(bench):
    """A file system of 64 kB: what fits is there in whole rows, what was there before stays, the exit code tells."""
    disk = bench.path("disk")
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode != 0:
        print("full disk: not tried, a file system cannot be mounted here")
        return
    try:
        output = disk / "rows.csv"
        output.write_text(BEFORE)
        whole = bench.path("whole.csv")
        command = ["simulate", bench.model, "--stop-time", "100", "--interval", "0.01", "--quiet", "-o"]
        require(bench.run([*command, whole])[0] == 0, "the run fails")
        for name in ("rows.csv", "rows.json", "rows.mat"):
            code, words = bench.run([*command, disk / name])
            require(code == MISUSE and "disk is full" in words, f"{name}: exit code {code}: {words}")
            require(output.read_text() == BEFORE, "what was there before is gone")
            part = disk / (name + ".part")
            require(part.exists() == (name == "rows.csv"), "only rows are kept in part")
            if part.exists():
                check_rows(part.read_text(), whole.read_text(), "the .part file")
                part.unlink()
        for arguments in (["simulate", bench.model, "--stop-time", "1", "--quiet", "--report", disk / "run.html"],
                          ["sweep", bench.model, "-p", "k=1:0.01:4", "--stop-time", "1", "--quiet", "-o", disk / "sweep"]):
            code, words = bench.run(arguments)
            require(code == MISUSE and ("disk is full" in words or "No space left" in words),
                    f"{arguments[0]}: exit code {code}: {words}")
            require(not list(disk.glob("run.html*")), "half a report")
        # A checkpoint that does not fit is told; the one before it stays whole.
        shutil.rmtree(disk / "sweep")
        saved = disk / "run.checkpoint"
        command = ["simulate", bench.model, "--stop-time", "500", "--max-step", "0.005", "--interval", "100",
                   "--checkpoint", saved, "--checkpoint-every", "0.02s"]
        code, words = bench.run([*command, "--max-steps", "20000"])
        require(code != 0 and saved.exists(), f"no checkpoint: {words}")
        before = saved.read_bytes()
        fill(disk)
        code, words = bench.run([*command, "--max-steps", "10000000", "--resume", saved])
        require(code == 0 and "disk is full" in words, f"a checkpoint that does not fit: exit code {code}: {words}")
        require(saved.read_bytes() == before, "the checkpoint before it is gone")
        print("full disk: told, whole rows kept")
    finally:
        subprocess.run(["umount", disk], check=True)


def read_only_folder(bench):
    """A folder that nobody may write to: refused before the run, with nothing changed."""
    folder = bench.path("locked")
    folder.mkdir()
    output = folder / "rows.csv"
    output.write_text(BEFORE)
    os.chmod(bench.folder, 0o755)
    os.chmod(folder, 0o555)
    # Root may write everywhere.
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        for arguments in (["simulate", bench.model, "-o", output], ["simulate", bench.model, "--report", folder / "a.html"],
                          ["simulate", bench.model, "--checkpoint", folder / "c"],
                          ["sweep", bench.model, "-p", "k=1,2", "-o", folder],
                          ["sweep", bench.model, "-p", "k=1,2", "-o", folder / "new"]):
            begin = time.monotonic()
            code, words = bench.run([*arguments, "--stop-time", "1e9", "--max-steps", "1000000000"], **nobody)
            require(code == MISUSE and "cannot be" in words, f"{arguments[0]}: exit code {code}: {words}")
            require(time.monotonic() - begin < 300.0, "refused after the run")
            require(sorted(p.name for p in folder.iterdir()) == ["rows.csv"] and output.read_text() == BEFORE,
                    "the folder has changed")
    finally:
        os.chmod(folder, 0o755)
    print("read-only folder: refused before the run")


def out_of_memory(bench):
    """A run whose rows exceed the memory: told, and the rows up to there are the output."""
    output = bench.path("many.csv")
    output.write_text(BEFORE)
    limit = 256 << 20
    code, words = bench.run(["simulate", bench.model, "--stop-time", "1e4", "--interval", "1e-4", "--max-steps", "1000000000",
                             "--quiet", "-o", output],
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    require(code == RUN_FAILED and "memory" in words, f"exit code {code}: {words}")
    part = bench.path("many.csv.part")
    kept = part if part.exists() else output
    with open(kept, "rb") as file:
        require(file.readline() == b"time,x,v,e\n", "no rows are kept")
        file.seek(-1, os.SEEK_END)
        require(file.read() == b"\n", "the rows end within one")
    require(not part.exists() or output.read_text() == BEFORE, "rows in two places")
    print("out of memory: told, rows kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daedal", default=ROOT / "build/bin/daedal")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="daedal-faults-"))
    try:
        bench = Bench(arguments.daedal, folder)
        full_disk(bench)
        read_only_folder(bench)
        out_of_memory(bench)
        subjects = (Rows, Checkpointed, Sweep)
        for i, subject in enumerate(subjects):
            disturb_at_random(subject(bench), (arguments.kills + i) // len(subjects), rng)
    except Fault as fault:
        print(f"fault: {fault}\nThe files are in {folder}.")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
