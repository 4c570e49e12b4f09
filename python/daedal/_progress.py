# SPDX-License-Identifier: BSD-3-Clause
"""A bar for long runs: tqdm where it is installed, a line of text elsewhere."""
from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any, Callable, Iterator


class _TextBar:
    width = 40

    def __init__(self) -> None:
        self.shown = False

    def show(self, fraction: float) -> None:
        done = round(self.width * min(max(fraction, 0.0), 1.0))
        bar = "#" * done + "." * (self.width - done)
        print(f"\r[{bar}] {100 * fraction:5.1f} %", end="", file=sys.stderr, flush=True)
        self.shown = True

    def close(self) -> None:
        if self.shown:
            print(file=sys.stderr, flush=True)


class _TqdmBar:
    def __init__(self, tqdm: Any) -> None:
        self.bar = tqdm(total=100.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}", leave=True)

    def show(self, fraction: float) -> None:
        self.bar.n = 100.0 * fraction
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class Ticker:
    """What the C++ side calls a few times a second; fractions never go back."""

    def __init__(self, show: Callable[[float], Any]) -> None:
        self._show = show
        self._fraction = 0.0

    def __call__(self, fraction: float, time: float = 0.0, steps: int = 0) -> None:
        self._fraction = min(max(self._fraction, fraction), 1.0)
        self._show(self._fraction)


def fraction_reached(solution: Any, span: tuple[float, float]) -> float:
    """How far a run came."""
    if not len(solution.times):
        return 0.0
    return float((solution.times[-1] - span[0]) / (span[1] - span[0]))


@contextlib.contextmanager
def ticking(progress: bool | Callable[[float], Any]) -> Iterator[Ticker | None]:
    """What shows the progress of a run, or None.

    ``progress`` may be a function of the fraction that is done, in place of True.
    """
    if callable(progress):
        yield Ticker(progress)
        return
    if progress not in (True, False):
        raise TypeError(f"progress must be True, False or a function of the fraction that is done, not {progress!r}.")
    if not progress:
        yield None
        return
    bar: Any
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
            from tqdm.auto import tqdm
        bar = _TqdmBar(tqdm)
    except ImportError:
        bar = _TextBar()
    try:
        yield Ticker(bar.show)
    finally:
        bar.close()
