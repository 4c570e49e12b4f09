# SPDX-License-Identifier: BSD-3-Clause
"""Manufactured DAEs of index 0 to 5, drawn by seed.

The solution is chosen first: sums of sines and decaying exponentials, whose derivatives are of the
same kind. The equations of a family of known index then get the forcing that makes the chosen
functions their solution. Every problem can be written in other units of time and of its variables,
with its equations in another order, multiplied by factors, and with further variables that repeat
what is known; the solution stays the chosen one, in the new units.
"""

import math
import random
from dataclasses import dataclass, field


class Function:
    """A sum of terms a sin(w t + p) and a exp(-d t), with a constant."""

    def __init__(self, constant, sines, decays):
        self.constant, self.sines, self.decays = constant, sines, decays

    @staticmethod
    def draw(random_):
        sines = [
            (random_.uniform(0.3, 1.5), random_.uniform(0.5, 4.0), random_.uniform(0.0, 6.0))
            for _ in range(random_.choice([1, 1, 2]))
        ]
        decays = [(random_.uniform(-1.0, 1.0), random_.uniform(0.3, 2.0))]
        return Function(random_.uniform(-1.0, 1.0), sines, decays)

    def __call__(self, t):
        value = self.constant
        value += sum(a * math.sin(w * t + p) for a, w, p in self.sines)
        return value + sum(a * math.exp(-d * t) for a, d in self.decays)

    def derivative(self):
        sines = [(a * w, w, p + 0.5 * math.pi) for a, w, p in self.sines]
        return Function(0.0, sines, [(-a * d, d) for a, d in self.decays])

    def text(self):
        terms = [repr(self.constant)]
        terms += [f"{a!r}*sin({w!r}*T + {p!r})" for a, w, p in self.sines]
        terms += [f"{a!r}*exp(-{d!r}*T)" for a, d in self.decays]
        return "(" + " + ".join(terms) + ")"


@dataclass
class Dae:
    """Equations in which @x@ is a variable, @x'@ its derivative and T the time."""

    index: int
    solution: dict = field(default_factory=dict)  # name -> Function
    equations: list = field(default_factory=list)  # (left, right) texts
    fixed: set = field(default_factory=set)
    depth: dict = field(default_factory=dict)  # derivatives of time in a variable's unit

    def balance(self, name_or_text, right, exact):
        """left = right + forcing, where forcing makes `exact` texts agree."""
        self.equations.append((name_or_text, f"{right} + {exact}"))


def substitute(text, solution):
    """The same text with the solution in the place of the unknowns."""
    for name, function in solution.items():
        text = text.replace(f"@{name}'@", function.derivative().text())
        text = text.replace(f"@{name}@", function.text())
    return text


def add(dae, left, right):
    """left = right, with the forcing that makes the solution one of it."""
    forcing = f"({substitute(left, dae.solution)}) - ({substitute(right, dae.solution)})"
    dae.equations.append((left, f"{right} + ({forcing})"))


def linear(random_, names, size):
    return " + ".join(f"{random_.uniform(-size, size):.6f}*@{name}@" for name in names)


