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
    with pytest.raises(daedal.TraceError, match="The function erf has no symbolic form"):
        daedal.solve_dae(lambda t, y, yp: yp - special.erf(y), (0, 1), [0.0])
