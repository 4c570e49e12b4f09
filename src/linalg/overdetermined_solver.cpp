// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/overdetermined_solver.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>
#include <vector>

#include "linalg/dense/qr.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {

namespace {

Index n_constraints(const SparsityPattern& pattern) {
  return pattern.rows - pattern.columns;
}

/// [A₁ A₂ᵀ; A₂ 0][x; μ] = [a₁; a₂].
class StateSpaceSolver final : public OverdeterminedSolver {
 public:
  StateSpaceSolver(const SparsityPattern& pattern, Storage storage);
  OverdeterminedReport factor(std::span<const double> values) override;
  void solve(std::span<const double> rhs, std::span<double> x) override;
  [[nodiscard]] std::span<const double> multipliers() const override {
    return std::span(work_).subspan(to_size(n_));
  }

 private:
  Index n_;
  std::vector<Index> source_;  ///< the value behind each entry of the square matrix
  std::vector<double> values_;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> work_;
};

StateSpaceSolver::StateSpaceSolver(const SparsityPattern& pattern, Storage storage)
    : n_(pattern.columns), work_(to_size(pattern.rows)) {
  // The columns of [A₁; A₂] stand as they are; behind them come those of A₂ᵀ.
  SparsityPattern square = pattern;
  square.columns = pattern.rows;
  for (Index k = 0; k < pattern.nonzeros(); ++k) source_.push_back(k);
  const TransposedPattern rows = transpose(pattern);
  for (Index i = n_; i < pattern.rows; ++i) {
    const auto first = rows.pattern.column_start[i];
    const auto last = rows.pattern.column_start[i + 1];
    for (Index k = first; k < last; ++k) {
      square.row.push_back(rows.pattern.row[k]);
      source_.push_back(rows.source[k]);
    }
    square.column_start.push_back(to_index(square.row.size()));
  }
  values_.resize(source_.size());
  solver_ = make_real_solver(square, storage);
}

OverdeterminedReport StateSpaceSolver::factor(std::span<const double> values) {
  for (std::size_t k = 0; k < source_.size(); ++k) values_[k] = values[source_[k]];
  const FactorReport lu = solver_->factor(values_);
  if (lu.ok) return {};
  // The null vectors of dependent rows of A₂ have their entries in μ only.
  if (lu.singular_column < n_) return {.ok = false, .singular_column = lu.singular_column};
  return {.ok = false, .dependent_constraint = lu.singular_column - n_};
}

void StateSpaceSolver::solve(std::span<const double> rhs, std::span<double> x) {
  assert(rhs.size() == work_.size() && to_index(x.size()) == n_);
  std::ranges::copy(rhs, work_.begin());
  solver_->solve(work_);
  std::copy_n(work_.begin(), n_, x.begin());
}

/// Writes the values of a pattern to a dense matrix.
class DenseScatter {
 public:
  explicit DenseScatter(const SparsityPattern& pattern) : pattern_(pattern) {}
  void operator()(std::span<const double> values, Matrix& out) const {
    out.setZero();
    for (Index j = 0; j < pattern_.columns; ++j) {
      for (Index k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
        out(pattern_.row[k], j) = values[k];
      }
    }
  }

 private:
  SparsityPattern pattern_;
};

class LeastSquaresSolver final : public OverdeterminedSolver {
 public:
  explicit LeastSquaresSolver(const SparsityPattern& pattern)
      : scatter_(pattern), qr_(pattern.rows, pattern.columns) {}

  OverdeterminedReport factor(std::span<const double> values) override {
    scatter_(values, qr_.matrix());
    const Index rank = qr_.factor().rank;
    if (rank == qr_.columns()) return {};
    return {.ok = false, .singular_column = qr_.column_order()[rank]};
  }
  void solve(std::span<const double> rhs, std::span<double> x) override { qr_.solve(rhs, x); }

 private:
  DenseScatter scatter_;
  DenseQr qr_;
};

/// The null-space method: x = A₂⁺a₂ + V z, z = argmin ‖A₁V z − (a₁ − A₁A₂⁺a₂)‖, V from the QR of
/// A₂ᵀ.
class ConstrainedLeastSquaresSolver final : public OverdeterminedSolver {
 public:
  explicit ConstrainedLeastSquaresSolver(const SparsityPattern& pattern);
  OverdeterminedReport factor(std::span<const double> values) override;
  void solve(std::span<const double> rhs, std::span<double> x) override;

 private:
  Index n_;
  Index m_;
  DenseScatter scatter_;
  Matrix a_;
  Matrix null_basis_;
  DenseQr constraints_;  ///< of A₂ᵀ
  DenseQr reduced_;      ///< of A₁V
  Vector residual_;
  Vector z_;
};

ConstrainedLeastSquaresSolver::ConstrainedLeastSquaresSolver(const SparsityPattern& pattern)
    : n_(pattern.columns),
      m_(n_constraints(pattern)),
      scatter_(pattern),
      a_(pattern.rows, n_),
      null_basis_(n_, std::max<Index>(n_ - m_, 0)),
      constraints_(n_, m_),
      reduced_(n_, null_basis_.cols()),
      residual_(n_),
      z_(null_basis_.cols()) {}

OverdeterminedReport ConstrainedLeastSquaresSolver::factor(std::span<const double> values) {
  scatter_(values, a_);
  constraints_.matrix() = a_.bottomRows(m_).transpose();
  const Index rank = constraints_.factor().rank;
  if (rank < m_) {
    return {.ok = false, .dependent_constraint = constraints_.column_order()[rank]};
  }
  for (Index j = 0; j < null_basis_.cols(); ++j) {
    auto column = null_basis_.col(j);
    column.setZero();
    column(m_ + j) = 1.0;
    constraints_.apply_q({column.data(), to_size(n_)});
  }
  reduced_.matrix().noalias() = a_.topRows(n_).lazyProduct(null_basis_);
  const Index reduced_rank = reduced_.factor().rank;
  if (reduced_rank == null_basis_.cols()) return {};
  // The unknown with the largest part in a direction of the null space that A₁ does not see.
  Index unknown = 0;
  null_basis_.col(reduced_.column_order()[reduced_rank]).cwiseAbs().maxCoeff(&unknown);
  return {.ok = false, .singular_column = unknown};
}

void ConstrainedLeastSquaresSolver::solve(std::span<const double> rhs, std::span<double> x) {
  assert(to_index(rhs.size()) == n_ + m_ && to_index(x.size()) == n_);
  constraints_.solve_transposed(rhs.subspan(to_size(n_)), x);
  residual_ = as_vector(rhs.first(to_size(n_)));
  residual_ -= a_.topRows(n_).lazyProduct(as_vector(x));
  reduced_.solve({residual_.data(), to_size(n_)}, {z_.data(), to_size(z_.size())});
  as_vector(x) += null_basis_.lazyProduct(z_);
}

}  // namespace

std::unique_ptr<OverdeterminedSolver> make_overdetermined_solver(const SparsityPattern& pattern,
                                                                 Corrector corrector,
                                                                 Storage storage) {
  check_pattern(pattern);
  if (n_constraints(pattern) < 0) {
    throw Error(ErrorCode::internal, "An overdetermined system has fewer equations than unknowns.");
  }
  switch (corrector) {
    case Corrector::least_squares:
      return std::make_unique<LeastSquaresSolver>(pattern);
    case Corrector::constrained_least_squares:
      return std::make_unique<ConstrainedLeastSquaresSolver>(pattern);
    case Corrector::state_space_form:
      break;
  }
  return std::make_unique<StateSpaceSolver>(pattern, storage);
}

}  // namespace daedal::linalg
