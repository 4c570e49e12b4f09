// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/discretization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace daedal::bvp {

Discretization::Discretization(const Problem& problem, const Layout& layout, const Points& points,
                               const DiscretizationOptions& options)
    : problem_(problem),
      layout_(layout),
      points_(points),
      stop_(options.stop),
      n_projected_(points.ends_at_one || !options.projects ? 0 : layout.n_g()),
      n_local_(points.k * layout.n + n_projected_),
      run_(problem.system.make_run()),
      projection_lu_(n_projected_ > 0 ? layout.n : 0),
      ends_(problem, layout, *run_),
      x_(to_size(layout.n)),
      xp_(to_size(layout.n)),
      f_(to_size(layout.n)),
      f_x_(to_size(problem.system.pattern().nonzeros())),
      f_xp_(f_x_.size()),
      last_(to_size(layout.n)),
      last_slope_(to_size(layout.n)),
      constraint_number_(to_size(layout.n), -1) {
  for (Index g = 0; g < layout.n_g(); ++g) {
    constraint_number_[to_size(layout.constraints[to_size(g)])] = g;
  }
}

std::string Discretization::condition_name(Index row) const {
  const Index n_given = problem_.conditions.size();
  if (row < n_given) return problem_.conditions.name(row);
  return problem_.system.row_name(layout_.constraints[to_size(row - n_given)]) +
         " at the beginning";
}

void Discretization::set_mesh(std::vector<double> mesh) {
  mesh_ = std::move(mesh);
  const Index n_intervals = to_index(mesh_.size()) - 1;
  condensation_.resize(n_intervals, n_local_, layout_.n_d());
  blocks_.resize(layout_.n_d(), n_intervals, n_conditions());
  projections_.assign(to_size(n_intervals * layout_.n_d() * n_projected_), 0.0);
  residual_.resize(to_size(n_intervals * condensation_.n_rows()));
  condition_residual_.resize(to_size(n_conditions()));
}

bool Discretization::fail(double t, Status status, std::string message) {
  outcome_ = {.is_ok = false, .status = status, .time = t, .message = std::move(message)};
  return false;
}

bool Discretization::is_stopped() {
  if (!stop_.is_raised()) return false;
  fail(problem_.t0, stop_.reason(), stop_.message("the solution on a mesh"));
  return true;
}

bool Discretization::call_residual(double t) {
  ++work_.residuals;
  if (problem_.system.residual(t, x_, xp_, *run_, f_) == Evaluation::ok) return true;
  return fail(t, run_->failure.status, run_->failure.detail);
}

bool Discretization::call_jacobian(double t) {
  ++work_.jacobians;
  if (problem_.system.jacobian(t, x_, xp_, *run_, f_x_, f_xp_) == Evaluation::ok) return true;
  return fail(t, run_->failure.status, run_->failure.detail);
}

MeshEvaluation Discretization::evaluate(const Unknowns& u, bool jacobian) {
  outcome_ = {};
  const Index n_intervals = to_index(mesh_.size()) - 1;
  for (Index i = 0; i < n_intervals; ++i) {
    const bool is_ok = evaluate_interval(i, u, jacobian);
    if (is_stopped() || !is_ok) return outcome_;
  }
  if (!evaluate_conditions(u, jacobian)) return outcome_;
  if (jacobian) {
    ++work_.factorizations;
    rank_ = blocks_.factor(stop_);
    if (is_stopped()) return outcome_;
    if (blocks_.singular_block() >= 0) {
      const double t = mesh_[to_size(blocks_.singular_block())];
      fail(t, Status::singular_iteration_matrix,
           fmt::format("The equations do not determine the solution at t = {:.6g}.", t));
    }
  }
  return outcome_;
}

bool Discretization::evaluate_interval(Index i, const Unknowns& u, bool jacobian) {
  const Place at{i, mesh_[to_size(i)], mesh_[to_size(i) + 1] - mesh_[to_size(i)]};
  if (jacobian) std::ranges::fill(condensation_.matrix(i), 0.0);
  for (Index j = 0; j < points_.k; ++j) {
    if (!evaluate_stage(at, j, u, jacobian)) return false;
  }
  if (n_projected_ > 0 && !evaluate_end(at, u, jacobian)) return false;
  add_continuity(at, u, jacobian);
  if (!jacobian || condensation_.eliminate(i, blocks_.left(i), blocks_.right(i), stop_))
    return true;
  return fail(at.t, Status::singular_iteration_matrix,
              fmt::format("The equations do not determine slopes and algebraic variables between "
                          "t = {:.6g} and {:.6g}: the index is higher there, or a constraint loses "
                          "rank.",
                          at.t, at.t + at.h));
}

