# SPDX-License-Identifier: BSD-3-Clause
import math

import numpy as np
import pytest
from systems import (SQUEEZER_END, SQUEEZER_START, pendulum, pendulum_position, squeezer)

import daedal


def test_the_pendulum_at_index_3_reaches_the_reference():
    result = daedal.solve_dae(pendulum, (0, 2), [1, 0, 0, 0, 0], rtol=1e-10)
    assert result.success and result.status == 0 and result.index == 3
    assert result.y[:2, -1] == pytest.approx(pendulum_position(2.0), abs=1e-8)
    assert max(result.constraints.values()) < 1e-9


def test_the_squeezer_from_a_numpy_residual_ends_as_in_the_literature():
    start = SQUEEZER_START + [0.0] * 7 + [98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0]
    result = daedal.solve_dae(squeezer, (0, 0.03), start, rtol=1e-10, atol=1e-12)
    assert result.success, result.message
    # The mechanism amplifies errors about a thousandfold over its rotation.
    assert result.y[:14, -1] == pytest.approx(SQUEEZER_END, rel=1e-6, abs=1e-6)


def test_rough_start_values_are_made_consistent_and_told():
    result = daedal.solve_dae(pendulum, (0, 1), [0.7, 0.6, 0.1, 0.2, 5.0])
    x, h, vx, vh, _ = result.y[:, 0]
    assert x * x + h * h == pytest.approx(1.0, abs=1e-12)
    assert x * vx + h * vh == pytest.approx(0.0, abs=1e-12)
    assert result.success and any("(given 0.7)" in note for note in result.notes)


def test_fixed_start_values_stay():
    result = daedal.solve_dae(pendulum, (0, 1), [0.7, 0.6, 0.0, 0.0, 0.0], fixed=[0],
                              names=["x", "h", "vx", "vh", "T"])
    assert result["x"][0] == 0.7
    assert result["h"][0] == pytest.approx(math.sqrt(1 - 0.49))


def test_contradicting_fixed_values_are_a_result_without_success():
    result = daedal.solve_dae(pendulum, (0, 1), [0.7, 0.6, 0.0, 0.0, 0.0], fixed=["x", "h"],
                              names=["x", "h", "vx", "vh", "T"])
    assert not result.success and result.status == -1 and result.reason == "inconsistent-start"


def decay(t, y, yp, p):
    return yp + p.rate * y


def test_parameters_stay_symbols_that_later_runs_can_change():
    result = daedal.solve_dae(decay, (0, 1), [2.0], parameters={"rate": 0.5}, rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(2 * math.exp(-0.5), rel=1e-7)
    again = result.problem.solve((0, 1), parameters={"rate": 2.0})
    assert again.y[0, -1] == pytest.approx(2 * math.exp(-2.0), rel=1e-7)
    assert result.problem.solve((0, 1), parameters=[3.0]).y[0, -1] == pytest.approx(2 * math.exp(-3.0), rel=1e-7)


def test_dense_output_derivatives_and_t_eval():
    times = np.linspace(0, 3, 31)
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] + y[0]], (0, 3), [0, 1], rtol=1e-9,
                              t_eval=times)
    assert result.t == pytest.approx(times)
    assert result.y[0] == pytest.approx(np.sin(times), abs=1e-7)
    assert result.yp[1] == pytest.approx(-np.sin(times), abs=1e-5)
    assert result.sol(1.5) == pytest.approx([math.sin(1.5), math.cos(1.5)], abs=1e-7)
    assert result.sol(times).shape == (2, 31)
    with pytest.raises(ValueError, match="covers 0 to 3"):
        result.sol(4.0)


def test_time_may_run_backwards():
    result = daedal.solve_dae(lambda t, y, yp: yp - t, (2, 0), [3.0], t_eval=[2.0, 1.0, 0.0])
    assert result.y[0] == pytest.approx([3.0, 1.5, 1.0], abs=1e-6)


def test_yp0_chooses_among_derivatives_that_solve_the_equation():
    # (y')^2 = 1 has the solutions y = t and y = -t.
    def both_ways(t, y, yp):
        return yp**2 - 1
    for slope in (1.0, -1.0):
        result = daedal.solve_dae(both_ways, (0, 2), [0.0], [0.8 * slope])
        assert result.success, result.message
        assert result.y[0, -1] == pytest.approx(2 * slope, abs=1e-6)
        assert result.y.shape[0] == 1


def test_tolerances_may_differ_between_unknowns():
    def robertson(t, y, yp):
        a, b, c = y
        return [yp[0] + 0.04 * a - 1e4 * b * c, yp[1] - 0.04 * a + 1e4 * b * c + 3e7 * b**2, a + b + c - 1]
    result = daedal.solve_dae(robertson, (0, 40), [1, 0, 0], rtol=1e-8, atol=[1e-10, 1e-14, 1e-10])
    # Hairer, Wanner, Solving Ordinary Differential Equations II, IV.10, at t = 40.
    assert result.y[:, -1] == pytest.approx([0.7158270688, 0.9185534765e-5, 0.2841637457], rel=1e-6)


