// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sequential regularisation of a Hessenberg system (U. Ascher, P. Lin, "Sequential regularization
/// methods for higher index DAEs with constraint singularities: the linear index-2 case", 1993),
///
///     x_s' = f(x_s, t) − B y_s,   y_s = y_{s−1} + (1/ε) E (α₁ċ + α₂c)(x_s, t),   s = 1 ... S,
///
/// their (3.3), (3.4), (3.15) in our sign: they write x' = Ax + By + q, and E is such that no
/// eigenvalue of E·CB is negative. Every iterate x_s is the solution of an ordinary differential
/// equation whose violation c of the constraints is O(εˢ) on linear problems. All of them are
/// advanced together (their 4.2), so that the storage does not depend on the number of steps.
///
/// c is the constraint itself for order m = 1. Systems x⁽ᵐ⁾ = f − By are reduced stably first:
/// c = (d/dt + γ)ᵐ⁻¹ g, which decays on to g = 0. M in front of x⁽ᵐ⁾ is solved for.
///
/// E = (CB)⁻¹ is not defined where CB is singular, but B(CB)⁻¹c has a limit there (their H1, H2).
/// Where CB depends on time alone, that limit is taken from both sides.

#include <algorithm>
#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/regularized/hessenberg_context.hpp"
#include "formulation/srm/srm_settings.hpp"
#include "kernel/jacobian_program.hpp"
#include "linalg/dense/lu.hpp"

namespace daedal::formulation {

class SrmMonitor;

/// Values and factors of one run: n accelerations, k multipliers, N = n·m states of an iterate.
struct SrmWork {
  SrmWork(Index n, Index k, Index n_states, Index iterations);

  Matrix b, g, a;            ///< M⁻¹B, G, A = GM⁻¹B at the last point
  std::vector<double> free;  ///< M⁻¹f
  std::vector<double> c;     ///< the violation
  std::vector<double> rate;  ///< ċ for y = 0
  linalg::DenseLu<double> mass, gain, implicit;
  Matrix damped;             ///< E A, where α₁ needs it
  double smallest = 0.0;     ///< singular value of A, about
  double usual = 0.0;        ///< the greatest such value at accepted steps
  bool is_singular = false;  ///< the last evaluation stopped because E does not exist

  std::vector<double> y;       ///< of all iterates
  std::vector<double> motion;  ///< x_s⁽ᵐ⁾ of all iterates, then M⁻¹B y_s of all iterates
  std::vector<double> side;    ///< the same on one side of a singular time
  std::vector<double> jacobian_side, scratch;
  std::vector<double> linear_values;  ///< nonzeros of the linearisation
  kernel::JacobianWorkspace linearization;
  Matrix top_x, c_x, rate_x;  ///< by the states of one iterate: x⁽ᵐ⁾ for fixed y, c, ċ
  Matrix y_x;                 ///< of y_s by the states of all iterates so far

  [[nodiscard]] std::span<double> top(Index iterate) {
    return std::span(motion).subspan(to_size(iterate) * free.size(), free.size());
  }
  [[nodiscard]] std::span<double> by(Index iterate) {
    return std::span(motion).subspan(motion.size() / 2 + to_size(iterate) * free.size(),
                                     free.size());
  }
  [[nodiscard]] std::span<double> multiplier(Index iterate) {
    return std::span(y).subspan(to_size(iterate) * c.size(), c.size());
  }
};

class SrmRun final : public HessenbergRun {
 public:
  using HessenbergRun::HessenbergRun;
  std::unique_ptr<SrmWork> work;
  std::shared_ptr<SrmMonitor> monitor;
};

/// The derivatives of one iterate by its states, for fixed y.
class SrmLinearization {
 public:
  /// c = Σ weights[j] g⁽ʲ⁾.
  SrmLinearization(const HessenbergContext& hessenberg, std::span<const double> weights);
  void prepare(SrmWork& work) const;
  /// top_x, c_x and rate_x at the last point, for its y and x⁽ᵐ⁾ in run.u and run.top.
  Evaluation evaluate(double t, std::span<const double> x, SrmRun& run) const;

 private:
  const HessenbergContext& hessenberg_;
  kernel::JacobianProgram program_;
};

class SrmContext final : public ModelContext {
 public:
  SrmContext(const Request& request, ConstrainedView view, const SrmSettings& settings);

