// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/taylor/expansion.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/sparse/sparsity.hpp"

namespace daedal::formulation {

namespace {

using kernel::StagedSeries;

/// Corrections below this share of what they correct are round-off.
constexpr double negligible = 4.0 * round_off;
/// A correction that no longer shrinks counts as round-off up to here.
constexpr double tolerable = 1e-10;
constexpr int most_iterations = 25;
// The loops below do not use linalg::NewtonWatch: the second derivatives predict what a correction
// leaves, before a rate is known.
/// A correction of this size after ones of that size is followed by one of their product times what
/// the second derivatives of the equations make of it.
constexpr double second_derivatives = 1e3;
/// Relative error of the solution of linear equations, which have no second derivatives.
constexpr double solution_error = 1e-9;
/// The Jacobian is evaluated again where a step of Newton's method was longer than this.
constexpr double long_step = 1e-7;

/// The factor from a coefficient to the derivative: k!/h^k.
double derivative_factor(int k, double scale) {
  return rising_factorial(0, k) / integer_power(scale, k);
}

StagedSeries make_series(const TaylorBlock& block, int max_order) {
  const auto lead_of = [&](int which, Index offset) {
    if (which == block_time) return StagedSeries::known;
    if (which != block_values) return StagedSeries::held;
    const TaylorLeaf& leaf = block.leaves[to_size(offset)];
    return leaf.own < 0 ? StagedSeries::known : block.d[to_size(leaf.own)] - leaf.order;
  };
  StagedSeries series(block.residuals, lead_of, block.c, max_order + block.extra_stages);
  series.leave_outputs();
  return series;
}

/// One factorisation serves the solutions for all coefficients, and a dense one works on zeros: as
/// long as less than half of a matrix is filled, the list of its operations is the shorter.
linalg::Storage storage_of(const SparsityPattern& pattern) {
  constexpr Index largest = 16;
  const bool is_filled = 2 * pattern.nonzeros() > pattern.rows * pattern.columns;
  return is_filled || pattern.rows > largest ? linalg::Storage::automatic : linalg::Storage::listed;
}

}  // namespace

BlockExpansion::BlockExpansion(const TaylorBlock& block, int max_order)
    : block_(block),
      series_(make_series(block, max_order)),
      equations_(block.residuals),
      jacobian_(block.jacobian),
      matrix_(to_size(block.pattern.nonzeros())),
      scaled_(matrix_.size()),
      residual_(block.rows.size()),
      change_(block.rows.size()),
      weights_(block.rows.size()),
      highest_(block.rows.size()),
      leading_(to_size(std::max(*std::ranges::max_element(block.d), block.max_c)) + 1),
      leaf_values_(block.leaves.size()) {
  equilibration_.row = equilibration_.column = Vector::Ones(to_index(block.rows.size()));
  for (const StagedSeries::Leaf& leaf : series_.leaves()) {
    if (leaf.block == block_time) {
      times_.push_back(leaf.slot);
    } else if (leaf.block != block_values) {
      held_.push_back(leaf);
    } else {
      const Index number = block.leaves[to_size(leaf.offset)].own;
      (number >= 0 ? own_ : known_)
          .push_back({.slot = leaf.slot,
                      .leaf = leaf.offset,
                      .number = number,
                      .lead = leaf.lead,
                      .place = series_.series(leaf.slot) - series_.series(0) + leaf.lead});
    }
  }
  for (std::size_t i = 0; i < block.rows.size(); ++i)
    row_places_.push_back(series_.output(i) - series_.series(0) + block.c[i]);
  if (!block.is_diagonal)
    solver_ = linalg::make_real_solver(block.pattern, storage_of(block.pattern));
  make_constraints();
}

void BlockExpansion::make_constraints() {
  const SparsityPattern& pattern = block_.pattern;
  for (int s = -1; s >= -block_.max_c; --s) {
    Constraints& stage = constraints_.emplace_back();
    stage.number_of.assign(block_.rows.size(), -1);
    for (std::size_t i = 0; i < block_.rows.size(); ++i) {
      if (block_.c[i] + s < 0) continue;
      stage.number_of[i] = to_index(stage.rows.size());
      stage.rows.push_back(to_index(i));
    }
    // Two rows meet in the normal equations where they share an unknown.
    const std::size_t n = stage.rows.size();
    std::vector<std::vector<Index>> columns(n);
    stage.entries_of_column.resize(block_.unknowns.size());
    for (std::size_t j = 0; j < block_.unknowns.size(); ++j) {
      if (block_.d[j] + s < 0) continue;
      auto& entries = stage.entries_of_column[j];
      for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        if (stage.number_of[to_size(pattern.row[to_size(k)])] >= 0) entries.push_back(k);
      }
      for (const Index k : entries) {
        auto& column = columns[to_size(stage.number_of[to_size(pattern.row[to_size(k)])])];
        for (const Index l : entries)
          column.push_back(stage.number_of[to_size(pattern.row[to_size(l)])]);
      }
    }
    stage.normal.rows = stage.normal.columns = to_index(n);
    stage.normal.column_start.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::sort(columns[i]);
      const auto rest = std::ranges::unique(columns[i]);
      columns[i].erase(rest.begin(), rest.end());
      stage.normal.row.insert(stage.normal.row.end(), columns[i].begin(), columns[i].end());
      stage.normal.column_start[i + 1] = to_index(stage.normal.row.size());
    }
    stage.values.resize(stage.normal.row.size());
    stage.rhs.resize(n);
    if (n > 1) stage.solver = linalg::make_real_solver(stage.normal);
  }
}

