// SPDX-License-Identifier: BSD-3-Clause
#include "solve/problem_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/output_grid.hpp>
#include <string>
#include <utility>

#include "model/labels.hpp"
#include "model/usage.hpp"
#include "model/variants.hpp"
#include "model/views/sample_points.hpp"
#include "solve/integrator_choice.hpp"
#include "solve/settable_inputs.hpp"

namespace daedal {

namespace {

using solve_detail::Preparation;
using solve_detail::RunContext;

void refuse_boundary_values(const Model& model) {
  if (model.boundary_equations().empty()) return;
  const Equation& first = model.boundary_equations().front();
  throw ModelError(ErrorCode::unsupported,
                   fmt::format("Model '{}' has conditions at the end of the interval, such as {}: "
                               "it is a boundary value problem, for solve_bvp() or "
                               "'daedal solve-bvp'.",
                               model.name(), equation_label(first, 0)),
                   first.where);
}

/// The values of a run on top of those of its options.
Overrides merged(Overrides values, const Overrides& more) {
  for (const auto& [name, value] : more) values.insert_or_assign(name, value);
  return values;
}

std::vector<std::string> names_of(const Overrides& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

/// What is delayed is known up to the present: no step goes further than the delay.
void refuse_short_delay(const Past& past, const TimeSpan& span, std::int64_t max_steps) {
  if (!(past.delay > 0.0)) return;
  const double least = (span.stop - span.start) / past.delay;
  if (least <= static_cast<double>(max_steps)) return;
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("{} is delayed by {:.6g}, and no step can be longer: from {:.6g} to {:.6g} that "
                  "takes {:.2g} steps, where {} are allowed (max steps). If the delay stands for "
                  "'at once', leave it out, or take pre() or a first-order lag instead.",
                  past.signal.starts_with('$') ? "What is computed" : "'" + past.signal + "'",
                  past.delay, span.start, span.stop, least, max_steps));
}

void refuse_infinite(const Overrides& start_values) {
  for (const auto& [name, value] : start_values) {
    if (std::isfinite(value)) continue;
    throw ModelError(ErrorCode::invalid_value,
                     fmt::format("The start value given for '{}' is not a finite number.", name));
  }
}

/// Structure may hang on parameters that vanish, and on those that the model gives no value. An
/// input that is zero may become another number on the way.
std::string structure_key(const Model& model, const std::vector<double>& parameters) {
  std::string key;
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    if (is_input_parameter(model.parameters()[i])) {
      key += 'u';
    } else if (model.parameters()[i].value == no_node) {
      key += fmt::format("{:a},", parameters[i]);
    } else {
      key += parameters[i] == 0.0 ? '0' : std::isfinite(parameters[i]) ? 'x' : '?';
    }
  }
  return key;
}

}  // namespace

Problem::Impl::Impl(const Model& model, const SolveOptions& options)
    : given_(model), model_(with_input_parameters(model)), options_(options) {
  refuse_boundary_values(model);
  refuse_open_inputs(model);
  // A name that was given up becomes the one of today.
  if (!options_.method.is_automatic()) {
    options_.method =
        Method(formulation::find_method(options_.method.name()).name, options_.method.values());
  }
  solve_detail::check_selections(options_);
}

std::unique_ptr<Simulation::Impl> Problem::Impl::start(const RunContext& context) const {
  auto preparation = preparation_for(context);
  auto simulation = std::make_unique<Simulation::Impl>(preparation, context);
  if (!simulation->run().is_doubtful()) return simulation;
  auto exact = std::make_unique<Simulation::Impl>(
      std::make_shared<const Preparation>(preparation->model(), context.parameters), context);
  exact->run().mark_exact();
  return exact;
}

std::unique_ptr<Simulation::Impl> Problem::Impl::restore(std::string_view bytes,
                                                         const SolveOptions& run) const {
  solve_detail::Checkpoint checkpoint = solve_detail::checkpoint_from(bytes);
  RunValues values;
  for (std::size_t i = 0; i < checkpoint.parameter_values.size(); ++i) {
    values.parameters[checkpoint.parameter_names.at(i)] = checkpoint.parameter_values[i];
  }
  for (std::size_t i = 0; i < checkpoint.start_values.size(); ++i) {
    values.start_values[checkpoint.start_names.at(i)] = checkpoint.start_values[i];
  }
  RunContext context = context_of(checkpoint.span, values, run);
  auto preparation = preparation_for(context);
  if (checkpoint.problem != solve_detail::describe(preparation->model(), context)) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The checkpoint is not one of this run of '{}': its model, its "
                                  "values or its options were others.",
                                  model_.name()));
  }
  if (checkpoint.is_exact) {
    preparation = std::make_shared<const Preparation>(preparation->model(), context.parameters);
  }
  return std::make_unique<Simulation::Impl>(preparation, context, std::move(checkpoint));
}

solve_detail::RunContext Problem::Impl::context_of(const TimeSpan& span, const RunValues& values,
                                                   const SolveOptions& run) const {
  RunContext context;
  context.span = span;
  context.options = run;
  context.began = std::chrono::steady_clock::now();
  SolveOptions& own = context.options;
  own.method = options_.method;
  own.integrator = options_.integrator;
  own.chart = options_.chart;
  own.watch_singularities = options_.watch_singularities;
  own.parameters = merged(run.parameters, values.parameters);
  own.start_values = merged(run.start_values, values.start_values);
  own.rtol = run.rtol.value_or(model_.experiment().default_rtol());
  own.interval = output_interval(run.interval, model_.experiment());
  solve_detail::check_options(span, own);
  context.follows_scales = own.atol == 0.0;
  own.atol = solve_detail::absolute_tolerance(own.atol, *own.rtol);
  if (span.stop < span.start && !model_.schedules().empty()) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("Model '{}' has inputs from tables: it runs forward in time "
                                  "only.",
                                  model_.name()));
  }
  for (const auto& table : model_.schedules()) {
    check_covered(*table, span);
    refuse_short_delay(table->past, span, own.max_steps);
  }
  if (span.stop < span.start && !model_.samplers().empty()) {
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("Model '{}' has sample(): it runs forward in time only.", model_.name()));
  }
  refuse_infinite(own.start_values);
  context.stop = StopSignal::after(own.time_limit, context.began, own.cancel);
  context.parameters = model_.parameter_values(own.parameters);
  refuse_unused(model_, own.parameters);
  for (const auto& [name, value] : own.start_values) context.parameters.push_back(value);
  return context;
}

