// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <daedal/version.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "io/csv.hpp"
#include "io/embedded.hpp"
#include "io/json.hpp"
#include "report/thinning.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

/// Between two steps the curve is drawn through so many points of the whole run at least.
constexpr std::size_t points_of_curve = 400;
/// Numbers that are written as they are, some 6 MB of text; beyond it columns are thinned.
constexpr std::size_t most_numbers = 600'000;
/// Stretches of a thinned column: two points for each column of pixels of a wide screen.
constexpr std::size_t buckets = 2000;
/// Columns of thinned data that stay within 10 MB.
constexpr std::size_t most_columns = 250;
/// Columns that the first plot shows.
constexpr std::size_t first_shown = 4;

/// Beyond so many unknowns a drawing of the structure is a grey square.
constexpr std::int64_t most_drawn = 400;

/// JSON inside an element "script": the text must not contain "</script" nor "<!--".
std::string for_script(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string for_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The page with its placeholders filled. Each is looked for in the template alone, so that what
/// is filled in cannot be taken for another.
void write_page(std::ostream& out, std::string_view title, const std::string& json) {
  const std::string safe_title = for_html(title);
  const std::string safe_json = for_script(json);
  const std::array<std::pair<std::string_view, std::string_view>, 5> parts{{
      {"{{title}}", safe_title},
      {"{{style}}", embedded::style()},
      {"{{data}}", safe_json},
      {"{{charts}}", embedded::charts()},
      {"{{script}}", embedded::script()},
  }};
  std::string_view rest = embedded::page();
  for (const auto& [name, content] : parts) {
    const std::size_t place = rest.find(name);
    out << rest.substr(0, place) << content;
    rest.remove_prefix(place + name.size());
  }
  out << rest;
}

/// Seven digits: more than a screen shows, and half the size of all of them.
void append_number(std::string& text, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text), "{:.7g}", value);
  } else {
    text += "null";
  }
}

template <class Values>
std::string json_array(const Values& values) {
  std::string text = "[";
  for (const auto value : values) {
    if (text.size() > 1) text += ',';
    append_number(text, static_cast<double>(value));
  }
  return text + ']';
}

/// The points of the plots: the rows of the solution, and points between them where the rows are
/// far apart and the run kept its interpolant.
struct Curve {
  std::vector<double> times;
  std::vector<double> values;  ///< row-major
};

Curve curve(const Solution& solution) {
  Curve result;
  const std::size_t n = solution.n_rows();
  const std::size_t width = solution.names.size();
  if (n == 0) return result;
  const double spacing = std::abs(solution.times.back() - solution.times.front()) / points_of_curve;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = solution.times[i];
    result.times.push_back(t);
    const auto row = solution.row(i);
    result.values.insert(result.values.end(), row.begin(), row.end());
    if (!solution.has_dense_output() || i + 1 == n || spacing == 0.0) continue;
    const double next = solution.times[i + 1];
    const auto parts = static_cast<std::size_t>(std::ceil(std::abs(next - t) / spacing));
    for (std::size_t k = 1; k < parts; ++k) {
      const double between = t + (next - t) * static_cast<double>(k) / static_cast<double>(parts);
      result.times.push_back(between);
      result.values.resize(result.values.size() + width);
      solution.at(between, std::span(result.values).last(width));
    }
  }
  return result;
}

/// A list of numbers; those that are not finite are null.
ordered_json numbers(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double value : values) list.push_back(io::number(value));
  return list;
}

/// What a column is, from the declaration of the variable.
ordered_json describe(const std::string& name, const Model& model) {
  ordered_json json{{"name", name}};
  const auto add = [&](std::span<const Variable> variables, bool is_discrete) {
    const auto found = std::ranges::find(variables, name, &Variable::name);
    if (found == variables.end()) return;
    if (!found->unit.empty()) json["unit"] = found->unit;
    if (!found->description.empty()) json["description"] = found->description;
    if (is_discrete) json["discrete"] = true;
  };
  add(model.variables(), false);
  add(model.discretes(), true);
  return json;
}

/// Columns for the first plot: the first that move.
std::vector<std::size_t> first_columns(const Curve& points, const std::vector<std::size_t>& columns,
                                       std::size_t width) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < columns.size() && chosen.size() < first_shown; ++k) {
    const double start = points.values[columns[k]];
    for (std::size_t row = 1; row < points.times.size(); ++row) {
      if (points.values[row * width + columns[k]] == start) continue;
      chosen.push_back(k);
      break;
    }
  }
  if (chosen.empty() && !columns.empty()) chosen.push_back(0);
  return chosen;
}

