// The state of the page in the fragment of its address: the points, the choices and the step.

import { count } from "./format.js";
import { setPoints, state } from "./state.js";

const MAX_POINTS = 2000;

export function toHash() {
  if (state.points.length > MAX_POINTS) {
    throw new Error(`a link can hold ${count(MAX_POINTS)} points, and there are ${count(state.points.length)}: save them as CSV instead`);
  }
  const kept = { v: 1, c: state.choices, k: state.k };
  if (state.preset) kept.preset = state.preset;
  else Object.assign(kept, { p: state.points, y: state.labels, n: state.names, l: state.label, s: state.classes });
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// Restore the points and choices, and return the step. Throws if the link is damaged.
export function fromHash(hash, presets) {
  let kept;
  try {
    const text = atob(hash.replaceAll("-", "+").replaceAll("_", "/"));
    kept = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
  } catch {
    kept = null;
  }
  const preset = presets.find((one) => one.name === kept?.preset);
  if (kept?.v !== 1 || !hasChoices(kept) || !(preset || hasPoints(kept))) {
    throw new Error("the link is damaged; perhaps only part of it was copied");
  }
  setPoints(preset ?? { points: kept.p, labels: kept.y, names: kept.n, label: kept.l, classes: kept.s });
  state.preset = preset ? preset.name : "";
  state.table = null;
  for (const key of Object.keys(state.choices)) if (key in kept.c) state.choices[key] = kept.c[key];
  return Number.isInteger(kept.k) && kept.k > 0 ? kept.k : 0;
}

const isListOf = (fits, list, length) => Array.isArray(list) && list.length === length && list.every(fits);
const isText = (value) => typeof value === "string";
const isLabel = (value) => value === 1 || value === -1;
const isPoint = (dim) => (point) => isListOf(Number.isFinite, point, dim);

const hasChoices = ({ c }) => c && typeof c === "object" && Object.keys(state.choices).every((key) => !(key in c) || typeof c[key] === typeof state.choices[key]);
const hasPoints = ({ p, y, n, l, s }) =>
  isListOf(isText, n, n?.length) && n.length > 0 && isText(l) && isListOf(isText, s, 2)
  && isListOf(isPoint(n.length), p, p?.length) && isListOf(isLabel, y, p.length);
