// Passes over rows and their scores, for perceptrons (weights are a sum), adaptive ones (weights have
// variances) and Winnow (weights are powers).
#include "bindings/parts.hpp"

#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "bindings/rules.hpp"
#include "core/adaptive.hpp"
#include "core/logarithm.hpp"
#include "core/together.hpp"

using Stopped = std::tuple<Size, int>;
constexpr Size most_in_matrix = Size(1) << 15;

using StoppedWith = std::tuple<Size, int, Size>;

// A float32 copy of the weights, from which scores are estimated; none if the rows from `begin` to
// `end` have too few entries to be worth it or are dense, or if there is no memory.
static std::unique_ptr<float[]> narrow_copy(const AnyRows& rows, Size begin, Size end,
                                            const double* w, Size dim) {
  const bool worth = std::visit(
      [=](const auto& some) {
        if constexpr (requires { some.stored; })
          return double(some.stored) * double(end - begin) >= 4.0 * double(dim) * double(some.n);
        return false;
      },
      rows);
  if (!worth) return nullptr;
  std::unique_ptr<float[]> narrow(new (std::nothrow) float[dim]);
  for (Size j = 0; narrow && j < dim; ++j) narrow[j] = narrowed(w[j]);
  return narrow;
}

constexpr Size rows_at_once = 4096;

// Passes over the same rows, one after another: until one learns nothing, or the weights, times their
// unit, are `until` at its end. `ends` gets the number of mistakes recorded by the end of each.
struct Again {
  Size passes = 1;
  std::int64_t* ends = nullptr;
  const double* until = nullptr;
  Size width = 0;

  template <class Weights>
  bool is_back(const Weights& weights, double unit) const {
    Size j = 0;
    if constexpr (requires { weights.w; })
      while (until && j < width && unit * weights.w[j] == until[j]) ++j;
    return until && j == width;
  }
};

// run(rows, weights), with padded copies of the weights where the rows are dense and vectors have four numbers
// (see PaddedRow). For each of 200,000 rows of 28, adaptive: 90 -> 70 ns; averaged: 37 -> 34.
template <class Rows, class Weights, class F>
static Stop run_padded(const Rows& rows, Size n, bool bias, const Weights& weights, F run) {
  if constexpr (requires { padded(rows, bias); weights.with([](double* of) { return of; }); })
    if (wide && n >= lanes) {
      struct Copy {
        double* of;
        std::vector<Line> lines;
      };
      const Size length = rows.dim + bias;
      std::vector<Copy> copies;
      const auto copy = [&](double* of) {
        copies.push_back({of, std::vector<Line>(length / Line::doubles + 1)});
        double* const to = reinterpret_cast<double*>(copies.back().lines.data());
        std::copy_n(of, length, to);
        return to;
      };
      const Stop stop = run(padded(rows, bias), weights.with(copy));
      for (const Copy& made : copies)
        std::copy_n(reinterpret_cast<const double*>(made.lines.data()), length, made.of);
      return stop;
    }
  return run(rows, weights);
}

