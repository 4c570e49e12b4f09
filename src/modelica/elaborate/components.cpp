// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "expr/calculus.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/equations.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/scope.hpp"

namespace daedal::modelica {

namespace {

bool is_reserved(const std::string& name) {
  return name == "time" || name == "der" || name == "Real" || name == "Integer" ||
         name == "Boolean" || name == "String";
}

ValueType value_type(Type type) {
  if (type == Type::boolean) return ValueType::boolean;
  return type == Type::real ? ValueType::real : ValueType::integer;
}

}  // namespace

void Components::collect(const ClassDefinition& model, AssignedNames assigned_in_when) {
  assigned_in_when_ = std::move(assigned_in_when);
  for (const Declaration* constant : use_.classes.constants()) file(*constant, true);
  for (const Declaration& declaration : model.declarations) {
    const std::string& name = context_.ast.text(declaration.name);
    if (!context_.pruning.variables.contains(name)) file(declaration, false);
  }
}

void Components::file(const Declaration& declaration, bool is_global) {
  const std::string& name = context_.ast.text(declaration.name);
  if (is_reserved(name)) {
    context_.diagnostics.report(ErrorCode::duplicate_name, declaration.where,
                                fmt::format("'{}' is a word of the language and cannot be "
                                            "declared.",
                                            name));
    return;
  }
  const auto [entry, is_new] = index_.emplace(name, components_.size());
  if (!is_new) {
    const Declaration& first = *components_[entry->second].declaration;
    context_.diagnostics.report(
        ErrorCode::duplicate_name, declaration.where,
        fmt::format("'{}' is declared twice: first on line {}, column {}, again here.", name,
                    first.where.line, first.where.column));
    return;
  }
  components_.push_back({.declaration = &declaration, .is_global = is_global});
  scattered_.file(name);
}

void Components::make_all() {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    try {
      make(i);
    } catch (const Abandon&) {
      components_[i].state = State::failed;
    }
  }
  for (std::size_t i = 0; i < components_.size(); ++i) {
    try {
      bind(i);
    } catch (const Abandon&) {
      components_[i].is_bound = true;
    }
  }
}

void Components::make(std::size_t index) {
  Component& component = components_[index];
  const Declaration& declaration = *component.declaration;
  if (component.state == State::made) return;
  if (component.state == State::failed) throw Abandon{};  // reported already
  if (component.state == State::being_made) {
    component.state = State::failed;
    context_.fail(ErrorCode::invalid_value, declaration.where,
                  fmt::format("The declaration of '{}' depends on itself.",
                              context_.ast.text(declaration.name)));
  }
  const Deeper deeper(context_, declaration.where);
  component.state = State::being_made;
  const Restored making(making_, index);
  try {
    make_now(component);
  } catch (const Abandon&) {
    component.state = State::failed;
    throw;
  } catch (const UndefinedFunction&) {
    component.state = State::declared;
    throw;
  }
  component.state = State::made;
}

ExprId Components::binding_of(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return none;
  return components_[found->second].declaration->binding;
}

void Components::make_now(Component& component) {
  const Scope::TopLevel top_level(use_.scope);
  const Declaration& declaration = *component.declaration;
  ComponentSpec spec{.declaration = &declaration,
                     .name = context_.ast.text(declaration.name),
                     .type = use_.classes.resolve(declaration.type, declaration.type_where),
                     .variability = declaration.variability,
                     .is_final = declaration.is_final};
  spec.modifiers.push_back(&declaration.modifiers);
  for (const Declaration* alias : spec.type.aliases) spec.modifiers.push_back(&alias->modifiers);
  spec.shape = shape_of(declaration, spec.type, declaration.binding);
  context_.claim_elements(count(spec.shape), declaration.where);
  if (spec.type.type == Type::external) {
    // Only functions of another language make something of it, and those refuse for themselves.
    component.value = {
        .type = Type::external, .definition = spec.type.definition, .strings = {spec.name}};
    component.is_bound = true;
    return;
  }
  if (spec.variability == Variability::constant) {
    component.value = make_constant(spec, component.is_global);
    component.is_bound = true;
    return;
  }
  component.value = create(spec);
  attributes_.forget();
  if (declaration.binding != none) {
    component.bindings.push_back(
        {component.value, declaration.binding, declaration.where, spec.name});
  }
}

