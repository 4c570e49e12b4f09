// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/block_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/dense/rank.hpp"
#include "linalg/newton_watch.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// Newton's method converges quadratically: after a correction this small nothing is left.
constexpr double small_correction = 1e-9;
constexpr int most_near_iterations = 12;
constexpr int most_far_iterations = 50;
/// Where a signed value comes near zero, each of them may take it a decade nearer.
constexpr int most_signed_iterations = 60;
constexpr double nearest_share = 0.1;
constexpr int most_halvings = 30;
/// Corrections that do not halve show that the point is not near its root, unless they are below
/// `near_size`.
constexpr double contraction = 0.5;
constexpr double near_size = 1e-4;
/// Ten halvings; a search that needs shorter steps has stopped making progress.
constexpr double least_step_share = 1.0 / 1024.0;
/// What the solution of affine equations may still be off by, through rounding in long sequences;
/// beyond that it is refined.
constexpr double small_remainder = 1e-11;
constexpr int max_refinements = 3;
constexpr double most_rounding = 1e-6;
/// Distances at which other roots are looked for, in the scale of the unknowns.
constexpr double first_reach = 1e-4;
constexpr double last_reach = 1e6;
constexpr double reach_growth = 3.0;
/// A root closer than this is the one that ceases to exist.
constexpr double least_jump = 1e-2;
/// Least corrections are found by dense decompositions.
constexpr Index largest_singular = 100;
constexpr std::size_t names_in_message = 6;

bool are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

SparsityPattern pattern_of(const SolutionStep& step) {
  SparsityPattern pattern;
  pattern.rows = pattern.columns = step.n_residuals;
  pattern.column_start.assign(to_size(pattern.columns) + 1, 0);
  for (const SolutionStep::Entry& entry : step.entries) {
    pattern.row.push_back(entry.row);
    ++pattern.column_start[to_size(entry.column) + 1];
  }
  for (std::size_t j = 0; j < to_size(pattern.columns); ++j)
    pattern.column_start[j + 1] += pattern.column_start[j];
  return pattern;
}

}  // namespace

DummyBlocks::DummyBlocks(const DifferentiatedSystem& system, std::span<const double> nominals,
                         SolutionPlan plan)
    : system_(system), nominals_(nominals.begin(), nominals.end()), plan_(std::move(plan)) {}

BlockWorks DummyBlocks::make_works() const {
  BlockWorks works;
  for (const SolutionStep& step : plan_.steps) {
    BlockWork& work = works.emplace_back();
    work.values = Evaluator(step.values);
    work.full = Evaluator(step.full);
    work.signed_values = Evaluator(step.signed_values);
    work.signs.resize(to_size(step.signed_values.n_outputs()));
    const auto n = to_size(step.n_residuals);
    work.matrix.resize(step.entries.size());
    for (auto* buffer : {&work.correction, &work.before, &work.trial}) buffer->resize(n);
    if (n > 1) work.solver = linalg::make_real_solver(pattern_of(step));
  }
  return works;
}

Evaluation DummyBlocks::solve(const Point& point, Part part, Distance distance,
                              BlockWorks& works) const {
  const std::size_t begin = part == Part::others ? plan_.n_for_rates : 0;
  const std::size_t end = part == Part::for_rates ? plan_.n_for_rates : plan_.steps.size();
  for (std::size_t k = begin; k < end; ++k) {
    const Evaluation evaluation = run_step(k, point, distance, works);
    if (evaluation != Evaluation::ok) return evaluation;
  }
  return Evaluation::ok;
}

Evaluation DummyBlocks::run_step(std::size_t number, const Point& point, Distance distance,
                                 BlockWorks& works) const {
  const SolutionStep& step = plan_.steps[number];
  if (step.kind == SolutionStep::Kind::sequence) return run_sequence(step, point, works[number]);
  return run_block(step, point, distance, works[number]);
}

