// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/bvp.hpp>
#include <daedal/error.hpp>
#include <fstream>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "interrupt.hpp"
#include "io/csv_table.hpp"
#include "io/json.hpp"
#include "io/rows.hpp"
#include "model_source.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

struct BvpArguments {
  std::string model;
  std::vector<std::string> parameters;
  std::vector<std::string> starts;
  InputArguments inputs;
  std::vector<double> interval;
  std::optional<double> start_time, stop_time;
  std::optional<double> tolerance;
  std::optional<double> atol;
  std::string method = "collocation";
  std::string guess;
  std::string output;
  std::optional<std::int64_t> output_points;
  std::vector<std::string> variables;
  std::string report;
  std::string animation;
  bool fixed_mesh = false;
  bool ignore_algebraic = false;
  BvpOptions options;
};

/// A CSV file with a column `time`, as `simulate` and this command write it.
BvpGuess read_guess(const std::string& path, const Model& model) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw OptionError(ErrorCode::file_not_readable,
                      fmt::format("The file '{}' cannot be read.", path));
  }
  const io::CsvTable table = io::read_csv(file, path);
  if (table.names.front() != "time") {
    throw OptionError(
        ErrorCode::file_not_readable,
        fmt::format("{}:1: The first column is '{}', not 'time'.", path, table.names.front()));
  }
  // Columns of free parameters, and those of another run that this model does not have, are
  // skipped.
  std::vector<std::size_t> columns;
  BvpGuess guess;
  for (std::size_t c = 1; c < table.names.size(); ++c) {
    for (const Variable& variable : model.variables()) {
      if (variable.name != table.names[c]) continue;
      columns.push_back(c);
      guess.names.push_back(table.names[c]);
    }
  }
  for (std::size_t row = 0; row < table.n_rows(); ++row) {
    const double* values = table.values.data() + row * table.names.size();
    guess.times.push_back(values[0]);
    for (const std::size_t c : columns) guess.values.push_back(values[c]);
  }
  if (guess.names.empty()) {
    throw OptionError(
        ErrorCode::unknown_name,
        fmt::format("No column of '{}' has the name of a variable of '{}'.", path, model.name()));
  }
  return guess;
}

TimeSpan resolve(BvpArguments& arguments, const LoadedModel& loaded,
                 std::vector<std::string>& notices) {
  const Model& model = loaded.model;
  const Experiment& experiment = model.experiment();
  TimeSpan span{arguments.start_time.value_or(experiment.start_time.value_or(0.0)),
                arguments.stop_time.value_or(experiment.stop_time.value_or(1.0))};
  if (!arguments.interval.empty()) {
    span = {arguments.interval[0], arguments.interval[1]};
  } else if (!arguments.stop_time && !experiment.stop_time) {
    notices.push_back(fmt::format(
        "Neither the model nor --stop-time says where the problem ends: {}.", span.stop));
  }
  BvpOptions& options = arguments.options;
  options.rtol = arguments.tolerance.value_or(experiment.default_rtol());
  options.atol = arguments.atol.value_or(options.atol);
  options.method = BvpMethod(arguments.method);
  options.adapt = !arguments.fixed_mesh;
  options.control_algebraic = !arguments.ignore_algebraic;
  options.parameters = loaded.parameters;
  options.start_values = parse_overrides(arguments.starts);
  options.output_points =
      arguments.output_points.value_or(arguments.output.empty() ? 0 : points_of_rows);
  if (!arguments.guess.empty()) options.guess = read_guess(arguments.guess, model);
  return span;
}

