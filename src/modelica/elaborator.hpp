// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From the syntax tree to the model. The parts know each other through this hub, because the
/// language is circular: sizes need parameters, parameters need expressions, expressions need
/// declarations and functions.

#include "modelica/builtins.hpp"
#include "modelica/components.hpp"
#include "modelica/context.hpp"
#include "modelica/equations.hpp"
#include "modelica/expressions.hpp"
#include "modelica/functions.hpp"
#include "modelica/library.hpp"
#include "modelica/operators.hpp"
#include "modelica/pruning.hpp"
#include "modelica/structure.hpp"
#include "modelica/tables.hpp"

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
