// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/model.hpp>
#include <daedal/nearest_name.hpp>
#include <unordered_map>

#include "core/types.hpp"
#include "model/labels.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"

namespace daedal {

namespace {

/// More names are looked up in a table.
constexpr std::size_t few_names = 16;

/// A model that was never built is an empty one.
const Model::Data& empty_model() {
  static const Model::Data empty = [] {
    Model::Data data;
    auto pool = std::make_shared<Pool>();
    pool->freeze();
    data.pool = std::move(pool);
    return data;
  }();
  return empty;
}

const Model::Data& read(const std::shared_ptr<const Model::Data>& data) {
  return data ? *data : empty_model();
}

// Numbers of parameters. Every parameter's value is an expression of other parameters, in any
// order; rewriting them with the overridden ones bound to constants lets the pool fold each to a
// number, and meets a circle of definitions where there is one.

[[noreturn]] void fail(ErrorCode code, const Parameter& parameter, const std::string& text) {
  ModelError error(code, text, parameter.where);
  error.with_variables({parameter.name});
  throw error;
}

[[noreturn]] void fail_unknown(const Model::Data& model, const std::string& name) {
  for (const ModelInput& input : model.inputs) {
    const auto& variables = input.is_discrete ? model.discretes : model.variables;
    if (variables[static_cast<std::size_t>(input.variable)].name != name) continue;
    throw ModelError(ErrorCode::unknown_name,
                     fmt::format("'{0}' is an input of model '{1}', not a parameter: give it by "
                                 "-i {0}=..., or by with_inputs() in C++.",
                                 name, model.name));
  }
  if (find_symbol(model, name)) {
    throw ModelError(ErrorCode::unknown_name,
                     fmt::format("'{}' is a variable of model '{}', not a parameter. Give it a "
                                 "start value instead.",
                                 name, model.name));
  }
  std::vector<std::string> candidates;
  for (const Parameter& parameter : model.parameters) candidates.push_back(parameter.name);
  const std::string nearest = nearest_name(name, candidates);
  const std::string hint =
      nearest.empty() ? std::string() : fmt::format(" Did you mean '{}'?", nearest);
  throw ModelError(ErrorCode::unknown_name,
                   fmt::format("Model '{}' has no parameter '{}'.{}", model.name, name, hint));
}

void check_override(const Parameter& parameter, double value) {
  if (parameter.constant) {
    fail(ErrorCode::invalid_value, parameter,
         fmt::format(
             "'{}' is a constant and cannot be overridden. Where sizes, loops or if-equations "
             "depend on it, its value is given when the text is read.",
             parameter.name));
  }
  if (!std::isfinite(value)) {
    fail(ErrorCode::invalid_value, parameter,
         fmt::format("The value given for parameter '{}' is not a finite number.", parameter.name));
  }
  if (parameter.type == ValueType::integer && value != std::round(value)) {
    fail(ErrorCode::invalid_value, parameter,
         fmt::format("Parameter '{}' is an Integer, but {} was given.", parameter.name, value));
  }
  if (parameter.type == ValueType::boolean && value != 0.0 && value != 1.0) {
    fail(ErrorCode::invalid_value, parameter,
         fmt::format("Parameter '{}' is a Boolean: give 1 (true) or 0 (false), not {}.",
                     parameter.name, value));
  }
}

[[noreturn]] void fail_cycle(const Model::Data& model, const std::vector<NodeId>& cycle) {
  std::vector<std::string> names;
  for (const NodeId leaf : cycle) {
    names.push_back(model.parameters[(*model.pool)[leaf].symbol].name);
  }
  std::string circle;
  for (const std::string& name : names) circle += fmt::format("'{}' -> ", name);
  ModelError error(ErrorCode::invalid_value,
                   fmt::format("The values of parameters depend on each other in a circle: {}'{}'.",
                               circle, names.front()));
  error.with_variables(names);
  throw error;
}

double number_of(const Model::Data& model, const Parameter& parameter, const Node& node) {
  if (node.op == Op::parameter) {
    const Parameter& other = model.parameters[node.symbol];
    fail(ErrorCode::invalid_value, other,
         fmt::format("Parameter '{}' has no value. Give one in the model or when it is solved.",
                     other.name));
  }
  if (node.op != Op::constant || !std::isfinite(node.value)) {
    fail(ErrorCode::invalid_value, parameter,
         fmt::format("The value of parameter '{}'{} is not a finite number.", parameter.name,
                     place_suffix(parameter.where)));
  }
  return node.value;
}

}  // namespace

const std::string& Model::name() const {
  return read(data_).name;
}
const std::string& Model::description() const {
  return read(data_).description;
}
const std::shared_ptr<const Pool>& Model::pool() const {
  return read(data_).pool;
}
std::span<const Variable> Model::variables() const {
  return read(data_).variables;
}
std::span<const Variable> Model::discretes() const {
  return read(data_).discretes;
}
std::span<const Parameter> Model::parameters() const {
  return read(data_).parameters;
}
std::span<const Equation> Model::equations() const {
  return read(data_).equations;
}
std::span<const Equation> Model::initial_equations() const {
  return read(data_).initial_equations;
}
std::span<const Equation> Model::boundary_equations() const {
  return read(data_).boundary_equations;
}
std::span<const DiscreteEquation> Model::discrete_equations() const {
  return read(data_).discrete_equations;
}
std::span<const WhenClause> Model::when_clauses() const {
  return read(data_).when_clauses;
}
std::span<const Assertion> Model::assertions() const {
  return read(data_).assertions;
}
std::span<const Sampler> Model::samplers() const {
  return read(data_).samplers;
}
std::span<const std::shared_ptr<const Schedule>> Model::schedules() const {
  return read(data_).schedules;
}
std::span<const ModelInput> Model::inputs() const {
  return read(data_).inputs;
}
const Variable& Model::variable_of(const ModelInput& input) const {
  const Data& data = read(data_);
  return (input.is_discrete ? data.discretes
                            : data.variables)[static_cast<std::size_t>(input.variable)];
}
const Experiment& Model::experiment() const {
  return read(data_).experiment;
}
NodeId Model::energy() const {
  return read(data_).energy;
}

std::vector<double> Model::parameter_values(const Overrides& overrides) const {
  if (!data_) {
    if (!overrides.empty()) fail_unknown(Data{}, overrides.begin()->first);
    return {};
  }
  const Data& model = *data_;
  Pool numbers(model.pool);
  std::vector<NodeId> leaves;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    leaves.push_back(numbers.parameter(static_cast<SymbolId>(i)));
  }
  Rewriter rewriter(numbers, numbers);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    if (parameter.value != no_node) {
      rewriter.define(leaves[i], parameter.value);
    } else if (!parameter.fixed) {
      rewriter.bind(leaves[i], numbers.constant(0.0));  // a guess, as for any unknown
    }
  }
  std::unordered_map<std::string_view, std::size_t> number;  // of parameters, where it pays
  for (std::size_t i = 0; overrides.size() > few_names && i < model.parameters.size(); ++i)
    number.emplace(model.parameters[i].name, i);
  const auto number_of_parameter = [&](const std::string& name) {
    if (number.empty())
      return to_size(std::ranges::find(model.parameters, name, &Parameter::name) -
                     model.parameters.begin());
    const auto found = number.find(name);
    return found == number.end() ? model.parameters.size() : found->second;
  };
  for (const auto& [name, value] : overrides) {
    const std::size_t i = number_of_parameter(name);
    if (i == model.parameters.size()) fail_unknown(model, name);
    check_override(model.parameters[i], value);
    rewriter.bind(leaves[i], numbers.constant(value));
  }
  std::vector<double> values;
  values.reserve(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const NodeId result = rewriter.rewrite(leaves[i]);
    if (result == no_node) fail_cycle(model, rewriter.cycle());
    values.push_back(number_of(model, model.parameters[i], numbers[result]));
  }
  return values;
}

