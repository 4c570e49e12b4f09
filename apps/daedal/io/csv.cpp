// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace daedal::io {

namespace {

/// Characters that are written at once: enough for few calls, and memory that stays in caches.
constexpr std::size_t piece = 1 << 16;

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

// Records end in CRLF in RFC 4180's grammar; it also says that many readers take LF alone, which is
// what line tools on this system expect.
std::string csv_header(const Solution& solution, const std::vector<std::size_t>& columns) {
  std::string line = "time";
  for (const std::size_t column : columns) line += ',' + csv_field(solution.names[column]);
  return line + '\n';
}

void write_csv_rows(const Solution& solution, const std::vector<std::size_t>& columns,
                    std::size_t first, const std::function<void(std::string_view)>& write) {
  fmt::memory_buffer lines;
  const auto append = [&lines](double value) {
    fmt::format_to(std::back_inserter(lines), FMT_COMPILE("{}"), value);
  };
  for (std::size_t i = first; i < solution.n_rows(); ++i) {
    const auto row = solution.row(i);
    append(solution.times[i]);
    for (const std::size_t column : columns) {
      lines.push_back(',');
      // The sign of a NaN says nothing.
      append(std::isnan(row[column]) ? std::abs(row[column]) : row[column]);
    }
    lines.push_back('\n');
    if (lines.size() < piece && i + 1 < solution.n_rows()) continue;
    write({lines.data(), lines.size()});
    lines.clear();
  }
}

}  // namespace daedal::io
