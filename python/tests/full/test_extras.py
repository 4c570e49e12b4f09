# SPDX-License-Identifier: BSD-3-Clause
"""What needs matplotlib and pandas."""
import math

import matplotlib
import numpy as np
import pytest
from systems import pendulum

import daedal

matplotlib.use("Agg")
NAMES = ["x", "h", "vx", "vh", "tension"]


def run(**options):
    return daedal.solve_dae(pendulum, (0, 2), [1, 0, 0, 0, 0], names=NAMES, **options)


def test_a_result_becomes_a_data_frame():
    frame = run(t_eval=np.linspace(0, 2, 5)).to_pandas()
    assert list(frame.columns) == NAMES and frame.index.name == "t" and len(frame) == 5
    assert frame["x"].iloc[0] == 1.0


def test_a_result_is_drawn():
    ax = run().plot(["x", "h"])
    assert [line.get_label() for line in ax.lines] == ["x", "h"]
    assert len(run().plot().lines) == 5
    with pytest.raises(KeyError):
        run().plot(["z"])


def test_a_sweep_becomes_a_data_frame_and_takes_one():
    import pandas

    m = daedal.Model("Decay")
    k, x = m.parameter("k", 1.0), m.variable("x", 1.0, fixed=True)
    m.add(x.der() == -k * x)
    frame = m.prepare(rtol=1e-8).sweep(pandas.DataFrame({"k": [1.0, 2.0]}), (0, 1)).to_pandas()
    assert list(frame.columns) == ["k", "x", "reason"]
    assert frame["x"].tolist() == pytest.approx([math.exp(-1), math.exp(-2)], rel=1e-6)


def test_methods_are_compared():
    m = daedal.Model.from_function(pendulum, [1, 0, 0, 0, 0], names=NAMES)
    table = daedal.compare(m, (0, 2), methods=["orthogonal-projection", "index1", "ggl"], tolerances=[1e-4, 1e-6])
    assert len(table) == 6 and all(row["status"] == "success" for row in table)
    frame = table.to_pandas()
    assert {"method", "error", "drift", "seconds"} <= set(frame.columns)
    # What is projected on the constraints has no drift; index 1 has.
    drift = frame[frame["rtol"] == 1e-6].set_index("method")["drift"]
    assert drift["orthogonal-projection"] < 1e-9 < drift["index1"]
    assert len(table.plot_work_precision().lines) == 3
    assert len(table.plot_drift().lines) == 3
    assert "ggl" in repr(table) and "<table" in table._repr_html_()


def test_a_comparison_with_an_unknown_method_is_refused():
    m = daedal.Model.from_function(pendulum, [1, 0, 0, 0, 0])
    with pytest.raises(daedal.OptionError, match="nonsense"):
        daedal.compare(m, (0, 1), methods=["nonsense"])


