// Passes, scores and votes of many classes learned jointly.
#include "bindings/parts.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>
#include <vector>

#include "bindings/rules.hpp"
#include "core/joint.hpp"
#include "bindings/votes.hpp"

static void one_each(Size weights, Size dim, bool bias, Size width) {
  if (width == 0 || width % classes_at_a_time != 0)
    refuse("the width must be a positive multiple of four");
  if (weights % width != 0 || weights / width != dim + bias)
    refuse("one weight per feature and class is needed, and one for the constant");
}

using JointStopped = std::tuple<Size, int, Size, Size>;

template <class Weights>
static JointStopped learn(const PassArguments<std::int32_t>& given, const JointRule& rule,
                          std::int64_t rounds, Size classes, Weights weights, JointMistakes out,
                          const Maybe<Out<std::int64_t>>& counts) {
  const HonestScores honest = counts ? honest_scores(*counts) : HonestScores{nullptr};
  std::vector<double> s(2 * weights.width);
  const Stop stop = given.learn([&](const auto& rows, auto known, auto weighed, auto sequence) {
    return weighed ? joint_pass<true>(rows, known, weighed, sequence, given.begin, given.end, rule,
                                      rounds, classes, weights, s.data(), out, honest)
                   : joint_pass<false>(rows, known, nullptr, sequence, given.begin, given.end,
                                       rule, rounds, classes, weights, s.data(), out, honest);
  });
  return {stop.at, static_cast<int>(stop.flaw), out.count, classes};
}

static JointStopped py_joint_learn(
    const Array& values, const Maybe<Array>& indices, const Maybe<Array>& starts, Size dim,
    In<std::int32_t> labels, Maybe<In<double>> importances, Maybe<In<std::int64_t>> order,
    Size begin, Size end, double threshold, In<double> step, double unit, bool bias,
    std::int64_t rounds, Size width, Size classes, Out<double> w, Maybe<Out<double>> u,
    Out<std::int64_t> round, Out<std::int64_t> row, Out<double> score, Out<double> taken,
    Out<double> square, Out<std::int32_t> right, Out<std::int32_t> rival,
    Maybe<Out<std::int64_t>> counts) {
  const PassArguments<std::int32_t> given{any_rows(values, indices, starts, dim), labels,
                                          importances, order, begin, end};
  given.check(rounds, {round.size(), row.size(), score.size(), taken.size(), square.size(),
                       right.size(), rival.size()});
  one_each(w.size(), dim, bias, width);
  if (u) one_each(u->size(), dim, bias, width);
  if (step.size() != width || classes > width) refuse("one step per class is needed");
  return learn(given, {threshold, step.data(), unit, bias}, rounds, classes,
               JointPerceptron{w.data(), u ? u->data() : nullptr, width},
               {{round.data(), row.data(), score.data(), taken.data(), square.data(), 0},
                right.data(), rival.data()},
               counts);
}

static JointAdaptive adaptive_weights(Size dim, bool bias, Size width, double r,
                                      const Out<double>& w, const Out<double>& variance,
                                      const Maybe<Out<double>>& u) {
  one_each(w.size(), dim, bias, width);
  one_each(variance.size(), dim, bias, width);
  if (u) one_each(u->size(), dim, bias, width);
  return {w.data(), variance.data(), u ? u->data() : nullptr, positive(r), width};
}

static JointStopped py_joint_adapt(
    const Array& values, const Maybe<Array>& indices, const Maybe<Array>& starts, Size dim,
    In<std::int32_t> labels, Maybe<In<double>> importances, Maybe<In<std::int64_t>> order,
    Size begin, Size end, In<double> step, double r, bool bias, std::int64_t rounds, Size width,
    Size classes, Out<double> w, Out<double> variance, Maybe<Out<double>> u,
    Out<std::int64_t> round, Out<std::int64_t> row, Out<double> score, Out<double> taken,
    Out<double> square, Out<std::int32_t> right, Out<std::int32_t> rival,
    Maybe<Out<std::int64_t>> counts) {
  const PassArguments<std::int32_t> given{any_rows(values, indices, starts, dim), labels,
                                          importances, order, begin, end};
  given.check(rounds, {round.size(), row.size(), score.size(), taken.size(), square.size(),
                       right.size(), rival.size()});
  const JointAdaptive weights = adaptive_weights(dim, bias, width, r, w, variance, u);
  if (step.size() != width || classes > width) refuse("one step per class is needed");
  return learn(given, {below_one, step.data(), 1.0, bias}, rounds, classes, weights,
               {{round.data(), row.data(), score.data(), taken.data(), square.data(), 0},
                right.data(), rival.data()},
               counts);
}

