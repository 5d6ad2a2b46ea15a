// The state of the page: the points, the choices, the run that the server made, and the step shown.

export const state = {
  points: [],        // each a list of coordinates
  labels: [],        // each 1 or -1
  names: ["x1", "x2"],
  label: "label",
  classes: ["-1", "1"],
  preset: "",        // the preset's name, while its points are unchanged
  table: null,       // every column of a loaded file that has more than two
  choices: { learner: "perceptron", margin: 1, order: "placed", seed: 0, bias: true, kernel: "none", degree: 2, gamma: 1 },
  selected: -1,      // the index of the selected point
  replay: null,      // the server's answer for these points and choices
  k: 0,              // updates made so far; replay.sent + 1 is the end, where the verdict is shown
};

export const dim = () => (state.points.length ? state.points[0].length : state.names.length);
export const last = () => (state.replay ? state.replay.sent + 1 : 0);
export const ended = () => state.replay !== null && state.k === last();

// Whether the run is one in a kernel's space: of two columns, and not of Winnow.
export const inSpace = () => state.choices.kernel !== "none" && state.choices.learner !== "winnow" && dim() === 2;

export const request = () => ({
  points: state.points,
  labels: state.labels,
  names: state.names,
  label: state.label,
  classes: state.classes,
  ...state.choices,
  kernel: inSpace() ? state.choices.kernel : "none",
});

// The weights after update k, the final ones at the end; null before the first, and in a kernel's space.
export function weightsAt(k) {
  const { replay } = state;
  if (!replay || k <= 0 || replay.regions) return null;
  return k > replay.sent ? replay.final : replay.ledger.weights[k - 1];
}

// The average of the weights over the rounds up to update k; null for Winnow.
export function averageAt(k) {
  const { replay } = state;
  if (!replay || k <= 0 || !replay.ledger.average) return null;
  return k > replay.sent ? replay.average : replay.ledger.average[k - 1];
}

// Replace all points, with the names of their columns and classes.
export function setPoints({ points, labels, names, label, classes }) {
  const width = points.length ? points[0].length : 2;
  state.points = points.map((point) => [...point]);
  state.labels = [...labels];
  state.names = names ? [...names] : Array.from({ length: width }, (_, j) => `x${j + 1}`);
  state.label = label ?? "label";
  state.classes = classes ? [...classes] : ["-1", "1"];
  state.selected = -1;
}
