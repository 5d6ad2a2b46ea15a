// Read the data that a certificate is about: svmlight files, and CSV files of numbers, plain or
// gzipped, by the rules in docs/certificate.md. Nothing else is guessed: other data are
// Unreadable. Lines, labels and numbers mean the same to guarantees/check.py.

"use strict";

const SAMPLE = 1000;  // lines that decide, with the first, whether that is a header
const PLACE = /^(?:0|[1-9][0-9]{0,17})$/;
const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const LOOSE = /^[+-]?(?:inf(?:inity)?|nan|(?:D\.?D?|\.D)(?:e[+-]?D)?)$/.source.replaceAll("D", "(?:\\p{Nd}(?:_?\\p{Nd})*)");
const LIKE_NUMBER = new RegExp(LOOSE, "iu");  // whatever Python's float would read
const MISSING = ["", "?", "na", "n/a", "nan", "+nan", "-nan", "null"];
const OTHERS = /^(?:vw|json|jsonl|ndjson|parquet|pq|arrow|arrows|feather|ipc|npz)$/;
const ODD = /[\0\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

class Rejected extends Error {}  // the certificate does not prove its verdict on these data
class Unreadable extends Error {}  // the data cannot be read here: this says nothing about it

function require_(truth, reason) {
  if (!truth) throw new Rejected(reason);
}
function readable(truth, reason) {
  if (!truth) throw new Unreadable(reason);
}

const points = (text) => Array.from(text, (c) => c.codePointAt(0));
function byCodePoints(a, b) {
  const [u, v] = [points(a), points(b)];
  const k = u.findIndex((x, i) => x !== v[i]);
  return k < 0 ? u.length - v.length : u[k] - (v[k] ?? -1);
}

const strip = (text) => text.replace(/^[ \t]+|[ \t]+$/g, "");
const words = (text) => text.split(/[ \t]+/).filter(Boolean);

async function decoded(raw) {
  let bytes = raw;
  if (raw[0] === 0x1f && raw[1] === 0x8b) {
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
    bytes = await new Response(stream).arrayBuffer().catch(() => readable(false, "the gzip file is damaged"));
  }
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    readable(false, "the data are not UTF-8");
  }
  text = text.replace(/\r\n?/g, "\n");
  readable(!ODD.test(text), "the data contain a space that is not a blank, a tab or the end of a line");
  return text;
}

