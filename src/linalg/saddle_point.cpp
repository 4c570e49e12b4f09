// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_point.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>

#include "linalg/scaling.hpp"
#include "linalg/sparse/elimination_order.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::linalg {

namespace {

struct Entry {
  Index row;
  Index column;
  Index source;
};

/// Entries in any order, without duplicates, as compressed columns.
SparsityPattern compress(Index n, std::vector<Entry>& entries) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  SparsityPattern pattern{.rows = n, .columns = n, .column_start = {}, .row = {}};
  pattern.column_start.assign(to_size(n + 1), 0);
  for (const Entry& e : entries) {
    ++pattern.column_start[e.column + 1];
    pattern.row.push_back(e.row);
  }
  for (std::size_t j = 0; j < to_size(n); ++j) {
    pattern.column_start[j + 1] += pattern.column_start[j];
  }
  return pattern;
}

std::vector<Index> sources(const std::vector<Entry>& entries) {
  std::vector<Index> result;
  result.reserve(entries.size());
  for (const Entry& e : entries) result.push_back(e.source);
  return result;
}

template <class Visit>
void for_each_entry(const SparsityPattern& pattern, Visit visit) {
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      visit(pattern.row[k], j, k);
    }
  }
}

bool has_entry(const SparsityPattern& pattern, Index row, Index column) {
  const auto first = pattern.row.begin() + pattern.column_start[column];
  const auto last = pattern.row.begin() + pattern.column_start[column + 1];
  return std::binary_search(first, last, row);
}

}  // namespace

SaddlePointSolver::Assembly SaddlePointSolver::assemble(const SparsityPattern& mass,
                                                        const SparsityPattern& constraints) {
  check_pattern(mass);
  check_pattern(constraints);
  if (mass.rows != mass.columns || constraints.columns != mass.columns) {
    throw Error(ErrorCode::internal,
                "The sizes of a mass matrix and of its constraint Jacobian do not agree.");
  }
  const Index n = mass.columns;
  std::vector<Entry> entries;
  for_each_entry(mass, [&](Index i, Index j, Index k) {
    if (i >= j) {
      entries.push_back({i, j, k});
    } else if (!has_entry(mass, j, i)) {
      entries.push_back({j, i, k});
    }
  });
  const Index n_mass = mass.nonzeros();
  for_each_entry(constraints,
                 [&](Index i, Index j, Index k) { entries.push_back({n + i, j, n_mass + k}); });
  const Index epsilon = n_mass + constraints.nonzeros();
  for (Index i = 0; i < constraints.rows; ++i) entries.push_back({n + i, n + i, epsilon});
  Assembly assembly;
  assembly.lower = compress(n + constraints.rows, entries);
  assembly.source = sources(entries);
  return assembly;
}

StaticLdlt SaddlePointSolver::analyse(const Assembly& assembly, Index n_coordinates) {
  std::vector<signed char> sign(to_size(assembly.lower.columns), -1);
  std::fill_n(sign.begin(), n_coordinates, static_cast<signed char>(1));
  return {assembly.lower, constrained_minimum_degree(assembly.lower, n_coordinates), sign};
}

SaddlePointSolver::SaddlePointSolver(const SparsityPattern& mass,
                                     const SparsityPattern& constraints, SaddlePointOptions options)
    : options_(options),
      n_(mass.columns),
      m_(constraints.rows),
      assembly_(assemble(mass, constraints)),
      ldlt_(analyse(assembly_, n_)),
      mass_values_(to_size(mass.nonzeros())),
      constraint_place_(to_size(constraints.nonzeros())),
      work_(to_size(n_ + m_)) {
  record_moves();
}

void SaddlePointSolver::record_moves() {
  const Index n_mass = to_index(mass_values_.size());
  const Index epsilon = n_mass + to_index(constraint_place_.size());
  for (std::size_t k = 0; k < assembly_.source.size(); ++k) {
    const Index source = assembly_.source[k];
    const std::uint32_t place = ldlt_.places()[k];
    if (source < n_mass) {
      mass_moves_.push_back({static_cast<std::uint32_t>(source), place});
    } else if (source < epsilon) {
      constraint_place_[source - n_mass] = place;
    } else {
      diagonal_place_.push_back(place);
    }
  }
}

SaddlePointReport SaddlePointSolver::factor(std::span<const double> mass,
                                            std::span<const double> constraints) {
  assert(mass.size() == mass_values_.size());
  std::ranges::copy(mass, mass_values_.begin());
  return factor(constraints);
}

SaddlePointReport SaddlePointSolver::factor(std::span<const double> constraints) {
  set_values(constraints);
  return judge(ldlt_.factor(options_.pivot_tolerance), constraints);
}

SaddlePointReport SaddlePointSolver::factor_and_solve(std::span<const double> mass,
                                                      std::span<const double> constraints,
                                                      const Sides& sides) {
  assert(to_index(sides.top.size()) == n_ && to_index(sides.bottom.size()) == m_);
  if (!mass.empty()) std::ranges::copy(mass, mass_values_.begin());
  set_values(constraints);
  stack(sides.top, sides.bottom);
  const SaddlePointReport report =
      judge(ldlt_.factor_and_solve(options_.pivot_tolerance, work_), constraints);
  if (report.pivoted && report.ok) {
    stack(sides.top, sides.bottom);
    solve_pivoted(work_);
  }
  unstack(sides.top, sides.bottom);
  return report;
}

