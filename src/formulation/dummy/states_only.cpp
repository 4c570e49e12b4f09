// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/states_only.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::formulation {

namespace {

using Distance = DummyBlocks::Distance;
using Part = DummyBlocks::Part;
using Solved = StateWork::Solved;

/// The way from the last accepted step is divided into parts of at least this share. Where that is
/// too long, the step is made shorter.
constexpr double least_part = 1.0 / 64.0;
/// A solution of a nonlinear block that has moved further than this share of the greatest size of
/// its unknowns so far may be another one. The way there is then divided into parts no longer.
constexpr double longest_move = 0.3;
/// A fold is looked for no further ahead than this share of the time that a run has reached.
constexpr double most_ahead = 1e-3;
/// Selections that are kept: two or three take turns as a rule.
constexpr std::size_t most_plans = 32;

std::vector<Index> places_without(std::span<const Index> taken, Index n_places) {
  std::vector<bool> is_taken(to_size(n_places), false);
  for (const Index place : taken) is_taken[to_size(place)] = true;
  std::vector<Index> rest;
  for (Index p = 0; p < n_places; ++p)
    if (!is_taken[to_size(p)]) rest.push_back(p);
  return rest;
}

}  // namespace

StatePlan::StatePlan(const DummyContext& context, const PlaceExpressions& expressions,
                     std::span<const Index> selection)
    : place_of(selection.begin(), selection.end()),
      states(places_without(place_of, context.system().n_places())),
      blocks(context.system(), context.nominals(),
             plan_solution(context.system(), expressions,
                           {.place_of = place_of,
                            .nominals = context.nominals(),
                            .parameters = context.parameters()})),
      row(to_size(context.system().n_equations()), -1),
      column(to_size(context.system().n_places()), -1) {
  Index n = 0;
  for (const SolutionStep& step : blocks.steps_for_rates()) {
    for (const Index e : step.equations) {
      row[to_size(e)] = n;
      column[to_size(place_of[to_size(e)])] = n++;
    }
  }
  for (const SolutionStep& step : blocks.steps())
    if (step.kind == SolutionStep::Kind::iterated)
      iterated.insert(iterated.end(), step.places.begin(), step.places.end());
  const SparsityPattern& all = context.system().jacobian().pattern;
  std::vector<std::vector<std::pair<Index, Index>>> columns(to_size(n));  // row, entry
  for (Index p = 0; p < all.columns; ++p) {
    if (column[to_size(p)] < 0) continue;
    auto& own = columns[to_size(column[to_size(p)])];
    for (Index k = all.column_start[to_size(p)]; k < all.column_start[to_size(p) + 1]; ++k) {
      const Index i = row[to_size(all.row[to_size(k)])];
      if (i >= 0) own.emplace_back(i, k);
    }
    std::ranges::sort(own);
  }
  matrix.rows = matrix.columns = n;
  matrix.column_start.push_back(0);
  for (const auto& own : columns) {
    for (const auto& [i, k] : own) {
      matrix.row.push_back(i);
      entries.push_back(k);
    }
    matrix.column_start.push_back(matrix.nonzeros());
  }
}

StatesOnlySystem::StatesOnlySystem(std::shared_ptr<const DummyContext> context)
    : ModelContext(*context),
      all_(std::move(context)),
      n_states_(all_->system().n_places() - all_->system().n_equations()),
      plans_(*all_) {}

std::string StatesOnlySystem::unknown_name(std::int64_t column) const {
  if (all_->selector().has_choice() || n_states_ == 0) return fmt::format("state {}", column + 1);
  const std::vector<Index>& states = only_states_.get([this] {
    std::vector<Index> taken;
    for (Index e = 0; e < all_->system().n_equations(); ++e) {
      const auto possible = all_->selector().possible_places(e);
      taken.insert(taken.end(), possible.begin(), possible.end());
    }
    return places_without(taken, all_->system().n_places());
  });
  return all_->system().place_name(states[to_size(column)]);
}

