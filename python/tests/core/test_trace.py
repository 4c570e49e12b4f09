# SPDX-License-Identifier: BSD-3-Clause
"""What a function may do with the symbols that it is traced with."""
import builtins
import collections
import dataclasses
import decimal
import fractions
import functools
import math
import threading
import types
from math import sin as bare_sin

import numpy as np
import pytest
from numpy import zeros as bare_zeros

import daedal


def traced_value(function, *, y=(0.3, 0.7, 1.1), yp=(0.2, -0.4, 0.6), t=0.5, parameters=None):
    """The residual that the traced model has at a point; `function` gives any number of values."""
    from daedal._function import FunctionModel

    model = FunctionModel(function, y, parameters=parameters)
    value, _ = model.roots.evaluate([t], np.array(y), np.array(yp), model.parameter_values)
    return value[0]


def own_value(function, *, y=(0.3, 0.7, 1.1), yp=(0.2, -0.4, 0.6), t=0.5):
    return np.array(function(t, np.array(y), np.array(yp)), dtype=float)


def assigns_to_zeros(t, y, yp):
    r = np.zeros(3)
    r[0] = yp[0] - y[1]
    r[1:] = yp[1:] + y[:2]
    r[2] += t
    return r


def assigns_to_array_of_floats(t, y, yp):
    r = np.array([0.0, 1.0, 2.0])
    r[0] = y[0] * yp[0]
    return r + y


def assigns_to_empty_like(t, y, yp):
    r = np.empty_like(y)
    for i in range(3):
        r[i] = yp[i] + i * y[i]
    return r


def uses_names_imported_alone(t, y, yp):
    r = bare_zeros(3)
    r[:] = yp
    r[0] += bare_sin(y[0])
    return r


def uses_math(t, y, yp):
    return [yp[0] - math.sin(y[0]) * math.exp(y[1]), yp[1] - math.hypot(y[0], y[1]) - math.pow(y[2], 3),
            yp[2] - math.atan2(y[0], y[1]) - math.log(y[2], 2) - math.sqrt(y[0]) + math.pi]


def uses_matrices(t, y, yp):
    a = np.arange(9.0).reshape(3, 3)
    return a @ y + y @ a - np.dot(a, yp) + np.outer(y, yp)[1]


def uses_constant_solve(t, y, yp):
    a = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
    return yp - np.linalg.solve(a, y)


def uses_concatenate_and_slices(t, y, yp):
    left = np.concatenate([y[:1], yp[1:]])
    return np.hstack([left[0], left[1] * 2.0, np.sum(left)]) + np.stack([y, yp]).sum(axis=0)


def uses_numpy_functions(t, y, yp):
    return (np.sin(y) + np.cos(yp) * np.exp(-y) - np.tanh(y) + np.sqrt(y) + np.abs(yp) + np.arctan2(y, 1.0)
            + np.log10(y) + np.log1p(y) + np.expm1(yp) + np.cbrt(yp) + np.arcsinh(yp) + np.square(y))


def uses_extremes(t, y, yp):
    return [yp[0] - np.maximum(y[0], 0.5), yp[1] - np.max(y) + np.min(yp), yp[2] - np.clip(y[2], 0.0, 0.9)]


def uses_where(t, y, yp):
    return yp - np.where(y > 0.5, y**2, -y) - daedal.where(t > 0.4, 1.0, 2.0)


def uses_interp(t, y, yp):
    table = ([0.0, 0.5, 1.0, 1.05], [1.0, 3.0, 2.0, 5.0])
    return yp - np.interp(y, *table) - np.interp(-t, *table, left=7.0)


def uses_norm_cross_einsum(t, y, yp):
    return np.cross(y, yp) + np.linalg.norm(y) - np.einsum("ij,j->i", np.eye(3) * 2.0, y)


