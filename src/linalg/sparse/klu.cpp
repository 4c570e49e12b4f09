// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/klu.hpp"

#include <klu.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <daedal/error.hpp>
#include <new>
#include <type_traits>
#include <utility>

#include "linalg/dense/cancellation.hpp"
#include "linalg/sparse/frontal.hpp"
#include "structure/matching.hpp"

namespace daedal::linalg {

static_assert(std::is_same_v<Index, SuiteSparse_long>, "KLU's long type must be our index");

namespace {

/// The diagonal is the pivot when it reaches this share of its column. KLU's own 0.001
/// allows multipliers up to 1000: on random matrices of size 65 it cost a digit in the residual.
/// What 0.1 costs in fill has not been measured.
constexpr double diagonal_preference = 0.1;

/// A triangular factor as KLU hands it out: real and imaginary parts apart.
struct ExtractedFactor {
  TriangleSizes sizes;
  std::vector<double> imaginary;

  void resize(Index columns, Index nonzeros) {
    sizes.column_start.resize(to_size(columns + 1));
    sizes.row.resize(to_size(nonzeros));
    sizes.size.resize(to_size(nonzeros));
    imaginary.assign(to_size(nonzeros), 0.0);
  }
  Index* start() { return sizes.column_start.data(); }
  Index* row() { return sizes.row.data(); }
  double* real() { return sizes.size.data(); }
  void take_sizes() {
    for (std::size_t k = 0; k < imaginary.size(); ++k) {
      sizes.size[k] = std::hypot(sizes.size[k], imaginary[k]);
    }
  }
};

/// The calls of KLU that differ between real and complex matrices.
template <class Scalar>
struct Calls;

template <>
struct Calls<double> {
  static constexpr auto factor = klu_l_factor;
  static constexpr auto refactor = klu_l_refactor;
  static constexpr auto solve = klu_l_solve;
  static constexpr auto growth = klu_l_rgrowth;
  static constexpr auto condition = klu_l_condest;
  static constexpr auto free_numeric = klu_l_free_numeric;
  static void extract(klu_l_numeric* numeric, klu_l_symbolic* symbolic, ExtractedFactor& l,
                      ExtractedFactor& u, klu_l_common* common) {
    klu_l_extract(numeric, symbolic, l.start(), l.row(), l.real(), u.start(), u.row(), u.real(),
                  nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, common);
  }
};

template <>
struct Calls<std::complex<double>> {
  static constexpr auto factor = klu_zl_factor;
  static constexpr auto refactor = klu_zl_refactor;
  static constexpr auto solve = klu_zl_solve;
  static constexpr auto growth = klu_zl_rgrowth;
  static constexpr auto condition = klu_zl_condest;
  static constexpr auto free_numeric = klu_zl_free_numeric;
  static void extract(klu_l_numeric* numeric, klu_l_symbolic* symbolic, ExtractedFactor& l,
                      ExtractedFactor& u, klu_l_common* common) {
    klu_zl_extract(numeric, symbolic, l.start(), l.row(), l.real(), l.imaginary.data(), u.start(),
                   u.row(), u.real(), u.imaginary.data(), nullptr, nullptr, nullptr, nullptr,
                   nullptr, nullptr, nullptr, nullptr, common);
  }
};

template <class Scalar>
double* as_doubles(std::vector<Scalar>& x) {
  return reinterpret_cast<double*>(x.data());
}

/// The column of the first entry that is not finite, or -1.
template <class Scalar>
Index non_finite_column(std::span<const Index> column_start, std::span<const Scalar> values) {
  // 0·x is NaN for an infinite x and for NaN: one branch for all entries.
  Scalar sum{};
  for (const Scalar& v : values) sum += v * 0.0;
  if (std::abs(sum) == 0.0) return -1;
  const auto bad =
      std::ranges::find_if(values, [](const Scalar& v) { return !(std::abs(v * 0.0) == 0.0); });
  const Index position = bad - values.begin();
  return std::ranges::upper_bound(column_start, position) - column_start.begin() - 1;
}

/// Matrices of this size on are factored in two orders first, unless at most this share of their
/// columns has no pivot when its turn comes in the first order. The second is taken if its factors
/// have at most so many times the entries that the first order promises, diagonal pivots provided.
constexpr Index least_choice = 200;
constexpr double share_of_delays = 0.01;
constexpr double worthwhile_fill = 2.0;

/// Throws std::bad_alloc if a call failed for lack of memory.
void check_memory(const klu_l_common& common) {
  if (common.status == KLU_OUT_OF_MEMORY || common.status == KLU_TOO_LARGE) throw std::bad_alloc();
}

/// KLU gives each column the first of its rows that is free, and where none is looks for a detour
/// through the others. That can take n² steps: it may take so many for each entry.
constexpr double most_work = 10.0;

/// The rows of every column with that of a maximum matching first, the diagonal where it can be: no
/// detours are left to look for.
std::vector<Index> led_by_matches(std::span<const Index> column_start, std::span<const Index> row) {
  const Index n = to_index(column_start.size()) - 1;
  structure::Incidence columns(n);
  structure::Matching matching = structure::empty_matching(n, n);
  for (Index j = 0; j < n; ++j) {
    const auto begin = to_size(column_start[j]);
    const auto rows = row.subspan(begin, to_size(column_start[to_size(j) + 1]) - begin);
    columns.add_row(rows);
    if (!std::ranges::binary_search(rows, j)) continue;
    matching.column_of_row[j] = matching.row_of_column[j] = j;
    ++matching.size;
  }
  structure::extend_to_maximum(columns, matching);
  std::vector<Index> led(row.begin(), row.end());
  for (Index j = 0; j < n; ++j) {
    const auto first = led.begin() + column_start[j];
    const auto last = led.begin() + column_start[to_size(j) + 1];
    const auto match = std::find(first, last, matching.column_of_row[j]);
    if (match != last) std::iter_swap(first, match);
  }
  return led;
}

}  // namespace

template <class Scalar>
struct KluSolver<Scalar>::Backend {
  mutable klu_l_common common{};
  klu_l_symbolic* symbolic = nullptr;
  klu_l_numeric* numeric = nullptr;

