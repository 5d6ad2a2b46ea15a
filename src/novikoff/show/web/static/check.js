// Check a separability certificate against its data, in exact arithmetic, by the specification in
// docs/certificate.md. This file and read.js depend on no other: a browser runs them in
// check.html, and `node check.js CERT DATA...` in a terminal. They were written apart from
// guarantees/check.py, which says what is proved and why; both must say the same of every certificate.
//
// Numbers of the data are dyadic: a BigInt over a power of two, written [n, e] for n / 2**e.

"use strict";

if (typeof require === "function") Object.assign(globalThis, require("./read.js"));

const PRIME = 2n ** 63n - 25n;
const POSITIVE = "[1-9][0-9]{0,39}|0x[1-9a-f][0-9a-f]*";
const INTEGER = new RegExp(`^-?(?:${POSITIVE})$`);
const RATIONAL = new RegExp(`^(0|${POSITIVE})(?:/(${POSITIVE}))?$`);

const bytesOf = (text) => new TextEncoder().encode(text);
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// ---- JSON: objects as Maps, whole numbers as BigInts; no field twice, no other numbers

function parsed(text) {
  const string = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/.source;
  const tokens = text.match(new RegExp(`${string}|[[\\]{},:"]|[^[\\]{},:" \\t\\n\\r]+`, "g")) ?? [];
  let at = 0;
  const take = (token) => require_(tokens[at++] === token, "not JSON");
  const parts = (close, part) => {
    for (at++; tokens[at] !== close; ) {
      part();
      if (tokens[at] !== close) take(",");
      require_(tokens[at] !== close || tokens[at - 1] !== ",", "not JSON");
    }
    at++;
  };
  const value = () => {
    const token = tokens[at] ?? "";
    const found = token === "{" ? new Map() : [];
    const pair = () => {
      const name = value();
      require_(typeof name === "string", "not JSON");
      require_(!found.has(name), "a field in it comes twice");
      take(":");
      found.set(name, value());
    };
    if (token === "{") parts("}", pair);
    else if (token === "[") parts("]", () => found.push(value()));
    else {
      at++;
      if (token.length > 1 && token[0] === '"') return JSON.parse(token);
      if (["true", "false", "null"].includes(token)) return JSON.parse(token);
      require_(PLACE.test(token), "not JSON, or a number in it is too long or not a count");
      return BigInt(token);
    }
    return found;
  };
  const found = value();
  require_(at === tokens.length, "not JSON");
  return found;
}

const ascii = (text) =>
  JSON.stringify(text).replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

