// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/look_budget.hpp"

#include <algorithm>

namespace daedal::solve_detail {

namespace {

/// The unit of the credit: the evaluation of the bounds of so many expressions. Fewer than these
/// cost as much, for each look interpolates the step too.
constexpr double nodes_per_unit = 64.0;
constexpr double first_credit = 4e5;
/// A step earns this much, or the given share of one evaluation of all bounds where that is more.
constexpr double least_credit_per_step = 20.0;
constexpr double evaluations_per_step = 0.25;

/// Parts of one step that are looked at without credit: so many of a small model, and at least the
/// second number of any model.
constexpr double free_parts = 16.0;
constexpr double least_parts = 2.0;

/// With more expressions than these, as the properties of water have, even the first look at a
/// step costs more than the step. It is then charged as well, and steps are left out when the
/// credit is used up.
constexpr std::size_t most_free_nodes = 20'000;
constexpr double evaluations_of_first_look = 3.0;

}  // namespace

LookBudget::LookBudget(std::size_t n_nodes)
    : n_nodes_(n_nodes),
      credit_per_step_(std::max(least_credit_per_step, evaluations_per_step * cost_of(n_nodes))),
      credit_(first_credit) {}

double LookBudget::cost_of(std::size_t n_nodes) {
  return std::max(1.0, static_cast<double>(n_nodes) / nodes_per_unit);
}

bool LookBudget::is_first_look_free() const {
  return n_nodes_ <= most_free_nodes;
}

void LookBudget::charge_first_look() {
  if (!is_first_look_free()) charge(evaluations_of_first_look, n_nodes_);
}

int LookBudget::affordable_parts(std::size_t n_nodes, int most) const {
  const double parts = std::max(free_parts, credit_) / cost_of(n_nodes);
  return static_cast<int>(std::clamp(parts, least_parts, static_cast<double>(most)));
}

}  // namespace daedal::solve_detail