int run(BvpArguments& arguments, const Common& common) {
  const LoadedModel loaded = read_model(arguments.model, arguments.parameters);
  std::vector<std::string> notices;
  const TimeSpan span = resolve(arguments, loaded, notices);
  const Model model = give_inputs(arguments.inputs, loaded.model, span, notices);
  io::check_globs(arguments.variables, model, io::Columns::boundary);
  RowsOutput rows(arguments.output, arguments.model, arguments.variables, common);
  check_distinct({{"-o", arguments.output}, {"--report", arguments.report}});
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) {
    report.emplace(report_file(arguments.report, arguments.model));
    arguments.animation = animation_of(arguments.animation, model);
  }
  arguments.options.cancel = &catch_interrupts();
  BvpSolution solution = solve_bvp(model, span, arguments.options);
  solution.notices.insert(solution.notices.begin(), notices.begin(), notices.end());
  solution.warnings.insert(solution.warnings.begin(), loaded.warnings.begin(),
                           loaded.warnings.end());

  rows.finish(solution);
  if (report) {
    report->write([&](std::ostream& out) {
      write_report(out, {.model = model,
                         .solution = solution,
                         .parameters = arguments.options.parameters,
                         .step_times = solution.mesh,
                         .globs = arguments.variables,
                         .animation = arguments.animation,
                         .document = io::to_json(solution)});
    });
  }
  return print_result(solution, common, rows);
}

void declare(CLI::App& command, BvpArguments& a) {
  command.add_option("model", a.model, "Model text (.mo), or - for standard input")->required();
  command.add_option("-p,--parameter", a.parameters, "Parameter value, name=value; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  declare_input_options(command, a.inputs);
  command.add_option("--start", a.starts, "Value at the beginning, name=value; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  auto* start = command.add_option("--start-time", a.start_time,
                                   "Where the problem begins [the model's, or 0]");
  auto* stop =
      command.add_option("--stop-time", a.stop_time, "Where the problem ends [the model's, or 1]");
  command.add_option("--interval", a.interval, "Both of them")
      ->expected(2)
      ->excludes(start)
      ->excludes(stop);
  command
      .add_option("--method", a.method,
                  "collocation, srm for singular constraints, as in srm:epsilon=0.01,E=1, or "
                  "baumgarte:gamma=10")
      ->capture_default_str();
  command.add_option("--scheme", a.options.scheme, "gauss, radau or lobatto")
      ->capture_default_str();
  command.add_option("--points", a.options.points, "Collocation points per mesh interval, 1 to 5")
      ->capture_default_str();
  command.add_option("--tolerance,--rtol", a.tolerance,
                     "Error allowed, relative to each variable's greatest magnitude [the model's, "
                     "or 1e-6]");
  command.add_option("--atol", a.atol, "Absolute tolerance, scaled by nominal values [rtol/100]");
  command.add_option("--mesh", a.options.intervals, "Intervals of the first mesh")
      ->capture_default_str();
  command.add_option("--max-mesh", a.options.max_intervals, "Largest number of intervals")
      ->capture_default_str();
  command.add_flag("--fixed-mesh", a.fixed_mesh, "Solve once, on the first mesh");
  command.add_flag("--ignore-algebraic", a.ignore_algebraic,
                   "Leave algebraic variables of index-2 problems out of the error test");
  command.add_option("--guess", a.guess, "CSV file with an initial guess of the solution");
  command.add_option("--max-iterations", a.options.max_iterations, "Newton iterations on one mesh")
      ->capture_default_str();
  command.add_option("--time-limit", a.options.time_limit, "Wall-clock limit in seconds");
  declare_native_option(command);
  command.add_option(
      "--output-points", a.output_points,
      fmt::format("Equidistant output points beside the mesh [{} in a file]", points_of_rows));
  command.add_option("-o,--output", a.output,
                     "Write the rows: .csv, .json or .mat (- for standard output)");
  command.add_option("--report", a.report,
                     "Write a report with plots, one HTML file that needs no network");
  command
      .add_option("--animate", a.animation,
                  "Shapes of the report's animation: \"rod(0,0; x,y) body(x,y) trace(x,y)\" "
                  "[recognised from names and distances]")
      ->needs("--report");
  declare_variables_option(command, a.variables,
                           "Variables of file and report, as globs; repeatable [all]");
}

}  // namespace

Command add_solve_bvp(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<BvpArguments>();
  CLI::App* command = app.add_subcommand("solve-bvp", "Solve a boundary value problem");
  declare(*command, *arguments);
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  command->add_flag("-v,--verbose", common.verbose, "Print everything about the run");
  return [arguments, &common] { return run(*arguments, common); };
}

}  // namespace daedal::app
