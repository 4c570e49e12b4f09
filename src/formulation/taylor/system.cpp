// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/taylor/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "expr/traverse.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// With this many stages it is seen whether the coefficients stay within the range of numbers.
constexpr int stages_to_look = 16;
constexpr int most_scales = 60;
/// A system Jacobian with rows and columns scaled has no inverse in numbers below this.
constexpr double singular_condition = 1e-13;
/// What has shrunk to this share of its greatest value goes to zero.
constexpr double vanishing = 0.03;
/// Near a singular position constraints have shrunk to this share, or the condition of the system
/// Jacobian: series pass it within a step or two.
constexpr double near_singular_share = 0.3;
constexpr double near_singular_condition = 1e-3;
/// Relative move of a guess off a singular point: somewhat above the root of the round-off.
constexpr double singular_move = 1e-6;

}  // namespace

TaylorSystem::TaylorSystem(GeneralView view, std::vector<double> parameters,
                           const Overrides& starts, bool is_cautious)
    : ModelContext(view, std::move(parameters), starts),
      view_(std::move(view)),
      structure_(view_),
      starts_(make_block_starts(view_, structure_)),
      start_values_(view_.model),
      is_cautious_(is_cautious) {
  for (const TaylorPlace& place : structure_.places()) {
    nominals_.push_back(
        place.variable < 0 ? 1.0 : view_.model.variables()[to_size(place.variable)].nominal);
  }
}

std::string TaylorSystem::unknown_name(std::int64_t column) const {
  const TaylorPlace& place = structure_.places()[to_size(column)];
  return structure_.unknown_name(place.unknown, place.order);
}

TaylorWork& TaylorSystem::work_of(ModelRun& run) {
  return static_cast<TaylorWork&>(*run.work);
}

void TaylorSystem::prepare(ModelRun& run) const {
  run.work = make_work();
}

std::unique_ptr<MethodWork> TaylorSystem::make_work() const {
  auto work = std::make_unique<TaylorWork>();
  const auto blocks = structure_.blocks();
  work->state.x.resize(to_size(structure_.n_unknowns()));
  work->blocks.reserve(blocks.size());
  for (const TaylorBlock& block : blocks) {
    work->blocks.emplace_back(block, highest_series_order);
    for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
      work->state.x[to_size(block.unknowns[j])].assign(
          to_size(highest_series_order + block.extra_stages + block.d[j] + 1), 0.0);
    }
  }
  work->greatest.assign(to_size(structure_.n_unknowns()), 0.0);
  work->best_conditions.assign(blocks.size(), 0.0);
  work->events.emplace(*this);
  return work;
}

Evaluation TaylorSystem::report(std::size_t block, BlockOutcome outcome, double t,
                                ModelRun& run) const {
  std::string what;
  Status status = Status::singular_iteration_matrix;
  switch (outcome) {
    case BlockOutcome::ok:
      return Evaluation::ok;
    case BlockOutcome::not_finite:
      status = Status::non_finite_value;
      what = "are not finite, or their series are not";
      break;
    case BlockOutcome::singular:
      what = "do not determine their unknowns: the system Jacobian is singular";
      break;
    case BlockOutcome::diverged:
      status = Status::newton_failure;
      what = "could not be solved";
      break;
  }
  for (BlockExpansion& expansion : work_of(run).blocks) expansion.clear();
  run.failure = {status, -1, fmt::format("At t = {:.12g} {} {}.", t, block_name(block), what)};
  return Evaluation::recoverable;
}

std::string TaylorSystem::block_name(std::size_t number) const {
  const TaylorBlock& block = structure_.blocks()[number];
  std::vector<std::string> equations;
  std::vector<std::string> unknowns;
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    equations.push_back(structure_.equation_name(block.rows[i], 0));
    unknowns.push_back("'" + structure_.unknown_name(block.unknowns[i], 0) + "'");
  }
  return fmt::format("the equations for {} ({})", join_words(unknowns), join_words(equations));
}

