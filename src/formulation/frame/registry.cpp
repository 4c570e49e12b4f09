// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedal/error.hpp>

#include "core/nearest_name.hpp"
#include "formulation/array/derivative_array.hpp"
#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/general/direct.hpp"
#include "formulation/general/ode.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/srm/srm_system.hpp"

namespace daedal::formulation {

namespace {

/// Every method gives its own row.
constexpr MethodInfo (*rows[])() = {
    direct_method,
    explicit_ode_method,
    dummy_derivatives_method,
    index3_method,
    index2_method,
    index1_method,
    baumgarte_method,
    ggl_method,
    stabilized_index2_method,
    stabilized_index1_method,
    overdetermined_index1_method,
    overdetermined_index2_method,
    orthogonal_projection_method,
    symmetric_projection_method,
    coordinate_partitioning_method,
    tangent_space_method,
    user_chart_method,
    least_squares_completion_method,
    derivative_array_method,
    derivative_array_implicit_method,
    trust_region_method,
    direct_regularization_method,
    srm_method,
    penalty_method,
    park_chiou_method,
};

}  // namespace

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> table = [] {
    std::vector<MethodInfo> result;
    for (const auto row : rows) result.push_back(row());
    return result;
  }();
  return table;
}

const MethodInfo& find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) {
    if (method.name == name) return method;
    names.emplace_back(method.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw OptionError(ErrorCode::unknown_method,
                    fmt::format("There is no method '{}'.{} There are: {}.", name,
                                nearest.empty() ? "" : " Did you mean '" + nearest + "'?",
                                fmt::join(names, ", ")));
}

}  // namespace daedal::formulation
