// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `dummy-derivatives`: the structural road through any index (Mattsson, Söderlind; Poell, Hafner
/// 5.3). The Σ-method says how often each equation is to be differentiated; all constraints, hidden
/// ones too, hold exactly, and which variables are integrated is re-selected on the way. See
/// sigma_system.hpp, selection.hpp and context.hpp.

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
