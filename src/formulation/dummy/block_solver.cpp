// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/block_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// Newton's method converges quadratically: after a correction this small nothing is left.
constexpr double small_correction = 1e-9;
constexpr int max_iterations = 12;
/// What the solution of affine equations may still be off by, through rounding in long sequences;
/// beyond that it is refined.
constexpr double small_remainder = 1e-11;
constexpr int max_refinements = 3;
constexpr std::size_t names_in_message = 6;

bool are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

/// The pattern of the chosen columns.
SparsityPattern pattern_of(const SolutionStep& step, std::span<const Index> column_of,
                           std::span<const Index> entries) {
  SparsityPattern pattern;
  pattern.rows = pattern.columns = step.n_residuals;
  pattern.column_start.assign(to_size(pattern.columns) + 1, 0);
  for (const Index k : entries) {
    const SolutionStep::Entry& entry = step.entries[to_size(k)];
    pattern.row.push_back(entry.row);
    ++pattern.column_start[to_size(column_of[to_size(entry.column)]) + 1];
  }
  for (std::size_t j = 0; j < to_size(pattern.columns); ++j)
    pattern.column_start[j + 1] += pattern.column_start[j];
  return pattern;
}

}  // namespace

DummyBlocks::DummyBlocks(const DifferentiatedSystem& system, const SolutionData& data)
    : system_(system),
      nominals_(data.nominals.begin(), data.nominals.end()),
      steps_(solution_steps(system, data)) {}

BlockWorks DummyBlocks::make_works() const {
  BlockWorks works;
  for (const SolutionStep& step : steps_) {
    BlockWork& work = works.steps.emplace_back();
    work.values = Evaluator(step.values);
    work.full = Evaluator(step.full);
  }
  return works;
}

void DummyBlocks::aim(const Selection& selection, BlockWorks& works) const {
  for (std::size_t k = 0; k < steps_.size(); ++k)
    if (steps_[k].kind != SolutionStep::Kind::sequence)
      aim_step(steps_[k], selection, works.steps[k]);
  works.is_aimed = true;
}

void DummyBlocks::aim_step(const SolutionStep& step, const Selection& selection,
                           BlockWork& work) const {
  std::vector<Index> unknowns;
  std::vector<Index> column_of(step.places.size(), -1);
  const auto take = [&](Index candidate) {
    column_of[to_size(candidate)] = to_index(unknowns.size());
    unknowns.push_back(step.places[to_size(candidate)]);
  };
  if (step.has_choice) {
    const auto& chosen = selection.columns[to_size(step.block)][to_size(step.stage - 1)];
    std::ranges::for_each(chosen, take);
  } else {
    for (Index k = 0; k < to_index(step.places.size()); ++k) take(k);
  }
  if (unknowns == work.unknowns) return;
  work.unknowns = std::move(unknowns);
  work.entries.clear();
  for (std::size_t k = 0; k < step.entries.size(); ++k)
    if (column_of[to_size(step.entries[k].column)] >= 0) work.entries.push_back(to_index(k));
  work.matrix.resize(work.entries.size());
  work.correction.resize(work.unknowns.size());
  if (work.unknowns.size() > 1)
    work.solver = linalg::make_real_solver(pattern_of(step, column_of, work.entries));
}

Evaluation DummyBlocks::solve(const Point& point, BlockWorks& works) const {
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const SolutionStep& step = steps_[k];
    const Evaluation evaluation = step.kind == SolutionStep::Kind::sequence
                                      ? run_sequence(step, point, works.steps[k])
                                      : run_block(step, point, works.steps[k]);
    if (evaluation != Evaluation::ok) return evaluation;
  }
  return Evaluation::ok;
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
    return fail(one, point, Trouble::not_finite);
  }
  for (std::size_t k = 0; k < values.size(); ++k) point.x[to_size(step.places[k])] = values[k];
  return Evaluation::ok;
}

