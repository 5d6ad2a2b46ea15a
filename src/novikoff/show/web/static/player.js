// The lesson player: it shows the steps of a lesson, asks, and checks the answer against the runs that the engine made.

import { dot } from "./perceptron.js";
import { saveFigure } from "./figure.js";
import { drawStep, kindOf, updatesBy } from "./views.js";

const at = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
const GRID = 1 / 4; // dragged points are multiples of this, so that the page's sums are exact

let titles = [];
let lesson = null;   // with its runs
let steps = [];
let step = 0;
let drawn = null;    // what the picture of this step returned
let timer = null;    // set while playing
let answered = [];   // by step: whether it has no question, or its question is answered
let given = [];      // the labels that the student gave, by round
let tip = [];        // the weights that the student moves
let places = [];     // the points that the student moves
let picked = -1;     // the point that is selected
let opened = 0;      // how many lessons were asked for

const runs = () => lesson.runs;
const ofPath = (path) => path.split(".").reduce((value, key) => value?.[key], runs());
const filled = (text) => text.replace(/\{([\w.]+)\}/g, (_, path) => String(ofPath(path)));

async function fetchJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`the lesson could not be loaded (status ${response.status})`);
  return response.json();
}

// One step for each round, update, example, … that an entry of the lesson stands for.
function expanded(entry) {
  const run = runs()[entry.run ?? "main"];
  if (!entry.each) return [entry];
  const { each, from = 1, to = Infinity, at: chosen, ...rest } = entry;
  const last = { round: run.rounds, update: run.sent, example: run[entry.protocol]?.examples, size: run.n?.length, event: run.events?.length }[each];
  const numbers = chosen ?? Array.from({ length: Math.min(to, last) - from + 1 }, (_, i) => from + i);
  const key = { round: "round", update: "k", k: "k" }[each] ?? "t";
  return numbers.map((number) => ({ ...rest, [key]: number }));
}

// Of two lessons asked for in quick succession the later is shown, whichever arrives first.
async function open(number, wanted = 0) {
  stop();
  delete document.body.dataset.step;
  const asked = ++opened;
  const found = await fetchJson(`lessons/${number}.json`);
  if (asked !== opened) return;
  lesson = found;
  steps = lesson.steps.flatMap(expanded);
  const first = Math.min(Math.max(wanted, 0), steps.length - 1);
  answered = steps.map((one, i) => !one.ask || i < first);
  given = [];
  document.title = `${number}. ${lesson.title} · novikoff`;
  for (const [i, item] of [...at("lessons").children].entries()) {
    if (i + 1 === number) {
      item.firstChild.setAttribute("aria-current", "page");
      item.firstChild.scrollIntoView({ block: "nearest", inline: "center" });
    } else item.firstChild.removeAttribute("aria-current");
  }
  show(first, false);
}

// The last step that may be shown: the first whose question is open.
function limit() {
  const open = answered.indexOf(false);
  return open < 0 ? steps.length - 1 : open;
}

function show(number, focuses = true) {
  const { ask, run = "main" } = steps[number];
  step = number;
  tip = [...(ask?.begin ?? [])];
  places = (runs()[run].points ?? []).map((point) => [...point]);
  picked = -1;
  at("reply").textContent = "";
  at("reply").className = "";
  at("title").textContent = `${lesson.number}. ${lesson.title}`;
  drawAsk();
  draw();
  window.history.replaceState(null, "", `#/lesson/${lesson.number}?step=${step}`);
  document.body.dataset.step = `${lesson.number}/${step}`;
  if (focuses && ask && !answered[step]) focusAnswer(ask);
}

// The keyboard goes on with the answer. A field would open the keyboard of a phone, so there it waits for a touch.
function focusAnswer(ask) {
  const first = ask.kind === "goal" ? at("picture") : at("answers").querySelector("button, input");
  if (first && (first.tagName !== "INPUT" || window.matchMedia("(pointer: fine)").matches)) first.focus({ preventScroll: true });
}

