# SPDX-License-Identifier: BSD-3-Clause
import math

import numpy as np
import pytest

import daedal


def oscillator(t, y, yp):
    return [yp[0] - y[1], yp[1] + y[0]]


def crosses_zero(t, y):
    return y[0]


def event(function, terminal=False, direction=0):
    def made(t, y):
        return function(t, y)
    made.terminal = terminal
    made.direction = direction
    return made


@pytest.mark.parametrize("trace", [True, False])
def test_events_are_located_without_ending_the_run(trace):
    # sin(t) = 0 at pi, 2 pi, 3 pi inside (0.1, 10).
    result = daedal.solve_dae(oscillator, (0.1, 10), [math.sin(0.1), math.cos(0.1)], events=crosses_zero,
                              rtol=1e-9, trace=trace)
    assert result.status == 0
    assert result.t_events[0] == pytest.approx([math.pi, 2 * math.pi, 3 * math.pi], abs=1e-6)
    assert result.y_events[0][:, 1] == pytest.approx([-1, 1, -1], abs=1e-6)


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("direction, expected", [(1, [2 * math.pi]), (-1, [math.pi, 3 * math.pi])])
def test_directions(trace, direction, expected):
    result = daedal.solve_dae(oscillator, (0.1, 10), [math.sin(0.1), math.cos(0.1)], rtol=1e-9, trace=trace,
                              events=[event(crosses_zero, direction=direction), crosses_zero])
    assert result.t_events[0] == pytest.approx(expected, abs=1e-6)
    assert len(result.t_events[1]) == 3


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("terminal, direction, end", [
    (True, 0, math.pi), (True, -1, math.pi), (True, 1, 2 * math.pi), (2, 0, 2 * math.pi),
    (2, -1, 3 * math.pi), (3, 0, 3 * math.pi)])
def test_terminal_events_end_the_run(trace, terminal, direction, end):
    result = daedal.solve_dae(oscillator, (0.1, 20), [math.sin(0.1), math.cos(0.1)], rtol=1e-9, trace=trace,
                              events=event(crosses_zero, terminal, direction))
    assert result.status == 1 and result.success and result.reason == "event-stop"
    assert result.t[-1] == pytest.approx(end, abs=1e-6)
    assert result.t_events[0][-1] == pytest.approx(end, abs=1e-6)
    assert len(result.t_events[0]) == int(terminal)
    assert result.y_events[0].shape == (int(terminal), 2)


def test_events_may_take_derivatives_and_parameters():
    def falls(t, y, yp, p):
        return [yp[0] - y[1], yp[1] + p.g]

    def hits(t, y, yp, p):
        return y[0] - p.floor
    hits.terminal = True
    result = daedal.solve_dae(falls, (0, 10), [1.0, 0.0], events=hits, parameters={"g": 9.81, "floor": 0.5})
    assert result.t[-1] == pytest.approx(math.sqrt(2 * 0.5 / 9.81), rel=1e-6)


def test_events_that_never_happen_have_empty_arrays():
    result = daedal.solve_dae(oscillator, (0, 1), [0, 1], events=lambda t, y: y[0] - 5)
    assert result.t_events[0].shape == (0,) and result.y_events[0].shape == (0, 2)


def test_two_crossings_within_one_step_are_found():
    # Nothing happens in y: the steps become long, the event function does not.
    result = daedal.solve_dae(lambda t, y, yp: yp, (0, 10), [1.0], events=lambda t, y: (t - 3.0) * (t - 5.0))
    assert result.t_events[0] == pytest.approx([3.0, 5.0], abs=1e-9)


@pytest.mark.parametrize("trace", [True, False])
def test_many_crossings_within_one_step_are_found(trace):
    # sin(40 t + 0.1) = 0 at (k pi - 0.1)/40, 127 times until 10.
    result = daedal.solve_dae(lambda t, y, yp: yp, (0, 10), [1.0], events=lambda t, y: np.sin(40 * t + 0.1),
                              trace=trace)
    assert result.t_events[0] == pytest.approx((np.arange(1, 128) * math.pi - 0.1) / 40, abs=1e-9)


