// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <daedal/modelica.hpp>
#include <fstream>
#include <sstream>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/assertions.hpp"
#include "modelica/elaborate/equations/delays.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/equations.hpp"
#include "modelica/elaborate/equations/roots.hpp"
#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/operators.hpp"
#include "modelica/elaborate/expressions/references.hpp"
#include "modelica/elaborate/expressions/scope.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"
#include "modelica/elaborate/expressions/symbolic_execution.hpp"
#include "modelica/elaborate/pruning.hpp"
#include "modelica/library/prelude.hpp"
#include "modelica/library/tables.hpp"
#include "modelica/syntax/parser.hpp"

namespace daedal {

namespace {

using namespace modelica;

void check_options(const ParseOptions& options) {
  if (options.max_nesting < 1 || options.max_nesting > 1000 || options.max_diagnostics < 1 ||
      options.max_elements < 1 || options.max_elements > 2'000'000'000 ||
      options.max_operations < 1) {
    throw OptionError(ErrorCode::invalid_option,
                      "ParseOptions: every limit must be positive, max_nesting at most 1000 and "
                      "max_elements at most 2e9.");
  }
}

bool calls_library(const Ast& ast) {
  return std::any_of(ast.expressions.begin(), ast.expressions.end(), [&](const ExprNode& node) {
    return node.kind == ExprKind::call && ast.text(node.text).starts_with(library_prefix);
  });
}

/// Says which functions are not the model's own.
void report_stand_ins(const Context& context) {
  if (context.stand_ins.empty()) return;
  std::string names;
  for (const auto& [name, where] : context.stand_ins)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
  context.diagnostics.warn(
      ErrorCode::unknown_name, context.stand_ins.begin()->second,
      fmt::format("The text calls functions that it does not define; functions of the same names "
                  "that come with this program take their place: {}.",
                  names));
}

std::string text_or_empty(const Ast& ast, TextId id) {
  return id == none ? std::string() : ast.text(id);
}

/// From the syntax tree to the model. The language is circular: sizes need parameters, parameters
/// need expressions, expressions need declarations and functions. So the parts refer to each other;
/// each names in its `Uses` what it needs.
class Elaborator {
 public:
  Elaborator(Context& context, const ClassTable& classes);

  /// Fills the builder with the model of the class table. Mistakes are in the diagnostics. False:
  /// the context's pruning has grown, and the work must be done again with it.
  bool run();

 private:
  void read_experiment(const ClassDefinition& model);
  /// The text of `animate`; reports what else annotation(daedal(...)) holds.
  std::string read_animation(const ClassDefinition& model);

