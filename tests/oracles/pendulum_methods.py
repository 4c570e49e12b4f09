#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of the methods for constrained mechanics on the planar pendulum, with a constant step.

    p'' = -lambda p - (0, 9.81),  0 = (p.p - 1)/2,  released at rest from (1, 0),  h = 0.01.

Every method is written out for this one problem with its analytic derivatives; the motion itself
is known in Jacobi's elliptic functions. Prints, for each method, the greatest distance of a
position from the exact one over 10 s and 100 s, and the greatest |g| and error of the energy.

    python3 tests/oracles/pendulum_methods.py
"""

import math

import mpmath
import numpy as np

GRAVITY = 9.81
STEP = 0.01


def exact_positions(n_steps):
    """sin(theta/2) = k sn(K - w t | k), k = sin(pi/4), theta from the vertical."""
    m = mpmath.mpf("0.5")
    rate = mpmath.sqrt(mpmath.mpf("9.81"))
    quarter = mpmath.ellipk(m)
    positions = []
    for i in range(n_steps + 1):
        u = quarter - rate * i * mpmath.mpf("0.01")
        half = math.asin(math.sqrt(0.5) * float(mpmath.ellipfun("sn", u, m=m)))
        positions.append((math.sin(2 * half), -math.cos(2 * half)))
    return positions


def acceleration(p, v, alpha=0.0, beta=0.0):
    """p.a + v.v + 2 alpha p.v + beta^2 (p.p - 1)/2 = 0 determines lambda; alpha = beta = 0: index 1."""
    square = p @ p
    force = v @ v - GRAVITY * p[1] + 2 * alpha * (p @ v) + beta * beta * (square - 1) / 2
    return -force / square * p - np.array([0.0, GRAVITY])


def rate(x, alpha=0.0, beta=0.0):
    return np.concatenate([x[2:], acceleration(x[:2], x[2:], alpha, beta)])


def rk4(f, x, h):
    k1 = f(x)
    k2 = f(x + h / 2 * k1)
    k3 = f(x + h / 2 * k2)
    k4 = f(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def drifting(alpha=0.0, beta=0.0):
    def run(x, n_steps):
        for _ in range(n_steps):
            yield x
            x = rk4(lambda s: rate(s, alpha, beta), x, STEP)
        yield x

    return run


def project(x):
    """The nearest point of the circle, then the nearest velocity in its tangent."""
    p = x[:2] / math.hypot(*x[:2])
    return np.concatenate([p, x[2:] - (p @ x[2:]) * p])


def orthogonal(x, n_steps):
    for _ in range(n_steps):
        yield x
        x = project(rk4(rate, x, STEP))
    yield x


def gauss(stages):
    """The collocation method of Gauss with one or two stages, by fixed-point iteration."""
    if stages == 1:
        a, b = np.array([[0.5]]), np.array([1.0])
    else:
        r = math.sqrt(3) / 6
        a, b = np.array([[0.25, 0.25 - r], [0.25 + r, 0.25]]), np.array([0.5, 0.5])

    def step(x, h):
        k = np.array([rate(x)] * stages)
        for _ in range(60):
            new = np.array([rate(x + h * (a[i] @ k)) for i in range(stages)])
            change = np.abs(new - k).max()
            k = new
            if change < 1e-15 * (1 + np.abs(k).max()):
                break
        return x + h * (b @ k)

    return step


def normals(x, mu):
    """The columns of the transposed Jacobian of (p.p - 1)/2 and p.v, times mu."""
    p, v = x[:2], x[2:]
    return np.concatenate([p * mu[0] + v * mu[1], p * mu[1]])


def invariants(x):
    return np.array([(x[:2] @ x[:2] - 1) / 2, x[:2] @ x[2:]])


def symmetric(stages):
    """Hairer's symmetric projection: x + N(x) mu, a step, + N(x1) mu, on the manifold."""
    step = gauss(stages)

    def end(x, mu):
        y = step(x + normals(x, mu), STEP)
        x1 = y.copy()
        for _ in range(60):
            new = y + normals(x1, mu)
            done = np.abs(new - x1).max() < 1e-16
            x1 = new
            if done:
                break
        return x1

    def advance(x):
        mu = np.zeros(2)
        for _ in range(20):
            residual = invariants(end(x, mu))
            if np.abs(residual).max() < 2e-16:
                break
            jacobian = np.empty((2, 2))
            for j in range(2):
                moved = mu.copy()
                moved[j] += 1e-6
                jacobian[:, j] = (invariants(end(x, moved)) - residual) / 1e-6
            mu = mu - np.linalg.solve(jacobian, residual)
        return end(x, mu)

    def run(x, n_steps):
        for _ in range(n_steps):
            yield x
            x = advance(x)
        yield x

    return run


def partitioning(x, n_steps):
    """RK4 in the coordinate with the smaller |p_i|; the other one by the constraint. The choice is
    renewed before every step."""
    for _ in range(n_steps):
        yield x
        d = 0 if abs(x[0]) >= abs(x[1]) else 1  # the dependent one
        i = 1 - d
        sign = math.copysign(1.0, x[d])

        def full(s):
            p, v = np.empty(2), np.empty(2)
            p[i], v[i] = s
            p[d] = sign * math.sqrt(1 - s[0] ** 2)
            v[d] = -p[i] * v[i] / p[d]
            return np.concatenate([p, v])

        x = full(rk4(lambda s: np.array([s[1], rate(full(s))[2 + i]]), x[[i, 2 + i]], STEP))
    yield x


