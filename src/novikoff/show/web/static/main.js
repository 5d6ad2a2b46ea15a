// The page put together: controls change the state, the server plays the run, the pictures show it.

import { ask, presets as listPresets } from "./api.js";
import { drawCharts } from "./charts.js";
import { load, saveCertificate, saveCsv, savePicture } from "./files.js";
import { drawLedger } from "./ledger.js";
import { fromHash, toHash } from "./link.js";
import { draw } from "./plane.js";
import { listen, removeSelected } from "./pointer.js";
import { dim, last, place, question, state } from "./state.js";
import { drawVerdict } from "./verdict.js";
import { fit, isEqual } from "./view.js";

const at = (id) => document.getElementById(id);
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
let presets = [];
let asked = 0;               // questions so far: only the last one's answer counts
let pending = Promise.resolve();
let turning = 0;             // the animation frame being waited for
let playing = null;          // the timer of Slow

function say(words, isError = false) {
  const box = at("message");
  box.textContent = words;
  box.hidden = !words;
  box.classList.toggle("error", isError);
}

function show() {
  cancelAnimationFrame(turning);
  draw();
  drawCharts();
  drawLedger();
  drawVerdict();
  controls();
}

function controls() {
  const ready = state.replay !== null;
  at("back").disabled = at("reset").disabled = !ready || state.k === 0;
  at("step").disabled = at("run").disabled = at("slow").disabled = !state.points.length || (ready && state.k === last());
  at("delete").disabled = state.selected < 0;
  for (const id of ["save-csv", "save-json", "save-link", "clear"]) at(id).disabled = !state.points.length;
  at("preset").value = state.preset;
  const { learner, margin, order, seed, bias } = state.choices;
  Object.assign(at("learner"), { value: learner });
  Object.assign(at("order"), { value: order });
  if (document.activeElement !== at("margin")) at("margin").value = margin;
  if (document.activeElement !== at("seed")) at("seed").value = seed;
  at("bias").checked = bias;
  at("margin-field").hidden = learner !== "margin";
  at("seed-field").hidden = order !== "shuffled";
  at("columns").hidden = state.table === null;
  const preset = presets.find((one) => one.name === state.preset);
  const scales = isEqual() ? "" : " The axes have different scales, so w is not drawn at a right angle to its line.";
  at("about").textContent = (preset ? preset.about : state.points.length ? `${state.points.length.toLocaleString("en")} points, in ${state.names.join(", ")}.` : "Click on the plane to place a point.") + scales + (state.replay?.view ? ` ${state.replay.view.words}.` : "");
  legend();
}

function legend() {
  const entries = [["ink", "", "w and its line"], ["soft", "dotted", "before the mistake"]];
  if (state.choices.learner !== "winnow") entries.push(["average", "dashed", "average"]);
  entries.push(["band", "dashed", state.choices.learner === "margin" ? "margin η" : "margin band"]);
  if (state.replay && state.k === last() && state.replay.verdict.witness) entries.push(["best", "dotted", "widest margin"]);
  at("legend").replaceChildren(...entries.map(([colour, kind, text]) => {
    const item = document.createElement("li");
    const mark = document.createElement("i");
    mark.className = kind;
    mark.style.borderColor = `var(--${colour})`;
    item.append(mark, text);
    return item;
  }));
}

// The points or the choices are other than before: ask for their run, and begin it anew (or at k).
function changed({ keepPreset = false, k = 0, fitted = false } = {}) {
  stop();
  if (!keepPreset) state.preset = "";
  state.replay = null;
  state.k = 0;
  const mine = ++asked;
  if (!state.points.length) {
    pending = Promise.resolve();
    at("busy").hidden = true;
    show();
    return pending;
  }
  at("busy").hidden = false;
  show();
  pending = ask("replay", question())
    .then((found) => {
      if (mine !== asked) return;
      state.replay = found;
      state.k = Math.min(k, last());
      if (fitted && dim() > 2) fit();
    })
    .catch((error) => {
      if (mine === asked) say(error.message, true);
    })
    .finally(() => {
      if (mine !== asked) return;
      at("busy").hidden = true;
      show();
    });
  return pending;
}

async function go(where) {
  await pending;
  if (!state.replay) return;
  const to = Math.max(0, Math.min(last(), where(state.k)));
  const forward = to === state.k + 1 && to <= state.replay.sent;
  state.k = to;
  show();
  if (forward && !still.matches && (playing === null || delay() >= 300)) turn(performance.now());
}

// The line turns from the weights before the mistake to those after it.
function turn(began) {
  const frame = (now) => {
    const part = Math.min(1, Math.max(0, (now - began) / 280));
    draw(1 - (1 - part) ** 3);
    if (part < 1) turning = requestAnimationFrame(frame);
  };
  turning = requestAnimationFrame(frame);
}

function stop() {
  clearTimeout(playing);
  playing = null;
  at("slow").setAttribute("aria-pressed", "false");
}

const delay = () => 1200 / 2 ** Number(at("speed").value);