bool StatesOnlySystem::may_leap(Run& run) const {
  const auto& plan = own(run).states.plan;
  return plan && std::ranges::any_of(plan->blocks.steps(), [&](const SolutionStep& step) {
           return step.kind == SolutionStep::Kind::iterated &&
                  !std::ranges::all_of(step.equations,
                                       [&](Index e) { return all_->selector().tells_apart(e); });
         });
}

void StatesOnlySystem::prepare(DummyRun& run) const {
  all_->prepare(run);
  run.states.places.assign(to_size(all_->system().n_places()), 0.0);
  run.states.x.assign(to_size(size()), 0.0);
}

bool StatePlans::aim(DummyRun& run) const {
  const std::vector<Index>& place_of = run.selection.place_of;
  StateWork& work = run.states;
  if (work.plan && work.plan->place_of == place_of) return false;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const StatePlan>& plan = plans_[place_of];
    if (!plan) {
      if (!expressions_) expressions_ = std::make_unique<const PlaceExpressions>(context_.system());
      plan = std::make_shared<const StatePlan>(context_, *expressions_, place_of);
    }
    work.plan = plan;
    if (plans_.size() > most_plans) plans_.clear();
  }
  work.blocks = work.plan->blocks.make_works();
  work.matrix.resize(work.plan->entries.size());
  work.column.resize(to_size(work.plan->matrix.columns));
  work.sizes.assign(work.plan->iterated.size(), 0.0);
  work.solver = work.column.empty() ? nullptr : linalg::make_real_solver(work.plan->matrix);
  return true;
}

Evaluation DummyDerivativesOde::rhs(double, std::span<const double> x, Run&,
                                    std::span<double> xp) const {
  // Highest derivatives are solved for before every stage: any slope will do.
  std::ranges::fill(xp, 0.0);
  context_->set_rates(x, xp);
  return Evaluation::ok;
}

Evaluation DummyDerivativesOde::complete(double t, std::span<double> x, Run& base) const {
  DummyRun& run = own(base);
  plans_.aim(run);
  return run.states.plan->blocks.solve({t, x, run}, Part::all, Distance::near, run.states.blocks);
}

void DummyDerivativesOde::to_model(double t, std::span<const double> x, DummyRun& run,
                                   std::span<double> values, std::span<double> derivatives) const {
  const DifferentiatedSystem& system = context_->system();
  const Index n = system.view().n_given;
  run.states.places.assign(x.begin(), x.end());
  // A run without a history has selected nothing yet.
  const bool has_selection = !run.selection.place_of.empty() || context_->select(t, x, run);
  if (has_selection && complete(t, run.states.places, run) == Evaluation::ok) x = run.states.places;
  for (Index v = 0; v < n; ++v) {
    values[to_size(v)] = x[to_size(system.place_of(v))];
    if (derivatives.empty()) continue;
    const Index next = system.place_of_derivative(v);
    derivatives[to_size(v)] = next >= 0 ? x[to_size(next)] : not_a_number;
  }
  std::ranges::copy(run.discretes, values.begin() + n);
}

void StatesOnlySystem::remember(double t, DummyRun& run) const {
  StateWork& work = run.states;
  if (auto sentence = work.plan->blocks.undetermined(t, work.blocks); !sentence.empty())
    run.warnings.push_back(std::move(sentence));
  work.accepted = work.places;
  work.accepted_time = t;
  for (std::size_t k = 0; k < work.plan->iterated.size(); ++k) {
    const auto p = to_size(work.plan->iterated[k]);
    work.sizes[k] = std::max({work.sizes[k], all_->nominals()[p], std::abs(work.places[p])});
  }
  run.memory.assign(run.selection.place_of.begin(), run.selection.place_of.end());
  for (const Index p : work.plan->iterated) run.memory.push_back(work.places[to_size(p)]);
  work.memory = run.memory;
}

