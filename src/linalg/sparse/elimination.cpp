// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/elimination.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "linalg/sparse/rook_pivots.hpp"

namespace daedal::linalg {

namespace {

/// Pivots are chosen with a tenth and kept until a thousandth, where three digits are at stake.
constexpr double kept_threshold = 1e-3;
/// Pivots below this share of the greatest entry are no clear decision for an elimination.
constexpr double least_pivot = 1e-7;

std::int32_t narrow(Index i) {
  return static_cast<std::int32_t>(i);
}

}  // namespace

/// The entries of all rows with their fill. Columns come in the order of their pivots, those
/// without one last, so that the rest of a pivot's row stands behind it.
class SparseElimination::Layout {
 public:
  Layout(const SparsityPattern& pattern, const RookPivots& pivots)
      : pivots_(pivots),
        rows_(to_size(pattern.rows)),
        row_step_(rows_.size(), n_steps()),
        column_step_(to_size(pattern.columns), n_steps()) {
    for (Index k = 0; k < n_steps(); ++k) {
      row_step_[pivots.rows[k]] = k;
      column_step_[pivots.columns[k]] = k;
    }
    for (Index j = 0; j < pattern.columns; ++j) {
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        rows_[pattern.row[p]].push_back(j);
      }
    }
    for (auto& columns : rows_) {
      std::ranges::sort(columns, [&](Index a, Index b) { return precedes(a, b); });
    }
    add_fill();
    for (const auto& columns : rows_) start_.push_back(start_.back() + to_index(columns.size()));
  }

  [[nodiscard]] Index n_steps() const { return to_index(pivots_.rows.size()); }
  [[nodiscard]] const RookPivots& pivots() const { return pivots_; }
  [[nodiscard]] std::size_t n_rows() const { return rows_.size(); }
  [[nodiscard]] std::span<const Index> row(std::size_t i) const { return rows_[i]; }
  [[nodiscard]] bool has_pivot(Index column) const { return column_step_[column] < n_steps(); }
  [[nodiscard]] Index row_step(std::size_t i) const { return row_step_[i]; }
  [[nodiscard]] Index n_entries() const { return start_.back(); }

  [[nodiscard]] bool has(std::size_t i, Index column) const {
    const auto at = find(i, column);
    return at != rows_[i].end() && *at == column;
  }
  [[nodiscard]] Index place(std::size_t i, Index column) const {
    return start_[i] + (find(i, column) - rows_[i].begin());
  }

 private:
  [[nodiscard]] bool precedes(Index a, Index b) const {
    const Index step_a = column_step_[a];
    const Index step_b = column_step_[b];
    return step_a < step_b || (step_a == step_b && a < b);
  }
  [[nodiscard]] std::vector<Index>::const_iterator find(std::size_t i, Index column) const {
    return std::ranges::lower_bound(rows_[i], column,
                                    [&](Index a, Index b) { return precedes(a, b); });
  }
  /// A row below a pivot takes over the rest of the pivot's row.
  void add_fill() {
    std::vector<Index> merged;
    for (Index k = 0; k < n_steps(); ++k) {
      const auto source = to_size(pivots_.rows[k]);
      const Index column = pivots_.columns[k];
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (row_step_[i] <= k || !has(i, column)) continue;
        merged.clear();
        std::set_union(rows_[i].begin(), rows_[i].end(), find(source, column), rows_[source].cend(),
                       std::back_inserter(merged),
                       [&](Index a, Index b) { return precedes(a, b); });
        rows_[i] = merged;
      }
    }
  }

  const RookPivots& pivots_;
  std::vector<std::vector<Index>> rows_;
  std::vector<Index> row_step_;     ///< in which a row is the pivot's; n_steps() without one
  std::vector<Index> column_step_;  ///< the same for columns
  std::vector<Index> start_{0};
};

SparseElimination::SparseElimination(SparsityPattern pattern, double relative_tolerance)
    : pattern_(std::move(pattern)), tolerance_(relative_tolerance) {}

RankDecision SparseElimination::choose_pivots(std::span<const double> values) {
  const RookPivots pivots = choose_rook_pivots(pattern_, values, tolerance_);
  const RankDecision& decision = pivots.decision;
  is_ready_ = decision.is_clear() && decision.smallest_kept >= least_pivot * decision.largest;
  if (!is_ready_) return decision;
  largest_ = decision.largest;
  lay_out(Layout(pattern_, pivots));
  is_ready_ = factor(values);
  return decision;
}

void SparseElimination::lay_out(const Layout& layout) {
  entries_.assign(to_size(layout.n_entries()), 0.0);
  columns_.clear();
  zeros_.clear();
  free_rows_.clear();
  for (std::size_t i = 0; i < layout.n_rows(); ++i) {
    const bool is_free = layout.row_step(i) == layout.n_steps();
    if (is_free) free_rows_.push_back(to_index(i));
    for (const Index column : layout.row(i)) {
      if (is_free && !layout.has_pivot(column)) zeros_.push_back(narrow(to_index(columns_.size())));
      columns_.push_back(narrow(column));
    }
  }
  source_.clear();
  for (Index j = 0; j < pattern_.columns; ++j) {
    for (Index p = pattern_.column_start[j]; p < pattern_.column_start[j + 1]; ++p) {
      source_.push_back(narrow(layout.place(to_size(pattern_.row[p]), j)));
    }
  }
  steps_.clear();
  targets_.clear();
  places_.clear();
  n_operations_ = 0;
  for (std::size_t k = 0; k < to_size(layout.n_steps()); ++k) add_step(k, layout);
}

