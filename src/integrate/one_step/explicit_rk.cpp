// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/explicit_rk.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/registry.hpp"
#include "integrate/weights.hpp"

namespace daedal::integration {

namespace {

/// Dense output after Hairer, Nørsett, Wanner II.6 in nested form,
///
///     x + θ(F0 + (1-θ)(F1 + θ(F2 + (1-θ)(F3 + θ(F4 + (1-θ)(F5 + θ F6)))))),
///
/// F0 = x_new - x, F1 = h k_0 - F0, F2 = 2F0 - h(k_0 + k_s) (Hermite's cubic), the others
/// h Σ d_j k_j. This multiplies it out: P_ij is the weight of h k_i in front of θ^(j+1).
Matrix polynomial_weights(const Tableau& tableau, bool beyond_hermite) {
  const int rows = beyond_hermite && !tableau.dense.empty() ? tableau.dense.back().row + 1 : 0;
  const int terms = 3 + rows;
  Matrix f = Matrix::Zero(tableau.all_stages(), terms);  // F_m = h Σ_i k_i f_im
  for (const auto& [row, from, value] : tableau.a) {
    if (row == tableau.stages) f(from, 0) = value;
  }
  f.col(1) = -f.col(0);
  f(0, 1) += 1.0;
  f.col(2) = 2.0 * f.col(0);
  f(0, 2) -= 1.0;
  f(tableau.stages, 2) -= 1.0;
  if (rows > 0) {
    for (const auto& [row, from, value] : tableau.dense) f(from, 3 + row) = value;
  }

  // The factor of F_m, by powers of θ from 1: θ, θ(1-θ), θ²(1-θ), θ²(1-θ)², …
  Matrix weights = Matrix::Zero(tableau.all_stages(), terms);
  Vector factor = Vector::Zero(terms);
  factor(0) = 1.0;
  for (int m = 0; m < terms; ++m) {
    weights += f.col(m) * factor.transpose();
    Vector next = Vector::Zero(terms);
    next.tail(terms - 1) = factor.head(terms - 1);
    factor = m % 2 == 0 ? Vector(factor - next) : next;
  }
  return weights;
}

/// The entries of one column, those that are not 0.
std::vector<StageTerm> terms_of(const Matrix& weights, Index column) {
  std::vector<StageTerm> terms;
  for (Index i = 0; i < weights.rows(); ++i) {
    if (weights(i, column) != 0.0) terms.push_back({i, weights(i, column)});
  }
  return terms;
}

std::span<const double> view(const Vector& x) {
  return {x.data(), to_size(x.size())};
}
std::span<double> view(Vector& x) {
  return {x.data(), to_size(x.size())};
}

}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(const ExplicitSystem& system, const Tableau& tableau)
    : system_(system),
      tableau_(tableau),
      stage_rows_(to_size(tableau.all_stages())),
      dense_weights_(polynomial_weights(tableau, true)),
      slopes_(Matrix::Zero(system.size(), tableau.all_stages())),
      x_(Vector::Zero(system.size())),
      stage_(x_),
      error_(x_),
      x_new_(to_size(system.size())),
      slope_inside_(x_new_.size()),
      dense_(system.size(), static_cast<int>(dense_weights_.cols())),
      tried_(dense_) {
  for (const auto& entry : tableau.a) {
    stage_rows_[to_size(entry.row)].push_back({entry.from, entry.value});
  }
  for (const auto& entry : tableau.error) {
    error_rows_[to_size(entry.row)].push_back({entry.from, entry.value});
    error_needs_end_ = error_needs_end_ || entry.from == tableau.stages;
  }
  stiff_row_ = stage_rows_[to_size(tableau.stages - 1)];
  for (StageTerm& term : stiff_row_) term.weight = -term.weight;
  const Row& end = stage_rows_[to_size(tableau.stages)];
  stiff_row_.insert(stiff_row_.end(), end.begin(), end.end());
  const Matrix cubic = polynomial_weights(tableau, false);
  for (Index j = 0; j < cubic.cols(); ++j) hermite_.push_back(terms_of(cubic, j));
  for (Index j = 0; j < dense_weights_.cols(); ++j) smooth_.push_back(terms_of(dense_weights_, j));
}

void ExplicitRungeKutta::sum_row(const Row& row, double scale, double* out) const {
  sum_stages(slopes_.data(), slopes_.rows(), row, scale, Terms::one_by_one, nullptr, out);
}

std::span<double> ExplicitRungeKutta::slope(int stage) {
  return {slopes_.col(stage).data(), to_size(slopes_.rows())};
}

std::span<const double> ExplicitRungeKutta::xp_new() const {
  return {slopes_.col(tableau_.stages).data(), to_size(slopes_.rows())};
}

Evaluation ExplicitRungeKutta::evaluate_first(const StepTask& task, Run& run) {
  if (task.xp_is_current) {
    std::ranges::copy(task.xp, slope(0).begin());
    return Evaluation::ok;
  }
  ++evaluations_;
  return system_.rhs(task.t, task.x, run, slope(0));
}

Evaluation ExplicitRungeKutta::evaluate_stage(int i, double t, Run& run) {
  if (system_.has_complete()) {
    const auto completed = system_.complete(t, view(stage_), run);
    if (completed != Evaluation::ok) return completed;
  }
  ++evaluations_;
  return system_.rhs(t, view(stage_), run, slope(i));
}

void ExplicitRungeKutta::form_stage(int i) {
  // Two at a time: half as many additions in a row.
  sum_stages(slopes_.data(), slopes_.rows(), stage_rows_[to_size(i)], h_, Terms::in_pairs,
             x_.data(), stage_.data());
}

Evaluation ExplicitRungeKutta::evaluate_stages(int first, int last, Run& run) {
  for (int i = first; i <= last; ++i) {
    form_stage(i);
    const auto evaluation = evaluate_stage(i, t_ + tableau_.c[to_size(i)] * h_, run);
    if (evaluation != Evaluation::ok) return evaluation;
  }
  return Evaluation::ok;
}

Attempt ExplicitRungeKutta::attempt(const StepTask& task, Run& run) {
  x_ = as_vector(task.x);
  t_ = task.t;
  h_ = task.h;
  has_tried_ = false;
  const int end = tableau_.stages;
  auto evaluation = evaluate_first(task, run);
  if (evaluation == Evaluation::ok) evaluation = evaluate_stages(1, end - 1, run);
  if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
  Attempt attempt{.error_order = tableau_.error_order, .safety = tableau_.control.safety};
  if (!error_needs_end_) {
    attempt.error = error_norm(task.weights);
    // A step that its error rejects needs no slope at its end.
    if (task.error_decides && attempt.error > 1.0) return attempt;
  }
  form_stage(end);
  error_ = stage_;
  evaluation = evaluate_stage(end, t_ + tableau_.c[to_size(end)] * h_, run);
  if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
  std::ranges::copy(view(stage_), x_new_.begin());
  if (!stage_.allFinite() || !slopes_.col(end).allFinite()) {
    return {.outcome = Attempt::Outcome::non_finite};
  }
  // Coordinates that follow from the others are integrated too: where both ways differ, the step is
  // too long for its estimate, as where the others hardly determine them. Those of charts are the
  // projection on a manifold, which watches its own singular positions.
  double difference = 0.0;
  if (system_.has_complete() && system_.manifold() == nullptr) {
    error_ -= stage_;
    const auto kinds = system_.kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!kinds[i].differential)
        error_[to_index(i)] = 0.0;  // solved for at each stage, integrated nowhere
    }
    difference = weighted_rms(view(std::as_const(error_)), task.weights);
  }
  if (error_needs_end_) attempt.error = error_norm(task.weights);
  attempt.error = std::max(attempt.error, difference);
  return attempt;
}

