# SPDX-License-Identifier: BSD-3-Clause
"""Every wrong input is told in a sentence, as ValueError or TypeError."""
import types

import numpy as np
import pytest
from systems import pendulum

import daedal


def ode(t, y, yp):
    return yp + y


def growing():
    calls = []

    def f(t, y, yp):
        calls.append(0)
        return np.append(yp, y) if len(calls) > 1 else yp
    return f


CASES = {
    "not callable": (dict(F=3), TypeError, "must be a function"),
    "span of three": (dict(t_span=(0, 1, 2)), ValueError, "two numbers"),
    "span of none": (dict(t_span=None), ValueError, "two numbers"),
    "span not finite": (dict(t_span=(0, np.inf)), ValueError, "finite"),
    "empty span": (dict(t_span=(1, 1)), ValueError, "nothing to integrate"),
    "y0 of two dimensions": (dict(y0=[[1.0, 2.0]]), ValueError, "one-dimensional"),
    "y0 empty": (dict(y0=[]), ValueError, "empty"),
    "y0 complex": (dict(y0=[1j]), TypeError, "complex"),
    "y0 NaN": (dict(y0=[np.nan]), ValueError, "finite"),
    "y0 text": (dict(y0=["a"]), TypeError, "numbers"),
    "yp0 of another shape": (dict(yp0=[1.0, 2.0]), ValueError, "shape of y0"),
    "yp0 NaN": (dict(yp0=[np.nan]), ValueError, "finite"),
    "too few values": (dict(F=lambda t, y, yp: [], y0=[1.0]), ValueError, "as many equations"),
    "too many values": (dict(F=lambda t, y, yp: [yp[0], y[0]]), ValueError, "as many equations"),
    "returns None": (dict(F=lambda t, y, yp: None), ValueError, "return statement"),
    "returns text": (dict(F=lambda t, y, yp: "abc", y0=[1.0, 2.0]), TypeError, "array or a list"),
    "returns complex": (dict(F=lambda t, y, yp: [1j]), TypeError, "complex"),
    "returns a matrix": (dict(F=lambda t, y, yp: np.outer(yp, y), y0=[1.0, 2.0]), ValueError, "shape"),
    "returns NaN": (dict(F=lambda t, y, yp: [np.nan]), ValueError, "whatever its arguments"),
    "an entry without a value": (dict(F=lambda t, y, yp: np.empty_like(yp)), ValueError, "without a value"),
    "multiplies by complex": (dict(F=lambda t, y, yp: [yp[0] * 1j]), TypeError, "[Cc]omplex"),
    "changed size": (dict(F=growing()), daedal.TraceError, "must not change"),
    "rtol negative": (dict(rtol=-1.0), ValueError, "rtol"),
    "rtol NaN": (dict(rtol=np.nan), ValueError, "rtol"),
    "atol zero": (dict(atol=0.0), ValueError, "atol"),
    "atol of another shape": (dict(atol=[1e-8, 1e-8]), ValueError, "shape of y0"),
    "t_eval outside": (dict(t_eval=[0.0, 2.0]), ValueError, "within t_span"),
    "t_eval unsorted": (dict(t_eval=[0.5, 0.2]), ValueError, "sorted"),
    "t_eval NaN": (dict(t_eval=[np.nan]), ValueError, "finite"),
    "t_eval of two dimensions": (dict(t_eval=[[0.1]]), ValueError, "one-dimensional"),
    "event not callable": (dict(events=[3]), TypeError, "must be a function"),
    "event of many arguments": (dict(events=lambda t, y, yp, p, q: t), TypeError, "takes 5 arguments"),
    "event constant": (dict(events=lambda t, y: 1.0), daedal.TraceError, "always 1"),
    "names too few": (dict(names=[]), ValueError, "0 names for 1"),
    "names twice": (dict(F=lambda t, y, yp: yp, y0=[1, 2], names=["a", "a"]), ValueError, "different"),
    "fixed unknown": (dict(fixed=["z"]), ValueError, "the unknowns are"),
    "fixed out of range": (dict(fixed=[5]), ValueError, "none of 1 unknowns"),
    "parameters of two dimensions": (dict(parameters=[[1.0]], F=lambda t, y, yp, p: yp), ValueError,
                                     "one-dimensional"),
    "parameter NaN": (dict(parameters={"a": np.nan}, F=lambda t, y, yp, p: yp), ValueError, "finite"),
    "an element beyond the end": (dict(F=lambda t, y, yp: [yp[0] - y[1]]), ValueError, "as many values in y0"),
    "a parameter beyond the end": (dict(F=lambda t, y, yp, p: yp - p[2], parameters=[1.0]), ValueError,
                                   "not there"),
    "a set as span": (dict(t_span={0, 1}), ValueError, "two numbers"),
    "y0 a date": (dict(y0=[np.datetime64("2020")]), TypeError, "numbers"),
    "names a number": (dict(names=3), TypeError, "list of texts"),
    "names None": (dict(names=[None]), TypeError, "list of texts"),
    "progress a text": (dict(progress="yes"), TypeError, "progress"),
    "first_step zero": (dict(first_step=0), ValueError, "first_step must be positive"),
    "dense_output a text": (dict(dense_output="yes"), TypeError, "True or False"),
    "index a number": (dict(trace=False, index=3), ValueError, "for each of the 1 unknowns"),
    "index a text": (dict(trace=False, index=["a"]), TypeError, "index"),
    "index a fraction": (dict(trace=False, index=[1.5]), ValueError, "1, 2 or 3"),
    "unknown method": (dict(method="nonsense"), daedal.OptionError, "nonsense"),
    "unknown integrator": (dict(integrator="nonsense"), daedal.OptionError, "nonsense"),
    "a method of scipy": (dict(method="Radau"), ValueError, "integrator='radau'"),
    "method not text": (dict(method=3), TypeError, "by name"),
    "unknown option": (dict(colour="red"), TypeError, "colour"),
    "a slip": (dict(rtoll=1e-6), TypeError, "did you mean 'rtol'"),
    "args of scipy": (dict(args=(1,)), TypeError, "parameters="),
    "index with trace": (dict(index=[1]), ValueError, "trace=False"),
    "span of letters": (dict(t_span="01"), ValueError, "two numbers"),
    "y0 a text": (dict(y0="1"), TypeError, "numbers"),
    "y0 None": (dict(y0=[None]), TypeError, "numbers"),
    "y0 a generator": (dict(y0=(i for i in (1.0, 2.0))), TypeError, "numbers"),
    "y0 of two lengths": (dict(y0=[1.0, [2.0]]), ValueError, "one length"),
    "y0 masked": (dict(y0=np.ma.array([1.0, 2.0], mask=[0, 1])), ValueError, "masked"),
    "returns an equation": (dict(F=lambda t, y, yp: [yp[0] == -y[0]]), TypeError, "lhs - rhs"),
    "returns a relation": (dict(F=lambda t, y, yp: [yp[0] < 0]), TypeError, "relation"),
    "takes NaN": (dict(F=lambda t, y, yp: yp + np.nan * y), ValueError, r"number nan at test_bad_input.py, line \d+"),
    "takes infinity": (dict(F=lambda t, y, yp: yp + y + np.inf), ValueError, "number inf"),
    "max_step text": (dict(max_step="a"), TypeError, "max_step"),
    "max_step NaN": (dict(max_step=np.nan), ValueError, "max_step"),
    "max_steps text": (dict(max_steps="a"), TypeError, "max_steps"),
    "max_steps a fraction": (dict(max_steps=1.5), ValueError, "whole number"),
    "events a number": (dict(events=3), TypeError, "list of functions"),
    "event of two values": (dict(F=lambda t, y, yp: yp, y0=[1, 2], events=lambda t, y: y), ValueError, "one number"),
    "event a relation": (dict(events=lambda t, y: y[0] > 0.5), TypeError, "in place of"),
    "event a truth value": (dict(events=lambda t, y: y[0] > 0.5, trace=False), TypeError, "in place of"),
    "trace a text": (dict(trace="no"), TypeError, "True or False"),
    "fixed a fraction": (dict(fixed=0.5), ValueError, "mask"),
    "name empty": (dict(names=[""]), ValueError, "not empty"),
    "an option of scipy": (dict(jac=None), TypeError, "follow from the function"),
    "an integrator as method": (dict(method="radau"), ValueError, "integrator='radau'"),
    "an integrator of scipy": (dict(integrator="RK45"), ValueError, "dopri5"),
    "wrong number of arguments": (dict(F=lambda t, y: y), TypeError, "yp - f"),
    "parameters not given": (dict(F=lambda t, y, yp, p: yp + p * y), TypeError, r"With parameters=\.\.\."),
    "args of scipy with a function for them": (dict(F=lambda t, y, yp, k: yp + k * y, args=(2.0,)), TypeError,
                                               "pass parameters="),
    "returns a dict": (dict(F=lambda t, y, yp: {"x": yp[0]}), TypeError, "returned dict"),
    "a namespace with a text": (dict(parameters=types.SimpleNamespace(k="a"), F=lambda t, y, yp, p: yp), TypeError,
                                "parameter 'k' must hold numbers"),
    "no parameters taken": (dict(parameters=[1.0]), TypeError, r"\(t, y, yp, p\)"),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused_with_a_sentence(name):
    changes, kind, text = CASES[name]
    arguments = dict(F=ode, t_span=(0, 1), y0=[1.0])
    arguments.update(changes)
    F, t_span, y0 = (arguments.pop(key) for key in ("F", "t_span", "y0"))
    with pytest.raises(kind, match=text) as caught:
        daedal.solve_dae(F, t_span, y0, **arguments)
    assert isinstance(caught.value, (ValueError, TypeError))


@pytest.mark.parametrize("attribute, value", [("direction", "up"), ("direction", np.nan), ("terminal", 0),
                                              ("terminal", 1.5), ("terminal", "yes")])
def test_attributes_of_events_are_looked_at(attribute, value):
    def event(t, y):
        return y[0] - 0.5
    setattr(event, attribute, value)
    with pytest.raises(ValueError, match=attribute):
        daedal.solve_dae(ode, (0, 1), [1.0], events=event)


@pytest.mark.parametrize("call, kind, text", [
    (lambda m, x: m.add(x.der() < -x), TypeError, "relation"),
    (lambda m, x: m.add("der(x) = -x"), TypeError, "lhs == rhs"),
    (lambda m, x: m.variable(3), TypeError, "not 3"),
    (lambda m, x: m.variable(""), TypeError, "not empty"),
    (lambda m, x: m.variable("x"), ValueError, "already"),
    (lambda m, x: m.parameter("x", 1.0), ValueError, "already"),
    (lambda m, x: m.variable("q", shape=2, start=[1, 2, 3]), ValueError, r"shape \(2,\)"),
    (lambda m, x: m.when(x < 0, {3: 1.0}), TypeError, "variables"),
    (lambda m, x: m.when(0.5, {x: 1.0}), TypeError, "must be a relation"),
    (lambda m, x: m.when(x - 0.5, {x: 1.0}), TypeError, "must be a relation"),
    (lambda m, x: m.when(x, {x: 1.0}), TypeError, "must be a relation"),
    (lambda m, x: m.when(m.discrete("n"), {x: 1.0}), TypeError, "must be a relation"),
    (lambda m, x: m.when(daedal.no_event(2 * x), {x: 1.0}), TypeError, "must be a relation"),
    (lambda m, x: m.require(x - 0.5, "x is small"), TypeError, "must be a relation"),
    (lambda m, x: m.when(x < 0, {2 * x: 1.0}), ValueError, "expression"),
    (lambda m, x: m.variable("q", unit=3), TypeError, "unit of 'q'"),
    (lambda m, x: m.variable("q", fixed="yes"), TypeError, "True or False"),
    (lambda m, x: m.variable("q", nominal=0.0), ValueError, "positive"),
    (lambda m, x: m.variable("q", min=2.0, max=1.0), ValueError, "min and max"),
    (lambda m, x: m.variable("q", shape=-1), TypeError, "shape"),
    (lambda m, x: m.variable("q", shape="a"), TypeError, "shape"),
    (lambda m, x: m.parameter("q", 1.0, unit=3), TypeError, "unit of 'q'"),
    (lambda m, x: daedal.Model(3), TypeError, "name must be a text"),
    (lambda m, x: daedal.Model("Empty").solve((0, 1)), ValueError, "no variables"),
    (lambda m, x: daedal.Lagrangian("Empty").solve((0, 1)), ValueError, "no variables"),
    (lambda m, x: daedal.parse(3), TypeError, "must be a text"),
    (lambda m, x: daedal.load(3), TypeError, "path of a file"),
    (lambda m, x: daedal.der("x"), TypeError, "not of str"),
    (lambda m, x: daedal.Table([0, 1], [1]), ValueError, "2 times, 1 values"),
    (lambda m, x: daedal.Table([], []), ValueError, "0 times"),
    (lambda m, x: daedal.Table([1, 0], [1, 2]), ValueError, "ascend"),
    (lambda m, x: x.der(1.5), TypeError, "whole number"),
    (lambda m, x: x.der(-1), ValueError, "at least 0"),
    (lambda m, x: daedal.pre(3), TypeError, "of a variable"),
    (lambda m, x: daedal.compare(3, (0, 1), methods=["direct"]), TypeError, "daedal.Model"),
    (lambda m, x: daedal.solve_bvp(3, (0, 1)), TypeError, "daedal.Model"),
    (lambda m, x: daedal.prepare(3), TypeError, "daedal.Model"),
    (lambda m, x: daedal.load("."), OSError, "folder"),
    (lambda m, x: x + "a", TypeError, "unsupported"),
])
def test_models_refuse_what_they_cannot_take(call, kind, text):
    m = daedal.Model("M")
    x = m.variable("x", 1.0, fixed=True)
    with pytest.raises(kind, match=text):
        call(m, x)


def test_outside_of_tracing_no_message_tells_of_it():
    x = daedal.Model("M").variable("x")
    with pytest.raises(daedal.TraceError) as caught:
        float(x)
    assert "trace=False" not in str(caught.value)


@pytest.mark.parametrize("option", ["method", "integrator", "watch_singularities", "events", "names"])
def test_a_run_refuses_what_belongs_elsewhere(option):
    problem = daedal.Model.from_function(ode, [1.0]).prepare()
    with pytest.raises(TypeError, match=option):
        problem.solve((0, 1), **{option: "direct"})


@pytest.mark.parametrize("workers, kind", [(0, ValueError), (-1, ValueError), ("two", TypeError), (1.5, ValueError)])
def test_workers_of_a_sweep_are_a_positive_number(workers, kind):
    problem = daedal.Model.from_function(ode, [1.0]).prepare()
    with pytest.raises(kind, match="worker"):
        problem.sweep(start={"y[0]": [1.0, 2.0]}, t_span=(0, 1), workers=workers)


def test_an_unbalanced_model_names_what_is_left_over():
    m = daedal.Model("M")
    x = m.variable("x")
    m.variable("left over")
    m.add(x.der() == -x)
    with pytest.raises(daedal.ModelError, match="left over") as caught:
        m.analyze()
    assert caught.value.code == "unbalanced"


def test_a_singular_model_carries_the_names():
    with pytest.raises(daedal.ModelError) as caught:
        daedal.solve_dae(lambda t, y, yp: [y[0] - 1, y[0] - 2], (0, 1), [0, 0], names=["a", "b"])
    assert caught.value.code == "structurally-singular"


def test_model_text_with_mistakes_has_positions():
    with pytest.raises(daedal.ParseError) as caught:
        daedal.parse("model M\n  Real x;\nequation\n  der(x) = -z;\nend M;")
    (where, message), *_ = caught.value.diagnostics
    assert where[1] == 4 and "z" in message
    assert isinstance(caught.value, ValueError)


def test_a_missing_file_is_an_oserror():
    with pytest.raises(OSError, match="no-such-file"):
        daedal.load("no-such-file.mo")


def test_unknown_parameters_and_starts_are_refused():
    problem = daedal.Model.from_function(pendulum, [1, 0, 0, 0, 0]).prepare()
    with pytest.raises(ValueError, match="mass"):
        problem.solve((0, 1), parameters={"mass": 2.0})
    with pytest.raises(ValueError, match="height"):
        problem.solve((0, 1), start={"height": 2.0})


def test_runs_and_comparisons_refuse_with_a_sentence():
    m = daedal.Model("Decay")
    x = m.variable("x", 1.0, fixed=True)
    m.add(x.der() == -x)
    with pytest.raises(ValueError, match="empty"):
        daedal.compare(m, (0, 1), methods=["direct"], tolerances=[])
    with pytest.raises(TypeError, match="True, False or a function"):
        m.solve((0, 1), progress="bar")
    with pytest.raises(TypeError, match="list of names"):
        m.solve((0, 1), columns=3)
    with pytest.raises(TypeError, match="numbers"):
        m.solve((0, 1)).sol("a")
