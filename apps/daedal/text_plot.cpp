// SPDX-License-Identifier: BSD-3-Clause
#include "text_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace daedal::app {

namespace {

constexpr std::size_t plot_width = 60;  ///< characters
constexpr std::size_t plot_height = 4;  ///< characters
constexpr std::size_t across = 2;       ///< dots of a character
constexpr std::size_t upright = 4;      ///< dots of a character
/// Plots that fit a screen.
constexpr std::size_t most_plots = 6;

/// The least and the greatest of the values that are numbers.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

/// What a variable does in each column of dots, the line between its rows included.
std::vector<Range> spans(const Solution& solution, std::size_t column) {
  std::vector<Range> spans(plot_width * across);
  const double begin = solution.times.front();
  const double length = solution.times.back() - begin;
  const auto dot = [&](double time) {
    const double share = length == 0.0 ? 0.0 : (time - begin) / length;
    return std::min(spans.size() - 1,
                    static_cast<std::size_t>(share * static_cast<double>(spans.size())));
  };
  for (std::size_t i = 0; i < solution.n_rows(); ++i) {
    const double value = solution.row(i)[column];
    const std::size_t here = dot(solution.times[i]);
    spans[here].include(value);
    if (i == 0) continue;
    const double before = solution.row(i - 1)[column];
    const std::size_t from = dot(solution.times[i - 1]);
    for (std::size_t d = from + 1; d < here; ++d) {
      const double share = static_cast<double>(d - from) / static_cast<double>(here - from);
      spans[d].include(before + share * (value - before));
    }
  }
  // Steep parts are joined: a column of dots begins where the one before it ended.
  for (std::size_t d = spans.size() - 1; d > 0; --d) {
    if (spans[d].empty() || spans[d - 1].empty()) continue;
    if (spans[d].low > spans[d - 1].high) spans[d].low = spans[d - 1].high;
    if (spans[d].high < spans[d - 1].low) spans[d].high = spans[d - 1].low;
  }
  return spans;
}

/// U+2800 with the bits of the dots that are set, in UTF-8.
std::string braille(unsigned bits) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 + (bits >> 6U)),
          static_cast<char>(0x80 + (bits & 0x3FU))};
}

/// The bit of a dot, by its column and its row from the top.
constexpr std::array<std::array<unsigned, upright>, across> bits{
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

void append_plot(const Solution& solution, std::size_t column, const std::string& title,
                 std::string& text) {
  const auto out = std::back_inserter(text);
  const std::vector<Range> all = spans(solution, column);
  Range whole;
  for (const Range& range : all) {
    whole.include(range.low);
    whole.include(range.high);
  }
  if (whole.empty()) {
    fmt::format_to(out, "{}: no numbers\n", solution.names[column]);
    return;
  }
  const double size = whole.high - whole.low;
  const auto row = [&](double value) {  // of dots, from the top; a constant lies in the middle
    const double share = size == 0.0 ? 0.5 : (whole.high - value) / size;
    return static_cast<std::size_t>(std::lround(share * (upright * plot_height - 1)));
  };
  std::array<std::array<unsigned, plot_width>, plot_height> picture{};
  for (std::size_t x = 0; x < all.size(); ++x) {
    if (all[x].empty()) continue;
    for (std::size_t y = row(all[x].high); y <= row(all[x].low); ++y) {
      picture[y / upright][x / across] |= bits[x % across][y % upright];
    }
  }
  fmt::format_to(out, "{}\n", title);
  for (std::size_t line = 0; line < plot_height; ++line) {
    const std::string scale = line == 0                 ? fmt::format("{:.4g}", whole.high)
                              : line == plot_height - 1 ? fmt::format("{:.4g}", whole.low)
                                                        : "";
    fmt::format_to(out, "{:>11} ", scale);
    for (const unsigned cell : picture[line]) text += braille(cell);
    text += '\n';
  }
}

/// "h [m]": a variable or a parameter as the model declares it.
std::string with_unit(const std::string& name, const Model& model) {
  std::string unit;
  const auto look = [&](const auto& declared) {
    const auto found =
        std::ranges::find_if(declared, [&](const auto& d) { return d.name == name; });
    if (found != declared.end()) unit = found->unit;
  };
  look(model.variables());
  look(model.discretes());
  look(model.parameters());
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

}  // namespace

std::string text_plot(const Model& model, const Solution& solution,
                      const std::vector<std::size_t>& columns) {
  std::string text;
  if (solution.n_rows() == 0) return text;
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < std::min(columns.size(), most_plots); ++i) {
    append_plot(solution, columns[i], with_unit(solution.names[columns[i]], model), text);
  }
  const std::string begin = fmt::format("{:g}", solution.times.front());
  fmt::format_to(out, "{:>11} {}{:>{}}\n", "time", begin,
                 fmt::format("{:g}", solution.times.back()), plot_width - begin.size());
  if (columns.size() > most_plots) {
    fmt::format_to(out, "{} of {} variables; --variables chooses others\n", most_plots,
                   columns.size());
  }
  return text + '\n';
}

}  // namespace daedal::app
