# SPDX-License-Identifier: BSD-3-Clause
"""Problems written from mathematics, each with its answer: a closed form unless said otherwise."""

import math
from dataclasses import dataclass, field
from typing import Callable, Optional


@dataclass
class Problem:
    name: str
    text: str
    stop: float
    start: float = 0.0
    exact: dict = field(default_factory=dict)  # name -> function of time
    expect: str = "right"  # or "warned", or the name of a status
    words: str = ""  # that a warning holds, where one is expected
    options: list = field(default_factory=list)
    rtol: float = 1e-6
    growth: float = 1.0
    floor: float = 0.0  # errors are judged relative to this size at least
    skip: Optional[Callable] = None  # times at which a value has two sides


def model(declarations, equations):
    return f"model Problem\n{declarations}\nequation\n{equations}\nend Problem;\n"


def decays():
    """x' = -k x in all units of time."""
    for power in (-12, -8, -4, 0, 4, 8, 12):
        k = 10.0**power
        yield Problem(
            f"decay-{power}",
            model("  Real x(start = 1, fixed = true);", f"  der(x) = -{k!r}*x;"),
            5.0 / k,
            exact={"x": lambda t, k=k: math.exp(-k * t)},
        )


def oscillators():
    """x'' = -w² x with amplitudes from picometres to light years, and read through a gain."""
    for amplitude, omega in ((1e-12, 1.0), (1e-7, 1e3), (1e-3, 1e9), (1.0, 1e-6), (1e5, 1e2),
                             (1e12, 1e-3), (1e-20, 1e6), (1e16, 1.0)):
        gain = 1.0 / amplitude
        yield Problem(
            f"oscillator-{amplitude:g}-{omega:g}",
            model(
                f"  Real x(start = {amplitude!r}, fixed = true), v(start = 0, fixed = true), y;",
                f"  der(x) = v;\n  der(v) = -{omega**2!r}*x;\n  y = {gain!r}*x;",
            ),
            10.0 / omega,
            growth=10.0,
            exact={
                "x": lambda t, a=amplitude, w=omega: a * math.cos(w * t),
                "v": lambda t, a=amplitude, w=omega: -a * w * math.sin(w * t),
                "y": lambda t, w=omega: math.cos(w * t),
            },
        )


def offsets():
    """A small oscillation about a large rest, read through the gain that shows it."""
    for size in (1e-3, 1e-5, 1e-7):
        yield Problem(
            f"offset-{size:g}",
            model(
                f"  Real x(start = {1.0 + size!r}, fixed = true), v(start = 0, fixed = true), y;",
                f"  der(x) = v;\n  der(v) = 1 - x;\n  y = (x - 1)/{size!r};",
            ),
            10.0,
            growth=10.0,
            exact={"y": math.cos},
        )


def roots():
    """Algebraic equations alone, at all sizes."""
    for power in (-24, -16, -8, 0, 8, 16):
        a = 10.0**power
        yield Problem(
            f"root-{power}",
            model(f"  Real y(start = {math.sqrt(a)!r});", f"  y^2 = {a!r}*exp(-time);"),
            2.0,
            exact={"y": lambda t, a=a: math.sqrt(a * math.exp(-t))},
        )
    for power in (-9, 0, 9):
        a = 10.0**power
        yield Problem(
            f"cubic-{power}",
            model(f"  Real y(start = {a!r});", f"  (y/{a!r})^3 + y/{a!r} = 2 + 8*time;"),
            1.0,
            exact={"y": lambda t, a=a: a * solve_monotone(lambda y: y**3 + y - 2.0 - 8.0 * t)},
        )
    for power in (-15, -6, 6):
        a = 10.0**power
        yield Problem(
            f"lambert-{power}",
            model(f"  Real y(start = {a!r});", f"  y*exp(y/{a!r}) = {a!r}*(1 + time)*exp(1);"),
            3.0,
            exact={
                "y": lambda t, a=a: a
                * solve_monotone(lambda y: y * math.exp(y) - (1.0 + t) * math.e, 0.0, 10.0)
            },
        )


def solve_monotone(f, low=-1e3, high=1e3):
    """Bisection to the last bit."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)


def small_values():
    """Variables far below 1 of which nobody gave a nominal value."""
    for a in (1e-6, 1e-9, 1e-14):
        yield Problem(
            f"small-forced-{a:g}",  # from rest at 0
            model(
                "  Real x(start = 0, fixed = true), v(start = 0, fixed = true);",
                f"  der(x) = v;\n  der(v) = {a!r}*sin(time);",
            ),
            8.0,
            growth=10.0,
            exact={
                "x": lambda t, a=a: a * (t - math.sin(t)),
                "v": lambda t, a=a: a * (1.0 - math.cos(t)),
            },
        )
        yield Problem(
            f"small-logistic-{a:g}",
            model(f"  Real x(start = {0.01 * a!r}, fixed = true);", f"  der(x) = x*(1 - x/{a!r});"),
            12.0,
            growth=10.0,
            exact={"x": lambda t, a=a: a / (1.0 + 99.0 * math.exp(-t))},
        )
        yield Problem(
            f"small-logarithm-{a:g}",  # algebraic, 0 at the start
            model("  Real y(start = 0);", f"  exp(y/{a!r}) = 1 + time^2;"),
            3.0,
            exact={"y": lambda t, a=a: a * math.log1p(t * t)},
        )
        yield Problem(
            f"small-flow-{a:g}",  # through a throttle, from a state of ordinary size
            model(
                "  Real p(start = 1, fixed = true), q;",
                f"  der(p) = -p;\n  q*abs(q) = {a * a!r}*p;",
            ),
            3.0,
            exact={"p": lambda t: math.exp(-t), "q": lambda t, a=a: a * math.exp(-0.5 * t)},
        )
        yield Problem(
            f"small-stiff-{a:g}",
            model(
                "  Real x(start = 0, fixed = true);",
                f"  der(x) = -1e6*(x - {a!r}*sin(time)) + {a!r}*cos(time);",
            ),
            6.0,
            exact={"x": lambda t, a=a: a * math.sin(t)},
        )
        yield Problem(
            f"small-multiplier-{a:g}",  # index 2
            model(
                f"  Real x(start = {a!r}), y(start = 0), z;",
                f"  der(x) = y + z;\n  der(y) = -x;\n  x = {a!r}*cos(time);",
            ),
            4.0,
            growth=10.0,
            # y = -a sin t + y0, z = x' - y
            exact={"x": lambda t, a=a: a * math.cos(t), "y": lambda t, a=a: -a * math.sin(t)},
            floor=a,
        )
    for a in (1e-9, 1e-12, 1e-15, 1e-20):  # beside something of ordinary size
        yield Problem(
            f"small-quadratic-{a:g}",
            model(
                f"  Real q(start = {a!r}, fixed = true), r(start = {a!r}), L(start = 1, fixed = true);",
                f"  der(q) = -q;\n  r^2/{a!r} + r = 2*q;\n  der(L) = -L;",
            ),
            2.0,
            exact={"r": lambda t, a=a: 0.5 * a * (math.sqrt(1.0 + 8.0 * math.exp(-t)) - 1.0)},
        )
    for a in (1e-6, 1e-8, 1e-9, 1e-10, 1e-12):
        yield Problem(
            f"small-branch-{a:g}",  # must stay the positive one
            model(
                f"  Real s(start = {a * a!r}, fixed = true), y(start = {a!r}), L(start = 1, fixed = true);",
                "  der(s) = -s;\n  y^2 = s;\n  der(L) = cos(time);",
            ),
            5.0,
            growth=10.0,
            exact={"y": lambda t, a=a: a * math.exp(-0.5 * t)},
        )
    for a in (1e-6, 1e-9):  # relations have a dead band of 1e-11 nominal values
        yield Problem(
            f"small-bounce-{a:g}",
            model(
                f"  Real h(start = {a!r}, fixed = true), v(start = 0, fixed = true);",
                f"  der(h) = v;\n  der(v) = -{9.81 * a!r};\n"
                "  when h < 0 then\n    reinit(v, -0.8*pre(v));\n  end when;",
            ),
            0.8,
            exact={
                "h": lambda t, a=a: a * (1.0 - 4.905 * t * t)
                if t < BOUNCE
                else a * (0.8 * 9.81 * BOUNCE * (t - BOUNCE) - 4.905 * (t - BOUNCE) ** 2)
            },
        )


BOUNCE = math.sqrt(2.0 / 9.81)


def gains():
    """Digits that cancel before a variable is read."""
    for size in (1e-3, 1e-5, 1e-7):
        yield Problem(
            f"gain-{size:g}",  # x passes its rest at the start
            model(
                f"  Real x(start = 1, fixed = true), v(start = {size!r}, fixed = true), y;",
                f"  der(x) = v;\n  der(v) = 1 - x;\n  y = (x - 1)/{size!r};",
            ),
            10.0,
            growth=10.0,
            exact={"y": math.sin},
        )
        yield Problem(
            f"known-part-{size:g}",  # u = (x - cos t)/size, where x follows cos t at a distance
            model(
                f"  Real x(start = {1.0 + size!r}, fixed = true), u;",
                f"  der(x) = -sin(time) - (x - cos(time));\n  u = (x - cos(time))/{size!r};",
            ),
            3.0,
            growth=10.0,
            exact={"u": lambda t: math.exp(-t)},
        )
    for g in (1e2, 1e4):
        yield Problem(
            f"pressure-drop-{g:g}",  # p1 - p2 = e^(-t), both near g
            model(
                f"  Real p1(start = {g + 1.0!r}, fixed = true), p2(start = {g!r}, fixed = true), d;",
                "  der(p1) = cos(time) - (p1 - p2);\n  der(p2) = cos(time);\n  d = p1 - p2;",
            ),
            3.0,
            growth=10.0,
            exact={"d": lambda t: math.exp(-t), "p2": lambda t, g=g: g + math.sin(t)},
        )
    for g in (1e2, 1e3, 1e4, 1e5):
        yield Problem(
            f"gain-from-rest-{g:g}",  # y = g (x - 300) is 0 at the start
            model(
                "  Real x(start = 300, fixed = true), y;",
                f"  der(x) = -(x - 300) + cos(time)/{g!r};\n  y = {g!r}*(x - 300);",
            ),
            20.0,
            exact={"y": lambda t: 0.5 * (math.cos(t) + math.sin(t) - math.exp(-t))},
        )
        yield Problem(
            f"difference-{g:g}",  # both of size 10 g
            model(
                f"  Real a(start = {10.0 * g!r}, fixed = true), b(start = {10.0 * g!r}, fixed = true), y;",
                "  der(a) = cos(time);\n  der(b) = -0.5*sin(time);\n  y = a - b;",
            ),
            20.0,
            exact={"y": lambda t: math.sin(t) - 0.5 * math.cos(t) + 0.5},
        )


def decays_that_are_read():
    """States that fall far below the tolerance of what they were, and what reads them there."""
    decay = "Real a(start = 1, fixed = true), b(start = 1, fixed = true)"
    for k, stop in ((2.0, 15.0), (10.0, 4.0), (30.0, 2.0), (3e6, 2e-5), (1e-7, 4e8)):
        ratio = lambda t, k=k: math.exp(-0.1 * k * t)
        rates = f"  der(a) = -{k!r}*a;\n  der(b) = -{0.9 * k!r}*b;"
        for name, equation, exact in (
            ("logarithm", "y = log(a)", lambda t, k=k: -k * t),
            ("reciprocal", "y = 1/a", lambda t, k=k: math.exp(k * t)),
            ("root", "y*exp(0.5*q) = sqrt(a)", lambda t: 1.0),
            ("ratio", "y = a/b", ratio),
            ("loop", "y*b = a", ratio),
            ("angle", "y = atan(a/b)", lambda t, f=ratio: math.atan(f(t))),
        ):
            yield Problem(
                f"decayed-{name}-{k:g}",
                model(f"  {decay}, q(start = 0, fixed = true), y(start = 1);",
                      f"{rates}\n  der(q) = -{k!r};\n  {equation};"),
                stop,
                growth=10.0,
                exact={"y": exact},
            )
        last = 0.9 * k * stop
        yield Problem(
            f"decayed-event-{k:g}",
            model(f"  {decay}, y(start = 0, fixed = true);\n  discrete Real n(start = 0, fixed = true);",
                  f"{rates}\n  der(y) = if b > 0 then {k!r} else 0;\n"
                  f"  when a < {math.exp(-last)!r} then\n    n = pre(n) + 1;\n  end when;"),
            stop,
            exact={"n": lambda t, t0=0.9 * stop: float(t > t0), "y": lambda t, k=k: k * t},
            skip=lambda t, t0=0.9 * stop: abs(t - t0) < 1e-3 * t0,
        )
        yield Problem(
            f"decayed-rate-{k:g}",
            model(f"  {decay}, y(start = 0, fixed = true);", f"{rates}\n  der(y) = {k!r}*a/b;"),
            stop,
            growth=10.0,
            exact={"y": lambda t, k=k: -math.expm1(-0.1 * k * t) * 10.0},
        )


def mixed_units():
    """A pendulum of index 3 with lengths, speeds and forces in units of their own, with nominal
    values and without."""
    angle = 1.0
    period = 2.0 * math.pi / math.sqrt(9.81) / agm(1.0, math.cos(0.5 * angle))
    for a, b, c in ((1e3, 1.0, 1.0), (1e-3, 1e3, 1.0), (1.0, 1e-4, 1e4), (1e5, 1e-2, 1e-5)):
        x0, y0 = a * math.sin(angle), -a * math.cos(angle)
        for has_nominal in (True, False):
            def unit(scale, has_nominal=has_nominal):
                return f", nominal = {scale!r}" if has_nominal else ""
            yield Problem(
                f"mixed-units-{a:g}-{b:g}-{c:g}-{'nominal' if has_nominal else 'bare'}",
                model(
                    f"  Real x(start = {x0!r}{unit(a)}), y(start = {y0!r}{unit(a)});\n"
                    f"  Real u(start = 0{unit(b)}), v(start = 0{unit(b)}), f(start = 0{unit(c)});",
                    f"  der(x) = {a / b!r}*u;\n  der(y) = {a / b!r}*v;\n"
                    f"  der(u) = -{b / (a * c)!r}*f*x;\n  der(v) = -{b / (a * c)!r}*f*y - {9.81 * b!r};\n"
                    f"  x^2 + y^2 = {a!r}^2;",
                ),
                2.0 * period,
                growth=10.0,
                exact={"x": lambda t, x0=x0: x0, "y": lambda t, y0=y0: y0},
                skip=lambda t, p=period: abs(t - 2.0 * p) > 1e-9 * p,
            )


def handovers():
    """Stiff after a while for an explicit scheme: the states are handed on. z = e^(-kt), x → z²."""
    for fast, slow in ((2e15, 2e10), (1e6, 1.0), (1e9, 1e3), (1e3, 1e-3), (3e11, 5e6), (1e5, 1e-7)):
        yield Problem(
            f"handover-{fast:g}-{slow:g}",
            model(
                "  Real x(start = 1, fixed = true), z(start = 1, fixed = true), w;",
                f"  der(x) = -{fast!r}*(x - w);\n  der(z) = -{slow!r}*z;\n  w = z^2;",
            ),
            4.0 / slow,
            exact={
                "z": lambda t, k=slow: math.exp(-k * t),
                "w": lambda t, k=slow: math.exp(-2.0 * k * t),
                # x' = -f (x - e^(-2kt)): x = (f e^(-2kt) - 2k e^(-ft)) / (f - 2k)
                "x": lambda t, f=fast, k=slow: (
                    f * math.exp(-2.0 * k * t) - 2.0 * k * math.exp(-f * t)
                ) / (f - 2.0 * k),
            },
        )


def stiff_jumps():
    """f' = -k (f - x), x = e^(-t), and f jumps at t = 1: it is back at x k/(k - 1) after 30/k."""
    for k in (1e4, 1e7, 1e10):
        for rtol in (1e-4, 1e-6):
            yield Problem(
                f"stiff-jump-{k:g}-{rtol:g}",
                model(
                    "  Real x(start = 1, fixed = true), f(start = 1, fixed = true);",
                    f"  der(x) = -x;\n  der(f) = -{k!r}*(f - x);\n"
                    "  when time >= 1 then\n    reinit(f, 100);\n  end when;",
                ),
                2.0,
                options=["--rtol", repr(rtol)],
                rtol=rtol,
                floor=100.0,
                exact={"f": lambda t, k=k: k / (k - 1.0) * math.exp(-t)},
                skip=lambda t, k=k: t < 30.0 / k or 1.0 <= t < 1.0 + 30.0 / k,
            )
            # The target jumps at every half second, to the number of jumps so far.
            yield Problem(
                f"stiff-target-{k:g}-{rtol:g}",
                model(
                    "  Real f(start = 0, fixed = true);\n  Integer n(start = 0, fixed = true);",
                    f"  der(f) = -{k!r}*(f - n);\n"
                    "  when sample(0.5, 0.5) then\n    n = pre(n) + 1;\n  end when;",
                ),
                4.0,
                options=["--rtol", repr(rtol)],
                rtol=rtol,
                exact={"f": lambda t: math.floor(2.0 * t)},
                skip=lambda t, k=k: t % 0.5 < 30.0 / k,
            )


