// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Tells whether an explicit scheme is held back by its stability rather than its accuracy, after
/// Hairer, Wanner IV.2: the estimate h|λ| of an accepted step comes near the scheme's region of
/// stability fifteen times, with never six steps in succession well inside it. Near is half of it:
/// at sharp tolerances the error estimate feels the stiff components before the step is unstable.

namespace daedal::integrate {

class StiffnessWatch {
 public:
  /// `ratio` is h|λ| over the size of the region of stability.
  void after_step(double ratio) {
    if (ratio > near) {
      n_inside_ = 0;
      ++n_beyond_;
    } else if (++n_inside_ == steps_to_forget) {
      n_beyond_ = 0;
    }
  }
  void reset() { n_beyond_ = n_inside_ = 0; }
  [[nodiscard]] bool is_stiff() const { return n_beyond_ >= steps_to_believe; }

 private:
  static constexpr double near = 0.5;
  static constexpr int steps_to_believe = 15;
  static constexpr int steps_to_forget = 6;
  int n_beyond_ = 0;
  int n_inside_ = 0;
};

}  // namespace daedal::integrate
