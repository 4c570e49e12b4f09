// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/compare.hpp>
#include <daedal/error.hpp>
#include <daedal/methods.hpp>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "color.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"
#include "io/rows.hpp"
#include "model_source.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

struct CompareArguments {
  RunArguments run;
  CompareOptions compare;
  std::string methods;
  std::vector<double> tolerances;
  std::string output;
  std::string report;
};

/// Splits at commas; what follows a comma belongs to the method before it when it is another of
/// its parameters: "ggl,baumgarte:alpha=5,beta=5,index1".
std::vector<std::string> split_methods(const std::string& text) {
  std::vector<std::string> methods;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    const bool continues = !methods.empty() && methods.back().find(':') != std::string::npos &&
                           part.find('=') != std::string::npos &&
                           part.find(':') == std::string::npos;
    if (continues) {
      methods.back() += "," + part;
    } else {
      methods.push_back(part);
    }
  }
  return methods;
}

/// --method-option is for every method that has such a parameter and does not give it itself.
/// Throws OptionError for one that no method has.
void add_options(const std::vector<std::string>& options, std::vector<std::string>& choices) {
  const std::vector<MethodInfo> known = methods();
  for (const std::string& option : options) {
    const std::string name = option.substr(0, option.find('='));
    bool is_taken = false;
    for (std::string& choice : choices) {
      const auto end = std::min(choice.find('+'), choice.size());
      const std::string method = choice.substr(0, end);
      const auto info =
          std::ranges::find(known, method.substr(0, method.find(':')), &MethodInfo::name);
      if (info == known.end() || std::ranges::none_of(info->fields, [&](const FieldInfo& field) {
            return field.name == name;
          })) {
        continue;
      }
      is_taken = true;
      const bool is_given = method.find(':' + name + '=') != std::string::npos ||
                            method.find(',' + name + '=') != std::string::npos;
      if (!is_given) choice.insert(end, (method.find(':') == method.npos ? ':' : ',') + option);
    }
    if (is_taken) continue;
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("None of the methods has a parameter '{}' (--method-option).", name));
  }
}

/// The residual of a level, or NaN where the run has none.
double level(const CompareRow& row, std::size_t i) {
  return i < row.constraints.size() && row.statistics.steps > 0
             ? row.constraints[i].max_residual
             : std::numeric_limits<double>::quiet_NaN();
}

/// A figure of a table, or "-" where there is none.
std::string figure(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}e}", value, digits);
}

std::size_t n_levels(const Comparison& comparison) {
  std::size_t n = 0;
  for (const CompareRow& row : comparison.rows) n = std::max(n, row.constraints.size());
  return n;
}

void print_table(const Comparison& comparison) {
  fmt::print("{}; reference: {} ({})\n\n", comparison.model_name, comparison.reference.used,
             to_string(comparison.reference_status));
  const std::size_t levels = n_levels(comparison);
  fmt::print("{:<32} {:<10} {:>8} {:>10}", "method", "integrator", "rtol", "error");
  for (std::size_t i = 0; i < levels; ++i) fmt::print(" {:>9}", fmt::format("level {}", i));
  const bool has_energy = std::ranges::any_of(
      comparison.rows, [](const CompareRow& row) { return row.energy_drift.has_value(); });
  if (has_energy) fmt::print(" {:>9}", "energy");
  fmt::print(" {:>8} {:>9} {:>9}  status\n", "steps", "evals", "ms");
  std::string told;  // of a method that fails at every tolerance once
  for (const CompareRow& row : comparison.rows) {
    fmt::print("{:<32} {:<10} {:>8.0e} {:>10}", row.method, row.integrator, row.rtol,
               figure(row.error, 2));
    for (std::size_t i = 0; i < levels; ++i) fmt::print(" {:>9}", figure(level(row, i), 1));
    if (has_energy) fmt::print(" {:>9}", row.energy_drift ? figure(*row.energy_drift, 1) : "-");
    fmt::print(" {:>8} {:>9} {:>9.3g}  {}\n", row.statistics.steps,
               row.statistics.residual_evaluations, 1e3 * row.statistics.wall_time,
               styled_status(to_string(row.status), stdout));
    if (!is_success(row.status) && row.message != told) fmt::print("    {}\n", row.message);
    told = row.message;
  }
}

