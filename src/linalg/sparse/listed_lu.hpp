// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// P R A Q = L U of small sparse matrices as a list of operations: pivots are chosen once, for
/// little fill (Markowitz) and among entries not far below the largest of their column, and from
/// then on nothing is searched for. With a dozen unknowns the bookkeeping of a general sparse code
/// costs several times its arithmetic, and a dense one works on zeros.
///
/// Rows are scaled by powers of two (R) in every factorisation. Pivots are chosen anew when the
/// kept ones make large multipliers; zero pivots are recognised by cancellation (cancellation.hpp).
/// Entries are real, complex, or several complex numbers (complex_lanes.hpp), one of each matrix of
/// a family with the same pivots.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "linalg/dense/cancellation.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/sparse/complex_lanes.hpp"

namespace daedal::linalg {

/// A pivot reaches this share of its column.
inline constexpr double listed_pivot_share = 0.1;
/// Up to this size the choice of pivots on all places costs little, and so does the list.
inline constexpr Index largest_listed = 64;
/// A pivot that is more than this share of the entries of U above it is not what cancellation has
/// left of them: with multipliers up to 1e4, 64 terms leave 1e-9.
inline constexpr double uncancelled_share = 2e-9;

/// The choice of pivots: an elimination on all n² places.
template <class Scalar>
struct ListedElimination {
  using Place = std::int32_t;
  std::size_t n;
  std::vector<Scalar> a;       ///< by columns; multipliers and U where rows and columns are done
  std::vector<char> is_entry;  ///< of the pattern with its fill
  std::vector<Place> left;     ///< rows of entries that are not done, ascending, by columns
  std::vector<Place> entries_in_row, entries_in_column;  ///< that are not done
  std::vector<char> is_column_done;
  std::vector<double> column_max;  ///< before the elimination
  std::vector<Place> rows, columns;

  explicit ListedElimination(Place size)
      : n(to_size(size)),
        a(n * n),
        is_entry(n * n, 0),
        left(n * n),
        entries_in_row(n, 0),
        entries_in_column(n, 0),
        is_column_done(n, 0),
        column_max(n, 0.0) {}

  void add(std::size_t i, std::size_t j, const Scalar& value) {
    a[j * n + i] = value;
    add_entry(i, j);
    column_max[j] = std::max(column_max[j], greatest(size_of(value)));
  }
  void add_entry(std::size_t i, std::size_t j) {
    is_entry[j * n + i] = 1;
    ++entries_in_row[i];
    Place* const first = left.data() + j * n;
    Place* at = first + entries_in_column[j]++;
    for (; at != first && at[-1] > static_cast<Place>(i); --at) *at = at[-1];
    *at = static_cast<Place>(i);
  }
  /// Entries of a column in rows that are not done.
  [[nodiscard]] std::span<const Place> left_in(std::size_t j) const {
    return {left.data() + j * n, to_size(entries_in_column[j])};
  }
  [[nodiscard]] double size(std::size_t i, std::size_t j) const {
    return least(size_of(a[j * n + i]));
  }
  [[nodiscard]] double largest_left(std::size_t j) const {
    double largest = 0.0;
    for (const Place i : left_in(j)) largest = std::max(largest, size(to_size(i), j));
    return largest;
  }
  [[nodiscard]] bool is_zero(std::size_t i, std::size_t j) const {
    const double pivot = size(i, j);
    if (pivot > suspicious_pivot * column_max[j]) return false;
    double terms = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      terms +=
          greatest(size_of(a[to_size(columns[k]) * n + i]) * size_of(a[j * n + to_size(rows[k])]));
    }
    return is_cancelled(pivot, terms);
  }

