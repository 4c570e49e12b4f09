// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sparse LU by KLU (Davis, Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36), 64-bit
/// indices, real and complex: block triangular form and a fill-reducing order once, a pivoting
/// factorisation first, then refactorisations that keep its pivots. A refactorisation whose pivot
/// growth is bad, or that meets a zero pivot, is repeated with new pivots. The order of a large
/// matrix is chosen with its first values.

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/sparse/frontal_plan.hpp"

namespace daedal::linalg {

template <class Scalar>
class KluSolver final : public LinearSolver<Scalar> {
 public:
  /// The pattern is square and not empty. Where rows do not move, pivots are hoped for on the
  /// diagonal as it is, even where that has no entry, and there is one block.
  explicit KluSolver(const SparsityPattern& pattern, bool moves_rows = true);
  ~KluSolver() override;

  FactorReport factor(std::span<const Scalar> values) override;
  void solve(std::span<Scalar> rhs) const override;
  [[nodiscard]] double reciprocal_condition() const override;
  [[nodiscard]] std::string description() const override { return description_; }
  void describe(std::string description) { description_ = std::move(description); }

  /// Before the first factorisation: by AMD, in block triangular form.
  [[nodiscard]] BlockOrder order() const;
  /// How often pivots were chosen anew, the first factorisation included.
  [[nodiscard]] Index n_full_factorizations() const { return n_full_; }

 private:
  struct Backend;  ///< keeps KLU's types out of this header
  bool refactor(FactorReport& report);
  FactorReport factor_anew();
  void choose_order();

  std::vector<Index> column_start_;
  std::vector<Index> row_;
  std::vector<Scalar> values_;  ///< of the last factorisation
  std::unique_ptr<Backend> backend_;
  std::string description_;
  double full_growth_ = 1.0;
  Index n_full_ = 0;
  bool has_order_ = false;
};

extern template class KluSolver<double>;
extern template class KluSolver<std::complex<double>>;

}  // namespace daedal::linalg
