// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "model/balance.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/map_expressions.hpp"
#include "model/model_data.hpp"
#include "model/past.hpp"
#include "model/rewrite.hpp"

namespace daedal {

namespace {

// What must hold of every declaration before a model is frozen.

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

/// Start values, parameter values and sampling times are expressions of parameters alone; nominal
/// values and bounds make sense. Throws ModelError{invalid_value} naming the declaration.
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

/// Every action has a target that exists and of the right kind, every branch a condition.
/// Throws ModelError{type_mismatch}.
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
        const bool needs_none =
            action.kind == WhenAction::Kind::terminate || action.kind == WhenAction::Kind::call;
        if (!needs_none && action.value == no_node) {
          refuse("An action of a when-clause has no value.", action.where);
        }
      }
    }
  }
}

/// Whether an expression can be no truth value. 0 and 1 may be relations of numbers.
bool is_number(const Model::Data& model, const Pool& pool, NodeId root) {
  std::vector<NodeId> open{root};
  std::unordered_set<NodeId> seen{root};
  const auto add = [&](NodeId id) {
    if (seen.insert(id).second) open.push_back(id);
  };
  while (!open.empty()) {
    const Node& node = pool[open.back()];
    open.pop_back();
    const auto symbol = static_cast<std::size_t>(node.symbol);
    bool is_so = false;
    switch (node.op) {
      case Op::constant:
        is_so = node.value != 0.0 && node.value != 1.0;
        break;
      case Op::discrete:
      case Op::pre:
        is_so = model.discretes[symbol].type != ValueType::boolean;
        break;
      case Op::parameter:
        is_so = model.parameters[symbol].type != ValueType::boolean;
        break;
      case Op::sample:
      case Op::initial:
      case Op::terminal:
        break;
      case Op::if_else:
        add(node.b);
        add(node.c);
        break;
      case Op::smooth:
        add(node.a);
        break;
      default:
        is_so = !is_logical(node.op);
    }
    if (is_so) return true;
  }
  return false;
}

void claim_name(Model::Data& model, const std::string& name, const SourcePosition& where) {
  if (name.empty()) {
    throw ModelError(ErrorCode::duplicate_name, "Every variable and parameter needs a name.",
                     where);
  }
  if (model.names.insert(name).second) return;
  ModelError error(ErrorCode::duplicate_name,
                   fmt::format("The name '{}' is declared twice in model '{}'.", name, model.name),
                   where);
  error.with_variables({name});
  throw error;
}

/// A value that is a plain number must be a finite one.
NodeId finite_value(Pool& pool, Expr value, const std::string& name, const SourcePosition& where) {
  if (value.pool() == nullptr && !std::isfinite(value.value())) {
    ModelError error(
        ErrorCode::invalid_value,
        fmt::format("The value {} given for '{}' is not a finite number.", value.value(), name),
        where);
    error.with_variables({name});
    throw error;
  }
  return value.in(pool);
}

Variable make_variable(Pool& pool, std::string name, const VariableOptions& options) {
  const NodeId start =
      options.start ? finite_value(pool, *options.start, name, options.where) : no_node;
  return {.name = std::move(name),
          .start = start,
          .fixed = options.fixed,
          .nominal = std::abs(options.nominal),
          .min = options.min,
          .max = options.max,
          .unit = options.unit,
          .description = options.description,
          .type = options.type,
          .state_select = options.state_select,
          .causality = options.causality,
          .where = options.where};
}

Parameter make_parameter(std::string name, NodeId value, const ParameterOptions& options) {
  return {.name = std::move(name),
          .value = value,
          .unit = options.unit,
          .description = options.description,
          .type = options.type,
          .constant = options.constant,
          .fixed = options.fixed,
          .where = options.where};
}

[[noreturn]] void misuse(const std::string& text) {
  throw ModelError(ErrorCode::type_mismatch, text);
}

/// Parameters are numbers before a run begins. One that depends on a parameter that the initial
/// equations have to find is none: its definition takes its place wherever it is used.
void inline_dependent_parameters(Model::Data& model) {
  Pool& pool = *model.open_pool;
  const auto is_free = [](const Parameter& parameter) { return !parameter.fixed; };
  if (std::ranges::none_of(model.parameters, is_free)) return;
  LeafWalker walker(pool);
  std::vector<bool> is_open(model.parameters.size());
  for (std::size_t i = 0; i < is_open.size(); ++i) is_open[i] = is_free(model.parameters[i]);
  Rewriter rewriter(pool, pool);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < is_open.size(); ++i) {
      Parameter& parameter = model.parameters[i];
      if (is_open[i] || parameter.value == no_node) continue;
      const auto leaves = walker.leaves(parameter.value);
      is_open[i] = std::ranges::any_of(leaves, [&](NodeId leaf) {
        const Node node = pool[leaf];
        return node.op == Op::parameter && is_open[static_cast<std::size_t>(node.symbol)];
      });
      if (!is_open[i]) continue;
      changed = true;
      parameter.constant = true;  // another number could not reach its uses
      rewriter.define(pool.parameter(static_cast<SymbolId>(i)), parameter.value);
    }
  }
  for_each_dynamic_expression(model, [&](NodeId& node) { node = rewriter.rewrite(node); });
  for (auto* variables : {&model.variables, &model.discretes}) {
    for (Variable& variable : *variables) {
      if (variable.start != no_node) variable.start = rewriter.rewrite(variable.start);
    }
  }
}

}  // namespace

