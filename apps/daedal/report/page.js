// SPDX-License-Identifier: BSD-3-Clause
// The report of a run. All that it shows is in the element "data"; nothing is fetched. Names and
// texts of the model reach the page as text nodes only.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
// Okabe and Ito's colours, which people with colour-blindness can tell apart, and two more; those that are too light for
// a contrast of 3 to a white page are darker here, and all have it on a dark page too.
const palette = ["#0072b2", "#d55e00", "#009e73", "#c26b9b", "#b98000", "#3c93c9", "#7d7f85", "#8a6bd1"];
const charts = [];

// ---- small things -------------------------------------------------------------------------

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

function card(title, id, ...children) {
  const section = element("section", {class: "card", id, "aria-label": title}, element("h2", {}, title), ...children);
  main.append(section);
  return section;
}

function short(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (value === 0 || Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(6))) : value.toExponential(3).replace(/\.?0+e/, "e");
}

// Measured times are known to few digits.
function brief(value) { return short(Number(value.toPrecision(3))); }

function plural(n, one, many) { return `${n.toLocaleString("en")} ${n === 1 ? one : many || one + "s"}`; }

function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function table(head, rows, numbers) {
  const cell = (tag, text, i) => element(tag, {class: numbers && numbers.includes(i) ? "number" : undefined}, text);
  return element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, head.map((text, i) => cell("th", text, i)))),
    element("tbody", {}, rows.map(row => element("tr", {}, row.map((text, i) => cell("td", text, i)))))));
}

function facts(list) {
  return element("dl", {class: "facts"}, list.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

// Words, none of which a line break divides.
function whole(...words) { return words.filter(Boolean).flatMap((word, i) => [i ? " " : "", element("span", {class: "whole"}, word)]); }

// ---- series -------------------------------------------------------------------------------

// A column is kept whole, or thinned to the places `i` of its least and greatest values.
function series(run, index) {
  const column = run.series[index];
  if (Array.isArray(column)) return {t: run.time, v: column};
  return {t: column.i.map(i => run.time[i]), v: column.v};
}

function find(run, name) { return run.variables.findIndex(variable => variable.name === name); }

// The place of t in an ascending or descending list: the last one not past it.
function place(times, t) {
  const sign = times.length > 1 && times[times.length - 1] < times[0] ? -1 : 1;
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sign * times[middle] <= sign * t) low = middle; else high = middle - 1;
  }
  return low;
}

function at({t: times, v: values}, t) {
  const i = place(times, t), j = Math.min(i + 1, times.length - 1);
  if (i === j || times[j] === times[i]) return values[i];
  const share = Math.min(1, Math.max(0, (t - times[i]) / (times[j] - times[i])));
  return values[i] === null || values[j] === null ? null : values[i] + share * (values[j] - values[i]);
}

// ---- plots --------------------------------------------------------------------------------

const eventMarks = {
  id: "eventMarks",
  beforeDatasetsDraw(chart) {
    const times = chart.options.eventTimes;
    if (!times || times.length === 0) return;
    const {ctx, chartArea, scales} = chart;
    ctx.save();
    ctx.strokeStyle = colour("--muted");
    ctx.globalAlpha = .6;
    ctx.setLineDash([3, 4]);
    ctx.beginPath();
    for (const t of times) {
      const x = scales.x.getPixelForValue(t);
      if (x < chartArea.left || x > chartArea.right) continue;
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
    }
    ctx.stroke();
    ctx.restore();
  },
};

function axis(title, type, zoomed) {
  return {
    type: type || "linear", min: zoomed && zoomed.min, max: zoomed && zoomed.max,
    title: {display: true, text: title, color: colour("--ink")},
    ticks: {color: colour("--muted"), maxRotation: 0, autoSkip: true, callback(value) {
      if (type !== "logarithmic") return short(value);
      // Decades; where there are few of them also twos and fives.
      const leading = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
      const few = Math.log10(this.max / this.min) < 3;
      return leading === 1 || few && (leading === 2 || leading === 5) ? short(Number(value.toPrecision(3))) : null;
    }},
    grid: {color: colour("--grid")},
  };
}

// A chart that zooms: drag a rectangle, turn the wheel, double-click to see all; with the keyboard
// +, -, 0 and the arrows.
class Plot {
  constructor(parent, label, small) {
    this.box = element("div", {class: small ? "canvas small" : "canvas"});
    this.canvas = element("canvas", {tabindex: "0", role: "img", "aria-label": label});
    this.box.append(this.canvas);
    parent.append(this.box);
    this.zoom = null;
    this.content = null;
    this.listen();
    charts.push(this);
  }

  // content: {x: {title, log}, y: {title, log}, lines: [{label, points, colour, dashed, dots}], events}
  show(content) {
    this.content = content;
    const datasets = content.lines.map((line, i) => ({
      label: line.label, data: line.points, borderColor: line.colour || palette[i % palette.length],
      backgroundColor: line.colour || palette[i % palette.length], borderWidth: 1.8,
      borderDash: line.dashed ? [6, 4] : undefined, showLine: line.line !== false,
      pointRadius: line.dots ? 4 : 0, pointHitRadius: 6, stepped: line.stepped || false,
    }));
    const zoom = this.zoom || {};
    // Chart.js takes points that it need not parse for sorted ones, whose range their ends tell.
    const isSorted = content.lines.every(line => line.points.every((p, i) => i === 0 || p.x >= line.points[i - 1].x));
    const options = {
      animation: false, maintainAspectRatio: false, ...(isSorted ? {parsing: false, normalized: true} : {}),
      interaction: {mode: "nearest", axis: "x", intersect: false},
      eventTimes: content.events,
      scales: {x: axis(content.x.title, content.x.log ? "logarithmic" : "linear", zoom.x),
               y: axis(content.y.title, content.y.log ? "logarithmic" : "linear", zoom.y)},
      plugins: {
        legend: {labels: {color: colour("--ink"), boxHeight: 2}},
        tooltip: {callbacks: {
          title: items => items.length ? `${content.x.title} = ${short(items[0].parsed.x)}` : "",
          label: item => `${item.dataset.label}: ${short(item.parsed.y)}`}},
      },
    };
    if (this.chart) this.chart.destroy();
    this.chart = new Chart(this.canvas, {type: "scatter", data: {datasets}, options, plugins: [eventMarks]});
  }

  redraw() { if (this.content) this.show(this.content); }

  reset() { this.zoom = null; this.redraw(); }

  range() {
    const {x, y} = this.chart.scales;
    return {x: {min: x.min, max: x.max}, y: {min: y.min, max: y.max}};
  }

