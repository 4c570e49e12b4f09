# SPDX-License-Identifier: BSD-3-Clause
import copy
import math
import os
import pickle
import signal
import sys
import threading
import time
import types

import numpy as np
import pytest
from systems import pendulum

import daedal


def decay_problem(**options):
    m = daedal.Model("Decay")
    k = m.parameter("k", 1.0)
    x = m.variable("x", 1.0, fixed=True)
    m.add(x.der() == -k * x)
    return m.prepare(rtol=1e-9, **options)


def test_a_problem_is_solved_many_times():
    problem = decay_problem()
    for k in (0.5, 1.0, 2.0):
        assert problem.solve((0, 1), parameters={"k": k}).final("x") == pytest.approx(math.exp(-k), rel=1e-7)
    assert problem.solve((0, 1), start={"x": 3.0}).final("x") == pytest.approx(3 * math.exp(-1), rel=1e-7)


def test_a_sweep_over_parameters_and_starts():
    k = np.linspace(0.1, 2.0, 50)
    result = decay_problem().sweep({"k": k}, (0, 1), start={"x": 2.0}, workers=2)
    assert len(result) == 50 and result.success.all()
    assert result["x"] == pytest.approx(2 * np.exp(-k), rel=1e-6)


def test_a_sweep_at_several_times():
    k = np.array([1.0, 2.0])
    times = np.linspace(0, 1, 5)
    result = decay_problem().sweep({"k": k}, (0, 1), t_eval=times)
    assert result["x"] == pytest.approx(np.exp(-np.outer(k, times)), rel=1e-6)
    assert result.y.shape == (2, 1, 5)


def test_engines_of_a_sweep_have_the_same_bits():
    m = daedal.Model()
    k = m.parameter("k", 1.0)
    x = m.variable("x", 1.0, fixed=True)
    m.add(x.der() == -k * x)
    problem = m.prepare()
    k = np.linspace(0.1, 2.0, 30)
    first, *others = [problem.sweep({"k": k}, (0, 1), engine=engine)["x"] for engine in ("threads", "lanes", "auto")]
    assert all(np.array_equal(first, other) for other in others)
    with pytest.raises(ValueError, match="auto, threads or lanes"):
        problem.sweep({"k": k}, (0, 1), engine="gpu")


def test_ten_thousand_members_without_python():
    k = np.linspace(0.1, 2.0, 10_000)
    result = decay_problem().sweep({"k": k}, (0, 1))
    assert result["x"] == pytest.approx(np.exp(-k), rel=1e-6)


def test_a_member_that_fails_leaves_the_others():
    m = daedal.Model()
    a = m.parameter("a", 1.0)
    x = m.variable("x", 1.0, fixed=True)
    m.add(x.der() == a * x**2)
    result = m.prepare().sweep({"a": [0.5, 2.0, 0.25]}, (0, 1))
    assert list(result.success) == [True, False, True]
    assert np.isnan(result["x"][1]) and result["x"][0] == pytest.approx(2.0, rel=1e-4)


def test_wrong_sweeps_are_refused():
    problem = decay_problem()
    for parameters, kind, text in (({"k": [1.0, 2.0], "z": [1.0]}, ValueError, "one length"),
                                   (None, ValueError, "needs values"),
                                   ([1.0], TypeError, "by name"),
                                   ({"k": [[1.0]]}, ValueError, "one-dimensional"),
                                   ({"z": [1.0]}, ValueError, "z")):
        with pytest.raises(kind, match=text):
            problem.sweep(parameters, (0, 1))


def test_threads_share_a_problem():
    problem = decay_problem()
    found = {}

    def work(k):
        found[k] = problem.solve((0, 1), parameters={"k": k}).final("x")
    threads = [threading.Thread(target=work, args=(k,)) for k in (0.5, 1.0, 1.5, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: pytest.approx(math.exp(-k), rel=1e-7) for k in (0.5, 1.0, 1.5, 2.0)}


def test_a_simulation_advances_step_by_step():
    simulation = decay_problem().start((0, 1))
    assert simulation.time == 0.0 and simulation["x"] == 1.0
    assert simulation.step() and simulation.time > 0.0
    assert simulation.advance(0.5)
    assert simulation.time >= 0.5
    assert simulation["x"] == pytest.approx(math.exp(-simulation.time), rel=1e-7)
    assert simulation.y == pytest.approx([simulation["x"]])
    while simulation.step():
        pass
    assert simulation.is_over
    result = simulation.result()
    assert result.success and result.t[-1] == 1.0
    with pytest.raises(ValueError, match="'z'"):
        simulation["z"]


def endless(t, y, yp):
    return [yp[0] - y[1], yp[1] + y[0]]


def interrupt_soon(delay=0.3):
    # Jobs in the background of a shell begin with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("trace", [True, False])
def test_ctrl_c_ends_a_run_and_keeps_what_was_computed(trace):
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt) as caught:
        daedal.solve_dae(endless, (0, 1e9), [0, 1], max_steps=10**9, trace=trace)
    result = caught.value.result
    assert isinstance(caught.value, daedal.Interrupted)
    assert len(result.t) > 10 and not result.success
    assert result.y[0, :5] == pytest.approx(np.sin(result.t[:5]), abs=1e-5)


def test_ctrl_c_ends_a_sweep():
    m = daedal.Model.from_function(endless, [0, 1])
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt) as caught:
        m.prepare(max_steps=10**9).sweep(start={"y[0]": np.linspace(0, 1, 4)}, t_span=(0, 1e9))
    assert caught.value.result.reasons == ["cancelled"] * 4


