// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/array_history.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

/// The values of x' carry this relative error (the corrector's tolerance), and a coefficient is
/// used while its own error stays below the second figure.
constexpr double value_noise = 1e-13;
constexpr double allowed_noise = 1e-4;

}  // namespace

ArrayHistory::ArrayHistory(Index n, int level)
    : n_(n),
      capacity_(level + 1),
      times_(to_size(capacity_)),
      slopes_(Matrix::Zero(n, capacity_)),
      places_(to_size(capacity_)),
      differences_(Matrix::Zero(n, capacity_)) {}

void ArrayHistory::push(double t, std::span<const double> xp) {
  newest_ = (newest_ + capacity_ - 1) % capacity_;
  times_[newest_] = t;
  std::copy(xp.begin(), xp.end(), slopes_.col(newest_).data());
  n_past_ = std::min(n_past_ + 1, capacity_);
}

int ArrayHistory::usable_degree() const {
  // The noise of f[s_0..s_j] is that of the values times Σ_i 1/Π|s_i − s_m|.
  for (int degree = 1; degree < n_past_; ++degree) {
    double sum = 0.0;
    for (int i = 0; i <= degree; ++i) {
      double product = 1.0;
      for (int m = 0; m <= degree; ++m) {
        if (m != i) product *= std::abs(places_[i] - places_[m]);
      }
      sum += 1.0 / product;
    }
    if (!(value_noise * sum <= allowed_noise)) return degree - 1;
  }
  return n_past_ - 1;
}

void ArrayHistory::divide_differences(double scale) {
  for (int i = 0; i < n_past_; ++i) {
    places_[i] = (times_[slot(i)] - times_[slot(0)]) / scale;
    differences_.col(i) = slopes_.col(to_index(slot(i)));
  }
  for (int order = 1; order < n_past_; ++order) {
    for (int i = n_past_ - 1; i >= order; --i) {
      const double distance = places_[i] - places_[i - order];
      differences_.col(i) = (differences_.col(i) - differences_.col(i - 1)) / distance;
    }
  }
}

int ArrayHistory::seed(double scale, std::span<double> series) {
  if (n_past_ < 2) return 0;
  divide_differences(scale);
  const int degree = usable_degree();
  // Newton's form to powers of s, by Horner's rule: c_j ← c_j − s_i c_(j+1), i = degree−1, ..., 0.
  for (int i = degree - 1; i >= 0; --i) {
    for (int j = i; j < degree; ++j) {
      differences_.col(j) -= places_[i] * differences_.col(j + 1);
    }
  }
  // dx/ds = scale·x'(s) = scale·Σ c_j s^j.
  for (int j = 1; j <= degree; ++j) {
    const double factor = scale / static_cast<double>(j + 1);
    for (Index i = 0; i < n_; ++i) {
      series[(j + 1) * n_ + i] = factor * differences_(i, j);
    }
  }
  return degree;
}

}  // namespace daedal::analysis
