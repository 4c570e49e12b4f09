// SPDX-License-Identifier: BSD-3-Clause
/// The equations of one iterate of the sequential regularisation.

#include <fmt/format.h>

#include <utility>

#include "bvp/forms/boundary_srm.hpp"
#include "model/labels.hpp"
#include "model/map_expressions.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"

namespace daedal::solve_detail {

namespace {

/// Writes the model of one iterate.
class Writer {
 public:
  Writer(const ConstrainedView& view, const BoundarySrmSettings& settings, double direction)
      : view_(view),
        settings_(settings),
        direction_(direction),
        data_(copy_of(view.model)),
        number_(view.model.variables().size(), -1),
        pool_(std::make_shared<Pool>()),
        rewriter_(*view.pool, *pool_),
        n_(view.force.size()),
        n_y_(view.algebraic.size()) {}

  BoundaryForm write() {
    add_variables();
    bind_leaves();
    data_.equations.clear();
    add_chains();
    add_dynamics();
    add_violation();
    add_gain();
    add_conditions();
    std::vector<NodeId> outputs;
    for (const NodeId output : view_.outputs) outputs.push_back(rewriter_.rewrite(output));
    data_.energy = no_node;
    data_.assertions.clear();
    index_names(data_);
    pool_->freeze();
    data_.pool = pool_;
    BoundaryForm form;
    form.levels.assign(data_.equations.size(), -1);
    form.n_tested = to_index(data_.variables.size());
    form.model = Model(std::make_shared<const Model::Data>(std::move(data_)));
    form.outputs = std::move(outputs);
    form.pool = pool_;
    return form;
  }

 private:
  void add_variables() {
    std::vector<Variable> kept;
    for (const auto& chain : view_.states) {
      for (const std::int32_t variable : chain) {
        number_[to_size(variable)] = static_cast<std::int32_t>(kept.size());
        kept.push_back(data_.variables[to_size(variable)]);
      }
    }
    const auto add = [&](const char* what, std::size_t count) {
      const auto first = static_cast<SymbolId>(kept.size());
      for (std::size_t i = 0; i < count; ++i)
        kept.push_back({.name = fmt::format("{} {}", what, i + 1)});
      return first;
    };
    z_ = add("E c", n_y_);
    c_ = add("violation", n_y_);
    u_ = add("auxiliary", needs_auxiliary() ? n_ : 0);
    data_.variables = std::move(kept);
  }

  [[nodiscard]] bool needs_auxiliary() const { return settings_.gain != SrmGain::identity; }

  void bind_leaves() {
    for (NodeId id = 0; id < view_.pool->size(); ++id) {
      const Node& node = (*view_.pool)[id];
      if (node.op != Op::variable && node.op != Op::final_variable) continue;
      const std::int32_t number = number_[to_size(node.symbol)];
      if (number >= 0) {
        rewriter_.bind(id, node.op == Op::variable ? pool_->variable(number, node.order)
                                                   : pool_->final_variable(number));
      }
    }
    for_each_parameter_expression(data_, [this](NodeId& id) { id = rewriter_.rewrite(id); });
  }

  NodeId state(int level, std::size_t i, int order = 0) {
    return pool_->variable(number_[to_size(view_.states[to_size(level)][i])], order);
  }
  NodeId local(SymbolId first, std::size_t i) {
    return pool_->variable(first + static_cast<SymbolId>(i));
  }
  NodeId zero() { return pool_->constant(0.0); }
  void add(NodeId lhs, NodeId rhs, std::string name) {
    data_.equations.push_back({lhs, rhs, std::move(name), {}});
  }
  const std::string& name_of(int level, std::size_t i) const {
    return view_.model.variables()[to_size(view_.states[to_size(level)][i])].name;
  }

  /// sums[row] += Σ entry · factor(column), or the transposed of it.
  template <class Factor>
  void accumulate(const std::vector<JacobianEntry>& entries, bool transposed, Factor&& factor,
                  std::vector<NodeId>& sums) {
    for (const JacobianEntry& entry : entries) {
      const std::size_t row = to_size(transposed ? entry.column : entry.row);
      const std::size_t column = to_size(transposed ? entry.row : entry.column);
      sums[row] = pool_->add(sums[row], pool_->mul(rewriter_.rewrite(entry.value), factor(column)));
    }
  }

  void add_chains() {
    for (int j = 0; j + 1 < view_.order(); ++j) {
      for (std::size_t i = 0; i < n_; ++i) {
        add(state(j, i, 1), state(j + 1, i), fmt::format("derivative of {}", name_of(j, i)));
      }
    }
  }

