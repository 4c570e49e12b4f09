// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/array_corrector.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "linalg/sparse/sparsity.hpp"

namespace daedal::analysis {

namespace {

/// A peeled pair stays peeled while its entry keeps this share of its first value.
constexpr double kept_share = 0.1;
/// Parts of Z₂ below this are round-off.
constexpr double null_space_tolerance = 1e-8;

/// Columns from `first` on.
SparsityPattern right_part(const SparsityPattern& pattern, Index first) {
  const Index start = pattern.column_start[first];
  SparsityPattern part{.rows = pattern.rows,
                       .columns = pattern.columns - first,
                       .column_start = {},
                       .row = {pattern.row.begin() + start, pattern.row.end()}};
  for (Index j = first; j <= pattern.columns; ++j) {
    part.column_start.push_back(pattern.column_start[j] - start);
  }
  return part;
}

}  // namespace

ArrayCorrector::ArrayCorrector(const DerivativeArray& array, const Shape& shape,
                               std::span<const double> nominals)
    : array_(array),
      shape_(shape),
      n_(array.n_unknowns()),
      nominals_(nominals.begin(), nominals.end()),
      workspace_(array.make_workspace()),
      whole_(array, shape.level),
      constraints_(Matrix::Zero(shape.n_constraints, n_)),
      d5_(shape.n_constraints),
      d5_matrix_(shape.n_constraints, shape.n_constraints),
      all_values_(shape.n_constraints, n_),
      d5_values_(shape.n_constraints, shape.n_constraints),
      r_(to_size(whole_.pattern().rows)),
      moves_(to_size(shape.n_constraints)),
      constraint_part_(moves_.size()) {}

bool ArrayCorrector::evaluate(const ArrayPoint& point) {
  return array_.residual(point, shape_.level, r_, workspace_);
}

void ArrayCorrector::choose_part(const ReducedArray& reduced) {
  reduced_ = reduced;
  const SparsityPattern& whole = whole_.pattern();
  peeled_values_.clear();
  for (const PeeledPair& pair : reduced_.peeled) {
    const auto column = to_size(pair.column);
    const auto at = std::find(whole.row.begin() + whole.column_start[column],
                              whole.row.begin() + whole.column_start[column + 1], pair.row);
    peeled_values_.push_back(to_size(at - whole.row.begin()));
  }
  part_rows_.assign(r_.size(), -1);
  for (std::size_t i = 0; i < reduced_.part.rows.size(); ++i) {
    part_rows_[reduced_.part.rows[i]] = to_index(i);
  }
  jacobian_.emplace(array_, shape_.level, reduced_.part);
  const SparsityPattern& pattern = jacobian_->pattern();
  values_.resize(to_size(pattern.nonzeros()));
  scales_ = {Vector(pattern.rows), Vector(pattern.columns)};
  elimination_.emplace(right_part(pattern, n_));
  qr_.reset();
  uses_qr_ = shape_.is_least_squares;
  null_.resize(pattern.rows, shape_.n_constraints);
  right_.resize(to_size(pattern.rows));
  step_.resize(to_size(pattern.columns - n_));
}

bool ArrayCorrector::may_stay_reduced() const {
  for (std::size_t k = 0; k < peeled_values_.size(); ++k) {
    const double value = std::abs(whole_.value(workspace_, peeled_values_[k]));
    if (!(value >= kept_share * std::abs(reduced_.peeled[k].value))) return false;
  }
  return true;
}

ArrayCorrector::Outcome ArrayCorrector::factor(const ArrayPoint& point) {
  if (!array_.linearize(point, shape_.level, r_, workspace_)) return Outcome::not_finite;
  const bool keeps_part = jacobian_.has_value() && may_stay_reduced();
  if (!jacobian_) {
    choose_part(reduce_array(array_, whole_, workspace_));
  } else if (!keeps_part) {
    choose_part({.part = whole_array(array_, shape_.level), .peeled = {}});
  }
  jacobian_->assemble(workspace_, values_);
  scale_values(!keeps_part || !shape_.is_least_squares);
  if (!factor_derivatives()) return Outcome::rank_changed;
  if (shape_.n_constraints == 0) return Outcome::ok;
  form_constraints();
  if (dependent_.empty()) return Outcome::ok;
  return factor_partition() ? Outcome::ok : Outcome::singular_partition;
}

void ArrayCorrector::scale_values(bool anew) {
  const SparsityPattern& pattern = jacobian_->pattern();
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      values_[p] *= unit(j);
    }
  }
  if (anew) {
    array_scales(pattern, values_, scales_);
    scales_.column.head(n_).setOnes();
  }
  linalg::apply(scales_, pattern, values_);
}

