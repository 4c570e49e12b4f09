// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/correction_solver.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/types.hpp"

namespace daedal::integration {

namespace {

class SquareCorrection final : public CorrectionSolver {
 public:
  SquareCorrection(const SparsityPattern& pattern, linalg::Storage storage)
      : values_(to_size(pattern.nonzeros())), solver_(linalg::make_real_solver(pattern, storage)) {}

  linalg::FactorReport factor(std::span<const double> f_x, std::span<const double> f_xp,
                              double c) override {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = f_x[k] + c * f_xp[k];
    return solver_->factor(values_);
  }

  void solve(std::span<const double> residual, std::span<double> delta) override {
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = -residual[i];
    solver_->solve(delta);
  }
  [[nodiscard]] std::string description() const override { return solver_->description(); }

 private:
  std::vector<double> values_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

class OverdeterminedCorrection final : public CorrectionSolver {
 public:
  OverdeterminedCorrection(const SparsityPattern& pattern, linalg::Corrector kind,
                           std::span<const double> nominals)
      : pattern_(pattern),
        nominals_(nominals.begin(), nominals.end()),
        kind_(kind),
        row_scale_(to_size(pattern.rows), 1.0),
        column_scale_(to_size(pattern.columns), 1.0),
        values_(to_size(pattern.nonzeros())),
        right_side_(to_size(pattern.rows)),
        solver_(linalg::make_overdetermined_solver(pattern, kind)) {}

  linalg::FactorReport factor(std::span<const double> f_x, std::span<const double> f_xp,
                              double c) override {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = f_x[k] + c * f_xp[k];
    switch (kind_) {
      case linalg::Corrector::state_space_form:
        scale_states(f_xp);
        break;
      case linalg::Corrector::constrained_least_squares:
        scale_rows(f_xp, c);
        [[fallthrough]];
      case linalg::Corrector::least_squares:
        scale_columns();
    }
    const linalg::OverdeterminedReport report = solver_->factor(values_);
    const bool is_constraint = report.dependent_constraint >= 0;
    return {.ok = report.ok,
            .singular_column = is_constraint ? pattern_.columns + report.dependent_constraint
                                             : report.singular_column};
  }

  void solve(std::span<const double> residual, std::span<double> delta) override {
    for (std::size_t i = 0; i < right_side_.size(); ++i) {
      right_side_[i] = -row_scale_[i] * residual[i];
    }
    solver_->solve(right_side_, delta);
    for (std::size_t j = 0; j < delta.size(); ++j) delta[j] *= column_scale_[j];
  }

 private:
  /// The state space form corrects along the rows of A₂, x_j in the equation of x_j': in units of
  /// the nominal values, unless masses measure the correction.
  void scale_states(std::span<const double> f_xp) {
    if (nominals_.empty()) return;
    column_scale_ = nominals_;
    std::vector<double> rest(row_scale_.size(), 0.0);  // of a row of F_x' minus that of 1
    for (std::size_t j = 0; j < column_scale_.size(); ++j) rest[j] = 1.0;
    const auto each = [&](auto&& act) {
      for (std::size_t j = 0; j < column_scale_.size(); ++j) {
        for (auto k = to_size(pattern_.column_start[j]); k < to_size(pattern_.column_start[j + 1]);
             ++k) {
          act(to_size(pattern_.row[k]), j, k);
        }
      }
    };
    each([&](std::size_t i, std::size_t j, std::size_t k) {
      rest[i] += i == j ? std::abs(f_xp[k] - 1.0) - 1.0 : std::abs(f_xp[k]);
    });
    for (std::size_t i = 0; i < column_scale_.size(); ++i) {
      row_scale_[i] = rest[i] == 0.0 ? 1.0 / column_scale_[i] : column_scale_[i];
    }
    each([&](std::size_t i, std::size_t j, std::size_t k) {
      values_[k] *= row_scale_[i] * column_scale_[j];
    });
  }

  /// Führer, Leimkuhler, after Theorem 3.1: equations with derivatives count by h/α₀ = 1/c.
  /// Otherwise least squares meets them alone as h goes to 0, and leaves the multipliers to chance.
  void scale_rows(std::span<const double> f_xp, double c) {
    std::fill(row_scale_.begin(), row_scale_.end(), 1.0);
    for (std::size_t k = 0; k < f_xp.size(); ++k) {
      const auto row = to_size(pattern_.row[k]);
      const bool is_square = pattern_.row[k] < pattern_.columns;
      if (is_square && f_xp[k] != 0.0) row_scale_[row] = 1.0 / std::abs(c);
    }
    for (std::size_t k = 0; k < values_.size(); ++k) {
      values_[k] *= row_scale_[to_size(pattern_.row[k])];
    }
  }

  /// Least squares decides on ranks: derivatives c·F_x' must not drown the columns of multipliers.
  void scale_columns() {
    for (std::size_t j = 0; j < column_scale_.size(); ++j) {
      const auto first = to_size(pattern_.column_start[j]);
      const auto last = to_size(pattern_.column_start[j + 1]);
      double greatest = 0.0;
      for (auto k = first; k < last; ++k) greatest = std::max(greatest, std::abs(values_[k]));
      column_scale_[j] = greatest > 0.0 ? 1.0 / greatest : 1.0;
      for (auto k = first; k < last; ++k) values_[k] *= column_scale_[j];
    }
  }

  SparsityPattern pattern_;
  std::vector<double> nominals_;
  linalg::Corrector kind_;
  std::vector<double> row_scale_;
  std::vector<double> column_scale_;
  std::vector<double> values_;
  std::vector<double> right_side_;
  std::unique_ptr<linalg::OverdeterminedSolver> solver_;
};

}  // namespace

std::unique_ptr<CorrectionSolver> make_correction_solver(const SparsityPattern& pattern,
                                                         std::span<const double> nominals,
                                                         linalg::Corrector kind,
                                                         linalg::Storage storage) {
  if (pattern.rows == pattern.columns) return std::make_unique<SquareCorrection>(pattern, storage);
  return std::make_unique<OverdeterminedCorrection>(pattern, kind, nominals);
}

}  // namespace daedal::integration
