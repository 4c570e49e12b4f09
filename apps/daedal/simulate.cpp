// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "model_source.hpp"
#include "progress_bar.hpp"
#include "result_output.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

struct SimulateArguments {
  RunArguments run;
  std::string output;
  std::vector<std::string> variables;
};

int simulate(const SimulateArguments& arguments, const Common& common) {
  const auto [model, model_warnings] = read_model(arguments.run.model);
  ResolvedRun run = resolve(arguments.run, model);
  RowsOutput rows(arguments.output, arguments.run.model, common);

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

  rows.write(solution, arguments.variables);
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
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  return [arguments, &common] { return simulate(*arguments, common); };
}

}  // namespace daedal::app