// The text that is sealed: fields in order, ", " and ": " between them, and only ASCII.
function canonical(value) {
  if (value instanceof Map) {
    const names = [...value.keys()].sort(byCodePoints);
    return `{${names.map((name) => `${ascii(name)}: ${canonical(value.get(name))}`).join(", ")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(", ")}]`;
  return typeof value === "string" ? ascii(value) : String(value);
}

// ---- The certificate

const isCount = (x) => typeof x === "bigint";
const inRange = (x) => isCount(x) && x < 10n ** 18n;

function fields(written, names) {
  require_(written instanceof Map, "damaged: a part of it is not an object");
  for (const name of names) require_(written.has(name), `damaged: '${name}' is missing`);
  require_(written.size === names.length, "damaged: it has an unknown field");
  return names.map((name) => written.get(name));
}

function texts(given, count) {
  const fits = Array.isArray(given) && given.every((text) => typeof text === "string");
  require_(fits && BigInt(given.length) === BigInt(count), `it should have ${count} names or labels in a list`);
  require_(new Set(given).size === given.length, "two names or labels in it are the same");
  return given;
}

const matched = (pattern, text) => {
  const found = typeof text === "string" ? pattern.exec(text) : null;
  require_(found, "damaged: a number in it is wrong");
  return found;
};
const whole = (text) => (text[0] === "-" ? -BigInt(text.slice(1)) : BigInt(text));
function rational(text) {
  const [, over, under] = matched(RATIONAL, text);
  return [BigInt(over), BigInt(under ?? "1")];
}

function vector(written, places, constant = null) {
  require_(written instanceof Map, "damaged");
  const v = new Map();
  for (const [place, number] of written) {
    const isThere = PLACE.test(place) && BigInt(place) < places;
    require_(isThere || (place === "constant" && constant !== null), "it names a row or column that does not exist");
    v.set(isThere ? Number(place) : constant, whole(matched(INTEGER, number)[0]));
  }
  return v;
}

function modelled(written) {
  const [kind, examples, columns, constant, twice, kernel] = fields(written, ["kind", "examples", "columns", "constant", "twice", "kernel"]);
  readable(kind !== "kernel", "it is of a kernel");
  const known = ["binomial", "poisson", "multinomial", "ordinal"].includes(kind);
  const counts = inRange(examples) && inRange(columns) && typeof constant === "boolean" && typeof twice === "string";
  const fits = known && counts && kernel === "" && !(kind === "ordinal" && constant);
  require_(fits, "its model is unknown or damaged");
  return { kind, examples: Number(examples), columns: Number(columns), constant, twice };
}

// How many columns the inequalities of a model have, and whether a constant follows them.
function shape({ kind, columns, constant }, levels) {
  if (kind === "multinomial") return [(columns + constant) * (levels - 1), false];
  return kind === "ordinal" ? [columns + levels - 1, false] : [columns, constant];
}

async function claim(written) {
  require_(written instanceof Map && written.get("format") === "novikoff certificate", "it is not a certificate");
  require_(written.get("version") === 4n, "its version is not 4");
  const [, , verdict, about, weights, multipliers, separated, complement, kept, margin, radius, seal] = fields(written, [
    "format", "version", "verdict", "data", "weights", "multipliers", "separated", "complement", "estimable", "margin",
    "radius_squared", "seal",
  ]);
  const rest = new Map([...written].filter(([name]) => name !== "seal"));
  require_((await sha256(bytesOf(canonical(rest)))) === seal, "it was changed after it was written");
  require_(["complete", "quasi-complete", "overlap", "undecided"].includes(verdict), "unknown verdict");
  const [n, d, bias, fingerprint, files, names, label, classes, model] = fields(about, [
    "rows", "columns", "bias", "fingerprint", "files", "names", "label", "classes", "model",
  ]);
  require_(inRange(n) && inRange(d) && typeof bias === "boolean", "its numbers of rows and columns are wrong");
  const digests = [fingerprint, ...(Array.isArray(files) ? files : [""])];
  const areDigests = digests.every((one) => typeof one === "string" && /^sha256:[0-9a-f]{64}$/.test(one));
  require_(areDigests, "damaged: a SHA-256 in it is wrong");
  const it = { verdict, n: Number(n), d: Number(d), bias, fingerprint, files, separated };
  it.model = model === null ? null : modelled(model);
  it.names = names === null ? null : texts(names, it.model ? it.model.columns : d);
  it.classes = texts(classes, it.model ? Math.max(2, classes?.length) : 2);
  if (it.model) {
    const [columns, constant] = shape(it.model, classes.length);
    require_(columns === it.d && constant === bias, "its columns are not those of its model");
  }
  require_(label === null || typeof label === "string", "damaged: its label is wrong");
  it.label = label;
  const constant = bias ? it.d : null;
  it.w = vector(weights, d, constant);
  it.times = vector(multipliers, n);
  const [low, high, hull] = fields(margin, ["at_least_squared", "at_most_squared", "hull"]);
  it.hull = vector(hull, n);
  require_([...it.times.values(), ...it.hull.values()].every((x) => x > 0n), "a multiplier is not positive");
  require_(typeof separated === "string" && Array.isArray(complement), "damaged: a list in it is wrong");
  it.complement = complement.map((v) => vector(v, d, constant));
  const isColumn = (c, k) => typeof c === "bigint" && c >= 0n && c < it.d + bias && (!k || kept[k - 1] < c);
  require_(Array.isArray(kept) && kept.every(isColumn), "damaged: its estimable columns are wrong");
  it.estimable = new Set(kept.map(Number));
  it.radius = rational(radius);
  it.low = rational(low);
  it.high = high === null ? null : rational(high);
  const maySpan = ["quasi-complete", "overlap"].includes(verdict);
  require_(complement.length <= (maySpan ? it.d + bias : 0), "it has a complement that proves nothing");
  const hasWeights = ["complete", "quasi-complete"].includes(verdict);
  require_(it.w.size > 0 === hasWeights, "its weights do not match its verdict");
  require_(maySpan || !kept.length, "its estimable columns do not match its verdict");
  return it;
}

// ---- The proof

// The rows z of an example of a model, as signs and rows, for which <w,z> may not be negative.
function inequalities({ kind, columns: d, constant }, level, levels, x) {
  if (kind === "ordinal") {
    const ends = [...(level < levels - 1 ? [[-1, level]] : []), ...(level > 0 ? [[1, level - 1]] : [])];
    return ends.map(([sign, t]) => [sign, [...x, [d + t, -1]]]);
  }
  if (kind !== "multinomial") return [[-1], [-1, 1], [1]][level].map((sign) => [sign, x]);
  const row = constant ? [...x, [d, 1]] : x;
  const at = (k, sign) => (k ? row.map(([c, v]) => [(k - 1) * (d + constant) + c, sign * v]) : []);
  const others = Array.from({ length: levels }, (_, k) => k).filter((k) => k !== level);
  return others.map((k) => [1, k < level ? [...at(k, -1), ...at(level, 1)] : [...at(level, 1), ...at(k, -1)]]);
}

function spansOf(numbers) {
  const spans = [];
  for (const i of numbers) {
    if (spans.length && spans.at(-1)[1] === i - 1) spans.at(-1)[1] = i;
    else spans.push([i, i]);
  }
  return spans.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(",");
}

const bits = new DataView(new ArrayBuffer(8));
function dyadic(value) {
  if (Number.isInteger(value)) return [BigInt(value), 0n];
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0), power = raw >> 52n;
  const n = (raw & (2n ** 52n - 1n)) | (power ? 2n ** 52n : 0n);
  return [value < 0 ? -n : n, 1075n - (power || 1n)];
}
const less = ([a, e], [b, f]) => a << f < b << e;
const plus = ([a, e], [b, f]) => (e < f ? [(a << (f - e)) + b, f] : [a + (b << (e - f)), e]);
const dot = (u, x) => [...x].reduce((sum, [c, n]) => sum + (u.get(c) ?? 0n) * n, 0n);
const squares = (numbers) => [...numbers].reduce((sum, n) => sum + n * n, 0n);
const add = (total, times, x, e) => x.forEach((n, c) => total.set(c, plus(total.get(c) ?? [0n, 0n], [times * n, e])));
const modulo = (n) => ((n % PRIME) + PRIME) % PRIME;

