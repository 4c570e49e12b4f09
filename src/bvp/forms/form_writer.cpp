// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/form_writer.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>

#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/map_expressions.hpp"

namespace daedal::solve_detail {

namespace {

[[noreturn]] void refuse_condition(const std::string& name, const SourcePosition& where) {
  throw ModelError(ErrorCode::unsupported,
                   fmt::format("A boundary condition contains '{}', which follows from other "
                               "variables: write the condition by those.",
                               name),
                   where);
}

}  // namespace

FormWriter::FormWriter(const ConstrainedView& view)
    : view_(view),
      pool_(std::make_shared<Pool>()),
      data_(copy_of(view.model)),
      number_(view.model.variables().size(), -1),
      rewriter_(*view.pool, *pool_) {
  for (const auto& states : view_.states) {
    for (const std::int32_t variable : states) keep(variable);
  }
}

void FormWriter::keep(std::int32_t variable) {
  number_[to_size(variable)] = static_cast<std::int32_t>(kept_.size());
  kept_.push_back(data_.variables[to_size(variable)]);
}

SymbolId FormWriter::add_unknowns(std::size_t count, const std::string& name) {
  const auto first = static_cast<SymbolId>(kept_.size());
  for (std::size_t i = 0; i < count; ++i) {
    kept_.push_back({.name = fmt::format("{} {}", name, i + 1)});
  }
  return first;
}

void FormWriter::bind_unknowns() {
  for (NodeId id = 0; id < view_.pool->size(); ++id) {
    const Node& node = (*view_.pool)[id];
    if (node.op != Op::variable && node.op != Op::final_variable) continue;
    const std::int32_t number = number_of(node.symbol);
    if (number < 0) continue;
    rewriter_.bind(id, node.op == Op::variable ? pool_->variable(number, node.order)
                                               : pool_->final_variable(number));
  }
  data_.variables.swap(kept_);
  for_each_parameter_expression(data_, [this](NodeId& id) { id = rewrite(id); });
  data_.variables.swap(kept_);
  data_.equations.clear();
}

void FormWriter::add(NodeId lhs, NodeId rhs, std::string name, int level) {
  data_.equations.push_back({lhs, rhs, std::move(name), {}});
  levels_.push_back(level);
}

const std::string& FormWriter::state_name(int level, std::size_t i) const {
  return view_.model.variables()[to_size(view_.states[to_size(level)][i])].name;
}

std::string FormWriter::constraint_name(std::size_t constraint) const {
  return equation_label(view_.model, view_.constraint_equations[constraint]);
}

std::vector<NodeId> FormWriter::damped_levels(int power, double gamma) {
  std::vector<NodeId> sums(view_.n_constraints(), zero());
  double weight = 1.0;  // of g⁽ⁿ⁾, then downwards
  for (int j = power; j >= 0; --j) {
    for (std::size_t i = 0; i < sums.size() && j < view_.order(); ++i) {
      const NodeId level = rewrite(view_.levels[to_size(j)][i]);
      sums[i] = pool_->add(sums[i], pool_->mul(pool_->constant(weight), level));
    }
    weight *= gamma * j / (power + 1 - j);
  }
  return sums;
}

std::vector<NodeId> FormWriter::inertia() {
  std::vector<NodeId> sums(view_.force.size(), zero());
  const int last = view_.order() - 1;
  accumulate(view_.mass, false, [&](std::size_t i) { return state(last, i, 1); }, sums);
  return sums;
}

void FormWriter::take_conditions() {
  const auto variables = view_.model.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (number_[i] < 0 && variables[i].fixed) {
      refuse_condition(variables[i].name, variables[i].where);
    }
  }
  LeafWalker walker(*view_.pool);
  for (auto* list : {&data_.initial_equations, &data_.boundary_equations}) {
    for (Equation& equation : *list) {
      const NodeId sides[2] = {equation.lhs, equation.rhs};
      for (const NodeId leaf : walker.leaves(sides)) {
        const Node& node = (*view_.pool)[leaf];
        const bool is_of_variable = node.op == Op::variable || node.op == Op::final_variable;
        if (is_of_variable && number_of(node.symbol) < 0) {
          refuse_condition(variables[to_size(node.symbol)].name, equation.where);
        }
      }
      equation.lhs = rewrite(equation.lhs);
      equation.rhs = rewrite(equation.rhs);
    }
  }
}

void FormWriter::add_levels_at_the_beginning() {
  for (const auto& level : view_.levels) {
    for (std::size_t c = 0; c < level.size(); ++c) {
      data_.initial_equations.push_back(
          {rewrite(level[c]), zero(), constraint_name(c) + " at the beginning", {}});
    }
  }
}

BoundaryForm FormWriter::finish() {
  BoundaryForm form;
  for (const NodeId output : view_.outputs) form.outputs.push_back(rewrite(output));
  form.levels = std::move(levels_);
  form.n_tested = n_unknowns();
  data_.variables = std::move(kept_);
  data_.energy = no_node;
  data_.assertions.clear();
  pool_->freeze();
  data_.pool = pool_;
  form.pool = pool_;
  form.model = Model(std::make_shared<const Model::Data>(std::move(data_)));
  return form;
}

}  // namespace daedal::solve_detail
