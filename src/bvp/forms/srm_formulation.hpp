// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The way back from an iterate of the sequential regularisation of a boundary value problem to the
/// model's variables: states, By, and y where By determines it (Ascher, Lin (2.8)).

#include <memory>
#include <string>
#include <vector>

#include "bvp/forcing.hpp"
#include "bvp/forms/boundary_srm.hpp"
#include "formulation/frame/formulation.hpp"

namespace daedal::solve_detail {

/// `names` of the variables of the model that the view was made from, `by` of the last iterate.
formulation::Formulation srm_formulation(std::shared_ptr<const BoundarySrm> srm,
                                         std::vector<double> parameters,
                                         std::vector<std::string> names, bvp::Forcing by);

}  // namespace daedal::solve_detail
