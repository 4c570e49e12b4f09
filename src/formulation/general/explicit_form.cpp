// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/explicit_form.hpp"

#include <algorithm>
#include <unordered_map>

#include "expr/calculus.hpp"
#include "formulation/frame/model_run.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"

namespace daedal::formulation {

namespace {

class Solver {
 public:
  explicit Solver(const GeneralView& view) : view_(view), pool_(std::make_shared<Pool>(view.pool)) {
    hold_relations();
    for (std::size_t i = 0; i < view.x.size(); ++i) {
      unknown_of_[view.is_differential[i] ? view.xp[i] : view.x[i]] = i;
    }
    build_incidence();
  }

  ExplicitForm solve() {
    solve_in_sequence();
    ExplicitForm form;
    form.pool = pool_;
    Rewriter rewriter(*pool_, *pool_);
    for (std::size_t i = 0; i < view_.x.size(); ++i) rewriter.define(leaf(i), solution_[i]);
    for (std::size_t i = 0; i < view_.x.size(); ++i) {
      const NodeId value = rewriter.rewrite(leaf(i));
      const auto number = static_cast<std::int32_t>(i);
      if (view_.is_differential[i]) {
        form.states.push_back(number);
        form.state_leaves.push_back(view_.x[i]);
        form.rates.push_back(value);
      } else {
        form.algebraic.push_back(number);
        form.algebraic_values.push_back(value);
      }
    }
    bind_inputs(form);
    return form;
  }

 private:
  [[nodiscard]] NodeId leaf(std::size_t unknown) const {
    return view_.is_differential[unknown] ? view_.xp[unknown] : view_.x[unknown];
  }

  /// A relation is read from the modes: a leaf of its own, whatever unknowns it compares.
  [[nodiscard]] SymbolId placeholder(std::int32_t relation) const {
    return static_cast<SymbolId>(view_.model.discretes().size()) + relation;
  }

  void hold_relations() {
    Rewriter rewriter(*pool_, *pool_);
    for (const std::int32_t id : view_.relations)
      rewriter.bind(pool_->relation_node(id), pool_->discrete(placeholder(id)));
    for (const NodeId root : view_.residuals) residuals_.push_back(rewriter.rewrite(root));
  }

  void build_incidence() {
    LeafWalker walker(*pool_);
    missing_.resize(residuals_.size());
    equations_of_.resize(view_.x.size());
    for (std::size_t e = 0; e < residuals_.size(); ++e) {
      for (const NodeId id : walker.leaves(residuals_[e])) {
        const auto found = unknown_of_.find(id);
        if (found == unknown_of_.end()) continue;
        missing_[e].push_back(found->second);
        equations_of_[found->second].push_back(e);
      }
    }
  }

  void solve_in_sequence() {
    solution_.assign(view_.x.size(), no_node);
    std::vector<std::size_t> ready;
    std::vector<std::size_t> n_missing;
    for (std::size_t e = 0; e < missing_.size(); ++e) {
      n_missing.push_back(missing_[e].size());
      if (n_missing[e] == 1) ready.push_back(e);
    }
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const std::size_t e = ready[k];
      const auto open = std::find_if(missing_[e].begin(), missing_[e].end(),
                                     [&](std::size_t u) { return solution_[u] == no_node; });
      if (open == missing_[e].end() || !solve_for(e, *open)) continue;
      for (const std::size_t other : equations_of_[*open])
        if (--n_missing[other] == 1) ready.push_back(other);
    }
    refuse_unsolved();
  }

  /// residual = c·unknown + rest with c free of the unknown: unknown = −rest/c.
  bool solve_for(std::size_t equation, std::size_t unknown) {
    const NodeId root = residuals_[equation];
    const NodeId variable = leaf(unknown);
    const NodeId coefficient = gradient(*pool_, root, std::span(&variable, 1)).front();
    const auto leaves = dependencies(*pool_, std::span(&coefficient, 1));
    if (std::find(leaves.begin(), leaves.end(), variable) != leaves.end()) return false;
    if ((*pool_)[coefficient].op == Op::constant && (*pool_)[coefficient].value == 0.0)
      return false;
    const NodeId zero = pool_->constant(0.0);
    const NodeId rest =
        substitute(*pool_, std::span(&root, 1), std::span(&variable, 1), std::span(&zero, 1))
            .front();
    solution_[unknown] = pool_->neg(pool_->div(rest, coefficient));
    solved_.push_back(equation);
    return true;
  }

  void refuse_unsolved() const {
    std::vector<std::string> variables;
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      if (solution_[i] != no_node) continue;
      const std::string& name = view_.model.variables()[i].name;
      variables.push_back(view_.is_differential[i] ? "der(" + name + ")" : name);
    }
    if (variables.empty()) return;
    std::vector<std::string> equations;
    for (std::size_t e = 0; e < residuals_.size(); ++e)
      if (std::find(solved_.begin(), solved_.end(), e) == solved_.end())
        equations.push_back(equation_label(view_.model, to_index(e)));
    ModelError error(ErrorCode::not_recognized,
                     "The model cannot be written as x' = f(t, x): " + join_words(equations) +
                         " cannot be solved one after the other for " + join_words(variables) +
                         ". Use the method 'direct'.");
    error.with_equations(equations).with_variables(variables);
    throw error;
  }

  void bind_inputs(ExplicitForm& form) const {
    std::vector<Index> position(view_.x.size(), -1);
    for (std::size_t k = 0; k < form.states.size(); ++k)
      position[static_cast<std::size_t>(form.states[k])] = to_index(k);
    for (const auto& input : model_inputs(view_.model, *pool_)) {
      if (input.block == block_derivatives || input.block == block_modes) continue;
      if (input.block != block_values) {
        form.inputs.push_back(input);
      } else if (position[to_size(input.offset)] >= 0) {
        form.inputs.push_back({input.leaf, block_values, position[to_size(input.offset)]});
      }
    }
    for (const std::int32_t id : view_.relations)
      form.inputs.push_back({pool_->discrete(placeholder(id)), block_modes, id});
  }

  const GeneralView& view_;
  std::shared_ptr<Pool> pool_;
  std::vector<NodeId> residuals_;
  std::unordered_map<NodeId, std::size_t> unknown_of_;
  std::vector<std::vector<std::size_t>> missing_;       ///< unknowns of each equation
  std::vector<std::vector<std::size_t>> equations_of_;  ///< equations of each unknown
  std::vector<NodeId> solution_;
  std::vector<std::size_t> solved_;
};

}  // namespace

ExplicitForm explicit_form(const GeneralView& view) {
  return Solver(view).solve();
}

}  // namespace daedal::formulation
