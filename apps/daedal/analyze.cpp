// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/analyze.hpp>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "io/json.hpp"
#include "model_source.hpp"
#include "run_options.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const ConstraintsOfLevel& level) {
  return {{"level", level.level}, {"count", level.count}, {"equations", level.equations}};
}

ordered_json to_json(const Assumption& a) {
  return {{"name", a.name},
          {"statement", a.statement},
          {"verdict", to_string(a.verdict)},
          {"finding", a.finding}};
}

ordered_json to_json(const ArrayRank& rank) {
  return {{"level", rank.level},
          {"matrix", rank.matrix},
          {"rows", rank.rows},
          {"columns", rank.columns},
          {"rank", rank.rank},
          {"smallest_kept", io::number(rank.smallest_kept)},
          {"largest_dropped", io::number(rank.largest_dropped)},
          {"gap", io::number(rank.gap)},
          {"confidence", rank.confidence}};
}

ordered_json to_json(const Analysis& a) {
  ordered_json json = io::document();
  json["warnings"] = a.warnings;
  json["notices"] = a.notices;
  json["model"] = a.model_name;
  json["variables"] = a.variables;
  json["equations"] = a.equations;
  json["status"] = to_string(a.status);
  json["index"] = or_null(a.index);
  json["states"] = or_null(a.states);
  json["mobility"] = or_null(a.mobility);
  json["visible_constraints"] = ordered_json::array();
  json["hidden_constraints"] = ordered_json::array();
  for (const ConstraintsOfLevel& level : a.constraints) {
    json[level.level == 0 ? "visible_constraints" : "hidden_constraints"].push_back(to_json(level));
  }
  json["free"] = a.free;
  json["determined"] = a.determined;
  json["confidence"] = io::number(a.confidence);
  json["assumptions"] = ordered_json::array();
  for (const Assumption& assumption : a.assumptions) {
    json["assumptions"].push_back(to_json(assumption));
  }
  json["ranks"] = ordered_json::array();
  for (const ArrayRank& rank : a.ranks) json["ranks"].push_back(to_json(rank));
  json["structure"] = {{"index", a.structure.index},
                       {"states", a.structure.states},
                       {"blocks", a.structure.blocks},
                       {"largest_block", a.structure.largest_block},
                       {"differentiated", a.structure.differentiated},
                       {"torn", a.structure.torn},
                       {"possible_states", a.structure.possible_states}};
  json["consistent_start"] = a.consistent_start;
  json["start"] = ordered_json::object();
  for (const StartValue& value : a.start) json["start"][value.name] = io::number(value.value);
  if (!is_success(a.status)) {
    json["error"] = {{"code", to_string(a.status)}, {"message", a.message}};
  }
  return json;
}

}  // namespace

Command add_analyze(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<RunArguments>();
  auto structure_only = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "analyze", "Index, states, hidden constraints, structure and consistent start of a model");
  declare_model_options(*command, *arguments);
  command->add_option("--time-limit", arguments->time_limit, "Wall-clock limit in seconds");
  command->add_flag("--structure", *structure_only, "Count and match alone: no numbers");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  return [arguments, structure_only, &common] {
    const auto [model, model_warnings] = read_model(arguments->model);
    ResolvedRun run = resolve(*arguments, model);
    run.options.cancel = &catch_interrupts();
    Analysis analysis =
        *structure_only ? analyze_structure(model) : analyze(model, run.span.start, run.options);
    analysis.warnings.insert(analysis.warnings.begin(), model_warnings.begin(),
                             model_warnings.end());
    if (common.json) {
      fmt::print("{}\n", to_json(analysis).dump(2));
    } else {
      fmt::print("{}", analysis.report());
    }
    return info(analysis.status).exit_code;
  };
}

}  // namespace daedal::app