void StatesOnlySystem::recall(DummyRun& run) const {
  StateWork& work = run.states;
  if (run.memory.empty() || run.memory == work.memory) return;
  work.memory = run.memory;
  const auto n = to_size(all_->system().n_equations());
  run.selection.place_of.assign(run.memory.begin(), run.memory.begin() + to_index(n));
  aim(run);
  for (std::size_t k = 0; k < work.plan->iterated.size(); ++k)
    work.places[to_size(work.plan->iterated[k])] = run.memory[n + k];
  work.accepted.clear();
}

double StatesOnlySystem::idle_rate(const DummyRun& run) const {
  double sum = 0.0;
  for (const Index p : run.states.plan->iterated) {
    const double value = run.states.places[to_size(p)];
    sum += value / (std::abs(value) + all_->nominals()[to_size(p)]);
  }
  return sum;
}

void StatesOnlySystem::put(std::span<const double> x, DummyRun& run) const {
  const auto& states = run.states.plan->states;
  for (std::size_t k = 0; k < states.size(); ++k)
    run.states.places[to_size(states[k])] = x[k] * all_->nominals()[to_size(states[k])];
}

void StatesOnlySystem::take(const DummyRun& run, std::span<double> x, std::span<double> xp) const {
  const auto& states = run.states.plan->states;
  if (states.empty()) xp[0] = idle_rate(run);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto p = to_size(states[k]);
    x[k] = run.states.places[p] / all_->nominals()[p];
    xp[k] = run.states.places[p + 1] / all_->nominals()[p];
  }
}

Evaluation StatesOnlySystem::solve(double t, std::span<const double> x, Part part,
                                   DummyRun& run) const {
  StateWork& work = run.states;
  recall(run);
  const DummyBlocks& blocks = work.plan->blocks;
  const bool is_same =
      work.solved != Solved::nothing && work.t == t && std::ranges::equal(x, work.x);
  if (is_same && (part == Part::for_rates || work.solved == Solved::everything))
    return Evaluation::ok;
  if (!is_same) put(x, run);
  work.solved = Solved::nothing;
  Evaluation evaluation = blocks.solve({t, work.places, run}, is_same ? Part::others : part,
                                       Distance::near, work.blocks);
  const bool is_certain =
      evaluation == Evaluation::ok && (work.accepted.empty() || is_near(work.accepted, run));
  if (!is_certain) evaluation = walk(t, x, part, run);
  if (evaluation != Evaluation::ok) return evaluation;
  work.solved = part == Part::for_rates ? Solved::rates : Solved::everything;
  work.t = t;
  std::ranges::copy(x, work.x.begin());
  return Evaluation::ok;
}

bool StatesOnlySystem::is_near(std::span<const double> before, const DummyRun& run) {
  const StateWork& work = run.states;
  for (std::size_t k = 0; k < work.plan->iterated.size(); ++k) {
    const auto p = to_size(work.plan->iterated[k]);
    if (!(std::abs(work.places[p] - before[p]) <= longest_move * work.sizes[k])) return false;
  }
  return true;
}

Evaluation StatesOnlySystem::walk(double t, std::span<const double> x, Part part,
                                  DummyRun& run) const {
  StateWork& work = run.states;
  if (work.accepted.empty()) return Evaluation::recoverable;
  const auto& states = work.plan->states;
  std::vector<double> reached = work.accepted;
  double share = 0.0;
  double increase = 0.5;
  while (share < 1.0) {
    const double next = std::min(1.0, share + increase);
    work.places = reached;
    for (std::size_t k = 0; k < states.size(); ++k) {
      const auto p = to_size(states[k]);
      const double end = x[k] * all_->nominals()[p];
      work.places[p] = next == 1.0 ? end : work.accepted[p] + next * (end - work.accepted[p]);
    }
    const double there = next == 1.0 ? t : work.accepted_time + next * (t - work.accepted_time);
    if (work.plan->blocks.solve({there, work.places, run}, part, Distance::near, work.blocks) ==
            Evaluation::ok &&
        is_near(reached, run)) {
      share = next;
      increase *= 2.0;
      reached = work.places;
      continue;
    }
    increase *= 0.5;
    if (increase < least_part) {
      work.places = work.accepted;
      return Evaluation::recoverable;
    }
  }
  return Evaluation::ok;
}