// The pass over given rows, some at a time. If there are counts, the scores of these are then counted:
// an array for all of them would take longer to get than to fill. Scores are estimated while
// fewer than an eighth of the rows are mistaken: a mistaken row needs its score all the same (on 40k
// rows of 63, 7.6 -> 6.2 ms with 10 % of mistakes; with 45 %, 9.7 -> 11.0). Adaptive sums are found with
// the score while at least half of the rows are learned from: 56 -> 53 ms for 120,000 rows of 63.
template <class Weights>
static StoppedWith learn(const PassArguments<std::int8_t>& given, const Rule& rule,
                         std::int64_t rounds, const Weights& all_weights, Mistakes out,
                         const Maybe<Out<std::int64_t>>& counts, const Again& again = {}) {
  const HonestScores honest = counts ? honest_scores(*counts) : HonestScores{nullptr};
  const auto learn_from = [&](const auto& rows, auto labels, auto importances, auto order, auto weights) {
    double met[rows_at_once];
    Stop last{given.begin, Flaw::none};
    if constexpr (requires { weights.eager; }) weights.eager = true;
    for (Size passes = 0; passes < again.passes; ++passes) {
      std::unique_ptr<float[]> narrow;
      const Size before_pass = out.count;
      last = {given.begin, Flaw::none};
      for (Size at = given.begin; at < given.end && last.flaw == Flaw::none; at = last.at) {
        const Size end = std::min(given.end, at + rows_at_once), before = out.count;
        const std::int64_t played = rounds + std::int64_t(at - given.begin);
        double* const seen = honest.data ? met : nullptr;
        last = importances ? pass<true>(rows, labels, importances, order, at, end, rule, played,
                                        weights, out, seen)
                           : pass<false>(rows, labels, nullptr, order, at, end, rule, played,
                                         weights, out, seen);
        if (seen) honest.meet_rows(met, at, last.at, labels, importances, order, rows.n);
        if constexpr (requires { weights.eager; })
          weights.eager = 2 * (out.count - before) >= last.at - at;
        if constexpr (requires { weights.narrow; }) {
          // what is counted is the score of the mean, which is not estimated
          const bool counts_means = seen && requires { weights.u; };
          const bool rare = !counts_means && 8 * (out.count - before) < last.at - at;
          if (rare && !narrow) {
            narrow = narrow_copy(given.rows, last.at, given.end, weights.w, rows.dim);
            weights.narrow = narrow.get();
          } else if (!rare) {
            weights.narrow = nullptr;  // and stays so, because the copy is out of date from now on
          }
        }
      }
      if constexpr (requires { weights.narrow; }) weights.narrow = nullptr;
      rounds += std::int64_t(given.end - given.begin);
      if (last.flaw != Flaw::none) break;
      if (again.ends) again.ends[passes] = std::int64_t(out.count);
      if (out.count == before_pass || again.is_back(weights, rule.unit)) break;
    }
    return last;
  };
  const Stop stop = given.learn([&](const auto& rows, auto labels, auto importances, auto order) {
    return run_padded(rows, given.end - given.begin, rule.bias, all_weights,
                      [&](const auto& these, const auto& weights) {
                        return learn_from(these, labels, importances, order, weights);
                      });
  });
  return {stop.at, static_cast<int>(stop.flaw), out.count};
}

static void one_each(Size weights, Size dim, bool bias) {
  if (weights != dim + bias) refuse("one weight a feature is needed, and one for the constant");
}

template <class Weights>
static Stopped score(const AnyRows& rows, Size begin, Size end, Weights weights, bool bias,
                     Out<double> out) {
  within(begin, end, length(rows));
  if (out.size() < end - begin) refuse("out needs room for one score per row");
  nb::gil_scoped_release unlocked;
  const Stop stop = std::visit(
      [&](const auto& r) { return scores(r, begin, end, weights, bias, out.data()); }, rows);
  return {stop.at, static_cast<int>(stop.flaw)};
}

static StoppedWith py_pass(const Array& values, const Maybe<Array>& indices,
                           const Maybe<Array>& starts, Size dim, In<std::int8_t> labels,
                           Maybe<In<double>> importances, Maybe<In<std::int64_t>> order,
                           Size begin, Size end, Two threshold, Two step, double unit, bool bias,
                           std::int64_t rounds, Out<double> w, Maybe<Out<double>> u,
                           Out<std::int64_t> round, Out<std::int64_t> row, Out<double> score,
                           Out<double> taken, Out<double> square,
                           Maybe<Out<std::int64_t>> counts, Maybe<Out<std::int64_t>> ends,
                           Maybe<In<double>> until) {
  one_each(w.size(), dim, bias);
  const PassArguments<std::int8_t> given{any_rows(values, indices, starts, dim), labels,
                                         importances, order, begin, end};
  const Size passes = ends ? ends->size() : 1;
  given.check(rounds, {round.size(), row.size(), score.size(), taken.size(), square.size()}, passes);
  if (u) one_each(u->size(), dim, bias);
  if (until) one_each(until->size(), dim, bias);
  const Rule rule = rule_of(threshold, step, unit, bias);
  const Mistakes out{round.data(), row.data(), score.data(), taken.data(), square.data(), 0};
  const Again again{passes, ends ? ends->data() : nullptr, until ? until->data() : nullptr, w.size()};
  return u ? learn(given, rule, rounds, AveragedSum{{w.data()}, u->data()}, out, counts, again)
           : learn(given, rule, rounds, Sum<double>{w.data()}, out, counts, again);
}

// A perceptron of several: labels, thresholds, steps, rounds, w, u, counts.
using AMember = std::tuple<In<std::int8_t>, Two, Two, std::int64_t, Out<double>, Maybe<Out<double>>,
                           Maybe<Out<std::int64_t>>>;

// Rows after which the scores of several perceptrons are counted: 64 kB of scores for 32 of them.
constexpr Size rows_together = 256;