function inverse(a) {
  let [r, s, u, v] = [PRIME, a, 0n, 1n];
  while (s) [r, s, u, v] = [s, r % s, v, u - (r / s) * v];
  return modulo(u);
}

// The rank modulo the prime, which is never more than the rank; rare columns are eliminated first.
function rank(rows) {
  const used = new Map(), pivots = new Map();
  for (const row of rows) for (const c of row.keys()) used.set(c, (used.get(c) ?? 0) + 1);
  const order = new Map([...used.keys()].sort((a, b) => used.get(a) - used.get(b) || a - b).map((c, k) => [c, k]));
  for (const row of rows) {
    const x = new Map([...row].map(([c, n]) => [c, modulo(n)]).filter(([, n]) => n));
    while (x.size) {
      const c = [...x.keys()].reduce((a, b) => (order.get(b) < order.get(a) ? b : a));
      const times = x.get(c), pivot = pivots.get(c);
      if (!pivot) {
        const scale = inverse(times);
        pivots.set(c, [...x].map(([k, n]) => [k, (n * scale) % PRIME]));
        break;
      }
      for (const [k, n] of pivot) {
        const left = modulo((x.get(k) ?? 0n) - times * n);
        if (left) x.set(k, left);
        else x.delete(k);
      }
    }
  }
  return pivots.size;
}

