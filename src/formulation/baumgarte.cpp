// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/error.hpp>

#include "formulation/constrained_dae.hpp"
#include "formulation/mechanical_methods.hpp"
#include "formulation/mechanical_ode.hpp"
#include "formulation/parameters.hpp"
#include "formulation/regular_options.hpp"
#include "formulation/view_choice.hpp"

namespace daedal::formulation {

namespace {

/// α = β = 5 is what the comparison of Poell and Hafner's setting shows to be best for motions of
/// time scale 1: larger values make the error worse, and from α·h ≈ 2.7 on they are unstable.
constexpr double usual_rate = 5.0;

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  const double gamma = parameter(request, "gamma", usual_rate);
  // Petzold, Ren, Maly (2.8) on the velocity constraint, and (4.5).
  if (has_parameter(request, "index") || has_parameter(request, "paper")) {
    for (const char* name : {"alpha", "beta"}) {
      if (!has_parameter(request, name)) continue;
      throw OptionError(ErrorCode::invalid_option,
                        fmt::format("The parameter '{}' does not go with 'index' and 'paper': "
                                    "their rate is 'gamma'.",
                                    name));
    }
    return make_index1_form(request, damping(regular_options(request, gamma)));
  }
  const double alpha = parameter(request, "alpha", gamma);
  const double beta = parameter(request, "beta", alpha);
  check_range("alpha", alpha, {.above = 0.0});
  check_range("beta", beta, {.above = 0.0});
  return make_index1_form(request, {.velocity = 2.0 * alpha, .position = beta * beta});
}

std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  const double gamma = parameter(request, "gamma", usual_rate);
  const double alpha = parameter(request, "alpha", gamma);
  const ConstraintDamping damping{
      .alpha = alpha, .beta = parameter(request, "beta", alpha), .gamma = gamma};
  check_range("gamma", damping.gamma, {.above = 0.0});
  check_range("alpha", damping.alpha, {.above = 0.0});
  check_range("beta", damping.beta, {.above = 0.0});
  if (request.prefers_implicit) {
    return make_constrained_dae(request, std::move(view), {.damping = damping});
  }
  return make_constrained_ode(request, std::move(view), {.damping = damping});
}

std::unique_ptr<Formulation> make(const Request& request) {
  try {
    return mechanical_or_general(request, make_mechanical, make_general);
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized) throw;
  }
  // Constraints that depend on each other, in a Hessenberg system: without regularisation the
  // singular GB is reported where it is met.
  return mechanical_or_hessenberg(request, {Regularization::Rule::shift, 0.0},
                                  parameter(request, "gamma", usual_rate), make_mechanical);
}

}  // namespace

// Poell, Hafner (35), (36): g̈ + 2α ġ + β² g = 0 in place of g̈ = 0. It decays for α > 0 and β ≠ 0;
// β = α is the critically damped choice.
MethodInfo baumgarte_method() {
  return {
      .name = "baumgarte",
      .summary = "The index-1 equation with Baumgarte's damping of position and velocity drift.",
      .paper = "Poell, Hafner 5.2; Petzold, Ren, Maly (2.8), (4.15)",
      .needs = View::hessenberg,
      .yields = Yields::explicit_system,
      .parameters = {{"alpha", "damping rate of the velocity constraint", usual_rate},
                     {"beta", "rate of the position constraint [alpha]", usual_rate},
                     {"gamma", "rate of all levels of a Hessenberg system, in place of both",
                      usual_rate},
                     {"index", "mechanics by gamma: 2: velocity constraint alone, 3: position",
                      3.0},
                     {"paper", "1: index 3 without second derivatives, as published", 0.0}},
      .default_integrator = "dop853",
      .make = make};
}

}  // namespace daedal::formulation
