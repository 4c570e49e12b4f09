#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nitrogen as an ideal gas, and a mixture with oxygen: values for ideal_gases_test.cpp.

The coefficients are those of NASA/TP-2002-211556 for N2. Enthalpy and entropy are integrals of the
heat capacity from 298.15 K on, by Simpson's rule; there the entropy is 191.609 J/(mol K) (CODATA Key
Values for Thermodynamics, 1989). Viscosities are those of Chung's and Wilke's formulas in the units of
their papers (g/mol, cm3/mol, uP).
"""

from math import exp, sqrt

LOW = [22103.71497, -381.846182, 6.08273836, -0.00853091441, 1.384646189e-05, -9.62579362e-09,
       2.519705809e-12]
HIGH = [587712.406, -2239.249073, 6.06694922, -0.00061396855, 1.491806679e-07, -1.923105485e-11,
        1.061954386e-15]
R = 296.8033869505308


def cp(T):
    return R * sum(a * T**(k - 2) for k, a in enumerate(LOW if T < 1000.0 else HIGH))


def integral(f, a, b, n=2000):
    h = (b - a) / n
    return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * f(a + i * h) for i in range(n + 1))


def from_25C(f, T):
    if T <= 1000.0:
        return integral(f, 298.15, T)
    below = 1000.0 * (1 - 1e-15)
    return integral(f, 298.15, below) + integral(f, 1000.0, T)


def chung(T, Tc, M, Vc, w):
    Ts = 1.2593 * T / Tc
    omega = 1.16145 * Ts**-0.14874 + 0.52487 * exp(-0.77320 * Ts) + 2.16178 * exp(-2.43787 * Ts)
    return 40.785 * (1 - 0.2756 * w) * sqrt(M * T) / (Vc**(2 / 3) * omega) * 1e-7


def wilke(y, M, mu):
    total = 0.0
    for i in range(len(y)):
        below = 0.0
        for j in range(len(y)):
            above = (1 + (mu[i] / mu[j])**0.5 * (M[j] / M[i])**0.25)**2
            below += y[j] * above / (8 * (1 + M[i] / M[j]))**0.5
        total += y[i] * mu[i] / below
    return total


for T in (500.0, 1500.0):
    print(f"T = {T}: cp {cp(T):.12g}, h - h(25 C) {from_25C(cp, T):.12g},",
          f"s {191.609 / 0.0280134 + from_25C(lambda t: cp(t) / t, T):.12g}")
print(f"eta of N2 at 300 K {chung(300.0, 126.2, 28.0134, 90.1, 0.037):.12g}")
print(f"eta of the mixture {wilke([0.79, 0.21], [28.0134, 31.9988], [1.78e-5, 2.07e-5]):.12g}")