void BlockExpansion::enter(const SeriesState& state, ModelRun& run, int stages) {
  const auto blocks = run.blocks(state.t, {}, {});
  for (const StagedSeries::Leaf& leaf : held_)
    series_.series(leaf.slot)[0] = blocks[to_size(leaf.block)][leaf.offset];
  for (const Index slot : times_) {
    series_.series(slot)[0] = state.t;
    if (stages + block_.max_c > 0) series_.series(slot)[1] = state.scale;
  }
  for (const Leaf& known : known_) {
    const TaylorLeaf& leaf = block_.leaves[to_size(known.leaf)];
    double* const to = series_.series(known.slot);
    derivative_coefficients(state.x[to_size(leaf.unknown)].data(), leaf.order, state.scale, 0,
                            stages + known.lead, [to](int q, double value) { to[q] = value; });
  }
}

/// The coefficients that stage s is about, and at the first stage those before them.
void BlockExpansion::set_leading(const SeriesState& state, int s) {
  for (const Leaf& own : own_) {
    const TaylorLeaf& leaf = block_.leaves[to_size(own.leaf)];
    const int top = s + own.lead;
    double* const to = series_.series(own.slot);
    derivative_coefficients(state.x[to_size(leaf.unknown)].data(), leaf.order, state.scale,
                            s > -block_.max_c ? std::max(top, 0) : 0, top,
                            [to](int q, double value) { to[q] = value; });
  }
}

void BlockExpansion::residuals(const SeriesState& state, std::span<double> values) {
  for (int s = -block_.max_c; s <= 0; ++s) {
    set_leading(state, s);
    series_.stage(s);
  }
  std::size_t k = 0;
  for (std::size_t i = 0; i < block_.rows.size(); ++i) {
    for (int level = 0; level <= block_.c[i]; ++level)
      values[k++] = series_.output(i)[level] * derivative_factor(level, state.scale);
  }
}

std::span<const double> BlockExpansion::leaf_values(const SeriesState& state) {
  for (std::size_t k = 0; k < leaf_values_.size(); ++k) {
    const TaylorLeaf& leaf = block_.leaves[k];
    leaf_values_[k] = state.x[to_size(leaf.unknown)][to_size(leaf.order)] *
                      derivative_factor(leaf.order, state.scale);
  }
  return leaf_values_;
}

bool BlockExpansion::evaluate_jacobian(const SeriesState& state, ModelRun& run) {
  const auto values = jacobian_(run.blocks(state.t, leaf_values(state), {}));
  std::ranges::copy(values, matrix_.begin());
  return is_finite(matrix_);
}

bool BlockExpansion::factor() {
  if (!solver_) return std::ranges::none_of(matrix_, [](double a) { return a == 0.0; });
  scaled_ = matrix_;
  if (units_.size() > 0) {
    equilibration_.row.setOnes();
    equilibration_.column = units_;
    linalg::apply(equilibration_, block_.pattern, scaled_);
  }
  linalg::equilibrate(block_.pattern, scaled_, equilibration_);
  linalg::apply(equilibration_, block_.pattern, scaled_);
  if (units_.size() > 0) equilibration_.column.array() *= units_.array();
  return solver_->factor(scaled_).ok;
}

