// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Collocation of a boundary value problem on a mesh, and its linearisation.
///
/// On interval i with length h, points c_j and slopes K_j = h x'(t_ij),
///
///     F(t_ij, x_i + Σ_l a_jl K_l, y_ij, K_j/h) = 0,   j = 1..k,
///     x_(i+1) = x_i + Σ_l b_l K_l + P λ,   0 = g(t_(i+1), x_(i+1)).
///
/// P λ is the projection of Ascher, Petzold (SIAM J. Numer. Anal. 28 (1991) 1097) for problems with
/// constraints: P spans the changes of x that the algebraic unknowns can make, and is normalised to
/// g_x P = I. It restores the order 2k of Gauss points at mesh points. Where the last point is the
/// end of the interval (Radau) the constraint holds there already and nothing is projected.

#include <daedal/system.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bvp/condensation.hpp"
#include "bvp/points.hpp"
#include "bvp/problem.hpp"
#include "bvp/refinement.hpp"
#include "bvp/trajectory.hpp"
#include "linalg/almost_block_diagonal.hpp"
#include "linalg/dense/lu.hpp"

namespace daedal::bvp {

/// What one evaluation over the mesh came to.
struct MeshEvaluation {
  bool is_ok = true;
  Status status = Status::success;
  double time = 0.0;    ///< where it failed
  std::string message;  ///< a full sentence
};

struct WorkCount {
  std::int64_t residuals = 0;
  std::int64_t jacobians = 0;
  std::int64_t factorizations = 0;
};

struct DiscretizationOptions {
  bool projects = true;  ///< on constraints, where the points need it
  StopSignal stop{};     ///< ends an evaluation that takes long
};

class Discretization {
 public:
  Discretization(const Problem& problem, const Layout& layout, const Points& points,
                 const DiscretizationOptions& options);

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Points& points() const { return points_; }
  /// Multipliers per interval: the number of constraints where they are projected, else 0.
  [[nodiscard]] Index n_projected() const { return n_projected_; }
  [[nodiscard]] Index n_conditions() const { return problem_.conditions.size() + layout_.n_g(); }
  /// The name of a boundary row: a condition of the user, or a constraint at t0.
  [[nodiscard]] std::string condition_name(Index row) const;

  void set_mesh(std::vector<double> mesh);
  [[nodiscard]] const std::vector<double>& mesh() const { return mesh_; }

  /// The equations at `u` for later corrections; with `jacobian`, linearised and factored there.
  MeshEvaluation evaluate(const Unknowns& u, bool jacobian);
  /// The correction −J⁻¹F of the last evaluation by the last factorisation.
  void correct(Unknowns& delta);
  /// Whether the conditions determine the solution, by the last factorisation.
  [[nodiscard]] const linalg::RankDecision& rank() const { return rank_; }
  /// Repeats that decision with another tolerance.
  void decide_rank(double relative_tolerance) { rank_ = blocks_.decide(relative_tolerance); }
  /// Combinations of conditions that say nothing new, or contradict (see AlmostBlockDiagonal).
  [[nodiscard]] linalg::AlmostBlockDiagonal::Dependence dependent_conditions();

  [[nodiscard]] const WorkCount& work() const { return work_; }
  [[nodiscard]] Run& run() { return *run_; }

 private:
  struct Place {
    Index interval;
    double t;
    double h;
  };
  bool evaluate_interval(Index i, const Unknowns& u, bool jacobian);
  bool evaluate_stage(const Place& at, Index j, const Unknowns& u, bool jacobian);
  bool evaluate_end(const Place& at, const Unknowns& u, bool jacobian);
  bool find_projection(const Place& at);
  void add_continuity(const Place& at, const Unknowns& u, bool jacobian);
  bool evaluate_conditions(const Unknowns& u, bool jacobian);
  /// Algebraic unknowns at both ends from the equations, for conditions that contain them.
  bool complete_ends(const Unknowns& u);
  bool add_algebraic_derivatives(double t, std::span<const double> x, std::span<const double> xp,
                                 Matrix& by_end);
  bool evaluate_first_constraints(const Unknowns& u, bool jacobian);
  bool call_residual(double t);
  bool call_jacobian(double t);
  bool fail(double t, Status status, std::string message);
  /// Takes that for the outcome.
  bool is_stopped();
  void fill_node(std::span<const double> node);
  [[nodiscard]] double* residual_of(Index interval) {
    return residual_.data() + interval * condensation_.n_rows();
  }

  const Problem& problem_;
  const Layout& layout_;
  const Points& points_;
  StopSignal stop_;
  Index n_projected_;
  Index n_local_;  ///< unknowns of an interval alone
  std::vector<double> mesh_;
  std::unique_ptr<Run> run_;
  Condensation condensation_;
  linalg::AlmostBlockDiagonal blocks_;
  linalg::RankDecision rank_;
  linalg::DenseLu<double> projection_lu_;
  std::vector<double> projections_;  ///< per interval: P, n_d × n_projected
  std::vector<double> residual_;     ///< per interval
  std::vector<double> condition_residual_;
  std::vector<double> right_side_;
  Matrix by_first_, by_last_;
  Matrix of_algebraic_;
  Refinement ends_;
  std::vector<double> x_, xp_, f_, f_x_, f_xp_, last_, last_slope_;
  std::vector<Index> constraint_number_;  ///< per row of F, -1 for the others
  MeshEvaluation outcome_;
  WorkCount work_;
};

}  // namespace daedal::bvp
