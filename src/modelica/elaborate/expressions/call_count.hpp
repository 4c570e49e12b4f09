// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How many functions one call executes, counted in the text before anything is expanded: functions
/// that call each other twice, level by level, double it with every level. And whether some of them
/// are not in the text.

#include <unordered_map>

#include "modelica/elaborate/class_table.hpp"

namespace daedal::modelica {

class CallCount {
 public:
  CallCount(const Ast& ast, const ClassTable& classes) : ast_(ast), classes_(classes) {}

  /// Executions that a call of `function` leads to, its own among them. Loops count as one round:
  /// what they repeat is counted while they are unrolled.
  double of(ClassId function) { return count(function).n; }
  /// Whether a call leads to functions of a library that are not defined, or written in another
  /// language.
  bool leads_outside(ClassId function) { return count(function).leads_outside; }

 private:
  struct Count {
    double n = 0.0;
    bool leads_outside = false;
    Count& operator+=(const Count& other);
  };
  const Count& count(ClassId function);
  Count of_statement(StatementId id);
  Count of_expression(ExprId id);

  const Ast& ast_;
  const ClassTable& classes_;
  std::unordered_map<ClassId, Count> known_;
};

}  // namespace daedal::modelica
