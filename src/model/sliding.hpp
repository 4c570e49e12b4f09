// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Solutions that slide along a surface at which the equations jump, A. F. Filippov, Differential
/// Equations with Discontinuous Righthand Sides (1988), §4: where the equations of either side
/// drive the solution into the other, it stays on the surface g = 0, and its rate is that mean of
/// the two rates which keeps it there.
///
/// The mean is found by the solution itself when the equations do not jump but change over within
/// |g| ≤ w, from those of one side to those of the other in proportion to g: there is a g in the
/// band at which the proportion is the one wanted, and it attracts. This differs from Filippov's
/// solution by O(w). Where the rates of g on both sides are known as expressions, events tell when
/// the surface attracts: otherwise the equations are those of the side to which they lead.

#include <daedal/model.hpp>
#include <span>
#include <string>
#include <vector>

#include "expr/pool.hpp"

namespace daedal {

/// Where left − right = 0: what relations compare, or the argument of sign().
struct JumpSurface {
  NodeId left = no_node;
  NodeId right = no_node;  ///< no_node: zero
  std::string text;        ///< of the first relation, for messages

  bool operator==(const JumpSurface& other) const {
    return left == other.left && right == other.right;
  }
  /// left − right.
  [[nodiscard]] NodeId difference(Pool& pool) const {
    return right == no_node ? left : pool.sub(left, right);
  }
};

/// The surfaces in the continuous equations of a model that variables can cross, rates excepted.
std::vector<JumpSurface> jump_surfaces(const Model& model);

/// left − right with algebraic variables written out where an equation determines them.
NodeId difference_in_states(const Model& model, Pool& pool, const JumpSurface& surface);

struct Band {
  JumpSurface surface;
  double width = 0.0;  ///< w where the band begins; it follows the slope of g from there on
  struct Scale {
    std::size_t variable;
    double width;    ///< of the band, in units of the variable
    double nominal;  ///< with which its absolute tolerance is well below that
  };
  std::vector<Scale> scales{};  ///< of the variables in g
};

/// The model whose equations change over within the bands. Its variables and parameters are those
/// of the model. `scales`: of the variables, for those that have no nominal value; may be empty.
Model with_bands(const Model& model, std::span<const Band> bands, std::span<const double> scales);

}  // namespace daedal
