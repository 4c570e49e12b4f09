// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// x' = f(t, x) from the derivative array F_k(t, x, x', w) = 0 of a general DAE of index k
/// (Campbell, Moore), in two forms:
///
///   completion  x' solves the least-squares equation (4) at given (t, x): the smooth completion
///               (5). It has the solutions of the DAE, and drifts off its constraints.
///   partition   implicit coordinate partitioning (5): at given (t, x_2) the array determines x_1
///               and x' (24). The integrator steps all coordinates; before every stage the
///               dependent ones are solved anew, so that all constraints hold, hidden ones too.
///
/// The dependent set is changed early, when another one has twice the smallest singular value of
/// D_5 (late switching spoils accuracy). That changes equations, not unknowns: multistep
/// histories stay. The array is factored once a step at most: stages correct with those factors,
/// which are kept while the iteration contracts fast. The higher derivatives w are seeded anew at
/// every step from the history of x'.

#include <daedal/system.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/array/array_corrector.hpp"
#include "analysis/array/array_history.hpp"
#include "formulation/array/start.hpp"
#include "formulation/frame/model_system.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

enum class ArrayForm { completion, partition };

struct ArraySettings {
  ArrayForm form = ArrayForm::partition;
  int max_index = 6;
  double epsilon = 1e-12;    ///< accuracy of the solved coordinates, relative to |x| + nominal
  double switch_gain = 2.0;  ///< σ_min(D_5) must grow by this factor to change the partition
  /// Dependent sets instead of monitored ones, in order: each solves the points from its time on.
  struct Forced {
    double t = 0.0;
    std::vector<Index> dependent;
  };
  std::vector<Forced> schedule{};
};

/// What the implicit form has beside the array (implicit.hpp).
struct ProjectedWork {
  Matrix z1;           ///< n × states
  Matrix constraints;  ///< Z₂ᵀ G_x
  std::vector<double> f, f_x, f_xp;
  int slowest = 0;  ///< iterations for ω since the last accepted step
};

/// The mutable side: the array around the last accepted point and the point solved last.
class ArrayRun final : public ModelRun {
 public:
  using ModelRun::ModelRun;
  analysis::NumericalIndex index;  ///< as far as the search for the start came
  int level = 0;
  double scale = 1.0;
  /// (scale/natural scale)^j: sizes of X_j are judged in the natural scale of the problem.
  std::vector<double> order_weights;
  std::optional<analysis::ArrayCorrector> corrector;
  std::optional<analysis::ArrayHistory> history;
  double base_t = 0.0;
  std::vector<double> base;  ///< the series at the last accepted point
  bool is_solved = false;
  bool has_series = false;  ///< `series` is a solution at solved_t, and newer than `base`
  double solved_t = 0.0;
  std::vector<double> solved_x;  ///< as it was given
  std::vector<double> series;    ///< the solution for it
  std::vector<double> trial, delta, trial_delta, slope;
  double reported_t = 0.0;  ///< where level_residuals belong to
  std::vector<double> reported, level_residuals;
  ProjectedWork projected;
};

/// x' and the dependent coordinates at given (t, x_2): the nonlinear equations F_k = 0.
class ArraySolver {
 public:
  /// `view` must outlive the solver.
  ArraySolver(const GeneralView& view, const ArraySettings& settings);