def reinitialised_pendulums():
    """A pendulum of angle a, an elastic stop at its lowest point: the angle is |a| of a free one.
    Small angles in a field that is linear, a = b cos(w t): x = sin a, y = -cos a."""
    b, w = 0.7, 3.0
    for rtol in (1e-6, 1e-9):
        for method in ("auto", "dummy-derivatives", "derivative-array"):
            # The force along the circle is -w² a, with a from the positions.
            yield Problem(
                f"elastic-stop-{method}-{rtol:g}",
                model(
                    f"  Real x(start = {math.sin(b)!r}, fixed = true), y(start = {-math.cos(b)!r});\n"
                    "  Real vx(start = 0, fixed = true), vy, f, a;",
                    "  a = asin(x);\n  der(x) = vx;\n  der(y) = vy;\n"
                    f"  der(vx) = -f*x + {w * w!r}*a*y;\n  der(vy) = -f*y - {w * w!r}*a*x;\n"
                    "  x^2 + y^2 = 1;\n"
                    "  when x < 0 then\n    reinit(vx, -pre(vx));\n  end when;",
                ),
                3.0,
                options=["--rtol", repr(rtol), "--method", method],
                rtol=rtol,
                growth=10.0,
                exact={
                    "x": lambda t: math.sin(abs(b * math.cos(w * t))),
                    "y": lambda t: -math.cos(b * math.cos(w * t)),
                },
            )


def kinked_constraints():
    """Prescribed motions whose second derivative jumps: force of a mass that follows."""
    for unit in (1.0, 1e-6, 1e5):
        yield Problem(
            f"follower-square-{unit:g}",
            model(
                "  Real x, v, f;",
                f"  der(x) = v;\n  der(v) = f;\n"
                f"  x = max(0, time/{unit!r} - 1)^2/2 - min(0, time/{unit!r} - 2)^2;",
            ),
            3.0 * unit,
            exact={
                "x": lambda t, u=unit: max(0.0, t / u - 1.0) ** 2 / 2.0 - min(0.0, t / u - 2.0) ** 2,
                "f": lambda t, u=unit: ((t > u) - 2.0 * (t < 2.0 * u)) / u**2,
            },
            skip=lambda t, u=unit: min(abs(t / u - 1.0), abs(t / u - 2.0)) < 1e-6,
        )
        yield Problem(
            f"follower-sine-{unit:g}",
            model(
                "  Real x, v, f;",
                f"  der(x) = v;\n  der(v) = f;\n"
                f"  x = sin(time/{unit!r})*abs(sin(time/{unit!r}));",
            ),
            5.0 * unit,
            exact={"v": lambda t, u=unit: 2.0 * abs(math.sin(t / u)) * math.cos(t / u) / u},
        )


def sliding():
    """Filippov's solutions: x' = -sign(s) + c(t) u, at s = 0 from where it is reached on."""

    def falling(t):  # from 1 to 0 by -1 + cos(t)/2; at 0 from t = 1.4987 on
        return max(0.0, 1.0 - t + 0.5 * math.sin(t)) if t < 2.0 else 0.0

    for u, tu in ((1.0, 1.0), (1e-8, 1e-6), (1e5, 1e3)):
        for name, surface in (("factor", "x*y"), ("steeper", "x/y"), ("cubic", "x^3"),
                              ("time", f"x*exp(-4*time/{tu!r})")):
            yield Problem(
                f"sliding-{name}-{u:g}",
                model(
                    f"  Real x(start = {u!r}, fixed = true), y(start = 1, fixed = true);",
                    f"  der(x) = {u / tu!r}*(-sign({surface}) + 0.5*cos(time/{tu!r}));\n"
                    f"  der(y) = -{3.0 / tu!r}*y;",
                ),
                8.0 * tu,
                floor=u,
                exact={"x": lambda t, u=u, tu=tu: u * falling(t / tu)},
            )
    # From 0.2 by t - 1 to 0, which t = 1 lets go; from elsewhere to 0, where two surfaces meet.
    reached = 1.0 - math.sqrt(0.6)

    def let_go(t):
        return 0.5 * max(0.0, t - 1.0) ** 2 if t > reached else 0.2 - t + 0.5 * t * t

    for u, tu in ((1.0, 1.0), (1e-8, 1e7), (1e-5, 1e-3)):
        for rtol in (1e-4, 1e-6, 1e-9):
            yield Problem(
                f"sliding-and-leaving-{u:g}-{rtol:g}",
                model(f"  Real x(start = {0.2 * u!r}, fixed = true);",
                      f"  der(x) = {u / tu!r}*(time/{tu!r} - sign(x));"),
                2.0 * tu,
                options=["--rtol", repr(rtol)],
                rtol=rtol,
                exact={"x": lambda t, u=u, tu=tu: u * let_go(t / tu)},
            )
            yield Problem(
                f"sliding-along-two-{u:g}-{rtol:g}",
                model(
                    f"  Real x(start = {0.2 * u!r}, fixed = true), y(start = {0.5 * u!r}, fixed = true);",
                    f"  der(x) = {u / tu!r}*(0.2 - sign(x));\n  der(y) = {u / tu!r}*(0.3 - sign(y));",
                ),
                2.0 * tu,
                options=["--rtol", repr(rtol)],
                rtol=rtol,
                exact={
                    "x": lambda t, u=u, tu=tu: u * max(0.0, 0.2 - 0.8 * t / tu),
                    "y": lambda t, u=u, tu=tu: u * max(0.0, 0.5 - 0.7 * t / tu),
                },
            )
    for u, tu in ((1.0, 1.0), (1e-8, 1e-6), (1e5, 1e3)):
        # Two masses on a rod with friction 1 and 2: v = 3 - 3t/2 until t = 2.
        yield Problem(
            f"sliding-rod-{u:g}",
            model(
                f"  Real x1(start = 0, fixed = true), x2, v1(start = {3.0 * u / tu!r}, fixed = true), v2, f;",
                f"  der(x1) = v1;\n  der(x2) = v2;\n  der(v1) = -{u / tu**2!r}*sign(v1) + f;\n"
                f"  der(v2) = -{2.0 * u / tu**2!r}*sign(v2) - f;\n  x2 = x1 + {u!r};",
            ),
            4.0 * tu,
            growth=3.0,
            exact={
                "x1": lambda t, u=u, tu=tu: u * (3.0 * t / tu - 0.75 * (t / tu) ** 2 if t < 2.0 * tu else 3.0),
            },
        )


