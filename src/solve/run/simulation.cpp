// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <mutex>
#include <utility>

#include "model/usage.hpp"
#include "model/variants.hpp"
#include "solve/settable_inputs.hpp"

namespace daedal {

namespace {

/// A flag that is up while one thread advances the run.
class Raised {
 public:
  explicit Raised(std::atomic<bool>& flag) : flag_(flag) {
    if (!flag.exchange(true)) return;
    throw OptionError(ErrorCode::invalid_option,
                      "The run is in the middle of a step: it cannot be advanced from its own "
                      "callback, or by two threads at once.");
  }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;
  ~Raised() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

bool Simulation::Impl::step() {
  std::unique_lock turn(turns_, std::defer_lock);
  const Raised advancing(is_advancing_);
  turn.lock();
  return take_step();
}

bool Simulation::Impl::advance(double t) {
  if (std::isnan(t)) {
    throw OptionError(ErrorCode::invalid_option, "The time to advance to is not a number.");
  }
  const auto has_reached = [&] {
    return run_.context().span.start <= run_.context().span.stop ? time() >= t : time() <= t;
  };
  const Raised advancing(is_advancing_);
  aim_at(t);
  bool goes_on = true;
  while (goes_on && !has_reached()) goes_on = take_step();
  aim_at(std::numeric_limits<double>::quiet_NaN());
  // At the end of the span the run is over, and its solution complete.
  while (time() == run_.context().span.stop && take_step()) {
  }
  return has_reached();
}

bool Simulation::Impl::take_step() {
  const std::lock_guard turn(turns_);
  if (run_.segment() == nullptr) return false;
  apply();
  is_stepping_ = true;
  try {
    run_.advance();
  } catch (...) {
    is_stepping_ = false;
    run_.abandon();
    throw;
  }
  is_stepping_ = false;
  return run_.segment() != nullptr;
}

void Simulation::Impl::refuse_in_step(const char* what) const {
  if (!is_stepping_) return;
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("The run is in the middle of a step: {} between two steps, not from its own "
                  "callback.",
                  what));
}

void Simulation::Impl::aim_at(double t) {
  const std::lock_guard turn(turns_);
  run_.aim_at(t);
}

Simulation::Impl::Setting& Simulation::Impl::setting() {
  if (run_.segment() == nullptr || run_.segment()->is_over()) {
    throw OptionError(ErrorCode::invalid_option,
                      "The run is over: nothing can be set in it any more.");
  }
  if (!setting_) {
    setting_ = Setting{run_.context().options.parameters, run_.segment()->parameters(), {}};
  }
  return *setting_;
}

/// Throws OptionError where the method that is at work was not made for the new values.
void Simulation::Impl::refuse_unfit(const Setting& set, const std::string& name) const {
  const auto parameters = run_.preparation().model().parameters();
  const std::vector<double>& now = run_.segment()->parameters();
  bool vanishes = false;
  for (std::size_t i = 0; i < n_parameters(); ++i) {
    vanishes = vanishes ||
               (!is_input_parameter(parameters[i]) && (now[i] == 0.0) != (set.values[i] == 0.0));
  }
  if (!vanishes && run_.segment()->run().from.model->holds_for(set.values)) return;
  throw OptionError(ErrorCode::invalid_value,
                    fmt::format("'{}' cannot have this value in the middle of a run: the structure "
                                "of '{}' may depend on it{}. Start a new run with it.",
                                name, run_.preparation().model().name(),
                                vanishes ? ", because terms vanish or appear" : ""));
}

void Simulation::Impl::set_input(const std::string& name, double value) {
  const std::lock_guard turn(turns_);
  refuse_in_step("inputs are set");
  const Model& model = run_.preparation().model();
  const ModelInput& input = model.inputs()[find_input(model, name)];
  check_input_value(input, model.variable_of(input), value);
  const auto found = std::ranges::find(model.parameters(), input_parameter(name), &Parameter::name);
  if (found == model.parameters().end()) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The input '{}' follows an expression of time or a table: only "
                                  "inputs that are numbers can be set.",
                                  name));
  }
  const auto& orders = run_.preparation().orders();
  if (!input.is_discrete && !orders.empty()) {
    const Index order = orders[to_size(input.default_equation)];
    if (order > 0) {
      throw OptionError(
          ErrorCode::invalid_value,
          fmt::format(
              "The equations of '{}' need derivative {} of the input '{}', and a value that "
              "is set makes it jump. Give it as an expression of time or as a smooth table.",
              model.name(), order, name));
    }
  }
  Setting& set = setting();
  const auto i = to_size(found - model.parameters().begin());
  const Setting before = set;
  set.parameters[found->name] = value;
  set.values[i] = value;
  set.what += fmt::format("{}{} = {:.12g}", set.what.empty() ? "" : ", ", name, value);
  try {
    refuse_unfit(set, name);
  } catch (...) {
    set = before;
    throw;
  }
}