template <class T, class I>
static StopTogether learn_together(const SparseRows<T, I>& rows, const double* importances,
                                   const std::int64_t* order, Size begin, Size end, bool bias, float* narrow,
                                   std::vector<Member>& members, const std::vector<HonestScores>& honest) {
  const auto run = [&](Size from, Size to) {
    const auto with = [&]<Size eights>() {
      const auto pass = importances ? pass_together<true, eights, SparseRows<T, I>>
                                    : pass_together<false, eights, SparseRows<T, I>>;
      return pass(rows, importances, order, from, to, bias, narrow, members.data(), members.size());
    };
    switch ((members.size() - 1) / together_at_once) {
      case 0: return with.template operator()<1>();
      case 1: return with.template operator()<2>();
      case 2: return with.template operator()<3>();
      default: return with.template operator()<4>();
    }
  };
  std::vector<double> met(members.size() * rows_together);
  for (Size c = 0; c < members.size(); ++c)
    members[c].met = honest[c].data ? met.data() + c * rows_together : nullptr;
  StopTogether last{begin, 0};
  for (Size at = begin; at < end; at = last.at) {
    const Size to = std::min(end, at + rows_together);
    last = run(at, to);
    for (Size c = 0; c < members.size(); ++c) {
      Member& one = members[c];
      one.rounds += std::int64_t(last.at - at);
      if (one.met)
        honest[c].meet_rows(one.met, at, last.at + (c < last.learned), one.labels, importances, order, rows.n);
    }
    if (last.at < to) break;
  }
  return last;
}

static nb::tuple py_learn_together(const Array& values, const Maybe<Array>& indices, const Maybe<Array>& starts,
                                   Size dim, const std::vector<AMember>& of, Maybe<In<double>> importances,
                                   Maybe<In<std::int64_t>> order, Size begin, Size end, double unit, bool bias,
                                   Out<float> narrow, bool is_filled, Out<std::int64_t> round,
                                   Out<std::int64_t> row, Out<double> score, Out<double> taken,
                                   Out<double> square) {
  const Size n = of.size(), width = (n + together_at_once - 1) / together_at_once * together_at_once;
  if (n == 0 || n > most_together) refuse("from 1 to 32 perceptrons learn together");
  std::vector<Member> members;
  std::vector<HonestScores> honest;
  const AnyRows rows = any_rows(values, indices, starts, dim);
  const Size room = std::min({round.size(), row.size(), score.size(), taken.size(), square.size()}) / n;
  for (const auto& [labels, threshold, step, rounds, w, u, counts] : of) {
    one_each(w.size(), dim, bias);
    if (u) one_each(u->size(), dim, bias);
    if (u && counts) refuse("the scores of a mean are not counted here");
    const PassArguments<std::int8_t> given{rows, labels, importances, order, begin, end};
    given.check(rounds, {room});
    const Size from = members.size() * room;
    members.push_back({labels.data(), rule_of(threshold, step, unit, bias), w.data(), u ? u->data() : nullptr,
                       rounds,
                       {round.data() + from, row.data() + from, score.data() + from, taken.data() + from,
                        square.data() + from, 0},
                       nullptr});
    honest.push_back(counts ? honest_scores(*counts) : HonestScores{nullptr});
  }
  if (narrow.size() / width < dim) refuse("the copy needs a number for each weight");
  StopTogether stop{begin, 0};
  {
    nb::gil_scoped_release unlocked;
    if (!is_filled)
      for (Size j = 0; j < dim; ++j)
        for (Size c = 0; c < width; ++c) narrow.data()[j * width + c] = c < n ? narrowed(members[c].w[j]) : 0.0f;
    stop = std::visit(
        [&](const auto& some) -> StopTogether {
          if constexpr (requires { some.stored; })
            return learn_together(some, importances ? importances->data() : nullptr,
                                  order ? order->data() : nullptr, begin, end, bias, narrow.data(), members,
                                  honest);
          return {begin, 0};
        },
        rows);
  }
  nb::list counts;
  for (const Member& one : members) counts.append(one.out.count);
  return nb::make_tuple(stop.at, stop.learned, counts);
}

// run(weights), with a variance for each weight or, if `full`, a matrix of them.
template <class F>
static auto with_adaptive(Size dim, bool bias, bool full, double r, const Out<double>& w,
                          const Out<double>& variance, const Maybe<Out<double>>& u, F run) {
  one_each(w.size(), dim, bias);
  if (u) one_each(u->size(), dim, bias);
  double* const late = u ? u->data() : nullptr;
  const Size n = w.size();
  if (!full) {
    one_each(variance.size(), dim, bias);
    return run(Adaptive{w.data(), variance.data(), late, positive(r)});
  }
  if (n > most_in_matrix || variance.size() != n * n) refuse("S needs a row for each weight");
  std::vector<double> product(n);
  return run(AdaptiveMatrix{w.data(), variance.data(), late, product.data(), positive(r), n});
}

