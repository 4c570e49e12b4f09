// SPDX-License-Identifier: BSD-3-Clause
#include "run_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/native.hpp>
#include <daedal/output_grid.hpp>
#include <utility>

namespace daedal::app {

namespace {

/// "x, y[1,2]" at the commas that stand in no brackets and no quotes; the name alone has no quotes.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '\'') is_quoted = !is_quoted;
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth <= 0 && !is_quoted) {
      parts.emplace_back();
    } else if (c != '\'' && (c != ' ' || is_quoted || !parts.back().empty())) {
      parts.back() += c;
    }
  }
  return parts;
}

/// A choice in one word, with the parameters given one by one.
std::string choice(std::string text, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    text += (text.find(':') == std::string::npos ? ':' : ',') + assignment;
  }
  return text;
}

}  // namespace

Assignment split_assignment(std::string_view text) {
  const auto equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("'{}' is not of the form name=value.", text));
  }
  std::string_view name = text.substr(0, equals);
  if (name.size() > 2 && name.front() == '\'' && name.back() == '\'') {
    name = name.substr(1, name.size() - 2);
  }
  return {std::string(name), text.substr(equals + 1), text};
}

double parse_number(std::string_view word, std::string_view text) {
  if (word == "true" || word == "false") return word == "true" ? 1.0 : 0.0;
  std::string_view digits = word;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || rest != end) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("'{}' in '{}' is not a number.", word, text));
  }
  return value;
}

Overrides parse_overrides(const std::vector<std::string>& texts) {
  Overrides overrides;
  for (const std::string& text : texts) {
    Assignment given = split_assignment(text);
    overrides.insert_or_assign(std::move(given.name), parse_number(given.value, given.text));
  }
  return overrides;
}

void declare_variables_option(CLI::App& command, std::vector<std::string>& variables,
                              const std::string& help) {
  command
      .add_option_function<std::vector<std::string>>(
          "--variables",
          [&variables](const std::vector<std::string>& given) {
            for (const std::string& list : given) {
              for (std::string& glob : split_list(list)) variables.push_back(std::move(glob));
            }
          },
          help)
      ->take_all()
      ->allow_extra_args(false);
}

void declare_native_option(CLI::App& command) {
  command.add_flag_callback(
      "--no-native", [] { set_native_code(false); },
      "Evaluate equations by the interpreter alone, never as machine code");
}

void declare_model_options(CLI::App& command, RunArguments& a) {
  command.add_option("model", a.model, "Model text (.mo), or - for standard input")->required();
  command.add_option("-p,--parameter", a.parameters, "Parameter value, name=value; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  declare_input_options(command, a.inputs);
  command.add_option("--start", a.starts, "Fixed start value, name=value; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--start-time", a.start_time, "Start time [the model's, or 0]");
  declare_native_option(command);
}

void declare_run_options(CLI::App& command, RunArguments& a) {
  declare_model_options(command, a);
  command
      .add_option("--method", a.method,
                  "Method, with parameters as in baumgarte:alpha=5,beta=5 (see 'methods')")
      ->capture_default_str();
  command.add_option("--method-option", a.method_options, "Method parameter, name=value")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--chart", a.chart,
                     "For the method user-chart: positions by coordinates, as in "
                     "\"x = sin(a); y = -cos(a)\"");
  command
      .add_option("--integrator", a.integrator,
                  "Integrator, with parameters as in radau:stages=3 (see 'methods')")
      ->capture_default_str();
  command
      .add_option("--integrator-option", a.integrator_options, "Integrator parameter, name=value")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--stop-time", a.stop_time, "Stop time [the model's, or 1]");
  command.add_option("--rtol", a.rtol, "Relative tolerance [the model's, or 1e-6]");
  command.add_option("--atol", a.atol, "Absolute tolerance, scaled by nominal values [rtol/100]");
  command.add_option("--interval", a.interval,
                     "Output interval [the model's, or every step and points between]");
  command.add_option("--step", a.step, "Fixed step, for integrators that have one");
  command.add_option("--max-step", a.max_step, "Largest step");
  command.add_option("--initial-step", a.initial_step, "First step");
  command.add_option("--max-steps", a.max_steps, "Largest number of steps");
  command.add_option("--time-limit", a.time_limit, "Wall-clock limit in seconds");
  command.add_flag("--watch-singularities", a.watch_singularities,
                   "Look for singular positions of a mechanism during the run, with any mechanical "
                   "method [regularising methods do]");
}

ResolvedRun resolve(const RunArguments& a, const LoadedModel& loaded) {
  ResolvedRun run;
  const Experiment& experiment = loaded.model.experiment();
  run.span.start = a.start_time.value_or(experiment.start_time.value_or(0.0));
  run.span.stop = a.stop_time.value_or(experiment.stop_time.value_or(run.span.start + 1.0));
  if (!a.stop_time && !experiment.stop_time) {
    run.notices.push_back(
        fmt::format("Neither the model nor --stop-time says when to stop: {}.", run.span.stop));
  }
  SolveOptions& o = run.options;
  o.rtol = a.rtol.value_or(experiment.default_rtol());
  o.atol = a.atol.value_or(0.0);
  o.interval = a.interval == 0.0 ? every_step : a.interval.value_or(0.0);
  o.method = Method(choice(a.method, a.method_options));
  o.integrator = Integrator(choice(a.integrator, a.integrator_options));
  if (!a.chart.empty()) o.chart = parse_chart(a.chart, loaded.model);
  o.parameters = loaded.parameters;
  o.start_values = parse_overrides(a.starts);
  o.fixed_step = a.step;
  o.initial_step = a.initial_step;
  if (a.max_step != 0.0) o.max_step = a.max_step;
  if (a.max_steps != 0) o.max_steps = a.max_steps;
  if (a.time_limit != 0.0) o.time_limit = a.time_limit;
  o.watch_singularities = a.watch_singularities;
  o.dense_output = false;
  return run;
}

}  // namespace daedal::app