bool Discretization::evaluate_stage(const Place& at, Index j, const Unknowns& u, bool jacobian) {
  const Index n = layout_.n;
  const Index n_d = layout_.n_d();
  const double* node = u.nodes.data() + at.interval * n_d;
  const double* stages = u.stages.data() + at.interval * points_.k * n;
  for (Index d = 0; d < n_d; ++d) {
    double value = node[d];
    for (Index l = 0; l < points_.k; ++l) value += points_.a(j, l) * stages[l * n + d];
    x_[to_size(layout_.differential[to_size(d)])] = value;
    xp_[to_size(layout_.differential[to_size(d)])] = stages[j * n + d] / at.h;
  }
  for (Index a = 0; a < layout_.n_y(); ++a) {
    x_[to_size(layout_.algebraic[to_size(a)])] = stages[j * n + n_d + a];
    xp_[to_size(layout_.algebraic[to_size(a)])] = 0.0;
  }
  // An end at which the equations switch belongs to the next interval.
  const double end = mesh_[to_size(at.interval) + 1];
  const double t =
      std::min(at.t + points_.c[j] * at.h, end < mesh_.back() ? std::nextafter(end, at.t) : end);
  if (!call_residual(t)) return false;
  std::copy(f_.begin(), f_.end(), residual_of(at.interval) + j * n);
  if (!jacobian) return true;
  if (!call_jacobian(t)) return false;
  const SparsityPattern& pattern = problem_.system.pattern();
  double* rows = condensation_.matrix(at.interval).data() + j * n * condensation_.width();
  for (Index column = 0; column < n; ++column) {
    const Index place = layout_.place[to_size(column)];
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      double* row = rows + pattern.row[to_size(p)] * condensation_.width();
      const double by_x = f_x_[to_size(p)];
      if (place >= n_d) {
        // The unknown is h·y: rows of index-2 systems then have entries of one size.
        row[j * n + place] += by_x / at.h;
        continue;
      }
      for (Index l = 0; l < points_.k; ++l) row[l * n + place] += points_.a(j, l) * by_x;
      row[j * n + place] += f_xp_[to_size(p)] / at.h;
      row[n_local_ + place] += by_x;
    }
  }
  return true;
}

void Discretization::fill_node(std::span<const double> node) {
  for (Index d = 0; d < layout_.n_d(); ++d) {
    x_[to_size(layout_.differential[to_size(d)])] = node[to_size(d)];
  }
}

/// g(t_(i+1), x_(i+1)) and, with the Jacobian, the direction of the projection there.
bool Discretization::evaluate_end(const Place& at, const Unknowns& u, bool jacobian) {
  const Index n = layout_.n;
  const Index n_d = layout_.n_d();
  const double t = mesh_[to_size(at.interval) + 1];
  // Slopes and algebraic values of the interval's polynomials at its end.
  std::array<double, 5> ell{};
  std::array<double, 5> unused{};
  points_.evaluate(1.0, ell, unused);
  const double* stages = u.stages.data() + at.interval * points_.k * n;
  for (Index unknown = 0; unknown < n; ++unknown) {
    const Index place = layout_.place[to_size(unknown)];
    double value = 0.0;
    for (Index l = 0; l < points_.k; ++l) value += ell[to_size(l)] * stages[l * n + place];
    (place < n_d ? xp_ : x_)[to_size(unknown)] = place < n_d ? value / at.h : value;
    if (place >= n_d) xp_[to_size(unknown)] = 0.0;
  }
  fill_node(std::span(u.nodes).subspan(to_size((at.interval + 1) * n_d), to_size(n_d)));
  if (!call_residual(t)) return false;
  double* residual = residual_of(at.interval) + points_.k * n + n_d;
  for (Index g = 0; g < n_projected_; ++g) {
    residual[g] = f_[to_size(layout_.constraints[to_size(g)])];
  }
  if (!jacobian) return true;
  return call_jacobian(t) && find_projection(at);
}

/// With E and F_y the derivatives of the other rows, [E F_y; g_x 0] [P; ·] = [0; I].
bool Discretization::find_projection(const Place& at) {
  const Index n = layout_.n;
  const Index n_d = layout_.n_d();
  const Index width = condensation_.width();
  const SparsityPattern& pattern = problem_.system.pattern();
  auto matrix = projection_lu_.matrix();
  std::ranges::fill(matrix, 0.0);
  double* rows =
      condensation_.matrix(at.interval).data() + (points_.k * n + n_d) * width + n_local_ + n_d;
  for (Index column = 0; column < n; ++column) {
    const Index place = layout_.place[to_size(column)];
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      const Index row = pattern.row[to_size(p)];
      const Index g = constraint_number_[to_size(row)];
      const bool by_x = g >= 0 || place >= n_d;
      matrix[to_size(place * n + row)] = by_x ? f_x_[to_size(p)] : f_xp_[to_size(p)];
      if (g >= 0 && place < n_d) rows[g * width + place] = f_x_[to_size(p)];
    }
  }
  const auto report = projection_lu_.factor();
  if (!report.ok) {
    return fail(at.t + at.h, Status::singular_iteration_matrix,
                fmt::format("The constraints do not determine the algebraic variables at t = "
                            "{:.6g}: the index is higher there, or a constraint loses rank.",
                            at.t + at.h));
  }
  for (Index g = 0; g < n_projected_; ++g) {
    std::ranges::fill(f_, 0.0);
    f_[to_size(layout_.constraints[to_size(g)])] = 1.0;
    projection_lu_.solve(f_);
    std::copy_n(f_.begin(), n_d, projections_.begin() + (at.interval * n_projected_ + g) * n_d);
  }
  return true;
}

