// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/move_step.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linalg/dense/qr.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/scaling.hpp"

namespace daedal::analysis {

namespace {

/// Fewer singular values take hardly any time.
constexpr Eigen::Index many_values = 40;

/// A⁺, the rank decided once: by a pivoted QR factorization where its diagonal leaves no doubt, in
/// a tenth of the time, by singular values where it does.
class PseudoInverse {
 public:
  void compute(const Matrix& a) {
    rows_ = a.rows();
    columns_ = a.cols();
    qr_.reset();
    rank_ = 0;
    is_clear_ = false;
    if (rows_ == 0 || columns_ == 0) return;
    linalg::RankDecision decision;
    if (std::min(rows_, columns_) >= many_values) {
      qr_.emplace(rows_, columns_);
      qr_->matrix() = a;
      decision = qr_->factor();
    }
    if (!qr_ || decision.confidence() != linalg::Confidence::certain) {
      qr_.reset();
      svd_ = linalg::svd(a);
      if (svd_.s.size() == 0 || svd_.s[0] == 0.0) return;
      decision = linalg::decide_rank(svd_.s);
    }
    rank_ = decision.rank;
    is_clear_ = decision.is_clear();
  }

  [[nodiscard]] Eigen::Index rank() const { return rank_; }
  [[nodiscard]] bool is_clear() const { return is_clear_; }
  [[nodiscard]] bool has_full_rank() const { return rank_ == std::min(rows_, columns_); }

  [[nodiscard]] Vector apply(const Vector& b) const {
    Vector x = Vector::Zero(columns_);
    if (rank_ == 0) return x;
    if (qr_) {
      qr_->solve({b.data(), to_size(rows_)}, {x.data(), to_size(columns_)});
      return x;
    }
    const Vector c = svd_.u.leftCols(rank_).transpose() * b;
    return svd_.v.leftCols(rank_) * c.cwiseQuotient(svd_.s.head(rank_));
  }

  /// (columns of U beyond the rank)ᵀ a: what the columns of A cannot reach.
  [[nodiscard]] Matrix unreached(const Matrix& a) const {
    if (rows_ == 0 || columns_ == 0) return a;
    if (!qr_) return svd_.u.rightCols(rows_ - rank_).transpose() * a;
    Matrix rotated = a;
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      qr_->apply_qt({rotated.col(j).data(), to_size(rows_)});
    return rotated.bottomRows(rows_ - rank_);
  }

 private:
  Eigen::Index rows_ = 0;
  Eigen::Index columns_ = 0;
  Eigen::Index rank_ = 0;
  bool is_clear_ = false;
  std::optional<linalg::DenseQr> qr_;
  linalg::Svd svd_;
};

/// Entries below this share of the greatest are the rounding errors of a 0.
constexpr double smallest_entry = 1e-13;

Matrix without_noise(const Matrix& a, double greatest) {
  return a.unaryExpr(
      [&](double entry) { return std::abs(entry) < smallest_entry * greatest ? 0.0 : entry; });
}

/// With J = [J_f J_g]: the guesses have to meet U₂ᵀ(J_g δ_g + r) = 0, where U₂ spans what the free
/// columns cannot reach, and do it with the least norm; the free unknowns meet the rest.
class DenseStep final : public MoveStep {
 public:
  DenseStep(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns, Units units)
      : pattern_(pattern), units_(units) {
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
      if (unknowns[j].role == Role::free) free_.push_back(to_index(j));
      if (unknowns[j].role == Role::guess) guess_.push_back(to_index(j));
    }
  }

  bool factor(std::span<const double> jacobian, const StepScales& scales) override {
    scales_ = scales;
    const Matrix j_free = gather(jacobian, free_);
    j_guess_ = gather(jacobian, guess_);
    if (!j_free.allFinite() || !j_guess_.allFinite()) return false;
    own_ = {Vector::Ones(j_free.rows()), Vector::Ones(j_free.cols())};
    free_inverse_.compute(j_free);
    if (units_ == Units::balanced && !free_inverse_.has_full_rank()) compute_balanced(j_free);
    j_guess_ = own_.row.asDiagonal() * j_guess_;
    // Guesses that the free unknowns follow leave rounding errors here, which move none.
    const double greatest = j_guess_.size() > 0 ? j_guess_.cwiseAbs().maxCoeff() : 0.0;
    guess_inverse_.compute(without_noise(free_inverse_.unreached(j_guess_), greatest));
    return true;
  }

  void normal(std::span<const double> r, std::span<double> delta) const override {
    Vector b(to_index(r.size()));
    for (std::size_t i = 0; i < r.size(); ++i)
      b[static_cast<Eigen::Index>(i)] = -r[i] * scales_.row[i] * own_.row[to_index(i)];
    const Vector guess = guess_inverse_.apply(free_inverse_.unreached(b));
    const Vector free = own_.column.cwiseProduct(free_inverse_.apply(b - j_guess_ * guess));
    scatter(guess, free, delta);
  }

