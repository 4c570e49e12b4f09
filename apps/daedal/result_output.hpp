// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where the result of a run goes: its rows to a file or to standard output, its report to the
/// screen, as a page or as JSON.

#include <fmt/format.h>

#include <cstdio>
#include <daedal/solution.hpp>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "commands.hpp"
#include "io/json.hpp"
#include "summary.hpp"

namespace daedal::app {

/// A file that is written when its content is there, and not before. What is at its path stays
/// until then: the content goes to PATH.part, which replaces it. Pipes and devices are written
/// directly.
class OutputFile {
 public:
  /// Checks before the run that the path can be written, since that must not cost a run, and that
  /// it is not `input`, the file that the run is read from. Throws OptionError.
  OutputFile(std::string path, const std::string& input);

  /// Calls `write(stream)`. Throws OptionError when something of it is lost; what was written is
  /// then in PATH.part.
  void write(const std::function<void(std::ostream&)>& write) const;

 private:
  std::string path_;
  bool is_direct_ = false;  ///< a pipe or a device
};

/// The page that --report names. Throws OptionError where that is standard output or no page.
OutputFile report_file(const std::string& path, const std::string& input);

/// Throws OptionError when -o and --report name the same file: one would replace the other.
void check_distinct(const std::string& output, const std::string& report);

/// The rows of a solution, where -o says.
class RowsOutput {
 public:
  /// `path` is empty for none, "-" for standard output; `model` is the file of the model. Throws
  /// OptionError.
  RowsOutput(std::string path, const std::string& model, const Common& common);

  /// A run without rows leaves the file as it is.
  void write(const Solution& solution, const std::vector<std::string>& globs);
  [[nodiscard]] bool is_standard() const { return path_ == "-"; }

 private:
  std::string path_;
  std::optional<OutputFile> file_;
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
    fmt::print(rows.is_standard() ? stderr : stdout, "{}",
               common.verbose ? result.full_report() : summary(result));
  } else if (!is_success(result.status)) {
    fmt::print(stderr, "error: {}\n", result.message);
  }
  return info(result.status).exit_code;
}

}  // namespace daedal::app