std::vector<std::optional<double>> Model::start_values(const Overrides& overrides) const {
  const std::vector<double> parameters = parameter_values(overrides);
  Pool numbers(read(data_).pool);
  Rewriter rewriter(numbers, numbers);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    rewriter.bind(numbers.parameter(static_cast<SymbolId>(i)), numbers.constant(parameters[i]));
  }
  std::vector<std::optional<double>> values;
  for (const Variable& variable : variables()) {
    std::optional<double>& value = values.emplace_back();
    if (variable.start == no_node) continue;
    const Node start = numbers[rewriter.rewrite(variable.start)];
    if (start.op == Op::constant) value = start.value;
  }
  return values;
}

Model::Data copy_of(const Model& model) {
  const auto list = [](auto span) { return std::vector(span.begin(), span.end()); };
  Model::Data data{.name = model.name(),
                   .description = model.description(),
                   .open_pool = nullptr,
                   .pool = model.pool(),
                   .variables = list(model.variables()),
                   .discretes = list(model.discretes()),
                   .parameters = list(model.parameters()),
                   .equations = list(model.equations()),
                   .initial_equations = list(model.initial_equations()),
                   .boundary_equations = list(model.boundary_equations()),
                   .discrete_equations = list(model.discrete_equations()),
                   .when_clauses = list(model.when_clauses()),
                   .assertions = list(model.assertions()),
                   .samplers = list(model.samplers()),
                   .schedules = list(model.schedules()),
                   .inputs = list(model.inputs()),
                   .experiment = model.experiment(),
                   .energy = model.energy(),
                   .names = {}};
  return data;
}

std::optional<Symbol> find_symbol(const Model::Data& data, std::string_view name) {
  const auto find_in = [&](const auto& list, Op kind) -> std::optional<Symbol> {
    const auto found =
        std::ranges::find_if(list, [&](const auto& one) { return one.name == name; });
    if (found == list.end()) return std::nullopt;
    return Symbol{kind, static_cast<SymbolId>(found - list.begin())};
  };
  if (const auto found = find_in(data.variables, Op::variable)) return found;
  if (const auto found = find_in(data.discretes, Op::discrete)) return found;
  return find_in(data.parameters, Op::parameter);
}

}  // namespace daedal
