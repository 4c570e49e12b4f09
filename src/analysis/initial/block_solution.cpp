// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/block_solution.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "linalg/linear_solver.hpp"
#include "linalg/newton_watch.hpp"
#include "structure/block_triangular.hpp"

namespace daedal::analysis {

namespace {

using Verdict = linalg::NewtonWatch::Verdict;

/// A step below this share of |u| + nominal ends Newton's method, which converges quadratically.
constexpr double step_tolerance = 1e-10;
/// Ten corrections that square the error reach any accuracy from an error of 1; more would show
/// that the start was too far away, and continuation is cheaper.
constexpr int most_iterations = 12;
/// Continuation: first and smallest increase of s, and how it grows after a success.
constexpr double first_increase = 0.25;
constexpr double least_increase = 1e-4;
constexpr double growth = 2.0;

/// The equations that are matched, as a square system of their own numbers.
struct Square {
  std::vector<Index> rows;     ///< of the constraint set
  std::vector<Index> columns;  ///< that each is matched to
  structure::BlockTriangularForm blocks;
};

structure::Incidence incidence_of(const SparsityPattern& pattern,
                                  const std::vector<bool>& is_open) {
  std::vector<std::vector<Index>> columns(to_size(pattern.rows));
  for (Index j = 0; j < pattern.columns; ++j) {
    if (!is_open[j]) continue;
    for (Index p = pattern.column_start[j]; p < pattern.column_start[to_size(j) + 1]; ++p)
      columns[pattern.row[p]].push_back(j);
  }
  structure::Incidence incidence(pattern.columns);
  for (const auto& row : columns) incidence.add_row(row);
  return incidence;
}

/// What was matched stays matched when more unknowns are allowed: the dear ones come last.
structure::Matching cheapest_matching(const SparsityPattern& pattern,
                                      std::span<const InitialUnknown> unknowns) {
  auto matching = structure::empty_matching(pattern.rows, pattern.columns);
  std::vector<bool> is_open(unknowns.size());
  std::vector<double> prices{0.0};
  const auto price = [](const InitialUnknown& unknown) {
    return unknown.role == Role::free ? 0.0 : unknown.confidence;
  };
  for (const InitialUnknown& unknown : unknowns)
    if (unknown.role == Role::guess) prices.push_back(price(unknown));
  std::ranges::sort(prices);
  prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
  for (const double limit : prices) {
    for (std::size_t j = 0; j < unknowns.size(); ++j)
      is_open[j] = unknowns[j].role != Role::held && price(unknowns[j]) <= limit;
    structure::extend_to_maximum(incidence_of(pattern, is_open), matching);
  }
  return matching;
}

Square find_square(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns) {
  const auto matching = cheapest_matching(pattern, unknowns);
  Square square;
  std::vector<Index> number(unknowns.size(), -1);
  for (Index i = 0; i < pattern.rows; ++i) {
    const Index j = matching.column_of_row[i];
    if (j == structure::unmatched) continue;
    number[j] = to_index(square.rows.size());
    square.rows.push_back(i);
    square.columns.push_back(j);
  }
  const Index n = to_index(square.rows.size());
  std::vector<bool> is_open(unknowns.size());
  for (const Index j : square.columns) is_open[j] = true;
  const auto all = incidence_of(pattern, is_open);
  structure::Incidence own(n);
  auto identity = structure::empty_matching(n, n);
  for (Index k = 0; k < n; ++k) {
    std::vector<Index> columns;
    for (const Index j : all.row(square.rows[k])) columns.push_back(number[j]);
    own.add_row(columns);
    identity.column_of_row[k] = identity.row_of_column[k] = k;
  }
  identity.size = n;
  square.blocks = structure::block_triangular_form(own, identity);
  return square;
}

/// One block in the numbering of the constraint set.
class Block {
 public:
  Block(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns, const Square& square,
        Index number)
      : constraints_(constraints),
        unknowns_(unknowns),
        residual_(to_size(constraints.n_equations())),
        jacobian_(to_size(constraints.pattern().nonzeros())) {
    for (const Index k : square.blocks.rows(number)) rows_.push_back(square.rows[k]);
    for (const Index k : square.blocks.columns(number)) columns_.push_back(square.columns[k]);
    build_pattern();
    offset_.resize(rows_.size());
    correction_.resize(rows_.size());
    values_.resize(entries_.size());
  }