void write_csv(std::ostream& out, const Comparison& comparison) {
  const std::size_t levels = n_levels(comparison);
  out << "method,integrator,rtol,status,error";
  for (std::size_t i = 0; i < levels; ++i) out << ",constraint_" << i;
  out << ",energy_drift,steps,evaluations,wall_seconds\n";
  for (const CompareRow& row : comparison.rows) {
    out << fmt::format("{},{},{},{},{}", io::csv_field(row.method), row.integrator, row.rtol,
                       to_string(row.status), row.error);
    for (std::size_t i = 0; i < levels; ++i) out << fmt::format(",{}", level(row, i));
    out << fmt::format(",{},{},{},{}\n", row.energy_drift ? fmt::to_string(*row.energy_drift) : "",
                       row.statistics.steps, row.statistics.residual_evaluations,
                       row.statistics.wall_time);
  }
}

int run(CompareArguments& arguments, const Common& common) {
  const LoadedModel loaded = read_model(arguments.run.model, arguments.run.parameters);
  if (arguments.run.method != "auto") {
    throw OptionError(ErrorCode::invalid_option,
                      "'compare' takes the methods by --methods; --method is for one run.");
  }
  if (arguments.run.rtol && !arguments.tolerances.empty()) {
    throw OptionError(ErrorCode::invalid_option,
                      "--rtol and --tolerances both give the tolerances: leave one out.");
  }
  arguments.compare.methods = split_methods(arguments.methods);
  add_options(arguments.run.method_options, arguments.compare.methods);
  arguments.run.method_options.clear();
  ResolvedRun resolved = resolve(arguments.run, loaded);
  const Model model =
      give_inputs(arguments.run.inputs, loaded.model, resolved.span, resolved.notices);
  arguments.compare.base = resolved.options;
  if (arguments.run.rtol) arguments.compare.tolerances = {*arguments.run.rtol};
  if (!arguments.tolerances.empty()) arguments.compare.tolerances = arguments.tolerances;
  std::optional<OutputFile> file;
  check_distinct({{"-o", arguments.output}, {"--report", arguments.report}});
  if (arguments.output == "-") {
    throw OptionError(
        ErrorCode::invalid_option,
        "Standard output has the table for people: give -o a file such as table.csv.");
  }
  if (!arguments.output.empty()) file.emplace(arguments.output, arguments.run.model);
  if (file && io::rows_format(arguments.output) != io::RowsFormat::csv) {
    throw OptionError(ErrorCode::invalid_option,
                      "A comparison is written as .csv; --json prints it as JSON.");
  }
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) report.emplace(report_file(arguments.report, arguments.run.model));
  arguments.compare.base.cancel = &catch_interrupts();
  const Comparison comparison = compare(model, resolved.span, arguments.compare);
  if (file) file->write([&](std::ostream& out) { write_csv(out, comparison); });
  if (report) {
    report->write([&](std::ostream& out) { write_report(out, model, comparison); });
  }
  if (common.json) {
    fmt::print("{}\n", io::to_json(comparison).dump(2));
  } else {
    print_table(comparison);
  }
  // A comparison is a success when its reference is: a method that fails is one of its results.
  return info(comparison.reference_status).exit_code;
}

}  // namespace

Command add_compare(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "One model by several methods, side by side");
  declare_run_options(*command, arguments->run);
  command
      ->add_option(
          "--methods", arguments->methods,
          "Methods separated by commas, as in auto,ggl; each NAME[:options][+INTEGRATOR[:options]]")
      ->required();
  command
      ->add_option("--tolerances", arguments->tolerances, "Relative tolerances [--rtol, or 1e-6]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--reference", arguments->compare.reference, "Method of the reference run")
      ->capture_default_str();
  command->add_option("--reference-rtol", arguments->compare.reference_rtol, "Its tolerance")
      ->capture_default_str();
  command->add_option("--energy", arguments->compare.energy, "Variable whose drift is reported")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "Write the table as a CSV file");
  command->add_option("--report", arguments->report,
                      "Write the comparison with its plots as one HTML file");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  return [arguments, &common] { return run(*arguments, common); };
}

}  // namespace daedal::app
