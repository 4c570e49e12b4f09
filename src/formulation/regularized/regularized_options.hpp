// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The parameters that the regularisations of Petzold, Ren and Maly share.

#include <memory>

#include "formulation/frame/registry.hpp"
#include "formulation/mechanics/mechanics.hpp"
#include "formulation/regularized/regularized_solver.hpp"

namespace daedal::formulation {

/// Which constraint is kept and by which polynomial: r = GM⁻¹f + z + ... (see damping()).
struct RegularOptions {
  int index = 3;          ///< 2: the velocity constraint, 3: the position constraint
  double gamma = 0.0;     ///< rate at which violations decay
  bool is_paper = false;  ///< index 3 without z, first derivatives of g alone
  bool projects = true;   ///< every accepted step, on positions and velocities
};

/// Reads and checks gamma, index, paper and projection. Throws OptionError.
RegularOptions regular_options(const Request& request, double default_gamma);

/// index 2: γ(Gv + g_t); index 3: 2γ(Gv + g_t) + 2γ²g, that is h²/2 g̈ + h ġ + g = 0 with γ = 1/h
/// (Petzold et al. (4.4)).
Mechanics::Damping damping(const RegularOptions& options);

/// The coupled form (regular_dae.hpp) of any Hessenberg system, mechanical ones among them, by the
/// rule and with the parameters gamma, index and paper. Throws ModelError{not_recognized}.
std::unique_ptr<Formulation> make_coupled(const Request& request, const Regularization& rule,
                                          double default_gamma);

/// The mechanical form where the model is a mechanical system, otherwise the Hessenberg form by
/// `rule` (NaN: chosen by the tolerance) with the rate `gamma` (NaN: chosen by the step). Throws
/// ModelError{not_recognized} when the model is neither.
std::unique_ptr<Formulation> mechanical_or_hessenberg(
    const Request& request, const Regularization& rule, double gamma,
    std::unique_ptr<Formulation> (*make_mechanical)(const Request&));

}  // namespace daedal::formulation