Shape Components::shape_of(const Declaration& declaration, const ResolvedType& type,
                           ExprId binding) {
  std::vector<ExprId> dimensions = declaration.dimensions;
  for (const Declaration* alias : type.aliases) {
    dimensions.insert(dimensions.end(), alias->dimensions.begin(), alias->dimensions.end());
  }
  Shape shape;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (context_.ast.expr(dimensions[d]).kind != ExprKind::colon) {
      shape.push_back(use_.expressions.size_of_dimension(dimensions[d]));
      continue;
    }
    const Value value = binding == none ? Value{} : use_.expressions.evaluate(binding);
    if (value.shape.size() <= d) {
      context_.fail(ErrorCode::type_mismatch, context_.ast.expr(dimensions[d]).where,
                    fmt::format("The size ':' of '{}' must follow from its binding equation.",
                                context_.ast.text(declaration.name)));
    }
    shape.push_back(value.shape[d]);
  }
  std::int64_t total = 1;
  for (const std::int64_t length : shape) {
    total *= length;
    // Checked factor by factor, so that the product cannot overflow.
    if (total > context_.options.max_elements) {
      context_.claim_elements(total, declaration.where);
    }
  }
  return shape;
}

Value Components::make_constant(const ComponentSpec& spec, bool is_global) {
  const Declaration& declaration = *spec.declaration;
  if (declaration.binding == none) {
    context_.fail(ErrorCode::invalid_value, declaration.where,
                  fmt::format("The constant '{}' has no value.", spec.name));
  }
  Value value = use_.expressions.conform(
      use_.expressions.evaluate(declaration.binding),
      {.type = spec.type.type, .definition = spec.type.definition, .shape = spec.shape},
      context_.ast.expr(declaration.binding).where, fmt::format("constant '{}'", spec.name));
  if (is_global || value.nodes.empty()) return value;
  for (std::size_t i = 0; i < n_elements(spec.shape); ++i) {
    const NodeId leaf = create_parameter(spec, spec.name + subscript_text(spec.shape, i), i);
    const NodeId node = value.nodes[i];
    context_.builder.set_parameter({context_.pool, leaf}, {context_.pool, node});
  }
  return value;
}

bool Components::is_discrete(const ComponentSpec& spec) const {
  if (spec.type.type != Type::real || spec.variability == Variability::discrete) return true;
  return assigned_in_when_.contains(spec.name);
}

Value Components::create(const ComponentSpec& spec) {
  if (spec.type.type == Type::record) return create_record(spec);
  Value value{.type = spec.type.type, .definition = spec.type.definition, .shape = spec.shape};
  const std::size_t n = n_elements(spec.shape);
  if (spec.type.type == Type::string) {
    // Strings take no part in the mathematics; a parameter's text serves comparisons and messages.
    const ExprId binding = spec.declaration->binding;
    if (spec.variability == Variability::parameter && binding != none) {
      return use_.expressions.conform(use_.expressions.evaluate(binding), value,
                                      spec.declaration->where,
                                      fmt::format("parameter '{}'", spec.name));
    }
    value.strings.resize(n);
    return value;
  }
  attributes_.check(spec);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string name = spec.name + subscript_text(spec.shape, i);
    value.nodes.push_back(spec.variability == Variability::parameter
                              ? create_parameter(spec, name, i)
                              : create_variable(spec, name, i));
  }
  return value;
}

Value Components::create_record(const ComponentSpec& spec) {
  if (spec.shape.empty()) return create_fields(spec, spec.name);
  Value array{.type = Type::record, .definition = spec.type.definition, .shape = spec.shape};
  for (std::size_t i = 0; i < n_elements(spec.shape); ++i) {
    array.parts.push_back(create_fields(spec, spec.name + subscript_text(spec.shape, i)));
  }
  return array;
}

Value Components::create_fields(const ComponentSpec& spec, const std::string& name) {
  const Deeper deeper(context_, spec.declaration->where);
  const Ast& ast = context_.ast;
  Value record{.type = Type::record, .definition = spec.type.definition};
  for (const Declaration& field : ast.definition(spec.type.definition).declarations) {
    ComponentSpec inner{.declaration = &field,
                        .name = name + '.' + ast.text(field.name),
                        .type = use_.classes.resolve(field.type, field.type_where),
                        .variability = std::max(spec.variability, field.variability),
                        .is_final = spec.is_final || field.is_final};
    ExprId binding = spec.declaration->binding == none ? field.binding : none;
    for (const std::vector<Modifier>* modifiers : spec.modifiers) {
      for (const Modifier& modifier : *modifiers) {
        if (modifier.name != field.name) continue;
        inner.modifiers.push_back(&modifier.children);
        if (modifier.value != none) binding = modifier.value;
      }
    }
    inner.modifiers.push_back(&field.modifiers);
    for (const Declaration* alias : inner.type.aliases)
      inner.modifiers.push_back(&alias->modifiers);
    inner.shape = shape_of(field, inner.type, binding);
    context_.claim_elements(count(inner.shape), field.where);
    if (inner.variability == Variability::constant) inner.variability = Variability::parameter;
    record.parts.push_back(create(inner));
    if (binding != none && inner.type.type != Type::string) {
      components_[making_].bindings.push_back(
          {record.parts.back(), binding, spec.declaration->where, inner.name});
    }
  }
  return record;
}

