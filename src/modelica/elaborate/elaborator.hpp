// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From the syntax tree to the model. The language is circular: sizes need parameters, parameters
/// need expressions, expressions need declarations and functions. So the parts refer to each other;
/// each names in its constructor what it uses.

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/equations.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/references.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"
#include "modelica/elaborate/expressions/symbolic_execution.hpp"
#include "modelica/library/tables.hpp"

namespace daedal::modelica {

class Elaborator {
 public:
  Elaborator(Context& context, const ClassTable& classes);

  /// Fills the builder with the model of the class table. Mistakes are in the diagnostics. False:
  /// the context's pruning has grown, and the work must be done again with it.
  bool run();

 private:
  void read_experiment(const ClassDefinition& model);

  Context& context_;
  const ClassTable& classes_;
  Scope scope_;
  Structure structure_;
  Operators operators_;
  Discretes discretes_;
  Components components_;
  References references_;
  Expressions expressions_;
  Tables tables_;
  Functions functions_;
  Assertions assertions_;
  SymbolicExecution execution_;
  Equations equations_;
};

}  // namespace daedal::modelica
