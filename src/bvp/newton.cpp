// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/newton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::bvp {

namespace {

/// Corrections well below the tolerance end the iteration.
constexpr double convergence = 1e-2;
/// Corrections below this share of the unknowns that do not shrink any more are rounding: in index
/// 2 the algebraic unknowns carry 1/h times the rounding of the others.
constexpr double rounding = 1e-9;
/// Contraction up to which a Jacobian is used again.
constexpr double good_contraction = 0.2;

/// u + factor·d into `out`.
void add(const Unknowns& u, double factor, const Unknowns& d, Unknowns& out) {
  const auto combine = [factor](const auto& a, const auto& b, auto& c) {
    c.resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i] + factor * b[i];
  };
  combine(u.nodes, d.nodes, out.nodes);
  combine(u.stages, d.stages, out.stages);
  combine(u.multipliers, d.multipliers, out.multipliers);
}

/// Calls visit(place, value) for every node and stage unknown.
template <class Visit>
void for_each(const Unknowns& u, const Layout& layout, Visit&& visit) {
  const auto n_d = to_size(layout.n_d());
  const auto n = to_size(layout.n);
  for (std::size_t i = 0; i < u.nodes.size(); ++i) visit(i % n_d, u.nodes[i]);
  for (std::size_t i = 0; i < u.stages.size(); ++i) visit(i % n, u.stages[i]);
}

}  // namespace

void Newton::measure(const Unknowns& u) {
  const Layout& layout = equations_.layout();
  size_.assign(to_size(layout.n), 0.0);
  for_each(u, layout, [&](std::size_t place, double value) {
    size_[place] = std::max(size_[place], std::abs(value));
  });
  weight_.resize(size_.size());
  for (std::size_t unknown = 0; unknown < size_.size(); ++unknown) {
    const double nominal = options_.nominals.empty() ? 1.0 : options_.nominals[unknown];
    const auto place = to_size(layout.place[unknown]);
    const bool counts = options_.is_free_of_tests.empty() || !options_.is_free_of_tests[unknown];
    weight_[place] = counts ? 1.0 / (options_.rtol * size_[place] + options_.atol * nominal) : 0.0;
  }
}

Newton::Norm Newton::norm(const Unknowns& delta) const {
  Norm result;
  double sum = 0.0;
  for_each(delta, equations_.layout(), [&](std::size_t place, double value) {
    const double weighted = std::abs(value) * weight_[place];
    sum += weighted * weighted;
    // NaN must win every comparison.
    if (!(weighted <= result.largest)) result.largest = weighted;
    const double relative = std::abs(value) / (size_[place] + 1.0 / weight_[place]);
    if (!(relative <= result.relative)) result.relative = relative;
  });
  const auto count = static_cast<double>(delta.nodes.size() + delta.stages.size());
  result.rms = std::sqrt(sum / std::max(count, 1.0));
  return result;
}

/// |a − factor·b|.
double Newton::distance(const Unknowns& a, double factor, const Unknowns& b) const {
  double sum = 0.0;
  const auto add_difference = [&](const auto& from, const auto& other, std::size_t period) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double weighted = (from[i] - factor * other[i]) * weight_[i % period];
      sum += weighted * weighted;
    }
  };
  const Layout& layout = equations_.layout();
  add_difference(a.nodes, b.nodes, to_size(std::max<Index>(layout.n_d(), 1)));
  add_difference(a.stages, b.stages, to_size(layout.n));
  return std::sqrt(sum /
                   static_cast<double>(std::max<std::size_t>(a.nodes.size() + a.stages.size(), 1)));
}

bool Newton::is_converged(const Norm& correction) const {
  return correction.largest <= convergence || correction.relative <= 10.0 * round_off;
}

NewtonResult Newton::solve(Trajectory& u) {
  const Unknowns start = u.values;
  NewtonResult result = damped(u);
  if (result.status != Status::newton_failure) return result;
  const Unknowns reached = u.values;
  u.values = start;
  if (full_steps(u, result)) return {Status::success, {}, result.iterations};
  u.values = reached;
  return result;
}

/// What follows in causal order, as p from p' = 1 and then u from what p says, converges in as many
/// full steps as the order is long, although the first of them bring the whole no nearer.
bool Newton::full_steps(Trajectory& u, NewtonResult& result) {
  constexpr int most = 12;
  for (int step = 0; step < most; ++step) {
    ++result.iterations;
    if (!equations_.evaluate(u.values, true).is_ok) return false;
    equations_.correct(delta_);
    measure(u.values);
    const Norm full = norm(delta_);
    if (!std::isfinite(full.largest)) return false;
    add(u.values, 1.0, delta_, u.values);
    if (is_converged(full)) return equations_.rank().rank >= 2 * equations_.layout().n_d();
  }
  return false;
}