// svmlight, or the mark between the fields of a table.
function kindOf(name, text) {
  const suffix = name.toLowerCase().replace(/\.gz$/, "").split(".").at(-1);
  let first = text.split("\n").find((line) => /^[ \t]*[^ \t#]/.test(line)) ?? "";
  const pairs = /^[ \t]*[^ \t:|]+[ \t]+[0-9]+:/.test(first);
  const isTable = ["csv", "tsv"].includes(suffix);
  if (["svm", "svmlight", "libsvm"].includes(suffix) || (pairs && !isTable && !OTHERS.test(suffix))) {
    readable(first.includes(":") || !/[,;]/.test(first), "the data are not svmlight");
    return "svmlight";
  }
  const isOther = OTHERS.test(suffix) || /^[ \t]*\{|^[^|,;]*\|/.test(first);
  readable(isTable || (/[,\t;]/.test(first) && !isOther), "the data are neither svmlight nor CSV");
  if (first.includes(";")) first = first.replace(/(?<=[0-9]),(?=[0-9])/g, "");
  return suffix === "tsv" ? "\t" : [...",\t;"].find((mark) => first.includes(mark)) ?? ",";
}

function finite(text) {
  const number = NUMBER.test(text) ? Number(text) : NaN;
  readable(Number.isFinite(number), `'${text.slice(0, 40)}' is not a finite number, and only those are read`);
  return number;
}
const isText = (cell) => !LIKE_NUMBER.test(cell) && !MISSING.includes(cell.toLowerCase());

// What labels are compared by: numbers come first, by size, then texts.
function key(label) {
  const number = NUMBER.test(label) ? Number(label) : NaN;
  if (!Number.isFinite(number)) return { text: label, same: `t${label}` };
  const exact = Math.abs(number) >= 2 ** 53 && /^[+-]?[0-9]+$/.test(label) ? whole(label.replace("+", "")) : number;
  return { number: exact, same: `n${Number.isInteger(exact) ? BigInt(exact) : exact}` };
}
function byKey(a, b) {
  if ("text" in a && "text" in b) return byCodePoints(a.text, b.text);
  if ("text" in a || "text" in b) return "text" in a ? 1 : -1;
  return a.number < b.number ? -1 : Number(a.number > b.number);
}
function written({ text, number }) {
  if (text !== undefined) return text;
  if (typeof number === "bigint") return String(number);
  if (Number.isInteger(number) && Math.abs(number) <= 1e22) return String(BigInt(number));
  const [digits, power] = number.toExponential().split("e");  // as Python writes it
  return power >= -4 && power < 16 ? String(number) : `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

function different(labels) {
  const found = [...new Set(labels)];
  readable(found.length > 0, "there are no examples");
  const bad = found.find((text) => MISSING.includes(text.toLowerCase()) || /^[+-]?inf(inity)?$/i.test(text));
  readable(bad === undefined, `label '${bad}' is not a class`);
  return found;
}

// The negative and the positive label, and the sign of each text that occurs.
function labelled(labels, one) {
  const found = different(labels);
  let keys = [...new Map(found.map(key).map((k) => [k.same, k])).values()].sort(byKey);
  if (one !== null) {
    readable(keys.some((k) => k.same === key(one).same), `no example has the label '${one}'`);
    keys = [key(one)];
  }
  readable(keys.length <= 2, `there are ${keys.length} different labels, not two`);
  const alone = written(keys.at(-1));
  let [classes, positive] = [[written(keys[0]), alone], keys.at(-1).same];
  if (one === null && keys.length === 1 && ["n0", "n-1"].includes(positive)) [classes, positive] = [[alone, "1"], "n1"];
  else if (keys.length === 1) classes = [alone === "1" && one === null ? "-1" : `not ${alone}`, alone];
  return { classes, code: new Map(found.map((text) => [text, key(text).same === positive ? 1 : -1])) };
}

// The levels of a model, and the number of each text that occurs.
function levelled(labels, kind, levels) {
  const found = different(labels);
  if (kind === "binomial") {
    readable(found.every((text) => text.includes(" ")), "name the column of trials");
    const counts = found.map((text) => text.split(" ").map(finite)).map(([s, ...of]) => [s, of.reduce((a, b) => a + b)]);
    readable(counts.every(([s, m]) => 0 <= s && s <= m && m > 0), "a count is not of its trials");
    return { classes: levels, code: new Map(counts.map(([s, m], k) => [found[k], s === m ? 2 : Number(s > 0)])) };
  }
  if (kind === "poisson") {
    readable(found.map(finite).every((x) => x >= 0), "a response is negative");
    return { classes: ["0", "positive"], code: new Map(found.map((text) => [text, Number(finite(text) > 0)])) };
  }
  const places = new Map(levels.map((text, k) => [key(text).same, k]));
  const same = new Set(found.map((text) => key(text).same));
  require_(same.size === places.size && [...same].every((one) => places.has(one)), "the labels are not those of the certificate");
  return { classes: levels, code: new Map(found.map((text) => [text, places.get(key(text).same)])) };
}

function svmlight(contents, coded, zeroBased) {
  const first = zeroBased || contents.some((text) => /^[^#\n]*[ \t]0+:/m.test(text)) ? 0 : 1;
  const lines = contents.flatMap((text) => text.split("\n").map((line) => strip(line.split("#", 1)[0])).filter(Boolean));
  const { classes, code } = coded(lines.map((line) => words(line)[0]));
  const ends = lines.map((line) => /[ \t]([0-9]{1,18}):[^ \t:]*$/.exec(line)).filter(Boolean);
  const last = ends.reduce((most, end) => Math.max(most, Number(end[1])), first - 1);
  readable(last < 2 ** 53, "an index is too large");
  const columns = last + 1 - first;
  function* examples() {
    for (const line of lines) {
      const [label, ...rest] = words(line);
      const pairs = rest.map((word) => /^([^:]*):?(.*)$/s.exec(word));
      readable(pairs.every(([, c]) => /^[0-9]{1,18}$/.test(c)), "an index is not a whole number, or too large");
      readable(!label.includes(":"), "a line does not begin with a label");
      yield [code.get(label), pairs.map(([, c, v]) => [Number(c) - first, finite(v)])];
    }
  }
  return { examples, columns, classes, names: null, label: null, header: null };
}

// The cells of a line of a table; a quoted text must end on its line.
function cellsOf(line, mark) {
  const field = new RegExp(` *(?:"((?:[^"]|"")*)"|([^" ${mark}][^${mark}]*)?)${mark}`, "y");
  const found = [];
  while (field.lastIndex <= line.length) {
    const cell = field.exec(line + mark);
    readable(cell && cell[0].length < 131072, "a quote does not end on its line, or a field is too long");
    found.push(strip(cell[1]?.replaceAll('""', '"') ?? cell[2] ?? ""));
  }
  return found;
}

// The label's column: by name, by position, or the last.
function place(names, width, label) {
  if (label === null) return width - 1;
  readable(names.filter((name) => name === label).length < 2, `two columns are called '${label}'`);
  if (names.includes(label)) return names.indexOf(label);
  readable(PLACE.test(label) && Number(label) < width, `column '${label}' is missing`);
  return Number(label);
}

// Whether a first line with texts is an example: below its texts are texts, too.
function isExample(top, sample, named, at, label) {
  if (named.length === top.length || named.some((k) => top[k] === label)) return false;
  return named.every((k) => {
    const below = sample.filter((line) => line.length === top.length).map((line) => line[k]);
    const few = k === at ? new Set([...below, top[k]]).size <= 2 : below.length > 0;
    return few && below.every(isText);
  });
}

// How columns that a formula named are made from the file's: "ward[T.b]", "C(ward)[T.b]" and "ward=b" are 1
// where the ward is b, "firm^year=7^2" where both are so; "age:ward[T.b]" is a product. The columns of numbers
// and those of texts that columns are made of come with the names of the columns by those texts.
const LEVEL = /^(?:C\(([^,()]+)(?:,.*)?\)|([^=]+?))(?:\[(?:T\.(.*)|((?![A-Z]?\.).*))\]|=(.*))$/;
function made(names, top) {
  const groups = new Map();
  const within = (text, column) => (top.includes(column) ? [text] : text.split("^"));
  for (const name of names) {
    const numbers = [], texts = [], levels = [];
    for (const factor of top.includes(name) ? [name] : name.split(":")) {
      const found = top.includes(factor) ? null : LEVEL.exec(factor);
      if (!found) numbers.push(factor);
      else {
        const [column, level] = found.slice(1).filter((part) => part !== undefined);
        texts.push(...within(column, column));
        levels.push(...within(level, column));
      }
    }
    const known = texts.length === levels.length && [...numbers, ...texts].every((one) => top.includes(one));
    readable(known, `'${name}' is not a column of the file, a level of one or a product of these; check.py can check a table of the columns, once you have made it`);
    const places = [numbers, texts].map((them) => them.map((one) => top.indexOf(one)));
    const same = JSON.stringify(places), group = groups.get(same) ?? { places, names: new Map() };
    const there = levelKey(levels);
    require_(!group.names.has(there), `'${name}' and '${group.names.get(there)}' are the same column`);
    group.names.set(there, name);
    groups.set(same, group);
  }
  return [...groups.values()];
}
const levelKey = (texts) => JSON.stringify(texts.map((text) => key(text).same));

// The columns of a line that are not 0, and their values.
const cellsMade = (groups, row) =>
  groups.flatMap(({ places: [numbers, texts], names }) => {
    const there = texts.map((k) => row[k]);
    readable(!there.some((text) => MISSING.includes(text.toLowerCase())), "a category is missing");
    const name = names.get(levelKey(there));
    return name === undefined ? [] : [[name, numbers.reduce((product, k) => product * finite(row[k]), 1)]];
  });

function table(contents, mark, { label, trials, categorical, wanted }, coded) {
  const full = mark === "\t" ? /[^ ]/ : /[^ \t]/;
  const files = contents.map((text) => text.split("\n").filter((line) => full.test(line)).map((line) => cellsOf(line, mark)));
  const [top = [], ...sample] = files[0].slice(0, SAMPLE + 1);
  readable(top.length > 1, "there is no column but the label");
  const named = top.flatMap((cell, k) => (isText(cell) ? [k] : []));
  const guess = place(named.length ? top : [], top.length, label);
  const header = named.length > 0 && !isExample(top, sample, named, guess, label);
  const at = place(header ? top : [], top.length, label);
  const of = trials === null ? [] : top.includes(trials) ? [trials] : trials.split("+");
  const both = [at, ...of.map((name) => place(header ? top : [], top.length, name))];
  const names = header ? top.filter((_, k) => !both.includes(k)) : null;
  const called = header && top.filter((name) => name === top[at]).length === 1 ? top[at] : String(at);
  const differ = !header || (names.every(Boolean) && new Set([...names, called]).size === names.length + 1);
  readable(differ, "two columns have the same name, or one has none");
  const same = files.every(([first = top]) => !header || String(first) === String(top));
  readable(same, "the files have different headers");
  const rows = files.flatMap((lines) => lines.slice(Number(header)));
  readable(rows.every((row) => row.length === top.length), "a line has another number of fields than the first");
  const categories = new Set(categorical.map((name) => place(header ? top : [], top.length, name)));
  // A value v of a categorical column c is a column "c=v"; columns are numbered as they appear.
  const cellsRead = (row) =>
    row.flatMap((cell, k) => {
      if (both.includes(k)) return [];
      const name = header ? top[k] : String(k);
      readable(!categories.has(k) || !MISSING.includes(cell.toLowerCase()), "a category is missing");
      return [categories.has(k) ? [`${name}=${cell}`, 1] : [name, finite(cell)]];
    });
  readable(wanted === null || header, "the file does not name its columns");
  const groups = wanted && made(wanted, top);
  const cells = (row) => (groups ? cellsMade(groups, row) : cellsRead(row));
  const looked = categories.size ? rows : rows.slice(0, SAMPLE);
  const seen = wanted ?? [...new Set(looked.flatMap((row) => cells(row).map(([name]) => name)))];
  const columns = new Map(seen.map((name, c) => [name, c]));
  const labelOf = (row) => both.map((k) => row[k]).join(" ");
  const { classes, code } = coded(rows.map(labelOf));
  function* examples() {
    for (const row of rows) {
      yield [code.get(labelOf(row)), cells(row).map(([name, v]) => [columns.get(name), v]).sort(([a], [b]) => a - b)];
    }
  }
  return { examples, columns: columns.size, classes, names: categories.size || wanted ? seen : names, label: called, header };
}

async function read(files, { label = null, one = null, zeroBased = false, categorical = [], trials = null, byName = false }, it) {
  readable(!it.model || one === null, "the labels of this model are not two");
  const coded = (labels) => (it.model ? levelled(labels, it.model.kind, it.classes) : labelled(labels, one));
  const contents = await Promise.all(files.map(({ bytes }) => decoded(bytes)));
  const [kind, ...others] = new Set(files.map(({ name }, k) => kindOf(name, contents[k])));
  readable(others.length === 0, "the files have different formats");
  readable(kind !== "svmlight" || (label === null && trials === null && !categorical.length && !byName), "svmlight has no columns with names");
  readable(kind === "svmlight" || !zeroBased, "only the indices of svmlight may count from 0");
  readable(!byName || it.names, "the certificate names no columns");
  const reading = { label: byName ? label ?? it.label : label, trials, categorical, wanted: byName ? it.names : null };
  return kind === "svmlight" ? svmlight(contents, coded, zeroBased) : table(contents, kind, reading, coded);
}

if (typeof module === "object") module.exports = { PLACE, Rejected, Unreadable, byCodePoints, read, readable, require_ };
