// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/start_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <string>

#include "model/labels.hpp"
#include "model/variants.hpp"

namespace daedal::formulation {

namespace {

/// A state that moves by less, of its value and of its nominal value, has followed the drift of a
/// constraint.
constexpr double smallest_jump = 1e-3;
constexpr double smallest_jump_of_nominal = 1e-6;

/// A default start value moves more easily than a given one.
constexpr double confidence_of_default = 1e-3;
/// One of a variable that is to be no state says less than one of a variable that may be.
constexpr double confidence_of_avoided = 0.1;
/// The way from simplified to actual equations: the first part of it, and the shortest.
constexpr double first_share = 0.25;
constexpr double least_increase = 1e-3;
/// More names than this say nothing more.
constexpr std::size_t most_start_names = 20;

}  // namespace

std::vector<std::optional<double>> find_given_starts(const Model& model, const Overrides& starts) {
  std::vector<std::optional<double>> result(model.variables().size());
  std::vector<std::string> names;
  for (const Variable& variable : model.variables()) names.push_back(variable.name);
  for (const auto& [name, value] : starts) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string nearest = nearest_name(name, names);
      throw ModelError(ErrorCode::unknown_name,
                       fmt::format("A start value is given for '{}', which is not a variable of "
                                   "model '{}'.{}",
                                   name, model.name(),
                                   nearest.empty() ? "" : " Did you mean '" + nearest + "'?"));
    }
    result[static_cast<std::size_t>(found - names.begin())] = value;
  }
  return result;
}

void refuse_free_parameters(const Model& model, std::string_view who) {
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.fixed) continue;
    throw ModelError(
        ErrorCode::unsupported,
        fmt::format("Parameter '{}'{} is to be found by the initial equations "
                    "(fixed = false), which {} do not take. Make it a variable with "
                    "the equation der({}) = 0.",
                    parameter.name, place_suffix(parameter.where), who, parameter.name),
        parameter.where);
  }
}

StartWishes StartWishes::of(std::span<const std::int32_t> variables) const {
  StartWishes result;
  for (const std::int32_t variable : variables) {
    result.unknowns.push_back(unknowns[to_size(variable)]);
    result.is_given.push_back(is_given[to_size(variable)]);
  }
  return result;
}

StartValues::StartValues(const Model& model) : model_(model) {
  Pool pool(model.pool());
  std::vector<NodeId> nodes;
  for (const Variable& variable : model.variables()) nodes.push_back(start_node(variable, pool));
  values_ = kernel::Program::compile(pool, nodes, model_inputs(model, pool));
}

StartWishes StartValues::wishes(ModelRun& run) const {
  using analysis::Role;
  Evaluator evaluator(values_);
  const double t = 0.0;  // start values are expressions of parameters alone
  const auto values = evaluator(run.blocks(t, run.values, run.derivatives));
  StartWishes result;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Variable& variable = model_.variables()[j];
    const bool has_value = run.starts[j].has_value() || variable.start != no_node;
    const double confidence =
        variable.state_select < StateSelect::standard ? confidence_of_avoided : 1.0;
    const bool is_held = run.starts[j].has_value() || variable.fixed;
    const double otherwise = has_value ? values[j] : std::clamp(0.0, variable.min, variable.max);
    result.unknowns.push_back({.value = run.starts[j].value_or(otherwise),
                               .role = is_held ? Role::held : Role::guess,
                               .nominal = variable.nominal,
                               .confidence = has_value ? confidence : confidence_of_default});
    result.is_given.push_back(has_value || variable.fixed);
    // A 0 says nothing: exporting tools write it to every variable.
    result.derives_defaults |= has_value && variable.state_select >= StateSelect::prefer &&
                               result.unknowns.back().value != 0.0;
  }
  return result;
}

double* homotopy_share(const Model& model, ModelRun& run) {
  const auto found = std::ranges::find(model.parameters(), homotopy_parameter, &Parameter::name);
  if (found == model.parameters().end()) return nullptr;
  return &run.parameters[static_cast<std::size_t>(found - model.parameters().begin())];
}

std::optional<analysis::InitialValues> StartProblem::follow(
    analysis::InitializerOptions options) const {
  const auto memory = analysis::make_initializer_memory();
  options.memory = memory.get();
  options.is_near = true;
  std::vector<analysis::InitialUnknown> unknowns = wishes.unknowns;
  analysis::InitialValues reached;
  reached.values = simplified;
  double share = 0.0;
  double increase = first_share;
  while (share < 1.0 && increase >= least_increase) {
    for (std::size_t j = 0; j < unknowns.size(); ++j)
      if (unknowns[j].role != analysis::Role::held) unknowns[j].value = reached.values[j];
    const double next = std::min(1.0, share + increase);
    *homotopy = next;
    auto found = analysis::find_initial_values(equations, unknowns, options);
    if (found.status == Status::success) {
      reached = std::move(found);
      share = next;
      increase *= 2.0;
    } else {
      increase *= 0.5;
    }
  }
  *homotopy = 1.0;
  if (share < 1.0) simplified.clear();  // in other modes of the actual equations it ends as well
  return share == 1.0 ? std::optional(std::move(reached)) : std::nullopt;
}

