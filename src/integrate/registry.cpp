// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <string>

#include "core/nearest_name.hpp"
#include "integrate/multistep/cvode_stepper.hpp"
#include "integrate/multistep/ida_stepper.hpp"
#include "integrate/one_step/one_step_registry.hpp"

namespace daedal::integrate {

namespace {

using Family = std::vector<IntegratorInfo> (*)();

/// Every family of schemes gives its own rows.
constexpr Family families[] = {ida_integrators, cvode_integrators, one_step_integrators};

std::vector<IntegratorInfo> all_rows() {
  std::vector<IntegratorInfo> rows;
  for (const Family family : families) {
    for (IntegratorInfo& row : family()) rows.push_back(std::move(row));
  }
  return rows;
}

std::string unknown_integrator(std::string_view name) {
  std::vector<std::string> names;
  for (const IntegratorInfo& row : integrators()) names.emplace_back(row.name);
  const std::string nearest = nearest_name(name, names);
  const std::string guess = nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest);
  return fmt::format("There is no integrator '{}'.{} There are: {}.", name, guess,
                     fmt::join(names, ", "));
}

}  // namespace

std::span<const IntegratorInfo> integrators() {
  static const std::vector<IntegratorInfo> rows = all_rows();
  return rows;
}

const IntegratorInfo& find_integrator(std::string_view name) {
  for (const IntegratorInfo& row : integrators()) {
    if (row.name == name) return row;
  }
  throw OptionError(ErrorCode::unknown_method, unknown_integrator(name));
}

void require_known_parameters(const IntegratorInfo& integrator,
                              const MethodParameters& parameters) {
  for (const auto& [name, value] : parameters) {
    const auto& known = integrator.parameters;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw OptionError(ErrorCode::unknown_name,
                      known.empty()
                          ? fmt::format("The integrator '{}' takes no parameters, so not '{}'.",
                                        integrator.name, name)
                          : fmt::format("The integrator '{}' has no parameter '{}'; it takes: {}.",
                                        integrator.name, name, fmt::join(known, ", ")));
  }
}

}  // namespace daedal::integrate
