// Files in and out: points, the picture, the certificate.

import { state } from "./state.js";
import { ask, upload } from "./api.js";
import { draw } from "./plane.js";

export function save(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function savePicture() {
  draw();
  document.getElementById("plane").toBlob((blob) => save("novikoff.png", blob), "image/png");
}

const cell = (text) => (/[",\n\r\t;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Numbers are written so that they read back as they are, whoever reads them.
export function csv() {
  const [negative, positive] = state.classes;
  const lines = [[...state.names, state.label].map(cell).join(",")];
  state.points.forEach((point, i) => {
    lines.push([...point.map(String), cell(state.labels[i] > 0 ? positive : negative)].join(","));
  });
  return `${lines.join("\n")}\n`;
}

export const saveCsv = () => save("points.csv", new Blob([csv()], { type: "text/csv" }));

export async function saveCertificate(question) {
  const { certificate, words } = await ask("certify", question);
  save("certificate.json", new Blob([`${JSON.stringify(certificate, null, 1)}\n`], { type: "application/json" }));
  return `${words.split("\n")[0]}. With the CSV beside it: novikoff verify certificate.json points.csv`;
}

// What a file holds: points to place, or words about a certificate for the points that are here.
export async function load(file, question) {
  if (!file.name.toLowerCase().endsWith(".json")) return { found: await upload(file) };
  let written;
  try {
    written = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not JSON: a certificate is, and points come as CSV or svmlight`);
  }
  if (written?.format !== "novikoff certificate") throw new Error(`${file.name} is no certificate; points come as CSV or svmlight`);
  if (!state.points.length) throw new Error("there are no points to check the certificate against: load its CSV first");
  const { words, proved } = await ask("verify", { ...question, certificate: written });
  return { words: `${file.name}: ${words}`, proved };
}
