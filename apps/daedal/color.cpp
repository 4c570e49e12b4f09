// SPDX-License-Identifier: BSD-3-Clause
#include "color.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <daedal/status.hpp>

namespace daedal::app {

namespace {

ColorMode color_mode = ColorMode::automatic;

bool takes_colors(std::FILE* out) {
  if (color_mode != ColorMode::automatic) return color_mode == ColorMode::always;
  const char* const unwanted = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (unwanted != nullptr && *unwanted != '\0') return false;
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(fileno(out)) == 1;
}

/// Parameters of the control sequence "select graphic rendition" (ECMA-48).
std::string_view code(Style style) {
  constexpr std::string_view codes[] = {"1", "32", "1;31", "1;33", "36"};
  return codes[static_cast<std::size_t>(style)];
}

Style style_of_label(std::string_view label) {
  if (label == "warning") return Style::doubtful;
  return label == "note" ? Style::remark : Style::strong;
}

}  // namespace

void set_color_mode(ColorMode mode) {
  color_mode = mode;
}

std::string styled(std::string_view text, Style style, std::FILE* out) {
  if (!takes_colors(out)) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code(style), text);
}

std::string styled_status(std::string_view name, std::FILE* out) {
  const auto statuses = all_statuses();
  const auto found = std::ranges::find(statuses, name, &StatusInfo::name);
  const bool is_good = found != statuses.end() && is_success(found->status);
  return styled(name, is_good ? Style::good : Style::bad, out);
}

void print_page(std::string_view page, std::FILE* out) {
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size() - 1) + 1;
    std::string_view line = page.substr(0, end);
    page.remove_prefix(end);
    // Two blanks end a label; lines that go on with the one above begin with blanks.
    const std::size_t gap = std::min(line.find("  "), line.size());
    const std::string_view label = line.substr(0, gap);
    if (gap == 0 || gap == line.size()) {
      fmt::print(out, "{}", line);
      continue;
    }
    line.remove_prefix(gap);
    fmt::print(out, "{}", styled(label, style_of_label(label), out));
    if (label == "status") {
      const std::size_t begin = line.find_first_not_of(' ');
      const std::string_view word = line.substr(begin, line.find(':') - begin);
      fmt::print(out, "{}{}", line.substr(0, begin), styled_status(word, out));
      line.remove_prefix(begin + word.size());
    }
    fmt::print(out, "{}", line);
  }
}

}  // namespace daedal::app
