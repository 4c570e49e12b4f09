// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/weights.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::integration {

ErrorWeights::ErrorWeights(const System& system, const WeightOptions& options)
    : rtol_(options.rtol) {
  const std::size_t n = to_size(system.size());
  const auto nominals = system.nominals();
  const auto kinds = system.kinds();
  atol_.assign(n, options.atol);
  for (std::size_t i = 0; i < nominals.size(); ++i) atol_[i] *= std::abs(nominals[i]);

  factor_.assign(n, 1.0);
  power_.assign(n, 0);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool is_higher = kinds[i].index > 1;
    const bool is_left_out = is_higher && options.index_weighting == IndexWeights::exclude;
    if (!kinds[i].in_error_test || is_left_out) {
      factor_[i] = 0.0;
    } else if (is_higher && options.index_weighting == IndexWeights::by_step) {
      power_[i] = kinds[i].index - 1;
      depends_on_step_ = true;
    }
  }
  const auto n_tested = static_cast<double>(std::count(factor_.begin(), factor_.end(), 1.0));
  const double scale = std::sqrt(static_cast<double>(n) / std::max(n_tested, 1.0));
  for (double& factor : factor_) factor *= scale;
}

void ErrorWeights::compute(std::span<const double> x, double h, std::span<double> weights) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    weights[i] = factor_[i] / (rtol_ * std::abs(x[i]) + atol_[i]);
  }
  if (!depends_on_step_) return;
  const double step = std::min(1.0, std::abs(h));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < power_[i]; ++k) weights[i] *= step;
  }
}

double weighted_rms(std::span<const double> v, std::span<const double> weights) {
  double sum = 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double scaled = v[i] * weights[i];
    sum += scaled * scaled;
  }
  return v.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(v.size()));
}

}  // namespace daedal::integration