@pytest.mark.parametrize("trace", [True, False])
def test_an_event_at_the_start_counts_as_in_scipy(trace):
    def start(terminal, direction=0):
        return daedal.solve_dae(oscillator, (0, 10), [0, 1], events=event(crosses_zero, terminal, direction), rtol=1e-9,
                                trace=trace)
    assert start(False).t_events[0] == pytest.approx([0.0, math.pi, 2 * math.pi, 3 * math.pi], abs=1e-6)
    first = start(True)
    assert first.status == 1 and first.t_events[0] == pytest.approx([0.0], abs=1e-15)
    assert start(2).t_events[0] == pytest.approx([0.0, math.pi], abs=1e-6)
    assert start(True, -1).t_events[0] == pytest.approx([math.pi], abs=1e-6)


@pytest.mark.parametrize("trace", [True, False])
def test_a_terminal_event_at_the_very_end_is_one(trace):
    result = daedal.solve_dae(lambda t, y, yp: yp - 1.0, (0, 1), [0.0], events=event(lambda t, y: t - 1.0, True),
                              trace=trace)
    assert result.status == 1 and result.t_events[0] == pytest.approx([1.0])


def test_a_function_that_leaves_zero_is_located_where_it_does():
    result = daedal.solve_dae(lambda t, y, yp: yp - 1.0, (0, 2), [0.0], events=lambda t, y: np.maximum(y[0] - 0.7, 0.0))
    assert result.t_events[0] == pytest.approx([0.7], abs=1e-9)


def test_events_backwards_in_time():
    result = daedal.solve_dae(lambda t, y, yp: yp - 1.0, (1, -1), [1.0], events=event(crosses_zero, terminal=True))
    assert result.status == 1 and result.t[-1] == pytest.approx(0.0, abs=1e-9)


def test_an_event_with_a_branch_is_refused():
    with pytest.raises(daedal.TraceError, match="daedal.where"):
        daedal.solve_dae(oscillator, (0, 1), [0, 1], events=lambda t, y: 1.0 if y[0] > 0 else -1.0)


def test_a_bouncing_ball_by_when():
    m = daedal.Model("Ball")
    h, v = m.variable("h", 1.0, fixed=True), m.variable("v", 0.0, fixed=True)
    bounces = m.discrete("bounces", 0)
    m.add(h.der() == v, v.der() == -9.81)
    m.when(h < 0, {v: -0.5 * daedal.pre(v), bounces: daedal.pre(bounces) + 1})
    result = m.solve((0, 1.0), rtol=1e-9)
    # The fall takes s = sqrt(2/g), the first flight s as well, the second s/2.
    s = math.sqrt(2 / 9.81)
    assert [time for time, _ in result.events][:2] == pytest.approx([s, 2 * s], abs=1e-6)
    assert result.final("bounces") == 2


def test_terminate_with_a_message():
    m = daedal.Model("M")
    x = m.variable("x", 0.0, fixed=True)
    m.add(x.der() == 1)
    m.when(x > 0.25, terminate="far enough")
    result = m.solve((0, 1))
    assert result.status == 1 and "far enough" in result.message
    assert result.t[-1] == pytest.approx(0.25, abs=1e-9)


def test_samples():
    m = daedal.Model("M")
    x, n = m.variable("x", 0.0, fixed=True), m.discrete("n", 0)
    m.add(x.der() == n)
    m.when(m.sample(0.25, 0.5), {n: daedal.pre(n) + 1})
    # n is 1 from 0.25 to 0.75 and 2 from then on.
    assert m.solve((0, 1)).final("x") == pytest.approx(0.5 + 2 * 0.25, abs=1e-6)


def test_y_events_have_the_values_at_the_event():
    result = daedal.solve_dae(oscillator, (0, 4), [0, 1], events=[lambda t, y: y[1]], rtol=1e-9)
    assert np.abs(result.y_events[0][:, 0]) == pytest.approx(1.0, abs=1e-7)
