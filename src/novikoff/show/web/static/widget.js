// A recorded run inside a notebook: a step for each update.

import { plural } from "./format.js";
import { drawStep } from "./views.js";

function begin() {
  const at = (id) => document.getElementById(id);
  const run = JSON.parse(at("run").textContent);
  const scrub = at("scrub");
  const show = () => {
    const k = Number(scrub.value);
    const drawn = drawStep(at("picture"), { step: { view: run.view, k, t: k < run.sent ? 0 : -1 }, run, answered: true, given: [], tip: [] });
    at("where").textContent = `${run.noun} ${k} of ${run.sent}${run.sent < run.mistakes ? ` (the run made ${plural(run.mistakes, run.noun)})` : ""}`;
    at("words").textContent = k ? drawn.words ?? "" : run.words;
  };
  const go = (by) => {
    scrub.value = String(Number(scrub.value) + by);
    show();
  };
  scrub.max = String(run.sent);
  scrub.addEventListener("input", show);
  at("back").addEventListener("click", () => go(-1));
  at("forward").addEventListener("click", () => go(1));
  new ResizeObserver(show).observe(at("picture"));
  show();
}

begin();
