// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The options of a run as they stand on the command line, and how they become
/// daedal::SolveOptions.

#include <CLI/CLI.hpp>
#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "model_source.hpp"

namespace daedal::app {

/// Everything that `simulate` and its relatives take about a run.
struct RunArguments {
  std::string model;  ///< path, or "-" for standard input
  std::vector<std::string> parameters;
  std::vector<std::string> starts;
  InputArguments inputs;
  std::string method = "auto";
  std::string chart;
  std::string integrator = "auto";
  std::vector<std::string> method_options;
  std::vector<std::string> integrator_options;
  std::optional<double> start_time;
  std::optional<double> stop_time;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<double> interval;
  double step = 0.0;
  double max_step = 0.0;
  double initial_step = 0.0;
  std::int64_t max_steps = 0;
  double time_limit = 0.0;
  bool watch_singularities = false;
};

/// The model, its inputs, its parameters, its start values and its start time alone.
void declare_native_option(CLI::App& command);
/// --variables, repeatable: globs, or lists of them such as "x, y[1,2]".
void declare_variables_option(CLI::App& command, std::vector<std::string>& variables,
                              const std::string& help);
void declare_model_options(CLI::App& command, RunArguments& arguments);
void declare_run_options(CLI::App& command, RunArguments& arguments);

/// name=value, with the value as it is written.
struct Assignment {
  std::string name;
  std::string_view value;
  std::string_view text;  ///< the whole, for messages
};
/// Throws OptionError.
Assignment split_assignment(std::string_view text);
/// A number, true or false, which stands in `text`. Throws OptionError.
double parse_number(std::string_view word, std::string_view text);

/// name=value texts; a later one wins. Throws OptionError.
Overrides parse_overrides(const std::vector<std::string>& texts);

/// SolveOptions and span: the command line first, then the model's experiment annotation, then the
/// defaults. What was completed is appended to `notices`.
struct ResolvedRun {
  TimeSpan span;
  SolveOptions options;
  std::vector<std::string> notices;
};
ResolvedRun resolve(const RunArguments& arguments, const LoadedModel& loaded);

}  // namespace daedal::app
