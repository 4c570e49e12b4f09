// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Flows that pass several connectors say of what they carry the same thing twice:
///
///     y = semiLinear(x, a, s);  y = semiLinear(x, s, b)
///
/// determine s where x is not 0 alone. The Modelica specification (3.7.4) allows to write instead
///
///     y = semiLinear(x, a, b);  s = if x >= 0 then a else b,
///
/// which have the same solutions elsewhere, and one at x = 0.

#include <vector>

#include "expr/pool.hpp"
#include "model/model_data.hpp"

namespace daedal {

/// Rewrites such pairs of equations, chains of them too. `pool` holds the equations' expressions.
void join_semi_linear(Pool& pool, std::vector<Equation>& equations);

}  // namespace daedal
