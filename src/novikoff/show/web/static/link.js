// The state in the fragment of an address: the points and choices, and how far the run was.

import { state, place } from "./state.js";

const MOST_POINTS = 2000;

export function toHash() {
  if (state.points.length > MOST_POINTS) {
    throw new Error(`a link holds up to ${MOST_POINTS.toLocaleString("en")} points, and there are ${state.points.length.toLocaleString("en")}: export them as CSV`);
  }
  const kept = { v: 1, c: state.choices, k: state.k };
  if (state.preset) kept.preset = state.preset;
  else Object.assign(kept, { p: state.points, y: state.labels, n: state.names, l: state.label, s: state.classes });
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// Put the state back; returns how far the run was. Throws when the link was cut or changed.
export function fromHash(hash, presets) {
  let kept;
  try {
    const text = atob(hash.replaceAll("-", "+").replaceAll("_", "/"));
    kept = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
  } catch {
    kept = null;
  }
  const preset = presets.find((one) => one.name === kept?.preset);
  if (!kept || kept.v !== 1 || typeof kept.c !== "object" || !(preset || looksRight(kept))) {
    throw new Error("the link is damaged, perhaps cut short when it was copied: copy all of it");
  }
  place(preset ?? { points: kept.p, labels: kept.y, names: kept.n, label: kept.l, classes: kept.s });
  state.preset = preset ? preset.name : "";
  state.table = null;
  for (const key of Object.keys(state.choices)) if (key in kept.c) state.choices[key] = kept.c[key];
  return Number.isInteger(kept.k) && kept.k > 0 ? kept.k : 0;
}

const looksRight = ({ p, y }) =>
  Array.isArray(p) && Array.isArray(y) && p.length === y.length && p.every((point) => Array.isArray(point) && point.every(Number.isFinite));
