// The perceptron in its dual form: kernels of rows, and a pass, sums and votes over mistakes.
#include "bindings/parts.hpp"

#include "bindings/rules.hpp"
#include "core/kernels.hpp"

static Kernel kernel_of(int shape, int degree, double gamma, double constant, bool bias) {
  if (shape < 0 || shape > int(Shape::rbf)) refuse("there is no such kernel");
  if (degree < 1) refuse("a polynomial kernel has a degree from 1");
  return {Shape(shape), degree, gamma, constant, bias};
}

// A number for each of n rows in each of so many columns.
static void fits(Size numbers, Size n, Size columns) {
  if (columns ? numbers % columns || numbers / columns != n : numbers)
    refuse("a kernel of each pair is needed");
}

static std::tuple<Size, int> py_squares(const Array& values, const Maybe<Array>& indices,
                                        const Maybe<Array>& starts, Size dim, int shape, int degree,
                                        double gamma, double constant, bool bias, Size begin,
                                        Size end, Out<double> out) {
  const AnyRows rows = any_rows(values, indices, starts, dim);
  within(begin, end, length(rows));
  if (out.size() < end - begin) refuse("out needs room for one square per row");
  const Kernel kernel = kernel_of(shape, degree, gamma, constant, bias);
  nb::gil_scoped_release unlocked;
  const Stop stop = std::visit(
      [&](const auto& r) { return kernel_squares(r, begin, end, kernel, out.data()); }, rows);
  return {stop.at, static_cast<int>(stop.flaw)};
}

static std::tuple<Size, int> py_gram(const Array& stored_values, const Maybe<Array>& stored_indices,
                                     const Maybe<Array>& stored_starts,
                                     Maybe<In<std::int64_t>> which, const Array& values,
                                     const Maybe<Array>& indices, const Maybe<Array>& starts,
                                     Size dim, int shape, int degree, double gamma, double constant,
                                     bool bias, Size begin, Size end, Out<double> out) {
  const AnyRows stored = any_rows(stored_values, stored_indices, stored_starts, dim);
  const AnyRows rows = any_rows(values, indices, starts, dim);
  const Size n = length(rows), width = which ? which->size() : length(stored);
  within(begin, end, n);
  fits(out.size(), n, width);
  const Kernel kernel = kernel_of(shape, degree, gamma, constant, bias);
  nb::gil_scoped_release unlocked;
  RowEntries entries;
  const Stop stop =
      std::visit([&](const auto& r) { return entries.gather(r, begin, end); }, rows);
  const auto multiply = [&](const auto& r) {
    return kernel_gram(r, which ? which->data() : nullptr, width, entries, kernel, n, begin, out.data());
  };
  refuse(std::visit(multiply, stored));  // of the rows before a flawed one, too
  return {stop.at, static_cast<int>(stop.flaw)};
}

static void py_sums(In<double> gram, Size n, In<std::int64_t> example, In<std::int64_t> column,
                    In<double> step, Out<double> s) {
  if (!n) return;
  fits(gram.size(), n, gram.size() / n);
  fits(s.size(), n, s.size() / n);
  if (step.size() != example.size() || column.size() != example.size())
    refuse("a step and a column per mistake are needed");
  const Added made{example.data(), column.data(), step.data(), example.size()};
  nb::gil_scoped_release unlocked;
  const Stop stop = kernel_sums(gram.data(), n, 0, gram.size() / n, made, 0, s.size() / n, n, s.data());
  refuse(stop.at < made.mistakes ? Stop{stop.at, Flaw::bounds} : stop);
}

