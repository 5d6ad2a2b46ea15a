// Elimination: starts from the conjunction of all literals and drops those that a positive example
// refutes.
#pragma once

#include "core/passes.hpp"

namespace novikoff {

// The literals left after each drop, in two numbers a variable: x_j is left after d drops if
// plain[j] >= d, and not-x_j if negated[j] > d. So a drop changes only the variables that are 1 in
// the row.
struct Literals {
  std::int64_t* plain;
  std::int64_t* negated;
  std::int64_t drops;
  Size plain_left;
};

// How many variables are 1 in a row: all, those whose plain literal is left, those whose negation
// is left.
struct On {
  Size all, kept, against;

  bool satisfies(const Literals& h) const { return kept == h.plain_left && against == 0; }
};

// Counts the ones of a row of zeros and ones.
template <class Row>
Flaw look(const Row& x, const Literals& h, On& on) {
  bool other = false;
  on = {};
  const Flaw flaw = x.each_in_order([&](Size j, double value) {
    if (value == 0) return;
    other |= value != 1;
    ++on.all;
    on.kept += h.plain[j] >= h.drops;
    on.against += h.negated[j] > h.drops;
  });
  return flaw == Flaw::none && other ? Flaw::value : flaw;
}

template <class Row>
void drop(const Row& x, Size kept, Literals& h) {
  const std::int64_t before = h.drops++;
  h.plain_left = kept;
  x.each([&](Size j, double value) {
    if (value == 0) return;
    if (h.plain[j] == before) h.plain[j] = h.drops;
    if (h.negated[j] > h.drops) h.negated[j] = h.drops;
  });
}

// The mistakes: rounds, rows and the number of ones; with room for one a row.
struct Dropped {
  std::int64_t* round;
  std::int64_t* row;
  double* square;
  Size count;
};

// For each position k in [begin, end), i = order[k] (or k); a row is positive if its label is `sign`:
//   if all literals left are true of x_i and it is negative:  stop, for no subset of them is false of x_i;
//   if one is false and x_i is positive:  drop those that are false, and record (t, i, |x_i|).
// t counts rounds from `rounds` + 1. Importances must be 0 or 1; a row of importance 0 changes
// nothing. Stops before the first row that it cannot use; everything before that row is learned.
template <class Rows>
Stop eliminate(const Rows& rows, const std::int8_t* labels, const double* importance,
               const std::int64_t* order, Size begin, Size end, std::int8_t sign,
               std::int64_t rounds, Literals& h, Dropped& out) {
  for (Size k = begin; k < end; ++k) {
    Size i;
    typename Rows::Row x;
    if (!read_row(rows, order, k, end, i, x)) return {k, Flaw::bounds};
    On on;
    if (const Flaw flaw = look(x, h, on); flaw != Flaw::none) return {k, flaw};
    const bool positive = labels[i] == sign;
    const double weighed = importance ? importance[i] : 1;
    if (weighed != 0 && weighed != 1) return {k, Flaw::step};
    if (on.satisfies(h) == positive || weighed == 0) continue;
    if (!positive) return {k, Flaw::label};
    drop(x, on.kept, h);
    out.round[out.count] = rounds + std::int64_t(k - begin) + 1;
    out.row[out.count] = std::int64_t(i);
    out.square[out.count] = double(on.all);
    ++out.count;
  }
  return {end, Flaw::none};
}

// out[k] = 1 if all literals left are true of x_k, otherwise -1, for k in [begin, end).
template <class Rows>
Stop conjoin(const Rows& rows, Size begin, Size end, const Literals& h, double* out) {
  for (Size k = begin; k < end; ++k) {
    typename Rows::Row x;
    if (!rows.read(k, x)) return {k, Flaw::bounds};
    On on;
    if (const Flaw flaw = look(x, h, on); flaw != Flaw::none) return {k, flaw};
    out[k - begin] = on.satisfies(h) ? 1.0 : -1.0;
  }
  return {end, Flaw::none};
}

}  // namespace novikoff
