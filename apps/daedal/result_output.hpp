// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where the result of a run goes: its rows to a CSV file or to standard output, its report to the
/// screen, as a page or as JSON.

#include <fmt/format.h>

#include <cstdio>
#include <daedal/solution.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "io/json.hpp"

namespace daedal::app {

/// Opens a file before the run: a path that cannot be written must not cost a run. Throws
/// OptionError.
std::ofstream open_output(const std::string& path);
/// Throws OptionError when something that was written to `path` is lost.
void finish_output(std::ostream& out, const std::string& path);

/// The rows of a solution, where -o says.
class RowsOutput {
 public:
  /// `path` is empty for none, "-" for standard output. Throws OptionError.
  RowsOutput(std::string path, const Common& common);

  /// Columns that match no glob cost nothing: all are written then, before the error is thrown.
  void write(const Solution& solution, const std::vector<std::string>& globs);
  [[nodiscard]] bool is_standard() const { return path_ == "-"; }

 private:
  std::string path_;
  std::ofstream file_;
};

/// The report of a run, on the screen; returns its exit code. `Result` is a Solution or its kin.
template <class Result>
int print_result(const Result& result, const Common& common, const RowsOutput& rows) {
  if (common.json) {
    fmt::print("{}\n", io::to_json(result).dump(2));
  } else if (!common.quiet) {
    fmt::print(rows.is_standard() ? stderr : stdout, "{}", result.full_report());
  } else if (!is_success(result.status)) {
    fmt::print(stderr, "error: {}\n", result.message);
  }
  return info(result.status).exit_code;
}

}  // namespace daedal::app