bool DummyBlocks::factor(const SolutionStep& step, BlockWork& work) {
  const auto nonzeros = std::span<const double>(work.full.out).subspan(to_size(step.n_residuals));
  for (std::size_t k = 0; k < work.entries.size(); ++k)
    work.matrix[k] = nonzeros[to_size(work.entries[k])];
  if (work.solver) return work.solver->factor(work.matrix).ok;
  return work.matrix.size() == 1 && work.matrix[0] != 0.0;
}

double DummyBlocks::correct(std::span<const double> residuals, const Point& point,
                            BlockWork& work) const {
  std::copy(residuals.begin(), residuals.end(), work.correction.begin());
  if (work.solver) {
    work.solver->solve(work.correction);
  } else {
    work.correction[0] /= work.matrix[0];
  }
  double greatest = 0.0;
  for (std::size_t k = 0; k < work.unknowns.size(); ++k) {
    const auto place = to_size(work.unknowns[k]);
    const double share =
        std::abs(work.correction[k]) / (std::abs(point.x[place]) + nominals_[place]);
    if (!(share <= greatest)) greatest = share;
    point.x[place] -= work.correction[k];
  }
  return greatest;
}

Evaluation DummyBlocks::run_block(const SolutionStep& step, const Point& point,
                                  BlockWork& work) const {
  const auto n = to_size(step.n_residuals);
  const bool is_affine = step.kind == SolutionStep::Kind::affine;
  for (int k = 0; k < max_iterations; ++k) {
    const auto found = work.full(point.run.blocks(point.t, point.x, {}));
    if (!are_finite(found)) return fail(step, point, Trouble::not_finite);
    if (!factor(step, work)) return fail(step, point, Trouble::singular);
    const double moved = correct(found.first(n), point, work);
    if (!std::isfinite(moved)) return fail(step, point, Trouble::diverged);
    if (is_affine || moved <= small_correction)
      return step.followers.empty() ? Evaluation::ok : follow(step, point, work);
  }
  return fail(step, point, Trouble::diverged);
}

// The residuals come with the followers: of affine equations they are what rounding has left.
Evaluation DummyBlocks::follow(const SolutionStep& step, const Point& point,
                               BlockWork& work) const {
  const auto n = to_size(step.n_residuals);
  for (int k = 0;; ++k) {
    const auto found = work.values(point.run.blocks(point.t, point.x, {}));
    if (!are_finite(found)) return fail(step, point, Trouble::not_finite);
    for (std::size_t f = 0; f < step.followers.size(); ++f)
      point.x[to_size(step.followers[f])] = found[n + f];
    if (step.kind != SolutionStep::Kind::affine) return Evaluation::ok;
    const double remainder = correct(found.first(n), point, work);
    if (remainder <= small_remainder) return Evaluation::ok;
    if (k < max_refinements) continue;
    return remainder <= small_correction ? Evaluation::ok : fail(step, point, Trouble::diverged);
  }
}

Evaluation DummyBlocks::fail(const SolutionStep& step, const Point& point, Trouble trouble) const {
  std::vector<std::string> equations;
  std::vector<std::string> unknowns;
  for (const Index e : step.equations) equations.push_back(system_.equation_name(e));
  for (const Index p : step.places)
    if (p >= 0) unknowns.push_back("'" + system_.place_name(p) + "'");
  const std::string names = fmt::format("{} cannot be solved for {} at t = {:.12g}",
                                        join_words(equations, names_in_message),
                                        join_words(unknowns, names_in_message), point.t);
  Failure& failure = point.run.failure;
  failure.row = step.places.front();
  switch (trouble) {
    case Trouble::not_finite:
      failure.status = Status::non_finite_value;
      failure.detail = names + ": a value is not finite.";
      break;
    case Trouble::singular:
      failure.status = Status::singular_iteration_matrix;
      failure.detail = names + ": their matrix is singular.";
      break;
    case Trouble::diverged:
      failure.status = Status::newton_failure;
      failure.detail = names + ": no solution was found near the last one.";
      break;
  }
  return Evaluation::recoverable;
}

}  // namespace daedal::formulation
