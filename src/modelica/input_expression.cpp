// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/input_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>

#include "modelica/names_in_text.hpp"

namespace daedal {

namespace {

std::string_view type_word(ValueType type) {
  return type == ValueType::boolean ? "Boolean" : type == ValueType::integer ? "Integer" : "Real";
}

[[noreturn]] void refuse_expression(const std::string& text, const Variable& input,
                                    const std::string& reason) {
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("The expression '{}' for the input '{}' {}", text, input.name, reason));
}

/// "  parameter Real k = 2;" for every parameter that the text uses.
std::string declarations_for(const std::string& text, const Variable& input, const Model& model) {
  std::vector<double> values;
  try {
    values = model.parameter_values();
  } catch (const ModelError&) {
    values.assign(model.parameters().size(), 1.0);  // some are to be given: any number will do
  }
  std::string declarations;
  std::vector<std::string> seen;
  for (const std::string& written : modelica::identifiers(text)) {
    const std::string name = modelica::unquoted(written);
    if (name == "time" || std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    const auto is_it = [&](const auto& item) { return item.name == name; };
    if (std::ranges::any_of(model.variables(), is_it) ||
        std::ranges::any_of(model.discretes(), is_it)) {
      refuse_expression(text, input,
                        fmt::format("uses the variable '{}': an input depends on time and on "
                                    "parameters alone.",
                                    name));
    }
    const auto parameter = std::ranges::find_if(model.parameters(), is_it);
    if (parameter == model.parameters().end()) continue;
    const double value = values[static_cast<std::size_t>(parameter - model.parameters().begin())];
    const std::string number = parameter->type == ValueType::boolean
                                   ? (value != 0.0 ? "true" : "false")
                                   : fmt::format("{}", value);
    declarations +=
        fmt::format("parameter {} {} = {};\n", type_word(parameter->type), written, number);
  }
  return declarations;
}

}  // namespace

Model parse_input_expression(const std::string& text, const Variable& input, const Model& model) {
  if (text.find(';') != std::string::npos) {
    refuse_expression(text, input, "has a ';': one expression is expected.");
  }
  if (std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c) != 0; })) {
    refuse_expression(text, input, "is empty.");
  }
  const std::string source = fmt::format(
      "model Input\n{}{} '{}';\nequation\n'{}' = {}\n;\nend Input;\n",
      declarations_for(text, input, model), type_word(input.type), input.name, input.name, text);
  try {
    Model result = parse_model(source, "input");
    if (result.variables().size() + (input.type == ValueType::real ? 0 : 1) == 1) return result;
  } catch (const ParseError& error) {
    refuse_expression(text, input, "cannot be read: " + error.diagnostics().front().message);
  } catch (const ModelError& error) {
    refuse_expression(text, input, fmt::format("cannot be used: {}", error.what()));
  }
  refuse_expression(text, input,
                    "needs unknowns of its own, as delay() does: state it in the model.");
}

}  // namespace daedal