double ExplicitRungeKutta::error_row(std::size_t row, std::span<const double> weights) {
  sum_row(error_rows_[row], 1.0, error_.data());
  return weighted_rms(view(std::as_const(error_)), weights);
}

double combined_error(const Tableau& tableau, double h, const std::array<double, 2>& rows,
                      double& stretch) {
  switch (tableau.estimate) {
    case ErrorEstimate::none:
      return 0.0;
    case ErrorEstimate::difference:
      return std::abs(h) * rows[0];
    case ErrorEstimate::stretched: {
      const double scale = std::hypot(rows[0], 0.1 * rows[1]);
      stretch = scale == 0.0 ? 0.0 : rows[0] / scale;
      return std::abs(h) * rows[0] * stretch;
    }
  }
  return 0.0;
}

double ExplicitRungeKutta::error_norm(std::span<const double> weights) {
  if (tableau_.estimate == ErrorEstimate::none) return 0.0;
  const bool has_two = tableau_.estimate == ErrorEstimate::stretched;
  return combined_error(tableau_, h_,
                        {error_row(0, weights), has_two ? error_row(1, weights) : 0.0}, stretch_);
}

bool ExplicitRungeKutta::local_error(std::span<double> error) {
  if (tableau_.estimate == ErrorEstimate::none) return false;
  sum_row(error_rows_[0], h_, error.data());
  as_vector(error) *= stretch_;
  return true;
}

void ExplicitRungeKutta::accept(Run&) {
  if (has_tried_) {
    std::swap(dense_, tried_);
    return;
  }
  dense_.reshape({.t0 = t_,
                  .h = h_,
                  .degree = static_cast<int>(dense_weights_.cols()),
                  .order = tableau_.dense_order});
}

void ExplicitRungeKutta::complete_dense(Run& run) {
  if (!std::exchange(has_tried_, false)) fill(dense_, run);
}

