// Runs that learn one example at a time: the pass over a block of one row, and the mistakes that
// the ledger has not taken yet.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "core/adaptive.hpp"
#include "core/joint.hpp"
#include "core/multiplicative.hpp"
#include "core/passes.hpp"

namespace novikoff {

using OneRow = std::variant<SparseRows<double, std::int32_t>, DenseRows<float>, DenseRows<double>>;

// The only row; the caller has made it, so it is there.
template <class Rows>
typename Rows::Row first_of(const Rows& rows) {
  typename Rows::Row x{};
  rows.read(0, x);
  return x;
}
template <class F>
void visit_row(const OneRow& x, F f) {
  std::visit([&](const auto& rows) { f(first_of(rows)); }, x);
}

enum class Keep { counts, positions, examples };

// Mistakes that the ledger has not taken yet, column by column, and their rows.
struct Waiting {
  std::vector<std::int64_t> round, row;
  std::vector<double> score, step, square, importance, values;
  std::vector<std::int32_t> indices, starts{0}, right, rival;
  std::int64_t count = 0, wrong = 0;  // updates, and those whose prediction was wrong
  double largest = 0;                 // the largest square
  Size room = 0;                      // the mistakes for which the columns have memory

  bool full() const { return round.size() >= 4096 || values.size() >= (Size(1) << 18); }

  // Moves out what waits, and keeps room for as much.
  Waiting taken() {
    Waiting empty;
    for (auto column : {&Waiting::round, &Waiting::row}) (empty.*column).reserve(round.size());
    for (auto column : {&Waiting::score, &Waiting::step, &Waiting::square, &Waiting::importance,
                        &Waiting::values})
      (empty.*column).reserve((this->*column).size());
    for (auto column : {&Waiting::indices, &Waiting::starts, &Waiting::right, &Waiting::rival})
      (empty.*column).reserve((this->*column).size());
    std::swap(empty, *this);
    return empty;
  }
};

// One run: its rule, its weights, which NumPy owns, and its latest mistakes.
class OnlineRun {
 public:
  std::int64_t rounds;
  Waiting waiting;

  OnlineRun(Size dim, bool bias, Keep keep, std::int64_t rounds)
      : rounds(rounds), dim_(dim), bias_(bias), keep_(keep) {}
  virtual ~OnlineRun() = default;

  // The scores that decide the prediction: one, or one per class.
  virtual Flaw score(const OneRow& x, double* s) = 0;
  virtual Size outputs() const { return 1; }
  virtual bool is_joint() const { return false; }
  virtual Size codes() const { return 2; }  // the code of a label must be below this
  virtual double weight(Size j, Size output) const = 0;
  virtual void forget(Size j) = 0;

  // Lets the run count its scores, if there is an array for them.
  void count_in(HonestScores honest) { honest_ = honest; }
  // Counts the score that the last example had before it was learned from.
  virtual void count_score(std::int32_t code, double importance) {
    if (honest_.data) honest_.meet(met_, code == 1, importance);
  }

  // Makes room to record a mistake on x: after this, `learn` cannot run out of memory halfway.
  void make_room(const OneRow& x) {
    if (keep_ == Keep::counts) return;
    Waiting& w = waiting;
    if (w.round.size() == w.room) {
      const Size room = std::max(Size(16), 2 * w.room);
      for (auto* column : {&w.round, &w.row}) column->reserve(room);
      for (auto* column : {&w.score, &w.step, &w.square, &w.importance}) column->reserve(room);
      for (auto* column : {&w.right, &w.rival, &w.starts}) column->reserve(room + 1);
      w.room = room;
    }
    if (keep_ != Keep::examples) return;
    visit_row(x, [&w](const auto& row) {
      grow(w.values, row.size());
      if constexpr (requires { row.index; }) grow(w.indices, row.size());
    });
  }