Evaluation TaylorSystem::expand_blocks(double t, double direction, int order, ModelRun& run,
                                       const Settle& settle) const {
  TaylorWork& work = work_of(run);
  work.events->forget();
  work.order = order;
  work.state.t = t;
  work.scale.begin();
  for (int attempt = 0; attempt < most_scales; ++attempt) {
    work.state.scale = std::copysign(work.scale.value(), direction);
    bool fits = true;
    for (std::size_t b = 0; b < work.blocks.size() && fits; ++b) {
      BlockExpansion& block = work.blocks[b];
      const int stages = order + block.block().extra_stages;
      block.enter(work.state, run, stages);
      const Evaluation evaluation = settle(b, work);
      if (evaluation != Evaluation::ok) return evaluation;
      const int first = std::min(stages, stages_to_look);
      BlockOutcome outcome = block.advance(work.state, 1, first);
      if (outcome == BlockOutcome::ok && stages >= stages_to_look) {
        fits = work.scale.fits(block.log_growth(work.state, first), stages);
        if (!fits) continue;
        outcome = block.advance(work.state, first + 1, stages);
      }
      if (outcome != BlockOutcome::ok) return report(b, outcome, t, run);
    }
    if (fits) return Evaluation::ok;
  }
  run.failure = {
      Status::non_finite_value, -1,
      fmt::format("At t = {:.12g} the series of the solution have no common time scale.", t)};
  return Evaluation::recoverable;
}

void TaylorSystem::load(std::size_t number, std::span<const double> x, std::span<const double> xp,
                        TaylorWork& work) const {
  const TaylorBlock& block = structure_.blocks()[number];
  work.sizes.resize(block.unknowns.size());
  for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
    const Index unknown = block.unknowns[j];
    const auto place = to_size(structure_.first_place(unknown));
    auto& series = work.state.x[to_size(unknown)];
    double factor = 1.0;
    double size = 0.0;
    for (int l = 0; l <= block.d[j]; ++l) {
      const auto k = to_size(l);
      const bool is_in_state = l < structure_.n_places(unknown);
      series[k] = (is_in_state ? x[place + k] : xp[place + k - 1]) * factor;
      size = std::max(size, std::abs(series[k]));
      factor *= work.state.scale / (l + 1);
    }
    work.sizes[j] = size > 0.0 ? size : nominals_[place];
  }
}

void TaylorSystem::unload(const TaylorWork& work, std::span<double> x, std::span<double> xp) const {
  const auto places = structure_.places();
  for (std::size_t p = 0; p < places.size(); ++p) {
    const auto& series = work.state.x[to_size(places[p].unknown)];
    const int l = places[p].order;
    const double factor = rising_factorial(0, l) / integer_power(work.state.scale, l);
    x[p] = series[to_size(l)] * factor;
    xp[p] = series[to_size(l) + 1] * factor * (l + 1) / work.state.scale;
  }
}

void TaylorSystem::note_greatest(TaylorWork& work) const {
  for (std::size_t b = 0; b < work.blocks.size(); ++b) {
    const TaylorBlock& block = structure_.blocks()[b];
    const auto values = work.blocks[b].jacobian();
    for (std::size_t k = 0; k < values.size(); ++k) {
      double& greatest = work.greatest[to_size(block.rows[to_size(block.pattern.row[k])])];
      greatest = std::max(greatest, std::abs(values[k]));
    }
  }
}

namespace {

/// The greatest entry of the Jacobian in each row of a block.
std::vector<double> row_sizes(const TaylorBlock& block, std::span<const double> jacobian) {
  std::vector<double> sizes(block.rows.size(), 0.0);
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    double& size = sizes[to_size(block.pattern.row[k])];
    size = std::max(size, std::abs(jacobian[k]));
  }
  return sizes;
}

}  // namespace

bool TaylorSystem::is_near_singular(TaylorWork& work) const {
  for (std::size_t b = 0; b < work.blocks.size(); ++b) {
    const TaylorBlock& block = structure_.blocks()[b];
    if (block.max_c == 0) continue;
    const std::vector<double> here = row_sizes(block, work.blocks[b].jacobian());
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double greatest = work.greatest[to_size(block.rows[i])];
      if (block.c[i] > 0 && here[i] < near_singular_share * greatest) return true;
    }
    const double condition = work.blocks[b].reciprocal_condition();
    double& best = work.best_conditions[b];
    best = std::max(best, condition);
    if (condition < near_singular_condition * best) return true;
  }
  return false;
}

Change TaylorSystem::after_step(double t, std::span<double> x, std::span<double> xp,
                                const History& history, Run& base) const {
  if (is_cautious_ && is_near_singular(work_of(own(base)))) {
    return {.kind = Change::Kind::stop,
            .status = Status::singular_iteration_matrix,
            .message = fmt::format("Near t = {:.6g} the constraints come close to a singular "
                                   "position.",
                                   t)};
  }
  return ModelSystem::after_step(t, x, xp, history, base);
}

