// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/regularized_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>

#include "formulation/frame/parameters.hpp"
#include "formulation/regularized/hessenberg_ode.hpp"
#include "formulation/regularized/regularized_dae.hpp"

namespace daedal::formulation {

RegularOptions regular_options(const Request& request, double default_gamma) {
  RegularOptions options;
  const double index = parameter(request, "index", 3.0);
  if (index != 2.0 && index != 3.0) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter 'index' is {}: it must be 2 (the constraint on "
                                  "velocity level is kept) or 3 (on position level).",
                                  index));
  }
  options.index = static_cast<int>(index);
  options.gamma = parameter(request, "gamma", default_gamma);
  check_range("gamma", options.gamma, {.above = 0.0});
  options.is_paper = parameter(request, "paper", 0.0) != 0.0;
  if (options.is_paper && options.index == 2) {
    throw OptionError(ErrorCode::invalid_option,
                      "The parameter 'paper' chooses the index-3 formulas without second "
                      "derivatives: it has no meaning with index = 2.");
  }
  // The paper's own runs have no projection, and what they show is what it would hide.
  const bool is_default_form = options.index == 3 && !options.is_paper;
  options.projects = parameter(request, "projection", is_default_form ? 1.0 : 0.0) != 0.0;
  return options;
}

Mechanics::Damping damping(const RegularOptions& options) {
  if (options.index == 2) return {.velocity = options.gamma};
  return {.velocity = 2.0 * options.gamma,
          .position = 2.0 * options.gamma * options.gamma,
          .has_curvature = !options.is_paper};
}

std::unique_ptr<Formulation> make_coupled(const Request& request, const Regularization& rule,
                                          double default_gamma) {
  for (const char* name : {"projection", "singular_mass", "radius"}) {
    if (!has_parameter(request, name) || parameter(request, name, 0.0) == 0.0) continue;
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter '{}' is not for the coupled form.", name));
  }
  HessenbergView view = recognize_hessenberg(request);
  const double index = parameter(request, "index", view.order + 1);
  if (index != view.order + 1 && !(index == 2.0 && view.order == 2)) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter 'index' is {}: the model has index {}, which is "
                                  "lowered to 2 for systems of order 2 only.",
                                  index, view.order + 1));
  }
  const bool is_paper = parameter(request, "paper", 0.0) != 0.0;
  if (is_paper && view.order != 2) {
    throw OptionError(ErrorCode::invalid_option,
                      "The coupled form has the published formulas for systems of order 2 only.");
  }
  const double gamma = parameter(request, "gamma", default_gamma);
  check_range("gamma", gamma, {.above = 0.0});
  HessenbergSettings settings{
      .gamma = gamma,
      .is_paper = is_paper,
      .watches = request.watch_singularities || parameter(request, "watch", 1.0) != 0.0,
      .rule = rule,
      .rtol = request.rtol,
      .lowest_level = view.order + 1 - static_cast<int>(index)};
  return std::make_unique<RegularDaeFormulation>(request, std::move(view), std::move(settings));
}

std::unique_ptr<Formulation> mechanical_or_hessenberg(
    const Request& request, const Regularization& rule, double gamma,
    std::unique_ptr<Formulation> (*make_mechanical)(const Request&)) {
  try {
    return make_mechanical(request);
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized) throw;
  }
  HessenbergView view = recognize_hessenberg(request);
  const int index = view.order + 1;
  if (parameter(request, "index", index) != index) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The model has index {}: the parameter 'index' lowers it for "
                                  "mechanical systems only.",
                                  index));
  }
  for (const char* name : {"projection", "singular_mass"}) {
    if (parameter(request, name, 0.0) == 0.0) continue;
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("The parameter '{}' is for mechanical systems only.", name));
  }
  const bool is_paper = parameter(request, "paper", 0.0) != 0.0;
  if (is_paper && view.order > 4) {
    throw OptionError(ErrorCode::invalid_option,
                      "The published formulas (4.15), (4.16) are unstable for systems of order 5 "
                      "and above: leave the parameter 'paper' away.");
  }
  // Regularising methods watch unless told otherwise.
  const bool is_regular = rule.rule != Regularization::Rule::shift || rule.amount > 0.0;
  const double default_watch = is_regular ? 1.0 : 0.0;
  const bool is_automatic = std::isnan(gamma);
  if (!is_automatic) check_range("gamma", gamma, {.above = 0.0});
  HessenbergSettings settings{
      .gamma = is_automatic ? 1.0 : gamma,
      .is_rate_automatic = is_automatic,
      .is_paper = is_paper,
      .watches = request.watch_singularities || parameter(request, "watch", default_watch) != 0.0,
      .rule = rule,
      .rtol = request.rtol};
  return std::make_unique<HessenbergFormulation>(request, std::move(view), std::move(settings));
}

}  // namespace daedal::formulation
