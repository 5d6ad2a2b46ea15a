// The picture: points, the line of the weights now and before the last update, the average, the margin band.

import { colours, prepare } from "./canvas.js";
import { short } from "./format.js";
import { rectangles } from "./regions.js";
import { averageAt, dim, ended, state, weightsAt } from "./state.js";
import { lineOf, onPlane, scaleFor, smallestMargin } from "./view.js";

const canvas = document.getElementById("plane");
const MANY_POINTS = 400;                      // above this, points are drawn small
const MAX_MULTIPLIERS = { few: 60, many: 8 }; // the largest ones, written beside their points

export const cursor = { shown: false, at: [0, 0] };

// Draw everything. During an animation `part` goes from 0, the weights before the update, to 1, those after it.
export function draw(part = 1) {
  const { pen, width, height } = prepare(canvas);
  const c = colours();
  const scale = scaleFor(width, height);
  pen.fillStyle = c.card;
  pen.fillRect(0, 0, width, height);
  const { k } = state;
  const [before, after] = [weightsAt(k - 1), weightsAt(k)];
  const weights = after && interpolate(before ?? after.map(() => 0), after, part);
  const line = lineOf(weights);
  const averaged = state.choices.learner === "averaged";
  const sides = averaged ? lineOf(averageAt(k)) : line;
  drawSides(pen, c, scale, sides, width, height);
  drawRegions(pen, c, scale);
  canvas.dataset.sides = state.replay?.regions && k ? "kernel" : sides ? (averaged ? "average" : "w") : "none";
  drawGrid(pen, c, scale, width, height);
  if (weights) {
    drawBand(pen, c, scale, weights);
    if (before && !ended()) drawLine(pen, scale, lineOf(before), { colour: c.soft, dash: [2, 5], width: 1.5 });
    drawLine(pen, scale, lineOf(averageAt(k)), { colour: c.average, dash: [9, 6], width: averaged ? 3.5 : 2 });
    if (ended()) drawLine(pen, scale, lineOf(state.replay.verdict.witness), { colour: c.best, dash: [2, 4], width: 2 });
    drawLine(pen, scale, line, { colour: c.ink, width: averaged ? 1.5 : 2.5 });
  }
  drawPoints(pen, c, scale);
  if (weights) drawWeights(pen, c, scale, before, weights, width, height);
  drawUpdated(pen, c, scale);
  if (ended()) drawMultipliers(pen, c, scale);
  if (cursor.shown) drawCursor(pen, c, scale.toPixel(cursor.at));
  canvas.dataset.k = String(k);
  canvas.dataset.points = String(state.points.length);
}

const interpolate = (u, v, part) => v.map((x, j) => u[j] + part * (x - u[j]));

// Two points of a line beyond the edges of the picture, and the point of it nearest the centre.
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

function drawLine(pen, scale, line, { colour, width, dash = [] }) {
  const found = line && ends(scale, line);
  if (!found) return;
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(...scale.toPixel(found[0]));
  pen.lineTo(...scale.toPixel(found[1]));
  pen.stroke();
  pen.restore();
}