  // By a factor about a point of the canvas; logarithmic axes zoom in decades.
  zoomBy(factor, px, py) {
    const zoom = {};
    for (const [name, pixel] of [["x", px], ["y", py]]) {
      const scale = this.chart.scales[name], log = scale.type === "logarithmic";
      const to = log ? Math.log10 : v => v, from = log ? v => 10 ** v : v => v;
      const centre = to(scale.getValueForPixel(pixel)), low = to(scale.min), high = to(scale.max);
      zoom[name] = {min: from(centre + (low - centre) * factor), max: from(centre + (high - centre) * factor)};
    }
    this.zoom = zoom;
    this.redraw();
  }

  pan(dx, dy) {
    const {chartArea, scales} = this.chart, zoom = {};
    for (const [name, share, span] of [["x", dx, chartArea.width], ["y", dy, chartArea.height]]) {
      const scale = scales[name], shift = (name === "y" ? -1 : 1) * share * span;
      const first = name === "y" ? chartArea.bottom : chartArea.left, last = name === "y" ? chartArea.top : chartArea.right;
      zoom[name] = {min: scale.getValueForPixel(first + shift), max: scale.getValueForPixel(last + shift)};
    }
    this.zoom = zoom;
    this.redraw();
  }

  listen() {
    let start = null, rectangle = null;
    const local = event => {
      const bounds = this.canvas.getBoundingClientRect();
      return {x: event.clientX - bounds.left, y: event.clientY - bounds.top};
    };
    this.canvas.addEventListener("pointerdown", event => {
      if (event.button !== 0 || !this.chart) return;
      start = local(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", event => {
      if (!start) return;
      const end = local(event);
      if (!rectangle) this.box.append(rectangle = element("div", {class: "selection"}));
      Object.assign(rectangle.style, {
        left: `${Math.min(start.x, end.x)}px`, top: `${Math.min(start.y, end.y)}px`,
        width: `${Math.abs(start.x - end.x)}px`, height: `${Math.abs(start.y - end.y)}px`});
    });
    const finish = event => {
      if (!start) return;
      const end = local(event), begin = start;
      start = null;
      if (rectangle) rectangle.remove();
      rectangle = null;
      if (Math.abs(begin.x - end.x) < 8 || Math.abs(begin.y - end.y) < 8) return;
      const {x, y} = this.chart.scales;
      this.zoom = {
        x: {min: x.getValueForPixel(Math.min(begin.x, end.x)), max: x.getValueForPixel(Math.max(begin.x, end.x))},
        y: {min: y.getValueForPixel(Math.max(begin.y, end.y)), max: y.getValueForPixel(Math.min(begin.y, end.y))}};
      this.redraw();
    };
    this.canvas.addEventListener("pointerup", finish);
    this.canvas.addEventListener("pointercancel", () => { start = null; if (rectangle) rectangle.remove(); rectangle = null; });
    this.canvas.addEventListener("wheel", event => {
      if (!this.chart) return;
      event.preventDefault();
      const p = local(event);
      this.zoomBy(event.deltaY > 0 ? 1.2 : 1 / 1.2, p.x, p.y);
    }, {passive: false});
    this.canvas.addEventListener("dblclick", () => this.reset());
    this.canvas.addEventListener("keydown", event => {
      if (!this.chart) return;
      const {left, right, top, bottom} = this.chart.chartArea, x = (left + right) / 2, y = (top + bottom) / 2;
      const action = {
        "+": () => this.zoomBy(1 / 1.5, x, y), "=": () => this.zoomBy(1 / 1.5, x, y), "-": () => this.zoomBy(1.5, x, y),
        "0": () => this.reset(), ArrowLeft: () => this.pan(-.1, 0), ArrowRight: () => this.pan(.1, 0),
        ArrowUp: () => this.pan(0, -.1), ArrowDown: () => this.pan(0, .1)}[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }
}

function unitOf(variable) { return variable.unit ? ` [${variable.unit}]` : ""; }

// ---- plots of a run -----------------------------------------------------------------------

function plotsOf(run) {
  if (!run.variables || run.variables.length === 0 || run.time.length < 2) return;
  const chosen = new Set(run.chosen || [0]);
  const state = {x: -1, logX: false, logY: false, other: null};
  const list = element("ul", {"aria-label": "Variables"});
  const search = element("input", {type: "search", placeholder: "Find a variable", "aria-label": "Find a variable"});
  const axisChoice = element("select", {"aria-label": "Horizontal axis"}, element("option", {value: "-1"}, "over time"),
    run.variables.map((variable, i) => element("option", {value: i}, `over ${variable.name}`)));
  const toggle = (text, key) => element("button", {type: "button", "aria-pressed": "false", onclick: event => {
    state[key] = !state[key];
    event.currentTarget.setAttribute("aria-pressed", String(state[key]));
    draw(true);
  }}, text);
  const logX = toggle("log x", "logX"), logY = toggle("log y", "logY");
  const other = element("input", {type: "file", accept: ".html", "aria-label": "Compare with another report", onchange: async event => {
    const file = event.target.files[0];
    if (!file) return;
    const found = new DOMParser().parseFromString(await file.text(), "text/html").getElementById("data");
    try {
      state.other = JSON.parse(found.textContent);
      said.textContent = `Dashed: ${state.other.title} from ${file.name}`;
    } catch { said.textContent = `${file.name} is not a report of a run.`; }
    draw(false);
  }});
  const said = element("span", {class: "muted", role: "status"});
  const area = element("div", {});
  const whole = element("button", {type: "button", onclick: () => plot.reset()}, "Show all");
  const section = card("Plots", "plots",
    element("div", {class: "plot"},
      element("div", {class: "picker"}, search, list),
      element("div", {},
        element("div", {class: "controls"}, axisChoice, logX, logY, whole,
          element("label", {class: "muted"}, "compare with ", other), said),
        area,
        element("p", {class: "muted hint"}, "Drag to zoom, wheel or + and − to zoom in and out, arrows to move, double-click or 0 to see all."))));
  const plot = new Plot(area, "Plot of the chosen variables");
  section.plot = plot;

  function listVariables() {
    const wanted = search.value.toLowerCase();
    const matches = run.variables.map((variable, i) => ({variable, i}))
      .filter(({variable}) => variable.name.toLowerCase().includes(wanted)).slice(0, 400);
    list.replaceChildren(...matches.map(({variable, i}) => element("li", {}, element("label", {title: variable.description || undefined},
      element("input", {type: "checkbox", checked: chosen.has(i), onchange: event => {
        if (event.target.checked) chosen.add(i); else chosen.delete(i);
        draw(true);
      }}),
      element("span", {}, variable.name, " ", element("span", {class: "unit"}, variable.unit || ""))))));
  }

  function linesOf(from, dashed) {
    const x = state.x < 0 ? null : find(from, run.variables[state.x].name);
    if (x !== null && x < 0) return [];
    return [...chosen].map((i, k) => {
      const j = from === run ? i : find(from, run.variables[i].name);
      if (j < 0) return null;
      const y = series(from, j), across = x === null ? null : series(from, x);
      const points = y.t.map((t, n) => ({x: across ? at(across, t) : t, y: y.v[n]}))
        .map(p => p.x === null || p.y === null || state.logX && p.x <= 0 || state.logY && p.y <= 0 ? {x: NaN, y: NaN} : p);
      return {label: run.variables[i].name + (dashed ? ` (${from.title})` : ""), points, dashed,
              colour: palette[k % palette.length], stepped: run.variables[i].discrete ? "before" : false};
    }).filter(line => line);
  }

  function draw(anew) {
    if (anew) plot.zoom = null;
    const picked = [...chosen].map(i => run.variables[i]);
    const units = new Set(picked.map(unitOf));
    const x = state.x < 0 ? "time" + (run.timeUnit || " [s]") : run.variables[state.x].name + unitOf(run.variables[state.x]);
    plot.show({
      x: {title: x, log: state.logX},
      y: {title: picked.length === 1 ? picked[0].name + unitOf(picked[0]) : units.size === 1 ? [...units][0] : "", log: state.logY},
      lines: [...linesOf(run, false), ...(state.other ? linesOf(state.other, true) : [])],
      events: state.x < 0 ? (run.run.events || []).map(event => event.time) : []});
  }

  search.addEventListener("input", listVariables);
  axisChoice.addEventListener("change", () => { state.x = Number(axisChoice.value); draw(true); });
  listVariables();
  draw(true);
  if (run.left_out > 0) {
    section.append(element("p", {class: "muted"}, `${plural(run.left_out, "variable")} more: choose with --variables.`));
  }
}

// ---- animation ----------------------------------------------------------------------------

// Expressions of the shapes: numbers, names of variables and parameters, + - * / ^, sin, cos, tan,
// sqrt, abs, exp. Returns a function of time.
function expression(text, run) {
  const tokens = text.match(/\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|'[^']*'|[A-Za-z_][\w.]*(?:\[[\d, ]+\])?|[-+*/^()]/g) || [];
  let position = 0;
  const functions = {sin: Math.sin, cos: Math.cos, tan: Math.tan, sqrt: Math.sqrt, abs: Math.abs, exp: Math.exp};
  const fail = () => { throw new Error(`'${text}' cannot be read as an expression.`); };
  function primary() {
    const token = tokens[position++];
    if (token === undefined) fail();
    if (token === "(") { const inner = sum(); if (tokens[position++] !== ")") fail(); return inner; }
    if (token === "-") { const inner = power(); return t => -inner(t); }
    if (token === "+") return power();
    if (/^[\d.]/.test(token)) { const value = Number(token); return () => value; }
    if (functions[token] && tokens[position] === "(") {
      position++;
      const inner = sum(), f = functions[token];
      if (tokens[position++] !== ")") fail();
      return t => f(inner(t));
    }
    if (token === "time") return t => t;
    const name = token.replace(/^'(.*)'$/, "$1");  // quotes are no part of a name
    const column = find(run, name);
    if (column >= 0) { const s = series(run, column); return t => at(s, t); }
    if (run.parameters && Object.hasOwn(run.parameters, name)) { const value = run.parameters[name]; return () => value; }
    throw new Error(`'${name}' is neither a variable nor a parameter of the run.`);
  }
  function power() {
    const base = primary();
    if (tokens[position] !== "^") return base;
    position++;
    const exponent = power();
    return t => base(t) ** exponent(t);
  }
  function product() {
    let left = power();
    while (tokens[position] === "*" || tokens[position] === "/") {
      const operator = tokens[position++], a = left, b = power();
      left = operator === "*" ? t => a(t) * b(t) : t => a(t) / b(t);
    }
    return left;
  }
  function sum() {
    let left = product();
    while (tokens[position] === "+" || tokens[position] === "-") {
      const operator = tokens[position++], a = left, b = product();
      left = operator === "+" ? t => a(t) + b(t) : t => a(t) - b(t);
    }
    return left;
  }
  const result = sum();
  if (position !== tokens.length || tokens.join("") !== text.replace(/\s+(?=[^']*(?:'[^']*'[^']*)*$)/g, "")) fail();
  return result;
}

// Splits at a separator outside brackets and quotes.
function split(text, separator) {
  const parts = [];
  let depth = 0, quoted = false, part = "";
  for (const c of text) {
    if (c === "'") quoted = !quoted;
    if (!quoted && (c === "(" || c === "[")) depth++;
    if (!quoted && (c === ")" || c === "]")) depth--;
    if (c === separator && depth === 0 && !quoted) { parts.push(part.trim()); part = ""; } else part += c;
  }
  if (part.trim()) parts.push(part.trim());
  return parts;
}

// "rod(0,0; x,y) point(x,y) trace(x,y)": shapes with the points that they join.
function shapesFromText(text, run) {
  const shapes = [];
  let rest = text.trim();
  while (rest) {
    const head = rest.match(/^[\s,;]*(rod|point|trace|body)\s*\(/);
    if (!head) throw new Error(`Expected rod(...), point(...), body(...) or trace(...) at '${rest.slice(0, 30)}'.`);
    let depth = 1, end = head[0].length;
    while (end < rest.length && depth > 0) { if (rest[end] === "(") depth++; if (rest[end] === ")") depth--; end++; }
    const inner = rest.slice(head[0].length, end - 1);
    shapes.push({kind: head[1], points: split(inner, ";").map(point => split(point, ",").map(part => expression(part, run)))});
    rest = rest.slice(end).trim();
  }
  return shapes;
}

// Positions are recognised by their names: x and y with the same words around them, and the frames
// of multibody models, whose positions are NAME.r_0[1..3].
function positionsByName(run) {
  const groups = new Map();
  run.variables.forEach((variable, i) => {
    const frame = variable.name.match(/^(.*)\.r_0\[([123])\]$/);
    const plain = variable.name.match(/^((?:.*[^A-Za-z])?(?:[p-r]_?)?)([xyz])((?:[^A-Za-z].*|\d.*|_.*|[A-Z].*)?)$/);
    const match = frame ? {key: `frame ${frame[1]}`, axis: Number(frame[2]) - 1, name: frame[1]}
      : plain ? {key: `${plain[1]}|${plain[3]}`, axis: "xyz".indexOf(plain[2]), name: plain[1] + plain[3]} : null;
    if (!match || variable.discrete) return;
    const group = groups.get(match.key) || {name: match.name, columns: []};
    group.columns[match.axis] = i;
    groups.set(match.key, group);
  });
  return [...groups.values()].filter(group => group.columns[0] !== undefined && group.columns[1] !== undefined);
}

// Rods are where the numbers say so: two positions, or a position and the origin, that keep their
// distance while one of them moves.
function shapesFromNumbers(run) {
  const named = positionsByName(run);
  const samples = 40, first = run.time[0], last = run.time[run.time.length - 1];
  const times = Array.from({length: samples + 1}, (_, k) => first + (last - first) * k / samples);
  const points = [];
  for (const group of named) {
    const f = group.columns.map(column => { const s = series(run, column); return t => at(s, t); });
    const path = times.map(t => f.map(g => g(t)));
    if (path.some(p => p.some(v => v === null || !Number.isFinite(v)))) continue;
    if (points.some(other => other.path.every((p, k) => p.every((v, d) => Math.abs(v - path[k][d]) < 1e-9 * (1 + Math.abs(v)))))) continue;
    points.push({name: group.name, f, path});
    if (points.length === 40) break;
  }
  const moves = p => p.path.some(q => q.some((v, d) => Math.abs(v - p.path[0][d]) > 1e-9));
  if (!points.some(moves)) return [];
  const dimension = Math.max(...points.map(p => p.f.length));
  const zero = () => 0;
  const origin = {f: Array(dimension).fill(zero), path: times.map(() => Array(dimension).fill(0))};
  const shapes = [];
  const link = (a, b) => {
    const lengths = a.path.map((p, k) => Math.hypot(...p.map((v, d) => v - (b.path[k][d] || 0))));
    const low = Math.min(...lengths), high = Math.max(...lengths);
    if (high - low < 2e-3 * high && low > 0 && (moves(a) || moves(b))) shapes.push({kind: "rod", points: [a.f, b.f]});
  };
  points.forEach((p, i) => {
    for (const q of points.slice(0, i)) link(q, p);
    if (points.length <= 12) link(origin, p);
    shapes.push({kind: "body", points: [p.f]});
    if (moves(p)) shapes.push({kind: "trace", points: [p.f]});
  });
  return shapes;
}

function animate(run) {
  if (!run.time || run.time.length < 3) return;
  let shapes = [], trouble = "";
  try {
    shapes = run.animation ? shapesFromText(run.animation, run) : shapesFromNumbers(run);
  } catch (error) { trouble = error.message; }
  if (shapes.length === 0 && !trouble) return;
  const stage = element("canvas", {class: "stage", tabindex: "0", role: "img", "aria-label": "Animation of the mechanism"});
  const clock = element("output", {class: "muted"});
  const first = run.time[0], last = run.time[run.time.length - 1];
  const slider = element("input", {type: "range", min: 0, max: 1000, value: 0, step: 1, "aria-label": "Time"});
  const play = element("button", {type: "button", "aria-pressed": "false"}, "▶ Play");
  const speed = element("select", {"aria-label": "Speed"}, [["0.1", "¹⁄₁₀ speed"], ["0.5", "half speed"], ["1", "whole run in 10 s"], ["2", "double speed"], ["5", "5 × speed"]]
    .map(([value, text]) => element("option", {value, selected: value === "1"}, text)));
  const section = card("Animation", "animation", element("div", {class: "controls"}, play, speed, slider, clock), stage,
    trouble ? element("p", {class: "bad"}, trouble) : null);
  const spatial = shapes.some(shape => shape.points.some(point => point.length === 3));
  section.append(element("p", {class: "muted"}, run.animation ? "The shapes are those of the model or of --animate." :
    "Positions were recognised by their names, rods by distances that stay the same; --animate shows other shapes.",
    spatial ? " Drag or use the arrows to turn." : ""));
  let now = first, running = false, before = 0, turn = {yaw: .6, pitch: .35};

  const flat = p => {
    if (!spatial) return [p[0], p[1]];
    const [x, y, z = 0] = p, cy = Math.cos(turn.yaw), sy = Math.sin(turn.yaw), cp = Math.cos(turn.pitch), sp = Math.sin(turn.pitch);
    return [cy * x + sy * z, cp * y - sp * (cy * z - sy * x)];
  };
  const paths = shapes.map(shape => shape.points.map(point => {
    const n = 400, path = [];
    for (let k = 0; k <= n; ++k) path.push(point.map(f => f(first + (last - first) * k / n)));
    return path;
  }));

  // Squares on the plane y = 0 below all that moves, some eight of them side by side.
  const ground = [0, 2].map(axis => paths.flat(2).map(p => p[axis] || 0).filter(Number.isFinite).reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]));
  const widest = Math.max(...ground.map(([low, high]) => high - low)) || 1, decade = 10 ** Math.floor(Math.log10(widest / 8));
  const square = [1, 2, 5, 10].map(k => k * decade).find(side => widest / side <= 8);
  const [[x0, x1], [z0, z1]] = ground.map(([low, high]) => [Math.floor(low / square) - 1, Math.ceil(high / square) + 1]);
  const corners = spatial ? [[x0, z0], [x0, z1], [x1, z0], [x1, z1]].map(([x, z]) => [x * square, 0, z * square]) : [];
  function floor(line) {
    for (let i = x0; i <= x1; ++i) line([[i * square, 0, z0 * square], [i * square, 0, z1 * square]]);
    for (let i = z0; i <= z1; ++i) line([[x0 * square, 0, i * square], [x1 * square, 0, i * square]]);
  }

  function frame() {
    const ratio = window.devicePixelRatio || 1, width = stage.clientWidth, height = stage.clientHeight;
    if (width === 0) return;
    stage.width = width * ratio;
    stage.height = height * ratio;
    const g = stage.getContext("2d");
    g.scale(ratio, ratio);
    const all = [...[...paths.flat(2), ...corners].map(flat), flat([0, 0, 0])].filter(p => p.every(Number.isFinite));
    const xs = all.map(p => p[0]), ys = all.map(p => p[1]);
    const box = [xs.reduce((a, b) => Math.min(a, b)), xs.reduce((a, b) => Math.max(a, b)), ys.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.max(a, b))];
    const size = Math.max((box[1] - box[0]) / (width - 60), (box[3] - box[2]) / (height - 60)) || 1;
    const screen = p => { const [x, y] = flat(p); return [width / 2 + (x - (box[0] + box[1]) / 2) / size, height / 2 - (y - (box[2] + box[3]) / 2) / size]; };
    g.strokeStyle = colour("--grid");
    g.lineCap = "round";
    const line = points => {
      g.beginPath();
      points.forEach((p, k) => { const [x, y] = screen(p); if (k === 0) g.moveTo(x, y); else g.lineTo(x, y); });
      g.stroke();
    };
    if (spatial) { g.strokeStyle = colour("--line"); floor(line); }
    else {
      const [ox, oy] = screen([0, 0, 0]);
      g.beginPath(); g.moveTo(0, oy); g.lineTo(width, oy); g.moveTo(ox, 0); g.lineTo(ox, height); g.stroke();
    }
    const here = shape => shape.points.map(point => point.map(f => f(now)));
    if (spatial) {
      // What lies on the floor below the rods shows how far away they are.
      g.lineWidth = 3;
      for (const shape of shapes) if (shape.kind === "rod") line(here(shape).map(([x, , z = 0]) => [x, 0, z]));
    }
    shapes.forEach((shape, s) => {
      if (shape.kind !== "trace") return;
      g.strokeStyle = palette[s % palette.length];
      g.globalAlpha = .8;
      g.lineWidth = 2;
      line(paths[s][0].slice(0, Math.round(400 * (now - first) / (last - first)) + 1));
      g.globalAlpha = 1;
    });
    for (const shape of shapes) {
      if (shape.kind !== "rod") continue;
      g.strokeStyle = colour("--ink");
      g.lineWidth = 4;
      line(here(shape));
    }
    for (const shape of shapes) {
      if (shape.kind === "trace") continue;
      g.fillStyle = shape.kind === "body" ? colour("--accent") : colour("--ink");
      for (const [x, y] of here(shape).map(screen)) { g.beginPath(); g.arc(x, y, shape.kind === "body" ? 7 : 4, 0, 2 * Math.PI); g.fill(); }
    }
    clock.textContent = `t = ${short(Number(now.toPrecision(4)))}`;
    slider.value = String(Math.round(1000 * (now - first) / (last - first)));
  }

  function tick(stamp) {
    if (!running) return;
    if (before) now += (stamp - before) / 10000 * Number(speed.value) * (last - first);
    before = stamp;
    if ((now - last) * Math.sign(last - first) >= 0) { now = first; }
    frame();
    requestAnimationFrame(tick);
  }
  function start(on) {
    running = on;
    before = 0;
    play.setAttribute("aria-pressed", String(on));
    play.textContent = on ? "❚❚ Pause" : "▶ Play";
    if (on) requestAnimationFrame(tick);
  }
  play.addEventListener("click", () => start(!running));
  slider.addEventListener("input", () => { start(false); now = first + (last - first) * Number(slider.value) / 1000; frame(); });
  let grip = null;
  stage.addEventListener("pointerdown", event => { grip = {x: event.clientX, y: event.clientY}; stage.setPointerCapture(event.pointerId); });
  stage.addEventListener("pointermove", event => {
    if (!grip || !spatial) return;
    turn.yaw += (event.clientX - grip.x) / 150;
    turn.pitch += (event.clientY - grip.y) / 150;
    grip = {x: event.clientX, y: event.clientY};
    frame();
  });
  stage.addEventListener("pointerup", () => { grip = null; });
  stage.addEventListener("keydown", event => {
    const step = {ArrowLeft: ["yaw", -.1], ArrowRight: ["yaw", .1], ArrowUp: ["pitch", -.1], ArrowDown: ["pitch", .1]}[event.key];
    if (event.key === " ") { event.preventDefault(); start(!running); }
    if (!step || !spatial) return;
    event.preventDefault();
    turn[step[0]] += step[1];
    frame();
  });
  window.addEventListener("resize", frame);
  charts.push({redraw: frame});
  frame();
}

// ---- sections in words --------------------------------------------------------------------

function statusBadge(status) {
  const good = status === "success" || status === "terminated";
  return element("span", {class: `badge ${good ? "good" : "bad"}`}, status);
}

function remarks(list, kind) { return list.map(text => element("p", {class: `notice ${kind}`}, text)); }

function summaryOfRun(run) {
  const r = run.run, s = r.statistics || {};
  const section = card("Summary", "summary", element("p", {}, statusBadge(r.status), " ", r.message || ""));
  section.append(facts([
    ["Method", r.method && (r.method.used.startsWith(r.method.requested) ? r.method.used : r.method.requested === "auto" ? `${r.method.used}, chosen by auto` : `${r.method.used} in place of ${r.method.requested}`)],
    ["Integrator", r.integrator && r.integrator.used],
    ["Tolerances", r.tolerances ? whole(`rtol ${short(r.tolerances.rtol)},`, `atol ${short(r.tolerances.atol)}`) : undefined],
    ["Time", run.time && run.time.length ? `${short(run.time[0])} to ${short(run.time[run.time.length - 1])}` : undefined],
    ["Steps", s.steps !== undefined && r.intervals === undefined ? `${plural(s.steps, "step")}, ${s.rejected} rejected` : undefined],
    ["Evaluations", s.residual_evaluations],
    ["Events", r.intervals === undefined ? (r.events || []).length : undefined],
    ["Mesh", r.intervals !== undefined ? plural(r.intervals, "interval") : undefined],
    ["Estimated error", r.error_estimate !== undefined && r.error_estimate !== null ? `${short(r.error_estimate)} of the tolerance` : undefined],
    ["Found", r.parameters && Object.keys(r.parameters).length ? Object.entries(r.parameters).map(([name, value]) => `${name} = ${short(value)}`).join(", ") : undefined],
    ["Wall time", s.wall_seconds !== undefined ? `${brief(1000 * s.wall_seconds)} ms` : undefined],
    ["Index", run.analysis && run.analysis.index],
    ["Free initial values", run.analysis && run.analysis.states],
  ]));
  if (r.error) {
    section.append(...(r.error.causes ? [element("h3", {}, "Likely causes"), element("p", {}, [].concat(r.error.causes).join(" "))] : []),
      ...(r.error.remedies ? [element("h3", {}, "What to try"), element("p", {}, [].concat(r.error.remedies).join(" "))] : []));
  }
  if ((r.warnings || []).length) section.append(element("h3", {}, plural(r.warnings.length, "warning")), ...remarks(r.warnings, "warn"));
}

function decisions(run) {
  const notices = run.run.notices || [];
  if (notices.length === 0) return;
  card("What was decided, and why", "decisions", element("ul", {}, notices.map(text => element("li", {}, text))));
}

// Rows between the steps have no residuals: what is known is joined.
function knownPoints(times, values, change) {
  return values.flatMap((value, i) => value === null || value === undefined ? [] : [{x: times[i], y: change(value)}]);
}

function constraintsOf(run) {
  const levels = run.run.constraints || {};
  const names = Object.keys(levels);
  if (names.length === 0) return;
  const section = card("Constraints", "constraints",
    element("p", {}, "How well the constraints hold, as written (level 0) and after each differentiation."),
    table(["Level", "Greatest residual"], names.map(name => [name, short(levels[name])]), [1]));
  const drift = run.steps && run.steps.drift || [];
  // A logarithmic axis has no zero: a residual of zero is drawn where round-off ends.
  const roundOff = 1e-18;
  const lines = drift.map((values, level) => ({label: `level ${level}`,
    points: knownPoints(run.steps.drift_time[level], values, value => Math.max(value, roundOff))}));
  if (lines.some(line => line.points.length)) {
    new Plot(section, "Residuals of the constraints over time", true)
      .show({x: {title: "time"}, y: {title: "residual", log: true}, lines});
  }
}

function stepsOf(run) {
  const times = run.steps && run.steps.time || [];
  if (times.length < 3) return;
  const points = times.slice(1).map((t, i) => ({x: t, y: Math.abs(t - times[i])})).filter(p => p.y > 0);
  const isMesh = run.run.intervals !== undefined;
  const section = card(isMesh ? "Mesh" : "Step sizes", "steps");
  const events = (run.run.events || []).map(event => event.time);
  new Plot(section, isMesh ? "Length of the mesh intervals" : "Step size over time", true).show({x: {title: "time"},
    y: {title: isMesh ? "interval" : "step size", log: true}, events,
    lines: [{label: isMesh ? "mesh intervals" : "accepted steps", points, stepped: false}]});
  const orders = run.steps.order || [];
  if (orders.length === 0) return;
  if (orders.every(order => order === orders[0])) {
    section.append(element("p", {class: "muted"}, `The order of the integrator was ${orders[0]} in every step.`));
    return;
  }
  // A step has its order from its start to its end.
  new Plot(section, "Order over time", true).show({x: {title: "time"}, y: {title: "order"}, events,
    lines: [{label: "order", stepped: "after", points: times.slice(1, orders.length + 1).map((t, i) => ({x: t, y: orders[i]}))}]});
}

function energyOf(run) {
  const values = run.steps && run.steps.energy || [];
  if (values.length < 2) return;
  const points = values.map((value, i) => ({x: run.steps.energy_time[i], y: value === null ? NaN : value}));
  const finite = points.filter(p => Number.isFinite(p.y));
  const change = finite.reduce((most, p) => Math.max(most, Math.abs(p.y - finite[0].y)), 0);
  const section = card("Energy", "energy",
    element("p", {}, `${short(values[0])} at the start; it changes by ${short(change)} at most. Without friction and drives it would stay the same.`));
  new Plot(section, "Energy over time", true).show({x: {title: "time"}, y: {title: "energy"}, lines: [{label: "energy", points}]});
}

function eventsOf(run) {
  const events = run.run.events || [];
  if (events.length === 0) return;
  card("Events", "events", table(["Time", "What happened"], events.slice(0, 1000).map(event => [short(event.time), event.what]), [0]),
    events.length > 1000 ? element("p", {class: "muted"}, `The first 1000 of ${events.length}.`) : null);
}

function analysisOf(analysis) {
  if (!analysis) return;
  const hidden = analysis.hidden_constraints || [], structure = analysis.structure || {};
  const section = card("Structure", "structure", facts([
    ["Variables", analysis.variables], ["Equations", analysis.equations], ["Index", analysis.index],
    ["Structural index", structure.index], ["Free initial values", analysis.states], ["Mobility", analysis.mobility],
    ["Blocks", structure.blocks && `${structure.blocks}, the largest of ${structure.largest_block}`],
  ]));
  if (analysis.status && analysis.status !== "success") section.append(element("p", {class: "notice bad"}, analysis.error ? analysis.error.message : analysis.status));
  if (hidden.length) {
    section.append(element("h3", {}, "Hidden constraints"),
      element("p", {}, "Equations that also hold when they are differentiated, and so restrict the start:"),
      table(["Differentiated", "How many", "Equations"], hidden.map(level => [`${level.level} ×`, String(level.count), (level.equations || []).join(", ")])));
  } else if ((structure.differentiated || []).length) {
    section.append(element("h3", {}, "Hidden constraints"),
      element("p", {}, `By the structure of the model derivatives of these equations hold, too: ${structure.differentiated.join(", ")}.`));
  }
  if ((analysis.free || []).length) {
    section.append(element("h3", {}, "One choice of free initial values"), element("p", {}, analysis.free.join(", ")));
  }
  incidence(section, analysis.incidence, structure.torn);
  for (const text of analysis.warnings || []) section.append(element("p", {class: "notice warn"}, text));
}

// Equations against what they are solved for, block after block: entries of lower derivatives are known
// by then, so that those of the highest ones are below the frames or in them.
function incidence(section, pattern, torn) {
  const blocks = pattern && pattern.blocks || [];
  const equations = blocks.flatMap(block => block.equations), unknowns = blocks.flatMap(block => block.unknowns);
  if (equations.length === 0) return;
  const n = equations.length, side = Math.min(480, Math.max(160, 28 * n)), size = side / n;
  const box = element("canvas", {id: "incidence", role: "img", width: 2 * side, height: 2 * side, style: `width:${side}px;max-width:100%`,
    "aria-label": `${n} equations against what they are solved for, in ${plural(blocks.length, "block")}`});
  const said = element("p", {class: "muted hint", role: "status"}, "Point at a cell to read its equation and its unknown.");
  section.append(element("h3", {}, "In which order what is solved for what"), box, said);
  const draw = () => {
    const g = box.getContext("2d"), gap = size > 6 ? 1 : 0;
    g.setTransform(2, 0, 0, 2, 0, 0);
    g.fillStyle = colour("--paper");
    g.fillRect(0, 0, side, side);
    for (const [row, column, isHighest] of pattern.entries) {
      g.fillStyle = isHighest ? colour("--accent") : colour("--line");
      g.fillRect(column * size + gap / 2, row * size + gap / 2, Math.max(1, size - gap), Math.max(1, size - gap));
    }
    g.strokeStyle = colour("--warn");
    g.lineWidth = n > 100 ? 1 : 2;
    let first = 0;
    for (const block of blocks) {
      const length = block.equations.length * size;
      g.strokeRect(first * size, first * size, length, length);
      first += block.equations.length;
    }
    g.strokeStyle = colour("--line");
    g.strokeRect(0, 0, side, side);
  };
  box.addEventListener("pointermove", event => {
    const bounds = box.getBoundingClientRect(), cell = (at, length) => Math.min(n - 1, Math.max(0, Math.floor(n * at / length)));
    const row = cell(event.clientY - bounds.top, bounds.height), column = cell(event.clientX - bounds.left, bounds.width);
    const entry = pattern.entries.find(([i, j]) => i === row && j === column);
    said.textContent = `${equations[row]} ${entry ? entry[2] ? "contains" : "contains a lower derivative of" : "does not contain"} ${unknowns[column]}`;
  });
  charts.push({redraw: draw});
  draw();
  section.append(element("p", {class: "muted"}, "Rows are equations, columns what they are solved for. Framed blocks are solved together, from the top; ",
    "grey cells are lower derivatives, known by then."));
  const together = blocks.filter(block => block.equations.length > 1).sort((a, b) => b.equations.length - a.equations.length);
  if (together.length) {
    section.append(table(["Solved together", "For"], together.slice(0, 20).map(block => [block.equations.slice(0, 30).join(", ") + (block.equations.length > 30 ? ", …" : ""),
      block.unknowns.slice(0, 30).join(", ") + (block.unknowns.length > 30 ? ", …" : "")])));
  }
  if ((torn || []).length) section.append(element("p", {class: "muted"}, `Given ${torn.join(", ")}, the others follow one by one.`));
}

function finalValues(run) {
  const final = run.run.final;
  if (!final || !final.values) return;
  const unit = new Map(run.variables.map(variable => [variable.name, variable]));
  const rows = Object.entries(final.values).map(([name, value]) => {
    const variable = unit.get(name) || {};
    return [name, short(value), variable.unit || "", variable.description || ""];
  });
  const body = element("div", {});
  const search = element("input", {type: "search", placeholder: "Find a variable", "aria-label": "Find in final values"});
  const show = () => body.replaceChildren(table(["Variable", "Value", "Unit", "Description"],
    rows.filter(row => row[0].toLowerCase().includes(search.value.toLowerCase())).slice(0, 500), [1]));
  search.addEventListener("input", show);
  show();
  const section = card(`Values at t = ${short(final.time)}`, "final", rows.length > 12 ? search : null, body);
  return section;
}

// ---- comparison of methods ----------------------------------------------------------------

function comparison(run) {
  const rows = run.run.rows, name = row => row.integrator ? `${row.method} + ${row.integrator}` : row.method;
  const methods = [...new Set(rows.map(name))], asked = new Set(rows.map(row => row.method)).size;
  const good = rows.filter(row => row.status === "success");
  const best = good.length ? good.reduce((a, b) => (a.error ?? Infinity) <= (b.error ?? Infinity) ? a : b) : null;
  card("Summary", "summary", element("p", {}, `${plural(asked, "method")} on ${run.title}, `,
    `${plural(good.length, "run")} of ${rows.length} successful. Errors are against a reference by ${run.run.reference.method} (${run.run.reference.status}).`),
    best ? element("p", {}, `Most accurate: ${name(best)} at rtol ${short(best.rtol)}, error ${short(best.error)}.`) : null);
  const lines = value => methods.map((method, i) => ({
    label: method, dots: true, colour: palette[i % palette.length],
    points: good.filter(row => name(row) === method).map(row => ({x: row.error, y: value(row)}))
      .filter(p => p.x > 0 && p.y > 0).sort((a, b) => a.x - b.x)})).filter(line => line.points.length);
  const section = card("Work against accuracy", "work", element("p", {class: "muted"}, "Left is more accurate, down is cheaper."));
  const choice = element("select", {"aria-label": "Measure of work"}, element("option", {value: "time"}, "wall time [ms]"),
    element("option", {value: "evaluations"}, "evaluations"), element("option", {value: "steps"}, "steps"));
  section.append(element("div", {class: "controls"}, choice));
  const plot = new Plot(section, "Work against accuracy for each method");
  const measures = {time: row => 1000 * row.statistics.wall_seconds, evaluations: row => row.statistics.residual_evaluations, steps: row => row.statistics.steps};
  const draw = () => plot.show({x: {title: "error", log: true}, y: {title: choice.selectedOptions[0].textContent, log: true}, lines: lines(measures[choice.value])});
  choice.addEventListener("change", () => { plot.zoom = null; draw(); });
  draw();
  comparisonOverTime(run, name, methods);
  const levels = [...new Set(rows.flatMap(row => Object.keys(row.constraints || {})))].sort();
  const columns = [
    ["Method", row => whole(row.method, row.integrator && `+ ${row.integrator}`)], ["rtol", row => short(row.rtol), true],
    ["Error", row => short(row.error), true], ["Worst variable", row => row.worst_variable || ""],
    ...levels.map(level => [`Level ${level}`, row => short((row.constraints || {})[level]), true]),
    ...(rows.some(row => (row.energy_drift ?? null) !== null) ? [["Energy", row => short(row.energy_drift), true]] : []),
    ["Steps", row => String(row.statistics.steps), true], ["ms", row => brief(measures.time(row)), true],
    ["Status", row => element("span", {class: row.status === "success" ? "" : "bad"}, row.status)]];
  const failures = [...new Set(rows.filter(row => row.status !== "success").map(row => `${name(row)}: ${row.message}`))];
  card("All runs", "rows", table(columns.map(([head]) => head), rows.map(row => columns.map(([, cell]) => cell(row))),
    columns.flatMap(([, , isRight], i) => isRight ? [i] : [])), ...remarks(failures, "warn"));
}

// What the methods did over time, from the runs of the sharpest tolerance of each.
function comparisonOverTime(run, name, methods) {
  const rows = run.run.rows.map((row, i) => ({row, series: (run.series || [])[i]})).filter(({series}) => series && series.time.length > 1);
  const tolerances = [...new Set(rows.map(({row}) => row.rtol))];
  if (rows.length === 0) return;
  const levels = Math.max(...rows.map(({series}) => series.drift.length));
  const choice = (label, options) => element("select", {"aria-label": label}, options.map(([value, text]) => element("option", {value}, text)));
  const tolerance = choice("Tolerance", tolerances.map(rtol => [rtol, `rtol ${short(rtol)}`]));
  const level = choice("Level", Array.from({length: levels}, (_, i) => [i, `level ${i}`]));
  const lines = (values, change) => rows.filter(({row}) => row.rtol === Number(tolerance.value))
    .map(({row, series}) => ({label: name(row), colour: palette[methods.indexOf(name(row)) % palette.length],
      points: knownPoints(series.time, values(series), value => Math.max(change(value, series), 1e-18))}))
    .filter(line => line.points.length);
  const hasEnergy = rows.some(({series}) => series.energy.length > 0);
  if (levels < 1 && !hasEnergy) return;
  const section = card("Over time", "time", element("div", {class: "controls"}, tolerance, levels > 0 ? level : null));
  const drift = levels > 0 ? new Plot(section, "Residuals of the constraints over time for each method") : null;
  const energy = hasEnergy ? new Plot(section, "Change of the energy over time for each method") : null;
  const draw = () => {
    if (drift) drift.show({x: {title: "time"}, y: {title: `residual of level ${level.value}`, log: true},
      lines: lines(series => series.drift[Number(level.value)] || [], value => value)});
    if (energy) energy.show({x: {title: "time"}, y: {title: "|energy − energy at the start|", log: true},
      lines: lines(series => series.energy, (value, series) => Math.abs(value - series.energy[0]))});
  };
  for (const one of [tolerance, level]) one.addEventListener("change", draw);
  draw();
}

// ---- sweeps -------------------------------------------------------------------------------

function sweep(run) {
  const r = run.run;
  const section = card("Summary", "summary", element("p", {}, `${plural(r.members, "member")}: ${r.solved} solved, ${r.failed} failed`,
    r.not_run ? `, ${r.not_run} not run.` : "."));
  section.append(facts([["Wall time", r.wall_seconds === undefined ? undefined : `${brief(r.wall_seconds)} s`],
    ["All runs, one after the other", r.run_seconds === undefined ? undefined : `${brief(r.run_seconds)} s`]]));
  section.append(...remarks(r.warnings || [], "warn"));
  if ((run.variables || []).length) sweepPlots(run);
  const statistics = r.statistics || [];
  if (statistics.length) {
    card("At the end", "statistics", table(["Variable", "Mean", "Deviation", "Least", "5 %", "Median", "95 %", "Greatest"],
      statistics.slice(0, 500).map(one => [one.variable, ...["mean", "deviation", "min", "q05", "median", "q95", "max"].map(key => short(one[key]))]),
      [1, 2, 3, 4, 5, 6, 7]));
  }
  const failures = r.failures || [];
  if (failures.length) {
    card("Failures", "failures", table(["Member", ...(run.varied || []).map(one => one.name), "Status", "Message"],
      failures.slice(0, 500).map(one => [String(one.member), ...(run.varied || []).map(axis => short(axis.values[one.member - 1])), one.status, one.message]), [0]));
  }
}

function sweepPlots(run) {
  const choice = (label, options) => element("select", {"aria-label": label}, options.map((text, i) => element("option", {value: i}, text)));
  const what = choice("Variable", run.variables.map(variable => variable.name + unitOf(variable)));
  const over = choice("Horizontal axis", ["over the member", ...run.varied.map(one => `over ${one.name}`)]);
  if (run.varied.length > 0) over.value = "1";
  const section = card("Plots", "plots", element("div", {class: "controls"}, what, over));
  const scatter = new Plot(section, "Values at the end of every member");
  const band = run.time.length > 1 ? new Plot(section, "Median and quantiles over time") : null;
  const counts = new Plot(section, "How the values at the end are distributed", true);
  const draw = () => {
    const variable = run.variables[Number(what.value)], axis = run.varied[Number(over.value) - 1];
    const title = variable.name + unitOf(variable);
    scatter.zoom = null;
    scatter.show({x: {title: axis ? axis.name : "member"}, y: {title: `${title} at the end`}, lines: [{label: variable.name, dots: true, line: false,
      points: variable.final.map((y, i) => ({x: axis ? axis.values[i] : i + 1, y: y === null ? NaN : y}))}]});
    if (band) {
      band.zoom = null;
      band.show({x: {title: "time"}, y: {title}, lines: [["median", "median", false], ["5 %", "low", true], ["95 %", "high", true]].map(([label, key, dashed]) =>
        ({label, dashed, colour: palette[0], points: variable[key].map((y, i) => ({x: run.time[i], y: y === null ? NaN : y}))}))});
    }
    counts.zoom = null;
    counts.show({x: {title: `${title} at the end`}, y: {title: "members"}, lines: [{label: "members", stepped: "after", points: histogram(variable.final)}]});
  };
  for (const one of [what, over]) one.addEventListener("change", draw);
  draw();
  if (run.left_out) section.append(element("p", {class: "muted"}, `${plural(run.left_out, "variable")} more: choose with --variables.`));
}

// The upper edges of bins with the members in them, as many bins as the root of their number.
function histogram(values) {
  const known = values.filter(value => value !== null).sort((a, b) => a - b);
  if (known.length === 0) return [];
  const least = known[0], width = known[known.length - 1] - least || 1, n = Math.max(1, Math.min(60, Math.round(Math.sqrt(known.length))));
  const bins = new Array(n).fill(0);
  for (const value of known) bins[Math.min(n - 1, Math.floor(n * (value - least) / width))] += 1;
  return [{x: least, y: 0}, ...bins.map((count, i) => ({x: least + (i + 1) * width / n, y: count})), {x: least + width, y: 0}];
}

// ---- papers -------------------------------------------------------------------------------

function papers(run) {
  for (const {paper, tables, figures} of run.papers) {
    const section = card(paper, "", element("p", {class: "muted"}, "In each cell our figure, and the paper's in brackets."));
    const both = figures.filter(([theirs, ours]) => theirs > 0 && ours > 0);
    if (both.length > 1) {
      const ends = [both.flat().reduce((a, b) => Math.min(a, b)), both.flat().reduce((a, b) => Math.max(a, b))];
      new Plot(section, `Our figures over those of ${paper}`, true).show({x: {title: "paper", log: true}, y: {title: "ours", log: true}, lines: [
        {label: "figures", dots: true, line: false, points: both.map(([x, y]) => ({x, y}))},
        {label: "the same", dashed: true, colour: colour("--muted"), points: ends.map(x => ({x, y: x}))}]});
    }
    for (const {name, columns, rows, notes} of tables) {
      section.append(element("h3", {}, name), table(columns, rows, columns.map((_, i) => i).slice(1)),
        ...notes.map(note => element("p", {class: "muted"}, note)));
    }
  }
}

// ---- page ---------------------------------------------------------------------------------

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  for (const chart of charts) chart.redraw();
}

document.getElementById("title").textContent = data.title;
document.getElementById("description").textContent = data.description || "";
document.getElementById("version").textContent = data.version || "";
document.documentElement.classList.toggle("dark", window.matchMedia("(prefers-color-scheme: dark)").matches);
if (data.kind === "compare") comparison(data);
else if (data.kind === "sweep") sweep(data);
else if (data.kind === "reproduce") papers(data);
else if (data.kind === "analyze") analysisOf(data.analysis);
else {
  summaryOfRun(data);
  plotsOf(data);
  animate(data);
  decisions(data);
  constraintsOf(data);
  energyOf(data);
  stepsOf(data);
  analysisOf(data.analysis);
  eventsOf(data);
  finalValues(data);
}
document.getElementById("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
document.getElementById("print").addEventListener("click", () => window.print());
// On paper the page is light.
let wasDark = false;
window.addEventListener("beforeprint", () => { wasDark = document.documentElement.classList.contains("dark"); setTheme(false); });
window.addEventListener("afterprint", () => setTheme(wasDark));
document.documentElement.dataset.ready = "true";
})();
