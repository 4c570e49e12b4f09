// SPDX-License-Identifier: BSD-3-Clause
#include "model/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <unordered_set>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "model/model_data.hpp"

namespace daedal {

namespace {

[[noreturn]] void fail_unknown(const Model& model, const std::string& name) {
  std::vector<std::string> candidates;
  for (const Variable& variable : model.variables()) candidates.push_back(variable.name);
  for (const Variable& variable : model.discretes()) candidates.push_back(variable.name);
  const auto is_element = [&](const std::string& other) { return other.starts_with(name + "["); };
  if (const auto first = std::ranges::find_if(candidates, is_element); first != candidates.end()) {
    throw ModelError(
        ErrorCode::unknown_name,
        fmt::format("'{}' is an array: give its elements one by one, '{}' first.", name, *first));
  }
  const std::string nearest = nearest_name(name, candidates);
  throw ModelError(ErrorCode::unknown_name,
                   fmt::format("Model '{}' has no variable '{}'.{}", model.name(), name,
                               nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
}

/// A parameter that no model text can name.
NodeId add_parameter(Model::Data& data, Pool& pool, const std::string& name) {
  data.parameters.push_back({.name = fmt::format("$start({})", name), .value = pool.constant(0.0)});
  return pool.parameter(static_cast<SymbolId>(data.parameters.size() - 1));
}

Model finish(std::shared_ptr<Model::Data> data, std::shared_ptr<Pool> pool) {
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

bool has_kink(Op op) {
  return op == Op::abs || op == Op::min || op == Op::max;
}

/// The node, whose arguments have no kink any more, without one. Relations are read by their ids.
NodeId switched_at_kink(Pool& pool, NodeId id, const Node& node) {
  if (is_relation(node.op)) return id;
  if (!has_kink(node.op)) return rebuild(pool, id, node);
  const bool is_abs = node.op == Op::abs;
  const Op op = node.op == Op::min ? Op::less : Op::greater;
  const NodeId bound = is_abs ? pool.constant(0.0) : node.b;
  const NodeId other = is_abs ? pool.neg(node.a) : node.b;
  return pool.if_else(pool.relation(op, node.a, bound), node.a, other);
}

/// Arguments up to which exponentials are exact: this where half of the way is gone, and at its end
/// more than a double has an exponential of.
constexpr double gradual_half_way = 10.0;
constexpr double gradual_end = 1e-4;

/// Replaces exponentials of variables by ones that `share` of a way has reached.
class GradualExponentials {
 public:
  GradualExponentials(Pool& pool, NodeId share) : pool_(pool) {
    const NodeId rest = pool.sub(pool.constant(1.0 + gradual_end), share);
    bound_ = pool.div(pool.mul(pool.constant(gradual_half_way), share), rest);
  }

  [[nodiscard]] bool has_found() const { return has_found_; }

  /// Relations are read by their ids.
  NodeId operator()(NodeId id, const Node& node) {
    if (is_relation(node.op)) return id;
    const auto parts = arguments(node);
    const bool varies = node.op == Op::variable || std::ranges::any_of(parts, [&](NodeId part) {
                          return varying_.contains(part);
                        });
    const NodeId result = varies ? replaced(id, node) : rebuild(pool_, id, node);
    if (varies) varying_.insert(result);
    return result;
  }

 private:
  NodeId replaced(NodeId id, const Node& node) {
    if (node.op != Op::exp && node.op != Op::sinh && node.op != Op::cosh)
      return rebuild(pool_, id, node);
    has_found_ = true;
    if (node.op == Op::exp) return exponential(node.a);
    const NodeId other = exponential(pool_.neg(node.a));
    const NodeId both =
        pool_.binary(node.op == Op::cosh ? Op::add : Op::sub, exponential(node.a), other);
    return pool_.mul(pool_.constant(0.5), both);
  }

  NodeId exponential(NodeId a) {
    const NodeId inside =
        pool_.binary(Op::max, pool_.binary(Op::min, a, bound_), pool_.neg(bound_));
    const NodeId beyond = pool_.sub(a, inside);
    return pool_.mul(pool_.unary(Op::exp, inside), pool_.add(pool_.constant(1.0), beyond));
  }

  Pool& pool_;
  NodeId bound_ = no_node;
  std::unordered_set<NodeId> varying_;
  bool has_found_ = false;
};

}  // namespace

std::optional<Model> with_gradual_exponentials(const Model& model) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  auto share = std::ranges::find(data->parameters, homotopy_parameter, &Parameter::name);
  if (share == data->parameters.end()) {
    data->parameters.push_back(
        {.name = std::string(homotopy_parameter), .value = pool->constant(1.0)});
    share = data->parameters.end() - 1;
  }
  GradualExponentials exponentials(
      *pool, pool->parameter(static_cast<SymbolId>(share - data->parameters.begin())));
  for (auto* equations : {&data->equations, &data->initial_equations}) {
    for (Equation& equation : *equations) {
      const auto sides = rewrite(*pool, std::array{equation.lhs, equation.rhs}, exponentials);
      equation.lhs = sides[0];
      equation.rhs = sides[1];
    }
  }
  if (!exponentials.has_found()) return std::nullopt;
  return finish(std::move(data), std::move(pool));
}

Model with_guesses(const Model& model, std::span<const double> values) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (std::size_t j = 0; j < data->variables.size(); ++j)
    if (!data->variables[j].fixed) data->variables[j].start = pool->constant(values[j]);
  return finish(std::move(data), std::move(pool));
}

std::optional<Model> with_events_at_kinks(
    const Model& model, const std::function<const std::vector<Index>&()>& orders) {
  const Pool& all = *model.pool();
  std::vector<bool> has(to_size(all.size()));  // by node: a kink in it
  for (NodeId id = 0; id < all.size(); ++id) {
    has[id] = has_kink(all[id].op);
    for (const NodeId argument : arguments(all[id]))
      if (argument != no_node && has[argument]) has[id] = true;
  }
  std::vector<std::size_t> kinked;
  for (std::size_t e = 0; e < model.equations().size(); ++e)
    if (has[model.equations()[e].lhs] || has[model.equations()[e].rhs]) kinked.push_back(e);
  if (kinked.empty()) return std::nullopt;
  const std::vector<Index>& order = orders();
  std::erase_if(kinked, [&](std::size_t e) { return order.empty() || order[e] == 0; });
  if (kinked.empty()) return std::nullopt;
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (const std::size_t e : kinked) {
    Equation& equation = data->equations[e];
    const auto sides =
        rewrite(*pool, std::array{equation.lhs, equation.rhs},
                [&](NodeId id, const Node& node) { return switched_at_kink(*pool, id, node); });
    equation.lhs = sides[0];
    equation.rhs = sides[1];
  }
  return finish(std::move(data), std::move(pool));
}

std::optional<Model> softened(const Model& model) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  bool has_demands = false;
  for (Variable& variable : data->variables) {
    const StateSelect demanded = variable.state_select;
    if (demanded == StateSelect::always) variable.state_select = StateSelect::prefer;
    if (demanded == StateSelect::never) variable.state_select = StateSelect::avoid;
    has_demands = has_demands || variable.state_select != demanded;
  }
  if (!has_demands) return std::nullopt;
  return Model(std::move(data));
}

std::optional<Model> with_derivatives_of_states(const Model& model) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  std::vector<NodeId> roots;
  for (const Equation& equation : data->equations) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  std::vector<bool> is_differentiated(data->variables.size(), false);
  for (const NodeId leaf : dependencies(*pool, roots)) {
    const Node& node = (*pool)[leaf];
    if (node.op == Op::variable && node.order > 0)
      is_differentiated[static_cast<std::size_t>(node.symbol)] = true;
  }
  for (std::size_t i = 0; i < is_differentiated.size(); ++i) {
    const StateSelect select = data->variables[i].state_select;
    const bool is_wanted = select == StateSelect::always || select == StateSelect::prefer;
    if (!is_wanted || is_differentiated[i]) continue;
    const auto added = static_cast<SymbolId>(data->variables.size());
    data->equations.push_back(
        {.lhs = pool->variable(static_cast<SymbolId>(i), 1), .rhs = pool->variable(added)});
    data->variables.push_back({.name = fmt::format("$der({})", data->variables[i].name)});
  }
  if (data->variables.size() == is_differentiated.size()) return std::nullopt;
  return finish(std::move(data), std::move(pool));
}