Evaluation StatesOnlySystem::rhs(double t, std::span<const double> x, Run& base,
                                 std::span<double> xp) const {
  DummyRun& run = own(base);
  const Evaluation evaluation = solve(t, x, Part::for_rates, run);
  std::ranges::fill(xp, 0.0);
  if (evaluation != Evaluation::ok) return evaluation;
  const auto& states = run.states.plan->states;
  if (states.empty()) xp[0] = idle_rate(run);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto p = to_size(states[k]);
    xp[k] = run.states.places[p + 1] / all_->nominals()[p];
  }
  return Evaluation::ok;
}

Evaluation StatesOnlySystem::jacobian(double t, std::span<const double> x, Run& base,
                                      std::span<double> f_x) const {
  DummyRun& run = own(base);
  std::ranges::fill(f_x, 0.0);
  const Evaluation evaluation = solve(t, x, Part::for_rates, run);
  if (evaluation != Evaluation::ok) return evaluation;
  StateWork& work = run.states;
  const StatePlan& plan = *work.plan;
  const auto all = run.jacobian(run.blocks(t, work.places, {}));
  // An infinite slope, of a root at 0, makes the matrix of a corrector less exact, no more.
  const auto entry = [&](Index k) {
    return std::isfinite(all[to_size(k)]) ? all[to_size(k)] : 0.0;
  };
  for (std::size_t k = 0; k < plan.entries.size(); ++k) work.matrix[k] = entry(plan.entries[k]);
  if (work.solver && !work.solver->factor(work.matrix).ok) return difference(t, x, run, f_x);
  const SparsityPattern& pattern = all_->system().jacobian().pattern;
  const auto nominals = all_->nominals();
  const auto n = to_size(size());
  for (std::size_t j = 0; j < plan.states.size(); ++j) {
    const Index by = plan.states[j];
    std::ranges::fill(work.column, 0.0);
    bool is_zero = true;
    for (Index k = pattern.column_start[to_size(by)]; k < pattern.column_start[to_size(by) + 1];
         ++k) {
      const Index i = plan.row[to_size(pattern.row[to_size(k)])];
      if (i < 0) continue;
      work.column[to_size(i)] = -entry(k);
      is_zero = false;
    }
    if (!is_zero) work.solver->solve(work.column);
    for (std::size_t i = 0; i < plan.states.size(); ++i) {
      const Index rate = plan.states[i] + 1;
      const Index place = plan.column[to_size(rate)];
      const double slope = place >= 0 ? work.column[to_size(place)] : rate == by ? 1.0 : 0.0;
      f_x[j * n + i] = slope * nominals[to_size(by)] / nominals[to_size(plan.states[i])];
    }
  }
  return Evaluation::ok;
}

Evaluation StatesOnlySystem::difference(double t, std::span<const double> x, DummyRun& run,
                                        std::span<double> f_x) const {
  const std::size_t n = x.size();
  std::vector<double> moved(x.begin(), x.end());
  std::vector<double> here(n);
  std::vector<double> there(n);
  Evaluation evaluation = rhs(t, x, run, here);
  for (std::size_t j = 0; j < n && evaluation == Evaluation::ok; ++j) {
    const double delta = std::sqrt(round_off) * (1.0 + std::abs(x[j]));
    moved[j] = x[j] + delta;
    evaluation = rhs(t, moved, run, there);
    moved[j] = x[j];
    for (std::size_t i = 0; i < n; ++i) f_x[j * n + i] = (there[i] - here[i]) / delta;
  }
  return evaluation;
}

