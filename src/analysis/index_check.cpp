// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/index_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "linalg/dense/rank.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/scaling.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::analysis {

namespace {

/// Parts of a vector below this share of its greatest do not count: rounding errors of null vectors
/// are far smaller, equations that matter far greater.
constexpr double support_fraction = 1e-3;

/// A scaled copy of a pencil A + cE, for rank decisions.
///
/// A and E with rows and columns scaled together, so that the *leading matrix* (rows of E where
/// they are not zero, rows of A elsewhere) has greatest entries near 1 in every row and column.
class ScaledPencil {
 public:
  enum class Units {
    largest,   ///< rows, then columns by their largest entries
    balanced,  ///< all entries as near to 1 as they can be first
  };
  explicit ScaledPencil(const Pencil& pencil, Units units = Units::largest);

  [[nodiscard]] Index size() const { return pattern_.rows; }
  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }
  /// On the pattern.
  [[nodiscard]] const std::vector<double>& leading() const { return leading_; }
  /// A + cE on the pattern.
  [[nodiscard]] std::vector<double> combined(double c) const;
  [[nodiscard]] Matrix dense_a() const { return linalg::to_dense(pattern_, a_); }
  [[nodiscard]] Matrix dense_e() const { return linalg::to_dense(pattern_, e_); }
  /// The greatest entry of A: a bound of the rates that c has to leave behind.
  [[nodiscard]] double greatest_a() const;

  [[nodiscard]] const SparsityPattern& transposed_pattern() const { return transposed_.pattern; }
  /// Values on the pattern in the order of the transposed one.
  [[nodiscard]] std::vector<double> transpose(std::span<const double> values) const;

 private:
  void scale();

  SparsityPattern pattern_;
  linalg::TransposedPattern transposed_;
  std::vector<double> a_;
  std::vector<double> e_;
  std::vector<double> leading_;
};

ScaledPencil::ScaledPencil(const Pencil& pencil, Units units)
    : pattern_(pencil.pattern),
      transposed_(linalg::transpose(pencil.pattern)),
      a_(pencil.f_x.begin(), pencil.f_x.end()),
      e_(pencil.f_xp.begin(), pencil.f_xp.end()),
      leading_(a_.size()) {
  std::vector<bool> dynamic(to_size(pattern_.rows), false);
  for (std::size_t p = 0; p < e_.size(); ++p)
    if (e_[p] != 0.0) dynamic[pattern_.row[p]] = true;
  for (std::size_t p = 0; p < e_.size(); ++p)
    leading_[p] = dynamic[pattern_.row[p]] ? e_[p] : a_[p];
  if (units == Units::balanced) {
    const auto scales = linalg::balance(pattern_, leading_);
    for (auto* values : {&a_, &e_, &leading_}) linalg::apply(scales, pattern_, *values);
  }
  scale();
}

void ScaledPencil::scale() {
  auto scales = linalg::equilibrate(pattern_, leading_);
  // Columns that the leading matrix lacks are scaled by A.
  for (Index j = 0; j < pattern_.columns; ++j) {
    double in_leading = 0.0;
    double in_a = 0.0;
    for (Index p = pattern_.column_start[j]; p < pattern_.column_start[to_size(j) + 1]; ++p) {
      const double row = scales.row[pattern_.row[p]];
      in_leading = std::max(in_leading, std::abs(leading_[p]));
      in_a = std::max(in_a, std::abs(a_[p]) * row);
    }
    if (in_leading == 0.0) scales.column[j] = linalg::reciprocal_power_of_two(in_a);
  }
  for (auto* values : {&a_, &e_, &leading_}) linalg::apply(scales, pattern_, *values);
}

std::vector<double> ScaledPencil::transpose(std::span<const double> values) const {
  std::vector<double> result(values.size());
  for (std::size_t q = 0; q < result.size(); ++q) result[q] = values[transposed_.source[q]];
  return result;
}

std::vector<double> ScaledPencil::combined(double c) const {
  std::vector<double> values(a_.size());
  for (std::size_t p = 0; p < values.size(); ++p) values[p] = a_[p] + c * e_[p];
  return values;
}

double ScaledPencil::greatest_a() const {
  double greatest = 0.0;
  for (const double entry : a_) greatest = std::max(greatest, std::abs(entry));
  return greatest;
}