void Simulation::Impl::set_parameter(const std::string& name, double value) {
  const std::lock_guard turn(turns_);
  refuse_in_step("parameters are set");
  const Model& model = run_.preparation().model();
  Setting next = setting();
  next.parameters[name] = value;
  Overrides all = next.parameters;
  const auto parameters = model.parameters();
  for (std::size_t i = 0; i < n_parameters(); ++i) {
    if (parameters[i].fixed) continue;
    if (parameters[i].name == name) {
      throw OptionError(
          ErrorCode::invalid_option,
          fmt::format("The parameter '{}' was found by the initial equations of '{}', "
                      "and cannot be set.",
                      name, model.name()));
    }
    all[parameters[i].name] = next.values[i];
  }
  const std::vector<double> values = model.parameter_values(all);
  refuse_unused(model, {{name, value}}, Uses::after_start);
  for (std::size_t i = 0; i < n_parameters(); ++i) {
    if (parameters[i].name != homotopy_parameter) next.values[i] = values[i];
  }
  next.what += fmt::format("{}{} = {:.12g}", next.what.empty() ? "" : ", ", name, value);
  refuse_unfit(next, name);
  setting_ = std::move(next);
}

void Simulation::Impl::apply() {
  if (!setting_) return;
  const Setting set = std::move(*setting_);
  setting_.reset();
  if (set.values == run_.segment()->parameters()) return;
  try {
    run_.set_parameters(set.parameters, set.values, set.what);
  } catch (...) {
    run_.abandon();
    throw;
  }
}

double Simulation::Impl::value(std::string_view name) {
  const std::lock_guard turn(turns_);
  apply();
  return run_.segment() != nullptr ? run_.segment()->value(name)
                                   : run_.solution().final_value(name);
}

bool Simulation::Impl::is_over() const {
  const std::lock_guard turn(turns_);
  return run_.segment() == nullptr;
}

double Simulation::Impl::time() const {
  const std::lock_guard turn(turns_);
  return run_.time();
}

std::string Simulation::Impl::save() {
  const std::lock_guard turn(turns_);
  refuse_in_step("it is saved");
  apply();
  return run_.save();
}

std::size_t Simulation::Impl::n_parameters() const {
  const solve_detail::RunContext& context = run_.context();
  return context.parameters.size() - context.options.start_values.size();
}

std::vector<double> Simulation::Impl::values() {
  const std::lock_guard turn(turns_);
  apply();
  std::vector<double> all(run_.solution().names.size());
  if (run_.segment() != nullptr) {
    run_.segment()->values(all);
  } else if (run_.solution().n_rows() > 0) {
    std::ranges::copy(run_.solution().row(run_.solution().n_rows() - 1), all.begin());
  } else {
    throw OptionError(ErrorCode::invalid_option, "The run has no values: it did not start.");
  }
  return all;
}

const Solution& Simulation::Impl::solution() {
  const std::lock_guard turn(turns_);
  // In a step of its own the run shows itself.
  if (is_advancing_ && !is_stepping_) {
    throw OptionError(ErrorCode::invalid_option,
                      "Another thread advances the run, and its solution grows: look at it when "
                      "that has ended.");
  }
  apply();
  return run_.solution();
}

Solution Simulation::Impl::copy_solution() {
  const std::lock_guard turn(turns_);
  apply();
  Solution copy = run_.solution();
  // The dense output of an unfinished run would grow with the run.
  if (run_.segment() != nullptr && run_.context().dense) {
    copy.set_dense_output(std::make_shared<Solution::Dense>(*run_.context().dense));
  }
  return copy;
}

Solution Simulation::Impl::take_solution() {
  const std::lock_guard turn(turns_);
  refuse_in_step("its solution is taken");
  (void)solution();
  return std::move(run_.solution());
}

}  // namespace daedal
