// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The functions that the language itself provides. Another one is a function and a row in the
/// table of its kind: builtins_scalar.cpp, builtins_array.cpp or builtins_event.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

/// What these functions may use.
struct BuiltinContext {
  Context& context;
  Structure& structure;
  Operators& operators;
  Discretes& discretes;
  Delays& delays;

  [[noreturn]] void fail(ErrorCode code, Position where, std::string message) const {
    context.fail(code, where, std::move(message));
  }
};

/// A call with its arguments evaluated.
struct BuiltinCall {
  std::string name;
  std::vector<Value> arguments;
  Position where;
};

/// A row of a table: the number of arguments is checked before the call.
struct Builtin {
  static constexpr std::size_t any = 100;  ///< arguments: more than a call ever has

  std::string_view name;
  std::size_t min_arguments;
  std::size_t max_arguments;
  Value (*apply)(const BuiltinContext& use, const BuiltinCall& call);
};

std::span<const Builtin> scalar_builtins();
std::span<const Builtin> array_builtins();
/// Functions that make events or refer to them, and rounding, which jumps.
std::span<const Builtin> event_builtins();
/// What leaves a flow at its two ends.
std::vector<Value> spatial_distribution(const BuiltinContext& use, const BuiltinCall& call);

[[nodiscard]] bool is_builtin(std::string_view name);
[[nodiscard]] std::vector<std::string> builtin_names();
/// Why a function of the language is refused; empty if it is not.
[[nodiscard]] std::string_view builtin_refusal(std::string_view name);
/// The names of the arguments of those that may be given by name; none of others.
[[nodiscard]] std::span<const std::string_view> formals_of(std::string_view builtin);
/// The call of a function that is_builtin(): its results.
std::vector<Value> apply_builtin(const BuiltinContext& use, const BuiltinCall& call);

/// Fails unless all arguments are numbers.
void need_numbers(const BuiltinContext& use, const BuiltinCall& call);
/// The i-th argument; fails unless it is a scalar.
const Value& need_scalar(const BuiltinContext& use, const BuiltinCall& call, std::size_t i);

}  // namespace daedal::modelica
