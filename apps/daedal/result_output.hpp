// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where the result of a run goes: its rows to a file or to standard output, its report to the
/// screen, as a page or as JSON.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <daedal/solution.hpp>
#include <optional>
#include <string>
#include <vector>

#include "color.hpp"
#include "commands.hpp"
#include "io/json.hpp"
#include "io/output_file.hpp"
#include "io/rows.hpp"
#include "summary.hpp"

namespace daedal::app {

using io::OutputFile;

/// The page that --report names. Throws OptionError where that is standard output or no page.
OutputFile report_file(const std::string& path, const std::string& input);

/// What an option names; empty for none.
struct NamedFile {
  const char* option;
  std::string path;
};
/// Throws OptionError when two options name the same file: one would replace the other.
void check_distinct(const std::vector<NamedFile>& files);

/// Rows are at most this part of the run apart where nothing is said about them: a curve through
/// the steps of a high order has corners.
constexpr std::int64_t points_of_rows = 500;

/// The rows of a solution, where -o says.
class RowsOutput {
 public:
  /// `path` is empty for none, "-" for standard output; `model` is the file of the model. `globs`
  /// choose the columns. Throws OptionError.
  RowsOutput(std::string path, const std::string& model, std::vector<std::string> globs,
             const Common& common);

  /// During the run, after every step: a file of comma-separated values has its rows every second,
  /// so that a run that is killed loses no more. A run that begins again takes its rows back.
  /// Throws OptionError.
  void follow(const Solution& solution);
  /// At the end. A run without rows leaves the file as it is.
  void finish(const Solution& solution);
  [[nodiscard]] bool is_standard() const { return path_ == "-"; }

 private:
  using Clock = std::chrono::steady_clock;
  /// The rows that are not in the file yet.
  void append(const Solution& solution);

  std::string path_;
  std::vector<std::string> globs_;
  std::optional<OutputFile> file_;
  io::RowsFormat format_ = io::RowsFormat::csv;
  std::vector<std::size_t> columns_;
  std::size_t n_written_ = 0;
  double last_time_ = 0.0;  ///< of the rows that were written
  std::vector<double> last_row_;
  Clock::time_point last_ = Clock::now();
};

/// The report of a run, on the screen; returns its exit code. `Result` is a Solution or its kin;
/// `more` are further entries of the JSON document.
template <class Result>
int print_result(const Result& result, const Common& common, const RowsOutput& rows,
                 const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
  if (common.json) {
    nlohmann::ordered_json json = io::to_json(result);
    json.update(more);
    fmt::print("{}\n", json.dump(2));
  } else if (!common.quiet) {
    print_page(common.verbose ? result.full_report() : summary(result),
               rows.is_standard() ? stderr : stdout);
  } else if (!is_success(result.status)) {
    fmt::print(stderr, "{} {}\n", styled("error:", Style::bad, stderr), result.message);
  }
  return info(result.status).exit_code;
}

}  // namespace daedal::app
