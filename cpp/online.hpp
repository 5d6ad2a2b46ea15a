// Learning from one example at a time: the block's pass over a block of one row, and the mistakes
// that wait to be written down.
#pragma once

#include <array>
#include <memory>
#include <variant>
#include <vector>

#include "multiplicative.hpp"
#include "passes.hpp"

namespace novikoff {

using OneRow = std::variant<SparseRows<double, std::int32_t>, DenseRows<float>, DenseRows<double>>;

enum class Keep { counts, positions, examples };

// Mistakes that no ledger has yet, column by column, and the rows they were made on.
struct Waiting {
  std::vector<std::int64_t> round, row, starts{0};
  std::vector<double> score, step, square, values;
  std::vector<std::int32_t> indices;
  std::int64_t count = 0;
  double largest = 0;  // square

  bool full() const { return round.size() >= 4096 || values.size() >= (Size(1) << 18); }
};

// One run: its weights, which NumPy owns, its rule, and what it has got wrong since it was asked.
class Head {
 public:
  std::int64_t rounds = 0;
  Waiting waiting;

  Head(const Rule& rule, Size dim, Keep keep) : rule_(rule), dim_(dim), keep_(keep) {}
  virtual ~Head() = default;

  // The score by which it predicts.
  virtual Flaw score(const OneRow& x, double& s) = 0;
  virtual double weight(Size j) const = 0;
  virtual void forget(Size j) = 0;

  // Meets the example, the number `position` of all; if there is a flaw nothing has changed.
  Flaw learn(const OneRow& x, bool positive, std::int64_t position) {
    std::int64_t round, row;
    double score, step, square;
    Mistakes out{&round, &row, &score, &step, &square, 0};
    const std::int8_t label = positive ? 1 : -1;
    if (const Flaw flaw = pass_over(x, label, out); flaw != Flaw::none) return flaw;
    ++rounds;
    if (!out.count) return Flaw::none;
    ++waiting.count;
    waiting.largest = std::max(waiting.largest, square);
    if (keep_ == Keep::counts) return Flaw::none;
    waiting.round.push_back(round);
    waiting.row.push_back(position);
    waiting.score.push_back(score);
    waiting.step.push_back(step);
    waiting.square.push_back(square);
    if (keep_ == Keep::examples) copy(x);
    return Flaw::none;
  }

  // What learning from x may change, to be put back if a run after this one cannot use x.
  void remember(const OneRow& x) {
    before_ = {rounds, waiting.count, waiting.largest, waiting.round.size(), waiting.values.size()};
    held_.clear();
    each_weight(x, [this](double& w) { held_.push_back(w); });
  }
  void go_back(const OneRow& x) {
    const double* from = held_.data();
    each_weight(x, [&from](double& w) { w = *from++; });
    rounds = before_.rounds, waiting.count = before_.count, waiting.largest = before_.largest;
    for (auto* column : {&waiting.round, &waiting.row}) cut(*column, before_.mistakes);
    for (auto* column : {&waiting.score, &waiting.step, &waiting.square})
      cut(*column, before_.mistakes);
    cut(waiting.starts, before_.mistakes + 1);
    cut(waiting.values, before_.entries);
    cut(waiting.indices, before_.entries);
  }

 protected:
  const Rule rule_;
  const Size dim_;

  virtual Flaw pass_over(const OneRow& x, const std::int8_t& label, Mistakes& out) = 0;
  virtual std::array<double*, 2> sums() = 0;  // the second may be null

 private:
  const Keep keep_;
  struct {
    std::int64_t rounds, count;
    double largest;
    Size mistakes, entries;
  } before_{};
  std::vector<double> held_;

  template <class T>
  static void cut(std::vector<T>& column, Size size) {
    if (column.size() > size) column.resize(size);
  }

  template <class F>
  void each_weight(const OneRow& x, F f) {
    for (double* const sum : sums()) {
      if (!sum) continue;
      std::visit([&](const auto& rows) { rows.row(0).each([&](Size j, double) { f(sum[j]); }); },
                 x);
      if (rule_.bias) f(sum[dim_]);
    }
  }

