// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Bounds of time and of the variables over a stretch of time, and from these, by interval
/// arithmetic, bounds of every expression below the watched functions.

#include <daedal/model.hpp>
#include <daedal/system.hpp>
#include <span>
#include <vector>

#include "kernel/enclosure.hpp"
#include "solve/watch/step_sampler.hpp"

namespace daedal::solve_detail {

class StepBounds {
 public:
  using Interval = kernel::Interval;
  /// A variable or a derivative that watched functions depend on.
  struct Leaf {
    std::size_t place = 0;     ///< in the enclosure
    std::size_t variable = 0;  ///< position in variables()
    bool is_derivative = false;
    double nominal = 1.0;

    [[nodiscard]] double value(const Sample& sample) const {
      return is_derivative ? sample.derivatives[variable] : sample.values[variable];
    }
  };

  /// `enclosure` must outlive this object.
  StepBounds(const kernel::Enclosure& enclosure, const Model& model);

  /// Numbers of the model's variables that occur among the leaves: samples hold these.
  [[nodiscard]] std::span<const std::size_t> variables() const { return variables_; }
  [[nodiscard]] std::span<const Leaf> leaves() const { return leaves_; }
  [[nodiscard]] std::span<const std::size_t> times() const { return times_; }  ///< places of time
  [[nodiscard]] std::size_t size() const { return bounds_.size(); }
  [[nodiscard]] std::span<const Interval> all() const { return bounds_; }
  [[nodiscard]] const Interval& operator[](std::size_t place) const { return bounds_[place]; }
  [[nodiscard]] bool is_input(std::size_t place) const { return enclosure_->is_input(place); }

  /// Reads what stays the same until the next event: parameters, modes and discrete variables.
  /// Returns whether any of it has changed since the last call.
  bool hold(Run& run);

  /// Sets the bounds of time and of the leaves between two samples.
  void set_between(const Sample& a, const Sample& b);
  /// The same for so long a time after the step from `begin` to `end`. Returns false where the
  /// variables have no finite bounds.
  [[nodiscard]] bool set_ahead(const Sample& begin, const Sample& end, double length);
  /// The same at one instant: the k-th leaf has its value in the sample, up to `margin_of(k)`, and
  /// time is known up to `margin_of_time`.
  template <class Margin>
  void set_at(const Sample& sample, const Margin& margin_of, double margin_of_time = 0.0) {
    for (const std::size_t place : times_) {
      bounds_[place] = {sample.t - margin_of_time, sample.t + margin_of_time};
    }
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      const double value = leaves_[k].value(sample);
      const double margin = margin_of(k);
      set_leaf(leaves_[k], {value - margin, value + margin});
    }
  }
  /// Gives an input a value of the caller's.
  void set_input(std::size_t place, const Interval& range) { bounds_[place] = range; }

  /// Bounds of the expressions at these places (Enclosure::needed_by), from those of the inputs.
  void evaluate(std::span<const std::size_t> places) { enclosure_->evaluate(places, bounds_); }

 private:
  void set_leaf(const Leaf& leaf, const Interval& range);

  const kernel::Enclosure* enclosure_;
  std::vector<std::size_t> variables_;
  std::vector<Leaf> leaves_;
  std::vector<std::size_t> times_;
  std::vector<Interval> bounds_;
  std::vector<double> modes_, discretes_;
  bool is_held_ = false;
};

}  // namespace daedal::solve_detail
