// The curve of each model's mistakes against its bound, read again every two seconds.
const SVG = "http://www.w3.org/2000/svg";
const state = document.getElementById("state");
const who = document.getElementById("who");

async function get(path) {
  const token = sessionStorage.getItem("token");
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, { headers });
  if (answer.status === 401) who.hidden = false;
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.detail ?? answer.statusText);
  return found;
}

function element(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

const count = new Intl.NumberFormat("en");
const plural = (n, noun) => `${count.format(n)} ${noun}${n === 1 ? "" : "s"}`;
const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(2)} %`);

function draw(section, found) {
  section.querySelector("h2").textContent = found.name;
  const shown = [
    plural(found.labelled, "label"),
    `${plural(found.mistakes, "mistake")} (${percent(found.error_rate)})`,
    `recently ${percent(found.recent_error_rate)}`,
    `${count.format(found.waiting)} waiting`,
    `${count.format(found.dropped)} dropped`,
  ];
  const counts = section.querySelector(".counts");
  counts.textContent = shown.join(" · ");
  counts.classList.toggle("wrong", found.drift !== null);
  const bound = section.querySelector(".bound");
  bound.textContent =
    found.bound === null
      ? `No mistake bound: ${found.no_bound ?? "unknown"}.`
      : `Mistake bound of this run: ${count.format(found.bound)}.`;
  if (found.drift !== null) {
    bound.textContent += ` The error rate rose at label ${count.format(found.drift.labelled)}.`;
  }
  const svg = section.querySelector("svg");
  const [width, height] = [640, 220];
  const right = Math.max(1, found.labelled);
  const fits = found.bound !== null && found.bound <= 4 * Math.max(1, found.mistakes);
  const top = 1.1 * Math.max(1, found.mistakes, fits ? found.bound : 0);
  const x = (n) => (n / right) * width;
  const y = (n) => height - (n / top) * height;
  const points = [[0, 0], ...found.curve].map(([n, made]) => `${x(n)},${y(made)}`).join(" ");
  const parts = [
    element("polyline", { points }),
    element("text", { x: 6, y: y(found.mistakes) - 5 }, plural(found.mistakes, "mistake")),
    element("text", { x: width - 6, y: height - 6, "text-anchor": "end" }, "labels →"),
  ];
  if (fits) {
    parts.push(element("line", { x1: 0, x2: width, y1: y(found.bound), y2: y(found.bound) }));
    const shown = `bound ${count.format(found.bound)}`;
    parts.push(element("text", { x: width - 6, y: y(found.bound) - 5, "text-anchor": "end" }, shown));
  }
  const title = element("title", {}, `${plural(found.mistakes, "mistake")} in ${plural(found.labelled, "label")}`);
  svg.replaceChildren(title, ...parts);
}

async function show() {
  try {
    const { models } = await get("/v1/models");
    const main = document.getElementById("models");
    const known = new Map([...main.children].map((one) => [one.dataset.name, one]));
    for (const { name } of models) {
      let section = known.get(name);
      if (section === undefined) {
        section = document.getElementById("model").content.cloneNode(true).firstElementChild;
        section.dataset.name = name;
        main.append(section);
      }
      known.delete(name);
      draw(section, await get(`/v1/models/${encodeURIComponent(name)}/summary`));
    }
    for (const gone of known.values()) gone.remove();
    who.hidden = true;
    state.textContent = models.length ? "" : "There are no models yet.";
  } catch (error) {
    state.textContent = error.message;
  }
  setTimeout(show, 2000);
}

who.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", document.getElementById("token").value);
});
show();
