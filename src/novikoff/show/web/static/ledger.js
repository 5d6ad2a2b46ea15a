// The ledger as a table: the last few hundred mistakes up to where the run is, the newest first.

import { state } from "./state.js";

const SHOWN = 300;
const body = document.getElementById("ledger");
const short = (v) => String(Number(v.toPrecision(4))).replace("-", "−");

export function drawLedger() {
  const { replay } = state;
  const upto = replay ? Math.min(state.k, replay.sent) : 0;
  const from = Math.max(0, upto - SHOWN);
  const rows = document.createDocumentFragment();
  for (let i = upto - 1; i >= from; i--) {
    const { round, pass, row, label, score, weights } = replay.ledger;
    const tr = document.createElement("tr");
    tr.dataset.k = String(i + 1);
    const cells = [i + 1, round[i], pass[i], row[i], label[i] > 0 ? "+" : "−", short(score[i]), `(${weights[i].map(short).join(", ")})`];
    cells.forEach((text, j) => {
      const td = document.createElement("td");
      td.textContent = String(text);
      if (j === 4) td.className = label[i] > 0 ? "plus" : "minus";
      tr.append(td);
    });
    rows.append(tr);
  }
  body.replaceChildren(rows);
  document.getElementById("ledger-words").textContent = said(replay, upto, from);
}

function said(replay, upto, from) {
  if (!replay) return "";
  const n = (k) => k.toLocaleString("en");
  const hidden = from ? `; the last ${SHOWN} are listed` : "";
  const cut = replay.sent < replay.mistakes ? `; the run made ${n(replay.mistakes)}, of which the first ${n(replay.sent)} can be stepped through` : "";
  return `${n(upto)} of ${n(replay.sent)} mistakes${hidden}${cut}`;
}
