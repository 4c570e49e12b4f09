#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzes the whole program with mutated model texts, options and CSV files.

Mutations know the structure of what they change: texts are cut into words, numbers, brackets and lines, which are
exchanged, repeated, nested and replaced by edge cases; options are drawn from the program's own help and catalogue.
Whatever comes of it, the program ends in time and memory with one of its exit codes, --json prints one document, and
no sanitizer has found anything. A finding is kept as a folder with its files and its command.

    program_fuzz.py --seconds 600 [--daedal build-asan/bin/daedal] [--seed N] [--jobs N] [--findings FOLDER]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# docs/statuses.md and docs/command-line.md: success, run failed, misuse, model error, interrupted.
EXIT_CODES = {0, 1, 2, 3, 130}
RUN_SECONDS = 2.0  # --time-limit
SECONDS = 60.0  # after which a run hangs: reading has limits of its own, sanitizers cost a factor of ten
# No argument of a command may have 128 KiB; a character has up to four bytes.
LONGEST_WORD = 30_000

TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[A-Za-z_][\w.]*|\d+\.?\d*(?:[eE][+-]?\d+)?|[<>=:]=|<>|\s+|.", re.S)
NUMBERS = ["0", "1", "-1", "2", "3", "0.5", "1e-30", "1e30", "1e308", "1e-320", "1e999", "2147483647", "2147483648",
           "9007199254740993", "0.1", "100", "1000", "99999999999999999999", "3.", ".5", "1e", "0x1"]
WORDS = ["der", "pre", "edge", "change", "initial", "sample", "noEvent", "smooth", "if", "then", "else", "elseif", "when",
         "elsewhen", "end", "for", "loop", "in", "while", "equation", "algorithm", "initial equation", "model", "function",
         "record", "parameter", "constant", "discrete", "input", "output", "Real", "Integer", "Boolean", "String", "each",
         "start", "fixed", "nominal", "min", "max", "unit", "stateSelect", "time", "true", "false", "and", "or", "not", "sin",
         "cos", "tan", "exp", "log", "sqrt", "abs", "sign", "atan2", "mod", "div", "rem", "floor", "ceil", "integer", "sum",
         "product", "zeros", "ones", "fill", "identity", "transpose", "cross", "size", "ndims", "vector", "matrix", "linspace",
         "reinit", "assert", "terminate", "homotopy", "delay", "spatialDistribution", "semiLinear", "cardinality", "x", "y",
         "lagrangian", "coordinates", "kinetic", "potential", "force", "constraint", "annotation", "experiment", "StopTime"]
PUNCTUATION = list("()[]{},;:=+-*/^.<>") + [".*", "./", ":=", "<=", "==", "<>", "\"", "//", "/*", "*/", "'"]


class Mutator:
    def __init__(self, rng, texts):
        self.rng = rng
        self.texts = texts

    def span(self, tokens):
        begin = self.rng.randrange(len(tokens) + 1)
        return begin, min(len(tokens), begin + 1 + int(self.rng.expovariate(0.3)))

    def nested(self, tokens):
        """A bracketed part, or a single token."""
        opens = [i for i, token in enumerate(tokens) if token in "([{"]
        if not opens:
            return self.span(tokens)
        begin = self.rng.choice(opens)
        depth = 0
        for i in range(begin, len(tokens)):
            depth += (tokens[i] in "([{") - (tokens[i] in ")]}")
            if depth == 0:
                return begin, i + 1
        return begin, len(tokens)

    def mutate(self, text):
        tokens = TOKEN.findall(text)
        for _ in range(1 + int(self.rng.expovariate(0.7))):
            if not tokens:
                return self.rng.choice(self.texts)
            kind = self.rng.randrange(12)
            a, b = self.span(tokens) if self.rng.random() < 0.6 else self.nested(tokens)
            if kind == 0:
                del tokens[a:b]
            elif kind == 1:
                tokens[a:a] = tokens[a:b]
            elif kind == 2:
                tokens[a:b] = [self.rng.choice(NUMBERS)]
            elif kind == 3:
                tokens[a:a + 1] = [self.rng.choice(WORDS)]
            elif kind == 4:
                tokens[a:a] = [" ", self.rng.choice(PUNCTUATION), " "]
            elif kind == 5:  # a word or number in the place of another one of its kind
                places = [i for i, token in enumerate(tokens) if token[:1].isalnum()]
                if places:
                    tokens[self.rng.choice(places)] = tokens[self.rng.choice(places)]
            elif kind == 6:
                c, d = self.span(tokens)
                tokens[c:c] = tokens[a:b]
            elif kind == 7:  # a part of another text
                other = TOKEN.findall(self.rng.choice(self.texts))
                c, d = self.span(other)
                tokens[a:b] = other[c:d + self.rng.randrange(30)]
            elif kind == 8:  # nesting
                n = self.rng.choice([1, 2, 10, 100, 3000])
                word = self.rng.choice(["(", "-", "sin(", "not ", "{", "if x > 0 then 1 else ", "[", "der("])
                tokens[a:a] = [word * n]
                tokens[b + 1:b + 1] = [{"(": ")", "{": "}", "[": "]"}.get(word[-1], "") * n]
            elif kind == 9:  # lines
                lines = "".join(tokens).split("\n")
                i, j = self.rng.randrange(len(lines)), self.rng.randrange(len(lines))
                change = self.rng.randrange(3)
                if change == 0:
                    lines[i], lines[j] = lines[j], lines[i]
                elif change == 1:
                    lines[i:i] = [lines[j]] * self.rng.choice([1, 1, 3, 50])
                else:
                    del lines[i]
                tokens = TOKEN.findall("\n".join(lines))
            elif kind == 10:  # an operator and an operand
                tokens[b:b] = [self.rng.choice(["+", "-", "*", "/", "^", " > ", " and "]), self.rng.choice(NUMBERS + WORDS)]
            else:  # bytes
                data = bytearray("".join(tokens).encode())
                if data:
                    data[self.rng.randrange(len(data))] = self.rng.randrange(256)
                tokens = TOKEN.findall(data.decode("latin-1"))
        return "".join(tokens)