void Discretization::add_continuity(const Place& at, const Unknowns& u, bool jacobian) {
  const Index n = layout_.n;
  const Index n_d = layout_.n_d();
  const double* node = u.nodes.data() + at.interval * n_d;
  const double* stages = u.stages.data() + at.interval * points_.k * n;
  const double* projection = projections_.data() + at.interval * n_projected_ * n_d;
  const double* multiplier = u.multipliers.data() + at.interval * n_projected_;
  double* residual = residual_of(at.interval) + points_.k * n;
  for (Index d = 0; d < n_d; ++d) {
    double value = node[n_d + d] - node[d];
    for (Index l = 0; l < points_.k; ++l) value -= points_.b[l] * stages[l * n + d];
    for (Index g = 0; g < n_projected_; ++g) value -= projection[g * n_d + d] * multiplier[g];
    residual[d] = value;
  }
  if (!jacobian) return;
  double* rows = condensation_.matrix(at.interval).data() + points_.k * n * condensation_.width();
  for (Index d = 0; d < n_d; ++d) {
    double* row = rows + d * condensation_.width();
    for (Index l = 0; l < points_.k; ++l) row[l * n + d] = -points_.b[l];
    for (Index g = 0; g < n_projected_; ++g) row[points_.k * n + g] = -projection[g * n_d + d];
    row[n_local_ + d] = -1.0;
    row[n_local_ + n_d + d] = 1.0;
  }
}

bool Discretization::complete_ends(const Unknowns& u) {
  const Index n = layout_.n;
  const Index n_d = layout_.n_d();
  const auto begin_with = [&](const double* stage, double h, std::vector<double>& x,
                              std::vector<double>& xp) {
    for (Index unknown = 0; unknown < n; ++unknown) {
      const Index place = layout_.place[to_size(unknown)];
      xp[to_size(unknown)] = place < n_d ? stage[place] / h : 0.0;
      if (place >= n_d) x[to_size(unknown)] = stage[place];
    }
  };
  begin_with(u.stages.data(), mesh_[1] - mesh_[0], x_, xp_);
  begin_with(u.stages.data() + to_index(u.stages.size()) - n,
             mesh_.back() - mesh_[mesh_.size() - 2], last_, last_slope_);
  if (ends_.refine(problem_.t0, x_, xp_) && ends_.refine(problem_.t1, last_, last_slope_)) {
    return true;
  }
  return fail(problem_.t0, Status::newton_failure,
              "The equations could not be solved for the algebraic variables at the ends of the "
              "interval, which occur in boundary conditions.");
}

/// ∂b/∂x + ∂b/∂y · dy/dx, in the columns of the differential unknowns.
bool Discretization::add_algebraic_derivatives(double t, std::span<const double> x,
                                               std::span<const double> xp, Matrix& by_end) {
  if (!ends_.differentiate(t, x, xp, of_algebraic_)) {
    return fail(t, Status::singular_iteration_matrix,
                fmt::format("The algebraic variables are not determined at t = {:.6g}.", t));
  }
  for (Index d = 0; d < layout_.n_d(); ++d) {
    for (Index a = 0; a < layout_.n_y(); ++a) {
      by_end.col(layout_.differential[to_size(d)]) +=
          of_algebraic_(a, d) * by_end.col(layout_.algebraic[to_size(a)]);
    }
  }
  return true;
}