analysis::InitialValues StartProblem::solve(const StopSignal& stop, Start& start,
                                            bool goes_on) const {
  analysis::InitializerOptions options{
      .stop = stop, .by_blocks = true, .derives_defaults = wishes.derives_defaults};
  const bool is_simplified = homotopy != nullptr && *homotopy == 0.0;
  std::optional<analysis::InitialValues> followed;
  if (!is_simplified && !simplified.empty()) followed = follow(options);
  if (goes_on) options.origin = latest;
  analysis::InitialValues found =
      followed ? std::move(*followed)
               : analysis::find_initial_values(equations, wishes.unknowns, options);
  if (found.status == Status::success) (is_simplified ? simplified : latest) = found.values;
  start.status = found.status;
  start.message = found.message;
  return found;
}

void StartNotes::add(const analysis::ConstraintSet& equations, const StartWishes& wishes,
                     const analysis::InitialValues& found) {
  if (found.left_domain >= 0) left_domain.push_back(equations.equation_name(found.left_domain));
  const std::vector<bool>& is_given = wishes.is_given;
  double greatest = 0.0;
  for (std::size_t j = 0; j < is_given.size(); ++j) {
    greatest = std::max({greatest, std::abs(found.values[j]), wishes.unknowns[j].nominal});
  }
  for (std::size_t j = 0; j < is_given.size(); ++j) {
    if (is_given[j]) continue;
    completed.push_back(fmt::format("{} = {:.6g}", equations.unknown_name(to_index(j)),
                                    without_round_off(found.values[j], greatest)));
  }
  for (const analysis::Move& move : found.moved) {
    if (to_size(move.unknown) >= is_given.size() || !is_given[to_size(move.unknown)]) continue;
    moved.push_back(fmt::format("{} from {:.6g} to {:.6g}", move.name, move.from, move.to));
  }
}

void StartNotes::write(Start& start) const {
  for (const std::string& equation : left_domain) {
    start.notices.push_back(fmt::format(
        "The equation {} is not finite at the start values; the search for consistent ones began "
        "where values that follow from known ones are computed from them.",
        equation));
  }
  if (!completed.empty()) {
    start.notices.push_back("No start value was given for these variables; completed: " +
                            join_words(completed, most_start_names) + ".");
  }
  if (!moved.empty()) {
    start.notices.push_back("Start values that are not fixed were moved to meet the equations: " +
                            join_words(moved, most_start_names) + ".");
  }
}

void StartProblem::add_notices(const analysis::InitialValues& found, Start& start) const {
  StartNotes notes;
  notes.add(equations, wishes, found);
  notes.write(start);
}

analysis::InitialValues find_after_event(analysis::ConstraintSet& equations,
                                         std::vector<analysis::InitialUnknown> unknowns,
                                         ModelRun& run,
                                         const std::function<bool(std::size_t)>& may_move) {
  if (!run.searches) run.searches = analysis::make_initializer_memory();
  auto found = analysis::find_initial_values(
      equations, unknowns, {.stop = run.stop, .by_blocks = true, .memory = run.searches.get()});
  if (found.status == Status::success || run.stop.is_raised()) return found;
  bool is_relaxed = false;
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    if (unknowns[j].role != analysis::Role::held || !may_move(j)) continue;
    unknowns[j].role = analysis::Role::guess;
    is_relaxed = true;
  }
  if (!is_relaxed) return found;
  found = analysis::find_initial_values(equations, unknowns, {.stop = run.stop});
  if (found.status != Status::success || !run.reinitialized.empty()) return found;
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    if (!may_move(j) || !is_jump(unknowns[j].value, found.values[j], unknowns[j].nominal)) continue;
    found.status = Status::impulse;
    found.message =
        impulse_sentence(equations.unknown_name(to_index(j)), unknowns[j].value, found.values[j]);
    break;
  }
  return found;
}

std::string impulse_sentence(std::string_view name, double before, double after) {
  return fmt::format(
      "the equations have no solution with all states held. '{}' would have to jump from {:.6g} to "
      "{:.6g}, and its derivative would be an impulse. Give its value after the event by reinit, "
      "or model what "
      "limits the jump.",
      name, before, after);
}

bool is_jump(double before, double after, double nominal) {
  const double size = std::max(std::abs(before), std::abs(after));
  const double change = std::abs(after - before);
  return change > smallest_jump * size && change > smallest_jump_of_nominal * nominal;
}

}  // namespace daedal::formulation
