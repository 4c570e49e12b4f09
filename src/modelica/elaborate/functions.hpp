// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Functions of the text, executed symbolically: assignments build expressions, an `if` that
/// depends on variables becomes an if-expression, loops are unrolled. What comes out are
/// expressions of the arguments; nothing remains of the function.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/expressions.hpp"

namespace daedal::modelica {

class Elaborator;

/// A function that the text calls but does not define, or that is written in another language.
/// Thrown instead of a message where the caller may find that nothing needs the result.
struct UndefinedFunction {
  Position where;
  std::string message;
};

class Functions {
 public:
  explicit Functions(Elaborator& hub) : hub_(hub) {}

  /// The first result of a call: built-in, defined in the text, or a record's constructor.
  Value call(const ExprNode& node);
  /// All results.
  std::vector<Value> call_all(const ExprNode& node);

  /// The arguments that made an external object, by the names of its constructor's inputs.
  std::map<std::string, Value> constructor_arguments(const Value& object);

  /// A call that stands for itself and does something outside the model only (prints, writes a
  /// file): left out with a warning. False if it is no such call.
  bool leave_out_effect(const ExprNode& node);

  /// Executes statements on the variables of the current frame.
  void run(const std::vector<StatementId>& statements);
  void run(const Statement& statement);

  /// While set, calls of undefined library functions throw UndefinedFunction.
  bool defer_undefined = false;
  /// While set, x(startTime) and x(finalTime) are values of variables at the ends of the interval.
  bool takes_boundary_values = false;
  bool has_boundary_values = false;  ///< x(finalTime) was read somewhere

 private:
  struct Arguments {
    std::vector<Value> positional{};
    std::map<TextId, Value> named{};
  };
  /// x(startTime) or x(finalTime), as Optimica writes boundary values; empty if it is none.
  std::optional<Value> boundary_value(const ExprNode& node);
  Arguments evaluate_arguments(const ExprNode& node);
  [[noreturn]] void fail_undefined(const std::string& name, Position where);
  std::vector<Value> execute(ClassId function, const Arguments& arguments, Position where);
  void bind_inputs(const ClassDefinition& function, const Arguments& arguments, Position where);
  void bind_input(const Declaration& input, const Value& value, Position where);
  void fill_from_inputs(const ClassDefinition& function, FunctionFrame& frame);
  Value construct(ClassId record, const Arguments& arguments, Position where);
  Value blank(const ResolvedType& type, const Shape& shape, Position where);
  Shape local_shape(const Declaration& declaration, const ResolvedType& type, const Value* given);

  void run_assignment(const Statement& statement);
  void run_call(const Statement& statement);
  void run_if(const Statement& statement);
  void run_for(const Statement& statement, std::size_t iterator);
  void run_while(const Statement& statement);
  void run_jump(const Statement& statement);
  [[nodiscard]] NodeId left_when(const FunctionFrame& frame) const;
  [[nodiscard]] bool is_left() const;
  FunctionFrame merged(NodeId condition, const FunctionFrame& one, FunctionFrame other,
                       Position where);

  Elaborator& hub_;
  std::vector<ClassId> calls_;
  std::set<TextId> filled_;  ///< functions that were told of in fill_from_inputs()
  int loops_ = 0;            ///< that are being executed
  NodeId path_ = no_node;    ///< the condition under which a statement is reached
};

}  // namespace daedal::modelica
