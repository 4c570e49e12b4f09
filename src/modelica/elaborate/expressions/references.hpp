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
  /// Assigns `value` to a reference on the left of `:=`, a variable of the function or of the
  /// algorithm section at hand.
  void assign(ExprId target, const Value& value);
  /// The variables of the model, whole arrays and records, of which a reference on the left of `:=`
  /// names something, whatever its subscripts.
  std::vector<Value> assigned_by(const ExprNode& node);

 private:
  /// Something declared that a name with subscripts inside its quotes may mean.
  struct Candidate {
    NodeId condition = no_node;  ///< when it is meant; no_node: always
    Value value{};
  };

  Value evaluate_pattern(const ExprNode& node);
  std::vector<Value> pattern_subscripts(const ExprNode& node);
  [[noreturn]] void fail_unknown_pattern(const ExprNode& node);
  std::vector<Candidate> candidates(const std::string& pattern, std::span<const Value> subscripts,
                                    Position where);
  void collect_matching(const std::string& pattern, std::vector<Value>& found);
  std::vector<Candidate> model_targets(const ExprNode& node, std::int32_t& part);
  void assign_in_model(const Candidate& candidate, const ExprNode& node, std::int32_t part,
                       const Value& value);
  void assign_parts(Value& variable, const ExprNode& node, std::int32_t first, const Value& value);
  bool evaluate_literal(const ExprNode& node, Value& result);
  bool evaluate_constant(const ExprNode& node, Value& result);
  Value scattered(const std::string& name);
  Value walk_seen(const Value& declared, const ExprNode& node, std::int32_t first);
  Value walk_parts(const Value& base, const ExprNode& node, std::int32_t first);
  Value field_of_group(const Value& group, const RefPart& part, Position where);
  Value field(const Value& record, const RefPart& part, Position where);
  Value& field_to_assign(Value& record, const RefPart& part, Position where);
  [[noreturn]] void fail_unknown_name(const std::string& name, Position where);

  Context& context_;
  Uses use_;
  Subscripts subscripts_;
};

}  // namespace daedal::modelica
