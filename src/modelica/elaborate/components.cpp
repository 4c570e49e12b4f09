// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

/// 'a.r[1,2]' → 'a.r'; "" if the name does not end with a bracket.
std::string name_before_bracket(const std::string& name) {
  if (name.size() < 4 || name.back() != ']') return {};
  const std::size_t open = name.rfind('[');
  return open == std::string::npos ? std::string() : name.substr(0, open);
}

bool is_reserved(const std::string& name) {
  return name == "time" || name == "der" || name == "Real" || name == "Integer" ||
         name == "Boolean" || name == "String";
}

}  // namespace

void Components::collect(const ClassDefinition& model) {
  for (const Declaration* constant : hub_.classes.constants()) file(*constant, true);
  for (const Declaration& declaration : model.declarations) {
    if (!skipped.contains(hub_.context.ast.text(declaration.name))) file(declaration, false);
  }
}

void Components::file(const Declaration& declaration, bool is_global) {
  const std::string& name = hub_.context.ast.text(declaration.name);
  if (is_reserved(name)) {
    hub_.context.diagnostics.report(ErrorCode::duplicate_name, declaration.where,
                                    fmt::format("'{}' is a word of the language and cannot be "
                                                "declared.",
                                                name));
    return;
  }
  const auto index = static_cast<std::int32_t>(components_.size());
  const auto [entry, is_new] = index_.emplace(name, index);
  if (!is_new) {
    const Declaration& first = *components_[static_cast<std::size_t>(entry->second)].declaration;
    hub_.context.diagnostics.report(
        ErrorCode::duplicate_name, declaration.where,
        fmt::format("'{}' is declared twice: first on line {}, column {}, again here.", name,
                    first.where.line, first.where.column));
    return;
  }
  components_.push_back({.declaration = &declaration, .is_global = is_global});
  file_scattered(name);
}

void Components::file_scattered(const std::string& name) {
  const std::string base = name_before_bracket(name);
  if (!base.empty()) scattered_[base].push_back(name);
}

void Components::make_all() {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    try {
      make(static_cast<std::int32_t>(i));
    } catch (const Abandon&) {
      components_[i].state = State::failed;
    }
  }
  for (std::size_t i = 0; i < components_.size(); ++i) {
    try {
      bind(static_cast<std::int32_t>(i));
    } catch (const Abandon&) {
      components_[i].is_bound = true;
    }
  }
}

void Components::make(std::int32_t index) {
  Component& component = components_[static_cast<std::size_t>(index)];
  const Declaration& declaration = *component.declaration;
  if (component.state == State::made) return;
  if (component.state == State::failed) throw Abandon{};  // reported already
  if (component.state == State::being_made) {
    component.state = State::failed;
    hub_.context.fail(ErrorCode::invalid_value, declaration.where,
                      fmt::format("The declaration of '{}' depends on itself.",
                                  hub_.context.ast.text(declaration.name)));
  }
  const Deeper deeper(hub_.context, declaration.where);
  component.state = State::being_made;
  const std::int32_t outer = std::exchange(making_, index);
  try {
    make_now(component);
  } catch (const Abandon&) {
    component.state = State::failed;
    making_ = outer;
    throw;
  }
  making_ = outer;
  component.state = State::made;
}

ExprId Components::binding_of(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return none;
  return components_[static_cast<std::size_t>(found->second)].declaration->binding;
}

void Components::make_now(Component& component) {
  const Expressions::TopLevel top_level(hub_.expressions);
  const Declaration& declaration = *component.declaration;
  ComponentSpec spec{.declaration = &declaration,
                     .name = hub_.context.ast.text(declaration.name),
                     .type = hub_.classes.resolve(declaration.type, declaration.type_where),
                     .variability = declaration.variability,
                     .is_final = declaration.is_final};
  spec.modifiers.push_back(&declaration.modifiers);
  for (const Declaration* alias : spec.type.aliases) spec.modifiers.push_back(&alias->modifiers);
  spec.shape = shape_of(declaration, spec.type, declaration.binding);
  hub_.context.claim_elements(count(spec.shape), declaration.where);
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
  attribute_values_.clear();
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
    if (hub_.context.ast.expr(dimensions[d]).kind != ExprKind::colon) {
      shape.push_back(hub_.expressions.size_of_dimension(dimensions[d]));
      continue;
    }
    const Value value = binding == none ? Value{} : hub_.expressions.evaluate(binding);
    if (value.shape.size() <= d) {
      hub_.context.fail(ErrorCode::type_mismatch, hub_.context.ast.expr(dimensions[d]).where,
                        fmt::format("The size ':' of '{}' must follow from its binding equation.",
                                    hub_.context.ast.text(declaration.name)));
    }
    shape.push_back(value.shape[d]);
  }
  std::int64_t total = 1;
  for (const std::int64_t length : shape) {
    total *= length;
    // Checked factor by factor, so that the product cannot overflow.
    if (total > hub_.context.options.max_elements) {
      hub_.context.claim_elements(total, declaration.where);
    }
  }
  return shape;
}

