// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/model_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace daedal::solve_detail {

namespace {

/// The distance of the points of the differences, in steps. Their error h⁹x⁽⁹⁾·4e-17 is below any
/// tolerance, even where schemes of high order take steps that are a good part of the radius of
/// convergence.
constexpr double stencil = 0.02;

bool are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

bool ModelCurve::read(double t, const AcceptedStep& step, std::span<double> x,
                      std::span<double> xp) {
  const auto n = to_size(step.formulation.system().size());
  state_.resize(2 * n);
  outputs_.resize(step.formulation.outputs.names.size());
  const std::span<double> state(state_.data(), n);
  const std::span<double> rates(state_.data() + n, n);
  step.stepper.interpolate(t, state, rates);
  step.formulation.outputs.to_model(t, state, rates, step.run, outputs_, xp);
  std::copy_n(outputs_.begin(), x.size(), x.begin());
  return are_finite(x);
}

void ModelCurve::read_end(const AcceptedStep& step, std::span<double> x) {
  outputs_.resize(step.formulation.outputs.names.size());
  step.formulation.outputs.to_model(step.stepper.time(), step.stepper.x(), step.stepper.xp(),
                                    step.run, outputs_, {});
  std::copy_n(outputs_.begin(), x.size(), x.begin());
}

bool ModelCurve::differentiate(double t, double h, const AcceptedStep& step,
                               std::span<const double> x, std::span<double> xp) {
  if (step.stepper.max_derivative() > 0) {
    if (has_copies_ == Copies::not_sought) find_copies(t, step);
    if (has_copies_ == Copies::found && read_derivatives(t, step, x, xp)) return true;
    // The method may have chosen other states: the copies are sought again the next time.
    if (has_copies_ == Copies::found) has_copies_ = Copies::not_sought;
  }
  return take_differences(t, h, step, xp);
}

/// Changes every unknown of the system by rounding errors of its own: a variable with the same bits
/// afterwards is a copy.
void ModelCurve::find_copies(double t, const AcceptedStep& step) {
  const std::size_t n_state = state_.size() / 2;
  std::vector<double> moved(state_);
  std::vector<std::pair<double, std::size_t>> known;
  for (std::size_t k = 0; k < n_state; ++k) {
    const double size = moved[k] != 0.0 ? moved[k] : 1.0;
    moved[k] += size * (std::exp2(-44.0) + std::exp2(-50.0) * static_cast<double>(k % 4096));
    known.emplace_back(moved[k], k);
  }
  std::ranges::sort(known);
  const Failure before = step.run.failure;
  step.formulation.outputs.to_model(t, {moved.data(), n_state}, {moved.data() + n_state, n_state},
                                    step.run, outputs_, {});
  step.run.failure = before;
  copies_.clear();
  has_copies_ = Copies::none;
  for (std::size_t j = 0; j < is_differential_.size(); ++j) {
    if (!is_differential_[j]) continue;
    const auto range =
        std::ranges::equal_range(known, outputs_[j], {}, &std::pair<double, std::size_t>::first);
    if (range.size() != 1) return;
    copies_.push_back({j, range.front().second});
  }
  has_copies_ = Copies::found;
}

bool ModelCurve::read_derivatives(double t, const AcceptedStep& step, std::span<const double> x,
                                  std::span<double> xp) {
  const bool are_copies = std::ranges::all_of(
      copies_, [&](const Copy& copy) { return x[copy.variable] == state_[copy.unknown]; });
  if (!are_copies) return false;
  const std::span<double> derivatives(state_.data() + state_.size() / 2, state_.size() / 2);
  step.stepper.derivative(t, 1, derivatives);
  std::ranges::fill(xp, 0.0);
  for (const Copy& copy : copies_) xp[copy.variable] = derivatives[copy.unknown];
  return are_finite(xp);
}

/// Central differences of eighth order.
bool ModelCurve::take_differences(double t, double h, const AcceptedStep& step,
                                  std::span<double> xp) {
  const double delta = stencil * h;
  bool finite = true;
  sample_.resize(xp.size());
  std::ranges::fill(xp, 0.0);
  constexpr std::array<double, 4> weights{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double offset = side * static_cast<double>(k + 1) * delta;
      finite = read(t + offset, step, sample_) && finite;
      const double weight = side * weights[k] / delta;
      for (std::size_t j = 0; j < xp.size(); ++j) xp[j] += weight * sample_[j];
    }
  }
  return finite;
}

}  // namespace daedal::solve_detail
