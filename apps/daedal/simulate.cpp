// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <daedal/analyze.hpp>
#include <daedal/error.hpp>
#include <daedal/problem.hpp>
#include <daedal/solve.hpp>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "interrupt.hpp"
#include "model_source.hpp"
#include "progress_bar.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

struct SimulateArguments {
  RunArguments run;
  std::string output;
  std::vector<std::string> variables;
  std::string report;
  std::string animation;
};

/// Seconds that a report may spend on the structure of the model.
constexpr double analysis_limit = 5.0;

/// What analyze() finds within the limit; nothing where the model cannot be analysed.
std::optional<Analysis> analysis_for_report(const Model& model, const ResolvedRun& run) {
  SolveOptions options = run.options;
  options.on_progress = nullptr;
  options.time_limit = std::min(options.time_limit, analysis_limit);
  try {
    return analyze(model, run.span.start, options);
  } catch (const Error&) {
    return std::nullopt;  // the run itself says what is wrong with the model
  }
}

int simulate(const SimulateArguments& arguments, const Common& common) {
  const auto [model, model_warnings] = read_model(arguments.run.model);
  ResolvedRun run = resolve(arguments.run, model);
  RowsOutput rows(arguments.output, arguments.run.model, common);
  std::optional<OutputFile> report;
  std::vector<double> step_times;
  if (!arguments.report.empty()) {
    check_animation(arguments.animation, model);
    report.emplace(arguments.report, arguments.run.model);
    run.options.dense_output = true;  // curves between the steps
    step_times.push_back(run.span.start);
  }

  run.options.cancel = &catch_interrupts();
  Solution solution;
  {
    ProgressBar bar(!common.json && !common.quiet);
    if (bar.is_active()) {
      run.options.on_progress = [&bar](const Progress& progress) { bar.update(progress); };
    }
    if (report) {
      Simulation simulation = prepare(model, run.options).start(run.span);
      while (simulation.step()) step_times.push_back(simulation.time());
      solution = simulation.take_solution();
    } else {
      solution = solve(model, run.span, run.options);
    }
  }
  solution.notices.insert(solution.notices.begin(), run.notices.begin(), run.notices.end());
  solution.warnings.insert(solution.warnings.begin(), model_warnings.begin(), model_warnings.end());

  try {
    rows.write(solution, arguments.variables);
  } catch (const OptionError& error) {
    // A variable that is asked for may be one that the text could not determine.
    const auto cause = std::ranges::find_if(model_warnings, [](const std::string& warning) {
      return warning.find("are left out") != std::string::npos;
    });
    if (error.code() != ErrorCode::unknown_name || cause == model_warnings.end()) throw;
    throw OptionError(error.code(), fmt::format("{} {}", error.what(), *cause));
  }
  if (report) {
    report->write([&](std::ostream& out) {
      write_report(out, {.model = model,
                         .solution = solution,
                         .parameters = run.options.parameters,
                         .step_times = step_times,
                         .analysis = analysis_for_report(model, run),
                         .globs = arguments.variables,
                         .animation = arguments.animation});
    });
    if (!common.json && !common.quiet && !rows.is_standard()) {
      fmt::print("Report: {}\n\n", arguments.report);
    }
  }
  return print_result(solution, common, rows);
}

}  // namespace

Command add_simulate(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = app.add_subcommand("simulate", "Solve an initial value problem");
  declare_run_options(*command, arguments->run);
  command->add_option("-o,--output", arguments->output, "Write a CSV file (- for standard output)");
  command
      ->add_option("--variables", arguments->variables,
                   "Variables of the CSV file, as globs; repeatable [all]")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--report", arguments->report,
                      "Write a report with plots, one HTML file that needs no network");
  command
      ->add_option("--animate", arguments->animation,
                   "Shapes of the report's animation: \"rod(0,0; x,y) body(x,y) trace(x,y)\" "
                   "[recognised from names and distances]")
      ->needs("--report");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  return [arguments, &common] { return simulate(*arguments, common); };
}

}  // namespace daedal::app
