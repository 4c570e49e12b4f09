// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Operators of the language on values: scalars, element by element, and matrix products.

#include "modelica/elaborate/context.hpp"
#include "modelica/syntax/token.hpp"

namespace daedal::modelica {

class Operators {
 public:
  explicit Operators(Context& context) : context_(context) {}

  Value negate(const Value& a, Position where);
  Value logical_not(const Value& a, Position where);
  /// + - * / ^ and their dotted forms, and, or.
  Value apply(TokenKind op, const Value& a, const Value& b, Position where);
  /// The same with the result in place of `a`.
  void extend(Value& a, TokenKind op, const Value& b, Position where);
  /// `continuous`: one of the sides changes between events, so that the relation needs an id.
  Value relation(TokenKind op, const Value& a, const Value& b, bool continuous, Position where);
  /// condition ? a : b, element by element.
  /// `may_miss`: what one side alone has assigned has no finite value on the other, else none at
  /// all.
  Value select(NodeId condition, const Value& a, const Value& b, Position where,
               bool may_miss = false);

  /// {a, b, c}: one dimension more than its elements, which must agree.
  Value stack(std::vector<Value> elements, Position where);
  Value product(const Value& a, const Value& b, Position where);
  Value dot(const Value& a, const Value& b);

  /// Fails unless both are numbers.
  void need_numbers(const Value& a, const Value& b, TokenKind op, Position where) const;

 private:
  Value elementwise(TokenKind op, const Value& a, const Value& b, Position where);
  Value logical(TokenKind op, const Value& a, const Value& b, Position where);
  Value concatenate(const Value& a, const Value& b);
  Value matrix_product(const Value& a, const Value& b);
  Value power(const Value& a, const Value& b, Position where);
  NodeId combine(TokenKind op, NodeId a, NodeId b);
  Value string_relation(TokenKind op, const Value& a, const Value& b, Position where);

  Context& context_;
};

}  // namespace daedal::modelica
