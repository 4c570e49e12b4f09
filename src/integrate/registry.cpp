// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <string>

namespace daedal::integration {

namespace {

using Family = std::vector<IntegratorRow> (*)();

constexpr Family families[] = {
    ida_integrators,       cvode_integrators,      explicit_rk_integrators, collocation_integrators,
    fixed_bdf_integrators, adams_pece_integrators, taylor_integrators};

std::vector<IntegratorRow> all_rows() {
  std::vector<IntegratorRow> rows;
  for (const Family family : families) {
    for (IntegratorRow& row : family()) rows.push_back(std::move(row));
  }
  return rows;
}

std::string unknown_integrator(std::string_view name) {
  std::vector<std::string> names;
  for (const IntegratorRow& row : integrator_rows()) names.emplace_back(row.name);
  const std::string nearest = nearest_name(name, names);
  const std::string guess = nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest);
  return fmt::format("There is no integrator '{}'.{} There are: {}.", name, guess,
                     fmt::join(names, ", "));
}

}  // namespace

std::span<const IntegratorRow> integrator_rows() {
  static const std::vector<IntegratorRow> rows = all_rows();
  return rows;
}

const IntegratorRow& find_integrator(std::string_view name) {
  for (const IntegratorRow& row : integrator_rows()) {
    if (row.name == name) return row;
  }
  throw OptionError(ErrorCode::unknown_method, unknown_integrator(name));
}

}  // namespace daedal::integration

namespace daedal {

std::vector<IntegratorInfo> integrators() {
  const auto rows = integration::integrator_rows();
  return {rows.begin(), rows.end()};
}

}  // namespace daedal