bool DummyBlocks::find_other_root(std::size_t number, const Point& point, BlockWorks& works) const {
  const SolutionStep& step = plan_.steps[number];
  BlockWork& work = works[number];
  const auto n = to_size(step.n_residuals);
  std::vector<double> origin;
  for (const Index p : step.places) origin.push_back(point.x[to_size(p)]);
  const auto found = work.full(point.run.blocks(point.t, point.x, {}));
  if (!are_finite(found) || !factor(step, work)) return false;
  backsolve(found.first(n), work.correction, work);
  // Next to a fold a correction points along the direction in which the solution ran into it.
  const std::vector<double> way = work.correction;
  const double length = size(step, point, way);
  if (!(length > 0.0) || !std::isfinite(length)) return false;
  for (const double sign : {-1.0, 1.0}) {
    for (double reach = first_reach; reach <= last_reach; reach *= reach_growth) {
      for (std::size_t k = 0; k < n; ++k)
        point.x[to_size(step.places[k])] = origin[k] + sign * reach / length * way[k];
      if (run_step(number, point, Distance::far, works) != Evaluation::ok) continue;
      for (std::size_t k = 0; k < n; ++k)
        work.trial[k] = point.x[to_size(step.places[k])] - origin[k];
      if (size(step, point, work.trial) > least_jump) return true;
    }
  }
  return false;
}

std::string DummyBlocks::jump(const Point& point, std::span<const double> last,
                              const std::function<bool(const SolutionStep&)>& is_another,
                              BlockWorks& works) const {
  std::string sentence;
  for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
    const SolutionStep& step = plan_.steps[k];
    const bool may_jump = sentence.empty() && step.kind == SolutionStep::Kind::iterated;
    const bool is_solved = run_step(k, point, sentence.empty() ? Distance::near : Distance::far,
                                    works) == Evaluation::ok;
    if (is_solved && !(may_jump && is_another(step))) continue;
    if (!may_jump) return {};
    if (!is_solved) {
      for (const Index p : step.places) point.x[to_size(p)] = last[to_size(p)];
      if (!find_other_root(k, point, works)) return {};
    }
    const auto p = to_size(step.places.front());
    sentence = fmt::format(
        "At t = {:.9g} the solution of {} came to its end, and another one was taken: '{}' jumps "
        "from {:.6g} to {:.6g}. The states stay as they are.",
        point.t, equation_names(step), system_.place_name(to_index(p)), last[p], point.x[p]);
  }
  return sentence;
}

Evaluation DummyBlocks::run_sequence(const SolutionStep& step, const Point& point,
                                     BlockWork& work) const {
  const auto values = work.values(point.run.blocks(point.t, point.x, {}));
  if (!are_finite(values)) {
    const auto bad = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
    const auto k = static_cast<std::size_t>(bad - values.begin());
    SolutionStep one;
    one.equations = {step.equations[k]};
    one.places = {step.places[k]};
    return fail(one, point, Trouble::not_finite, work);
  }
  for (std::size_t k = 0; k < values.size(); ++k) point.x[to_size(step.places[k])] = values[k];
  return Evaluation::ok;
}

bool DummyBlocks::factor(const SolutionStep& step, BlockWork& work) {
  const auto nonzeros = work.full.out().subspan(to_size(step.n_residuals));
  // Between events the matrix of most circuits is constant.
  if (work.is_factored && std::ranges::equal(nonzeros, work.matrix)) return true;
  std::ranges::copy(nonzeros, work.matrix.begin());
  work.is_factored = work.solver ? work.solver->factor(work.matrix).ok
                                 : work.matrix.size() == 1 && work.matrix[0] != 0.0;
  return work.is_factored;
}

void DummyBlocks::backsolve(std::span<const double> residuals, std::span<double> out,
                            const BlockWork& work) {
  std::copy(residuals.begin(), residuals.end(), out.begin());
  if (work.solver) {
    work.solver->solve(out);
  } else {
    out[0] /= work.matrix[0];
  }
}

double DummyBlocks::size(const SolutionStep& step, const Point& point,
                         std::span<const double> correction) const {
  double greatest = 0.0;
  for (std::size_t k = 0; k < step.places.size(); ++k) {
    const auto place = to_size(step.places[k]);
    const double share = std::abs(correction[k]) / (std::abs(point.x[place]) + nominals_[place]);
    if (!(share <= greatest)) greatest = share;
  }
  return greatest;
}

double DummyBlocks::correct(const SolutionStep& step, std::span<const double> residuals,
                            const Point& point, BlockWork& work) const {
  backsolve(residuals, work.correction, work);
  const double moved = size(step, point, work.correction);
  for (std::size_t k = 0; k < step.places.size(); ++k) {
    work.before[k] = point.x[to_size(step.places[k])];
    point.x[to_size(step.places[k])] -= work.correction[k];
  }
  return moved;
}