  struct Pivot {
    std::size_t row = 0, column = 0;
    bool is_found = false;
  };
  /// The entry with the least product of others in its row and in its column; where none is found,
  /// a column without one.
  [[nodiscard]] Pivot find() const {
    Pivot best;
    Place least_fill = std::numeric_limits<Place>::max();
    double best_share = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (is_column_done[j]) continue;
      const double largest = largest_left(j);
      bool has_pivot = false;
      for (const Place row : left_in(j)) {
        const auto i = to_size(row);
        const double own = size(i, j);
        if (own < listed_pivot_share * largest || is_zero(i, j)) continue;
        has_pivot = true;
        const Place fill = (entries_in_row[i] - 1) * (entries_in_column[j] - 1);
        if (fill > least_fill || (fill == least_fill && own <= best_share * largest)) continue;
        least_fill = fill;
        best_share = own / largest;
        best = {i, j, true};
      }
      if (!has_pivot) return {0, j, false};
    }
    return best;
  }
  void eliminate(const Pivot& pivot) {
    rows.push_back(static_cast<Place>(pivot.row));
    columns.push_back(static_cast<Place>(pivot.column));
    is_column_done[pivot.column] = 1;
    Scalar* const l = a.data() + pivot.column * n;
    const Scalar inverse = reciprocal(l[pivot.row]);
    drop(pivot.row, pivot.column);
    for (const Place i : left_in(pivot.column)) {
      l[i] = product(l[i], inverse);
      --entries_in_row[to_size(i)];
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (is_column_done[j] || !is_entry[j * n + pivot.row]) continue;
      drop(pivot.row, j);
      const Scalar u = a[j * n + pivot.row];
      for (const Place row : left_in(pivot.column)) {
        const auto i = to_size(row);
        a[j * n + i] -= product(l[i], u);
        if (!is_entry[j * n + i]) add_entry(i, j);
      }
    }
  }
  /// The row is done.
  void drop(std::size_t i, std::size_t j) {
    Place* const first = left.data() + j * n;
    Place* const end = first + entries_in_column[j]--;
    Place* const own = std::lower_bound(first, end, static_cast<Place>(i));
    std::copy(own + 1, end, own);
  }
};

/// What an elimination reads and writes, and what it notes on the way: in vectors that code for AVX
/// expects to be aligned.
template <class Scalar>
struct alignas(32) ListedOperations {
  using Place = std::int32_t;
  using Size = decltype(size_of(Scalar()));
  Place n;
  const Place *start, *pivot, *row, *target;
  Scalar *lu, *inverse;
  Size multiplier{};                        ///< the largest
  Size not_finite{};                        ///< 0 unless a number is not finite
  decltype(Size() <= Size()) suspicious{};  ///< a pivot may be zero

  [[gnu::always_inline]] void eliminate() {
    const Place* to = target;
    for (Place k = 0; k < n; ++k) {
      Size above{};
      for (Place e = start[k]; e < pivot[k]; ++e) {
        const Scalar u = lu[e];
        above = larger(above, size_of(u));
        const Place last = start[row[e] + 1];
        for (Place l = pivot[row[e]] + 1; l < last; ++l) lu[*to++] -= product(lu[l], u);
      }
      const Scalar own = reciprocal(lu[pivot[k]]);
      inverse[k] = own;
      suspicious = suspicious | (size_of(lu[pivot[k]]) <= uncancelled_share * above);
      not_finite += 0.0 * (size_of(own) + above);
      const Place last = start[k + 1];
      for (Place l = pivot[k] + 1; l < last; ++l) {
        lu[l] = product(lu[l], own);
        multiplier = larger(multiplier, size_of(lu[l]));
      }
    }
  }
  /// L U x = b in place.
  [[gnu::always_inline]] void substitute(Scalar* x) const {
    for (Place k = 0; k < n; ++k) {
      const Scalar value = x[k];
      const Place last = start[k + 1];
      for (Place l = pivot[k] + 1; l < last; ++l) x[row[l]] -= product(lu[l], value);
    }
    for (Place k = n - 1; k >= 0; --k) {
      const Scalar value = product(x[k], inverse[k]);
      x[k] = value;
      for (Place u = start[k]; u < pivot[k]; ++u) x[row[u]] -= product(lu[u], value);
    }
  }
};

template <class Scalar>
void eliminate(ListedOperations<Scalar>& list) {
  list.eliminate();
}
template <class Scalar>
void substitute(const ListedOperations<Scalar>& list, Scalar* x) {
  list.substitute(x);
}

