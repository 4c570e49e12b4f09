// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/numerical_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/array/time_scales.hpp"
#include "linalg/dense/qr.hpp"
#include "linalg/scaling.hpp"

namespace daedal::analysis {

namespace {

/// The x'-part of the null space is round-off or of the order 1; anything between is noise.
constexpr double one_full_threshold = 1e-8;

/// Time constants beyond this ratio to the natural scale may leave singular values below the
/// tolerance in all scales.
constexpr double farthest_scales = 1e-10;

std::string describe(const linalg::RankDecision& decision) {
  return fmt::format("singular values {:.2g} above and {:.2g} below the tolerance",
                     decision.smallest_kept, decision.largest_dropped);
}

/// Perturbs every coefficient: points around the solution, on and off the constraints.
std::vector<double> perturbed(std::span<const double> series, std::span<const double> nominals,
                              double size, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> result(series.begin(), series.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double nominal = std::abs(nominals[i % nominals.size()]);
    result[i] += size * uniform(random) * (nominal + std::abs(result[i]));
  }
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
    const Index n_redundant = result.levels.back().n_redundant;
    result.message = fmt::format(
        "The derivative array of level {} has {} redundant row{} ({}): equations follow from "
        "others, so that one is missing.",
        level, n_redundant, n_redundant == 1 ? "" : "s", describe(result.levels.back().all));
  } else if (outcome == IndexOutcome::rank_changes) {
    result.failed_assumption = "A3";
    result.message = fmt::format(
        "The rank of the derivative array of level {} changes around the initial point: the point "
        "is singular, or the index is not defined there.",
        level);
  } else if (outcome == IndexOutcome::unclear) {
    const ArrayLevel& last = result.levels.back();
    const bool is_all = last.derivatives.confidence() != linalg::Confidence::weak;
    result.failed_assumption = is_all ? "A4" : "A3";
    result.message = fmt::format("The rank of the derivative array of level {} is not clear ({}).",
                                 level, describe(is_all ? last.all : last.derivatives));
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
  for (int i = 0; i < options.n_perturbed && !options.stop.is_raised(); ++i) {
    const std::vector<double> series =
        perturbed(point.series, array.nominals(), options.perturbation, random);
    ArrayPoint other = point;
    other.series = series;
    const LevelResult there = analyze_level(array, other, here.level, Care::quick);
    if (!there.is_finite) continue;
    ++here.n_around;
    if (have_equal_ranks(here, there.level)) continue;
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
    for (Index j = 0; j < n; ++j) greatest = std::max(greatest, std::abs(vector[j]));
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

struct ScaledLevel {
  LevelResult result;
  bool has_distant_scales = false;
  double natural = 1.0;
  std::vector<double> series;  ///< in the scale of the result
};

ScaledLevel level_in(double scale, const DerivativeArray& array, const ArrayPoint& given, int level,
                     Care care) {
  ScaledLevel found{.result = {},
                    .has_distant_scales = false,
                    .natural = scale,
                    .series = rescaled(given.series, array.n_unknowns(), scale / given.scale)};
  ArrayPoint point = given;
  point.scale = scale;
  point.series = found.series;
  found.result = analyze_level(array, point, level, care);
  found.result.level.scale = scale;
  return found;
}

/// A clear decision that finds more rank than another one: what is rank in one scale is rank in
/// all, though it may be hidden there.
bool is_better(const ArrayLevel& a, const ArrayLevel& b) {
  const bool a_is_weak = a.confidence() == linalg::Confidence::weak;
  const bool b_is_weak = b.confidence() == linalg::Confidence::weak;
  if (a_is_weak != b_is_weak) return b_is_weak;
  const Index a_rank = a.derivatives.rank + a.all.rank;
  const Index b_rank = b.derivatives.rank + b.all.rank;
  if (a_rank != b_rank) return a_rank > b_rank;
  const auto least = [](const ArrayLevel& level) {
    return std::min(level.derivatives.smallest_kept / level.derivatives.largest,
                    level.all.smallest_kept / level.all.largest);
  };
  return least(a) > least(b);
}

ScaledLevel decide_in_best_scale(const DerivativeArray& array, const ArrayPoint& given, int level,
                                 const StopSignal& stop) {
  const std::vector<double> scales = candidate_scales(array, given);
  double scale = scales.front();
  bool depends_on_scale = false;
  if (scales.size() > 1) {
    ArrayLevel best = level_in(scale, array, given, level, Care::quick).result.level;
    for (std::size_t i = 1; i < scales.size() && !stop.is_raised(); ++i) {
      const auto other = level_in(scales[i], array, given, level, Care::quick).result;
      if (!other.is_finite) continue;
      depends_on_scale |= other.level.derivatives.rank != best.derivatives.rank ||
                          other.level.all.rank != best.all.rank;
      if (is_better(other.level, best)) best = other.level;
    }
    scale = best.scale;
  }
  ScaledLevel found = level_in(scale, array, given, level, Care::thorough);
  found.result.level.depends_on_scale = depends_on_scale;
  found.natural = scales.front();
  const double ratio = scales.back() / scales.front();
  found.has_distant_scales = ratio < farthest_scales || (are_distant(scales) && depends_on_scale);
  return found;
}

/// Whether the last level decides.
void judge(NumericalIndex& result, const DerivativeArray& array,
           const NumericalIndexOptions& options) {
  const ArrayLevel& level = result.levels.back();
  const auto or_rank_change = [&](IndexOutcome outcome) {
    return level.has_constant_rank ? outcome : IndexOutcome::rank_changes;
  };
  if (level.n_redundant > 0) {
    give_up(result, or_rank_change(IndexOutcome::redundant));
  } else if (level.is_one_full() && level.has_constant_rank) {
    if (level.confidence() == linalg::Confidence::weak) {
      give_up(result, IndexOutcome::unclear);
      return;
    }
    result.outcome = IndexOutcome::found;
    result.index = level.level;
    result.n_states = array.n_unknowns() - level.n_constraints;
  } else if (level.is_singular) {
    give_up(result, IndexOutcome::rank_changes);
  } else if (level.level >= std::min(options.max_level, array.max_level())) {
    give_up(result, or_rank_change(IndexOutcome::above_limit));
  }
}

}  // namespace

linalg::Confidence ArrayLevel::confidence() const {
  return std::min(derivatives.confidence(), all.confidence());
}

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

void add_level(NumericalIndex& result, const DerivativeArray& array, const ArrayPoint& given,
               const NumericalIndexOptions& options) {
  const int k = static_cast<int>(result.levels.size());
  const auto stops = [&] {
    if (!options.stop.is_raised()) return false;
    result.outcome = IndexOutcome::stopped;
    result.message = options.stop.message("the search for the index");
    return true;
  };
  if (stops()) return;
  const ScaledLevel found = decide_in_best_scale(array, given, k, options.stop);
  LevelResult here = found.result;
  if (!here.is_finite) {
    result.outcome = IndexOutcome::not_finite;
    result.failed_assumption = "A1";
    result.message = fmt::format(
        "A derivative of order {} of the equations is not finite at the initial point.", k);
    return;
  }
  result.scale = here.level.scale;
  result.natural = found.natural;
  result.has_distant_scales |= found.has_distant_scales;
  ArrayPoint point = given;
  point.scale = here.level.scale;
  point.series = found.series;
  look_around(here.level, array, point, options);
  if (stops()) return;
  const Index before = result.levels.empty() ? 0 : result.levels.back().n_constraints;
  result.constraints.push_back(here.level.n_constraints - before);
  result.levels.push_back(here.level);
  judge(result, array, options);
}

NumericalIndex find_numerical_index(const DerivativeArray& array, const ArrayPoint& point,
                                    const NumericalIndexOptions& options) {
  NumericalIndex result;
  while (result.outcome == IndexOutcome::undecided) add_level(result, array, point, options);
  return result;
}

}  // namespace daedal::analysis
