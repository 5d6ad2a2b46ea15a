// Requests to the local server. A refused request throws an Error with the server's message.

import { replayHere } from "./here.js";

let recorded = null; // the presets with their runs, on a page without a server
let maxBytes = Infinity; // the largest file the server accepts; known once the presets are loaded

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer; it may have been stopped. Start novikoff web again and reload this page");
  }
  const answer = await response.json().catch(() => null);
  if (answer === null) throw new Error(`the server failed with status ${response.status}; see the terminal it runs in`);
  if (!response.ok) throw new Error(answer.error ?? `the server failed with status ${response.status}`);
  return answer;
}

export async function loadPresets() {
  const { presets, max_bytes, opened, recorded: isRecorded } = await send("api/presets");
  maxBytes = max_bytes;
  if (isRecorded) {
    recorded = presets;
    for (const part of document.querySelectorAll("[data-server]")) part.hidden = part.disabled = true;
  }
  return { presets, opened };
}

// The server drops a request that is aborted by its signal before its turn comes.
export const ask = async (what, request, signal) => recorded ? replayHere(request, recorded) :
  send(`api/${what}`, { method: "POST", body: JSON.stringify(request), headers: { "content-type": "application/json" }, signal });

export function upload(file) {
  if (file.size > maxBytes) {
    const megabytes = (bytes) => Number((bytes / 1e6).toPrecision(3));
    throw new Error(`${file.name} has ${megabytes(file.size)} MB, more than the page can take (${megabytes(maxBytes)} MB): load fewer rows, or use the commands novikoff train and novikoff certify, which have no such limit`);
  }
  const query = new URLSearchParams({ name: file.name });
  for (const option of ["label", "one_vs_rest", "ignore"]) {
    const { value } = document.getElementById(`read-${option}`);
    if (value.trim()) query.set(option, value.trim());
  }
  return send(`api/upload?${query}`, { method: "POST", body: file });
}
