// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Solves a boundary value problem to a tolerance: Newton's method on a mesh, the error estimated
/// by the difference to the solution on the halved mesh, the mesh laid out anew where it does not
/// fit the solution (Ascher, Christiansen, Russell: COLSYS, ACM TOMS 7 (1981) 209-222).

#include <daedal/stop_signal.hpp>
#include <limits>
#include <string>
#include <vector>

#include "bvp/discretization.hpp"
#include "bvp/lookout.hpp"
#include "bvp/newton.hpp"
#include "bvp/points.hpp"
#include "bvp/problem.hpp"
#include "bvp/trajectory.hpp"

namespace daedal::bvp {

struct SolverOptions {
  Scheme scheme = Scheme::gauss;
  int points = 3;
  double rtol = 1e-6;
  double atol = 1e-8;
  std::vector<double> mesh{};  ///< the first one
  std::vector<double>
      breaks{};                ///< where the equations switch: kept in all meshes that are adapted
  Lookout* lookout = nullptr;  ///< looks between the points of the mesh
  Index max_intervals = 20'000;
  bool adapt = true;
  bool control_algebraic = true;
  bool project = true;
  int max_iterations = 50;
  StopSignal stop{};
};

struct Round {
  Index intervals = 0;
  Index newton_iterations = 0;
  double error = std::numeric_limits<double>::quiet_NaN();  ///< in units of the tolerance
};

struct Result {
  Status status = Status::success;
  std::string message;
  Trajectory trajectory;  ///< refers to the layout given to solve()
  double error = std::numeric_limits<double>::quiet_NaN();  ///< in units of the tolerance
  std::vector<Round> rounds;
  WorkCount work;
};

/// `layout` must outlive the result. Throws ModelError{unbalanced} when the number of conditions is
/// not what the problem needs, naming those that are too many, or the variables left open.
[[nodiscard]] Result solve(const Problem& problem, const Layout& layout, const Guess& guess,
                           const SolverOptions& options);

}  // namespace daedal::bvp
