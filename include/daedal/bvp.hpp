// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Boundary value problems: F(t, x, x') = 0 with conditions at both ends of an interval.
///
///     ModelBuilder b("Bratu");
///     Expr u = b.variable("u"), v = b.variable("v");
///     b.equation(der(u) == v);
///     b.equation(der(v) == -exp(u));
///     b.boundary_equation(u == 0);
///     b.boundary_equation(b.final_value(u) == 0);
///     BvpSolution s = solve_bvp(b.build(), {0.0, 1.0});
///
/// Collocation at Gauss, Radau or Lobatto points on a mesh that is refined until the estimated
/// error is below the tolerance. Models of index 1 and 2 as they are written; Hessenberg models of
/// higher index (constrained mechanics) after a stable reduction to index 2. Fixed start values,
/// initial equations and boundary equations together are the conditions; parameters with fixed =
/// false are unknowns. Time and memory are proportional to the number of mesh intervals.

#include <atomic>
#include <cstdint>
#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/solution.hpp>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// A first idea of the solution: values of variables by name over time, linear in between.
/// Variables that it does not name keep their start values.
struct BvpGuess {
  std::vector<std::string> names{};
  std::vector<double> times{};   ///< ascending; outside of them the nearest values hold
  std::vector<double> values{};  ///< row-major, times.size() × names.size()
};

struct BvpOptions {
  /// Collocation, or "srm" (BvpSrm) for constraints that become singular, or "baumgarte"
  /// (BvpBaumgarte) with the constraints damped.
  BvpMethod method = Collocation{};
  std::string scheme = "gauss";  ///< gauss, radau or lobatto
  int points = 3;                ///< per interval, 1 to 5: order 6 at mesh points by default
  /// Relative to the greatest magnitude of each variable over the interval; absent:
  /// Experiment::default_rtol() of the model.
  std::optional<double> rtol{};
  double atol = 0.0;  ///< scaled by each variable's nominal value; 0: rtol/100

  std::int64_t intervals = 20;  ///< of the first mesh, all of one length
  std::vector<double> mesh{};   ///< the first mesh itself, where it is not empty
  std::int64_t max_intervals = 20'000;
  bool adapt = true;  ///< false: solve once on the first mesh, without an error estimate
  /// Algebraic variables of index-2 problems, whose order is lower, count in the error test.
  bool control_algebraic = true;
  /// Project on constraints after every interval (Gauss points, index 2); false for comparison.
  bool project = true;
  int max_iterations = 50;  ///< of Newton's method on one mesh

  Overrides parameters{};    ///< parameter values by name
  Overrides start_values{};  ///< by variable name: they count as conditions
  BvpGuess guess{};
  /// Equidistant output points beside the mesh points; 0: mesh points alone.
  std::int64_t output_points = 0;

  double time_limit = std::numeric_limits<double>::infinity();  ///< wall-clock seconds
  const std::atomic<bool>* cancel = nullptr;
};

/// One mesh on the way to the solution.
struct BvpRound {
  std::int64_t intervals = 0;
  std::int64_t newton_iterations = 0;
  double error = 0.0;  ///< estimated, in units of the tolerance; NaN where it is not known
};

/// The Solution of a boundary value problem. When the status is not success it holds the last
/// iterate on the last mesh (no convergence) or the best solution so far (mesh limit).
struct BvpSolution : Solution {
  std::vector<double> mesh{};
  int index = 0;                ///< of the equations that were solved: 1 or 2
  double error_estimate = 0.0;  ///< in units of the tolerance; NaN where it is not known
  std::vector<BvpRound> rounds{};
  /// Values of the parameters with fixed = false, which are columns of the solution as well.
  std::map<std::string, double> parameters{};

  /// A page, as Solution::full_report.
  [[nodiscard]] DAEDAL_EXPORT std::string full_report() const;
};

/// Solves a boundary value problem. Throws ModelError for wrong models (among them those with too
/// few or too many conditions) and OptionError for wrong options; everything that happens while
/// solving is in the status.
DAEDAL_EXPORT BvpSolution solve_bvp(const Model& model, const TimeSpan& span,
                                    const BvpOptions& options = {});

}  // namespace daedal