  bool solve(std::span<double> u) {
    std::vector<double> start;
    for (const Index j : columns_) start.push_back(u[j]);
    if (newton(u, 0.0)) return true;
    put(start, u);
    if (follow(u)) return true;
    put(start, u);
    return false;
  }

 private:
  void build_pattern() {
    const SparsityPattern& all = constraints_.pattern();
    std::vector<Index> row_of(to_size(all.rows), -1);
    for (std::size_t i = 0; i < rows_.size(); ++i) row_of[rows_[i]] = to_index(i);
    SparsityPattern pattern;
    pattern.rows = pattern.columns = to_index(rows_.size());
    pattern.column_start.push_back(0);
    for (const Index j : columns_) {
      std::vector<std::pair<Index, Index>> column;  // row, entry
      for (Index p = all.column_start[j]; p < all.column_start[to_size(j) + 1]; ++p) {
        const Index i = row_of[all.row[p]];
        if (i >= 0) column.emplace_back(i, p);
      }
      std::ranges::sort(column);
      for (const auto& [i, p] : column) {
        pattern.row.push_back(i);
        entries_.push_back(p);
      }
      pattern.column_start.push_back(pattern.nonzeros());
    }
    solver_ = linalg::make_real_solver(pattern);
  }

  void put(std::span<const double> values, std::span<double> u) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) u[columns_[k]] = values[k];
  }

  /// The residuals of the block at u; false where one is not finite.
  bool evaluate(std::span<const double> u) {
    constraints_.residual(u, residual_);
    return std::ranges::all_of(rows_, [&](Index i) { return std::isfinite(residual_[i]); });
  }

  /// Solves r(u) = share·offset_.
  bool newton(std::span<double> u, double share) {
    linalg::NewtonWatch watch({.tolerance = step_tolerance, .remainder = 0.0, .noise = 0.0});
    for (int k = 0; k < most_iterations; ++k) {
      if (!evaluate(u)) return false;
      constraints_.jacobian(u, jacobian_);
      for (std::size_t e = 0; e < entries_.size(); ++e) values_[e] = jacobian_[entries_[e]];
      for (std::size_t i = 0; i < rows_.size(); ++i)
        correction_[i] = residual_[rows_[i]] - share * offset_[i];
      if (!solver_->factor(values_).ok) return false;
      solver_->solve(correction_);
      double greatest = 0.0;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto j = to_size(columns_[i]);
        const double size = std::abs(u[j]) + unknowns_[j].nominal;
        const double moved = std::abs(correction_[i]) / size;
        if (!(moved <= greatest)) greatest = moved;
        u[j] -= correction_[i];
      }
      const Verdict verdict = watch.judge(greatest);
      if (verdict != Verdict::contracting) return verdict == Verdict::converged;
    }
    return false;
  }

  bool follow(std::span<double> u) {
    if (!evaluate(u)) return false;
    for (std::size_t i = 0; i < rows_.size(); ++i) offset_[i] = residual_[rows_[i]];
    std::vector<double> reached(columns_.size());
    double s = 0.0;
    double increase = first_increase;
    while (s < 1.0) {
      for (std::size_t k = 0; k < columns_.size(); ++k) reached[k] = u[columns_[k]];
      const double next = std::min(1.0, s + increase);
      if (newton(u, 1.0 - next)) {
        s = next;
        increase *= growth;
        continue;
      }
      put(reached, u);
      increase *= 0.5;
      if (increase < least_increase) return false;
    }
    return true;
  }

  ConstraintSet& constraints_;
  std::span<const InitialUnknown> unknowns_;
  std::vector<Index> rows_, columns_;
  std::vector<Index> entries_;  ///< of the whole Jacobian that are in the block's
  std::vector<double> residual_, jacobian_;
  std::vector<double> offset_, correction_, values_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

}  // namespace

bool solve_block_by_block(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
                          std::span<double> u) {
  const Square square = find_square(constraints.pattern(), unknowns);
  for (Index b = 0; b < square.blocks.n_blocks(); ++b)
    if (!Block(constraints, unknowns, square, b).solve(u)) return false;
  return square.blocks.n_blocks() > 0;
}

}  // namespace daedal::analysis
