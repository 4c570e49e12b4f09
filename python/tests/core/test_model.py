# SPDX-License-Identifier: BSD-3-Clause
import math

import numpy as np
import pytest
from systems import pendulum, pendulum_position

import daedal


def pendulum_model():
    m = daedal.Model("Pendulum")
    g = m.parameter("g", 9.81)
    x, y = m.variable("x", start=1), m.variable("y", start=0, fixed=True)
    vx, vy = m.variable("vx"), m.variable("vy", start=0, fixed=True)
    tension = m.variable("tension")
    m.add(x.der() == vx, y.der() == vy)
    m.add(vx.der() == -tension * x, name="horizontal")
    m.add(vy.der() == -tension * y - g, name="vertical")
    m.add(x**2 + y**2 == 1, name="rod")
    return m


def test_a_model_with_operators_is_solved():
    result = pendulum_model().solve((0, 2), rtol=1e-10)
    assert result.success and result.names == ["x", "y", "vx", "vy", "tension"]
    assert result[["x", "y"]][:, -1] == pytest.approx(pendulum_position(2.0), abs=1e-8)


def test_analysis_says_what_the_model_is():
    analysis = pendulum_model().analyze()
    assert analysis.index == 3 and analysis.structural_index == 3
    assert analysis.degrees_of_freedom == 2
    assert analysis.mobility == 1
    assert analysis.consistent_start and analysis.start["x"] == pytest.approx(1.0)
    assert [row["level"] for row in analysis.hidden_constraints] == [1, 2]
    assert "rod" in str(analysis)
    html = analysis._repr_html_()
    assert "hidden constraints" in html and "<table>" in html


def test_analysis_by_counting_alone():
    analysis = pendulum_model().analyze(numerical=False)
    assert analysis.index == 3 and analysis.degrees_of_freedom == 2


def test_redundant_constraints_are_named():
    p = daedal.Lagrangian("Doubled")
    x, vx = p.coordinate("x", start=1)
    y, vy = p.coordinate("y", start=0, fixed=True, velocity=0, velocity_fixed=True)
    p.kinetic_energy(0.5 * (vx**2 + vy**2))
    p.potential_energy(9.81 * y)
    p.constraint(x**2 + y**2 == 1, name="rod")
    p.constraint(2 * x**2 + 2 * y**2 == 2, name="rod again")
    analysis = p.analyze()
    assert any("'rod' and 'rod again' is redundant" in note for note in analysis.notes)
    assert "redundant" in analysis._repr_html_()


def test_a_model_may_grow_after_it_was_looked_at():
    m = daedal.Model()
    x = m.variable("x", 1.0, fixed=True)
    m.add(x.der() == -x)
    assert m.solve((0, 1)).names == ["x"]
    y = m.variable("y")
    m.add(y == 2 * x)
    assert m.solve((0, 1)).final("y") == pytest.approx(2 * math.exp(-1), rel=1e-5)


def test_arrays_of_variables():
    m = daedal.Model()
    q = m.variable("q", start=[1.0, 0.0], fixed=True, shape=2)
    a = np.array([[0.0, 1.0], [-1.0, 0.0]])
    m.add(daedal.der(q) == a @ q, name="rotation")
    result = m.solve((0, 1), rtol=1e-9)
    assert result.names == ["q[0]", "q[1]"]
    assert result.y[:, -1] == pytest.approx([math.cos(1), -math.sin(1)], abs=1e-7)


def test_arrays_by_name_in_runs_and_results():
    m = daedal.Model()
    q = m.variable("q", start=[1.0, 0.0], fixed=True, shape=2)
    w = m.parameter("w", [1.0, 2.0], shape=2)
    m.add(daedal.der(q) == -w * q)
    result = m.solve((0, 1), parameters={"w": [2.0, 3.0]}, start={"q": [1.0, 2.0]}, rtol=1e-9)
    assert result["q"][:, -1] == pytest.approx([math.exp(-2), 2 * math.exp(-3)], rel=1e-7)


def test_left_limits_and_end_values_of_arrays():
    m = daedal.Model()
    q = m.variable("q", shape=2)
    assert repr(daedal.pre(q)[1]) == "pre(q[1])" and repr(daedal.final(q)[0]) == "final(q[0])"


def test_when_takes_names():
    m = daedal.Model()
    x = m.variable("x", 0.0, fixed=True)
    m.add(x.der() == 1)
    m.when(x > 0.5, {"x": 0.0})
    assert m.solve((0, 0.75)).final("x") == pytest.approx(0.25, abs=1e-9)


