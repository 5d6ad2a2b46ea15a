// What a kernel perceptron predicts where: the grid of signs that the server sends, as rectangles of the plane.

// The rectangles after update k, each with its corners and whether + is predicted in it.
export function* rectangles({ low, high, side, signs }, k) {
  const bits = signs[k] ?? "";
  const isPlus = (i) => ((Number.parseInt(bits[i >> 2], 16) >> (3 - (i % 4))) & 1) === 1;
  const edge = (j, i) => low[j] + ((i - 0.5) / (side - 1)) * (high[j] - low[j]);
  for (let row = 0; row < side && bits; row++) {
    let from = 0;
    for (let i = 1; i <= side; i++) {
      const plus = isPlus(row * side + from);
      if (i < side && isPlus(row * side + i) === plus) continue;
      yield { from: [edge(0, from), edge(1, row)], to: [edge(0, i), edge(1, row + 1)], plus };
      from = i;
    }
  }
}
