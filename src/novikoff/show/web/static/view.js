// Where things are drawn: from points to the plane, and from the plane to pixels.

import { state, dim } from "./state.js";

// The visible part of the plane: its centre and half its width and height. Both axes have the same scale (`equal`),
// unless the points spread so much more along one that the picture would be flat.
const frame = { x: 0, y: 0, halfX: 1.6, halfY: 1.6, equal: true };

export const isEqual = () => frame.equal;

// A point's position in the plane: its two coordinates or, with more than two columns, its projection.
export function onPlane(point) {
  const view = state.replay?.view;
  if (point.length > 2 && view) return [dot(point, view.across), dot(point, view.up)];
  return [point[0], point.length > 1 ? point[1] : 0];
}

// The line a·x + b·y + c = 0 where the weights have score 0, in the plane. With more than two columns most weights have none:
// their scores depend on directions that the plane does not show.
export function lineOf(weights) {
  if (!weights) return null;
  const d = dim();
  const c = state.choices.bias ? weights[d] : 0;
  const view = state.replay?.view;
  if (d <= 2 || !view) return { a: weights[0], b: d > 1 ? weights[1] : 0, c };
  const [a, b] = [dot(weights, view.across), dot(weights, view.up)];
  const outside = view.across.reduce((sum, x, j) => sum + (weights[j] - a * x - b * view.up[j]) ** 2, 0);
  return outside <= 1e-12 * (a * a + b * b) ? { a, b, c } : null;
}

function dot(u, v) {
  let sum = 0;
  for (let j = 0; j < v.length; j++) sum += u[j] * v[j];
  return sum;
}

// The smallest y(w·x + b) over all points: positive if the weights separate them.
export function smallestMargin(weights) {
  const d = dim();
  let least = Infinity;
  state.points.forEach((point, i) => {
    let score = state.choices.bias ? weights[d] : 0;
    for (let j = 0; j < d; j++) score += weights[j] * point[j];
    least = Math.min(least, state.labels[i] * score);
  });
  return least;
}

// The scale of a canvas of this size: functions from the plane to pixels and back, and the visible range.
export function scaleFor(width, height) {
  const { x, y, halfX, halfY, equal } = frame;
  let sx = width / 2 / halfX;
  let sy = height / 2 / halfY;
  if (equal) sx = sy = Math.min(sx, sy);
  return {
    sx,
    sy,
    toPixel: ([px, py]) => [width / 2 + (px - x) * sx, height / 2 - (py - y) * sy],
    toPlane: (qx, qy) => [x + (qx - width / 2) / sx, y - (qy - height / 2) / sy],
    left: x - width / 2 / sx,
    right: x + width / 2 / sx,
    bottom: y - height / 2 / sy,
    top: y + height / 2 / sy,
  };
}

// The lower left and the upper right corner of a canvas, in the plane.
export function cornersOf({ clientWidth, clientHeight }) {
  const { left, bottom, right, top } = scaleFor(clientWidth, clientHeight);
  return [[left, bottom], [right, top]];
}

// Zoom to all points and, unless it is far from them, the origin.
export function fit() {
  const places = state.points.map(onPlane);
  if (!places.length) {
    Object.assign(frame, { x: 0, y: 0, halfX: 1.6, halfY: 1.6, equal: true });
    return;
  }
  const [x, halfX] = range(places.map((p) => p[0]));
  const [y, halfY] = range(places.map((p) => p[1]));
  const equal = dim() !== 2 || (halfX < 8 * halfY && halfY < 8 * halfX);
  Object.assign(frame, { x, y, halfX: halfX || halfY || 1, halfY: halfY || halfX || 1, equal });
}

function range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const span = high - low;
  if (low > 0 && low < 2 * span) low = 0;
  if (high < 0 && -high < 2 * span) high = 0;
  return [(low + high) / 2, ((high - low) / 2) * 1.3];
}

// Placed points snap to a grid whose step is a power of two, so that their sums are exact.
export function snapped(value, span) {
  const unit = 2 ** Math.round(Math.log2(span / 110));
  return Math.round(value / unit) * unit;
}