  void tangent(std::span<const double> distance, std::span<double> p) const override {
    Vector d(to_index(guess_.size()));
    for (std::size_t k = 0; k < guess_.size(); ++k)
      d[static_cast<Eigen::Index>(k)] = distance[guess_[k]] / scales_.column[guess_[k]];
    const Vector reached = free_inverse_.unreached(j_guess_) * d;
    const Vector guess = guess_inverse_.apply(reached) - d;
    const Vector free = own_.column.cwiseProduct(free_inverse_.apply(-(j_guess_ * guess)));
    scatter(guess, free, p);
  }

 private:
  /// A free unknown has no size of its own: a derivative has another unit than its variable. Nor
  /// has an equation. What is rank in one scale is rank in all, though it may be hidden in others.
  void compute_balanced(const Matrix& j_free) {
    const Matrix seen = without_noise(j_free, 1.0);
    const linalg::Equilibration balanced = linalg::balance(seen);
    PseudoInverse other;
    other.compute(balanced.row.asDiagonal() * seen * balanced.column.asDiagonal());
    if (other.rank() <= free_inverse_.rank() || !other.is_clear()) return;
    own_ = balanced;
    free_inverse_ = std::move(other);
  }

  [[nodiscard]] Matrix gather(std::span<const double> values,
                              const std::vector<Index>& columns) const {
    Matrix a = Matrix::Zero(pattern_.rows, to_index(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto column = to_size(columns[k]);
      for (Index p = pattern_.column_start[column]; p < pattern_.column_start[column + 1]; ++p) {
        const Index row = pattern_.row[p];
        a(row, static_cast<Eigen::Index>(k)) =
            values[p] * scales_.row[row] * scales_.column[column];
      }
    }
    return a;
  }

  void scatter(const Vector& guess, const Vector& free, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t k = 0; k < guess_.size(); ++k)
      out[guess_[k]] = guess[static_cast<Eigen::Index>(k)] * scales_.column[guess_[k]];
    for (std::size_t k = 0; k < free_.size(); ++k)
      out[free_[k]] = free[static_cast<Eigen::Index>(k)] * scales_.column[free_[k]];
  }

  const SparsityPattern& pattern_;
  Units units_;
  std::vector<Index> free_;
  std::vector<Index> guess_;
  StepScales scales_;
  Matrix j_guess_;
  linalg::Equilibration own_;  ///< of equations and free unknowns, on top of the scales
  PseudoInverse free_inverse_;
  PseudoInverse guess_inverse_;
};

/// A pivot chain worse than this cannot be told from a singular matrix.
constexpr double least_reciprocal_condition = 1e-14;

class SquareStep final : public MoveStep {
 public:
  SquareStep(const SparsityPattern& pattern, std::vector<Index> free) : free_(std::move(free)) {
    const auto n = to_index(free_.size());
    square_.rows = n;
    square_.columns = n;
    square_.column_start.push_back(0);
    for (const Index j : free_) {
      for (Index p = pattern.column_start[j]; p < pattern.column_start[to_size(j) + 1]; ++p) {
        square_.row.push_back(pattern.row[p]);
        source_.push_back(p);
      }
      square_.column_start.push_back(to_index(square_.row.size()));
    }
    values_.resize(square_.row.size());
    right_.resize(free_.size());
    solver_ = linalg::make_real_solver(square_);
  }

  bool factor(std::span<const double> jacobian, const StepScales& scales) override {
    scales_ = scales;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      for (Index p = square_.column_start[k]; p < square_.column_start[k + 1]; ++p) {
        const auto q = to_size(p);
        values_[q] = jacobian[source_[q]] * scales.row[square_.row[q]] * scales.column[free_[k]];
      }
    }
    return solver_->factor(values_).ok &&
           solver_->reciprocal_condition() > least_reciprocal_condition;
  }

  void normal(std::span<const double> r, std::span<double> delta) const override {
    std::fill(delta.begin(), delta.end(), 0.0);
    for (std::size_t i = 0; i < r.size(); ++i) right_[i] = -r[i] * scales_.row[i];
    solver_->solve(right_);
    for (std::size_t k = 0; k < free_.size(); ++k)
      delta[free_[k]] = right_[k] * scales_.column[free_[k]];
  }

  /// The equations leave no freedom to bring a guess back.
  void tangent(std::span<const double>, std::span<double> p) const override {
    std::fill(p.begin(), p.end(), 0.0);
  }

