// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/damping_rate.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

/// Tuned on the examples of Petzold, Ren and Maly
/// (tests/formulation/mechanics/automatic_parameters_test.cpp). From 1 on, a step that grows
/// fivefold is at the edge of stability of explicit schemes.
constexpr double share = 0.1;
constexpr double memory = 20.0;  ///< in steps
constexpr std::int64_t n_undamped = 10;

}  // namespace

void StepRate::accept(double t) {
  const double h = std::abs(t - last_);
  last_ = t;
  if (n_accepted_++ == 0 || h == 0.0) return;
  if (length_ > 0.0) length_ *= std::exp(-h / (memory * length_));
  length_ = std::max(length_, h);
  if (n_accepted_ > n_undamped) value_ = share / length_;
}

}  // namespace daedal::formulation
