// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/calculus.hpp"
#include "formulation/frame/start_problem.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// A fixed algebraic variable that is given to so many digits is the same.
constexpr double same_value = 1e-6;

/// Whether the model of a view is what the model of the request is recognised as.
bool is_recognized(const Request& request, const Model& model) {
  return recognized(request).view().model.equations().data() == model.equations().data();
}

}  // namespace

ConstrainedContext::ConstrainedContext(const Request& request, ConstrainedView view,
                                       Meeting meeting)
    : ModelContext(is_recognized(request, view.model) ? recognized(request).view()
                                                      : general_view(view.model),
                   request.parameters, request.starts,
                   is_recognized(request, view.model) ? recognized(request).events() : nullptr),
      view_(std::move(view)),
      n_(to_index(view_.states.front().size())),
      m_(to_index(view_.n_constraints())),
      start_values_(view_.model) {
  for (const auto& states : view_.states) {
    for (const std::int32_t state : states) {
      nominals_.push_back(view_.model.variables()[to_size(state)].nominal);
    }
  }
  name_invariants();
  Pool pool(view_.pool);
  const std::vector<kernel::Input> bound = inputs(pool);
  outputs_ = kernel::Program::compile(pool, view_.outputs, bound);
  std::vector<NodeId> all;
  for (const auto& level : view_.levels) {
    std::ranges::copy_if(level, std::back_inserter(all), [](NodeId g) { return g != no_node; });
  }
  levels_ = kernel::Program::compile(pool, all, bound);
  event_stages_ = make_stages(meeting, {}, pool, bound);
  const InitialResiduals initial = initial_residuals(view_, pool);
  start_stages_ =
      initial.residuals.empty() ? event_stages_ : make_stages(meeting, initial, pool, bound);
}

void ConstrainedContext::name_invariants() {
  for (std::size_t j = 0; j < view_.levels.size(); ++j) {
    level_start_.push_back(to_index(invariant_names_.size()));
    for (Index i = 0; i < m_; ++i) {
      if (view_.levels[j][to_size(i)] == no_node) continue;
      const std::string name = constraint_name(i);
      invariant_names_.push_back(j == 0   ? name
                                 : j == 1 ? "the time derivative of " + name
                                          : fmt::format("time derivative {} of {}", j, name));
    }
  }
  level_start_.push_back(to_index(invariant_names_.size()));
}

std::vector<ConstrainedContext::Stage> ConstrainedContext::make_stages(
    Meeting meeting, const InitialResiduals& initial, Pool& pool,
    std::span<const kernel::Input> bound) {
  std::vector<Stage> stages;
  const int n_stages = meeting == Meeting::by_levels ? order() : 1;
  for (int k = 0; k < n_stages; ++k) {
    const bool is_all = meeting == Meeting::together;
    std::vector<NodeId> equations;
    std::vector<std::int32_t> unknowns;
    std::vector<std::string> names;
    for (int j = is_all ? 0 : k; j < (is_all ? view_.index() - 1 : k + 1); ++j) {
      for (const NodeId g : view_.levels[to_size(j)]) {
        if (g != no_node) equations.push_back(g);
      }
      names.insert(names.end(), invariant_names_.begin() + level_start(j),
                   invariant_names_.begin() + level_start(j + 1));
    }
    for (int j = is_all ? 0 : k; j < (is_all ? order() : k + 1); ++j) {
      const auto& states = view_.states[to_size(j)];
      unknowns.insert(unknowns.end(), states.begin(), states.end());
    }
    for (std::size_t i = 0; i < initial.residuals.size(); ++i) {
      if (!is_all && initial.levels[i] != k) continue;
      equations.push_back(initial.residuals[i]);
      names.push_back(initial.names[i]);
    }
    // x⁽ᵏ⁾ is in g⁽ᵏ⁾ as x is in g.
    const bool is_known = !is_all && equations.size() == view_.n_constraints() &&
                          names.size() == equations.size() &&
                          unknowns.size() == view_.states.front().size();
    Stage stage{CompiledEquations::compile(pool, equations, std::move(unknowns), bound,
                                           is_known ? std::span<const JacobianEntry>(view_.jacobian)
                                                    : std::span<const JacobianEntry>()),
                is_all ? 0 : k * n_};
    stage.equations.names = std::move(names);
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::vector<kernel::Input> ConstrainedContext::inputs(Pool& pool) const {
  std::vector<kernel::Input> bound = held_inputs(view_.model, pool,
                                                 {.time = time_block,
                                                  .parameters = parameter_block,
                                                  .modes = mode_block,
                                                  .discretes = discrete_block,
                                                  .pre = pre_block});
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    const int block = first_state_block + static_cast<int>(k);
    const bool is_last = k + 1 == view_.states.size();
    for (std::size_t i = 0; i < view_.states[k].size(); ++i) {
      bound.push_back({pool.variable(view_.states[k][i]), block, to_index(i)});
      bound.push_back(
          {pool.variable(view_.states[k][i], 1), is_last ? top_block : block + 1, to_index(i)});
    }
  }
  for (std::size_t i = 0; i < view_.algebraic.size(); ++i) {
    bound.push_back({pool.variable(view_.algebraic[i]), algebraic_block, to_index(i)});
  }
  return bound;
}

std::span<const double*> ConstrainedContext::blocks(const double& t, std::span<const double> x,
                                                    ConstrainedRun& run) const {
  (void)held_blocks(t, run);
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    run.pointers[first_state_block + k] = x.data() + k * to_size(n_);
  }
  return run.pointers;
}