  Context& context_;
  const ClassTable& classes_;
  Scope scope_;
  Structure structure_;
  Operators operators_;
  Discretes discretes_;
  Delays delays_;
  Roots roots_;
  Components components_;
  References references_;
  Expressions expressions_;
  Tables tables_;
  Functions functions_;
  Assertions assertions_;
  SymbolicExecution execution_;
  Equations equations_;
};

// The members of a part refer to parts that are not there yet; nothing is called before run().
Elaborator::Elaborator(Context& context, const ClassTable& classes)
    : context_(context),
      classes_(classes),
      scope_(context),
      structure_(context,
                 [this](NodeId parameter) { return components_.parameter_value(parameter); }),
      operators_(context),
      discretes_(context, structure_),
      delays_(context, structure_, discretes_, components_),
      roots_(context, components_),
      components_(context, {.classes = classes,
                            .scope = scope_,
                            .structure = structure_,
                            .expressions = expressions_,
                            .discretes = discretes_,
                            .equations = equations_}),
      references_(context, {.classes = classes,
                            .components = components_,
                            .scope = scope_,
                            .structure = structure_,
                            .operators = operators_,
                            .expressions = expressions_}),
      expressions_(context, {.classes = classes,
                             .components = components_,
                             .scope = scope_,
                             .structure = structure_,
                             .operators = operators_,
                             .references = references_,
                             .functions = functions_}),
      tables_(context, structure_, functions_),
      functions_(context,
                 {.classes = classes,
                  .components = components_,
                  .scope = scope_,
                  .expressions = expressions_,
                  .execution = execution_,
                  .tables = tables_,
                  .roots = roots_},
                 {.context = context,
                  .structure = structure_,
                  .operators = operators_,
                  .discretes = discretes_,
                  .delays = delays_}),
      assertions_(context, structure_, expressions_),
      execution_(context, {.scope = scope_,
                           .structure = structure_,
                           .operators = operators_,
                           .references = references_,
                           .expressions = expressions_,
                           .functions = functions_,
                           .assertions = assertions_}),
      equations_(context, {.components = components_,
                           .scope = scope_,
                           .structure = structure_,
                           .references = references_,
                           .expressions = expressions_,
                           .functions = functions_,
                           .execution = execution_,
                           .discretes = discretes_,
                           .delays = delays_,
                           .roots = roots_,
                           .assertions = assertions_}) {}

bool Elaborator::run() {
  const ClassDefinition& model = context_.ast.definition(classes_.model());
  components_.collect(model, names_assigned_in_when(context_.ast, model));
  components_.make_all();
  equations_.read(model);
  read_experiment(model);
  if (!components_.undefined().empty() || !context_.undefined.empty()) {
    prune_undefined(context_, components_, equations_, discretes_);
    return false;
  }
  if (delays_.has_found_discrete(equations_.equations())) return false;
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
  experiment.animation = read_animation(model);
  context_.builder.experiment(experiment);
}

std::string Elaborator::read_animation(const ClassDefinition& model) {
  std::string animation;
  for (const Modifier& modifier : model.own_settings) {
    const std::string& name = context_.ast.text(modifier.name);
    if (name != "animate") {
      context_.diagnostics.report(
          ErrorCode::unknown_name, modifier.where,
          fmt::format("annotation(daedal(...)) has no setting '{}'; there is 'animate'.", name));
    } else if (modifier.value == none ||
               context_.ast.expr(modifier.value).kind != ExprKind::string) {
      context_.diagnostics.report(
          ErrorCode::invalid_value, modifier.where,
          "'animate' must be a text in quotes, such as \"rod(0,0; x,y) trace(x,y)\".");
    } else {
      animation = context_.ast.text(context_.ast.expr(modifier.value).text);
    }
  }
  return animation;
}

}  // namespace

Model parse_model(std::string_view text, const std::string& file_name,
                  const ParseOptions& options) {
  check_options(options);
  Diagnostics diagnostics(file_name, options.max_diagnostics, options.warnings);
  Ast ast = parse(text, diagnostics, options.max_nesting);
  diagnostics.throw_if_any();
  if (calls_library(ast)) ast = with_prelude(std::move(ast), prelude_text());
  ClassTable classes(ast, diagnostics);
  try {
    classes.collect();
  } catch (const Abandon&) {
    diagnostics.throw_if_any();
  }
  const ClassDefinition& definition = ast.definition(classes.model());
  Pruning pruning;
  // What is left out changes the numbers of variables and nodes, so the model is built again.
  while (true) {
    ModelBuilder builder(ast.text(definition.name), text_or_empty(ast, definition.description));
    Context context{text, ast, diagnostics, builder, builder.pool(), options, pruning};
    const bool complete = Elaborator(context, classes).run();
    diagnostics.throw_if_any();
    if (!complete) continue;
    report_stand_ins(context);
    return builder.build();
  }
}

Model load_model(const std::filesystem::path& path, const ParseOptions& options) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  // A directory opens without complaint and fails on reading.
  if (file) content << file.rdbuf();
  if (!file || (content.str().empty() && file.peek() != std::ifstream::traits_type::eof())) {
    throw Error(ErrorCode::file_not_readable, "The file '" + path.string() + "' cannot be read.",
                {path.string(), 0, 0});
  }
  return parse_model(content.str(), path.string(), options);
}

}  // namespace daedal
