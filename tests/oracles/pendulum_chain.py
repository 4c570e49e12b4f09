#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The chain of P pendula in angles, pendulum by pendulum, with many digits.

    x_i'' = -lambda_i x_i,  y_i'' = -lambda_i y_i + g,  x_i^2 + y_i^2 = (L + c lambda_{i-1})^2

has index 2P + 1. With x = r cos(a), y = r sin(a) and r = L + c lambda_{i-1} known from the pendulum
before, each is an ordinary differential equation,

    a'' = (g cos(a) - 2 r' a')/r,    lambda = a'^2 - r''/r + g sin(a)/r.

All start at rest with y = 0. A step is a power series of every pendulum; one that is followed by n
others has 2n coefficients more, because each takes two derivatives. Its unit of time is a power of
two within the radius of convergence, so that coefficients neither grow nor fall and fixed-point
integers hold them all equally well; a step is a quarter of it. A second run with six coefficients
more tells how many digits hold.

    pendulum_chain.py P c [t ...]          x, y, lambda of the first, middle and last pendulum
    pendulum_chain.py --zero P c           where r of the last pendulum passes zero
    pendulum_chain.py --long-double P c t  the same in floating point of 64 bits by numpy: a minute
                                           for P = 100; with --length, --gravity and --heights

In floating point every coefficient has its digits, whatever its size, and none are lost from one
pendulum to the next: for P = 8, 23 and 50 both ways agree in 17 digits. The second run of it takes
other steps too (a fifth of h), so that rounding errors show in the difference as well.
"""
import argparse
from fractions import Fraction
from operator import mul

import mpmath
import numpy

BITS = 256
ONE = 1 << BITS


def set_precision(count, bits_each=8):
    """Each pendulum's two derivatives cost some of the digits of the one before."""
    global BITS, ONE
    BITS = 256 + bits_each * count
    ONE = 1 << BITS


def fixed(text):
    with mpmath.workprec(BITS + 64):
        return int(mpmath.nint(mpmath.mpf(text) * ONE))


def dot(u, v):
    """sum u_j v_{n-j} over lists of equal length."""
    return sum(map(mul, u, reversed(v))) >> BITS