void ConstrainedContext::prepare(ConstrainedRun& run) const {
  run.pointers.assign(first_state_block + view_.states.size(), nullptr);
  run.outputs = Evaluator(outputs_);
  run.levels = Evaluator(levels_);
  run.top.assign(to_size(n_), 0.0);
  run.u.assign(view_.algebraic.size(), 0.0);
}

Evaluation ConstrainedContext::derivatives(double t, std::span<const double> x, ConstrainedRun& run,
                                           std::span<double> xp) const {
  const Evaluation solved = solve(t, x, run);
  if (solved != Evaluation::ok) return solved;
  std::copy_n(x.begin() + n_, n_states() - n_, xp.begin());
  std::copy(run.top.begin(), run.top.end(), xp.begin() + n_states() - n_);
  return Evaluation::ok;
}

std::span<const double> ConstrainedContext::invariants(double t, std::span<const double> x,
                                                       ConstrainedRun& run) const {
  const auto out = run.levels(blocks(t, x, run));
  if (is_finite(out)) return out;
  note_failure(Status::non_finite_value,
               fmt::format("A constraint is not finite at t = {:.12g}.", t), run);
  return {};
}

double ConstrainedContext::level_residual(double t, std::span<const double> x,
                                          std::span<const double>, int level,
                                          ConstrainedRun& run) const {
  const auto all = invariants(t, x, run);
  if (all.empty() && n_invariants() > 0) return not_a_number;
  const auto first = to_size(level_start(level));
  return greatest(all.subspan(first, to_size(level_start(level + 1)) - first));
}

ProgramConstraints ConstrainedContext::constraints(const Stage& stage, const double& t,
                                                   std::span<double> x, ConstrainedRun& run) const {
  return {stage.equations, view_.model, [this, &stage, &t, x, &run](std::span<const double> u) {
            // Trial values stand in the place of the states that they are for.
            const auto all = blocks(t, x, run);
            for (std::size_t k = 0; k * to_size(n_) < u.size(); ++k) {
              all[first_state_block + to_size(stage.first / n_) + k] = u.data() + k * to_size(n_);
            }
            return std::vector<const double*>(all.begin(), all.end());
          }};
}

void ConstrainedContext::check_fixed(const StartWishes& wishes, double t0, ConstrainedRun& run,
                                     Start& start) const {
  for (std::size_t i = 0; i < view_.algebraic.size(); ++i) {
    const auto k = to_size(view_.algebraic[i]);
    const Variable& variable = view_.model.variables()[k];
    const analysis::InitialUnknown& wish = wishes.unknowns[k];
    const double size = std::max(std::abs(run.u[i]), variable.nominal);
    const bool is_held = wish.role == analysis::Role::held;
    if (!is_held || std::abs(run.u[i] - wish.value) <= same_value * size) continue;
    start.status = Status::inconsistent_start;
    start.message = fmt::format(
        "At t = {:.12g} the states determine '{}' = {:.6g}: its fixed start value {:g} contradicts "
        "them.",
        t0, variable.name, run.u[i], wish.value);
    return;
  }
}

