// SPDX-License-Identifier: BSD-3-Clause
#include "solve/integrator_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <daedal/nearest_name.hpp>
#include <vector>

#include "system/series_source.hpp"

namespace daedal::solve_detail {

namespace {

/// Below this the error test asks for less than the rounding errors of one step.
constexpr double smallest_rtol = 1e-15;
/// An output of more rows fits no memory.
constexpr double most_rows = 1e8;

std::string_view what_it_yields(const formulation::Formulation& formulation) {
  const ImplicitSystem* implicit = formulation.implicit_system.get();
  if (implicit == nullptr) return "an explicit system";
  return implicit->n_constraints() > 0 ? "an overdetermined system" : "an implicit system";
}

bool can_step(const Capabilities& can, const formulation::Formulation& formulation) {
  const ImplicitSystem* implicit = formulation.implicit_system.get();
  if (implicit == nullptr) {
    const auto* source = dynamic_cast<const SeriesSource*>(formulation.explicit_system.get());
    const bool has_series = source != nullptr && source->has_series();
    return can.explicit_systems && (has_series || !can.needs_series);
  }
  return implicit->n_constraints() > 0 ? can.overdetermined_systems : can.implicit_systems;
}

std::string symmetric_integrators() {
  std::vector<std::string_view> names;
  for (const auto& integrator : integration::integrator_rows()) {
    if (integrator.can.symmetric) names.push_back(integrator.name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

[[noreturn]] void refuse(const std::string& message) {
  throw OptionError(ErrorCode::invalid_option, message);
}

}  // namespace

bool prefers_implicit(const SolveOptions& options) {
  return !options.integrator.is_automatic() &&
         integration::find_integrator(options.integrator.name()).can.implicit_systems;
}

bool prefers_explicit(const SolveOptions& options) {
  return !options.integrator.is_automatic() &&
         !integration::find_integrator(options.integrator.name()).can.implicit_systems;
}

double stability(const SolveOptions& options) {
  return options.integrator.is_automatic()
             ? infinity
             : integration::find_integrator(options.integrator.name()).can.real_stability;
}

const integration::IntegratorRow& choose_integrator(const formulation::MethodRow& method,
                                                    const formulation::Formulation& formulation,
                                                    const SolveOptions& options) {
  const bool automatic = options.integrator.is_automatic();
  std::string_view name =
      automatic ? method.default_integrator : std::string_view(options.integrator.name());
  // A parameter of a method may choose its implicit form.
  if (automatic && !can_step(integration::find_integrator(name).can, formulation)) name = "bdf";
  const auto& integrator = integration::find_integrator(name);
  if (method.symmetric_projection && !integrator.can.symmetric) {
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format(
            "The method '{}' needs a symmetric integrator, and '{}' is not symmetric: use {}.",
            method.name, name, symmetric_integrators()));
  }
  check_steps(integrator, options);
  if (!can_step(integrator.can, formulation)) {
    std::vector<std::string_view> able;
    for (const auto& other : integration::integrator_rows()) {
      if (can_step(other.can, formulation)) able.push_back(other.name);
    }
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format("The method '{}' yields {}, which the integrator '{}' cannot step; these can: "
                    "{}.",
                    method.name, what_it_yields(formulation), name, fmt::join(able, ", ")));
  }
  return integrator;
}

void check_steps(const integration::IntegratorRow& integrator, const SolveOptions& options) {
  const std::string_view name = integrator.name;
  if (options.fixed_step <= 0.0 && !integrator.can.error_controlled) {
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format("The integrator '{}' has no error control: give it a fixed step.", name));
  }
  if (options.fixed_step > 0.0 && !integrator.can.fixed_step) {
    throw OptionError(ErrorCode::illegal_combination,
                      fmt::format("The integrator '{}' has no fixed step.", name));
  }
}

void check_chart(const formulation::MethodRow& method, const SolveOptions& options) {
  if (options.chart && !method.takes_chart) {
    refuse(fmt::format(
        "The method '{}' does not use a chart: choose user-chart, or leave the chart out.",
        method.name));
  }
}

void check_selections(const SolveOptions& options) {
  if (!options.method.is_automatic()) {
    const formulation::MethodRow& method = formulation::find_method(options.method.name());
    method.check(options.method);
    check_chart(method, options);
  } else if (!options.method.values().empty()) {
    refuse(fmt::format("The method 'auto' has no parameters (got '{}').",
                       options.method.values().begin()->first));
  }
  if (!options.integrator.is_automatic()) {
    integration::find_integrator(options.integrator.name()).check(options.integrator);
  }
}

void check_watching(const formulation::MethodRow& method,
                    const formulation::Formulation& formulation, const SolveOptions& options) {
  if (!options.watch_singularities || formulation.watch.is_on) return;
  throw OptionError(
      ErrorCode::illegal_combination,
      fmt::format("The method '{}' does not watch for singular positions: methods for mechanical "
                  "systems do, 'trust-region' among them, which also supports Hessenberg systems.",
                  method.name));
}

void check_options(const TimeSpan& span, const SolveOptions& options) {
  if (!std::isfinite(span.start) || !std::isfinite(span.stop)) {
    refuse(
        fmt::format("Start and end time must be finite (got {} and {}).", span.start, span.stop));
  }
  if (span.start == span.stop) {
    refuse(fmt::format("The time span is empty: it starts and stops at {}.", span.start));
  }
  if (!(*options.rtol >= smallest_rtol && *options.rtol < 1.0)) {
    refuse(fmt::format("The relative tolerance must be between {} and 1 (got {}).", smallest_rtol,
                       *options.rtol));
  }
  if (!(options.atol >= 0.0) || !std::isfinite(options.atol)) {
    refuse(
        fmt::format("The absolute tolerance must be a nonnegative number (got {}).", options.atol));
  }
  if (!(options.fixed_step >= 0.0) || !std::isfinite(options.fixed_step)) {
    refuse(fmt::format("The fixed step must be a positive number (got {}).", options.fixed_step));
  }
  if (!(options.interval >= 0.0) || !std::isfinite(options.interval)) {
    refuse(
        fmt::format("The output interval must be a positive number (got {}).", options.interval));
  }
  const double n_rows =
      options.interval > 0.0 ? std::abs(span.stop - span.start) / options.interval : 0.0;
  if (n_rows > most_rows) {
    refuse(fmt::format(
        "An output interval of {} would give {:.2g} rows, more than the limit of {:.0g}.",
        options.interval, n_rows, most_rows));
  }
  if (!(options.initial_step >= 0.0) || !(options.max_step > 0.0)) {
    refuse("The initial step and the largest step must be positive.");
  }
  if (options.max_steps <= 0) refuse("The maximum number of steps must be positive.");
  if (!(options.time_limit > 0.0)) refuse("The time limit must be positive.");
}

integration::StepOptions step_options(const SolveOptions& options, bool symmetric_projection) {
  return {.rtol = *options.rtol,
          .atol = options.atol,
          .fixed_step = options.fixed_step,
          .initial_step = options.initial_step,
          .max_step = options.max_step,
          .max_steps = options.max_steps,
          .symmetric_projection = symmetric_projection,
          .log = options.log};
}

integration::DriverOptions driver_options(const TimeSpan& span, const SolveOptions& options) {
  integration::DriverOptions driver;
  driver.t0 = span.start;
  driver.t1 = span.stop;
  driver.interval = options.interval;
  driver.has_step_rows = options.has_step_rows;
  driver.stop_times = options.stop_times;
  driver.rtol = *options.rtol;
  driver.atol = options.atol;
  driver.max_steps = options.max_steps;
  driver.time_limit = options.time_limit;
  driver.cancel = options.cancel;
  driver.on_progress = options.on_progress;
  return driver;
}

std::string stiffness_warning(const integration::IntegratorRow& integrator) {
  return fmt::format(
      "The model is stiff for '{}': its steps were as short as stability demands. An implicit "
      "integrator ('bdf', 'radau') takes far fewer.",
      integrator.name);
}

}  // namespace daedal::solve_detail
