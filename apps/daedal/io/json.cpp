// SPDX-License-Identifier: BSD-3-Clause
#include "io/json.hpp"

#include <cmath>
#include <daedal/version.hpp>
#include <string>

namespace daedal::io {

using nlohmann::ordered_json;

namespace {

constexpr int schema = 1;

ordered_json to_json(const Choice& choice) {
  return {{"requested", choice.requested}, {"used", choice.used}};
}

/// The entry of one error: code, message, and the place where it is known.
ordered_json entry(std::string_view code, std::string_view message, const SourcePosition& where) {
  ordered_json json{{"code", code}, {"message", message}};
  if (!where.file.empty()) json["file"] = where.file;
  if (where.known()) {
    json["line"] = where.line;
    json["column"] = where.column;
  }
  return json;
}

/// Adds a name that is new: an assignment would look through all before it.
void append(ordered_json& object, const std::string& name, double value) {
  object.get_ref<ordered_json::object_t&>().emplace_back(name, number(value));
}

ordered_json final_values(const Solution& solution) {
  ordered_json values = ordered_json::object();
  if (solution.n_rows() == 0) return {{"time", nullptr}, {"values", values}};
  const auto row = solution.row(solution.n_rows() - 1);
  for (std::size_t i = 0; i < solution.names.size(); ++i) {
    append(values, solution.names[i], row[i]);
  }
  return {{"time", number(solution.times.back())}, {"values", std::move(values)}};
}

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
          {"smallest_kept", number(rank.smallest_kept)},
          {"largest_dropped", number(rank.largest_dropped)},
          {"gap", number(rank.gap)},
          {"confidence", rank.confidence}};
}

}  // namespace

ordered_json document() {
  return {{"schema", schema}, {"version", DAEDAL_VERSION}, {"warnings", ordered_json::array()}};
}

ordered_json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

ordered_json to_json(const Statistics& s) {
  return {{"steps", s.steps},
          {"rejected", s.rejected},
          {"residual_evaluations", s.residual_evaluations},
          {"jacobian_evaluations", s.jacobian_evaluations},
          {"factorizations", s.factorizations},
          {"newton_iterations", s.newton_iterations},
          {"projections", s.projections},
          {"reselections", s.reselections},
          {"events", s.events},
          {"restarts", s.restarts},
          {"recognitions", s.recognitions},
          {"compilations", s.compilations},
          {"linear_solver", s.linear_solver},
          {"wall_seconds", number(s.wall_time)}};
}

ordered_json to_json(const Solution& solution) {
  ordered_json json = document();
  json["warnings"] = solution.warnings;
  json["notices"] = solution.notices;
  json["model"] = solution.model_name;
  json["status"] = to_string(solution.status);
  json["message"] = solution.message;
  json["method"] = to_json(solution.method);
  json["integrator"] = to_json(solution.integrator);
  json["tolerances"] = {{"rtol", number(solution.rtol)}, {"atol", number(solution.atol)}};
  json["error_growth"] = number(solution.error_growth);
  json["inputs"] = solution.inputs;
  json["outputs"] = solution.outputs;
  json["final"] = final_values(solution);
  ordered_json constraints = ordered_json::object();
  for (const ConstraintLevel& level : solution.constraints) {
    constraints[std::to_string(level.level)] = number(level.max_residual);
  }
  json["constraints"] = std::move(constraints);
  ordered_json events = ordered_json::array();
  for (const EventRecord& event : solution.events) {
    events.push_back({{"time", number(event.time)}, {"what", event.what}});
  }
  json["events"] = std::move(events);
  json["statistics"] = to_json(solution.statistics);
  if (!is_success(solution.status)) {
    json["error"] = {{"code", to_string(solution.status)},
                     {"message", solution.message},
                     {"causes", info(solution.status).causes},
                     {"remedies", info(solution.status).remedies}};
  }
  return json;
}

