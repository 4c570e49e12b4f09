#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sequential regularisation (Ascher and Lin 1993) written out for single examples.

Examples 2 and 3 with Euler's two methods, h = 0.001, eps = 0.1, y_0 = 1 and E = (CB)^-1:

    x1' = -x1 + x2 - sin t,   x2' = F y,   0 = F p,   F = 1 - 2 (t + shift),
    p = x1 + x2 - exp(-t) - sin t;       x = (exp(-t), sin t),  F y = cos t.

With u = F y the iteration y_s = y_(s-1) - (1/eps) E (alpha1 c' + alpha2 c), c = F p, becomes

    u_s = u_(s-1) - (1/eps) (alpha1 (F'/F p_s + p_s') + alpha2 p_s),   u_0 = F.

Printed are those entries of Tables 5.3, 5.4 and 5.5 which the paper prints otherwise, or which
depend on how the singular instant t = 0.5 is avoided (here: shift = h/2), beside some that it
prints alike.

The slider crank of Petzold, Ren and Maly with E = I, c = G v + gamma g, three iterations:
the error of the exact solution of the chain of equations, by the classical Runge-Kutta method.

    python3 tests/oracles/sequential_regularization.py
"""

import math

import numpy as np

H = 0.001
EPS = 0.1


def line(iterations, is_backward, alpha1=0.0, alpha2=1.0, shift=0.0):
    """Yields (t, x, u) of the last iterate at every node."""

    def chain(t, x, s_max):
        """u_s and the rates of all iterates at given states."""
        factor = 1 - 2 * (t + shift)
        u = factor
        result = []
        for s in range(s_max):
            x1, x2 = x[s]
            p = x1 + x2 - math.exp(-t) - math.sin(t)
            x1_rate = -x1 + x2 - math.sin(t)
            known = x1_rate + math.exp(-t) - math.cos(t)  # p' without u_s
            gain = alpha2 * p
            if alpha1 > 0.0:
                gain += alpha1 * (-2 / factor * p + known)
            u = (u - gain / EPS) / (1 + alpha1 / EPS)
            result.append((x1_rate, u))
        return result

    x = [(1.0, 0.0)] * iterations
    yield 0.0, x[-1], chain(0.0, x, iterations)[-1][1]
    for n in range(1000):
        t, t1 = H * n, H * (n + 1)
        if not is_backward:
            rates = chain(t, x, iterations)
            x = [(a + H * ra, b + H * rb) for (a, b), (ra, rb) in zip(x, rates)]
        else:
            # Linear in the new state of one iterate after the other: two columns and the rest.
            new = []
            for s in range(iterations):
                def defect(state):
                    ra, rb = chain(t1, new + [state], s + 1)[s]
                    return np.array([state[0] - x[s][0] - H * ra, state[1] - x[s][1] - H * rb])

                at0 = defect((0.0, 0.0))
                matrix = np.column_stack([defect((1.0, 0.0)) - at0, defect((0.0, 1.0)) - at0])
                new.append(tuple(np.linalg.solve(matrix, -at0)))
            x = new
        yield t1, x[-1], chain(t1, x, iterations)[-1][1]


def errors_at(node, *arguments, **options):
    for n, (t, x, u) in enumerate(line(*arguments, **options)):
        if n == node:
            return (max(abs(x[0] - math.exp(-t)), abs(x[1] - math.sin(t))), abs(u - math.cos(t)))
    raise ValueError(node)


def slider_crank(iterations=3, eps=1e-4, gamma=10.0, y_start=None, n_steps=40000):
    """The greatest error of the angles over 2 s from th1 = pi/4 at rest, branch th2 = pi - th1."""

    def iterate(q, v, y_before):
        c, s = math.cos(q[1] - q[0]), math.sin(q[1] - q[0])
        g1, g2 = math.sin(q[0]), math.sin(q[1])
        y = y_before + (g1 * v[0] + g2 * v[1] - gamma * (math.cos(q[0]) + math.cos(q[1]))) / eps
        f1 = s * v[1] ** 2 - 19.6 * g1 - g1 * y
        f2 = -s * v[0] ** 2 - 9.8 * g2 - g2 * y
        det = 2 - c * c
        return y, ((f1 - c * f2) / det, (2 * f2 - c * f1) / det)

    def rate(x):
        result = np.empty_like(x)
        y = y_start
        for s in range(iterations):
            o = 4 * s
            y, a = iterate(x[o:o + 2], x[o + 2:o + 4], y)
            result[o:o + 2] = x[o + 2:o + 4]
            result[o + 2:o + 4] = a
        th, w = x[-2], x[-1]  # the motion on the branch
        result[-2] = w
        result[-1] = (2 * math.sin(2 * th) * w * w - 9.8 * math.sin(th)) / (3 + 2 * math.cos(2 * th))
        return result

    h, worst = 2.0 / n_steps, 0.0
    x = np.array([math.pi / 4, 3 * math.pi / 4, 0.0, 0.0] * iterations + [math.pi / 4, 0.0])
    for _ in range(n_steps):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        o = 4 * (iterations - 1)
        worst = max(worst, abs(x[o] - x[-2]), abs(x[o + 1] - math.pi + x[-2]))
    return worst


def slider_crank_multiplier():
    """At rest at th1 = pi/4: G M^-1 (f - G' y) = 0."""
    th1, th2 = math.pi / 4, 3 * math.pi / 4
    c = math.cos(th2 - th1)
    inverse = np.linalg.inv(np.array([[2.0, c], [c, 1.0]]))
    g = np.array([math.sin(th1), math.sin(th2)])
    f = np.array([-19.6 * g[0], -9.8 * g[1]])
    return (g @ inverse @ f) / (g @ inverse @ g)


def main():
    def show(name, *values):
        print(f"{name:56}", *(f"{value:10.3g}" for value in values), flush=True)

    print("Examples 2 and 3: errors of x and of By")
    show("Table 5.3, s = 1, t = 1", *errors_at(1000, 1, True))
    show("Table 5.3, s = 2, t = 1 (x is printed .25e-2)", *errors_at(1000, 2, True))
    show("Table 5.3, s = 3, t = 1", *errors_at(1000, 3, True))
    show("Table 5.4, s = 2, t = 0.3", *errors_at(300, 2, False))
    show("Table 5.4, s = 3, t = 0.3 (x is printed .43e-2)", *errors_at(300, 3, False))
    for is_backward in (True, False):
        for name, alpha1 in (("(0,1)", 0.0), ("(h,1)", H), ("(1,1)", 1.0)):
            show(f"Table 5.5, Euler {'backward' if is_backward else 'forward'}, {name}, t = 0.5",
                 *errors_at(500, 3, is_backward, alpha1, shift=H / 2))
    print("Slider crank, eps = 1e-4, gamma = 10: error of the angles")
    exact = slider_crank_multiplier()
    show("y_0 = y(0)", slider_crank(y_start=exact))
    show("y_0 = 0", slider_crank(y_start=0.0))


if __name__ == "__main__":
    main()