def series_of(angle, rate, r, h2g, n):
    """Coefficients 0..n of the angle, of sine and cosine, and 0..n-2 of h^2 lambda.

    `r` has at least n + 1 coefficients; `rate` is da/dtau.
    """
    with mpmath.workprec(BITS + 64):
        a0 = mpmath.mpf(angle) / ONE
        s, c = [int(mpmath.sin(a0) * ONE)], [int(mpmath.cos(a0) * ONE)]
    a = [angle, rate]
    rates = [rate]  # of da/dtau
    radial = [(k + 1) * r[k + 1] for k in range(n)]
    q = []
    for k in range(n - 1):
        top = (h2g * c[k] >> BITS) - 2 * dot(radial[:k + 1], rates[:k + 1])
        top -= dot(r[1:k + 1], q[:k])
        q.append((top << BITS) // r[0])
        a.append(q[k] // ((k + 1) * (k + 2)))
        rates.append((k + 2) * a[k + 2])
        s.append(dot(c[:k + 1], rates[:k + 1]) // (k + 1))
        c.append(-dot(s[:k + 1], rates[:k + 1]) // (k + 1))
    # h^2 lambda = a'^2 + (h^2 g sin(a) - r'')/r
    ratio, force = [], []
    for k in range(n - 1):
        top = (h2g * s[k] >> BITS) - (k + 1) * (k + 2) * r[k + 2]
        top -= dot(r[1:k + 1], ratio[:k])
        ratio.append((top << BITS) // r[0])
        force.append(dot(rates[:k + 1], rates[:k + 1]) + ratio[k])
    return a, force


QUARTER = 2  # a step is h/2^QUARTER


def advance(angles, rates, c, h, n_last):
    """One step of length h/4: new angles and rates, and the state at its beginning; nothing where
    the last coefficients are not small: h is too long."""
    length, g = fixed(10), fixed("9.8")
    h2 = h * h >> BITS
    h2g = h2 * g >> BITS
    count = len(angles)
    r = [length] + [0] * (n_last + 2 * count + 4)
    state, new_angles, new_rates = [], [], []
    for i in range(count):
        n = n_last + 2 * (count - i)
        a, force = series_of(angles[i], rates[i] * h >> BITS, r, h2g, n)
        lam = [(f << BITS) // h2 for f in force]
        if max(abs(v) for v in a[n_last - 4:n_last] + lam[n_last - 6:n_last - 2]) > ONE >> 2:
            return None
        state.append((a[0], r[0], lam[0]))
        new_angles.append(sum(v >> QUARTER * k for k, v in enumerate(a)))
        slope = sum(k * a[k] >> QUARTER * (k - 1) for k in range(1, len(a)))
        new_rates.append((slope << BITS) // h)
        r = [c * v >> BITS for v in lam]
        r[0] += length
    return new_angles, new_rates, state


def values(state):
    with mpmath.workdps(40):
        out = []
        for a, r, lam in state:
            a, r, lam = (mpmath.mpf(v) / ONE for v in (a, r, lam))
            out.append((r * mpmath.cos(a), r * mpmath.sin(a), lam))
        return out


def walk(count, c, n_last):
    """Yields time and state, step after step."""
    angles, rates = [0] * count, [0] * count
    t, level, since = Fraction(0), 1, 0  # h = 2^-level
    while True:
        step = advance(angles, rates, fixed(c), ONE >> level, n_last)
        if step is None:
            level, since = level + 1, 0
            if level > 60:
                return
            continue
        angles, rates, state = step
        yield t, state
        t += Fraction(1, 1 << level + QUARTER)
        # A longer unit is tried now and then, where its steps keep to their grid.
        since += 1
        if level > 1 and since >= 8 and t.denominator <= 1 << level - 1 + QUARTER:
            level, since = level - 1, 0


def solve(count, c, times, n_last):
    """The state at the given times, multiples of 1/8."""
    found = {}
    for t, state in walk(count, c, n_last):
        if t in times:
            found[t] = values(state)
        if t >= max(times):
            return found


def find_zero(count, c):
    """Where the length of the last pendulum has fallen to a thousandth."""
    for t, state in walk(count, c, 40):
        r = mpmath.mpf(state[-1][1]) / ONE
        if r < 0.01:
            break
    return t, r


REAL = numpy.longdouble


def back(v, last):
    """v_last, ..., v_0."""
    return v[last::-1]


def expand(angle, rate, r, h, gravity, n):
    """Coefficients 0..n of the angle and 0..n-2 of lambda in tau = (t' - t)/h."""
    a, w = numpy.zeros(n + 1, REAL), numpy.zeros(n, REAL)
    s, c = numpy.zeros(n, REAL), numpy.zeros(n, REAL)
    q, ratio, lam = (numpy.zeros(n - 1, REAL) for _ in range(3))
    a[0], a[1], w[0] = angle, rate * h, rate * h
    s[0], c[0] = numpy.sin(angle), numpy.cos(angle)
    k = numpy.arange(n + 1, dtype=REAL)
    radial, second = k[1:] * r[1:n + 1], k[1:n] * k[2:n + 1] * r[2:n + 1]
    h2g = h * h * gravity
    for m in range(n - 1):
        q[m] = h2g * c[m] - 2 * radial[:m + 1].dot(back(w, m))
        ratio[m] = h2g * s[m] - second[m]
        if m > 0:
            q[m] -= r[1:m + 1].dot(back(q, m - 1))
            ratio[m] -= r[1:m + 1].dot(back(ratio, m - 1))
        q[m] /= r[0]
        ratio[m] /= r[0]
        a[m + 2] = q[m] / ((m + 1) * (m + 2))
        w[m + 1] = (m + 2) * a[m + 2]
        s[m + 1] = c[:m + 1].dot(back(w, m)) / (m + 1)
        c[m + 1] = -s[:m + 1].dot(back(w, m)) / (m + 1)
        lam[m] = (w[:m + 1].dot(back(w, m)) + ratio[m]) / (h * h)
    return a, lam


def step_in_floats(state, given, h, n_last, parts):
    """As advance(), a step of h/parts; `state` has angle and rate, or at the start the height."""
    gravity, length, c = given
    r = numpy.zeros(n_last + 2 * len(state) + 4, REAL)
    r[0] = length
    new, now = [], []
    for i, (angle, rate) in enumerate(state):
        n = n_last + 2 * (len(state) - i)
        if rate is None:  # at rest in y: 0 = r' sin(a) + r a' cos(a)
            angle = numpy.arcsin(angle / r[0])
            rate = -r[1] / h * numpy.tan(angle) / r[0]
        a, lam = expand(angle, rate, r, h, gravity, n)
        size = abs(lam[0]) + gravity / length
        if not max(abs(a[n_last - 3:n_last + 1]).max(), abs(lam[n_last - 5:n_last - 1]).max() / size) < 0.25:
            return None
        now.append((r[0] * numpy.cos(angle), r[0] * numpy.sin(angle), lam[0]))
        powers = (1 / REAL(parts)) ** numpy.arange(n + 1)
        new.append((powers.dot(a), (numpy.arange(1, n + 1) * a[1:]).dot(powers[:n]) / h))
        r = c * lam
        r[0] += length
        if not r[0] > 0:
            return None
    return new, now


def solve_in_floats(heights, given, stop, n_last, parts):
    state = [(REAL(y), None) for y in heights]
    longest = REAL(2) ** numpy.floor(numpy.log2(numpy.sqrt(given[1] / given[0])))
    t, h, since = REAL(0), longest, 0
    while True:
        step = step_in_floats(state, given, h, n_last, parts)
        if step is None:
            h, since = h / 2, 0
            if h < 1e-6 * longest:
                raise SystemExit(f"no series at t = {t}")
            continue
        new, now = step
        if t >= stop:
            return now
        if t + h / parts > stop:
            h, since = parts * (stop - t), -10**9
            continue
        state, t, since = new, t + h / parts, since + 1
        if since >= 6:
            h, since = 2 * h, 0


def print_in_floats(arguments):
    given = REAL(arguments.gravity), REAL(arguments.length), REAL(arguments.c)
    heights = arguments.heights.split(",")
    heights = heights * arguments.count if len(heights) == 1 else heights
    stop = REAL(arguments.times[0].numerator) / arguments.times[0].denominator
    one = solve_in_floats(heights, given, stop, 34, 4)
    two = solve_in_floats(heights, given, stop, 28, 5)
    for i in sorted({0, (arguments.count - 1) // 2, arguments.count - 1}):
        digits = (numpy.format_float_positional(v, unique=False, precision=17) for v in one[i])
        print(f"pendulum {i + 1}:  {{{', '.join(digits)}}}")
    error = max(abs(u - v) for p, q in zip(one, two) for u, v in zip(p, q))
    print(f"two runs differ by {float(error):.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--zero", action="store_true")
    parser.add_argument("count", type=int)
    parser.add_argument("c")
    parser.add_argument("times", type=Fraction, nargs="*", default=[Fraction(10)])
    parser.add_argument("--long-double", action="store_true")
    parser.add_argument("--length", default="10")
    parser.add_argument("--gravity", default="9.8")
    parser.add_argument("--heights", default="0", help="at the start: of all, or one for each")
    arguments = parser.parse_args()
    if arguments.long_double:
        print_in_floats(arguments)
        return
    mpmath.mp.dps = 40
    # Near a zero of the length more of them.
    set_precision(arguments.count, 40 if arguments.zero else 8)
    if arguments.zero:
        t, r = find_zero(arguments.count, arguments.c)
        print(f"length {mpmath.nstr(r, 6)} at t = {float(t):.8g}")
        return
    coarse = solve(arguments.count, arguments.c, arguments.times, 24)
    fine = solve(arguments.count, arguments.c, arguments.times, 30)
    error = max(abs(u - v) for t in arguments.times for p, q in zip(coarse[t], fine[t])
                for u, v in zip(p, q))
    for t in arguments.times:
        for i in sorted({0, (arguments.count - 1) // 2, arguments.count - 1}):
            x, y, lam = (mpmath.nstr(v, 17) for v in fine[t][i])
            print(f"t = {float(t):g}  pendulum {i + 1}:  {{{x}, {y}, {lam}}}")
    print(f"two runs differ by {mpmath.nstr(error, 3)}")


if __name__ == "__main__":
    main()
