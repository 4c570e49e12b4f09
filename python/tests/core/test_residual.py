# SPDX-License-Identifier: BSD-3-Clause
"""trace=False: the residual is called with numbers in every step."""
import math

import numpy as np
import pytest
from systems import pendulum

import daedal


def branches(t, y, yp):
    if y[0] > 0.5:
        return [yp[0] + y[0]]
    return [yp[0] + 2.0 * y[0] - 0.5]


def test_a_function_with_branches_is_solved_with_numbers():
    # x' = -x above 1/2, reached at ln 2, then x' = -2x + 1/2, continuous there.
    result = daedal.solve_dae(branches, (0, 2), [1.0], trace=False, rtol=1e-8)
    late = 2.0 - math.log(2.0)
    assert result.success, result.message
    assert result.y[0, -1] == pytest.approx(0.25 + 0.25 * math.exp(-2.0 * late), rel=1e-5)
    assert result.index is None


def test_index_1_with_rough_start_values():
    def f(t, y, yp):
        return [yp[0] - y[1], y[0]**2 + y[1]**2 - 1]
    # x' = z with x^2 + z^2 = 1: x = sin t.
    result = daedal.solve_dae(f, (0, 1), [0.0, 0.5], trace=False, rtol=1e-9)
    assert result.y[1, 0] == pytest.approx(1.0, abs=1e-12)
    assert result.y[0, -1] == pytest.approx(math.sin(1.0), abs=1e-6)


def test_a_declared_index():
    def f(t, y, yp):  # index 2: the multiplier holds x on cos t
        return [yp[0] - y[1], y[0] - math.cos(t)]
    result = daedal.solve_dae(f, (0, 1), [1.0, 0.0], [0.0, -1.0], trace=False, index=[1, 2], rtol=1e-6)
    assert result.success, result.message
    assert result.y[1, -1] == pytest.approx(-math.sin(1.0), abs=1e-3)


def test_a_higher_index_is_not_solved_silently():
    result = daedal.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 0], trace=False)
    assert not result.success


def test_exceptions_pass_through():
    class Own(Exception):
        pass

    def f(t, y, yp):
        if t > 0.1:
            raise Own("from inside")
        return yp + y
    with pytest.raises(Own, match="from inside"):
        daedal.solve_dae(f, (0, 1), [1.0], trace=False)


def test_a_changed_size_is_told():
    def f(t, y, yp):
        return yp + y if t < 0.1 else [1.0, 2.0]
    with pytest.raises(ValueError, match="as many equations"):
        daedal.solve_dae(f, (0, 1), [1.0], trace=False)


@pytest.mark.parametrize("value, kind, text", [
    (None, ValueError, "return statement"), ([1j], TypeError, "complex"), (["a"], TypeError, "numbers")])
def test_wrong_values_are_told(value, kind, text):
    with pytest.raises(kind, match=text):
        daedal.solve_dae(lambda t, y, yp: value, (0, 1), [1.0], trace=False)


def test_no_method_of_structure():
    with pytest.raises(ValueError, match="structure of F is not known"):
        daedal.solve_dae(branches, (0, 1), [1.0], trace=False, method="ggl")
    with pytest.raises(ValueError, match="index must say"):
        daedal.solve_dae(branches, (0, 1), [1.0], trace=False, index=[1, 2])


def test_parameters_t_eval_integrator_and_progress():
    seen = []

    def f(t, y, yp, p):
        return yp + p.k * y
    result = daedal.solve_dae(f, (0, 1), [1.0], trace=False, parameters={"k": 2.0}, t_eval=[0.5, 1.0],
                              integrator="radau", rtol=1e-8, names=["x"], progress=seen.append)
    assert result["x"] == pytest.approx(np.exp([-1.0, -2.0]), rel=1e-6)
    assert result.integrator == "radau"


def test_hidden_state_is_no_error_with_numbers():
    calls = []

    def f(t, y, yp):
        calls.append(t)
        return yp + y
    assert daedal.solve_dae(f, (0, 1), [1.0], trace=False).success
    assert len(calls) > 10
