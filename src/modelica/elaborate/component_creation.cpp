// SPDX-License-Identifier: BSD-3-Clause
/// Components become variables, discrete variables and parameters of the model.

#include <fmt/format.h>

#include <algorithm>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

ValueType value_type(Type type) {
  if (type == Type::boolean) return ValueType::boolean;
  return type == Type::real ? ValueType::real : ValueType::integer;
}

}  // namespace

bool Components::is_discrete(const ComponentSpec& spec) const {
  if (spec.type.type != Type::real || spec.variability == Variability::discrete) return true;
  if (assigned_in_when.contains(spec.name)) return true;
  const std::size_t bracket = spec.name.rfind('[');
  return bracket != std::string::npos && assigned_in_when.contains(spec.name.substr(0, bracket));
}

Value Components::create(const ComponentSpec& spec) {
  if (spec.type.type == Type::record) return create_record(spec);
  Value value{.type = spec.type.type, .definition = spec.type.definition, .shape = spec.shape};
  const std::int64_t n = count(spec.shape);
  if (spec.type.type == Type::string) {
    // Strings take no part in the mathematics; a parameter's text serves comparisons and messages.
    const ExprId binding = spec.declaration->binding;
    if (spec.variability == Variability::parameter && binding != none) {
      return hub_.expressions.conform(hub_.expressions.evaluate(binding), value,
                                      spec.declaration->where,
                                      fmt::format("parameter '{}'", spec.name));
    }
    value.strings.resize(static_cast<std::size_t>(n));
    return value;
  }
  check_attributes(spec);
  for (std::int64_t i = 0; i < n; ++i) {
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
  for (std::int64_t i = 0; i < count(spec.shape); ++i) {
    array.parts.push_back(create_fields(spec, spec.name + subscript_text(spec.shape, i)));
  }
  return array;
}

Value Components::create_fields(const ComponentSpec& spec, const std::string& name) {
  const Deeper deeper(hub_.context, spec.declaration->where);
  const Ast& ast = hub_.context.ast;
  Value record{.type = Type::record, .definition = spec.type.definition};
  for (const Declaration& field : ast.definition(spec.type.definition).declarations) {
    ComponentSpec inner{.declaration = &field,
                        .name = name + '.' + ast.text(field.name),
                        .type = hub_.classes.resolve(field.type, field.type_where),
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
    hub_.context.claim_elements(count(inner.shape), field.where);
    if (inner.variability == Variability::constant) inner.variability = Variability::parameter;
    record.parts.push_back(create(inner));
    if (binding != none && inner.type.type != Type::string) {
      components_[static_cast<std::size_t>(making_)].bindings.push_back(
          {record.parts.back(), binding, spec.declaration->where, inner.name});
    }
  }
  return record;
}

NodeId Components::create_variable(const ComponentSpec& spec, const std::string& name,
                                   std::int64_t i) {
  const bool is_fixed = read_fixed(spec, i, false);
  VariableOptions options{.start = is_fixed ? read_start(spec, i) : read_guess(spec, i),
                          .fixed = is_fixed,
                          .type = value_type(spec.type.type),
                          .state_select = read_state_select(spec, i),
                          .where = hub_.context.diagnostics.source(spec.declaration->where)};
  read_number(spec, "nominal", i, options.nominal);
  read_number(spec, "min", i, options.min);
  read_number(spec, "max", i, options.max);
  read_text(spec, "unit", i, options.unit);
  if (spec.declaration->description != none) {
    options.description = hub_.context.ast.text(spec.declaration->description);
  }
  if (is_discrete(spec)) {
    discretes_.push_back({name, spec.declaration->where});
    return hub_.context.builder.discrete(name, options).in(hub_.context.pool);
  }
  variable_names_.push_back(name);
  const NodeId leaf = hub_.context.builder.variable(name, options).in(hub_.context.pool);
  if (options.start) {
    starts_.emplace(leaf, options.start->in(hub_.context.pool));
    start_uses_.push_back(
        {spec.name, spec.declaration->where, options.start->in(hub_.context.pool), is_fixed});
  }
  return leaf;
}

NodeId Components::create_parameter(const ComponentSpec& spec, const std::string& name,
                                    std::int64_t i) {
  const bool fixed = read_fixed(spec, i, true);
  ParameterOptions options{.type = value_type(spec.type.type),
                           .constant = spec.is_final || spec.variability == Variability::constant,
                           .fixed = fixed,
                           .where = hub_.context.diagnostics.source(spec.declaration->where)};
  read_text(spec, "unit", i, options.unit);
  if (spec.declaration->description != none) {
    options.description = hub_.context.ast.text(spec.declaration->description);
  }
  const Expr leaf = hub_.context.builder.parameter(name, options);
  const NodeId id = leaf.in(hub_.context.pool);
  ParameterPlace place{.component = making_, .is_free = !fixed};
  const std::optional<Expr> start = read_start(spec, i);
  // The start value stands in for a missing value, as Modelica tools do it.
  if (start && (spec.declaration->binding == none || !fixed)) {
    hub_.context.builder.set_parameter(leaf, *start);
    if (fixed) {
      place.value = start->in(hub_.context.pool);
      hub_.context.diagnostics.warn(
          ErrorCode::invalid_value, spec.declaration->where,
          fmt::format("The parameter '{}' has no value; its start value is used.", name));
    }
  }
  parameters_[id] = place;
  return id;
}

NodeId Components::add_hidden_discrete(std::string_view purpose, Type type, double start,
                                       Position where) {
  const std::string name = fmt::format("${}{}", purpose, ++n_hidden_);
  discretes_.push_back({.where = where});
  return hub_.context.builder
      .discrete(name, {.start = Expr(start),
                       .fixed = true,
                       .type = value_type(type),
                       .where = hub_.context.diagnostics.source(where)})
      .in(hub_.context.pool);
}

}  // namespace daedal::modelica
