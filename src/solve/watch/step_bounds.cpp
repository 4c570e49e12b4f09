// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/step_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/frame/model_run.hpp"

namespace daedal::solve_detail {

namespace {

/// A variable whose rates are unknown is taken to leave the range of its values at both ends by at
/// most this share of the range.
constexpr double unknown_rate_margin = 0.5;

}  // namespace

StepBounds::StepBounds(const kernel::Enclosure& enclosure, const Model& model)
    : enclosure_(&enclosure), bounds_(enclosure.size(), Interval::everything()) {
  const std::size_t none = model.variables().size();
  std::vector<std::size_t> position(none, none);
  for (std::size_t place = 0; place < enclosure.size(); ++place) {
    const Node& node = enclosure[place];
    if (node.op == Op::time) times_.push_back(place);
    if (node.op != Op::variable || node.order > 1) continue;
    const std::size_t number = to_size(node.symbol);
    if (position[number] == none) {
      position[number] = variables_.size();
      variables_.push_back(number);
    }
    leaves_.push_back({.place = place,
                       .variable = position[number],
                       .is_derivative = node.order == 1,
                       .nominal = model.variables()[number].nominal});
  }
}

bool StepBounds::hold(Run& run) {
  if (is_held_ && run.modes == modes_ && run.discretes == discretes_) return false;
  is_held_ = true;
  modes_ = run.modes;
  discretes_ = run.discretes;
  const std::vector<double>& parameters = parameters_of(run);
  const auto value = [](const std::vector<double>& values, std::int32_t symbol) {
    return to_size(symbol) < values.size() ? Interval::point(values[to_size(symbol)])
                                           : Interval::everything();
  };
  for (std::size_t place = 0; place < enclosure_->size(); ++place) {
    if (!enclosure_->is_input(place)) continue;
    const Node& node = (*enclosure_)[place];
    if (is_relation(node.op)) {
      bounds_[place] = value(run.modes, node.symbol);
    } else if (node.op == Op::parameter) {
      bounds_[place] = value(parameters, node.symbol);
    } else if (node.op == Op::discrete) {
      bounds_[place] = value(run.discretes, node.symbol);
    } else if (node.op == Op::pre) {
      bounds_[place] = value(run.pre, node.symbol);
    } else if (node.op == Op::initial || node.op == Op::terminal || node.op == Op::sample) {
      bounds_[place] = Interval::point(0.0);
    }
  }
  enclosure_->evaluate_held(bounds_);
  return true;
}

void StepBounds::set_leaf(const Leaf& leaf, const Interval& range) {
  bounds_[leaf.place] = std::isfinite(range.width()) ? range : Interval::everything();
}

/// A variable follows the cubic through its values and rates, which lies between its Bézier points
/// v₀, v₀ + h v₀'/3, v₁ − h v₁'/3, v₁.
void StepBounds::set_between(const Sample& a, const Sample& b) {
  const Interval stretch{std::min(a.t, b.t), std::max(a.t, b.t)};
  for (const std::size_t place : times_) bounds_[place] = stretch;
  const double third = (b.t - a.t) / 3.0;
  for (const Leaf& leaf : leaves_) {
    const double rate_a = a.derivatives[leaf.variable];
    const double rate_b = b.derivatives[leaf.variable];
    const double value_a = leaf.value(a);
    const double value_b = leaf.value(b);
    const auto [low, high] = std::minmax(value_a, value_b);
    Interval range{low, high};
    const double inner_a = a.values[leaf.variable] + third * rate_a;
    const double inner_b = b.values[leaf.variable] - third * rate_b;
    if (!leaf.is_derivative && std::isfinite(inner_a) && std::isfinite(inner_b)) {
      range = hull(range, {std::min(inner_a, inner_b), std::max(inner_a, inner_b)});
    } else {
      const double margin = unknown_rate_margin * (high - low);
      range = {low - margin, high + margin};
    }
    set_leaf(leaf, range);
  }
}

/// Variables go on at the rates that they have at the end of the step, and these change at most
/// twice as fast as they did within it.
bool StepBounds::set_ahead(const Sample& begin, const Sample& end, double length) {
  const double ahead = std::copysign(length, end.t - begin.t);
  const Interval stretch{std::min(end.t, end.t + ahead), std::max(end.t, end.t + ahead)};
  for (const std::size_t place : times_) bounds_[place] = stretch;
  for (const Leaf& leaf : leaves_) {
    const double rate = end.derivatives[leaf.variable];
    const double change =
        2.0 * std::abs((rate - begin.derivatives[leaf.variable]) / (end.t - begin.t)) * length;
    const double value = end.values[leaf.variable];
    const double margin = 0.5 * change * length;
    const Interval range = leaf.is_derivative
                               ? Interval{rate - change, rate + change}
                               : Interval{value + std::min(rate * ahead, 0.0) - margin,
                                          value + std::max(rate * ahead, 0.0) + margin};
    if (!std::isfinite(range.width())) return false;
    bounds_[leaf.place] = range;
  }
  return true;
}

}  // namespace daedal::solve_detail
