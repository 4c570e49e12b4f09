// SPDX-License-Identifier: BSD-3-Clause
#include "result_output.hpp"

#include <daedal/error.hpp>
#include <iostream>
#include <utility>

#include "io/csv.hpp"

namespace daedal::app {

std::ofstream open_output(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file) {
    throw OptionError(ErrorCode::file_not_writable,
                      fmt::format("The file '{}' cannot be written.", path));
  }
  return file;
}

void finish_output(std::ostream& out, const std::string& path) {
  out.flush();
  if (!out) {
    throw OptionError(ErrorCode::file_not_writable, fmt::format("Writing to '{}' failed.", path));
  }
}

RowsOutput::RowsOutput(std::string path, const Common& common) : path_(std::move(path)) {
  if (is_standard() && common.json) {
    throw OptionError(ErrorCode::invalid_option,
                      "--json and -o - both want standard output: give -o a file.");
  }
  if (!path_.empty() && !is_standard()) file_ = open_output(path_);
}

void RowsOutput::write(const Solution& solution, const std::vector<std::string>& globs) {
  if (path_.empty()) return;
  std::ostream& out = is_standard() ? std::cout : file_;
  const auto write_columns = [&](const std::vector<std::string>& chosen) {
    io::write_csv(out, solution, io::select_columns(solution, chosen));
    finish_output(out, path_);
  };
  try {
    write_columns(globs);
  } catch (const OptionError& error) {
    if (error.code() != ErrorCode::unknown_name) throw;
    write_columns({});
    throw OptionError(error.code(), fmt::format("{} All were written.", error.what()));
  }
}

}  // namespace daedal::app
