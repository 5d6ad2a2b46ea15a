// The page that checks a certificate: files are dropped or chosen, and the answer is shown.

"use strict";

const byId = (id) => document.getElementById(id);
let chosen = [];

function show({ status, words, digests = [], header, label, classes }) {
  byId("verdict").hidden = false;
  byId("verdict").dataset.kind = ["separated", "budget", ""][status];
  byId("words").textContent = words;
  const rows = digests.map((digest, k) => ["file", `${data()[k].name}, ${digest}`]);
  if (typeof header === "boolean") rows.push(["header", header ? "yes" : "none, the first line is an example"]);
  if (typeof label === "string") rows.push(["label", `column '${label}'`]);
  if (classes) rows.push(["labels", classes.map((one) => `'${one}'`).join(", ")]);
  byId("facts").replaceChildren(
    ...rows.flatMap(([name, text]) => [
      Object.assign(document.createElement("dt"), { textContent: name }),
      Object.assign(document.createElement("dd"), { textContent: text }),
    ]),
  );
}

// The certificate is the file that begins like a JSON object and names itself one.
const isCertificate = ({ bytes }) =>
  /^\s*\{[^]*"novikoff certificate"/.test(new TextDecoder().decode(bytes.subarray(0, 4096)));
const data = () => chosen.filter((one) => !isCertificate(one));

async function answer() {
  if (!chosen.length) return;
  const certificates = chosen.filter(isCertificate);
  if (certificates.length !== 1 || !data().length) {
    const missing = certificates.length ? "its data" : "a certificate";
    const words = certificates.length > 1 ? "one certificate at a time" : `now add ${missing}`;
    show({ status: 2, words });
    return;
  }
  if (!globalThis.crypto?.subtle) {
    show({ status: 2, words: "this page needs https, or the address 127.0.0.1, to compute SHA-256" });
    return;
  }
  show({ status: 2, words: "checking…" });
  const options = {
    label: byId("label").value || null,
    one: byId("one").value || null,
    categorical: byId("categorical").value.split(",").map((name) => name.trim()).filter(Boolean),
    trials: byId("trials").value || null,
    byName: byId("byName").checked,
    zeroBased: byId("zeroBased").checked,
  };
  await new Promise((shown) => setTimeout(shown));
  show(await check(certificates[0], data(), options));
}

// A file replaces one of the same name; a new certificate begins anew.
async function load(files) {
  const more = await Promise.all(
    [...files].map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
  );
  const names = more.map(({ name }) => name);
  const kept = chosen.filter((one) => !names.includes(one.name));
  chosen = more.some(isCertificate) && more.length > 1 ? more : [...kept, ...more];
  await answer();
}

byId("files").addEventListener("change", ({ target }) => load(target.files));
for (const id of ["label", "one", "categorical", "trials", "byName", "zeroBased"]) byId(id).addEventListener("change", answer);
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  load(event.dataTransfer.files);
});
document.body.dataset.ready = "";