#if defined(__x86_64__)
/// Four complex numbers fit into the registers of AVX2, which round as the others do.
inline bool has_four_lanes() {
  static const bool has = __builtin_cpu_supports("avx2") > 0;
  return has;
}
using FourLanes = ComplexLanes<4>;
[[gnu::target("avx2")]] inline void eliminate_four(ListedOperations<FourLanes>& list) {
  list.eliminate();
}
[[gnu::target("avx2")]] inline void substitute_four(const ListedOperations<FourLanes>& list,
                                                    FourLanes* x) {
  list.substitute(x);
}
inline void eliminate(ListedOperations<FourLanes>& list) {
  has_four_lanes() ? eliminate_four(list) : list.eliminate();
}
inline void substitute(const ListedOperations<FourLanes>& list, FourLanes* x) {
  has_four_lanes() ? substitute_four(list, x) : list.substitute(x);
}
#endif

template <class Scalar>
class ListedLu {
 public:
  explicit ListedLu(const SparsityPattern& pattern)
      : pattern_(pattern),
        n_(static_cast<Place>(pattern.columns)),
        column_start_(pattern.column_start.begin(), pattern.column_start.end()),
        row_(pattern.row.begin(), pattern.row.end()),
        place_(row_.size()),
        row_scale_(to_size(n_)),
        start_(to_size(n_) + 1),
        pivot_(to_size(n_)),
        inverse_(to_size(n_)),
        x_(to_size(n_)) {}

  FactorReport factor(std::span<const Scalar> values) {
    assert(values.size() == row_.size());
    const Index bad = scale_rows(values);
    if (bad >= 0) return {.ok = false, .singular_column = bad, .growth = 0.0};
    if (has_pivots_) {
      const FactorReport kept = work_off(values);
      if (kept.ok && is_growth_tolerable(kept.growth, full_growth_)) return kept;
    }
    FactorReport report = factor_by_last(values);
    if (!report.ok) {
      const Index singular = choose_pivots(values);
      if (singular >= 0) {
        has_pivots_ = false;
        return {.ok = false, .singular_column = singular, .growth = 0.0};
      }
      report = work_off(values);
    }
    has_pivots_ = true;
    full_growth_ = report.growth;
    return report;
  }

  void solve(std::span<Scalar> rhs) const {
    assert(to_index(rhs.size()) == n_);
    for (Place k = 0; k < n_; ++k) x_[k] = rhs[row_of_[k]] * row_scale_[row_of_[k]];
    solve_ordered();
    for (Place k = 0; k < n_; ++k) rhs[column_of_[k]] = x_[k];
  }

  // A solution in three parts: work() holds the scaled right side, then the solution, in the order
  // of the pivots, which lie in these rows and columns.
  [[nodiscard]] Scalar* work() const { return x_.data(); }
  [[nodiscard]] const std::int32_t* rows() const { return row_of_.data(); }
  [[nodiscard]] const std::int32_t* columns() const { return column_of_.data(); }
  [[nodiscard]] const double* row_scales() const { return row_scale_.data(); }
  void solve_ordered() const { substitute(operations(), x_.data()); }

  /// With one matrix of several whose entries are real.
  void solve_lane(std::size_t lane, std::span<double> rhs) const {
    constexpr std::size_t stride = sizeof(Scalar) / sizeof(double);
    const auto* const lu = reinterpret_cast<const double*>(lu_.data()) + lane;
    const auto* const inverse = reinterpret_cast<const double*>(inverse_.data()) + lane;
    auto* const x = reinterpret_cast<double*>(x_.data());
    for (Place k = 0; k < n_; ++k) x[k] = rhs[row_of_[k]] * row_scale_[row_of_[k]];
    for (Place k = 0; k < n_; ++k) {
      for (Place l = pivot_[k] + 1; l < start_[k + 1]; ++l) x[lu_row_[l]] -= lu[l * stride] * x[k];
    }
    for (Place k = n_ - 1; k >= 0; --k) {
      const double value = x[k] * inverse[k * stride];
      rhs[column_of_[k]] = value;
      for (Place u = start_[k]; u < pivot_[k]; ++u) x[lu_row_[u]] -= lu[u * stride] * value;
    }
  }

