// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/almost_block_diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/scaling.hpp"

namespace daedal::linalg {

namespace {

/// Well-posed problems stay far above this, however steep their layers are. Below it the solution
/// has hardly any correct digit.
constexpr double last_rank_tolerance = 1e-12;
/// From here on one reflection of all columns takes far longer than a look at the clock.
constexpr Index large_block = 30;

/// Makes the entries of `column` below row k zero by I − τ v vᵀ with v_k = 1; v stays below the
/// diagonal. Returns τ.
double make_reflection(double* column, Index k, Index rows) {
  double below = 0.0;
  for (Index i = k + 1; i < rows; ++i) below += column[i] * column[i];
  if (below == 0.0) return 0.0;
  const double alpha = column[k];
  const double beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
  const double scale = 1.0 / (alpha - beta);
  for (Index i = k + 1; i < rows; ++i) column[i] *= scale;
  column[k] = beta;
  return (beta - alpha) / beta;
}

/// The upper part of a 2n-vector, then its lower part.
struct Halves {
  double* upper;
  double* lower;
};

/// x ← (I − τ v vᵀ) x for the reflection that column k of the stacked block holds.
void reflect(const double* reflections, Index k, Index n, double tau, Halves x) {
  if (tau == 0.0) return;
  const double* v = reflections + k * 2 * n;
  double sum = x.upper[k];
  for (Index i = k + 1; i < n; ++i) sum += v[i] * x.upper[i];
  for (Index i = 0; i < n; ++i) sum += v[n + i] * x.lower[i];
  sum *= tau;
  x.upper[k] -= sum;
  for (Index i = k + 1; i < n; ++i) x.upper[i] -= sum * v[i];
  for (Index i = 0; i < n; ++i) x.lower[i] -= sum * v[n + i];
}

}  // namespace

void AlmostBlockDiagonal::resize(Index n, Index n_blocks, Index n_conditions) {
  n_ = n;
  n_blocks_ = n_blocks;
  stride_ = 4 * n * n + n;
  data_.assign(to_size(stride_ * n_blocks), 0.0);
  a_.setZero(n_conditions, n);
  b_.setZero(n_conditions, n);
  v_.resize(n, n);
  w_.resize(n, n);
}

Eigen::Map<Matrix> AlmostBlockDiagonal::left(Index i) {
  // The first block has its L where the others have their columns of x_0.
  return {stacked(i) + 2 * n_ * n_, n_, n_};
}

Eigen::Map<Matrix> AlmostBlockDiagonal::right(Index i) {
  return {stacked(i) + 3 * n_ * n_, n_, n_};
}

RankDecision AlmostBlockDiagonal::factor(const StopSignal& stop) {
  const Index n = n_;
  singular_block_ = -1;
  v_ = left(0);
  w_ = right(0);
  for (Index i = 1; i < n_blocks_; ++i) {
    Eigen::Map<Matrix> stack(stacked(i), 2 * n, n);
    Eigen::Map<Matrix> of_first = left(i);
    Eigen::Map<Matrix> of_next = right(i);
    double* tau = stacked(i) + 4 * n * n;
    stack.topRows(n) = w_;
    stack.bottomRows(n) = of_first;
    // [V; 0] and [0; R_i]: upper halves stay with x_i, lower halves become the next V and W.
    of_first = v_;
    v_.setZero();
    w_ = of_next;
    of_next.setZero();
    for (Index k = 0; k < n; ++k) {
      if (n > large_block && stop.is_raised()) return decision_;
      double* column = stack.data() + k * 2 * n;
      tau[k] = make_reflection(column, k, 2 * n);
      // Not exactly zero but below round-off: elimination left nothing of this column.
      if (!(std::abs(column[k]) > round_off * stack.col(k).head(k).norm())) singular_block_ = i;
      for (Index j = k + 1; j < n; ++j) {
        double* other = stack.data() + j * 2 * n;
        reflect(stack.data(), k, n, tau[k], {other, other + n});
      }
      for (Index j = 0; j < n; ++j) {
        reflect(stack.data(), k, n, tau[k], {of_first.data() + j * n, v_.data() + j * n});
        reflect(stack.data(), k, n, tau[k], {of_next.data() + j * n, w_.data() + j * n});
      }
    }
  }
  Matrix last = last_system();
  const Equilibration scales = equilibrate(last);
  apply(scales, last);
  row_scale_ = scales.row;
  column_scale_ = scales.column;
  last_ = svd(last);
  return decide(last_rank_tolerance);
}

RankDecision AlmostBlockDiagonal::decide(double relative_tolerance) {
  decision_ = decide_rank(last_.s, relative_tolerance);
  return decision_;
}

Matrix AlmostBlockDiagonal::last_system() const {
  Matrix last(n_ + a_.rows(), 2 * n_);
  last << v_, w_, a_, b_;
  return last;
}

void AlmostBlockDiagonal::eliminate(std::span<double> f, Vector& rest) const {
  const Index n = n_;
  rest = as_vector(f.first(to_size(n)));
  for (Index i = 1; i < n_blocks_; ++i) {
    double* own = f.data() + i * n;
    const double* tau = stacked(i) + 4 * n * n;
    // Upper half: what was left before; lower half: f_i.
    for (Index k = 0; k < n; ++k) std::swap(rest[k], own[k]);
    for (Index k = 0; k < n; ++k) reflect(stacked(i), k, n, tau[k], {own, rest.data()});
  }
}

void AlmostBlockDiagonal::solve(std::span<double> f, std::span<double> b,
                                std::span<double> x) const {
  const Index n = n_;
  Vector rest(n);
  eliminate(f, rest);
  Vector right(n + to_index(b.size()));
  right << rest, as_vector(b);
  right.array() *= row_scale_.array();
  Vector ends = Vector::Zero(2 * n);
  for (Index k = 0; k < decision_.rank; ++k) {
    ends += (last_.u.col(k).dot(right) / last_.s[k]) * last_.v.col(k);
  }
  ends.array() *= column_scale_.array();
  as_vector(x.first(to_size(n))) = ends.head(n);
  as_vector(x.last(to_size(n))) = ends.tail(n);
  for (Index i = n_blocks_ - 1; i >= 1; --i) {
    const Eigen::Map<const Matrix> upper(stacked(i), 2 * n, n);
    const Eigen::Map<const Matrix> of_first(stacked(i) + 2 * n * n, n, n);
    const Eigen::Map<const Matrix> of_next(stacked(i) + 3 * n * n, n, n);
    VectorView own(x.data() + i * n, n);
    own = as_vector(std::span<const double>(f).subspan(to_size(i * n), to_size(n)));
    own.noalias() -= of_first * ends.head(n);
    own.noalias() -= of_next * VectorView(x.data() + (i + 1) * n, n);
    for (Index k = n - 1; k >= 0; --k) {
      own[k] /= upper(k, k);
      for (Index r = 0; r < k; ++r) own[r] -= own[k] * upper(r, k);
    }
  }
}

AlmostBlockDiagonal::Dependence AlmostBlockDiagonal::dependent_conditions(
    std::span<double> f, std::span<double> b) const {
  Vector rest(n_);
  eliminate(f, rest);
  Vector right(n_ + to_index(b.size()));
  right << rest, as_vector(b);
  right.array() *= row_scale_.array();
  const Index n_null = last_.u.cols() - decision_.rank;
  const Matrix null = last_.u.rightCols(n_null);
  Dependence result;
  result.right_side = null.transpose() * right;
  result.combinations = null.bottomRows(to_index(b.size()));
  for (Index j = 0; j < result.combinations.rows(); ++j) {
    result.combinations.row(j) *= row_scale_[n_ + j];
  }
  return result;
}

}  // namespace daedal::linalg
