// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Variables that nothing needs. An exported model may determine a variable (an angle that only a
/// display shows) by a function that the text does not define. If no other equation depends on it
/// but for further variables of the kind, they are left out together with their equations.

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

/// Adds to the context's pruning what can be left out so that no undefined function is called.
/// Reports the calls that a needed variable depends on, and warns of what is left out.
void prune_undefined(Context& context, const Components& components, const Equations& equations);

/// The same for parameters whose values call undefined functions, with those that depend on them.
void prune_undefined_parameters(Context& context, const Components& components,
                                const Equations& equations);

}  // namespace daedal::modelica
