// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/events/model_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/affine.hpp"
#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "formulation/events/event_iteration.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/simplify/known_values.hpp"

namespace daedal::formulation {

namespace {

bool is_held_between_events(Op op) {
  return op != Op::variable && op != Op::time;
}

/// What a variable adds to the scale of g: where g is a multiple of it beside other terms, as s/1e9
/// is, so much of its nominal value. A nominal value of 1 may just not have been given.
NodeId scale_of(Pool& pool, NodeId g, NodeId variable, double nominal) {
  const NodeId factor = gradient(pool, g, std::span(&variable, 1)).front();
  const auto leaves = dependencies(pool, std::span(&factor, 1));
  const bool is_multiple =
      nominal != 1.0 && is_affine(pool, g, std::span(&variable, 1)) &&
      std::ranges::all_of(leaves, [&](NodeId leaf) { return pool[leaf].op == Op::parameter; });
  const NodeId size = pool.constant(nominal);
  return is_multiple ? pool.mul(size, pool.unary(Op::abs, factor)) : size;
}

}  // namespace

double side_of(Op op, double mode) {
  const bool rises = op == Op::greater || op == Op::greater_equal;
  return (mode != 0.0) == rises ? 1.0 : -1.0;
}

ModelEvents::ModelEvents(const GeneralView& view) : model_(view.model) {
  const auto pool = std::make_shared<Pool>(view.pool);
  const auto inputs = model_inputs(model_, *pool);
  for (std::size_t j = 0; j < model_.variables().size(); ++j) {
    if (view.is_differential[j]) differential_.push_back(j);
  }
  classify_relations(view, *pool);
  compile_relations(view, *pool, inputs);
  compile_discrete_part(*pool, inputs);
}

void ModelEvents::classify_relations(const GeneralView& view, Pool& pool) {
  std::vector<bool> dynamic_relation(static_cast<std::size_t>(pool.n_relations()), false);
  dynamic_discrete_.assign(model_.discretes().size(), false);
  const Reachable reached(pool, view.residuals);
  for (const NodeId id : reached.ids()) {
    const Node& node = pool[id];
    if (is_relation(node.op) && node.symbol >= 0)
      dynamic_relation[static_cast<std::size_t>(node.symbol)] = true;
    if (node.op == Op::discrete || node.op == Op::pre)
      dynamic_discrete_[static_cast<std::size_t>(node.symbol)] = true;
  }
  std::vector<NodeId> sides;
  for (const std::int32_t id : view.relations) {
    const Node node = pool[pool.relation_node(id)];
    sides.push_back(node.a);
    sides.push_back(node.b);
  }
  sides = in_known_values(view, pool, sides);
  LeafWalker walker(pool);
  std::vector<bool> is_scheduled(model_.discretes().size(), false);
  for (const auto& schedule : model_.schedules())
    for (const std::int32_t i : schedule->discretes)
      is_scheduled[to_size(i)] = schedule->past.is_moving();
  std::int32_t n_thresholds = 0;
  for (const std::int32_t id : view.relations) {
    const Node node = pool[pool.relation_node(id)];
    const std::size_t i = 2 * relations_.size();
    Relation relation{.id = id, .op = node.op, .left = sides[i], .right = sides[i + 1]};
    relation.is_equality = node.op == Op::equal || node.op == Op::not_equal;
    relation.is_dynamic = dynamic_relation[static_cast<std::size_t>(id)];
    const auto held = [&](NodeId argument) {
      const auto leaves = walker.leaves_between_events(argument);
      return std::all_of(leaves.begin(), leaves.end(),
                         [&](NodeId leaf) { return is_held_between_events(pool[leaf].op); });
    };
    relation.is_discrete = held(relation.left) && held(relation.right);
    for (const NodeId leaf : walker.leaves_between_events(pool.sub(relation.left, relation.right)))
      relation.is_followed |=
          pool[leaf].op == Op::discrete && is_scheduled[to_size(pool[leaf].symbol)];
    const bool time_rises = pool[relation.left].op == Op::time && held(relation.right);
    const bool time_falls = pool[relation.right].op == Op::time && held(relation.left);
    if (!relation.is_equality && (time_rises || time_falls)) {
      relation.threshold = n_thresholds++;
      relation.side_before = time_rises ? -1.0 : 1.0;
    }
    if (!relation.is_discrete && !relation.is_equality) exported_.push_back(relations_.size());
    relations_.push_back(relation);
  }
}

void ModelEvents::compile_relations(const GeneralView& view, Pool& pool,
                                    std::span<const kernel::Input> inputs) {
  std::vector<NodeId> sides;
  std::vector<NodeId> differences;
  std::vector<NodeId> thresholds;
  for (const Relation& relation : relations_) {
    sides.push_back(relation.left);
    sides.push_back(relation.right);
    differences.push_back(pool.sub(relation.left, relation.right));
    if (relation.threshold >= 0)
      thresholds.push_back(pool[relation.left].op == Op::time ? relation.right : relation.left);
  }
  std::vector<NodeId> functions;
  for (const std::size_t number : exported_) functions.push_back(differences[number]);
  auto rates = total_time_derivative(pool, differences);
  std::vector<NodeId> scales;
  LeafWalker walker(pool);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    relations_[i].nominal = 0.0;
    relations_[i].is_continuous = true;
    scales.push_back(pool.constant(0.0));
    const auto found = walker.leaves_between_events(differences[i]);
    for (const NodeId leaf : std::vector<NodeId>(found.begin(), found.end())) {
      if (pool[leaf].op != Op::variable) continue;
      relations_[i].is_continuous &=
          pool[leaf].order == 0 &&
          view.is_differential[static_cast<std::size_t>(pool[leaf].symbol)];
      const double nominal =
          model_.variables()[static_cast<std::size_t>(pool[leaf].symbol)].nominal;
      relations_[i].nominal = std::max(relations_[i].nominal, nominal);
      scales[i] = pool.binary(Op::max, scales[i], scale_of(pool, differences[i], leaf, nominal));
    }
    const auto leaves = walker.leaves_between_events(rates[i]);
    const bool known = std::all_of(leaves.begin(), leaves.end(), [&](NodeId leaf) {
      const Node& node = pool[leaf];
      return node.op != Op::variable || node.order == 0 ||
             (node.order == 1 && view.is_differential[static_cast<std::size_t>(node.symbol)]);
    });
    relations_[i].has_rate = known;
    if (!known) rates[i] = pool.constant(0.0);
  }
  functions_ = kernel::Program::compile(pool, functions, inputs);
  sides_ = kernel::Program::compile(pool, sides, inputs);
  rates_ = kernel::Program::compile(pool, rates, inputs);
  time_thresholds_ = kernel::Program::compile(pool, thresholds, inputs);
  scales_ = kernel::Program::compile(pool, scales, inputs);
}