def clutches():
    """Two wheels that run at different speeds until a clutch has them slip to one speed, which they keep as
    long as the drive asks less of the clutch than it can give: f is that share of the drive then."""
    for first, second, speeds, drive, most, close in ((0.864, 1.053, (9.79, -1.145), 0.2737, 4.246, 0.84),
                                                      (2.2104, 0.9, (7.5, 1.5), 0.3236, 2.1, 0.5),
                                                      (1.3, 2.4, (40.0, 3.0), 0.7, 11.0, 0.2)):
        slowing = most / first + most / second - drive / first
        stuck = close + (speeds[0] + drive / first * close - speeds[1]) / slowing
        held = drive * second / (first + second)

        def driven(t, j=second, v=speeds[1], c=close, s=stuck, m=most, h=held):
            return v + (max(min(t, s) - c, 0.0) * m + max(t - s, 0.0) * h) / j

        def force(t, c=close, s=stuck, m=most, h=held):
            return 0.0 if t < c else m if t < s else h

        yield Problem(
            f"clutch-{first:g}",
            model(
                f"  Real a(start = {speeds[0]!r}, fixed = true), b(start = {speeds[1]!r}, fixed = true), f;",
                f"  {first!r}*der(a) = {drive!r} - f;\n  {second!r}*der(b) = f;\n"
                f"  f = if time < {close!r} then 0 else {most!r}*sign(a - b);",
            ),
            1.4 * stuck,
            growth=10.0,
            exact={"b": driven, "f": force},
            skip=lambda t, c=close, s=stuck: abs(t - c) < 1e-6 or abs(t - s) < 1e-3,
        )


def prothero_robinson():
    """x' = -k (x - sin t) + cos t, x = sin t."""
    for k in (1e2, 1e5, 1e8, 1e11):
        yield Problem(
            f"prothero-robinson-{k:g}",
            model("  Real x(start = 0, fixed = true);", f"  der(x) = -{k!r}*(x - sin(time)) + cos(time);"),
            10.0,
            exact={"x": math.sin},
        )


def pendulums():
    """A pendulum in Cartesian coordinates, index 3. Released at rest at an angle a it is back after
    T = 2π sqrt(L/g) / agm(1, cos(a/2)) (Gauss)."""
    angle = 1.0
    for length, second in ((1.0, 1.0), (1e-6, 1.0), (1e6, 1.0), (1.0, 1e-6), (1.0, 1e6), (1e-9, 1e-12),
                           (1e3, 3.6e3), (0.3048, 1.0)):
        g = 9.81 * length / second**2  # the motion in other units of length and time
        period = 2.0 * math.pi * second / math.sqrt(9.81) / agm(1.0, math.cos(0.5 * angle))
        x0, y0 = length * math.sin(angle), -length * math.cos(angle)
        yield Problem(
            f"pendulum-{length:g}-{second:g}",
            model(
                f"  Real x(start = {x0!r}, nominal = {length!r}), y(start = {y0!r}, nominal = {length!r});\n"
                f"  Real u(start = 0, nominal = {length / second!r}), v(start = 0, nominal = {length / second!r});\n"
                f"  Real f(start = 0, nominal = {second**-2!r});",
                f"  der(x) = u;\n  der(y) = v;\n  der(u) = -f*x;\n  der(v) = -f*y - {g!r};\n"
                f"  x^2 + y^2 = {length!r}^2;",
            ),
            2.0 * period,
            growth=10.0,
            exact={
                "x": lambda t, p=period, x0=x0: x0 if abs(t - 2.0 * p) < 1e-9 * p else math.nan,
                "y": lambda t, p=period, y0=y0: y0 if abs(t - 2.0 * p) < 1e-9 * p else math.nan,
            },
            skip=lambda t, p=period: abs(t - 2.0 * p) > 1e-9 * p,
        )


def pendulums_from_the_side():
    """Released at rest beside its pivot, where the height is 0 but for the rounding of a cosine: on the
    other side after half of T = 2π sqrt(L/g) / agm(1, cos(π/4)), and back after T."""
    for square, mass, g in ((3.28262393183723, 2.9, 11.0), (0.13693, 0.6, 1.6), (2.0, 1.0, 9.81)):
        length = math.sqrt(square)
        period = 2.0 * math.pi * math.sqrt(length / g) / agm(1.0, math.sqrt(0.5))
        for height in (0.0, -6e-17, 1e-12, -1e-9):
            for rtol in (1e-4, 1e-6, 1e-9):
                yield Problem(
                    f"pendulum-from-the-side-{length:g}-{height:g}-{rtol:g}",
                    model(
                        f"  Real x(start = {length!r}), y(start = {height * length!r}, fixed = true);\n"
                        "  Real u(start = 0), v(start = 0, fixed = true), f;",
                        f"  der(x) = u;\n  der(y) = v;\n  {mass!r}*der(u) = 2*f*x;\n"
                        f"  {mass!r}*der(v) = 2*f*y - {mass * g!r};\n  x^2 + y^2 = {square!r};",
                    ),
                    2.0 * period,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={
                        "x": lambda t, p=period, l=length: l * (-1.0) ** round(2.0 * t / p),
                        "y": lambda t, p=period: 0.0,
                    },
                    floor=length,
                    skip=lambda t, p=period: abs(2.0 * t / p - round(2.0 * t / p)) > 1e-9,
                )


def mechanisms_in_units():
    """A pendulum of which each coordinate, each velocity, the force and the time have units of their own,
    without nominal values, its rod stated once or twice: back at its first position after 2 T."""
    angle = 1.0
    swing = 2.0 * math.pi / agm(1.0, math.cos(0.5 * angle))  # for L = g = 1
    for x, y, u, v, f, second in ((1e-4, 1e4, 1e3, 1e-2, 10.0, 1e5), (1e3, 1e-3, 1e-4, 1e-1, 1e-3, 1e-5),
                                  (1e-2, 1e2, 1e-4, 1e4, 1e3, 1.0), (30.0, 2e-4, 7.0, 5e-3, 0.2, 3e6)):
        for is_doubled in (False, True):
            force = f"(f/{f!r} + 3*h)" if is_doubled else f"(f/{f!r})"
            equations = [
                f"100*({second / x!r}*der(x)) = 100*(u/{u!r})",
                f"v/{v!r} = {second / y!r}*der(y)",
                f"0.01*({second / u!r}*der(u)) = -0.01*{force}*(x/{x!r})",
                f"{second / v!r}*der(v) = -{force}*(y/{y!r}) - 1",
                f"10*((x/{x!r})^2 + (y/{y!r})^2) = 10",
            ]
            if is_doubled:
                equations.append(f"3*(x/{x!r})^2 + 3*(y/{y!r})^2 = 3")
            x0, y0 = x * math.sin(angle), -y * math.cos(angle)
            for rtol in (1e-4, 1e-6, 1e-9):
                yield Problem(
                    f"pendulum-in-units-{x:g}-{second:g}{'-doubled' if is_doubled else ''}-{rtol:g}",
                    model(
                        f"  Real x(start = {x0!r}, fixed = true), y(start = {y0!r});\n"
                        f"  Real u(start = 0, fixed = true), v(start = 0), f{', h' if is_doubled else ''};",
                        ";\n".join(equations) + ";",
                    ),
                    2.0 * swing * second,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={"x": lambda t, x0=x0: x0, "y": lambda t, y0=y0: y0},
                    skip=lambda t, p=swing * second: abs(t / p - round(t / p)) > 1e-9,
                )


def agm(a, b):
    for _ in range(60):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def circuits():
    """Picofarads, gigaohms, microhenries: charging, and a damped resonance."""
    for r, c in ((1e3, 1e-12), (1e9, 1e-6), (1e-3, 1e3), (1e6, 1e-15), (50.0, 1e-9)):
        yield Problem(
            f"rc-{r:g}-{c:g}",
            model(
                "  Real u(start = 0, fixed = true), i;",
                f"  {c!r}*der(u) = i;\n  {r!r}*i + u = 5;",
            ),
            5.0 * r * c,
            exact={
                "u": lambda t, k=1.0 / (r * c): -5.0 * math.expm1(-k * t),
                "i": lambda t, k=1.0 / (r * c), r=r: 5.0 / r * math.exp(-k * t),
            },
        )
    for l, c in ((1e-6, 1e-9), (1e-9, 1e-12), (1.0, 1e-6)):
        omega = 1.0 / math.sqrt(l * c)
        yield Problem(
            f"lc-{l:g}-{c:g}",
            model(
                "  Real u(start = 1, fixed = true), i(start = 0, fixed = true);",
                f"  {c!r}*der(u) = -i;\n  {l!r}*der(i) = u;",
            ),
            20.0 / omega,
            growth=10.0,
            exact={
                "u": lambda t, w=omega: math.cos(w * t),
                "i": lambda t, w=omega, c=c: c * w * math.sin(w * t),
            },
        )
    for g in (1e-12, 1e-15, 1e-9):
        # A divider of two equal conductances beside one that carries nothing.
        yield Problem(
            f"tiny-conductances-{g:g}",
            model(
                "  Real u, w, i;",
                f"  {g!r}*(2 + sin(time) - u) = {g!r}*u + {g!r}*(u - w);\n  {g!r}*(u - w) = {g!r}*w;\n"
                f"  i = {g!r}*w;",
            ),
            3.0,
            # (2 + s - u) = u + (u - w), u = 2w: 2 + s = 5w
            exact={
                "w": lambda t: (2.0 + math.sin(t)) / 5.0,
                "u": lambda t: 2.0 * (2.0 + math.sin(t)) / 5.0,
                "i": lambda t, g=g: g * (2.0 + math.sin(t)) / 5.0,
            },
        )


def kinetics():
    """A → B → C: b = k1/(k2 - k1) (e^(-k1 t) - e^(-k2 t))."""
    for k1, k2 in ((1.0, 2.0), (1e-6, 3e-6), (1e6, 1e3), (1.0, 1e6), (2e9, 1e9)):
        slow = min(k1, k2)
        yield Problem(
            f"kinetics-{k1:g}-{k2:g}",
            model(
                "  Real a(start = 1, fixed = true), b(start = 0, fixed = true), c;",
                f"  der(a) = -{k1!r}*a;\n  der(b) = {k1!r}*a - {k2!r}*b;\n  a + b + c = 1;",
            ),
            5.0 / slow,
            exact={
                "a": lambda t, k=k1: math.exp(-k * t),
                "b": lambda t, p=k1, q=k2: p / (q - p) * (math.exp(-p * t) - math.exp(-q * t)),
            },
        )


