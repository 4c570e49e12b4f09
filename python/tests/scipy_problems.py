# SPDX-License-Identifier: BSD-3-Clause
"""Problems of scipy's own tests of solve_ivp, and van der Pol's equation: y' = f(t, y)."""
import numpy as np

import daedal


def rational(t, y):
    # From t = 5 the solution is (t/(t + 10), 10 t/(t + 10)^2).
    return np.array([y[1] / t, y[1] * (y[0] + 2 * y[1] - 1) / (t * (y[0] - 1))])


def rational_solution(t):
    return np.array([t / (t + 10), 10 * t / (t + 10)**2])


def robertson(t, y):
    return np.array([-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1]**2,
                     3e7 * y[1]**2])


def lotka_volterra(t, y):
    return np.array([y[0] * (1.5 - y[1]), y[1] * (y[0] - 3.0)])


def van_der_pol(t, y):
    return np.array([y[1], 1000.0 * (1.0 - y[0]**2) * y[1] - y[0]])


STIFF = ("robertson", "van der pol")
#: Right-hand side, interval, start, rtol and atol.
PROBLEMS = {
    "rational": (rational, (5.0, 9.0), [1 / 3, 2 / 9], 1e-3, 1e-6),
    "lotka-volterra": (lotka_volterra, (0.0, 10.0), [10.0, 5.0], 1e-6, 1e-9),
    "robertson": (robertson, (0.0, 1e8), [1.0, 0.0, 0.0], 1e-6, 1e-10),
    "van der pol": (van_der_pol, (0.0, 2000.0), [2.0, 0.0], 1e-6, 1e-9),
}


def methods_for(name):
    """Those of solve_ivp that end within seconds."""
    return ("Radau", "BDF", "LSODA") if name in STIFF else ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")


def solve_own(name):
    rhs, span, y0, rtol, atol = PROBLEMS[name]
    return daedal.solve_dae(lambda t, y, yp: yp - rhs(t, y), span, y0, rtol=rtol, atol=atol)


def solve_scipy(name, method):
    from scipy.integrate import solve_ivp

    rhs, span, y0, rtol, atol = PROBLEMS[name]
    return solve_ivp(rhs, span, y0, method=method, rtol=rtol, atol=atol)


def reference(name):
    """The end values: exact, or by scipy at its finest."""
    from scipy.integrate import solve_ivp

    rhs, span, y0, _, _ = PROBLEMS[name]
    if name == "rational":
        return rational_solution(span[1])
    return solve_ivp(rhs, span, y0, method="Radau", rtol=1e-10, atol=1e-15).y[:, -1]


def error(name, y, expected):
    """In units of the tolerance."""
    _, _, _, rtol, atol = PROBLEMS[name]
    return float(np.max(np.abs(y - expected) / (atol + rtol * np.abs(expected))))