def test_a_higher_index_by_a_prescribed_path():
    # Index 3: the force u that moves a mass along sin(t) is -sin(t).
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] - y[2], y[0] - np.sin(t)], (0, 5),
                              [0, 1, 0], rtol=1e-8)
    assert result.success, result.message
    assert result.y[2] == pytest.approx(-np.sin(result.t), abs=1e-6)


def test_relations_are_located():
    result = daedal.solve_dae(lambda t, y, yp: yp - daedal.where(t < 0.5, 1.0, -1.0), (0, 1), [0.0])
    assert result.y[0, -1] == pytest.approx(0.0, abs=1e-9)
    assert any(time == pytest.approx(0.5, abs=1e-9) for time, _ in result.events)


def test_the_result_is_a_bunch():
    result = daedal.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 0], names="x h vx vh T")
    assert result["x"].shape == result.t.shape
    assert result[["x", "h"]].shape == (2, len(result.t))
    assert result.final("h") == result.y[1, -1]
    assert "success: True" in repr(result)
    assert "<table>" in result._repr_html_()
    assert {"t", "y", "success"} <= set(result.keys())
    with pytest.raises(KeyError, match="the variables are x, h"):
        result["z"]


def test_a_run_that_fails_keeps_what_was_computed():
    # y' = y^2 from 1 becomes infinite at t = 1.
    result = daedal.solve_dae(lambda t, y, yp: yp - y**2, (0, 2), [1.0])
    assert not result.success and result.status == -1
    assert result.t[-1] == pytest.approx(1.0, abs=1e-3)
    assert result.y[0, -1] > 10


def test_time_limit():
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] - y[1], yp[1] + y[0]], (0, 1e9), [0, 1],
                              time_limit=0.2, max_steps=10**9)
    assert result.reason == "time-limit-reached" and len(result.t) > 1


@pytest.mark.parametrize("method", ["index2", "ggl", "baumgarte:alpha=10", "dummy-derivatives", "ggl+radau"])
def test_methods_by_name(method):
    result = daedal.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 0], method=method, rtol=1e-7)
    assert result.success, result.message
    assert result.method == method.partition(":")[0].partition("+")[0]
    assert result.y[:2, -1] == pytest.approx(pendulum_position(1.0), abs=1e-4)


def test_times_that_round_off_moved_out_of_the_interval_are_taken():
    result = daedal.solve_dae(lambda t, y, yp: yp - 1.0, (0, 0.3), [0.0], t_eval=np.arange(0, 0.31, 0.1))
    assert result.t[-1] == 0.3 and result.y[0] == pytest.approx([0.0, 0.1, 0.2, 0.3])


def test_values_at_given_times_need_no_dense_output_to_be_asked_for():
    result = daedal.solve_dae(lambda t, y, yp: yp + y, (0, 1), [1.0], t_eval=[0.0, 0.5, 1.0], dense_output=False)
    assert result.y[0] == pytest.approx(np.exp([0.0, -0.5, -1.0]), rel=1e-5)


def test_a_run_that_fails_at_once_is_a_result():
    # x' = 1/(t - t) is infinite at the start.
    result = daedal.solve_dae(lambda t, y, yp: yp - 1 / (t - 1), (1, 2), [0.0], t_eval=[1.0, 2.0])
    assert not result.success and result.sol is None and len(result.t) <= 1
    assert result.yp.shape == result.y.shape


@pytest.mark.parametrize("span", [(0.0, 100.0), (5.0, 105.0)])
def test_short_pulses_are_not_stepped_over(span):
    # 1 in the first tenth of every ten seconds: 10 pulses of 0.1 s.
    result = daedal.solve_dae(lambda t, y, yp: yp - np.where(t % 10 < 0.1, 1.0, 0.0), span, [0.0])
    assert result.y[0, -1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("wave, expected", [
    (lambda t: np.sign(np.sin(t)), 20 - 6 * math.pi), (lambda t: t // 7 % 2, 7.0),
    (lambda t: np.floor(-t / 4), -(1 + 2 + 3 + 4 + 5) * 4), (lambda t: np.rint(t / 10), 10 * 1 + 5 * 2.0),
    (lambda t: np.ceil(t / 10), 10 + 20), (lambda t: np.trunc(t / 10 - 1), 0.0)])
def test_jumps_are_located(wave, expected):
    result = daedal.solve_dae(lambda t, y, yp: yp - wave(t), (0, 20), [0.0])
    assert result.y[0, -1] == pytest.approx(expected, abs=1e-9)


def test_a_run_slides_along_a_jump_that_it_cannot_leave():
    # y' = -sign(y) stays at 0 from t = 1 on, where neither side holds: Filippov's solution.
    result = daedal.solve_dae(lambda t, y, yp: yp + np.sign(y), (0, 2), [1.0])
    assert result.success and not result.warnings
    assert result.y[0, -1] == pytest.approx(0.0, abs=1e-6)
    assert any("slides along it" in note for note in result.notes)


def test_a_named_integrator_that_cannot_leave_a_jump_says_so():
    result = daedal.solve_dae(lambda t, y, yp: yp + np.sign(y), (0, 2), [1.0], integrator="dop853")
    assert not result.success and result.t[-1] == pytest.approx(1.0) and "do not settle" in result.message
