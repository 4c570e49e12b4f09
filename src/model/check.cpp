// SPDX-License-Identifier: BSD-3-Clause
#include "model/check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/labels.hpp"
#include "model/leaves.hpp"

namespace daedal {

namespace {

/// One declared thing that an expression belongs to, for the message.
struct Owner {
  std::string what;
  std::string name;
  SourcePosition where;
};

[[noreturn]] void fail(const Owner& owner, const std::string& problem) {
  ModelError error(
      ErrorCode::invalid_value,
      fmt::format("{} '{}'{} {}.", owner.what, owner.name, place_suffix(owner.where), problem),
      owner.where);
  error.with_variables({owner.name});
  throw error;
}

std::string name_of(const Model::Data& model, const Node& node) {
  const auto symbol = static_cast<std::size_t>(node.symbol);
  switch (node.op) {
    case Op::variable:
    case Op::pre_variable:
    case Op::final_variable:
      return fmt::format("the variable '{}'", model.variables[symbol].name);
    case Op::discrete:
    case Op::pre:
      return fmt::format("the discrete variable '{}'", model.discretes[symbol].name);
    case Op::time:
      return "time";
    default:
      return "an event";
  }
}

class ParameterExpressionCheck {
 public:
  explicit ParameterExpressionCheck(const Model::Data& model)
      : model_(model), walker_(*model.pool) {}

  void check(NodeId root, const Owner& owner) {
    if (root == no_node) return;
    for (const NodeId leaf : walker_.leaves(root)) {
      const Node& node = (*model_.pool)[leaf];
      if (node.op == Op::parameter) continue;
      fail(owner, fmt::format("depends on {}; only constants and parameters are allowed there",
                              name_of(model_, node)));
    }
  }

 private:
  const Model::Data& model_;
  LeafWalker walker_;
};

void check_variable(const Variable& variable, ParameterExpressionCheck& expressions) {
  expressions.check(variable.start, {"The start value of", variable.name, variable.where});
  const Owner owner{"Variable", variable.name, variable.where};
  if (!std::isfinite(variable.nominal) || variable.nominal == 0.0) {
    fail(owner, fmt::format("has the nominal value {}, which is not a typical magnitude",
                            variable.nominal));
  }
  if (!(variable.min <= variable.max)) {
    fail(owner, fmt::format("has min = {} above max = {}", variable.min, variable.max));
  }
}

}  // namespace

void check_declarations(const Model::Data& model) {
  ParameterExpressionCheck expressions(model);
  for (const Variable& variable : model.variables) check_variable(variable, expressions);
  for (const Variable& variable : model.discretes) check_variable(variable, expressions);
  for (const Parameter& parameter : model.parameters) {
    expressions.check(parameter.value, {"The value of", parameter.name, parameter.where});
  }
  for (const Sampler& sampler : model.samplers) {
    expressions.check(sampler.start, {"The start of", "sample", {}});
    expressions.check(sampler.interval, {"The interval of", "sample", {}});
  }
}

void check_when_clauses(const Model::Data& model) {
  const auto refuse = [](const char* text, const SourcePosition& where) {
    throw ModelError(ErrorCode::type_mismatch, text, where);
  };
  for (const WhenClause& clause : model.when_clauses) {
    for (const WhenBranch& branch : clause.branches) {
      if (branch.condition == no_node) refuse("A when-clause needs a condition.", clause.where);
      for (const WhenAction& action : branch.actions) {
        const auto target = static_cast<std::size_t>(action.target);
        if (action.kind == WhenAction::Kind::assign && target >= model.discretes.size()) {
          refuse("A when-clause assigns a discrete variable that does not exist.", action.where);
        }
        if (action.kind == WhenAction::Kind::reinit && target >= model.variables.size()) {
          refuse("reinit() names a continuous variable that does not exist.", action.where);
        }
        if (action.kind != WhenAction::Kind::terminate && action.value == no_node) {
          refuse("An action of a when-clause has no value.", action.where);
        }
      }
    }
  }
}

}  // namespace daedal
