// SPDX-License-Identifier: BSD-3-Clause
/// The equations that collocation is applied to: as written, or reduced to index 2.

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <optional>
#include <utility>

#include "bvp/forms/boundary_model.hpp"
#include "expr/calculus.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/map_expressions.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"
#include "model/views/order_reduction.hpp"

namespace daedal::solve_detail {

namespace {}  // namespace

BoundaryForm form_as_written(const Model& model) {
  BoundaryForm form;
  form.model = reduce_order(model);
  form.n_tested = to_index(form.model.variables().size());
  const auto variables = form.model.variables();
  std::vector<bool> is_differential(variables.size(), false);
  LeafWalker walker(*form.model.pool());
  const auto leaves = [&](const Equation& equation) {
    const NodeId sides[2] = {equation.lhs, equation.rhs};
    return walker.leaves(sides);
  };
  const Pool& pool = *form.model.pool();
  for (const Equation& equation : form.model.equations()) {
    for (const NodeId leaf : leaves(equation)) {
      const Node& node = pool[leaf];
      if (node.op == Op::variable && node.order > 0) is_differential[to_size(node.symbol)] = true;
    }
  }
  for (const Equation& equation : form.model.equations()) {
    const auto found = leaves(equation);
    const bool is_constraint = std::ranges::all_of(found, [&](NodeId leaf) {
      const Node& node = pool[leaf];
      return node.op != Op::variable || (node.order == 0 && is_differential[to_size(node.symbol)]);
    });
    form.levels.push_back(is_constraint ? 0 : -1);
  }
  return form;
}

namespace {

/// With `gamma` constraints are damped, without they are kept on all levels.
class Reduction {
 public:
  Reduction(const ConstrainedView& view, std::optional<double> gamma)
      : view_(view),
        gamma_(gamma),
        data_(copy_of(view.model)),
        number_(view.model.variables().size(), -1),
        pool_(std::make_shared<Pool>()),
        rewriter_(*view.pool, *pool_) {}

  BoundaryForm reduce() {
    add_variables();
    bind_leaves();
    data_.equations.clear();
    add_chains();
    add_dynamics();
    if (gamma_) {
      add_damped_constraints();
    } else {
      add_constraints();
    }
    std::vector<NodeId> outputs;
    for (const NodeId output : view_.outputs) outputs.push_back(rewriter_.rewrite(output));
    take_conditions();
    index_names(data_);
    pool_->freeze();
    data_.pool = pool_;
    return {
        .model = Model(std::make_shared<const Model::Data>(std::move(data_))),
        .outputs = std::move(outputs),
        .pool = pool_,
        .levels = std::move(levels_),
        .n_tested = first_mu_,
        .note = view_.order() == 1 || gamma_
                    ? std::string()
                    : fmt::format("The equations of index {} were reduced to index 2 with all {} "
                                  "constraint levels kept (Gear, Gupta, Leimkuhler).",
                                  view_.order() + 1, view_.order())};
  }

 private:
  void add_variables() {
    std::vector<Variable> kept;
    const auto keep = [&](std::int32_t variable) {
      number_[to_size(variable)] = static_cast<std::int32_t>(kept.size());
      kept.push_back(data_.variables[to_size(variable)]);
    };
    for (const auto& chain : view_.states) std::ranges::for_each(chain, keep);
    std::ranges::for_each(view_.algebraic, keep);
    first_mu_ = static_cast<std::int32_t>(kept.size());
    for (int j = 0; j + 1 < view_.order() && !gamma_; ++j) {
      for (std::size_t i = 0; i < view_.algebraic.size(); ++i) {
        kept.push_back({.name = fmt::format("multiplier {} of constraint level {}", i + 1, j)});
      }
    }
    dropped_ = std::move(data_.variables);
    data_.variables = std::move(kept);
  }

  void bind_leaves() {
    for (NodeId id = 0; id < view_.pool->size(); ++id) {
      const Node& node = (*view_.pool)[id];
      if (node.op != Op::variable && node.op != Op::final_variable) continue;
      const std::int32_t number = number_[to_size(node.symbol)];
      if (number < 0) continue;
      rewriter_.bind(id, node.op == Op::variable ? pool_->variable(number, node.order)
                                                 : pool_->final_variable(number));
    }
    for_each_parameter_expression(data_, [this](NodeId& id) { id = rewriter_.rewrite(id); });
  }

  NodeId state(int level, std::size_t i, int order = 0) {
    return pool_->variable(number_[to_size(view_.states[to_size(level)][i])], order);
  }

  void add(NodeId lhs, NodeId rhs, std::string name, int level) {
    data_.equations.push_back({lhs, rhs, std::move(name), {}});
    levels_.push_back(level);
  }

  const std::string& state_name(int level, std::size_t i) const {
    return view_.model.variables()[to_size(view_.states[to_size(level)][i])].name;
  }

  void add_chains() {
    const std::size_t n_mu = view_.algebraic.size();
    for (int j = 0; j + 1 < view_.order(); ++j) {
      std::vector<NodeId> right(view_.states[0].size());
      for (std::size_t i = 0; i < right.size(); ++i) right[i] = state(j + 1, i);
      for (const JacobianEntry& entry : view_.jacobian) {
        if (gamma_) break;
        const auto mu = static_cast<SymbolId>(to_index(n_mu) * j + first_mu_ + entry.row);
        NodeId& side = right[to_size(entry.column)];
        side = pool_->sub(side, pool_->mul(rewriter_.rewrite(entry.value), pool_->variable(mu)));
      }
      for (std::size_t i = 0; i < right.size(); ++i) {
        add(state(j, i, 1), right[i], fmt::format("derivative of {}", state_name(j, i)), -1);
      }
    }
  }