function draw() {
  const now = steps[step];
  const done = answered[step] && Boolean(now.ask);
  drawn = drawStep(at("picture"), { step: now, run: runs()[now.run ?? "main"], runs: runs(), answered: answered[step], given, tip: done ? solution() ?? tip : tip, places, picked: picked < 0 ? undefined : picked });
  at("words").textContent = filled((now.round && answered[step] ? drawn.words : now.words) ?? drawn.words ?? "");
  at("facts").replaceChildren(...drawn.facts.flatMap(([term, words]) => [make("dt", { textContent: term }), make("dd", { textContent: words })]));
  at("picture").classList.toggle("moves", moves());
  at("back").disabled = at("start").disabled = step === 0;
  at("forward").disabled = at("end").disabled = at("play").disabled = step >= limit();
  at("scrub").max = String(steps.length - 1);
  at("scrub").value = String(step);
  at("where").textContent = `step ${step + 1} of ${steps.length}`;
  const isLast = step === steps.length - 1 && answered[step];
  at("next").hidden = !isLast;
  const following = lesson.number < titles.length;
  at("next").textContent = following ? `Next lesson: ${titles[lesson.number]} →` : "Explore with your own points →";
  at("next").href = following ? `#/lesson/${lesson.number + 1}` : "explore.html";
}

const moves = () => !answered[step] && Boolean(drawn.tipAt) || steps[step].view === "drag";

// The question of this step: its text and the fields or buttons for the answer.
function drawAsk() {
  const { ask } = steps[step];
  at("ask").hidden = !ask || answered[step];
  at("reveal").hidden = true;
  at("check").hidden = ["label", "choice", "pick"].includes(ask?.kind);
  at("answers").replaceChildren();
  if (!ask) return;
  at("question").textContent = filled(ask.text);
  const offer = (words, value, look = "") => make("button", { type: "button", textContent: words, className: look, onclick: () => answer(value) });
  if (ask.kind === "label") at("answers").append(offer("+", 1, "plus"), offer("−", -1, "minus"));
  if (ask.kind === "choice") at("answers").append(...ask.options.map((words, i) => offer(words, i)));
  if (ask.kind === "pick") at("answers").append(...places.map((point, i) => offer(`(${point.join(", ").replaceAll("-", "−")})`, i)));
  if (ask.kind === "numbers") {
    const slide = ask.slide ? { type: "range", min: ask.slide[0], max: ask.slide[1], step: 1 } : { type: "text", inputMode: "text", autocomplete: "off" };
    at("answers").append(...ask.fields.map((name, j) => make("label", { className: ask.slide ? "field slide" : "field", textContent: name }, make("input", {
      ...slide, value: tip.length ? String(tip[j]) : "", oninput: (event) => typed(j, event.target.value),
    }))));
  }
  if (ask.check === "give up") at("answers").append(offer("No line does it", "give up"));
}

// A number as a person types it: 25, −6, 1/2 or 2,5.
function numberOf(words) {
  const [top, below = "1", ...more] = words.trim().replaceAll("−", "-").replaceAll(",", ".").split("/");
  return more.length || !top.trim() || !below.trim() ? NaN : Number(top) / Number(below);
}

function typed(j, words) {
  const value = numberOf(words);
  if (j < tip.length && Number.isFinite(value)) {
    tip[j] = value;
    draw();
  }
}

// The numbers that answer the question of this step, if the runs say so.
function solution() {
  const { ask } = steps[step];
  if (typeof ask?.answer === "string") return ofPath(ask.answer);
  if (!Array.isArray(ask?.answer)) return null;
  return ask.answer.map((path) => (Array.isArray(path) ? Number(ofPath(path[0])) / Number(ofPath(path[1])) : Number(ofPath(path))));
}

// Which choice is right: given, or found in the runs.
function rightChoice(ask) {
  const run = runs()[steps[step].run ?? "main"];
  if (ask.answer === "updated") return updatesBy(run, steps[step].round) > updatesBy(run, steps[step].round - 1) ? 0 : 1;
  if (ask.separated) return ask.separated.findIndex((name) => kindOf(runs()[name]) === "separated");
  if (ask.right_of) return ask.right_of.findIndex((name) => run.right[name]);
  if (ask.equals) return ask.options.indexOf(String(ofPath(ask.equals)));
  if (ask.slower) {
    const growth = ask.slower.map((name) => run[name].at(-1) / run[name][0]);
    return growth.indexOf(Math.max(...growth));
  }
  return ask.kind === "pick" ? ofPath(ask.answer) : ask.answer;
}

