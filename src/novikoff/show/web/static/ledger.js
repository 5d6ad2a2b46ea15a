// The ledger as a table: the updates made so far, newest first.

import { count, plural, short } from "./format.js";
import { ended, state } from "./state.js";

const MAX_ROWS = 300;
const body = document.getElementById("ledger");

export function drawLedger() {
  const { replay } = state;
  const made = replay ? Math.min(state.k, replay.sent) : 0;
  const first = Math.max(0, made - MAX_ROWS);
  const rows = [];
  for (let i = made - 1; i >= first; i--) {
    const { round, pass, row, label, score, weights } = replay.ledger;
    const tr = document.createElement("tr");
    tr.dataset.k = String(i + 1);
    const cells = [i + 1, round[i], pass[i], row[i], label[i] > 0 ? "+" : "−", short(score[i])];
    if (weights) cells.push(`(${weights[i].map((w) => short(w)).join(", ")})`);
    for (const text of cells) tr.insertCell().textContent = String(text);
    tr.cells[4].className = label[i] > 0 ? "plus" : "minus";
    rows.push(tr);
  }
  body.replaceChildren(...rows);
  document.getElementById("weights-after").hidden = Boolean(replay?.regions);
  document.getElementById("ledger-words").textContent = replay ? heading(replay, made, first) : "";
}

function heading({ sent, mistakes, noun }, made, first) {
  const hidden = first ? `; the table lists the last ${MAX_ROWS}` : "";
  const cut = sent < mistakes ? `; the run made ${count(mistakes)}, and the page shows the first ${count(sent)} step by step` : "";
  if (!ended()) return `${plural(made, noun)} so far${hidden}`;
  return `${count(made)} of ${plural(sent, noun)}${hidden}${cut}`;
}
