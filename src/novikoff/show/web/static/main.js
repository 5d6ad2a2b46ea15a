// The page: controls change the state, the server makes the run, the pictures show it.

import { ask, loadPresets } from "./api.js";
import { drawCharts } from "./charts.js";
import { load, saveCertificate, saveCsv, savePicture } from "./files.js";
import { plural } from "./format.js";
import { drawLedger } from "./ledger.js";
import { fromHash, toHash } from "./link.js";
import { draw } from "./plane.js";
import { listen, removeSelected } from "./pointer.js";
import { dim, inSpace, last, request, setPoints, state } from "./state.js";
import { drawVerdict } from "./verdict.js";
import { cornersOf, fit, isEqual } from "./view.js";

const at = (id) => document.getElementById(id);
const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
let presets = [];
let opened = null;                // the points of the file that the command was given
let requests = 0;                 // only the answer to the latest request counts
let latest = new AbortController(); // aborts that request
let pending = Promise.resolve();  // settled when that answer is there
let animation = 0;                // the animation frame requested last
let timer = null;                 // set while Play is on
const past = [];                  // the points before each change, as JSON; the present ones are last
const MAX_PAST = 40;
let following = false;            // whether the run of a point that is being dragged is on its way

function showMessage(text, isError = false) {
  const box = at("message");
  box.textContent = text;
  box.hidden = !text;
  box.classList.toggle("error", isError);
}

const showError = (error) => showMessage(error.message, true);

function redraw() {
  cancelAnimationFrame(animation);
  draw();
  drawCharts();
  drawLedger();
  drawVerdict();
  updateControls();
}

function updateControls() {
  const ready = state.replay !== null;
  at("back").disabled = at("reset").disabled = !ready || state.k === 0;
  at("step").disabled = at("run").disabled = at("play").disabled = !state.points.length || (ready && state.k === last());
  at("scrub").max = String(last());
  at("scrub").value = String(state.k);
  at("scrub").disabled = !ready;
  at("where").textContent = ready && state.k === last() ? "the end" : `step ${state.k}`;
  at("undo").disabled = past.length < 2;
  at("delete").disabled = state.selected < 0;
  for (const id of ["save-csv", "save-json", "save-link", "clear"]) at(id).disabled = !state.points.length;
  at("preset").value = state.preset;
  const { learner, order, bias, kernel } = state.choices;
  for (const [id, value] of Object.entries(state.choices)) if (at(id).type !== "number" || document.activeElement !== at(id)) at(id).value = value;
  at("bias").checked = bias;
  at("margin-field").hidden = learner !== "margin";
  at("seed-field").hidden = order !== "shuffled";
  at("kernel-field").hidden = learner === "winnow" || dim() !== 2;
  at("degree-field").hidden = !inSpace() || kernel !== "poly";
  at("gamma-field").hidden = !inSpace() || kernel !== "rbf";
  at("bias-field").hidden = inSpace();
  at("columns").hidden = state.table === null;
  at("about").textContent = description();
  drawLegend();
}

function description() {
  const preset = presets.find((one) => one.name === state.preset);
  const sentences = [];
  const { learner, bias, kernel } = state.choices;
  const isOwn = learner === "perceptron" && kernel === (preset?.kernel ?? "none") && (inSpace() || bias === preset?.bias);
  if (preset) sentences.push(preset.about, isOwn ? preset.now : "");
  else if (state.points.length) sentences.push(`${plural(state.points.length, "point")} with ${state.names.length === 1 ? "column" : "columns"} ${state.names.join(", ")}.`);
  else sentences.push("Click on the plane to place a point.");
  if (inSpace()) sentences.push("Here w is no arrow, and its boundary no line.");
  else if (!isEqual()) sentences.push("The axes have different scales, so w does not look perpendicular to its line.");
  if (state.replay?.view) sentences.push(state.replay.view.words);
  return sentences.filter(Boolean).join(" ");
}

// Each entry: the colour and the style of its line, and the words.
function legend() {
  const averaged = state.choices.learner === "averaged";
  if (inSpace()) {
    return [["plus", "", `${averaged ? "average of the score" : "score"} Σ ±K(z, x) above 0`], ["minus", "", "below 0"], ["ink", "", "ringed: the points z, mistaken so far"]];
  }
  const noun = state.replay?.noun ?? "mistake";
  const entries = [["ink", "", averaged ? "last weights w" : "w (an arrow at its own scale) and its line"], ["soft", "dotted", `before the ${noun}`]];
  if (state.choices.learner !== "winnow") entries.push(["average", "dashed", averaged ? "average of the weights, which predicts" : "average of the weights"]);
  entries.push(["band", "dashed", state.choices.learner === "margin" ? "margin η" : "margin of w"]);
  if (state.replay && state.k === last() && state.replay.verdict.witness) entries.push(["best", "dotted", "line with the widest margin"]);
  return entries;
}

