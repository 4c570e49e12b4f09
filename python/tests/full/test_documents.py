# SPDX-License-Identifier: BSD-3-Clause
"""The guide, the docstrings and the examples do what they say."""
import doctest
import importlib
import pathlib
import pkgutil
import re
import sys

import matplotlib
import numpy as np
import pytest

import daedal

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "python" / "examples"
BLOCK = re.compile(r"^```python([^\n]*)\n(.*?)^```$", re.M | re.S)


def test_every_block_of_the_guide_runs_in_order():
    names = {}
    blocks = BLOCK.findall((ROOT / "docs" / "python.md").read_text())
    assert len(blocks) > 10
    for words, code in blocks:
        file = re.search(r"file=(\S+)", words)
        if file:
            assert code == (ROOT / file[1]).read_text(), f"{file[1]} and the guide differ"
            continue
        raised = re.search(r"raises=(\w+)", words)
        compiled = compile(code, "docs/python.md", "exec")
        if raised:
            with pytest.raises(getattr(daedal, raised[1])):
                exec(compiled, names)
        else:
            exec(compiled, names)


@pytest.mark.parametrize("page", ["README.md", "python/README.md"])
def test_the_readmes_run(page):
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    for _, code in blocks:
        exec(compile(code, page, "exec"), {"daedal": daedal})


@pytest.mark.parametrize("name", ["daedal"] + [f"daedal.{m.name}" for m in pkgutil.iter_modules(daedal.__path__)])
def test_docstrings(name):
    if name.endswith("_core"):
        return
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


def test_everything_public_is_documented():
    for name in daedal.__all__:
        thing = getattr(daedal, name)
        if name != "__version__":
            assert (thing.__doc__ or "").strip(), name


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        sys.modules.pop(name, None)
        return importlib.import_module(name)
    return load


def test_pendulum(example):
    result = example("pendulum").main()
    assert result.success
    # Energy: the tension at the lowest point is three times the weight.
    assert result["tension"].max() == pytest.approx(3 * 9.81, rel=1e-3)


def test_four_bar_with_singular_positions(example):
    result, error = example("four_bar").main()
    assert result.success and error < 1e-4


def test_circuit(example):
    result, ripple = example("circuit").main()
    assert result.success
    # The load empties the capacitor between the peaks: the ripple falls with the capacitance.
    assert np.all(np.diff(ripple) < 0) and ripple[0] > 2 * ripple[-1]


def test_batch_reactor(example):
    analysis, result = example("batch_reactor").main()
    assert analysis.index == 2 and result.success
    profile = 320 + 40 * (1 - np.exp(-result.t / 5))
    assert result["temperature"] == pytest.approx(profile, rel=1e-9)
    # cooling = 80 rate - profile'
    rate = 1e6 * np.exp(-5000 / profile) * result["c"]
    assert result["cooling"] == pytest.approx(80 * rate - 8 * np.exp(-result.t / 5), rel=1e-5, abs=1e-5)


def test_method_comparison(example, tmp_path):
    table = example("method_comparison").main(tmp_path / "comparison.png")
    assert len(table) == 15 and (tmp_path / "comparison.png").stat().st_size > 1000


def test_the_examples_are_all_here():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "pendulum", "four_bar", "circuit", "batch_reactor", "method_comparison"}