async function slow() {
  if (playing !== null) {
    stop();
    return;
  }
  await pending;
  if (!state.replay) return;
  at("slow").setAttribute("aria-pressed", "true");
  const tick = async () => {
    await go((k) => k + 1);
    if (playing === null) return;
    if (!state.replay || state.k >= last()) stop();
    else playing = setTimeout(tick, delay());
  };
  playing = setTimeout(tick, 0);
}

const halted = (where) => () => {
  stop();
  return go(where);
};
const moves = {
  step: halted((k) => k + 1),
  back: halted((k) => k - 1),
  run: halted(() => Infinity),
  reset: halted(() => 0),
  slow,
};

function choosePreset(name) {
  const preset = presets.find((one) => one.name === name);
  if (!preset) {
    controls();
    return;
  }
  place(preset);
  state.preset = name;
  state.table = null;
  state.choices.bias = preset.bias;
  fit();
  changed({ keepPreset: true, fitted: true });
}

function chooseColumns() {
  const { points, names } = state.table;
  const [across, up] = [at("across").value, Number(at("up").value)];
  at("up").disabled = across === "all";
  const columns = across === "all" ? names.map((_, j) => j) : [Number(across), up];
  place({ ...state.table, points: points.map((point) => columns.map((j) => point[j])), names: columns.map((j) => names[j]) });
  state.replay = null;
  fit();
  return changed({ fitted: true });
}

function offerColumns() {
  const { names } = state.table;
  const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  at("across").replaceChildren(...names.map((name, j) => option(j, name)), option("all", `all ${names.length} columns, projected`));
  at("up").replaceChildren(...names.map((name, j) => option(j, name)));
  at("up").value = "1";
}

async function openFile(file) {
  if (!file) return;
  try {
    const { found, words, proved } = await load(file, question());
    if (!found) {
      say(words, !proved);
      return;
    }
    state.table = found.names.length > 2 ? found : null;
    const shown = state.table ? ` Shown and learned from: ${found.names[0]} and ${found.names[1]}; choose others below.` : "";
    say(found.words + shown + (found.note ? ` ${found.note}` : ""));
    if (state.table) {
      offerColumns();
      await chooseColumns();
      return;
    }
    place(found);
    state.replay = null;
    fit();
    await changed();
  } catch (error) {
    say(error.message, true);
  }
}

function restore() {
  const hash = window.location.hash.slice(1);
  if (!hash) return false;
  try {
    const k = fromHash(hash, presets);
    fit();
    changed({ keepPreset: true, k, fitted: true });
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}

async function copyLink() {
  try {
    window.history.replaceState(null, "", `#${toHash()}`);
    await navigator.clipboard.writeText(window.location.href).catch(() => {});
    say("The address of this page now holds the points, the choices and the step, and is copied: open it while novikoff web runs on this port.");
  } catch (error) {
    say(error.message, true);
  }
}

function listenToControls() {
  for (const [id, move] of Object.entries(moves)) at(id).addEventListener("click", move);
  at("preset").addEventListener("change", (event) => {
    say("");
    choosePreset(event.target.value);
  });
  at("clear").addEventListener("click", () => {
    say("");
    place({ points: [], labels: [] });
    state.table = null;
    fit();
    changed();
  });
  at("fit").addEventListener("click", () => {
    fit();
    show();
  });
  at("delete").addEventListener("click", () => removeSelected(changed));
  at("open").addEventListener("click", () => at("file").click());
  at("file").addEventListener("change", async (event) => {
    await openFile(event.target.files[0]);
    event.target.value = "";
  });
  for (const id of ["across", "up"]) at(id).addEventListener("change", chooseColumns);
  for (const id of ["learner", "order", "bias", "margin", "seed"]) at(id).addEventListener("change", ({ target }) => {
    if (target.type === "number" && (target.value === "" || !target.checkValidity())) {
      say(`${id} must be ${target.step === "1" ? "a whole number" : "a number"} from ${target.min} to ${target.max}`, true);
      return;
    }
    say("");
    state.choices[id] = target.type === "checkbox" ? target.checked : target.type === "number" ? Number(target.value) : target.value;
    changed({ keepPreset: true });
  });
  at("save-png").addEventListener("click", savePicture);
  at("save-csv").addEventListener("click", saveCsv);
  at("save-json").addEventListener("click", () => saveCertificate(question()).then(say, (error) => say(error.message, true)));
  at("save-link").addEventListener("click", copyLink);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const move = { n: "step", b: "back", r: "run", s: "slow", 0: "reset" }[event.key];
    if (!move || at(move).disabled) return;
    event.preventDefault();
    moves[move]();
  });
  window.addEventListener("hashchange", restore);
  new ResizeObserver(show).observe(at("plane"));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
}

async function begin() {
  listen({ changed, redraw: show, refuse: (words) => say(words, true) });
  listenToControls();
  try {
    presets = await listPresets();
  } catch (error) {
    say(error.message, true);
    return;
  }
  at("preset").append(...presets.map(({ name, title }) => Object.assign(document.createElement("option"), { value: name, textContent: title })));
  if (!restore()) choosePreset("separable");
  document.body.dataset.ready = "yes";
}

begin();