void ModelEvents::compile_discrete_part(Pool& pool, std::span<const kernel::Input> inputs) {
  std::vector<NodeId> discretes;
  for (const auto& equation : model_.discrete_equations()) discretes.push_back(equation.value);
  std::vector<NodeId> conditions;
  std::vector<NodeId> values;
  for (const WhenClause& clause : model_.when_clauses()) {
    auto& branches = clauses_.emplace_back();
    for (const WhenBranch& branch : clause.branches) {
      Branch compiled{.condition = conditions.size()};
      const auto leaves = dependencies(pool, std::span(&branch.condition, 1));
      compiled.at_start = std::any_of(leaves.begin(), leaves.end(),
                                      [&](NodeId leaf) { return pool[leaf].op == Op::initial; });
      conditions.push_back(branch.condition);
      for (const WhenAction& action : branch.actions) {
        compiled.actions.push_back({.action = &action, .value = values.size()});
        values.push_back(action.value == no_node ? pool.constant(1.0) : action.value);
        values.insert(values.end(), action.arguments.begin(), action.arguments.end());
      }
      branches.push_back(std::move(compiled));
    }
  }
  std::vector<NodeId> assertions;
  for (const Assertion& assertion : model_.assertions()) assertions.push_back(assertion.condition);
  std::vector<NodeId> samplers;
  for (const Sampler& sampler : model_.samplers()) {
    samplers.push_back(sampler.start);
    samplers.push_back(sampler.interval);
  }
  std::vector<NodeId> starts;
  for (const Variable& variable : model_.discretes()) starts.push_back(start_node(variable, pool));
  discrete_values_ = kernel::Program::compile(pool, discretes, inputs);
  when_conditions_ = kernel::Program::compile(pool, conditions, inputs);
  when_values_ = kernel::Program::compile(pool, values, inputs);
  assertions_ = kernel::Program::compile(pool, assertions, inputs);
  samplers_ = kernel::Program::compile(pool, samplers, inputs);
  discrete_starts_ = kernel::Program::compile(pool, starts, inputs);
}

