// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/elaborator.hpp"

#include <fmt/format.h>

#include "modelica/elaborate/pruning.hpp"

namespace daedal::modelica {

// The members of a part refer to parts that are not there yet; nothing is called before run().
Elaborator::Elaborator(Context& context, const ClassTable& classes)
    : context_(context),
      classes_(classes),
      scope_(context),
      structure_(context,
                 [this](NodeId parameter) { return components_.parameter_value(parameter); }),
      operators_(context),
      discretes_(context, structure_),
      components_(context, classes, scope_, structure_, expressions_, discretes_, equations_),
      references_(context, classes, components_, scope_, structure_, operators_, expressions_),
      expressions_(context, classes, components_, scope_, structure_, operators_, references_,
                   functions_),
      tables_(context, structure_, functions_),
      functions_(context, classes, components_, scope_, expressions_, execution_, tables_,
                 {context, structure_, operators_, discretes_}),
      assertions_(context, structure_, expressions_),
      execution_(context, scope_, structure_, operators_, references_, expressions_, functions_,
                 assertions_),
      equations_(context, components_, scope_, structure_, expressions_, functions_, execution_,
                 discretes_, assertions_) {}

bool Elaborator::run() {
  const ClassDefinition& model = context_.ast.definition(classes_.model());
  components_.collect(model, names_assigned_in_when(context_.ast, model));
  components_.make_all();
  equations_.read(model);
  read_experiment(model);
  if (!components_.undefined().empty()) {
    prune_undefined_parameters(context_, components_, equations_);
    return false;
  }
  if (!equations_.undefined().empty()) {
    prune_undefined(context_, components_, equations_);
    return false;
  }
  equations_.finish();
  return true;
}

void Elaborator::read_experiment(const ClassDefinition& model) {
  Experiment experiment;
  for (const Modifier& modifier : model.experiment) {
    const std::string& name = context_.ast.text(modifier.name);
    std::optional<double>* target = nullptr;
    if (name == "StartTime") target = &experiment.start_time;
    if (name == "StopTime") target = &experiment.stop_time;
    if (name == "Tolerance") target = &experiment.tolerance;
    if (name == "Interval") target = &experiment.interval;
    if (target == nullptr || modifier.value == none) continue;  // other tools' settings
    try {
      *target = structure_.peek(expressions_.number(modifier.value, name));
      if (!*target) {
        context_.diagnostics.report(ErrorCode::invalid_value, modifier.where,
                                    fmt::format("'{}' must be a number.", name));
      }
    } catch (const Abandon&) {
      // Reported.
    }
  }
  context_.builder.experiment(experiment);
}

}  // namespace daedal::modelica