Start ConstrainedContext::wished_values(const StartWishes& wishes, ConstrainedRun& run) const {
  Start start;
  start.x.resize(to_size(n_states()));
  start.xp.resize(start.x.size());
  const auto value = [&](std::int32_t variable) {
    return wishes.unknowns[to_size(variable)].value;
  };
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    std::ranges::transform(view_.states[k], start.x.begin() + to_index(k) * n_, value);
  }
  std::ranges::transform(view_.algebraic, run.u.begin(), value);
  run.general.accepted_u = run.u;
  return start;
}

void ConstrainedContext::complete_start(const StartWishes& wishes, double t0, ConstrainedRun& run,
                                        Start& start) const {
  if (derivatives(t0, start.x, run, start.xp) == Evaluation::ok) {
    return check_fixed(wishes, t0, run, start);
  }
  start.status = run.failure.status;
  start.message = run.failure.detail;
}

Start ConstrainedContext::find_start(double t0, ConstrainedRun& run) const {
  const StartWishes wishes = start_values_.wishes(run);
  Start start = wished_values(wishes, run);
  for (const Stage& stage : start_stages_) {
    ProgramConstraints equations = constraints(stage, t0, start.x, run);
    const std::span<double> unknowns =
        std::span(start.x).subspan(to_size(stage.first), stage.equations.unknowns.size());
    if (!meet_start_values(equations, wishes, unknowns, run.stop, start)) return start;
  }
  complete_start(wishes, t0, run, start);
  return start;
}

Start ConstrainedContext::take_start(double t0, ConstrainedRun& run) const {
  const StartWishes wishes = start_values_.wishes(run);
  Start start = wished_values(wishes, run);
  for (const Stage& stage : start_stages_) {
    ProgramConstraints equations = constraints(stage, t0, start.x, run);
    std::vector<double> residual(to_size(equations.n_equations()));
    const Index bad = equations.residual(
        std::span(start.x).subspan(to_size(stage.first), stage.equations.unknowns.size()),
        residual);
    const bool is_met = std::ranges::all_of(residual, [](double value) { return value == 0.0; });
    if (bad < 0 && is_met) continue;
    start.status = Status::newton_failure;
    return start;
  }
  complete_start(wishes, t0, run, start);
  return start;
}

Evaluation ConstrainedContext::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                               ModelRun& base) const {
  auto& run = run_of<ConstrainedRun>(base);
  const std::vector<double> before(x.begin(), x.begin() + n_states());
  const bool is_free = run.reinitialized.empty();
  bool is_impact = false;
  for (const Stage& stage : event_stages_) {
    if (is_free && order() == 2 && stage.first == n_ && meet_velocities(t, x, run)) {
      is_impact = true;
      continue;
    }
    ProgramConstraints equations = constraints(stage, t, x, run);
    const std::span<double> unknowns =
        x.subspan(to_size(stage.first), stage.equations.unknowns.size());
    const Evaluation met = meet_beside_held(equations, unknowns, run);
    if (met != Evaluation::ok) return met;
  }
  if (is_free && !tell_jump(t, before, x, is_impact, run)) return Evaluation::fatal;
  return derivatives(t, x, run, xp);
}

bool ConstrainedContext::tell_jump(double t, std::span<const double> before,
                                   std::span<const double> after, bool is_impact,
                                   ConstrainedRun& run) const {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!is_jump(before[i], after[i], nominals_[i])) continue;
    const std::size_t n = to_size(n_);
    const std::int32_t variable = view_.states[i / n][i % n];
    const std::string jump =
        fmt::format("'{}' from {:.6g} to {:.6g}", view_.model.variables()[to_size(variable)].name,
                    before[i], after[i]);
    if (!is_impact || i < n) {
      run.failure = {
          Status::impulse, -1,
          fmt::format("At t = {:.12g} the constraints would have to move {} at once. Say "
                      "by reinit what happens.",
                      t, jump)};
      return false;
    }
    run.warnings.push_back(fmt::format(
        "At t = {:.9g} the constraints change the velocity {} at once. This is an impact without "
        "rebound: the impulse is normal to the constraints, and all other momentum is conserved.",
        t, jump));
    return true;
  }
  return true;
}

