// SPDX-License-Identifier: BSD-3-Clause
/// The equations that collocation is applied to: as written, or reduced to index 2.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bvp/forms/form_writer.hpp"
#include "model/leaves.hpp"
#include "model/views/order_reduction.hpp"

namespace daedal::solve_detail {

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
class Reduction : FormWriter {
 public:
  Reduction(const ConstrainedView& view, std::optional<double> gamma)
      : FormWriter(view), gamma_(gamma) {}

  BoundaryForm reduce() {
    for (const std::int32_t y : view_.algebraic) keep(y);
    const Index n_tested = n_unknowns();
    first_mu_ = static_cast<SymbolId>(n_tested);
    for (int j = 0; j + 1 < view_.order() && !gamma_; ++j) {
      add_unknowns(view_.algebraic.size(), fmt::format("multiplier of constraint level {},", j));
    }
    bind_unknowns();
    add_chains();
    add_dynamics();
    if (gamma_) {
      add_damped_constraints();
    } else {
      add_constraints();
    }
    take_conditions();
    if (gamma_) add_levels_at_the_beginning();
    BoundaryForm form = finish();
    form.n_tested = n_tested;
    if (view_.order() > 1 && !gamma_) {
      form.note = fmt::format(
          "The equations of index {} were reduced to index 2 with all {} "
          "constraint levels kept (Gear, Gupta, Leimkuhler).",
          view_.order() + 1, view_.order());
    }
    return form;
  }

 private:
  void add_chains() {
    const auto n_mu = static_cast<SymbolId>(view_.algebraic.size());
    for (int j = 0; j + 1 < view_.order(); ++j) {
      std::vector<NodeId> right(view_.states[0].size());
      for (std::size_t i = 0; i < right.size(); ++i) right[i] = state(j + 1, i);
      const auto minus_mu = [&](std::size_t row) {
        return pool_->neg(unknown(n_mu * j + first_mu_ + static_cast<SymbolId>(row)));
      };
      if (!gamma_) accumulate(view_.jacobian, true, minus_mu, right);
      for (std::size_t i = 0; i < right.size(); ++i) {
        add(state(j, i, 1), right[i], fmt::format("derivative of {}", state_name(j, i)));
      }
    }
  }

  void add_dynamics() {
    const std::vector<NodeId> left = inertia();
    std::vector<NodeId> right;
    for (const NodeId force : view_.force) right.push_back(rewrite(force));
    const auto minus_y = [&](std::size_t i) {
      return pool_->neg(unknown(number_of(view_.algebraic[i])));
    };
    accumulate(view_.coefficient, false, minus_y, right);
    for (std::size_t i = 0; i < left.size(); ++i) {
      add(left[i], right[i], fmt::format("dynamics of {}", state_name(view_.order() - 1, i)));
    }
  }

  void add_constraints() {
    for (int j = 0; j < view_.order(); ++j) {
      for (std::size_t c = 0; c < view_.n_constraints(); ++c) {
        std::string name = constraint_name(c);
        if (j > 0) {
          name += fmt::format(" differentiated {}", j == 1 ? "once" : std::to_string(j) + " times");
        }
        add(rewrite(view_.levels[to_size(j)][c]), zero(), std::move(name), j);
      }
    }
  }

  /// (d/dt + γ)ᵐ g with g⁽ᵐ⁾ = G x⁽ᵐ⁾ + remainder.
  void add_damped_constraints() {
    const int m = view_.order();
    std::vector<NodeId> sums = damped_levels(m, *gamma_);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] = pool_->add(sums[c], rewrite(view_.remainder[c]));
    }
    accumulate(view_.jacobian, false, [&](std::size_t i) { return state(m - 1, i, 1); }, sums);
    for (std::size_t c = 0; c < sums.size(); ++c)
      add(sums[c], zero(), constraint_name(c) + " damped");
  }

  std::optional<double> gamma_;
  SymbolId first_mu_ = 0;
};

}  // namespace

BoundaryForm reduced_form(const ConstrainedView& view) {
  return Reduction(view, {}).reduce();
}

BoundaryForm damped_form(const ConstrainedView& view, double gamma) {
  return Reduction(view, gamma).reduce();
}

}  // namespace daedal::solve_detail
