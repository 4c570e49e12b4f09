#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""States of dry air from the Helmholtz energy of Lemmon et al. (2000), derivatives by mpmath.

Solves for the density by bisection and differentiates the energy numerically in 40 digits. Figures of
tests/modelica/library/dry_air_test.cpp.
"""

from mpmath import diff, exp, findroot, log, mp, mpf

mp.dps = 40
R, T_RED, D_RED = mpf("287.117"), mpf("132.6312"), mpf("302.5507652")
IDEAL = [mpf(x) for x in ("0.605719400e-7", "-0.210274769e-4", "-0.158860716e-3", "-13.841928076",
                          "17.275266575", "-0.195363420e-3", "2.490888032", "0.791309509",
                          "0.212236768", "0.197938904", "25.36365", "16.90741", "87.31279")]
N = [mpf(x) for x in ("0.118160747229", "0.713116392079", "-1.61824192067", "0.0714140178971",
                      "-0.0865421396646", "0.134211176704", "0.0112626704218", "-0.0420533228842",
                      "0.0349008431982", "0.000164957183186", "-0.101365037912", "-0.173813690970",
                      "-0.0472103183731", "-0.0122523554253", "-0.146629609713", "-0.0316055879821",
                      "0.000233594806142", "0.0148287891978", "-0.00938782884667")]
I = [1, 1, 1, 2, 3, 3, 4, 4, 4, 6, 1, 3, 5, 6, 1, 3, 11, 1, 3]
J = [mpf(x) for x in ("0 .33 1.01 0 0 .15 0 .2 .35 1.35 1.6 .8 .95 1.25 3.6 6 3.25 3.5 15").split()]
L = [0] * 10 + [1] * 4 + [2] * 3 + [3] * 2


def energy(d, t):
    """The Helmholtz energy in J/kg."""
    delta, tau = d / D_RED, T_RED / t
    f = log(delta) + sum(IDEAL[k] * tau**(k - 3) for k in range(5)) + IDEAL[5] * tau**mpf("1.5")
    f += IDEAL[6] * log(tau) + IDEAL[7] * log(1 - exp(-IDEAL[10] * tau))
    f += IDEAL[8] * log(1 - exp(-IDEAL[11] * tau)) + IDEAL[9] * log(mpf(2) / 3 + exp(IDEAL[12] * tau))
    for n, i, j, k in zip(N, I, J, L):
        f += n * delta**i * tau**j * (exp(-delta**k) if k else 1)
    return R * t * f


def pressure(d, t):
    return d**2 * diff(energy, (d, t), (1, 0))


def density(p, t):
    return findroot(lambda d: pressure(d, t) - p, (p / (R * t) * mpf("0.8"), p / (R * t) * mpf("1.3")),
                    solver="anderson")


def entropy(d, t):
    return -diff(energy, (d, t), (0, 1))


def enthalpy(d, t):
    return energy(d, t) + t * entropy(d, t) + pressure(d, t) / d


if __name__ == "__main__":
    zero = density(101325, mpf("273.15"))
    h0 = enthalpy(zero, mpf("273.15"))
    s0 = entropy(zero, mpf("273.15")) - mpf("161.8028")
    for p, t in ((1e5, 300), (1e7, 250), (1e5, 500)):
        d = density(mpf(p), mpf(t))
        print(p, t, "d", mp.nstr(d, 15), "h", mp.nstr(enthalpy(d, t) - h0, 15), "s",
              mp.nstr(entropy(d, t) - s0, 15))
