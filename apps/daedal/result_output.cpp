// SPDX-License-Identifier: BSD-3-Clause
#include "result_output.hpp"

#include <daedal/error.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "io/csv.hpp"
#include "io/rows.hpp"

namespace daedal::app {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path) {
  throw OptionError(ErrorCode::file_not_writable,
                    fmt::format("The file '{}' cannot be written.", path));
}

void finish(std::ostream& out, const std::string& path) {
  out.flush();
  if (!out) {
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("Writing to '{}' failed: is the disk full?", path));
  }
}

}  // namespace

OutputFile::OutputFile(std::string path, const std::string& input) : path_(std::move(path)) {
  std::error_code error;
  if (fs::equivalent(path_, input, error)) {
    throw OptionError(
        ErrorCode::file_not_writable,
        fmt::format("The output '{}' is the file that the model is read from.", path_));
  }
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) refuse(path_);
  is_direct_ = fs::exists(status) && !fs::is_regular_file(status);
  if (is_direct_) return;
  if (fs::exists(status) && !std::ofstream(path_, std::ios::app)) refuse(path_);
  const std::string part = path_ + ".part";
  if (!std::ofstream(part, std::ios::app)) refuse(path_);
  fs::remove(part, error);
}

void OutputFile::write(const std::function<void(std::ostream&)>& write) const {
  const std::string target = is_direct_ ? path_ : path_ + ".part";
  std::ofstream file(target, std::ios::binary);
  if (!file) refuse(path_);
  write(file);
  finish(file, target);
  file.close();
  if (is_direct_) return;
  std::error_code error;
  fs::rename(target, path_, error);
  if (error) {
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("'{}' cannot replace '{}': {}.", target, path_, error.message()));
  }
}

OutputFile report_file(const std::string& path, const std::string& input) {
  const std::string extension = fs::path(path).extension().string();
  if (path == "-") {
    throw OptionError(ErrorCode::invalid_option,
                      "A report is a page for a browser, not for standard output: give --report a "
                      "file such as run.html.");
  }
  if (!extension.empty() && extension != ".html" && extension != ".htm") {
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("A report is a page for a browser: '{}' should end in .html.", path));
  }
  return {path, input};
}

void check_distinct(const std::string& output, const std::string& report) {
  if (output.empty() || report.empty() ||
      fs::weakly_canonical(output) != fs::weakly_canonical(report)) {
    return;
  }
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("-o and --report both name '{}': the report would replace the rows.", report));
}

RowsOutput::RowsOutput(std::string path, const std::string& model, const Common& common)
    : path_(std::move(path)) {
  if (is_standard() && common.json) {
    throw OptionError(ErrorCode::invalid_option,
                      "--json and -o - both want standard output: give -o a file.");
  }
  if (path_.empty() || is_standard()) return;
  file_.emplace(path_, model);
  io::rows_format(path_);
}

void RowsOutput::write(const Solution& solution, const std::vector<std::string>& globs) {
  if (path_.empty() || solution.n_rows() == 0) return;
  const auto columns = io::select_columns(solution, globs);
  if (file_) {
    const io::RowsFormat format = io::rows_format(path_);
    file_->write([&](std::ostream& out) { io::write_rows(out, solution, columns, format); });
  } else {
    io::write_csv(std::cout, solution, columns);
    finish(std::cout, "standard output");
  }
}

}  // namespace daedal::app
