# SPDX-License-Identifier: BSD-3-Clause
"""Events in the manner of scipy: functions of time and values that become zero."""
from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from ._function import FunctionModel, require_callable

#: Looks for sign changes inside a step at this many places at first: two crossings in one step are not missed.
_LOOKS_PER_STEP = 5
#: At most so many places altogether, where an event function turns more often than the solution.
_MOST_LOOKS = 1 << 17


class EventPlan:
    """The events of a run: terminal ones end it, all are located in the dense output afterwards."""

    def __init__(self, events: Any) -> None:
        if events is None:
            events = ()
        elif callable(events):
            events = (events,)
        if not np.iterable(events):
            raise TypeError(f"events must be a function or a list of functions, not {type(events).__name__}.")
        self.functions: list[Callable[..., Any]] = list(events)
        self.given = bool(self.functions)
        for event in self.functions:
            require_callable(event, "An event")
        self.directions = [_direction(event) for event in self.functions]
        self.occurrences = [_occurrences(event) for event in self.functions]
        self.symbols: list[Any] = []

    @property
    def terminal(self) -> list[int]:
        return [i for i, count in enumerate(self.occurrences) if count > 0]

    def add_terminal(self, traced: FunctionModel) -> None:
        """Traces the events, and states those that end the run in the model."""
        self.symbols = [traced.trace_event(event) for event in self.functions]
        for i in self.terminal:
            self._state(traced.draft, i)

    def _state(self, draft: Any, i: int) -> None:
        """Ends the run at the last of the occurrences of event i, whichever way they cross."""
        g, wanted = self.symbols[i], self.occurrences[i]
        signs = [sign for sign in (1.0, -1.0) if sign * self.directions[i] >= 0.0]
        counts = [draft.discrete(f"event {i} count {k}", 0.0, fixed=True) for k in range(len(signs))]
        happened = sum((count.pre() for count in counts), 1.0)
        for sign, count in zip(signs, counts):
            draft.when(g > 0.0 if sign > 0.0 else g < 0.0,
                       [("set", count, count.pre() + 1.0),
                        ("terminate", happened >= wanted, terminal_message(i))], None)

    def locate(self, traced: FunctionModel, result: Any, parameters: Mapping[str, float]) -> None:
        """Fills t_events and y_events of a run with these values of parameters; the others are as they were."""
        if not self.given:
            return
        roots = traced.draft.roots(self.symbols)
        used = np.array([parameters.get(name, value) for name, value in
                         zip(traced.parameter_names, traced.parameter_values)], dtype=float)

        def values(times: Any) -> Any:
            y, yp = result._solution.at(times), result._solution.derivative(times)
            return roots.evaluate(times, y, yp, used)[0]

        self.fill(result, values)

    def fill(self, result: Any, values: Callable[[Any], Any]) -> None:
        """By values(times), an array with a row per time and a column per event."""
        if not self.given:
            return
        found = [np.empty(0)] * len(self.functions)
        if result.sol is not None:
            found = _crossings(result._solution.times, values, self.directions)
        for i in self.terminal:
            wanted = self.occurrences[i]
            if result.status == 1 and terminal_message(i) in result.message:
                # The run ends at the last of them, located by the integrator itself.
                found[i] = np.append(found[i][:wanted - 1], result._solution.times[-1])
            elif result.status == 0 and len(found[i]) >= wanted:
                # It fell on the end of the interval, which the run reached.
                result.status, result.reason, result.message = 1, "event-stop", terminal_message(i)
        result.t_events = found
        result.y_events = [result.sol(times).T if result.sol is not None and times.size else
                           np.empty((0, len(result.names))) for times in found]


def terminal_message(i: int) -> str:
    return f"The terminal event {i} occurred."


def _occurrences(event: Any) -> int:
    """After how many of them the run ends; 0: never."""
    terminal = getattr(event, "terminal", False)
    if terminal is None or isinstance(terminal, (bool, np.bool_)):
        return int(bool(terminal))
    if isinstance(terminal, (int, np.integer)) and terminal > 0:
        return int(terminal)
    raise ValueError(f"The attribute terminal of an event must be True, False or a positive whole number, "
                     f"not {terminal!r}.")


def _direction(event: Any) -> float:
    given = getattr(event, "direction", 0)
    try:
        direction = float(0.0 if given is None else given)
    except (TypeError, ValueError):
        direction = np.nan
    if np.isnan(direction):
        raise ValueError(f"The attribute direction of an event must be a number, not {given!r}: positive for "
                         "rising, negative for falling, 0 for both.")
    return direction


def _looked_at(steps: Any, values: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Times and values of the functions there, close enough that looking closer shows no other changes of sign."""
    looks, seen = _LOOKS_PER_STEP, [-2, -1]
    while True:
        inner = np.linspace(0.0, 1.0, looks + 1)[:-1]
        times = np.append((steps[:-1, None] + np.diff(steps)[:, None] * inner).reshape(-1), steps[-1])
        g = values(times)
        before, after = g[:-1], g[1:]
        seen.append(int(np.count_nonzero((before < 0.0) & (after >= 0.0) | (before > 0.0) & (after <= 0.0))))
        # Twice the same by chance is possible where the function oscillates; three times is not.
        if seen[-1] == seen[-2] == seen[-3] or 2 * looks * len(steps) > _MOST_LOOKS:
            return times, g
        looks = 2 * looks + 1


def _crossings(steps: Any, values: Callable[[Any], Any], directions: list[float]) -> list[Any]:
    """Times at which each function changes its sign."""
    steps = np.unique(steps) if steps[-1] >= steps[0] else np.unique(steps)[::-1]
    if len(steps) < 2:
        return [np.empty(0) for _ in directions]
    times, g = _looked_at(steps, values)
    found = []
    for i, direction in enumerate(directions):
        before, after = g[:-1, i], g[1:, i]
        rises = (before <= 0.0) & (after > 0.0) & (direction >= 0.0)
        falls = (before >= 0.0) & (after < 0.0) & (direction <= 0.0)
        # A zero at the end of the run counts: what ends there ends because of it.
        touches = (np.arange(len(before)) == len(before) - 1) & (after == 0.0) & (before != 0.0)
        touches &= (before < 0.0) & (direction >= 0.0) | (before > 0.0) & (direction <= 0.0)
        places = np.flatnonzero(rises | falls | touches)
        found.append(np.array([_zero(lambda t: float(values(np.array([t]))[0, i]), times[k], times[k + 1])
                               for k in places]))
    return found


def _zero(g: Callable[[float], float], a: float, b: float) -> float:
    """The zero of g between a and b, by bisection with the secant (Illinois)."""
    ga, gb = g(a), g(b)
    if gb == 0.0:
        return b
    if ga == 0.0:
        return _last_zero(g, a, b)
    for _ in range(200):
        c = b - gb * (b - a) / (gb - ga)
        if not min(a, b) < c < max(a, b):
            c = 0.5 * (a + b)
        gc = g(c)
        if gc == 0.0 or abs(b - a) <= 4e-16 * max(abs(a), abs(b)):
            return c
        if (gc > 0.0) == (gb > 0.0):
            ga *= 0.5
        else:
            a, ga = b, gb
        b, gb = c, gc
    return b


def _last_zero(g: Callable[[float], float], a: float, b: float) -> float:
    """Where a function that is zero at a, and perhaps for a while, leaves it before b."""
    enough = 1e-16 * abs(b - a)
    while True:
        c = 0.5 * (a + b)
        if abs(b - a) <= enough or not min(a, b) < c < max(a, b):
            return a
        if g(c) == 0.0:
            a = c
        else:
            b = c
