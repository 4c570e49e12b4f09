// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::integration {

namespace {

/// Below it there is nothing but the remains of underflow, or, as a share of the greatest unknown
/// that equations lead to, of rounding errors.
constexpr double smallest_value = 1e-290;
constexpr double least_weight = 1e-14;

/// The parts into which the unknowns fall that no equation connects; one where nothing is known.
std::vector<std::size_t> parts_of(const System& system) {
  const auto* implicit = dynamic_cast<const ImplicitSystem*>(&system);
  std::vector<std::size_t> part(to_size(system.size()), 0);
  if (implicit == nullptr) return part;
  const SparsityPattern& pattern = implicit->pattern();
  std::vector<std::size_t> parent(part.size() + to_size(pattern.rows));
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t column = 0; column < part.size(); ++column) {
    for (Index p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
      parent[root(part.size() + to_size(pattern.row[to_size(p)]))] = root(column);
    }
  }
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = root(i);
  return part;
}

/// The unit of time of the nominal values where unknowns of index 2 are the derivatives of as many
/// of index 1: the geometric mean of their quotients. 1 where that cannot be told.
double unit_of_time(const System& system) {
  const auto nominals = system.nominals();
  const auto kinds = system.kinds();
  double sum = 0.0;
  std::int64_t n_states = 0;
  std::int64_t surplus = 0;
  for (std::size_t i = 0; i < std::min(kinds.size(), nominals.size()); ++i) {
    if (!kinds[i].differential || kinds[i].index > 2) continue;
    const bool is_state = kinds[i].index < 2;
    sum += (is_state ? 1.0 : -1.0) * std::log(std::abs(nominals[i]));
    n_states += is_state ? 1 : 0;
    surplus += is_state ? 1 : -1;
  }
  return surplus == 0 && n_states > 0 ? std::exp(sum / static_cast<double>(n_states)) : 1.0;
}

}  // namespace

ErrorWeights::ErrorWeights(const System& system, const WeightOptions& options)
    : rtol_(options.rtol) {
  const std::size_t n = to_size(system.size());
  if (options.follows_scales) part_ = parts_of(system);
  least_.assign(part_.empty() ? 0 : *std::ranges::max_element(part_) + 1, smallest_value);
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
  if (depends_on_step_) unit_of_time_ = unit_of_time(system);
  const auto n_tested = static_cast<double>(std::count(factor_.begin(), factor_.end(), 1.0));
  const double scale = std::sqrt(static_cast<double>(n) / std::max(n_tested, 1.0));
  for (double& factor : factor_) factor *= scale;
  for (std::size_t i = 0; options.follows_scales && i < n; ++i) {
    const bool has_scale = i < nominals.size() && nominals[i] != 1.0;
    if (factor_[i] > 0.0 && !has_scale) small_.push_back({.unknown = i});
  }
}

void ErrorWeights::observe(std::span<const double> x) {
  if (small_.empty()) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double& least = least_[part_[i]];
    least = std::max(least, least_weight * std::abs(x[i]));
  }
  std::erase_if(small_, [&](Small& small) {
    small.peak = std::max(small.peak, std::abs(x[small.unknown]));
    return small.peak >= small.limit;
  });
}

void ErrorWeights::follow(std::span<const std::size_t> unknowns, std::span<const double> sizes) {
  const std::size_t n_known = small_.size();
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    // The unknown has decreased to what may be a rounding error; its floor decides.
    const Small followed{.unknown = unknowns[k],
                         .peak = std::max(sizes[k], smallest_value),
                         .limit = limit(unknowns[k]),
                         .least = smallest_value};
    const auto known = std::span(small_).first(n_known);
    const auto small = std::ranges::lower_bound(known, unknowns[k], {}, &Small::unknown);
    if (small != known.end() && small->unknown == unknowns[k]) {
      *small = followed;
    } else {
      small_.push_back(followed);
    }
  }
  if (small_.size() > n_known) std::ranges::sort(small_, {}, &Small::unknown);
}

void ErrorWeights::raise_floor(std::span<const double> floor, std::span<const double> rate) {
  for (Small& small : small_) {
    // A start that is forgotten does not count for ever.
    constexpr double memory = 0.9;
    small.floor = std::max(memory * small.floor, floor[small.unknown]);
    small.floor_rate = std::max(memory * small.floor_rate, rate[small.unknown]);
  }
}

void ErrorWeights::raise_noise(std::span<const double> noise) {
  noise_.resize(noise.size(), 0.0);
  for (std::size_t i = 0; i < noise.size(); ++i) noise_[i] = std::max(noise_[i], noise[i]);
}

bool ErrorWeights::follows_small() const {
  return std::ranges::any_of(small_,
                             [this](const Small& small) { return small.peak >= least(small); });
}

bool ErrorWeights::is_following() const {
  return std::ranges::any_of(small_, [](const Small& small) { return small.least > 0.0; });
}

bool ErrorWeights::lacks_scale(std::span<const double> x) const {
  return std::ranges::any_of(small_, [&](const Small& small) {
    const double value = std::abs(x[small.unknown]);
    const double at_least = least(small);
    return small.peak < at_least && value >= at_least && value < small.limit;
  });
}

double ErrorWeights::tolerance(const Small& small, double value, double ahead, double h) const {
  const double most = atol_[small.unknown];
  const double peak = std::max({small.peak, value, ahead});
  const double scale = peak < least(small) ? 1.0 : std::min(1.0, peak / small.limit);
  // However sharp the tolerances are, rounding errors stay what they are.
  const double floor = std::min(most, small.floor + std::abs(h) * small.floor_rate);
  return std::max((rtol_ * value + most * scale) / sharpness_, floor);
}

void ErrorWeights::compute(std::span<const double> x, double h, std::span<double> weights,
                           std::span<const double> ahead) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    weights[i] = sharpness_ * factor_[i] / (rtol_ * std::abs(x[i]) + atol_[i]);
  }
  for (const Small& small : small_) {
    const std::size_t i = small.unknown;
    const double next = ahead.empty() ? 0.0 : std::abs(ahead[i]);
    weights[i] = factor_[i] / tolerance(small, std::abs(x[i]), next, h);
  }
  for (std::size_t i = 0; i < noise_.size(); ++i) {
    if (weights[i] * noise_[i] > factor_[i]) weights[i] = factor_[i] / noise_[i];
  }
  if (!depends_on_step_) return;
  const double step = std::min(1.0, std::abs(h) / unit_of_time_);
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