def draw(seed):
    """A DAE of index seed mod 6."""
    random_ = random.Random(seed)
    index = seed % 6
    dae = Dae(index)

    def new(name, function=None, depth=0):
        dae.solution[name] = function or Function.draw(random_)
        dae.depth[name] = depth
        return name

    n = random_.randint(2, 4)
    states = [new(f"x{i}") for i in range(1, n + 1)]
    if index <= 1:
        algebraic = [new(f"y{i}") for i in range(1, 1 + index * random_.randint(1, 3))]
        for i, x in enumerate(states):
            other = states[(i + 1) % n]
            right = (
                f"-{random_.uniform(0.5, 3.0):.6f}*@{x}@ + {linear(random_, states, 0.3)}"
                f" + {random_.uniform(-0.5, 0.5):.6f}*sin(@{other}@)"
            )
            if algebraic:
                right += f" + {random_.uniform(-0.5, 0.5):.6f}*@{random_.choice(algebraic)}@"
            add(dae, f"@{x}'@", right)
            dae.fixed.add(x)
        for y in algebraic:
            left = f"@{y}@ + {random_.uniform(-0.5, 0.5):.6f}*sin(@{y}@)"
            others = [z for z in algebraic if z != y]
            right = linear(random_, states, 0.7)
            if others:
                right += " + " + linear(random_, others, 0.2)
            add(dae, left, right)
    elif index == 2:
        m = random_.randint(1, n - 1)
        multipliers = [new(f"z{i}") for i in range(1, m + 1)]
        rows = [[random_.uniform(-1.0, 1.0) for _ in states] for _ in range(m)]
        for k in range(m):
            rows[k][k] += 3.0  # C Cᵀ is regular
        for i, x in enumerate(states):
            right = f"-{random_.uniform(0.5, 2.0):.6f}*@{x}@ + {linear(random_, states, 0.3)}"
            right += f" + {random_.uniform(-0.3, 0.3):.6f}*@{x}@*@{states[0]}@"
            right += "".join(f" + ({rows[k][i]:.6f})*@{z}@" for k, z in enumerate(multipliers))
            add(dae, f"@{x}'@", right)
        for k in range(m):
            left = " + ".join(f"({rows[k][i]:.6f})*@{x}@" for i, x in enumerate(states))
            add(dae, left + f" + 0.1*sin(@{states[k]}@)", "0")
    elif index == 3:
        velocities = [new(f"v{i}", dae.solution[x].derivative(), 1) for i, x in enumerate(states, 1)]
        force = new("f", depth=2)
        row = [random_.uniform(0.5, 2.0) * random_.choice([-1, 1]) for _ in states]
        for x, v in zip(states, velocities):
            dae.equations.append((f"@{x}'@", f"@{v}@"))
        for i, v in enumerate(velocities):
            right = f"{linear(random_, states, 1.0)} - {random_.uniform(0.1, 1.0):.6f}*@{v}@"
            add(dae, f"@{v}'@", right + f" + ({row[i]:.6f})*@{force}@")
        left = " + ".join(f"({row[i]:.6f})*@{x}@" for i, x in enumerate(states))
        add(dae, left + f" + 0.2*sin(@{states[0]}@)", "0")
    else:
        chain = [new("s1")]
        for k in range(2, index):
            chain.append(new(f"s{k}", depth=k - 1))
        last = new("z", depth=index - 1)
        for s, following in zip(chain, chain[1:] + [last]):
            add(dae, f"@{s}'@", f"@{following}@ + 0.2*sin(@{s}@)")
        add(dae, f"@{chain[0]}@", "0")
        for i, x in enumerate(states):
            right = f"-{random_.uniform(0.5, 2.0):.6f}*@{x}@ + {linear(random_, states, 0.2)}"
            add(dae, f"@{x}'@", right + f" + {random_.uniform(-0.5, 0.5):.6f}*@{chain[-1]}@")
            dae.fixed.add(x)
    return dae


@dataclass
class Units:
    """How a problem is written."""

    time: float = 1.0  # one unit of the problem's time is this many of the written one
    variables: dict = field(default_factory=dict)  # name -> factor
    nominal: bool = False
    seed: int = 0  # 0: equations in their order, without factors and repetitions

    def factor(self, name):
        return self.variables.get(name, 1.0)


def draw_units(seed, dae, time=None, size=5.0):
    """Random units: time by 1e-12 to 1e8, variables by 10^±size with nominal values."""
    random_ = random.Random(7919 * seed + 17)
    units = Units(seed=seed + 1)
    units.time = 10.0 ** random_.uniform(-12.0, 8.0) if time is None else time
    units.nominal = size > 0.0
    units.variables = {name: 10.0 ** random_.uniform(-size, size) for name in dae.solution}
    return units


def write(dae, units):
    """The model text."""
    random_ = random.Random(units.seed)
    t0 = "(time)" if units.time == 1.0 else f"(time/{units.time!r})"

    def with_units(text):
        for name in dae.solution:
            s = units.factor(name)
            scaled = f"{name}" if s == 1.0 else f"({name}/{s!r})"
            rate = units.time / s
            slope = f"der({name})" if rate == 1.0 else f"({rate!r}*der({name}))"
            text = text.replace(f"@{name}'@", slope).replace(f"@{name}@", scaled)
        return text.replace("T", t0)

    lines, extra = [], []
    for left, right in dae.equations:
        if units.seed:
            factor = 10.0 ** random_.uniform(-3.0, 3.0)
            left, right = f"{factor!r}*({left})", f"{factor!r}*({right})"
        if units.seed and random_.random() < 0.3:
            left, right = right, left
        lines.append(f"  {with_units(left)} = {with_units(right)};")
    if units.seed:
        first, second = random_.choice(list(dae.solution)), random_.choice(list(dae.solution))
        a, b = units.factor(first), units.factor(second)
        extra = [f"  Real r1, r2;"]
        lines.append(f"  r1 = {first}/{a!r} + {second}/{b!r};")
        lines.append(f"  r2 - {second}/{b!r} + {first}/{a!r} = r1 - {second}/{b!r};")
        random_.shuffle(lines)
    declarations = []
    for name, function in dae.solution.items():
        s = units.factor(name)
        attributes = [f"start = {s * function(0.0)!r}"]
        if name in dae.fixed:
            attributes.append("fixed = true")
        if units.nominal:
            attributes.append(f"nominal = {s!r}")
        declarations.append(f"  Real {name}({', '.join(attributes)});")
    return "\n".join(["model Manufactured", *declarations, *extra, "equation", *lines,
                      "end Manufactured;"])
