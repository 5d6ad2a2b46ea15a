// The perceptron in JavaScript, for points that are dragged and for the page without a server. On points whose sums are exact
// (multiples of a power of two that are not too large) its ledger is the engine's, number for number; a test compares them.

const MAX_ROUNDS = 20000;
export const signed = (point, label, bias) => (bias ? [...point, 1] : point).map((x) => label * x);
export const dot = (u, v) => u.reduce((sum, x, j) => sum + x * v[j], 0);

// A run as the server's `replay` gives it, without what needs the proof's arithmetic.
export function runHere({ points, labels, bias = true, margin = 1, learner = "perceptron", start = [], rate = 1, passes = 10000, every = false }) {
  const eta = learner === "margin" ? margin : 0;
  const rows = points.map((point) => (bias ? [...point, 1] : [...point]));
  let w = start.length ? [...start] : rows[0].map(() => 0);
  const late = w.map(() => 0); // the sum of t times the update of round t, for the average
  const mean = (t) => w.map((x, j) => (t * x - late[j]) / t);
  const ledger = { round: [], pass: [], row: [], label: [], score: [], weights: [], average: [] };
  const seen = { row: [], score: [] };
  let saved = { weights: null, pass: 0, again: false }; // of the search for a cycle (Brent 1980), as the engine makes it
  let [t, pass, kind] = [0, 0, "budget"];
  while (pass < passes && t + rows.length <= MAX_ROUNDS) {
    const made = ledger.round.length;
    pass += 1;
    rows.forEach((x, i) => {
      const score = dot(w, x);
      const y = labels[i];
      t += 1;
      seen.row.push(i);
      seen.score.push(score);
      if (y * score > eta) return;
      w = w.map((v, j) => v + rate * y * x[j]);
      x.forEach((v, j) => { late[j] += (t - 1) * rate * y * v; });
      const entry = { round: t, pass, row: i, label: y, score, weights: w, average: mean(t) };
      for (const [column, value] of Object.entries(entry)) ledger[column].push(value);
    });
    const isBack = String(w) === saved.weights;
    if (ledger.round.length === made) kind = "separated";
    else if (isBack && saved.again) kind = "cycle";
    else if (isBack || pass >= 2 * saved.pass) saved = { weights: String(w), pass, again: isBack };
    if (kind !== "budget") break;
  }
  const mistakes = ledger.round.length;
  return {
    noun: eta > 0 ? "update" : "mistake", margin: eta, rounds: t, passes: pass, mistakes, sent: mistakes,
    ledger, final: w, average: t ? mean(t) : w, every: every ? seen : null, view: null, kind,
  };
}

// The largest margin γ of a line through the origin, for points of the plane, with R², the bound ⌊R²/γ²⌋ and the direction u;
// null if no such line separates the points. The hull of the signed points is nearest to the origin at one of them, or on the
// side between two, so u is the direction of a point or orthogonal to such a side.
export function bestMargin(points, labels) {
  const all = points.map((point, i) => signed(point, labels[i], false));
  const square = Math.max(...all.map((x) => dot(x, x)));
  let best = null;
  const offer = (u, least) => { // γ² = least² / ‖u‖²
    if (!(least > 0) || all.some((x) => dot(x, u) < least)) return;
    if (!best || least ** 2 * dot(best.u, best.u) > best.least ** 2 * dot(u, u)) best = { u, least };
  };
  all.forEach((a, i) => {
    offer(a, dot(a, a));
    for (const b of all.slice(0, i)) {
      const normal = [b[1] - a[1], a[0] - b[0]];
      const least = dot(a, normal);
      offer(least < 0 ? normal.map((x) => -x) : normal, Math.abs(least));
    }
  });
  if (!best) return null;
  const size = dot(best.u, best.u);
  const u = best.u.map((x) => x / Math.sqrt(size));
  return { gamma: best.least / Math.sqrt(size), square, bound: Math.floor((square * size) / best.least ** 2), u };
}