def seeds():
    """Small models of all kinds."""
    texts = [path.read_text() for folder in ("examples", "problems", "tests/fuzz/corpus")
             for path in sorted((ROOT / folder).glob("*.mo"))]
    return [text for text in texts if len(text) < 8000]


class Fuzzer:
    """Draws commands and the files that they read."""

    def __init__(self, rng, texts, catalogue):
        self.rng = rng
        self.texts = texts
        self.models = Mutator(rng, texts)
        self.methods = [self.with_fields(row) for row in catalogue["methods"]]
        self.integrators = [self.with_fields(row) for row in catalogue["integrators"]]
        self.values = Mutator(rng, ["x=1", "k=0:0.1:1", "m~normal(1,0.1)", "u=sin(3*time)", "a=1,2,3", "*", "der(x)", "x[1,2]",
                                    "rod(0,0; x,y) body(x,y)", "x = sin(a); y = -cos(a)", "60s", "baumgarte:alpha=5,beta=5"])
        self.csv = Mutator(rng, ["time,u\n0,1\n1,2\n2,-1\n", "time,x,y\n0,1,0\n0.5,2,1e-3\n1,nan,inf\n",
                                 "\"time\",\"a b\"\n0,\"1\"\n1,2\n", "time;u\n0;1,5\n1;2\n", "k,m\n1,2\n3,4\n"])

    @staticmethod
    def with_fields(row):
        fields = row.get("parameters", row.get("fields", []))
        return row["name"], [field["name"] for field in fields if isinstance(field, dict)]

    def number(self):
        return self.rng.choice(NUMBERS + ["-0.0", "nan", "inf", "-1e-9", "1e-12", "1e-3", "5"])

    def choice(self, rows):
        name, fields = self.rng.choice(rows)
        if fields and self.rng.random() < 0.4:
            name += ":" + ",".join(f"{f}={self.number()}" for f in self.rng.sample(fields, self.rng.randint(1, min(3, len(fields)))))
        return name if self.rng.random() < 0.9 else self.values.mutate(name)

    def options(self):
        table = {"--method": lambda: self.choice(self.methods), "--integrator": lambda: self.choice(self.integrators),
                 "--stop-time": self.number, "--start-time": self.number, "--rtol": self.number, "--atol": self.number,
                 "--interval": self.number, "--step": self.number, "--max-step": self.number, "--initial-step": self.number,
                 "--max-steps": self.number, "-p": lambda: self.rng.choice("abkmgLxRC") + "=" + self.number(),
                 "--start": lambda: self.rng.choice("xyuvh") + "=" + self.number(),
                 "--variables": lambda: self.values.mutate("x*"), "-i": lambda: self.values.mutate("u=sin(time)"),
                 "--chart": lambda: self.values.mutate("x = sin(a); y = -cos(a)"),
                 "--interpolation": lambda: self.rng.choice(["linear", "hold", "smooth", "x"])}
        words = []
        for option in self.rng.sample(sorted(table), self.rng.choice([0, 0, 1, 1, 2, 3, 5])):
            words += [option, table[option]()]
        return words

    def command(self, folder):
        rng = self.rng
        text = rng.choice(self.texts)
        if rng.random() < 0.8:
            text = self.models.mutate(text)
        (folder / "m.mo").write_text(text, errors="replace")
        name = rng.choices(["simulate", "analyze", "solve-bvp", "sweep", "compare", "info", "report"], [10, 4, 3, 3, 1, 1, 1])[0]
        words = [name, "m.mo", "--json"]
        if name == "report":
            (folder / "r.json").write_text(self.values.mutate('{"model": "x", "status": "success", "columns": {"time": [0, 1], '
                                                              '"x": [1, 2]}}'))
            return ["report", "r.json", "-o", "r.html"]
        if name == "info":
            return words
        words += ["--time-limit", str(RUN_SECONDS)]
        if name in ("simulate", "sweep"):
            words += self.options()
        if name == "solve-bvp" and rng.random() < 0.3:
            words += ["--rtol", self.number()]
        if name == "compare":
            words += ["--methods", self.choice(self.methods) + ",auto"]
        if name == "sweep":
            words += rng.choice([["-p", self.values.mutate("k=1:0.5:3")], ["--random", self.values.mutate("k~normal(1,0.1)"),
                                 "--samples", "4"], ["--members", "t.csv"]])
            words += ["-j", "2"]
        if rng.random() < 0.3 or "t.csv" in words:
            (folder / "t.csv").write_text(self.csv.mutate(rng.choice(self.csv.texts)), errors="replace")
            if "t.csv" not in words and name == "simulate":
                words += ["-i", "t.csv"]
        if name == "simulate" and rng.random() < 0.2:
            words += rng.choice([["-o", "o.csv"], ["-o", "o.mat"], ["--report", "o.html"], ["--checkpoint", "c"]])
        return words