def test_where_of_numbers_is_an_array_of_numbers():
    chosen = daedal.where(np.array([True, False]), 1.0, 2.0)
    assert type(chosen) is np.ndarray and chosen.dtype == float and chosen == pytest.approx([1.0, 2.0])


def test_second_derivatives_and_time():
    m = daedal.Model()
    x = m.variable("x", 0.0, fixed=True)
    m.add(x.der(2) == -np.sin(m.t))
    m.initial(x.der() == 1)
    assert m.solve((0, 2), rtol=1e-9).final("x") == pytest.approx(math.sin(2), abs=1e-6)


def test_parameters_may_depend_on_parameters():
    m = daedal.Model()
    k = m.parameter("k", 2.0)
    twice = m.parameter("twice", 2 * k)
    x = m.variable("x", start=k, fixed=True)
    m.add(x.der() == -twice * x)
    assert m.parameters == {"k": 2.0, "twice": 4.0}
    assert m.solve((0, 1), parameters={"k": 0.5}, rtol=1e-9).final("x") == pytest.approx(
        0.5 * math.exp(-1), rel=1e-6)


def test_from_function_makes_the_same_model():
    m = daedal.Model.from_function(pendulum, [1, 0, 0, 0, 0], names=["x", "h", "vx", "vh", "T"])
    assert m.analyze().index == 3
    assert m["x"].name == "x"


def test_model_text_and_files(root):
    m = daedal.load(root / "problems" / "pendulum.mo")
    assert m.name == "Pendulum" and "g" in m.parameters
    assert m.solve().success
    with pytest.raises(TypeError, match="read from text"):
        m.variable("z")
    decay = daedal.parse("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")
    assert decay.solve((0, 1), rtol=1e-9).final("x") == pytest.approx(math.exp(-1), rel=1e-7)
    with pytest.raises(ValueError, match="t_span is missing"):
        decay.solve()


def test_a_lagrangian_derives_the_equations_of_motion():
    p = daedal.Lagrangian("Pendulum")
    x, vx = p.coordinate("x", start=1)
    y, vy = p.coordinate("y", start=0, fixed=True, velocity=0, velocity_fixed=True)
    p.kinetic_energy(0.5 * (vx**2 + vy**2))
    p.potential_energy(9.81 * y)
    p.constraint(x**2 + y**2 == 1, name="rod")
    result = p.solve((0, 2), rtol=1e-10)
    assert result[["x", "y"]][:, -1] == pytest.approx(pendulum_position(2.0), abs=1e-8)


def test_a_lagrangian_with_forces_and_derivatives_of_coordinates():
    p = daedal.Lagrangian("Damped")
    q, _ = p.coordinate("q", start=1, fixed=True, velocity=0, velocity_fixed=True)
    p.kinetic_energy(0.5 * q.der()**2)
    p.potential_energy(2.0 * q**2)
    p.force(q, -2.0 * q.der())
    # q'' + 2 q' + 4 q = 0: q = exp(-t) (cos wt + sin wt / w), w = sqrt 3.
    w = math.sqrt(3)
    assert p.solve((0, 1), rtol=1e-9).final("q") == pytest.approx(
        math.exp(-1) * (math.cos(w) + math.sin(w) / w), abs=1e-7)


def test_boundary_value_problems():
    m = daedal.Model("Bratu")
    u, v = m.variable("u"), m.variable("v")
    m.add(u.der() == v, v.der() == -daedal.exp(u))
    m.boundary(u == 0, daedal.final(u) == 0)
    result = daedal.solve_bvp(m, (0, 1))
    # u = -2 ln(cosh((t - 1/2) c/2) / cosh(c/4)) with c = sqrt(2) cosh(c/4), the smaller root.
    c = 1.5171645990507543
    assert c == pytest.approx(math.sqrt(2) * math.cosh(c / 4), abs=1e-12)
    assert result.success and result.sol(0.5)[0] == pytest.approx(2 * math.log(math.cosh(c / 4)), rel=1e-6)
    with pytest.raises(daedal.ModelError, match="boundary value problem"):
        m.solve((0, 1))


