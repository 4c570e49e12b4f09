// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Subscripts: single elements, slices, and elements chosen during the run.

#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

class Subscripts {
 public:
  struct Uses {
    Scope& scope;
    Structure& structure;
    Operators& operators;
    Expressions& expressions;
  };
  Subscripts(Context& context, const Uses& use) : context_(context), use_(use) {}

  /// The elements of `array` that the subscripts of `part` select.
  Value select(const Value& array, const RefPart& part, Position where);
  /// The places in row-major order that subscripts on the left of `:=` name.
  std::vector<std::size_t> places(const Shape& shape, const RefPart& part, Position where);
  /// Assigns `value` to the elements that the subscripts name.
  void assign(Value& array, const RefPart& part, Position where, const Value& value);

 private:
  /// What one subscript selects: positions from 0; `keeps`: the dimension stays.
  struct Selection {
    std::vector<std::size_t> positions{};
    bool keeps = false;
    NodeId dynamic = no_node;  ///< a subscript only known during the run
    int first = 1;             ///< its least value
  };

  Selection selection(ExprId subscript, std::int64_t length);
  std::vector<Selection> selections(const Shape& shape, const RefPart& part, Position where);
  struct Assignment {
    Value& array;
    const Value& value;
    Position where;
  };
  void assign_chosen(const Assignment& assignment, std::vector<Selection> selections, std::size_t d,
                     NodeId condition);
  void check_dynamic(NodeId subscript, std::int64_t length, Position where);
  std::size_t position(const Value& value, std::int64_t length, Position where);
  Value gather(const Value& array, const std::vector<Selection>& selections);
  Value select_dynamic(const Value& array, std::vector<Selection> selections, std::size_t d,
                       Position where);
  static Shape shape_of(const std::vector<Selection>& selections);
  [[nodiscard]] std::vector<std::size_t> offsets(const Shape& shape,
                                                 const std::vector<Selection>& selections) const;

  Context& context_;
  Uses use_;
};

}  // namespace daedal::modelica
