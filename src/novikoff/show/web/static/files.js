// Files: load points or a certificate; save the points, the picture or a certificate.

import { ask, upload } from "./api.js";
import { save } from "./figure.js";
import { draw } from "./plane.js";
import { state } from "./state.js";

export function savePicture() {
  draw();
  document.getElementById("plane").toBlob((blob) => save("novikoff.png", blob), "image/png");
}

const quoted = (text) => (/[",\n\r\t;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Numbers are written in full, so that any reader gets back the same values.
export function saveCsv() {
  const [negative, positive] = state.classes;
  const lines = [[...state.names, state.label].map(quoted).join(",")];
  state.points.forEach((point, i) => {
    lines.push([...point.map(String), quoted(state.labels[i] > 0 ? positive : negative)].join(","));
  });
  save("points.csv", new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
}

// Save the certificate, and return a message about it.
export async function saveCertificate(request) {
  const { certificate, words } = await ask("certify", request);
  save("certificate.json", new Blob([`${JSON.stringify(certificate, null, 1)}\n`], { type: "application/json" }));
  return `${words}. Save the points as CSV too; then check the proof with: novikoff verify certificate.json points.csv`;
}

// Load a file: `data` if it holds points; if it is a certificate, whether it is `proved` for the present points.
export async function load(file, request) {
  if (!file.name.toLowerCase().endsWith(".json")) return { data: await upload(file) };
  let certificate;
  try {
    certificate = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not valid JSON. Load a certificate as JSON, and points as CSV or svmlight`);
  }
  if (certificate?.format !== "novikoff certificate") throw new Error(`${file.name} is not a certificate. Load points as CSV or svmlight`);
  if (!state.points.length) throw new Error("there are no points to check the certificate against: load its points first");
  const { words, proved } = await ask("verify", { ...request, certificate });
  return { words: `${file.name}: ${words}`, proved };
}