  /// M x' = f − By_(s−1) − (1/ε) B z; By_(s−1) is added when the problem is solved.
  void add_dynamics() {
    const int last = view_.order() - 1;
    std::vector<NodeId> left(n_, zero());
    accumulate(view_.mass, false, [&](std::size_t i) { return state(last, i, 1); }, left);
    std::vector<NodeId> product(n_, zero());
    accumulate(view_.coefficient, false, [&](std::size_t j) { return local(z_, j); }, product);
    const NodeId factor = pool_->constant(direction_ / settings_.epsilon);
    for (std::size_t i = 0; i < n_; ++i) {
      add(left[i], pool_->sub(rewriter_.rewrite(view_.force[i]), pool_->mul(factor, product[i])),
          fmt::format("dynamics of {}", name_of(last, i)));
    }
  }

  /// c = (d/dt + γ)ᵐ⁻¹ g by the binomial theorem.
  void add_violation() {
    std::vector<NodeId> c(n_y_, zero());
    double weight = 1.0;  // of level m − 1, then downwards
    for (int j = view_.order() - 1; j >= 0; --j) {
      for (std::size_t i = 0; i < n_y_; ++i) {
        const NodeId level = rewriter_.rewrite(view_.levels[to_size(j)][i]);
        c[i] = pool_->add(c[i], pool_->mul(pool_->constant(weight), level));
      }
      weight *= settings_.gamma * j / (view_.order() - j);
    }
    for (std::size_t i = 0; i < n_y_; ++i)
      add(local(c_, i), c[i], fmt::format("violation {}", i + 1));
  }

  /// z = E c with A = G M⁻¹ B, without an inverse: A⁻¹ and (A + δI)⁻¹ by M u = B z, G u + δz = c,
  /// Aᵀ by Mᵀ u = Gᵀ c, z = Bᵀ u.
  void add_gain() {
    const auto z = [&](std::size_t j) { return local(z_, j); };
    const auto c = [&](std::size_t j) { return local(c_, j); };
    const auto u = [&](std::size_t i) { return local(u_, i); };
    const std::string name = "regularisation";
    if (settings_.gain == SrmGain::identity) {
      for (std::size_t j = 0; j < n_y_; ++j) add(z(j), c(j), name);
      return;
    }
    const bool is_transpose = settings_.gain == SrmGain::transpose;
    std::vector<NodeId> left(n_, zero());
    std::vector<NodeId> right(n_, zero());
    std::vector<NodeId> last(n_y_, zero());
    accumulate(view_.mass, is_transpose, u, left);
    if (is_transpose) {
      accumulate(view_.jacobian, true, c, right);
      accumulate(view_.coefficient, true, u, last);
    } else {
      accumulate(view_.coefficient, false, z, right);
      accumulate(view_.jacobian, false, u, last);
    }
    for (std::size_t i = 0; i < n_; ++i) add(left[i], right[i], name);
    const NodeId delta =
        pool_->constant(settings_.gain == SrmGain::shifted ? settings_.delta : 0.0);
    for (std::size_t j = 0; j < n_y_; ++j) {
      if (is_transpose) {
        add(z(j), last[j], name);
      } else {
        add(pool_->add(last[j], pool_->mul(delta, z(j))), c(j), name);
      }
    }
  }

  /// The model's conditions, and all constraint levels at the beginning: (2.3b).
  void add_conditions() {
    for (auto* list : {&data_.initial_equations, &data_.boundary_equations}) {
      for (Equation& equation : *list) {
        equation.lhs = rewriter_.rewrite(equation.lhs);
        equation.rhs = rewriter_.rewrite(equation.rhs);
      }
    }
    for (const auto& level : view_.levels) {
      for (std::size_t c = 0; c < level.size(); ++c) {
        const std::string label = equation_label(view_.model, view_.constraint_equations[c]);
        data_.initial_equations.push_back(
            {rewriter_.rewrite(level[c]), zero(), label + " at the beginning", {}});
      }
    }
  }

  const ConstrainedView& view_;
  const BoundarySrmSettings& settings_;
  double direction_;
  Model::Data data_;
  std::vector<std::int32_t> number_;
  std::shared_ptr<Pool> pool_;
  Rewriter rewriter_;
  std::size_t n_;
  std::size_t n_y_;
  SymbolId z_ = 0;
  SymbolId c_ = 0;
  SymbolId u_ = 0;
};

}  // namespace

BoundaryForm srm_form(const ConstrainedView& view, const BoundarySrmSettings& settings,
                      double direction) {
  return Writer(view, settings, direction).write();
}

}  // namespace daedal::solve_detail