Evaluation TaylorSystem::expand(const Point& point, Run& base, std::span<double> coefficients,
                                double& scale) const {
  ModelRun& run = own(base);
  const Evaluation evaluation = expand_blocks(
      point.t, point.direction, point.order, run, [&](std::size_t b, TaylorWork& work) {
        load(b, point.x, point.xp, work);
        return report(b, work.blocks[b].settle(work.state, run, work.sizes, work.state.scale),
                      point.t, run);
      });
  if (evaluation != Evaluation::ok) return evaluation;
  TaylorWork& work = work_of(run);
  note_greatest(work);
  scale = work.state.scale;
  const std::size_t n = nominals_.size();
  for (std::size_t p = 0; p < n; ++p) {
    const TaylorPlace& place = structure_.places()[p];
    double* const to = coefficients.data() + p;
    derivative_coefficients(work.state.x[to_size(place.unknown)].data(), place.order, scale, 0,
                            point.order, [&](int k, double value) { to[to_size(k) * n] = value; });
    point.x[p] = coefficients[p];
  }
  return Evaluation::ok;
}

Evaluation TaylorSystem::rhs(double t, std::span<const double> x, Run& base,
                             std::span<double> xp) const {
  ModelRun& run = own(base);
  // The next step needs the run's own series up to their end, so other work space is used here.
  TaylorWork& work = work_of(run);
  if (!work.beside) {
    work.beside = make_work();
    static_cast<TaylorWork&>(*work.beside).scale = work.scale;
  }
  std::vector<double> first(x.size());
  // The highest derivatives are near those of the last series, if anything is known of them.
  std::ranges::fill(xp, 0.0);
  if (work.state.t == t && work.order > 0) unload(work, first, xp);
  if (!is_finite(xp)) std::ranges::fill(xp, 0.0);
  std::unique_ptr<MethodWork> kept = std::exchange(run.work, std::move(work.beside));
  const Evaluation evaluation =
      expand_blocks(t, 1.0, 1, run, [&](std::size_t b, TaylorWork& inner) {
        load(b, x, xp, inner);
        return report(b, inner.blocks[b].settle(inner.state, run, inner.sizes, inner.state.scale),
                      t, run);
      });
  if (evaluation == Evaluation::ok) unload(work_of(run), first, xp);
  work.beside = std::exchange(run.work, std::move(kept));
  return evaluation;
}

int TaylorSystem::best_order(double tolerance) const {
  std::vector<SeriesCost> costs;
  for (const TaylorBlock& block : structure_.blocks())
    costs.push_back({static_cast<double>(block.residuals.n_operations()), block.extra_stages});
  return cheapest_order(costs, tolerance);
}

Index TaylorSystem::n_switches(const Run& base) const {
  const auto& run = run_of<ModelRun>(base);
  Index n = events().n_events();
  for (const BlockExpansion& block : static_cast<const TaylorWork&>(*run.work).blocks)
    n += block.series().n_switches();
  return n;
}

bool TaylorSystem::switch_series(Index number, Run& base, std::span<double> out) const {
  ModelRun& run = own(base);
  TaylorWork& work = work_of(run);
  const Index n_events = events().n_events();
  if (number >= n_events) {
    number -= n_events;
    for (const BlockExpansion& block : work.blocks) {
      const Index n = block.series().n_switches();
      if (number < n) {
        block.series().switch_series(number, work.order + block.block().extra_stages, out);
        return is_finite(out);
      }
      number -= n;
    }
    return false;
  }
  const auto fill = [&](std::span<double> values) {
    const std::size_t n = view_.x.size();
    for (std::size_t v = 0; v < n; ++v) {
      const TaylorPlace& place = structure_.places()[to_size(structure_.place_of(to_index(v)))];
      double* const to = values.data() + v;
      derivative_coefficients(work.state.x[to_size(place.unknown)].data(), place.order,
                              work.state.scale, 0, work.order,
                              [&](int k, double value) { to[to_size(k) * n] = value; });
    }
  };
  return work.events->read(number, {work.state.t, work.state.scale, work.order}, fill, run, out);
}

void TaylorSystem::read(double, std::span<const double> x, std::span<const double> xp, ModelRun&,
                        std::span<double> values, std::span<double> derivatives) const {
  for (std::size_t v = 0; v < values.size(); ++v) {
    const auto place = to_size(structure_.place_of(to_index(v)));
    values[v] = x[place];
    derivatives[v] = xp[place];
  }
}

