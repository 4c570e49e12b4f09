// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// Entries of the reduced null vectors below this are rounding errors of the elimination.
constexpr double support_tolerance = 1e-8;
/// Scaled residuals of a start that was found are below this.
constexpr double contradiction_tolerance = 1e-8;
constexpr std::size_t most_names = 20;

/// Gauss-Jordan elimination with complete pivoting on the columns of `basis`: each column gets a
/// row that it alone has.
void reduce(Matrix& basis) {
  for (Index k = 0; k < basis.cols(); ++k) {
    Index row = 0, column = 0;
    basis.rightCols(basis.cols() - k).cwiseAbs().maxCoeff(&row, &column);
    basis.col(k).swap(basis.col(k + column));
    basis.col(k) /= basis(row, k);
    for (Index j = 0; j < basis.cols(); ++j) {
      if (j != k) basis.col(j) -= basis(row, j) * basis.col(k);
    }
  }
}

/// The set that each null vector belongs to: vectors that share a constraint share it.
std::vector<Index> group(const Matrix& basis) {
  std::vector<Index> set(to_size(basis.cols()));
  std::iota(set.begin(), set.end(), Index{0});
  for (Index i = 0; i < basis.rows(); ++i) {
    Index first = -1;
    for (Index j = 0; j < basis.cols(); ++j) {
      if (std::abs(basis(i, j)) <= support_tolerance) continue;
      if (first < 0) {
        first = set[to_size(j)];
        continue;
      }
      const Index merged = set[to_size(j)];
      std::replace(set.begin(), set.end(), merged, first);
    }
  }
  return set;
}

}  // namespace

Redundancy find_redundancy(const Matrix& jacobian, std::span<const double> residual) {
  Matrix scaled = jacobian;
  Vector right = as_vector(residual);
  for (Index i = 0; i < scaled.rows(); ++i) {
    const double length = scaled.row(i).norm();
    if (length == 0.0) continue;
    scaled.row(i) /= length;
    right(i) /= length;
  }
  Redundancy result;
  result.decision = linalg::decide_rank(scaled);
  if (!scaled.allFinite() || result.decision.rank == scaled.rows()) return result;
  Matrix basis = linalg::left_null_space(scaled);
  reduce(basis);
  const std::vector<Index> sets = group(basis);
  for (Index s = 0; s < basis.cols(); ++s) {
    DependentSet set;
    std::vector<bool> is_member(to_size(basis.rows()), false);
    for (Index j = 0; j < basis.cols(); ++j) {
      if (sets[to_size(j)] != s) continue;
      ++set.n_redundant;
      set.contradiction = std::max(set.contradiction, std::abs(basis.col(j).dot(right)));
      for (Index i = 0; i < basis.rows(); ++i) {
        if (std::abs(basis(i, j)) > support_tolerance) is_member[to_size(i)] = true;
      }
    }
    for (std::size_t i = 0; i < is_member.size(); ++i) {
      if (is_member[i]) set.constraints.push_back(to_index(i));
    }
    if (set.n_redundant > 0) result.sets.push_back(std::move(set));
  }
  return result;
}

void report_redundancy(const Mechanics& mechanics, double t0, MechanicalRun& run, Start& start) {
  std::vector<double> residual(to_size(mechanics.m()));
  std::vector<double> values(mechanics.jacobian_pattern().row.size());
  if (!mechanics.position_level(mechanics.point(t0, start.x), run, residual, values)) return;
  Matrix jacobian = Matrix::Zero(mechanics.m(), mechanics.n());
  scatter(mechanics.jacobian_pattern(), values, jacobian);
  const Redundancy found = find_redundancy(jacobian, residual);
  for (const DependentSet& set : found.sets) {
    std::vector<std::string> names;
    for (const Index i : set.constraints) names.push_back(mechanics.constraint_name(i));
    const std::string list = join_words(names, most_names);
    if (start.status == Status::success) {
      start.notices.push_back(fmt::format(
          "The constraints have rank {} of {} at the start: {} of {} {} redundant. Multipliers of "
          "dependent constraints are not unique; those of least length are given.",
          found.decision.rank, mechanics.m(), set.n_redundant, list,
          set.n_redundant == 1 ? "is" : "are"));
    } else if (start.status == Status::inconsistent_start &&
               set.contradiction > contradiction_tolerance) {
      start.status = Status::inconsistent_constraints;
      start.message = fmt::format(
          "The constraints {} contradict each other: they depend on each other (rank {} of {} "
          "constraints), and the nearest position leaves a residual of {:.3g}.",
          list, found.decision.rank, mechanics.m(), set.contradiction);
      return;
    }
  }
}

}  // namespace daedal::formulation