  void copy(const OneRow& x) {
    std::visit(
        [this](const auto& rows) {
          rows.row(0).each([&]([[maybe_unused]] Size j, double v) {
            waiting.values.push_back(v);
            if constexpr (requires { rows.indices; }) waiting.indices.push_back(std::int32_t(j));
          });
        },
        x);
    waiting.starts.push_back(std::int64_t(waiting.values.size()));
  }
};

// A perceptron: w, and u for the average, which is w - u / rounds.
class SumHead final : public Head {
  double *const w_, *const u_;
  const bool mean_;

  double mean(Size j) const {
    if (rounds == 0) return rule_.unit * w_[j];
    const auto t = double(rounds);
    return rule_.unit * ((t * w_[j] - u_[j]) / t);
  }

 public:
  // With `mean` it predicts by the average, for which there must be a u.
  SumHead(const Rule& rule, Size dim, Keep keep, double* w, double* u, bool mean)
      : Head(rule, dim, keep), w_(w), u_(u), mean_(mean) {}

  double weight(Size j) const override { return mean_ ? mean(j) : rule_.unit * w_[j]; }

  void forget(Size j) override {
    w_[j] = 0;
    if (u_) u_[j] = 0;
  }

  Flaw score(const OneRow& x, double& s) override {
    if (!mean_) {
      const Stop stop = std::visit(
          [&](const auto& rows) {
            return scores(rows, 0, 1, Sum<const double>{w_}, rule_.bias, &s);
          },
          x);
      s *= rule_.unit;
      return stop.flaw;
    }
    double a[lanes] = {};
    std::visit(
        [&](const auto& rows) {
          rows.row(0).each([&](Size j, double v) { a[j % lanes] += v * mean(j); });
        },
        x);
    if (rule_.bias) a[dim_ % lanes] += mean(dim_);
    s = total(a);
    return std::abs(s) <= std::numeric_limits<double>::max() ? Flaw::none : Flaw::value;
  }

 protected:
  std::array<double*, 2> sums() override { return {w_, u_}; }

  Flaw pass_over(const OneRow& x, const std::int8_t& label, Mistakes& out) override {
    return std::visit(
        [&](const auto& rows) {
          const Stop stop = pass<false>(rows, &label, nullptr, nullptr, 0, 1, rule_, rounds,
                                        Sum<double>{w_}, out);
          if (u_ && out.count) {
            const std::int64_t first = 0;
            const double step = out.step[0] * double(out.round[0] - 1);
            accumulate(rows, &first, &step, 1, rule_.bias, u_);
          }
          return stop.flaw;
        },
        x);
  }
};

// Winnow: the powers of the weights, and the weights.
class PowerHead final : public Head {
  double *const p_, *const w_;
  Growth growth_;
  Powers<double> powers_;

  // What it would take to copy the tables of powers for every example.
  struct Reference {
    Powers<double>& powers;
    template <class Row>
    Flaw score(const Row& x, bool bias, Size dim, double& s) const {
      return powers.score(x, bias, dim, s);
    }
    template <class Row>
    Flaw learn(const Row& x, double step, bool bias, Size dim) const {
      return powers.learn(x, step, bias, dim);
    }
  };

 public:
  PowerHead(const Rule& rule, Size dim, Keep keep, double* p, double* w, const Growth& growth,
            double theta, bool erases)
      : Head(rule, dim, keep), p_(p), w_(w), growth_(growth),
        powers_(p, w, growth, theta, erases) {}

  double weight(Size j) const override {
    constexpr double huge = std::numeric_limits<double>::max();
    return std::clamp(w_[j], -huge, huge);
  }

  void forget(Size j) override {
    p_[j] = 0;
    w_[j] = growth_.weight(0);
  }

  Flaw score(const OneRow& x, double& s) override {
    return std::visit(
        [&](const auto& rows) {
          return scores(rows, 0, 1, Reference{powers_}, rule_.bias, &s).flaw;
        },
        x);
  }

 protected:
  std::array<double*, 2> sums() override { return {p_, w_}; }

  Flaw pass_over(const OneRow& x, const std::int8_t& label, Mistakes& out) override {
    return std::visit(
        [&](const auto& rows) {
          return pass<false>(rows, &label, nullptr, nullptr, 0, 1, rule_, rounds,
                             Reference{powers_}, out)
              .flaw;
        },
        x);
  }
};

}  // namespace novikoff
