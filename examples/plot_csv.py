#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws columns of a CSV file over its first column as an SVG picture:

    plot_csv.py data.csv picture.svg theta u "title of the picture"

Names of columns come first; a last argument that is no column is the title."""
import csv
import math
import sys

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 130, 40, 45
COLOURS = ["#1b6ca8", "#c8553d", "#4a7c59", "#8a5a9e", "#b08900", "#444444"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = rows[0]
    return names, [[float(field) for field in row] for row in rows[1:]]


def ticks(low, high):
    step = 10.0 ** math.floor(math.log10((high - low) / 4.0))
    for factor in (5.0, 2.0, 1.0):
        if (high - low) / (factor * step) >= 4.0:
            step *= factor
            break
    first = math.ceil(low / step)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def draw(names, rows, columns, title):
    times = [row[0] for row in rows]
    values = [[row[c] for row in rows] for c in columns]
    finite = [v for column in values for v in column if math.isfinite(v)]
    low, high = min(finite), max(finite)
    margin = 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin
    x = lambda t: LEFT + (WIDTH - LEFT - RIGHT) * (t - times[0]) / (times[-1] - times[0])
    y = lambda v: TOP + (HEIGHT - TOP - BOTTOM) * (high - v) / (high - low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="24" font-size="15">{title}</text>']
    for t in ticks(times[0], times[-1]):
        out.append(f'<line x1="{x(t):.1f}" x2="{x(t):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" '
                   'stroke="#dddddd"/>')
        out.append(f'<text x="{x(t):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                   f'{t:g}</text>')
    for v in ticks(low, high):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(v):.1f}" y2="{y(v):.1f}" '
                   'stroke="#dddddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(v) + 4:.1f}" text-anchor="end">{v:g}</text>')
    for number, column in enumerate(values):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{x(t):.2f},{y(v):.2f}" for t, v in zip(times, column)
                          if math.isfinite(v))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        height = TOP + 10 + 20 * number
        out.append(f'<line x1="{WIDTH - RIGHT + 12}" x2="{WIDTH - RIGHT + 34}" y1="{height}" '
                   f'y2="{height}" stroke="{colour}" stroke-width="3"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 40}" y="{height + 4}">{names[columns[number]]}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" '
               f'text-anchor="middle">{names[0]}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    names, rows = read(arguments[0])
    wanted = arguments[2:]
    title = wanted.pop() if wanted[-1] not in names else ""
    missing = [name for name in wanted if name not in names]
    if missing or not wanted:
        sys.exit(f"no column {', '.join(missing) or 'given'}; there are {', '.join(names)}")
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(draw(names, rows, [names.index(name) for name in wanted], title))


main(sys.argv[1:])