def limits():
    # The address sanitizer reserves terabytes: only the processor can be limited here.
    resource.setrlimit(resource.RLIMIT_CPU, (int(2 * SECONDS), int(2 * SECONDS) + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(program, words, folder):
    """What is wrong with a run; nothing where all is well."""
    environment = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=3000:allocator_may_return_null=0:detect_leaks=1",
                   "UBSAN_OPTIONS": "print_stacktrace=1"}
    begin = time.monotonic()
    try:
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, timeout=20 * SECONDS, env=environment,
                              preexec_fn=limits, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "hangs"
    except ValueError:
        return ""  # a null byte, which no command line can have
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in EXIT_CODES or "Sanitizer" in errors or "runtime error" in errors:
        return f"exit code {done.returncode} after {time.monotonic() - begin:.1f} s\n{errors[-6000:]}"
    if "--json" in words:
        try:
            json.loads(done.stdout)
        except ValueError as error:
            return f"no JSON document: {error}\n{done.stdout[:2000]!r}"
    if "internal" in done.stdout.decode(errors="replace")[:200] and "\"internal\"" in done.stdout.decode(errors="replace"):
        return f"an internal error\n{done.stdout[:2000]!r}"
    return ""


def try_one(program, fuzzer, seed, findings):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="daedal-fuzz-"))
    words = [word.replace("\0", "")[:LONGEST_WORD] for word in fuzzer.command(folder)]
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    wrong = judge(program, words, folder)
    shutil.rmtree(folder)
    if wrong:
        kept = findings / str(seed)
        kept.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (kept / name).write_bytes(content)
        (kept / "command").write_text(shlex.join([str(program), *words]) + "\n")
        (kept / "finding").write_text(wrong)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daedal", default=ROOT / "build-asan/bin/daedal", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--findings", type=pathlib.Path, default=ROOT / "build-fuzz/findings")
    arguments = parser.parse_args()
    program = arguments.daedal.resolve()
    texts = seeds()
    catalogue = json.loads(subprocess.run([program, "methods", "--json"], capture_output=True, text=True).stdout)
    end = time.monotonic() + arguments.seconds
    n_runs = n_findings = 0

    def run(seed):
        if time.monotonic() > end:
            return None
        return try_one(program, Fuzzer(random.Random(seed), texts, catalogue), seed, arguments.findings)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        seed = arguments.seed * 1_000_000
        while time.monotonic() < end:
            batch = range(seed, seed + 20 * arguments.jobs)
            seed = batch.stop
            for number, wrong in zip(batch, pool.map(run, batch)):
                n_runs += wrong is not None
                if wrong:
                    n_findings += 1
                    print(f"{arguments.findings}/{number}: {wrong.splitlines()[0]}", flush=True)
    print(f"{n_runs} runs, {n_findings} findings")
    return 1 if n_findings else 0


if __name__ == "__main__":
    sys.exit(main())
