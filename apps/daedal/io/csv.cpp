// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace daedal::io {

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

std::string csv_rows(const Solution& solution, const std::vector<std::size_t>& columns,
                     std::size_t first) {
  fmt::memory_buffer lines;
  for (std::size_t i = first; i < solution.n_rows(); ++i) {
    const auto row = solution.row(i);
    fmt::format_to(std::back_inserter(lines), "{}", solution.times[i]);
    for (const std::size_t column : columns) {
      // The sign of a NaN says nothing.
      const double value = std::isnan(row[column]) ? std::abs(row[column]) : row[column];
      fmt::format_to(std::back_inserter(lines), ",{}", value);
    }
    lines.push_back('\n');
  }
  return fmt::to_string(lines);
}

}  // namespace daedal::io
