// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/symmetric_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "integrate/weights.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "system/named_invariants.hpp"

namespace daedal::integration {

namespace {

using Outcome = Attempt::Outcome;

/// A step that is short enough does not come near these: beyond them a shorter one is cheaper.
constexpr int most_projections = 40;
constexpr int max_inner_iterations = 20;
/// Normals with a pivot of their products below this, in units of their greatest lengths so far,
/// are nearly dependent.
constexpr double near_dependence = 1e-3;

const Manifold& manifold_of(const ExplicitSystem& system) {
  if (system.manifold() == nullptr) {
    throw OptionError(ErrorCode::illegal_combination,
                      "Symmetric projection needs a system with invariants to project on.");
  }
  return *system.manifold();
}

std::size_t n_invariants(const Manifold& manifold) {
  Index n = 0;
  for (int level = 0; level < manifold.n_levels(); ++level) n += manifold.n_invariants(level);
  return to_size(n);
}

SparsityPattern full(Index n) {
  SparsityPattern pattern{n, n, {0}, {}};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

}  // namespace

SymmetricProjection::SymmetricProjection(const ExplicitSystem& system,
                                         std::unique_ptr<OneStepScheme> scheme)
    : system_(system), manifold_(manifold_of(system)), scheme_(std::move(scheme)) {
  if (!scheme_->is_symmetric()) {
    throw OptionError(ErrorCode::illegal_combination,
                      "A symmetric projection needs a symmetric scheme: use gauss.");
  }
  const std::size_t m = n_invariants(manifold_);
  const std::size_t n = to_size(system.size());
  solver_ = linalg::make_real_solver(full(to_index(m)));
  for (auto* vector : {&x0_, &start_, &end_, &x1_, &xp1_, &last_x1_, &normal_}) vector->resize(n);
  nominals_.assign(system.nominals().begin(), system.nominals().end());
  nominals_.resize(n, 1.0);
  for (auto* vector : {&mu_, &delta_, &g_, &last_g_, &scale_, &longest_, &reach_})
    vector->resize(m);
  matrix_.resize(m * m);
  scaled_.resize(m * m);
}

Evaluation SymmetricProjection::invariants(double t, std::span<const double> x, Run& run,
                                           std::span<double> values) {
  std::size_t offset = 0;
  for (int level = 0; level < manifold_.n_levels(); ++level) {
    const std::size_t n = to_size(manifold_.n_invariants(level));
    const auto evaluation = manifold_.residual(t, x, level, run, values.subspan(offset, n));
    if (evaluation != Evaluation::ok) return evaluation;
    offset += n;
  }
  return Evaluation::ok;
}

double SymmetricProjection::relative_length(std::span<const double> v) const {
  double length = 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    length = std::max(length, std::abs(v[i]) / std::max(std::abs(x1_[i]), nominals_[i]));
  }
  return length;
}

Evaluation SymmetricProjection::place_end(double t, Run& run) {
  // x1 = x̃1 + G(x1)ᵀμ by fixed point: μ is of the size of the local error, so is the rate.
  std::ranges::copy(scheme_->x_new(), x1_.begin());
  double last = infinity;
  for (int k = 0; k < max_inner_iterations; ++k) {
    std::ranges::fill(end_, 0.0);
    const auto evaluation = manifold_.add_normal(t, x1_, mu_, end_, run);
    if (evaluation != Evaluation::ok) return evaluation;
    for (std::size_t i = 0; i < x1_.size(); ++i) {
      const double next = scheme_->x_new()[i] + end_[i];
      normal_[i] = next - x1_[i];
      x1_[i] = next;
    }
    const double moved = relative_length(normal_);
    if (moved == 0.0 || (k > 1 && moved >= last)) break;
    last = moved;
  }
  return Evaluation::ok;
}

Attempt SymmetricProjection::shoot(const StepTask& task, Run& run) {
  std::ranges::fill(start_, 0.0);
  auto evaluation = manifold_.add_normal(task.t, task.x, mu_, start_, run);
  if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
  as_vector(x0_) = as_vector(task.x) + as_vector(start_);
  StepTask moved = task;
  moved.x = x0_;
  moved.xp_is_current = false;
  Attempt attempt = scheme_->attempt(moved, run);
  if (attempt.outcome != Outcome::ok) return attempt;
  evaluation = place_end(task.t + task.h, run);
  if (evaluation == Evaluation::ok) evaluation = invariants(task.t + task.h, x1_, run, g_);
  if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
  return attempt;
}

Attempt SymmetricProjection::start_matrix(double t, Run& run) {
  const std::size_t m = mu_.size();
  for (std::size_t k = 0; k < m; ++k) {
    const auto add_along = [&](double length) {
      std::ranges::fill(delta_, 0.0);
      delta_[k] = length;
      return manifold_.add_normal(t, x1_, delta_, normal_, run);
    };
    std::ranges::fill(normal_, 0.0);
    auto evaluation = add_along(1.0);
    if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
    reach_[k] = std::max(reach_[k], relative_length(normal_));
    const double increment = std::sqrt(round_off) / (reach_[k] > 0.0 ? reach_[k] : 1.0);
    std::ranges::copy(x1_, normal_.begin());
    evaluation = add_along(increment);
    const auto column = std::span(matrix_).subspan(k * m, m);
    if (evaluation == Evaluation::ok) evaluation = invariants(t, normal_, run, column);
    if (evaluation != Evaluation::ok) return failed_evaluation(evaluation);
    for (std::size_t i = 0; i < m; ++i) column[i] = 2.0 * (column[i] - g_[i]) / increment;
  }
  return {};
}

linalg::FactorReport SymmetricProjection::factor() {
  const std::size_t m = mu_.size();
  for (std::size_t i = 0; i < m; ++i) scale_[i] = 1.0 / std::sqrt(std::abs(matrix_[i * m + i]));
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      scaled_[j * m + i] = scale_[i] * matrix_[j * m + i] * scale_[j];
    }
  }
  return solver_->factor(scaled_);
}