function isRight(ask, value) {
  const run = runs()[steps[step].run ?? "main"];
  if (ask.kind === "label") return true;
  if (ask.kind === "choice" || ask.kind === "pick") return value === rightChoice(ask);
  if (ask.kind === "goal") {
    const [least, most] = ask.goal.mistakes;
    const { made } = drawn;
    return kindOf(made) === "separated" && made.mistakes >= least && made.mistakes <= most;
  }
  if (value === "give up") return true;
  const numbers = [...at("answers").querySelectorAll("input")].map((input) => numberOf(input.value));
  if (!numbers.every(Number.isFinite)) return false;
  if (ask.check === "threshold") return numbers[0] > 0 && numbers[0] * ask.at + numbers[1] === 0;
  if (ask.check === "margin") return drawn.margin >= ask.at;
  if (ask.check === "cancels") {
    const corners = run.points.map((point, i) => [...point, 1].map((x) => run.labels[i] * x));
    return numbers.some((x) => x > 0) && numbers.every((x) => x >= 0) && corners[0].every((_, j) => dot(numbers, corners.map((x) => x[j])) === 0);
  }
  return ask.check !== "give up" && solution().every((x, j) => Number(x) === numbers[j]);
}

function answer(value) {
  const { ask, round } = steps[step];
  if (!ask || answered[step]) return;
  const right = isRight(ask, value);
  if (ask.kind === "label") given[round - 1] = value;
  if (right) settle(ask.kind === "label" ? "" : `✓ ${filled(ask.right)}`);
  else {
    at("reply").className = "wrong";
    at("reply").textContent = `Not yet. ${ask.hint}`;
    at("reveal").hidden = false;
  }
}

// The question of this step is answered: say so, and let the student go on.
function settle(words) {
  answered[step] = true;
  drawAsk();
  draw();
  at("reply").className = "right";
  at("reply").textContent = words;
  (at("next").hidden ? at("forward") : at("next")).focus();
}

function reveal() {
  const { ask } = steps[step];
  const found = ["choice", "pick"].includes(ask.kind) ? [at("answers").children[rightChoice(ask)].textContent] : solution() ?? ask.example ?? [];
  if (ask.kind === "numbers" && ask.example) tip = [...ask.example];
  if (ask.kind === "goal") places[ask.move.point] = ask.move.to;
  settle(`${found.length ? `The answer: ${found.join(", ")}. ` : ""}${filled(ask.right)}`);
}

function go(where) {
  const target = Math.max(0, Math.min(limit(), where));
  if (target !== step) show(target);
}

function stop() {
  clearInterval(timer);
  timer = null;
  at("play").setAttribute("aria-pressed", "false");
  at("play").textContent = "Play";
  at("words").setAttribute("aria-live", "polite");
}

function play() {
  if (timer !== null) {
    stop();
    return;
  }
  at("play").setAttribute("aria-pressed", "true");
  at("play").textContent = "Pause";
  at("words").setAttribute("aria-live", "off"); // many steps a minute are too many to be read aloud
  timer = setInterval(() => {
    go(step + 1);
    if (step >= limit()) stop();
  }, reducedMotion.matches ? 2000 : 1200);
}

// Move the tip of the weights, or the selected point, to a place in the plane.
function moveTo([x, y]) {
  const grid = steps[step].tip ? 1 : GRID;
  const place = [x, y].map((v) => Math.max(-20, Math.min(20, Math.round(v / grid) * grid)));
  if (steps[step].tip) {
    tip.splice(0, 2, ...place);
    [...at("answers").querySelectorAll("input")].forEach((input, j) => { input.value = String(tip[j]); });
  } else if (picked >= 0) places[picked] = place;
  draw();
}

