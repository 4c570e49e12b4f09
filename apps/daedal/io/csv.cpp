// SPDX-License-Identifier: BSD-3-Clause
#include "io/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>
#include <iterator>
#include <numeric>

namespace daedal::io {

bool matches_glob(std::string_view text, std::string_view glob) {
  std::size_t t = 0;
  std::size_t g = 0;
  std::size_t star = std::string_view::npos;  // the last '*' seen: where to try again from
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

std::vector<std::size_t> select_columns(const Solution& solution,
                                        const std::vector<std::string>& globs) {
  std::vector<std::size_t> columns;
  if (globs.empty()) {
    columns.resize(solution.names.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    return columns;
  }
  std::vector<bool> chosen(solution.names.size(), false);
  for (const std::string& glob : globs) {
    bool found = false;
    for (std::size_t i = 0; i < solution.names.size(); ++i) {
      if (!matches_glob(solution.names[i], glob)) continue;
      chosen[i] = true;
      found = true;
    }
    if (!found) {
      throw OptionError(ErrorCode::unknown_name,
                        fmt::format("No variable of the model matches '{}'.", glob));
    }
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) columns.push_back(i);
  }
  return columns;
}

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
