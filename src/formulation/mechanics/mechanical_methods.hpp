// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The methods for constrained mechanics, one row of the registry each.

#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

MethodInfo index3_method();
MethodInfo index2_method();
MethodInfo index1_method();
MethodInfo baumgarte_method();
MethodInfo ggl_method();
MethodInfo stabilized_index2_method();
MethodInfo stabilized_index1_method();
MethodInfo overdetermined_index1_method();
MethodInfo overdetermined_index2_method();
MethodInfo orthogonal_projection_method();
MethodInfo symmetric_projection_method();
MethodInfo coordinate_partitioning_method();
MethodInfo tangent_space_method();
MethodInfo user_chart_method();
MethodInfo trust_region_method();
MethodInfo direct_regularization_method();

}  // namespace daedal::formulation
