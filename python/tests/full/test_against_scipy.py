# SPDX-License-Identifier: BSD-3-Clause
"""Side by side with scipy.integrate.solve_ivp at the same tolerances (times: python/bench)."""
import pytest
from scipy_problems import PROBLEMS, error, methods_for, reference, solve_own, solve_scipy


@pytest.mark.parametrize("name", PROBLEMS)
def test_errors_are_not_larger_than_those_of_scipy(name):
    expected = reference(name)
    own = solve_own(name)
    assert own.success, own.message
    theirs = {method: solve_scipy(name, method) for method in methods_for(name)}
    errors = {method: error(name, found.y[:, -1], expected) for method, found in theirs.items()}
    # Within the tolerance nobody is worse than anybody else.
    assert error(name, own.y[:, -1], expected) <= max(1.0, min(errors.values())), errors
