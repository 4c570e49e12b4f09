// SPDX-License-Identifier: BSD-3-Clause
/// Attributes of declarations: start, fixed, nominal, min, max, unit, stateSelect, ...

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <core/nearest_name.hpp>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

const std::array<std::string, 12> attribute_names = {
    "start",    "fixed",       "nominal",     "min",       "max",       "unit",
    "quantity", "displayUnit", "stateSelect", "unbounded", "uncertain", "__Daedal"};

}  // namespace

void Components::check_attributes(const ComponentSpec& spec) {
  for (const std::vector<Modifier>* modifiers : spec.modifiers) {
    for (const Modifier& modifier : *modifiers) {
      const std::string& name = hub_.context.ast.text(modifier.name);
      if (std::find(attribute_names.begin(), attribute_names.end(), name) !=
          attribute_names.end()) {
        continue;
      }
      const std::string nearest = nearest_name(name, attribute_names);
      hub_.context.fail(
          ErrorCode::unknown_name, modifier.where,
          fmt::format("A {} has no attribute '{}'.{}", type_name(spec.type.type), name,
                      nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
    }
  }
}

const Modifier* Components::attribute(const ComponentSpec& spec, std::string_view name) const {
  for (const std::vector<Modifier>* modifiers : spec.modifiers) {
    for (const Modifier& modifier : *modifiers) {
      if (modifier.value != none && hub_.context.ast.text(modifier.name) == name) return &modifier;
    }
  }
  return nullptr;
}

Value Components::attribute_value(const ComponentSpec& spec, const Modifier& modifier,
                                  std::int64_t i) {
  auto known = attribute_values_.find(&modifier);
  if (known == attribute_values_.end()) {
    known = attribute_values_.emplace(&modifier, hub_.expressions.evaluate(modifier.value)).first;
  }
  const Value& value = known->second;
  if (value.is_scalar()) return value;  // with or without `each`
  if (value.shape != spec.shape) {
    hub_.context.fail(
        ErrorCode::type_mismatch, modifier.where,
        fmt::format("The attribute '{}' has size {}, but '{}' {}.",
                    hub_.context.ast.text(modifier.name), to_string(value.shape), spec.name,
                    spec.shape.empty() ? "is a scalar" : "has size " + to_string(spec.shape)));
  }
  return element(value, i);
}

void Components::read_number(const ComponentSpec& spec, std::string_view name, std::int64_t i,
                             double& target) {
  const Modifier* modifier = attribute(spec, name);
  if (modifier == nullptr) return;
  const Value value = attribute_value(spec, *modifier, i);
  std::optional<double> number;
  if (value.nodes.size() == 1) number = hub_.structure.peek(value.node());
  if (!number) {
    hub_.context.fail(
        ErrorCode::type_mismatch, modifier->where,
        fmt::format("The attribute '{}' must be a number known before the run.", name));
  }
  target = *number;
}

void Components::read_text(const ComponentSpec& spec, std::string_view name, std::int64_t i,
                           std::string& target) {
  const Modifier* modifier = attribute(spec, name);
  if (modifier == nullptr) return;
  const Value value = attribute_value(spec, *modifier, i);
  if (value.type != Type::string) {
    hub_.context.fail(
        ErrorCode::type_mismatch, modifier->where,
        fmt::format("The attribute '{}' must be a String, not {}.", name, describe(value)));
  }
  target = value.strings.front();
}

bool Components::read_fixed(const ComponentSpec& spec, std::int64_t i, bool otherwise) {
  const Modifier* modifier = attribute(spec, "fixed");
  if (modifier == nullptr) return otherwise;
  const Value value = attribute_value(spec, *modifier, i);
  const std::optional<double> number =
      value.type == Type::boolean ? hub_.structure.fix(value.node()) : std::nullopt;
  if (!number) {
    hub_.context.fail(ErrorCode::type_mismatch, modifier->where,
                      "The attribute 'fixed' must be true or false.");
  }
  return *number != 0.0;
}

std::optional<Expr> Components::read_start(const ComponentSpec& spec, std::int64_t i) {
  const Modifier* modifier = attribute(spec, "start");
  if (modifier == nullptr) return std::nullopt;
  const Value value = hub_.expressions.conform(
      attribute_value(spec, *modifier, i),
      {.type = spec.type.type, .definition = spec.type.definition}, modifier->where,
      fmt::format("attribute 'start' of '{}'", spec.name));
  return Expr(hub_.context.pool, value.node());
}

/// A start value that is a guess only: the run can do without it.
std::optional<Expr> Components::read_guess(const ComponentSpec& spec, std::int64_t i) {
  if (skipped_starts.contains(spec.name)) return std::nullopt;
  try {
    const Restored defer(hub_.functions.defer_undefined, true);
    return read_start(spec, i);
  } catch (const UndefinedFunction& undefined) {
    hub_.context.diagnostics.warn(ErrorCode::unknown_name, undefined.where,
                                  fmt::format("The start value of '{}', a guess, is left out. {}",
                                              spec.name, undefined.message));
    skipped_starts.insert(spec.name);
    return std::nullopt;
  }
}

StateSelect Components::read_state_select(const ComponentSpec& spec, std::int64_t i) {
  const Modifier* modifier = attribute(spec, "stateSelect");
  if (modifier == nullptr) return StateSelect::standard;
  const Value value = attribute_value(spec, *modifier, i);
  const std::optional<double> number =
      value.type == Type::enumeration ? hub_.structure.fix(value.node()) : std::nullopt;
  if (!number || *number < 1.0 || *number > 5.0) {
    hub_.context.fail(ErrorCode::type_mismatch, modifier->where,
                      "The attribute 'stateSelect' must be StateSelect.never, avoid, default, "
                      "prefer or always.");
  }
  return static_cast<StateSelect>(static_cast<int>(*number) - 1);
}

}  // namespace daedal::modelica