/// No structure is read from an input that happens to be zero at the start.
std::vector<double> Problem::Impl::without_zero_inputs(std::vector<double> values) const {
  for (std::size_t i = 0; i < model_.parameters().size(); ++i) {
    if (values[i] == 0.0 && is_input_parameter(model_.parameters()[i])) values[i] = 1.0;
  }
  return values;
}

/// The values at which the model is recognised: its own where they have the same structure.
std::vector<double> Problem::Impl::reference_values(const std::string& key,
                                                    const RunContext& context) const {
  Overrides needed;
  for (std::size_t i = 0; i < model_.parameters().size(); ++i) {
    const Parameter& parameter = model_.parameters()[i];
    if (parameter.value == no_node) needed[parameter.name] = context.parameters[i];
  }
  std::vector<double> values;
  try {
    values = model_.parameter_values(needed);
  } catch (const ModelError&) {
    return context.parameters;  // the model's own values are at fault, those of the run are not
  }
  if (structure_key(model_, values) != key) return context.parameters;
  // Start values: those that the model has.
  const std::vector<double> starts = start_values(model_, values);
  const auto n = model_.variables().size();
  for (const auto& [name, value] : context.options.start_values) {
    const auto is_named = [&](const Variable& variable) { return variable.name == name; };
    const auto continuous = std::ranges::find_if(model_.variables(), is_named);
    const auto i = continuous - model_.variables().begin();
    const auto j = std::ranges::find_if(model_.discretes(), is_named) - model_.discretes().begin();
    const std::size_t place = continuous != model_.variables().end() ? to_size(i) : n + to_size(j);
    // Names that the model has not are refused later, with a sentence.
    values.push_back(place < starts.size() ? starts[place] : value);
  }
  return values;
}

std::shared_ptr<const Preparation> Problem::Impl::preparation_for(const RunContext& context) const {
  const std::vector<std::string> start_names = names_of(context.options.start_values);
  const std::string structure = structure_key(model_, context.parameters);
  std::string key = structure;
  for (const std::string& name : start_names) key += ' ' + name;
  std::shared_ptr<const Preparation> found;
  {
    const std::lock_guard lock(mutex_);
    auto& entry = preparations_[key];
    if (!entry) {
      entry = std::make_shared<const Preparation>(
          with_start_parameters(model_, start_names),
          without_zero_inputs(reference_values(structure, context)));
    }
    found = entry;
  }
  return found;
}

Problem::Problem(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const Model& Problem::model() const {
  return impl_->model();
}

const SolveOptions& Problem::options() const {
  return impl_->options();
}

Simulation Problem::start(const TimeSpan& span, const RunValues& values) const {
  return start(span, values, options());
}

Simulation Problem::start(const TimeSpan& span, const RunValues& values,
                          const SolveOptions& run) const {
  return Simulation(impl_->start(span, values, run));
}

Simulation Problem::restore(std::string_view checkpoint) const {
  return restore(checkpoint, options());
}

Simulation Problem::restore(std::string_view checkpoint, const SolveOptions& run) const {
  return Simulation(impl_->restore(checkpoint, run));
}

Solution Problem::solve(const TimeSpan& span, const RunValues& values) const {
  return solve(span, values, options());
}

Solution Problem::solve(const TimeSpan& span, const RunValues& values,
                        const SolveOptions& run) const {
  Simulation simulation = start(span, values, run);
  while (simulation.step()) {
  }
  return simulation.take_solution();
}

Problem prepare(const Model& model, const SolveOptions& options) {
  return Problem(std::make_shared<const Problem::Impl>(model, options));
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

std::string Simulation::save() {
  return impl_->save();
}

bool Simulation::step() {
  return impl_->step();
}

bool Simulation::advance(double t) {
  return impl_->advance(t);
}

bool Simulation::is_over() const {
  return impl_->is_over();
}

const TimeSpan& Simulation::span() const {
  return impl_->span();
}

double Simulation::time() const {
  return impl_->time();
}

void Simulation::set_input(std::string_view name, double value) {
  impl_->set_input(std::string(name), value);
}

void Simulation::set_parameter(std::string_view name, double value) {
  impl_->set_parameter(std::string(name), value);
}

double Simulation::value(std::string_view name) const {
  return impl_->value(name);
}

void Simulation::values(std::span<double> all_values) const {
  const std::vector<double> all = values();
  if (all.size() != all_values.size()) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The run has {} columns, and there is room for {} values.",
                                  all.size(), all_values.size()));
  }
  std::ranges::copy(all, all_values.begin());
}

std::vector<double> Simulation::values() const {
  return impl_->values();
}

const Solution& Simulation::solution() const {
  return impl_->solution();
}

Solution Simulation::copy_solution() const {
  return impl_->copy_solution();
}

Solution Simulation::take_solution() {
  return impl_->take_solution();
}

}  // namespace daedal
