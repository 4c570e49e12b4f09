// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/error.hpp>
#include <daedal/solve.hpp>
#include <fstream>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"
#include "model_source.hpp"
#include "progress_bar.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

struct SimulateArguments {
  RunArguments run;
  std::string output;
  std::vector<std::string> variables;
};

/// Opens the file before the run: a path that cannot be written must not cost a run.
std::ofstream open_output(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file) {
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("The file '{}' cannot be written.", path));
  }
  return file;
}

void write_rows(std::ostream& out, const Solution& solution, const SimulateArguments& arguments) {
  io::write_csv(out, solution, io::select_columns(solution, arguments.variables));
  out.flush();
  if (!out) {
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("Writing to '{}' failed.", arguments.output));
  }
}

int simulate(const SimulateArguments& arguments, const Common& common) {
  const auto [model, model_warnings] = read_model(arguments.run.model);
  ResolvedRun run = resolve(arguments.run, model);
  const bool to_stdout = arguments.output == "-";
  if (to_stdout && common.json) {
    throw OptionError(ErrorCode::invalid_option,
                      "--json and -o - both want standard output: give -o a file.");
  }
  std::ofstream file;
  if (!arguments.output.empty() && !to_stdout) file = open_output(arguments.output);

  run.options.cancel = &catch_interrupts();
  Solution solution;
  {
    ProgressBar bar(!common.json && !common.quiet);
    if (bar.is_active()) {
      run.options.on_progress = [&bar](const Progress& progress) { bar.update(progress); };
    }
    solution = solve(model, run.span, run.options);
  }
  solution.notices.insert(solution.notices.begin(), run.notices.begin(), run.notices.end());
  solution.warnings.insert(solution.warnings.begin(), model_warnings.begin(), model_warnings.end());

  if (file.is_open()) write_rows(file, solution, arguments);
  if (to_stdout) write_rows(std::cout, solution, arguments);
  if (common.json) {
    fmt::print("{}\n", io::to_json(solution).dump(2));
  } else if (!common.quiet) {
    fmt::print(to_stdout ? stderr : stdout, "{}", solution.full_report());
  } else if (!is_success(solution.status)) {
    fmt::print(stderr, "error: {}\n", solution.message);
  }
  return info(solution.status).exit_code;
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
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  return [arguments, &common] { return simulate(*arguments, common); };
}

}  // namespace daedal::app
