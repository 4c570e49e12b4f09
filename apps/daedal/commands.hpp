// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The commands of the program. Each declares its options on a subcommand and returns the exit
/// code of its run; errors leave as exceptions and become messages and exit codes in main.cpp.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace daedal::app {

/// What every command shares.
struct Common {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";  ///< see color.hpp
};

using Command = std::function<int()>;

/// Declares a subcommand; the returned function runs it after parsing.
Command add_simulate(CLI::App& app, Common& common);
Command add_analyze(CLI::App& app, Common& common);
Command add_solve_bvp(CLI::App& app, Common& common);
Command add_sweep(CLI::App& app, Common& common);
Command add_compare(CLI::App& app, Common& common);
Command add_reproduce(CLI::App& app, Common& common);
Command add_methods(CLI::App& app, Common& common);
Command add_info(CLI::App& app, Common& common);
Command add_new(CLI::App& app, Common& common);
Command add_report(CLI::App& app, Common& common);

/// Exit codes that no Status has.
inline constexpr int exit_run_failed = 1;
inline constexpr int exit_misuse = 2;
inline constexpr int exit_model_error = 3;

}  // namespace daedal::app
