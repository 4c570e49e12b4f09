// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/elaborator.hpp"

#include <fmt/format.h>

namespace daedal::modelica {

bool Elaborator::run(Pruning& pruning) {
  const ClassDefinition& model = context.ast.definition(classes.model());
  components.skipped = pruning.variables;
  components.skipped_starts = pruning.starts;
  equations.skipped = pruning.equations;
  components.collect(model);
  equations.collect_assigned(model);
  components.make_all();
  equations.read(model);
  read_experiment(model);
  pruning.starts = components.skipped_starts;
  if (!components.undefined().empty()) {
    prune_undefined_parameters(*this, pruning);
    return false;
  }
  if (!equations.undefined().empty()) {
    prune_undefined(*this, pruning);
    return false;
  }
  equations.finish();
  return true;
}

void Elaborator::read_experiment(const ClassDefinition& model) {
  Experiment experiment;
  for (const Modifier& modifier : model.experiment) {
    const std::string& name = context.ast.text(modifier.name);
    std::optional<double>* target = nullptr;
    if (name == "StartTime") target = &experiment.start_time;
    if (name == "StopTime") target = &experiment.stop_time;
    if (name == "Tolerance") target = &experiment.tolerance;
    if (name == "Interval") target = &experiment.interval;
    if (target == nullptr || modifier.value == none) continue;  // other tools' settings
    try {
      *target = structure.peek(expressions.number(modifier.value, name));
      if (!*target) {
        context.diagnostics.report(ErrorCode::invalid_value, modifier.where,
                                   fmt::format("'{}' must be a number.", name));
      }
    } catch (const Abandon&) {
      // Reported.
    }
  }
  context.builder.experiment(experiment);
}

}  // namespace daedal::modelica