void ConstrainedContext::read(double t, std::span<const double> x, std::span<const double>,
                              ModelRun& base, std::span<double> values,
                              std::span<double> derivatives) const {
  auto& run = run_of<ConstrainedRun>(base);
  bool is_met = false;
  if (meets_levels_) {
    const Failure before = run.failure;
    run.met.assign(x.begin(), x.begin() + n_states());
    is_met = meet_levels(t, run.met, run);
    run.failure = before;
  }
  const std::span<const double> at = is_met ? run.met : x;
  // Where u is not determined it is not a number, and so is what needs it.
  if (solve(t, at, run) != Evaluation::ok) std::ranges::fill(run.u, not_a_number);
  for (const Index i : drifting_) {
    if (is_met) run.met[to_size(i)] = x[to_size(i)];
  }
  write_outputs(t, at, run, values, derivatives);
}

void ConstrainedContext::meet_levels_of(int index) {
  meets_levels_ = true;
  Pool pool(view_.pool);
  std::vector<NodeId> lower, states;
  for (std::size_t j = 0; j < view_.levels.size(); ++j) {
    for (std::size_t i = 0; i < to_size(m_); ++i) {
      const NodeId level = view_.levels[j][i];
      const bool is_below = view_.depths[i] - static_cast<int>(j) >= index;
      if (level != no_node && is_below) lower.push_back(level);
    }
  }
  for (const auto& derivatives : view_.states) {
    for (const std::int32_t state : derivatives) states.push_back(pool.variable(state));
  }
  for (const JacobianEntry& entry : jacobian(pool, lower, states)) {
    drifting_.push_back(entry.column);
  }
}

std::vector<double> ConstrainedContext::result_weights(const ConstrainedRun& run) const {
  std::vector<double> weights;
  for (const double nominal : nominals_) weights.push_back(1.0 / (run.rtol * nominal));
  return weights;
}

void ConstrainedContext::write_outputs(double t, std::span<const double> x, ConstrainedRun& run,
                                       std::span<double> values,
                                       std::span<double> derivatives) const {
  const std::span<const double> out = run.outputs(blocks(t, x, run));
  std::copy(out.begin(), out.end(), values.begin());
  if (derivatives.empty()) return;
  std::ranges::fill(derivatives, not_a_number);
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    const double* rates =
        k + 1 == view_.states.size() ? run.top.data() : x.data() + (k + 1) * to_size(n_);
    for (std::size_t i = 0; i < view_.states[k].size(); ++i) {
      derivatives[to_size(view_.states[k][i])] = rates[i];
    }
  }
}

bool ConstrainedContext::assign(std::int32_t variable, double value, std::span<double> x) const {
  for (std::size_t k = 0; k < view_.states.size(); ++k) {
    const auto& states = view_.states[k];
    const auto found = std::ranges::find(states, variable);
    if (found == states.end()) continue;
    x[k * to_size(n_) + to_size(found - states.begin())] = value;
    return true;
  }
  return false;
}

std::string ConstrainedContext::constraint_name(Index constraint) const {
  return equation_label(view_.model, view_.constraint_equations[to_size(constraint)]);
}

const std::string& ConstrainedContext::state_name(Index state) const {
  const auto& states = view_.states[to_size(state / n_)];
  return view_.model.variables()[to_size(states[to_size(state % n_)])].name;
}

Formulation constrained_formulation(const Request& request,
                                    const std::shared_ptr<const ConstrainedContext>& context,
                                    const ConstrainedParts& parts) {
  Formulation result;
  const auto settle = [context, extend = parts.extend_start](auto find) {
    return [context, extend, find](double t0, Run& base) {
      auto& run = run_of<ConstrainedRun>(base);
      Start found = context->settle_start(t0, to_size(context->n_states()), run,
                                          [&] { return ((*context).*find)(t0, run); });
      if (extend) extend(t0, run, found);
      return found;
    };
  };
  result.find_start = settle(&ConstrainedContext::find_start);
  result.take_start = settle(&ConstrainedContext::take_start);
  result.outputs = model_outputs(context, to_index(request.model.variables().size()));
  result.levels.n = context->n_levels();
  result.levels.residual = [context](double t, std::span<const double> x,
                                     std::span<const double> xp, int level, Run& run) {
    return context->level_residual(t, x, xp, level, run_of<ConstrainedRun>(run));
  };
  result.levels.residuals = [context](double t, std::span<const double> x,
                                      std::span<const double> xp, Run& run,
                                      std::span<double> residuals) {
    context->level_residuals(t, x, xp, run_of<ConstrainedRun>(run), residuals);
  };
  result.watch.is_on = parts.watches;
  result.watch.describe = [context](double t, std::span<const double> x, Run& run) {
    return context->describe_singularity(t, x, run_of<ConstrainedRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
