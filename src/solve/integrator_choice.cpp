// SPDX-License-Identifier: BSD-3-Clause
#include "solve/integrator_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/nearest_name.hpp"

namespace daedal::solve_detail {

namespace {

/// Below this the error test asks for less than the rounding errors of one step.
constexpr double smallest_rtol = 1e-15;
/// An output of more rows fits no memory.
constexpr double most_rows = 1e8;

std::string_view what_it_yields(const formulation::Formulation& formulation) {
  const ImplicitSystem* implicit = formulation.implicit_system();
  if (implicit == nullptr) return "an explicit system";
  return implicit->n_constraints() > 0 ? "an overdetermined system" : "an implicit system";
}

bool can_step(const integration::Capabilities& can, const formulation::Formulation& formulation) {
  const ImplicitSystem* implicit = formulation.implicit_system();
  if (implicit == nullptr) return can.explicit_systems;
  return implicit->n_constraints() > 0 ? can.overdetermined_systems : can.implicit_systems;
}

std::string symmetric_integrators() {
  std::vector<std::string_view> names;
  for (const auto& integrator : integration::integrators()) {
    if (integrator.can.symmetric) names.push_back(integrator.name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

void refuse_unknown(std::string_view owner, const MethodParameters& given,
                    const std::vector<std::string>& known) {
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      if (std::isfinite(value)) continue;
      throw OptionError(
          ErrorCode::invalid_option,
          fmt::format("The parameter '{}' of '{}' is not a finite number.", name, owner));
    }
    throw OptionError(ErrorCode::invalid_option,
                      known.empty()
                          ? fmt::format("'{}' takes no parameters, '{}' among them.", owner, name)
                          : fmt::format("'{}' has no parameter '{}'; it takes: {}.", owner, name,
                                        fmt::join(known, ", ")));
  }
}

[[noreturn]] void refuse(const std::string& message) {
  throw OptionError(ErrorCode::invalid_option, message);
}

}  // namespace

bool prefers_implicit(const Options& options) {
  return options.integrator != "auto" &&
         integration::find_integrator(options.integrator).can.implicit_systems;
}

bool prefers_explicit(const Options& options) {
  return options.integrator != "auto" &&
         !integration::find_integrator(options.integrator).can.implicit_systems;
}

double stability(const Options& options) {
  return options.integrator == "auto"
             ? infinity
             : integration::find_integrator(options.integrator).can.real_stability;
}

const integration::IntegratorInfo& choose_integrator(const formulation::MethodInfo& method,
                                                     const formulation::Formulation& formulation,
                                                     const Options& options) {
  const bool automatic = options.integrator == "auto";
  std::string_view name = automatic ? method.default_integrator : options.integrator;
  // A parameter of a method may choose its implicit form.
  if (automatic && !can_step(integration::find_integrator(name).can, formulation)) name = "bdf";
  const auto& integrator = integration::find_integrator(name);
  if (method.symmetric_projection && !integrator.can.symmetric) {
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format(
            "The method '{}' pays only around a symmetric scheme, and '{}' is none: use {}.",
            method.name, name, symmetric_integrators()));
  }
  check_steps(integrator, options);
  if (!can_step(integrator.can, formulation)) {
    std::vector<std::string_view> able;
    for (const auto& other : integration::integrators()) {
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

void check_steps(const integration::IntegratorInfo& integrator, const Options& options) {
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

void check_parameters(const formulation::MethodInfo& method, const Options& options) {
  std::vector<std::string> known;
  known.reserve(method.parameters.size());
  for (const auto& parameter : method.parameters) known.emplace_back(parameter.name);
  refuse_unknown(method.name, options.method_parameters, known);
  if (!options.chart.empty() && !method.takes_chart) {
    refuse(fmt::format("A chart is given, and the method '{}' takes none: choose user-chart.",
                       method.name));
  }
}

void check_parameters(const integration::IntegratorInfo& integrator, const Options& options) {
  refuse_unknown(integrator.name, options.integrator_parameters,
                 {integrator.parameters.begin(), integrator.parameters.end()});
}

void check_watching(const formulation::MethodInfo& method,
                    const formulation::Formulation& formulation, const Options& options) {
  if (!options.watch_singularities || formulation.watches_singularities()) return;
  throw OptionError(
      ErrorCode::illegal_combination,
      fmt::format("The method '{}' does not watch for singular positions: methods for mechanical "
                  "systems do, 'trust-region' among them, which also takes Hessenberg systems.",
                  method.name));
}

void check_options(const TimeSpan& span, const Options& options) {
  if (!std::isfinite(span.start) || !std::isfinite(span.stop)) {
    refuse(fmt::format("The time span [{}, {}] is not finite.", span.start, span.stop));
  }
  if (span.start == span.stop) {
    refuse(fmt::format("The time span is empty: it starts and stops at {}.", span.start));
  }
  if (!(options.rtol >= smallest_rtol && options.rtol < 1.0)) {
    refuse(fmt::format("The relative tolerance {} is not between {} and 1.", options.rtol,
                       smallest_rtol));
  }
  if (!(options.atol >= 0.0) || !std::isfinite(options.atol)) {
    refuse(fmt::format("The absolute tolerance {} is not a non-negative number.", options.atol));
  }
  if (!(options.fixed_step >= 0.0) || !std::isfinite(options.fixed_step)) {
    refuse(fmt::format("The step {} is not a positive number.", options.fixed_step));
  }
  if (!(options.interval >= 0.0) || !std::isfinite(options.interval)) {
    refuse(fmt::format("The output interval {} is not a positive number.", options.interval));
  }
  const double n_rows =
      options.interval > 0.0 ? std::abs(span.stop - span.start) / options.interval : 0.0;
  if (n_rows > most_rows) {
    refuse(fmt::format("An output interval of {} makes {:.2g} rows of the span: more than {:.0g}.",
                       options.interval, n_rows, most_rows));
  }
  if (!(options.initial_step >= 0.0) || !(options.max_step > 0.0)) {
    refuse("The initial step and the largest step must be positive.");
  }
  if (options.max_steps <= 0) refuse("The maximum number of steps must be positive.");
  if (!(options.time_limit > 0.0)) refuse("The time limit must be positive.");
}

integration::StepOptions step_options(const Options& options, bool symmetric_projection) {
  return {.rtol = options.rtol,
          .atol = options.atol,
          .fixed_step = options.fixed_step,
          .initial_step = options.initial_step,
          .max_step = options.max_step,
          .max_steps = options.max_steps,
          .symmetric_projection = symmetric_projection,
          .log = options.log};
}

integration::DriverOptions driver_options(const TimeSpan& span, const Options& options) {
  integration::DriverOptions driver;
  driver.t0 = span.start;
  driver.t1 = span.stop;
  driver.interval = options.interval;
  driver.stop_times = options.stop_times;
  driver.rtol = options.rtol;
  driver.atol = options.atol;
  driver.max_steps = options.max_steps;
  driver.time_limit = options.time_limit;
  driver.cancel = options.cancel;
  driver.on_progress = options.on_progress;
  return driver;
}

std::string stiffness_warning(const integration::IntegratorInfo& integrator) {
  return fmt::format(
      "The model is stiff for '{}': its steps were as short as stability demands. An implicit "
      "integrator ('bdf', 'radau') takes far fewer.",
      integrator.name);
}

}  // namespace daedal::solve_detail