EventAction reinit(Expr variable, Expr value) {
  return {.kind = WhenAction::Kind::reinit, .target = variable, .value = value};
}

EventAction assign(Expr discrete, Expr value) {
  return {.kind = WhenAction::Kind::assign, .target = discrete, .value = value};
}

EventAction terminate(std::string message) {
  return {.kind = WhenAction::Kind::terminate, .message = std::move(message)};
}

EventAction call(EventCallback callback, std::vector<Expr> arguments) {
  return {.kind = WhenAction::Kind::call,
          .callback = std::move(callback),
          .arguments = std::move(arguments)};
}

ModelBuilder::ModelBuilder(std::string name, std::string description)
    : data_(std::make_unique<Model::Data>()) {
  data_->name = std::move(name);
  data_->description = std::move(description);
  data_->open_pool = std::make_shared<Pool>();
  data_->pool = data_->open_pool;
}

ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

Model::Data& ModelBuilder::data() const {
  if (!data_) {
    throw ModelError(ErrorCode::invalid_option,
                     "This model is built already; a new model needs a new ModelBuilder.");
  }
  return *data_;
}

Pool& ModelBuilder::pool() {
  return *data().open_pool;
}

Expr ModelBuilder::variable(const std::string& name, const VariableOptions& options) {
  const auto id = static_cast<SymbolId>(data().variables.size());
  claim_name(data(), name, options.where);
  data().variables.push_back(make_variable(pool(), name, options));
  return {pool(), pool().variable(id)};
}

Expr ModelBuilder::discrete(const std::string& name, const VariableOptions& options) {
  const auto id = static_cast<SymbolId>(data().discretes.size());
  claim_name(data(), name, options.where);
  data().discretes.push_back(make_variable(pool(), name, options));
  return {pool(), pool().discrete(id)};
}

Expr ModelBuilder::input(const std::string& name, VariableOptions options) {
  options.causality = Causality::input;
  return options.type == ValueType::real ? variable(name, options) : discrete(name, options);
}

Expr ModelBuilder::parameter(const std::string& name, Expr value, const ParameterOptions& options) {
  const Expr leaf = parameter(name, options);
  set_parameter(leaf, value);
  return leaf;
}

Expr ModelBuilder::parameter(const std::string& name, const ParameterOptions& options) {
  const auto id = static_cast<SymbolId>(data().parameters.size());
  claim_name(data(), name, options.where);
  data().parameters.push_back(make_parameter(name, no_node, options));
  return {pool(), pool().parameter(id)};
}

Expr ModelBuilder::time() {
  return {pool(), pool().time()};
}

Expr ModelBuilder::final_value(Expr variable) {
  const Node node = pool()[variable.in(pool())];
  if (node.op == Op::variable && node.order == 0) {
    return {pool(), pool().final_variable(node.symbol)};
  }
  misuse("final_value() takes a continuous variable, not an expression.");
}

Expr ModelBuilder::sample(Expr start, Expr interval) {
  const auto id = static_cast<SymbolId>(data().samplers.size());
  data().samplers.push_back({.start = start.in(pool()), .interval = interval.in(pool())});
  return {pool(), pool().sample(id)};
}

Expr ModelBuilder::delay(Expr variable, double seconds) {
  return delayed({*this, data()}, variable, seconds);
}

Expr ModelBuilder::delay(Expr variable, Expr seconds, double longest) {
  return delayed({*this, data()}, variable, seconds, longest);
}

std::pair<Expr, Expr> ModelBuilder::transport(const Transport& flow) {
  return transported({*this, data()}, flow);
}

void ModelBuilder::declare(Expr variable, const VariableOptions& options) {
  const Node& node = pool()[variable.in(pool())];
  const bool is_variable = node.op == Op::variable && node.order == 0;
  if (!is_variable && node.op != Op::discrete) {
    misuse("Only a variable can be redeclared, not an expression.");
  }
  auto& list = is_variable ? data().variables : data().discretes;
  Variable& old = list[node.symbol];
  old = make_variable(pool(), old.name, options);
}

void ModelBuilder::set_start(Expr variable, Expr start) {
  const Node node = pool()[variable.in(pool())];
  const bool is_variable = node.op == Op::variable && node.order == 0;
  if (!is_variable && node.op != Op::discrete) misuse("Only a variable has a start value.");
  auto& list = is_variable ? data().variables : data().discretes;
  Variable& target = list[node.symbol];
  target.start = finite_value(pool(), start, target.name, target.where);
}

