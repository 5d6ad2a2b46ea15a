// The pictures of the lessons, as SVG. Each view draws one step and returns `facts`, the numbers of the step, and `words` about it.

import { count, plural, short } from "./format.js";
import { bestMargin, dot, runHere } from "./perceptron.js";
import { rectangles } from "./regions.js";

const SVG = "http://www.w3.org/2000/svg";
export const kindOf = (run) => run.kind ?? run.verdict.kind;
export const updatesBy = (run, t) => run.ledger.round.filter((round) => round <= t).length;
const sign = (y) => (y > 0 ? "+" : "−");
const vector = (w) => `(${w.map((x) => short(x)).join(", ")})`;
const tick = (holds) => (holds ? "✓" : "✗");
const mark = (left, relation, right, holds) => `${left} ${relation} ${right} ${tick(holds)}`;

// An element of a picture; text is put in as text.
export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  made.append(...children.filter((child) => child !== null).map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

const text = (x, y, words, more = {}) => element("text", { x, y, ...more }, words);
const line = (x1, y1, x2, y2, look) => element("line", { x1, y1, x2, y2, class: look });

// A part of the picture with its own scale: from points to pixels, the same scale on both axes, with all `places` in view, below its title.
function plane(around, places, title = "") {
  const top = title ? 22 : 0;
  const box = { ...around, y: around.y + top, height: around.height - top };
  const [xs, ys] = [0, 1].map((j) => [0, ...places.map((place) => place[j])]);
  const middle = [xs, ys].map((all) => (Math.min(...all) + Math.max(...all)) / 2);
  const spans = [xs, ys].map((all) => Math.max(...all) - Math.min(...all) || 1);
  const scale = 0.9 * Math.min((box.width - 40) / spans[0], (box.height - 40) / spans[1]);
  const at = ([x, y]) => [box.x + box.width / 2 + (x - middle[0]) * scale, box.y + box.height / 2 - (y - middle[1]) * scale];
  const back = (px, py) => [middle[0] + (px - box.x - box.width / 2) / scale, middle[1] - (py - box.y - box.height / 2) / scale];
  return { ...box, title, at, back, scale, far: (box.width + box.height) / scale };
}

let clips = 0;
function panel(scale) {
  const id = `clip${(clips += 1)}`;
  const { x, y, width, height, title } = scale;
  const inside = element("g", { "clip-path": `url(#${id})` });
  const [ox, oy] = scale.at([0, 0]);
  inside.append(line(x, oy, x + width, oy, "axis"), line(ox, y, ox, y + height, "axis"));
  const outside = element("g", {}, element("clipPath", { id }, element("rect", { x, y, width, height })), element("rect", { x, y, width, height, class: "frame" }), inside);
  if (title) outside.append(text(x + 2, y - 6, title, { class: "title" }));
  return { inside, outside };
}

// The line where a·x + b·y + c = 0, and the tints of its sides.
function boundary(scale, [a, b, c = 0], look, tinted = false) {
  const size = Math.hypot(a, b);
  if (!(size > 0)) return tinted && c ? element("rect", { x: scale.x, y: scale.y, width: scale.width, height: scale.height, class: c > 0 ? "tint plus" : "tint minus" }) : element("g");
  const [n, d] = [[a / size, b / size], [-b / size, a / size]];
  const centre = scale.back(scale.x + scale.width / 2, scale.y + scale.height / 2);
  const off = (a * centre[0] + b * centre[1] + c) / size;
  const foot = [centre[0] - off * n[0], centre[1] - off * n[1]];
  const end = (along, across) => scale.at([foot[0] + along * d[0] + across * n[0], foot[1] + along * d[1] + across * n[1]]);
  const { far } = scale;
  const [one, two] = [end(far, 0), end(-far, 0)];
  const half = (side, tint) => element("polygon", { points: [one, two, end(-far, side * far), end(far, side * far)].map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), class: tint });
  return element("g", {}, ...(tinted ? [half(1, "tint plus"), half(-1, "tint minus")] : []), line(...one, ...two, look));
}

// The line where a·x + b·y + p·xy + c = 0: with the product as a feature it is curved.
function hyperbola(scale, [a, b, p, c], look) {
  const [from, to] = [scale.x, scale.x + scale.width].map((px) => scale.back(px, 0)[0]);
  const parts = [[], []]; // left and right of where it is vertical
  for (let i = 0; i <= 400; i++) {
    const x = from + (i / 400) * (to - from);
    const [px, py] = scale.at([x, -(c + a * x) / (b + p * x)]);
    if (Math.abs(py) < 1e4) parts[Number(b + p * x > 0)].push(`${px.toFixed(1)},${py.toFixed(1)}`);
  }
  return element("g", {}, ...parts.map((points) => element("polyline", { points: points.join(" "), class: `curve ${look}` })));
}

