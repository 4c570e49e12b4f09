// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The numbers of a mechanical view,
///
///     q' = v,   M(q,t) v' = f(q,v,t) − G(q,t)ᵀ λ,   0 = g(q,t):
///
/// programs for M, f, G, z and the constraint levels, and the one saddle-point solver that serves
/// accelerations, multipliers and projections. Every mechanical method is built on this class. The
/// state of every method begins with x = (q, v); λ is Su of the view (constrained_view.hpp).

#include <daedal/system.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/lazy.hpp"
#include "core/types.hpp"
#include "formulation/constrained/constrained_context.hpp"
#include "formulation/regularized/regularized_constraints.hpp"
#include "kernel/program.hpp"
#include "linalg/saddle_point.hpp"
#include "system/lane_source.hpp"

namespace daedal::formulation {

class SingularityMonitor;
class MechanicalManifold;

/// Registers, values and factors of one run.
struct MechanicsWork {
  Evaluator motion;                  ///< a, λ and pivots: eliminated_motion.hpp
  Evaluator position;                ///< g, G
  Evaluator velocity;                ///< Gv + g_t, g, z, G
  Evaluator mass;                    ///< M
  std::array<Evaluator, 2> further;  ///< what not every run needs, see Mechanics::Further
  std::vector<double> acceleration;  ///< of the last solve, n
  std::vector<double> multipliers;   ///< λ of the last solve, m
  std::vector<double> bottom;        ///< values of the constraints
  /// Where motion() was last evaluated; NaN where the next one may come to something else.
  double moved_t = NAN;
  std::vector<double> moved_x;
  std::vector<linalg::SaddlePointSolver> solver;  ///< one; made with the work
  bool mass_is_factored = false;                  ///< for constant M
  /// Used in place of the solver above by methods for redundant and singular constraints.
  std::optional<RegularConstraints> regular;
  std::shared_ptr<SingularityMonitor> monitor;  ///< where singular positions are watched for
  /// Its alarm, where no regularising method has one.
  std::optional<ConstraintConditioning> conditioning;
  /// At the ends of steps, for check_regular().
  std::optional<ConstraintConditioning> at_ends;
};

/// Values and factors of projections in one run (mechanical_manifold.hpp).
struct ProjectionWork {
  std::vector<double> mass, jacobian, values, correction, trial;
  std::vector<linalg::SaddlePointSolver> solver;  ///< one, for the Euclidean metric only
};

/// The run of every mechanical formulation.
class MechanicalRun : public ConstrainedRun {
 public:
  using ConstrainedRun::ConstrainedRun;
  MechanicsWork work;
  ProjectionWork projection;
};

/// An instant of the motion.
struct MechanicalPoint {
  const double& t;
  std::span<const double> q;
  std::span<const double> v;
};

class Mechanics final : public ConstrainedContext {
 public:
  Mechanics(const Request& request, ConstrainedView view);

  [[nodiscard]] const SparsityPattern& mass_pattern() const { return mass_pattern_; }
  /// m × n, by columns.
  [[nodiscard]] const SparsityPattern& jacobian_pattern() const { return jacobian_pattern_; }
  void prepare(MechanicalRun& run) const;
  /// The same for accelerations without the elimination that is written out, or with damping.
  void prepare_accelerations(bool damped, MechanicalRun& run) const;

  /// What Baumgarte's stabilisation adds to the acceleration level:
  /// G a + z + velocity·(Gv + g_t) + position·g = 0.
  struct Damping {
    double velocity = 0.0;
    double position = 0.0;
    bool has_curvature = true;  ///< false: without z, as Petzold, Ren, Maly (4.5) have it
    [[nodiscard]] bool is_zero() const { return velocity == 0.0 && position == 0.0; }
  };
  /// Solves [M Gᵀ; G 0] (a, λ) = (f, −z − damping): work.acceleration, work.multipliers.
  Evaluation accelerations(const MechanicalPoint& at, const Damping& damping,
                           MechanicalRun& run) const;

  /// x' = (v, a) without damping, x = (q, v): an ODE's right-hand side.
  Evaluation motion(const double& t, std::span<const double> x, MechanicalRun& run,
                    std::span<double> xp) const;

  /// Residuals of a level: 0 g, 1 Gv + g_t, 2 Ga + z with work.acceleration as it is.
  Evaluation residual(const MechanicalPoint& at, int level, MechanicalRun& run,
                      std::span<double> values) const;
  /// g and the values of G on its pattern. `jacobian` may be empty.
  bool position_level(const MechanicalPoint& at, MechanicalRun& run, std::span<double> g,
                      std::span<double> jacobian) const;
  /// Gv + g_t and the values of G on its pattern. `jacobian` may be empty.
  bool velocity_level(const MechanicalPoint& at, MechanicalRun& run, std::span<double> rate,
                      std::span<double> jacobian) const;
  /// M on its pattern.
  bool mass(const MechanicalPoint& at, MechanicalRun& run, std::span<double> values) const;
  /// M, f, G, z of one instant; the spans live until the next evaluation.
  struct Dynamics {
    std::span<const double> mass, force, jacobian, curvature;
  };
  Dynamics dynamics(const MechanicalPoint& at, MechanicalRun& run) const;