void BlockExpansion::solve(std::span<double> rhs) const {
  if (!solver_) {
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] /= matrix_[i];
    return;
  }
  for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] *= equilibration_.row[to_index(i)];
  solver_->solve(rhs);
  for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] *= equilibration_.column[to_index(i)];
}

double BlockExpansion::reciprocal_condition() const {
  return solver_ ? solver_->reciprocal_condition() : 1.0;
}

bool BlockExpansion::least_change(Constraints& stage, int s, std::span<const double> weights,
                                  std::span<double> change) const {
  const SparsityPattern& pattern = block_.pattern;
  // A W² Aᵀ y = −r, change = W² Aᵀ y.
  std::ranges::fill(stage.values, 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double w = weights[j] * weights[j];
    for (const Index k : stage.entries_of_column[j]) {
      const Index row = stage.number_of[to_size(pattern.row[to_size(k)])];
      const auto from = stage.normal.row.begin() + stage.normal.column_start[to_size(row)];
      const auto to = stage.normal.row.begin() + stage.normal.column_start[to_size(row) + 1];
      for (const Index l : stage.entries_of_column[j]) {
        const Index other = stage.number_of[to_size(pattern.row[to_size(l)])];
        const auto at = std::lower_bound(from, to, other) - stage.normal.row.begin();
        stage.values[to_size(at)] += matrix_[to_size(k)] * w * matrix_[to_size(l)];
      }
    }
  }
  for (std::size_t n = 0; n < stage.rows.size(); ++n) {
    const auto i = to_size(stage.rows[n]);
    stage.rhs[n] = -residual_[i];
  }
  if (stage.solver) {
    if (!stage.solver->factor(stage.values).ok) return false;
    stage.solver->solve(stage.rhs);
  } else {
    if (stage.values.empty() || !(stage.values[0] > 0.0)) return false;
    stage.rhs[0] /= stage.values[0];
  }
  for (std::size_t j = 0; j < weights.size(); ++j) {
    double sum = 0.0;
    for (const Index k : stage.entries_of_column[j]) {
      const Index row = stage.number_of[to_size(pattern.row[to_size(k)])];
      sum += matrix_[to_size(k)] * stage.rhs[to_size(row)];
    }
    change[j] = block_.d[j] + s < 0 ? 0.0 : weights[j] * weights[j] * sum;
  }
  return is_finite(change);
}

BlockOutcome BlockExpansion::settle_stage(SeriesState& state, int s) {
  Constraints& stage = constraints_[to_size(-1 - s)];
  double before = infinity;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    set_leading(state, s);
    series_.stage(s);
    for (const Index i : stage.rows) {
      const int level = s + block_.c[to_size(i)];
      residual_[to_size(i)] =
          series_.output(to_size(i))[level] * derivative_factor(level, state.scale);
      if (!std::isfinite(residual_[to_size(i)])) return BlockOutcome::not_finite;
    }
    if (!least_change(stage, s, weights_, change_)) return BlockOutcome::singular;
    double size = 0.0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      const int k = block_.d[j] + s;
      if (k < 0) continue;
      state.x[to_size(block_.unknowns[j])][to_size(k)] +=
          change_[j] / derivative_factor(k, state.scale);
      size = std::max(size, std::abs(change_[j]) / weights_[j]);
    }
    moved_ = std::max(moved_, size);
    const bool is_still = second_derivatives * moved_ * size <= negligible ||
                          (size <= tolerable && size >= 0.5 * before);
    before = size;
    if (!is_still) continue;
    set_leading(state, s);
    series_.stage(s);
    return BlockOutcome::ok;
  }
  return BlockOutcome::diverged;
}