bool Discretization::evaluate_conditions(const Unknowns& u, bool jacobian) {
  const Index n_d = layout_.n_d();
  const Index n_given = problem_.conditions.size();
  const auto nodes = std::span(u.nodes);
  std::ranges::fill(x_, 0.0);
  std::ranges::fill(xp_, 0.0);
  fill_node(nodes.last(to_size(n_d)));
  last_ = x_;
  fill_node(nodes.first(to_size(n_d)));
  const bool uses_algebraic = problem_.conditions.uses_algebraic();
  if (uses_algebraic && !complete_ends(u)) return false;
  auto given = std::span(condition_residual_).first(to_size(n_given));
  const bool is_ok =
      problem_.conditions.residual(x_, last_, given) == Evaluation::ok &&
      (!jacobian || problem_.conditions.jacobian(x_, last_, by_first_, by_last_) == Evaluation::ok);
  if (!is_ok) {
    return fail(problem_.t0, Status::non_finite_value, "A boundary condition is not finite.");
  }
  if (jacobian) {
    if (uses_algebraic && (!add_algebraic_derivatives(problem_.t0, x_, xp_, by_first_) ||
                           !add_algebraic_derivatives(problem_.t1, last_, last_slope_, by_last_))) {
      return false;
    }
    for (Index d = 0; d < n_d; ++d) {
      const Index column = layout_.differential[to_size(d)];
      blocks_.first_condition().col(d).head(n_given) = by_first_.col(column);
      blocks_.last_condition().col(d).head(n_given) = by_last_.col(column);
    }
  }
  return layout_.n_g() == 0 || evaluate_first_constraints(u, jacobian);
}

/// g(t0, x_0); the other rows are evaluated with it, at the first collocation point's values.
bool Discretization::evaluate_first_constraints(const Unknowns& u, bool jacobian) {
  const Index n_d = layout_.n_d();
  const Index n_given = problem_.conditions.size();
  const double h = mesh_[1] - mesh_[0];
  for (Index unknown = 0; unknown < layout_.n; ++unknown) {
    const Index place = layout_.place[to_size(unknown)];
    const double value = u.stages[to_size(place)];
    (place < n_d ? xp_ : x_)[to_size(unknown)] = place < n_d ? value / h : value;
  }
  if (!call_residual(problem_.t0)) return false;
  for (Index g = 0; g < layout_.n_g(); ++g) {
    condition_residual_[to_size(n_given + g)] = f_[to_size(layout_.constraints[to_size(g)])];
  }
  if (!jacobian) return true;
  if (!call_jacobian(problem_.t0)) return false;
  const SparsityPattern& pattern = problem_.system.pattern();
  for (Index d = 0; d < n_d; ++d) {
    const Index column = layout_.differential[to_size(d)];
    blocks_.first_condition().col(d).tail(layout_.n_g()).setZero();
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      const Index g = constraint_number_[to_size(pattern.row[to_size(p)])];
      if (g >= 0) blocks_.first_condition()(n_given + g, d) = f_x_[to_size(p)];
    }
  }
  return true;
}

void Discretization::correct(Unknowns& delta) {
  const Index n = layout_.n;
  const Index n_d = layout_.n_d();
  const Index rows = condensation_.n_rows();
  const Index n_intervals = to_index(mesh_.size()) - 1;
  std::vector<double> r(residual_.size());
  std::ranges::transform(residual_, r.begin(), std::negate<>());
  right_side_.resize(to_size(n_intervals * n_d));
  for (Index i = 0; i < n_intervals; ++i) {
    condensation_.transform(i, {r.data() + i * rows, to_size(rows)},
                            {right_side_.data() + i * n_d, to_size(n_d)});
  }
  std::vector<double> b(condition_residual_.size());
  std::ranges::transform(condition_residual_, b.begin(), std::negate<>());
  delta.nodes.resize(to_size((n_intervals + 1) * n_d));
  delta.stages.resize(to_size(n_intervals * points_.k * n));
  delta.multipliers.resize(to_size(n_intervals * n_projected_));
  blocks_.solve(right_side_, b, delta.nodes);
  for (Index i = 0; i < n_intervals; ++i) {
    const std::span<double> local(r.data() + i * rows, to_size(n_local_));
    const double* node = delta.nodes.data() + i * n_d;
    condensation_.substitute(i, local, {node, to_size(n_d)}, {node + n_d, to_size(n_d)});
    const double h = mesh_[to_size(i) + 1] - mesh_[to_size(i)];
    double* stages = delta.stages.data() + i * points_.k * n;
    for (Index s = 0; s < points_.k * n; ++s) {
      stages[s] = s % n < n_d ? local[to_size(s)] : local[to_size(s)] / h;
    }
    std::copy_n(local.begin() + points_.k * n, n_projected_,
                delta.multipliers.begin() + i * n_projected_);
  }
}

linalg::AlmostBlockDiagonal::Dependence Discretization::dependent_conditions() {
  const Index n_d = layout_.n_d();
  const Index rows = condensation_.n_rows();
  std::vector<double> r(residual_);
  right_side_.resize(to_size(to_index(mesh_.size() - 1) * n_d));
  for (Index i = 0; i + 1 < to_index(mesh_.size()); ++i) {
    condensation_.transform(i, {r.data() + i * rows, to_size(rows)},
                            {right_side_.data() + i * n_d, to_size(n_d)});
  }
  std::vector<double> b = condition_residual_;
  return blocks_.dependent_conditions(right_side_, b);
}

}  // namespace daedal::bvp
