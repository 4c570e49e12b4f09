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

class OverdeterminedCorrection final : public CorrectionSolver {
 public:
  OverdeterminedCorrection(const SparsityPattern& pattern, linalg::Corrector kind)
      : n_(pattern.columns),
        values_(to_size(pattern.nonzeros())),
        right_side_(to_size(pattern.rows)),
        solver_(linalg::make_overdetermined_solver(pattern, kind)) {}

  linalg::FactorReport factor(std::span<const double> f_x, std::span<const double> f_xp,
                              double c) override {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = f_x[k] + c * f_xp[k];
    const linalg::OverdeterminedReport report = solver_->factor(values_);
    const bool is_constraint = report.dependent_constraint >= 0;
    return {.ok = report.ok,
            .singular_column =
                is_constraint ? n_ + report.dependent_constraint : report.singular_column};
  }

  void solve(std::span<const double> residual, std::span<double> delta) override {
    for (std::size_t i = 0; i < right_side_.size(); ++i) right_side_[i] = -residual[i];
    solver_->solve(right_side_, delta);
  }

 private:
  Index n_;
  std::vector<double> values_;
  std::vector<double> right_side_;
  std::unique_ptr<linalg::OverdeterminedSolver> solver_;
};

}  // namespace

std::unique_ptr<CorrectionSolver> make_correction_solver(const SparsityPattern& pattern,
                                                         linalg::Corrector kind) {
  if (pattern.rows == pattern.columns) return std::make_unique<SquareCorrection>(pattern);
  return std::make_unique<OverdeterminedCorrection>(pattern, kind);
}

}  // namespace daedal::integrate
