// Families of Boolean concepts and sets of them, as words of 64 bits that NumPy owns.
#include "bindings/parts.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/elimination.hpp"
#include "core/concepts.hpp"

using Words = In<std::uint64_t>;

constexpr Size most_variables = 4096;  // of a set: the recursion is as deep as the set is large

// (d + j) choose j for j <= k and d <= rest, one row per j; refuses numbers above `most`. The last
// is the largest.
static std::vector<std::uint64_t> ways_to_choose(Size rest, Size k, std::uint64_t most) {
  std::vector<std::uint64_t> ways((k + 1) * (rest + 1), 1);
  for (Size j = 1; j <= k; ++j)
    for (Size d = 1; d <= rest; ++d) {
      const std::uint64_t sum = ways[j * (rest + 1) + d - 1] + ways[(j - 1) * (rest + 1) + d];
      if (sum > most) refuse("there is not enough room for the answers of all concepts");
      ways[j * (rest + 1) + d] = sum;
    }
  return ways;
}

static void py_evaluate_subsets(Words x, Words turned, Size n, Size k, Words signs,
                                In<bool> table, Size at, Out<std::uint64_t> out) {
  const Size room = out.size() * word_bits;
  if (x.size() * word_bits < n || turned.size() * word_bits < n) refuse("an example needs one bit per variable");
  if (k > most_variables) refuse("a set has too many variables");
  if (k > n || table.size() != k + 1) refuse("a set of k of n needs k + 1 answers");
  const auto ways = ways_to_choose(n - k, k, room);
  const std::uint64_t sets = ways.back();
  if (at > room || (sets > 0 && signs.size() > (room - at) / sets))
    refuse("there is not enough room for the answers of all concepts");
  nb::gil_scoped_release unlocked;
  BitWriter writer{out.data() + at / word_bits, at % word_bits};
  for (Size s = 0; s < signs.size(); ++s) {
    const Subsets subsets{{x.data(), turned.data()}, table.data(), ways.data(), n - k, signs.data()[s]};
    subsets.evaluate(k, n, 0, writer);
  }
}

static std::uint64_t py_count_both(Words a, Words b) {
  if (a.size() != b.size()) refuse("the two sets must have the same length");
  nb::gil_scoped_release unlocked;
  return count_both(a.data(), b.data(), a.size());
}

static void py_keep(Out<std::uint64_t> a, Words b, bool on) {
  if (a.size() != b.size()) refuse("the two sets must have the same length");
  nb::gil_scoped_release unlocked;
  keep(a.data(), b.data(), a.size(), on);
}

static Size py_places(Words a, Out<std::int64_t> out) {
  nb::gil_scoped_release unlocked;
  return places(a.data(), a.size(), out.data(), out.size());
}

static Literals literals(Out<std::int64_t>& plain, Out<std::int64_t>& negated, Size dim,
                         std::int64_t drops, Size left) {
  if (plain.size() != dim || negated.size() != dim)
    refuse("plain and negated need one number per attribute");
  return {plain.data(), negated.data(), countable(drops), left};
}

static std::tuple<Size, int, Size, Size> py_eliminate(
    const Array& values, const Maybe<Array>& indices, const Maybe<Array>& starts, Size dim,
    In<std::int8_t> labels, Maybe<In<double>> importances, Maybe<In<std::int64_t>> order,
    Size begin, Size end, std::int8_t sign, std::int64_t rounds, Out<std::int64_t> plain,
    Out<std::int64_t> negated, std::int64_t drops, Size left, Out<std::int64_t> round,
    Out<std::int64_t> row, Out<double> square) {
  const PassArguments<std::int8_t> given{any_rows(values, indices, starts, dim), labels,
                                         importances, order, begin, end};
  given.check(rounds, {round.size(), row.size(), square.size()});
  Literals h = literals(plain, negated, dim, drops, left);
  Dropped out{round.data(), row.data(), square.data(), 0};
  const Stop stop = given.learn([&](const auto& rows, auto known, auto weighed, auto sequence) {
    return eliminate(rows, known, weighed, sequence, begin, end, sign, rounds, h, out);
  });
  return {stop.at, static_cast<int>(stop.flaw), out.count, h.plain_left};
}

static std::tuple<Size, int> py_conjoin(const Array& values, const Maybe<Array>& indices,
                                        const Maybe<Array>& starts, Size dim, Size begin, Size end,
                                        Out<std::int64_t> plain, Out<std::int64_t> negated,
                                        std::int64_t drops, Size left, Out<double> out) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  within(begin, end, length(rows));
  if (out.size() < end - begin) refuse("out needs room for one score per row");
  const Literals h = literals(plain, negated, dim, drops, left);
  nb::gil_scoped_release unlocked;
  const Stop stop = std::visit(
      [&](const auto& r) { return conjoin(r, begin, end, h, out.data()); }, rows);
  return {stop.at, static_cast<int>(stop.flaw)};
}

void bind_concepts(nb::module_& m) {
  m.def("evaluate_subsets", py_evaluate_subsets, nb::kw_only(), "x"_a.noconvert(),
        "turned"_a.noconvert(), "n"_a, "k"_a, "signs"_a.noconvert(), "table"_a.noconvert(), "at"_a,
        "out"_a.noconvert(),
        "Writes the answer of each set of k of n variables on the example x, as bits from bit `at`.\n\n"
        "The patterns of signs follow one another; from bit `at` on, out must be 0 and have room.");
  m.def("count_both", py_count_both, "a"_a.noconvert(), "b"_a.noconvert(),
        "The number of bits that are on in both sets.");
  m.def("keep", py_keep, "a"_a.noconvert(), "b"_a.noconvert(), nb::kw_only(), "on"_a,
        "Turns off, in place, the bits of a that are off in b; with on=False, those that are on.");
  m.def("places", py_places, "a"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(),
        "Writes the positions of the bits that are on, while there is room; returns their number.");
  m.def("eliminate", py_eliminate, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a,
        "sign"_a, "rounds"_a, "plain"_a.noconvert(), "negated"_a.noconvert(), "drops"_a, "left"_a,
        "round"_a.noconvert(), "row"_a.noconvert(), "square"_a.noconvert(),
        "Learns a conjunction from rows of zeros and ones by dropping literals, in place.\n\n"
        "Returns the position after the last row used, a flaw, the number of mistakes, and the\n"
        "number of plain literals left.");
  m.def("conjoin", py_conjoin, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "begin"_a, "end"_a,
        "plain"_a.noconvert(), "negated"_a.noconvert(), "drops"_a, "left"_a, "out"_a.noconvert(),
        "Writes 1 for each row that makes all remaining literals true, otherwise -1.\n\n"
        "Returns the position after the last row used, and a flaw.");
}