def thin_inputs():
    """x' = exp(-((t - c)/w)²)/w: x ends at sqrt(π)."""
    for centre, width in ((6.23, 0.08), (1.7, 0.02), (3.333, 0.05), (8.9, 0.01), (5.0, 0.003)):
        yield Problem(
            f"bump-{centre:g}-{width:g}",
            model(
                "  Real x(start = 0, fixed = true);",
                f"  der(x) = exp(-((time - {centre!r})/{width!r})^2)/{width!r};",
            ),
            10.0,
            exact={
                "x": lambda t, c=centre, w=width: 0.5
                * math.sqrt(math.pi)
                * (math.erf((t - c) / w) + math.erf(c / w))
            },
        )
        yield Problem(
            f"bump-in-state-{centre:g}-{width:g}",
            model(
                "  Real s(start = 0, fixed = true), x(start = 0, fixed = true);",
                f"  der(s) = 1;\n  der(x) = exp(-((s - {centre!r})/{width!r})^2)/{width!r};",
            ),
            10.0,
            exact={
                "x": lambda t, c=centre, w=width: 0.5
                * math.sqrt(math.pi)
                * (math.erf((t - c) / w) + math.erf(c / w))
            },
        )
    # Far from the bump its series has no term that is a number but 0, or all but the first ones.
    for centre, width in ((0.3368851729502549, 0.0057355231680784385), (0.271, 0.0041)):
        yield Problem(
            f"bump-in-picoseconds-{width:g}",
            model(
                "  Real s(start = 0, fixed = true), x(start = 0, fixed = true);",
                f"  der(s) = 1e5;\n"
                f"  der(x) = 1e12*exp(-((s/1e-7 - {centre!r})/{width!r})^2)/{width!r};",
            ),
            5e-12,
            options=["--rtol", "1e-9"],
            rtol=1e-9,
            growth=10.0,
            exact={
                "x": lambda t, c=centre, w=width: 0.5
                * math.sqrt(math.pi)
                * (math.erf((1e12 * t - c) / w) + math.erf(c / w))
            },
        )
    # A swing s = 5 (1 - cos t) through a bump that is below the least number away from it:
    # x = (tanh((s - c)/w) + tanh(c/w))/2.
    for centre, width, rtol in ((2.1304, 0.02041, 1e-10), (2.0, 0.02, 1e-9), (3.0, 0.01, 1e-9)):
        yield Problem(
            f"swing-through-bump-{centre:g}-{rtol:g}",
            model(
                "  Real s(start = 0, fixed = true), v(start = 0, fixed = true), "
                "x(start = 0, fixed = true);",
                "  der(s) = 5*v;\n  der(v) = 1 - s/5;\n"
                f"  der(x) = 5*v/(2*{width!r}*cosh((s - {centre!r})/{width!r})^2);",
            ),
            9.0,
            options=["--rtol", repr(rtol)],
            rtol=rtol,
            growth=10.0,
            exact={
                "s": lambda t: 5.0 * (1.0 - math.cos(t)),
                "x": lambda t, c=centre, w=width: 0.5
                * (math.tanh((5.0 * (1.0 - math.cos(t)) - c) / w) + math.tanh(c / w)),
            },
        )
    # x' jumps from 0 by more than the shortest step across leaves of its tolerance.
    for unit, second in ((4.44e-4, 1.343e-3), (1e-5, 1e4), (1.0, 1e-9)):
        yield Problem(
            f"jump-from-rest-{unit:g}-{second:g}",
            model(
                f"  Real x(start = 0, fixed = true, nominal = {unit!r}), "
                f"s(start = 0, fixed = true, nominal = {57.0 * unit!r}), r;",
                f"  der(s) = {57.0 * unit / second!r};\n"
                f"  der(x) = noEvent(if abs(s/{57.0 * unit!r} - 7.2256) < 0.01 then "
                f"{50.0 * unit / second!r} else 0);\n  r = s/{57.0 * unit!r};",
            ),
            10.0 * second,
            options=["--rtol", "1e-9"],
            rtol=1e-9,
            exact={
                "x": lambda t, u=unit, h=second: 50.0 * u
                * min(max(t / h - 7.2156, 0.0), 0.02)
            },
            growth=10.0,
        )
    # z' = area/width within a pulse, from exactly 0: z ends at the area, whatever its size is beside
    # that of the others.
    for area, begin, width in ((1.1e-12, 4.2226, 9.5e-3), (6e-12, 5.857, 1.3e-3), (3e-9, 2.7, 0.2),
                               (8e-7, 8.844, 3.2e-3), (2e-5, 7.1, 1e-5)):
        inside = f"noEvent(if time > {begin!r} and time < {begin + width!r} then 1 else 0)"
        signs = f"0.5*(sign(s - {begin!r}) - sign(s - {begin + width!r}))"

        def share(t, begin=begin, width=width):
            return min(max((t - begin) / width, 0.0), 1.0)

        for name, declarations, equations in (
            ("decay", "Real L(start = 1, fixed = true);", "der(L) = -L;"),
            ("stiff", "Real L(start = 1, fixed = true);", "der(L) = -1e6*L;"),
            ("loop", "Real L;", "L + 0.1*L^3 = cos(time);"),
        ):
            for pulse in (inside, signs):
                yield Problem(
                    f"pulse-{area:g}-{name}-{'time' if pulse is inside else 'state'}",
                    model(
                        f"  {declarations}\n  Real s(start = 0, fixed = true), "
                        "z(start = 0, fixed = true), g;",
                        f"  {equations}\n  der(s) = 1;\n  der(z) = {area / width!r}*{pulse};\n"
                        f"  g = z/{area!r};",
                    ),
                    10.0,
                    exact={"g": share},
                )


def implicit_arguments():
    """Valves v' = I exp(d/V) - k with v + d = f(t), and bumps of unknowns, in several spellings.

    With u = v + k t: exp(u/V) = 1 + I/V times the integral of exp((f + k t)/V), by a fine sum."""
    spellings = {
        "sum": ("", "  v + d = {f};\n"),
        "scaled": ("", "  2*d = 2*({f}) - 2*v;\n"),
        "units": ("", "  d/1e8 = ({f} - v)/1e8;\n"),
        "chain": (", u, w", "  u - w = v;\n  3*u = 3*({f});\n  d - w = 0;\n"),
        "loop": (", a, b", "  2*a + 3*b = 5*({f});\n  a - b = 0;\n  v + d = (a + b)/2;\n"),
        "series": (", e, i", "  v + e + 2*i = {f};\n  3*i - 0.1*e = 0.9*e;\n  0.6*d = e;\n"),
    }
    for volts, current, drain, stop in ((0.025, 1e-9, 0.1, 9.3), (0.1, 1e-6, 0.02, 8.7)):
        amplitude = 7.5
        n = 200_000
        exponents = [
            (amplitude * math.sin(stop * i / n) + drain * stop * i / n) / volts for i in range(n + 1)
        ]
        total, sums = 0.0, [0.0]
        for left, right in zip(exponents, exponents[1:]):
            total += 0.5 * stop / n * (math.exp(left) + math.exp(right))
            sums.append(total)

        def voltage(t, sums=sums, n=n, stop=stop, volts=volts, current=current, drain=drain):
            place = min(int(n * t / stop), n - 1)
            share = n * t / stop - place
            integral = sums[place] + share * (sums[place + 1] - sums[place])
            return volts * math.log1p(current / volts * integral) - drain * t

        for name, (unknowns, equations) in spellings.items():
            for rtol in (1e-4, 1e-6, 1e-8, 1e-9):
                yield Problem(
                    f"valve-{name}-{volts:g}-{rtol:g}",
                    model(
                        f"  Real v(start = 0, fixed = true), d{unknowns};",
                        equations.format(f=f"{amplitude!r}*sin(time)")
                        + f"  der(v) = {current!r}*exp(d/{volts!r}) - {drain!r};",
                    ),
                    stop,
                    options=["--rtol", repr(rtol)],
                    rtol=max(rtol, 1e-8),
                    exact={"v": voltage},
                    growth=10.0,
                )
    for name, unknowns, equations in (
        ("sum", "z", "  z + {c} = s;"),
        ("scaled", "z", "  2*z = 2*s - 2*{c};"),
        ("units", "z", "  z/1e8 = (s - {c})/1e8;"),
        ("loop", "z, a", "  a + z = 2*s - {c};\n  a - z = {c};"),
        ("factor", "z", "  (3 + sin(s))*(z + {c}) = (3 + sin(s))*s;"),
    ):
        for centre, width in ((3.1, 5e-3), (1.7, 3e-4)):
            for rtol in (1e-6, 1e-9):
                yield Problem(
                    f"bump-of-unknown-{name}-{centre:g}-{rtol:g}",
                    model(
                        f"  Real s(start = 0, fixed = true), x(start = 0, fixed = true), {unknowns};",
                        f"  der(s) = 1;\n{equations.format(c=centre)}\n"
                        f"  der(x) = exp(-(z/{width!r})^2)/{width!r};",
                    ),
                    6.0,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={
                        "x": lambda t, c=centre, w=width: 0.5
                        * math.sqrt(math.pi)
                        * (math.erf((t - c) / w) + math.erf(c / w))
                    },
                )


def missed_events():
    """A condition that holds for a moment only, between two steps."""
    for place, width in ((6.5, 0.01), (2.2, 0.1), (9.1, 0.001)):
        yield Problem(
            f"moment-{place:g}-{width:g}",
            model(
                "  Real x(start = 0, fixed = true);\n  Integer n(start = 0, fixed = true);",
                f"  der(x) = 1;\n  when abs(x - {place!r}) < {width!r} then\n    n = pre(n) + 1;\n  end when;",
            ),
            10.0,
            exact={"n": lambda t, p=place, w=width: 1.0 if t > p - w else 0.0},
            skip=lambda t, p=place, w=width: abs(t - p + w) < 1e-6,
        )
    # An algebraic unknown on its way up, y³ + y = s, and a rate that the event changes.
    for unit, rtol in ((1.0, 1e-3), (1.0, 1e-4), (1e-7, 1e-4), (1e5, 1e-3)):
        for level in (0.7836, 0.7947, 1.0371, 1.5331, 1.5640, 1.7456):
            passed = level**3 + level
            yield Problem(
                f"counted-once-{level:g}-{unit:g}-{rtol:g}",
                model(
                    "  Real s(start = 0, fixed = true), y(start = 0), q(start = 0, fixed = true);\n"
                    "  Integer n(start = 0, fixed = true);",
                    f"  der(s) = {unit!r};\n  der(q) = n;\n  (y/{unit!r})^3 + y/{unit!r} = s/{unit!r};\n"
                    f"  when y > {level * unit!r} then\n    n = pre(n) + 1;\n  end when;",
                ),
                9.0,
                options=["--rtol", repr(rtol)],
                rtol=rtol,
                exact={"n": lambda t, p=passed: float(t > p), "q": lambda t, p=passed: max(t - p, 0.0)},
                skip=lambda t, p=passed: abs(t - p) < 0.01,
            )
    yield Problem(
        "counted-crossings",
        model(
            "  Real x(start = 0, fixed = true);\n  Integer n(start = 0, fixed = true);",
            "  der(x) = 7*cos(7*time);\n  when x > 0.99 then\n    n = pre(n) + 1;\n  end when;",
        ),
        6.0,  # sin(7t) passes 0.99 once in each of the periods begun: at (asin 0.99 + 2πk)/7
        exact={"n": lambda t: float(max(0, math.floor((7.0 * t - math.asin(0.99)) / math.tau) + 1))},
        skip=lambda t: abs(((7.0 * t - math.asin(0.99)) / math.tau + 0.5) % 1.0 - 0.5) < 1e-4,
    )