/// Numbers of the parts of a vector above a small fraction of its greatest part.
std::vector<Index> significant(std::span<const double> v) {
  double greatest = 0.0;
  for (const double part : v) greatest = std::max(greatest, std::abs(part));
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (std::abs(v[i]) > support_fraction * greatest) numbers.push_back(to_index(i));
  return numbers;
}

using Outcome = IndexCheck::Outcome;

/// The leading matrix counts as regular without further questions above this.
constexpr double clearly_regular = 1e-8;
/// Singular values of larger systems cost seconds.
constexpr Index singular_value_limit = 120;
/// A regular pencil is singular at no more than n values of c: these are unlikely ones.
constexpr std::array probes{0.7310, -1.9173, 5.1377, -0.2113, 41.73, -0.01379};
/// c grows by this factor; so does the solution at index 2, and by its square at index 3, while at
/// index 1 it stays. The threshold lies in the middle.
constexpr double growth_span = 100.0;
constexpr double growth_threshold = 10.0;
/// Nothing dropped is a clear decision only this far above the tolerance.
constexpr double clear_distance = 100.0;

bool leading_matrix_is_regular(const ScaledPencil& pencil) {
  const auto solver = linalg::make_real_solver(pencil.pattern());
  return solver->factor(pencil.leading()).ok && solver->reciprocal_condition() > clearly_regular;
}

/// The rows of all columns together that are not negligible.
std::vector<Index> support_of_span(const Matrix& basis) {
  const Vector lengths = basis.rowwise().norm();
  return significant({lengths.data(), static_cast<std::size_t>(lengths.size())});
}

linalg::RankDecision rank_of(const linalg::Svd& decomposition) {
  if (decomposition.s.size() == 0 || decomposition.s[0] == 0.0) return {};
  return linalg::decide_rank(decomposition.s);
}

bool is_clear(const linalg::RankDecision& decision) {
  if (decision.rank == 0) return true;
  if (decision.largest_dropped > 0.0) return decision.is_clear();
  return decision.smallest_kept > clear_distance * linalg::rank_tolerance * decision.largest;
}

/// Zᵀ A T without the entries that are rounding errors of their own sums.
Matrix reduced_matrix(const Matrix& z, const Matrix& a, const Matrix& t) {
  Matrix reduced = z.transpose() * a * t;
  const Matrix terms = z.cwiseAbs().transpose() * a.cwiseAbs() * t.cwiseAbs();
  for (Index j = 0; j < reduced.cols(); ++j)
    for (Index i = 0; i < reduced.rows(); ++i)
      if (std::abs(reduced(i, j)) <= linalg::rank_tolerance * terms(i, j)) reduced(i, j) = 0.0;
  return reduced;
}

/// Solves with A + cE or its transpose for one generic right-hand side.
class PencilProbe {
 public:
  PencilProbe(const ScaledPencil& pencil, bool transposed)
      : pencil_(pencil),
        transposed_(transposed),
        solver_(linalg::make_real_solver(transposed ? pencil.transposed_pattern()
                                                    : pencil.pattern())) {}

  /// The column without a pivot, or -1.
  Index factor(double c) {
    const auto values = pencil_.combined(c);
    const auto report = solver_->factor(transposed_ ? pencil_.transpose(values) : values);
    return report.ok ? -1 : std::max<Index>(report.singular_column, 0);
  }

  [[nodiscard]] std::vector<double> solution() const {
    std::minstd_rand random(20011);
    std::vector<double> x(to_size(pencil_.size()));
    for (double& part : x) part = 0.5 + static_cast<double>(random()) / std::minstd_rand::max();
    solver_->solve(x);
    return x;
  }

 private:
  const ScaledPencil& pencil_;
  bool transposed_;
  std::unique_ptr<linalg::RealSolver> solver_;
};

bool is_singular_for_every_c(const ScaledPencil& pencil) {
  PencilProbe probe(pencil, false);
  return std::all_of(probes.begin(), probes.end(), [&](double c) { return probe.factor(c) >= 0; });
}

