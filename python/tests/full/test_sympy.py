# SPDX-License-Identifier: BSD-3-Clause
import math

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import (KanesMethod, LagrangesMethod, Lagrangian, Particle, Point, ReferenceFrame,
                                     RigidBody, dynamicsymbols, inertia)
from systems import pendulum_position

import daedal

t = dynamicsymbols._t


def test_the_pendulum_from_sympy():
    time, g = sympy.symbols("time g")
    x, y, tension = (sympy.Function(name)(time) for name in ("x", "y", "tension"))
    m = daedal.from_sympy([x.diff(time, 2) + tension * x, y.diff(time, 2) + tension * y + g,
                           sympy.Eq(x**2 + y**2, 1)], time, start={x: 1, y: 0, y.diff(time): 0},
                          fixed=[y, y.diff(time)], parameters={g: 9.81})
    result = m.solve((0, 2), rtol=1e-10)
    assert result[["x", "y"]][:, -1] == pytest.approx(pendulum_position(2.0), abs=1e-8)
    assert "der(x)" in result.names


def test_functions_of_sympy():
    s = sympy.Symbol("s")
    f, g, h = (sympy.Function(name)(s) for name in "fgh")
    m = daedal.from_sympy([
        f.diff(s) - sympy.Piecewise((sympy.cos(s), s < 1), (sympy.cos(1), True)),
        sympy.Eq(g, sympy.Max(f, 0) + sympy.Abs(f) + sympy.sqrt(1 + f**2) + sympy.pi * sympy.Rational(1, 3)),
        sympy.Eq(h, sympy.atan2(f, 2) + sympy.exp(-f) * sympy.tanh(f) + sympy.sec(f))],
        s, start={f: 0}, fixed=True)
    result = m.solve((0, 2), rtol=1e-10)
    end = math.sin(1) + math.cos(1)
    assert result.final("f") == pytest.approx(end, abs=1e-8)
    assert result.final("g") == pytest.approx(2 * end + math.sqrt(1 + end**2) + math.pi / 3, abs=1e-7)
    assert result.final("h") == pytest.approx(
        math.atan2(end, 2) + math.exp(-end) * math.tanh(end) + 1 / math.cos(end), abs=1e-7)


def test_parameters_without_a_value_must_be_given():
    s, k = sympy.symbols("s k")
    f = sympy.Function("f")(s)
    m = daedal.from_sympy([f.diff(s) + k * f], s, start={f: 1}, fixed=True)
    assert m.solve((0, 1), parameters={"k": 2.0}, rtol=1e-9).final("f") == pytest.approx(math.exp(-2), rel=1e-7)
    with pytest.raises(daedal.ModelError, match="k"):
        m.solve((0, 1))


def test_wrong_sympy_is_refused():
    s = sympy.Symbol("s")
    f = sympy.Function("f")(s)
    with pytest.raises(ValueError, match="no unknown"):
        daedal.from_sympy([f.diff(s)], s, start={sympy.Function("g")(s): 1})
    with pytest.raises(ValueError, match="no symbol"):
        daedal.from_sympy([f.diff(s)], s, parameters={"k": 1})
    with pytest.raises(ValueError, match="gamma"):
        daedal.from_sympy([f.diff(s) - sympy.gamma(f)], s)
    with pytest.raises(ValueError, match="function of s alone"):
        daedal.from_sympy([sympy.Function("g")(2 * s) - f], s)
    with pytest.raises(TypeError, match="LagrangesMethod or a KanesMethod"):
        daedal.from_mechanics([f])


def test_lagranges_method_with_a_holonomic_constraint():
    x, y = dynamicsymbols("x y")
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x + y * frame.y)
    point.set_vel(frame, x.diff(t) * frame.x + y.diff(t) * frame.y)
    ball = Particle("ball", point, 1)
    ball.potential_energy = sympy.Float(9.81) * y
    method = LagrangesMethod(Lagrangian(frame, ball), [x, y], hol_coneqs=[x**2 + y**2 - 1])
    m = daedal.from_mechanics(method, start={x: 1, y: 0, y.diff(t): 0}, fixed=[y, y.diff(t)])
    assert "lam1" in m.variables
    result = m.solve((0, 2), rtol=1e-10)
    assert result.success, result.message
    assert result[["x", "y"]][:, -1] == pytest.approx(pendulum_position(2.0), abs=1e-8)


