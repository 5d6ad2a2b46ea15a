// The two charts: the inequalities of the proof, and the number of mistakes against its bound.

import { colours, prepare } from "./canvas.js";
import { count, short } from "./format.js";
import { ended, state } from "./state.js";

const EDGE = { left: 40, right: 10, top: 10, bottom: 24 };
const setText = (id, text) => { document.getElementById(id).textContent = text; };

export function drawCharts() {
  drawSandwich();
  drawMistakes();
}

// Axes from 0 to `maxX` and `maxY`; returns what the curves are drawn with.
function axes(id, maxX, maxY, unit) {
  const { pen, width, height } = prepare(document.getElementById(id));
  const c = colours();
  const x = (v) => EDGE.left + (v / (maxX || 1)) * (width - EDGE.left - EDGE.right);
  const y = (v) => height - EDGE.bottom - (v / (maxY || 1)) * (height - EDGE.top - EDGE.bottom);
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = c.soft;
  pen.strokeStyle = c.line;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x(0), y(maxY));
  pen.lineTo(x(0), y(0));
  pen.lineTo(x(maxX), y(0));
  pen.stroke();
  pen.textAlign = "right";
  pen.fillText("0", EDGE.left - 4, y(0));
  pen.fillText(maxY >= 10000 ? maxY.toExponential(0) : short(maxY, 3), EDGE.left - 4, y(maxY) + 8);
  pen.fillText(`${count(maxX)} ${unit}`, x(maxX), height - 7);
  pen.textAlign = "left";
  return { pen, c, x, y };
}

// kγ and w·u from below, ‖w‖ and its bound from above, up to the step shown: what comes next is not given away.
function drawSandwich() {
  const { replay } = state;
  const found = replay?.sandwich;
  const noun = `${replay?.noun ?? "mistake"}s`;
  if (!found || !replay.sent) {
    axes("sandwich", 1, 1, noun);
    setText("sandwich-words", replay?.sandwich_words ?? "kγ ≤ w·u ≤ ‖w‖ ≤ R√k");
    return;
  }
  const { lower, progress, norm, upper, root, holds } = found;
  const made = Math.min(state.k, replay.sent);
  // kγ and the upper curve meet where the bound is; if that is near, both are drawn up to there
  const meeting = lower && lower[0] > 0 ? (upper[0] / lower[0]) ** 2 : Infinity;
  const most = meeting <= 3 * replay.sent ? Math.max(replay.sent, Math.ceil(meeting)) : replay.sent;
  const drawing = axes("sandwich", most, Math.max(upper[0] * Math.sqrt(most), 1e-9), noun);
  drawing.pen.canvas.dataset.until = String(most);
  const further = (f) => Array.from({ length: most }, (_, i) => f(i + 1));
  if (most > replay.sent) {
    drawCurve(drawing, further((k) => upper[0] * Math.sqrt(k)), drawing.c.best, 1, 0.6);
    drawCurve(drawing, further((k) => lower[0] * k), drawing.c.average, 1, 0.6);
  }
  const { c } = drawing;
  const curves = [[root, upper, c.best, 4], ["‖w‖", norm, c.ink, 1.8]];
  if (lower) curves.push(["w·u", progress, c.average, 1.8], ["kγ", lower, c.average, 5]); // as in the figures
  for (const [, values, colour, width] of [...curves].reverse()) {
    drawCurve(drawing, values.slice(0, made), colour, width, width > 4 ? 0.5 : 1);
  }
  drawKey(drawing, curves);
  const at = (values) => short(values[made - 1], 3);
  const numbers = lower && made ? [lower, progress, norm, upper].map(at).join(" ≤ ") : replay.sandwich_words;
  setText("sandwich-words", holds || !made ? numbers : `${numbers} (not exactly: rounding errors)`);
}

function drawCurve({ pen, x, y }, values, colour, width, alpha) {
  if (!values.length) return;
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.globalAlpha = alpha;
  pen.beginPath();
  pen.moveTo(x(0), y(0));
  values.forEach((v, i) => pen.lineTo(x(i + 1), y(v)));
  pen.stroke();
  pen.restore();
}

function drawKey({ pen }, curves) {
  let left = EDGE.left + 8;
  pen.font = "600 12px system-ui, sans-serif";
  for (const [name, , colour] of curves) {
    pen.fillStyle = colour;
    pen.fillText(name, left, EDGE.top + 10);
    left += pen.measureText(name).width + 10;
  }
}

function drawMistakes() {
  const { replay } = state;
  setText("count-title", replay?.noun === "update" ? "Updates" : "Mistakes");
  if (!replay) {
    axes("mistakes", 1, 1, "rounds");
    setText("count-words", "none yet");
    return;
  }
  const { ledger, sent, bound } = replay;
  const fits = bound !== null && bound <= 3 * Math.max(1, replay.mistakes);
  const rounds = sent < replay.mistakes ? ledger.round[sent - 1] : replay.rounds;
  const { pen, c, x, y } = axes("mistakes", rounds, fits ? bound : Math.max(1, sent) * 1.25, "rounds");
  const drawSteps = (n, width, alpha) => {
    pen.lineWidth = width;
    pen.globalAlpha = alpha;
    pen.beginPath();
    pen.moveTo(x(0), y(0));
    for (let i = 0; i < n; i++) {
      pen.lineTo(x(ledger.round[i]), y(i));
      pen.lineTo(x(ledger.round[i]), y(i + 1));
    }
    if (n === sent) pen.lineTo(x(rounds), y(sent));
    pen.stroke();
  };
  pen.strokeStyle = c.ink;
  drawSteps(Math.min(state.k, sent), 2, 1);
  pen.canvas.dataset.bound = bound === null ? "none" : fits ? "line" : "above";
  if (bound !== null) {
    const height = fits ? y(bound) : EDGE.top;
    pen.strokeStyle = pen.fillStyle = c.best;
    if (fits) {
      pen.setLineDash([6, 4]);
      pen.beginPath();
      pen.moveTo(x(0), height);
      pen.lineTo(x(rounds), height);
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.font = "600 12px system-ui, sans-serif";
    pen.fillText(fits ? `bound ${count(bound)}` : `↑ bound ${count(bound)}, above`, x(0) + 8, height + 14);
  }
  const made = count(ended() ? replay.mistakes : state.k);
  setText("count-words", bound === null ? `${made}; ${replay.why_no_bound}` : `${made} of at most ${count(bound)}`);
}