  /// Factors [M Gᵀ; G 0] for values on the patterns; constant masses are factored once. The
  /// purpose matters to the regularising methods alone.
  Evaluation factor(
      std::span<const double> mass, std::span<const double> jacobian, double t, MechanicalRun& run,
      RegularConstraints::Purpose purpose = RegularConstraints::Purpose::motion) const;
  /// In place with the last factors: (f, c) becomes (a, λ).
  void solve(std::span<double> top, std::span<double> bottom, MechanicalRun& run) const;

  /// q and v of x = (q, v, ...).
  [[nodiscard]] MechanicalPoint point(const double& t, std::span<const double> x) const {
    return {t, x.first(to_size(n())), x.subspan(to_size(n()), to_size(n()))};
  }

  Evaluation solve(double t, std::span<const double> x, ConstrainedRun& run) const override;
  /// 0 g, 1 Gv + g_t, 2 Ga + z with a of xp.
  [[nodiscard]] int n_levels() const override { return 3; }
  double level_residual(double t, std::span<const double> x, std::span<const double> xp, int level,
                        ConstrainedRun& run) const override;
  void level_residuals(double t, std::span<const double> x, std::span<const double> xp,
                       ConstrainedRun& run, std::span<double> residuals) const override;
  /// Su of the last solve, the multipliers of implicit forms.
  [[nodiscard]] static const std::vector<double>& multipliers(const MechanicalRun& run) {
    return run.work.multipliers;
  }
  /// After an accepted step: reports singular positions on the way, where they are watched for, and
  /// ends the run there when the request says so.
  Change watch(double t, std::span<const double> x, const History& history,
               MechanicalRun& run) const;
  /// For methods that drift: stops where the drift is no longer small against the distance to a
  /// singular position, because there it decides which branch the motion takes.
  Change check_branch(double t, std::span<const double> x, MechanicalRun& run) const;
  /// For methods whose unknowns are multipliers: stops where these have no value any more.
  Change check_regular(double t, std::span<const double> x, MechanicalRun& run) const;
  [[nodiscard]] std::string describe_singularity(double t, std::span<const double> x,
                                                 ConstrainedRun& run) const override;

  bool meet_levels(double t, std::span<double> x, ConstrainedRun& run) const override;

  /// What lanes are made from.
  struct Programs {
    const kernel::Program &motion, &position, &velocity, &mass;
  };
  /// Eight runs at once; null where no elimination is written out. The manifold may be null.
  [[nodiscard]] std::unique_ptr<LaneSystem> make_lanes(const MechanicalManifold* manifold) const;

  [[nodiscard]] const std::string& coordinate_name(Index coordinate) const {
    return state_name(coordinate);
  }

 protected:
  /// M(v⁺ - v⁻) = GᵀΛ, Gv⁺ + g_t = 0: the projection in the metric of the mass.
  bool meet_velocities(double t, std::span<double> x, ConstrainedRun& run) const override;

 private:
  /// Pointers to the blocks of programs.
  std::span<const double*> blocks(const MechanicalPoint& at, MechanicalRun& run) const;
  /// Programs that are compiled when a run first needs them: M, f, G, z; these with Gv + g_t and g.
  enum class Further { dynamics, stabilized };
  Evaluator& further(Further part, MechanicalRun& run) const;
  Evaluation factor_regular(std::span<const double> mass, std::span<const double> jacobian,
                            double t, MechanicalRun& run,
                            RegularConstraints::Purpose purpose) const;
  /// (f, c) in work.acceleration and work.multipliers becomes (a, λ).
  static void refine_multipliers(MechanicsWork& work);
  Evaluation factor_and_solve(std::span<const double> mass, std::span<const double> jacobian,
                              double t, MechanicalRun& run) const;
  Evaluation judge(const linalg::SaddlePointReport& report, double t, MechanicalRun& run) const;
  /// Accelerations, then multipliers, by the elimination that is written out; null where it does
  /// not apply to this run or these values.
  const double* move_by_program(const MechanicalPoint& at, MechanicalRun& run) const;
  /// Adds G a to `values`.
  void add_product(std::span<const double> jacobian, const double* a,
                   std::span<double> values) const;

  SparsityPattern mass_pattern_;
  SparsityPattern jacobian_pattern_;
  kernel::Program motion_, position_, velocity_, mass_;
  std::array<Lazy<kernel::Program>, 2> further_;  ///< by Further
  bool is_eliminated_ = false;   ///< accelerations by the elimination that is written out
  bool is_motion_pure_ = false;  ///< it follows from time, state and parameters alone
  bool stops_at_singularities_;
};

/// Everything but the system; what `parts` add to a start is for one that was found.
Formulation mechanical_formulation(const Request& request,
                                   const std::shared_ptr<const Mechanics>& mechanics,
                                   const ConstrainedParts& parts);

}  // namespace daedal::formulation