def test_a_boundary_value_problem_with_an_unknown_parameter_and_a_guess():
    # u'' = -p u, u(0) = 0, u'(0) = 1, u(1) = 0: p = pi^2.
    m = daedal.Model()
    p = m.parameter("p", 9.0, fixed=False)
    u, v = m.variable("u"), m.variable("v")
    m.add(u.der() == v, v.der() == -p * u)
    m.boundary(u == 0, v == 1, daedal.final(u) == 0)
    times = np.linspace(0, 1, 11)
    result = m.solve_bvp((0, 1), guess={"t": times, "u": times * (1 - times), "v": 1 - 2 * times})
    assert result.success, result.message
    assert result.parameters["p"] == pytest.approx(math.pi**2, rel=1e-6)


def test_requirements_end_a_run():
    m = daedal.Model()
    x = m.variable("x", 0.0, fixed=True)
    m.add(x.der() == 1)
    m.require(x < 0.5, "x is too large")
    result = m.solve((0, 1))
    assert result.reason == "assertion-failed" and "too large" in result.message


def test_misuse_is_told():
    m = daedal.Model()
    x = m.variable("x")
    with pytest.raises(ValueError, match="declared already"):
        m.variable("x")
    with pytest.raises(TypeError, match="lhs == rhs"):
        m.add(3.0)
    with pytest.raises(TypeError, match="must be an expression"):
        m.add(True)
    with pytest.raises(ValueError, match="nothing would happen"):
        m.when(x > 0)
    with pytest.raises(TypeError, match="daedal.Model"):
        daedal.prepare(pendulum)
    with pytest.raises(ValueError, match="2 names for 1"):
        m.add(x.der() == 1, name=["a", "b"])


def test_reports_are_written_as_html(tmp_path):
    m = pendulum_model()
    result = m.solve((0, 1), parameters={"g": 5.0})
    comparison = daedal.compare(m, (0, 1), methods=["ggl"])
    for name, thing in (("run", result), ("analysis", m.analyze()), ("comparison", comparison)):
        thing.report(tmp_path / f"{name}.html")
        assert "</html>" in (tmp_path / f"{name}.html").read_text()
    result.report(tmp_path / "moving.html", animate="rod(0,0; x,y)")
    with pytest.raises(ValueError, match="z"):
        result.report(tmp_path / "wrong.html", animate="rod(0,0; x,z)")
    with pytest.raises(OSError, match="cannot be written"):
        result.report(tmp_path / "no" / "such" / "folder.html")
    assert "status" in result.report() and "rod" in m.analyze().report()


def test_the_catalogue():
    assert {"ggl", "direct"} <= {row["name"] for row in daedal.methods()}
    assert {"radau", "bdf"} <= {row["name"] for row in daedal.integrators()}
    assert daedal.__version__


def test_parameters_of_the_structure_are_given_when_the_text_is_read():
    text = "model M parameter Integer n = 2; Real x[n]; equation for i in 1:n loop x[i] = i; end for; end M;"
    assert len(daedal.parse(text).solve((0, 1)).names) == 2
    result = daedal.parse(text, parameters={"n": 5}).solve((0, 1))
    assert result.names[-1] == "x[5]" and result.final("x[5]") == 5
    with pytest.raises(daedal.ModelError, match="when the text is read"):
        daedal.parse(text).solve((0, 1), parameters={"n": 5})


def test_the_derivative_of_an_array():
    m = daedal.Model("Free fall")
    q = m.variable("q", shape=2, start=[0.0, 10.0], fixed=True)
    m.add(q.der(2) == [0.0, -9.81], q.der() - m.variable("v", shape=2, start=[1.0, 0.0], fixed=True) == 0)
    result = m.solve((0, 1), rtol=1e-9)
    assert result["q"][:, -1] == pytest.approx([1.0, 10.0 - 9.81 / 2], abs=1e-7)


def test_the_report_of_a_model_with_shapes_animates_them(tmp_path):
    text = """model Slider
      Real s(start = 1);
    equation
      der(s) = -s;
      annotation(experiment(StopTime = 1), daedal(animate = "rod(0,0; s,0) body(s,0)"));
    end Slider;"""
    daedal.parse(text).solve().report(tmp_path / "slider.html")
    assert '"animation":"rod(0,0; s,0) body(s,0)"' in (tmp_path / "slider.html").read_text()
    wrong = daedal.parse(text.replace("body(s,0)", "body(z,0)")).solve()
    with pytest.raises(daedal.OptionError, match=r"annotation\(daedal\(animate\)\) names 'z'"):
        wrong.report(tmp_path / "wrong.html")
