// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A chart of the constraint manifold that the user gives, q = ψ(s, t) with g(ψ(s, t), t) = 0:
/// mechanics in as many coordinates s as there are degrees of freedom (Poell, Hafner (39), (40)).
///
///     q = ψ(s, t),   v = ψ_s s' + ψ_t,   v' = ψ_s s'' + c(s, s', t)
///     s'' = ψ_s⁺ (a(q, v, t) − c),       ψ_s⁺ = (ψ_sᵀψ_s)⁻¹ ψ_sᵀ
///
/// with a from the saddle-point system. The constraints hold to round-off without any projection,
/// and nothing is re-selected: where ψ_s loses rank the chart ends, and the run with it.

#include <daedal/model.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/mechanics/mechanics.hpp"
#include "linalg/dense/lu.hpp"

namespace daedal::formulation {

class UserChartRun final : public MechanicalRun {
 public:
  using MechanicalRun::MechanicalRun;
  Evaluator chart;
  std::vector<double> x;                   ///< (q, v)
  std::vector<double> xp;                  ///< (v, a)
  std::vector<double> right;               ///< ψ_sᵀ(...), then its solution
  std::vector<double> last_v, last_a;      ///< at the end of the last accepted step
  std::vector<double> before_v, before_a;  ///< at its beginning
  std::vector<double> shortest, longest;   ///< of each column of ψ_s at accepted steps
  double last_t = 0.0;
  std::vector<linalg::DenseLu<double>> solver;  ///< one, of ψ_sᵀψ_s
};

/// ψ and its derivatives as a program of t, s and s'.
class UserChart {
 public:
  /// `model` has equations position = expression and der(coordinate) = 0. Throws OptionError that
  /// names a position without expression, a name that is no position, a wrong number of
  /// coordinates, or a constraint that the chart does not meet.
  UserChart(const Mechanics& mechanics, const Model& model, std::span<const double> parameters);

  [[nodiscard]] Index n_coordinates() const { return to_index(names_.size()); }
  [[nodiscard]] const std::string& coordinate_name(Index i) const { return names_[to_size(i)]; }
  void prepare(UserChartRun& run) const;

  /// All of ψ at s and s'; the spans live until the next call.
  struct Values {
    std::span<const double> q, v, curvature, jacobian;
  };
  Values evaluate(double t, std::span<const double> z, UserChartRun& run) const;
  /// ψ_s⁺ b for the Jacobian of `at`, in run.right. The coordinate at fault when ψ_s has lost rank,
  /// −1 otherwise.
  Index solve(const Values& at, std::span<const double> b, UserChartRun& run) const;
  /// The length of each column of ψ_s, in run.right.
  void column_lengths(const Values& at, UserChartRun& run) const;

 private:
  void compile(const Mechanics& mechanics, const Model& model);
  void check_constraints(const Mechanics& mechanics, std::span<const double> parameters) const;

  Index n_ = 0;
  std::vector<std::string> names_;
  std::vector<JacobianEntry> entries_;  ///< of ψ_s
  kernel::Program program_;
  kernel::Program constraints_;  ///< g(ψ(s, t), t)
};

/// The state is z = (s, s').
class UserChartContext final : public ModelContext {
 public:
  UserChartContext(const Request& request, std::shared_ptr<const Mechanics> mechanical);

  [[nodiscard]] const UserChart& chart() const { return chart_; }
  [[nodiscard]] const Mechanics& mechanical() const { return *mechanical_; }
  void prepare(UserChartRun& run) const;
  Evaluation rates(double t, std::span<const double> z, UserChartRun& run,
                   std::span<double> zp) const;
  /// s and s' of consistent positions and velocities.
  [[nodiscard]] Start find_start(double t0, UserChartRun& run) const;

  void read(double t, std::span<const double> z, std::span<const double> zp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  /// No position can be given a value of its own: reinit is refused.
  bool assign(std::int32_t variable, double value, std::span<double> z) const override;
  Evaluation make_consistent(double t, std::span<double> z, std::span<double> zp,
                             ModelRun& run) const override;
  /// After an accepted step: has the motion gone over the edge of the chart and back? Velocities
  /// then jump, though s and s' do not.
  Change check_edge(double t, std::span<const double> z, UserChartRun& run) const;
  /// Accelerations at z are those to go on from.
  void remember(double t, std::span<const double> z, UserChartRun& run) const;
  /// (q, v) of z, in run.x.
  bool lift(double t, std::span<const double> z, UserChartRun& run) const;

 private:
  /// The coordinate whose column of ψ_s has changed its length out of all proportion, or −1.
  [[nodiscard]] Index distorted(double t, std::span<const double> z, UserChartRun& run) const;
  /// The coordinates of q by Gauss-Newton from several guesses; false when none leads there.
  bool invert(double t0, std::span<const double> q, std::span<double> z, UserChartRun& run) const;

  std::shared_ptr<const Mechanics> mechanical_;
  UserChart chart_;
  double largest_distortion_;
};

Formulation make_user_chart(const daedal::UserChart& method, const Request& request);

}  // namespace daedal::formulation
