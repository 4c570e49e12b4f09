// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/numerical_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "linalg/dense_qr.hpp"
#include "linalg/scaling.hpp"

namespace daedal::analysis {

namespace {

/// The x'-part of the null space is round-off or of the order 1; anything between is noise.
constexpr double one_full_threshold = 1e-8;

/// Entries below this share of the greatest in their row say nothing about the time scale: most
/// are the round-off of a zero.
constexpr double negligible_entry = 1e-6;

std::string describe(const linalg::RankDecision& decision) {
  return fmt::format("singular values {:.2g} above and {:.2g} below the tolerance",
                     decision.smallest_kept, decision.largest_dropped);
}

/// Perturbs every coefficient: points around the solution, on and off the constraints.
std::vector<double> perturbed(std::span<const double> series, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> result(series.begin(), series.end());
  for (double& value : result) value += size * uniform(random) * (1.0 + std::abs(value));
  return result;
}

bool have_equal_ranks(const ArrayLevel& a, const ArrayLevel& b) {
  return a.derivatives.rank == b.derivatives.rank && a.all.rank == b.all.rank &&
         a.is_one_full() == b.is_one_full();
}

/// Ends the search: which assumption fails at the last level looked at.
void give_up(NumericalIndex& result, IndexOutcome outcome) {
  result.outcome = outcome;
  const int level = result.levels.back().level;
  if (outcome == IndexOutcome::redundant) {
    result.failed_assumption = "A4";
    result.message = fmt::format(
        "The derivative array of level {} has {} redundant rows ({}): equations follow from "
        "others, so that one is missing.",
        level, result.levels.back().n_redundant, describe(result.levels.back().all));
  } else if (outcome == IndexOutcome::rank_changes) {
    result.failed_assumption = "A3";
    result.message = fmt::format(
        "The rank of the derivative array of level {} changes around the initial point: the point "
        "is singular, or the index is not defined there.",
        level);
  } else {
    result.failed_assumption = "A3";
    result.message = fmt::format(
        "The derivative array does not determine x' up to level {0}: the index is above {0}, or an "
        "equation is missing.",
        level);
  }
}

/// Compares the ranks with those at perturbed points.
void look_around(ArrayLevel& here, const DerivativeArray& array, const ArrayPoint& point,
                 const NumericalIndexOptions& options) {
  std::mt19937 random(20);  // any fixed seed: the perturbations must be reproducible
  for (int i = 0; i < options.n_perturbed; ++i) {
    const std::vector<double> series = perturbed(point.series, options.perturbation, random);
    ArrayPoint other = point;
    other.series = series;
    const LevelResult there = analyze_level(array, other, here.level, Care::quick);
    if (!there.is_finite || have_equal_ranks(here, there.level)) continue;
    here.has_constant_rank = false;
    here.is_singular |= here.is_one_full() && there.level.is_one_full();
  }
}

/// The greatest entry that the first n components of null vectors have.
double null_part(const linalg::DenseQr& qr, Index n) {
  std::vector<double> vector(to_size(qr.columns()));
  double greatest = 0.0;
  for (Index k = 0; k < qr.columns() - qr.rank(); ++k) {
    qr.null_vector(k, vector);
    for (Index j = 0; j < n; ++j) greatest = std::max(greatest, std::abs(vector[to_size(j)]));
  }
  return greatest;
}

linalg::DenseQr factored(const Matrix& a) {
  linalg::DenseQr qr(a.rows(), a.cols());
  qr.matrix() = a;
  qr.factor();
  return qr;
}

/// Ranks and 1-fullness of [G_x  G_x' G_w].
void decide(const Matrix& jacobian, Index n, Care care, ArrayLevel& found) {
  const Matrix derivatives = jacobian.rightCols(jacobian.cols() - n);
  const linalg::DenseQr qr = factored(derivatives);
  if (care == Care::quick) {
    found.derivatives = qr.decision();
    found.all = factored(jacobian).decision();
    found.x_prime_part = null_part(qr, n);
    if (found.derivatives.is_clear() && found.all.is_clear()) return;
  }
  found.derivatives = linalg::decide_rank(derivatives);
  found.all = linalg::decide_rank(jacobian);
  if (qr.rank() == found.derivatives.rank) {
    found.x_prime_part = null_part(qr, n);
  } else {
    const Matrix null = linalg::null_space(derivatives);
    found.x_prime_part = null.cols() == 0 ? 0.0 : null.topRows(n).cwiseAbs().maxCoeff();
  }
}

}  // namespace

bool ArrayLevel::is_one_full() const {
  return x_prime_part < one_full_threshold;
}

LevelResult analyze_level(const DerivativeArray& array, const ArrayPoint& point, int level,
                          Care care) {
  const Index rows = array.n_equations() * (level + 1);
  const Index n = array.n_unknowns();
  const Index columns = n * (level + 2);
  auto workspace = array.make_workspace();
  std::vector<double> r(to_size(rows));
  LevelResult result;
  result.level.level = level;
  if (!array.linearize(point, level, r, workspace)) return {.is_finite = false, .level = {}};
  Matrix jacobian(rows, columns);
  array.assemble(level, workspace, jacobian);
  linalg::apply(array_scales(jacobian), jacobian);

  ArrayLevel& found = result.level;
  decide(jacobian, n, care, found);
  found.n_constraints = found.all.rank - found.derivatives.rank;
  found.n_redundant = rows - found.all.rank;
  return result;
}

double natural_scale(const DerivativeArray& array, const ArrayPoint& point) {
  const Index n = array.n_unknowns();
  auto workspace = array.make_workspace();
  std::vector<double> r(to_size(array.n_equations()));
  if (!array.linearize(point, 0, r, workspace)) return 1.0;
  Matrix jacobian(array.n_equations(), 2 * n);
  array.assemble(0, workspace, jacobian);  // [F_x  F_x'/h]
  double log_ratio = 0.0;
  for (const Index first : {Index{0}, n}) {
    double sum = 0.0;
    Index count = 0;
    for (Index i = 0; i < jacobian.rows(); ++i) {
      const double row_size = jacobian.row(i).cwiseAbs().maxCoeff();
      for (Index j = first; j < first + n; ++j) {
        if (std::abs(jacobian(i, j)) <= negligible_entry * row_size) continue;
        sum += std::log(std::abs(jacobian(i, j)) / row_size);
        ++count;
      }
    }
    if (count == 0) return 1.0;
    log_ratio = sum / static_cast<double>(count) - log_ratio;
  }
  return point.scale * std::exp(log_ratio);
}

std::vector<double> rescaled(std::span<const double> series, Index n, double ratio) {
  std::vector<double> result(series.begin(), series.end());
  double factor = 1.0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i > 0 && to_index(i) % n == 0) factor *= ratio;
    result[i] *= factor;
  }
  return result;
}

