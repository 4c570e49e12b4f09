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


@pytest.mark.parametrize("rate", [1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_starts_and_solutions_are_the_same_in_every_unit(rate, size):
    # y' = -rate y, z = 3 y with a rough z: y(1/rate) = size/e.
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] + rate * y[0], y[1] - 3 * y[0]], (0, 1 / rate), [size, 0.0],
                              trace=False, rtol=1e-8, atol=1e-10 * size)
    assert result.y[:, 0] == pytest.approx([size, 3 * size], rel=1e-12)
    assert result.y[:, -1] == pytest.approx([size / math.e, 3 * size / math.e], rel=1e-6)


def test_a_tiny_coefficient_makes_no_derivative_disappear():
    # y0 is differential, however small its coefficient is: it stays, y1 follows.
    result = daedal.solve_dae(lambda t, y, yp: [1e-9 * yp[0] + y[0] - y[1], y[1] - 1], (0, 1), [3.0, 0.0], trace=False)
    assert result.y[:, 0] == pytest.approx([3.0, 1.0]) and result.y[:, -1] == pytest.approx([1.0, 1.0])


def test_unknowns_with_derivatives_give_way_where_no_others_can():
    # Twice the first equation minus the second says 2 y0 = y1; the nearest such point to (1, 0) is (0.2, 0.4).
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] + 2 * yp[1] + y[0], 2 * yp[0] + 4 * yp[1] + y[1]], (0, 1),
                              [1.0, 0.0], trace=False)
    assert result.y[:, 0] == pytest.approx([0.2, 0.4], rel=1e-6)
    assert 2 * result.y[0, 0] == pytest.approx(result.y[1, 0], rel=1e-12)
    held = daedal.solve_dae(lambda t, y, yp: [yp[0] + y[0], y[1] - 2 * y[0]], (0, 1), [1.0, 4.0], fixed=[1],
                            trace=False)
    assert held.y[:, 0] == pytest.approx([2.0, 4.0])


def test_a_long_interval_hides_no_derivative():
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] + 1e6 - 1e6], (0, 1e9), [0.0, 1.0], trace=False)
    assert result.y[:, -1] == pytest.approx([1e9, 1.0])