bool TaylorSystem::assign(std::int32_t variable, double value, std::span<double> x) const {
  const auto place = to_size(structure_.place_of(variable));
  x[place] = value;
  return structure_.places()[place].is_state;
}

double TaylorSystem::constraint_residual(double t, std::span<const double> x,
                                         std::span<const double> xp, ModelRun& run) const {
  double greatest = 0.0;
  for (BlockExpansion& expansion : work_of(run).blocks) {
    const TaylorBlock& block = expansion.block();
    if (block.max_c == 0) continue;
    const auto value_of = [&](const TaylorLeaf& leaf) {
      const auto place = to_size(structure_.first_place(leaf.unknown));
      const int n = structure_.n_places(leaf.unknown);
      return leaf.order < n    ? x[place + to_size(leaf.order)]
             : leaf.order == n ? xp[place + to_size(n) - 1]
                               : std::numeric_limits<double>::quiet_NaN();
    };
    const auto values = expansion.residuals_at(t, value_of, run);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (block.c[i] > 0) greatest = std::max(greatest, std::abs(values[i]));
  }
  return greatest;
}

StartWishes TaylorSystem::start_wishes(std::size_t number, const StartWishes& variables) const {
  using analysis::Role;
  const TaylorBlock& block = structure_.blocks()[number];
  StartWishes result;
  for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
    const auto place = to_size(structure_.first_place(block.unknowns[j]));
    for (int l = 0; l <= block.d[j]; ++l) {
      const bool is_place = l < structure_.n_places(block.unknowns[j]);
      const Index variable = is_place ? structure_.places()[place + to_size(l)].variable : -1;
      analysis::InitialUnknown unknown{.role = Role::free, .nominal = nominals_[place]};
      if (variable >= 0) {
        unknown = variables.unknowns[to_size(variable)];
        if (unknown.role == Role::guess && l == block.d[j]) unknown.role = Role::free;
      }
      result.unknowns.push_back(unknown);
      result.is_given.push_back(variable < 0 || variables.is_given[to_size(variable)]);
    }
  }
  return result;
}

Evaluation TaylorSystem::search(std::size_t number, bool with_initial, const Find& find,
                                ModelRun& run) const {
  TaylorWork& work = work_of(run);
  BlockExpansion& expansion = work.blocks[number];
  BlockConstraints constraints(structure_, starts_[number], expansion, work.state, run,
                               with_initial);
  const analysis::InitialValues found = find(constraints);
  constraints.unpack(found.values);
  const double unit = constraints.unit();
  const TaylorBlock& block = structure_.blocks()[number];
  work.sizes.resize(block.unknowns.size());
  for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
    const auto& x = work.state.x[to_size(block.unknowns[j])];
    double size = 0.0;
    double factor = 1.0;
    for (int l = 0; l <= block.d[j]; ++l) {
      size = std::max(size, factor * std::abs(x[to_size(l)]));
      factor *= unit / std::abs(work.state.scale);
    }
    work.sizes[j] =
        size > 0.0 ? size : nominals_[to_size(structure_.first_place(block.unknowns[j]))];
  }
  BlockOutcome outcome = expansion.settle(work.state, run, work.sizes, unit);
  const auto is_singular = [&] {
    return outcome == BlockOutcome::singular ||
           (outcome == BlockOutcome::ok && expansion.reciprocal_condition() < singular_condition);
  };
  if (is_singular()) {
    expansion.balance();
    outcome = expansion.settle(work.state, run, work.sizes, unit);
  }
  if (is_singular()) {
    run.failure = {Status::index_too_high, -1,
                   fmt::format("At t = {:.12g} {} do not determine them by their structure: the "
                               "system Jacobian is singular. Either equations there repeat each "
                               "other, or terms cancel and the true index is another: use "
                               "'dummy-derivatives' or 'derivative-array'.",
                               work.state.t, block_name(number))};
    return Evaluation::fatal;
  }
  if (found.status != Status::success) {
    run.failure = {found.status, -1, found.message};
    return Evaluation::fatal;
  }
  if (outcome != BlockOutcome::ok) {
    (void)report(number, outcome, work.state.t, run);
    return Evaluation::fatal;
  }
  if (block.max_c > 0) work.scale.set_unit(unit);
  return Evaluation::ok;
}

