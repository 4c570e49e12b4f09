// SPDX-License-Identifier: BSD-3-Clause
#include "model/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expr/pool.hpp"
#include "expr/print.hpp"

namespace daedal {

std::string place_suffix(const SourcePosition& where) {
  return where.known() ? fmt::format(" (line {})", where.line) : std::string();
}

std::string equation_label(const Equation& equation, Index index) {
  const std::string place = place_suffix(equation.where);
  if (!equation.name.empty()) return fmt::format("'{}'{}", equation.name, place);
  return fmt::format("equation {}{}", index + 1, place);
}

std::string equation_label(const Model& model, Index index) {
  return equation_label(model.equations()[index], index);
}

std::string variable_label(const Variable& variable) {
  return fmt::format("'{}'{}", variable.name, place_suffix(variable.where));
}

std::string leaf_name(const Model& model, NodeId leaf) {
  const Node& node = (*model.pool())[leaf];
  const auto symbol = static_cast<std::size_t>(std::max(node.symbol, 0));
  switch (node.op) {
    case Op::variable:
      if (node.order == 0) return model.variables()[symbol].name;
      if (node.order == 1) return fmt::format("der({})", model.variables()[symbol].name);
      return fmt::format("der({}, {})", model.variables()[symbol].name, node.order);
    case Op::pre_variable:
      return fmt::format("pre({})", model.variables()[symbol].name);
    case Op::final_variable:
      return fmt::format("{}(finalTime)", model.variables()[symbol].name);
    case Op::parameter:
      return model.parameters()[symbol].name;
    case Op::discrete:
      return model.discretes()[symbol].name;
    case Op::pre:
      return fmt::format("pre({})", model.discretes()[symbol].name);
    case Op::time:
      return "time";
    case Op::sample:
      return fmt::format("sample {}", symbol + 1);
    case Op::initial:
      return "initial()";
    case Op::terminal:
      return "terminal()";
    default:
      return fmt::format("{}", node.value);
  }
}

std::string expression_text(const Model& model, const Pool& pool, NodeId root) {
  constexpr std::size_t longest = 60;
  const NameOf name_of = [&](Op kind, SymbolId symbol) {
    const auto i = static_cast<std::size_t>(symbol);
    if (kind == Op::parameter) return model.parameters()[i].name;
    if (kind == Op::variable || kind == Op::pre_variable) return model.variables()[i].name;
    if (kind == Op::sample) return fmt::format("sample {}", i + 1);
    return model.discretes()[i].name;
  };
  return to_string(pool, root, name_of, {.max_length = longest});
}

double without_round_off(double value, double greatest) {
  return std::abs(value) < round_off * round_off * greatest ? 0.0 : value;
}

std::string join_words(const std::vector<std::string>& words, std::size_t most) {
  const std::size_t shown = words.size() > most ? most : words.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == words.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += words[i];
  }
  if (shown < words.size()) text += fmt::format(" and {} more", words.size() - shown);
  return text;
}

}  // namespace daedal
