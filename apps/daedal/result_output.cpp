// SPDX-License-Identifier: BSD-3-Clause
#include "result_output.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <filesystem>
#include <iostream>
#include <utility>

#include "io/csv.hpp"

namespace daedal::app {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds time_between_writes{1};

std::uint64_t as_bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace

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

void check_distinct(const std::vector<NamedFile>& files) {
  for (auto one = files.begin(); one != files.end(); ++one) {
    for (auto other = files.begin(); other != one; ++other) {
      if (one->path.empty() || other->path.empty() ||
          fs::weakly_canonical(one->path) != fs::weakly_canonical(other->path)) {
        continue;
      }
      throw OptionError(ErrorCode::invalid_option,
                        fmt::format("{} and {} both name '{}': one would replace the other.",
                                    other->option, one->option, one->path));
    }
  }
}

RowsOutput::RowsOutput(std::string path, const std::string& model, std::vector<std::string> globs,
                       const Common& common)
    : path_(std::move(path)), globs_(std::move(globs)) {
  if (is_standard() && common.json) {
    throw OptionError(ErrorCode::invalid_option,
                      "--json and -o - both write to standard output: give -o a file.");
  }
  if (path_.empty() || is_standard()) return;
  file_.emplace(path_, model);
  format_ = io::rows_format(path_);
}

void RowsOutput::append(const Solution& solution) {
  // A run that has begun again has rows at the same times, but not with the same bits.
  const bool is_continued =
      n_written_ > 0 && n_written_ <= solution.n_rows() &&
      solution.times[n_written_ - 1] == last_time_ &&
      std::ranges::equal(solution.row(n_written_ - 1), last_row_, {}, as_bits, as_bits);
  if (!is_continued) {
    file_->restart();
    columns_ = select_columns(solution.names, globs_);
    file_->append(io::csv_header(solution, columns_));
    n_written_ = 0;
  }
  io::write_csv_rows(solution, columns_, n_written_,
                     [this](std::string_view rows) { file_->append(rows); });
  n_written_ = solution.n_rows();
  last_time_ = solution.times.back();
  const auto row = solution.row(n_written_ - 1);
  last_row_.assign(row.begin(), row.end());
}

void RowsOutput::follow(const Solution& solution) {
  if (!file_ || format_ != io::RowsFormat::csv || !file_->is_provisional()) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < time_between_writes || solution.n_rows() == 0) return;
  last_ = now;
  append(solution);
}

void RowsOutput::finish(const Solution& solution) {
  if (path_.empty() || solution.n_rows() == 0) return;
  if (file_ && format_ == io::RowsFormat::csv) {
    append(solution);
    file_->finish();
  } else if (file_) {
    const auto columns = select_columns(solution.names, globs_);
    file_->write([&](std::ostream& out) { io::write_rows(out, solution, columns, format_); });
  } else {
    io::write_rows(std::cout, solution, select_columns(solution.names, globs_), format_);
    std::cout.flush();
    if (!std::cout) {
      throw OptionError(ErrorCode::file_not_writable, "Standard output could not be written.");
    }
  }
}

}  // namespace daedal::app
