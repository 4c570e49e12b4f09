// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The definitions of a text: functions, records, types and enumerations by name, the model, and
/// the constants of the package around it.

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "modelica/diagnostics.hpp"
#include "modelica/elaborate/expressions/value.hpp"
#include "modelica/syntax/ast.hpp"

namespace daedal::modelica {

/// A type name resolved through its aliases.
struct ResolvedType {
  Type type = Type::real;
  ClassId definition = none;
  /// The alias definitions passed, outermost first: their modifiers and dimensions apply.
  std::vector<const Declaration*> aliases{};
};

class ClassTable {
 public:
  ClassTable(const Ast& ast, Diagnostics& diagnostics) : ast_(ast), diagnostics_(diagnostics) {}

  /// Files every definition. Reports names defined twice, and a text with no model or several.
  void collect();

  /// The model to build; none if the text has none.
  [[nodiscard]] ClassId model() const { return model_; }
  /// The constants of the packages.
  [[nodiscard]] const std::vector<const Declaration*>& constants() const { return constants_; }
  /// The definition of that kind and name, or none.
  [[nodiscard]] ClassId find(ClassKind kind, const std::string& name) const;
  /// The function of that name, or else one of the library that the text does not define and whose
  /// name, or the end of it, this is; none if there is neither.
  [[nodiscard]] ClassId find_function(const std::string& name) const;
  /// Does it stand in for a definition that the text lacks?
  [[nodiscard]] bool is_stand_in(ClassId id) const { return stand_ins_.contains(id); }
  /// What a type name means. Fails with unknown_name.
  [[nodiscard]] ResolvedType resolve(TextId name, Position where) const;
  /// The number of an enumeration's literal, from 1; 0 if it has none of that name.
  [[nodiscard]] int literal(ClassId enumeration, const std::string& name) const;
  [[nodiscard]] std::vector<std::string> function_names() const;

 private:
  void file(ClassId id);
  void file_model(ClassId id);

  const Ast& ast_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, ClassId> definitions_;
  std::unordered_set<ClassId> stand_ins_;
  std::vector<const Declaration*> constants_;
  ClassId model_ = none;
};

}  // namespace daedal::modelica