function drawLegend() {
  at("legend").replaceChildren(...legend().map(([colour, style, text]) => {
    const item = document.createElement("li");
    const mark = document.createElement("i");
    mark.className = style;
    mark.style.borderColor = `var(--${colour})`;
    item.append(mark, text);
    return item;
  }));
}

// The points or the choices have changed: request a new run and show it from the beginning, or from step `k`; after a point
// was moved, at the step shown.
function rerun({ keepPreset = false, k = 0, zoom = false, moved = false } = {}) {
  stopPlaying();
  if (!keepPreset) state.preset = "";
  remember();
  const wanted = moved ? (state.k === last() ? Infinity : state.k) : k;
  if (!moved) {
    state.replay = null;
    state.k = 0;
  }
  const mine = ++requests;
  latest.abort();
  latest = new AbortController();
  at("busy").hidden = !state.points.length;
  redraw();
  if (!state.points.length) {
    pending = Promise.resolve();
    return pending;
  }
  pending = ask("replay", { ...request(), window: cornersOf(at("plane")) }, latest.signal)
    .then((replay) => {
      if (mine !== requests) return;
      state.replay = replay;
      state.k = Math.min(wanted, last());
      if (zoom && dim() > 2) fit(); // only now is it known where the points are drawn
    })
    .catch((error) => {
      if (mine !== requests) return;
      state.replay = null;
      state.k = 0;
      showError(error);
    })
    .finally(() => {
      if (mine !== requests) return;
      at("busy").hidden = true;
      redraw();
    });
  return pending;
}

// Keep the points, so that a change can be taken back.
function remember() {
  const { points, labels, names, label, classes, preset } = state;
  const now = JSON.stringify({ points, labels, names, label, classes, preset });
  if (now === past.at(-1)) return;
  past.push(now);
  if (past.length > MAX_PAST) past.shift();
}

function undo() {
  if (past.length < 2) return;
  past.pop();
  const before = JSON.parse(past.at(-1));
  setPoints(before);
  state.preset = before.preset;
  state.table = null;
  showMessage("");
  fit();
  rerun({ keepPreset: true, zoom: true });
}

// The picture shows another part of the plane: what a kernel predicts there is asked for, too.
function refit() {
  redraw();
  const { low, high } = state.replay?.regions ?? {};
  if (low && String([low, high]) !== String(cornersOf(at("plane")))) rerun({ keepPreset: true, moved: true });
}

// While a point is dragged the panels follow it, at the step shown; one request at a time.
async function follow() {
  redraw();
  if (following) return;
  following = true;
  const [wasEnded, before] = [state.k === last(), requests];
  try {
    const replay = await ask("replay", { ...request(), window: cornersOf(at("plane")) });
    if (before !== requests) return;
    state.replay = replay;
    state.k = wasEnded ? last() : Math.min(state.k, last());
    redraw();
  } catch {
    // the request at the end of the drag will say what is wrong
  } finally {
    following = false;
  }
}

// Show the step that `where` computes from the present one.
async function goTo(where) {
  await pending;
  if (!state.replay) return;
  const k = Math.max(0, Math.min(last(), where(state.k)));
  const isNext = k === state.k + 1 && k <= state.replay.sent;
  state.k = k;
  redraw();
  if (isNext && !reducedMotion.matches && (timer === null || delay() >= 300)) animate(performance.now());
}

// Turn the line from the weights before the update to those after it.
function animate(began) {
  const frame = (now) => {
    const part = Math.min(1, Math.max(0, (now - began) / 280));
    draw(1 - (1 - part) ** 3);
    if (part < 1) animation = requestAnimationFrame(frame);
  };
  animation = requestAnimationFrame(frame);
}

const delay = () => 1200 / 2 ** Number(at("speed").value); // milliseconds between two steps

function showPlaying(isPlaying) {
  at("play").setAttribute("aria-pressed", String(isPlaying));
  at("play").textContent = isPlaying ? "Pause" : "Play";
}

function stopPlaying() {
  clearTimeout(timer);
  timer = null;
  showPlaying(false);
}

async function togglePlay() {
  if (timer !== null) {
    stopPlaying();
    return;
  }
  await pending;
  if (!state.replay) return;
  showPlaying(true);
  const tick = async () => {
    await goTo((k) => k + 1);
    if (timer === null) return;
    if (!state.replay || state.k >= last()) stopPlaying();
    else timer = setTimeout(tick, delay());
  };
  timer = setTimeout(tick, 0);
}

const jump = (where) => () => {
  stopPlaying();
  return goTo(where);
};
const actions = {
  reset: jump(() => 0),
  back: jump((k) => k - 1),
  step: jump((k) => k + 1),
  play: togglePlay,
  run: jump(() => Infinity),
};
const KEYS = { 0: "reset", b: "back", n: "step", p: "play", r: "run" };