  // Learns from example number `position`, for which there is room. The code is the class; of two
  // classes, 1 is label +1. The importance multiplies a step; with 0 nothing is learned. If it
  // returns a flaw or throws, nothing has changed.
  Flaw learn(const OneRow& x, std::int32_t code, double importance, std::int64_t position) {
    std::int64_t round, row;
    double score, step, square;
    std::int32_t right = -1, rival = -1;
    JointMistakes out{{&round, &row, &score, &step, &square, 0}, &right, &rival};
    if (const Flaw flaw = pass_over(x, code, importance, out); flaw != Flaw::none) return flaw;
    ++rounds;
    if (!out.count) return Flaw::none;
    ++waiting.count;
    waiting.wrong += (step < 0 ? -score : score) <= 0;
    waiting.largest = std::max(waiting.largest, square);
    if (keep_ == Keep::counts) return Flaw::none;
    waiting.round.push_back(round);
    waiting.row.push_back(position);
    waiting.score.push_back(score);
    waiting.step.push_back(step);
    waiting.square.push_back(square);
    waiting.importance.push_back(importance);
    if (is_joint()) waiting.right.push_back(right), waiting.rival.push_back(rival);
    if (keep_ == Keep::examples) copy(x);
    return Flaw::none;
  }

  // Saves what learning from x may change; `go_back` restores it if a later run cannot use x.
  void remember(const OneRow& x) {
    before_ = {rounds,          waiting.count,        waiting.wrong,
               waiting.largest, waiting.round.size(), waiting.values.size()};
    held_.clear();
    each_weight(x, [this](double& w) { held_.push_back(w); });
  }
  void go_back(const OneRow& x) {
    const double* from = held_.data();
    each_weight(x, [&from](double& w) { w = *from++; });
    rounds = before_.rounds, waiting.count = before_.count, waiting.wrong = before_.wrong;
    waiting.largest = before_.largest;
    for (auto* column : {&waiting.round, &waiting.row}) cut(*column, before_.mistakes);
    for (auto* column : {&waiting.score, &waiting.step, &waiting.square, &waiting.importance})
      cut(*column, before_.mistakes);
    cut(waiting.starts, before_.mistakes + 1);
    cut(waiting.values, before_.entries);
    cut(waiting.indices, before_.entries);
  }

 protected:
  const Size dim_;
  const bool bias_;

  virtual Flaw pass_over(const OneRow& x, std::int32_t code, double importance,
                         JointMistakes& out) = 0;
  HonestScores honest_{nullptr};
  double met_ = 0;  // the last score

  virtual std::array<double*, 3> sums() = 0;  // what learning changes; any may be null

 private:
  const Keep keep_;
  struct {
    std::int64_t rounds, count, wrong;
    double largest;
    Size mistakes, entries;
  } before_{};
  std::vector<double> held_;

  template <class T>
  static void grow(std::vector<T>& column, Size more) {
    const Size wanted = column.size() + more;
    if (wanted > column.capacity()) column.reserve(std::max(wanted, 2 * column.capacity()));
  }
  template <class T>
  static void cut(std::vector<T>& column, Size size) {
    if (column.size() > size) column.resize(size);
  }

  template <class F>
  void each_weight(const OneRow& x, F f) {
    for (double* const sum : sums()) {
      if (!sum) continue;
      visit_row(x, [&](const auto& row) { row.each([&](Size j, double) { f(sum[j]); }); });
      if (bias_) f(sum[dim_]);
    }
  }

  void copy(const OneRow& x) {
    visit_row(x, [this](const auto& row) {
      waiting.values.insert(waiting.values.end(), row.x, row.x + row.size());
      if constexpr (requires { row.index; })
        waiting.indices.insert(waiting.indices.end(), row.index, row.index + row.size());
    });
    waiting.starts.push_back(std::int32_t(waiting.values.size()));
  }
};

// The mean of the weights over the rounds, (T w - u) / T; before the first round, w.
inline double mean_of(double w, double u, std::int64_t rounds) {
  const auto t = double(rounds);
  return rounds == 0 ? w : (t * w - u) / t;
}

// A perceptron: weights w, and u, from which the average follows.
class PerceptronRun : public OnlineRun {
 protected:
  const Rule rule_;
  double *const w_, *const u_;
  const bool mean_;

 public:
  // With `mean` the average predicts, which needs u.
  PerceptronRun(const Rule& rule, Size dim, Keep keep, std::int64_t rounds, double* w, double* u,
                bool mean)
      : OnlineRun(dim, rule.bias, keep, rounds), rule_(rule), w_(w), u_(u), mean_(mean) {}