  void add_dynamics() {
    const int last = view_.order() - 1;
    std::vector<NodeId> left(view_.force.size(), pool_->constant(0.0));
    std::vector<NodeId> right;
    for (const NodeId force : view_.force) right.push_back(rewriter_.rewrite(force));
    for (const JacobianEntry& entry : view_.mass) {
      NodeId& side = left[to_size(entry.row)];
      side = pool_->add(
          side, pool_->mul(rewriter_.rewrite(entry.value), state(last, to_size(entry.column), 1)));
    }
    for (const JacobianEntry& entry : view_.coefficient) {
      NodeId& side = right[to_size(entry.row)];
      const NodeId y = pool_->variable(number_[to_size(view_.algebraic[to_size(entry.column)])]);
      side = pool_->sub(side, pool_->mul(rewriter_.rewrite(entry.value), y));
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      add(left[i], right[i], fmt::format("dynamics of {}", state_name(last, i)), -1);
    }
  }

  void add_constraints() {
    for (int j = 0; j < view_.order(); ++j) {
      for (std::size_t c = 0; c < view_.levels[to_size(j)].size(); ++c) {
        const Index equation = view_.constraint_equations[c];
        std::string name = equation_label(view_.model, equation);
        if (j > 0)
          name += fmt::format(" differentiated {}", j == 1 ? "once" : std::to_string(j) + " times");
        add(rewriter_.rewrite(view_.levels[to_size(j)][c]), pool_->constant(0.0), std::move(name),
            j);
      }
    }
  }

  /// (d/dt + γ)ᵐ g by the binomial theorem, with g⁽ᵐ⁾ = G x⁽ᵐ⁾ + remainder.
  void add_damped_constraints() {
    std::vector<NodeId> sums;
    for (const NodeId remainder : view_.remainder) sums.push_back(rewriter_.rewrite(remainder));
    for (const JacobianEntry& entry : view_.jacobian) {
      NodeId& sum = sums[to_size(entry.row)];
      sum = pool_->add(sum, pool_->mul(rewriter_.rewrite(entry.value),
                                       state(view_.order() - 1, to_size(entry.column), 1)));
    }
    double weight = 1.0;
    for (int j = view_.order() - 1; j >= 0; --j) {
      weight *= *gamma_ * (j + 1) / (view_.order() - j);
      for (std::size_t c = 0; c < sums.size(); ++c) {
        const NodeId level = rewriter_.rewrite(view_.levels[to_size(j)][c]);
        sums[c] = pool_->add(sums[c], pool_->mul(pool_->constant(weight), level));
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
      const std::string label = equation_label(view_.model, view_.constraint_equations[c]);
      add(sums[c], pool_->constant(0.0), label + " damped", -1);
    }
  }

  /// (2.3b), after the model's own conditions were taken.
  void add_levels_at_the_beginning() {
    for (const auto& level : view_.levels) {
      for (std::size_t c = 0; c < level.size(); ++c) {
        const std::string label = equation_label(view_.model, view_.constraint_equations[c]);
        data_.initial_equations.push_back(
            {rewriter_.rewrite(level[c]), pool_->constant(0.0), label + " at the beginning", {}});
      }
    }
  }

  void take_conditions() {
    for (std::size_t i = 0; i < dropped_.size(); ++i) {
      if (number_[i] < 0 && dropped_[i].fixed) refuse(dropped_[i].name, dropped_[i].where);
    }
    LeafWalker walker(*view_.pool);
    for (auto* list : {&data_.initial_equations, &data_.boundary_equations}) {
      for (Equation& equation : *list) {
        const NodeId sides[2] = {equation.lhs, equation.rhs};
        for (const NodeId leaf : walker.leaves(sides)) {
          const Node& node = (*view_.pool)[leaf];
          const bool is_of_variable = node.op == Op::variable || node.op == Op::final_variable;
          if (is_of_variable && number_[to_size(node.symbol)] < 0) {
            refuse(dropped_[to_size(node.symbol)].name, equation.where);
          }
        }
        equation.lhs = rewriter_.rewrite(equation.lhs);
        equation.rhs = rewriter_.rewrite(equation.rhs);
      }
    }
    if (gamma_) add_levels_at_the_beginning();
    data_.energy = no_node;
    data_.assertions.clear();
  }

  [[noreturn]] static void refuse(const std::string& name, const SourcePosition& where) {
    throw ModelError(ErrorCode::unsupported,
                     fmt::format("A boundary condition knows '{}', which follows from other "
                                 "variables: write the condition by those.",
                                 name),
                     where);
  }

  const ConstrainedView& view_;
  std::optional<double> gamma_;
  Model::Data data_;
  std::vector<Variable> dropped_;
  std::vector<std::int32_t> number_;  ///< of each variable among the unknowns, -1: none
  std::int32_t first_mu_ = 0;
  std::shared_ptr<Pool> pool_;
  Rewriter rewriter_;
  std::vector<int> levels_;
};

}  // namespace

BoundaryForm reduced_form(const ConstrainedView& view) {
  return Reduction(view, {}).reduce();
}

BoundaryForm damped_form(const ConstrainedView& view, double gamma) {
  return Reduction(view, gamma).reduce();
}

}  // namespace daedal::solve_detail