  [[nodiscard]] const analysis::DerivativeArray& array() const { return array_; }
  [[nodiscard]] const ArraySettings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }
  [[nodiscard]] std::string names_of(std::span<const Index> unknowns) const;
  /// The array at a series in the scale of `run`, with its parameters, modes and discrete values.
  [[nodiscard]] analysis::ArrayPoint point(double t, std::span<const double> series,
                                           const ArrayRun& run) const;

  /// run.series at t from the last accepted point, with x as given.
  void predict(double t, std::span<const double> x, ArrayRun& run) const;
  /// run.series for (t, x).
  Evaluation solve(double t, std::span<const double> x, ArrayRun& run) const;
  [[nodiscard]] static bool is_solved(double t, std::span<const double> x, const ArrayRun& run);

  /// The sizes of a correction, relative to what it corrects.
  struct Size {
    double low = 0.0;   ///< of δx and δx'
    double high = 0.0;  ///< of δw
  };
  [[nodiscard]] Size size_of(std::span<const double> delta, const ArrayRun& run) const;

  /// d^level F/dt^level, the greatest, at the least-squares w for x.
  [[nodiscard]] double residual_of_level(double t, std::span<const double> x, int level,
                                         ArrayRun& run) const;
  /// Levels with equations that take part in constraints on x alone, hidden or not.
  [[nodiscard]] int n_constraint_levels(const ArrayRun& run) const;
  /// d^level F/dt^level of these equations only.
  [[nodiscard]] double constraint_residual(double t, std::span<const double> x, int level,
                                           ArrayRun& run) const;
  /// The residual of constraints with x' and w of run.series, which are solved at t.
  [[nodiscard]] double solved_constraint_residual(double t, std::span<const double> x, int level,
                                                  ArrayRun& run) const;

 private:
  [[nodiscard]] Index size() const { return to_index(nominals_.size()); }
  bool follow_schedule(double t, ArrayRun& run) const;
  Evaluation solve_completion(double t, ArrayRun& run) const;
  Evaluation solve_partition(double t, ArrayRun& run) const;
  bool refactor(double t, ArrayRun& run) const;
  [[nodiscard]] bool has_jumped(std::span<const double> x, const ArrayRun& run) const;
  template <class Takes>
  [[nodiscard]] double level_residual(int level, const ArrayRun& run, Takes takes) const;
  [[nodiscard]] bool is_small(const Size& size) const;

  const Model& model_;
  ArraySettings settings_;
  analysis::DerivativeArray array_;
  std::vector<double> nominals_;
};

class ArraySystem final : public ModelSystem<ExplicitSystem, ArrayRun>, public ModelContext {
 public:
  ArraySystem(GeneralView view, std::vector<double> parameters, const Overrides& starts,
              const ArraySettings& settings);

  [[nodiscard]] const GeneralView& view() const { return view_; }
  [[nodiscard]] const ArraySolver& solver() const { return solver_; }
  [[nodiscard]] Start start(double t0, ArrayRun& run) const;
  /// Takes run.series, solved at t, as the accepted point; w from the history.
  void renew_base(double t, ArrayRun& run) const;
  /// Moves its w to the solution of F_k = 0 nearest to the seeds, the one to continue from, by the
  /// factors and residuals of the run's corrector.
  void correct_base(ArrayRun& run) const;

  [[nodiscard]] std::int64_t size() const override { return to_index(view_.x.size()); }
  [[nodiscard]] std::span<const double> nominals() const override { return solver_.nominals(); }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;
  [[nodiscard]] bool has_complete() const override {
    return solver_.settings().form == ArrayForm::partition;
  }
  Evaluation complete(double t, std::span<double> x, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *this; }
  /// Everything else is made at the start, which finds the level.
  void prepare(ArrayRun&) const override {}
  /// Takes a consistent point: the array of its level, factors, the first partition.
  Change take(double t, const ArrayStart& found, ArrayRun& run) const;
  /// Fewer states than counting gives are a matter of terms that cancel, unless time scales lie so
  /// far apart that the numbers cannot be trusted.
  Change compare_with_structure(double t, const ArrayRun& run, Start& start) const;
  Change choose_partition(double t, ArrayRun& run) const;
  Change renew_factors(double t, ArrayRun& run) const;
  Change watch_partition(double t, ArrayRun& run) const;

  GeneralView view_;
  bool depends_on_phase_ = false;           ///< initial() in the equations
  std::optional<Index> structural_states_;  ///< none for a structurally singular model
  ArraySolver solver_;
  ArrayInitializer initializer_;
};

}  // namespace daedal::formulation