def uses_scalar_functions_of_numpy(t, y, yp):
    weight = np.float64(2.0)
    return [weight * yp[0] - np.sin(y[0]), np.float32(0.5) * y[1] - np.int64(3) * yp[1], yp[2] % 1.0 - y[2] // 0.5]


def unpacks_and_loops(t, y, yp):
    a, b, c = y
    return [rate - sum(value * k for k, value in enumerate((a, b, c))) for rate in yp]


def helper(values):
    r = np.zeros(3)
    for i, value in enumerate(values):
        r[i] = math.cos(value)
    return r


def calls_a_function(t, y, yp):
    return yp - helper(y)


def converts_to_float_arrays(t, y, yp):
    y = np.asarray(y, dtype=float)
    rates = np.array([yp[0], yp[1], yp[2]], dtype=float)
    return rates.astype(float) - y * np.ones_like(y)


def accumulates_in_place(t, y, yp):
    m = np.eye(3)
    m[0, 1] = y[0]
    m *= 2.0
    r = m @ yp
    r -= y
    return r


FUNCTIONS = [assigns_to_zeros, assigns_to_array_of_floats, assigns_to_empty_like, uses_names_imported_alone,
             uses_math, uses_matrices, uses_constant_solve, uses_concatenate_and_slices, uses_numpy_functions,
             uses_extremes, uses_where, uses_interp, uses_norm_cross_einsum, uses_scalar_functions_of_numpy,
             unpacks_and_loops, calls_a_function, converts_to_float_arrays, accumulates_in_place]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_traced_function_has_the_values_of_the_function(function):
    # Different order of sums: a few ulps of numbers of magnitude 10.
    assert traced_value(function) == pytest.approx(own_value(function), rel=1e-13, abs=1e-13)


STIFFNESS = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])



def PERMUTED(y):
    """Five rows, the first pivots of which are 0 and y[0] - 0.3 = 0: rows have to change places."""
    matrix = np.zeros((5, 5))
    matrix[[0, 1, 2, 3, 4], [3, 0, 4, 1, 2]] = [1.0, 2.0, 3.0, y[1], y[2]]
    matrix[0, 0] = y[0] - 0.3
    matrix[4] += 0.1 * np.concatenate([y, y[:2]])
    return matrix


