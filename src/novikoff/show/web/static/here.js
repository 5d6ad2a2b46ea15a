// Explore without a server: the runs of the presets are recorded, all others are made by the page's own perceptron.

import { plural, short } from "./format.js";
import { bestMargin, dot, runHere } from "./perceptron.js";

const WORDS = {
  separated: ["Separated", "The line is right about every point."],
  cycle: ["A cycle", "The weights came back to earlier ones, so the updates in between sum to 0, and no line separates the points."],
  budget: ["Out of passes", "The run was stopped; this proves nothing about the points."],
};
const HOW = ["kernel", "degree", "gamma"];
const isPlain = ({ learner, order }) => learner === "perceptron" && order === "placed";
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export function replayHere(request, presets) {
  const { points, labels, bias, kernel } = request;
  const asked = (one) => (kernel === "none" ? !one.kernel && one.bias === bias : HOW.every((name) => one[name] === request[name]));
  const known = presets.find((one) => same(one.points, points) && same(one.labels, labels) && asked(one));
  if (known && isPlain(request)) return known.recorded;
  if (kernel !== "none") throw new Error("here a kernel has only the recorded runs of its presets: for others install novikoff and run novikoff web");
  if (points[0].length > 2) throw new Error("points of more than two columns need the program: install novikoff and run novikoff web");
  const made = runHere(request);
  const best = points[0].length === 2 && !bias ? bestMargin(points, labels) : null;
  const eta = made.margin;
  const rows = points.map((x) => (bias ? [...x, 1] : x));
  const [title, words] = WORDS[made.kind];
  const square = Math.max(...rows.map((x) => dot(x, x))) + 2 * eta;
  const { weights } = made.ledger;
  const facts = best ? [["best margin γ", short(best.gamma, 6)], ["R²", short(best.square, 6)]] : [];
  const root = eta > 0 ? "√(k(R² + 2η))" : "R√k";
  return {
    ...made,
    bound: best && !eta ? best.bound : null,
    why_no_bound: "this page has no server, and shows the bound only for a perceptron without a bias",
    sandwich: {
      lower: best && weights.map((_, i) => (i + 1) * best.gamma),
      progress: best && weights.map((w) => dot(w, best.u)),
      norm: weights.map((w) => Math.hypot(...w)),
      upper: weights.map((_, i) => Math.sqrt(square * (i + 1))),
      holds: true,
      root,
    },
    sandwich_words: best ? `kγ ≤ w·u ≤ ‖w‖ ≤ ${root}` : `‖w‖ ≤ ${root}`,
    verdict: {
      kind: made.kind, certified: "", title, facts, multipliers: null, witness: best ? [...best.u, 0] : null,
      words: `${words} The run made ${plural(made.mistakes, made.noun)} in ${made.passes === 1 ? "1 pass" : `${made.passes} passes`}.`,
    },
  };
}
