// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A model of first order with the same solutions: where der(x, k) with k ≥ 2 appears, the lower
/// derivatives become unknowns named der(x), der(x, 2), ... with the equations der(x) = 'der(x)'.
///
/// An initial equation that gives such a derivative by parameters, der(x) = v0, becomes the fixed
/// start value of the new unknown.

#include <daedal/model.hpp>

namespace daedal {

/// The variables of `model` come first in the result and keep their numbers; the same holds of its
/// equations. A model of first order is returned as it is.
Model reduce_order(const Model& model);

/// The highest derivative of every continuous variable in the equations of the model.
std::vector<int> derivative_orders(const Model& model);

}  // namespace daedal
