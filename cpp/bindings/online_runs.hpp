// Online runs over weights that NumPy owns, and vectors handed over to NumPy.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bindings/rules.hpp"
#include "online/runs.hpp"

// An array over a vector that `owner` keeps alive.
template <class T>
inline nb::object view_of(std::vector<T>& kept, const nb::capsule& owner) {
  static T nothing{};  // an empty array needs an address too
  T* const data = kept.empty() ? &nothing : kept.data();
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {kept.size()}, owner).cast();
}

template <class T>
inline nb::object handed_over(std::vector<T>&& given) {
  auto kept = std::make_unique<std::vector<T>>(std::move(given));
  const nb::capsule owner(kept.get(),
                          [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return view_of(*kept.release(), owner);
}

inline Keep kept(std::string_view keep) {
  if (keep == "counts") return Keep::counts;
  if (keep == "positions") return Keep::positions;
  if (keep == "examples") return Keep::examples;
  refuse("keep must be counts, positions or examples");
}

// The runs that learn from each example, over arrays that this keeps alive.
class OnlineRuns {
  std::vector<nb::object> arrays_;
  const Keep keep_;

  double* data(const Out<double>& array, Size width = 1) {
    if (array.size() % width != 0 || array.size() / width != dim + bias)
      refuse("one weight per feature is needed");
    arrays_.push_back(nb::cast(array));
    return array.data();
  }

  Size joint_width(const In<double>& step, Size classes, bool mean, bool averaging) const {
    const Size width = step.size();
    if (mean && !averaging) refuse("the average needs u");
    if (width == 0 || width % classes_at_a_time != 0 || classes > width)
      refuse("the width must be a positive multiple of four");
    if (!each.empty()) refuse("a joint run must be the only run");
    return width;
  }

 public:
  const Size dim;
  const bool bias;
  std::vector<std::unique_ptr<OnlineRun>> each;

  OnlineRuns(const OnlineRuns&) = delete;
  OnlineRuns(Size dim, bool bias, std::string_view keep)
      : keep_(kept(keep)), dim(dim), bias(bias) {
    if (dim > most_features) refuse("there are too many features");
  }

  void add_perceptron(Out<double> w, Maybe<Out<double>> u, Two threshold, Two step, double unit,
                      std::int64_t rounds, bool mean) {
    if (mean && !u) refuse("the average needs u");
    each.push_back(std::make_unique<PerceptronRun>(rule_of(threshold, step, unit, bias), dim, keep_,
                                                   countable(rounds), data(w),
                                                   u ? data(*u) : nullptr, mean));
  }

  void add_adaptive(Out<double> w, Out<double> variance, Maybe<Out<double>> u, Two step, double r,
                    std::int64_t rounds, bool mean) {
    if (mean && !u) refuse("the average needs u");
    const Adaptive weights{data(w), data(variance), u ? data(*u) : nullptr, positive(r)};
    each.push_back(std::make_unique<AdaptiveRun>(adaptive_rule(step, bias), dim, keep_,
                                                 countable(rounds), weights, mean));
  }

  void count_scores(Out<std::int64_t> counts) {
    if (each.empty()) refuse("there is no run yet");
    each.back()->count_in(honest_scores(counts));
    arrays_.push_back(nb::cast(counts));
  }

  void add_winnow(Out<double> powers, Out<double> w, Two threshold, Two step, double alpha,
                  bool balanced, bool erases, double theta, std::int64_t rounds) {
    each.push_back(std::make_unique<WinnowRun>(rule_of(threshold, step, 1.0, bias), dim, keep_,
                                               countable(rounds), data(powers), data(w),
                                               growth_of(alpha, balanced), theta, erases));
  }

  void add_joint_adaptive(Out<double> w, Out<double> variance, Maybe<Out<double>> u,
                          In<double> step, double r, Size classes, std::int64_t rounds,
                          bool mean) {
    const Size width = joint_width(step, classes, mean, u.has_value());
    const JointAdaptive weights{data(w, width), data(variance, width),
                                u ? data(*u, width) : nullptr, positive(r), width};
    each.push_back(std::make_unique<JointAdaptiveRun>(
        below_one, std::vector<double>(step.data(), step.data() + width), dim, bias, keep_,
        countable(rounds), classes, weights, mean));
  }

  void add_joint(Out<double> w, Maybe<Out<double>> u, double threshold, In<double> step,
                 double unit, Size classes, std::int64_t rounds, bool mean) {
    const Size width = joint_width(step, classes, mean, u.has_value());
    each.push_back(std::make_unique<JointRun>(
        threshold, std::vector<double>(step.data(), step.data() + width), unit, dim, bias, keep_,
        countable(rounds), classes, data(w, width), u ? data(*u, width) : nullptr, mean));
  }
};
