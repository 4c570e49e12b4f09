// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <daedal/nearest_name.hpp>

#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

namespace {

const std::array<std::string, 12> attribute_names = {
    "start",    "fixed",       "nominal",     "min",       "max",       "unit",
    "quantity", "displayUnit", "stateSelect", "unbounded", "uncertain", "__Daedal"};

}  // namespace

void Attributes::check(const ComponentSpec& spec) const {
  for (const std::vector<Modifier>* modifiers : spec.modifiers) {
    for (const Modifier& modifier : *modifiers) {
      const std::string& name = context_.ast.text(modifier.name);
      if (std::find(attribute_names.begin(), attribute_names.end(), name) !=
          attribute_names.end()) {
        continue;
      }
      const std::string nearest = nearest_name(name, attribute_names);
      context_.fail(
          ErrorCode::unknown_name, modifier.where,
          fmt::format("A {} has no attribute '{}'.{}", type_name(spec.type.type), name,
                      nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
    }
  }
}

const Modifier* Attributes::find(const ComponentSpec& spec, std::string_view name) const {
  for (const std::vector<Modifier>* modifiers : spec.modifiers) {
    for (const Modifier& modifier : *modifiers) {
      if (modifier.value != none && context_.ast.text(modifier.name) == name) return &modifier;
    }
  }
  return nullptr;
}

Value Attributes::value(const ComponentSpec& spec, const Modifier& modifier, std::size_t i) {
  auto known = values_.find(&modifier);
  if (known == values_.end()) {
    known = values_.emplace(&modifier, expressions_.evaluate(modifier.value)).first;
  }
  const Value& given = known->second;
  if (given.is_scalar()) return given;  // with or without `each`
  if (given.shape != spec.shape) {
    context_.fail(
        ErrorCode::type_mismatch, modifier.where,
        fmt::format("The attribute '{}' has size {}, but '{}' {}.",
                    context_.ast.text(modifier.name), to_string(given.shape), spec.name,
                    spec.shape.empty() ? "is a scalar" : "has size " + to_string(spec.shape)));
  }
  return element(given, i);
}

void Attributes::read_number(const ComponentSpec& spec, std::string_view name, std::size_t i,
                             double& target) {
  const Modifier* modifier = find(spec, name);
  if (modifier == nullptr) return;
  const Value given = value(spec, *modifier, i);
  std::optional<double> number;
  if (given.nodes.size() == 1) number = structure_.peek(given.node());
  if (!number) {
    context_.fail(ErrorCode::type_mismatch, modifier->where,
                  fmt::format("The attribute '{}' must be a number known before the run.", name));
  }
  target = *number;
}

void Attributes::read_text(const ComponentSpec& spec, std::string_view name, std::size_t i,
                           std::string& target) {
  const Modifier* modifier = find(spec, name);
  if (modifier == nullptr) return;
  const Value given = value(spec, *modifier, i);
  if (given.type != Type::string) {
    context_.fail(
        ErrorCode::type_mismatch, modifier->where,
        fmt::format("The attribute '{}' must be a String, not {}.", name, describe(given)));
  }
  target = given.strings.front();
}

bool Attributes::read_fixed(const ComponentSpec& spec, std::size_t i, bool otherwise) {
  const Modifier* modifier = find(spec, "fixed");
  if (modifier == nullptr) return otherwise;
  const Value given = value(spec, *modifier, i);
  const std::optional<double> number =
      given.type == Type::boolean ? structure_.fix(given.node()) : std::nullopt;
  if (!number) {
    context_.fail(ErrorCode::type_mismatch, modifier->where,
                  "The attribute 'fixed' must be true or false.");
  }
  return *number != 0.0;
}

std::optional<Expr> Attributes::read_start(const ComponentSpec& spec, std::size_t i) {
  const Modifier* modifier = find(spec, "start");
  if (modifier == nullptr) return std::nullopt;
  const Value start = expressions_.conform(
      value(spec, *modifier, i), {.type = spec.type.type, .definition = spec.type.definition},
      modifier->where, fmt::format("attribute 'start' of '{}'", spec.name));
  return Expr(context_.pool, start.node());
}

std::optional<Expr> Attributes::read_guess(const ComponentSpec& spec, std::size_t i) {
  if (context_.pruning.starts.contains(spec.name)) return std::nullopt;
  try {
    const Restored defer(context_.defer_undefined, true);
    return read_start(spec, i);
  } catch (const UndefinedFunction& undefined) {
    context_.diagnostics.warn(ErrorCode::unknown_name, undefined.where,
                              fmt::format("The start value of '{}', a guess, is left out. {}",
                                          spec.name, undefined.message));
    context_.pruning.starts.insert(spec.name);
    return std::nullopt;
  }
}

StateSelect Attributes::read_state_select(const ComponentSpec& spec, std::size_t i) {
  const Modifier* modifier = find(spec, "stateSelect");
  if (modifier == nullptr) return StateSelect::standard;
  const Value given = value(spec, *modifier, i);
  const std::optional<double> number =
      given.type == Type::enumeration ? structure_.fix(given.node()) : std::nullopt;
  if (!number || *number < 1.0 || *number > 5.0) {
    context_.fail(ErrorCode::type_mismatch, modifier->where,
                  "The attribute 'stateSelect' must be StateSelect.never, avoid, default, "
                  "prefer or always.");
  }
  return static_cast<StateSelect>(static_cast<int>(*number) - 1);
}

}  // namespace daedal::modelica
