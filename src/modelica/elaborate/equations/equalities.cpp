// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/equations/equalities.hpp"

#include <fmt/format.h>

#include "modelica/elaborate/expressions/expressions.hpp"
#include "modelica/elaborate/expressions/functions.hpp"
#include "modelica/elaborate/expressions/structural_parameters.hpp"

namespace daedal::modelica {

/// What names the equation in messages: the user's comment on it, or else its text; shortened.
std::string Equalities::name_of(const Statement& statement) const {
  constexpr std::size_t longest = 60;
  std::string name;
  const bool is_described =
      statement.description != none && !context_.ast.text(statement.description).empty();
  const std::string_view text =
      is_described ? std::string_view(context_.ast.text(statement.description))
                   : context_.text.substr(statement.begin, statement.end - statement.begin);
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (name.empty() || name.back() == ' ')) continue;
    if (name.size() >= longest) {
      // Never in the middle of a UTF-8 character.
      while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xC0U) == 0x80U) {
        name.pop_back();
      }
      if (!name.empty() && static_cast<unsigned char>(name.back()) >= 0x80U) name.pop_back();
      name += "...";
      break;
    }
    name += blank ? ' ' : c;
  }
  return name;
}

void Equalities::read(const Statement& statement, const std::string& suffix, FlatEquations& sink) {
  const ExprNode& left = context_.ast.expr(statement.lhs);
  if (left.kind == ExprKind::tuple) {
    functions_.for_each_result(left, context_.ast.expr(statement.rhs),
                               "A list of variables can equal a function call only.",
                               [&](ExprId variable, const Value& result) {
                                 add(expressions_.evaluate(variable), result, statement.where,
                                     name_of(statement) + suffix, sink);
                               });
    return;
  }
  const Value lhs = expressions_.evaluate(statement.lhs);
  const Value rhs = expressions_.evaluate(statement.rhs);
  add(lhs, rhs, statement.where, name_of(statement) + suffix, sink);
}

void Equalities::check_sides(const Value& lhs, const Value& rhs, Position where) const {
  const bool numbers = lhs.is_number() && rhs.is_number();
  if (lhs.shape == rhs.shape && (numbers || lhs.type == rhs.type) && lhs.type != Type::scattered &&
      lhs.parts.size() == rhs.parts.size()) {
    return;
  }
  const bool is_number_of_boolean =
      lhs.shape == rhs.shape && ((lhs.type == Type::boolean && rhs.is_number()) ||
                                 (rhs.type == Type::boolean && lhs.is_number()));
  context_.fail(
      ErrorCode::type_mismatch, where,
      fmt::format("The sides of this equation do not fit: {} on the left, {} on "
                  "the right.{}",
                  describe(lhs), describe(rhs),
                  is_number_of_boolean ? " Write 'if ... then 1 else 0' to make a number of a "
                                         "Boolean."
                                       : ""));
}

void Equalities::add(const Value& lhs, const Value& rhs, Position where, const std::string& name,
                     FlatEquations& sink) {
  if (lhs.type == Type::scattered && rhs.type == Type::record) {
    return add(expressions_.conform(lhs, rhs, where, "other side"), rhs, where, name, sink);
  }
  if (rhs.type == Type::scattered && lhs.type == Type::record) {
    return add(lhs, expressions_.conform(rhs, lhs, where, "other side"), where, name, sink);
  }
  check_sides(lhs, rhs, where);
  for (std::size_t i = 0; i < lhs.parts.size(); ++i) {
    add(lhs.parts[i], rhs.parts[i], where, name, sink);
  }
  const Type type = lhs.type == Type::real || rhs.type == Type::real ? Type::real : lhs.type;
  for (std::size_t i = 0; i < lhs.nodes.size(); ++i) {
    const bool assigns_integer = lhs.type == Type::integer && type == Type::real &&
                                 context_.pool[lhs.nodes[i]].op == Op::discrete;
    if (assigns_integer && (context_.instant || !structure_.is_continuous(rhs.nodes[i]))) {
      context_.fail(ErrorCode::type_mismatch, where,
                    "This equation gives an Integer a Real value: round it with integer().");
    }
    sink.push_back({lhs.nodes[i], rhs.nodes[i], type, where, name + subscript_text(lhs.shape, i)});
  }
}

}  // namespace daedal::modelica