  double weight(Size j, Size = 0) const override {
    return rule_.unit * (mean_ ? mean_of(w_[j], u_[j], rounds) : w_[j]);
  }

  void forget(Size j) override {
    w_[j] = 0;
    if (u_) u_[j] = 0;
  }

  Flaw score(const OneRow& x, double* s) override {
    return std::visit(
        [&](const auto& rows) {
          if (!mean_) {
            const Stop stop = scores(rows, 0, 1, Sum<const double>{w_}, bias_, s);
            *s *= rule_.unit;
            return stop.flaw;
          }
          double a[lanes] = {};
          first_of(rows).each([&](Size j, double v) { a[j % lanes] += v * weight(j); });
          if (bias_) a[dim_ % lanes] += weight(dim_);
          *s = total(a);
          return std::abs(*s) <= std::numeric_limits<double>::max() ? Flaw::none : Flaw::value;
        },
        x);
  }

 protected:
  std::array<double*, 3> sums() override { return {w_, u_, nullptr}; }

  Flaw pass_over(const OneRow& x, std::int32_t code, double importance,
                 JointMistakes& out) override {
    const std::int8_t label = code == 1 ? 1 : -1;
    return std::visit(
        [&](const auto& rows) {
          const auto over = [&](auto weights) {
            return pass<true>(rows, &label, &importance, nullptr, 0, 1, rule_, rounds, weights, out,
                              &met_)
                .flaw;
          };
          return u_ ? over(AveragedSum{{w_}, u_}) : over(Sum<double>{w_});
        },
        x);
  }
};

// An adaptive perceptron: also a variance for each weight.
class AdaptiveRun final : public PerceptronRun {
  const Adaptive weights_;

 public:
  AdaptiveRun(const Rule& rule, Size dim, Keep keep, std::int64_t rounds, const Adaptive& weights,
              bool mean)
      : PerceptronRun(rule, dim, keep, rounds, weights.w, weights.u, mean), weights_(weights) {}

  void forget(Size j) override {
    PerceptronRun::forget(j);
    weights_.variance[j] = 1;
  }

 protected:
  std::array<double*, 3> sums() override { return {w_, u_, weights_.variance}; }

  Flaw pass_over(const OneRow& x, std::int32_t code, double importance,
                 JointMistakes& out) override {
    const std::int8_t label = code == 1 ? 1 : -1;
    return std::visit(
        [&](const auto& rows) {
          return pass<true>(rows, &label, &importance, nullptr, 0, 1, rule_, rounds, weights_, out,
                            &met_)
              .flaw;
        },
        x);
  }
};

// Winnow: the powers p and the weights w.
class WinnowRun final : public OnlineRun {
  const Rule rule_;
  double *const p_, *const w_;
  const Growth growth_;
  Powers<double> powers_;

  // A pass takes its weights by value; a reference saves copying the tables of Powers.
  struct Reference {
    Powers<double>& powers;
    static constexpr Size width = 1;
    template <class Row>
    Flaw score(const Row& x, bool bias, double* s) const {
      return powers.score(x, bias, s);
    }
    template <class Row>
    Flaw learn(const Row& x, bool bias, Update& made) const {
      return powers.learn(x, bias, made);
    }
  };

 public:
  WinnowRun(const Rule& rule, Size dim, Keep keep, std::int64_t rounds, double* p, double* w,
            const Growth& growth, double theta, bool erases)
      : OnlineRun(dim, rule.bias, keep, rounds),
        rule_(rule),
        p_(p),
        w_(w),
        growth_(growth),
        powers_(p, w, growth, theta, erases) {}

  double weight(Size j, Size) const override {
    constexpr double huge = std::numeric_limits<double>::max();
    return std::clamp(w_[j], -huge, huge);
  }

  void forget(Size j) override {
    p_[j] = 0;
    w_[j] = growth_.weight(0);
  }

  Flaw score(const OneRow& x, double* s) override {
    return std::visit(
        [&](const auto& rows) { return scores(rows, 0, 1, Reference{powers_}, bias_, s).flaw; },
        x);
  }

 protected:
  std::array<double*, 3> sums() override { return {p_, w_, nullptr}; }

