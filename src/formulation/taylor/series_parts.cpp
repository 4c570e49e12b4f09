// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/taylor/series_parts.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::formulation {

namespace {

/// The last coefficient of a series as a power of two: beyond this much the scale is changed, to
/// this much. The first blocks of a high index have hundreds of coefficients that fall, since they
/// follow slow motions, and the last ones need each of them to full precision: none may come near
/// the least number that has it, 2^-1022.
constexpr double most_exponent = 500.0;
constexpr double wanted_exponent = 150.0;
constexpr double least_exponent = -1022.0;
/// As often a scale is made shorter by so much after numbers that are not finite.
constexpr int most_shrinkings = 8;
constexpr double much_shorter = 0x1p-16;

}  // namespace

bool SeriesScale::fits(double log_growth, int n) {
  // Last coefficients of 0 say nothing of the scale, but in one that was made for a fast motion
  // they may have vanished.
  if (log_growth == -infinity && value_ < unit_ && n_shrunk_ == 0) {
    value_ = unit_;
    return false;
  }
  const bool is_fast = log_growth * n > most_exponent;
  const bool is_slow =
      log_growth * n < -most_exponent && std::isfinite(log_growth) && n_shrunk_ == 0;
  if (!is_fast && !is_slow) return true;
  n_shrunk_ += is_fast ? 1 : 0;
  value_ *= std::exp2(std::round((is_fast ? wanted_exponent : -wanted_exponent) / n - log_growth));
  return false;
}

bool SeriesScale::shrink() {
  value_ *= much_shorter;
  return ++n_shrunk_ <= most_shrinkings;
}

bool SeriesScale::hides(double log_growth, int n) {
  if (n_shrunk_ == 0 || log_growth * n > least_exponent) return false;
  value_ = unit_;
  return true;
}

int cheapest_order(std::span<const SeriesCost> costs, double tolerance) {
  // A step is R·tolerance^(1/N) long. Each coefficient of an operation costs as much as a product
  // of 25 others in vectors, and each step as much as some 10 more of them.
  constexpr double products = 50.0;
  constexpr double begin = 500.0;
  int best = 8;
  double least = infinity;
  for (int order = 8; order <= 30; ++order) {
    double cost = 0.0;
    for (const SeriesCost& part : costs) {
      const double n = order + part.extra;
      cost += (part.n_operations + 1.0) * (n * n + products * n + begin);
    }
    cost *= std::pow(tolerance, -1.0 / order);
    if (cost >= least) continue;
    least = cost;
    best = order;
  }
  return best;
}

std::array<kernel::SeriesBlock, n_blocks> held_series(ModelRun& run,
                                                      std::span<const double, 2> time) {
  const auto held = run.blocks(time[0], {}, {});
  std::array<kernel::SeriesBlock, n_blocks> blocks;
  for (std::size_t b = 0; b < held.size(); ++b)
    blocks[b] = {.coefficients = held[b], .stride = 0, .n_coefficients = 1};
  blocks[block_time] = {.coefficients = time.data(), .stride = 1, .n_coefficients = 2};
  return blocks;
}

EventSeries::EventSeries(const ModelContext& context)
    : n_(context.events().n_events()), n_variables_(context.model().variables().size()) {
  if (n_ > 0) functions_.emplace(context.events().functions(), highest_series_order);
}

bool EventSeries::read(Index number, const Around& around, const Fill& fill, ModelRun& run,
                       std::span<double> out) {
  const auto order = to_size(around.order);
  if (!is_current_) {
    const std::size_t n = n_variables_;
    values_.resize(n * (order + 1));
    derivatives_.resize(values_.size());
    fill(values_);
    for (std::size_t k = 1; k <= order; ++k)
      for (std::size_t v = 0; v < n; ++v)
        derivatives_[(k - 1) * n + v] = values_[k * n + v] * static_cast<double>(k) / around.scale;
    const std::array<double, 2> time{around.t, around.scale};
    auto blocks = held_series(run, time);
    blocks[block_values] = {
        .coefficients = values_.data(), .stride = to_index(n), .n_coefficients = around.order + 1};
    blocks[block_derivatives] = {
        .coefficients = derivatives_.data(), .stride = to_index(n), .n_coefficients = around.order};
    series_.resize(to_size(n_) * (order + 1));
    functions_->evaluate(around.order, blocks, series_);
    is_current_ = true;
  }
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < std::min(out.size(), order + 1); ++k)
    out[k] = series_[k * to_size(n_) + to_size(number)];
  return is_finite(out);
}

}  // namespace daedal::formulation
