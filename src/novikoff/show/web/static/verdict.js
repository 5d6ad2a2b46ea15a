// The verdict, in words, when the run has been played to its end.

import { state, ended } from "./state.js";
import { shortly } from "./plane.js";

const box = document.getElementById("verdict");
const TITLES = {
  separated: "Separated",
  cycle: "A cycle: nothing separates these points",
  budget: "Out of passes",
};
const six = (x) => String(Number(x.toPrecision(6))).replace("-", "−");

export function drawVerdict() {
  const { replay, k } = state;
  const facts = [];
  let [title, words] = ["Not run yet", "Place points, or choose some above."];
  box.dataset.kind = "";
  if (ended()) {
    const { verdict } = replay;
    box.dataset.kind = verdict.kind;
    [title, words] = [TITLES[verdict.kind] ?? verdict.kind, verdict.words];
    facts.push(...proved(replay, verdict));
  } else if (replay && k > 0) {
    const { round, pass, row, label, score } = replay.ledger;
    const i = k - 1;
    title = `Mistake ${k.toLocaleString("en")}`;
    const why = score[i] === 0 ? "no sign at all" : label[i] * score[i] > 0 ? `right, but not by more than η = ${replay.margin}` : "the wrong sign";
    const sign = label[i] > 0 ? "+" : "−";
    const rule = state.choices.learner === "winnow" ? "the weights are multiplied" : `w becomes w ${sign} x`;
    words = `Round ${round[i].toLocaleString("en")}, pass ${pass[i].toLocaleString("en")}: point ${row[i]} (${sign}) had the score ${six(score[i])}, ${why}; so ${rule}.`;
  } else if (replay) {
    [title, words] = ["Ready", "The weights are zero: they claim no side yet, so the first point is a mistake. Step."];
  }
  document.getElementById("verdict-title").textContent = title;
  document.getElementById("verdict-words").textContent = words;
  const list = document.getElementById("facts");
  list.replaceChildren(...facts.flatMap(([term, text]) => [made("dt", term), made("dd", text)]));
}

function made(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function proved(replay, { achieved, best, multipliers, kind }) {
  const facts = [];
  if (achieved && kind === "separated") {
    const { value, row, smallest, weights_squared: squared } = achieved;
    facts.push(["margin of w", `${six(value)}, at point ${row}: ${smallest} over √(${squared})`]);
  }
  if (achieved && replay.average_margin && state.choices.learner === "averaged") {
    facts.push(["of the average", `${six(replay.average_margin.value)}, at point ${replay.average_margin.row}`]);
  }
  if (best) facts.push(["best margin γ", best.high === null || six(best.low) === six(best.high) ? six(best.low) : `between ${six(best.low)} and ${six(best.high)}`]);
  if (replay.bound) facts.push(["bound", replay.bound.words]);
  if (multipliers) {
    const listed = multipliers.rows.slice(0, 12).map((row, i) => `point ${row} ×${shortly(multipliers, i)}`);
    const more = multipliers.rows.length - listed.length;
    const long = multipliers.values.some((value) => value.length > 5);
    facts.push([long ? "multipliers, as shares" : "multipliers", listed.join(", ") + (more > 0 ? ` and ${more} more` : "")]);
  }
  if (state.choices.bias && best) facts.push(["", "margins count the constant 1 of the bias as a coordinate"]);
  return facts;
}