Start TaylorSystem::start(double t0, ModelRun& run) const {
  const StartWishes variables = start_values_.wishes(run);
  for (std::size_t v = 0; v < run.values.size(); ++v) run.values[v] = variables.unknowns[v].value;
  StartNotes notes;
  Start start = settle_start(t0, nominals_.size(), run, [&] {
    Start now;
    now.x.resize(nominals_.size());
    now.xp.resize(nominals_.size());
    notes = {};
    const Evaluation evaluation = expand_blocks(t0, 1.0, 1, run, [&](std::size_t b, TaylorWork&) {
      return search(
          b, true,
          [&](BlockConstraints& constraints) {
            StartWishes wishes = start_wishes(b, variables);
            constraints.scale_derivatives(wishes.unknowns);
            auto found =
                analysis::find_initial_values(constraints, wishes.unknowns, {.stop = run.stop});
            notes.add(constraints, wishes, found);
            return found;
          },
          run);
    });
    if (evaluation != Evaluation::ok) {
      now.status = run.failure.status;
      now.message = run.failure.detail;
      return now;
    }
    unload(work_of(run), now.x, now.xp);
    check_fixed_values(variables, now);
    return now;
  });
  if (start.status == Status::success) notes.write(start);
  if (start.status == Status::success && is_cautious_) refuse_singular_start(variables, start);
  return start;
}

void TaylorSystem::refuse_singular_start(const StartWishes& variables, Start& start) const {
  for (std::size_t v = 0; v < variables.unknowns.size(); ++v) {
    const analysis::InitialUnknown& wish = variables.unknowns[v];
    const auto p = to_size(structure_.place_of(to_index(v)));
    const double moved = std::abs(start.x[p] - wish.value);
    const double size = wish.nominal + std::abs(wish.value);
    const bool is_tiny = moved > 64.0 * round_off * size && moved <= singular_move * size;
    if (wish.role != analysis::Role::guess || !structure_.places()[p].is_state || !is_tiny ||
        !variables.is_given[v])
      continue;
    start.status = Status::singular_iteration_matrix;
    start.message = fmt::format("The start of '{}' is where two solutions of the constraints meet.",
                                view_.model.variables()[v].name);
    return;
  }
}

/// Fixed values hold: derivatives that the model names and that follow from the others cannot be
/// given, and the correction of what the search has found moves none.
void TaylorSystem::check_fixed_values(const StartWishes& variables, Start& start) const {
  constexpr double tolerance = 1e-6;
  for (std::size_t v = 0; v < variables.unknowns.size(); ++v) {
    const analysis::InitialUnknown& wish = variables.unknowns[v];
    const auto p = to_size(structure_.place_of(to_index(v)));
    if (wish.role != analysis::Role::held) continue;
    if (std::abs(start.x[p] - wish.value) <= tolerance * (wish.nominal + std::abs(wish.value)))
      continue;
    start.status = Status::inconsistent_start;
    start.message =
        fmt::format("The start value {:.6g} of '{}' is fixed, but the equations determine {:.6g}.",
                    wish.value, view_.model.variables()[v].name, start.x[p]);
    return;
  }
}

TaylorSystem::EventWishes TaylorSystem::event_wishes(std::size_t number, std::span<const double> x,
                                                     std::span<const double> xp,
                                                     const ModelRun& run) const {
  using analysis::Role;
  const TaylorBlock& block = structure_.blocks()[number];
  const auto is_reset = [&](std::size_t place) {
    return std::ranges::any_of(run.reinitialized, [&](std::int32_t variable) {
      return structure_.place_of(variable) == to_index(place);
    });
  };
  // What reinit gives an unknown with m derivatives left to the highest is met by changes of those
  // with at most m left: a velocity moves velocities, not positions.
  int changes_below = 0;
  for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
    const auto place = to_size(structure_.first_place(block.unknowns[j]));
    for (int l = 0; l < structure_.n_places(block.unknowns[j]); ++l) {
      if (is_reset(place + to_size(l))) changes_below = std::max(changes_below, block.d[j] - l);
    }
  }
  EventWishes result;
  for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
    const Index unknown = block.unknowns[j];
    const auto place = to_size(structure_.first_place(unknown));
    for (int l = 0; l <= block.d[j]; ++l) {
      const auto k = to_size(l);
      const bool is_place = l < structure_.n_places(unknown);
      const bool is_given = is_place && is_reset(place + k);
      const bool is_state = l < block.d[j];
      // States without constraints do not depend on each other.
      const bool is_kept = block.max_c == 0 || block.d[j] - l > changes_below;
      result.unknowns.push_back({.value = is_place ? x[place + k] : xp[place + k - 1],
                                 .role = is_given || (is_state && is_kept) ? Role::held
                                         : is_state                        ? Role::guess
                                                                           : Role::free,
                                 .nominal = nominals_[place + (is_place ? k : 0)]});
      result.may_move.push_back(is_state && is_kept && !is_given);
    }
  }
  return result;
}

