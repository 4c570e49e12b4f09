// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/analyze.hpp>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "io/json.hpp"
#include "model_source.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "run_options.hpp"

namespace daedal::app {

Command add_analyze(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<RunArguments>();
  auto structure_only = std::make_shared<bool>(false);
  auto report_path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "analyze", "Index, states, hidden constraints, structure and consistent start of a model");
  declare_model_options(*command, *arguments);
  command->add_option("--time-limit", arguments->time_limit, "Wall-clock limit in seconds");
  command->add_flag("--structure", *structure_only, "Count and match alone: no numbers");
  command->add_option("--report", *report_path, "Write the analysis as one HTML file");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("-v,--verbose", common.verbose,
                    "Print assumptions, ranks and all start values");
  return [arguments, structure_only, report_path, &common] {
    const LoadedModel loaded = read_model(arguments->model, arguments->parameters);
    ResolvedRun run = resolve(*arguments, loaded);
    std::vector<std::string> notices;
    const Model model =
        give_inputs(arguments->inputs, loaded.model, {run.span.start, run.span.start}, notices);
    run.options.cancel = &catch_interrupts();
    std::optional<OutputFile> report;
    if (!report_path->empty()) report.emplace(report_file(*report_path, arguments->model));
    Analysis analysis =
        *structure_only ? analyze_structure(model) : analyze(model, run.span.start, run.options);
    analysis.notices.insert(analysis.notices.begin(), notices.begin(), notices.end());
    analysis.warnings.insert(analysis.warnings.begin(), loaded.warnings.begin(),
                             loaded.warnings.end());
    if (report) {
      report->write([&](std::ostream& out) { write_report(out, model, analysis); });
    }
    if (common.json) {
      fmt::print("{}\n", io::to_json(analysis).dump(2));
    } else {
      print_page(common.verbose ? analysis.report() : summary(analysis), stdout);
    }
    return info(analysis.status).exit_code;
  };
}

}  // namespace daedal::app
