// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/saddle_point.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>

#include "linalg/elimination_order.hpp"
#include "linalg/scaling.hpp"
#include "linalg/sparsity.hpp"

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
    ++pattern.column_start[to_size(e.column + 1)];
    pattern.row.push_back(e.row);
  }
  for (std::size_t j = 0; j < to_size(n); ++j) {
    pattern.column_start[j + 1] += pattern.column_start[j];
  }
  return pattern;
}

std::vector<std::uint32_t> sources(const std::vector<Entry>& entries) {
  std::vector<std::uint32_t> result;
  for (const Entry& e : entries) result.push_back(static_cast<std::uint32_t>(e.source));
  return result;
}

template <class Visit>
void for_each_entry(const SparsityPattern& pattern, Visit visit) {
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index k = pattern.column_start[to_size(j)]; k < pattern.column_start[to_size(j + 1)];
         ++k) {
      visit(pattern.row[to_size(k)], j, k);
    }
  }
}

bool has_entry(const SparsityPattern& pattern, Index row, Index column) {
  const auto first = pattern.row.begin() + pattern.column_start[to_size(column)];
  const auto last = pattern.row.begin() + pattern.column_start[to_size(column + 1)];
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
      n_mass_values_(mass.nonzeros()),
      assembly_(assemble(mass, constraints)),
      ldlt_(analyse(assembly_, n_)),
      inputs_(to_size(mass.nonzeros() + constraints.nonzeros() + 1)),
      work_(to_size(n_ + m_)) {}

SaddlePointReport SaddlePointSolver::factor(std::span<const double> mass,
                                            std::span<const double> constraints) {
  assert(to_index(mass.size()) == n_mass_values_);
  std::ranges::copy(mass, inputs_.begin());
  return factor(constraints);
}

SaddlePointReport SaddlePointSolver::factor(std::span<const double> constraints) {
  assert(n_mass_values_ + to_index(constraints.size()) + 1 == to_index(inputs_.size()));
  std::ranges::copy(constraints, inputs_.begin() + n_mass_values_);
  inputs_.back() = -options_.regularization;
  return factor_inputs();
}

SaddlePointReport SaddlePointSolver::factor_inputs() {
  ldlt_.clear();
  const std::span<double> values = ldlt_.values();
  const std::span<const std::uint32_t> place = ldlt_.places();
  for (std::size_t k = 0; k < place.size(); ++k) values[place[k]] = inputs_[assembly_.source[k]];
  const StaticLdlt::Report ldlt = ldlt_.factor(options_.pivot_tolerance);
  const Index weakest = ldlt.weakest >= n_ ? ldlt.weakest - n_ : -1;
  SaddlePointReport report{.pivot_ratio = ldlt.smallest_ratio, .weakest_constraint = weakest};
  pivoted_ = !ldlt.ok;
  return pivoted_ ? pivot(report) : report;
}

/// The pivoting LU solves [αM Gᵀ; G −ε/α I][a; αλ] = [αf; r]. With nearly dependent constraints and
/// α = 1 it would lose the square of G's condition in `a`; with α = σ_min(G M^−½) the matrix has
/// the condition of G itself (Å. Björck, Numerical Methods for Least Squares Problems, 2.7.3).
double SaddlePointSolver::choose_mass_scale(const SaddlePointReport& report) const {
  if (report.weakest_constraint < 0) return 1.0;
  double mass = 0.0;
  double constraint = 0.0;
  for (Index k = 0; k + 1 < to_index(inputs_.size()); ++k) {
    double& largest = k < n_mass_values_ ? mass : constraint;
    largest = std::max(largest, std::abs(inputs_[to_size(k)]));
  }
  const double share = std::max(std::sqrt(report.pivot_ratio), std::sqrt(round_off));
  const double scale = share * constraint / mass;
  return std::isfinite(scale) && scale > 0.0 ? 1.0 / reciprocal_power_of_two(scale) : 1.0;
}

SaddlePointReport SaddlePointSolver::pivot(SaddlePointReport report) {
  if (fallback_ == nullptr) build_fallback();
  mass_scale_ = choose_mass_scale(report);
  for (std::size_t k = 0; k < fallback_source_.size(); ++k) {
    const std::size_t source = fallback_source_[k];
    fallback_values_[k] = inputs_[source];
    if (to_index(source) < n_mass_values_) fallback_values_[k] *= mass_scale_;
    if (source + 1 == inputs_.size()) fallback_values_[k] /= mass_scale_;
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
    const Index source = assembly_.source[to_size(k)];
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
  std::ranges::copy(bottom, std::ranges::copy(top, work_.begin()).out);
  solve(work_);
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
