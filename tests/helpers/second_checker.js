// Answers one request a line: a certificate with the rows of its data, or files to read.

"use strict";

const [folder] = process.argv.slice(2);
const { check, claim, parsed, prove } = require(`${folder}/check.js`);
const { Unreadable, read } = require(`${folder}/read.js`);

const bytes = ([name, encoded]) => ({ name, bytes: Buffer.from(encoded, "base64") });

// Values are written as the 16 digits of a float64, which no reader can take for another.
const value = (digits) => Buffer.from(digits, "hex").readDoubleBE();

const answers = {
  async prove({ certificate, examples, ...data }) {
    const rows = examples.map(([label, row]) => [label, row.map(([c, v]) => [c, value(v)])]);
    await prove(await claim(parsed(certificate)), { ...data, examples: () => rows }, data.files);
    return "accepted";
  },
  async read({ files, options, model }) {
    const { examples, ...rest } = await read(files.map(bytes), options, model);
    const digits = (v) => Buffer.from(new Float64Array([v]).buffer).reverse().toString("hex");
    return { ...rest, examples: [...examples()].map(([y, row]) => [y, row.map(([c, v]) => [c, digits(v)])]) };
  },
  async check({ certificate, files, options }) {
    const { status, words } = await check(bytes(certificate), files.map(bytes), options);
    return { status, words };
  },
};

async function answer(line) {
  const [verb, request] = JSON.parse(line);
  try {
    return { said: await answers[verb](request) };
  } catch (error) {
    return { refused: error instanceof Unreadable ? "unreadable" : "rejected", words: error.message };
  }
}

(async () => {
  for await (const line of require("node:readline").createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await answer(line)));
  }
})();
