// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/methods.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"
#include "formulation/regularized/methods.hpp"

namespace daedal::formulation {

namespace {

/// For a start that says nothing of the motion to come: at rest and without force.
constexpr double usual_rate = 5.0;
/// Largest α·h where the step is fixed: RK4 is unstable from 2.7 on, and loses accuracy from 1.
constexpr double largest_share = 0.5;

/// The length of a vector in units of the nominal values.
double size_of(std::span<const double> x, std::span<const double> nominals) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += (x[i] / nominals[i]) * (x[i] / nominals[i]);
  }
  return std::sqrt(sum);
}

/// α = β = γ = the rate of the motion at its start, at most half a step's: docs/baumgarte.md has
/// the measurements behind this rule.
double chosen_rate(const Request& request, double motion_rate) {
  double rate = std::isfinite(motion_rate) && motion_rate > 0.0 ? motion_rate : usual_rate;
  if (request.fixed_step > 0.0) rate = std::min(rate, largest_share / request.fixed_step);
  return rate;
}

/// max(|v|/|q|, √(|a|/|q|)) at the consistent start of a mechanical system, |x'|/|x| at that of
/// another; 0 when there is none.
template <class OwnRun, class Context>
double motion_rate(const Context& context, double t0) {
  const auto run = context.template make_model_run<OwnRun>();
  context.prepare(*run);
  const Start start = context.settle_start(t0, to_size(context.n_states()), *run,
                                           [&] { return context.find_start(t0, *run); });
  if (start.status != Status::success) return 0.0;
  const auto n = to_size(context.n());
  const std::span<const double> nominals(context.nominals().data(), n);
  const double extent = size_of(std::span(start.x).first(n), nominals);
  const double scale = extent > 0.0 ? extent : 1.0;
  const double speed = size_of(std::span(start.xp).first(n), nominals);
  if (context.order() == 1) return speed / scale;
  const double acceleration = size_of(std::span(start.xp).subspan(n, n), nominals);
  return std::max(speed / scale, std::sqrt(acceleration / scale));
}

ConstraintDamping given_damping(const Baumgarte& method) {
  const double gamma = method.gamma.value_or(usual_rate);
  const double alpha = method.alpha.value_or(gamma);
  return {.alpha = alpha, .beta = method.beta.value_or(alpha), .gamma = gamma};
}

std::string choice_notice(double rate) {
  return fmt::format(
      "The rate of Baumgarte's damping was chosen by the motion at the start: "
      "alpha = beta = {:.3g}.",
      rate);
}

/// Petzold, Ren, Maly (2.8) on the velocity constraint, and (4.5): their one rate is γ.
bool is_of_petzold(const Baumgarte& method) {
  if (!method.index && !method.paper) return false;
  if (method.alpha || method.beta) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter '{}' does not go with 'index' and 'paper': "
                                  "their rate is 'gamma'.",
                                  method.alpha ? "alpha" : "beta"));
  }
  return true;
}

RegularizedForm regularized_form(const Baumgarte& method) {
  return {.index = method.index,
          .gamma = method.gamma.value_or(usual_rate),
          .is_paper = method.paper.value_or(false)};
}

Formulation make_mechanical(const Baumgarte& method, const Request& request) {
  const ConstrainedView& view = mechanical_view(request);
  if (is_of_petzold(method)) {
    return make_index1_form(request, view, damping(mechanical_form(regularized_form(method))));
  }
  ConstraintDamping damping = given_damping(method);
  if (is_chosen_by_motion(method)) {
    damping.alpha = chosen_rate(
        request, motion_rate<MechanicalRun>(Mechanics(request, view), request.start_time));
    damping.beta = damping.alpha;
  }
  Formulation made = make_index1_form(
      request, view, {.velocity = 2.0 * damping.alpha, .position = damping.beta * damping.beta});
  if (is_chosen_by_motion(method)) made.notices.push_back(choice_notice(damping.alpha));
  return made;
}

Formulation make_general(const Baumgarte& method, const Request& request,
                         const ConstrainedView& view) {
  ConstraintDamping damping = given_damping(method);
  if (is_chosen_by_motion(method)) {
    const ConstrainedOdeContext undamped(request, view, {});
    const double rate =
        chosen_rate(request, motion_rate<ConstrainedRun>(undamped, request.start_time));
    damping = {.alpha = rate, .beta = rate, .gamma = rate};
  }
  Formulation made = request.prefers_implicit
                         ? make_constrained_dae(request, view, {.damping = damping})
                         : make_constrained_ode(request, view, {.damping = damping});
  if (is_chosen_by_motion(method)) made.notices.push_back(choice_notice(damping.alpha));
  return made;
}

}  // namespace

bool is_chosen_by_motion(const Baumgarte& method) {
  return !method.alpha && !method.beta && !method.gamma;
}

// Poell, Hafner (35), (36): g̈ + 2α ġ + β² g = 0 in place of g̈ = 0. It decays for α > 0 and β ≠ 0;
// β = α is the critically damped choice.
Formulation make_baumgarte(const Baumgarte& method, const Request& request) {
  if (recognized(request).mechanical()) return make_mechanical(method, request);
  const Recognized::Answer general =
      request.is_automatic ? Recognized::Answer{} : recognized(request).general();
  if (general) return make_general(method, request, *general.view);
  // Constraints that depend on each other, in a Hessenberg system: without regularisation the
  // singular GB is reported where it is met.
  return make_hessenberg(request, {Regularization::Rule::shift, 0.0}, regularized_form(method));
}

}  // namespace daedal::formulation
