// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sequential regularisation of boundary value problems with constraint singularities (U. Ascher,
/// P. Lin, 1993, 3 and 4.1), in our sign:
///
///     M x_s' = f(x_s, t) − By_s,    By_s = By_(s−1) + (1/ε) B E c(x_s, t),    s = 1 ... S.
///
/// Every iterate is a boundary value problem of index 1 with the conditions (2.2), (2.3b), its
/// algebraic unknowns z = E c found from linear equations that need no inverse of CB = G M⁻¹ B; By
/// is kept at the collocation points (4.3). Where y is unbounded By is not.
///
/// By_0 is not known at the beginning, so that By_s has a layer of width ε there. Shooting back
/// (4.5) removes it: the same iteration from the end values backwards in time, with the sign of the
/// regularisation reversed, then the iteration anew from the By that this gives away from the end,
/// where it has a layer of its own, and the first one near it.

#include <daedal/methods.hpp>
#include <daedal/run_control.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bvp/forcing.hpp"
#include "bvp/forms/boundary_model.hpp"
#include "bvp/solver.hpp"
#include "formulation/frame/written_equations.hpp"
#include "model/views/constrained_view.hpp"

namespace daedal::solve_detail {

struct BoundarySrmSettings {
  double epsilon = 1e-2;
  SrmGain gain = SrmGain::inverse;
  double delta = 1e-3;  ///< of E = (CB + δI)⁻¹
  double gamma = 10.0;  ///< of the reduction (d/dt + γ)ᵐ⁻¹ g of systems of order m
  int iterations = 3;
  bool shoots_back = true;
};

/// The problem of one iterate without By_(s−1). `direction` −1 is for shooting back. All constraint
/// levels become conditions at the beginning.
BoundaryForm srm_form(const ConstrainedView& view, const BoundarySrmSettings& settings,
                      double direction);

/// One iterate: x and By.
struct SrmIterate {
  bvp::Result result;
  bvp::Forcing by;  ///< at collocation points, in the order of the rows of the dynamics
};

/// The iteration for one form.
class BoundarySrm {
 public:
  BoundarySrm(ConstrainedView view, const BoundarySrmSettings& settings, double direction,
              std::vector<double> parameters);

  [[nodiscard]] const ConstrainedView& view() const { return view_; }

  [[nodiscard]] const formulation::WrittenEquations& system() const { return system_; }
  [[nodiscard]] const BoundaryForm& form() const { return form_; }
  [[nodiscard]] Index n_rows() const { return to_index(rows_.size()); }
  /// The unknowns behind the states are z and what it follows from.
  [[nodiscard]] Index n_states() const { return to_index(view_.force.size()) * view_.order(); }

  /// S iterates from By_0 on; ends early with the one that failed. The mesh is adapted to the first
  /// iterate if `options` say so, and kept.
  std::vector<SrmIterate> run(const bvp::BoundaryConditions& conditions, const bvp::Forcing& start,
                              const bvp::Guess& guess, const bvp::SolverOptions& options);
  /// (4.5): the iteration backwards from the end values of the last of `iterates`, then forwards
  /// from the By of both directions. `iterates` themselves where the way back fails: the terminal
  /// value problem may be ill-conditioned where the given one is not.
  std::vector<SrmIterate> shoot_back(const bvp::BoundaryConditions& conditions,
                                     std::vector<SrmIterate> iterates,
                                     const bvp::SolverOptions& options);

 private:
  [[nodiscard]] bvp::Forcing product(const bvp::Trajectory& u) const;

  ConstrainedView view_;
  BoundarySrmSettings settings_;
  BoundaryForm form_;
  formulation::WrittenEquations system_;
  std::vector<Index> rows_;  ///< of the dynamics
  bvp::ForcedSystem forced_;
  std::unique_ptr<bvp::Problem> problem_;
  std::unique_ptr<bvp::Layout> layout_;
};

/// Reads the parameters of `srm`; epsilon by the tolerance and the length of the interval where it
/// is not given. Throws OptionError.
BoundarySrmSettings srm_settings(const BvpSrm& method, double rtol, double length);

/// How much the last iteration changed the states, in units of the tolerance.
double last_change(const std::vector<SrmIterate>& iterates, double rtol, double atol);

/// All differential unknowns at the end of the interval.
class EndValues final : public bvp::BoundaryConditions {
 public:
  /// `numbers` of the unknowns, and their values.
  EndValues(std::vector<Index> numbers, std::vector<double> values)
      : numbers_(std::move(numbers)), values_(std::move(values)) {}
  [[nodiscard]] Index size() const override { return to_index(values_.size()); }
  Evaluation residual(std::span<const double> first, std::span<const double> last,
                      std::span<double> values) const override;
  Evaluation jacobian(std::span<const double> first, std::span<const double> last, Matrix& by_first,
                      Matrix& by_last) const override;
  [[nodiscard]] std::string name(Index row) const override;

 private:
  std::vector<Index> numbers_;
  std::vector<double> values_;
};

}  // namespace daedal::solve_detail