void ExplicitRungeKutta::fill(DensePolynomial& dense, Run& run) {
  const int extra = tableau_.stages + 1;
  const bool full = evaluate_stages(extra, tableau_.all_stages() - 1, run) == Evaluation::ok &&
                    slopes_.allFinite();
  // A stage of the dense output may lie outside the domain although the step does not: Hermite's
  // cubic needs none.
  const std::vector<Row>& rows = full ? smooth_ : hermite_;
  const int degree = static_cast<int>(rows.size());
  dense.reshape({.t0 = t_,
                 .h = h_,
                 .degree = degree,
                 .order = full ? tableau_.dense_order : std::min(3, tableau_.dense_order)});
  dense.coefficient(0) = x_;
  for (int j = 0; j < degree; ++j) {
    sum_row(rows[to_size(j)], h_, dense.coefficient(j + 1).data());
  }
  if (system_.has_complete()) {
    dense.evaluate(1.0, view(stage_), {});
    stage_ = as_vector(std::span<const double>(x_new_)) - stage_;
    dense.shift_end(view(std::as_const(stage_)));
  }
}

/// Fast motions that have died out are rounding errors: a step far outside the region of stability
/// multiplies them, those of its extra stages most of all, while the estimate at its end may still
/// see nothing.
double ExplicitRungeKutta::defect_inside(std::span<const double> weights, Run& run) {
  // Dependent coordinates are searched for from where they were last: a look would move that.
  if (system_.has_complete()) return 0.0;
  fill(tried_, run);
  has_tried_ = true;
  tried_.evaluate(look_inside_at, view(stage_), view(error_));
  ++evaluations_;
  // A point outside the domain is reported elsewhere.
  if (system_.rhs(t_ + look_inside_at * h_, view(stage_), run, slope_inside_) != Evaluation::ok)
    return 0.0;
  error_ -= as_vector(std::span<const double>(slope_inside_));
  return std::abs(h_) * weighted_rms(view(std::as_const(error_)), weights);
}

double ExplicitRungeKutta::stiffness(std::span<const double> weights) {
  if (tableau_.stability == 0.0) return 0.0;
  // Two arguments of f at the end of the step, which differ by little, and their slopes
  // (Hairer, Wanner (IV.2.22)): |λ| ≈ |k_s - k_(s-1)| / |x_s - x_(s-1)|.
  const int last = tableau_.stages;
  sum_row(stiff_row_, 1.0, error_.data());
  const double distance = weighted_rms(view(std::as_const(error_)), weights);
  if (!(distance > 0.0)) return 0.0;
  error_ = slopes_.col(last) - slopes_.col(last - 1);
  return weighted_rms(view(std::as_const(error_)), weights) / (distance * tableau_.stability);
}

double ExplicitRungeKutta::initial_step(const StepTask& task, Run& run) {
  // Hairer, Nørsett, Wanner II.4, "starting step size": an explicit Euler step estimates x''.
  const double bound = std::abs(task.h);
  if (evaluate_first(task, run) != Evaluation::ok) return cautious_share * bound;
  const double size = starting_step(task.x, slope(0), task.weights, bound);
  const double step = std::copysign(size, task.h);
  stage_ = as_vector(task.x) + step * slopes_.col(0);
  if (evaluate_stage(1, task.t + step, run) != Evaluation::ok) return size;
  error_ = (slopes_.col(1) - slopes_.col(0)) / size;
  const double first = weighted_rms(slope(0), task.weights);
  const double second = weighted_rms(view(std::as_const(error_)), task.weights);
  if (!std::isfinite(first) || !std::isfinite(second)) return size;
  // The derivative of order p + 1 is not known. With the rate |x''|/|x'| of the motion it is about
  // |x'| rate^p, which has the right dimension: the step is the same in every unit of time.
  const double rate = first > 0.0 ? second / first : std::sqrt(second);
  const double magnitude = first > 0.0 ? first / rate : 1.0;
  const double next =
      rate > 0.0 ? std::pow(0.01 / magnitude, 1.0 / (tableau_.order + 1)) / rate : infinity;
  return std::min({100.0 * size, next, bound});
}

void ExplicitRungeKutta::count(Statistics& statistics) const {
  statistics.residual_evaluations += evaluations_;
}

namespace {

template <class Value, const Tableau& (*tableau)()>
std::unique_ptr<Stepper> make(const ExplicitSystem& system, const StepOptions& options,
                              const Value&) {
  return std::make_unique<OneStepStepper>(
      system, std::make_unique<ExplicitRungeKutta>(system, tableau()), options);
}

template <class Value, const Tableau& (*tableau)()>
IntegratorRow row(std::string_view summary, bool is_controlled) {
  return integrator_row<Value, make<Value, tableau>>(summary,
                                                     {.explicit_systems = true,
                                                      .error_controlled = is_controlled,
                                                      .fixed_step = true,
                                                      .projects = true,
                                                      .keeps_history = true,
                                                      .real_stability = tableau().real_stability});
}

}  // namespace

std::vector<IntegratorRow> explicit_rk_integrators() {
  return {
      row<Dop853, dormand_prince853>("Explicit Runge-Kutta of order 8(5,3), Dormand and Prince",
                                     true),
      row<Dopri5, dormand_prince5>("Explicit Runge-Kutta of order 5(4), Dormand and Prince", true),
      row<Rk4, classical_rk4>("The classical Runge-Kutta method of order 4, fixed step", false),
      row<EulerForward, forward_euler>("The forward Euler method, fixed step", false)};
}

}  // namespace daedal::integration
