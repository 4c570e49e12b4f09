// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Equations of arrays and records become scalar equations.

#include <string>
#include <vector>

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

/// One scalar equation, before it is decided what it determines.
struct FlatEquation {
  NodeId lhs = no_node;
  NodeId rhs = no_node;
  Type type = Type::real;
  Position where{};
  std::string name{};
  Position unit{};  ///< of what is it a part?
};
using FlatEquations = std::vector<FlatEquation>;

class Equalities {
 public:
  Equalities(Context& context, Structure& structure, Expressions& expressions, Functions& functions)
      : context_(context),
        structure_(structure),
        expressions_(expressions),
        functions_(functions) {}

  /// Appends the scalar equations of `lhs = rhs` or `(a, b) = f(x)`. `suffix` follows the text of
  /// the equation in its name.
  void read(const Statement& statement, const std::string& suffix, FlatEquations& sink);
  /// Appends the scalar equations of lhs = rhs.
  void add(const Value& lhs, const Value& rhs, Position where, const std::string& name,
           FlatEquations& sink);

 private:
  [[nodiscard]] std::string name_of(const Statement& statement) const;
  void check_sides(const Value& lhs, const Value& rhs, Position where) const;

  Context& context_;
  Structure& structure_;
  Expressions& expressions_;
  Functions& functions_;
};

}  // namespace daedal::modelica