double ArrayCorrector::unit(Index column) const {
  return nominals_[to_size(reduced_.part.columns[to_size(column)] % n_)];
}

std::span<const double> ArrayCorrector::derivative_values() const {
  return std::span(values_).subspan(to_size(jacobian_->pattern().column_start[n_]));
}

bool ArrayCorrector::factor_derivatives() {
  if (!uses_qr_ && factor_by_elimination()) {
    elimination_->left_null_space(null_);
    return true;
  }
  return factor_by_qr();
}

bool ArrayCorrector::factor_by_elimination() {
  const Index expected = jacobian_->pattern().rows - shape_.n_constraints;
  if (elimination_->is_ready() && elimination_->factor(derivative_values())) return true;
  const auto decision = elimination_->choose_pivots(derivative_values());
  if (elimination_->is_ready() && decision.rank == expected) return true;
  uses_qr_ = true;
  return false;
}

bool ArrayCorrector::factor_by_qr() {
  const SparsityPattern& pattern = jacobian_->pattern();
  if (!qr_) qr_.emplace(pattern.rows, pattern.columns - n_);
  qr_->matrix().setZero();
  for (Index j = n_; j < pattern.columns; ++j) {
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      qr_->matrix()(pattern.row[p], j - n_) = values_[p];
    }
  }
  const Index rank = qr_->factor().rank;
  if (rank != pattern.rows - shape_.n_constraints) return false;
  null_.setZero();
  for (Index k = 0; k < shape_.n_constraints; ++k) {
    null_(rank + k, k) = 1.0;
    qr_->apply_q({null_.col(k).data(), to_size(pattern.rows)});
  }
  return true;
}

void ArrayCorrector::form_constraints() {
  const SparsityPattern& pattern = jacobian_->pattern();
  constraints_.setZero();
  for (Index j = 0; j < n_; ++j) {
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      constraints_.col(j) += values_[p] * null_.row(pattern.row[p]).transpose();
    }
  }
}

bool ArrayCorrector::is_constraining(Index row) const {
  const Index place = part_rows_[row];
  return place >= 0 && null_.cols() > 0 &&
         null_.row(place).cwiseAbs().maxCoeff() > null_space_tolerance;
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
  const SparsityPattern& pattern = jacobian_->pattern();
  std::ranges::fill(delta, 0.0);
  for (std::size_t i = 0; i < right_.size(); ++i) {
    right_[i] = -scales_.row[to_index(i)] * r_[reduced_.part.rows[i]];
  }
  for (std::size_t k = 0; k < moves_.size(); ++k) {
    moves_[k] = null_.col(to_index(k)).dot(as_vector(right_));
  }
  std::ranges::transform(moves_, constraint_part_.begin(), std::negate<>());
  if (!dependent_.empty()) {
    d5_.solve(moves_);
    for (std::size_t k = 0; k < dependent_.size(); ++k) {
      const auto j = to_size(dependent_[k]);
      delta[j] = moves_[k] * nominals_[j];
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        right_[pattern.row[p]] -= values_[p] * moves_[k];
      }
    }
  }
  if (uses_qr_) {
    qr_->solve(right_, step_);
  } else {
    elimination_->solve(right_, step_);
  }
  for (std::size_t j = 0; j < step_.size(); ++j) {
    const auto column = to_size(n_) + j;
    delta[reduced_.part.columns[column]] =
        step_[j] * scales_.column[to_index(column)] * unit(to_index(column));
  }
}

}  // namespace daedal::analysis