def kinks():
    """Lower smoothness: contacts that conserve energy, and slopes that break."""
    for place, stiffness in ((15.0, 1e4), (2.0, 1e6), (7.7, 1e3)):
        yield Problem(
            f"contact-{place:g}-{stiffness:g}",
            model(
                "  Real x(start = 0, fixed = true), v(start = 9, fixed = true);",
                f"  der(x) = v;\n  der(v) = -{stiffness!r}*max(x - {place!r}, 0)^1.5;",
            ),
            1.5 * place / 9.0 + 0.3,
            exact={"v": lambda t: -9.0},  # energy: the speed after the contact is that before it
            skip=lambda t, s=1.5 * place / 9.0 + 0.3: t < 0.999 * s,
        )
    yield Problem(
        "absolute-sine",
        model("  Real x(start = 0, fixed = true);", "  der(x) = abs(sin(time));"),
        9.0,
        exact={"x": lambda t: 2.0 * math.floor(t / math.pi) + 1.0 - math.cos(t % math.pi)},
    )
    yield Problem(
        "limited-ramp",
        model("  Real x(start = 0, fixed = true), y;", "  der(x) = y;\n  y = min(time, 1);"),
        3.0,
        exact={"x": lambda t: 0.5 * t * t if t < 1.0 else t - 0.5},
    )
    # x goes to 2 at the rate 1 until it is within 1/k of it: explicit steps end there.
    for gain in (4569.0, 1e3, 3e5):
        for unit, second in ((1.0, 1.0), (1.34e-5, 460.3), (1e-8, 1e-6), (1e-3, 1.0)):
            yield Problem(
                f"limited-approach-{gain:g}-{unit:g}",
                model(
                    f"  Real x(start = 0, fixed = true), u;",
                    f"  der(x) = {unit / second!r}*u;\n"
                    f"  u = min(1, max(-1, {gain!r}*(2 - x/{unit!r})));",
                ),
                5.0 * second,
                exact={
                    "x": lambda t, k=gain, u=unit, h=second: u * min(t / h, 2.0 - 1.0 / k)
                    + u / k * max(0.0, -math.expm1(k * min(0.0, 2.0 - 1.0 / k - t / h)))
                },
            )
    yield Problem(
        "switched-decay",
        model("  Real x(start = 2, fixed = true);", "  der(x) = if x > 1 then -1 else -x;"),
        3.0,
        exact={"x": lambda t: 2.0 - t if t < 1.0 else math.exp(1.0 - t)},
    )


def events():
    for e in (0.5, 0.9):
        t1 = math.sqrt(2.0 / 9.81)
        yield Problem(
            f"one-bounce-{e:g}",
            model(
                "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);",
                f"  der(h) = v;\n  der(v) = -9.81;\n  when h < 0 then\n    reinit(v, -{e!r}*pre(v));\n  end when;",
            ),
            t1 * (1.0 + e),
            exact={
                "h": lambda t, e=e, t1=t1: 1.0 - 4.905 * t * t
                if t < t1
                else e * 9.81 * t1 * (t - t1) - 4.905 * (t - t1) ** 2
            },
        )
    for period in (0.1, 0.37, 1.0):
        yield Problem(
            f"sampler-{period:g}",
            model(
                "  Integer n(start = 0, fixed = true);\n  Real x(start = 0, fixed = true);",
                f"  der(x) = n;\n  when sample({period!r}, {period!r}) then\n    n = pre(n) + 1;\n  end when;",
            ),
            3.05,
            exact={
                "x": lambda t, p=period: sum(
                    t - k * p for k in range(1, int(math.floor(t / p + 1e-9)) + 1)
                )
            },
        )
    yield Problem(
        "capacitors-joined",
        model(
            "  Real u1(start = 1, fixed = true), u2(start = 0, fixed = true), i;\n  Boolean closed;",
            "  closed = time >= 1;\n  der(u1) = -i;\n  der(u2) = i;\n"
            "  if closed then u1 = u2; else i = 0; end if;",
        ),
        2.0,
        expect="impulse",
    )
    yield Problem(
        "small-capacitors-joined",
        model(
            "  Real u1(start = 1e-3, fixed = true), u2(start = 0, fixed = true), i;\n  Boolean closed;",
            "  closed = time >= 1e-6;\n  1e-12*der(u1) = -i;\n  3e-12*der(u2) = i;\n"
            "  if closed then u1 = u2; else i = 0; end if;",
        ),
        2e-6,
        expect="impulse",
    )
    yield Problem(
        "inductors-joined",
        model(
            "  Real i1(start = 2, fixed = true), i2(start = 0, fixed = true), u;\n  Boolean open;",
            "  open = time >= 1;\n  der(i1) = -u;\n  der(i2) = u;\n"
            "  if open then i1 = i2; else u = 0; end if;",
        ),
        2.0,
        expect="impulse",
    )
    # Relations of what is divided by its nominal value: their own scale is 1.
    yield Problem(
        "diode-in-units",
        model(
            "  Real s(nominal = 1e9), v, i;\n  Boolean off;",
            "  off = s/1e9 < 0;\n  v = if off then s/1e9 else 0;\n  i = if off then 0 else s/1e9;\n"
            "  sin(time) = v + i;",
        ),
        7.0,
        exact={
            "v": lambda t: min(math.sin(t), 0.0),
            "i": lambda t: max(math.sin(t), 0.0),
        },
    )
    reset = -1e-7 * math.log(3.4e-10)
    yield Problem(
        "reset-of-a-part",
        model(
            "  Real x(start = 1e9, fixed = true, nominal = 1e9);",
            "  der(x) = -1e7*x;\n  when x/1e9 < 3.4e-10 then\n    reinit(x, 1e9);\n  end when;",
        ),
        2.9e-6,
        exact={"x": lambda t: 1e9 * math.exp(-1e7 * (t if t < reset else t - reset))},
        skip=lambda t: abs(t - reset) < 1e-6 * reset,
        growth=100.0,
    )
    yield Problem(
        "window-in-units",
        model(
            "  parameter Real unit = 1e7;\n"
            "  Real x(start = 0, fixed = true, nominal = 1e7), y(start = 0, fixed = true);",
            "  der(x) = 10;\n"
            "  der(y) = if x/unit > 0.71993539 and x/unit < 0.71993543 then 1/4e-2 else 0;",
        ),
        720100.0,
        exact={"y": lambda t: min(max((10.0 * t - 7199353.9) / 0.4, 0.0), 1.0)},
        growth=10.0,
    )


def conditioning():
    """Digits that the problem itself loses."""
    yield Problem(
        "unstable-growth",
        model(
            "  Real x(start = 1, fixed = true), v(start = -1.3, fixed = true);",
            "  der(x) = v;\n  der(v) = 1.69*x;",
        ),
        30.0,
        expect="warned",
        words="digit",
    )
    yield Problem(
        "lorenz",
        model(
            "  Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 1, fixed = true);",
            "  der(x) = 10*(y - x);\n  der(y) = x*(28 - z) - y;\n  der(z) = x*y - 8/3*z;",
        ),
        40.0,
        expect="warned",
        words="digit",
    )
    for rate in (1.0, 1e6):
        yield Problem(
            f"unstable-branch-{rate:g}",
            model(
                "  Real x(start = 0, fixed = true);",
                f"  der(x) = {rate!r}*(x - sin({rate!r}*time)) + {rate!r}*cos({rate!r}*time);",
            ),
            40.0 / rate,
            expect="warned",
            words="digit",
        )
    yield Problem(
        "coarse-fixed-steps",
        model(
            "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);",
            "  der(x) = v;\n  der(v) = -100*x;",
        ),
        10.0,
        options=["--integrator", "rk4", "--step", "0.2"],
        expect="warned",
        words="step",
    )
    # No digit is lost here, and no word is said: swinging pendulums and neutral motions.
    yield Problem(
        "long-neutral-motion",
        model(
            "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);",
            "  der(x) = v;\n  der(v) = -x;",
        ),
        300.0,
        growth=300.0,
        exact={"x": math.cos},
    )
    yield Problem(
        "mild-growth",
        model("  Real x(start = 1, fixed = true);", "  der(x) = x;"),
        20.0,
        growth=20.0,
        exact={"x": math.exp},
    )


def bounds():
    yield Problem(
        "above-maximum",
        model("  Real x(start = 0, fixed = true, max = 0.5);", "  der(x) = 1;"),
        1.0,
        expect="warned",
        words="max",
    )
    yield Problem(
        "below-minimum",
        model(
            "  Real x(start = 1, fixed = true);\n  Real y(min = 0);",
            "  der(x) = -1;\n  y = 2*x;",
        ),
        2.0,
        expect="warned",
        words="min",
    )
    # Peaks between the steps, and between the rows.
    for rtol in (1e-4, 1e-6, 1e-9):
        for rate in (0.9, 4.02):
            for bounded in ("x", "y"):
                limit = {name: ", max = 0.998" if name == bounded else "" for name in "xy"}
                yield Problem(
                    f"peak-above-maximum-{bounded}-{rate:g}-{rtol:g}",
                    model(
                        f"  Real x(start = 0, fixed = true{limit['x']}), v(start = 1, fixed = true), "
                        f"y(start = 0{limit['y']});",
                        f"  der(x) = {rate!r}*v;\n  der(v) = -{rate!r}*x;\n  y = x;",
                    ),
                    6.0,
                    options=["--rtol", repr(rtol)],
                    expect="warned",
                    words="max",
                )
            yield Problem(
                f"peak-at-maximum-{rate:g}-{rtol:g}",
                model(
                    "  Real x(start = 0, fixed = true, max = 1), v(start = 1, fixed = true);",
                    f"  der(x) = {rate!r}*v;\n  der(v) = -{rate!r}*x;",
                ),
                6.0,
                options=["--rtol", repr(rtol)],
                rtol=rtol,
                growth=10.0,
                exact={"x": lambda t, w=rate: math.sin(w * t)},
            )
    yield Problem(
        "within-bounds",
        model("  Real x(start = 0, fixed = true, min = 0, max = 1);", "  der(x) = 1 - x;"),
        3.0,
        exact={"x": lambda t: -math.expm1(-t)},
    )