def test_lagranges_method_with_a_nonholonomic_constraint():
    # A skate on a plane turns uniformly and runs on at its speed: a circle of radius v/omega.
    x, y, phi = dynamicsymbols("x y phi")
    kinetic = (x.diff(t)**2 + y.diff(t)**2 + phi.diff(t)**2) / 2
    method = LagrangesMethod(kinetic, [x, y, phi],
                             nonhol_coneqs=[x.diff(t) * sympy.sin(phi) - y.diff(t) * sympy.cos(phi)])
    speed, turn = 1.5, 0.5
    start = {x: 0, y: 0, phi: 0, x.diff(t): speed, y.diff(t): 0, phi.diff(t): turn}
    result = daedal.from_mechanics(method, start=start).solve((0, 3), rtol=1e-9)
    assert result.success, result.message
    radius = speed / turn
    assert result.final("x") == pytest.approx(radius * math.sin(3 * turn), abs=1e-6)
    assert result.final("y") == pytest.approx(radius * (1 - math.cos(3 * turn)), abs=1e-6)


# The four-bar: crank l1, coupler l2, rocker l3 on the ground l0, thin rods, gravity.
LENGTHS = dict(l0=2.0, l1=0.5, l2=1.8, l3=1.2)


def four_bar_by_kane():
    """Angles q1 (independent), q2, q3 of the rods; the loop is closed by two configuration constraints."""
    q = dynamicsymbols("q1:4")
    u = dynamicsymbols("u1:4")
    lengths = [sympy.Float(LENGTHS[name]) for name in ("l1", "l2", "l3")]
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    bodies, loads, at = [], [], origin
    for i in range(3):
        rod_frame = frame.orientnew(f"B{i}", "Axis", [q[i], frame.z])
        rod_frame.set_ang_vel(frame, u[i] * frame.z)
        centre = at.locatenew(f"C{i}", lengths[i] / 2 * rod_frame.x)
        centre.v2pt_theory(at, frame, rod_frame)
        end = at.locatenew(f"E{i}", lengths[i] * rod_frame.x)
        end.v2pt_theory(at, frame, rod_frame)
        mass = lengths[i]  # one per unit of length
        bodies.append(RigidBody(f"rod{i}", centre, rod_frame, mass,
                                (inertia(rod_frame, 0, 0, mass * lengths[i]**2 / 12), centre)))
        loads.append((centre, -mass * sympy.Float(9.81) * frame.y))
        at = end
    gap = at.pos_from(origin) - sympy.Float(LENGTHS["l0"]) * frame.x
    configuration = [gap.dot(frame.x), gap.dot(frame.y)]
    rates = {q[i].diff(t): u[i] for i in range(3)}
    velocity = [c.diff(t).subs(rates) for c in configuration]
    kane = KanesMethod(frame, q_ind=[q[0]], q_dependent=q[1:], u_ind=[u[0]], u_dependent=u[1:],
                       kd_eqs=[q[i].diff(t) - u[i] for i in range(3)],
                       configuration_constraints=configuration, velocity_constraints=velocity)
    kane.kanes_equations(bodies, loads)
    return kane, q, u


def closing_angles(q1):
    """The coupler and rocker angles of the open branch, by the cosine theorem."""
    l0, l1, l2, l3 = (LENGTHS[name] for name in ("l0", "l1", "l2", "l3"))
    dx, dy = l0 - l1 * math.cos(q1), -l1 * math.sin(q1)
    d = math.hypot(dx, dy)
    direction = math.atan2(dy, dx)
    q2 = direction + math.acos((l2**2 + d**2 - l3**2) / (2 * l2 * d))
    tip = np.array([l1 * math.cos(q1) + l2 * math.cos(q2), l1 * math.sin(q1) + l2 * math.sin(q2)])
    return q2, math.atan2(-tip[1], l0 - tip[0])


def reduced_four_bar(_, state):
    """The crank angle alone: J(q1) q1'' + J'(q1) q1'^2 / 2 + V'(q1) = 0 with J = sum of m v^2/q1'^2."""
    q1, u1 = state

    def inertia_and_potential(angle):
        l1, l2, l3 = (LENGTHS[name] for name in ("l1", "l2", "l3"))
        q2, q3 = closing_angles(angle)
        # Rates per unit of the crank's: l1 e(q1) + l2 e(q2) r2 + l3 e(q3) r3 = 0, e = (-sin, cos).
        matrix = np.array([[-l2 * math.sin(q2), -l3 * math.sin(q3)], [l2 * math.cos(q2), l3 * math.cos(q3)]])
        r2, r3 = np.linalg.solve(matrix, [l1 * math.sin(angle), -l1 * math.cos(angle)])
        tip1 = np.array([-l1 * math.sin(angle), l1 * math.cos(angle)])
        centre2 = tip1 + 0.5 * l2 * r2 * np.array([-math.sin(q2), math.cos(q2)])
        tip2 = tip1 + l2 * r2 * np.array([-math.sin(q2), math.cos(q2)])
        centre3 = tip2 + 0.5 * l3 * r3 * np.array([-math.sin(q3), math.cos(q3)])
        j = (l1**3 / 3 + l2 * centre2 @ centre2 + l2**3 / 12 * r2**2 + l3 * centre3 @ centre3
             + l3**3 / 12 * r3**2)
        height2 = l1 * math.sin(angle) + 0.5 * l2 * math.sin(q2)
        height3 = l1 * math.sin(angle) + l2 * math.sin(q2) + 0.5 * l3 * math.sin(q3)
        return j, 9.81 * (l1 * 0.5 * l1 * math.sin(angle) + l2 * height2 + l3 * height3)

    h = 1e-5
    weights, places = (1 / 12, -8 / 12, 8 / 12, -1 / 12), (-2, -1, 1, 2)
    samples = [inertia_and_potential(q1 + k * h) for k in places]
    dj = sum(w * j for w, (j, _) in zip(weights, samples)) / h
    dv = sum(w * v for w, (_, v) in zip(weights, samples)) / h
    return [u1, -(0.5 * dj * u1**2 + dv) / inertia_and_potential(q1)[0]]