// What the rows say about a claim.
async function factsOf(it, examples) {
  const labels = [], lengths = [], columns = [], values = [];
  const facts = { rows: 0, flaw: "", above: [], least: null, radius: [0n, 0n], unseparated: new Set(), multiplied: [] };
  const zero = new Map(), average = new Map();
  const flaw = (truth, reason) => { if (!truth) facts.flaw ||= reason; };
  for (const [label, row] of examples) {
    const i = facts.rows++;
    require_(label === 1 || label === -1, `row ${i} has label ${label}, which is not -1 or 1`);
    const increasing = row.every(([c], k) => c > (k ? row[k - 1][0] : -1) && c < it.d);
    require_(increasing, `the columns of row ${i} do not increase within 0 to ${it.d - 1}`);
    const entries = row.filter(([, v]) => v !== 0);
    labels.push(label);
    lengths.push(BigInt(entries.length));
    for (const [c, v] of entries) columns.push(BigInt(c)), values.push(v);
    const ratios = entries.map(([c, v]) => [c, ...dyadic(v)]);
    const below = ratios.reduce((most, [, , e]) => (e > most ? e : most), 0n);
    const x = new Map(ratios.map(([c, n, e]) => [c, n << (below - e)]));
    if (it.bias) x.set(it.d, 1n << below);
    const sign = BigInt(label), side = sign * dot(it.w, x);
    flaw(side >= 0n, `row ${i} is on the wrong side of the weights`);
    if (side === 0n && it.verdict !== "undecided") {
      flaw(it.verdict !== "complete", `row ${i} is not separated by the weights`);
      flaw(it.complement.every((v) => dot(v, x) === 0n), `row ${i} is not orthogonal to the complement`);
    }
    flaw(side === 0n || !it.times.has(i), `row ${i} is separated but has a multiplier`);
    if (side > 0n) {
      facts.above.push(i);
      if (!facts.least || less([side, below], facts.least)) facts.least = [side, below];
    } else for (const c of x.keys()) facts.unseparated.add(c);
    if (it.times.has(i)) {
      add(zero, sign * it.times.get(i), x, below);
      facts.multiplied.push(x);
    }
    if (it.hull.has(i)) add(average, sign * it.hull.get(i), x, below);
    const length = [squares(x.values()), 2n * below];
    if (less(facts.radius, length)) facts.radius = length;
  }
  const parts = [Int8Array.from(labels), BigInt64Array.from(lengths), BigInt64Array.from(columns), Float64Array.from(values)];
  const digests = await Promise.all(parts.map(sha256));
  facts.fingerprint = `sha256:${await sha256(Uint8Array.from(digests.join("").match(/../g), (pair) => parseInt(pair, 16)))}`;
  facts.cancels = [...zero.values()].every(([n]) => n === 0n);
  facts.hull = [...average.values()].reduce((sum, [n, e]) => plus(sum, [n * n, 2n * e]), [0n, 0n]);
  return facts;
}

// Whether the rational p/q is n / (2**e * times).
const equal = ([p, q], [n, e], times = 1n) => (p << e) * times === n * q;

// Rejected unless these facts about the rows prove the claim.
function conclude(it, facts) {
  require_(0 < facts.rows && facts.rows === it.n, `the data have ${facts.rows} rows, not ${it.n}`);
  require_(facts.fingerprint === it.fingerprint, "the data are not those of the certificate");
  require_(!facts.flaw, facts.flaw);
  const S = facts.multiplied;
  require_(facts.cancels, "the multiplied rows do not sum to zero");
  require_(it.separated === spansOf(facts.above), "the separated rows differ");
  require_(equal(it.radius, facts.radius), "the radius differs");
  if (it.verdict === "quasi-complete" || it.verdict === "overlap") {
    require_(S.length > 0, "there are no multipliers");
    const matches = facts.above.length > 0 === (it.verdict === "quasi-complete");
    require_(matches, "the verdict does not match the separated rows");
    const columns = new Set(S.flatMap((x) => [...x.keys()]));
    const used = [...facts.unseparated, ...it.complement.flatMap((v) => [...v.keys()])];
    require_(used.every((c) => columns.has(c)), "a column is used that the multiplied rows do not use");
    const spanned = rank(S) === columns.size - rank(it.complement);
    require_(spanned, "the multiplied rows do not span the rows that are not separated");
    const rest = [...columns].filter((c) => !it.estimable.has(c)).length;
    const left = rank(it.complement.map((v) => new Map([...v].filter(([c]) => !it.estimable.has(c)))));
    const isBasis = [...it.estimable].every((c) => columns.has(c)) && left === rest && rank(it.complement) === rest;
    require_(isBasis, "the estimable columns are not those that the rows determine");
  }
  const [n, e] = it.verdict === "complete" ? facts.least : [0n, 0n];
  require_(equal(it.low, [n * n, 2n * e], squares(it.w.values()) || 1n), "the margin of the weights differs");
  require_(!it.hull.size || !S.length, "it gives two proofs of its upper bound on the margin");
  const known = S.length > 0 || it.hull.size > 0;
  const sum = [...it.hull.values()].reduce((a, b) => a + b, 0n) || 1n;
  const proved = known ? it.high !== null && equal(it.high, facts.hull, sum * sum) : it.high === null;
  require_(proved, "the upper bound on the margin is not what its proof gives");
}