void add_level(NumericalIndex& result, const DerivativeArray& array, const ArrayPoint& given,
               const NumericalIndexOptions& options) {
  const int k = static_cast<int>(result.levels.size());
  result.scale = natural_scale(array, given);
  const std::vector<double> series =
      rescaled(given.series, array.n_unknowns(), result.scale / given.scale);
  ArrayPoint point = given;
  point.scale = result.scale;
  point.series = series;
  LevelResult here = analyze_level(array, point, k);
  if (!here.is_finite) {
    result.outcome = IndexOutcome::not_finite;
    result.failed_assumption = "A1";
    result.message = fmt::format(
        "A derivative of order {} of the equations is not finite at the initial point.", k);
    return;
  }
  look_around(here.level, array, point, options);
  const Index before = result.levels.empty() ? 0 : result.levels.back().n_constraints;
  result.constraints.push_back(here.level.n_constraints - before);
  result.levels.push_back(here.level);
  const ArrayLevel& level = result.levels.back();
  if (level.n_redundant > 0) {
    give_up(result, level.has_constant_rank ? IndexOutcome::redundant : IndexOutcome::rank_changes);
  } else if (level.is_one_full() && level.has_constant_rank) {
    result.outcome = IndexOutcome::found;
    result.index = k;
    result.n_states = array.n_unknowns() - level.n_constraints;
  } else if (level.is_singular) {
    give_up(result, IndexOutcome::rank_changes);
  } else if (k >= std::min(options.max_level, array.max_level())) {
    give_up(result,
            level.has_constant_rank ? IndexOutcome::above_limit : IndexOutcome::rank_changes);
  }
}

NumericalIndex find_numerical_index(const DerivativeArray& array, const ArrayPoint& point,
                                    const NumericalIndexOptions& options) {
  NumericalIndex result;
  while (result.outcome == IndexOutcome::undecided) add_level(result, array, point, options);
  return result;
}

}  // namespace daedal::analysis
