// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What is left out of a model whose text calls functions that it does not define. Without the
/// equations that call them the model has more unknowns than equations. Its underdetermined part
/// (in the decomposition of A. L. Dulmage and N. S. Mendelsohn, Canad. J. Math. 10 (1958) 517-534)
/// cannot be had; what remains is determined and depends on nothing that is lost.

#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

/// Adds to the context's pruning what must be left out so that no undefined function is called, and
/// warns of it. Reports the calls if nothing would remain.
void prune_undefined(Context& context, const Components& components, const Equations& equations,
                     const Discretes& discretes);

}  // namespace daedal::modelica
