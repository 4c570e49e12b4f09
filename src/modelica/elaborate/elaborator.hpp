// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From the syntax tree to the model. The parts know each other through this hub, because the
/// language is circular: sizes need parameters, parameters need expressions, expressions need
/// declarations and functions.

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations.hpp"
#include "modelica/elaborate/expressions.hpp"
#include "modelica/elaborate/functions.hpp"
#include "modelica/elaborate/operators.hpp"
#include "modelica/elaborate/pruning.hpp"
#include "modelica/elaborate/structural_parameters.hpp"
#include "modelica/library/builtins.hpp"
#include "modelica/library/tables.hpp"

namespace daedal::modelica {

class Elaborator {
 public:
  Elaborator(Context& shared, Library& definitions)
      : context(shared),
        classes(definitions),
        components(*this),
        structure(*this),
        operators(shared),
        expressions(*this),
        builtins(*this),
        functions(*this),
        tables(*this),
        equations(*this) {}

  /// Fills the builder with the model of the library. Mistakes are in the diagnostics. False:
  /// `pruning` has grown, and the work must be done anew with it.
  bool run(Pruning& pruning);

  Context& context;
  Library& classes;
  Components components;
  Structure structure;
  Operators operators;
  Expressions expressions;
  Builtins builtins;
  Functions functions;
  Tables tables;
  Equations equations;

 private:
  void read_experiment(const ClassDefinition& model);
};

}  // namespace daedal::modelica