  /// Aᴴ x = b in place.
  void solve_adjoint(std::span<Scalar> rhs) const {
    for (Place k = 0; k < n_; ++k) {
      Scalar value = rhs[column_of_[k]];
      for (Place u = start_[k]; u < pivot_[k]; ++u) {
        value -= product(adjoint(lu_[u]), x_[lu_row_[u]]);
      }
      x_[k] = product(value, adjoint(inverse_[k]));
    }
    for (Place k = n_ - 1; k >= 0; --k) {
      for (Place l = pivot_[k] + 1; l < start_[k + 1]; ++l) {
        x_[k] -= product(adjoint(lu_[l]), x_[lu_row_[l]]);
      }
      rhs[row_of_[k]] = x_[k] * row_scale_[row_of_[k]];
    }
  }

  [[nodiscard]] double reciprocal_condition() const {
    std::vector<Scalar> work(to_size(n_));
    return estimate_reciprocal_condition<Scalar>(
        norm_1_, work, [this](std::span<Scalar> x) { solve(x); },
        [this](std::span<Scalar> x) { solve_adjoint(x); });
  }

  /// How often pivots were chosen anew, the first factorisation included.
  [[nodiscard]] Index n_full_factorizations() const { return n_full_; }

 private:
  using Place = std::int32_t;  ///< numbers of rows, columns and entries

  [[nodiscard]] ListedOperations<Scalar> operations() const {
    return {.n = n_,
            .start = start_.data(),
            .pivot = pivot_.data(),
            .row = lu_row_.data(),
            .target = target_.data(),
            .lu = const_cast<Scalar*>(lu_.data()),
            .inverse = const_cast<Scalar*>(inverse_.data())};
  }

  /// The first column with an entry that is not finite, or -1.
  [[nodiscard]] Index scale_rows(std::span<const Scalar> values) {
    norm_1_ = 0.0;
    std::ranges::fill(row_scale_, 0.0);
    const Scalar* value = values.data();
    const Place* row = row_.data();
    double* const scale = row_scale_.data();
    for (Place j = 0; j < n_; ++j) {
      double sum = 0.0;
      for (Place left = column_start_[j + 1] - column_start_[j]; left > 0; --left) {
        const double size = greatest(size_of(*value++));
        const Place i = *row++;
        sum += size;
        scale[i] = std::max(scale[i], size);
      }
      if (!std::isfinite(sum)) return j;
      norm_1_ = std::max(norm_1_, sum);
    }
    for (Place i = 0; i < n_; ++i) scale[i] = reciprocal_power_of_two(scale[i]);
    return -1;
  }

  /// The column without a pivot, or -1.
  template <class Number>
  Index choose_pivots(std::span<const Number> values) {
    ++n_full_;
    // In scales that do not depend on units: the same matrix has the same pivots in any.
    std::vector<double> sizes(values.size());
    for (std::size_t p = 0; p < sizes.size(); ++p) sizes[p] = greatest(size_of(values[p]));
    const Equilibration scales = balance(pattern_, sizes);
    ListedElimination<Number> elimination(n_);
    for (Index j = 0; j < n_; ++j) {
      for (Index p = column_start_[j]; p < column_start_[j + 1]; ++p) {
        const Index i = row_[p];
        elimination.add(to_size(i), to_size(j), values[p] * (scales.row(i) * scales.column(j)));
      }
    }
    for (Place k = 0; k < n_; ++k) {
      const auto pivot = elimination.find();
      if (!pivot.is_found) return to_index(pivot.column);
      elimination.eliminate(pivot);
    }
    list_operations(elimination);
    return -1;
  }

  /// With the pivots of the matrix in the last lane, where that is a real one: most often they suit
  /// the other lanes, and are found in a quarter of the time.
  [[nodiscard]] FactorReport factor_by_last(std::span<const Scalar> values) {
    constexpr FactorReport none{.ok = false, .growth = 0.0};
    if constexpr (requires { Scalar::n_lanes; }) {
      constexpr int last = Scalar::n_lanes - 1;
      std::vector<double> real(values.size());
      for (std::size_t p = 0; p < values.size(); ++p) {
        if (values[p].im[last] != 0.0) return none;
        real[p] = values[p].re[last];
      }
      if (choose_pivots(std::span<const double>(real)) >= 0) return none;
      const FactorReport report = work_off(values);
      const double own_growth = 1.0 / std::max(1.0, last_multiplier_);
      return report.ok && is_growth_tolerable(report.growth, own_growth) ? report : none;
    } else {
      return none;
    }
  }

