// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From a collocation solution to a BvpSolution.

#include <daedal/bvp.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bvp/solver.hpp"
#include "formulation/frame/formulation.hpp"
#include "model/simplify/recovery.hpp"

namespace daedal::solve_detail {

/// Status, message, mesh and counters; called more than once, the counters add up.
void record(const bvp::Result& result, BvpSolution& solution);

struct OutputRequest {
  formulation::Formulation formulation;
  const bvp::Trajectory& trajectory;
  /// Where not null, algebraic unknowns are found from its equations (see refinement.hpp).
  const bvp::Problem* problem = nullptr;
  Recovery recovery;
  std::size_t n_variables = 0;  ///< of the simplified model
  std::int64_t n_points = 0;    ///< equidistant ones beside the mesh
  std::vector<std::string> free_parameters{};
};

/// Rows, dense output, constraint residuals and found parameters.
void write_solution(OutputRequest request, BvpSolution& solution);

}  // namespace daedal::solve_detail
