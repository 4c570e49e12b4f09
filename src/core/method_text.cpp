// SPDX-License-Identifier: BSD-3-Clause
#include "core/method_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <daedal/error.hpp>

namespace daedal {

namespace {

double parse_number(std::string_view text, std::string_view whole) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("'{}' in '{}' is not a number.", text, whole));
  }
  return value;
}

}  // namespace

std::pair<std::string, double> parse_assignment(std::string_view text) {
  const auto equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("'{}' is not of the form name=value.", text));
  }
  std::string_view name = text.substr(0, equals);
  if (name.size() > 2 && name.front() == '\'' && name.back() == '\'') {
    name = name.substr(1, name.size() - 2);
  }
  return {std::string(name), parse_number(text.substr(equals + 1), text)};
}

NamedChoice parse_choice(std::string_view text) {
  const auto colon = text.find(':');
  NamedChoice choice{std::string(text.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return choice;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const auto comma = rest.find(',');
    auto [name, value] = parse_assignment(rest.substr(0, comma));
    choice.parameters.insert_or_assign(std::move(name), value);
    if (comma == std::string_view::npos) return choice;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace daedal
