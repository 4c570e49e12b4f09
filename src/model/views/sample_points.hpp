// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Values of expressions at random points around a model's start values: what decides questions
/// about a model that expressions alone cannot answer ("is this factor constant?"). The points
/// follow from a fixed seed, so that the same model always gives the same answer.

#include <daedal/model.hpp>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "expr/pool.hpp"
#include "kernel/program.hpp"

namespace daedal {

/// Expressions compiled to be sampled, at several values of the parameters if need be.
class PointSampler {
 public:
  /// `pool` is the model's or one that extends it.
  PointSampler(const Model& model, const Pool& pool, std::span<const NodeId> expressions);

  /// One row per point, one column per expression. `spread` tells how far from the start values
  /// the points lie, in units of the nominal values. Points where an expression is not finite are
  /// replaced by others; fewer rows than asked for come back when there are not enough.
  [[nodiscard]] Matrix operator()(std::span<const double> parameters, Index n_points,
                                  double spread = 1.0) const;

 private:
  Model model_;
  std::vector<Node> leaves_;  ///< that the expressions read
  kernel::Program program_;
};

/// Start values of the model's continuous variables, then of its discrete ones; 0 where none is
/// given.
std::vector<double> start_values(const Model& model, std::span<const double> parameters);

/// The value of an expression of parameters in `pool`.
double parameter_expression(const Pool& pool, std::span<const double> parameters,
                            NodeId expression);

}  // namespace daedal
