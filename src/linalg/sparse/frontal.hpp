// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Sparse LU by fronts, real and complex, for matrices whose factors fill up, such as those of
/// grids in two and three dimensions: the arithmetic is that of dense matrices in cache, several
/// times faster than that of KLU's single entries. Every factorisation chooses its pivots anew:
/// among the complete rows of a front, and columns without a good one wait for the parent front, so
/// that matrices with zeros on the diagonal are factored too.

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/sparse/frontal_plan.hpp"

namespace daedal::linalg {

template <class Scalar>
class FrontalSolver final : public LinearSolver<Scalar> {
 public:
  FrontalSolver(const SparsityPattern& pattern, const BlockOrder& order);

  /// Stops where columns that wait fill the fronts: is_overfull().
  FactorReport factor(std::span<const Scalar> values) override;
  [[nodiscard]] bool is_overfull() const { return is_overfull_; }
  void solve(std::span<Scalar> rhs) const override;
  [[nodiscard]] double reciprocal_condition() const override;

  /// Aᴴ x = b in place.
  void solve_adjoint(std::span<Scalar> rhs) const;
  /// Entries of the last factors, and columns that waited for a parent front.
  [[nodiscard]] Index n_entries() const { return to_index(n_numbers_); }
  [[nodiscard]] Index n_delays() const { return n_delays_; }

 private:
  using Place = FrontalPlan::Place;

  /// The factors of a front: names of rows and columns, pivots first; L with the pivots' U in its
  /// upper triangle, by columns; then U of the other columns.
  struct Factors {
    Place size = 0, n_pivots = 0;
    Place first = 0;  ///< pivots in fronts before
    std::size_t names = 0, numbers = 0;
  };
  /// What is left of a front, for its parent: names of rows and of columns, entries by columns.
  struct Left {
    Place size = 0, n_waiting = 0;  ///< the first of them should have been pivots
    std::size_t names = 0, numbers = 0;
  };

  void find_units(std::span<const Scalar> values);
  [[nodiscard]] Index scale(std::span<const Scalar> values);
  /// False: the front would be too large.
  bool assemble(const FrontalPlan::Front& front, std::span<const Scalar> values);
  void take_up(const Left& left);
  void store(Index n_pivots);
  void forward(const Factors& f) const;
  void backward(const Factors& f) const;
  [[nodiscard]] Index first_cancelled() const;
  [[nodiscard]] const Scalar* numbers(const Factors& f) const { return &factors_[f.numbers]; }
  [[nodiscard]] const Place* rows(const Factors& f) const { return &names_[f.names]; }
  [[nodiscard]] const Place* columns(const Factors& f) const { return rows(f) + f.size; }

  FrontalPlan plan_;
  std::vector<Scalar> values_;  ///< between blocks, scaled
  SparsityPattern pattern_;     ///< until the first factorisation
  std::vector<double> column_unit_;
  std::vector<double> row_scale_, column_max_;
  double norm_1_ = 0.0;

  std::vector<Factors> fronts_;
  std::vector<Place> names_;
  std::vector<Scalar> factors_;
  std::vector<Left> left_;  ///< the parts that wait for their parents: a stack
  std::vector<Place> left_names_;
  std::vector<Scalar> left_numbers_;
  std::size_t n_names_ = 0, n_numbers_ = 0, n_left_names_ = 0, n_left_numbers_ = 0;
  Index n_delays_ = 0;
  /// Memory for a factorisation in which no pivot is delayed.
  struct Room {
    std::size_t names = 0, numbers = 0, left = 0;
  } room_;
  std::size_t most_numbers_ = 0;
  bool is_overfull_ = false;

  // The front at work.
  std::vector<Scalar> front_;
  std::vector<Place> front_row_, front_column_;
  std::vector<Place> row_at_, column_at_;  ///< by name
  std::vector<Place> to_row_;
  Index size_ = 0, n_complete_ = 0, stride_ = 0;

  mutable std::vector<Scalar> x_, y_, z_, w_;
};

extern template class FrontalSolver<double>;
extern template class FrontalSolver<std::complex<double>>;

}  // namespace daedal::linalg