def test_functions_of_scipy_special():
    from scipy import special

    # y' = expit(t) has the solution log((1 + e^t)/2).
    result = daedal.solve_dae(lambda t, y, yp: yp - special.expit(t), (0, 2), [0.0], rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(np.log((1 + np.exp(2.0)) / 2), rel=1e-8)
    values = daedal.solve_dae(lambda t, y, yp: y - special.logit(np.array([0.2, 0.7]) + 0 * t) - special.exp10(t),
                              (0, 1), [0.0, 0.0])
    assert values.y[:, -1] == pytest.approx(special.logit([0.2, 0.7]) + 10.0)
    with pytest.raises(daedal.TraceError, match="The function gamma has no symbolic form"):
        daedal.solve_dae(lambda t, y, yp: yp - special.gamma(y), (0, 1), [1.0])


def test_sparse_matrices_of_scipy_multiply_symbols():
    from scipy import sparse

    stencil = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(5, 5))
    rng = np.random.default_rng(3)
    other = sparse.random(5, 5, 0.4, random_state=rng)
    y0 = rng.standard_normal(5)
    dense = stencil.toarray() + other.toarray() + other.toarray().T
    expected = daedal.solve_dae(lambda t, y, yp: yp - dense @ y, (0, 1), y0, rtol=1e-9).y[:, -1]
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.lil_array):
        matrix, second = kind(stencil), kind(other)

        def F(t, y, yp, matrix=matrix, second=second):
            return yp - matrix @ y - second.dot(y) - y @ second
        assert daedal.solve_dae(F, (0, 1), y0, rtol=1e-9).y[:, -1] == pytest.approx(expected, rel=1e-7)
    matrix = sparse.csr_matrix(dense)
    assert daedal.solve_dae(lambda t, y, yp: yp - matrix * y, (0, 1), y0, rtol=1e-9).y[:, -1] == pytest.approx(
        expected, rel=1e-7)
    columns = daedal.solve_dae(lambda t, y, yp: yp - (matrix @ y.reshape(5, 1)).ravel(), (0, 1), y0, rtol=1e-9)
    assert columns.y[:, -1] == pytest.approx(expected, rel=1e-7)
    with pytest.raises(ValueError, match="cannot be multiplied"):
        daedal.solve_dae(lambda t, y, yp: yp - (matrix @ y[:3])[:5], (0, 1), y0)
    assert (matrix @ y0) == pytest.approx(dense @ y0)


