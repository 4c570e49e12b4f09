// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/step_sampler.hpp"

#include <utility>

namespace daedal::solve_detail {

StepSampler::StepSampler(std::shared_ptr<const OutputMap> map,
                         std::span<const std::size_t> variables, std::size_t n_variables)
    : map_(std::move(map)),
      variables_(variables.begin(), variables.end()),
      x_(to_size(map_->formulation().system().size())),
      xp_(x_.size()),
      values_(map_->formulation().outputs.names.size()),
      derivatives_(n_variables),
      workspace_(map_->make_workspace()) {}

Sample StepSampler::make_sample() const {
  Sample sample;
  sample.values.resize(variables_.size());
  sample.derivatives.resize(variables_.size());
  return sample;
}

void StepSampler::read(const integration::Ray& state, Run& run, Sample& sample) {
  sample.t = state.t;
  if (variables_.empty()) return;
  map_->formulation().outputs.to_model(state.t, state.x, state.xp, run, values_, derivatives_);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    sample.values[k] = values_[variables_[k]];
    sample.derivatives[k] = derivatives_[variables_[k]];
  }
}

Sample StepSampler::interpolate(double t, const integration::Stepper& stepper, Run& run) {
  Sample sample = make_sample();
  sample.t = t;
  if (variables_.empty()) return sample;
  stepper.interpolate(t, x_, xp_);
  const auto* system = map_->formulation().explicit_system.get();
  if (system != nullptr && system->has_complete() &&
      system->complete(t, x_, run) != Evaluation::ok) {
    stepper.interpolate(t, x_, xp_);
    run.failure = {};
  }
  read({t, x_, xp_}, run, sample);
  return sample;
}

std::vector<double> StepSampler::row(double t, const integration::Stepper& stepper, Run& run) {
  stepper.interpolate(t, x_, xp_);
  const auto* system = map_->formulation().explicit_system.get();
  if (system != nullptr && system->has_complete()) (void)system->complete(t, x_, run);
  std::vector<double> row(map_->names().size());
  map_->evaluate(t, x_, xp_, run, row, workspace_);
  std::vector<double> rates(x_.size());
  if (system != nullptr) {
    (void)system->rhs(t, x_, run, rates);
  } else {
    const auto* implicit = map_->formulation().implicit_system.get();
    rates.resize(to_size(implicit->size() + implicit->n_constraints()));
    (void)implicit->residual(t, x_, xp_, run, rates);
  }
  row.insert(row.end(), rates.begin(), rates.end());
  run.failure = {};
  return row;
}

}  // namespace daedal::solve_detail
