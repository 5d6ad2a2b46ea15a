// The two small charts: the inequalities of the proof, and the mistakes against their bound.

import { state, ended } from "./state.js";
import { colours, ready } from "./plane.js";

const SIDE = { left: 40, right: 10, top: 10, bottom: 24 };
const words = (id, text) => { document.getElementById(id).textContent = text; };
const whole = (n) => n.toLocaleString("en");

function axes(id, most, high, under) {
  const canvas = document.getElementById(id);
  const { pen, width, height } = ready(canvas);
  const c = colours();
  const x = (v) => SIDE.left + (v / (most || 1)) * (width - SIDE.left - SIDE.right);
  const y = (v) => height - SIDE.bottom - (v / (high || 1)) * (height - SIDE.top - SIDE.bottom);
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = c.soft;
  pen.strokeStyle = c.line;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x(0), y(high));
  pen.lineTo(x(0), y(0));
  pen.lineTo(x(most), y(0));
  pen.stroke();
  pen.textAlign = "right";
  pen.fillText("0", SIDE.left - 4, y(0));
  pen.fillText(short(high), SIDE.left - 4, y(high) + 8);
  pen.fillText(`${whole(most)} ${under}`, x(most), height - 7);
  pen.textAlign = "left";
  return { pen, c, x, y };
}

const short = (v) => (v >= 10000 ? v.toExponential(0) : String(Number(v.toPrecision(3))));

function curve({ pen, x, y }, values, first, colour, { wide, faint = false }) {
  if (!values.length) return;
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = wide;
  pen.lineJoin = "round";
  pen.globalAlpha = faint ? 0.25 : 1;
  pen.beginPath();
  pen.moveTo(x(0), y(0));
  values.forEach((v, i) => pen.lineTo(x(i + first), y(v)));
  pen.stroke();
  pen.restore();
}

export function drawCharts() {
  sandwich();
  mistakes();
}

const lengths = new WeakMap();
function normsOf(replay) {
  if (!lengths.has(replay)) lengths.set(replay, replay.ledger.weights.map((w) => Math.hypot(...w)));
  return lengths.get(replay);
}

// kγ and w·u from below, ‖w‖ and R√k from above; as far as the run has been played.
function sandwich() {
  const { replay } = state;
  const n = Math.min(state.k, replay?.sent ?? 0);
  const found = replay?.sandwich;
  if (!replay || !replay.sent || state.choices.learner === "winnow") {
    axes("sandwich", 1, 1, "mistakes");
    words("sandwich-words", state.choices.learner === "winnow" ? "its proof is about sums, not for Winnow" : "kγ ≤ w·u ≤ ‖w‖ ≤ R√k");
    return;
  }
  const norms = found ? found.norm : normsOf(replay);
  const grow = replay.radius ** 2 + 2 * replay.margin;
  const upper = found ? found.upper : norms.map((_, i) => Math.sqrt(grow * (i + 1)));
  const drawing = axes("sandwich", replay.sent, Math.max(...upper.slice(-1), 1e-9), "mistakes");
  const { c } = drawing;
  const root = replay.margin > 0 ? "√(k(R² + 2η))" : "R√k";
  const lines = [[upper, c.minus, 4], [norms, c.ink, 1.8]];
  if (found) lines.unshift([found.lower, c.average, 4], [found.progress, c.plus, 1.8]);
  for (const [values, colour, wide] of lines) {
    curve(drawing, values, 1, colour, { faint: true, wide });
    curve(drawing, values.slice(0, n), 1, colour, { wide });
  }
  key(drawing, [[root, c.minus], ["‖w‖", c.ink], ...(found ? [["w·u", c.plus], ["kγ", c.average]] : [])]);
  if (!found) {
    const certified = replay.verdict.certified === "complete";
    words("sandwich-words", certified ? `too many mistakes to follow exactly; ‖w‖ ≤ ${root}` : `nothing separates, so there is no u: only ‖w‖ ≤ ${root}`);
  } else if (n) {
    const at = (values) => Number(values[n - 1].toPrecision(3));
    words("sandwich-words", `${at(found.lower)} ≤ ${at(found.progress)} ≤ ${at(found.norm)} ≤ ${at(found.upper)}${found.holds ? "" : " (rounding broke it)"}`);
  } else {
    words("sandwich-words", `kγ ≤ w·u ≤ ‖w‖ ≤ ${root}`);
  }
}

function key({ pen }, entries) {
  let at = SIDE.left + 8;
  pen.font = "600 12px system-ui, sans-serif";
  for (const [text, colour] of entries) {
    pen.fillStyle = colour;
    pen.fillText(text, at, SIDE.top + 10);
    at += pen.measureText(text).width + 10;
  }
}

function mistakes() {
  const { replay } = state;
  if (!replay) {
    axes("mistakes", 1, 1, "rounds");
    words("count-words", "none yet");
    return;
  }
  const { ledger, sent } = replay;
  const made = ended() ? replay.mistakes : state.k;
  const bound = replay.bound?.bound ?? null;
  const near = bound !== null && bound <= 3 * Math.max(1, replay.mistakes);
  const rounds = sent < replay.mistakes ? ledger.round[sent - 1] : replay.rounds;
  const drawing = axes("mistakes", rounds, near ? bound : Math.max(1, sent) * 1.25, "rounds");
  const { pen, c, x, y } = drawing;
  const steps = (count) => {
    pen.beginPath();
    pen.moveTo(x(0), y(0));
    for (let i = 0; i < count; i++) {
      pen.lineTo(x(ledger.round[i]), y(i));
      pen.lineTo(x(ledger.round[i]), y(i + 1));
    }
    if (count === sent) pen.lineTo(x(rounds), y(sent));
    pen.stroke();
  };
  pen.strokeStyle = c.ink;
  pen.lineWidth = 1;
  pen.globalAlpha = 0.25;
  steps(sent);
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  steps(Math.min(state.k, sent));
  if (bound !== null) {
    pen.strokeStyle = pen.fillStyle = c.minus;
    pen.setLineDash([6, 4]);
    const at = near ? y(bound) : SIDE.top;
    pen.beginPath();
    pen.moveTo(x(0), at);
    pen.lineTo(x(rounds), at);
    pen.stroke();
    pen.setLineDash([]);
    pen.font = "600 12px system-ui, sans-serif";
    pen.fillText(near ? `bound ${whole(bound)}` : `bound ${whole(bound)}, far above`, x(0) + 8, at + 14);
  }
  words("count-words", bound === null ? `${whole(made)}; ${replay.why_no_bound}` : `${whole(made)}, of at most ${whole(bound)}`);
}