def bounds_of_thin_functions():
    """Outputs that no state follows and that are beyond their bound, or just within it, in a stretch
    that is far shorter than the steps and than the distance of the rows. The greatest value is 1."""
    shapes = {
        "normal": "exp(-({z})^2)",
        "lorentz": "1/(1 + ({z})^2)",
        "power": "(1 + ({z})^2)^(-1.5)",
        "sech": "1/cosh({z})",
        "pulse": "noEvent(if abs({z}) < 1 then 1 else 0)",
        "tent": "max(0, 1 - abs({z}))",
        "cusp": "exp(-abs({z}))",
    }
    for k, (shape, text) in enumerate(shapes.items()):
        rtol = (1e-4, 1e-6, 1e-9)[k % 3]
        width = (1e-2, 3e-4, 1e-5)[(k + k // 3) % 3]
        for of, z in (("time", f"(time - 6.23)/{width!r}"), ("state", f"(s - 6.23)/{max(width, 30*rtol)!r}")):
            for unit in (1.0, -1e5):
                for limit in (0.7, 1.01):
                    side = "max" if unit > 0.0 else "min"
                    yield Problem(
                        f"thin-bound-{shape}-{of}-{unit:g}-{limit:g}",
                        model(
                            "  Real s(start = 0, fixed = true), x(start = 1, fixed = true), "
                            f"v(start = 0, fixed = true), y({side} = {limit * unit!r});",
                            "  der(s) = 1;\n  der(x) = v;\n  der(v) = -x;\n"
                            f"  y = {unit!r}*{text.format(z=z)};",
                        ),
                        10.0,
                        options=["--rtol", repr(rtol)],
                        rtol=rtol,
                        growth=10.0,
                        exact={"x": math.cos},
                        expect="warned" if limit < 1.0 else "right",
                        words=side if limit < 1.0 else "",
                    )
    # y + y^3 = 2 exp(-z^2), which is solved for within the equations.
    for width in (0.3, 1e-3):
        for limit in (0.9, 1.01):
            yield Problem(
                f"thin-bound-implicit-{width:g}-{limit:g}",
                model(
                    "  Real x(start = 1, fixed = true), v(start = 0, fixed = true), "
                    f"y(start = 0, max = {limit!r});",
                    f"  der(x) = v;\n  der(v) = -x;\n  y + y^3 = 2*exp(-((time - 6.23)/{width!r})^2);",
                ),
                10.0,
                growth=10.0,
                exact={"x": math.cos},
                expect="warned" if limit < 1.0 else "right",
                words="max" if limit < 1.0 else "",
            )
    # Many turns of a wave within one step.
    yield Problem(
        "bound-of-a-fast-wave",
        model(
            "  Real s(start = 0, fixed = true), y(max = 0.9);",
            "  der(s) = 1;\n  y = sin(40*s);",
        ),
        10.0,
        expect="warned",
        words="max",
    )


def branches():
    """y = sqrt(s² + c²), and its negative beside it at s = 0: 2c apart."""
    for c in (1e-2, 1e-3, 1e-8, 1e-10):
        text = model(
            "  Real s(start = -1, fixed = true), y(start = 1), w(start = 0, fixed = true);",
            f"  der(s) = 1;\n  y^2 = s^2 + {c * c!r};\n  der(w) = y;",
        )
        if c > 1e-6:  # the tolerance
            yield Problem(f"branch-{c:g}", text, 2.0,
                          exact={"y": lambda t, c=c: math.hypot(t - 1.0, c)})
        else:
            yield Problem(f"branch-{c:g}", text, 2.0, expect="warned", words="two solutions for 'y' meet")


def meetings():
    """Two solutions of algebraic equations cross: from there on both are solutions."""
    for unit in (1.0, 1e-9, 1e6):
        yield Problem(
            f"meeting-{unit:g}",
            model(
                f"  Real s(start = {-unit!r}, fixed = true), z(start = {-unit!r});",
                f"  der(s) = {unit!r};\n  z*z = s^2;",
            ),
            2.0,
            expect="warned",
            words="two solutions for 'z' meet",
        )
    yield Problem(
        "meeting-of-pairs",
        model(
            "  Real s(start = -1, fixed = true), a(start = -1), b(start = 1);",
            "  der(s) = 1;\n  a + b = 0;\n  a*b = -s^2;",
        ),
        2.0,
        expect="warned",
        words="two solutions",
    )
    yield Problem(
        "meeting-in-a-product",
        model("  Real z(start = 1);", "  (z - cos(time))*(z - sin(time)) = 0;"),
        3.0,
        options=["--rtol", "1e-4"],
        expect="warned",
        words="two solutions for 'z' meet",
    )
    # Series of high order go over the instant in one step.
    for rtol in (1e-6, 1e-9, 1e-11):
        for name, declarations, equations in (
            ("of-fourth-powers", "Real s(start = -1, fixed = true), z(start = -1);",
             "der(s) = 1;\n  z^4 = s^4;"),
            ("of-sines", "Real z(start = 0);", "sin(z) = sin(time);"),
            ("of-states",
             "Real x(start = 1, fixed = true), y(start = 0, fixed = true), z(start = 1);",
             "der(x) = -y;\n  der(y) = x;\n  (z - x)*(z - y) = 0;"),
        ):
            yield Problem(
                f"meeting-{name}-{rtol:g}",
                model("  " + declarations, "  " + equations),
                3.0,
                options=["--rtol", repr(rtol)],
                expect="warned",
                words="two solutions for 'z' meet",
            )
    yield Problem(
        "meeting-of-rates",
        model("  Real y(start = 0, fixed = true);", "  der(y)^2 = (1 - time)^2;"),
        2.0,
        expect="warned",
        words="two solutions for 'der(y)' meet",
    )
    yield Problem(  # of which one alone is a solution
        "no-meeting",
        model(
            "  Real s(start = -1, fixed = true), z(start = -0.68);",
            "  der(s) = 1;\n  z^3 + z = s;",
        ),
        2.0,
        exact={"z": lambda t: solve_monotone(lambda z: z**3 + z - t + 1.0)},
    )


def impulses():
    """reinit moves what other variables follow from: p jumps from 1 to 3, q = p² by 8."""
    for unit in (1.0, 1e-6, 1e9):
        yield Problem(
            f"impulse-held-{unit:g}",
            model(
                f"  Real p(start = 0, fixed = true), q, i, w(start = 0, fixed = true);",
                f"  der(p) = {unit!r};\n  q = p^2/{unit!r};\n  der(q) = i;\n  der(w) = i;\n"
                f"  when time >= 1 then\n    reinit(p, {3.0 * unit!r});\n  end when;",
            ),
            2.0,
            expect="warned",
            words="'der(w) = i'",
        )
        yield Problem(
            f"impulse-given-{unit:g}",
            model(
                f"  Real p(start = 0, fixed = true), q, i, w(start = 0, fixed = true);",
                f"  der(p) = {unit!r};\n  q = p^2/{unit!r};\n  der(q) = i;\n  der(w) = i;\n"
                f"  when time >= 1 then\n    reinit(p, {3.0 * unit!r});\n"
                f"    reinit(w, {9.0 * unit!r});\n  end when;",
            ),
            2.0,
            exact={"w": lambda t, u=unit: u * (t if t < 1.0 else t + 2.0) ** 2},
            skip=lambda t: abs(t - 1.0) < 1e-9,
        )


def regrowths():
    """States that decay far below the tolerance and grow again."""
    for rtol in (1e-4, 1e-6, 1e-9):
        yield Problem(
            f"regrowth-switched-{rtol:g}",
            model("  Real x(start = 1, fixed = true);",
                  "  der(x) = (if time < 5 then -20 else 20)*x;"),
            10.0,
            options=["--rtol", repr(rtol)],
            rtol=rtol,
            growth=10.0,
            exact={"x": lambda t: math.exp(-20.0 * t if t < 5.0 else 20.0 * t - 200.0)},
        )
        yield Problem(
            f"regrowth-smooth-{rtol:g}",
            model("  Real x(start = 1, fixed = true);", "  der(x) = 10*(time - 5)*x;"),
            10.0,
            options=["--rtol", repr(rtol)],
            rtol=rtol,
            growth=100.0,
            exact={"x": lambda t: math.exp(5.0 * t * t - 50.0 * t)},
        )
        yield Problem(
            f"regrowth-loop-{rtol:g}",
            model(
                "  Real x(start = 1, fixed = true), z(start = 1);",
                "  der(x) = (if time < 5 then -20 else 20)*z;\n  z^3 + z = x^3 + x;",
            ),
            10.0,
            options=["--rtol", repr(rtol)],
            rtol=rtol,
            growth=10.0,
            exact={"x": lambda t: math.exp(-20.0 * t if t < 5.0 else 20.0 * t - 200.0)},
        )
    yield Problem(  # the logit of i is -9t, then 20 (t - 4) - 36
        "regrowth-epidemic",
        model(
            "  Real i(start = 0.5, fixed = true), s;",
            "  s = if time < 4 then 0.1 else 3;\n  der(i) = 10*(s - 1)*i*(1 - i);",
        ),
        8.0,
        options=["--rtol", "1e-9"],
        rtol=1e-9,
        growth=100.0,
        exact={"i": lambda t: 1.0 / (1.0 + math.exp(9.0 * t if t < 4.0 else 116.0 - 20.0 * t))},
    )


def given_tolerances():
    """Values below an absolute tolerance that was given, and something that reads them."""
    for name, rest in (
        ("rate", "  der(w) = log(x);"),
        ("condition", "  der(w) = 0;\n  when x < exp(-45) then\n    reinit(w, time);\n  end when;"),
    ):
        text = model("  Real x(start = 1, fixed = true), w(start = 0, fixed = true);",
                     f"  der(x) = -10*x;\n{rest}")
        yield Problem(f"given-tolerance-{name}", text, 6.0, options=["--atol", "1e-8"],
                      expect="warned", words="below the absolute tolerance")


def passages():
    """Where a slope is infinite or vanishes, and the solution goes on."""
    yield Problem(
        "cube-root",
        model("  Real x(start = 0, fixed = true), y(start = -1.26);", "  der(x) = 1;\n  y^3 = x - 2;"),
        4.0,
        exact={"y": lambda t: math.copysign(abs(t - 2.0) ** (1.0 / 3.0), t - 2.0)},
        growth=100.0,
    )
    yield Problem(
        "flow-reversal",
        model("  Real q(start = 0.9);", "  q*abs(q) = sin(time + 1);"),
        5.0,
        exact={
            "q": lambda t: math.copysign(math.sqrt(abs(math.sin(t + 1.0))), math.sin(t + 1.0))
        },
        growth=100.0,
    )
    yield Problem(
        "flow-from-rest",
        model(
            "  Real p(start = 0, fixed = true), q(start = 0);",
            "  der(p) = 1;\n  q*abs(q) = p;",
        ),
        2.0,
        exact={"q": math.sqrt},
        growth=100.0,
    )
    yield Problem(
        "fold",
        model("  Real x(start = 1, fixed = true), y(start = 1);", "  der(x) = -1;\n  y^2 = x;"),
        2.0,
        expect="impasse-point",
    )


def poles():
    """y·g(s) = 1 where g passes 0 at s = 1.5, in other units, at a time that no step is sure to hit."""
    for unit in (1.0, 1e-5, 1e6):
        for rtol in (1e-4, 1e-9):
            for name, equation in (
                ("factor", f"(y/{3.0 * unit!r})*cos({math.pi / 3.0!r}*s/{unit!r}) = 1 + 0.1*s/{unit!r}"),
                ("sum", f"y*s/{unit!r} = 1 + 1.5*y"),
            ):
                yield Problem(
                    f"pole-{name}-{unit:g}-{rtol:g}",
                    model(
                        "  Real s(start = 0, fixed = true), x(start = 0, fixed = true), y, r;",
                        f"  der(s) = {unit!r};\n  der(x) = {unit!r};\n  {equation};\n  r = x + s;",
                    ),
                    2.5,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    expect="non-finite-value",
                )


def exits():
    """A swing whose peaks are beyond the domain of asin by a share of their size."""
    for unit in (1.0, 2.36e-5, 1e-9, 1e4):
        for share in (1.15e-4, 8e-4):
            yield Problem(
                f"exit-{unit:g}-{share:g}",
                model(
                    f"  Real x(start = 0, fixed = true), v(start = {unit!r}, fixed = true), a;",
                    f"  der(x) = v;\n  der(v) = -x;\n  a = asin({(1.0 + share) / unit!r}*x);",
                ),
                9.0,
                expect="non-finite-value",
            )


def check_valves():
    """Flows through roots that a relation opens and closes: the root has no value on the other side."""

    def volume(t):  # of sqrt(max(1 - (t - 2)^2, 0)) from 0 to t
        u = min(max(t - 2.0, -1.0), 1.0)
        return (u * math.sqrt(1.0 - u * u) + math.asin(u)) / 2.0 + math.pi / 4.0

    for unit in (1.0, 1e5, 2.7e-9):
        for rtol in (1e-4, 1e-6, 1e-9):
            yield Problem(
                f"check-valve-{unit:g}-{rtol:g}",
                model(
                    "  Real V(start = 0, fixed = true), q, dp;",
                    f"  dp = {unit!r}*(1 - (time - 2)^2);\n"
                    f"  q = if dp > 0 then sqrt(dp/{unit!r}) else 0;\n  der(V) = {unit!r}*q;",
                ),
                4.0,
                exact={"V": lambda t, unit=unit: unit * volume(t)},
                rtol=rtol,
            )
    for k in (0.31, 1.7):  # the levels meet at t = sqrt(0.7)/k, and stay together
        yield Problem(
            f"check-valve-tanks-{k:g}",
            model(
                "  Real a(start = 1.2, fixed = true), b(start = 0.5, fixed = true), q;",
                f"  q = if a > b then {k / 2!r}*sqrt(a - b) else 0;\n  der(a) = -q;\n  der(b) = q;",
            ),
            4.0,
            exact={"a": lambda t, k=k: 0.85 + max(math.sqrt(0.7) - k * t / 2.0, 0.0) ** 2 / 2.0},
        )


def heat():
    """u_i' = n² (u_(i-1) - 2u_i + u_(i+1)): the first mode decays with 4n² sin²(π/(2(n+1))) exactly,
    for walls at 0 and n+1."""
    for n, unit in ((10, 1.0), (40, 1.0), (10, 1e-9), (20, 1e6)):
        rate = 4.0 * n * n * math.sin(0.5 * math.pi / (n + 1)) ** 2 / unit
        starts = "{" + ", ".join(repr(math.sin(math.pi * (i + 1) / (n + 1))) for i in range(n)) + "}"
        yield Problem(
            f"heat-{n}-{unit:g}",
            model(
                f"  parameter Real k = {n * n / unit!r};\n"
                f"  Real u[{n}](start = {starts}, each fixed = true);",
                f"  der(u[1]) = k*(u[2] - 2*u[1]);\n"
                f"  for i in 2:{n - 1} loop\n    der(u[i]) = k*(u[i - 1] - 2*u[i] + u[i + 1]);\n  end for;\n"
                f"  der(u[{n}]) = k*(u[{n - 1}] - 2*u[{n}]);",
            ),
            2.0 / rate,
            exact={
                f"u[{i + 1}]": lambda t, i=i, n=n, rate=rate: math.sin(math.pi * (i + 1) / (n + 1))
                * math.exp(-rate * t)
                for i in (0, n // 2, n - 1)
            },
        )


def clocks():
    """Late beginnings, and time that runs backwards."""
    for start in (1e3, 1e6, 1e9):
        yield Problem(
            f"late-start-{start:g}",
            model("  Real x(start = 1, fixed = true);", "  der(x) = -x;"),
            start + 3.0,
            start=start,
            exact={"x": lambda t, s=start: math.exp(s - t)},
            growth=10.0,
        )
    for stop in (-2.0, -1e-6):
        k = -2.0 / stop
        yield Problem(
            f"backwards-{stop:g}",
            model("  Real x(start = 1, fixed = true);", f"  der(x) = {k!r}*x;"),
            stop,
            exact={"x": lambda t, k=k: math.exp(k * t)},
        )


def cancellations():
    """Unknowns that are 0 but for rounding: they have no scale, and ask for nothing."""
    yield Problem(
        "balanced-forces",
        model(
            "  Real x(start = 0, fixed = true), v(start = 0, fixed = true), a;\n"
            "  Real y(start = 1, fixed = true), w(start = 0, fixed = true);",
            "  der(x) = v;\n  der(v) = a;\n  a = 0.1*y*3 - 0.3*y;\n  der(y) = w;\n  der(w) = -y;",
        ),
        20.0,
        exact={"x": lambda t: 0.0, "y": math.cos},
        floor=1e-6,
        growth=20.0,
    )
    yield Problem(
        "drift-monitor",
        model(
            "  Real x(start = 1, fixed = true), v(start = 0, fixed = true), e;",
            "  der(x) = v;\n  der(v) = -x;\n  e = x^2 + v^2 - 1;",
        ),
        20.0,
        exact={"x": math.cos, "e": lambda t: 0.0},
        floor=1.0,
        growth=20.0,
    )
    yield Problem(
        "third-axis",
        model(
            "  Real x(start = 0.6), y(start = -0.8), z(start = 0), u(start = 0), v(start = 0), w(start = 0), f;",
            "  der(x) = u;\n  der(y) = v;\n  der(z) = w;\n  der(u) = -f*x;\n  der(v) = -f*y - 9.81;\n"
            "  der(w) = -f*z;\n  x^2 + y^2 + z^2 = 1;",
        ),
        3.0,
        exact={"z": lambda t: 0.0},
        floor=1.0,
    )


def starts():
    """Initial values that equations determine."""
    for k in (1e-6, 1.0, 1e6):
        yield Problem(
            f"steady-start-{k:g}",
            "model Problem\n  Real x, y(start = 0, fixed = true);\ninitial equation\n  der(x) = 0;\n"
            f"equation\n  der(x) = {k!r}*(2 - x);\n  der(y) = {k!r}*(x - y);\nend Problem;\n",
            3.0 / k,
            exact={"x": lambda t: 2.0, "y": lambda t, k=k: -2.0 * math.expm1(-k * t)},
        )
    for size in (1e-9, 1.0, 1e9):
        yield Problem(
            f"implicit-start-{size:g}",
            model(
                f"  Real x(start = {size!r}, fixed = true), y(start = {0.5 * size!r});",
                f"  der(x) = -y;\n  (y/{size!r})^3 + y/{size!r} = (x/{size!r})^3 + x/{size!r};",
            ),
            2.0,
            exact={"x": lambda t, s=size: s * math.exp(-t), "y": lambda t, s=size: s * math.exp(-t)},
        )


def operating_points():
    """Exponential characteristics from guesses that are far off, in any number of unknowns."""

    def diode(v, saturation=1e-12):
        return saturation * math.expm1(v / 0.026)

    text = "1e-12*(exp(({})/0.026) - 1)"
    one = solve_monotone(lambda v: diode(v) - (5.0 - v) / 1e3, 0.0, 1.0)
    three = solve_monotone(lambda v: diode(v) - (5.0 - 3.0 * v) / 1e3, 0.0, 1.0)
    zener = solve_monotone(
        lambda v: 1e-12 * math.exp((v - 5.1) / 0.026) - diode(-v) - (12.0 - v) / 470.0, 0.0, 6.0)
    for guess in (-1e4, -20.0, 5.0, 20.0, 1e3, 1e6):
        yield Problem(
            f"diode-from-{guess:g}",
            model(f"  Real v(start = {guess!r});", f"  (5 - v)/1e3 = {text.format('v')};"), 1.0,
            exact={"v": lambda t, v=one: v})
        yield Problem(
            f"zener-from-{guess:g}",
            model(f"  Real v(start = {guess!r});",
                  f"  (12 - v)/470 = 1e-12*exp((v - 5.1)/0.026) - {text.format('-v')};"), 1.0,
            exact={"v": lambda t, v=zener: v})
        yield Problem(
            f"three-diodes-from-{guess:g}",
            model(f"  Real v[3](each start = {guess!r}), i(start = {guess!r});",
                  "  5 - sum(v) = 1e3*i;\n" +
                  "".join(f"  i = {text.format(f'v[{k}]')};\n" for k in (1, 2, 3))), 1.0,
            exact={"v[1]": lambda t, v=three: v, "v[3]": lambda t, v=three: v})
        yield Problem(
            f"diode-nodes-from-{guess:g}",
            model(f"  Real a(start = {guess!r}), b(start = {guess / 2!r}), c(start = {-guess / 3!r});",
                  f"  (5 - a)/1e3 = {text.format('a - b')};\n"
                  f"  {text.format('a - b')} = {text.format('b - c')};\n"
                  f"  {text.format('b - c')} = {text.format('c')};"), 1.0,
            exact={"a": lambda t, v=three: 3.0 * v, "c": lambda t, v=three: v})
    # Guesses of either sign let one diode block: its current, then its exponential, vanishes.
    two = solve_monotone(lambda v: diode(v) - (5.0 - 2.0 * v) / 1e3, 0.0, 1.0)
    for guess in (-50.0, 50.0, 3e4):
        yield Problem(
            f"two-diodes-from-{guess:g}",
            model(f"  Real a(start = {guess!r}), b(start = {-guess!r}), i(start = {guess!r});",
                  f"  5 - a = 1e3*i;\n  i = {text.format('a - b')};\n  i = {text.format('b')};"), 1.0,
            exact={"a": lambda t, v=two: 2.0 * v, "b": lambda t, v=two: v})
    # A saturated transistor, Ebers and Moll's: the collector follows from the base.
    def collector(base):
        return solve_monotone(
            lambda v: diode(base, 1e-14) - 2.0 * diode(base - v, 1e-14) - (10.0 - v) / 1e3, -1.0, 11.0)

    base = solve_monotone(
        lambda v: diode(v, 1e-14) / 100.0 + diode(v - collector(v), 1e-14) - (5.0 - v) / 1e3, 0.0, 0.9)
    for guess in (-10.0, 10.0, 100.0):
        yield Problem(
            f"transistor-from-{guess:g}",
            model(f"  Real b(start = {guess!r}), c(start = {guess!r}), f, r;",
                  "  f = 1e-14*(exp(b/0.026) - 1);\n  r = 1e-14*(exp((b - c)/0.026) - 1);\n"
                  "  (5 - b)/1e3 = f/100 + r;\n  (10 - c)/1e3 = f - 2*r;"), 1.0,
            exact={"b": lambda t: base, "c": lambda t: collector(base)})

    # A ladder of resistors with a diode at every node, from its end.
    def ladder(last, n):
        v, current = last, diode(last)
        for _ in range(n - 1):
            v += 1e3 * current
            if v > 1.0:
                return math.inf
            current += diode(v)
        return v + 1e3 * current

    for n in (5, 20):
        last = solve_monotone(lambda v, n=n: ladder(v, n) - 5.0, 0.0, 0.7)
        for guess in (-10.0, 10.0, 1e3):
            yield Problem(
                f"ladder-{n}-from-{guess:g}",
                model(f"  Real v[{n}](each start = {guess!r});",
                      "".join(f"  ({'5' if k == 1 else f'v[{k - 1}]'} - v[{k}])/1e3 = "
                              f"{text.format(f'v[{k}]')}"
                              f"{'' if k == n else f' + (v[{k}] - v[{k + 1}])/1e3'};\n"
                              for k in range(1, n + 1))), 1.0,
                exact={f"v[{n}]": lambda t, v=last: v})


def odd_roots():
    """y^n = u where u changes its sign: the slope is infinite there, and the solution goes on."""
    for n in (3, 5, 7, 9):
        yield Problem(
            f"odd-root-{n}",
            model("  Real x(start = -1, fixed = true), y(start = -1);", f"  der(x) = 1;\n  y^{n} = x;"),
            2.0, exact={"y": lambda t, n=n: math.copysign(abs(t - 1.0)**(1.0 / n), t - 1.0)},
            skip=lambda t: abs(t - 1.0) < 1e-3)
        yield Problem(
            f"odd-root-of-cosine-{n}", model("  Real y(start = 1);", f"  y^{n} = cos(time);"), 6.0,
            exact={"y": lambda t, n=n: math.copysign(abs(math.cos(t))**(1.0 / n), math.cos(t))})
    yield Problem(
        "flow-from-rest-in-time", model("  Real q(start = 0);", "  q*abs(q) = sin(time);"), 3.0,
        exact={"q": lambda t: math.sqrt(math.sin(t))}, growth=10.0)
    yield Problem(
        "cube-root-from-rest", model("  Real y(start = 0);", "  y^3 = sin(time);"), 3.0,
        exact={"y": lambda t: math.sin(t)**(1.0 / 3.0)}, growth=10.0)
    yield Problem(
        "two-roots-from-rest", model("  Real y(start = 0);", "  y^2 = sin(time);"), 3.0,
        expect="no-unique-solution")


def ideal_diodes():
    """Diodes without resistance, each on the side that alone gives a solution."""

    def diode(k, a, b):
        return (f"  off{k} = s{k} < 0;\n  v{k} = if off{k} then s{k} else 0;\n"
                f"  i{k} = if off{k} then 0 else s{k};\n  v{k} = {a} - {b};\n")

    turn = 5.0 + (1.0 - 5.0) * math.exp(-1.0)
    yield Problem(
        "freewheel",
        model("  Real s1, v1, i1, i(start = 1, fixed = true), x; Boolean off1;",
              diode(1, "0", "x") +
              "  der(i) = x - i;\n  i = i1 + (if time < 0.5 then 10 - x else 0);"), 1.0,
        exact={"i": lambda t: 5.0 - 4.0 * math.exp(-2.0 * t) if t <= 0.5 else turn * math.exp(0.5 - t)})
    # A coil behind a diode: i' = sin t - R i while it conducts, from each 2πn on until i is 0 again,
    # and i = 0 from there on, which is a constraint.
    for resistance in (0.13, 0.8, 4.0):

        def current(t, r=resistance):
            return (r * math.sin(t) - math.cos(t) + math.exp(-r * t)) / (1.0 + r * r)

        ends = solve_monotone(lambda t, f=current: -f(t), math.pi, 2.0 * math.pi)
        for rtol in (1e-4, 1e-6, 1e-9):
            yield Problem(
                f"coil-behind-diode-{resistance:g}-{rtol:g}",
                model("  Real s1, v1, i1, i(start = 0); Boolean off1;",
                      diode(1, "sin(time)", f"{resistance!r}*i - der(i)") + "  i1 = i;\n"), 14.0,
                options=["--rtol", repr(rtol)], rtol=rtol, growth=10.0,
                exact={"i": lambda t, f=current, e=ends: f(t % math.tau) if t % math.tau < e else 0.0})
    yield Problem(
        "bridge-without-resistance",
        model("  Real " + ", ".join(f"s{k}, v{k}, i{k}" for k in (1, 2, 3, 4)) + ", u, a, b, p, n;\n"
              "  Boolean off1, off2, off3, off4;",
              diode(1, "a", "p") + diode(2, "b", "p") + diode(3, "n", "a") + diode(4, "n", "b") +
              "  u = 10 + time;\n  a - b = u;\n  n = 0;\n  i1 + i2 = p/5;\n  i3 + i4 = i1 + i2;"), 1.0,
        exact={"p": lambda t: 10.0 + t, "i1": lambda t: 2.0 + 0.2 * t})


def delayed_decays():
    """What x = e^(-at) was before is e^(ad) times as much, and 1/x of that once it was 1."""
    for rate, delay, stop in ((2.3, 0.4, 9.0), (6.1, 1.3, 5.0), (3.7e4, 2.6e-5, 1.1e-3), (8e-7, 9e5, 4e7)):
        for rtol in (1e-4, 1e-6, 1e-9):
            for name, equation in (("quotient", f"q = delay(x, {delay!r})/x"),
                                   ("product", f"q*x = delay(x, {delay!r})")):
                yield Problem(
                    f"delayed-decay-{name}-{rate:g}-{rtol:g}",
                    model("  Real x(start = 1, fixed = true), q;", f"  der(x) = -{rate!r}*x;\n  {equation};"),
                    stop,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={"q": lambda t, a=rate, d=delay: math.exp(a * min(t, d))},
                    skip=lambda t, d=delay: abs(t - d) < 1e-6 * d,
                )


def titrations():
    """A weak acid and the base that is added to it, as species, by the charge balance alone, or with the
    pH as unknown: [H] falls by six decades within a thousandth of the run."""
    for acid, concentration, volume, ratio, end in ((1.7e-5, 0.11, 0.4, 1.3, 2.1), (8.3e-3, 0.0127, 0.44, 0.9, 2.4),
                                                    (9.3e-4, 0.21, 0.09, 1.8, 2.37), (4e-9, 2.4e-3, 0.7, 0.6, 1.5)):
        flow = volume / ratio  # the volume of base that neutralises it, in one unit of time

        def exponent(t, ka=acid, c=concentration, v=volume, q=flow):
            def balance(log_h):
                h = 10.0**log_h
                return h + (c * v * t - c * v * ka / (h + ka)) / (v + q * t) - 1e-14 / h

            return solve_monotone(balance, -15.0, 1.0)

        given = (f"  V = {volume!r} + {flow!r}*time;\n  ca = {concentration * volume!r}/V;\n"
                 f"  na = {concentration * volume!r}*time/V;\n")
        ionised = f"ca*{acid!r}/(h + {acid!r})"
        start = f"h(start = {10.0**exponent(0.0)!r})"
        forms = {
            "balance": (start, f"  h + na - 1e-14/h - {ionised} = 0;\n  pH = -log10(h);"),
            "species": (f"{start}, oh(start = 1e-12), a",
                        f"  h*oh = 1e-14;\n  a = {ionised};\n  h + na = oh + a;\n  pH = -log10(h);"),
            "exponent": ("h", f"  h = 10^(-pH);\n  h + na - 1e-14/h - {ionised} = 0;"),
        }
        for name, (unknowns, equations) in forms.items():
            for rtol in (1e-4, 1e-6, 1e-9):
                yield Problem(
                    f"titration-{name}-{acid:g}-{rtol:g}",
                    model(f"  Real V, ca, na, {unknowns}, pH(start = {-exponent(0.0)!r});", given + equations),
                    end,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={"pH": lambda t, f=exponent: -f(t), "h": lambda t, f=exponent: 10.0 ** f(t)},
                )


def linkages():
    """Motions without errors of their own, so that steps are long, and what follows from them through
    equations with several solutions or with a steep one."""
    for length in (1.08, 1.73, 2.585):
        for rate in (0.7, 2.07, 2.94):
            equations = {
                "crank": (f"sin(p) = {length!r}*sin(y)", 0.0, lambda p, l=length: math.asin(math.sin(p) / l)),
                "cosine": (f"{length!r}*cos(y) = sin(p)", 0.5 * math.pi,
                           lambda p, l=length: math.acos(math.sin(p) / l)),
                "tanh": (f"{length!r}*tanh(y) = sin(p)", 0.0, lambda p, l=length: math.atanh(math.sin(p) / l)),
                "circle": (f"y^2 + sin(p)^2 = {length**2!r}", length,
                           lambda p, l=length: math.sqrt(l * l - math.sin(p) ** 2)),
                "quadratic": (f"y^2 - {2.0 * length!r}*y + sin(p)^2 = 0", 2.0 * length,
                              lambda p, l=length: l + math.sqrt(l * l - math.sin(p) ** 2)),
                "cubic": (f"y^3 - 3*y = 2*sin(p)/{length!r}", math.sqrt(3.0),
                          lambda p, l=length: 2.0 * math.cos(math.acos(math.sin(p) / l) / 3.0)),
            }
            for name, (equation, start, exact) in equations.items():
                rtol = 1e-4 if rate == 2.07 else 1e-6
                yield Problem(
                    f"linkage-{name}-{length:g}-{rate:g}",
                    model(f"  Real p(start = 0, fixed = true), y(start = {start!r});",
                          f"  der(p) = {rate!r};\n  {equation};"),
                    18.7,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={"y": lambda t, f=exact, w=rate: f(w * t)},
                )


def small_series():
    """Algebraic unknowns far below 1, alone or beside others, at tolerances at which series are taken."""
    for a in (4e-7, 3e-12, 5e-17, 4e-20, 1e-25):
        for beside in ("1", "L/L"):
            yield Problem(
                f"small-series-quadratic-{a:g}-{'alone' if beside == '1' else 'coupled'}",
                model(
                    f"  Real q(start = {a!r}, fixed = true), r(start = {a!r}), L(start = 1, fixed = true);",
                    f"  der(q) = -q;\n  r^2/{a!r} + r*{beside} = 2*q;\n  der(L) = -0.3*L;",
                ),
                7.0,
                options=["--rtol", "1e-9"],
                rtol=1e-9,
                growth=10.0,
                exact={"r": lambda t, a=a: 0.5 * a * (math.sqrt(1.0 + 8.0 * math.exp(-t)) - 1.0)},
            )
        yield Problem(
            f"small-series-logarithm-{a:g}",  # from 0 with the slope 0
            model("  Real y(start = 0);", f"  exp(y/{a!r}) = 1 + time^2;"),
            2.0,
            options=["--rtol", "1e-9"],
            rtol=1e-9,
            growth=10.0,
            exact={"y": lambda t, a=a: a * math.log1p(t * t)},
        )


def emptying():
    """h' = -a sqrt(h) comes to rest at 0 at t = 2 sqrt(h0)/a, and stays there."""
    for a, start, unit, second in ((0.62, 1.3, 1.0, 1.0), (2.9, 0.4, 2.4e3, 1.8e-13), (1.1, 0.9, 3e-4, 6e5)):
        h = f"(h/{unit!r})"
        for rtol in (1e-4, 1e-6, 1e-9):
            for name, right in (
                ("sign", f"-{a!r}*sqrt(abs({h}))*sign({h})"),
                ("both-sides", f"if {h} > 0 then -{a!r}*sqrt({h}) else {a!r}*sqrt(-{h})"),
                ("one-side", f"if {h} > 0 then -{a!r}*sqrt({h}) else 0"),
                ("max", f"-{a!r}*sqrt(max({h}, 0))"),
            ):
                yield Problem(
                    f"emptying-{name}-{a:g}-{rtol:g}",
                    model(f"  Real h(start = {start * unit!r}, fixed = true, nominal = {unit!r});",
                          f"  {second / unit!r}*der(h) = {right};"),
                    3.0 * math.sqrt(start) / a * second,
                    options=["--rtol", repr(rtol)],
                    rtol=rtol,
                    growth=10.0,
                    exact={
                        "h": lambda t, a=a, h0=start, u=unit, s=second: u
                        * max(math.sqrt(h0) - 0.5 * a * t / s, 0.0) ** 2
                    },
                )


def poor_guesses():
    """Equations of other kinds from guesses outside their domain, beyond a pole or far off."""
    friction = solve_monotone(
        lambda f: -1.0 / math.sqrt(f) - 2.0 * math.log10(1e-4 / 3.7 + 2.51 / (1e5 * math.sqrt(f))),
        1e-6, 1.0)
    boiling = 46.0 + 3816.0 / (23.2 - math.log(101325.0))
    power = solve_monotone(lambda y: y**3 + math.exp(3.0 - y) - 20.0, 1.0, 3.0)
    for guess in (-100.0, 0.0, 1.0, 100.0, 1e6):
        yield Problem(
            f"friction-factor-guess-{guess:g}",
            model(f"  Real f(start = {guess!r});", "  1/sqrt(f) = -2*log10(1e-4/3.7 + 2.51/(1e5*sqrt(f)));"),
            1.0, exact={"f": lambda t: friction})
        yield Problem(
            f"boiling-point-guess-{guess:g}",
            model(f"  Real T(start = {guess!r});", "  101325 = exp(23.2 - 3816/(T - 46));"), 1.0,
            exact={"T": lambda t: boiling})
        # The poles lie at -2/3 and 2.
        yield Problem(
            f"flash-guess-{guess:g}",
            model(f"  Real V(start = {guess!r});",
                  "  0 = 0.3*(2.5 - 1)/(1 + V*1.5) + 0.7*(0.5 - 1)/(1 - V*0.5);"), 1.0,
            exact={"V": lambda t: 0.1 / 0.75})
        if guess < 1e6:
            yield Problem(
                f"logarithm-guess-{guess:g}",
                model(f"  Real x(start = {guess!r}), y(start = {guess!r});",
                      "  log(x) + y = 3;\n  x + y^3 = 20;"), 1.0,
                exact={"y": lambda t: power})


FAMILIES = (decays, oscillators, offsets, roots, small_values, gains, decays_that_are_read, mixed_units, handovers,
            stiff_jumps, reinitialised_pendulums, kinked_constraints, sliding, clutches, prothero_robinson, pendulums,
            pendulums_from_the_side, mechanisms_in_units,
            circuits,
            kinetics, thin_inputs, implicit_arguments, missed_events, kinks, events, conditioning, bounds,
            bounds_of_thin_functions, branches, passages, heat,
            clocks, cancellations, starts, operating_points, odd_roots, ideal_diodes, poor_guesses,
            delayed_decays, titrations, linkages, small_series, emptying, meetings, impulses,
            poles, exits, check_valves, regrowths, given_tolerances)
# What lies between steps is looked for in the whole gauntlet alone.
ONLY_WHOLE = (thin_inputs, implicit_arguments, missed_events, kinks, linkages, delayed_decays, emptying)


def all_problems(quick):
    for family in FAMILIES:
        if quick and family in ONLY_WHOLE:
            continue
        for number, problem in enumerate(family()):
            if not quick or number % 2 == 0:
                yield problem
