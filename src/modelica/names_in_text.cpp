// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/names_in_text.hpp"

#include <algorithm>
#include <cctype>

namespace daedal::modelica {

namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string unquoted(std::string_view name) {
  const bool is_quoted = name.size() >= 2 && name.front() == '\'' && name.back() == '\'';
  return std::string(is_quoted ? name.substr(1, name.size() - 2) : name);
}

std::vector<std::string> identifiers(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '\'') {
      while (end < text.size() && text[end] != '\'') ++end;
      end = std::min(end + 1, text.size());
      found.emplace_back(text.substr(i, end - i));
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_') {
      while (end < text.size() && is_name_character(text[end])) ++end;
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      if (next == std::string_view::npos || text[next] != '(')
        found.emplace_back(text.substr(i, end - i));
    } else if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      // A number with an exponent is no name.
      while (end < text.size() && (is_name_character(text[end]) || text[end] == '.')) ++end;
    }
    i = end;
  }
  return found;
}

}  // namespace daedal::modelica