#: What is subtracted from yp; numpy itself says what each is.
IDIOMS = [
    # functions of numpy on one symbol, two, or several
    lambda t, y: np.arcsinh(y) + np.arctanh(0.5 * y) + np.arccosh(1.0 + y) + np.log1p(y) + np.expm1(y),
    lambda t, y: np.rint(3.0 * y) + np.round(y, 1) + round(2.6 * y[0]) + np.fix(-3.0 * y) + np.trunc(y),
    lambda t, y: np.fmod(-y, 0.4) + np.divmod(y, 0.4)[1] + np.modf(-2.0 * y)[0] + divmod(y[0], 0.4)[0],
    lambda t, y: np.logaddexp(y, -y) + np.logaddexp2(y, 1.0) + np.sinc(y) + np.hypot(y, 1.0),
    lambda t, y: np.clip(y, a_min=0.4, a_max=1.0) + np.clip(y, 0.4, np.inf) + y.clip(max=0.6) + np.clip(y, None, 0.5),
    lambda t, y: np.maximum(y, -np.inf) + np.minimum(np.inf, y),
    # relations and branches
    lambda t, y: np.where((y > 0.5) & (y < 1.0), y, 0.0) + np.where((y < 0.5) | (y > 1.0), 1.0, 2.0),
    lambda t, y: np.where(~(y > 0.5), y, 0.0) + np.where((y > 0.5) ^ (y > 1.0), y, 0.0),
    lambda t, y: np.where(y != 0.3, 1.0, 2.0) + (y > 0.5) * y,
    lambda t, y: np.piecewise(y, [y < 0.5, y >= 0.5], [lambda x: x * x, lambda x: -x]),
    lambda t, y: np.piecewise(y, [y < 0.5], [1.0, 2.0]) + np.piecewise(y[0], [y[0] < 1.0], [3.0]),
    lambda t, y: np.select([y < 0.5, y < 1.0], [y, 2 * y], default=3.0),
    # lists of symbols in place of arrays
    lambda t, y: np.max([y[0], 0.5]) + np.min([y[1], y[2]]) + np.maximum([y[0], y[1], 0.9], 0.8),
    lambda t, y: np.minimum.reduce([y, 1.0 - y]) + np.where([y[0] > 0.5, y[1] > 0.5, True], y, 0.0),
    lambda t, y: np.linalg.norm([y[0], y[1]]) + math.dist([y[0], y[1]], (1.0, 2.0)) + math.remainder(y[2], 0.4),
    # sums, norms and products
    lambda t, y: np.linalg.norm(y, np.inf) + np.linalg.norm(y, -np.inf) + np.linalg.norm(y, 1) + np.linalg.norm(y, 3),
    lambda t, y: np.linalg.norm(np.outer(y, y), axis=1) + np.linalg.norm(np.outer(y, y)) + np.linalg.norm(y, axis=0),
    lambda t, y: np.sum(y, where=[True, False, True]) + np.nansum(y) + np.nanmax(y) + np.mean(y),
    lambda t, y: np.var(y) + np.ptp(y) + np.std(y) + y,
    lambda t, y: np.einsum("...j,j->...", STIFFNESS, y) + np.einsum(STIFFNESS, [0, 1], y, [1], [0]),
    lambda t, y: np.einsum("i,i", y, y) + np.einsum("ii->i", np.outer(y, y)),
    lambda t, y: np.cumsum(y) + np.diff(np.append(0.0, y)) + np.gradient(y, 0.1) + np.trapz(y, dx=0.1) + np.roll(y, 1),
    lambda t, y: np.convolve(y, [0.5, 0.5], "same") + np.polyval([1.0, 2.0], y) + np.cross(y, [1, 0, 0]),
    lambda t, y: np.linspace(y[0], y[1], 3) + np.tensordot(STIFFNESS, y, axes=1) + np.kron(np.eye(1), y)[0],
    # linear systems
    lambda t, y: np.linalg.solve(np.outer(y, y) + np.eye(3), y) + np.linalg.det(np.outer(y, y) + 2 * np.eye(3)),
    lambda t, y: np.linalg.inv(np.array([[y[0], 1.0], [2.0, y[1]]]))[0, 1] + 0 * y,
    lambda t, y: np.linalg.solve([[2.0, 0], [0, y[0]]], y[:2])[1] + 0 * y,
    lambda t, y: np.linalg.solve(STIFFNESS, np.outer(y, y))[0],
    lambda t, y: np.linalg.eigvalsh(np.diag([2.0, 2.0, 1.0]) - np.eye(3, k=1) - np.eye(3, k=-1)) * y,
    lambda t, y: np.linalg.qr(np.ones((3, 3)) + np.eye(3))[1] @ y,
    lambda t, y: np.linalg.matrix_power(np.diag([1.0, 2.0, 3.0]), 2) @ y,
    lambda t, y: np.linalg.lstsq(2 * np.eye(3), np.ones(3), rcond=None)[0] * y + np.fft.fft(np.zeros(3)).real,
    lambda t, y: np.linalg.solve(np.diag(2 + np.tile(y, 2)) + 0.1 * np.outer(np.tile(y, 2), np.ones(6)), np.ones(6))[:3],
    lambda t, y: np.linalg.inv(PERMUTED(y))[1:4, 2] + np.linalg.det(PERMUTED(y)),
    lambda t, y: np.linalg.solve(PERMUTED(y), np.outer(np.arange(5.0), y))[0],
    lambda t, y: np.linalg.solve(np.stack([2 * np.eye(3)] * 2), np.ones((2, 3)))[1] * y,
    # max and min of Python, counts and means
    lambda t, y: max(y[0], 0.5) + min(y[1], y[2], 0.9) + max(a * a for a in y) + max(2, 3) + y,
    lambda t, y: np.count_nonzero(y > 0.5) + np.average(y, weights=y) + np.average(y, weights=[1, 2, 3]) + y,
    lambda t, y: np.where(np.logical_or.reduce([y > 1.0, y < 0.5]), y, 2.0),
    # functions of the user on elements
    lambda t, y: np.vectorize(lambda x: x * x + 1.0)(y) + np.vectorize(math.sin)(y),
    lambda t, y: np.fromiter((a * a for a in y), dtype=float) + np.apply_along_axis(lambda v: 2 * v, 0, y),
    # numbers of every kind
    lambda t, y: fractions.Fraction(1, 3) * y + decimal.Decimal("0.5").__float__() * y + np.float32(0.5) * y,
    lambda t, y: np.array(2.0) * y[0] + np.array([1, 2, 3]) * y + np.uint8(3) * y[0] + np.bool_(True) * y + 10**20 * y,
    lambda t, y: np.array(t) * y + np.asarray(y[0]) + np.array([t, 2 * t, 0.0]),
    lambda t, y: y + len(f"{y[0]:.3f}") * 0.0,
]


