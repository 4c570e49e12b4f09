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

namespace daedal {

struct SampleRequest {
  const Model& model;
  const Pool& pool;  ///< the model's or one that extends it
  std::span<const double> parameters;
  double spread = 1.0;  ///< how far from the start values, in units of the nominal values
};

/// One row per point, one column per expression; points where an expression is not finite are
/// replaced by others, and fewer rows than asked for come back when there are not enough.
Matrix sample(const SampleRequest& request, std::span<const NodeId> expressions, Index n_points);

/// The value of an expression of parameters.
double parameter_expression(const SampleRequest& request, NodeId expression);

}  // namespace daedal