function choosePreset(name) {
  const preset = presets.find((one) => one.name === name);
  if (!preset) {
    updateControls();
    return;
  }
  setPoints(preset);
  state.preset = name;
  state.table = null;
  const { bias, kernel = "none", degree = 2, gamma = 1 } = preset;
  Object.assign(state.choices, { bias, kernel, degree, gamma });
  fit();
  rerun({ keepPreset: true, zoom: true });
}

async function openFile(file) {
  if (!file) return;
  try {
    const { data, words, proved } = await load(file, request());
    if (data) await showData(data);
    else showMessage(words, !proved);
  } catch (error) {
    showError(error);
  }
}

// Show the points of a file, loaded here or named on the command line.
async function showData(data) {
  state.table = data.names.length > 2 ? data : null;
  const shown = state.table ? `The run uses only ${data.names[0]} and ${data.names[1]}; choose other columns below.` : "";
  showMessage([data.words, shown, data.note].filter(Boolean).join(" "));
  if (state.table) {
    offerColumns();
    await chooseColumns();
    return;
  }
  setPoints(data);
  state.replay = null;
  fit();
  await rerun();
}

function offerColumns() {
  const options = () => state.table.names.map((name, j) => option(j, name));
  at("across").replaceChildren(...options(), option("all", `all ${state.table.names.length} columns, projected`));
  at("up").replaceChildren(...options());
  at("up").value = "1";
}

function chooseColumns() {
  const { points, names } = state.table;
  const all = at("across").value === "all";
  at("up").disabled = all;
  const columns = all ? names.map((_, j) => j) : [Number(at("across").value), Number(at("up").value)];
  setPoints({ ...state.table, points: points.map((point) => columns.map((j) => point[j])), names: columns.map((j) => names[j]) });
  state.replay = null;
  fit();
  return rerun({ zoom: true });
}

function restoreLink() {
  const hash = window.location.hash.slice(1);
  if (!hash) return false;
  try {
    const k = fromHash(hash, presets);
    fit();
    rerun({ keepPreset: true, k, zoom: true });
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

async function copyLink() {
  try {
    window.history.replaceState(null, "", `#${toHash()}`);
    const copied = await navigator.clipboard.writeText(window.location.href).then(() => "The link is copied.", () => "Copy the link from the address bar.");
    showMessage(`${copied} It holds the points, the choices and the step, and opens while novikoff web runs on this port.`);
  } catch (error) {
    showError(error);
  }
}

function choose({ target }) {
  if (target.type === "number" && (target.value === "" || !target.checkValidity())) {
    const name = target.labels[0].firstChild.textContent.trim();
    showMessage(`${name} must be ${target.step === "1" ? "a whole number" : "a number"} from ${target.min} to ${target.max}`, true);
    return;
  }
  showMessage("");
  state.choices[target.id] = target.type === "checkbox" ? target.checked : target.type === "number" ? Number(target.value) : target.value;
  rerun({ keepPreset: true });
}

function listenToControls() {
  for (const [id, action] of Object.entries(actions)) at(id).addEventListener("click", action);
  at("undo").addEventListener("click", undo);
  at("scrub").addEventListener("input", () => jump(() => Number(at("scrub").value))());
  at("ledger").addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) jump(() => Number(row.dataset.k))();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea")) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") undo();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = KEYS[event.key];
    if (!id || at(id).disabled) return;
    event.preventDefault();
    actions[id]();
  });
  at("preset").addEventListener("change", (event) => {
    showMessage("");
    choosePreset(event.target.value);
  });
  at("clear").addEventListener("click", () => {
    showMessage("");
    setPoints({ points: [], labels: [] });
    state.table = null;
    fit();
    rerun();
  });
  at("fit").addEventListener("click", () => {
    fit();
    refit();
  });
  at("delete").addEventListener("click", () => removeSelected(rerun));
  at("open").addEventListener("click", () => at("file").click());
  at("file").addEventListener("change", async (event) => {
    await openFile(event.target.files[0]);
    event.target.value = "";
  });
  for (const id of ["across", "up"]) at(id).addEventListener("change", chooseColumns);
  for (const id of Object.keys(state.choices)) at(id).addEventListener("change", choose);
  at("save-png").addEventListener("click", savePicture);
  at("save-csv").addEventListener("click", saveCsv);
  at("save-json").addEventListener("click", () => saveCertificate(request()).then(showMessage, showError));
  at("save-link").addEventListener("click", copyLink);
  window.addEventListener("hashchange", restoreLink);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(refit).observe(at("plane"));
}

async function begin() {
  listen({ changed: rerun, follow, redraw, refuse: (text) => showMessage(text, true) });
  listenToControls();
  try {
    ({ presets, opened } = await loadPresets());
  } catch (error) {
    showError(error);
    return;
  }
  at("preset").append(...presets.map(({ name, title }) => option(name, title)));
  if (!restoreLink()) {
    if (opened) await showData(opened);
    else choosePreset("separable");
  }
  document.body.dataset.ready = "yes";
}

begin();
