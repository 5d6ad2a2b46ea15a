"""A page where the perceptron moves: a small local server that replays real runs to a browser."""
