# SPDX-License-Identifier: BSD-3-Clause
"""Side by side with scipy.integrate.solve_ivp at the same tolerances (times: python/bench)."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy_problems import PROBLEMS, error, methods_for, rational_solution, reference, solve_own, solve_scipy

import daedal


@pytest.mark.parametrize("name", PROBLEMS)
def test_errors_are_not_larger_than_those_of_scipy(name):
    expected = reference(name)
    own = solve_own(name)
    assert own.success, own.message
    theirs = {method: solve_scipy(name, method) for method in methods_for(name)}
    errors = {method: error(name, found.y[:, -1], expected) for method, found in theirs.items()}
    # Within the tolerance nobody is worse than anybody else.
    assert error(name, own.y[:, -1], expected) <= max(1.0, min(errors.values())), errors


@pytest.mark.parametrize("name", ["rational", "lotka-volterra", "van der pol"])
def test_errors_at_given_times_are_not_larger_than_those_of_scipy(name):
    rhs, span, y0, rtol, atol = PROBLEMS[name]
    times = np.linspace(*span, 60)

    def by_scipy(method, rtol, atol):
        return solve_ivp(rhs, span, y0, method=method, rtol=rtol, atol=atol, t_eval=times).y
    expected = rational_solution(times) if name == "rational" else by_scipy("Radau", 1e-11, 1e-14)
    own = daedal.solve_dae(lambda t, y, yp: yp - rhs(t, y), span, y0, rtol=rtol, atol=atol, t_eval=times)
    errors = {method: error(name, by_scipy(method, rtol, atol), expected) for method in methods_for(name)}
    assert error(name, own.y, expected) <= max(1.0, min(errors.values())), errors