  Backend() {
    klu_l_defaults(&common);
    common.tol = diagonal_preference;
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  ~Backend() {
    free_numeric();
    if (symbolic != nullptr) klu_l_free_symbolic(&symbolic, &common);
  }
  bool analyse(std::vector<Index>& column_start, std::vector<Index>& row) {
    const Index n = to_index(column_start.size()) - 1;
    common.maxwork = most_work;
    symbolic = klu_l_analyze(n, column_start.data(), row.data(), &common);
    check_memory(common);
    if (symbolic == nullptr || common.work >= 0.0) return symbolic != nullptr;
    klu_l_free_symbolic(&symbolic, &common);
    common.maxwork = common.work = 0.0;
    symbolic =
        klu_l_analyze(n, column_start.data(), led_by_matches(column_start, row).data(), &common);
    check_memory(common);
    return symbolic != nullptr;
  }
  void free_numeric() {
    if (numeric != nullptr) Calls<Scalar>::free_numeric(&numeric, &common);
  }
  [[nodiscard]] double pivot(Index k) const {
    return std::abs(static_cast<const Scalar*>(numeric->Udiag)[k]);
  }
  /// The column, in the numbering of the given matrix, whose pivot is zero or not finite, or -1.
  [[nodiscard]] Index zero_pivot_column(std::span<const Index> column_start,
                                        std::span<const Index> row, std::span<const Scalar> values);

 private:
  [[nodiscard]] bool is_suspicious(Index k, std::span<const Index> column_start,
                                   std::span<const Index> row,
                                   std::span<const Scalar> values) const;

  ExtractedFactor lower_;
  ExtractedFactor upper_;
  std::vector<Index> suspects_;
  SparseCancellationCheck check_;
};

template <class Scalar>
bool KluSolver<Scalar>::Backend::is_suspicious(Index k, std::span<const Index> column_start,
                                               std::span<const Index> row,
                                               std::span<const Scalar> values) const {
  // KLU divides every row by its largest entry: pivots above the limit are innocent at once.
  if (pivot(k) > suspicious_pivot) return false;
  const std::size_t j = to_size(symbolic->Q[k]);
  double largest = 0.0;
  for (Index p = column_start[j]; p < column_start[j + 1]; ++p) {
    const double scale = numeric->Rs[numeric->Pinv[row[p]]];
    largest = std::max(largest, std::abs(values[p]) / scale);
  }
  return pivot(k) <= suspicious_pivot * largest;
}

template <class Scalar>
Index KluSolver<Scalar>::Backend::zero_pivot_column(std::span<const Index> column_start,
                                                    std::span<const Index> row,
                                                    std::span<const Scalar> values) {
  suspects_.clear();
  for (Index k = 0; k < symbolic->n; ++k) {
    if (!std::isfinite(pivot(k))) return symbolic->Q[k];
    if (is_suspicious(k, column_start, row, values)) suspects_.push_back(k);
  }
  if (suspects_.empty()) return -1;
  lower_.resize(symbolic->n, numeric->lnz);
  upper_.resize(symbolic->n, numeric->unz);
  Calls<Scalar>::extract(numeric, symbolic, lower_, upper_, &common);
  lower_.take_sizes();
  upper_.take_sizes();
  const Index k = check_.first_cancelled(lower_.sizes, upper_.sizes, suspects_);
  return k < 0 ? -1 : symbolic->Q[k];
}

template <class Scalar>
KluSolver<Scalar>::KluSolver(const SparsityPattern& pattern, bool moves_rows)
    : column_start_(pattern.column_start),
      row_(pattern.row),
      values_(pattern.row.size()),
      backend_(std::make_unique<Backend>()) {
  backend_->common.btf = moves_rows ? 1 : 0;
  if (!backend_->analyse(column_start_, row_)) {
    throw Error(ErrorCode::internal, "The sparse solver cannot analyse the pattern of a matrix.");
  }
}

template <class Scalar>
KluSolver<Scalar>::~KluSolver() = default;

template <class Scalar>
BlockOrder KluSolver<Scalar>::order() const {
  const klu_l_symbolic& s = *backend_->symbolic;
  return {.row{s.P, s.P + s.n},
          .column{s.Q, s.Q + s.n},
          .block_start{s.R, s.R + s.nblocks + 1},
          .n_entries = s.lnz + s.unz,
          .n_operations = s.est_flops};
}

template <class Scalar>
FactorReport KluSolver<Scalar>::factor(std::span<const Scalar> values) {
  assert(values.size() == values_.size());
  std::ranges::copy(values, values_.begin());
  const Index bad = non_finite_column<Scalar>(column_start_, values);
  if (bad >= 0) return {.ok = false, .singular_column = bad, .growth = 0.0};
  FactorReport report;
  if (backend_->numeric != nullptr && refactor(report)) return report;
  return factor_anew();
}

template <class Scalar>
bool KluSolver<Scalar>::refactor(FactorReport& report) {
  Backend& b = *backend_;
  if (!Calls<Scalar>::refactor(column_start_.data(), row_.data(), as_doubles(values_), b.symbolic,
                               b.numeric, &b.common) ||
      b.common.status != KLU_OK || b.zero_pivot_column(column_start_, row_, values_) >= 0) {
    return false;
  }
  Calls<Scalar>::growth(column_start_.data(), row_.data(), as_doubles(values_), b.symbolic,
                        b.numeric, &b.common);
  report.growth = b.common.rgrowth;
  return is_growth_tolerable(report.growth, full_growth_);
}

template <class Scalar>
FactorReport KluSolver<Scalar>::factor_anew() {
  if (!has_order_) choose_order();
  has_order_ = true;
  Backend& b = *backend_;
  b.free_numeric();
  b.numeric = Calls<Scalar>::factor(column_start_.data(), row_.data(), as_doubles(values_),
                                    b.symbolic, &b.common);
  ++n_full_;
  if (b.numeric == nullptr) {
    check_memory(b.common);
    // KLU has mapped the column back to the numbering of the given matrix.
    return {.ok = false, .singular_column = b.common.singular_col, .growth = 0.0};
  }
  const Index zero = b.zero_pivot_column(column_start_, row_, values_);
  if (zero >= 0) return {.ok = false, .singular_column = zero, .growth = 0.0};
  Calls<Scalar>::growth(column_start_.data(), row_.data(), as_doubles(values_), b.symbolic,
                        b.numeric, &b.common);
  full_growth_ = b.common.rgrowth;
  return {.ok = true, .singular_column = -1, .growth = full_growth_};
}

// The order of A + Aᵀ (AMD) counts on pivots from the diagonal. Where there are none, as in the
// saddle points of long chains, its factors can fill up; the order of AᵀA (COLAMD) bounds what any
// pivots do, but on grids fills twice as much as need be. Fronts tell cheaply which it is.
template <class Scalar>
void KluSolver<Scalar>::choose_order() {
  const Index n = to_index(column_start_.size()) - 1;
  // Blocks are ordered each for itself.
  if (backend_->symbolic->maxblock < least_choice) return;
  {
    FrontalSolver<Scalar> trial({n, n, column_start_, row_}, order());
    if (trial.factor(values_).ok &&
        static_cast<double>(trial.n_delays()) <= share_of_delays * static_cast<double>(n)) {
      return;
    }
  }
  auto other = std::make_unique<Backend>();
  other->common.ordering = 1;  // COLAMD
  if (!other->analyse(column_start_, row_)) return;
  other->numeric = Calls<Scalar>::factor(column_start_.data(), row_.data(), as_doubles(values_),
                                         other->symbolic, &other->common);
  check_memory(other->common);
  if (other->numeric == nullptr) return;
  const auto fill = static_cast<double>(other->numeric->lnz + other->numeric->unz);
  const double hoped_for = backend_->symbolic->lnz + backend_->symbolic->unz;
  if (fill <= worthwhile_fill * hoped_for) backend_ = std::move(other);
}

template <class Scalar>
void KluSolver<Scalar>::solve(std::span<Scalar> rhs) const {
  const Index n = backend_->symbolic->n;
  assert(to_index(rhs.size()) == n && backend_->numeric != nullptr);
  Calls<Scalar>::solve(backend_->symbolic, backend_->numeric, n, 1,
                       reinterpret_cast<double*>(rhs.data()), &backend_->common);
}

template <class Scalar>
double KluSolver<Scalar>::reciprocal_condition() const {
  const Backend& b = *backend_;
  if (b.numeric == nullptr) return 0.0;
  auto* values = const_cast<double*>(reinterpret_cast<const double*>(values_.data()));
  if (!Calls<Scalar>::condition(const_cast<Index*>(column_start_.data()), values, b.symbolic,
                                b.numeric, &b.common)) {
    return 0.0;
  }
  const double condition = b.common.condest;
  return std::isfinite(condition) && condition > 0.0 ? 1.0 / condition : 0.0;
}

template class KluSolver<double>;
template class KluSolver<std::complex<double>>;

}  // namespace daedal::linalg