 private:
  std::vector<Index> free_;
  SparsityPattern square_;
  std::vector<Index> source_;
  std::vector<double> values_;
  mutable std::vector<double> right_;
  StepScales scales_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

/// Duals may miss a row by ε·λ, which the next Newton step repairs; free unknowns cost next to
/// nothing. Both keep the matrix regular when equations are redundant or unknowns undetermined,
/// and disturb a step by 1e-10 relative only.
constexpr double dual_regularization = 1e-10;
constexpr double free_cost = 1e-10;

class SparseStep final : public MoveStep {
 public:
  SparseStep(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns)
      : pattern_(pattern) {
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
      if (unknowns[j].role == Role::held) continue;
      moving_.push_back(to_index(j));
      cost_.push_back(unknowns[j].role == Role::free ? free_cost : 1.0);
    }
    build_pattern();
    values_.resize(kkt_.row.size());
    right_.resize(to_size(kkt_.rows));
    solver_ = linalg::make_real_solver(kkt_, linalg::Storage::sparse);
  }

  bool factor(std::span<const double> jacobian, const StepScales& scales) override {
    scales_ = scales;
    for (std::size_t q = 0; q < source_.size(); ++q) {
      const auto& s = source_[q];
      values_[q] = s.position < 0
                       ? s.constant
                       : jacobian[s.position] * scales.row[s.row] * scales.column[s.column];
    }
    return solver_->factor(values_).ok;
  }

  void normal(std::span<const double> r, std::span<double> delta) const override {
    const std::size_t n = moving_.size();
    std::fill(right_.begin(), right_.end(), 0.0);
    for (std::size_t i = 0; i < r.size(); ++i) right_[n + i] = -r[i] * scales_.row[i];
    solve(delta);
  }

  void tangent(std::span<const double> distance, std::span<double> p) const override {
    std::fill(right_.begin(), right_.end(), 0.0);
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      const auto j = to_size(moving_[k]);
      // Free unknowns have no place to be brought back to.
      if (cost_[k] == 1.0) right_[k] = -distance[j] / scales_.column[j];
    }
    solve(p);
  }

 private:
  struct Source {
    Index position = -1;  ///< in the Jacobian's values, or -1: a constant
    Index row = 0;
    Index column = 0;
    double constant = 0.0;
  };

  /// Columns of [D Ĵᵀ; Ĵ −εI], rows ascending: a column of D and Ĵ, then of Ĵᵀ and −εI.
  void build_pattern() {
    const auto n = to_index(moving_.size());
    const Index m = pattern_.rows;
    kkt_.rows = kkt_.columns = n + m;
    kkt_.column_start.push_back(0);
    std::vector<std::vector<std::pair<Index, Source>>> transposed(to_size(m));
    for (Index k = 0; k < n; ++k) {
      const Index j = moving_[k];
      push(k, Source{.constant = cost_[k]});
      for (Index p = pattern_.column_start[j]; p < pattern_.column_start[to_size(j) + 1]; ++p) {
        const Index row = pattern_.row[p];
        const Source source{.position = p, .row = row, .column = j};
        push(n + row, source);
        transposed[row].emplace_back(k, source);
      }
      kkt_.column_start.push_back(to_index(kkt_.row.size()));
    }
    for (Index i = 0; i < m; ++i) {
      for (const auto& [k, source] : transposed[i]) push(k, source);
      push(n + i, Source{.constant = -dual_regularization});
      kkt_.column_start.push_back(to_index(kkt_.row.size()));
    }
  }

  void push(Index row, const Source& source) {
    kkt_.row.push_back(row);
    source_.push_back(source);
  }

  void solve(std::span<double> out) const {
    solver_->solve(right_);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t k = 0; k < moving_.size(); ++k)
      out[moving_[k]] = right_[k] * scales_.column[moving_[k]];
  }

  const SparsityPattern& pattern_;
  std::vector<Index> moving_;
  std::vector<double> cost_;
  SparsityPattern kkt_;
  std::vector<Source> source_;
  std::vector<double> values_;
  mutable std::vector<double> right_;
  StepScales scales_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

}  // namespace

std::unique_ptr<MoveStep> make_dense_step(const SparsityPattern& pattern,
                                          std::span<const InitialUnknown> unknowns, Units units) {
  return std::make_unique<DenseStep>(pattern, unknowns, units);
}

std::unique_ptr<MoveStep> make_square_step(const SparsityPattern& pattern,
                                           std::span<const InitialUnknown> unknowns,
                                           bool with_guesses) {
  std::vector<Index> free;
  bool has_guesses = false;
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const bool is_guess = unknowns[j].role == Role::guess;
    has_guesses |= is_guess;
    if (unknowns[j].role == Role::free || (is_guess && with_guesses)) free.push_back(to_index(j));
  }
  if (to_index(free.size()) != pattern.rows || free.empty()) return nullptr;
  if (with_guesses && !has_guesses) return nullptr;
  return std::make_unique<SquareStep>(pattern, std::move(free));
}

std::unique_ptr<MoveStep> make_sparse_step(const SparsityPattern& pattern,
                                           std::span<const InitialUnknown> unknowns) {
  return std::make_unique<SparseStep>(pattern, unknowns);
}

}  // namespace daedal::analysis