Model with_start_parameters(const Model& model, std::span<const std::string> names) {
  if (names.empty()) return model;
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (const std::string& name : names) {
    const auto found = find_symbol(*data, name);
    if (!found || found->kind == Op::parameter) fail_unknown(model, name);
    auto& list = found->kind == Op::variable ? data->variables : data->discretes;
    Variable& variable = list[static_cast<std::size_t>(found->id)];
    variable.start = add_parameter(*data, *pool, name);
    variable.fixed = true;
  }
  return finish(std::move(data), std::move(pool));
}

Model with_restart_parameters(const Model& model) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  auto pool = std::make_shared<Pool>(model.pool());
  for (Variable& variable : data->variables) {
    variable.start = add_parameter(*data, *pool, variable.name);
    variable.fixed = false;
  }
  // Parameters that the initial equations determined have their numbers now. They could not be
  // found again from simplified equations.
  for (Parameter& parameter : data->parameters) {
    parameter.fixed = true;
    if (parameter.name == homotopy_parameter) parameter.name += "(over)";
  }
  data->initial_equations.clear();
  return finish(std::move(data), std::move(pool));
}

bool has_delays(const Model& model) {
  return std::ranges::any_of(model.schedules(),
                             [](const auto& rows) { return !rows->past.signal.empty(); });
}

bool can_restart(const Model& model) {
  if (has_delays(model)) return false;
  // Discrete variables that follow a schedule do not depend on what came before.
  std::size_t n_scheduled = 0;
  for (const auto& schedule : model.schedules()) n_scheduled += schedule->discretes.size();
  return model.discretes().size() == n_scheduled && model.when_clauses().empty() &&
         model.samplers().empty();
}

}  // namespace daedal
