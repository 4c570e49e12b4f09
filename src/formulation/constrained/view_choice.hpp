// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Methods for constrained mechanics that also take the general form x' = f(x, u), 0 = g(x): the
/// mechanical view where the model has it, for its cheaper linear algebra, else the general one.

#include <memory>

#include "formulation/frame/registry.hpp"
#include "model/views/constrained_ode_view.hpp"

namespace daedal::formulation {

using MakeMechanical = std::unique_ptr<Formulation> (*)(const Request& request);
using MakeGeneral = std::unique_ptr<Formulation> (*)(const Request& request,
                                                     ConstrainedOdeView view);

/// Throws ModelError{not_recognized} with the reasons of both when the model has neither shape.
std::unique_ptr<Formulation> mechanical_or_general(const Request& request,
                                                   MakeMechanical mechanical, MakeGeneral general);

/// Refuses a parameter that has a meaning for mechanics alone.
void refuse_mechanical_parameter(const Request& request, std::string_view name);

}  // namespace daedal::formulation