bool DummyBlocks::keep_signs(const SolutionStep& step, const Point& point, BlockWork& work) const {
  bool is_shortened = false;
  for (int k = 0; k < most_halvings; ++k) {
    const auto now = work.signed_values(point.run.blocks(point.t, point.x, {}));
    double share = 1.0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double ratio = now[i] / work.signs[i];
      // As far as it would take it if it were a straight line, and half of the way if it is none.
      if (ratio < nearest_share)
        share = std::min(share, std::max((1.0 - nearest_share) / (1.0 - ratio), 1e-6));
    }
    if (share == 1.0) break;
    if (k > 0) share = std::min(share, 0.5);
    is_shortened = true;
    for (std::size_t j = 0; j < work.correction.size(); ++j) {
      work.correction[j] *= share;
      point.x[to_size(step.places[j])] = work.before[j] - work.correction[j];
    }
  }
  return is_shortened;
}

bool DummyBlocks::is_round_off(const SolutionStep& step, const Point& point,
                               const BlockWork& work) {
  for (std::size_t k = 0; k < step.places.size(); ++k) {
    const double value = std::abs(point.x[to_size(step.places[k])]);
    if (std::abs(work.correction[k]) > small_correction * value) return false;
  }
  return true;
}

bool DummyBlocks::dampen(const SolutionStep& step, const Point& point, BlockWork& work) const {
  const auto n = to_size(step.n_residuals);
  const auto place = [&](double damping) {
    for (std::size_t k = 0; k < n; ++k)
      point.x[to_size(step.places[k])] = work.before[k] - damping * work.correction[k];
  };
  for (double damping = 1.0; damping >= least_step_share; damping *= 0.5) {
    place(damping);
    const auto found = work.full(point.run.blocks(point.t, point.x, {}));
    if (!are_finite(found.first(n))) continue;
    backsolve(found.first(n), work.trial, work);
    const double next = size(step, point, work.trial);
    if (next <= (1.0 - 0.25 * damping) * size(step, point, work.correction)) return true;
  }
  return false;
}

Evaluation DummyBlocks::run_block(const SolutionStep& step, const Point& point, Distance distance,
                                  BlockWork& work) const {
  const auto n = to_size(step.n_residuals);
  const bool is_affine = step.kind == SolutionStep::Kind::affine;
  const bool is_far = distance == Distance::far;
  // Not a NewtonWatch: the damping of far blocks and the test of the first correction against
  // values far below their nominals decide beside the rate.
  double last = infinity;
  const bool is_signed = !is_far && !work.signs.empty();
  const int most =
      is_far ? most_far_iterations : (is_signed ? most_signed_iterations : most_near_iterations);
  for (int k = 0; k < most; ++k) {
    if (is_signed)
      std::ranges::copy(work.signed_values(point.run.blocks(point.t, point.x, {})),
                        work.signs.begin());
    const auto found = work.full(point.run.blocks(point.t, point.x, {}));
    if (!are_finite(found)) return fail(step, point, Trouble::not_finite, work);
    work.is_undetermined = !factor(step, work);
    if (work.is_undetermined) {
      if (!correct_least(step, found.first(n), point, work))
        return fail(step, point, Trouble::singular, work);
      if (is_affine) return step.followers.empty() ? Evaluation::ok : follow(step, point, work);
      continue;
    }
    const double moved = correct(step, found.first(n), point, work);
    if (!std::isfinite(moved)) return fail(step, point, Trouble::diverged, work);
    if (is_signed && keep_signs(step, point, work)) {
      last = infinity;
      continue;
    }
    // Values far below their nominal ones: a second correction tells whether the first was small,
    // but not beside a pole, where the equations bend within the values themselves.
    const bool is_small =
        moved <= small_correction && ((k > 0 && !is_signed) || is_round_off(step, point, work));
    if (is_affine || is_small)
      return step.followers.empty() ? Evaluation::ok : follow(step, point, work);
    if (is_far) {
      if (!dampen(step, point, work)) return fail(step, point, Trouble::diverged, work);
    } else if (moved > contraction * last && moved > near_size) {
      return fail(step, point, Trouble::diverged, work);
    }
    last = moved;
  }
  return fail(step, point, Trouble::diverged, work);
}

