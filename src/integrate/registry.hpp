// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The catalogue of integrators: what each can do, and how it is made.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "integrate/stepper.hpp"

namespace daedal::integration {

struct Capabilities {
  bool explicit_systems = false;
  bool implicit_systems = false;
  bool overdetermined_systems = false;
  bool error_controlled = true;
  bool fixed_step = false;
  bool symmetric = false;
  bool projects = false;       ///< takes a projection after a step
  bool keeps_history = false;  ///< over Change::equations
  int max_index = 1;           ///< of implicit systems
  /// Explicit schemes: steps h are stable on x' = −λx up to this value of hλ.
  double real_stability = infinity;
};

struct IntegratorInfo {
  std::string_view name;
  std::string_view summary;
  Capabilities can;
  /// Names of the numeric parameters it takes ("stages", "order").
  std::vector<std::string_view> parameters;
  /// Null where `can` says that it does not take such systems. The system outlives the stepper.
  std::unique_ptr<Stepper> (*make_implicit)(const ImplicitSystem&, const StepOptions&,
                                            const MethodParameters&) = nullptr;
  std::unique_ptr<Stepper> (*make_explicit)(const ExplicitSystem&, const StepOptions&,
                                            const MethodParameters&) = nullptr;
};

std::span<const IntegratorInfo> integrators();
/// Throws OptionError{unknown_method}, with the names nearest to what was written.
const IntegratorInfo& find_integrator(std::string_view name);

// The rows of each family, which stand in the source of its scheme.
std::vector<IntegratorInfo> ida_integrators();
std::vector<IntegratorInfo> cvode_integrators();
std::vector<IntegratorInfo> explicit_rk_integrators();
std::vector<IntegratorInfo> collocation_integrators();
std::vector<IntegratorInfo> fixed_bdf_integrators();
std::vector<IntegratorInfo> adams_pece_integrators();

}  // namespace daedal::integration