static std::tuple<Size, int> py_joint_scores(const Array& values, const Maybe<Array>& indices,
                                             const Maybe<Array>& starts, Size dim, Size begin,
                                             Size end, In<double> w, bool bias, Size width,
                                             Out<double> out) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  one_each(w.size(), dim, bias, width);
  within(begin, end, length(rows));
  if (out.size() / width < end - begin) refuse("out needs room for one score per row and class");
  nb::gil_scoped_release unlocked;
  const Stop stop = std::visit(
      [&](const auto& r) {
        return scores(r, begin, end, JointSum{w.data(), width}, bias, out.data());
      },
      rows);
  return {stop.at, static_cast<int>(stop.flaw)};
}

static void one_for_each_mistake(Size mistakes, Size steps, Size right, Size rivals) {
  if (steps != mistakes || right != mistakes || rivals != mistakes)
    refuse("one step, class and rival per mistake are needed");
}

static void py_joint_accumulate(const Array& values, const Maybe<Array>& indices,
                                const Maybe<Array>& starts, Size dim, In<std::int64_t> example,
                                In<double> step, In<std::int32_t> right, In<std::int32_t> rival,
                                bool bias, Size width, Out<double> w) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  one_each(w.size(), dim, bias, width);
  one_for_each_mistake(example.size(), step.size(), right.size(), rival.size());
  nb::gil_scoped_release unlocked;
  refuse(std::visit(
      [&](const auto& r) {
        return joint_accumulate(r, example.data(), step.data(), right.data(), rival.data(),
                                example.size(), bias, width, w.data());
      },
      rows));
}

static void py_joint_adapt_again(const Array& values, const Maybe<Array>& indices,
                                 const Maybe<Array>& starts, Size dim, In<std::int64_t> example,
                                 In<std::int64_t> round, In<double> step, In<double> importance,
                                 In<std::int32_t> right, In<std::int32_t> rival, double r,
                                 bool bias, Size width, Out<double> w, Out<double> variance,
                                 Maybe<Out<double>> u) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  const JointAdaptive weights = adaptive_weights(dim, bias, width, r, w, variance, u);
  const Size n = example.size();
  one_for_each_mistake(n, step.size(), right.size(), rival.size());
  if (round.size() != n || importance.size() != n)
    refuse("one round and importance per update are needed");
  nb::gil_scoped_release unlocked;
  refuse(std::visit(
      [&](const auto& some) {
        return joint_adapt_again(some, example.data(), round.data(), step.data(),
                                 importance.data(), right.data(), rival.data(), n, bias, weights);
      },
      rows));
}

static void py_joint_vote(const Array& stored_values, const Maybe<Array>& stored_indices,
                          const Maybe<Array>& stored_starts, const Array& values,
                          const Maybe<Array>& indices, const Maybe<Array>& starts, Size dim,
                          Size begin, Size end, In<std::int64_t> example, In<double> step,
                          In<std::int32_t> right, In<std::int32_t> rival,
                          In<std::int64_t> survived, bool bias, Size classes,
                          In<double> start_scores, Out<double> out) {
  const AnyRows stored = any_rows(stored_values, stored_indices, stored_starts, dim);
  const AnyRows rows = any_rows(values, indices, starts, dim);
  within(begin, end, length(rows));
  one_for_each_mistake(example.size(), step.size(), right.size(), rival.size());
  if (survived.size() != example.size() + 1)
    refuse("a survival count for the start and one for each mistake are needed");
  if (classes == 0 || start_scores.size() / classes < end - begin ||
      out.size() / classes < end - begin)
    refuse("out needs room for one vote per row and class");
  const JointHistory history{example.data(),  step.data(),    right.data(),   rival.data(),
                             survived.data(), example.size(), length(stored), classes};
  nb::gil_scoped_release unlocked;
  std::vector<double> s(classes);
  dots_abreast(stored, rows, dim, bias, begin, end, [&](Size first, Size some, const double* dots) {
    for (Size q = 0; q < some; ++q) {
      const Size at = (first - begin + q) * classes;
      std::copy_n(start_scores.data() + at, classes, s.data());
      refuse(count_class_votes(history, dots + q, abreast, s.data(), out.data() + at));
    }
  });
}

