// What the page is about: the points, the choices, the run that the server played, and where in it we are.

export const state = {
  points: [],        // a list of coordinates each
  labels: [],        // 1 or -1 each
  names: ["x1", "x2"],
  label: "label",
  classes: ["-1", "1"],
  preset: "",        // the name of the preset, as long as its points are unchanged
  table: null,       // all columns of a loaded file, when it has more than two
  choices: { learner: "perceptron", margin: 1, order: "placed", seed: 0, bias: true },
  selected: -1,      // a point
  replay: null,      // what the server said of these points and choices
  k: 0,              // 0: before the first mistake; replay.sent + 1: the end, with the verdict
};

export const dim = () => (state.points.length ? state.points[0].length : state.names.length);
export const last = () => (state.replay ? state.replay.sent + 1 : 0);
export const ended = () => state.replay !== null && state.k === last();

export const question = () => ({
  points: state.points,
  labels: state.labels,
  names: state.names,
  label: state.label,
  classes: state.classes,
  ...state.choices,
});

// The weights after mistake k, null before the first; the final ones at the end.
export function weightsAt(k) {
  const { replay } = state;
  if (!replay || k <= 0) return null;
  return k > replay.sent ? replay.final : replay.ledger.weights[k - 1];
}

export function averageAt(k) {
  const { replay } = state;
  if (!replay || k <= 0 || !replay.ledger.average) return null;
  return k > replay.sent ? replay.average : replay.ledger.average[k - 1];
}

// Other points than before; what is known of their columns comes with them.
export function place({ points, labels, names, label, classes }) {
  const width = points.length ? points[0].length : 2;
  state.points = points.map((point) => [...point]);
  state.labels = [...labels];
  state.names = names ? [...names] : Array.from({ length: width }, (_, j) => `x${j + 1}`);
  state.label = label ?? "label";
  state.classes = classes ? [...classes] : ["-1", "1"];
  state.selected = -1;
}