  [[nodiscard]] const HessenbergContext& hessenberg() const { return *hessenberg_; }
  [[nodiscard]] const SrmSettings& settings() const { return settings_; }
  [[nodiscard]] Index n_states() const { return n_states_; }  ///< of one iterate
  [[nodiscard]] Index n_multipliers() const { return hessenberg_->m(); }
  /// CB depends on the states: where it is singular, branches may meet.
  [[nodiscard]] bool is_state_dependent() const { return is_state_dependent_; }
  void prepare(SrmRun& run) const;
  [[nodiscard]] SrmMemory memory(SrmRun& run) const;
  /// The states of the last iterate, the one that counts.
  [[nodiscard]] std::span<const double> last(std::span<const double> x) const;

  /// M⁻¹B, G, A, M⁻¹f, c, ċ of one iterate.
  Evaluation point(double t, std::span<const double> x, SrmRun& run) const;
  /// Factors what E needs at the last point.
  Evaluation prepare_gain(double t, SrmRun& run) const;
  /// E r in place.
  void apply_gain(std::span<double> r, SrmRun& run) const;
  /// y_s and x_s⁽ᵐ⁾ of all iterates in run.work; at a time where (CB)⁻¹ does not exist y is NaN.
  Evaluation chain(double t, std::span<const double> x, SrmRun& run) const;
  Evaluation derivatives(double t, std::span<const double> x, SrmRun& run,
                         std::span<double> xp) const;
  /// ∂x'/∂x of all iterates, dense and column-major. Derivatives of E are left out: they multiply
  /// c/ε, which is no larger than the multipliers, so that they are not stiff.
  Evaluation jacobian(double t, std::span<const double> x, SrmRun& run,
                      std::span<double> f_x) const;
  [[nodiscard]] const SrmLinearization& linearization() const { return linearization_; }

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  SrmContext(std::shared_ptr<const HessenbergContext> hessenberg, const SrmSettings& settings);
  Evaluation chain_at(double t, std::span<const double> x, SrmRun& run) const;
  Evaluation jacobian_at(double t, std::span<const double> x, SrmRun& run,
                         std::span<double> f_x) const;
  Evaluation update_multiplier(double t, SrmRun& run, std::span<double> y) const;
  /// Whether CB is as regular at a state that derivatives of the constraints determine y.
  [[nodiscard]] bool is_regular(double t, std::span<const double> x, SrmRun& run) const;
  /// `evaluate` at t, or the mean of what it puts in `values` a little before and after t.
  template <class Evaluate>
  Evaluation at_or_around(double t, SrmRun& run, std::span<double> values, std::span<double> side,
                          Evaluate&& evaluate) const;
  void starting_iterate(double t, SrmRun& run, std::span<double> y) const;

  std::shared_ptr<const HessenbergContext> hessenberg_;
  SrmSettings settings_;
  Index n_states_;
  std::vector<double> weights_;  ///< of g, ġ, ..., g⁽ᵐ⁻¹⁾ in c
  bool is_state_dependent_ = false;
  SrmLinearization linearization_;
};

/// Consistent values of all iterates, with E, ε and the starting iterate.
class SrmStart {
 public:
  explicit SrmStart(const SrmContext& context)
      : context_(context), hessenberg_(context.hessenberg()), settings_(context.settings()) {}
  /// Chooses E, ε and the starting iterate. Throws OptionError when a fixed step is too long for
  /// the integrator.
  [[nodiscard]] Start find(double t0, SrmRun& run) const;
  /// All iterates anew from the states of the last one.
  Evaluation restart(double t, std::span<double> x, std::span<double> xp, SrmRun& run) const;

 private:
  struct Series;
  bool expand(double t0, std::span<const double> x, SrmRun& run, Series& series) const;
  /// The starting iterate and the time scales from the Taylor series at t0.
  Evaluation expand_start(double t0, std::span<const double> x, SrmRun& run) const;
  void choose_gain(double t0, SrmRun& run, Start& start) const;
  void choose_epsilon(SrmRun& run, Start& start) const;

  const SrmContext& context_;
  const HessenbergContext& hessenberg_;
  const SrmSettings& settings_;
};

}  // namespace daedal::formulation