def test_a_four_bar_from_kanes_method_moves_as_the_reduced_equation():
    kane, q, u = four_bar_by_kane()
    q2, q3 = closing_angles(1.0)
    m = daedal.from_mechanics(kane, start={q[0]: 1.0, u[0]: 6.0, q[1]: q2 + 0.01, q[2]: q3 - 0.01},
                              fixed=[q[0], u[0]])
    result = m.solve((0, 2), rtol=1e-9)
    assert result.success, result.message
    reference = solve_ivp(reduced_four_bar, (0, 2), [1.0, 6.0], rtol=1e-9, atol=1e-11, method="DOP853")
    # The differences of the reduced equation leave about 1e-8.
    assert result.final("q1") == pytest.approx(reference.y[0, -1], abs=1e-6)
    assert result.final("u1") == pytest.approx(reference.y[1, -1], abs=1e-5)
    assert result.final("q3") == pytest.approx(closing_angles(result.final("q1"))[1], abs=1e-7)


def rolling_disk_by_kane():
    """sympy's own example: lean and spin of a disk that rolls on a plane, with its contact point."""
    q1, q2, q3, q4, q5 = q = dynamicsymbols("q1:6")
    u1, u2, u3, u4, u5 = u = dynamicsymbols("u1:6")
    r, mass, g = 1, 1, sympy.Float(9.81)
    frame = ReferenceFrame("N")
    yaw = frame.orientnew("Y", "Axis", [q1, frame.z])
    lean = yaw.orientnew("L", "Axis", [q2, yaw.x])
    disk = lean.orientnew("R", "Axis", [q3, lean.y])
    spin = u1 * lean.x + u2 * lean.y + u3 * lean.z
    own = disk.ang_vel_in(frame)
    kinematics = [(own - spin).dot(axis) for axis in (lean.x, lean.y, lean.z)] + [q4.diff(t) - u4, q5.diff(t) - u5]
    disk.set_ang_vel(frame, spin)
    origin = Point("O")
    origin.set_vel(frame, 0)
    contact = origin.locatenew("C", q4 * frame.x + q5 * frame.y)
    contact.set_vel(frame, u4 * frame.x + u5 * frame.y)
    centre = contact.locatenew("D", r * lean.z)
    # The centre moves as a point of the disk whose lowest point is at rest: rolling without slip.
    centre.set_vel(frame, (spin ^ (r * lean.z)).express(lean))
    centre_rate = centre.pos_from(origin).dt(frame).subs({q4.diff(t): u4, q5.diff(t): u5})
    slip = centre_rate - centre.vel(frame)
    solved = sympy.solve(kinematics[:3], [q1.diff(t), q2.diff(t), q3.diff(t)], dict=True)[0]
    constraints = [slip.dot(frame.x).subs(solved), slip.dot(frame.y).subs(solved)]
    matter = inertia(lean, sympy.Rational(1, 4), sympy.Rational(1, 2), sympy.Rational(1, 4))
    body = RigidBody("disk", centre, disk, mass, (matter, centre))
    kane = KanesMethod(frame, q_ind=q, u_ind=[u1, u2, u3], u_dependent=[u4, u5], kd_eqs=kinematics,
                       velocity_constraints=constraints)
    kane.kanes_equations([body], [(centre, -mass * g * frame.z)])
    return kane, q, u


