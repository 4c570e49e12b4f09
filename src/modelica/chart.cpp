// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/modelica.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <daedal/error.hpp>
#include <vector>

#include "modelica/names_in_text.hpp"

namespace daedal {

namespace {

using modelica::identifiers;
using modelica::unquoted;

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

struct ChartEquation {
  std::string_view left, right;
};

std::vector<ChartEquation> split(std::string_view text) {
  std::vector<ChartEquation> equations;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t sign = part.find('=');
    if (sign == std::string_view::npos || trim(part.substr(0, sign)).empty()) {
      throw OptionError(ErrorCode::invalid_option,
                        fmt::format("A chart must be a list of equations position = expression "
                                    "(got '{}').",
                                    part));
    }
    equations.push_back({trim(part.substr(0, sign)), trim(part.substr(sign + 1))});
  }
  return equations;
}

}  // namespace

Model parse_chart(const std::string& text, const Model& model) {
  const std::vector<ChartEquation> equations = split(text);
  std::vector<std::string> declared;
  std::string declarations, body;
  const auto declare = [&](const std::string& written, std::string_view kind,
                           std::string_view binding) {
    declared.push_back(unquoted(written));
    declarations += fmt::format("  {} {}{};\n", kind, written, binding);
  };
  const auto is_declared = [&](const std::string& written) {
    return std::find(declared.begin(), declared.end(), unquoted(written)) != declared.end();
  };
  for (const auto& [left, right] : equations) {
    if (is_declared(std::string(left))) {
      throw OptionError(ErrorCode::invalid_option,
                        fmt::format("The chart gives '{}' twice.", unquoted(left)));
    }
    declare(std::string(left), "Real", "");
    body += fmt::format("  {} = {};\n", left, right);
  }
  for (const auto& [left, right] : equations) {
    for (const std::string& name : identifiers(right)) {
      if (name == "time" || is_declared(name)) continue;
      const auto parameters = model.parameters();
      const bool is_parameter =
          std::any_of(parameters.begin(), parameters.end(),
                      [&](const Parameter& parameter) { return parameter.name == unquoted(name); });
      declare(name, is_parameter ? "parameter Real" : "Real", is_parameter ? " = 1" : "");
      if (!is_parameter) body += fmt::format("  der({}) = 0;\n", name);
    }
  }
  return parse_model(fmt::format("model Chart\n{}equation\n{}end Chart;\n", declarations, body),
                     "chart");
}

}  // namespace daedal