// Rejected unless the claim is proved for data that were read from files with these digests.
async function prove(it, data, digests) {
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  require_(!it.files.length || same(it.files, digests), "the files are not those of the certificate");
  const { model } = it, levels = data.classes.length, counts = [];
  require_(!model || model.columns === data.columns, `the data have ${data.columns} columns`);
  const d = model ? shape(model, levels)[0] : data.columns;
  require_(it.d === d, `the data have ${d} columns, not ${it.d}`);
  const isTruth = same(it.classes, ["false", "true"]) && data.classes[0] === `not ${data.classes[1]}`;
  require_(it.names === null || same(it.names, data.names), "the columns have other names in the certificate");
  require_(it.label === null || it.label === data.label, "the label's column is another in the certificate");
  require_(isTruth || same(it.classes, data.classes), "the labels are others in the certificate");
  function* rows() {
    for (const [level, x] of data.examples()) {
      const made = model ? inequalities(model, level, levels, x) : [[level, x]];
      counts.push(made.length);
      yield* made;
    }
  }
  const facts = await factsOf(it, rows());
  const twice = spansOf(counts.flatMap((count, i) => (count === 2 ? [i] : [])));
  const fits = !model || (counts.length === model.examples && (model.kind === "multinomial" || twice === model.twice));
  require_(fits, "the examples are not those of the certificate");
  conclude(it, facts);
}

// The answer for a certificate and files, both {name, bytes}: status 0 proved, 1 rejected or
// undecided, 2 the data cannot be read here; words; and how the data were read.
async function check(certificate, files, options = {}) {
  try {
    const it = await claim(parsed(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(certificate.bytes)));
    const data = await read(files, options, it);
    const digests = await Promise.all(files.map(async ({ bytes }) => `sha256:${await sha256(bytes)}`));
    await prove(it, data, digests);
    const count = it.model ? it.model.examples : it.n;
    const held = it.verdict === "undecided" ? "no verdict is proved, but its facts hold" : "proved";
    let planes = it.bias ? "" : ", of hyperplanes through the origin only";
    if (it.model) planes = ` of a${it.model.kind === "ordinal" ? "n" : ""} ${it.model.kind} model${it.model.constant || it.model.kind === "ordinal" ? "" : " without a constant"}`;
    const words = `${it.verdict}: ${held} for the ${count.toLocaleString("en")} row${count === 1 ? "" : "s"}${planes}`;
    return { status: Number(it.verdict === "undecided"), words, digests, ...data };
  } catch (error) {
    if (error instanceof Unreadable) return { status: 2, words: `cannot be checked here: ${error.message}; or use novikoff verify` };
    return { status: 1, words: `rejected: ${error instanceof Rejected ? error.message : "damaged"}` };
  }
}

if (typeof module === "object") module.exports = { check, claim, parsed, prove, rank };
if (typeof require === "function" && require.main === module) {
  const { readFileSync } = require("node:fs");
  const [certificate, ...files] = process.argv.slice(2).map((name) => ({ name, bytes: readFileSync(name) }));
  check(certificate, files).then(({ status, words }) => {
    console.log(words);
    process.exitCode = status;
  });
}