// Fill the strip where the score a·x + b·y + c is between `low` and `high`.
function fillStrip(pen, scale, { a, b, c }, low, high) {
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

// Tint the two sides of the line in the colours of the classes they predict.
function drawSides(pen, c, scale, line, width, height) {
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
  fillStrip(pen, scale, line, 0, far);
  pen.fillStyle = c.minus;
  fillStrip(pen, scale, line, -far, 0);
  pen.restore();
}

// Tint what is predicted in a kernel's space. Edges are at whole pixels, so that no rectangle shows.
function drawRegions(pen, c, scale) {
  if (!state.replay?.regions) return;
  pen.save();
  pen.globalAlpha = 0.16;
  for (const { from, to, plus } of rectangles(state.replay.regions, state.k)) {
    const [[x0, y0], [x1, y1]] = [from, to].map((corner) => scale.toPixel(corner).map(Math.round));
    pen.fillStyle = plus ? c.plus : c.minus;
    pen.fillRect(x0, y1, x1 - x0, y0 - y1);
  }
  pen.restore();
}

// For the margin perceptron the band |score| ≤ η; otherwise, once the line separates, the band without points.
function drawBand(pen, c, scale, weights) {
  const eta = state.replay.margin;
  const width = eta > 0 ? eta : smallestMargin(weights);
  const line = lineOf(weights);
  if (!line || !(width > 0) || !(Math.hypot(line.a, line.b) > 0)) return;
  pen.save();
  pen.globalAlpha = 0.16;
  pen.fillStyle = c.band;
  fillStrip(pen, scale, line, -width, width);
  pen.restore();
  for (const side of [-width, width]) drawLine(pen, scale, { ...line, c: line.c - side }, { colour: c.band, width: 1.2, dash: [5, 4] });
}

function drawGrid(pen, c, scale, width, height) {
  const [unit, unitY] = [roundStep((scale.right - scale.left) / 6), roundStep((scale.top - scale.bottom) / 5)];
  pen.save();
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = c.soft;
  pen.lineWidth = 1;
  for (let i = Math.ceil(scale.left / unit); i * unit < scale.right; i++) {
    const [x] = scale.toPixel([i * unit, 0]);
    drawSegment(pen, i === 0 ? c.line : c.grid, x, 0, x, height);
    pen.fillText(short(i * unit), x + 3, height - 5);
  }
  for (let i = Math.ceil(scale.bottom / unitY); i * unitY < scale.top; i++) {
    const [, y] = scale.toPixel([0, i * unitY]);
    drawSegment(pen, i === 0 ? c.line : c.grid, 0, y, width, y);
    if (y < height - 18) pen.fillText(short(i * unitY), 4, y - 3);
  }
  const [across, up] = dim() > 2 ? ["along the final weights", "direction of largest spread across them"] : state.names;
  pen.textAlign = "right";
  pen.fillText(`${across} →`, width - 6, height - 18);
  if (up && dim() !== 1) pen.fillText(`↑ ${up}`, width - 6, 14);
  pen.restore();
}

// A step between grid lines of about this size: 1, 2 or 5 times a power of ten.
function roundStep(about) {
  const ten = 10 ** Math.floor(Math.log10(about));
  return ten * (about < 1.5 * ten ? 1 : about < 3.5 * ten ? 2 : about < 7.5 * ten ? 5 : 10);
}

function drawSegment(pen, colour, x1, y1, x2, y2) {
  pen.strokeStyle = colour;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

export const radius = () => (state.points.length > MANY_POINTS ? 3.5 : 9);

// All points of a class are one path: ten thousand points take a few calls.
function drawPoints(pen, c, scale) {
  const r = radius();
  const many = state.points.length > MANY_POINTS;
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
  const kept = state.replay?.regions ? new Set(state.replay.ledger.row.slice(0, state.k)) : [];
  for (const row of kept) drawRing(pen, c.ink, scale.toPixel(onPlane(state.points[row])), r + 3, 1.5);
  if (state.selected >= 0) drawRing(pen, c.focus, scale.toPixel(onPlane(state.points[state.selected])), r + 5, 2.5);
}

function drawRing(pen, colour, [x, y], r, width, dash = []) {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.arc(x, y, r, 0, 7);
  pen.stroke();
  pen.restore();
}

// Mark the point that caused the last update.
function drawUpdated(pen, c, scale) {
  const { replay, k } = state;
  if (!replay || k < 1 || k > replay.sent) return;
  const row = replay.ledger.row[k - 1];
  const at = scale.toPixel(onPlane(state.points[row]));
  drawRing(pen, c.ink, at, radius() + 4, 3);
  pen.fillStyle = c.ink;
  pen.font = "600 13px system-ui, sans-serif";
  drawText(pen, c, `${replay.noun} ${k}`, at[0] + radius() + 8, at[1] - radius() - 4);
}

// Text with an outline in the background colour, kept inside the picture.
function drawText(pen, c, text, x, y) {
  pen.save();
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = c.card;
  const room = pen.canvas.clientWidth - pen.measureText(text).width - 4;
  pen.strokeText(text, Math.min(x, room), Math.max(y, 14));
  pen.fillText(text, Math.min(x, room), Math.max(y, 14));
  pen.restore();
}

// w as an arrow from the point of its line nearest the origin, and faintly w before the update. The longest w of the run takes
// a third of the picture: w has another unit than the points.
function drawWeights(pen, c, scale, before, weights, width, height) {
  const now = lineOf(weights);
  const found = now && ends(scale, now);
  if (!found) return;
  const unit = (0.33 * Math.min(width, height)) / (longestOf(state.replay) || 1);
  const square = now.a ** 2 + now.b ** 2;
  const foot = [(-now.c * now.a) / square, (-now.c * now.b) / square];
  const from = scale.toPixel(foot);
  const old = before && lineOf(before);
  if (old && !ended()) drawArrow(pen, c.soft, from, [from[0] + old.a * unit, from[1] - old.b * unit], 1.5);
  const tip = [from[0] + now.a * unit, from[1] - now.b * unit];
  drawArrow(pen, c.ink, from, tip, 3);
  pen.fillStyle = c.ink;
  pen.font = "italic 600 15px Georgia, serif";
  drawText(pen, c, "w", tip[0] + 7, tip[1] - 5);
}

const longest = new WeakMap(); // by replay, because it takes all weights of the run
function longestOf(replay) {
  if (!longest.has(replay)) {
    let most = 0;
    for (const weights of [...replay.ledger.weights, replay.final]) {
      const line = lineOf(weights);
      if (line) most = Math.max(most, Math.hypot(line.a, line.b));
    }
    longest.set(replay, most);
  }
  return longest.get(replay);
}

function drawArrow(pen, colour, [x1, y1], [x2, y2], width) {
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const head = Math.min(11, Math.hypot(x2 - x1, y2 - y1));
  pen.save();
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = width;
  drawSegment(pen, colour, x1, y1, x2 - Math.cos(angle) * head * 0.7, y2 - Math.sin(angle) * head * 0.7);
  pen.beginPath();
  pen.moveTo(x2, y2);
  for (const turn of [0.42, -0.42]) pen.lineTo(x2 - head * Math.cos(angle + turn), y2 - head * Math.sin(angle + turn));
  pen.fill();
  pen.restore();
}

// The proof that nothing separates the points: how often each one counts.
function drawMultipliers(pen, c, scale) {
  const found = state.replay.verdict.multipliers;
  if (!found) return;
  pen.fillStyle = c.ink;
  pen.font = "700 14px system-ui, sans-serif";
  const places = found.rows.map((row) => scale.toPixel(onPlane(state.points[row])));
  for (const at of places) drawRing(pen, c.ink, at, radius() + 3, 2, [3, 2]);
  const largest = places.map((_, i) => i).sort((i, j) => found.shares[j] - found.shares[i]);
  for (const i of largest.slice(0, state.points.length > MANY_POINTS ? MAX_MULTIPLIERS.many : MAX_MULTIPLIERS.few)) {
    drawText(pen, c, `×${found.shown[i]}`, places[i][0] + radius() + 5, places[i][1] - radius());
  }
}

function drawCursor(pen, c, [x, y]) {
  pen.save();
  pen.lineWidth = 1.5;
  drawSegment(pen, c.focus, x - 12, y, x + 12, y);
  drawSegment(pen, c.focus, x, y - 12, x, y + 12);
  pen.restore();
}