/// Names by the null vectors of A + cE at a generic c.
IndexCheck dense_singular_pencil(const Matrix& a, const Matrix& e) {
  Matrix m = a + probes.front() * e;
  const auto scales = linalg::equilibrate(m);
  linalg::apply(scales, m);
  const auto decomposition = linalg::svd(m);
  const Index lack = std::max<Index>(1, m.rows() - rank_of(decomposition).rank);
  return {
      .outcome = Outcome::singular_pencil,
      .equations = support_of_span(scales.row.asDiagonal() * decomposition.u.rightCols(lack)),
      .unknowns = support_of_span(scales.column.asDiagonal() * decomposition.v.rightCols(lack))};
}

IndexCheck decide_by_singular_values(const ScaledPencil& pencil) {
  const Matrix a = pencil.dense_a();
  const auto e_svd = linalg::svd(pencil.dense_e());
  const auto e_rank = rank_of(e_svd);
  const Index n_null = pencil.size() - e_rank.rank;
  if (n_null == 0) return {.is_clear = is_clear(e_rank)};

  const Matrix z = e_svd.u.rightCols(n_null);
  const Matrix t = e_svd.v.rightCols(n_null);
  Matrix reduced = reduced_matrix(z, a, t);
  const auto scales = linalg::equilibrate(reduced);
  linalg::apply(scales, reduced);
  const auto reduced_svd = linalg::svd(reduced);
  const auto reduced_rank = rank_of(reduced_svd);
  const Index lack = n_null - reduced_rank.rank;
  IndexCheck check{.is_clear = is_clear(e_rank) && is_clear(reduced_rank)};
  if (lack == 0) return check;
  if (is_singular_for_every_c(pencil)) return dense_singular_pencil(a, pencil.dense_e());
  check.outcome = Outcome::higher;
  check.equations = support_of_span(z * (scales.row.asDiagonal() * reduced_svd.u.rightCols(lack)));
  check.unknowns =
      support_of_span(t * (scales.column.asDiagonal() * reduced_svd.v.rightCols(lack)));
  return check;
}

double greatest(std::span<const double> v) {
  double result = 0.0;
  for (const double part : v) result = std::max(result, std::abs(part));
  return result;
}

/// Parts that grew with c and are not negligible among those that did.
std::vector<Index> grown(std::span<const double> before, std::span<const double> after) {
  std::vector<double> parts(after.size(), 0.0);
  for (std::size_t i = 0; i < after.size(); ++i)
    if (std::abs(after[i]) > growth_threshold * std::abs(before[i])) parts[i] = after[i];
  return significant(parts);
}

struct Growth {
  std::vector<double> before;
  std::vector<double> after;
  [[nodiscard]] double factor() const { return greatest(after) / greatest(before); }
};

Growth measure_growth(const ScaledPencil& pencil, bool transposed) {
  PencilProbe probe(pencil, transposed);
  const double low = 100.0 * std::max(1.0, pencil.greatest_a());
  probe.factor(low);
  auto before = probe.solution();
  probe.factor(low * growth_span);
  return {std::move(before), probe.solution()};
}

IndexCheck decide_by_growth(const ScaledPencil& pencil) {
  if (is_singular_for_every_c(pencil)) {
    return {.outcome = Outcome::singular_pencil,
            .equations = {PencilProbe(pencil, true).factor(probes.front())},
            .unknowns = {PencilProbe(pencil, false).factor(probes.front())}};
  }
  const auto columns = measure_growth(pencil, false);
  const double factor = columns.factor();
  IndexCheck check{.is_clear = factor < growth_threshold / 3.0 || factor > growth_threshold * 3.0};
  if (factor < growth_threshold) return check;
  const auto rows = measure_growth(pencil, true);
  check.outcome = Outcome::higher;
  check.equations = grown(rows.before, rows.after);
  check.unknowns = grown(columns.before, columns.after);
  return check;
}

}  // namespace

IndexCheck check_index(const Pencil& pencil, IndexRoad road) {
  if (pencil.pattern.rows == 0) return {};
  const ScaledPencil scaled(pencil);
  if (road == IndexRoad::automatic) {
    if (leading_matrix_is_regular(scaled)) return {};
    // Conductances of 1e-12 beside resistances of 1 look singular in most scales.
    if (leading_matrix_is_regular(ScaledPencil(pencil, ScaledPencil::Units::balanced))) return {};
    road = scaled.size() <= singular_value_limit ? IndexRoad::singular_values : IndexRoad::growth;
  }
  return road == IndexRoad::growth ? decide_by_growth(scaled) : decide_by_singular_values(scaled);
}

}  // namespace daedal::analysis