ordered_json to_json(const BvpSolution& solution) {
  ordered_json json = to_json(static_cast<const Solution&>(solution));
  json.erase("integrator");
  json.erase("error_growth");
  json["index"] = solution.index;
  json["error_estimate"] = number(solution.error_estimate);
  json["intervals"] = solution.mesh.empty() ? 0 : solution.mesh.size() - 1;
  ordered_json rounds = ordered_json::array();
  for (const BvpRound& round : solution.rounds) {
    rounds.push_back({{"intervals", round.intervals},
                      {"newton_iterations", round.newton_iterations},
                      {"error", number(round.error)}});
  }
  json["rounds"] = std::move(rounds);
  ordered_json found = ordered_json::object();
  for (const auto& [name, value] : solution.parameters) found[name] = number(value);
  json["parameters"] = std::move(found);
  return json;
}

ordered_json to_json(const Analysis& a) {
  ordered_json json = document();
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
  json["confidence"] = number(a.confidence);
  json["assumptions"] = ordered_json::array();
  for (const Assumption& assumption : a.assumptions) {
    json["assumptions"].push_back(to_json(assumption));
  }
  json["ranks"] = ordered_json::array();
  for (const ArrayRank& rank : a.ranks) json["ranks"].push_back(to_json(rank));
  json["structure"] = {{"index", a.structure.index},
                       {"states", a.structure.states},
                       {"blocks", a.structure.blocks.size()},
                       {"largest_block", a.structure.largest_block()},
                       {"differentiated", a.structure.differentiated},
                       {"torn", a.structure.torn},
                       {"possible_states", a.structure.possible_states}};
  json["consistent_start"] = a.consistent_start;
  json["start"] = ordered_json::object();
  for (const StartValue& value : a.start) append(json["start"], value.name, value.value);
  if (!is_success(a.status)) {
    json["error"] = {{"code", to_string(a.status)}, {"message", a.message}};
  }
  return json;
}

ordered_json to_json(const Comparison& comparison) {
  ordered_json json = document();
  json["model"] = comparison.model_name;
  json["reference"] = {{"method", comparison.reference.used},
                       {"status", to_string(comparison.reference_status)},
                       {"message", comparison.reference_message}};
  json["rows"] = ordered_json::array();
  for (const CompareRow& row : comparison.rows) {
    ordered_json constraints = ordered_json::object();
    for (const ConstraintLevel& c : row.constraints) {
      constraints[std::to_string(c.level)] = number(c.max_residual);
    }
    json["rows"].push_back(
        {{"method", row.method},
         {"integrator", row.integrator},
         {"rtol", row.rtol},
         {"status", to_string(row.status)},
         {"message", row.message},
         {"error", number(row.error)},
         {"worst_variable", row.worst_variable},
         {"constraints", std::move(constraints)},
         {"energy_drift", row.energy_drift ? number(*row.energy_drift) : ordered_json()},
         {"statistics", to_json(row.statistics)}});
  }
  return json;
}

ordered_json error_document(const Error& error) {
  ordered_json json = document();
  json["status"] = "error";
  json["message"] = error.what();
  json["error"] = entry(to_string(error.code()), error.what(), error.where());
  if (!error.equations().empty()) json["error"]["equations"] = error.equations();
  if (!error.variables().empty()) json["error"]["variables"] = error.variables();
  if (const auto* parse_error = dynamic_cast<const ParseError*>(&error)) {
    ordered_json all = ordered_json::array();
    for (const Diagnostic& d : parse_error->diagnostics()) {
      all.push_back(entry(to_string(d.code), d.message, d.where));
    }
    json["error"]["diagnostics"] = std::move(all);
  }
  return json;
}

ordered_json error_document(std::string_view code, std::string_view message) {
  ordered_json json = document();
  json["status"] = "error";
  json["message"] = message;
  json["error"] = entry(code, message, {});
  return json;
}

}  // namespace daedal::io