/// The members "time", "series", ... as text: nlohmann's numbers would take three times the space.
std::string series(const RunReport& report) {
  const Solution& solution = report.solution;
  const std::size_t width = solution.names.size();
  const Curve points = curve(solution);
  std::vector<std::size_t> columns = select_columns(solution.names, report.globs);
  const bool is_thinned = points.times.size() * columns.size() > most_numbers;
  const std::size_t n_shown = is_thinned ? std::min(columns.size(), most_columns) : columns.size();
  const std::size_t left_out = columns.size() - n_shown;
  columns.resize(n_shown);

  std::vector<std::vector<std::size_t>> kept(columns.size());
  std::vector<double> column(points.times.size());
  std::vector<bool> is_used(points.times.size(), !is_thinned);
  const auto read = [&](std::size_t k) {
    for (std::size_t row = 0; row < column.size(); ++row) {
      column[row] = points.values[row * width + columns[k]];
    }
  };
  if (is_thinned) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      read(k);
      kept[k] = thinned(column, buckets);
      for (const std::size_t row : kept[k]) is_used[row] = true;
    }
  }
  // Times that no column uses are left out; what remains is numbered anew.
  std::vector<double> times;
  std::vector<std::size_t> number(points.times.size());
  for (std::size_t row = 0; row < points.times.size(); ++row) {
    number[row] = times.size();
    if (is_used[row]) times.push_back(points.times[row]);
  }

  std::string text = "\"variables\":[";
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k > 0) text += ',';
    text += dump(describe(solution.names[columns[k]], report.model));
  }
  text += "],\"time\":" + json_array(times) + ",\"series\":[";
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k > 0) text += ',';
    read(k);
    if (!is_thinned) {
      text += json_array(column);
      continue;
    }
    std::vector<double> values;
    for (std::size_t& row : kept[k]) {
      values.push_back(column[row]);
      row = number[row];
    }
    text += "{\"i\":" + json_array(kept[k]) + ",\"v\":" + json_array(values) + '}';
  }
  text +=
      "],\"chosen\":" + json_array(points.times.empty() ? std::vector<std::size_t>{}
                                                        : first_columns(points, columns, width));
  text += fmt::format(",\"left_out\":{}", left_out);
  return text;
}

std::vector<double> at_places(const std::vector<double>& values,
                              const std::vector<std::size_t>& places) {
  std::vector<double> chosen;
  for (const std::size_t place : places) chosen.push_back(values[place]);
  return chosen;
}

/// Residuals of the constraints and the energy at rows, thinned like the rest; ends and orders of
/// the steps.
std::string steps(const RunReport& report) {
  std::string text = "{\"time\":";
  std::vector<double> ends = report.step_times;
  if (ends.empty()) ends = report.solution.times;
  // Steps are shown by their differences: a thinned list would show longer ones.
  if (ends.size() > 10 * buckets) ends.resize(10 * buckets);
  text += json_array(ends) + ",\"drift_time\":[";
  std::string values;
  bool is_first = true;
  for (const ConstraintLevel& level : report.solution.constraints) {
    const auto rows = thinned(level.residuals, buckets);
    if (!std::exchange(is_first, false)) {
      text += ',';
      values += ',';
    }
    text += json_array(at_places(report.solution.times, rows));
    values += json_array(at_places(level.residuals, rows));
  }
  text += "],\"drift\":[" + values + "],\"order\":" + json_array(report.step_orders);
  const std::vector<double> energy = energy_of(report.model, report.parameters, report.solution);
  const std::vector<std::size_t> rows = thinned(energy, buckets);
  text += ",\"energy_time\":" + json_array(at_places(report.solution.times, rows)) +
          ",\"energy\":" + json_array(at_places(energy, rows));
  return text + '}';
}

/// The analysis with the drawing of its structure.
ordered_json drawn(const Analysis& analysis) {
  ordered_json json = io::to_json(analysis);
  if (analysis.variables > most_drawn || analysis.equations > most_drawn) return json;
  ordered_json entries = ordered_json::array();
  for (const Incidence& entry : analysis.structure.incidence) {
    entries.push_back({entry.equation, entry.unknown, entry.is_highest ? 1 : 0});
  }
  ordered_json blocks = ordered_json::array();
  for (const StructuralBlock& block : analysis.structure.blocks) {
    blocks.push_back({{"equations", block.equations}, {"unknowns", block.unknowns}});
  }
  json["incidence"] = {{"blocks", std::move(blocks)}, {"entries", std::move(entries)}};
  return json;
}

}  // namespace

void write_report(std::ostream& out, const RunReport& report) {
  ordered_json parameters = ordered_json::object();
  const std::vector<double> values = report.model.parameter_values(report.parameters);
  for (std::size_t i = 0; i < values.size(); ++i) {
    parameters[report.model.parameters()[i].name] = io::number(values[i]);
  }
  ordered_json head{{"kind", "simulate"},
                    {"version", DAEDAL_VERSION},
                    {"title", report.model.name()},
                    {"description", report.model.description()},
                    {"run", report.document ? *report.document : io::to_json(report.solution)},
                    {"parameters", std::move(parameters)},
                    {"animation", report.animation}};
  if (report.analysis) head["analysis"] = drawn(*report.analysis);
  std::string json = dump(head);
  json.back() = ',';
  json += series(report) + ",\"steps\":" + steps(report) + '}';
  write_page(out, report.model.name(), json);
}