static std::tuple<Size, int> py_scores(const Array& stored_values, const Maybe<Array>& stored_indices,
                                       const Maybe<Array>& stored_starts, In<std::int64_t> which,
                                       const Array& values, const Maybe<Array>& indices,
                                       const Maybe<Array>& starts, Size dim, int shape, int degree,
                                       double gamma, double constant, bool bias, Size begin, Size end,
                                       In<std::int64_t> example, In<std::int64_t> column,
                                       In<double> step, Maybe<In<double>> late, Out<double> s,
                                       Maybe<Out<double>> u) {
  const AnyRows stored = any_rows(stored_values, stored_indices, stored_starts, dim);
  const AnyRows rows = any_rows(values, indices, starts, dim);
  const Size n = length(rows), made = example.size(), columns = n ? s.size() / n : 0;
  within(begin, end, n);
  fits(s.size(), n, columns);
  if (step.size() != made || column.size() != made || (u && (!late || late->size() != made)))
    refuse("a step and a column per mistake are needed");
  if (u) fits(u->size(), n, columns);
  const Kernel kernel = kernel_of(shape, degree, gamma, constant, bias);
  const Added added[2] = {{example.data(), column.data(), step.data(), made},
                          {example.data(), column.data(), u ? late->data() : nullptr, made}};
  double* const to[2] = {s.data() + begin, u ? u->data() + begin : nullptr};
  nb::gil_scoped_release unlocked;
  RowEntries entries;
  const Stop stop =
      std::visit([&](const auto& r) { return entries.gather(r, begin, end); }, rows);
  refuse(std::visit(
      [&](const auto& r) {
        return kernel_scores(r, which.data(), which.size(), entries, kernel, added, columns, n, to);
      },
      stored));
  return {stop.at, static_cast<int>(stop.flaw)};
}

static void py_votes(In<double> gram, In<std::int64_t> example, In<double> step,
                     In<std::int64_t> survived, bool zero_is_positive, Out<double> out) {
  const Size n = out.size(), width = n ? gram.size() / n : 0;
  fits(gram.size(), n, width);
  if (survived.size() != example.size() + 1 || step.size() != example.size())
    refuse("a survival count for the start and one for each mistake are needed");
  nb::gil_scoped_release unlocked;
  std::vector<double> s(n);
  refuse(kernel_votes(gram.data(), n, width, example.data(), step.data(), survived.data(),
                      example.size(), zero_is_positive, s.data(), out.data()));
}

static void py_joint_votes(In<double> gram, In<std::int64_t> example, In<double> step,
                           In<std::int32_t> right, In<std::int32_t> rival,
                           In<std::int64_t> survived, Size classes, Out<double> out) {
  const Size n = classes ? out.size() / classes : 0, width = n ? gram.size() / n : 0;
  fits(out.size(), n, classes);
  fits(gram.size(), n, width);
  const Size made = example.size();
  if (survived.size() != made + 1 || step.size() != made || right.size() != made || rival.size() != made)
    refuse("a survival count for the start and one for each mistake are needed");
  const JointHistory run{example.data(),  step.data(), right.data(), rival.data(),
                         survived.data(), made,        width,        classes};
  nb::gil_scoped_release unlocked;
  std::vector<double> s(classes);
  for (Size i = 0; i < n; ++i) {
    std::fill(s.begin(), s.end(), 0.0);
    refuse(count_class_votes(run, gram.data() + i, n, s.data(), out.data() + i * classes));
  }
}

static std::tuple<Size, int, Size, Size> py_joint_learn(
    In<double> gram, In<std::int32_t> labels, Maybe<In<double>> importances, double threshold,
    In<double> step, double unit, std::int64_t rounds, Size classes, Out<double> s,
    Maybe<Out<double>> u, Out<std::int64_t> round, Out<std::int64_t> row, Out<double> score,
    Out<double> taken, Out<double> square, Out<std::int32_t> right, Out<std::int32_t> rival,
    Maybe<Out<std::int64_t>> counts) {
  const Size n = labels.size(), width = step.size();
  fits(gram.size(), n, n);
  fits(s.size(), n, width);
  if (u) fits(u->size(), n, width);
  if (classes > width || (importances && importances->size() != n))
    refuse("one score a class, and one importance per label are needed");
  for (const Size room : {round.size(), row.size(), score.size(), taken.size(), square.size(),
                          right.size(), rival.size()})
    if (room < n) refuse("the records need room for a mistake on every row");
  JointMistakes out{{round.data(), row.data(), score.data(), taken.data(), square.data(), 0},
                    right.data(),
                    rival.data()};
  const JointRule rule{threshold, step.data(), unit, false};
  const HonestScores honest = counts ? honest_scores(*counts) : HonestScores{nullptr};
  countable(rounds);
  nb::gil_scoped_release unlocked;
  std::vector<double> own(2 * width);
  const Stop stop = kernel_joint_pass(
      gram.data(), n, labels.data(), importances ? importances->data() : nullptr, rule, rounds, width,
      classes, s.data(), u ? u->data() : nullptr, own.data(), out, honest);
  return {stop.at, static_cast<int>(stop.flaw), out.count, classes};
}