Value Components::make_constant(const ComponentSpec& spec, bool is_global) {
  const Declaration& declaration = *spec.declaration;
  if (declaration.binding == none) {
    hub_.context.fail(ErrorCode::invalid_value, declaration.where,
                      fmt::format("The constant '{}' has no value.", spec.name));
  }
  Value value = hub_.expressions.conform(
      hub_.expressions.evaluate(declaration.binding),
      {.type = spec.type.type, .definition = spec.type.definition, .shape = spec.shape},
      hub_.context.ast.expr(declaration.binding).where, fmt::format("constant '{}'", spec.name));
  if (is_global || value.nodes.empty()) return value;
  for (std::int64_t i = 0; i < count(spec.shape); ++i) {
    const NodeId leaf = create_parameter(spec, spec.name + subscript_text(spec.shape, i), i);
    const NodeId node = value.nodes[static_cast<std::size_t>(i)];
    hub_.context.builder.set_parameter({hub_.context.pool, leaf}, {hub_.context.pool, node});
  }
  return value;
}

void Components::bind(std::int32_t index) {
  make(index);
  Component& component = components_[static_cast<std::size_t>(index)];
  if (std::exchange(component.is_bound, true)) return;
  const Expressions::TopLevel top_level(hub_.expressions);
  for (const Binding& binding : component.bindings) {
    if (component.declaration->variability == Variability::parameter) {
      bind_parameter(binding);
    } else {
      hub_.equations.add_binding({binding.target, binding.expression, binding.where, binding.name});
    }
  }
}

void Components::bind_parameter(const Binding& binding) {
  try {
    const Restored defer(hub_.functions.defer_undefined, true);
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
  const Value value = hub_.expressions.conform(
      hub_.expressions.evaluate(binding.expression), binding.target,
      hub_.context.ast.expr(binding.expression).where, fmt::format("parameter '{}'", binding.name));
  set_parameters(binding.target, value);
}

void Components::set_parameters(const Value& target, const Value& value) {
  for (std::size_t i = 0; i < target.parts.size(); ++i) {
    set_parameters(target.parts[i], value.parts[i]);
  }
  for (std::size_t i = 0; i < target.nodes.size(); ++i) {
    hub_.context.builder.set_parameter({hub_.context.pool, target.nodes[i]},
                                       {hub_.context.pool, value.nodes[i]});
    ParameterPlace& place = parameters_[target.nodes[i]];
    if (!place.is_free) place.value = value.nodes[i];
  }
}

std::vector<Components::ParameterUse> Components::parameter_uses() const {
  std::vector<ParameterUse> uses;
  for (const Component& component : components_) {
    if (component.declaration->variability != Variability::parameter) continue;
    ParameterUse use{.name = hub_.context.ast.text(component.declaration->name),
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

NodeId Components::parameter_value(NodeId parameter) {
  const auto found = parameters_.find(parameter);
  if (found == parameters_.end()) return no_node;
  const std::int32_t component = found->second.component;
  // A component that is still being made binds its parameters afterwards.
  if (components_[static_cast<std::size_t>(component)].state == State::made) bind(component);
  return parameters_.at(parameter).value;
}

const Value* Components::find(const std::string& name) {
  const auto found = index_.find(name);
  if (found == index_.end()) return nullptr;
  make(found->second);
  return &components_[static_cast<std::size_t>(found->second)].value;
}

bool Components::is_global(const std::string& name) const {
  const auto found = index_.find(name);
  return found != index_.end() && components_[static_cast<std::size_t>(found->second)].is_global;
}

bool Components::has_prefix(const std::string& prefix) const {
  if (sorted_names_.size() != index_.size()) {
    sorted_names_.clear();
    for (const auto& entry : index_) sorted_names_.push_back(entry.first);
    std::sort(sorted_names_.begin(), sorted_names_.end());
  }
  const auto first = std::lower_bound(sorted_names_.begin(), sorted_names_.end(), prefix);
  return first != sorted_names_.end() && first->starts_with(prefix);
}

std::vector<std::string> Components::names() const {
  std::vector<std::string> all;
  for (const Component& component : components_) {
    all.push_back(hub_.context.ast.text(component.declaration->name));
  }
  return all;
}

}  // namespace daedal::modelica
