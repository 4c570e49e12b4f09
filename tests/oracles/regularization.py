#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors that the regularisations of Petzold, Ren and Maly (1997) themselves make.

The regularised equations are ordinary differential equations: here they are written out from the
paper for each example and integrated with so short a step of the classical Runge-Kutta method that
its own error is far below what is measured. With A = GB of the constraints that are kept and r the
right-hand side of A y = r,

    trust region            (A'A + eps I) y = A' r      (2.10)
    direct regularisation   (A + eps I) y = r           (2.13)

Mechanics in the index-2 form keeps G v + g_t = 0:   A = G M^-1 G',
    r = G M^-1 f + g_qq(v, v) + gamma G v;           v' = M^-1 (f - G' y)
and in the paper's index-3 form                      (4.4)
    r = G M^-1 f + 2 gamma G v + 2 gamma^2 g.

Prints the greatest error over the run of every case that a test expects.

    python3 tests/oracles/regularization.py
"""

import math

import numpy as np


def trust_region(a, r, eps):
    return np.linalg.solve(a.T @ a + eps * np.eye(len(r)), a.T @ r)


def direct(a, r, eps):
    return np.linalg.solve(a + eps * np.eye(len(r)), r)


def rk4(f, t, x, h):
    k1 = f(t, x)
    k2 = f(t + h / 2, x + h / 2 * k1)
    k3 = f(t + h / 2, x + h / 2 * k2)
    k4 = f(t + h, x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def greatest_error(f, x, exact, span, n_steps, stride=1):
    """Over every `stride`-th step; `exact(t)` has the components that are compared, the first ones
    of x."""
    begin, end = span
    h = (end - begin) / n_steps
    worst = 0.0
    for i in range(n_steps):
        x = rk4(f, begin + i * h, x, h)
        if (i + 1) % stride != 0:
            continue
        reference = exact(begin + (i + 1) * h)
        worst = max(worst, max(abs(x[j] - reference[j]) for j in range(len(reference))))
    return worst


def mechanics(terms, rule, gamma, eps, is_paper=False):
    """The regularised equations of motion. terms(q, v) -> M, f, G, g_qq(v, v), g."""

    def rate(t, x):
        n = len(x) // 2
        v = x[n:]
        mass, force, jac, curvature, g = terms(x[:n], v)
        free = np.linalg.solve(mass, force)
        b = np.linalg.solve(mass, jac.T)
        if is_paper:
            r = jac @ free + 2 * gamma * (jac @ v) + 2 * gamma**2 * g
        else:
            r = jac @ free + curvature + gamma * (jac @ v)
        return np.concatenate([v, free - b @ rule(jac @ b, r, eps)])

    return rate


def table(rate, x, end, n_steps):
    """Values of a scalar second-order equation at half steps, for use as a reference."""
    h = end / n_steps
    values = [x[0]]
    for i in range(n_steps):
        x = rk4(rate, i * h, x, h)
        values.append(x[0])
    return lambda t: values[round(t / h)]


# The slider crank, paper (5.2), (5.3), on the branch th2 = pi - th1.


def slider_crank(q, v):
    c, s = math.cos(q[1] - q[0]), math.sin(q[1] - q[0])
    mass = np.array([[2.0, c], [c, 1.0]])
    force = np.array([s * v[1] ** 2 - 19.6 * math.sin(q[0]), -s * v[0] ** 2 - 9.8 * math.sin(q[1])])
    jac = np.array([[math.sin(q[0]), math.sin(q[1])]])
    curvature = np.array([math.cos(q[0]) * v[0] ** 2 + math.cos(q[1]) * v[1] ** 2])
    return mass, force, jac, curvature, np.array([-math.cos(q[0]) - math.cos(q[1])])


def slider_crank_error(rule, gamma, eps, is_paper=False, n_steps=20000):
    def branch(t, x):
        top = 2 * math.sin(2 * x[0]) * x[1] ** 2 - 9.8 * math.sin(x[0])
        return np.array([x[1], top / (3 + 2 * math.cos(2 * x[0]))])

    angle = table(branch, np.array([math.pi / 4, 0.0]), 2.0, n_steps)
    start = np.array([math.pi / 4, 3 * math.pi / 4, 0.0, 0.0])
    return greatest_error(mechanics(slider_crank, rule, gamma, eps, is_paper), start,
                          lambda t: (angle(t), math.pi - angle(t)), (0.0, 2.0), n_steps)


# The pendulum with g and 2g.


def doubled_pendulum(q, v):
    g = (q @ q - 1) / 2
    return (np.eye(2), np.array([0.0, -9.8]), np.array([q, 2 * q]), np.array([v @ v, 2 * (v @ v)]),
            np.array([g, 2 * g]))


def pendulum_angle(n_steps):
    return table(lambda t, x: np.array([x[1], -9.8 * math.cos(x[0])]), np.zeros(2), 3.0, n_steps)


def doubled_pendulum_error(rule, eps, n_steps=20000):
    angle = pendulum_angle(n_steps)
    return greatest_error(mechanics(doubled_pendulum, rule, 1e3, eps), np.array([1.0, 0, 0, 0]),
                          lambda t: (math.cos(angle(t)), math.sin(angle(t))), (0.0, 3.0), n_steps)


# The same motion with x = u1 + u2: a singular mass matrix, (4.11) with the shift delta.


def split_pendulum_error(delta, n_steps=20000):
    mass = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    solve = np.linalg.inv(mass.T @ mass + delta * np.eye(3)) @ mass.T
    force = np.array([0.0, 0.0, -9.8])
    gamma, eps = 1e3, 1e-10

    def rate(t, x):
        q, v = x[:3], x[3:]
        jac = np.array([[q[0] + q[1], q[0] + q[1], q[2]]])
        b = solve @ jac.T
        r = jac @ solve @ force + (v[0] + v[1]) ** 2 + v[2] ** 2 + gamma * (jac @ v)
        return np.concatenate([v, solve @ force - b @ trust_region(jac @ b, r, eps)])

    angle = pendulum_angle(n_steps)
    h, worst = 3.0 / n_steps, 0.0
    x = np.array([0.5, 0.5, 0.0, 0.0, 0.0, 0.0])
    for i in range(n_steps):
        x = rk4(rate, i * h, x, h)
        a = angle((i + 1) * h)
        worst = max(worst, abs(x[0] + x[1] - math.cos(a)), abs(x[2] - math.sin(a)))
    return worst


# The parallelogram with g alone, or with g and 2g, through three flat positions.


def parallelogram(copies):
    factors = np.arange(1.0, copies + 1)

    def terms(q, v):
        dx = 2 + math.cos(q[1]) - math.cos(q[0])
        dy = math.sin(q[1]) - math.sin(q[0])
        # The derivatives of (dx, dy) along v, and their own.
        ddx = math.sin(q[0]) * v[0] - math.sin(q[1]) * v[1]
        ddy = math.cos(q[1]) * v[1] - math.cos(q[0]) * v[0]
        d2x = math.cos(q[0]) * v[0] ** 2 - math.cos(q[1]) * v[1] ** 2
        d2y = math.sin(q[0]) * v[0] ** 2 - math.sin(q[1]) * v[1] ** 2
        row = np.array([dx * math.sin(q[0]) - dy * math.cos(q[0]),
                        dy * math.cos(q[1]) - dx * math.sin(q[1])])
        curvature = ddx**2 + ddy**2 + dx * d2x + dy * d2y
        g = (dx**2 + dy**2 - 4) / 2
        return (np.eye(2), np.array([0.5, 0.0]), np.outer(factors, row), factors * curvature,
                factors * g)

    return terms


def parallelogram_error(copies, eps, stride, n_steps=30000):
    def exact(t):
        return (-0.8 + 2 * t + t * t / 8,) * 2

    return greatest_error(mechanics(parallelogram(copies), trust_region, 1e3, eps),
                          np.array([-0.8, -0.8, 2.0, 2.0]), exact, (0.0, 3.0), n_steps, stride)


# Theorem 3.2's family x' = 2 - t^k y, 0 = t^k (x - t - 1); k = 1 is Example 5.1.


def family_error(k, rule, eps, end=1.0, n_steps=40000):
    gamma = 1e3

    def rate(t, x):
        gap = x - t - 1
        # d/dt of the constraint with y = 0, and its damping.
        r = k * t ** (k - 1) * gap + t**k + gamma * t**k * gap
        return 2 - t**k * rule(np.array([[t ** (2 * k)]]), r, eps)

    return greatest_error(rate, np.zeros(1), lambda t: (t + 1,), (-1.0, end), n_steps)


# Theorem 3.1: two constraints of rank 1 on three variables, B = C' or not.


def rank_deficient_error(rule, is_transposed, eps, n_steps=20000):
    gamma = 50.0
    a = np.array([[0.0, 1.0, 0.3], [-1.0, -0.2, 0.1], [0.2, 0.0, -0.5]])
    weights = np.array([1.0, 2.0])

    def exact(t):
        return np.array([math.exp(-t), 1 + math.sin(t), math.cos(2 * t)])

    def rate(t, x):
        c = np.array([math.cos(t), math.sin(t), 1 + 0.3 * math.sin(2 * t)])
        c_t = np.array([-math.sin(t), math.cos(t), 0.6 * math.cos(2 * t)])
        s_t = np.array([-math.exp(-t), math.cos(t), -2 * math.sin(2 * t)])
        gap = x - exact(t)
        b = np.outer(c, weights if is_transposed else (2 + math.sin(t)) * np.array([1.0, 0.5]))
        free = a @ gap + s_t - c * (1.5 + math.cos(3 * t))
        # d/dt of c.(x - s) with y = 0, and its damping.
        r = weights * (c_t @ gap + c @ (free - s_t) + gamma * (c @ gap))
        return free - b @ rule(np.outer(weights, c) @ b, r, eps)

    return greatest_error(rate, exact(0.0), exact, (0.0, 3.0), n_steps)


def main():
    def show(name, value):
        print(f"{name:66} {value:.4g}", flush=True)

    for eps in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        show(f"slider crank, index 2, trust region, eps = {eps:g}",
             slider_crank_error(trust_region, 1e3, eps))
    for eps in (1e-5, 1e-6, 1e-7):
        show(f"slider crank, the paper's index 3, trust region, eps = {eps:g}",
             slider_crank_error(trust_region, 1e3, eps, is_paper=True))
    for gamma, eps in ((1e3, 1e-6), (1e3, 1e-8), (10.0, 1e-6)):
        show(f"slider crank, index 2, direct, gamma = {gamma:g}, eps = {eps:g}",
             slider_crank_error(direct, gamma, eps))
    for name, rule in (("trust region", trust_region), ("direct", direct)):
        for eps in (1e-3, 1e-4):
            show(f"pendulum with g and 2g, {name}, eps = {eps:g}: error/eps",
                 doubled_pendulum_error(rule, eps) / eps)
    for delta in (1e-3, 1e-4):
        show(f"pendulum with a singular mass matrix, shift = {delta:g}: error/shift",
             split_pendulum_error(delta) / delta)
    for copies, eps in ((1, 1e-6), (2, 1e-6), (1, 1e-6 / 25), (1, 1e-6 / 4)):
        name = f"parallelogram, g{' and 2g' if copies == 2 else ''}, trust region, eps = {eps:g}"
        # The error is a peak of a few milliseconds at each flat position.
        show(f"{name}, every 3 ms", parallelogram_error(copies, eps, stride=30))
        show(f"{name}, every 0.1 ms", parallelogram_error(copies, eps, stride=1))
    show("Example 5.1, direct, eps = 1e-06", family_error(1, direct, 1e-6))
    for eps in (1e-6, 1e-9):
        show(f"Example 5.1, trust region, eps = {eps:g}", family_error(1, trust_region, eps))
    for name, rule, is_transposed in (("direct, B = C'", direct, True),
                                      ("trust region, B = C'", trust_region, True),
                                      ("trust region, B not C'", trust_region, False)):
        show(f"rank-deficient system, {name}, eps = 1e-4: error/eps",
             rank_deficient_error(rule, is_transposed, 1e-4) / 1e-4)


if __name__ == "__main__":
    main()
