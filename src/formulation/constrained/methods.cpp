// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/methods.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>

#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/constrained_ode.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

namespace {

Formulation make_implicit(const Request& request, const ConstrainedForm& form) {
  const ConstrainedView* view = &constrained_view(request);
  if (view->is_mechanical() && form.index == 1 && !has_inverse_mass(*view)) {
    const Recognized::Answer general = recognized(request).general();
    if (general) view = general.view;
  }
  return make_constrained_dae(request, *view, form);
}

// Constraints on one level: Fuehrer, Leimkuhler (1)-(3) and (1)-(2) with (4); Poell, Hafner 5.1. In
// the general form of index k they are differentiated k - 3 and k - 2 times.
Formulation make_index3(const Index3&, const Request& request) {
  return make_implicit(request, {.index = 3});
}

Formulation make_index2(const Index2&, const Request& request) {
  return make_implicit(request, {.index = 2});
}

// Poell, Hafner 5.1: the constraints differentiated twice, a and λ eliminated. The position
// constraint drifts quadratically in time, the velocity constraint linearly. In the general form of
// index k they are differentiated k - 1 times.
Formulation make_index1(const Index1&, const Request& request) {
  const ConstrainedView& view = constrained_view(request);
  if (view.is_mechanical()) return make_index1_form(request, view, {});
  return request.prefers_implicit ? make_constrained_dae(request, view, {})
                                  : make_constrained_ode(request, view, {});
}

// Gear, Gupta, Leimkuhler: q' = v − Gᵀμ keeps the positions on the constraint, the multipliers λ
// hold the velocities. Poell, Hafner (41); Fuehrer, Leimkuhler (43)-(46).
Formulation make_ggl(const Ggl&, const Request& request) {
  return make_implicit(request, {.index = 2, .below = ConstrainedForm::Below::held});
}

// Fuehrer, Leimkuhler (31)-(35): constraints on all three levels, multipliers μ and η.
Formulation make_stabilized_index1(const StabilizedIndex1&, const Request& request) {
  return make_implicit(request, {.index = 1, .below = ConstrainedForm::Below::held});
}

// Fuehrer, Leimkuhler (17) and (47): more equations than unknowns, solved by the ssf-iteration of
// the integrator. Rows of the square block stand in the order kinematic, dynamic, multiplier
// equation: aligned with (q, v, λ), as the theory of the iteration requires.
Formulation make_overdetermined_index1(const OverdeterminedIndex1&, const Request& request) {
  return make_implicit(request, {.index = 1, .below = ConstrainedForm::Below::overdetermined});
}

Formulation make_overdetermined_index2(const OverdeterminedIndex2&, const Request& request) {
  return make_implicit(request, {.index = 2, .below = ConstrainedForm::Below::overdetermined});
}

// Poell, Hafner 6.1: the index-1 equation is stepped by any scheme, and every accepted step is
// projected on the constraints of position and velocity; in the general form of index k on all
// levels 0..k-2 (37).
Formulation make_orthogonal_projection(const OrthogonalProjection& method, const Request& request) {
  const Metric metric = method.euclidean.value_or(false) ? Metric::euclidean : Metric::mass;
  const ConstrainedView& view = constrained_view(request);
  if (view.is_mechanical()) {
    return make_mechanical_ode(request, std::make_shared<const Mechanics>(request, view),
                               {.projection = metric});
  }
  if (method.euclidean) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter 'euclidean' is for mechanical systems only, and "
                                  "'{}' is recognised in the general form x' = f(x, u), 0 = g(x).",
                                  request.model.name()));
  }
  return make_constrained_ode(request, view, {.projects = true});
}

// Poell, Hafner 6.2: the index-1 equation is stepped by a symmetric scheme between two projections
// along the Euclidean normals with the same multipliers (integrate/one_step/symmetric_projection).
// The whole step stays symmetric, so that reversible motions keep their energy over long runs.
Formulation make_symmetric_projection(const SymmetricProjection&, const Request& request) {
  const ConstrainedView& view = constrained_view(request);
  if (!view.is_mechanical()) return make_constrained_ode(request, view, {.projects = true});
  return make_mechanical_ode(request, std::make_shared<const Mechanics>(request, view),
                             {.projection = Metric::euclidean});
}