function arrow(scale, from, to, name, look) {
  const [[x1, y1], [x2, y2]] = [scale.at(from), scale.at(to)];
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return element("g");
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const right = Math.min(x2 + 8, scale.x + scale.width - 4 - 10 * name.length); // the name stays in its panel
  const wing = (turn) => `${(x2 - 12 * Math.cos(angle + turn)).toFixed(1)},${(y2 - 12 * Math.sin(angle + turn)).toFixed(1)}`;
  return element("g", { class: `arrow ${look}` }, line(x1, y1, x2 - 8 * Math.cos(angle), y2 - 8 * Math.sin(angle), ""),
    element("polygon", { points: `${x2},${y2} ${wing(0.4)} ${wing(-0.4)}` }), text(right, y2 - 6 - (right < x2 + 8 ? 6 : 0), name, { class: "symbol" }));
}

// A point as a disc with its sign, or with a question mark while its label is hidden.
function disc(scale, place, label, { ring = false, name = "", r = 10 } = {}) {
  const [x, y] = scale.at(place);
  const parts = [element("circle", { cx: x, cy: y, r, class: label ? (label > 0 ? "plus" : "minus") : "hidden" }),
    text(x, y + 5, label ? sign(label) : "?", { class: "sign" })];
  if (ring) parts.unshift(element("circle", { cx: x, cy: y, r: r + 5, class: "ring" }));
  if (name) parts.push(text(x + 14, y - 10, name, { class: "symbol" }));
  return element("g", {}, ...parts);
}

// A conjunction in a tile: the numbers of its variables, ⊤ if it has none.
const inTile = (name) => name.replaceAll(/[x∧ ]/g, "").replaceAll(/[₀-₉]/g, (digit) => String(digit.charCodeAt(0) - 8320));
const padded = (point) => (point.length === 1 ? [point[0], 0] : point.slice(0, 2));
const weightsAfter = (run, k) => (k > 0 ? run.ledger.weights[k - 1] : run.start?.length ? run.start : run.final.map(() => 0));
const asLine = (run, w) => [w[0], w[1] ?? 0, run.bias === false ? 0 : w[w.length - 1]];

// What an update was for and what it did.
function aboutUpdate(run, k) {
  const { row, label, score, weights, round } = run.ledger;
  const i = k - 1;
  const why = score[i] === 0 ? "neither + nor −" : label[i] * score[i] > 0 ? (run.margin > 0 ? `right, but not by more than η = ${short(run.margin)}` : "right, but by too little") : "the wrong sign";
  const y = sign(label[i]);
  const becomes = run.bias === false ? `So w becomes w ${y} ${run.rate ? "½x" : "x"}` : `So (w, b) becomes (w, b) ${y} (x, 1)`;
  if (!weights) return `Round ${count(round[i])}: row ${row[i]} is ${y}. Its score was ${short(score[i])}, ${why}.`;
  const point = run.points[row[i]].length > 1 ? `${row[i] + 1}, ${vector(run.points[row[i]])},` : row[i] + 1;
  return `Round ${count(round[i])}: point ${point} is ${y}. Its score was ${short(score[i])}, ${why}. ${becomes} = ${vector(weights[i])}.`;
}

