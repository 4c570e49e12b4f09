#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to set up large models: CPU time from the text to the first step and memory, for each equation.

    scripts/measure-set-up.py build/bin/daedal [--sizes 1000 10000 100000] [--kinds rod blocks ...]

Prints microseconds and kilobytes for each equation as it is written, and the exponent of the time from size to size.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile


def rod(n):
    """Heat with sources, ten operations an equation."""
    yield "  Real " + ", ".join(f"x{i}(start = {1 + i % 7 / 14}, fixed = true)" for i in range(n)) + ";"
    yield "equation"
    for i in range(n):
        left, right = (f"x{i - 1}" if i else "1.0"), (f"x{i + 1}" if i + 1 < n else "0.5")
        yield f"  der(x{i}) = 10*({left} - 2*x{i} + {right}) - 0.1*x{i}*x{i}*x{i} + 0.3*sin(x{i});"


def blocks(n):
    """A state with two algebraic equations in one block, again and again."""
    for i in range(n // 3):
        yield f"  Real x{i}(start = 1, fixed = true), y{i}, z{i};"
    yield "equation"
    for i in range(n // 3):
        yield f"  der(x{i}) = -x{i} + y{i}*z{i};"
        yield f"  y{i} + 0.1*y{i}*z{i} = 1 + 0.2*sin(x{i});"
        yield f"  z{i} = 0.5*y{i} + x{i} + 0.01*z{i}^3;"


def initial(n):
    """As many initial equations, nonlinear, as states."""
    for i in range(n):
        yield f"  Real x{i}(start = 1);"
    yield "initial equation"
    for i in range(n):
        yield f"  x{i} + 0.1*x{i}^3 - 0.2*x{max(i - 1, 0)} = 1;"
    yield "equation"
    for i in range(n):
        yield f"  der(x{i}) = -x{i} + 0.1*x{(i + 1) % n};"


def capacitors(n):
    """Capacitors in loops with sources, index 2, for dummy derivatives."""
    for i in range(n // 3):
        yield f"  Real a{i}(start = 1, fixed = true), b{i}, i{i};"
    yield "equation"
    for i in range(n // 3):
        source = f"b{i - 1}" if i else "time"
        yield f"  der(a{i}) = i{i} - a{i}; 2*der(b{i}) = -i{i} + sin(time) - b{i}; a{i} = b{i} + 0.1*{source};"


def chain(n):
    """A hanging chain of rods in the plane, index 3, five equations a link."""
    links = n // 5
    for i in range(1, links + 1):
        yield f"  Real x{i}(start = {i}), y{i}(start = 0, fixed = true), u{i}, v{i}(start = 0, fixed = true), l{i};"
    yield "equation"
    for i in range(1, links + 1):
        dx, dy = (f"(x{i} - x{i - 1})", f"(y{i} - y{i - 1})") if i > 1 else ("x1", "y1")
        below = [f" + l{i + 1}*({c}{i + 1} - {c}{i})" if i < links else "" for c in "xy"]
        yield f"  der(x{i}) = u{i}; der(u{i}) = -l{i}*{dx}{below[0]};"
        yield f"  der(y{i}) = v{i}; der(v{i}) = -l{i}*{dy}{below[1]} - 9.81;"
        yield f"  {dx}^2 + {dy}^2 = 1;"


KINDS = {kind.__name__: kind for kind in (rod, blocks, initial, capacitors, chain)}


def measure(program, kind, size):
    with tempfile.NamedTemporaryFile("w", suffix=".mo") as text:
        text.write("model Large\n" + "\n".join(KINDS[kind](size)) + "\nend Large;\n")
        text.flush()
        words = [program, "simulate", text.name, "--timing", "--json", "--stop-time", "1e-9"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE)
        out = process.stdout.read()
        usage = os.wait4(process.pid, 0)[2]
    return json.loads(out)["timing"]["setup_s"], usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10000, 100000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        last = None
        for size in arguments.sizes:
            seconds, kilobytes = measure(arguments.program, kind, size)
            exponent = f"{math.log(seconds / last[1]) / math.log(size / last[0]):6.2f}" if last else ""
            print(f"{kind:10} {size:8} {1e6 * seconds / size:8.1f} us {kilobytes / size:7.2f} kB {exponent}", flush=True)
            last = (size, seconds)


if __name__ == "__main__":
    main()