def test_splines_of_scipy_are_functions_of_symbols():
    from scipy import interpolate

    points, values = [0.0, 0.3, 0.7, 1.0, 1.6], [0.0, 1.0, -0.5, 2.0, 1.0]
    for spline in (interpolate.CubicSpline(points, values), interpolate.PchipInterpolator(points, values),
                   interpolate.make_interp_spline(points, values), interpolate.BSpline([0, 1, 2, 3], [1.0, 2.0, 0.5], 0)):
        result = daedal.solve_dae(lambda t, y, yp: yp - spline(t), (0, 1.5), [0.0], rtol=1e-9)
        assert result.y[0, -1] == pytest.approx(float(spline.integrate(0.0, 1.5)), abs=1e-7)
    spline = interpolate.CubicSpline(points, values)
    rate = daedal.solve_dae(lambda t, y, yp: yp - spline(np.array([t, 0.5 * t]), 1) * [1.0, 0.5], (0, 1.5), [0.0, 0.0],
                            rtol=1e-9)
    assert rate.y[:, -1] == pytest.approx(spline([1.5, 0.75]) - spline(0.0), abs=1e-7)
    bounded = interpolate.CubicSpline(points, values, extrapolate=False)
    result = daedal.solve_dae(lambda t, y, yp: yp - bounded(t), (0, 1.5), [0.0], rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(float(spline.integrate(0.0, 1.5)), abs=1e-7) and not result.warnings
    beyond = daedal.solve_dae(lambda t, y, yp: yp - bounded(t), (0, 2.0), [0.0])
    assert any("has no value" in warning for warning in beyond.warnings)
    periodic = interpolate.CubicSpline(points, [0.0, 1.0, -0.5, 2.0, 0.0], bc_type="periodic")
    with pytest.raises(daedal.TraceError, match="periodic"):
        daedal.solve_dae(lambda t, y, yp: yp - periodic(t), (0, 1.5), [0.0])


def test_series_of_pandas():
    import pandas

    # y' = -k y
    result = daedal.solve_dae(lambda t, y, yp, p: pandas.Series([yp[0] + p["k"] * y[0]]), (0, 1),
                              pandas.Series([1.0], index=["y"]), parameters=pandas.Series({"k": 2.0}), rtol=1e-9)
    assert result.y[0, -1] == pytest.approx(math.exp(-2.0), rel=1e-7)


POINTS = np.linspace(0.0, 2.0, 9)
VALUES = np.exp(-POINTS) * np.sin(4.0 * POINTS)
ROWS = np.stack([VALUES, np.cos(POINTS), POINTS**2], axis=1)


def _of_scipy():
    """Functions of y (three numbers between the points) and t, which scipy itself has the values of."""
    from scipy import interpolate, linalg, special

    kinds = ("linear", "cubic", "quadratic", "previous", "next", "nearest", "zero", "slinear")
    tables = [interpolate.interp1d(POINTS, VALUES, kind=kind) for kind in kinds]
    filled = interpolate.interp1d(POINTS, VALUES, bounds_error=False, fill_value=(-1.0, 2.0))
    fits = [interpolate.UnivariateSpline(POINTS, VALUES, s=0, ext=ext) for ext in (0, 1, 3)]
    tck = interpolate.splrep(POINTS, VALUES)
    stiffness = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    factors, cholesky = linalg.lu_factor(stiffness), linalg.cho_factor(stiffness)
    return ([lambda t, y, table=table: table(y) + table(t) for table in tables]
            + [lambda t, y, fit=fit: fit(2.0 * y) + fit(t, 1) for fit in fits]
            + [lambda t, y: filled(4.0 * y - 1.5),
               lambda t, y: interpolate.interp1d(POINTS, ROWS, axis=0)(t) * y,
               lambda t, y: interpolate.interp1d(POINTS, ROWS.T)(t) * y,
               lambda t, y: interpolate.CubicSpline(POINTS, ROWS)(t) * y,
               lambda t, y: interpolate.make_interp_spline(POINTS, ROWS)(t) + interpolate.BSpline(*tck)(y, 1),
               lambda t, y: interpolate.Akima1DInterpolator(POINTS, VALUES)(y),
               lambda t, y: interpolate.splev(y, tck) + interpolate.splev(t, tck, der=1),
               lambda t, y: linalg.solve(stiffness, y) + linalg.solve(np.eye(3) * 2, np.ones(3)) * y,
               lambda t, y: linalg.solve(stiffness + np.diag(y), y) + linalg.inv(np.diag(y)) @ y + linalg.norm(y),
               lambda t, y: linalg.lu_solve(factors, y) + linalg.cho_solve(cholesky, y) + linalg.expm(np.eye(3)) @ y,
               lambda t, y: special.logsumexp(y) + special.softmax(y) + special.erf(y) + special.erfc(y)])


@pytest.mark.parametrize("k", range(22))
def test_scipy_is_traced(k):
    from daedal._function import FunctionModel

    function = _of_scipy()[k]
    for y in ([0.31, 0.7, 1.1], [0.26, 1.49, 1.9]):
        model = FunctionModel(lambda t, y, yp: yp - function(t, y), y, t0=0.6)
        value, _ = model.roots.evaluate([0.6], np.array(y), np.zeros(3), model.parameter_values)
        assert value[0] == pytest.approx(-np.asarray(function(0.6, np.array(y))), rel=1e-12, abs=1e-12)


def test_a_table_that_ends_before_the_run_is_told():
    from scipy.interpolate import interp1d

    table = interp1d([0.0, 1.0], [0.0, 1.0])
    inside = daedal.solve_dae(lambda t, y, yp: yp - table(t), (0, 1), [0.0])
    assert inside.y[0, -1] == pytest.approx(0.5, abs=1e-6) and not inside.warnings
    beyond = daedal.solve_dae(lambda t, y, yp: yp - table(t), (0, 2), [0.0])
    assert any("above the interpolation range" in warning for warning in beyond.warnings)


def test_scipy_is_as_before_after_tracing():
    from scipy import interpolate, linalg

    _of_scipy()[0](0.5, np.full(3, 0.5))
    before = linalg.solve, interpolate.splev, interpolate.BSpline.__call__
    daedal.solve_dae(lambda t, y, yp: yp + linalg.solve(np.eye(1), y), (0, 1), [1.0])
    assert (linalg.solve, interpolate.splev, interpolate.BSpline.__call__) == before
    assert interpolate.interp1d(POINTS, VALUES)(0.25) == VALUES[1]
