// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/index_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "analysis/pencil.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/scaling.hpp"

namespace daedal::analysis {

namespace {

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
  return support({lengths.data(), static_cast<std::size_t>(lengths.size())});
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
  return support(parts);
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
    road = scaled.size() <= singular_value_limit ? IndexRoad::singular_values : IndexRoad::growth;
  }
  return road == IndexRoad::growth ? decide_by_growth(scaled) : decide_by_singular_values(scaled);
}

}  // namespace daedal::analysis
