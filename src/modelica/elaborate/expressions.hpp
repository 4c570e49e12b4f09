// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Evaluation of the expressions of a text: names are looked up, arrays computed element by
/// element, functions executed; what remains are nodes of the model's pool.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Elaborator;

/// The variables of a function being executed.
struct FunctionFrame {
  std::unordered_map<TextId, Value> variables{};
  /// An algorithm section of the model reads the model's other variables as well.
  bool sees_model = false;
  /// When `return` or `break` has left what is being executed; no_node: never.
  NodeId returned = no_node;
  NodeId broken = no_node;
};

class Expressions {
 public:
  explicit Expressions(Elaborator& hub) : hub_(hub) {}

  Value evaluate(ExprId id);
  /// `value` as something of the type and shape of `target`; fails naming `what` if it is not.
  Value conform(Value value, const Value& target, Position where, const std::string& what);
  /// A scalar Boolean.
  NodeId condition(ExprId id);
  /// A scalar number.
  NodeId number(ExprId id, std::string_view what);
  /// The length of an array's dimension: a non-negative Integer known before the run.
  std::int64_t size_of_dimension(ExprId id);
  /// The values that a loop's index takes.
  std::vector<Value> values_of_range(ExprId id);
  /// An Integer known before the run, its parameters fixed.
  std::int64_t structural_integer(const Value& value, Position where, std::string_view what);

  /// {a, b, c}: one dimension more than its elements, which must agree.
  Value stack(std::vector<Value> elements, Position where);
  /// Assigns `value` to a reference on the left of `:=` inside a function.
  void assign(ExprId target, const Value& value);

  /// Gives a loop's index a value while it lives.
  class LoopIndex {
   public:
    LoopIndex(Expressions& owner, TextId name, Value value);
    ~LoopIndex() { owner_.loops_.pop_back(); }
    LoopIndex(const LoopIndex&) = delete;
    LoopIndex& operator=(const LoopIndex&) = delete;

   private:
    Expressions& owner_;
  };

  /// Evaluates inside a function while it lives: its variables are seen, the model's are not.
  class InFunction {
   public:
    InFunction(Expressions& owner, FunctionFrame* frame);
    ~InFunction();
    InFunction(const InFunction&) = delete;
    InFunction& operator=(const InFunction&) = delete;

   private:
    Expressions& owner_;
    FunctionFrame* outer_frame_;
    std::size_t outer_base_;
    std::vector<std::int64_t> outer_ends_;
  };

  /// Evaluates as in a declaration of the model while it lives, wherever the need arose.
  class TopLevel {
   public:
    explicit TopLevel(Expressions& owner);

   private:
    InFunction scope_;
    Restored<bool> immediate_;
    Restored<bool> instant_;
  };

  [[nodiscard]] FunctionFrame* frame() { return frame_; }

 private:
  /// What one subscript selects: positions from 0; `keeps`: the dimension stays.
  struct Selection {
    std::vector<std::int64_t> positions{};
    bool keeps = false;
    NodeId dynamic = no_node;  ///< a subscript only known during the run
    std::int64_t first = 1;    ///< its least value
  };

  Value evaluate_kind(const ExprNode& node);
  Value evaluate_reference(const ExprNode& node);
  Value evaluate_pattern(const ExprNode& node);
  std::optional<Value> matching(const std::string& pattern, std::span<const Value> subscripts,
                                Position where);
  Value evaluate_postfix(const ExprNode& node);
  Value evaluate_unary(const ExprNode& node);
  Value evaluate_binary(const ExprNode& node);
  Value evaluate_chain(const ExprNode& node);
  Value evaluate_conditional(const ExprNode& node);
  Value evaluate_array(const ExprNode& node);
  Value evaluate_matrix(const ExprNode& node);
  Value evaluate_range(const ExprNode& node);
  Value evaluate_comprehension(const ExprNode& node);
  Value as_matrix(const Value& value, Position where);
  [[nodiscard]] Value as_record(Value value, ClassId definition) const;

  bool evaluate_literal(const ExprNode& node, Value& result);
  const Value* find_name(const std::string& name);
  Value scattered(const std::string& name);
  [[noreturn]] void fail_unknown_name(const std::string& name, Position where);
  std::string joined_name(const ExprNode& node) const;
  Value walk_parts(const Value& base, const ExprNode& node, std::int32_t first_part);
  Value field(const Value& record, const RefPart& part, Position where);
  Value subscripted(const Value& array, const RefPart& part, Position where);
  Selection selection(ExprId subscript, std::int64_t length);
  std::int64_t position(const Value& value, std::int64_t length, Position where);
  Value gather_selected(const Value& array, const std::vector<Selection>& selections);
  Value select_dynamic(const Value& array, std::vector<Selection> selections, std::size_t d,
                       Position where);
  std::vector<Selection> selections(const Shape& shape, const RefPart& part, Position where);
  Value& field_to_assign(Value& record, const RefPart& part, Position where);
  std::pair<std::vector<std::int64_t>, Shape> places_to_assign(const Shape& shape,
                                                               const RefPart& part, Position where);
  void assign_elements(Value& array, const RefPart& part, Position where, const Value& value);
  /// The elements of a reference to an enumeration or to Boolean: what such an index runs over.
  bool evaluate_index_type(ExprId id, Value& elements);
  [[nodiscard]] std::vector<std::int64_t> offsets(const Shape& shape,
                                                  const std::vector<Selection>& selections) const;

  Elaborator& hub_;
  std::vector<std::pair<TextId, Value>> loops_;
  std::size_t loops_base_ = 0;  ///< indices below belong to callers
  FunctionFrame* frame_ = nullptr;
  std::vector<std::int64_t> ends_;  ///< what `end` means, innermost last
};

}  // namespace daedal::modelica
