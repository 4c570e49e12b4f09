// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How many functions one call executes, counted in the text before anything is expanded: functions
/// that call each other twice, level by level, double it with every level.

#include <unordered_map>

#include "modelica/elaborate/class_table.hpp"

namespace daedal::modelica {

class CallCount {
 public:
  CallCount(const Ast& ast, const ClassTable& classes) : ast_(ast), classes_(classes) {}

  /// Executions that a call of `function` leads to, its own among them. Loops count as one round:
  /// what they repeat is counted while they are unrolled.
  double of(ClassId function);

 private:
  double of_statement(StatementId id);
  double of_expression(ExprId id);

  const Ast& ast_;
  const ClassTable& classes_;
  std::unordered_map<ClassId, double> known_;
};

}  // namespace daedal::modelica
