// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/nearest_name.hpp>
#include <daedal/selection.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <daedal/error.hpp>

namespace daedal {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw OptionError(ErrorCode::invalid_option, sentence);
}

FieldValue parse_value(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc{} && rest == end) return value;
  return std::string(text);
}

/// "at least 1 and at most 5", "greater than 0".
std::string describe(const Range& range) {
  std::vector<std::string> bounds;
  if (std::isfinite(range.minimum)) {
    bounds.push_back(fmt::format("{} {:g}", range.excludes_minimum ? "greater than" : "at least",
                                 range.minimum));
  }
  if (std::isfinite(range.maximum)) bounds.push_back(fmt::format("at most {:g}", range.maximum));
  return bounds.empty() ? "finite" : fmt::format("{}", fmt::join(bounds, " and "));
}

bool contains(const Range& range, double value) {
  const bool is_above = range.excludes_minimum ? value > range.minimum : value >= range.minimum;
  return is_above && value <= range.maximum && std::isfinite(value);
}

/// The number that a word stands for in a field of this kind.
double number_of(std::string_view owner, const FieldInfo& field, const std::string& word) {
  if (field.kind == FieldKind::flag && (word == "true" || word == "false")) return word == "true";
  const auto found = std::find(field.choices.begin(), field.choices.end(), word);
  if (found != field.choices.end()) return static_cast<double>(found - field.choices.begin());
  if (field.kind == FieldKind::choice) {
    refuse(fmt::format("The parameter '{}' of '{}' must be one of {} (got '{}').", field.name,
                       owner, fmt::join(field.choices, ", "), word));
  }
  refuse(fmt::format("The parameter '{}' of '{}' must be a {} (got '{}').", field.name, owner,
                     field.kind == FieldKind::flag ? "flag, 0 or 1" : "number", word));
}

}  // namespace

std::string_view to_string(FieldKind kind) {
  constexpr std::string_view names[] = {"real", "integer", "flag", "choice"};
  return names[static_cast<std::size_t>(kind)];
}

namespace selection_detail {

NamedValues parse(std::string_view text) {
  const auto colon = text.find(':');
  NamedValues result{std::string(text.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return result;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      refuse(fmt::format("'{}' in '{}' is not of the form name=value.", part, text));
    }
    result.values.insert_or_assign(std::string(part.substr(0, equals)),
                                   parse_value(part.substr(equals + 1)));
    if (comma == std::string_view::npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

std::string print(std::string_view name, const FieldValues& values) {
  std::string text(name);
  char separator = ':';
  for (const auto& [field, value] : values) {
    text += separator + field + '=' +
            (value.word() != nullptr ? *value.word() : fmt::format("{}", *value.number()));
    separator = ',';
  }
  return text;
}

double checked(std::string_view owner, const FieldInfo& field, const FieldValue& value) {
  const double number =
      value.word() != nullptr ? number_of(owner, field, *value.word()) : *value.number();
  Range range = field.range;
  if (field.kind == FieldKind::flag) range = {.minimum = 0.0, .maximum = 1.0};
  if (field.kind == FieldKind::choice) {
    range = {.minimum = std::max(0.0, field.range.minimum),
             .maximum = static_cast<double>(field.choices.size()) - 1.0};
  }
  const bool is_whole = field.kind == FieldKind::real || number == std::floor(number);
  if (!is_whole || !contains(range, number)) {
    refuse(fmt::format("The parameter '{}' of '{}' must be {}{} (got {}).", field.name, owner,
                       field.kind == FieldKind::real ? "" : "a whole number, ", describe(range),
                       number));
  }
  return number;
}

void refuse_unknown(std::string_view owner, std::span<const FieldInfo> fields,
                    const FieldValues& values) {
  std::vector<std::string> names;
  for (const FieldInfo& field : fields) names.emplace_back(field.name);
  for (const auto& [name, value] : values) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (names.empty()) refuse(fmt::format("'{}' has no parameters (got '{}').", owner, name));
    const std::string nearest = nearest_name(name, names);
    refuse(fmt::format("'{}' has no parameter '{}'.{} It has: {}.", owner, name,
                       nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest),
                       fmt::join(names, ", ")));
  }
}

void refuse_other(std::string_view wanted, std::string_view given) {
  refuse(fmt::format("'{}' was selected where '{}' is read.", given, wanted));
}

}  // namespace selection_detail

}  // namespace daedal