std::string Components::description_of(const ComponentSpec& spec) const {
  const TextId description = spec.declaration->description;
  return description == none ? std::string() : context_.ast.text(description);
}

NodeId Components::create_variable(const ComponentSpec& spec, const std::string& name,
                                   std::size_t i) {
  const bool is_fixed = attributes_.read_fixed(spec, i, false);
  VariableOptions options{
      .start = is_fixed ? attributes_.read_start(spec, i) : attributes_.read_guess(spec, i),
      .fixed = is_fixed,
      .description = description_of(spec),
      .type = value_type(spec.type.type),
      .state_select = attributes_.read_state_select(spec, i),
      .causality = components_[making_].declaration->causality,
      .where = context_.diagnostics.source(spec.declaration->where)};
  attributes_.read_number(spec, "nominal", i, options.nominal);
  attributes_.read_number(spec, "min", i, options.min);
  attributes_.read_number(spec, "max", i, options.max);
  attributes_.read_text(spec, "unit", i, options.unit);
  if (is_discrete(spec)) {
    return use_.discretes.declare(name, options, spec.declaration->where);
  }
  variable_names_.push_back(name);
  const NodeId leaf = context_.builder.variable(name, options).in(context_.pool);
  if (options.causality == Causality::input) inputs_.insert(leaf);
  if (options.start) {
    starts_.emplace(leaf, options.start->in(context_.pool));
    start_uses_.push_back(
        {spec.name, spec.declaration->where, options.start->in(context_.pool), is_fixed});
  }
  return leaf;
}

NodeId Components::given_value(const ComponentSpec& spec, const std::string& name) const {
  const auto given = context_.options.parameters.find(name);
  if (given == context_.options.parameters.end() || spec.is_final ||
      spec.variability == Variability::constant) {
    return no_node;
  }
  const double value = given->second;
  const bool fits = spec.type.type == Type::real || value == std::round(value);
  const bool is_truth = spec.type.type != Type::boolean || value == 0.0 || value == 1.0;
  if (!fits || !is_truth) {
    context_.fail(ErrorCode::invalid_value, spec.declaration->where,
                  fmt::format("The parameter '{}' is declared as {}, and {} is given.", name,
                              type_name(spec.type.type), value));
  }
  return context_.pool.constant(value);
}

NodeId Components::create_parameter(const ComponentSpec& spec, const std::string& name,
                                    std::size_t i) {
  const bool fixed = attributes_.read_fixed(spec, i, true);
  ParameterOptions options{.description = description_of(spec),
                           .type = value_type(spec.type.type),
                           .constant = spec.is_final || spec.variability == Variability::constant,
                           .fixed = fixed,
                           .where = context_.diagnostics.source(spec.declaration->where)};
  attributes_.read_text(spec, "unit", i, options.unit);
  const Expr leaf = context_.builder.parameter(name, options);
  const NodeId id = leaf.in(context_.pool);
  ParameterPlace place{.component = making_, .is_free = !fixed};
  if (const NodeId given = given_value(spec, name); fixed && given != no_node) {
    context_.builder.set_parameter(leaf, {context_.pool, given});
    place.value = given;
    place.is_given = true;
    parameters_[id] = place;
    return id;
  }
  const std::optional<Expr> start = attributes_.read_start(spec, i);
  // The start value stands in for a missing value, as Modelica tools do it.
  if (start && (spec.declaration->binding == none || !fixed)) {
    context_.builder.set_parameter(leaf, *start);
    if (fixed) {
      place.value = start->in(context_.pool);
      context_.diagnostics.warn(
          ErrorCode::invalid_value, spec.declaration->where,
          fmt::format("The parameter '{}' has no value; its start value is used.", name));
    }
  }
  parameters_[id] = place;
  return id;
}

void Components::bind(std::size_t index) {
  make(index);
  Component& component = components_[index];
  if (std::exchange(component.is_bound, true)) return;
  const Scope::TopLevel top_level(use_.scope);
  for (const Binding& binding : component.bindings) {
    if (component.declaration->variability == Variability::parameter) {
      bind_parameter(binding);
    } else {
      use_.equations.add_binding({binding.target, binding.expression, binding.where, binding.name});
    }
  }
}

void Components::bind_parameter(const Binding& binding) {
  try {
    const Restored defer(context_.defer_undefined, true);
    bind_parameter_now(binding);
  } catch (const UndefinedFunction& undefined) {
    undefined_.push_back({.leaves = leaves(binding.target),
                          .name = binding.name,
                          .where = binding.where,
                          .call = undefined.where,
                          .message = undefined.message});
  }
}