def tangent(x, n_steps):
    """RK4 in z = t.(p - p0) with the tangent t at p0, which is renewed before every step."""
    for _ in range(n_steps):
        yield x
        n = x[:2].copy()
        t = np.array([-n[1], n[0]])

        def full(s):
            height = math.sqrt(1 - s[0] ** 2)
            p = t * s[0] + n * height
            return np.concatenate([p, t * s[1] - n * (s[0] * s[1] / height)])

        x = full(rk4(lambda s: np.array([s[1], t @ rate(full(s))[2:]]),
                     np.array([0.0, t @ x[2:]]), STEP))
    yield x


def ggl_residual(z, zp):
    """Gear, Gupta, Leimkuhler: p' = v - p mu, v' = -p lambda - g, p.p = 1, p.v = 0."""
    p, v, lam, mu = z[:2], z[2:4], z[4], z[5]
    return np.concatenate([zp[:2] - v + p * mu, zp[2:4] + p * lam + [0.0, GRAVITY],
                           [(p @ p - 1) / 2, p @ v]])


def ggl_matrices(z):
    """The derivatives of the residual by z and z'."""
    p, v, lam, mu = z[:2], z[2:4], z[4], z[5]
    f_z = np.zeros((6, 6))
    f_z[:2, :2] = mu * np.eye(2)
    f_z[:2, 2:4] = -np.eye(2)
    f_z[:2, 5] = p
    f_z[2:4, :2] = lam * np.eye(2)
    f_z[2:4, 4] = p
    f_z[4, :2] = p
    f_z[5, :2] = v
    f_z[5, 2:4] = p
    return f_z, np.diag([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


def multiplier(x):
    return (x[2:] @ x[2:] - GRAVITY * x[1]) / (x[:2] @ x[:2])


def converge(z, residual, matrix):
    for _ in range(30):
        change = np.linalg.solve(matrix(z), residual(z))
        z = z - change
        if np.abs(change).max() < 1e-14 * (1 + np.abs(z).max()):
            break
    return z


BDF = {2: [3 / 2, -2, 1 / 2],
       4: [25 / 12, -4, 3, -4 / 3, 1 / 4],
       5: [137 / 60, -5, 5, -10 / 3, 5 / 4, -1 / 5]}


def ggl_bdf(order):
    alpha = BDF[order]

    def run(x, n_steps):
        # Starting values by short steps of the projected RK4, far below the errors measured.
        history = [np.concatenate([x, [multiplier(x), 0.0]])]
        for _ in range(order - 1):
            yield history[-1][:4]
            for _ in range(100):
                x = project(rk4(rate, x, STEP / 100))
            history.append(np.concatenate([x, [multiplier(x), 0.0]]))
        for _ in range(n_steps - order + 1):
            yield history[-1][:4]
            past = sum(a * z for a, z in zip(alpha[1:], reversed(history)))
            guess = 2 * history[-1] - history[-2]
            z = converge(guess,
                         lambda z: ggl_residual(z, (alpha[0] * z + past) / STEP),
                         lambda z: (lambda m: m[0] + alpha[0] / STEP * m[1])(ggl_matrices(z)))
            history = (history + [z])[-order:]
        yield history[-1][:4]

    return run


def ggl_radau(x, n_steps):
    """The three-stage Radau IIA method (order 5)."""
    r = math.sqrt(6)
    a = np.array([[(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
                  [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
                  [(16 - r) / 36, (16 + r) / 36, 1 / 9]])
    inverse = np.linalg.inv(a)
    z = np.concatenate([x, [multiplier(x), 0.0]])
    stages = np.tile(z, 3)

    for _ in range(n_steps):
        yield z[:4]
        start = z

        def residual(s):
            s = s.reshape(3, 6)
            slopes = inverse @ (s - start) / STEP
            return np.concatenate([ggl_residual(s[i], slopes[i]) for i in range(3)])

        def matrix(s):
            s = s.reshape(3, 6)
            m = np.zeros((18, 18))
            for i in range(3):
                f_z, f_zp = ggl_matrices(s[i])
                for j in range(3):
                    m[6 * i:6 * i + 6, 6 * j:6 * j + 6] = inverse[i, j] / STEP * f_zp
                m[6 * i:6 * i + 6, 6 * i:6 * i + 6] += f_z
            return m

        stages = converge(np.tile(start, 3), residual, matrix)
        z = stages[12:]
    yield z[:4]


METHODS = [
    ("index1, RK4", drifting()),
    ("baumgarte 5 5, RK4", drifting(5.0, 5.0)),
    ("orthogonal-projection, RK4", orthogonal),
    ("symmetric-projection, midpoint", symmetric(1)),
    ("symmetric-projection, Gauss 4", symmetric(2)),
    ("coordinate-partitioning at once, RK4", partitioning),
    ("tangent-space at once, RK4", tangent),
    ("ggl, BDF 2", ggl_bdf(2)),
    ("ggl, BDF 4", ggl_bdf(4)),
    ("ggl, BDF 5", ggl_bdf(5)),
    ("ggl, Radau 5", ggl_radau),
]


def main():
    exact = exact_positions(10000)
    print(f"{'method':38} {'10 s: position':>14} {'100 s: position':>15} {'energy':>9} {'|g|':>9}")
    for name, method in METHODS:
        position = energy = violation = 0.0
        early = 0.0
        for i, x in enumerate(method(np.array([1.0, 0.0, 0.0, 0.0]), 10000)):
            position = max(position, math.dist(x[:2], exact[i]))
            energy = max(energy, abs(x[2:] @ x[2:] / 2 + GRAVITY * x[1]))
            violation = max(violation, abs(x[:2] @ x[:2] - 1) / 2)
            if i == 1000:
                early = position
        print(f"{name:38} {early:14.3g} {position:15.3g} {energy:9.2g} {violation:9.2g}", flush=True)


if __name__ == "__main__":
    main()