NewtonResult Newton::damped(Trajectory& u) {
  NewtonResult result;
  damping_ = 1.0;
  has_history_ = false;
  measure(u.values);
  while (result.iterations < options_.max_iterations) {
    const Outcome outcome = iterate(u, result);
    if (outcome != Outcome::stepped) return result;
  }
  result.status = Status::newton_failure;
  result.message = fmt::format("Newton's iteration did not converge in {} steps on {} intervals.",
                               options_.max_iterations, u.n_intervals());
  return result;
}

Newton::Outcome Newton::iterate(Trajectory& u, NewtonResult& result) {
  ++result.iterations;
  const MeshEvaluation at = equations_.evaluate(u.values, true);
  if (!at.is_ok) {
    result.status = at.status;
    result.message = at.message;
    return Outcome::failed;
  }
  equations_.correct(delta_);
  measure(u.values);
  const Norm full = norm(delta_);
  if (!std::isfinite(full.largest)) {
    result.status = Status::singular_iteration_matrix;
    result.message = "Newton's correction is not finite: the linearised problem is singular.";
    return Outcome::failed;
  }
  is_deficient_ = equations_.rank().rank < 2 * equations_.layout().n_d();
  if (is_converged(full)) {
    add(u.values, 1.0, delta_, u.values);
    if (!is_deficient_) return Outcome::converged;
    result.status = Status::boundary_conditions;
    result.message = "The boundary conditions do not determine the solution.";
    return Outcome::failed;
  }
  if (has_history_) {
    // Deuflhard (3.47): from the simplified correction before and the one now.
    const double change = distance(bar_, 1.0, delta_);
    const double bar = norm(bar_).rms;
    const double mu =
        change * full.rms > 0.0 ? last_full_ * bar / (change * full.rms) * damping_ : infinity;
    damping_ = std::clamp(mu, options_.smallest_damping, 1.0);
  }
  return damped_step(u, full, result);
}

Newton::Outcome Newton::damped_step(Trajectory& u, const Norm& full, NewtonResult& result) {
  MeshEvaluation at;
  while (damping_ >= options_.smallest_damping) {
    add(u.values, damping_, delta_, trial_);
    at = equations_.evaluate(trial_, false);
    if (!at.is_ok) {
      damping_ *= 0.5;
      continue;
    }
    equations_.correct(bar_);
    const Norm bar = norm(bar_);
    const double curvature = distance(bar_, 1.0 - damping_, delta_);
    const double mu = curvature > 0.0 ? 0.5 * full.rms * damping_ * damping_ / curvature : infinity;
    if (bar.rms < full.rms) {
      u.values = trial_;
      last_full_ = full.rms;
      has_history_ = true;
      // Where conditions depend on each other the correction is one of least squares: the next
      // Jacobian tells whether it is so at the solution as well.
      if (damping_ < 1.0 || is_deficient_) return Outcome::stepped;
      if (is_converged(bar)) {
        add(u.values, 1.0, bar_, u.values);
        return Outcome::converged;
      }
      if (bar.rms < good_contraction * full.rms) return simplified_steps(u, bar);
      return Outcome::stepped;
    }
    if (damping_ == 1.0 && full.relative < rounding && !is_deficient_) {
      // As good as the arithmetic allows: the step itself was rounding.
      return Outcome::converged;
    }
    damping_ = std::min(mu, 0.5 * damping_);
  }
  result.status = at.is_ok ? Status::newton_failure : at.status;
  result.message =
      at.is_ok ? fmt::format(
                     "Newton's iteration came to a halt on {} intervals: no step in the direction "
                     "of the correction brings the solution nearer.",
                     u.n_intervals())
               : at.message;
  return Outcome::failed;
}

/// Further corrections by the same Jacobian while they shrink fast.
Newton::Outcome Newton::simplified_steps(Trajectory& u, Norm previous) {
  // Each must be a fraction of the last: eight of them gain more digits than there are.
  constexpr int most = 8;
  for (int step = 0; step < most; ++step) {
    add(u.values, 1.0, bar_, trial_);
    if (!equations_.evaluate(trial_, false).is_ok) break;
    equations_.correct(bar_);
    const Norm next = norm(bar_);
    const bool shrinks = next.rms < good_contraction * previous.rms;
    if (!shrinks && previous.relative < rounding) return Outcome::converged;
    if (!shrinks) break;
    u.values = trial_;
    if (is_converged(next)) {
      add(u.values, 1.0, bar_, u.values);
      return Outcome::converged;
    }
    previous = next;
  }
  // A new Jacobian, with a full step to begin with.
  has_history_ = false;
  damping_ = 1.0;
  return Outcome::stepped;
}

}  // namespace daedal::bvp
