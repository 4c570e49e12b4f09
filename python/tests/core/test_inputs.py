# SPDX-License-Identifier: BSD-3-Clause
"""Inputs, values that are set on the way, checkpoints, callbacks and columns."""
import math
import threading

import numpy as np
import pytest

import daedal

PLANT = """
model Plant
  parameter Real k = 1;
  input Real u = 1;
  Real x(start = 0, fixed = true), y;
equation
  der(x) = u;
  y = 2*k*u + x;
end Plant;
"""


def integrator():
    m = daedal.Model("Integrator")
    u, x = m.input("u"), m.variable("x", 0.0, fixed=True)
    m.add(x.der() == u)
    return m


# x(2) is the integral of the input.
@pytest.mark.parametrize("given, integral", [
    (3.0, 6.0), (np.float32(3), 6.0), ("3*time", 6.0), ("if time < 1 then 0 else 4", 4.0),
    (daedal.Table([0, 1, 2], [0, 3, 3]), 4.5), (daedal.Table([0, 1], [1, 3], "hold"), 4.0),
    (daedal.Table(np.linspace(0, 2, 9), np.linspace(0, 2, 9)**3, "smooth"), 4.0),
    (daedal.Table([0, 2], [0, 8], "smooth", derivatives=[0, 12]), 4.0),
])
def test_inputs_are_numbers_expressions_and_tables(given, integral):
    result = integrator().solve((0, 2), inputs={"u": given}, rtol=1e-9)
    assert result.success, result.message
    assert result.final("x") == pytest.approx(integral, abs=1e-6)


def test_the_default_of_a_text_counts_where_nothing_is_given():
    assert daedal.parse(PLANT).solve((0, 2)).final("x") == pytest.approx(2.0)


@pytest.mark.parametrize("inputs, error, words", [
    (None, daedal.ModelError, "Nothing gives a value"), ({"w": 1.0}, daedal.OptionError, "no input 'w'"),
    ({"u": math.sin}, TypeError, "Table"), ({"u": [1, 2]}, TypeError, "not list"),
    ({"u": math.nan}, ValueError, "finite"), ({"u": "2*"}, daedal.OptionError, "cannot be read"),
    ([1], TypeError, "by name"),
])
def test_bad_inputs_are_refused(inputs, error, words):
    with pytest.raises(error, match=words):
        integrator().solve((0, 2), inputs=inputs)


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match="interpolation"):
        daedal.Table([0, 1], [0, 1], "cubic")
    with pytest.raises(ValueError, match="one-dimensional"):
        daedal.Table([[0, 1]], [0, 1])
    with pytest.raises(ValueError, match="3 times, 2 values"):
        integrator().prepare(inputs={"u": daedal.Table([0, 1, 2], [0, 1])})


def test_values_are_set_on_the_way():
    run = daedal.prepare(daedal.parse(PLANT)).start((0, 3))
    assert run.advance(1.0)
    assert run.time == 1.0
    run.set_input("u", 3.0)
    assert run["x"] == pytest.approx(1.0)
    assert run["y"] == pytest.approx(7.0)
    run.advance(2.0)
    run.set_parameter("k", 2.0)
    assert run["y"] == pytest.approx(4 * 3 + 4)
    assert run.advance(3.0)
    result = run.result()
    assert result.success
    assert [what for _, what in result.events] == ["u = 3", "k = 2"]
    with pytest.raises(daedal.Error, match="over"):
        run.set_input("u", 1.0)


def test_what_cannot_be_set_is_refused():
    run = daedal.prepare(daedal.parse(PLANT)).start((0, 3))
    with pytest.raises(daedal.OptionError, match="no input"):
        run.set_input("v", 1.0)
    with pytest.raises(ValueError, match="finite"):
        run.set_input("u", math.inf)
    with pytest.raises(TypeError):
        run.set_input("u", "fast")
    with pytest.raises(daedal.Error, match="no parameter"):
        run.set_parameter("v", 1.0)


def test_a_run_goes_on_from_a_checkpoint_with_the_same_bits():
    problem = daedal.prepare(daedal.parse(PLANT))
    run = problem.start((0, 3))
    run.advance(1.0)
    run.set_input("u", 3.0)
    checkpoint = run.save()
    assert isinstance(checkpoint, bytes) and checkpoint
    run.advance(3.0)
    again = daedal.prepare(daedal.parse(PLANT)).restore(checkpoint)
    assert again.time == 1.0
    again.advance(3.0)
    assert again["x"] == run["x"] == pytest.approx(7.0)
    with pytest.raises(daedal.OptionError, match="it is over"):
        run.save()
    with pytest.raises(daedal.Error, match="not a checkpoint"):
        problem.restore(b"something else")
    with pytest.raises(TypeError, match="bytes"):
        problem.restore("text")