def test_progress_is_told():
    seen = []
    daedal.solve_dae(endless, (0, 3e5), [0, 1], rtol=1e-10, progress=seen.append, max_steps=10**9, time_limit=3.0)
    assert seen and all(0.0 <= fraction <= 1.0 for fraction in seen) and seen == sorted(seen)


@pytest.mark.parametrize("trace", [True, False])
def test_progress_ends_where_the_run_ends(trace):
    def half(t, y):
        return t - 1.0
    half.terminal = True
    for events, fraction in ((None, 1.0), (half, 0.5)):
        seen = []
        daedal.solve_dae(endless, (0, 2), [0, 1], events=events, progress=seen.append, trace=trace)
        assert seen[-1] == pytest.approx(fraction)


def test_a_bar_of_text_is_shown_where_tqdm_is_not(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    daedal.solve_dae(endless, (0, 2), [0, 1], progress=True)
    assert capsys.readouterr().err == "\r[" + "#" * 40 + "] 100.0 %\n"


def test_tqdm_shows_the_bar_where_it_is(monkeypatch):
    shown = []

    class Bar:
        n = 0.0

        def __init__(self, total, **_):
            assert total == 100.0

        def refresh(self):
            shown.append(self.n)

        def close(self):
            shown.append("closed")
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    daedal.Model.from_function(endless, [0, 1]).prepare().sweep(start={"y[0]": [0.0, 1.0]}, t_span=(0, 1),
                                                                  progress=True)
    assert shown[-2:] == [100.0, "closed"]


def test_progress_as_a_bar(capsys):
    daedal.solve_dae(endless, (0, 10), [0, 1], progress=True)
    assert "100" in capsys.readouterr().err


def test_an_exception_of_progress_passes_through():
    def fails(fraction):
        raise RuntimeError("bar broke")
    with pytest.raises(RuntimeError, match="bar broke"):
        daedal.solve_dae(endless, (0, 1e9), [0, 1], progress=fails, max_steps=10**9)


def test_python_runs_on_while_a_problem_is_solved():
    problem = daedal.Model.from_function(endless, [0, 1]).prepare(max_steps=10**9)
    counted = {"n": 0}
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted["n"] += 1
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    problem.solve((0, 1e9), time_limit=0.5)
    stop.set()
    thread.join()
    assert counted["n"] > 20


def test_results_outlive_their_problem():
    def run():
        return daedal.solve_dae(pendulum, (0, 1), [1, 0, 0, 0, 0])
    t, y = run().t, run().y
    assert t[-1] == 1.0 and np.isfinite(y).all()


def test_later_runs_have_the_events_of_the_first():
    def falls(t, y, yp, p):
        return [yp[0] - y[1], yp[1] + p.g]

    def hits(t, y):
        return y[0]
    hits.terminal = True
    result = daedal.solve_dae(falls, (0, 10), [1.0, 0.0], events=[hits, lambda t, y, yp, p: y[1] + p.g],
                              parameters={"g": 9.81})
    again = result.problem.solve((0, 10), parameters={"g": 4.0})
    assert again.names == result.names and again.status == 1
    # From height 1: sqrt(2/g); the speed is g after a second, which is later for g = 9.81 alone.
    assert again.t_events[0] == pytest.approx([math.sqrt(0.5)], rel=1e-6) and len(again.t_events[1]) == 0
    slow = result.problem.solve((0, 10), parameters={"g": 1.0})
    assert slow.t_events[1] == pytest.approx([1.0], rel=1e-6)


@pytest.mark.parametrize("way", [lambda result: pickle.loads(pickle.dumps(result)), copy.deepcopy])
def test_results_can_be_stored(way):
    m = daedal.Model("Ball")
    h, v = m.variable("h", 1.0, fixed=True), m.variable("v", 0.0, fixed=True)
    m.add(h.der() == v, v.der() == -9.81)
    m.when(h < 0, {v: -0.5 * daedal.pre(v)})
    result = m.solve((0, 1.0), rtol=1e-9)
    kept = way(way(result))
    times = np.append(np.linspace(0, 1, 301), [time for time, _ in result.events])
    assert np.array_equal(kept.t, result.t) and np.array_equal(kept.y, result.y) and np.array_equal(kept.yp, result.yp)
    assert kept.sol(times) == pytest.approx(result.sol(times), abs=1e-12)
    assert kept.sol.after(times) == pytest.approx(result.sol.after(times), abs=1e-12)
    assert kept.sol.derivative(0.2) == pytest.approx([-9.81 * 0.2, -9.81], rel=1e-8)
    assert (kept.message, kept.events, kept.index, kept.report()) == (
        result.message, result.events, result.index, result.report())
    assert kept.problem is None and repr(kept) == repr(result)


def test_models_and_problems_say_why_they_cannot_be_stored():
    problem = daedal.Model.from_function(endless, [0, 1]).prepare()
    for item in (problem, problem.model):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(item)
    assert isinstance(pickle.loads(pickle.dumps(daedal.Interrupted("a"))), KeyboardInterrupt)


def test_the_tolerance_of_the_text_holds_where_none_is_given(tmp_path):
    path = tmp_path / "decay.mo"
    path.write_text("model Decay Real x(start = 1, fixed = true); equation der(x) = -x;\n"
                    "annotation(experiment(StopTime = 1, Tolerance = 1e-9)); end Decay;\n")
    model = daedal.load(path)
    assert model.solve().rtol == 1e-9
    assert model.solve(rtol=1e-4).rtol == 1e-4
    assert decay_problem().solve((0, 1)).rtol == 1e-9
    with pytest.raises(ValueError, match="relative tolerance must be"):
        model.solve(rtol=0)
