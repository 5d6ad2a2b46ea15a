// Questions to the local server; an answer that is an error becomes one, with its words.

async function answer(response) {
  let found;
  try {
    found = await response.json();
  } catch {
    throw new Error(`the server answered ${response.status} without words; look at its terminal`);
  }
  if (!response.ok) throw new Error(found.error ?? `the server answered ${response.status}`);
  return found;
}

async function reached(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Error("the server does not answer: it was stopped. Start novikoff web again and reload");
  }
}

const MOST_BYTES = 4_000_000;

export const presets = async () => (await answer(await reached("/api/presets"))).presets;

export async function ask(what, question) {
  const body = JSON.stringify(question);
  const options = { method: "POST", body, headers: { "content-type": "application/json" } };
  return answer(await reached(`/api/${what}`, options));
}

export async function upload(file) {
  if (file.size > MOST_BYTES) {
    const size = (file.size / 1e6).toFixed(1);
    throw new Error(`${file.name} has ${size} MB and the page takes 4: load fewer rows, or use novikoff train or certify, which read files of any size`);
  }
  const path = `/api/upload?name=${encodeURIComponent(file.name)}`;
  return answer(await reached(path, { method: "POST", body: file }));
}