const views = {
  plane({ box, run: recorded, step, answered, given, tip, picked, runs }) {
    const run = step.eta ? { ...recorded, ...runHere({ ...recorded, learner: "margin", margin: tip[0], passes: 1000 }) } : recorded;
    const t = step.t ?? 0;
    const before = step.round ? updatesBy(run, step.round - 1) : null;
    const k = step.round ? (answered ? updatesBy(run, step.round) : before) : step.k ?? (t < 0 ? run.sent : updatesBy(run, t));
    const shown = step.tip ? tip : weightsAfter(run, k);
    const places = run.points.map(padded);
    const drawsArrow = run.bias === false && (step.tip || run.start);
    const scale = plane(box, [...places, ...(drawsArrow ? [weightsAfter(run, run.sent), shown] : [])]);
    const { inside, outside } = panel(scale);
    const facts = [];
    let margin = 0;
    const hidesLine = step.unseen && !answered;
    if (shown.some((x) => x !== 0) && !hidesLine) {
      inside.append(boundary(scale, asLine(run, shown), "line", true));
      if (drawsArrow) inside.append(arrow(scale, [0, 0], shown, "w", step.tip ? "tip" : ""));
    }
    for (const name of step.lines ?? []) if (run.ledger[name]) inside.append(boundary(scale, asLine(run, k === run.sent && t < 0 ? run[name] : run.ledger[name][k - 1]), name));
    if (step.ask?.separated && answered) {
      const w = runs[step.ask.separated[1]].final;
      inside.append(hyperbola(scale, w, "line"));
      facts.push(["boundary", `${short(w[0])}x₁ + ${short(w[1])}x₂ ${sign(w[2])} ${short(Math.abs(w[2]))}x₁x₂ ${sign(w[3])} ${short(Math.abs(w[3]))} = 0`]);
    }
    if (step.band && shown.some((x) => x !== 0)) {
      const least = Math.min(...run.points.map((x, i) => run.labels[i] * dot(shown, x)));
      for (const side of [-least, least]) if (least > 0) inside.append(boundary(scale, [shown[0], shown[1], side], "band"));
      margin = least / Math.hypot(...shown);
      if (least > 0) facts.push(["margin of w", short(margin)]);
    } else if (step.band) {
      const best = bestMargin(run.points, run.labels);
      for (const side of [0, -best.gamma, best.gamma]) inside.append(boundary(scale, [...best.u, side], side ? "band" : "best"));
      facts.push(["best margin γ", short(best.gamma)], ["R²", short(best.square)]);
    }
    const now = step.round ? run.every.row[step.round - 1] : step.ring ?? (step.k > 0 ? run.ledger.row[step.k - 1] : picked ?? -1);
    places.forEach((place, i) => {
      const comes = run.every?.row.indexOf(i) ?? -1; // the round, from 0, in which the point first comes
      if (step.unseen && comes >= (step.round ?? 0)) return;
      const hidden = step.unseen && i === now && !answered;
      inside.append(disc(scale, place, hidden ? 0 : run.labels[i], { ring: i === now, name: step.named ? String(i + 1) : step.tip === true || step.ask?.kind === "pick" ? vector(place) : "" }));
    });
    let words;
    if (step.round) {
      const [i, score] = [now, run.every.score[step.round - 1]];
      const said = score !== 0 ? sign(score) : `nothing, because ${weightsAfter(run, before).some((v) => v !== 0) ? "the point is on its line" : "it has no line yet"}`;
      words = `Round ${step.round}: a point comes.`;
      if (answered) words = `Round ${step.round}: the point is ${sign(run.labels[i])}. The machine said ${said}: ${k > before ? "a mistake, so it changes its line" : "right, so it changes nothing"}.`;
      const done = answered ? step.round : step.round - 1;
      facts.push(["the machine’s mistakes", count(updatesBy(run, done))]);
      if (step.unseen) facts.push(["your mistakes", count(given.filter((y, r) => r < done && y && y !== run.labels[run.every.row[r]]).length)]);
    } else if (step.k) words = aboutUpdate(run, step.k);
    if (step.tip === "line") facts.push(["right", `${run.points.filter((x, i) => run.labels[i] * (dot(x, tip) + tip[2]) > 0).length} of ${run.points.length}`]);
    else if (step.eta) {
      const best = bestMargin(run.points, run.labels);
      const limit = Math.floor((best.square + 2 * run.margin) / best.gamma ** 2);
      facts.push(["η", short(run.margin)], ["best margin γ", short(best.gamma)], ["updates", mark(count(run.mistakes), "≤", `(R² + 2η)/γ² = ${count(limit)}`, run.mistakes <= limit)]);
    } else if (step.ask?.check === "cancels") {
      const sum = [0, 1, 2].map((j) => run.points.reduce((total, x, i) => total + tip[i] * run.labels[i] * [...x, 1][j], 0));
      facts.push(["signed corners", run.points.map((x, i) => vector([...x, 1].map((v) => run.labels[i] * v))).join(" ")], ["sum, each times its λ", mark(vector(sum), "=", "(0, 0, 0)", sum.every((v) => v === 0))]);
    } else if (!step.round && !step.band && !step.ask?.separated && shown.some((x) => x !== 0)) facts.push([run.bias === false ? "w" : "(w, b)", vector(shown)]);
    if (step.lines) facts.push(["solid", "the last weights"], ["dashed", "the average of the weights"]);
    return { parts: [outside], facts, words, scale, tipAt: step.tip === true ? shown : null, places, margin };
  },

  // Left: before. Middle: the sum. Right: after. All on one scale.
  update({ box, run, step }) {
    const { k } = step;
    const [row, y] = [run.ledger.row[k - 1], run.ledger.label[k - 1]];
    const [before, after] = [weightsAfter(run, k - 1), weightsAfter(run, k)];
    const x = run.points[row];
    const tall = box.width < 520;
    const boxes = [0, 1, 2].map((i) => (tall
      ? { x: box.x + ([0, 2, 1][i] * box.width) / 4, y: box.y + (Math.floor(i / 2) * box.height) / 2, width: box.width / 2 - 6, height: box.height / 2 - 6 }
      : { x: box.x + (i * box.width) / 3, y: box.y, width: box.width / 3 - 6, height: box.height }));
    const titles = ["before", `w ${sign(y)} x`, "after"];
    const parts = boxes.map((one, i) => {
      const scale = plane(one, [before, after, x, x.map((v) => y * v)], titles[i]);
      const { inside, outside } = panel(scale);
      if (i === 0) inside.append(boundary(scale, before, "line", true), arrow(scale, [0, 0], before, "w", ""), disc(scale, x, y, { ring: true, name: "x" }));
      if (i === 1) inside.append(arrow(scale, [0, 0], before, "w", "old"), arrow(scale, before, after, `${sign(y)}x`, y > 0 ? "plus" : "minus"), arrow(scale, [0, 0], after, "", ""));
      if (i === 2) inside.append(boundary(scale, after, "line", true), arrow(scale, [0, 0], after, `w ${sign(y)} x`, ""), disc(scale, x, y, { ring: true, name: "x" }));
      return outside;
    });
    const score = run.ledger.score[k - 1];
    const facts = [["score before", short(score)], ["‖x‖²", short(dot(x, x))]];
    if (!step.ask) facts.push(["score after", `${short(score)} ${sign(y)} ${short(dot(x, x))} = ${short(dot(after, x))}`]);
    return { parts, facts, words: aboutUpdate(run, k) };
  },

  // The two claims of the proof, as bars with their limits.
  bars({ box, run, step, answered }) {
    const { k } = step;
    const u = run.verdict.witness.map((x, _, all) => x / Math.hypot(...all));
    const w = weightsAfter(run, k);
    const square = Number(run.radius_squared);
    const gamma = Math.min(...run.points.map((x, i) => run.labels[i] * dot(x, u)));
    const half = box.width < 520 ? { ...box, height: box.height / 2 } : { ...box, width: box.width / 2 };
    const scale = plane({ ...half, width: half.width - 6, height: half.height - 6 }, [...run.points, u.map((x) => 4 * x)], "the points, and u");
    const { inside, outside } = panel(scale);
    inside.append(boundary(scale, u, "best"), arrow(scale, [0, 0], u.map((x) => 4 * x), "u", "best"));
    if (k) inside.append(boundary(scale, w, "line"));
    run.points.forEach((x, i) => inside.append(disc(scale, x, run.labels[i], { ring: k > 0 && run.ledger.row[k - 1] === i })));
    const chart = box.width < 520 ? { x: box.x, y: box.y + box.height / 2, width: box.width, height: box.height / 2 } : { x: box.x + box.width / 2, y: box.y, width: box.width / 2, height: box.height };
    const most = run.sent;
    const known = (step.claims ?? 2) + Number(Boolean(step.ask && answered)); // how many of the two claims the student has found
    const claims = [
      ["‖w‖²", dot(w, w), "≤", `kR² = ${short(k * square)}`, k * square, most * square, "at most"],
      ["w·u", dot(w, u), "≥", `kγ = ${short(k * gamma)}`, k * gamma, Math.max(...run.ledger.weights.map((v) => dot(v, u))), "at least"],
    ];
    const facts = [["mistakes k", count(k)]];
    const bars = claims.map(([name, value, relation, limit, at, largest, how], i) => {
      const y = chart.y + (chart.height * (i + 0.5)) / 2;
      const x = (v) => chart.x + 12 + (v / largest) * (chart.width - 40);
      const found = i < known;
      if (found) facts.push([i ? "claim II" : "claim I", mark(`${name} = ${short(value)}`, relation, limit, i ? value >= at - 1e-9 : value <= at)]);
      return element("g", {}, text(chart.x + 12, y - 26, `${name} = ${short(value)}${found ? `, ${how} ${limit}` : ""}`),
        element("rect", { x: x(0), y: y - 14, width: Math.max(0, x(value) - x(0)), height: 22, class: i ? "bar average" : "bar ink" }),
        found ? line(x(at), y - 20, x(at), y + 14, i ? "limit lower" : "limit upper") : null, line(x(0), y + 16, x(largest), y + 16, "axis"));
    });
    return { parts: [outside, ...bars], facts, words: k ? aboutUpdate(run, k) : "" };
  },

  // kγ and R√k against k: they meet at the bound.
  curves({ box, run, step }) {
    const { k } = step;
    const [square, most] = [Number(run.radius_squared), 30];
    const gamma = Math.sqrt(square / run.bound);
    const x = (v) => box.x + 44 + (v / most) * (box.width - 60);
    const y = (v) => box.y + box.height - 34 - (v / (Math.max(Math.sqrt(square * most), gamma * most) + 1)) * (box.height - 60);
    const path = (f, look, end) => element("polyline", { points: Array.from({ length: 10 * end + 1 }, (_, i) => `${x(i / 10).toFixed(1)},${y(f(i / 10)).toFixed(1)}`).join(" "), class: look });
    const parts = [line(x(0), y(0), x(most), y(0), "axis"), line(x(0), y(0), x(0), box.y + 10, "axis"),
      path((v) => gamma * v, "curve lower", k), path((v) => Math.sqrt(square * v), "curve upper", k)];
    const [crossed, side, end] = k > 15 ? [k > run.bound, "end", x(k) - 12] : [false, "", x(k)];
    for (const v of [10, 20, 30]) parts.push(text(x(v), y(0) + 18, String(v), { class: "number" }), text(x(0) - 8, y(v) + 5, String(v), { class: "number end" }));
    parts.push(text(x(0) + 6, box.y + 18, "length", { class: "soft" }), text(x(most), y(0) + 32, "mistakes k", { class: "end" }), crossed ? text(end, y(gamma * k) - 8, "kγ", { class: "name lower end" }) : text(x(k) + 2, y(gamma * k) + 22, "kγ", { class: "name lower" }), text(crossed ? x(k) : end, y(Math.sqrt(square * k)) + (crossed ? 26 : -8), "R√k", { class: `name upper ${side}` }));
    run.ledger.weights.forEach((w, i) => { if (i < k) parts.push(element("circle", { cx: x(i + 1), cy: y(Math.hypot(...w)), r: 5, class: "ink" })); });
    if (k >= run.bound) parts.push(element("circle", { cx: x(run.bound), cy: y(gamma * run.bound), r: 9, class: "ring" }));
    const [low, high] = [k * gamma, Math.sqrt(square * k)];
    return { parts, facts: [["k", count(k)], ["both together", mark(`kγ = ${short(low)}`, "≤", `R√k = ${short(high)}`, low <= high + 1e-12)], ["dots", "‖w‖ in the run"]] };
  },

  // Points that are dragged: the run is made again by the page, and its numbers follow.
  drag({ box, run, places, picked }) {
    const made = runHere({ points: places, labels: run.labels, bias: false });
    const best = bestMargin(places, run.labels);
    const scale = plane(box, [[-6, -5], [6, 5]]);
    const { inside, outside } = panel(scale);
    if (kindOf(made) === "separated") inside.append(boundary(scale, made.final, "line", true));
    if (best) for (const side of [-best.gamma, best.gamma]) inside.append(boundary(scale, [...best.u, side], "band"));
    places.forEach((place, i) => inside.append(disc(scale, place, run.labels[i], { ring: i === picked })));
    const facts = [["mistakes M", kindOf(made) === "separated" ? count(made.mistakes) : "no end: no line through the origin separates"]];
    if (best) facts.push(["γ", short(best.gamma)], ["R²", short(best.square)], ["limit", mark(`M = ${count(made.mistakes)}`, "≤", `(R/γ)² = ${count(best.bound)}`, made.mistakes <= best.bound)]);
    return { parts: [outside], facts, words: "", scale, places, made };
  },

  // Mistakes against rounds, for runs that no plane shows.
  history({ box, run, step }) {
    const { k } = step;
    const x = (t) => box.x + 50 + (t / run.rounds) * (box.width - 70);
    const y = (m) => box.y + box.height - 40 - (m / Math.max(1, run.sent)) * (box.height - 60);
    const made = run.ledger.round.slice(0, k).flatMap((t, i) => [`${x(t)},${y(i)}`, `${x(t)},${y(i + 1)}`]);
    const parts = [line(x(0), y(0), x(run.rounds), y(0), "axis"), line(x(0), y(0), x(0), box.y + 10, "axis"),
      element("polyline", { points: [`${x(0)},${y(0)}`, ...made].join(" "), class: "curve lower" }),
      text(x(run.rounds), y(0) + 18, plural(run.rounds, "round"), { class: "end" }), text(x(0) - 6, y(run.sent) + 10, count(run.sent), { class: "end" })];
    return { parts, facts: [], words: k ? aboutUpdate(run, k) : "" };
  },

  // The unit vectors, one after the other: a row of squares.
  axes({ box, run, answered }) {
    const [n, across] = [run.sent, 5];
    const size = Math.min(box.width, box.height) / (across + 1);
    const left = box.x + (box.width - across * size) / 2;
    const parts = Array.from({ length: n }, (_, i) => {
      const [x, y] = [left + (i % across) * size, box.y + size / 2 + Math.floor(i / across) * size];
      return element("g", {}, element("rect", { x, y, width: size - 6, height: size - 6, class: answered ? "bit on" : "bit" }), text(x + size / 2 - 3, y + size / 2 + 3, answered ? "✗" : "₁₂₃₄₅₆₇₈₉"[i] ? `e${"₁₂₃₄₅₆₇₈₉"[i]}` : "… eₙ", { class: answered ? "sign" : "sign ink" }));
    }).slice(0, answered ? n : 10);
    return { parts, facts: answered ? [["mistakes", count(run.mistakes)], ["(R/γ)²", count(run.bound)]] : [["R", "1"], ["γ", "1/√n"]], words: "" };
  },

  // A number line and, with the constant, the same points at height 1 in the plane (x, b).
  lift({ box, run, step, tip }) {
    const lifted = run.bias !== false;
    const k = step.k < 0 ? run.sent : step.k;
    const w = step.tip ? tip : weightsAfter(run, k);
    const places = run.points.map(([x]) => [x, lifted ? 1 : 0]);
    const scale = plane(box, [...places, [5, 2], [-2, -2]], lifted ? "the points (x, 1)" : "the number line");
    const { inside, outside } = panel(scale);
    if (w.some((v) => v !== 0)) {
      if (lifted) inside.append(boundary(scale, w, "line", true));
      const cut = lifted ? -w[1] / w[0] : 0;
      if (Number.isFinite(cut)) inside.append(element("circle", { cx: scale.at([cut, lifted ? 1 : 0])[0], cy: scale.at([cut, lifted ? 1 : 0])[1], r: 5, class: "ink" }));
    }
    if (lifted) inside.append(line(...scale.at([-9, 1]), ...scale.at([9, 1]), "axis"));
    places.forEach((place, i) => inside.append(disc(scale, place, run.labels[i], { name: String(run.points[i][0]), ring: !step.tip && k > 0 && step.k > 0 && run.ledger.row[k - 1] === i })));
    const facts = lifted ? [["weights (w, b)", vector(w)], ["threshold −b/w", w[0] ? short(-w[1] / w[0]) : "none"]] : [["score", "w·x"]];
    if (lifted) facts.push(["right", `${run.points.filter(([x], i) => run.labels[i] * (w[0] * x + (lifted ? w[1] : 0)) > 0).length} of ${run.points.length}`]);
    return { parts: [outside], facts, words: step.k > 0 ? aboutUpdate(run, k) : "" };
  },

  // The scores of one point: a rung for each time that it comes.
  ladder({ box, run, step, answered }) {
    const shown = step.ask && answered ? run.every.score.length : step.k + 1;
    const all = run.every.score;
    const [low, high] = [Math.min(...all), Math.max(...all, 5)];
    const y = (v) => box.y + 24 + ((high - v) / (high - low)) * (box.height - 60);
    const x = (i) => box.x + 60 + ((i + 0.5) / 7) * (box.width - 80);
    const parts = [line(box.x + 40, y(0), box.x + box.width - 10, y(0), "axis"), text(box.x + 10, y(0) + 5, "0"), text(box.x + 10, box.y + 18, "score", { class: "soft" }), text(box.x + box.width - 10, box.y + box.height - 8, "times that it comes", { class: "soft end" })];
    all.slice(0, shown).forEach((score, i) => {
      if (i) parts.push(line(x(i - 1), y(all[i - 1]), x(i), y(score), "step"));
      parts.push(element("circle", { cx: x(i), cy: y(score), r: 11, class: score > 0 ? "right" : "wrong" }), text(x(i), y(score) + 5, score > 0 ? "✓" : "✗", { class: "sign" }), text(x(i), y(score) + 30, short(score), { class: "number" }));
    });
    return { parts, facts: [["‖x‖²", "5"], ["scores", all.slice(0, shown).map((s) => short(s)).join(", ")], ["mistakes", count(all.slice(0, shown).filter((s) => s <= 0).length)]], words: step.k > 0 ? aboutUpdate(run, step.k) : "" };
  },

  // Examples as rows of bits, with their labels, and the version space: a tile for each conjunction, filled while it is left.
  bits({ box, run, step, answered }) {
    const { seen, predicts } = run[step.protocol];
    const t = step.t < 0 ? seen.length : step.t;
    const rows = seen.slice(0, t);
    const left = new Set(t ? seen[t - 1].left : run.concepts.map((_, i) => i));
    const n = rows[0]?.bits.length ?? 5;
    const tall = box.width < 520;
    const [wide, high] = tall ? [box.width, box.height * 0.54] : [box.width * 0.46, box.height];
    const size = Math.max(8, Math.min(44, (high - 30) / 7, (wide - 110) / n));
    const parts = Array.from({ length: n }, (_, j) => text(box.x + 12 + (j + 0.5) * size, box.y + 18, `x${"₁₂₃₄₅"[j]}`, { class: "number" }));
    parts.push(text(box.x + 20 + n * size, box.y + 18, "label", { class: "soft" }), text(box.x + 64 + n * size, box.y + 18, predicts ? "said" : "", { class: "soft" }));
    rows.forEach(({ bits, label, said }, i) => {
      const y = box.y + 26 + i * size;
      [...bits].forEach((bit, j) => parts.push(element("rect", { x: box.x + 12 + j * size, y, width: size - 3, height: size - 3, class: bit === "1" ? "bit on" : "bit" }), text(box.x + 10.5 + (j + 0.5) * size, y + size / 2 + 3, bit, { class: bit === "1" ? "sign" : "number" })));
      parts.push(text(box.x + 32 + n * size, y + size / 2 + 4, sign(label), { class: label > 0 ? "name plus" : "name minus" }), text(box.x + 70 + n * size, y + size / 2 + 4, predicts ? `${sign(said)} ${said === label ? "" : "✗"}` : ""));
    });
    if (!t) parts.push(text(box.x + 12, box.y + 44, "no example yet", { class: "soft" }));
    const columns = 4 * (1 + Number(tall));
    const [x0, y0] = tall ? [box.x + 4, box.y + high + 22] : [box.x + wide + 10, box.y + 30];
    const [across, down] = [(box.x + box.width - 4 - x0) / columns, Math.min(44, (box.y + box.height - y0) / Math.ceil(run.size / columns))];
    parts.push(text(x0, y0 - 10, `conjunctions left: ${left.size} of ${run.size}`, { class: "soft" }));
    run.concepts.forEach((name, i) => {
      const [x, y] = [x0 + (i % columns) * across, y0 + Math.floor(i / columns) * down];
      parts.push(element("rect", { x, y, width: across - 3, height: down - 3, class: left.has(i) ? "bit on" : "bit" }), text(x + across / 2 - 1.5, y + down / 2 + 3, inTile(name), { class: `${left.has(i) ? "sign" : "number"} ${inTile(name).length > 4 ? "small" : ""}` }));
    });
    const last = rows.at(-1);
    const split = last && t > 1 ? seen[t - 2].left.length : run.size;
    const words = {
      asks: last && `Question ${t}: is ${last.bits} + or −? The answer is ${sign(last.label)}: x${"₁₂₃₄₅"[last.bits.indexOf("0")]} ${last.label > 0 ? "does not matter" : "is needed"}.`,
      halving: last && `The adversary shows ${last.bits}. Halving says ${sign(last.said)}, the adversary “wrong”: ${count(left.size)} of ${count(split)} conjunctions are left.`,
    }[step.protocol] ?? (last && `Example ${t}: ${last.bits} is ${sign(last.label)}.${predicts ? ` The learner said ${sign(last.said)}: ${last.said === last.label ? "right" : "a mistake"}.` : ` ${plural(left.size, "conjunction")} left.`}`);
    const facts = [["conjunctions left", `${left.size} of ${run.size}`]];
    if (predicts) facts.push(["mistakes", count(rows.filter((one) => one.said !== one.label).length)]);
    if (left.size === 1 && (step.protocol !== "teacher" || (step.ask && answered))) facts.push(["it is", run.concepts[[...left][0]]]);
    if (step.protocol === "halving" && answered) facts.push(["limit", mark(count(t), "≤", `⌊log₂ ${run.size}⌋ = ${run.halving_bound}`, t <= run.halving_bound)]);
    return { parts, facts, words: words ?? "" };
  },

  // How many conjunctions are left after each mistake that an adversary forces: CON beside Halving.
  contest({ box, run, step, answered }) {
    const { k } = step;
    const most = run.con.mistakes;
    const x = (m) => box.x + 44 + (m / most) * (box.width - 70);
    const y = (v) => box.y + box.height - 44 - (v / run.size) * (box.height - 76);
    const parts = [line(x(0), y(0), x(most), y(0), "axis"), line(x(0), y(0), x(0), y(run.size), "axis"), text(x(0) - 30, box.y + 16, "conjunctions left", { class: "soft" }), text(x(most), y(0) + 36, "mistakes", { class: "soft end" })];
    for (const m of [5, 10, 20, 31]) parts.push(text(x(m), y(0) + 18, String(m), { class: "number" }));
    for (const v of [1, 8, 16, 32]) parts.push(text(x(0) - 8, y(v) + 5, String(v), { class: "number end" }));
    const facts = [];
    for (const [key, name, look, limit] of [["con", "CON", "upper", ["|C| − 1", run.con_bound]], ["halving", "Halving", "lower", ["⌊log₂ |C|⌋", run.halving_bound]]]) {
      const counts = [run.size, ...run[key].seen.map((one) => one.left.length)].slice(0, k + 1);
      const made = counts.length - 1;
      parts.push(element("polyline", { points: counts.map((v, m) => `${x(m).toFixed(1)},${y(v).toFixed(1)}`).join(" "), class: `curve ${look}` }));
      counts.forEach((v, m) => parts.push(element("circle", { cx: x(m), cy: y(v), r: 4, class: `dot ${look}` })));
      const late = key === "con" && made > most / 2;
      parts.push(text(x(made) + (late ? 18 : 10), y(counts[made]) + (key === "con" ? (late ? -14 : 4) : 20), name, { class: `name ${look}${late ? " end" : ""}` }));
      if (answered) facts.push([name, `${mark(count(made), "≤", `${limit[0]} = ${limit[1]}`, made <= limit[1])}, ${count(counts[made])} left`]);
    }
    const ended = k > run.halving.mistakes ? "Halving knows the answer and errs no more." : k === run.halving.mistakes ? "Halving knows the answer now." : "Halving lost half of them, CON one.";
    return { parts, facts, words: k ? `After ${plural(k, "forced mistake")}: ${ended}` : "" };
  },

  // What a kernel perceptron predicts where, after k mistakes, and the points that it has mistaken so far.
  regions({ box, run, step, answered }) {
    const k = step.k < 0 ? run.sent : step.k;
    const { low, high } = run.regions;
    const scale = plane(box, [low, high]);
    const { inside, outside } = panel(scale);
    const hides = step.ask?.separated && !answered;
    for (const { from, to, plus } of hides ? [] : rectangles(run.regions, k)) {
      const [[x0, y0], [x1, y1]] = [scale.at(from), scale.at(to)];
      inside.append(element("rect", { x: x0, y: y1, width: x1 - x0, height: y0 - y1, class: plus ? "tint region plus" : "tint region minus" }));
    }
    const kept = new Set(run.ledger.row.slice(0, hides ? 0 : k));
    const r = run.points.length > 60 ? 6 : 10; // many are drawn small, so that they hide less of the tints
    run.points.forEach((place, i) => inside.append(disc(scale, place, run.labels[i], { ring: kept.has(i), r })));
    const facts = hides ? [] : [["mistakes", count(k)], ["points kept (ringed)", `${kept.size} of ${run.points.length}`]];
    return { parts: [outside], facts, words: `After ${plural(k, "mistake")}: ${plural(kept.size, "point")} kept. The score of x is the sum of their kernels with x, each with its sign.` };
  },

  // Mistakes against the number of attributes, both on logarithmic scales.
  race({ box, run, step, answered }) {
    const t = step.t < 0 ? run.n.length : step.t;
    const [first, last] = [run.n[0], run.n.at(-1)];
    const x = (n) => box.x + 50 + (Math.log2(n / first) / Math.log2(last / first)) * (box.width - 180);
    const y = (m) => box.y + box.height - 40 - (Math.log2(m / 4) / Math.log2(last / 4)) * (box.height - 70);
    const parts = [line(x(first), y(4), x(last), y(4), "axis"), line(x(first), y(4), x(first), box.y + 20, "axis")];
    for (const n of run.n) parts.push(text(x(n), y(4) + 18, count(n), { class: "number" }));
    for (const m of [10, 100, 1000]) parts.push(text(box.x + 44, y(m) + 4, count(m), { class: "end" }));
    parts.push(text(x(last), y(4) + 34, "attributes n", { class: "end" }), text(box.x + 10, box.y + 12, "mistakes"));
    const ends = [];
    const knowsLimit = t > 2 || (step.ask && answered);
    for (const [name, look, called] of [["perceptron", "upper", "perceptron"], ["winnow", "lower", "Winnow"], ...(knowsLimit ? [["limit", "bound", "Winnow’s limit"]] : [])]) {
      const values = run[name].slice(0, t);
      parts.push(element("polyline", { points: values.map((m, i) => `${x(run.n[i])},${y(m)}`).join(" "), class: `curve ${look}` }));
      if (name !== "limit") values.forEach((m, i) => parts.push(element("circle", { cx: x(run.n[i]), cy: y(m), r: 6, class: `dot ${look}` })));
      ends.push({ called, look, at: y(values.at(-1)) + 4 });
    }
    ends.sort((one, other) => one.at - other.at);
    ends.forEach((one, i) => {
      if (i) one.at = Math.max(one.at, ends[i - 1].at + 18); // names do not cover each other
      parts.push(text(x(run.n[t - 1]) + 12, one.at, one.called, { class: `name ${one.look}` }));
    });
    const i = t - 1;
    return { parts, words: `n = ${count(run.n[i])}.`, facts: [["attributes n", count(run.n[i])], ["perceptron", plural(run.perceptron[i], "mistake")], ["Winnow", !knowsLimit ? plural(run.winnow[i], "mistake") : mark(String(run.winnow[i]), "≤", `2 + 3k(1 + log₂ n) = ${run.limit[i]}`, run.winnow[i] <= run.limit[i])]] };
  },

  // Predictions and labels in the order in which they come.
  late({ box, run, step, runs, answered }) {
    const t = step.t < 0 ? run.events.length : step.t;
    const events = run.events.slice(0, t);
    const n = run.points.length;
    const height = Math.min(30, (box.height - 30) / n);
    const parts = [["example", 12], ["said", 90], ["label", 165], ["", 215]].map(([name, x]) => text(box.x + x, box.y + 16, name, { class: "soft" }));
    const shown = (y) => (y === null ? "nothing" : sign(y));
    for (let i = 0; i < n; i++) {
      const [asked, told] = [events.find((e) => e.row === i && "said" in e), events.find((e) => e.row === i && "label" in e)];
      if (!asked) break;
      const y = box.y + 38 + i * height;
      const now = events.at(-1).row === i ? "symbol" : "";
      parts.push(text(box.x + 12, y, vector(run.points[i]), { class: now }), text(box.x + 90, y, shown(asked.said), { class: now }),
        text(box.x + 165, y, told ? sign(told.label) : "…", { class: told ? `name ${told.label > 0 ? "plus" : "minus"}` : "soft" }), text(box.x + 215, y, told ? (told.right ? "right" : "✗ mistake") : "waiting", { class: told && !told.right ? "name" : "soft" }));
    }
    const last = events.at(-1);
    const told = events.filter((e) => "label" in e);
    if (box.width >= 520) { // beside the table: the points that came, and the line of the weights so far
      const scale = plane({ x: box.x + 310, y: box.y, width: box.width - 310, height: box.height }, run.points);
      const { inside, outside } = panel(scale);
      if (told.length) inside.append(boundary(scale, told.at(-1).weights, "line", true));
      for (const { row } of events.filter((e) => "said" in e)) inside.append(disc(scale, run.points[row], told.find((e) => e.row === row)?.label ?? 0, { ring: last.row === row }));
      parts.push(outside);
    }
    const words = last && ("said" in last ? `Example ${last.row + 1} comes. The machine says ${shown(last.said)}${last.said === null ? ": its score is 0" : ""}.` : `The label of example ${last.row + 1} comes: ${sign(last.label)}. The prediction was ${last.right ? "right" : "wrong"}. Now the machine learns from the example, as it was.`);
    const facts = [["predictions", count(events.length - told.length)], ["labels that came", count(told.length)], ["waiting", count(events.length - 2 * told.length)]];
    const asks = step.t < 0 && !answered; // how many mistakes there are
    if (!asks) facts.push(["mistakes", count(told.filter((e) => !e.right).length)]);
    if (step.t < 0) facts.push(["with labels at once", count(runs.prompt.mistakes)]);
    return { parts, words: words ?? "", facts };
  },
};

// Draw a step of a lesson into `svg`.
export function drawStep(svg, given) {
  const [width, height] = [svg.clientWidth || 600, svg.clientHeight || 480];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const drawn = views[given.step.view]({ ...given, box: { x: 4, y: 4, width: width - 8, height: height - 8 } });
  svg.replaceChildren(...drawn.parts);
  return drawn;
}