static std::tuple<Size, int, Size> py_learn(In<double> gram, In<std::int8_t> labels,
                                            Maybe<In<double>> importances, Two threshold, Two step,
                                            double unit, std::int64_t rounds, Out<double> s,
                                            Maybe<Out<double>> u, Out<double> met,
                                            Out<std::int64_t> round, Out<std::int64_t> row,
                                            Out<double> score, Out<double> taken,
                                            Out<double> square) {
  const Size n = labels.size();
  fits(gram.size(), n, n);
  if (s.size() != n || met.size() < n || (u && u->size() != n) || (importances && importances->size() != n))
    refuse("one score and one importance per label are needed");
  for (const Size room : {round.size(), row.size(), score.size(), taken.size(), square.size()})
    if (room < n) refuse("the records need room for a mistake on every row");
  Mistakes out{round.data(), row.data(), score.data(), taken.data(), square.data(), 0};
  const Rule rule = rule_of(threshold, step, unit, false);
  countable(rounds);
  nb::gil_scoped_release unlocked;
  const Stop stop =
      kernel_pass(gram.data(), n, labels.data(), importances ? importances->data() : nullptr, rule,
                  rounds, s.data(), u ? u->data() : nullptr, met.data(), out);
  return {stop.at, static_cast<int>(stop.flaw), out.count};
}

static std::tuple<Size, int, Size, Size> py_learn_within(
    In<double> gram, In<std::int8_t> labels, Maybe<In<double>> importances, Two threshold, Two step,
    double unit, std::int64_t rounds, Size count, Size seed, Size made, Out<std::int64_t> kept,
    Out<double> steps, Out<double> met, Out<std::int64_t> round, Out<std::int64_t> row,
    Out<double> score, Out<double> taken, Out<double> square) {
  const Size n = labels.size(), width = count + n;
  fits(gram.size(), n, width);
  if (!kept.size() || kept.size() != steps.size() || count > kept.size())
    refuse("a budget needs room for a column and a step of each mistake");
  if (met.size() < n || (importances && importances->size() != n))
    refuse("one score and one importance per label are needed");
  for (const Size room : {round.size(), row.size(), score.size(), taken.size(), square.size()})
    if (room < n) refuse("the records need room for a mistake on every row");
  for (Size k = 0; k < count; ++k)
    if (kept(k) < 0 || Size(kept(k)) >= width) refuse("a mistake has no column");
  Mistakes out{round.data(), row.data(), score.data(), taken.data(), square.data(), 0};
  const Rule rule = rule_of(threshold, step, unit, false);
  countable(rounds);
  Budget budget{kept.size(), seed, made, kept.data(), steps.data(), count};
  nb::gil_scoped_release unlocked;
  const Stop stop = kernel_budget_pass(gram.data(), n, width, labels.data(),
                                       importances ? importances->data() : nullptr, rule, rounds,
                                       budget, met.data(), out);
  return {stop.at, static_cast<int>(stop.flaw), out.count, budget.count};
}