void ModelBuilder::set_parameter(Expr parameter, Expr value) {
  const Node& node = pool()[parameter.in(pool())];
  if (node.op != Op::parameter) misuse("Only a parameter can be given a value.");
  // Making the value may move the pool's nodes: `symbol` is read before.
  const auto symbol = static_cast<std::size_t>(node.symbol);
  Parameter& target = data().parameters[symbol];
  target.value = finite_value(pool(), value, target.name, target.where);
}

void ModelBuilder::make_constant(Expr parameter) {
  const Node& node = pool()[parameter.in(pool())];
  if (node.op != Op::parameter) misuse("Only a parameter can be made constant.");
  data().parameters[node.symbol].constant = true;
  data().parameters[node.symbol].fixed = true;
}

void ModelBuilder::equation(const Equality& equation, std::string name, SourcePosition where) {
  data().equations.push_back(
      {equation.lhs.in(pool()), equation.rhs.in(pool()), std::move(name), std::move(where)});
}

void ModelBuilder::initial_equation(const Equality& equation, std::string name,
                                    SourcePosition where) {
  data().initial_equations.push_back(
      {equation.lhs.in(pool()), equation.rhs.in(pool()), std::move(name), std::move(where)});
}

void ModelBuilder::boundary_equation(const Equality& equation, std::string name,
                                     SourcePosition where) {
  const NodeId sides[2] = {equation.lhs.in(pool()), equation.rhs.in(pool())};
  LeafWalker walker(pool());
  const auto leaves = walker.leaves(sides);
  const bool knows_end = std::any_of(leaves.begin(), leaves.end(), [this](NodeId leaf) {
    return pool()[leaf].op == Op::final_variable;
  });
  auto& list = knows_end ? data().boundary_equations : data().initial_equations;
  list.push_back({sides[0], sides[1], std::move(name), std::move(where)});
}

void ModelBuilder::discrete_equation(Expr discrete, Expr value, SourcePosition where) {
  const Node& node = pool()[discrete.in(pool())];
  if (node.op != Op::discrete) {
    misuse("A discrete equation assigns a discrete variable, not an expression.");
  }
  const SymbolId symbol = node.symbol;
  data().discrete_equations.push_back({symbol, value.in(pool()), std::move(where)});
}

void ModelBuilder::when(WhenClause clause) {
  data().when_clauses.push_back(std::move(clause));
}

void ModelBuilder::when(Expr condition, const std::vector<EventAction>& actions) {
  when(WhenClause{});
  else_when(condition, actions);
}

void ModelBuilder::else_when(Expr condition, const std::vector<EventAction>& actions) {
  if (data().when_clauses.empty()) misuse("else_when() must follow a when().");
  WhenBranch branch{.condition = condition.in(pool())};
  if (is_number(data(), pool(), branch.condition)) {
    misuse("The condition of a when-clause must be a relation, such as h < 0, and not a number.");
  }
  for (const EventAction& action : actions) {
    WhenAction made{.kind = action.kind, .message = action.message, .callback = action.callback};
    const bool is_reinit = action.kind == WhenAction::Kind::reinit;
    if (is_reinit || action.kind == WhenAction::Kind::assign) {
      const Node target = pool()[action.target.in(pool())];
      const bool fits =
          is_reinit ? target.op == Op::variable && target.order == 0 : target.op == Op::discrete;
      if (!fits) {
        misuse(is_reinit ? "reinit() takes a continuous variable; assign() is for discrete ones."
                         : "assign() takes a discrete variable; reinit() is for continuous ones.");
      }
      made.target = target.symbol;
    }
    if (action.kind == WhenAction::Kind::call) {
      if (!action.callback) misuse("call() needs a function.");
      for (const Expr& argument : action.arguments) made.arguments.push_back(argument.in(pool()));
    } else {
      made.value = action.value.in(pool());
    }
    branch.actions.push_back(std::move(made));
  }
  data().when_clauses.back().branches.push_back(std::move(branch));
}

void ModelBuilder::assertion(Assertion assertion) {
  data().assertions.push_back(std::move(assertion));
}

void ModelBuilder::experiment(const Experiment& experiment) {
  data().experiment = experiment;
}

void ModelBuilder::energy(Expr energy) {
  data().energy = energy.in(pool());
}

Model ModelBuilder::build() {
  check_declarations(data());
  check_when_clauses(data());
  check_discrete_assignments(data());
  find_inputs(data());
  check_balance(data());
  inline_dependent_parameters(data());
  data_->open_pool->freeze();
  data_->open_pool.reset();
  data_->names.clear();
  return Model(std::shared_ptr<const Model::Data>(std::move(data_)));
}

}  // namespace daedal
