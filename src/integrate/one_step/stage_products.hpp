// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Products of the stages of a rule, one column each, with the small matrices that belong to it.

#include "core/types.hpp"

namespace daedal::integration {

enum class Sum { fresh, added };

/// scale·in·weights, or added to what `out` has. `weights` is square, and `in` and `out` have as
/// many columns as it, of n numbers each, one after the other.
void multiply_stages(const double* in, Index n, const Matrix& weights, double scale, Sum sum,
                     double* out);

}  // namespace daedal::integration
