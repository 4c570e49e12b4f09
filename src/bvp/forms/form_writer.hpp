// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Writes a Hessenberg system as the model of a boundary value problem: what its reduction, its
/// damped form and an iterate of its sequential regularisation have in common. Unknowns are the
/// states, and what a form adds to them.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvp/forms/boundary_model.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"

namespace daedal::solve_detail {

class FormWriter {
 protected:
  explicit FormWriter(const ConstrainedView& view);

  /// Keeps a variable of the view as the next unknown.
  void keep(std::int32_t variable);
  /// The number of the first of `count` new unknowns: "name 1", "name 2", ...
  SymbolId add_unknowns(std::size_t count, const std::string& name);
  /// After the last unknown: expressions of the view can be rewritten from here on.
  void bind_unknowns();

  NodeId rewrite(NodeId node) { return rewriter_.rewrite(node); }
  NodeId unknown(std::int32_t number) { return pool_->variable(number); }
  NodeId state(int level, std::size_t i, int order = 0) {
    return pool_->variable(number_of(view_.states[to_size(level)][i]), order);
  }
  [[nodiscard]] std::int32_t number_of(std::int32_t variable) const {
    return number_[to_size(variable)];
  }
  [[nodiscard]] Index n_unknowns() const { return to_index(kept_.size()); }
  NodeId zero() { return pool_->constant(0.0); }

  void add(NodeId lhs, NodeId rhs, std::string name, int level = -1);
  [[nodiscard]] const std::string& state_name(int level, std::size_t i) const;
  [[nodiscard]] std::string constraint_name(std::size_t constraint) const;
  /// sums[row] += Σ entry · factor(column), or the transposed of it.
  template <class Factor>
  void accumulate(const std::vector<JacobianEntry>& entries, bool transposed, Factor&& factor,
                  std::vector<NodeId>& sums) {
    for (const JacobianEntry& entry : entries) {
      const std::size_t row = to_size(transposed ? entry.column : entry.row);
      const std::size_t column = to_size(transposed ? entry.row : entry.column);
      sums[row] = pool_->add(sums[row], pool_->mul(rewrite(entry.value), factor(column)));
    }
  }
  /// Σ_j (n choose j) γⁿ⁻ʲ g⁽ʲ⁾, n = `power`: (d/dt + γ)ⁿ g as far as `levels` go.
  std::vector<NodeId> damped_levels(int power, double gamma);
  /// M x⁽ᵐ⁾ of all rows.
  std::vector<NodeId> inertia();

  /// The model's own conditions. Throws ModelError for one on a variable that is no unknown.
  void take_conditions();
  /// All constraint levels at the beginning: Ascher, Lin (2.3b).
  void add_levels_at_the_beginning();
  /// The form with all unknowns tested.
  BoundaryForm finish();

  const ConstrainedView& view_;
  std::shared_ptr<Pool> pool_;

 private:
  Model::Data data_;
  std::vector<Variable> kept_;
  std::vector<std::int32_t> number_;  ///< of each variable among the unknowns, -1: none
  Rewriter rewriter_;
  std::vector<int> levels_;
};

}  // namespace daedal::solve_detail