static StoppedWith py_adapt(const Array& values, const Maybe<Array>& indices,
                            const Maybe<Array>& starts, Size dim, In<std::int8_t> labels,
                            Maybe<In<double>> importances, Maybe<In<std::int64_t>> order,
                            Size begin, Size end, Two step, double r, bool full, bool bias,
                            std::int64_t rounds, Out<double> w, Out<double> variance,
                            Maybe<Out<double>> u, Out<std::int64_t> round, Out<std::int64_t> row,
                            Out<double> score, Out<double> taken, Out<double> square,
                            Maybe<Out<std::int64_t>> counts) {
  const PassArguments<std::int8_t> given{any_rows(values, indices, starts, dim), labels,
                                         importances, order, begin, end};
  given.check(rounds, {round.size(), row.size(), score.size(), taken.size(), square.size()});
  return with_adaptive(dim, bias, full, r, w, variance, u, [&](auto weights) {
    return learn(given, adaptive_rule(step, bias), rounds, weights,
                 {round.data(), row.data(), score.data(), taken.data(), square.data(), 0}, counts);
  });
}

static void py_adapt_again(const Array& values, const Maybe<Array>& indices,
                           const Maybe<Array>& starts, Size dim, In<std::int64_t> example,
                           In<std::int64_t> round, In<double> step, In<double> importance,
                           double r, bool full, bool bias, Out<double> w, Out<double> variance,
                           Maybe<Out<double>> u) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  const Size n = example.size();
  if (round.size() != n || step.size() != n || importance.size() != n)
    refuse("one round, step and importance per update are needed");
  refuse(with_adaptive(dim, bias, full, r, w, variance, u, [&](auto weights) {
    nb::gil_scoped_release unlocked;
    return std::visit(
        [&](const auto& some) {
          return adapt_again(some, example.data(), round.data(), step.data(), importance.data(), n,
                             bias, weights);
        },
        rows);
  }));
}

static StoppedWith py_multiply(const Array& values, const Maybe<Array>& indices,
                               const Maybe<Array>& starts, Size dim, In<std::int8_t> labels,
                               Maybe<In<double>> importances, Maybe<In<std::int64_t>> order,
                               Size begin, Size end, Two threshold, Two step, bool bias,
                               std::int64_t rounds, double alpha, bool balanced, bool erases,
                               double theta, Out<double> powers, Out<double> w,
                               Out<std::int64_t> round, Out<std::int64_t> row, Out<double> score,
                               Out<double> taken, Out<double> square, Maybe<Out<std::int64_t>> counts) {
  one_each(w.size(), dim, bias);
  one_each(powers.size(), dim, bias);
  const PassArguments<std::int8_t> given{any_rows(values, indices, starts, dim), labels,
                                         importances, order, begin, end};
  given.check(rounds, {round.size(), row.size(), score.size(), taken.size(), square.size()});
  return learn(given, rule_of(threshold, step, 1.0, bias), rounds,
               Powers<double>(powers.data(), w.data(), growth_of(alpha, balanced), theta, erases),
               {round.data(), row.data(), score.data(), taken.data(), square.data(), 0}, counts);
}

static Stopped py_scores(const Array& values, const Maybe<Array>& indices,
                         const Maybe<Array>& starts, Size dim, Size begin, Size end,
                         In<double> w, bool bias, Out<double> out, bool signs) {
  one_each(w.size(), dim, bias);
  const AnyRows rows = any_rows(values, indices, starts, dim);
  within(begin, end, length(rows));
  const auto narrow = signs ? narrow_copy(rows, begin, end, w.data(), dim) : nullptr;
  return score(rows, begin, end, Sum<const double>{w.data(), narrow.get()}, bias, out);
}

// Scores at a time that become labels while they are in the first cache: predicting 2,000,000 rows of 5 takes
// 14.2 ms instead of 16.6 with labels taken in Python.
constexpr Size scores_at_once = 1024;