@pytest.mark.parametrize("k", range(len(IDIOMS)))
def test_idioms_have_the_values_that_numpy_gives_them(k):
    def function(t, y, yp):
        return yp - IDIOMS[k](t, y)
    assert traced_value(function) == pytest.approx(own_value(function), rel=1e-13, abs=1e-13)


def _filled(made):
    def function(t, y, yp):
        r = made()
        r[0] = y[0]
        return yp - r
    return function


@pytest.mark.parametrize("made", [
    lambda: np.zeros_like(STIFFNESS[0]), lambda: np.ones_like([1.0, 2.0, 3.0]),
    lambda: np.full_like(STIFFNESS[0], 2.0),
    lambda: np.arange(3.0), lambda: np.linspace(0, 1, 3), lambda: np.diag([1.0, 2.0, 3.0])[:, 0],
    lambda: np.tile([0.0], 3),
    lambda: np.repeat(0.5, 3), lambda: np.array(STIFFNESS[0]), lambda: np.copy(STIFFNESS[0]),
    lambda: np.zeros((2, 3)).T[:, 0]])
def test_new_arrays_take_symbols(made):
    function = _filled(made)
    assert traced_value(function) == pytest.approx(own_value(function), rel=1e-14)


@pytest.mark.parametrize("name, own, points", [
    ("log1p", math.log1p, (-0.5, -0.08, -1e-3, -1e-8, -1e-20, 1e-300, 1e-12, 1e-5, 0.05, 0.09, 0.1, 3.0, 1e10)),
    ("expm1", math.expm1, (-1e10, -30.0, -1e-8, 1e-20, 1e-5, 0.1, 30.0)),
    ("arcsinh", math.asinh, (-1e150, -1e10, -30.0, -0.09, -1e-8, 1e-20, 1e-5, 0.08, 0.1, 1e10)),
    ("arctanh", math.atanh, (-0.999, -0.05, -1e-8, 1e-20, 1e-5, 0.049, 0.051, 0.5)),
    # Functions of math are looked up where the function is called.
    ("erf", lambda x: math.erf(x), (-30.0, -3.0, -0.5, -1e-8, 1e-300, 1e-20, 0.3, 0.4999, 0.5001, 1.0, 2.5, 5.0, 30.0)),
    ("erfc", lambda x: math.erfc(x), (-30.0, -3.0, -0.5, -1e-8, 1e-300, 0.3, 0.4999, 0.5001, 1.0, 2.5, 5.0)),
    ("arccosh", math.acosh, (1.0 + 1e-12, 1.001, 2.0, 1e10)),
    ("rint", round, (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 2.4999, -7.6, 1e10))])