void SymmetricProjection::name_invariant(const StepTask& task, Run& run) {
  const auto* named = dynamic_cast<const NamedInvariants*>(&manifold_);
  const std::size_t m = mu_.size();
  if (named == nullptr || m == 0) return;
  Matrix normals(to_index(normal_.size()), to_index(m));
  for (std::size_t k = 0; k < m; ++k) {
    std::ranges::fill(delta_, 0.0);
    delta_[k] = 1.0;
    std::ranges::fill(normal_, 0.0);
    if (manifold_.add_normal(task.t, task.x, delta_, normal_, run) != Evaluation::ok) return;
    as_vector(normal_).array() /= as_vector(nominals_).array();
    longest_[k] = std::max(longest_[k], as_vector(normal_).norm());
    normals.col(to_index(k)) = as_vector(normal_) / std::max(longest_[k], 1e-300);
  }
  const linalg::PivotColumns pivots = linalg::choose_pivot_columns(normals.transpose() * normals);
  const Index weakest = pivots.dependent_row >= 0 ? pivots.dependent_row : pivots.columns.back();
  if (pivots.dependent_row < 0 && pivots.smallest_pivot > near_dependence) return;
  run.failure = {Status::singular_iteration_matrix, -1,
                 fmt::format("The step from t = {:.12g} fails near a singular position: {} comes "
                             "nearest to depending on the other constraints.",
                             task.t, named->invariant_name(weakest))};
}

Attempt SymmetricProjection::attempt(const StepTask& task, Run& run) {
  const Attempt attempt = iterate(task, run);
  if (attempt.outcome == Outcome::singular && run.failure.status == Status::success) {
    name_invariant(task, run);
  }
  return attempt;
}

Attempt SymmetricProjection::iterate(const StepTask& task, Run& run) {
  const double t1 = task.t + task.h;
  const std::size_t m = mu_.size();
  std::ranges::fill(mu_, 0.0);
  Attempt attempt = shoot(task, run);
  if (attempt.outcome != Outcome::ok) return attempt;
  if (const Attempt started = start_matrix(t1, run); started.outcome != Outcome::ok) return started;
  double last = infinity;
  for (int k = 0; k < most_projections; ++k) {
    const auto factors = factor();
    if (!factors.ok) {
      // The plain projection names the invariants in its message.
      std::ranges::copy(x1_, normal_.begin());
      manifold_.project(t1, normal_, task.weights, run);
      return {.outcome = Outcome::singular};
    }
    as_vector(delta_) = -as_vector(g_).cwiseProduct(as_vector(scale_));
    solver_->solve(delta_);
    as_vector(delta_).array() *= as_vector(scale_).array();
    as_vector(mu_) += as_vector(delta_);
    std::ranges::copy(g_, last_g_.begin());
    std::ranges::copy(x1_, last_x1_.begin());
    attempt = shoot(task, run);
    if (attempt.outcome != Outcome::ok) return attempt;
    as_vector(last_x1_) -= as_vector(x1_);
    const double moved = weighted_rms(last_x1_, task.weights);
    if (!std::isfinite(moved)) return {.outcome = Outcome::non_finite};
    // Converged well below the error weights, or at the round-off of x1.
    const bool stagnates = moved > 0.3 * last && moved <= 10.0;
    if (moved <= 1e-2 || stagnates) {
      if (const auto evaluation = system_.rhs(t1, x1_, run, xp1_); evaluation != Evaluation::ok) {
        return failed_evaluation(evaluation);
      }
      ++evaluations_;
      return attempt;
    }
    last = moved;
    if (moved <= 1.0) continue;  // the differences are round-off by now: keep the matrix
    // Broyden, in the scaled μ: B += (g_new - g - Bδ)δᵀ/δᵀδ, and Bδ = -g.
    as_vector(delta_).array() /= as_vector(scale_).array();
    const double square = as_vector(delta_).squaredNorm();
    for (std::size_t j = 0; j < m; ++j) {
      delta_[j] /= scale_[j];
      for (std::size_t i = 0; i < m; ++i) matrix_[j * m + i] += g_[i] * delta_[j] / square;
    }
  }
  return {.outcome = Outcome::diverged};
}

void SymmetricProjection::accept(Run& run) {
  scheme_->accept(run);
  scheme_->complete_dense(run);
  // The polynomial of Φ runs from x̃0 to x̃1: bend it to run from x0 to x1.
  auto& polynomial = scheme_->dense();
  polynomial.coefficient(0) -= as_vector(start_);
  polynomial.coefficient(1) += as_vector(start_) + as_vector(end_);
  ++projections_;
  // The matrix starts as 2 G Gᵀ: its diagonal has the squared lengths of the normals.
  const std::size_t m = mu_.size();
  for (std::size_t k = 0; k < m; ++k) {
    longest_[k] = std::max(longest_[k], std::sqrt(0.5 * std::abs(matrix_[k * m + k])));
  }
}

void SymmetricProjection::count(Statistics& statistics) const {
  scheme_->count(statistics);
  statistics.residual_evaluations += evaluations_;
  statistics.projections += projections_;
}

}  // namespace daedal::integration