def test_a_run_that_used_up_its_steps_is_saved_where_it_stopped():
    problem = daedal.prepare(daedal.parse(PLANT))
    run = problem.start((0, 3), max_step=0.1, max_steps=7)
    while run.step():
        pass
    assert run.result().reason == "max-steps-reached"
    again = problem.restore(run.save(), max_step=0.1)
    assert again.time == run.time < 3.0
    again.advance(3.0)
    assert again.result().success and again["x"] == pytest.approx(3.0)


def test_another_thread_sets_and_asks_while_a_run_advances():
    run = daedal.prepare(daedal.parse(PLANT)).start((0, 1000), max_step=0.1, callback=lambda t, y: None)
    stepping = threading.Thread(target=run.advance, args=(1000.0,))
    stepping.start()
    while stepping.is_alive():
        try:
            run.set_input("u", 3.0 - run["u"])
        except daedal.OptionError as error:
            assert "The run is over" in str(error)
        assert 0.0 <= run.time <= 1000.0 and np.isfinite(run["y"]) and np.isfinite(run.y).all()
        assert run.result().t[-1] <= 1000.0
    stepping.join()
    result = run.result()
    assert result.success
    # u is constant between rows: x is its integral.
    assert run["x"] == pytest.approx(float(np.sum(result["u"][:-1] * np.diff(result.t))))


def test_a_callback_sees_every_point_and_may_stop_the_run():
    seen = []
    model = daedal.parse(PLANT)
    result = model.solve((0, 3), callback=lambda t, y: seen.append((t, y.copy())))
    assert [t for t, _ in seen] == list(result.t)
    assert np.array_equal(np.array([y for _, y in seen]).T, result.y)
    stopped = model.solve((0, 3), max_step=0.1, callback=lambda t, y: t > 1)
    assert stopped.success and stopped.status == 1
    assert 1 < stopped.t[-1] < 1.2


def test_what_a_callback_raises_passes_through_with_what_was_computed():
    def callback(t, y):
        if t > 1:
            raise RuntimeError("enough")

    model = daedal.parse(PLANT)
    with pytest.raises(RuntimeError, match="enough") as caught:
        model.solve((0, 3), max_step=0.1, callback=callback)
    assert 0.9 < caught.value.result.t[-1] < 1.2
    run = daedal.prepare(model).start((0, 3), max_step=0.1, callback=callback)
    with pytest.raises(RuntimeError):
        run.advance(2.0)
    with pytest.raises(TypeError, match="callback"):
        model.solve((0, 3), callback=3)


def test_a_run_beyond_a_table_is_refused():
    model = daedal.parse(PLANT)
    for interpolation in ("linear", "smooth"):
        table = daedal.Table([0, 0.5, 1], [0, 1, 0.5], interpolation)
        assert model.solve((0, 1), inputs={"u": table}).success
        with pytest.raises(daedal.OptionError, match="reaches from 0 to 1"):
            model.solve((0, 1.5), inputs={"u": table})
    with pytest.raises(daedal.OptionError, match="too close together"):
        model.solve((0, 2), inputs={"u": daedal.Table([0, 1, 1 + 1e-14, 2], [0, 1, 3, 4], "smooth")})


def test_events_are_kept_without_rows():
    model = daedal.parse("model B Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation "
                         "der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); end when; end B;")
    result = model.solve((0, 1), keep_rows=False)
    assert result.t.size == 1
    # It touches the ground at sqrt(2/g), and next after 2*0.8 of that.
    assert [time for time, _ in result.events] == pytest.approx([math.sqrt(2 / 9.81)])


def test_columns_are_chosen():
    model = daedal.parse(PLANT)
    result = model.solve((0, 1), columns=["y"])
    assert result.names == ["y"] and result.y.shape[0] == 1
    assert result.final("y") == pytest.approx(3.0)
    assert model.solve((0, 1), columns=["y"], t_eval=[0.5])["y"] == pytest.approx([2.5])
    assert model.solve((0, 1), columns=["y", "x"]).names == ["y", "x"]
    more = model.solve((0, 1), columns=["k", "der(x)"])
    assert more.final("k") == 1.0 and more.final("der(x)") == pytest.approx(1.0)
    last = model.solve((0, 1), columns=["x", "y"], keep_rows=False)
    assert list(last.t) == [1.0]
    with pytest.raises(daedal.OptionError, match="'z'"):
        model.solve((0, 1), columns=["z"])
    with pytest.raises(TypeError, match="list"):
        model.solve((0, 1), columns="y")


def test_solve_dae_takes_a_callback():
    seen = []
    result = daedal.solve_dae(lambda t, y, yp: [yp[0] + y[0]], (0, 2), [1.0],
                              callback=lambda t, y: seen.append(y[0]) or t > 1)
    assert result.status == 1 and result.t[-1] > 1
    assert seen == list(result.y[0])
    with pytest.raises(TypeError, match="columns"):
        daedal.solve_dae(lambda t, y, yp: [yp[0] + y[0]], (0, 2), [1.0], columns=["y"])
