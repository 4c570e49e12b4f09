// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/correction_solver.hpp"

#include <vector>

#include "core/types.hpp"

namespace daedal::integrate {

namespace {

class SquareCorrection final : public CorrectionSolver {
 public:
  explicit SquareCorrection(const SparsityPattern& pattern)
      : values_(to_size(pattern.nonzeros())), solver_(linalg::make_real_solver(pattern)) {}

  linalg::FactorReport factor(std::span<const double> f_x, std::span<const double> f_xp,
                              double c) override {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = f_x[k] + c * f_xp[k];
    return solver_->factor(values_);
  }

  void solve(std::span<const double> residual, std::span<double> delta) override {
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = -residual[i];
    solver_->solve(delta);
  }

 private:
  std::vector<double> values_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

/// The columns [A1; A2] as they stand, then for every constraint its row of A2 as a column.
SparsityPattern bordered(const SparsityPattern& pattern, std::vector<Index>& transposed) {
  const Index n = pattern.columns;
  const Index n_constraints = pattern.rows - n;
  std::vector<std::vector<Index>> columns(to_size(n_constraints));
  std::vector<std::vector<Index>> sources(to_size(n_constraints));
  for (Index j = 0; j < n; ++j) {
    for (Index k = pattern.column_start[to_size(j)]; k < pattern.column_start[to_size(j + 1)];
         ++k) {
      const Index row = pattern.row[to_size(k)];
      if (row < n) continue;
      columns[to_size(row - n)].push_back(j);
      sources[to_size(row - n)].push_back(k);
    }
  }
  SparsityPattern result = pattern;
  result.columns = pattern.rows;
  for (Index i = 0; i < n_constraints; ++i) {
    const auto& rows = columns[to_size(i)];
    result.row.insert(result.row.end(), rows.begin(), rows.end());
    transposed.insert(transposed.end(), sources[to_size(i)].begin(), sources[to_size(i)].end());
    result.column_start.push_back(result.nonzeros());
  }
  return result;
}

class SsfCorrection final : public CorrectionSolver {
 public:
  explicit SsfCorrection(const SparsityPattern& pattern) {
    const SparsityPattern saddle = bordered(pattern, transposed_);
    n_direct_ = to_size(pattern.nonzeros());
    values_.resize(to_size(saddle.nonzeros()));
    right_side_.resize(to_size(saddle.rows));
    solver_ = linalg::make_real_solver(saddle);
  }

  linalg::FactorReport factor(std::span<const double> f_x, std::span<const double> f_xp,
                              double c) override {
    for (std::size_t k = 0; k < n_direct_; ++k) values_[k] = f_x[k] + c * f_xp[k];
    for (std::size_t k = 0; k < transposed_.size(); ++k) {
      values_[n_direct_ + k] = values_[to_size(transposed_[k])];
    }
    return solver_->factor(values_);
  }

  void solve(std::span<const double> residual, std::span<double> delta) override {
    for (std::size_t i = 0; i < right_side_.size(); ++i) right_side_[i] = -residual[i];
    solver_->solve(right_side_);
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = right_side_[i];
  }

 private:
  std::vector<Index> transposed_;  ///< where in [A1; A2] each entry of the A2ᵀ block stands
  std::size_t n_direct_ = 0;
  std::vector<double> values_;
  std::vector<double> right_side_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

}  // namespace

std::unique_ptr<CorrectionSolver> make_correction_solver(const SparsityPattern& pattern) {
  if (pattern.rows == pattern.columns) return std::make_unique<SquareCorrection>(pattern);
  return std::make_unique<SsfCorrection>(pattern);
}

}  // namespace daedal::integrate
