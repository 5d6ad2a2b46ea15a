// The card beside the plane: what the step shown did and, at the end of the run, the verdict.

import { count, short } from "./format.js";
import { ended, inSpace, state } from "./state.js";

const card = document.getElementById("verdict");

export function drawVerdict() {
  const { title, words, facts = [], kind = "" } = ended() ? state.replay.verdict : progress();
  card.dataset.kind = kind;
  document.getElementById("verdict-title").textContent = title;
  document.getElementById("verdict-words").textContent = words;
  const elements = facts.flatMap(([term, text]) => [element("dt", term), element("dd", text)]);
  document.getElementById("facts").replaceChildren(...elements);
}

const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

// Before the end of the run: what the last update was for, and what it did.
function progress() {
  const { replay, k } = state;
  if (!replay) return { title: "No run yet", words: "Place points, or choose a preset above." };
  if (k === 0) return { title: "Ready", words: `The weights start at 0, so the first point has score 0, which counts as a mistake. Press Step to see the first ${replay.noun}.` };
  const i = k - 1;
  const [round, pass, row, y, score] = ["round", "pass", "row", "label", "score"].map((column) => replay.ledger[column][i]);
  const sign = y > 0 ? "+" : "−";
  const because = score === 0 ? "which is neither + nor −" : y * score > 0 ? `which is right, but not by more than η = ${short(replay.margin, 6)}` : "which has the wrong sign";
  return {
    title: `${replay.noun === "update" ? "Update" : "Mistake"} ${count(k)}`,
    words: `Round ${count(round)}, pass ${count(pass)}: point ${row} is ${sign}. Its score was ${short(score, 6)}, ${because}. ${change(sign)}`,
  };
}

function change(sign) {
  if (state.choices.learner === "winnow") return "So each weight is multiplied by a factor that depends on the point.";
  if (inSpace()) return `So the point is kept, and ${sign} K(z, x) joins the score of every x, where z is the point.`;
  const bias = state.choices.bias ? `, and the bias b becomes b ${sign} 1` : "";
  return `So w becomes w ${sign} x${bias}.`;
}