Evaluation TaylorSystem::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                         ModelRun& run) const {
  const Evaluation evaluation = expand_blocks(t, 1.0, 1, run, [&](std::size_t b, TaylorWork&) {
    return search(
        b, false,
        [&](BlockConstraints& constraints) {
          EventWishes wishes = event_wishes(b, x, xp, run);
          constraints.scale_derivatives(wishes.unknowns);
          return find_after_event(constraints, std::move(wishes.unknowns), run,
                                  [&](std::size_t k) { return bool(wishes.may_move[k]); });
        },
        run);
  });
  if (evaluation != Evaluation::ok) {
    run.failure.detail = fmt::format("After the event at t = {:.12g}: {}", t, run.failure.detail);
    return Evaluation::fatal;
  }
  unload(work_of(run), x, xp);
  return Evaluation::ok;
}

std::string TaylorSystem::cancelling_sums(std::size_t number, double t, ModelRun& run) const {
  const TaylorBlock& block = structure_.blocks()[number];
  Pool pool(view_.pool);
  std::vector<NodeId> roots;
  for (const Index row : block.rows) {
    const NodeId root = view_.residuals[to_size(structure_.model().equations[to_size(row)])];
    roots.push_back(pool[root].op == Op::neg ? pool[root].a : root);
  }
  std::vector<NodeId> sums;
  std::vector<NodeId> nodes;
  const Reachable reachable(pool, roots);
  for (const NodeId id : reachable.ids()) {
    const Node node = pool[id];
    if ((node.op != Op::add && node.op != Op::sub) || std::ranges::find(roots, id) != roots.end())
      continue;
    sums.push_back(id);
    nodes.insert(nodes.end(), {id, node.a, node.b});
  }
  const auto program =
      kernel::Program::compile(pool, nodes, TaylorStructure::inputs(pool, nodes, block.leaves));
  TaylorWork& work = work_of(run);
  Evaluator evaluator(program);
  const auto values = evaluator(run.blocks(t, work.blocks[number].leaf_values(work.state), {}));
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double size = std::max(std::abs(values[3 * k + 1]), std::abs(values[3 * k + 2]));
    if (std::abs(values[3 * k]) > vanishing * size || size == 0.0) continue;
    texts.push_back("'" + expression_text(view_.model, pool, sums[k]) + "'");
  }
  if (texts.empty()) return {};
  return fmt::format(" {} {} to zero there.", join_words(texts), texts.size() == 1 ? "goes" : "go");
}

std::string TaylorSystem::describe(double t, ModelRun& run) const {
  TaylorWork& work = work_of(run);
  double least = vanishing;
  std::size_t worst_block = 0;
  Index worst_row = -1;
  for (std::size_t b = 0; b < work.blocks.size(); ++b) {
    const TaylorBlock& block = structure_.blocks()[b];
    const std::vector<double> here = row_sizes(block, work.blocks[b].jacobian());
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double share = here[i] / work.greatest[to_size(block.rows[i])];
      if (!(share < least)) continue;
      least = share;
      worst_block = b;
      worst_row = to_index(i);
    }
  }
  if (worst_row < 0) return {};
  const TaylorBlock& block = structure_.blocks()[worst_block];
  std::vector<std::string> unknowns;
  for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
    for (Index k = block.pattern.column_start[j]; k < block.pattern.column_start[j + 1]; ++k) {
      if (block.pattern.row[to_size(k)] != worst_row) continue;
      unknowns.push_back("'" + structure_.unknown_name(block.unknowns[j], 0) + "'");
    }
  }
  return fmt::format(
      "The equation {} determines {} no longer: near t = {:.6g} its derivatives by {} have shrunk "
      "to {:.1g} of what they were.{}",
      structure_.equation_name(block.rows[to_size(worst_row)], 0), join_words(unknowns), t,
      unknowns.size() == 1 ? "it" : "them", least, cancelling_sums(worst_block, t, run));
}

}  // namespace daedal::formulation
