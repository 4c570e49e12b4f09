// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/qr.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace daedal::linalg {

namespace {

/// Makes v = (1, x₂/(x₁−β), …) and τ with (I − τ v vᵀ) x = β e₁; stores β and the tail of v over x
/// (Golub, Van Loan, algorithm 5.1.1; LAPACK's larfg).
template <class Tail>
double make_reflection(double& head, Tail&& tail) {
  const double rest = tail.squaredNorm();
  if (rest == 0.0) return 0.0;
  const double beta = -std::copysign(std::sqrt(head * head + rest), head);
  const double scale = (beta - head) / beta;
  tail /= head - beta;
  head = beta;
  return scale;
}

}  // namespace

DenseQr::DenseQr(Index rows, Index columns, double relative_tolerance)
    : tolerance_(relative_tolerance),
      qr_(Matrix::Zero(rows, columns)),
      left_scale_(Vector::Zero(std::min(rows, columns))),
      right_scale_(Vector::Zero(std::min(rows, columns))),
      norm_(columns),
      exact_norm_(columns),
      order_(to_size(columns)),
      row_work_(rows),
      column_work_(columns) {
  decision_.smallest_kept = infinity;
}

RankDecision DenseQr::factor() {
  std::iota(order_.begin(), order_.end(), Index{0});
  for (Index j = 0; j < columns(); ++j) norm_(j) = exact_norm_(j) = qr_.col(j).norm();
  if (!qr_.allFinite()) {
    decision_ = {.rank = 0, .largest = std::numeric_limits<double>::quiet_NaN()};
    return decision_;
  }
  for (Index k = 0; k < left_scale_.size(); ++k) {
    choose_pivot(k);
    reflect_column(k);
    downdate_norms(k);
  }
  decide();
  complete();
  return decision_;
}

void DenseQr::choose_pivot(Index k) {
  Eigen::Index offset = 0;
  norm_.tail(columns() - k).maxCoeff(&offset);
  const Index best = k + offset;
  if (best == k) return;
  qr_.col(k).swap(qr_.col(best));
  std::swap(norm_(k), norm_(best));
  std::swap(exact_norm_(k), exact_norm_(best));
  std::swap(order_[k], order_[best]);
}

void DenseQr::reflect_column(Index k) {
  const Index below = rows() - k - 1;
  auto v = qr_.col(k).tail(below);
  const double scale = make_reflection(qr_(k, k), v);
  left_scale_(k) = scale;
  if (scale == 0.0) return;
  for (Index j = k + 1; j < columns(); ++j) {
    const double projection = scale * (qr_(k, j) + v.dot(qr_.col(j).tail(below)));
    qr_(k, j) -= projection;
    qr_.col(j).tail(below) -= projection * v;
  }
}

void DenseQr::downdate_norms(Index k) {
  // Drmač, Bujanović, ACM Trans. Math. Softw. 35 (2008) 12: a norm that has lost half of its
  // digits by subtraction is computed afresh.
  static const double lost_half = std::sqrt(round_off);
  for (Index j = k + 1; j < columns(); ++j) {
    if (norm_(j) == 0.0) continue;
    const double ratio = std::abs(qr_(k, j)) / norm_(j);
    const double left = std::max(0.0, (1.0 - ratio) * (1.0 + ratio));
    const double loss = norm_(j) / exact_norm_(j);
    if (left * loss * loss <= lost_half) {
      norm_(j) = exact_norm_(j) = qr_.col(j).tail(rows() - k - 1).norm();
    } else {
      norm_(j) *= std::sqrt(left);
    }
  }
}

void DenseQr::decide() {
  decision_ = {.rank = 0, .largest = 0.0, .smallest_kept = infinity, .largest_dropped = 0.0};
  if (left_scale_.size() == 0) return;
  decision_.largest = std::abs(qr_(0, 0));
  for (Index k = 0; k < left_scale_.size(); ++k) {
    const double pivot = std::abs(qr_(k, k));
    if (!(pivot > tolerance_ * decision_.largest)) {
      decision_.largest_dropped = pivot;
      return;
    }
    ++decision_.rank;
    decision_.smallest_kept = pivot;
  }
}

