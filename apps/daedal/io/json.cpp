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

ordered_json final_values(const Solution& solution) {
  ordered_json values = ordered_json::object();
  if (solution.n_rows() == 0) return {{"time", nullptr}, {"values", values}};
  const auto row = solution.row(solution.n_rows() - 1);
  for (std::size_t i = 0; i < solution.names.size(); ++i) {
    values[solution.names[i]] = number(row[i]);
  }
  return {{"time", number(solution.times.back())}, {"values", std::move(values)}};
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
