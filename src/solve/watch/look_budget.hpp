// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Bounds the cost of looking into steps, which must not be many times the cost of the steps
/// themselves. A run begins with some credit and earns more with every step; what evaluates the
/// bounds of expressions is charged by the number of expressions. A short run is thus looked into
/// thoroughly, and a long one as far as its steps pay for it.

#include <cstddef>

namespace daedal::solve_detail {

class LookBudget {
 public:
  /// `n_nodes`: the number of expressions of which a first look at a step evaluates the bounds.
  explicit LookBudget(std::size_t n_nodes);

  void earn_step() { credit_ += credit_per_step_; }
  /// Charges `n` evaluations of the bounds of so many expressions.
  void charge(double n, std::size_t n_nodes) { credit_ -= n * cost_of(n_nodes); }
  /// Charges the first look at a step, which is free where the expressions are few.
  void charge_first_look();

  [[nodiscard]] bool is_positive() const { return credit_ > 0.0; }
  /// Whether the next step can be looked at at all.
  [[nodiscard]] bool allows_look() const { return is_first_look_free() || !(credit_ < 0.0); }
  /// The number of parts of a step that can be looked at when each evaluates the bounds of so many
  /// expressions: at least a few, whatever the credit, and at most `most`.
  [[nodiscard]] int affordable_parts(std::size_t n_nodes, int most) const;

 private:
  [[nodiscard]] static double cost_of(std::size_t n_nodes);
  [[nodiscard]] bool is_first_look_free() const;

  std::size_t n_nodes_;
  double credit_per_step_;
  double credit_;
};

}  // namespace daedal::solve_detail
