// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Calls: of functions of the text, which are executed symbolically, of constructors of records, of
/// the functions of the language, and of the tables of the Modelica Standard Library.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/expressions/call_count.hpp"
#include "modelica/library/builtins.hpp"

namespace daedal::modelica {

class Functions {
 public:
  struct Uses {
    const ClassTable& classes;
    Components& components;
    Scope& scope;
    Expressions& expressions;
    SymbolicExecution& execution;
    Tables& tables;
    Roots& roots;
  };
  Functions(Context& context, const Uses& use, const BuiltinContext& builtins)
      : context_(context), use_(use), builtins_(builtins), call_count_(context.ast, use.classes) {}

  /// The first result of a call: built-in, defined in the text, or a record's constructor.
  Value call(const ExprNode& node);
  /// All results.
  std::vector<Value> call_all(const ExprNode& node);

  /// function f(a = 1), which is given to another one.
  Value as_argument(const ExprNode& node);

  /// (a, , b) = f(x) and (a, , b) := f(x): hands each variable with its result to `use`. Fails with
  /// the message `otherwise` if `source` is no call.
  void for_each_result(const ExprNode& targets, const ExprNode& source, const char* otherwise,
                       const std::function<void(ExprId, const Value&)>& use);

  /// The arguments that made an external object, by the names of its constructor's inputs.
  std::map<std::string, Value> constructor_arguments(const Value& object);

  /// A call that stands for itself and does something outside the model only (prints, writes a
  /// file): left out with a warning. False if it is no such call.
  bool leave_out_effect(const ExprNode& node);

 private:
  struct Arguments {
    std::vector<Value> positional{};
    std::map<TextId, Value> named{};
  };
  /// x(startTime) or x(finalTime), as Optimica writes boundary values; empty if it is none.
  std::optional<Value> boundary_value(const ExprNode& node);
  Arguments evaluate_arguments(const ExprNode& node);
  /// With arguments beside those that it has already.
  std::vector<Value> call_argument(const Value& function, Arguments arguments, Position where);
  /// solveOneNonlinearEquation(f, u_min, u_max): see Roots.
  Value root(const Arguments& arguments, Position where);
  [[nodiscard]] bool is_external(ClassId function) const;
  [[noreturn]] void fail_undefined(const std::string& name, Position where);
  /// What the result of a call depends on; empty where that is more than numbers.
  [[nodiscard]] std::vector<std::int64_t> key_of(ClassId function,
                                                 const Arguments& arguments) const;
  /// The results of a call. Exporting tools write the same call of a property of a medium dozens of
  /// times: it is executed once.
  std::vector<Value> execute(ClassId function, const Arguments& arguments, Position where);
  std::vector<Value> execute_for_each(ClassId function, const Arguments& arguments, Position where);
  std::vector<Value> execute_anew(ClassId function, const Arguments& arguments, Position where);
  void bind_inputs(const ClassDefinition& function, const Arguments& arguments, Position where);
  void bind_input(const Declaration& input, const Value& value, Position where);
  void declare_local(const Declaration& local, FunctionFrame& frame);
  std::vector<Value> results(const ClassDefinition& function, FunctionFrame& frame) const;
  void fill_from_inputs(const ClassDefinition& function, FunctionFrame& frame);
  Value construct(ClassId record, const Arguments& arguments, Position where);
  Value blank(const ResolvedType& type, const Shape& shape, Position where);
  Shape local_shape(const Declaration& declaration, const ResolvedType& type, const Value* given,
                    bool is_assigned_later = false);

  Context& context_;
  Uses use_;
  BuiltinContext builtins_;
  std::vector<ClassId> calls_;
  CallCount call_count_;
  std::map<std::vector<std::int64_t>, std::vector<Value>> executed_;
  std::set<TextId> filled_;  ///< functions that were told of in fill_from_inputs()
};

}  // namespace daedal::modelica
