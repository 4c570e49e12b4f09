// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Evaluation of the expressions of a text: names are looked up, arrays computed element by
/// element, functions executed; what remains are nodes of the model's pool.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Expressions {
 public:
  struct Uses {
    const ClassTable& classes;
    Components& components;
    Scope& scope;
    Structure& structure;
    Operators& operators;
    References& references;
    Functions& functions;
  };
  Expressions(Context& context, const Uses& use) : context_(context), use_(use) {}

  Value evaluate(ExprId id);
  /// `value` as something of the type and shape of `target`; fails naming `what` if it is not.
  Value conform(Value value, const Value& target, Position where, const std::string& what);
  /// The variables of a name that only begins declared names, as records of the type of `target`.
  Value gather(const Value& group, const Value& target, Position where);
  /// A scalar Boolean.
  NodeId condition(ExprId id);
  /// A scalar number.
  NodeId number(ExprId id, std::string_view what);
  /// The length of an array's dimension: a non-negative Integer known before the run.
  std::int64_t size_of_dimension(ExprId id);
  /// Calls `body` for all values of the indices of a loop, the last one running fastest, until it
  /// answers false.
  bool unroll(const Statement& loop, const std::function<bool()>& body, std::size_t iterator = 0);

 private:
  using Values = std::vector<Value>;

  Value evaluate_kind(const ExprNode& node);
  Value evaluate_unary(const ExprNode& node);
  Value evaluate_binary(const ExprNode& node);
  Value evaluate_chain(const ExprNode& node);
  Value evaluate_conditional(const ExprNode& node);
  Value evaluate_array(const ExprNode& node);
  Value evaluate_matrix(const ExprNode& node);
  Value evaluate_range(const ExprNode& node);
  Value evaluate_comprehension(const ExprNode& node);
  void comprehend(const ExprNode& node, std::span<const Values> ranges, Values& elements);
  /// The values that a loop's index takes.
  std::vector<Value> values_of_range(ExprId id);
  Value as_matrix(const Value& value, Position where);
  [[nodiscard]] Value as_record(Value value, ClassId definition) const;
  /// The value of record type `definition` from scattered fields named `prefix.field`.
  Value gather_record(const std::string& prefix, ClassId definition, Position where);

  Context& context_;
  Uses use_;
};

}  // namespace daedal::modelica