static Stopped py_predict(const Array& values, const Maybe<Array>& indices, const Maybe<Array>& starts, Size dim,
                          Size begin, Size end, In<double> w, bool bias, bool zero_is_positive,
                          In<std::int64_t> labels, Out<std::int64_t> out) {
  one_each(w.size(), dim, bias);
  const AnyRows rows = any_rows(values, indices, starts, dim);
  within(begin, end, length(rows));
  if (out.size() < end - begin) refuse("out needs room for one label per row");
  if (labels.size() != 2) refuse("two labels are needed");
  const std::int64_t of[2] = {labels(0), labels(1)};
  const double least = zero_is_positive ? 0.0 : std::numeric_limits<double>::denorm_min();
  nb::gil_scoped_release unlocked;
  const auto narrow = narrow_copy(rows, begin, end, w.data(), dim);
  const Sum<const double> weights{w.data(), narrow.get()};
  std::int64_t* to = out.data();
  double s[scores_at_once];
  Stop stop{begin, Flaw::none};
  std::visit(
      [&](const auto& r) {
        for (Size at = begin; at < end && stop.flaw == Flaw::none; at = stop.at) {
          stop = scores(r, at, std::min(end, at + scores_at_once), weights, bias, s);
          for (Size k = 0; k < stop.at - at; ++k) *to++ = of[s[k] >= least];
        }
      },
      rows);
  return {stop.at, static_cast<int>(stop.flaw)};
}

static Stopped py_power_scores(const Array& values, const Maybe<Array>& indices,
                               const Maybe<Array>& starts, Size dim, Size begin, Size end,
                               double alpha, bool balanced, double theta, In<double> powers,
                               In<double> w, bool bias, Out<double> out) {
  one_each(w.size(), dim, bias);
  one_each(powers.size(), dim, bias);
  return score(any_rows(values, indices, starts, dim), begin, end,
               Powers<const double>(powers.data(), w.data(), growth_of(alpha, balanced), theta,
                                    false),
               bias, out);
}

static void py_weights(double alpha, bool balanced, In<double> powers, Out<double> out) {
  if (powers.size() != out.size()) refuse("one weight per power is needed");
  const Growth growth = growth_of(alpha, balanced);
  nb::gil_scoped_release unlocked;
  for (Size j = 0; j < powers.size(); ++j) out(j) = growth.weight(powers(j));
}

static void py_count_scores(In<double> scores, In<std::int32_t> labels,
                            Maybe<In<double>> importances, Size classes,
                            Out<std::int64_t> counts) {
  const Size n = labels.size();
  if (classes > scores.size() || scores.size() != n * std::max(classes, Size(1)))
    refuse("one score per label is needed, or one per class");
  if (importances && importances->size() != n) refuse("one importance per label is needed");
  honest_scores(counts).include(scores.data(), n, classes, labels.data(),
                                importances ? importances->data() : nullptr);
}

static double py_middle_of_bin(Size bin) {
  if (bin >= score_bins) refuse("there is no such bin");
  return middle_of(bin);
}

static void py_logarithms(In<double> numbers, Out<double> out) {
  if (numbers.size() != out.size()) refuse("one logarithm per number is needed");
  nb::gil_scoped_release unlocked;
  for (Size k = 0; k < numbers.size(); ++k) {
    const double x = numbers(k);
    out(k) = x > 0 && x <= std::numeric_limits<double>::max()
                 ? natural_logarithm(x)
                 : -std::numeric_limits<double>::infinity();
  }
}