  Flaw pass_over(const OneRow& x, std::int32_t code, double importance,
                 JointMistakes& out) override {
    const std::int8_t label = code == 1 ? 1 : -1;
    return std::visit(
        [&](const auto& rows) {
          return pass<true>(rows, &label, &importance, nullptr, 0, 1, rule_, rounds,
                             Reference{powers_}, out, &met_)
              .flaw;
        },
        x);
  }
};

// Many classes jointly: w and u have one row per feature and one column per class.
class JointRun : public OnlineRun {
 protected:
  const std::vector<double> steps_;  // for each class that may be right
  const JointRule rule_;
  const Size width_;
  Size classes_;
  double *const w_, *const u_;
  const bool mean_;
  std::vector<double> scores_;

 private:
  double mean(Size j, Size r) const {
    return mean_of(w_[j * width_ + r], u_[j * width_ + r], rounds);
  }

 public:
  JointRun(double threshold, std::vector<double> steps, double unit, Size dim, bool bias,
            Keep keep, std::int64_t rounds, Size classes, double* w, double* u, bool mean)
      : OnlineRun(dim, bias, keep, rounds),
        steps_(std::move(steps)),
        rule_{threshold, steps_.data(), unit, bias},
        width_(steps_.size()),
        classes_(classes),
        w_(w),
        u_(u),
        mean_(mean),
        scores_(2 * width_) {}

  Size outputs() const override { return classes_; }
  bool is_joint() const override { return true; }
  Size codes() const override { return width_; }
  double weight(Size j, Size r) const override {
    return rule_.unit * (mean_ ? mean(j, r) : w_[j * width_ + r]);
  }
  void count_score(std::int32_t, double) override {}  // the pass has counted it
  void forget(Size j) override {
    for (Size r = 0; r < width_; ++r) {
      w_[j * width_ + r] = 0;
      if (u_) u_[j * width_ + r] = 0;
    }
  }

  Flaw score(const OneRow& x, double* s) override {
    const Flaw flaw = std::visit(
        [&](const auto& rows) {
          if (!mean_)
            return scores(rows, 0, 1, JointSum{w_, width_}, bias_, scores_.data()).flaw;
          std::fill(scores_.begin(), scores_.end(), 0.0);
          const auto add = [&](Size j, double v) {
            for (Size r = 0; r < classes_; ++r) scores_[r] += v * weight(j, r);
          };
          first_of(rows).each(add);
          if (bias_) add(dim_, 1.0);
          for (const double one : scores_)
            if (!(std::abs(one) <= std::numeric_limits<double>::max())) return Flaw::value;
          return Flaw::none;
        },
        x);
    const double unit = mean_ ? 1.0 : rule_.unit;
    for (Size r = 0; r < classes_; ++r) s[r] = scores_[r] * unit;
    return flaw;
  }

 protected:
  std::array<double*, 3> sums() override { return {}; }  // no other run can refuse x

  Flaw pass_over(const OneRow& x, std::int32_t code, double importance,
                 JointMistakes& out) override {
    return std::visit(
        [&](const auto& rows) {
          return joint_pass<true>(rows, &code, &importance, nullptr, 0, 1, rule_, rounds, classes_,
                                  JointPerceptron{w_, u_, width_}, scores_.data(), out, honest_)
              .flaw;
        },
        x);
  }
};

// Adaptive weights for many classes: also a variance for each weight.
class JointAdaptiveRun final : public JointRun {
  const JointAdaptive weights_;

 public:
  JointAdaptiveRun(double threshold, std::vector<double> steps, Size dim, bool bias, Keep keep,
                   std::int64_t rounds, Size classes, const JointAdaptive& weights, bool mean)
      : JointRun(threshold, std::move(steps), 1.0, dim, bias, keep, rounds, classes, weights.w,
                 weights.u, mean),
        weights_(weights) {}

  void forget(Size j) override {
    JointRun::forget(j);
    std::fill_n(weights_.variance + j * width_, width_, 1.0);
  }

 protected:
  Flaw pass_over(const OneRow& x, std::int32_t code, double importance,
                 JointMistakes& out) override {
    return std::visit(
        [&](const auto& rows) {
          return joint_pass<true>(rows, &code, &importance, nullptr, 0, 1, rule_, rounds, classes_,
                                  weights_, scores_.data(), out, honest_)
              .flaw;
        },
        x);
  }
};

}  // namespace novikoff