bool DummyBlocks::correct_least(const SolutionStep& step, std::span<const double> residuals,
                                const Point& point, BlockWork& work) const {
  const Index n = step.n_residuals;
  if (n > largest_singular) return false;
  Matrix matrix = Matrix::Zero(n, n);
  Vector rest(n);
  for (std::size_t k = 0; k < step.entries.size(); ++k) {
    const auto& [row, column] = step.entries[k];
    const auto place = to_size(step.places[to_size(column)]);
    matrix(row, column) +=
        work.full.out()[to_size(n) + k] * (std::abs(point.x[place]) + nominals_[place]);
  }
  for (Index i = 0; i < n; ++i) {
    // What the terms of the equation amount to: residuals far below it are rounding errors.
    const double size = matrix.row(i).cwiseAbs().maxCoeff();
    rest(i) = residuals[to_size(i)];
    if (size > 0.0) {
      matrix.row(i) /= size;
      rest(i) /= size;
    } else if (std::abs(rest(i)) > small_correction) {
      return false;
    } else {
      rest(i) = 0.0;
    }
  }
  const Vector correction = linalg::min_norm_least_squares(matrix, rest);
  if (!((matrix * correction - rest).cwiseAbs().maxCoeff() <= small_correction)) return false;
  for (Index k = 0; k < n; ++k) {
    const auto place = to_size(step.places[to_size(k)]);
    point.x[place] -= correction(k) * (std::abs(point.x[place]) + nominals_[place]);
  }
  return true;
}

// The residuals come with the followers: of affine equations they are what rounding has left.
Evaluation DummyBlocks::follow(const SolutionStep& step, const Point& point,
                               BlockWork& work) const {
  const auto n = to_size(step.n_residuals);
  // Corrections that no longer shrink are rounding errors, for example of a node that is held
  // almost nowhere.
  linalg::NewtonWatch watch(
      {.tolerance = small_remainder, .remainder = 0.0, .noise = most_rounding});
  for (int k = 0;; ++k) {
    const auto found = work.values(point.run.blocks(point.t, point.x, {}));
    if (!are_finite(found)) return fail(step, point, Trouble::not_finite, work);
    for (std::size_t f = 0; f < step.followers.size(); ++f)
      point.x[to_size(step.followers[f])] = found[n + f];
    if (step.kind != SolutionStep::Kind::affine || work.is_undetermined) return Evaluation::ok;
    const double remainder = correct(step, found.first(n), point, work);
    const bool has_converged = watch.judge(remainder) == linalg::NewtonWatch::Verdict::converged;
    if (has_converged) return Evaluation::ok;
    if (k < max_refinements) continue;
    return remainder <= most_rounding ? Evaluation::ok : fail(step, point, Trouble::diverged, work);
  }
}

std::string DummyBlocks::equation_names(const SolutionStep& step) const {
  std::vector<std::string> equations;
  for (const Index e : step.equations) equations.push_back(system_.equation_name(e));
  return join_words(equations, names_in_message);
}

std::string DummyBlocks::names(const SolutionStep& step) const {
  std::vector<std::string> unknowns;
  for (const Index p : step.places) unknowns.push_back("'" + system_.place_name(p) + "'");
  return fmt::format("{} cannot be solved for {}", equation_names(step),
                     join_words(unknowns, names_in_message));
}

std::string DummyBlocks::undetermined(double t, BlockWorks& works) const {
  for (std::size_t k = 0; k < works.size(); ++k) {
    if (!works[k].is_undetermined || works[k].is_reported) continue;
    works[k].is_reported = true;
    return fmt::format(
        "At t = {:.9g} {}: their matrix is singular there. Values that nothing "
        "determines stay as they are.",
        t, names(plan_.steps[k]));
  }
  return {};
}

Evaluation DummyBlocks::fail(const SolutionStep& step, const Point& point, Trouble trouble,
                             BlockWork& work) const {
  if (work.failed_place != step.places.front()) {
    work.failed = names(step);
    work.failed_place = step.places.front();
  }
  const auto [status, why] = [trouble]() -> std::pair<Status, std::string_view> {
    switch (trouble) {
      case Trouble::not_finite:
        return {Status::non_finite_value, "a value is not finite"};
      case Trouble::singular:
        return {Status::singular_iteration_matrix, "their matrix is singular"};
      case Trouble::diverged:
        break;
    }
    return {Status::newton_failure, "no solution was found near the last one"};
  }();
  Failure& failure = point.run.failure;
  failure.row = -1;
  failure.status = status;
  failure.detail.clear();
  fmt::format_to(std::back_inserter(failure.detail), "{} at t = {:.12g}: {}.", work.failed, point.t,
                 why);
  return Evaluation::recoverable;
}

}  // namespace daedal::formulation