Change StatesOnlySystem::on_event(double t, std::span<const std::int64_t> fired,
                                  std::span<double> x, std::span<double> xp, Run& base) const {
  DummyRun& run = own(base);
  run.states.solved = Solved::nothing;
  Change change = ModelSystem::on_event(t, fired, x, xp, run);
  run.states.solved = Solved::nothing;
  run.states.accepted.clear();  // at events values jump
  if (change.kind == Change::Kind::stop) return change;
  if (solve(t, x, Part::all, run) != Evaluation::ok)
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  if (change.kind != Change::Kind::none && all_->selector().has_choice()) {
    run.keeps_undetermined = true;
    if (!all_->select(t, run.states.places, run))
      return {Change::Kind::stop, run.failure.status, run.failure.detail};
    aim(run);
  }
  take(run, x, xp);
  remember(t, run);
  return change;
}

Change StatesOnlySystem::after_step(double t, std::span<double> x, std::span<double> xp,
                                    const History& history, Run& base) const {
  DummyRun& run = own(base);
  const bool has_choice = all_->selector().has_choice();
  if (solve(t, x, has_choice ? Part::all : Part::for_rates, run) != Evaluation::ok)
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  Change change = ModelSystem::after_step(t, x, xp, history, run);
  if (change.kind != Change::Kind::stop && has_choice) {
    const std::vector<double> places = run.states.places;
    const auto inside = [&](double at, std::span<double> all) {
      std::vector<double> states(x.size());
      history.derivative(at, 0, states);
      if (solve(at, states, Part::all, run) == Evaluation::ok)
        std::ranges::copy(run.states.places, all.begin());
    };
    change = all_->watch(t, places, inside, run);
    run.states.places = places;
    if (change.kind == Change::Kind::equations) {
      aim(run);
      take(run, x, xp);
      change.kind = Change::Kind::unknowns;
    }
  }
  remember(t, run);
  return change;
}

Change StatesOnlySystem::on_stuck(double t, std::span<double> x, std::span<double> xp,
                                  Run& base) const {
  DummyRun& run = own(base);
  StateWork& work = run.states;
  if (work.accepted.empty() || work.plan->iterated.empty()) return {};
  // The fold is a little ahead: as near as a step could come to it, or where it lies by rounding.
  std::vector<double> ahead(x.size());
  const double scale = std::max(std::abs(t), std::abs(work.t - t));
  if (scale == 0.0) return {};  // at a start at zero nothing tells how near that is
  for (double reach = 4.0 * round_off * scale; reach <= most_ahead * scale; reach *= 4.0) {
    for (std::size_t k = 0; k < x.size(); ++k) ahead[k] = x[k] + reach * xp[k];
    if (solve(t + reach, ahead, Part::for_rates, run) == Evaluation::ok) {
      if (reach * 4.0 > most_ahead * scale) break;
      continue;
    }
    work.places = work.accepted;
    put(ahead, run);
    const auto is_another = [&](const SolutionStep& step) {
      return std::ranges::any_of(step.places, [&](Index p) {
        const auto k = std::ranges::find(work.plan->iterated, p) - work.plan->iterated.begin();
        const double moved = std::abs(work.places[to_size(p)] - work.accepted[to_size(p)]);
        return moved > longest_move * work.sizes[to_size(k)];
      });
    };
    std::string sentence = work.plan->blocks.jump({t + reach, work.places, run}, work.accepted,
                                                  is_another, work.blocks);
    if (sentence.empty()) break;
    put(x, run);
    if (work.plan->blocks.solve({t, work.places, run}, Part::all, Distance::far, work.blocks) !=
        Evaluation::ok)
      break;
    work.solved = Solved::nothing;
    take(run, x, xp);
    remember(t, run);
    run.warnings.push_back(sentence);
    return {Change::Kind::unknowns, Status::success, std::move(sentence)};
  }
  work.places = work.accepted;
  work.solved = Solved::nothing;
  return {};
}

