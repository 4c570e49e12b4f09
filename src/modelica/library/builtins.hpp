// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The functions that the language itself provides.

#include <string>
#include <string_view>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Elaborator;

/// A call with its arguments evaluated.
struct BuiltinCall {
  std::string name;
  std::vector<Value> arguments;
  Position where;
};

class Builtins {
 public:
  explicit Builtins(Elaborator& hub) : hub_(hub) {}

  [[nodiscard]] static bool has(const std::string& name);
  [[nodiscard]] static std::vector<std::string> names();
  /// Why a function of the language is refused; empty if it is not.
  [[nodiscard]] static std::string_view refusal(const std::string& name);
  Value apply(const BuiltinCall& call);

 private:
  using Handler = Value (Builtins::*)(const BuiltinCall&);
  struct Entry {
    std::string_view name;
    std::size_t min_arguments;
    std::size_t max_arguments;
    Handler handler;
  };
  static const std::vector<Entry>& table();

  // elementary functions (builtins.cpp)
  Value elementary(const BuiltinCall& call);
  Value keeps_type(const BuiltinCall& call);
  Value log10(const BuiltinCall& call);
  Value atan2(const BuiltinCall& call);
  Value extremum(const BuiltinCall& call);
  Value homotopy(const BuiltinCall& call);
  Value semi_linear(const BuiltinCall& call);
  Value to_integer(const BuiltinCall& call);
  Value to_text(const BuiltinCall& call);

  // rounding and events (builtins_events.cpp)
  Value floor(const BuiltinCall& call);
  Value ceil(const BuiltinCall& call);
  Value integer(const BuiltinCall& call);
  Value div(const BuiltinCall& call);
  Value mod(const BuiltinCall& call);
  Value rem(const BuiltinCall& call);
  Value der(const BuiltinCall& call);
  Value pre(const BuiltinCall& call);
  Value edge(const BuiltinCall& call);
  Value change(const BuiltinCall& call);
  Value sample(const BuiltinCall& call);
  Value initial(const BuiltinCall& call);
  Value terminal(const BuiltinCall& call);
  Value smooth(const BuiltinCall& call);
  NodeId rounded_down(NodeId a, Position where);
  NodeId truncated(NodeId a, Position where);

  // arrays (builtins_arrays.cpp)
  Value sum(const BuiltinCall& call);
  Value product(const BuiltinCall& call);
  Value size(const BuiltinCall& call);
  Value ndims(const BuiltinCall& call);
  Value fill(const BuiltinCall& call);
  Value zeros(const BuiltinCall& call);
  Value ones(const BuiltinCall& call);
  Value identity(const BuiltinCall& call);
  Value diagonal(const BuiltinCall& call);
  Value transpose(const BuiltinCall& call);
  Value symmetric(const BuiltinCall& call);
  Value cross(const BuiltinCall& call);
  Value skew(const BuiltinCall& call);
  Value outer_product(const BuiltinCall& call);
  Value linspace(const BuiltinCall& call);
  Value scalar(const BuiltinCall& call);
  Value vector(const BuiltinCall& call);
  Value matrix(const BuiltinCall& call);
  Value array(const BuiltinCall& call);
  Value cat(const BuiltinCall& call);
  Value filled(const Value& item, const Shape& shape, Position where);
  Shape shape_from(const BuiltinCall& call, std::size_t first);

  void need_numbers(const BuiltinCall& call) const;
  const Value& need_scalar(const BuiltinCall& call, std::size_t i) const;
  void need_vector(const BuiltinCall& call, std::size_t i, std::int64_t length) const;

  Elaborator& hub_;
};

}  // namespace daedal::modelica