void bind_passes(nb::module_& m) {
  m.attr("SCORE_BINS") = score_bins;
  m.attr("SCORE_COUNTS") = HonestScores::size;
  m.def("count_scores", py_count_scores, "scores"_a.noconvert(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "classes"_a, "counts"_a.noconvert(),
        "Counts the scores of examples that were not learned from; with classes, a row of scores "
        "each.");
  m.def("middle_of_bin", py_middle_of_bin, "bin"_a, "The middle of the scores of a bin.");
  m.def("logarithms", py_logarithms, "numbers"_a.noconvert(), "out"_a.noconvert(),
        "The natural logarithms, with the same bits on every machine; -inf for 0.");
  m.def("learn", py_pass, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a,
        "threshold"_a, "step"_a, "unit"_a, "bias"_a, "rounds"_a, "w"_a.noconvert(),
        "u"_a.noconvert().none(), "round"_a.noconvert(), "row"_a.noconvert(), "score"_a.noconvert(), "taken"_a.noconvert(),
        "square"_a.noconvert(), "counts"_a.noconvert().none() = nb::none(),
        "ends"_a.noconvert().none() = nb::none(), "until"_a.noconvert().none() = nb::none(),
        "One mistake-driven pass over rows[order[begin:end]], updating w, and u if there is one, in "
        "place.\n\n"
        "Returns the first position not learned, the flaw there (0: none), and the number of mistakes "
        "recorded. The scores of the rows before they were learned from are counted in counts. With "
        "ends, up to as many passes are made, until one learns nothing or ends with weights that, "
        "times unit, equal until; each entry gets the number of mistakes recorded by the end of its "
        "pass.");
  m.def("learn_together", py_learn_together, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "of"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a, "unit"_a,
        "bias"_a, "narrow"_a.noconvert(), "is_filled"_a, "round"_a.noconvert(), "row"_a.noconvert(),
        "score"_a.noconvert(), "taken"_a.noconvert(), "square"_a.noconvert(),
        "The same pass for up to 32 perceptrons (labels, threshold, step, rounds, w, u, counts) over the same "
        "sparse rows.\n\n"
        "Returns the first position that not all have learned, how many of the first have, and the number of "
        "mistakes of each. The records of each come after those of the one before it, in equal shares. narrow "
        "has room for a copy of all weights; it is filled if it comes from a call with the same weights.",
        nb::sig("def learn_together(values: NDArray[Any], indices: NDArray[Any] | None, starts: NDArray[Any] | None, dim: int, *, of: list[tuple[Any, ...]], importances: NDArray[numpy.float64] | None, order: NDArray[numpy.int64] | None, begin: int, end: int, unit: float, bias: bool, narrow: NDArray[numpy.float32], is_filled: bool, round: NDArray[numpy.int64], row: NDArray[numpy.int64], score: NDArray[numpy.float64], taken: NDArray[numpy.float64], square: NDArray[numpy.float64]) -> tuple[int, int, list[int]]"));
  m.def("adapt", py_adapt, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a,
        "step"_a, "r"_a, "full"_a, "bias"_a, "rounds"_a, "w"_a.noconvert(),
        "variance"_a.noconvert(),
        "u"_a.noconvert().none(), "round"_a.noconvert(), "row"_a.noconvert(),
        "score"_a.noconvert(), "taken"_a.noconvert(), "square"_a.noconvert(),
        "counts"_a.noconvert().none() = nb::none(),
        "The same pass with a variance for each weight, or with a full matrix of them, updating both "
        "in place; returns the same.");
  m.def("adapt_again", py_adapt_again, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "example"_a.noconvert(),
        "round"_a.noconvert(), "step"_a.noconvert(), "importance"_a.noconvert(), "r"_a, "full"_a,
        "bias"_a, "w"_a.noconvert(), "variance"_a.noconvert(), "u"_a.noconvert().none(),
        "Repeats the updates that `adapt` recorded, in place.");
  m.def("multiply", py_multiply, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a,
        "threshold"_a, "step"_a, "bias"_a, "rounds"_a, "alpha"_a, "balanced"_a, "erases"_a,
        "theta"_a, "powers"_a.noconvert(), "w"_a.noconvert(), "round"_a.noconvert(),
        "row"_a.noconvert(), "score"_a.noconvert(), "taken"_a.noconvert(), "square"_a.noconvert(),
        "counts"_a.noconvert().none() = nb::none(),
        "The same pass with weights alpha^powers, updating both in place; returns the same.");
  m.def("scores", py_scores, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "begin"_a, "end"_a,
        "w"_a.noconvert(), "bias"_a, "out"_a.noconvert(), "signs"_a = false,
        "The scores <w, x> of rows[begin:end]; returns the first row not scored, and its flaw. If "
        "only their signs are needed, faster.");
  m.def("predict", py_predict, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "begin"_a, "end"_a,
        "w"_a.noconvert(), "bias"_a, "zero_is_positive"_a, "labels"_a.noconvert(), "out"_a.noconvert(),
        "For each of rows[begin:end] the second of two labels if its score is positive, otherwise the first; "
        "returns the same.");
  m.def("power_scores", py_power_scores, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "begin"_a, "end"_a, "alpha"_a,
        "balanced"_a, "theta"_a, "powers"_a.noconvert(), "w"_a.noconvert(), "bias"_a,
        "out"_a.noconvert(),
        "The scores <w, x> - theta of rows[begin:end] with weights alpha^powers; returns the same.");
  m.def("weights_of", py_weights, nb::kw_only(), "alpha"_a, "balanced"_a, "powers"_a.noconvert(),
        "out"_a.noconvert(), "The weights that have these powers.");
}
