// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How much perturbations can have grown along a run up to its end: exp ∫ α dt, where α is the
/// greatest real part of the eigenvalues of the linearised system, taken at few points, from where
/// the integral is greatest. That is too much for motions that swing between stable and unstable
/// positions: perturbations are followed as well, by explicit schemes one of them step by step from
/// the first unstable position on, by others all of them from one of these points to the next, and
/// the smaller of the two estimates counts. Implicit one-step schemes carry an error of the size of
/// the tolerances along by the matrices of their steps, and add to it what each step may add. A run
/// for which it leaves no digit is to be confirmed by another one (simulation.cpp).
///
/// A state that has decayed below its absolute tolerance is nothing but errors. Where it grows
/// again by itself, not by what drives it, these are all that grows.

#include <daedal/system.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "core/types.hpp"
#include "integrate/stepper.hpp"
#include "linalg/linear_solver.hpp"
#include "solve/checks/tangent.hpp"

namespace daedal::solve_detail {

class GrowthEstimate {
 public:
  /// `damps`: the scheme damps fast motions for every step size.
  GrowthEstimate(const System& system, bool damps);
  /// Whether the system is small enough for it.
  [[nodiscard]] static bool is_possible(const System& system);

  /// After an accepted step. Linearises at some of them: at those whose number is a power of two,
  /// and later so often that it takes a few percent of the work of the steps.
  void look(const integration::StepReport& report, const integration::Stepper& stepper, Run& run);
  /// After an event, which may have changed the rates.
  void forget();
  /// Whether a state has lost digits, and whether it has grown again.
  [[nodiscard]] bool has_decayed() const { return has_decayed_; }
  [[nodiscard]] bool has_regrown() const { return has_regrown_; }
  /// The logarithm of the growth; NaN where the system is too large to tell, or was never
  /// linearised.
  [[nodiscard]] double log_growth() const;
  /// Σ min(1, |λ|h)^(p+1) over the steps, with the greatest |λ|: what a scheme of order p leaves of
  /// the fastest motion, in its own size, when its steps are fixed. What a scheme that damps has
  /// let die out is no motion.
  [[nodiscard]] double neglected() const { return neglected_; }

 private:
  void look_for_regrowth(const integration::Stepper& stepper, double length, Run& run);
  /// Whether the equations hold without the states that have decayed: nothing drives them.
  [[nodiscard]] bool grows_by_itself(const integration::Stepper& stepper, Run& run);
  /// The greatest real part, or NaN. Sets greatest_.
  [[nodiscard]] double rate(const integration::Stepper& stepper, double length, Run& run);
  [[nodiscard]] bool linearize_explicit(const integration::Stepper& stepper, double length,
                                        Run& run);
  [[nodiscard]] bool linearize_implicit(const integration::Stepper& stepper, double shift,
                                        Run& run);

  /// Follows the perturbations of an implicit system at this point, after linearize_implicit().
  void follow_implicit(const integration::Stepper& stepper, double shift, int n_squares);

  /// Takes a perturbation over the step that has ended, where the stepper can.
  void carry(const integration::Stepper& stepper, int order, double length);
  /// Takes the part along the motion out of the perturbation; returns it, in units of x'.
  [[nodiscard]] double take_out_motion(const integration::Stepper& stepper, double length);
  /// The size of values that may belong to the unknowns.
  [[nodiscard]] double share_of_sizes(std::span<const double> values) const;
  /// Whether time does not enter the equations, as far as a point tells.
  [[nodiscard]] bool holds_at_other_times(const integration::Stepper& stepper, double length,
                                          Run& run);

  const System& system_;
  const ExplicitSystem* explicit_;
  const ImplicitSystem* implicit_;
  bool damps_;
  bool is_known_;
  std::unique_ptr<linalg::RealSolver> solver_;
  Matrix matrix_;
  std::vector<double> x_, slope_, moved_;
  std::vector<double> peak_;      ///< |x| so far
  std::vector<int> n_small_;      ///< steps in a row, by unknown
  std::vector<bool> is_decayed_;  ///< by unknown
  bool has_decayed_ = false;
  bool has_regrown_ = false;
  double direction_ = 1.0;  ///< of time
  std::int64_t n_steps_ = 0;
  std::int64_t next_look_ = 1;     ///< the number of a step
  std::int64_t n_grown_ = 0;       ///< looks where errors had grown
  std::int64_t n_forced_ = 0;      ///< looks after events
  std::int64_t looks_apart_ = 2;   ///< the number of a step over that of the one before
  std::int64_t most_between_ = 1;  ///< steps between two looks
  std::vector<Index> states_;      ///< of the unknowns
  double way_ = 0.0;               ///< of time, so far
  double rate_ = 0.0;              ///< α
  double greatest_ = 0.0;          ///< |λ| of the motions that have not died out
  double neglected_ = 0.0;
  double log_growth_ = 0.0;
  std::optional<Tangent> tangent_;
  bool may_follow_;
  // Of an error that the stepper carries along.
  struct Carried {
    std::vector<double> v;       ///< of size 1; empty at first
    double log_size = 0.0;       ///< in tolerances
    double log_size_seen = 0.0;  ///< at the last look, or the least since
    bool is_possible = true;
  };
  Carried carried_;
  std::vector<double> sizes_;       ///< those at which errors are the tolerance, with the peaks
  std::vector<double> shares_;      ///< one over them
  std::vector<double> last_x_;      ///< at the end of the last step; empty after an event
  std::vector<double> last_slope_;  ///< x' at the end of the last step; empty after an event
  bool is_autonomous_ = true;
  double way_seen_ = 0.0;  ///< way_ at the last look
  // For implicit systems only.
  Matrix perturbations_;  ///< columns; of every unknown at the start
  Vector scale_;
  double last_look_ = 0.0;  ///< way_ there
  double log_size_ = 0.0;   ///< of the perturbations, which themselves have the size 1
  double least_ = 0.0;
};

}  // namespace daedal::solve_detail
