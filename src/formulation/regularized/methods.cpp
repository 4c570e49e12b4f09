// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/methods.hpp"

#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "formulation/regularized/hessenberg_ode.hpp"
#include "formulation/regularized/regularized_mechanics.hpp"

namespace daedal::formulation {

namespace {

/// The coupled form is for implicit schemes, which need no rate of the size of their steps: the
/// pair of the paper's own experiments.
constexpr double coupled_gamma = 1e3;
constexpr double coupled_epsilon = 1e-6;

[[noreturn]] void refuse_value(const std::string& sentence) {
  throw OptionError(ErrorCode::invalid_option, sentence);
}

/// The coupled form (regularized_dae.hpp) of any Hessenberg system, mechanical ones among them.
Formulation make_coupled(const Request& request, const Regularization& rule,
                         const RegularizedForm& form) {
  if (form.projection.value_or(false) || form.singular_mass != 0.0) {
    refuse_value(fmt::format("The parameter '{}' cannot be used with the coupled form.",
                             form.singular_mass != 0.0 ? "singular_mass" : "projection"));
  }
  ConstrainedView view = hessenberg_view(request);
  const int index = form.index.value_or(view.order() + 1);
  if (index != view.order() + 1 && !(index == 2 && view.order() == 2)) {
    refuse_value(
        fmt::format("The parameter 'index' is {}: the model has index {}, which is lowered to 2 "
                    "for systems of order 2 only.",
                    index, view.order() + 1));
  }
  if (form.is_paper && view.order() != 2) {
    refuse_value("The coupled form has the published formulas for systems of order 2 only.");
  }
  HessenbergSettings settings{.gamma = form.gamma.value_or(coupled_gamma),
                              .is_paper = form.is_paper,
                              .watches = request.watch_singularities || form.watch.value_or(true),
                              .rule = rule,
                              .rtol = request.rtol,
                              .lowest_level = view.order() + 1 - index};
  return make_regularized_dae(request, std::move(view), std::move(settings));
}

// Petzold, Ren, Maly (2.9)-(2.11) and (4.6), (4.7): the multipliers minimise the violation of the
// damped constraint under a bound on their length. It needs no inverse of GM⁻¹Gᵀ.
Formulation make_trust_region(const TrustRegion& method, const Request& request) {
  if (method.epsilon && method.radius) {
    refuse_value("The parameters 'epsilon' and 'radius' exclude each other: give one of them.");
  }
  const RegularizedForm form{.index = method.index,
                             .gamma = method.gamma,
                             .is_paper = method.paper,
                             .projection = method.projection,
                             .watch = method.watch,
                             .singular_mass = method.singular_mass};
  if (method.coupled) {
    if (method.radius) refuse_value("The parameter 'radius' cannot be used with the coupled form.");
    return make_coupled(
        request, {Regularization::Rule::damp, method.epsilon.value_or(coupled_epsilon)}, form);
  }
  RegularSettings settings{.rtol = request.rtol};
  settings.mass_shift = method.singular_mass;
  if (method.epsilon) settings.given = Regularization{Regularization::Rule::damp, *method.epsilon};
  if (method.radius) settings.given = Regularization{Regularization::Rule::bound, *method.radius};
  if (!recognized(request).mechanical()) {
    const Regularization chosen{.amount = std::numeric_limits<double>::quiet_NaN()};
    return make_hessenberg(request, settings.given.value_or(chosen), form);
  }
  // Automatic: the damping is given for the rate 1, and follows the steps.
  const MechanicalRegularization regularization = mechanical_form(form);
  MechanicalOde::Settings ode{.damping = damping(regularization), .regular = settings};
  ode.regular->is_rate_automatic = !method.gamma;
  if (regularization.projects) ode.projection = Metric::mass;
  return make_regularized_mechanics(request, ode, method.watch);
}

// Petzold, Ren, Maly (2.12), (2.13), (4.8): GM⁻¹Gᵀ + εI in place of GM⁻¹Gᵀ. For mechanics that is
// the quasi-definite saddle-point system [M Gᵀ; G −εI], regular for every ε > 0.
Formulation make_direct_regularization(const DirectRegularization& method, const Request& request) {
  const RegularizedForm form{.index = method.index,
                             .gamma = method.gamma,
                             .is_paper = method.paper,
                             .watch = method.watch};
  const Regularization rule{Regularization::Rule::shift, method.epsilon};
  if (method.coupled) return make_coupled(request, rule, form);
  if (!recognized(request).mechanical()) return make_hessenberg(request, rule, form);
  return make_regularized_mechanics(
      request, {.damping = damping(mechanical_form(form)), .saddle_shift = method.epsilon},
      method.watch);
}

}  // namespace

MechanicalRegularization mechanical_form(const RegularizedForm& form) {
  const int index = form.index.value_or(3);
  if (index != 2 && index != 3) {
    refuse_value(
        fmt::format("The parameter 'index' is {}: it must be 2 (the constraint on velocity "
                    "level is kept) or 3 (on position level).",
                    index));
  }
  if (form.is_paper && index == 2) {
    refuse_value(
        "The parameter 'paper' chooses the index-3 formulas without second derivatives: it has "
        "no meaning with index = 2.");
  }
  // The paper's own runs have no projection, and what they show is what it would hide.
  const bool is_default_form = index == 3 && !form.is_paper;
  return {.index = index,
          .gamma = form.gamma.value_or(1.0),
          .is_paper = form.is_paper,
          .projects = form.projection.value_or(is_default_form)};
}

Mechanics::Damping damping(const MechanicalRegularization& form) {
  if (form.index == 2) return {.velocity = form.gamma};
  return {.velocity = 2.0 * form.gamma,
          .position = 2.0 * form.gamma * form.gamma,
          .has_curvature = !form.is_paper};
}

Formulation make_hessenberg(const Request& request, const Regularization& rule,
                            const RegularizedForm& form) {
  ConstrainedView view = hessenberg_view(request);
  const int index = view.order() + 1;
  if (form.index.value_or(index) != index) {
    refuse_value(
        fmt::format("The model has index {}: the parameter 'index' lowers it for mechanical "
                    "systems only.",
                    index));
  }
  if (form.projection.value_or(false) || form.singular_mass != 0.0) {
    refuse_value(fmt::format("The parameter '{}' is for mechanical systems only.",
                             form.projection.value_or(false) ? "projection" : "singular_mass"));
  }
  if (form.is_paper && view.order() > 4) {
    refuse_value(
        "The published formulas (4.15), (4.16) are unstable for systems of order 5 and above: "
        "leave the parameter 'paper' out.");
  }
  // Regularising methods watch unless told otherwise.
  const bool is_regular = rule.rule != Regularization::Rule::shift || rule.amount > 0.0;
  HessenbergSettings settings{
      .gamma = form.gamma.value_or(1.0),
      .is_rate_automatic = !form.gamma,
      .is_paper = form.is_paper,
      .watches = request.watch_singularities || form.watch.value_or(is_regular),
      .rule = rule,
      .rtol = request.rtol};
  return make_hessenberg_ode(request, std::move(view), std::move(settings));
}

std::vector<MethodRow> regularized_methods() {
  std::vector<MethodRow> rows{
      method_row<TrustRegion, make_trust_region>(
          {.summary = "Multipliers by least squares with a bound on their length: for constraints "
                      "that are redundant or become singular.",
           .paper = "Petzold, Ren, Maly (2.9)-(2.11), (4.6), (4.11), (4.16)",
           .needs = RequiredView::hessenberg,
           .yields = SystemKind::explicit_system,
           .default_integrator = "dop853"}),
      method_row<DirectRegularization, make_direct_regularization>(
          {.summary = "Multipliers from GM^-1G' + epsilon I: for redundant constraints.",
           .paper = "Petzold, Ren, Maly (2.13), (4.8)",
           .needs = RequiredView::hessenberg,
           .yields = SystemKind::explicit_system,
           .default_integrator = "dop853"})};
  // What is added to the constraints follows from the tolerance.
  for (MethodRow& row : rows) row.depends_on_tolerance = true;
  return rows;
}

}  // namespace daedal::formulation