void ModelEvents::prepare(ModelRun& run) const {
  EventMemory& memory = run.events;
  run.has_end_event = !relations_.empty() || !clauses_.empty();
  memory.crossed.assign(relations_.size(), -infinity);
  memory.n_hasty.assign(relations_.size(), 0);
  memory.offsets.assign(relations_.size(), 0.0);
  memory.n_quick.assign(relations_.size(), 0);
  memory.targets.assign(relations_.size(), 0.0);
  memory.peaks.assign(relations_.size(), 0.0);
  memory.bands.assign(relations_.size(), 0.0);
  memory.thresholds.assign(to_size(time_thresholds_.n_outputs()), infinity);
  memory.conditions.assign(to_size(when_conditions_.n_outputs()), 0.0);
  memory.n_taken.assign(model_.samplers().size(), 0);
  memory.next_rows.assign(model_.schedules().size(), 0);
  memory.stretch_ends.assign(model_.schedules().size(), -infinity);
  memory.histories.assign(model_.schedules().size(), {});
  memory.warned.assign(model_.assertions().size(), false);
  memory.functions = Evaluator(functions_);
  memory.sides = Evaluator(sides_);
  memory.rates = Evaluator(rates_);
  memory.discretes = Evaluator(discrete_values_);
  memory.when_conditions = Evaluator(when_conditions_);
  memory.when_values = Evaluator(when_values_);
  memory.assertions = Evaluator(assertions_);
  memory.time_thresholds = Evaluator(time_thresholds_);

  const double t = 0.0;  // start values and samplers are expressions of parameters alone
  const auto blocks = run.blocks(t, run.values, run.derivatives);
  Evaluator scales(scales_);
  const auto found = scales(blocks);
  memory.scales.assign(found.begin(), found.end());
  Evaluator discrete_starts(discrete_starts_);
  const auto starts = discrete_starts(blocks);
  run.discretes.assign(starts.begin(), starts.end());
  run.pre = run.discretes;
  read_samplers(run);
}

/// Starts and intervals of the samplers; parameters that they depend on may have been found since.
void ModelEvents::read_samplers(ModelRun& run) const {
  EventMemory& memory = run.events;
  const double t = 0.0;
  Evaluator samplers(samplers_);
  const auto times = samplers(run.blocks(t, run.values, run.derivatives));
  memory.sampler_starts.clear();
  memory.sampler_intervals.clear();
  for (std::size_t i = 0; i < model_.samplers().size(); ++i) {
    memory.sampler_starts.push_back(times[2 * i]);
    memory.sampler_intervals.push_back(times[2 * i + 1]);
  }
}

Evaluation ModelEvents::event_functions(double t, std::span<const double> values,
                                        std::span<const double> derivatives, ModelRun& run,
                                        std::span<double> out) const {
  const auto blocks = run.blocks(t, values, derivatives);
  functions_.evaluate(blocks, out, run.events.functions.workspace);
  for (std::size_t i = 0; i < exported_.size(); ++i) {
    double& peak = run.events.peaks[exported_[i]];
    if (std::abs(out[i]) > peak && std::isfinite(out[i])) peak = std::abs(out[i]);
    out[i] += run.events.offsets[exported_[i]];
    // Unknowns that are solved for again at the event itself differ by rounding errors.
    if (t != run.events.left_at) continue;
    const Relation& relation = relations_[exported_[i]];
    const double side = side_of(relation.op, run.modes[to_size(relation.id)]);
    if (out[i] * side <= 0.0)
      out[i] = side * std::max(std::abs(out[i]), std::numeric_limits<double>::min());
  }
  return Evaluation::ok;
}

