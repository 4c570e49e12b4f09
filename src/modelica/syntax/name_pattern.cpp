// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/name_pattern.hpp"

#include <algorithm>

#include "modelica/syntax/lexer.hpp"

namespace daedal::modelica {

namespace {

bool has_plain_quote(std::string_view raw) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\')
      ++i;
    else if (raw[i] == '\'')
      return true;
  }
  return false;
}

}  // namespace

std::optional<NamePattern> split_pattern(std::string_view quoted) {
  const std::string_view raw = quoted.substr(1, quoted.size() - 2);
  if (raw.find('\'') == std::string_view::npos) return std::nullopt;
  const bool is_escaped = !has_plain_quote(raw);
  const std::string full = is_escaped ? unquote(quoted) : std::string(raw);
  NamePattern pattern;
  std::size_t begin = 0;
  const auto take = [&](std::size_t end) {
    std::string piece = full.substr(begin, end - begin);
    const bool is_expression = piece.find('\'') != std::string::npos;
    pattern.name += is_expression ? std::string(1, subscript_mark) : piece;
    if (is_expression) pattern.subscripts.push_back(std::move(piece));
    begin = end;
  };
  for (std::size_t open = full.find('['); open != std::string::npos; open = full.find('[', begin)) {
    pattern.name += full.substr(begin, open + 1 - begin);
    begin = open + 1;
    bool in_quotes = false;
    for (std::size_t i = begin; i < full.size(); ++i) {
      if (full[i] == '\\' && !is_escaped) {
        ++i;
        continue;
      }
      if (full[i] == '\'') in_quotes = !in_quotes;
      if (in_quotes || (full[i] != ',' && full[i] != ']')) continue;
      take(i);
      if (full[i] == ']') break;
      pattern.name += full[begin++];
    }
  }
  if (pattern.subscripts.empty()) return std::nullopt;  // it merely has a quote in it
  pattern.name += full.substr(begin);
  return pattern;
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t at = 0;
  for (const char wanted : pattern) {
    const std::size_t begin = at;
    if (wanted == subscript_mark) {
      while (at < name.size() && is_digit(name[at])) ++at;
    } else if (at < name.size() && name[at] == wanted) {
      ++at;
    }
    if (at == begin) return false;
  }
  return at == name.size();
}

void AssignedNames::insert(const std::string& name) {
  if (name.find(subscript_mark) == std::string::npos) {
    names_.insert(name);
  } else {
    patterns_.push_back(name);
  }
}

bool AssignedNames::contains(const std::string& name) const {
  const auto is_assigned = [this](const std::string& whole) {
    return names_.contains(whole) ||
           std::ranges::any_of(patterns_, [&](const std::string& pattern) {
             return matches_pattern(whole, pattern);
           });
  };
  if (names_.empty() && patterns_.empty()) return false;
  // 'a.b[1].c' belongs to 'a', 'a.b' and 'a.b[1]'.
  for (std::size_t end = name.find_first_of(".["); end != std::string::npos;
       end = name.find_first_of(".[", end + 1)) {
    if (is_assigned(name.substr(0, end))) return true;
  }
  return is_assigned(name);
}

}  // namespace daedal::modelica
