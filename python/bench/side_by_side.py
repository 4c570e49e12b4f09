# SPDX-License-Identifier: BSD-3-Clause
"""Whole calls of solve_dae beside scipy.integrate.solve_ivp, and what tracing, sweeps and Ctrl-C cost."""
import math
import os
import pathlib
import signal
import sys
import threading
import time

import numpy as np

import daedal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))
from scipy_problems import PROBLEMS, error, methods_for, reference, solve_own, solve_scipy  # noqa: E402
from systems import pendulum  # noqa: E402


def best_of(call, repeats):
    """The shortest of some calls in seconds, and the result of the last."""
    shortest, result = math.inf, None
    for _ in range(repeats):
        began = time.perf_counter()
        result = call()
        shortest = min(shortest, time.perf_counter() - began)
    return shortest, result


def print_problems():
    print(f"{'problem':16}{'solver':22}{'ms':>10}{'error/tol':>12}")
    for name in PROBLEMS:
        expected = reference(name)
        seconds, own = best_of(lambda: solve_own(name), 5)
        print(f"{name:16}{'daedal ' + own.integrator:22}{1e3 * seconds:10.2f}"
              f"{error(name, own.y[:, -1], expected):12.3g}")
        for method in methods_for(name):
            seconds, found = best_of(lambda: solve_scipy(name, method), 2)
            print(f"{name:16}{'scipy ' + method:22}{1e3 * seconds:10.2f}"
                  f"{error(name, found.y[:, -1], expected):12.3g}")


def print_costs():
    def prepare():
        return daedal.Model.from_function(pendulum, [1, 0, 0, 0, 0]).prepare()
    print(f"trace and prepare the pendulum   {1e3 * best_of(prepare, 50)[0]:8.3f} ms")
    first = best_of(lambda: prepare().solve((0, 1e-6)), 20)[0]
    print(f"the same with its first step     {1e3 * first:8.3f} ms")
    m = daedal.Model("Decay")
    k, x = m.parameter("k", 1.0), m.variable("x", 1.0, fixed=True)
    m.add(x.der() == -k * x)
    problem = m.prepare()
    seconds, _ = best_of(lambda: problem.sweep({"k": np.linspace(0.1, 2.0, 10_000)}, (0, 1)), 1)
    print(f"a sweep of 10,000 members        {1e3 * seconds:8.1f} ms")


def print_interruption():
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.3, send).start()
    try:
        daedal.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] + y[0]], (0, 1e9), [0, 1], max_steps=10**9)
    except KeyboardInterrupt as stopped:
        print(f"Ctrl-C to the result so far      {1e3 * (time.perf_counter() - sent[0]):8.1f} ms, "
              f"{len(stopped.result.t)} points kept")


if __name__ == "__main__":
    print_problems()
    print_costs()
    print_interruption()
