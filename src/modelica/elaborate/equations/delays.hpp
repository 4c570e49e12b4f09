// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// delay(u, T): y(t) = u(t - T), and u at the start before that (Modelica 3.6, section 3.7.4.1). Of
/// a value u that changes at events only it is a queue of changes, each of which comes out T later
/// at an event of its own; any other u is a signal whose past the run keeps (ModelBuilder::delay).
/// So it does with what spatialDistribution() carries (section 3.7.4.2, ModelBuilder::transport).

#include <optional>
#include <utility>
#include <vector>

#include "modelica/elaborate/context.hpp"
#include "modelica/elaborate/equations/equalities.hpp"

namespace daedal::modelica {

class Delays {
 public:
  Delays(Context& context, Structure& structure, Discretes& discretes, Components& components)
      : context_(context), structure_(structure), discretes_(discretes), components_(components) {}

  /// u as it was T ago; where T changes its greatest value is known.
  NodeId add(NodeId u, NodeId delay_time, std::optional<double> longest, Position where);
  /// See Transport.
  struct Flow {
    NodeId in0, in1, position, is_positive;
    std::vector<double> points, values;
  };
  std::pair<NodeId, NodeId> add_transport(const Flow& flow, Position where);
  /// Hands the equations of signals over that came up since the last time.
  void move_to(FlatEquations& equations);
  /// To be called when all equations are known: finds variables among the signals that an equation
  /// makes equal to something that changes at events only. Where there are some the model is to be
  /// read again, knowing that.
  [[nodiscard]] bool has_found_discrete(const FlatEquations& equations);
  /// Defines the queues.
  void finish(const FlatEquations& equations);

 private:
  struct Delay {
    NodeId u;
    NodeId delay_time;
    NodeId result;
    Position where;
  };
  NodeId variable_of(NodeId u, Position where);
  /// What changes at events only and is u; no_node where that is not so.
  [[nodiscard]] NodeId discrete_source(NodeId u, const FlatEquations& equations);
  void define(const Delay& delay, NodeId u);

  Context& context_;
  Structure& structure_;
  Discretes& discretes_;
  Components& components_;
  std::vector<Delay> delays_;
  std::vector<std::pair<NodeId, Position>> signals_;  ///< variables and where they are delayed
  FlatEquations equations_;
  std::size_t n_moved_ = 0;
};

}  // namespace daedal::modelica