void write_report(std::ostream& out, const std::string& title, const ordered_json& data) {
  ordered_json json{{"version", DAEDAL_VERSION}, {"title", title}};
  json.update(data);
  write_page(out, title, dump(json));
}

void write_report(std::ostream& out, const Model& model, const Analysis& analysis) {
  write_report(
      out, model.name(),
      {{"kind", "analyze"}, {"description", model.description()}, {"analysis", drawn(analysis)}});
}

void write_report(std::ostream& out, const Model& model, const Comparison& comparison) {
  ordered_json series = ordered_json::array();
  for (const CompareRow& row : comparison.rows) {
    ordered_json drift = ordered_json::array();
    for (const ConstraintLevel& level : row.constraints) drift.push_back(numbers(level.residuals));
    series.push_back({{"time", numbers(row.times)},
                      {"drift", std::move(drift)},
                      {"energy", numbers(row.energy)}});
  }
  write_report(out, model.name(),
               {{"kind", "compare"},
                {"description", model.description()},
                {"run", io::to_json(comparison)},
                {"series", std::move(series)}});
}

void write_report(std::ostream& out, const Model& model, const SweepReport& report) {
  const EnsembleResult& result = report.result;
  const std::size_t n_times = result.times.size();
  const std::size_t per_variable = result.members.count + 3 * n_times;
  const std::size_t n_shown =
      std::min(result.names.size(), std::max<std::size_t>(1, most_numbers / per_variable));
  ordered_json varied = ordered_json::array();
  for (std::size_t k = 0; k < result.members.n_columns(); ++k) {
    const std::size_t n_parameters = result.members.parameters.size();
    std::vector<double> values;
    for (std::size_t i = 0; i < result.members.count; ++i) {
      values.push_back(result.members.row(i)[k]);
    }
    varied.push_back(
        {{"name", k < n_parameters
                      ? result.members.parameters[k]
                      : fmt::format("start({})", result.members.start_values[k - n_parameters])},
         {"values", numbers(values)}});
  }
  ordered_json variables = ordered_json::array();
  for (std::size_t v = 0; v < n_shown; ++v) {
    ordered_json one = describe(result.names[v], model);
    std::vector<double> final_values;
    for (std::size_t i = 0; i < result.members.count; ++i) {
      final_values.push_back(result.value(i, n_times - 1, v));
    }
    one["final"] = numbers(final_values);
    for (const auto& [name, share] : {std::pair("low", 0.05), {"median", 0.5}, {"high", 0.95}}) {
      std::vector<double> values;
      for (std::size_t t = 0; t < n_times; ++t) {
        values.push_back(report.statistics[t * result.names.size() + v].quantile(share));
      }
      one[name] = numbers(values);
    }
    variables.push_back(std::move(one));
  }
  write_report(out, model.name(),
               {{"kind", "sweep"},
                {"description", model.description()},
                {"run", report.document},
                {"varied", std::move(varied)},
                {"variables", std::move(variables)},
                {"time", numbers(result.times)},
                {"left_out", result.names.size() - n_shown}});
}

void write_report(std::ostream& out, const ordered_json& document, const std::string& animation) {
  const auto has = [&](const char* key) { return document.contains(key); };
  const std::string title = has("model") && document["model"].is_string()
                                ? document["model"].get<std::string>()
                                : std::string("report");
  if (has("columns") && document["columns"].contains("time")) {
    ordered_json variables = ordered_json::array(), series = ordered_json::array();
    ordered_json chosen = ordered_json::array();
    for (const auto& [name, values] : document["columns"].items()) {
      if (name == "time") continue;
      if (chosen.size() < first_shown) chosen.push_back(variables.size());
      variables.push_back({{"name", name}});
      series.push_back(values);
    }
    write_report(out, title,
                 {{"kind", "simulate"},
                  {"run", {{"status", document.value("status", "success")}}},
                  {"animation", animation},
                  {"parameters", ordered_json::object()},
                  {"time", document["columns"]["time"]},
                  {"variables", std::move(variables)},
                  {"series", std::move(series)},
                  {"chosen", std::move(chosen)}});
  } else if (has("rows") && has("reference")) {
    write_report(out, title, {{"kind", "compare"}, {"run", document}});
  } else if (has("statistics") && document["statistics"].is_array()) {
    write_report(out, title, {{"kind", "sweep"}, {"run", document}});
  } else if (has("final")) {
    write_report(out, title,
                 {{"kind", "simulate"}, {"run", document}, {"variables", ordered_json::array()}});
  } else if (has("index") && has("structure")) {
    write_report(out, title, {{"kind", "analyze"}, {"analysis", document}});
  } else {
    throw OptionError(ErrorCode::invalid_option,
                      "The file is not a document of daedal: a report is made of the rows that "
                      "'simulate -o run.json' writes, or of what a command prints with --json.");
  }
}

}  // namespace daedal::app