void SaddlePointSolver::set_values(std::span<const double> constraints) {
  assert(constraints.size() == constraint_place_.size());
  ldlt_.clear();
  double* const values = ldlt_.values().data();
  for (const Move& move : mass_moves_) values[move.place] = mass_values_[move.source];
  for (std::size_t k = 0; k < constraints.size(); ++k)
    values[constraint_place_[k]] = constraints[k];
  for (const std::uint32_t place : diagonal_place_) values[place] = -options_.regularization;
}

SaddlePointReport SaddlePointSolver::judge(const StaticLdlt::Report& ldlt,
                                           std::span<const double> constraints) {
  const Index weakest = ldlt.weakest >= n_ ? ldlt.weakest - n_ : -1;
  const SaddlePointReport report{.pivot_ratio = ldlt.smallest_ratio, .weakest_constraint = weakest};
  pivoted_ = !ldlt.ok;
  return pivoted_ ? pivot(report, constraints) : report;
}

/// The pivoting LU solves [αM Gᵀ; G −ε/α I][a; αλ] = [αf; r]. With nearly dependent constraints and
/// α = 1 it would lose the square of G's condition in `a`; with α = σ_min(G M^−½) the matrix has
/// the condition of G itself (Å. Björck, Numerical Methods for Least Squares Problems, 2.7.3).
double SaddlePointSolver::choose_mass_scale(const SaddlePointReport& report,
                                            std::span<const double> constraints) const {
  if (report.weakest_constraint < 0) return 1.0;
  const auto largest = [](std::span<const double> values) {
    double result = 0.0;
    for (const double v : values) result = std::max(result, std::abs(v));
    return result;
  };
  const double share = std::max(std::sqrt(report.pivot_ratio), std::sqrt(round_off));
  const double scale = share * largest(constraints) / largest(mass_values_);
  return std::isfinite(scale) && scale > 0.0 ? 1.0 / reciprocal_power_of_two(scale) : 1.0;
}

SaddlePointReport SaddlePointSolver::pivot(SaddlePointReport report,
                                           std::span<const double> constraints) {
  if (fallback_ == nullptr) build_fallback();
  mass_scale_ = choose_mass_scale(report, constraints);
  const std::size_t n_mass = mass_values_.size();
  for (std::size_t k = 0; k < fallback_source_.size(); ++k) {
    const std::size_t source = to_size(fallback_source_[k]);
    if (source < n_mass) {
      fallback_values_[k] = mass_scale_ * mass_values_[source];
    } else if (source < n_mass + constraints.size()) {
      fallback_values_[k] = constraints[source - n_mass];
    } else {
      fallback_values_[k] = -options_.regularization / mass_scale_;
    }
  }
  const FactorReport lu = fallback_->factor(fallback_values_);
  report.pivoted = true;
  report.ok = lu.ok;
  if (lu.singular_column >= n_) report.singular_constraint = lu.singular_column - n_;
  if (lu.singular_column < n_) report.singular_coordinate = lu.singular_column;
  return report;
}

void SaddlePointSolver::build_fallback() {
  std::vector<Entry> entries;
  for_each_entry(assembly_.lower, [&](Index i, Index j, Index k) {
    const Index source = assembly_.source[k];
    entries.push_back({i, j, source});
    if (i != j) entries.push_back({j, i, source});
  });
  const SparsityPattern pattern = compress(n_ + m_, entries);
  fallback_source_ = sources(entries);
  fallback_values_.resize(fallback_source_.size());
  fallback_ = make_real_solver(pattern);
}

void SaddlePointSolver::solve(std::span<double> top, std::span<double> bottom) const {
  assert(to_index(top.size()) == n_ && to_index(bottom.size()) == m_);
  stack(top, bottom);
  solve(work_);
  unstack(top, bottom);
}

void SaddlePointSolver::stack(std::span<const double> top, std::span<const double> bottom) const {
  std::ranges::copy(bottom, std::ranges::copy(top, work_.begin()).out);
}

void SaddlePointSolver::unstack(std::span<double> top, std::span<double> bottom) const {
  std::copy_n(work_.begin(), n_, top.begin());
  std::copy_n(work_.begin() + n_, m_, bottom.begin());
}

void SaddlePointSolver::solve(std::span<double> stacked) const {
  assert(to_index(stacked.size()) == n_ + m_);
  if (pivoted_) {
    solve_pivoted(stacked);
  } else {
    ldlt_.solve(stacked);
  }
}

void SaddlePointSolver::solve_pivoted(std::span<double> stacked) const {
  const auto n = to_size(n_);
  for (double& f : stacked.first(n)) f *= mass_scale_;
  fallback_->solve(stacked);
  for (double& lambda : stacked.subspan(n)) lambda /= mass_scale_;
}

}  // namespace daedal::linalg
