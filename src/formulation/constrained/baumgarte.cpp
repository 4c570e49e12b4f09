// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "formulation/constrained/constrained_dae.hpp"
#include "formulation/constrained/view_choice.hpp"
#include "formulation/frame/parameters.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"
#include "formulation/regularized/regularized_options.hpp"

namespace daedal::formulation {

namespace {

constexpr double chosen = std::numeric_limits<double>::quiet_NaN();
/// For a start that says nothing of the motion to come: at rest and without force.
constexpr double usual_rate = 5.0;
/// Of α·h, where the step is fixed: RK4 is unstable from 2.7 on, and loses accuracy from 1.
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

/// max(|v|/|q|, √(|a|/|q|)) at the consistent start; 0 when there is none.
double motion_rate(const MechanicalContext& context, double t0) {
  const auto run = context.make_run();
  const auto n = to_size(context.mechanics().n());
  const Start start = context.start(t0, 2 * n, *run, [&] { return context.find_start(t0, *run); });
  if (start.status != Status::success) return 0.0;
  const std::span<const double> nominals(context.nominals().data(), n);
  const std::span<const double> q(start.x.data(), n);
  const double extent = size_of(q, nominals);
  const double scale = extent > 0.0 ? extent : 1.0;
  const double speed = size_of(std::span(start.x).subspan(n, n), nominals);
  const double acceleration = size_of(std::span(start.xp).subspan(n, n), nominals);
  return std::max(speed / scale, std::sqrt(acceleration / scale));
}

/// |x'|/|x| at the consistent start; 0 when there is none.
double motion_rate(const ConstrainedOdeContext& context, double t0) {
  ConstrainedOdeRun run(context.view().model, context.parameters());
  context.prepare(run);
  const Start start =
      context.start(t0, to_size(context.n()), run, [&] { return context.find_start(t0, run); });
  if (start.status != Status::success) return 0.0;
  const double extent = size_of(start.x, context.nominals());
  return size_of(start.xp, context.nominals()) / (extent > 0.0 ? extent : 1.0);
}

bool is_given(const Request& request) {
  return has_parameter(request, "alpha") || has_parameter(request, "beta") ||
         has_parameter(request, "gamma");
}

ConstraintDamping given_damping(const Request& request) {
  const double gamma = parameter(request, "gamma", usual_rate);
  const double alpha = parameter(request, "alpha", gamma);
  const ConstraintDamping damping{
      .alpha = alpha, .beta = parameter(request, "beta", alpha), .gamma = gamma};
  check_range("gamma", damping.gamma, {.above = 0.0});
  check_range("alpha", damping.alpha, {.above = 0.0});
  check_range("beta", damping.beta, {.above = 0.0});
  return damping;
}

std::string choice_notice(double rate) {
  return fmt::format(
      "The rate of Baumgarte's damping was chosen by the motion at the start: "
      "alpha = beta = {:.3g}.",
      rate);
}

/// Petzold, Ren, Maly (2.8) on the velocity constraint, and (4.5): their one rate is γ.
bool is_of_petzold(const Request& request) {
  if (!has_parameter(request, "index") && !has_parameter(request, "paper")) return false;
  for (const char* name : {"alpha", "beta"}) {
    if (!has_parameter(request, name)) continue;
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter '{}' does not go with 'index' and 'paper': "
                                  "their rate is 'gamma'.",
                                  name));
  }
  return true;
}

std::unique_ptr<Formulation> make_mechanical(const Request& request) {
  auto context = std::make_shared<const MechanicalContext>(request);
  if (is_of_petzold(request)) {
    const double gamma = parameter(request, "gamma", usual_rate);
    return make_index1_form(request, std::move(context), damping(regular_options(request, gamma)));
  }
  ConstraintDamping damping = given_damping(request);
  if (!is_given(request)) {
    damping.alpha = chosen_rate(request, motion_rate(*context, request.start_time));
    damping.beta = damping.alpha;
  }
  auto made =
      make_index1_form(request, std::move(context),
                       {.velocity = 2.0 * damping.alpha, .position = damping.beta * damping.beta});
  if (!is_given(request)) made->add_notice(choice_notice(damping.alpha));
  return made;
}

std::unique_ptr<Formulation> make_general(const Request& request, ConstrainedOdeView view) {
  ConstraintDamping damping = given_damping(request);
  if (!is_given(request)) {
    const ConstrainedOdeContext undamped(request, view, {});
    const double rate = chosen_rate(request, motion_rate(undamped, request.start_time));
    damping = {.alpha = rate, .beta = rate, .gamma = rate};
  }
  auto made = request.prefers_implicit
                  ? make_constrained_dae(request, std::move(view), {.damping = damping})
                  : make_constrained_ode(request, std::move(view), {.damping = damping});
  if (!is_given(request)) made->add_notice(choice_notice(damping.alpha));
  return made;
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
      .needs = View::constrained,
      .yields = Yields::explicit_system,
      .parameters = {{"alpha", "damping rate of the velocity constraint [by the motion]", chosen},
                     {"beta", "rate of the position constraint [alpha]", chosen},
                     {"gamma", "rate of all levels, in place of both [by the motion]", chosen},
                     {"index", "mechanics by gamma: 2: velocity constraint alone, 3: position",
                      3.0},
                     {"paper", "1: index 3 without second derivatives, as published", 0.0}},
      .default_integrator = "dop853",
      .make = make};
}

}  // namespace daedal::formulation
