"""Linear classifiers learned online from their mistakes, with proof of what was learned."""