BlockOutcome BlockExpansion::settle_highest(SeriesState& state, ModelRun& run) {
  if (!evaluate_jacobian(state, run)) return BlockOutcome::not_finite;
  if (!factor()) return BlockOutcome::singular;
  double before = infinity;
  moved_ = 0.0;  // since the Jacobian was evaluated
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    set_leading(state, 0);
    series_.stage(0);
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      change_[i] = -series_.output(i)[block_.c[i]] * derivative_factor(block_.c[i], state.scale);
      if (!std::isfinite(change_[i])) return BlockOutcome::not_finite;
    }
    solve(change_);
    double size = 0.0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      double& x = state.x[to_size(block_.unknowns[j])][to_size(block_.d[j])];
      const double factor = derivative_factor(block_.d[j], state.scale);
      x += change_[j] / factor;
      size = std::max(size, std::abs(change_[j]) / std::max(weights_[j], std::abs(x * factor)));
    }
    if (!std::isfinite(size)) return BlockOutcome::singular;
    moved_ = std::max(moved_, size);
    const double next =
        size * (block_.is_quasilinear ? solution_error : second_derivatives * moved_);
    const bool is_still = next <= negligible || (size <= tolerable && size >= 0.5 * before);
    before = size;
    if (is_still) {
      set_leading(state, 0);
      series_.stage(0);
      const bool is_current = block_.is_quasilinear || second_derivatives * moved_ <= negligible;
      if (is_current) return BlockOutcome::ok;
      if (!evaluate_jacobian(state, run)) return BlockOutcome::not_finite;
      return factor() ? BlockOutcome::ok : BlockOutcome::singular;
    }
    if (size <= long_step || block_.is_quasilinear) continue;
    if (!evaluate_jacobian(state, run)) return BlockOutcome::not_finite;
    if (!factor()) return BlockOutcome::singular;
    moved_ = size;
  }
  return BlockOutcome::diverged;
}

BlockOutcome BlockExpansion::settle(SeriesState& state, ModelRun& run,
                                    std::span<const double> sizes, double unit) {
  moved_ = 0.0;
  if (block_.max_c > 0 && !evaluate_jacobian(state, run)) return BlockOutcome::not_finite;
  const auto weigh = [&](int s) {
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const int k = block_.d[j] + s;
      weights_[j] = k < 0 ? 0.0 : sizes[j] * std::abs(derivative_factor(k, unit));
    }
  };
  for (int s = -block_.max_c; s < 0; ++s) {
    weigh(s);
    const BlockOutcome outcome = settle_stage(state, s);
    if (outcome != BlockOutcome::ok) return outcome;
  }
  weigh(0);
  return settle_highest(state, run);
}

BlockOutcome BlockExpansion::advance(SeriesState& state, int first, int last) {
  // The leading coefficient of x^(d − l) is η·h^l s!/(s + l)!.
  double* const data = series_.series(0);
  const std::size_t n = change_.size();
  for (std::size_t j = 0; j < n; ++j)
    highest_[j] = state.x[to_size(block_.unknowns[j])].data() + block_.d[j];
  leading_[0] = 1.0;
  for (int s = first; s <= last; ++s) {
    for (std::size_t l = 1; l < leading_.size(); ++l)
      leading_[l] = leading_[l - 1] * state.scale / (s + static_cast<double>(l));
    for (const Leaf& own : own_) data[own.place + s] = 0.0;
    series_.stage(s);
    for (std::size_t i = 0; i < n; ++i)
      change_[i] = -data[row_places_[i] + s] / leading_[to_size(block_.c[i])];
    solve(change_);
    if (!is_finite(change_)) return BlockOutcome::not_finite;
    for (std::size_t j = 0; j < n; ++j)
      highest_[j][s] = change_[j] * leading_[to_size(block_.d[j])];
    for (const Leaf& own : own_)
      data[own.place + s] = change_[to_size(own.number)] * leading_[to_size(own.lead)];
    series_.correct(s);
  }
  return BlockOutcome::ok;
}

double BlockExpansion::log_growth(const SeriesState& state, int last) const {
  double greatest = -infinity;
  for (std::size_t j = 0; j < block_.unknowns.size(); ++j) {
    const auto& x = state.x[to_size(block_.unknowns[j])];
    double size = 0.0;
    for (int k = 0; k <= block_.d[j]; ++k) size = std::max(size, std::abs(x[to_size(k)]));
    if (!(size > 0.0)) continue;
    for (const int k : {last + block_.d[j] - 1, last + block_.d[j]})
      greatest = std::max(greatest, (std::log2(std::abs(x[to_size(k)])) - std::log2(size)) / k);
  }
  return greatest;
}

}  // namespace daedal::formulation
