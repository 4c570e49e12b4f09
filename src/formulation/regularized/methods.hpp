// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What the regularisations of Petzold, Ren and Maly share.

#include <optional>

#include "formulation/frame/registry.hpp"
#include "formulation/mechanics/mechanics.hpp"
#include "formulation/regularized/regularized_solver.hpp"

namespace daedal::formulation {

/// Which constraint is kept and by which polynomial, as the user gives it.
struct RegularizedForm {
  std::optional<int> index{};     ///< of the constraint that is kept; none: as written
  std::optional<double> gamma{};  ///< rate at which violations decay; none: by the step
  bool is_paper = false;          ///< first derivatives of g alone, as published
  std::optional<bool> projection{};
  std::optional<bool> watch{};
  double singular_mass = 0.0;
};

/// Regularisation of a mechanism: r = GM⁻¹f + z + ... (see damping()).
struct MechanicalRegularization {
  int index = 3;          ///< 2: the velocity constraint, 3: the position constraint
  double gamma = 1.0;     ///< rate at which violations decay
  bool is_paper = false;  ///< index 3 without z, first derivatives of g alone
  bool projects = true;   ///< every accepted step, on positions and velocities
};

/// Throws OptionError for an index other than 2 and 3.
MechanicalRegularization mechanical_form(const RegularizedForm& form);

/// index 2: γ(Gv + g_t); index 3: 2γ(Gv + g_t) + 2γ²g, that is h²/2 g̈ + h ġ + g = 0 with γ = 1/h
/// (Petzold et al. (4.4)).
Mechanics::Damping damping(const MechanicalRegularization& form);

/// The explicit form of a Hessenberg system by `rule` (NaN: chosen by the tolerance). Throws
/// ModelError{not_recognized}.
Formulation make_hessenberg(const Request& request, const Regularization& rule,
                            const RegularizedForm& form);

}  // namespace daedal::formulation
