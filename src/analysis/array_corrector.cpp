// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array_corrector.hpp"

#include <algorithm>
#include <functional>

namespace daedal::analysis {

ArrayCorrector::ArrayCorrector(const DerivativeArray& array, const Shape& shape,
                               std::span<const double> nominals)
    : array_(array),
      shape_(shape),
      n_(array.n_unknowns()),
      rows_(array.n_equations() * (shape.level + 1)),
      nominals_(nominals.begin(), nominals.end()),
      workspace_(array.make_workspace()),
      jacobian_(rows_, n_ * (shape.level + 2)),
      qr_(rows_, n_ * (shape.level + 1)),
      rotated_x_(rows_, n_),
      constraints_(Matrix::Zero(shape.n_constraints, n_)),
      d5_(shape.n_constraints),
      d5_matrix_(shape.n_constraints, shape.n_constraints),
      all_values_(shape.n_constraints, n_),
      d5_values_(shape.n_constraints, shape.n_constraints),
      r_(to_size(rows_)),
      moves_(to_size(shape.n_constraints)),
      constraint_part_(moves_.size()),
      rotated_(r_.size()),
      step_(to_size(qr_.columns())) {}

bool ArrayCorrector::evaluate(const ArrayPoint& point) {
  return array_.residual(point, shape_.level, r_, workspace_);
}

void ArrayCorrector::apply_scale() {
  if (!has_scales_ || !shape_.keeps_scale) scales_ = array_scales(jacobian_);
  has_scales_ = true;
  for (Index j = 0; j < jacobian_.cols(); ++j) {
    // Columns of x are scaled by their nominal values where that matters.
    const double column = j < n_ ? 1.0 : scales_.column[j];
    for (Index i = 0; i < rows_; ++i) jacobian_(i, j) *= scales_.row[i] * column;
  }
}

ArrayCorrector::Outcome ArrayCorrector::factor(const ArrayPoint& point) {
  if (!array_.linearize(point, shape_.level, r_, workspace_)) return Outcome::not_finite;
  array_.assemble(shape_.level, workspace_, jacobian_);
  apply_scale();
  qr_.matrix() = jacobian_.rightCols(qr_.columns());
  if (qr_.factor().rank != rows_ - shape_.n_constraints) return Outcome::rank_changed;
  if (shape_.n_constraints == 0) return Outcome::ok;
  for (Index j = 0; j < n_; ++j) {
    rotated_x_.col(j) = jacobian_.col(j);
    qr_.apply_qt({rotated_x_.col(j).data(), to_size(rows_)});
    constraints_.col(j) = rotated_x_.col(j).tail(shape_.n_constraints) * nominals_[to_size(j)];
  }
  if (dependent_.empty()) return Outcome::ok;
  return factor_partition() ? Outcome::ok : Outcome::singular_partition;
}

bool ArrayCorrector::select(std::span<const Index> dependent) {
  dependent_.assign(dependent.begin(), dependent.end());
  return factor_partition();
}

bool ArrayCorrector::factor_partition() {
  const std::span<double> matrix = d5_.matrix();
  for (std::size_t k = 0; k < dependent_.size(); ++k) {
    std::copy_n(constraints_.col(dependent_[k]).data(), shape_.n_constraints,
                matrix.begin() + to_index(k) * shape_.n_constraints);
  }
  return d5_.factor().ok;
}

double ArrayCorrector::best_possible() {
  all_values_.factor(constraints_);
  return all_values_.singular_values().minCoeff();
}

double ArrayCorrector::quality(std::span<const Index> dependent) {
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    d5_matrix_.col(to_index(k)) = constraints_.col(dependent[k]);
  }
  d5_values_.factor(d5_matrix_);
  return d5_values_.singular_values().minCoeff();
}

void ArrayCorrector::correct(std::span<double> delta) {
  std::fill_n(delta.begin(), n_, 0.0);
  for (Index i = 0; i < rows_; ++i) rotated_[to_size(i)] = -scales_.row[i] * r_[to_size(i)];
  qr_.apply_qt(rotated_);
  std::transform(rotated_.end() - shape_.n_constraints, rotated_.end(), constraint_part_.begin(),
                 std::negate<>());
  if (!dependent_.empty()) {
    const auto m = to_size(shape_.n_constraints);
    std::copy_n(rotated_.end() - shape_.n_constraints, m, moves_.begin());
    d5_.solve(moves_);
    for (std::size_t k = 0; k < dependent_.size(); ++k) {
      const Index j = dependent_[k];
      const double move = moves_[k] * nominals_[to_size(j)];
      delta[to_size(j)] = move;
      for (Index i = 0; i < rows_; ++i) rotated_[to_size(i)] -= rotated_x_(i, j) * move;
    }
  }
  qr_.solve_rotated(rotated_, step_);
  for (Index j = 0; j < qr_.columns(); ++j) {
    delta[to_size(n_ + j)] = step_[to_size(j)] * scales_.column[n_ + j];
  }
}

}  // namespace daedal::analysis
