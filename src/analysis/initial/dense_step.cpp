// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/move_step.hpp"
#include "linalg/dense/rank.hpp"

namespace daedal::analysis {

namespace {

/// A⁺ applied through a singular value decomposition whose rank is decided once.
class PseudoInverse {
 public:
  void compute(const Matrix& a) {
    rows_ = a.rows();
    columns_ = a.cols();
    if (rows_ == 0 || columns_ == 0) {
      rank_ = 0;
      return;
    }
    svd_ = linalg::svd(a);
    rank_ = svd_.s.size() == 0 || svd_.s[0] == 0.0 ? 0 : linalg::decide_rank(svd_.s).rank;
  }

  [[nodiscard]] Vector apply(const Vector& b) const {
    if (rank_ == 0) return Vector::Zero(columns_);
    const Vector c = svd_.u.leftCols(rank_).transpose() * b;
    return svd_.v.leftCols(rank_) * c.cwiseQuotient(svd_.s.head(rank_));
  }

  /// (columns of U beyond the rank)ᵀ a: what the columns of A cannot reach.
  [[nodiscard]] Matrix unreached(const Matrix& a) const {
    if (rows_ == 0 || columns_ == 0) return a;
    return svd_.u.rightCols(rows_ - rank_).transpose() * a;
  }

 private:
  Eigen::Index rows_ = 0;
  Eigen::Index columns_ = 0;
  Eigen::Index rank_ = 0;
  linalg::Svd svd_;
};

/// With J = [J_f J_g]: the guesses have to meet U₂ᵀ(J_g δ_g + r) = 0, where U₂ spans what the free
/// columns cannot reach, and do it with the least norm; the free unknowns meet the rest.
class DenseStep final : public MoveStep {
 public:
  DenseStep(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns)
      : pattern_(pattern) {
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
    free_inverse_.compute(j_free);
    guess_inverse_.compute(free_inverse_.unreached(j_guess_));
    return true;
  }

  void normal(std::span<const double> r, std::span<double> delta) const override {
    Vector b(to_index(r.size()));
    for (std::size_t i = 0; i < r.size(); ++i)
      b[static_cast<Eigen::Index>(i)] = -r[i] * scales_.row[i];
    const Vector guess = guess_inverse_.apply(free_inverse_.unreached(b));
    const Vector free = free_inverse_.apply(b - j_guess_ * guess);
    scatter(guess, free, delta);
  }

  void tangent(std::span<const double> distance, std::span<double> p) const override {
    Vector d(to_index(guess_.size()));
    for (std::size_t k = 0; k < guess_.size(); ++k)
      d[static_cast<Eigen::Index>(k)] =
          distance[to_size(guess_[k])] / scales_.column[to_size(guess_[k])];
    const Vector reached = free_inverse_.unreached(j_guess_) * d;
    const Vector guess = guess_inverse_.apply(reached) - d;
    const Vector free = free_inverse_.apply(-(j_guess_ * guess));
    scatter(guess, free, p);
  }

 private:
  [[nodiscard]] Matrix gather(std::span<const double> values,
                              const std::vector<Index>& columns) const {
    Matrix a = Matrix::Zero(pattern_.rows, to_index(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto column = to_size(columns[k]);
      for (Index p = pattern_.column_start[column]; p < pattern_.column_start[column + 1]; ++p) {
        const Index row = pattern_.row[to_size(p)];
        a(row, static_cast<Eigen::Index>(k)) =
            values[to_size(p)] * scales_.row[to_size(row)] * scales_.column[column];
      }
    }
    return a;
  }

  void scatter(const Vector& guess, const Vector& free, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t k = 0; k < guess_.size(); ++k)
      out[to_size(guess_[k])] =
          guess[static_cast<Eigen::Index>(k)] * scales_.column[to_size(guess_[k])];
    for (std::size_t k = 0; k < free_.size(); ++k)
      out[to_size(free_[k])] =
          free[static_cast<Eigen::Index>(k)] * scales_.column[to_size(free_[k])];
  }

  const SparsityPattern& pattern_;
  std::vector<Index> free_;
  std::vector<Index> guess_;
  StepScales scales_;
  Matrix j_guess_;
  PseudoInverse free_inverse_;
  PseudoInverse guess_inverse_;
};

}  // namespace

std::unique_ptr<MoveStep> make_dense_step(const SparsityPattern& pattern,
                                          std::span<const InitialUnknown> unknowns) {
  return std::make_unique<DenseStep>(pattern, unknowns);
}

}  // namespace daedal::analysis