void bind_joint(nb::module_& m) {
  m.def("joint_learn", py_joint_learn, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a,
        "threshold"_a, "step"_a.noconvert(), "unit"_a, "bias"_a, "rounds"_a, "width"_a,
        "classes"_a, "w"_a.noconvert(), "u"_a.noconvert().none(), "round"_a.noconvert(),
        "row"_a.noconvert(), "score"_a.noconvert(), "taken"_a.noconvert(), "square"_a.noconvert(),
        "right"_a.noconvert(), "rival"_a.noconvert(), "counts"_a.noconvert().none() = nb::none(),
        "One mistake-driven pass for many classes over rows[order[begin:end]], updating w, and u if "
        "there is one.\n\n"
        "Returns the first position not learned, the flaw there (0: none), the number of mistakes "
        "recorded, and the number of classes met.");
  m.def("joint_adapt", py_joint_adapt, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "order"_a.noconvert().none(), "begin"_a, "end"_a,
        "step"_a.noconvert(), "r"_a, "bias"_a, "rounds"_a, "width"_a, "classes"_a,
        "w"_a.noconvert(), "variance"_a.noconvert(), "u"_a.noconvert().none(),
        "round"_a.noconvert(), "row"_a.noconvert(), "score"_a.noconvert(), "taken"_a.noconvert(),
        "square"_a.noconvert(), "right"_a.noconvert(), "rival"_a.noconvert(),
        "counts"_a.noconvert().none() = nb::none(),
        "The same pass with a variance for each weight, updating both in place; returns the same.");
  m.def("joint_adapt_again", py_joint_adapt_again, "values"_a.noconvert(),
        "indices"_a.noconvert().none(), "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(),
        "example"_a.noconvert(), "round"_a.noconvert(), "step"_a.noconvert(),
        "importance"_a.noconvert(), "right"_a.noconvert(), "rival"_a.noconvert(), "r"_a, "bias"_a,
        "width"_a, "w"_a.noconvert(), "variance"_a.noconvert(), "u"_a.noconvert().none(),
        "Repeats the updates that `joint_adapt` recorded, in place.");
  m.def("joint_scores", py_joint_scores, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "begin"_a, "end"_a,
        "w"_a.noconvert(), "bias"_a, "width"_a, "out"_a.noconvert(),
        "The scores of rows[begin:end] for every class; returns the first row not scored, and its flaw.");
  m.def("joint_accumulate", py_joint_accumulate, "values"_a.noconvert(),
        "indices"_a.noconvert().none(), "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(),
        "example"_a.noconvert(), "step"_a.noconvert(), "right"_a.noconvert(),
        "rival"_a.noconvert(), "bias"_a, "width"_a, "w"_a.noconvert(),
        "Adds step[k] times row example[k] to class right[k] and takes it from rival[k].");
  m.def("joint_vote", py_joint_vote, "stored_values"_a.noconvert(),
        "stored_indices"_a.noconvert().none(), "stored_starts"_a.noconvert().none(),
        "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
        "dim"_a, nb::kw_only(), "begin"_a, "end"_a, "example"_a.noconvert(),
        "step"_a.noconvert(), "right"_a.noconvert(), "rival"_a.noconvert(),
        "survived"_a.noconvert(), "bias"_a, "classes"_a, "start_scores"_a.noconvert(),
        "out"_a.noconvert(),
        "The votes for each class on rows[begin:end] of every step of a run, by rounds survived.\n\n"
        "Score the rows first: that checks them.");
}
