// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The catalogue of integrators: what each can do, and how it is made.

#include <daedal/methods.hpp>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "integrate/stepper.hpp"

namespace daedal::integration {

struct IntegratorRow : IntegratorInfo {
  /// Null where `can` says that it does not take such systems. The system outlives the stepper.
  std::unique_ptr<Stepper> (*make_implicit)(const ImplicitSystem&, const StepOptions&,
                                            const Integrator&) = nullptr;
  std::unique_ptr<Stepper> (*make_explicit)(const ExplicitSystem&, const StepOptions&,
                                            const Integrator&) = nullptr;
  /// Throws OptionError for fields that the integrator does not have, or values out of range.
  void (*check)(const Integrator& integrator) = nullptr;
};

template <class Value>
using MakeImplicit = std::unique_ptr<Stepper> (*)(const ImplicitSystem&, const StepOptions&,
                                                  const Value&);
template <class Value>
using MakeExplicit = std::unique_ptr<Stepper> (*)(const ExplicitSystem&, const StepOptions&,
                                                  const Value&);

/// The row of the integrator `Value` with the functions that make its steppers.
template <class Value, MakeExplicit<Value> make_explicit,
          MakeImplicit<Value> make_implicit = nullptr>
IntegratorRow integrator_row(std::string_view summary, const Capabilities& can) {
  IntegratorRow row;
  row.name = Value::name;
  row.summary = summary;
  row.can = can;
  row.fields = describe_fields<Value>();
  row.check = [](const Integrator& integrator) { (void)integrator.as<Value>(); };
  row.make_explicit = [](const ExplicitSystem& system, const StepOptions& options,
                         const Integrator& integrator) {
    return make_explicit(system, options, integrator.as<Value>());
  };
  if constexpr (make_implicit != nullptr) {
    row.make_implicit = [](const ImplicitSystem& system, const StepOptions& options,
                           const Integrator& integrator) {
      return make_implicit(system, options, integrator.as<Value>());
    };
  }
  return row;
}

std::span<const IntegratorRow> integrator_rows();
/// Throws OptionError{unknown_method}, with the names nearest to what was written.
const IntegratorRow& find_integrator(std::string_view name);

// The rows of each family, which stand in the source of its scheme.
std::vector<IntegratorRow> ida_integrators();
std::vector<IntegratorRow> cvode_integrators();
std::vector<IntegratorRow> explicit_rk_integrators();
std::vector<IntegratorRow> collocation_integrators();
std::vector<IntegratorRow> fixed_bdf_integrators();
std::vector<IntegratorRow> adams_pece_integrators();
std::vector<IntegratorRow> taylor_integrators();

}  // namespace daedal::integration
