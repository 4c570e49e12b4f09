// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "linalg/dense/rank.hpp"
#include "linalg/dense/spectrum.hpp"

namespace daedal::formulation {

namespace {

/// Steps are looked at in so many parts.
constexpr int n_scan_parts = 4;
/// A located minimum below this is a singular time: CB vanishes like (t − t*)² or t − t*, and the
/// location is good to the root of round-off.
constexpr double singular_product = 1e-6;
/// With E = (CB)⁻¹ on a CB that depends on the states the run ends here, at a distance of the root
/// of this from a position where branches may meet: the iterates deviate by more than that.
constexpr double meeting_measure = 1e-3;
/// Projectors on both sides are compared at this share of the way to the step's nearer end and at
/// half of it; limits that differ by more than this are not the same.
constexpr double far_share = 0.9;
constexpr double largest_limit = 0.1;
/// Closer to the singular time than this, in time scales, round-off hides the limits; where CB
/// depends on the states, their errors do.
constexpr double least_distance = 1e-5, least_distance_of_states = 1e-2;
/// Eigenvalues of E·CB below minus this share of the usual size grow.
constexpr double wrong_sign = 1e-6;
/// Growth of a perturbation that deserves a warning: it is what is lost of the accuracy.
constexpr double large_growth = 1e4;
/// Estimates of the error above so many tolerances are reported.
constexpr double many_tolerances = 100.0;
constexpr Index largest_followed = 100;

}  // namespace

SrmMonitor::SrmMonitor(const SrmContext& context, double t0, std::span<const double> x, SrmRun& run)
    : context_(context),
      state_(x.size()),
      zero_(to_size(context.n_states())),
      svd_(context.n_multipliers(), context.n_multipliers()),
      cayley_(context.n_states()),
      perturbation_(context.n_states()) {
  // Any direction that no symmetry of a model singles out.
  for (Index i = 0; i < perturbation_.size(); ++i) {
    const double nominal = context.hessenberg().nominals()[to_size(i)];
    perturbation_(i) = nominal * (1.0 + 0.3 * std::sin(2.0 + 3.0 * static_cast<double>(i)));
  }
  first_length_ = 0.0;
  restart(t0, x, run);
}

void SrmMonitor::restart(double t, std::span<const double> x, SrmRun& run) {
  last_ = {t, measure(t, context_.last(x), run)};
}

double SrmMonitor::measure(double t, std::span<const double> state, SrmRun& run) {
  if (context_.point(t, state, run) != Evaluation::ok) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  svd_.factor(run.work->a);
  const double least = svd_.singular_values().minCoeff();
  usual_ = std::max(usual_, least);
  return usual_ > 0.0 ? least / usual_ : 0.0;
}

SrmMonitor::Sample SrmMonitor::sample(double t, const History& history, SrmRun& run) {
  history.derivative(t, 0, state_);
  return {t, measure(t, context_.last(state_), run)};
}

Change SrmMonitor::after_step(double t, std::span<const double> x, const History& history,
                              SrmRun& run) {
  Sample begin = last_;
  step_begin_ = begin.t;
  const double step = t - begin.t;
  last_ = {t, measure(t, context_.last(x), run)};
  const Sample end = last_;
  if (stops_at_meetings(run) && end.square <= meeting_measure) return stop_before_meeting(t);
  const Change bad_gain = check_gain(t, run);
  if (bad_gain.kind != Change::Kind::none) return bad_gain;
  estimate_error(t, x, run);
  if (step == 0.0 || usual_ == 0.0) return {};
  follow_perturbation(t, x, step, run);
  const auto measured = [&](double at) { return sample(at, history, run).square; };
  const double most = stops_at_meetings(run) ? meeting_measure : singular_product;
  for (const double at : scan_.find(begin, end, n_scan_parts, measured, most)) {
    if (stops_at_meetings(run)) return stop_before_meeting(at);
    run.warnings.push_back(describe(at, run, history));
  }
  return {};
}

bool SrmMonitor::stops_at_meetings(SrmRun& run) const {
  return context_.is_state_dependent() && context_.memory(run).gain() == SrmGain::inverse;
}

Change SrmMonitor::stop_before_meeting(double t) {
  return {
      Change::Kind::stop, Status::bifurcation,
      fmt::format("Near t = {:.6g} the matrix CB becomes singular at a position where branches "
                  "of the motion may meet: E = (CB)^-1 would choose one of them by its errors. "
                  "Take E = 3, I, or E = 4, (CB + delta I)^-1, which stay on the smooth branch.",
                  t)};
}

bool SrmMonitor::limits(double t, const History& history, SrmRun& run, Vector& values) {
  history.derivative(t, 0, state_);
  if (context_.point(t, context_.last(state_), run) != Evaluation::ok) return false;
  const SrmWork& work = *run.work;
  const Index n = work.b.rows();
  values.resize(n * n + n);
  for (Index j = 0; j < n; ++j) {
    values.segment(j * n, n) = work.b * linalg::min_norm_least_squares(work.a, work.g.col(j));
  }
  values.tail(n).setZero();
  // For linear constraints, c at the state zero is r.
  if (!context_.is_state_dependent() && context_.point(t, zero_, run) == Evaluation::ok) {
    values.tail(n) = work.b * linalg::min_norm_least_squares(work.a, as_vector(work.c));
  }
  return values.allFinite();
}

std::string SrmMonitor::describe(double t, SrmRun& run, const History& history) {
  const std::string opening =
      fmt::format("At t = {:.8g} the matrix CB is singular: y is not determined there, ", t);
  const double room = std::min(std::abs(t - step_begin_), std::abs(last_.t - t));
  const double distance = std::copysign(far_share * room, last_.t - step_begin_);
  const double least = context_.is_state_dependent() ? least_distance_of_states : least_distance;
  if (room < least * context_.memory(run).time_scale()) {
    return opening + "By may be (assumption H1; the step is too short to judge it).";
  }
  // Differences across the singular time at two distances, extrapolated to distance zero.
  Vector jump[2];
  double size = 1.0;
  for (int i = 0; i < 2; ++i) {
    const double apart = i == 0 ? distance : 0.5 * distance;
    Vector after, before;
    if (!limits(t + apart, history, run, after) || !limits(t - apart, history, run, before)) {
      return opening + "and the equations are not finite near it.";
    }
    jump[i] = after - before;
    size = std::max(size, before.norm());
  }
  const double limit = (2.0 * jump[1] - jump[0]).norm() / size;
  return opening +
         (limit <= largest_limit
              ? "By is; assumptions H1 and H2 hold along this solution."
              : fmt::format("and B(CB)^-1C seems to jump there, by {:.2g} of its size: assumptions "
                            "H1 and H2 are not seen to hold. Compare with another method.",
                            limit));
}

Change SrmMonitor::check_gain(double t, SrmRun& run) {
  SrmMemory memory = context_.memory(run);
  if (memory.gain() != SrmGain::identity && memory.gain() != SrmGain::shifted) return {};
  double least = 0.0;
  const Matrix& a = run.work->a;
  if (a.rows() == 1) {
    least = memory.sign() * a(0, 0);
  } else {
    for (const std::complex<double>& value : linalg::eigenvalues(a)) {
      least = std::min(least, memory.sign() * value.real());
    }
  }
  if (least >= -wrong_sign * usual_) return {};
  return {Change::Kind::stop, Status::rank_change,
          fmt::format("At t = {:.8g} an eigenvalue of CB has changed its sign: with E = {} "
                      "violations of the constraints grow from here on. Take E = 1, (CB)^-1, or "
                      "E = 2, (CB)'.",
                      t, to_string(memory.gain()))};
}

// d' = (∂x'/∂x)|_y d by one step of the trapezoidal rule, then along B(CB)⁺ back to C d = 0.
void SrmMonitor::follow_perturbation(double t, std::span<const double> x, double step,
                                     SrmRun& run) {
  const Index n_states = context_.n_states(), n = context_.hessenberg().n();
  if (has_warned_growth_ || n_states > largest_followed) return;
  const std::span<const double> state = context_.last(x);
  if (context_.chain(t, x, run) != Evaluation::ok || run.work->is_singular) return;
  const Index s = context_.settings().iterations - 1;
  std::ranges::copy(run.work->top(s), run.top.begin());
  std::ranges::copy(run.work->multiplier(s), run.u.begin());
  if (context_.point(t, state, run) != Evaluation::ok ||
      context_.linearization().evaluate(t, state, run) != Evaluation::ok) {
    return;
  }
  const SrmWork& work = *run.work;
  Matrix motion = Matrix::Zero(n_states, n_states);
  for (Index i = 0; i + n < n_states; ++i) motion(i, i + n) = 1.0;
  motion.bottomRows(n) = work.top_x;
  const Matrix implicit = Matrix::Identity(n_states, n_states) - 0.5 * step * motion;
  std::copy_n(implicit.data(), implicit.size(), cayley_.matrix().begin());
  if (!cayley_.factor().ok) return;
  Vector next = perturbation_ + 0.5 * step * (motion * perturbation_);
  cayley_.solve({next.data(), to_size(n_states)});
  const Vector off = work.c_x * next;
  next.tail(n) -= work.b * linalg::min_norm_least_squares(work.a, off);
  const std::span<const double> nominals = context_.hessenberg().nominals();
  const double length = next.cwiseQuotient(as_vector(nominals)).norm();
  if (!std::isfinite(length)) return;
  if (first_length_ == 0.0) first_length_ = std::max(length, round_off);
  perturbation_ = next;
  if (length <= large_growth * first_length_) return;
  has_warned_growth_ = true;
  run.warnings.push_back(
      fmt::format("By t = {:.6g} perturbations of the motion have grown {:.1g} times: assumption "
                  "H3, stability along the constraints, hardly holds, and errors of the "
                  "regularisation grow alike.",
                  t, length / first_length_));
}

void SrmMonitor::estimate_error(double t, std::span<const double> x, SrmRun& run) {
  const SrmSettings& settings = context_.settings();
  if (has_warned_error_ || settings.iterations < 3 || settings.fixed_step > 0.0) return;
  const auto n = to_size(context_.n_states());
  const std::vector<double>& nominals = context_.hessenberg().nominals();
  double last = 0.0, before = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double* end = x.data() + x.size() - n + i;
    const double weight = 1.0 / (settings.rtol * (std::abs(*end) + nominals[i]));
    last = std::max(last, weight * std::abs(end[0] - *(end - n)));
    before = std::max(before, weight * std::abs(*(end - n) - *(end - 2 * n)));
  }
  // The differences shrink by about the same factor from iteration to iteration, except where they
  // are errors of the integrator.
  const double factor = std::min(last / std::max(before, round_off), 0.5);
  const double estimate = last * factor / (1.0 - factor);
  if (estimate <= many_tolerances) return;
  has_warned_error_ = true;
  run.warnings.push_back(
      fmt::format("At t = {:.6g} the last iteration still changes the solution by {:.2g} "
                  "tolerances, and {:.2g} are estimated to remain: take more iterations or a "
                  "smaller epsilon.",
                  t, last, estimate));
}

}  // namespace daedal::formulation