Start StatesOnlySystem::begin(double t0, Start all, DummyRun& run) const {
  Start start = std::move(all);
  if (start.status == Status::success) {
    run.states.places = start.x;
    aim(run);
  }
  start.x.assign(to_size(size()), 0.0);
  start.xp.assign(to_size(size()), 0.0);
  if (start.status != Status::success) return start;
  take(run, start.x, start.xp);
  remember(t0, run);
  // What the search has left of the residuals goes.
  if (solve(t0, start.x, Part::all, run) != Evaluation::ok) return start;
  take(run, start.x, start.xp);
  remember(t0, run);
  return start;
}

double StatesOnlySystem::constraint_residual(double t, std::span<const double> x, int level,
                                             DummyRun& run) const {
  if (solve(t, x, Part::all, run) != Evaluation::ok) return not_a_number;
  return all_->constraint_residual(t, run.states.places, level, run);
}

void StatesOnlySystem::read(double t, std::span<const double> x, std::span<const double>,
                            ModelRun& base, std::span<double> values,
                            std::span<double> derivatives) const {
  auto& run = run_of<DummyRun>(base);
  const DifferentiatedSystem& system = all_->system();
  const bool is_followed = solve(t, x, Part::all, run) == Evaluation::ok;
  bool is_solved = is_followed;
  StateWork& work = run.states;
  const auto solve_from_far = [&] {
    put(x, run);
    return work.plan->blocks.solve({t, work.places, run}, Part::all, Distance::far, work.blocks) ==
           Evaluation::ok;
  };
  // Inside a step, where the way from its end is too steep to follow: any solution nearby.
  if (!is_solved) is_solved = solve_from_far();
  if (!is_solved && work.aside.size() == work.places.size()) {
    work.places = work.aside;
    is_solved = solve_from_far();
  }
  const std::vector<double>& places = work.places;
  if (!is_solved) put(x, run);
  for (std::size_t v = 0; v < values.size(); ++v) {
    const Index place = system.place_of(to_index(v));
    const Index next = system.place_of_derivative(to_index(v));
    const bool is_known = is_solved || std::ranges::binary_search(run.states.plan->states, place);
    values[v] = is_known ? places[to_size(place)] : not_a_number;
    derivatives[v] = is_solved && next >= 0 ? places[to_size(next)] : not_a_number;
  }
  // The solution may belong to another root, from which no other search may start.
  if (!is_followed && is_solved) work.aside = work.places;
  if (!is_followed && !work.accepted.empty()) work.places = work.accepted;
}

bool StatesOnlySystem::assign(std::int32_t variable, double, std::span<double>) const {
  // make_consistent() takes the values, because which places are states depends on the run.
  return !all_->system().places()[to_size(all_->system().place_of(variable))].is_highest;
}

Evaluation StatesOnlySystem::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                             ModelRun& base) const {
  auto& run = run_of<DummyRun>(base);
  StateWork& work = run.states;
  work.solved = Solved::nothing;
  put(x, run);
  bool are_states = true;
  for (std::size_t k = 0; k < run.reinitialized.size(); ++k) {
    const Index place = all_->system().place_of(run.reinitialized[k]);
    work.places[to_size(place)] = run.reinit_values[k];
    are_states &= std::ranges::binary_search(work.plan->states, place);
  }
  const std::vector<double> before = work.places;
  const bool is_solved =
      are_states && work.plan->blocks.solve({t, work.places, run}, Part::all, Distance::far,
                                            work.blocks) == Evaluation::ok;
  if (!is_solved) {
    work.places = before;
    std::vector<double> rates(before.size());
    const Evaluation evaluation = all_->make_consistent(t, work.places, rates, run);
    if (evaluation != Evaluation::ok) return evaluation;
  }
  take(run, x, xp);
  work.solved = Solved::everything;
  work.t = t;
  std::ranges::copy(x, work.x.begin());
  return Evaluation::ok;
}

}  // namespace daedal::formulation