function listenToPicture() {
  const picture = at("picture");
  const placeOf = (event) => {
    const box = picture.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const near = (event, all) => {
    const [px, py] = placeOf(event);
    const far = all.map((place) => Math.hypot(...drawn.scale.at(place).map((v, j) => v - [px, py][j])));
    const best = far.indexOf(Math.min(...far));
    return far[best] <= 28 ? best : -1;
  };
  let dragging = false;
  picture.addEventListener("pointerdown", (event) => {
    if (!drawn.scale) return;
    if (steps[step].ask?.kind === "pick" && !answered[step]) {
      const hit = near(event, drawn.places);
      if (hit >= 0) answer(hit);
    } else if (moves()) {
      const hit = near(event, drawn.tipAt ? [drawn.tipAt] : places);
      if (hit < 0) return;
      if (!drawn.tipAt) picked = hit;
      dragging = true;
      picture.setPointerCapture(event.pointerId);
      event.preventDefault();
      draw();
    }
  });
  picture.addEventListener("pointermove", (event) => {
    if (dragging) moveTo(drawn.scale.back(...placeOf(event)));
  });
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { dragging = false; });
  picture.addEventListener("keydown", (event) => {
    if (!moves() || !drawn.scale) return;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Enter" && !drawn.tipAt) {
      picked = (picked + 1) % places.length;
      draw();
    } else if (arrow && (drawn.tipAt || picked >= 0)) {
      const [from, grid] = drawn.tipAt ? [tip, 1] : [places[picked], GRID];
      moveTo([from[0] + arrow[0] * grid, from[1] + arrow[1] * grid]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "start", End: "end", " ": "play" };
const actions = { start: () => go(0), back: () => go(step - 1), forward: () => go(step + 1), end: () => go(limit()), play };

function listenToControls() {
  for (const [id, action] of Object.entries(actions)) {
    at(id).addEventListener("click", () => {
      if (id !== "play") stop();
      action();
    });
  }
  at("scrub").addEventListener("input", () => {
    stop();
    const target = Math.min(limit(), Number(at("scrub").value));
    if (target !== step) show(target, false);
    at("scrub").value = String(step);
  });
  at("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    answer(null);
  });
  at("reveal").addEventListener("click", reveal);
  at("link").addEventListener("click", () => navigator.clipboard.writeText(window.location.href).then(() => { at("reply").textContent = "The link is copied."; }, () => { at("reply").textContent = "Copy the link from the address bar."; }));
  for (const type of ["svg", "png"]) at(`save-${type}`).addEventListener("click", () => saveFigure(at("picture"), `${lesson.number}-${lesson.title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`, type, `${at("title").textContent}: ${at("words").textContent}`));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, summary") || (event.key === " " && event.target.closest("button, a"))) return;
    const number = event.key === "n" ? lesson.number + 1 : /^\d$/.test(event.key) ? Number(event.key) || 10 : 0;
    if (number > 0 && number <= titles.length) window.location.hash = `#/lesson/${number}`;
    const id = KEYS[event.key];
    if (!id || at(id).disabled) return;
    event.preventDefault();
    if (id !== "play") stop();
    actions[id]();
  });
  window.addEventListener("hashchange", restore);
  new ResizeObserver(() => lesson && draw()).observe(at("picture"));
}

// The lesson and the step of the address: #/lesson/7?step=3
function restore() {
  const [, number, wanted] = window.location.hash.match(/^#\/lesson\/(\d{1,3})(?:\?step=(\d{1,4}))?$/) ?? [];
  const chosen = Number(number) >= 1 && Number(number) <= titles.length ? Number(number) : 1;
  return open(chosen, Number(wanted ?? 0)).catch((error) => {
    at("message").textContent = error.message;
    at("message").hidden = false;
  });
}

async function begin() {
  document.body.classList.toggle("embed", new URLSearchParams(window.location.search).has("embed"));
  listenToPicture();
  listenToControls();
  try {
    titles = await fetchJson("lessons/titles.json");
  } catch (error) {
    at("message").textContent = error.message;
    at("message").hidden = false;
    return;
  }
  at("lessons").append(...titles.map((title, i) => make("li", {}, make("a", { href: `#/lesson/${i + 1}`, textContent: String(i + 1), title, ariaLabel: `Lesson ${i + 1}: ${title}` }))));
  await restore();
  document.body.dataset.ready = "yes";
}

begin();
