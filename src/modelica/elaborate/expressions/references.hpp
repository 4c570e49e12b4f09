// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// References: names of loops, functions, the model and enumerations, with the fields and
/// subscripts behind them, on the right side and on the left.

#include <optional>
#include <span>
#include <string>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/expressions/subscripts.hpp"

namespace daedal::modelica {

class References {
 public:
  struct Uses {
    const ClassTable& classes;
    Components& components;
    Scope& scope;
    Structure& structure;
    Operators& operators;
    Expressions& expressions;
  };
  References(Context& context, const Uses& use)
      : context_(context),
        use_(use),
        subscripts_(context, {.scope = use.scope,
                              .structure = use.structure,
                              .operators = use.operators,
                              .expressions = use.expressions}) {}

  Value evaluate(const ExprNode& node);
  /// Fields and subscripts of something that is no name: f(x).y, (a + b)[1].
  Value evaluate_postfix(const ExprNode& node);
  /// The elements of a reference to an enumeration or to Boolean: what such an index runs over.
  /// False: it is another reference, or none.
  bool evaluate_index_type(ExprId id, Value& elements);
  /// Assigns `value` to a reference on the left of `:=`, a variable of the function at hand.
  void assign(ExprId target, const Value& value);

 private:
  Value evaluate_pattern(const ExprNode& node);
  std::optional<Value> matching(const std::string& pattern, std::span<const Value> subscripts,
                                Position where);
  bool evaluate_literal(const ExprNode& node, Value& result);
  Value scattered(const std::string& name);
  Value walk_parts(const Value& base, const ExprNode& node, std::int32_t first);
  Value field(const Value& record, const RefPart& part, Position where);
  Value& field_to_assign(Value& record, const RefPart& part, Position where);
  [[noreturn]] void fail_unknown_name(const std::string& name, Position where);

  Context& context_;
  Uses use_;
  Subscripts subscripts_;
};

}  // namespace daedal::modelica
