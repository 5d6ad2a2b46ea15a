// The picture: points, the line of the weights and what it was before, the average, the margin band.

import { state, averageAt, dim, ended, weightsAt } from "./state.js";
import { lineOf, onPlane, scaleFor, smallest } from "./view.js";

const canvas = document.getElementById("plane");
const MANY = 400;        // points from which on they are drawn small
const NUMBERS = { few: 60, many: 8 }; // multipliers written beside points: the largest

export const cursor = { shown: false, at: [0, 0] };

export function colours() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue(`--${name}`).trim() });
}

// A canvas made as fine as the screen is; returns what to draw with, and its size in CSS pixels.
export function ready(target) {
  const { clientWidth: width, clientHeight: height } = target;
  const fine = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * fine), Math.round(height * fine)];
  if (target.width !== w || target.height !== h) [target.width, target.height] = [w, h];
  const pen = target.getContext("2d");
  pen.setTransform(fine, 0, 0, fine, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

// Draw all of it. Between two mistakes `part` says how far the weights have turned: from 0 to 1.
export function draw(part = 1) {
  const { pen, width, height } = ready(canvas);
  const c = colours();
  const scale = scaleFor(width, height);
  pen.fillStyle = c.card;
  pen.fillRect(0, 0, width, height);
  const { k } = state;
  const [before, after] = [weightsAt(k - 1), weightsAt(k)];
  const weights = after && between(before ?? after.map(() => 0), after, part);
  const line = lineOf(weights);
  tint(pen, c, scale, line, width, height);
  grid(pen, c, scale, width, height);
  if (weights) {
    band(pen, c, scale, weights);
    if (before && !ended()) stroke(pen, scale, lineOf(before), { colour: c.soft, dash: [2, 5], wide: 1.5 });
    const read = state.choices.learner === "averaged";
    stroke(pen, scale, lineOf(averageAt(k)), { colour: c.average, dash: [9, 6], wide: read ? 3.5 : 2 });
    if (ended()) stroke(pen, scale, lineOf(state.replay.verdict.witness), { colour: c.best, dash: [2, 4], wide: 2 });
    stroke(pen, scale, line, { colour: c.ink, wide: read ? 1.5 : 2.5 });
  }
  points(pen, c, scale);
  if (weights) arrows(pen, c, scale, before, weights, width, height);
  mistaken(pen, c, scale);
  if (ended()) multipliers(pen, c, scale);
  if (cursor.shown) cross(pen, c, scale.toPixel(cursor.at));
  canvas.dataset.k = String(k);
  canvas.dataset.points = String(state.points.length);
}

const between = (u, v, part) => v.map((x, j) => u[j] + part * (x - u[j]));

function ends(scale, { a, b, c }) {
  const size = Math.hypot(a, b);
  if (!(size > 0) || !Number.isFinite(size + c)) return null;
  const middle = [(scale.left + scale.right) / 2, (scale.bottom + scale.top) / 2];
  const off = (a * middle[0] + b * middle[1] + c) / size;
  const foot = [middle[0] - (off * a) / size, middle[1] - (off * b) / size];
  const reach = 2 * Math.hypot(scale.right - scale.left, scale.top - scale.bottom) + Math.abs(off);
  return [
    [foot[0] - (b * reach) / size, foot[1] + (a * reach) / size],
    [foot[0] + (b * reach) / size, foot[1] - (a * reach) / size],
    foot,
  ];
}

function stroke(pen, scale, line, { colour, wide, dash = [] }) {
  const found = line && ends(scale, line);
  if (!found) return;
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = wide;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(...scale.toPixel(found[0]));
  pen.lineTo(...scale.toPixel(found[1]));
  pen.stroke();
  pen.restore();
}

// A strip of the plane between two offsets of the line, or beyond one.
function strip(pen, scale, { a, b, c }, low, high) {
  const one = ends(scale, { a, b, c: c - low });
  const two = ends(scale, { a, b, c: c - high });
  if (!one || !two) return;
  pen.beginPath();
  pen.moveTo(...scale.toPixel(one[0]));
  pen.lineTo(...scale.toPixel(one[1]));
  pen.lineTo(...scale.toPixel(two[1]));
  pen.lineTo(...scale.toPixel(two[0]));
  pen.closePath();
  pen.fill();
}

function tint(pen, c, scale, line, width, height) {
  if (!line) return;
  const size = Math.hypot(line.a, line.b);
  if (!(size > 0)) {
    if (line.c === 0) return;
    pen.save();
    pen.globalAlpha = 0.09;
    pen.fillStyle = line.c > 0 ? c.plus : c.minus;
    pen.fillRect(0, 0, width, height);
    pen.restore();
    return;
  }
  const far = size * 4 * (Math.hypot(scale.right - scale.left, scale.top - scale.bottom) + Math.hypot(scale.right, scale.top));
  pen.save();
  pen.globalAlpha = 0.09;
  pen.fillStyle = c.plus;
  strip(pen, scale, line, 0, far);
  pen.fillStyle = c.minus;
  strip(pen, scale, line, -far, 0);
  pen.restore();
}

// η's band while a margin is learned; else, once the line separates, the band free of points.
function band(pen, c, scale, weights) {
  const eta = state.replay.margin;
  const width = eta > 0 ? eta : smallest(weights);
  const line = lineOf(weights);
  if (!(width > 0) || !(Math.hypot(line.a, line.b) > 0)) return;
  pen.save();
  pen.globalAlpha = 0.16;
  pen.fillStyle = c.band;
  strip(pen, scale, line, -width, width);
  pen.restore();
  for (const side of [-width, width]) stroke(pen, scale, { ...line, c: line.c - side }, { colour: c.band, wide: 1.2, dash: [5, 4] });
}

function grid(pen, c, scale, width, height) {
  const [unit, unitY] = [round((scale.right - scale.left) / 6), round((scale.top - scale.bottom) / 5)];
  pen.save();
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = c.soft;
  pen.lineWidth = 1;
  for (let i = Math.ceil(scale.left / unit); i * unit < scale.right; i++) {
    const [x] = scale.toPixel([i * unit, 0]);
    rule(pen, i === 0 ? c.line : c.grid, x, 0, x, height);
    pen.fillText(number(i * unit), x + 3, height - 5);
  }
  for (let i = Math.ceil(scale.bottom / unitY); i * unitY < scale.top; i++) {
    const [, y] = scale.toPixel([0, i * unitY]);
    rule(pen, i === 0 ? c.line : c.grid, 0, y, width, y);
    if (y < height - 18) pen.fillText(number(i * unitY), 4, y - 3);
  }
  const [across, up] = dim() > 2 ? ["along the final weights", "first orthogonal direction"] : state.names;
  pen.textAlign = "right";
  pen.fillText(`${across} →`, width - 6, height - 18);
  if (up && dim() !== 1) pen.fillText(`↑ ${up}`, width - 6, 14);
  pen.restore();
}

// The round number, 1, 2 or 5 times a power of ten, that is next to this one.
function round(about) {
  const ten = 10 ** Math.floor(Math.log10(about));
  return ten * (about < 1.5 * ten ? 1 : about < 3.5 * ten ? 2 : about < 7.5 * ten ? 5 : 10);
}

const number = (x) => String(Number(x.toPrecision(4)));

function rule(pen, colour, x1, y1, x2, y2) {
  pen.strokeStyle = colour;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

export const radius = () => (state.points.length > MANY ? 3.5 : 9);

// Every point of a class is one path, so that ten thousand take a few strokes of the pen.
function points(pen, c, scale) {
  const r = radius();
  const many = state.points.length > MANY;
  for (const label of [-1, 1]) {
    const colour = label > 0 ? c.plus : c.minus;
    const places = state.points.filter((_, i) => state.labels[i] === label).map((p) => scale.toPixel(onPlane(p)));
    pen.save();
    pen.strokeStyle = many ? colour : c.card;
    pen.fillStyle = colour;
    pen.lineWidth = many ? 1.4 : 2.4;
    if (many) pen.globalAlpha = 0.75;
    if (!many) {
      pen.beginPath();
      for (const [x, y] of places) {
        pen.moveTo(x + r, y);
        pen.arc(x, y, r, 0, 7);
      }
      pen.fill();
    }
    const arm = many ? r : r * 0.58;
    pen.beginPath();
    for (const [x, y] of places) {
      pen.moveTo(x - arm, y);
      pen.lineTo(x + arm, y);
      if (label > 0) {
        pen.moveTo(x, y - arm);
        pen.lineTo(x, y + arm);
      }
    }
    pen.stroke();
    pen.restore();
  }
  if (state.selected >= 0) ring(pen, c.focus, scale.toPixel(onPlane(state.points[state.selected])), r + 5, 2.5);
}

function ring(pen, colour, [x, y], r, wide, dash = []) {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = wide;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.arc(x, y, r, 0, 7);
  pen.stroke();
  pen.restore();
}

// The point whose mistake turned the weights last.
function mistaken(pen, c, scale) {
  const { replay, k } = state;
  if (!replay || k < 1 || k > replay.sent) return;
  const row = replay.ledger.row[k - 1];
  const at = scale.toPixel(onPlane(state.points[row]));
  ring(pen, c.ink, at, radius() + 4, 3);
  pen.fillStyle = c.ink;
  pen.font = "600 13px system-ui, sans-serif";
  halo(pen, c, `mistake ${k}`, at[0] + radius() + 8, at[1] - radius() - 4);
}

function halo(pen, c, text, x, y) {
  pen.save();
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = c.card;
  const room = pen.canvas.clientWidth - pen.measureText(text).width - 4;
  pen.strokeText(text, Math.min(x, room), Math.max(y, 14));
  pen.fillText(text, Math.min(x, room), Math.max(y, 14));
  pen.restore();
}

// w as an arrow from the line, the longest of the run a third of the picture; before it, faintly.
function arrows(pen, c, scale, before, weights, width, height) {
  const now = lineOf(weights);
  const found = ends(scale, now);
  if (!found) return;
  const unit = (0.33 * Math.min(width, height)) / (longestOf(state.replay) || 1);
  const foot = state.choices.bias ? found[2] : [0, 0];
  const from = scale.toPixel(foot);
  const old = before && lineOf(before);
  if (old && !ended()) arrow(pen, c.soft, from, [from[0] + old.a * unit, from[1] - old.b * unit], 1.5);
  const tip = [from[0] + now.a * unit, from[1] - now.b * unit];
  arrow(pen, c.ink, from, tip, 3);
  pen.fillStyle = c.ink;
  pen.font = "italic 600 15px Georgia, serif";
  halo(pen, c, "w", tip[0] + 7, tip[1] - 5);
}

const lengths = new WeakMap();
function longestOf(replay) {
  if (!lengths.has(replay)) {
    let most = 0;
    for (const weights of [...replay.ledger.weights, replay.final]) {
      const { a, b } = lineOf(weights);
      most = Math.max(most, Math.hypot(a, b));
    }
    lengths.set(replay, most);
  }
  return lengths.get(replay);
}

function arrow(pen, colour, [x1, y1], [x2, y2], wide) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const head = Math.min(11, Math.hypot(x2 - x1, y2 - y1));
  pen.save();
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = wide;
  rule(pen, colour, x1, y1, x2 - Math.cos(angle) * head * 0.7, y2 - Math.sin(angle) * head * 0.7);
  pen.beginPath();
  pen.moveTo(x2, y2);
  for (const turn of [0.42, -0.42]) pen.lineTo(x2 - head * Math.cos(angle + turn), y2 - head * Math.sin(angle + turn));
  pen.fill();
  pen.restore();
}

// The proof that nothing separates: how often each point counts.
function multipliers(pen, c, scale) {
  const found = state.replay.verdict.multipliers;
  if (!found) return;
  pen.fillStyle = c.ink;
  pen.font = "700 14px system-ui, sans-serif";
  const places = found.rows.map((row) => scale.toPixel(onPlane(state.points[row])));
  for (const at of places) ring(pen, c.ink, at, radius() + 3, 2, [3, 2]);
  const largest = places.map((_, i) => i).sort((i, j) => found.shares[j] - found.shares[i]);
  for (const i of largest.slice(0, state.points.length > MANY ? NUMBERS.many : NUMBERS.few)) {
    halo(pen, c, `×${shortly(found, i)}`, places[i][0] + radius() + 5, places[i][1] - radius());
  }
}

// A multiplier as it is, or as its share of all when it is too long to write beside a point.
export function shortly(found, i) {
  return found.values[i].length <= 5 ? found.values[i] : `${(100 * found.shares[i]).toPrecision(2)}%`;
}

function cross(pen, c, [x, y]) {
  pen.save();
  pen.lineWidth = 1.5;
  rule(pen, c.focus, x - 12, y, x + 12, y);
  rule(pen, c.focus, x, y - 12, x, y + 12);
  pen.restore();
}