  template <class Number>
  void list_operations(const ListedElimination<Number>& chosen) {
    const std::size_t n = chosen.n;
    row_of_ = chosen.rows;
    column_of_ = chosen.columns;
    lu_row_.clear();
    target_.clear();
    // Places of the entries, by given row and pivot column.
    std::vector<Place> at(n * n, -1);
    for (std::size_t k = 0; k < n; ++k) {
      start_[k] = static_cast<Place>(lu_row_.size());
      for (std::size_t m = 0; m < n; ++m) {
        if (m == k) pivot_[k] = static_cast<Place>(lu_row_.size());
        const std::size_t i = to_size(row_of_[m]);
        if (!chosen.is_entry[to_size(column_of_[k]) * n + i]) continue;
        at[k * n + i] = static_cast<Place>(lu_row_.size());
        lu_row_.push_back(static_cast<Place>(m));
      }
    }
    start_[n] = static_cast<Place>(lu_row_.size());
    lu_.resize(lu_row_.size());
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t j = to_size(column_of_[k]);
      for (auto p = to_size(column_start_[j]); p < to_size(column_start_[j + 1]); ++p) {
        place_[p] = at[k * n + to_size(row_[p])];
      }
      for (Place u = start_[k]; u < pivot_[k]; ++u) {
        const std::size_t m = to_size(lu_row_[to_size(u)]);
        for (Place l = pivot_[m] + 1; l < start_[m + 1]; ++l) {
          target_.push_back(at[k * n + to_size(row_of_[to_size(lu_row_[to_size(l)])])]);
        }
      }
    }
  }

  [[nodiscard]] bool is_zero_pivot(Place k) const {
    auto terms = size_of(Scalar());
    for (Place u = start_[k]; u < pivot_[k]; ++u) {
      const Place m = lu_row_[u];
      for (Place l = pivot_[m] + 1; l < start_[m + 1]; ++l) {
        if (lu_row_[l] == k) terms += size_of(lu_[l]) * size_of(lu_[u]);
      }
    }
    return is_cancelled(least(size_of(lu_[pivot_[k]])), greatest(terms));
  }

  FactorReport work_off(std::span<const Scalar> values) {
    std::fill(lu_.begin(), lu_.end(), Scalar());
    for (std::size_t p = 0; p < values.size(); ++p) {
      lu_[place_[p]] = values[p] * row_scale_[row_[p]];
    }
    auto list = operations();
    eliminate(list);
    const bool is_finite = !any(list.not_finite != decltype(list.not_finite){});
    for (Place k = 0; (!is_finite || any(list.suspicious)) && k < n_; ++k) {
      const double pivot = least(size_of(lu_[pivot_[k]]) + size_of(inverse_[k]));
      if (!is_zero_pivot(k) && std::isfinite(pivot)) continue;
      return {.ok = false, .singular_column = column_of_[k], .growth = 0.0};
    }
    // Whatever it is, no number has come of it.
    if (!is_finite) return {.ok = false, .singular_column = column_of_.back(), .growth = 0.0};
    if constexpr (requires { Scalar::n_lanes; })
      last_multiplier_ = list.multiplier[Scalar::n_lanes - 1];
    return {.growth = 1.0 / std::max(1.0, greatest(list.multiplier))};
  }

  SparsityPattern pattern_;
  Place n_;
  std::vector<Place> column_start_, row_;  ///< of the given matrix
  std::vector<Place> place_;               ///< of its values in lu_
  std::vector<double> row_scale_;
  double norm_1_ = 0.0;

  // In the order of the pivots, column by column: entries of U, the pivot, entries of L.
  std::vector<Scalar> lu_;
  std::vector<Place> lu_row_;
  std::vector<Place> start_, pivot_;
  std::vector<Place> target_;  ///< of each l·u in the elimination, one after the other
  std::vector<Scalar> inverse_;
  std::vector<Place> row_of_, column_of_;  ///< of pivots, in the given matrix
  double full_growth_ = 1.0;
  double last_multiplier_ = 1.0;  ///< the largest in the last lane
  Index n_full_ = 0;
  bool has_pivots_ = false;
  mutable std::vector<Scalar> x_;
};

}  // namespace daedal::linalg