def reduced_disk(_, s):
    """Lean, yaw and angular velocity, by Newton and Euler with the contact force eliminated.

    Mass and radius 1, moments of inertia A, B, A = 1/4, 1/2, 1/4. In the leaning frame, which turns by
    W = (u1, u3 tan q2, u3), the centre moves by v = (u2, -u1, 0) and the disk turns by (u1, u2, u3);
    F = v' + W x v - G acts at -z: H' + W x H = (-z) x F = (F_y, -F_x, 0).
    """
    q2, q1, u1, u2, u3 = s
    spin = u3 * math.tan(q2)
    du1 = (0.5 * u2 * u3 - 0.25 * spin * u3 + u2 * u3 + 9.81 * math.sin(q2)) / 1.25
    du2 = -(u1 * u3) / 1.5
    du3 = (0.25 * spin * u1 - 0.5 * u1 * u2) / 0.25
    return [u1, u3 / math.cos(q2), du1, du2, du3]


def test_a_rolling_disk_from_kanes_method_moves_as_the_reduced_equations():
    kane, q, u = rolling_disk_by_kane()
    start = {q[0]: 0.1, q[1]: 0.3, q[2]: 0, q[3]: 0, q[4]: 0, u[0]: 0.2, u[1]: 4.0, u[2]: 0.5}
    m = daedal.from_mechanics(kane, start=start, fixed=list(start))
    result = m.solve((0, 2), rtol=1e-10)
    assert result.success, result.message
    reference = solve_ivp(reduced_disk, (0, 2), [0.3, 0.1, 0.2, 4.0, 0.5], rtol=1e-10, atol=1e-12,
                          method="DOP853")
    assert result[["q2", "q1", "u1", "u2", "u3"]][:, -1] == pytest.approx(reference.y[:, -1], abs=1e-6)


def test_forces_that_are_functions_of_time_are_substituted():
    x, f = dynamicsymbols("x f")
    method = LagrangesMethod(x.diff(t)**2 / 2, [x], forcelist=[], frame=None)
    method.form_lagranges_equations()
    method.eom = method.eom - sympy.Matrix([f])
    with pytest.raises(ValueError, match=r"f\(t\) is neither"):
        daedal.from_mechanics(method)
    m = daedal.from_mechanics(method, substitute={f: sympy.sin(t)}, start={x: 0, x.diff(t): -1}, fixed=True)
    assert m.solve((0, 2), rtol=1e-9).final("x") == pytest.approx(-math.sin(2), abs=1e-7)


@pytest.mark.parametrize("rate, expected", [
    (lambda t: sympy.sech(t) + sympy.csch(1 + t) + sympy.coth(1 + t), None),
    (lambda t: sympy.acot(1 + t) + sympy.asec(2 + t) + sympy.acsc(2 + t) + sympy.acoth(2 + t), None),
    (lambda t: sympy.asech((1 + t) / 4) + sympy.acsch(1 + t) + sympy.sinc(t), None),
    (lambda t: sympy.Mod(t, sympy.Rational(1, 2)), 0.25), (lambda t: sympy.frac(2 * t), 0.5)])
def test_functions_of_sympy(rate, expected):
    time = sympy.Symbol("time", real=True)
    x = sympy.Function("x")(time)
    m = daedal.from_sympy([x.diff(time) - rate(time)], time, start={x: 0})
    if expected is None:
        expected = solve_ivp(lambda s, y: [float(rate(sympy.Float(s)))], (0, 1), [0.0], rtol=1e-9, atol=1e-12).y[0, -1]
    assert m.solve((0, 1), rtol=1e-9).final("x") == pytest.approx(expected, abs=1e-7)


def test_an_equation_between_matrices():
    x, y = dynamicsymbols("x y")
    m = daedal.from_sympy(sympy.Eq(sympy.Matrix([x, y]).diff(t), sympy.Matrix([-y, x])), t, start={x: 1, y: 0})
    assert m.solve((0, 1), rtol=1e-9).y[:, -1] == pytest.approx([math.cos(1), math.sin(1)], abs=1e-7)


@pytest.mark.parametrize("equations, kind, text", [
    (lambda x: {x.diff(t): -x}, TypeError, "not dict"),
    (lambda x: ["x"], TypeError, "not the text"),
    (lambda x: [x < 1], ValueError, "relation"),
    (lambda x: [], ValueError, "no equations"),
    (lambda x: [x.diff(t) + sympy.Integral(x, t)], ValueError, "Integral"),
    (lambda x: [x.diff(t) - sympy.oo], ValueError, "finite"),
    (lambda x: [x.diff(t) - sympy.I * x], ValueError, "real"),
    (lambda x: [x.diff(t) - sympy.gamma(x)], ValueError, "gamma"),
    (lambda x: 3, TypeError, "not int"),
    (lambda x: [sympy.Eq(1, 2)], ValueError, "true or false"),
    (lambda x: [x.diff(t) + sympy.Symbol("t", positive=True)], ValueError, "assumptions"),
])
def test_what_is_no_system_of_equations_is_refused(equations, kind, text):
    with pytest.raises(kind, match=text):
        daedal.from_sympy(equations(dynamicsymbols("x")), t)
