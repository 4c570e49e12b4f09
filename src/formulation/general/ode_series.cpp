// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/ode_series.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

using kernel::StagedSeries;

/// More scales than a series can need: from one end of the range of numbers to the other.
constexpr int most_ode_scales = 60;

StagedSeries make_series(const kernel::Program& rates) {
  const auto lead_of = [](int block, Index) {
    return block == block_time || block == block_values ? StagedSeries::known : StagedSeries::held;
  };
  const std::vector<int> leads(to_size(rates.n_outputs()), 0);
  return {rates, lead_of, leads, highest_series_order};
}

}  // namespace

OdeSeries::OdeSeries(const kernel::Program& rates, const ModelContext& context)
    : series_(make_series(rates)), n_(to_size(rates.n_outputs())), events_(context) {}

bool OdeSeries::sum_up(double direction, ModelRun& run, std::span<const double> x) {
  around_.scale = std::copysign(scale_.value(), direction);
  const auto held = run.blocks(around_.t, {}, {});
  for (const StagedSeries::Leaf& leaf : series_.leaves()) {
    double* const to = series_.series(leaf.slot);
    if (leaf.block == block_time) {
      to[0] = around_.t;
      to[1] = around_.scale;
    } else {
      to[0] = leaf.block == block_values ? x[to_size(leaf.offset)]
                                         : held[to_size(leaf.block)][leaf.offset];
    }
  }
  std::ranges::copy(x, states_.begin());
  for (int s = 0; s < around_.order; ++s) {
    series_.stage(s);
    const double factor = around_.scale / (s + 1);
    double* const next = states_.data() + to_size(s + 1) * n_;
    for (std::size_t i = 0; i < n_; ++i) next[i] = series_.output(i)[s] * factor;
    for (const StagedSeries::Leaf& leaf : series_.leaves())
      if (leaf.block == block_values) series_.series(leaf.slot)[s + 1] = next[leaf.offset];
  }
  const bool is_good = is_finite(std::span(states_).last(2 * n_));
  if (!is_good) series_.clear();
  return is_good;
}

double OdeSeries::log_growth() const {
  double greatest = -infinity;
  for (std::size_t i = 0; i < n_; ++i) {
    const double size = std::max(std::abs(states_[i]), std::abs(states_[n_ + i]));
    for (const int k : {around_.order - 1, around_.order}) {
      const double last = std::abs(states_[to_size(k) * n_ + i]);
      // The quotient itself may be beyond the range of numbers.
      if (size > 0.0 && last > 0.0)
        greatest = std::max(greatest, (std::log2(last) - std::log2(size)) / k);
    }
  }
  return greatest;
}

bool OdeSeries::expand(const SeriesSource::Point& point, ModelRun& run,
                       std::span<double> coefficients) {
  around_ = {.t = point.t, .scale = scale_.value(), .order = point.order};
  states_.resize((to_size(point.order) + 1) * n_);
  events_.forget();
  scale_.begin();
  bool fits = false;
  for (int attempt = 0; attempt < most_ode_scales && !fits; ++attempt) {
    if (sum_up(point.direction, run, point.x)) {
      const double growth = log_growth();
      if (scale_.hides(growth, point.order)) return false;
      fits = scale_.fits(growth, point.order);
    } else if (!is_finite(std::span(states_).first(2 * n_)) || !scale_.shrink()) {
      return false;
    }
  }
  std::ranges::copy(states_, coefficients.begin());
  return fits;
}

bool OdeSeries::switch_series(Index number, const Fill& fill, ModelRun& run,
                              std::span<double> out) {
  if (number >= events_.size()) {
    series_.switch_series(number - events_.size(), around_.order - 1, out);
    return is_finite(out);
  }
  return events_.read(
      number, around_, [&](std::span<double> values) { fill(states_, values); }, run, out);
}

}  // namespace daedal::formulation
