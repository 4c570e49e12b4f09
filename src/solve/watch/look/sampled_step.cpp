// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look/sampled_step.hpp"

#include <algorithm>
#include <limits>

namespace daedal::solve_detail {

SampledStep::SampledStep(const Tools& tools, std::span<const std::size_t> suspects,
                         const Sample& begin, const Sample& end,
                         const integration::Stepper& stepper, Run& run)
    : tools_(tools),
      numbers_(suspects),
      needed_(tools.functions.needed_for(suspects)),
      begin_{begin, {}, {}},
      end_{end, {}, {}},
      stepper_(stepper),
      run_(run) {
  note_differences(begin_);
  magnitudes_at_ends_ = functions().greatest(bounds().all());
  note_differences(end_);
  std::ranges::transform(magnitudes_at_ends_, functions().greatest(bounds().all()),
                         magnitudes_at_ends_.begin(),
                         [](double a, double b) { return std::max(a, b); });
  note_zeros(begin_);
  note_zeros(end_);
}

void SampledStep::bound(const Sample& a, const Sample& b) {
  tools_.bounds.set_between(a, b);
  tools_.bounds.evaluate(needed_);
}

Instant SampledStep::at(double t) {
  Instant instant{tools_.sampler.interpolate(t, stepper_, run_), {}, {}};
  has_gap_ = has_gap_ || is_gap(instant);
  note_differences(instant);
  return instant;
}

void SampledStep::note_differences(Instant& instant) {
  bound_at(instant, [](std::size_t) { return 0.0; });
  instant.differences.reserve(n_suspects());
  for (std::size_t i = 0; i < n_suspects(); ++i) {
    const kernel::Interval found = difference(i);
    instant.differences.push_back(found.is_point() ? found.low
                                                   : std::numeric_limits<double>::quiet_NaN());
  }
}

/// The rounding errors of the variables are taken relative to the changes of the variables over the
/// step.
void SampledStep::note_zeros(Instant& end) {
  const auto margin_of = [&](std::size_t k) {
    const StepBounds::Leaf& leaf = bounds().leaves()[k];
    return rounding_share * std::abs(leaf.value(end_) - leaf.value(begin_));
  };
  bound_at(end, margin_of, rounding_share * std::abs(length()));
  for (std::size_t i = 0; i < n_suspects(); ++i) {
    end.is_zero.push_back(difference(i).contains(0.0));
  }
}

bool SampledStep::is_gap(const Sample& sample) const {
  for (std::size_t k = 0; k < sample.values.size(); ++k) {
    const bool has_ends = std::isfinite(begin_.values[k]) && std::isfinite(end_.values[k]);
    if (has_ends && !std::isfinite(sample.values[k])) return true;
  }
  return false;
}

}  // namespace daedal::solve_detail
