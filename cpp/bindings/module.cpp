// The module _core: functions on NumPy arrays that run without the GIL, and the parts of other
// files.
#include <algorithm>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/ascent.hpp"
#include "core/echelon.hpp"
#include "bindings/parts.hpp"
#include "core/order.hpp"
#include "core/passes.hpp"
#include "bindings/votes.hpp"

static void py_accumulate(const Array& values, const Maybe<Array>& indices,
                          const Maybe<Array>& starts, Size dim, In<std::int64_t> example,
                          In<double> step, bool bias, Out<double> w) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  if (w.size() != dim + bias || example.size() != step.size())
    refuse("one weight per feature and one step per example are needed");
  nb::gil_scoped_release unlocked;
  refuse(std::visit(
      [&](const auto& r) {
        return accumulate(r, example.data(), step.data(), example.size(), bias, w.data());
      },
      rows));
}

static double py_ascend(const Array& values, const Maybe<Array>& indices,
                        const Maybe<Array>& starts, Size dim, In<std::int8_t> labels,
                        In<std::int64_t> order, In<double> squares, bool bias, Out<double> alpha,
                        Out<double> w) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  const Size n = length(rows);
  if (w.size() != dim + bias || labels.size() != n || squares.size() != n || alpha.size() != n)
    refuse("one weight per feature, and one label, square and multiplier per row are needed");
  double least;
  nb::gil_scoped_release unlocked;
  refuse(std::visit(
      [&](const auto& r) {
        return ascend(r, labels.data(), order.data(), 0, order.size(), squares.data(), bias,
                      alpha.data(), w.data(), least);
      },
      rows));
  return least;
}

static Size py_echelon(Out<std::int64_t> matrix, Size columns, Out<std::int64_t> pivots) {
  const Size rows = columns ? matrix.size() / columns : 0;
  if (rows * columns != matrix.size() || pivots.size() < std::min(rows, columns))
    refuse("the matrix needs whole rows, and pivots one place for each row or column");
  nb::gil_scoped_release unlocked;
  return echelon(matrix.data(), rows, columns, pivots.data());
}

static void py_squares(const Array& values, const Maybe<Array>& indices,
                       const Maybe<Array>& starts, Size dim, bool bias, Out<double> out) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  if (out.size() != length(rows)) refuse("out needs one square per row");
  nb::gil_scoped_release unlocked;
  refuse(std::visit([&](const auto& r) { return squares(r, 0, r.n, bias, out.data()); }, rows));
}

static void py_vote(const Array& stored_values, const Maybe<Array>& stored_indices,
                    const Maybe<Array>& stored_starts, const Array& values,
                    const Maybe<Array>& indices, const Maybe<Array>& starts, Size dim, Size begin,
                    Size end, In<std::int64_t> example, In<double> step,
                    In<std::int64_t> survived, bool bias, bool zero_is_positive,
                    In<double> start_scores, Out<double> out) {
  const AnyRows stored = any_rows(stored_values, stored_indices, stored_starts, dim);
  const AnyRows rows = any_rows(values, indices, starts, dim);
  within(begin, end, length(rows));
  if (survived.size() != example.size() + 1 || step.size() != example.size())
    refuse("a survival count for the start and one for each mistake are needed");
  if (start_scores.size() < end - begin || out.size() < end - begin)
    refuse("out needs room for one vote per row");
  const History history{example.data(),  step.data(),    survived.data(),
                        example.size(), length(stored), zero_is_positive};
  nb::gil_scoped_release unlocked;
  double start[abreast], votes[abreast];
  dots_abreast(stored, rows, dim, bias, begin, end, [&](Size first, Size some, const double* dots) {
    for (Size q = 0; q < abreast; ++q) start[q] = q < some ? start_scores(first - begin + q) : 0.0;
    refuse(count_votes(history, dots, start, votes));
    std::copy(votes, votes + some, out.data() + (first - begin));
  });
}

// Copies spans of bytes next to each other: the span that begins at source[from[k]] to [to[k], to[k
// + 1]).
static void py_copy_spans(In<std::uint8_t> source, In<std::int64_t> from, In<std::int64_t> to,
                          Out<std::uint8_t> out) {
  if (to.size() != from.size() + 1) refuse("one more destination than spans is needed");
  nb::gil_scoped_release unlocked;
  for (Size k = 0; k < from.size(); ++k) {
    const std::int64_t first = read_once(from(k)), to_first = read_once(to(k)),
                       to_end = read_once(to(k + 1));
    if (first < 0 || to_first < 0 || to_end < to_first || Size(to_end) > out.size() ||
        Size(first) > source.size() || Size(to_end - to_first) > source.size() - Size(first))
      refuse("a span lies outside the bytes");
    std::copy_n(source.data() + first, Size(to_end - to_first), out.data() + to_first);
  }
}

static void py_fill_order(Size run, Size mix, std::uint64_t seed, Out<std::int64_t> out) {
  if (run == 0 || mix == 0) refuse("run and mix must be at least 1");
  nb::gil_scoped_release unlocked;
  fill_order(out.data(), out.size(), run, mix, seed);
}

NB_MODULE(_core, m) {
  // What a program holds when it ends is no leak, and no matter for who ends it.
  nb::set_leak_warnings(false);
  m.doc() = "The compiled core of novikoff: passes over rows that NumPy owns.";
  m.attr("avx2") = wide;
  m.attr("avx512") = widest;
  m.def("accumulate", py_accumulate, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "example"_a.noconvert(),
        "step"_a.noconvert(), "bias"_a, "w"_a.noconvert(),
        "Adds step[k] times row example[k] to w, for each k in turn.");
  m.def("ascend", py_ascend, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "order"_a.noconvert(), "squares"_a.noconvert(), "bias"_a, "alpha"_a.noconvert(),
        "w"_a.noconvert(),
        "One sweep of coordinate ascent towards the widest margin over rows[order], in place.\n\n"
        "Returns the smallest y <w, x>. Score the rows first: that checks them.");
  m.def("echelon", py_echelon, nb::kw_only(), "matrix"_a.noconvert(), "columns"_a, "pivots"_a.noconvert(),
        "The reduced row echelon form modulo 2^63 - 25, in place: returns the rank, and writes the column "
        "where each row begins.");
  m.def("squares", py_squares, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "bias"_a, "out"_a.noconvert(),
        "The squared norms of the rows. Score the rows first: that checks them.");
  m.def("vote", py_vote, "stored_values"_a.noconvert(), "stored_indices"_a.noconvert().none(),
        "stored_starts"_a.noconvert().none(), "values"_a.noconvert(),
        "indices"_a.noconvert().none(), "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(),
        "begin"_a, "end"_a, "example"_a.noconvert(), "step"_a.noconvert(),
        "survived"_a.noconvert(), "bias"_a, "zero_is_positive"_a, "start_scores"_a.noconvert(),
        "out"_a.noconvert(),
        "The votes on rows[begin:end] of every weight vector of a run, by rounds survived.\n\n"
        "Score the rows first: that checks them.");
  m.def("copy_spans", py_copy_spans, "source"_a.noconvert(), nb::kw_only(), "start"_a.noconvert(),
        "to"_a.noconvert(), "out"_a.noconvert(),
        "Copies spans of bytes, side by side, into out.");
  m.def("fill_order", py_fill_order, nb::kw_only(), "run"_a, "mix"_a, "seed"_a,
        "out"_a.noconvert(), "Fills out with a seeded order of its own positions.");
  bind_passes(m);
  bind_concepts(m);
  bind_joint(m);
  bind_kernels(m);
  bind_online(m);
  bind_text(m);
}
