// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// delay(u, T) of a value u that changes at events only: a queue of changes, each of which comes
/// out T later at an event of its own. y(t) = u(t - T), and u at the start before that
/// (Modelica 3.6, section 3.7.4.1).

#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/equalities.hpp"

namespace daedal::modelica {

class Delays {
 public:
  Delays(Context& context, Structure& structure, Discretes& discretes)
      : context_(context), structure_(structure), discretes_(discretes) {}

  /// u as it was T ago.
  NodeId add(NodeId u, NodeId delay_time, Position where);
  /// To be called when all equations are known: the delayed value may be a variable that an
  /// equation makes equal to something that changes at events only.
  void finish(const FlatEquations& equations);

 private:
  struct Delay {
    NodeId u;
    NodeId delay_time;
    NodeId result;
    Position where;
  };
  [[nodiscard]] NodeId source_of(const Delay& delay, const FlatEquations& equations);
  void define(const Delay& delay, NodeId u);

  Context& context_;
  Structure& structure_;
  Discretes& discretes_;
  std::vector<Delay> delays_;
};

}  // namespace daedal::modelica
