# SPDX-License-Identifier: BSD-3-Clause
"""A bar for long runs: tqdm where it is installed, a line of text elsewhere."""
from __future__ import annotations

import contextlib
import sys
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


@contextlib.contextmanager
def ticking(progress: bool | Callable[[float], Any]) -> Iterator[Any]:
    """What the C++ side calls a few times a second, or None.

    ``progress`` may be a function of the fraction that is done, in place of True.
    """
    if not progress:
        yield None
        return
    if callable(progress):
        yield lambda fraction, time, steps: progress(fraction)
        return
    bar: Any
    try:
        from tqdm.auto import tqdm
        bar = _TqdmBar(tqdm)
    except ImportError:
        bar = _TextBar()
    try:
        yield lambda fraction, time, steps: bar.show(fraction)
        bar.show(1.0)
    finally:
        bar.close()