/// What the rows have in common.
MethodInfo about(std::string_view summary, std::string_view paper, SystemKind yields,
                 std::string_view integrator) {
  return {.summary = summary,
          .paper = paper,
          .needs = RequiredView::constrained,
          .yields = yields,
          .default_integrator = integrator};
}

}  // namespace

Formulation make_index1_form(const Request& request, const ConstrainedView& view,
                             const Mechanics::Damping& damping) {
  if (request.prefers_implicit) {
    return make_constrained_dae(request, view,
                                {.weights = {damping.position, damping.velocity},
                                 .is_coupled = true,
                                 .has_remainder = damping.has_curvature});
  }
  return make_mechanical_ode(request, std::make_shared<const Mechanics>(request, view),
                             {.damping = damping, .drifts = true});
}

std::vector<MethodRow> constrained_methods() {
  constexpr auto is_explicit = SystemKind::explicit_system;
  constexpr auto is_implicit = SystemKind::implicit_system;
  constexpr auto is_overdetermined = SystemKind::overdetermined_system;
  std::vector<MethodRow> rows{
      method_row<Index3, make_index3>(
          about("The constraints on position level, as they are written.",
                "Poell, Hafner 5.1; Fuehrer, Leimkuhler (1)-(3)", is_implicit, "radau")),
      method_row<Index2, make_index2>(
          about("The constraints on velocity level; positions drift linearly.",
                "Poell, Hafner 5.1; Fuehrer, Leimkuhler (4)", is_implicit, "radau")),
      method_row<Index1, make_index1>(
          about("Constraints differentiated twice, accelerations and multipliers eliminated; "
                "drifts off the constraints.",
                "Poell, Hafner 5.1; Fuehrer, Leimkuhler (6)", is_explicit, "dop853")),
      method_row<Baumgarte, make_baumgarte>(
          about("The index-1 equation with Baumgarte's damping of position and velocity drift.",
                "Poell, Hafner 5.2; Petzold, Ren, Maly (2.8), (4.15)", is_explicit, "dop853")),
      method_row<Ggl, make_ggl>(
          about("Stabilised index 2: constraints on position and velocity level, with an "
                "extra multiplier in the kinematics.",
                "Poell, Hafner (41); Fuehrer, Leimkuhler (43)-(46)", is_implicit, "radau")),
      method_row<StabilizedIndex1, make_stabilized_index1>(
          about("Stabilised index 1: constraints on all three levels, with extra multipliers "
                "in kinematics and dynamics.",
                "Fuehrer, Leimkuhler (31)-(35)", is_implicit, "bdf")),
      method_row<OverdeterminedIndex1, make_overdetermined_index1>(
          about("Overdetermined: constraints on all three levels, ssf-iteration.",
                "Fuehrer, Leimkuhler (17), (27), (30)", is_overdetermined, "bdf")),
      method_row<OverdeterminedIndex2, make_overdetermined_index2>(
          about("Overdetermined: constraints on position and velocity level, ssf-iteration.",
                "Fuehrer, Leimkuhler (47), (27), (30)", is_overdetermined, "bdf")),
      method_row<OrthogonalProjection, make_orthogonal_projection>(
          about("The index-1 equation, every step projected on the position and velocity "
                "constraints, or on all levels of a higher index.",
                "Poell, Hafner 6.1", is_explicit, "dop853")),
      method_row<SymmetricProjection, make_symmetric_projection>(
          about("The index-1 equation, every step of a symmetric scheme projected alike before "
                "and after.",
                "Poell, Hafner 6.2", is_explicit, "gauss"))};
  rows.back().symmetric_projection = true;
  rows[3].depends_on_start = [](const Method& method) {
    return is_chosen_by_motion(method.as<Baumgarte>());
  };
  return rows;
}

}  // namespace daedal::formulation