double ModelEvents::next_time_event(double t, const ModelRun& run) const {
  double next = next_instant(t, run);
  for (std::size_t i = 0; i < model_.schedules().size(); ++i)
    next = std::min(next, next_row(i, t, run));
  return next;
}

bool ModelEvents::is_smooth_event(double t, const ModelRun& run) const {
  bool is_smooth = next_instant(t, run) > t;
  for (std::size_t i = 0; i < model_.schedules().size() && is_smooth; ++i)
    is_smooth = is_smooth_row(i, run) || next_row(i, t, run) > t;
  for (const double threshold : run.events.thresholds) is_smooth = is_smooth && threshold != t;
  return is_smooth;
}

bool ModelEvents::is_smooth_row(std::size_t schedule, const ModelRun& run) const {
  const Schedule& rows = *model_.schedules()[schedule];
  if (rows.past.signal.empty()) return rows.is_smooth;
  const EventMemory& memory = run.events;
  return !memory.histories[schedule].breaks_at(memory.stretch_ends[schedule] - rows.past.delay);
}

/// The time of the next row of a schedule.
double ModelEvents::next_row(std::size_t schedule, double t, const ModelRun& run) const {
  const Past& past = model_.schedules()[schedule]->past;
  if (past.is_moving()) return infinity;
  if (!past.signal.empty()) return std::max(run.events.stretch_ends[schedule], t);
  const std::vector<double>& times = model_.schedules()[schedule]->times;
  const std::size_t row = run.events.next_rows[schedule];
  return row < times.size() ? std::max(times[row], t) : infinity;
}

/// The next time event, of samplers and of relations of time.
double ModelEvents::next_instant(double t, const ModelRun& run) const {
  const EventMemory& memory = run.events;
  double next = infinity;
  for (std::size_t i = 0; i < memory.n_taken.size(); ++i) {
    const double instant = memory.sampler_starts[i] +
                           static_cast<double>(memory.n_taken[i]) * memory.sampler_intervals[i];
    next = std::min(next, std::max(instant, t));
  }
  for (const double threshold : memory.thresholds)
    if (threshold > t) next = std::min(next, threshold);
  return next;
}

std::string ModelEvents::relation_text(std::size_t number) const {
  const Pool& pool = *model_.pool();
  return expression_text(model_, pool, pool.relation_node(relations_[number].id));
}

std::string ModelEvents::describe(std::span<const std::int64_t> fired, const Change& change) const {
  if (!change.message.empty()) return change.message;
  if (fired.empty()) return "time event";
  std::vector<std::string> parts;
  for (const std::int64_t number : fired)
    parts.push_back(relation_text(exported_[to_size(number)]));
  return join_words(parts);
}

Change ModelEvents::check_assertions(double t, std::span<const double> values,
                                     std::span<const double> derivatives, ModelRun& run) const {
  const auto holds = run.events.assertions(run.blocks(t, values, derivatives));
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i] != 0.0) continue;
    const Assertion& assertion = model_.assertions()[i];
    std::string text = fmt::format("The assertion{} does not hold at t = {:.12g}: {}",
                                   place_suffix(assertion.where), t, assertion.message);
    if (!assertion.warning)
      return {.kind = Change::Kind::stop, .status = Status::assertion_failed, .message = text};
    if (run.events.warned[i]) continue;
    run.events.warned[i] = true;
    run.warnings.push_back(std::move(text));
  }
  return {};
}

Change ModelEvents::initialize(double t, std::span<double> x, std::span<double> xp, ModelRun& run,
                               const StateAccess& access,
                               const std::function<Change()>& solve) const {
  EventIteration iteration(*this, t, x, xp, run, access);
  return run.resumed ? iteration.resume(solve) : iteration.initialize(solve);
}

Change ModelEvents::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                             std::span<double> xp, ModelRun& run, const StateAccess& access) const {
  return EventIteration(*this, t, x, xp, run, access).execute(fired);
}

}  // namespace daedal::formulation
