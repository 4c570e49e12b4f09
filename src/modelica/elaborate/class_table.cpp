// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/class_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <daedal/nearest_name.hpp>
#include <utility>

namespace daedal::modelica {

namespace {

constexpr std::array built_in_types = {
    std::pair{"Real", Type::real}, std::pair{"Integer", Type::integer},
    std::pair{"Boolean", Type::boolean}, std::pair{"String", Type::string}};

}  // namespace

void ClassTable::collect() {
  for (const ClassId id : ast_.top_level) file(id);
  for (const ClassId id : ast_.prelude) {
    if (definitions_.emplace(ast_.text(ast_.definition(id).name), id).second) stand_ins_.insert(id);
  }
  if (model_ != none) return;
  for (const ClassDefinition& definition : ast_.classes) {
    if (definition.kind != ClassKind::model || !definition.partial) continue;
    diagnostics_.fail(ErrorCode::unsupported, *definition.partial,
                      fmt::format("The only model, '{}', is partial: it is there for others to "
                                  "complete and cannot be simulated itself.",
                                  ast_.text(definition.name)));
  }
  Position where{1, 1};
  if (!ast_.top_level.empty()) where = ast_.definition(ast_.top_level.front()).where;
  diagnostics_.fail(ErrorCode::syntax, where, "The text holds no model: expected 'model'.");
}

void ClassTable::file(ClassId id) {
  // Packages may hold packages; the parser has bounded the depth.
  const ClassDefinition& definition = ast_.definition(id);
  // No part of a flat text completes a partial definition.
  if (definition.partial) return;
  // The constructor and destructor of an external object cannot be called.
  if (definition.kind != ClassKind::external_object)
    for (const ClassId inner : definition.classes) file(inner);
  if (definition.kind == ClassKind::package) {
    for (const Declaration& declaration : definition.declarations) {
      constants_.push_back(&declaration);
    }
    return;
  }
  if (definition.kind == ClassKind::model) return file_model(id);
  const std::string& name = ast_.text(definition.name);
  const auto [entry, is_new] = definitions_.emplace(name, id);
  if (is_new) return;
  diagnostics_.report(ErrorCode::duplicate_name, definition.where,
                      fmt::format("'{}' is defined twice: first on line {}, again here.", name,
                                  ast_.definition(entry->second).where.line));
}

void ClassTable::file_model(ClassId id) {
  const ClassDefinition& definition = ast_.definition(id);
  if (model_ == none) {
    model_ = id;
    return;
  }
  diagnostics_.report(
      ErrorCode::unsupported, definition.where,
      fmt::format("A second model '{}': a text holds one flat model, and '{}' is there already.",
                  ast_.text(definition.name), ast_.text(ast_.definition(model_).name)));
}

ClassId ClassTable::find(ClassKind kind, const std::string& name) const {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return none;
  return ast_.definition(found->second).kind == kind ? found->second : none;
}

ClassId ClassTable::find_function(const std::string& name) const {
  const ClassId exact = find(ClassKind::function, name);
  for (std::size_t dot = name.find('.'); exact == none && dot != std::string::npos;
       dot = name.find('.', dot + 1)) {
    const ClassId tail = find(ClassKind::function, name.substr(dot + 1));
    if (stand_ins_.contains(tail)) return tail;
  }
  return exact;
}

ResolvedType ClassTable::resolve(TextId name, Position where) const {
  ResolvedType resolved;
  // An alias of an alias of ...: more steps than definitions means a circle.
  for (std::size_t step = 0; step <= definitions_.size(); ++step) {
    const std::string& text = ast_.text(name);
    for (const auto& [built_in, type] : built_in_types) {
      if (text != built_in) continue;
      resolved.type = type;
      return resolved;
    }
    if (text == "StateSelect" || text == "AssertionLevel") {
      resolved.type = Type::enumeration;
      return resolved;
    }
    const auto found = definitions_.find(text);
    if (found == definitions_.end()) {
      std::vector<std::string> known{"Real", "Integer", "Boolean", "String"};
      for (const auto& entry : definitions_) known.push_back(entry.first);
      std::sort(known.begin(), known.end());
      const std::string nearest = nearest_name(text, known);
      diagnostics_.fail(
          ErrorCode::unknown_name, where,
          fmt::format("There is no type '{}'.{}", text,
                      nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
    }
    const ClassDefinition& definition = ast_.definition(found->second);
    if (definition.kind == ClassKind::function) {
      diagnostics_.fail(ErrorCode::type_mismatch, where,
                        fmt::format("'{}' is a function, not a type.", text));
    }
    resolved.definition = found->second;
    if (definition.kind == ClassKind::external_object) {
      resolved.type = Type::external;
      return resolved;
    }
    if (definition.is_enumeration || definition.kind == ClassKind::record) {
      resolved.type = definition.is_enumeration ? Type::enumeration : Type::record;
      return resolved;
    }
    if (!definition.alias) break;
    resolved.aliases.push_back(&*definition.alias);
    name = definition.alias->type;
  }
  diagnostics_.fail(ErrorCode::unsupported, where,
                    fmt::format("The type '{}' does not lead to a number, a Boolean, a String, an "
                                "enumeration or a record.",
                                ast_.text(name)));
}

int ClassTable::literal(ClassId enumeration, const std::string& name) const {
  const auto& literals = ast_.definition(enumeration).literals;
  const auto found = std::find_if(literals.begin(), literals.end(), [&](const auto& candidate) {
    return ast_.text(candidate.name) == name;
  });
  return found == literals.end() ? 0 : static_cast<int>(found - literals.begin()) + 1;
}

std::vector<std::string> ClassTable::function_names() const {
  std::vector<std::string> names;
  for (const auto& [name, id] : definitions_) {
    if (ast_.definition(id).kind == ClassKind::function && !stand_ins_.contains(id))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace daedal::modelica
