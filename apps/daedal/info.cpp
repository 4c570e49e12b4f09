// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>
#include <memory>
#include <optional>
#include <string>

#include "color.hpp"
#include "commands.hpp"
#include "io/json.hpp"
#include "model_source.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

/// Declarations in columns: name, value, unit, description.
struct Row {
  std::string name;
  std::string value;
  std::string unit;
  std::string description;
};

void print_rows(const char* title, const std::vector<Row>& rows) {
  if (rows.empty()) return;
  std::size_t name = 0;
  std::size_t value = 0;
  std::size_t unit = 0;
  for (const Row& row : rows) {
    name = std::max(name, row.name.size());
    value = std::max(value, row.value.size());
    unit = std::max(unit, row.unit.size());
  }
  fmt::print("\n{} ({})\n", styled(title, Style::strong, stdout), rows.size());
  for (const Row& row : rows) {
    std::string line = fmt::format("  {:<{}}  {:>{}}  {:<{}}  {}", row.name, name, row.value, value,
                                   row.unit, unit, row.description);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

/// Numbers of the parameters as declared; none where a parameter has to be given.
std::vector<std::optional<double>> parameter_values(const Model& model) {
  try {
    const std::vector<double> values = model.parameter_values();
    return {values.begin(), values.end()};
  } catch (const ModelError&) {
    return std::vector<std::optional<double>>(model.parameters().size());
  }
}

std::string bounds(const Variable& variable) {
  if (std::isinf(variable.min) && std::isinf(variable.max)) return {};
  if (std::isinf(variable.max)) return fmt::format("at least {:g}", variable.min);
  if (std::isinf(variable.min)) return fmt::format("at most {:g}", variable.max);
  return fmt::format("{:g} to {:g}", variable.min, variable.max);
}

std::string_view causality_word(Causality causality) {
  return causality == Causality::input    ? "input"
         : causality == Causality::output ? "output"
                                          : "local";
}

/// Inputs that may be given, with their defaults where those are numbers of their own.
std::vector<Row> input_rows(const Model& model) {
  std::vector<Row> rows;
  for (const ModelInput& input : model.inputs()) {
    const Variable& variable = model.variable_of(input);
    rows.push_back({variable.name, input.default_equation < 0 ? "to be given" : "has a default",
                    variable.unit, variable.description});
  }
  return rows;
}

/// Start values as declared; none where a parameter has to be given.
std::vector<std::optional<double>> start_values(const Model& model) {
  try {
    return model.start_values();
  } catch (const ModelError&) {
    return {};
  }
}

/// `starts`: of the variables, or nothing.
std::vector<Row> rows_of(std::span<const Variable> variables,
                         const std::vector<std::optional<double>>& starts = {}) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i];
    std::string text = variable.description;
    for (const std::string& more :
         {std::string(variable.causality == Causality::output ? "output" : ""), bounds(variable),
          std::string(variable.fixed ? "start fixed" : "")}) {
      if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
    }
    const bool has_start = i < starts.size() && starts[i].has_value();
    rows.push_back({variable.name, has_start ? fmt::format("{:g}", *starts[i]) : "", variable.unit,
                    std::move(text)});
  }
  return rows;
}

ordered_json to_json(std::span<const Variable> variables,
                     const std::vector<std::optional<double>>& starts = {}) {
  ordered_json json = ordered_json::array();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i];
    json.push_back(
        {{"name", variable.name},
         {"start", i < starts.size() && starts[i] ? io::number(*starts[i]) : ordered_json()},
         {"unit", variable.unit},
         {"description", variable.description},
         {"causality", causality_word(variable.causality)},
         {"fixed", variable.fixed},
         {"nominal", io::number(variable.nominal)},
         {"min", io::number(variable.min)},
         {"max", io::number(variable.max)}});
  }
  return json;
}

void print_json(const LoadedModel& loaded) {
  const Model& model = loaded.model;
  const auto values = parameter_values(model);
  ordered_json json = io::document();
  json["warnings"] = loaded.warnings;
  json["model"] = model.name();
  json["description"] = model.description();
  json["equations"] = model.equations().size();
  json["parameters"] = ordered_json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = model.parameters()[i];
    json["parameters"].push_back({{"name", parameter.name},
                                  {"value", values[i] ? io::number(*values[i]) : ordered_json()},
                                  {"unit", parameter.unit},
                                  {"description", parameter.description},
                                  {"constant", parameter.constant}});
  }
  json["variables"] = to_json(model.variables(), start_values(model));
  json["discretes"] = to_json(model.discretes());
  fmt::print("{}\n", json.dump(2));
}

void print_text(const LoadedModel& loaded) {
  const Model& model = loaded.model;
  fmt::print("{}{}{}\n", model.name(), model.description().empty() ? "" : ": ",
             model.description());
  const auto counted = [](std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  fmt::print("{}, {}, {}\n", counted(model.variables().size(), "variable"),
             counted(model.equations().size(), "equation"),
             counted(model.when_clauses().size(), "when-clause"));
  const Experiment& experiment = model.experiment();
  if (experiment.stop_time) {
    fmt::print("run from {:g} to {:g}", experiment.start_time.value_or(0.0), *experiment.stop_time);
    if (experiment.tolerance) fmt::print(", tolerance {:g}", *experiment.tolerance);
    fmt::print("\n");
  }
  const auto values = parameter_values(model);
  std::vector<Row> parameters;
  std::vector<Row> constants;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = model.parameters()[i];
    (parameter.constant ? constants : parameters)
        .push_back({parameter.name, values[i] ? fmt::format("{:g}", *values[i]) : "to be given",
                    parameter.unit, parameter.description});
  }
  print_rows("Parameters, -p name=value", parameters);
  print_rows("Constants, and parameters that sizes and loops of the text depend on", constants);
  print_rows("Inputs, -i name=value", input_rows(model));
  print_rows("Variables, --start name=value", rows_of(model.variables(), start_values(model)));
  print_rows("Discrete variables", rows_of(model.discretes()));
  for (const std::string& warning : loaded.warnings) {
    fmt::print("\n{} {}\n", styled("warning:", Style::doubtful, stdout), warning);
  }
}

}  // namespace

Command add_info(CLI::App& app, Common& common) {
  auto path = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("info", "Parameters and variables of a model, with units and values");
  command->add_option("model", *path, "Model text (.mo), or - for standard input")->required();
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  return [path, &common] {
    const LoadedModel loaded = read_model(*path);
    common.json ? print_json(loaded) : print_text(loaded);
    return 0;
  };
}

}  // namespace daedal::app