void bind_kernels(nb::module_& m) {
  m.def("kernel_learn_within", py_learn_within, nb::kw_only(), "gram"_a.noconvert(),
        "labels"_a.noconvert(), "importances"_a.noconvert().none(), "threshold"_a, "step"_a,
        "unit"_a, "rounds"_a, "count"_a, "seed"_a, "made"_a, "kept"_a.noconvert(),
        "steps"_a.noconvert(), "met"_a.noconvert(), "round"_a.noconvert(), "row"_a.noconvert(),
        "score"_a.noconvert(), "taken"_a.noconvert(), "square"_a.noconvert(),
        "A pass that keeps as many mistakes as `kept` has room for; returns as `learn` does, and how "
        "many are kept.");
  m.def("kernel_squares", py_squares, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "shape"_a, "degree"_a, "gamma"_a,
        "constant"_a, "bias"_a, "begin"_a, "end"_a, "out"_a.noconvert(),
        "The kernel of each of rows[begin:end] with itself; returns the first row without one, and "
        "its flaw.");
  m.def("kernel_gram", py_gram, "stored_values"_a.noconvert(),
        "stored_indices"_a.noconvert().none(), "stored_starts"_a.noconvert().none(),
        "which"_a.noconvert().none(), "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "shape"_a, "degree"_a, "gamma"_a,
        "constant"_a, "bias"_a, "begin"_a, "end"_a, "out"_a.noconvert(),
        "The kernels of all (or these) stored rows with rows[begin:end]: out has a row for each stored "
        "row, and a column for each row; returns the first row not read, and its flaw.");
  m.def("kernel_sums", py_sums, nb::kw_only(), "gram"_a.noconvert(), "n"_a, "example"_a.noconvert(),
        "column"_a.noconvert(), "step"_a.noconvert(), "s"_a.noconvert(),
        "Adds the mistakes to the scores of n rows, one by one, in place: each to its column.");
  m.def("kernel_scores", py_scores, "stored_values"_a.noconvert(),
        "stored_indices"_a.noconvert().none(), "stored_starts"_a.noconvert().none(),
        "which"_a.noconvert(), "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "dim"_a, nb::kw_only(), "shape"_a, "degree"_a, "gamma"_a,
        "constant"_a, "bias"_a, "begin"_a, "end"_a, "example"_a.noconvert(), "column"_a.noconvert(),
        "step"_a.noconvert(), "late"_a.noconvert().none(), "s"_a.noconvert(),
        "u"_a.noconvert().none(),
        "Adds the mistakes to the scores of rows[begin:end], as `kernel_sums` does, with the kernels of "
        "these stored rows, whose numbers in `example` do not decrease; returns the first row not read, "
        "and its flaw.");
  m.def("kernel_votes", py_votes, nb::kw_only(), "gram"_a.noconvert(), "example"_a.noconvert(),
        "step"_a.noconvert(), "survived"_a.noconvert(), "zero_is_positive"_a, "out"_a.noconvert(),
        "The votes on the rows of a Gram matrix, by rounds survived.");
  m.def("kernel_joint_votes", py_joint_votes, nb::kw_only(), "gram"_a.noconvert(),
        "example"_a.noconvert(), "step"_a.noconvert(), "right"_a.noconvert(), "rival"_a.noconvert(),
        "survived"_a.noconvert(), "classes"_a, "out"_a.noconvert(),
        "The votes for each class on the rows of a Gram matrix, by rounds survived.");
  m.def("kernel_joint_learn", py_joint_learn, nb::kw_only(), "gram"_a.noconvert(),
        "labels"_a.noconvert(), "importances"_a.noconvert().none(), "threshold"_a,
        "step"_a.noconvert(), "unit"_a, "rounds"_a, "classes"_a, "s"_a.noconvert(),
        "u"_a.noconvert().none(), "round"_a.noconvert(), "row"_a.noconvert(), "score"_a.noconvert(),
        "taken"_a.noconvert(), "square"_a.noconvert(), "right"_a.noconvert(), "rival"_a.noconvert(),
        "counts"_a.noconvert().none(),
        "A pass over rows with these kernels and scores, many classes jointly; returns as "
        "`joint_learn` does.");
  m.def("kernel_learn", py_learn, nb::kw_only(), "gram"_a.noconvert(), "labels"_a.noconvert(),
        "importances"_a.noconvert().none(), "threshold"_a, "step"_a, "unit"_a, "rounds"_a,
        "s"_a.noconvert(), "u"_a.noconvert().none(), "met"_a.noconvert(), "round"_a.noconvert(), "row"_a.noconvert(), "score"_a.noconvert(),
        "taken"_a.noconvert(), "square"_a.noconvert(),
        "One mistake-driven pass over rows with these kernels and scores, which are updated in "
        "place; returns as `learn` does.");
}
