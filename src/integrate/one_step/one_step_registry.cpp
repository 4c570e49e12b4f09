// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/one_step_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>

#include "integrate/method_parameters.hpp"
#include "integrate/multistep/adams_pece.hpp"
#include "integrate/multistep/bdf_fixed.hpp"
#include "integrate/one_step/collocation_scheme.hpp"
#include "integrate/one_step/explicit_rk.hpp"
#include "integrate/one_step/one_step_stepper.hpp"
#include "integrate/one_step/symmetric_projection.hpp"

namespace daedal::integrate {

namespace {

template <const Tableau& (*tableau)()>
std::unique_ptr<Stepper> make_explicit_rk(const ExplicitSystem& system, const StepOptions& options,
                                          const MethodParameters&) {
  return std::make_unique<OneStepStepper>(
      system, std::make_unique<ExplicitRungeKutta>(system, tableau()), options);
}

IntegratorInfo explicit_row(const Tableau& tableau, std::string_view name, std::string_view summary,
                            bool controlled) {
  return {.name = name,
          .summary = summary,
          .can = {.explicit_systems = true,
                  .error_controlled = controlled,
                  .fixed_step = true,
                  .projects = true,
                  .keeps_history = true,
                  .real_stability = real_stability(tableau)},
          .parameters = {}};
}

/// What a family of collocation rules makes of its parameters.
using RuleChoice = CollocationSettings (*)(const MethodParameters&);

CollocationSettings radau_rules(const MethodParameters& parameters) {
  const int stages =
      integer_parameter(parameters, {.name = "stages", .fallback = 0, .minimum = 0, .maximum = 5});
  if (stages == 0) {
    return {.rules = {&radau_iia(1), &radau_iia(3), &radau_iia(5)}, .first_rule = 1};
  }
  if (stages % 2 == 0) {
    throw OptionError(
        ErrorCode::invalid_option,
        fmt::format("radau has 1, 3 or 5 stages, or 0 to switch between them; not {}.", stages));
  }
  return {.rules = {&radau_iia(stages)}};
}

CollocationSettings gauss_rules(const MethodParameters& parameters) {
  const int stages =
      integer_parameter(parameters, {.name = "stages", .fallback = 2, .minimum = 1, .maximum = 3});
  return {.rules = {&gauss_legendre(stages)}};
}

CollocationSettings backward_euler_rules(const MethodParameters&) {
  return {.rules = {&radau_iia(1)}};
}

IndexWeighting index_weighting(const MethodParameters& parameters) {
  return static_cast<IndexWeighting>(integer_parameter(
      parameters, {.name = "index_weights", .fallback = 1, .minimum = 0, .maximum = 2}));
}

CollocationSettings with_options(CollocationSettings settings, const StepOptions& options) {
  while (options.max_order > 0 && settings.rules.size() > 1 &&
         settings.rules.back()->order > options.max_order) {
    settings.rules.pop_back();
  }
  settings.first_rule = std::min(settings.first_rule, settings.rules.size() - 1);
  settings.rtol = options.rtol;
  settings.fixed_step = options.fixed_step > 0.0;
  return settings;
}

template <RuleChoice rules>
std::unique_ptr<Stepper> make_collocation(const ImplicitSystem& system, const StepOptions& options,
                                          const MethodParameters& parameters) {
  return std::make_unique<OneStepStepper>(
      system, std::make_unique<CollocationScheme>(system, with_options(rules(parameters), options)),
      options, index_weighting(parameters));
}

template <RuleChoice rules>
std::unique_ptr<Stepper> make_explicit_collocation(const ExplicitSystem& system,
                                                   const StepOptions& options,
                                                   const MethodParameters& parameters) {
  std::unique_ptr<OneStepScheme> scheme = std::make_unique<CollocationScheme>(
      std::make_unique<AsImplicit>(system), with_options(rules(parameters), options));
  if (options.symmetric_projection) {
    scheme = std::make_unique<SymmetricProjection>(system, std::move(scheme));
  }
  return std::make_unique<OneStepStepper>(system, std::move(scheme), options,
                                          index_weighting(parameters));
}

/// Gauss is not stiffly accurate: on index 3 it does not converge (Hairer, Lubich, Roche 1989).
std::unique_ptr<Stepper> make_gauss(const ImplicitSystem& system, const StepOptions& options,
                                    const MethodParameters& parameters) {
  const auto kinds = system.kinds();
  const auto third = std::ranges::find_if(kinds, [](const auto& kind) { return kind.index > 2; });
  if (third != kinds.end()) {
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format("gauss takes systems of index 2 at most, and {} has index {}: use radau, or a "
                    "method that lowers the index.",
                    system.unknown_name(third - kinds.begin()), third->index));
  }
  return make_collocation<gauss_rules>(system, options, parameters);
}

std::vector<IntegratorInfo> explicit_rows() {
  std::vector<IntegratorInfo> rows{
      explicit_row(dormand_prince853(), "dop853",
                   "Explicit Runge-Kutta of order 8(5,3), Dormand and Prince", true),
      explicit_row(dormand_prince5(), "dopri5",
                   "Explicit Runge-Kutta of order 5(4), Dormand and Prince", true),
      explicit_row(classical_rk4(), "rk4",
                   "The classical Runge-Kutta method of order 4, fixed step", false),
      explicit_row(forward_euler(), "euler-forward", "The forward Euler method, fixed step",
                   false)};
  rows[0].make_explicit = make_explicit_rk<dormand_prince853>;
  rows[1].make_explicit = make_explicit_rk<dormand_prince5>;
  rows[2].make_explicit = make_explicit_rk<classical_rk4>;
  rows[3].make_explicit = make_explicit_rk<forward_euler>;
  return rows;
}

std::vector<IntegratorInfo> collocation_rows() {
  const Capabilities radau{.explicit_systems = true,
                           .implicit_systems = true,
                           .fixed_step = true,
                           .projects = true,
                           .keeps_history = true,
                           .max_index = 3};
  Capabilities gauss = radau;
  gauss.symmetric = true;
  gauss.max_index = 2;
  return {{.name = "radau",
           .summary = "Radau IIA of 1, 3 or 5 stages with order switching (orders 1, 5, 9)",
           .can = radau,
           .parameters = {"stages", "index_weights"},
           .make_implicit = make_collocation<radau_rules>,
           .make_explicit = make_explicit_collocation<radau_rules>},
          {.name = "gauss",
           .summary = "Gauss of 1, 2 or 3 stages (orders 2, 4, 6), symmetric",
           .can = gauss,
           .parameters = {"stages", "index_weights"},
           .make_implicit = make_gauss,
           .make_explicit = make_explicit_collocation<gauss_rules>},
          {.name = "euler-backward",
           .summary = "The backward Euler method",
           .can = radau,
           .parameters = {"index_weights"},
           .make_implicit = make_collocation<backward_euler_rules>,
           .make_explicit = make_explicit_collocation<backward_euler_rules>}};
}

BdfSettings bdf_settings(const MethodParameters& parameters) {
  return {.order = integer_parameter(parameters,
                                     {.name = "order", .fallback = 2, .minimum = 1, .maximum = 6}),
          .corrector = static_cast<linalg::Corrector>(
              integer_parameter(parameters, {.name = "corrector", .maximum = 2}))};
}

std::unique_ptr<Stepper> make_fixed_bdf(const ImplicitSystem& system, const StepOptions& options,
                                        const MethodParameters& parameters) {
  return std::make_unique<FixedBdf>(system, bdf_settings(parameters), options);
}

std::unique_ptr<Stepper> make_explicit_fixed_bdf(const ExplicitSystem& system,
                                                 const StepOptions& options,
                                                 const MethodParameters& parameters) {
  return std::make_unique<FixedBdf>(std::make_unique<AsImplicit>(system), bdf_settings(parameters),
                                    options);
}

std::unique_ptr<Stepper> make_adams_pece(const ExplicitSystem& system, const StepOptions& options,
                                         const MethodParameters&) {
  return std::make_unique<AdamsPece>(system, options);
}

std::vector<IntegratorInfo> other_rows() {
  return {{.name = "bdf-fixed",
           .summary = "BDF of order 1 to 6 with a fixed step",
           .can = {.explicit_systems = true,
                   .implicit_systems = true,
                   .overdetermined_systems = true,
                   .error_controlled = false,
                   .fixed_step = true,
                   .projects = true,
                   .keeps_history = true,
                   .max_index = 3},
           .parameters = {"order", "corrector"},
           .make_implicit = make_fixed_bdf,
           .make_explicit = make_explicit_fixed_bdf},
          {.name = "abm5",
           .summary = "Adams-Bashforth-Moulton of order 5 in PECE form with a fixed step",
           .can = {.explicit_systems = true,
                   .error_controlled = false,
                   .fixed_step = true,
                   .projects = true,
                   .keeps_history = true},
           .parameters = {},
           .make_implicit = nullptr,
           .make_explicit = make_adams_pece}};
}

}  // namespace

std::vector<IntegratorInfo> one_step_integrators() {
  auto rows = explicit_rows();
  for (IntegratorInfo& row : collocation_rows()) rows.push_back(std::move(row));
  for (IntegratorInfo& row : other_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace daedal::integrate