def test_functions_keep_their_digits_at_every_magnitude(name, own, points):
    for x in points:
        value = traced_value(lambda t, y, yp: [getattr(np, name, own)(y[0])], y=(x,), yp=(0.0,))
        assert value[0] == pytest.approx(own(x), rel=2e-15, abs=0.0), x


def test_a_jump_where_the_comparison_looks_is_no_disagreement():
    # 1 // 0.1 is 9 by round-off; the instants of change of the model are at the multiples of 0.1.
    result = daedal.solve_dae(lambda t, y, yp: yp - t // 0.1, (1.0, 1.5), [0.0])
    assert result.y[0, -1] == pytest.approx(0.1 * (10 + 11 + 12 + 13 + 14), abs=1e-6)


def test_a_parameter_may_have_the_name_of_a_method():
    assert traced_value(lambda t, y, yp, p: yp - p.items * y - p.get, parameters={"items": 2.0, "get": 1.0})[0] == (
        pytest.approx(0.2 - 0.6 - 1.0))


def test_functions_are_restored_after_tracing():
    before = (np.zeros, np.array, math.sin, bare_sin, bare_zeros)
    traced_value(uses_names_imported_alone)
    assert (np.zeros, np.array, math.sin, bare_sin, bare_zeros) == before
    assert np.zeros(2).dtype == np.float64


def test_functions_are_restored_after_a_failure():
    def fails(t, y, yp):
        raise RuntimeError("own trouble")
    before = np.zeros
    with pytest.raises(RuntimeError, match="own trouble") as caught:
        traced_value(fails)
    assert np.zeros is before
    assert not hasattr(caught.value, "__notes__")  # with numbers it fails as well


def test_other_threads_see_plain_numpy_while_a_function_is_traced():
    seen = []

    def asks_another_thread(t, y, yp):
        thread = threading.Thread(target=lambda: seen.append(np.zeros(2).dtype))
        thread.start()
        thread.join()
        return yp - y
    traced_value(asks_another_thread)
    assert seen and all(dtype == np.float64 for dtype in seen)


def test_closures_partials_methods_and_objects_are_traced():
    from math import cos

    def closure(t, y, yp):
        return [yp[0] - cos(y[0]), yp[1], yp[2]]

    class Plant:
        gain = 2.0

        def residual(self, t, y, yp):
            r = np.zeros(3)
            r[:] = yp - self.gain * y
            return r

        def __call__(self, t, y, yp):
            return self.residual(t, y, yp)

    def with_gain(gain, t, y, yp):
        return yp - gain * y

    assert traced_value(closure)[0] == pytest.approx(0.2 - math.cos(0.3))
    for function in (Plant().residual, Plant(), functools.partial(with_gain, 2.0)):
        assert traced_value(function) == pytest.approx([0.2 - 0.6, -0.4 - 1.4, 0.6 - 2.2])


def test_parameters_are_passed_by_name_or_by_place():
    def named(t, y, yp, p):
        return [yp[0] - p.gain * y[0] - p["shift"], yp[1], yp[2]]

    def placed(t, y, yp, p):
        return [yp[0] - p[0] * y[0] - p[1], yp[1], yp[2]]
    for function, parameters in ((named, {"gain": 3.0, "shift": 0.5}), (placed, [3.0, 0.5])):
        assert traced_value(function, parameters=parameters)[0] == pytest.approx(0.2 - 0.9 - 0.5)


# ------------------------------------------------------------------------------------ what is refused

def message_of(function, match):
    with pytest.raises(daedal.TraceError, match=match) as caught:
        traced_value(function)
    return caught.value


def test_a_branch_names_its_line_and_suggests_where():
    def branches(t, y, yp):
        if y[0] > 0:
            return yp
        return -yp
    error = message_of(branches, "daedal.where")
    assert "if y[0] > 0:" in str(error)
    assert "test_trace.py" in str(error)
    assert error.where[1] == branches.__code__.co_firstlineno + 1
    assert "trace=False" in str(error)


@pytest.mark.parametrize("function", [
    lambda t, y, yp: yp - sorted(y)[0],
    lambda t, y, yp: yp - max(y, key=abs),
    lambda t, y, yp: yp if t < 1 else y,
    lambda t, y, yp: yp if y[0] == 0.0 else y,
    lambda t, y, yp: yp if y[0] != 0.0 else y,
    lambda t, y, yp: yp if (y > 0).any() else y,
    lambda t, y, yp: yp if not y[0] else y,
    lambda t, y, yp: yp - float(y[0]),
    lambda t, y, yp: yp - y[int(y[0])],
    lambda t, y, yp: yp - np.float64(y[0]),
    lambda t, y, yp: np.linalg.solve(np.diag(np.tile(y, 3)), np.tile(yp, 3))[:3],
    lambda t, y, yp: yp - np.interp(0.5, [0.0, 1.0], y[:2] * 0) - np.interp(y[0], y, [0.0, 1.0, 2.0]),
    lambda t, y, yp: yp - math.gamma(y[0]),
    lambda t, y, yp: yp - np.sort(y),
    lambda t, y, yp: yp - np.linalg.eigvals(np.outer(y, y)),
    lambda t, y, yp: yp - y.astype(np.float32),
])
def test_what_has_no_symbolic_meaning_is_refused(function):
    message_of(function, r"line \d+")


def test_an_outside_array_of_numbers_cannot_take_symbols():
    outside = np.zeros(3)

    def writes(t, y, yp):
        outside[0] = yp[0]
        return outside
    message_of(writes, "np.zeros")


def test_random_numbers_are_found_out():
    with pytest.raises(daedal.TraceError, match="random numbers"):
        daedal.solve_dae(lambda t, y, yp: yp + y + np.random.rand(), (0, 1), [1.0])


def test_hidden_state_is_found_out():
    calls = []

    def counts(t, y, yp):
        calls.append(t)
        return yp + y * len(calls)
    with pytest.raises(daedal.TraceError, match="counter"):
        daedal.solve_dae(counts, (0, 1), [1.0])


def test_a_change_of_behaviour_along_the_solution_is_found_out():
    state = {"calls": 0}

    def changes_later(t, y, yp):
        state["calls"] += 1
        return yp + y * (1.0 if state["calls"] < 5 else 2.0)
    with pytest.raises(daedal.TraceError, match="does not agree"):
        daedal.solve_dae(changes_later, (0, 1), [1.0])


def test_expressions_print_as_they_are_written():
    m = daedal.Model()
    x, y = m.variable("x"), m.variable("y")
    assert repr(x * (y + 1) - x**2 / y) == "x*(y + 1.0) - x**2/y"
    assert repr(np.sin(x.der())) == "sin(der(x))"
    assert repr(x.der(2) == 3) == "der(x, 2) == 3.0"


def test_symbols_of_two_models_do_not_mix():
    a, b = daedal.Model("a"), daedal.Model("b")
    with pytest.raises(ValueError, match="two models"):
        a.variable("x") + b.variable("y")


def test_a_mask_of_relations_chooses_what_is_stored():
    def limited(t, y, yp):
        r = yp + y
        r[y > 0.5] = 0.0
        r[np.array([True, False, False])] += y[1]
        return r
    assert traced_value(limited) == pytest.approx(own_value(limited), rel=1e-14)
    assert traced_value(limited, y=(0.8, 0.2, 0.4)) == pytest.approx(own_value(limited, y=(0.8, 0.2, 0.4)), rel=1e-14)

    def misplaced(t, y, yp):
        r = yp + y
        r[y > 0.5] = y[:2]
        return r
    message_of(misplaced, "one number or symbol")


def test_a_symbol_has_what_scalars_of_numpy_have():
    def uses_scalars(t, y, yp):
        return [yp[0] + y[0].item(), yp[1] + y[1].copy().T, yp[2] + y[2].astype(float).conj()]
    assert traced_value(uses_scalars) == pytest.approx(own_value(uses_scalars), rel=1e-14)


class Compiled:
    """Takes arrays of numbers alone and has the function that it was made of, as those of numba do."""

    def __init__(self, function):
        self.py_func = function

    def __call__(self, *args):
        if any(np.asarray(arg).dtype == object for arg in args):
            raise TypeError("cannot determine the type of the argument")
        return self.py_func(*args)


compiled_decay = Compiled(lambda y, rate: rate * y)


def test_functions_that_were_compiled_are_traced_as_they_were_written():
    def uses_compiled(t, y, yp):
        return yp + compiled_decay(y, 2.0)
    for function in (Compiled(lambda t, y, yp: yp + math.sin(y[0])), uses_compiled):
        assert traced_value(function) == pytest.approx(own_value(function), rel=1e-14)
    assert isinstance(compiled_decay, Compiled)


def needs_numbers(x):
    if np.asarray(x).dtype != float:  # as modules in C look at what they are given
        raise ValueError("Buffer dtype mismatch")
    return x


def test_what_works_with_numbers_alone_is_told_with_its_line():
    message_of(lambda t, y, yp: yp + needs_numbers(y), r"works with numbers, .* line \d+")
    message_of(lambda t, y, yp: yp + y[y > 0.5].sum(), r"daedal\.where in place of places")
    message_of(lambda t, y, yp: yp + np.where(y > 0.5)[0].size, r"np\.where of a condition alone")
    assert daedal.solve_dae(lambda t, y, yp: yp + needs_numbers(y), (0, 1), [1.0], trace=False).success


def test_what_is_wrong_with_numbers_too_keeps_its_own_message():
    with pytest.raises(ValueError, match="index 7"):
        daedal.solve_dae(lambda t, y, yp: [yp[0] + y[7]], (0, 1), [1.0])
    with pytest.raises(KeyError, match="There is no parameter 'mass'; there are k"):
        daedal.solve_dae(lambda t, y, yp, p: yp + p["mass"] * y, (0, 1), [1.0], parameters={"k": 1.0})


def test_parameters_by_name_in_every_common_form():
    Pair = collections.namedtuple("Pair", "rate offset")
    Record = dataclasses.make_dataclass("Record", [("rate", float), ("offset", float)], frozen=True)
    Lookup = type("Lookup", (), {"keys": lambda self: ["rate", "offset"],
                                 "__getitem__": lambda self, name: {"rate": 2.0, "offset": 0.5}[name]})

    def by_attribute(t, y, yp, p):
        return yp + p.rate * y - p.offset

    def unpacked(t, y, yp, p):
        rate, offset = p
        return yp + rate * y - offset
    for function, parameters in ((by_attribute, Pair(2.0, 0.5)), (unpacked, Pair(2.0, 0.5)),
                                 (by_attribute, Record(2.0, 0.5)), (by_attribute, Lookup()),
                                 (by_attribute, types.SimpleNamespace(rate=2.0, offset=0.5))):
        for trace in (True, False):
            result = daedal.solve_dae(function, (0, 1), [1.0], parameters=parameters, trace=trace, rtol=1e-8)
            # y' = -2 y + 1/2, y(0) = 1
            assert result.y[0, -1] == pytest.approx(0.25 + 0.75 * math.exp(-2.0), abs=1e-6)


class Oscillator:
    """Parameters with a method, a property, a text and an array."""

    title = "oscillator"

    def __init__(self):
        self.mass, self.stiffness, self.label, self.is_damped = 2.0, 8.0, "spring", False
        self.forces = np.array([0.0, 3.0])

    @property
    def frequency(self):
        return math.sqrt(self.stiffness / self.mass)

    def acceleration(self, x):
        return -self.frequency**2 * x + (0.0 if self.is_damped else self.forces[1])


@dataclasses.dataclass(frozen=True)
class FrozenOscillator(Oscillator):
    mass: float = 2.0
    stiffness: float = 8.0
    label: str = "spring"
    is_damped: bool = False
    forces: tuple = (0.0, 3.0)


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("given", [Oscillator(), FrozenOscillator()])
def test_objects_with_methods_are_parameters(given, trace):
    def function(t, y, yp, p):
        return [yp[0] - y[1], yp[1] - p.acceleration(y[0])]
    result = daedal.solve_dae(function, (0, 1), [1.0, 0.0], parameters=given, trace=trace, rtol=1e-8)
    # x'' = -4 x + 3, x(0) = 1: x = 3/4 + 1/4 cos 2t
    assert result.y[0, -1] == pytest.approx(0.75 + 0.25 * math.cos(2.0), abs=1e-6)
    if trace:
        assert result.problem.model.parameters == {"mass": 2.0, "stiffness": 8.0, "forces[0]": 0.0, "forces[1]": 3.0}
        other = result.problem.solve((0, 1), parameters={"mass": 8.0, "forces": [0.0, 0.0]})
        assert other.y[0, -1] == pytest.approx(math.cos(1.0), abs=1e-6)


def test_parameters_may_be_arrays_and_have_parts():
    def function(t, y, yp, p):
        return yp + p["matrix"] @ y - p.drive.level
    given = {"matrix": [[0.0, -1.0], [1.0, 0.0]], "drive": {"level": np.array([1.0])}}
    result = daedal.solve_dae(function, (0, 1), [1.0, 1.0], parameters=given, rtol=1e-8)
    # x' = y + 1, y' = -x + 1: about (1, -1) a circle of radius 2
    assert result.y[:, -1] == pytest.approx([1.0 + 2.0 * math.sin(1.0), -1.0 + 2.0 * math.cos(1.0)], abs=1e-6)
    assert result.problem.model._parameter_order == ["matrix[0,0]", "matrix[0,1]", "matrix[1,0]", "matrix[1,1]",
                                                     "drive.level"]
    still = result.problem.solve((0, 1), parameters={"matrix": np.zeros((2, 2)), "drive.level": 0.5})
    assert still.y[:, -1] == pytest.approx([1.5, 1.5], abs=1e-6)


def test_a_chain_of_links_by_its_mass_matrix():
    # Six links; the same equations without a linear system, which are implicit in yp, are the other computation.
    n = 6
    weight = np.array([[n - max(i, j) for j in range(n)] for i in range(n)], dtype=float)

    def parts(y):
        difference = y[:n, None] - y[None, :n]
        return weight * np.cos(difference), -(weight * np.sin(difference)) @ y[n:]**2 - 9.81 * np.diag(weight) * np.sin(y[:n])

    def solved(t, y, yp):
        mass, force = parts(y)
        return yp - np.concatenate([y[n:], np.linalg.solve(mass, force)])

    def implicit(t, y, yp):
        mass, force = parts(y)
        return np.concatenate([yp[:n] - y[n:], mass @ yp[n:] - force])
    y0 = np.concatenate([np.linspace(0.3, 1.2, n), np.zeros(n)])
    ours, other = (daedal.solve_dae(function, (0, 1), y0, rtol=1e-9) for function in (solved, implicit))
    assert ours.success and not ours.warnings
    assert ours.y[:, -1] == pytest.approx(other.y[:, -1], abs=1e-6)


def test_a_function_that_ends_before_the_run_is_told():
    def limited(t, y, yp):
        if not hasattr(t, "der") and t > 0.5:
            raise ValueError("beyond the table")
        return yp + y
    result = daedal.solve_dae(limited, (0, 1), [1.0])
    assert any("beyond the table" in warning for warning in result.warnings)


def test_names_of_builtins_are_restored_after_tracing():
    own = max
    traced_value(lambda t, y, yp: yp - max(y[0], 0.5))
    assert builtins.max is own and type(max).__name__ == "builtin_function_or_method"
