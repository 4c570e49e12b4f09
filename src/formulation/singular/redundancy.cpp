// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/singular/redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// Entries of the reduced null vectors below this share, or below the tolerance of the rank where
/// that is coarser, are rounding errors of the elimination.
constexpr double support_tolerance = 1e-8;
/// Scaled residuals of a start that was found are below this.
constexpr double contradiction_tolerance = 1e-8;
constexpr std::size_t most_constraint_names = 20;

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
std::vector<Index> group(const Matrix& basis, double least) {
  std::vector<Index> set(to_size(basis.cols()));
  std::iota(set.begin(), set.end(), Index{0});
  for (Index i = 0; i < basis.rows(); ++i) {
    Index first = -1;
    for (Index j = 0; j < basis.cols(); ++j) {
      if (std::abs(basis(i, j)) <= least) continue;
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

Redundancy find_redundancy(const Matrix& jacobian, std::span<const double> residual,
                           double tolerance) {
  Matrix scaled = jacobian;
  Vector right = as_vector(residual);
  for (Index i = 0; i < scaled.rows(); ++i) {
    const double length = scaled.row(i).norm();
    if (length == 0.0) continue;
    scaled.row(i) /= length;
    right(i) /= length;
  }
  return find_scaled_redundancy(scaled, right, tolerance);
}

Redundancy find_scaled_redundancy(const Matrix& scaled, const Vector& residual, double tolerance) {
  Redundancy result;
  result.n_constraints = scaled.rows();
  result.decision = linalg::decide_rank(scaled, tolerance);
  if (!scaled.allFinite() || result.decision.rank == scaled.rows()) return result;
  Matrix basis = linalg::left_null_space(scaled, tolerance);
  reduce(basis);
  const double least = std::max(support_tolerance, 10.0 * tolerance);
  const std::vector<Index> sets = group(basis, least);
  for (Index s = 0; s < basis.cols(); ++s) {
    DependentSet set;
    std::vector<bool> is_member(to_size(basis.rows()), false);
    for (Index j = 0; j < basis.cols(); ++j) {
      if (sets[to_size(j)] != s) continue;
      ++set.n_redundant;
      set.contradiction = std::max(set.contradiction, std::abs(basis.col(j).dot(residual)));
      for (Index i = 0; i < basis.rows(); ++i) {
        if (std::abs(basis(i, j)) > least) is_member[to_size(i)] = true;
      }
    }
    for (std::size_t i = 0; i < is_member.size(); ++i) {
      if (is_member[i]) set.constraints.push_back(to_index(i));
    }
    if (set.n_redundant > 0) result.sets.push_back(std::move(set));
  }
  return result;
}

std::string describe_sets(const Redundancy& redundancy,
                          const std::function<std::string(Index)>& constraint_name) {
  std::string text;
  for (const DependentSet& set : redundancy.sets) {
    std::vector<std::string> names;
    for (const Index i : set.constraints) names.push_back(constraint_name(i));
    text +=
        fmt::format("{} of {} {} redundant. ", set.n_redundant,
                    join_words(names, most_constraint_names), set.n_redundant == 1 ? "is" : "are");
  }
  return text +
         "Multipliers of dependent constraints are not unique; those of least length are "
         "given.";
}

void report_redundancy(const Mechanics& mechanics, double t0, MechanicalRun& run, Start& start) {
  std::vector<double> residual(to_size(mechanics.m()));
  std::vector<double> values(mechanics.jacobian_pattern().row.size());
  if (!mechanics.position_level(mechanics.point(t0, start.x), run, residual, values)) return;
  Matrix jacobian = Matrix::Zero(mechanics.m(), mechanics.n());
  scatter(mechanics.jacobian_pattern(), values, jacobian);
  const Redundancy found = find_redundancy(jacobian, residual);
  const auto name = [&](Index i) { return mechanics.constraint_name(i); };
  report_redundancy(found, name, start);
  if (found.sets.empty() || start.status != Status::success) return;
  const Index mobility = mechanics.n() - found.decision.rank;
  start.notices.back() += fmt::format(
      " The mobility is {} at the start: {} coordinates less the rank, {} free initial values.",
      mobility, mechanics.n(), 2 * mobility);
}

void report_redundancy(const Redundancy& found,
                       const std::function<std::string(Index)>& constraint_name, Start& start) {
  if (found.sets.empty()) return;
  const Index m = found.n_constraints;
  if (start.status == Status::success) {
    start.notices.push_back(fmt::format("The constraints have rank {} of {} at the start: {}",
                                        found.decision.rank, m,
                                        describe_sets(found, constraint_name)));
    return;
  }
  if (start.status != Status::inconsistent_start) return;
  for (const DependentSet& set : found.sets) {
    if (set.contradiction <= contradiction_tolerance) continue;
    std::vector<std::string> names;
    for (const Index i : set.constraints) names.push_back(constraint_name(i));
    start.status = Status::inconsistent_constraints;
    start.message = fmt::format(
        "The constraints {} contradict each other: they depend on each other (rank {} of {} "
        "constraints), and the nearest position leaves a residual of {:.3g}.",
        join_words(names, most_constraint_names), found.decision.rank, m, set.contradiction);
    return;
  }
}

}  // namespace daedal::formulation
