// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `dummy-derivatives`: structural index reduction for any index (Mattsson, Söderlind; Poell,
/// Hafner 5.3). The Σ-method determines how often each equation is differentiated; all constraints,
/// including hidden ones, hold exactly, and the variables that are integrated are re-selected
/// during the run. See sigma_system.hpp, selection.hpp and context.hpp.

#include <memory>
#include <string>
#include <vector>

#include "formulation/dummy/context.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

/// All places: the implicit form, or the explicit one for integrators that step such systems alone.
Formulation make_dummy_derivatives(const std::shared_ptr<const DummyContext>& context,
                                   bool is_explicit);
/// The states alone, explicitly.
Formulation make_states_only(const std::shared_ptr<const DummyContext>& context);

}  // namespace daedal::formulation