void SparseElimination::add_step(std::size_t number, const Layout& layout) {
  const Index row = layout.pivots().rows[number];
  const Index column = layout.pivots().columns[number];
  const auto own = layout.row(to_size(row));
  const auto rest = std::ranges::subrange(std::ranges::find(own, column) + 1, own.end());
  Step step{.row = row,
            .column = column,
            .pivot = narrow(layout.place(to_size(row), column)),
            .n_rest = narrow(std::ranges::ssize(rest)),
            .n_determined =
                narrow(std::ranges::count_if(rest, [&](Index j) { return layout.has_pivot(j); })),
            .first_target = narrow(to_index(targets_.size()))};
  for (std::size_t i = 0; i < layout.n_rows(); ++i) {
    if (layout.row_step(i) > to_index(number) && layout.has(i, column)) add_target(i, step, layout);
  }
  step.end_target = narrow(to_index(targets_.size()));
  n_operations_ += Index{step.end_target - step.first_target} * step.n_rest;
  steps_.push_back(step);
}

void SparseElimination::add_target(std::size_t row, const Step& step, const Layout& layout) {
  Target target{.row = narrow(to_index(row)), .multiplier = narrow(layout.place(row, step.column))};
  const auto place = [&](std::int32_t k) {
    return narrow(layout.place(row, columns_[step.pivot + 1 + k]));
  };
  if (step.n_rest > 0) target.first = place(0);
  // Ascending places without a gap need no list.
  if (step.n_rest > 0 && place(step.n_rest - 1) - target.first != step.n_rest - 1) {
    target.list = narrow(to_index(places_.size()));
    for (std::int32_t k = 0; k < step.n_rest; ++k) places_.push_back(place(k));
  }
  targets_.push_back(target);
}

bool SparseElimination::is_good(const Step& step) const {
  const double* const row = entries_.data() + step.pivot;
  double greatest = 0.0;
  for (std::int32_t k = 1; k <= step.n_rest; ++k) greatest = std::max(greatest, std::abs(row[k]));
  for (auto k = step.first_target; k < step.end_target; ++k) {
    const auto place = targets_[k].multiplier;
    greatest = std::max(greatest, std::abs(entries_[place]));
  }
  const double least = std::max(least_pivot * largest_, kept_threshold * greatest);
  return std::abs(*row) >= least && std::isfinite(greatest);
}

void SparseElimination::subtract(const Step& step, const Target& target) {
  double* const entries = entries_.data();
  const double* const rest = entries + step.pivot + 1;
  const double multiplier = entries[target.multiplier] * step.reciprocal;
  entries[target.multiplier] = multiplier;
  if (target.list < 0) {
    double* const to = entries + target.first;
    for (std::int32_t k = 0; k < step.n_rest; ++k) to[k] -= multiplier * rest[k];
  } else {
    const std::int32_t* const place = places_.data() + target.list;
    for (std::int32_t k = 0; k < step.n_rest; ++k) entries[place[k]] -= multiplier * rest[k];
  }
}

bool SparseElimination::factor(std::span<const double> values) {
  assert(values.size() == source_.size());
  std::ranges::fill(entries_, 0.0);
  for (std::size_t p = 0; p < values.size(); ++p) {
    entries_[source_[p]] = values[p];
  }
  for (Step& step : steps_) {
    if (!is_good(step)) return false;
    step.reciprocal = 1.0 / entries_[step.pivot];
    for (auto k = step.first_target; k < step.end_target; ++k) {
      subtract(step, targets_[k]);
    }
  }
  return std::ranges::all_of(zeros_, [&](std::int32_t place) {
    return std::abs(entries_[place]) <= tolerance_ * largest_;
  });
}

void SparseElimination::solve(std::span<double> b, std::span<double> x) const {
  assert(to_index(b.size()) == pattern_.rows && to_index(x.size()) == pattern_.columns);
  const double* const entries = entries_.data();
  for (const Step& step : steps_) {
    const double value = b[step.row];
    for (auto k = step.first_target; k < step.end_target; ++k) {
      const Target& target = targets_[k];
      b[target.row] -= entries[target.multiplier] * value;
    }
  }
  std::ranges::fill(x, 0.0);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    double value = b[step->row];
    const double* const row = entries + step->pivot;
    const std::int32_t* const columns = columns_.data() + step->pivot;
    for (std::int32_t k = 1; k <= step->n_determined; ++k) {
      value -= row[k] * x[columns[k]];
    }
    x[step->column] = value * step->reciprocal;
  }
}

void SparseElimination::left_null_space(Matrix& basis) const {
  assert(basis.cols() == to_index(free_rows_.size()) && basis.rows() == pattern_.rows);
  basis.setZero();
  for (std::size_t r = 0; r < free_rows_.size(); ++r) {
    auto y = basis.col(to_index(r));
    y(free_rows_[r]) = 1.0;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      double sum = 0.0;
      for (auto k = step->first_target; k < step->end_target; ++k) {
        const Target& target = targets_[k];
        sum += y(target.row) * entries_[target.multiplier];
      }
      y(step->row) = -sum;
    }
    // Gram-Schmidt, twice: orthogonal to round-off (Giraud et al., Numer. Math. 101 (2005)).
    for (int pass = 0; pass < 2; ++pass) {
      for (Index other = 0; other < to_index(r); ++other) {
        y -= basis.col(other).dot(y) * basis.col(other);
      }
    }
    y /= y.norm();
  }
}

}  // namespace daedal::linalg