void Components::bind_parameter_now(const Binding& binding) {
  const Value value = use_.expressions.conform(
      use_.expressions.evaluate(binding.expression), binding.target,
      context_.ast.expr(binding.expression).where, fmt::format("parameter '{}'", binding.name));
  set_parameters(binding.target, value);
}

void Components::set_parameters(const Value& target, const Value& value) {
  for (std::size_t i = 0; i < target.parts.size(); ++i) {
    set_parameters(target.parts[i], value.parts[i]);
  }
  for (std::size_t i = 0; i < target.nodes.size(); ++i) {
    ParameterPlace& place = parameters_[target.nodes[i]];
    if (place.is_given) continue;
    context_.builder.set_parameter({context_.pool, target.nodes[i]},
                                   {context_.pool, value.nodes[i]});
    if (!place.is_free) place.value = value.nodes[i];
  }
}

std::vector<Components::ParameterUse> Components::parameter_uses() const {
  std::vector<ParameterUse> uses;
  for (const Component& component : components_) {
    if (component.declaration->variability != Variability::parameter) continue;
    ParameterUse use{.name = context_.ast.text(component.declaration->name),
                     .where = component.declaration->where,
                     .leaves = leaves(component.value)};
    for (const NodeId leaf : use.leaves) {
      const auto place = parameters_.find(leaf);
      if (place != parameters_.end() && place->second.value != no_node)
        use.values.push_back(place->second.value);
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<std::pair<std::string, std::vector<NodeId>>> Components::variable_uses() const {
  std::vector<std::pair<std::string, std::vector<NodeId>>> uses;
  for (const Component& component : components_) {
    const Variability variability = component.declaration->variability;
    if (variability == Variability::parameter || variability == Variability::constant) continue;
    std::vector<NodeId> scalars = leaves(component.value);
    if (scalars.empty()) continue;
    uses.emplace_back(context_.ast.text(component.declaration->name), std::move(scalars));
  }
  return uses;
}

NodeId Components::parameter_value(NodeId parameter) {
  const auto found = parameters_.find(parameter);
  if (found == parameters_.end()) return no_node;
  const std::size_t component = found->second.component;
  // A component that is still being made binds its parameters afterwards.
  if (components_[component].state == State::made) bind(component);
  return parameters_.at(parameter).value;
}

NodeId Components::add_variable(const std::string& name, const VariableOptions& options) {
  variable_names_.push_back(name);
  return context_.builder.variable(name, options).in(context_.pool);
}

bool Components::define_free(NodeId parameter, NodeId value) {
  const auto place = parameters_.find(parameter);
  if (place == parameters_.end() || !place->second.is_free) return false;
  // Everything that the value depends on, through the definitions of parameters.
  std::vector<NodeId> open = dependencies(context_.pool, std::span(&value, 1));
  std::unordered_set<NodeId> seen;
  while (!open.empty()) {
    const NodeId leaf = open.back();
    open.pop_back();
    if (context_.pool[leaf].op != Op::parameter || leaf == parameter) return false;
    const NodeId definition = seen.insert(leaf).second ? parameter_value(leaf) : no_node;
    if (definition == no_node) continue;
    const std::vector<NodeId> next = dependencies(context_.pool, std::span(&definition, 1));
    open.insert(open.end(), next.begin(), next.end());
  }
  ParameterPlace& known = parameters_.at(parameter);
  known.is_free = false;
  known.value = value;
  context_.builder.set_parameter({context_.pool, parameter}, {context_.pool, value});
  context_.builder.make_constant({context_.pool, parameter});
  return true;
}

const Value* Components::find(const std::string& name) {
  const auto found = index_.find(name);
  if (found == index_.end()) return nullptr;
  make(found->second);
  return &components_[found->second].value;
}

const Value* Components::lookup(const std::string& name) {
  const Value* found = find(name);
  return found != nullptr ? found : scattered_.gather(name);
}

std::vector<const Value*> Components::all_with_prefix(const std::string& prefix) {
  std::vector<const Value*> values;
  for (const std::string& name : scattered_.with_prefix(prefix)) values.push_back(find(name));
  return values;
}

bool Components::is_global(const std::string& name) const {
  const auto found = index_.find(name);
  return found != index_.end() && components_[found->second].is_global;
}

std::vector<std::string> Components::names() const {
  std::vector<std::string> all;
  for (const Component& component : components_) {
    all.push_back(context_.ast.text(component.declaration->name));
  }
  return all;
}

}  // namespace daedal::modelica