/// [R₁₁ R₁₂] = [T 0] Z by reflections of the rows r−1, …, 0 against the dependent columns.
void DenseQr::complete() {
  const Index r = rank();
  const Index dependent = columns() - r;
  if (dependent == 0) return;
  for (Index k = r - 1; k >= 0; --k) {
    auto v = qr_.row(k).tail(dependent);
    const double scale = make_reflection(qr_(k, k), v);
    right_scale_(k) = scale;
    if (scale == 0.0) continue;
    for (Index i = 0; i < k; ++i) {
      const double projection = scale * (qr_(i, k) + v.dot(qr_.row(i).tail(dependent)));
      qr_(i, k) -= projection;
      qr_.row(i).tail(dependent) -= projection * v;
    }
  }
}

void DenseQr::apply_qt(std::span<double> b) const {
  assert(to_index(b.size()) == rows());
  auto x = as_vector(b);
  for (Index k = 0; k < left_scale_.size(); ++k) {
    const auto v = qr_.col(k).tail(rows() - k - 1);
    const double projection = left_scale_(k) * (x(k) + v.dot(x.tail(v.size())));
    x(k) -= projection;
    x.tail(v.size()) -= projection * v;
  }
}

void DenseQr::apply_q(std::span<double> b) const {
  assert(to_index(b.size()) == rows());
  auto x = as_vector(b);
  for (Index k = left_scale_.size() - 1; k >= 0; --k) {
    const auto v = qr_.col(k).tail(rows() - k - 1);
    const double projection = left_scale_(k) * (x(k) + v.dot(x.tail(v.size())));
    x(k) -= projection;
    x.tail(v.size()) -= projection * v;
  }
}

void DenseQr::reflect_from_right(Index k, std::span<double> x) const {
  auto y = as_vector(x);
  const auto v = qr_.row(k).tail(columns() - rank()).transpose();
  const double projection = right_scale_(k) * (y(k) + v.dot(y.tail(v.size())));
  y(k) -= projection;
  y.tail(v.size()) -= projection * v;
}

void DenseQr::apply_zt(std::span<double> x) const {
  if (rank() == columns()) return;
  for (Index k = 0; k < rank(); ++k) reflect_from_right(k, x);
}

void DenseQr::apply_z(std::span<double> x) const {
  if (rank() == columns()) return;
  for (Index k = rank() - 1; k >= 0; --k) reflect_from_right(k, x);
}

void DenseQr::solve(std::span<const double> b, std::span<double> x) const {
  assert(to_index(b.size()) == rows() && to_index(x.size()) == columns());
  if (std::isnan(decision_.largest)) {
    std::ranges::fill(x, decision_.largest);
    return;
  }
  row_work_ = as_vector(b);
  apply_qt({row_work_.data(), to_size(rows())});
  back_substitute(x);
}

void DenseQr::back_substitute(std::span<double> x) const {
  const Index r = rank();
  column_work_.setZero();
  for (Index k = r - 1; k >= 0; --k) {
    const double value = row_work_(k) / qr_(k, k);
    column_work_(k) = value;
    row_work_.head(k) -= value * qr_.col(k).head(k);
  }
  apply_zt({column_work_.data(), to_size(columns())});
  for (Index k = 0; k < columns(); ++k) x[order_[k]] = column_work_(k);
}

void DenseQr::null_vector(Index k, std::span<double> x) const {
  assert(k < columns() - rank() && to_index(x.size()) == columns());
  column_work_.setZero();
  column_work_(rank() + k) = 1.0;
  apply_zt({column_work_.data(), to_size(columns())});
  for (Index j = 0; j < columns(); ++j) x[order_[j]] = column_work_(j);
}

void DenseQr::solve_transposed(std::span<const double> b, std::span<double> x) const {
  assert(to_index(b.size()) == columns() && to_index(x.size()) == rows());
  if (std::isnan(decision_.largest)) {
    std::ranges::fill(x, decision_.largest);
    return;
  }
  for (Index k = 0; k < columns(); ++k) column_work_(k) = b[order_[k]];
  apply_z({column_work_.data(), to_size(columns())});
  const Index r = rank();
  auto y = as_vector(x);
  y.setZero();
  for (Index k = 0; k < r; ++k) {
    y(k) = (column_work_(k) - qr_.col(k).head(k).dot(y.head(k))) / qr_(k, k);
  }
  apply_q(x);
}

}  // namespace daedal::linalg
