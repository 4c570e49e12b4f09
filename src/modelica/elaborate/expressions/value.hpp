// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What an expression of the text stands for: numbers as nodes of the model's pool, arrays of them
/// in row-major order, strings, records.

#include <cstdint>
#include <daedal/expr.hpp>
#include <string>
#include <utility>
#include <vector>

#include "modelica/syntax/ast.hpp"

namespace daedal::modelica {

enum class Type : std::uint8_t {
  real,
  integer,
  boolean,
  string,
  enumeration,
  record,
  external,   ///< an object of another language: it can be handed on, and nothing else
  scattered,  ///< a name that only begins declared names: 'a.R' where 'a.R.T[1,1]', ... exist
  function,   ///< a function that is given to another one
  unset,      ///< no value, of whatever type is asked for
};

/// Stands in a String for what is known only during the run.
inline constexpr char open_text = '\x1e';

/// Lengths of the dimensions; empty for a scalar.
using Shape = std::vector<std::int64_t>;

struct Value {
  Type type = Type::real;
  ClassId definition = none;  ///< of an enumeration, a record or a function
  Shape shape{};
  std::vector<NodeId> nodes{};         ///< of numbers; no_node: not assigned yet
  std::vector<std::string> strings{};  ///< of strings; the name of what is scattered
  std::vector<Value> parts{};          ///< fields of a record; elements of an array of records;
                                       ///< arguments that a function has already
  std::vector<TextId> names{};         ///< of those arguments

  static Value scalar(Type type, NodeId node) { return {.type = type, .nodes = {node}}; }

  [[nodiscard]] bool is_scalar() const { return shape.empty(); }
  [[nodiscard]] bool is_number() const { return type == Type::real || type == Type::integer; }
  [[nodiscard]] NodeId node() const { return nodes.front(); }
};

std::int64_t count(const Shape& shape);
inline std::size_t n_elements(const Shape& shape) {
  return static_cast<std::size_t>(count(shape));
}
/// "3", "2 by 3".
std::string to_string(const Shape& shape);
/// "a Real", "an array of Integer of size 2 by 3", for messages.
std::string describe(const Value& value);
std::string_view type_name(Type type);

/// The nodes of a value, those of a record's fields one after the other.
std::vector<NodeId*> leaves(Value& value);
std::vector<NodeId> leaves(const Value& value);

/// The i-th element in row-major order, as a scalar.
Value element(const Value& array, std::size_t i);
/// An array of `shape` from its elements in row-major order, which share one type.
Value assemble(const Shape& shape, std::vector<Value> elements);
/// "[2,3]" for the i-th element of an array of `shape`, "" for a scalar.
std::string subscript_text(const Shape& shape, std::size_t i);

}  // namespace daedal::modelica
