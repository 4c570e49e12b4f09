// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "formulation/frame/parameters.hpp"

namespace daedal::formulation {

namespace {

constexpr double chosen = std::numeric_limits<double>::quiet_NaN();
constexpr double most_iterations = 12;
/// Taylor coefficients of higher order are lost in round-off.
constexpr double highest_start_order = 8;

int integer(const Request& request, std::string_view name, double otherwise, const Range& range) {
  const double value = parameter(request, name, otherwise);
  check_range(name, value, range);
  if (value == std::floor(value)) return static_cast<int>(value);
  throw OptionError(ErrorCode::invalid_option,
                    fmt::format("The parameter '{}' is {}: it must be an integer.", name, value));
}

/// ε is a share rtol^(1/S) of the time scale. Every iteration costs, but explicit integrators pay
/// 1/ε in steps, and implicit ones need good predictors where ε is far below their step: on the
/// pendulum their steps are those of the tolerance down to a share of 1e-2.
int automatic_iterations(const Request& request) {
  const double digits = -std::log10(request.rtol);
  const double per_iteration = request.prefers_explicit ? 1.5 : 2.0;
  return static_cast<int>(std::clamp(std::ceil(digits / per_iteration), 2.0, 6.0));
}

SrmSettings common_settings(const Request& request) {
  SrmSettings settings;
  settings.gain = static_cast<Gain>(integer(request, "E", 0.0, {.above = -1.0, .at_most = 4.0}));
  settings.epsilon = parameter(request, "epsilon", chosen);
  if (!std::isnan(settings.epsilon)) check_range("epsilon", settings.epsilon, {.above = 0.0});
  settings.delta = parameter(request, "delta", chosen);
  if (!std::isnan(settings.delta)) {
    check_range("delta", settings.delta, {.above = 0.0});
    if (settings.gain != Gain::shifted) {
      throw OptionError(ErrorCode::invalid_option,
                        "The parameter 'delta' belongs to E = 4, (CB + delta I)^-1.");
    }
  }
  settings.gamma = parameter(request, "gamma", settings.gamma);
  check_range("gamma", settings.gamma, {.above = 0.0});
  settings.direction = request.is_backward ? -1.0 : 1.0;
  settings.rtol = request.rtol;
  settings.fixed_step = request.fixed_step;
  settings.stability = request.stability;
  return settings;
}

}  // namespace

std::string_view to_string(Gain gain) {
  constexpr std::array<std::string_view, 5> names{"chosen", "(CB)^-1", "(CB)'", "I",
                                                  "(CB + delta I)^-1"};
  return names[static_cast<std::size_t>(gain)];
}

SrmSettings srm_settings(const Request& request) {
  SrmSettings settings = common_settings(request);
  settings.iterations = integer(request, "iterations", automatic_iterations(request),
                                {.above = 0.0, .at_most = most_iterations});
  // Ascher, Lin, Theorem 3.1: from M = S − 1 on no iterate has an initial layer.
  settings.start_order =
      integer(request, "start_order", std::min(settings.iterations - 1.0, highest_start_order),
              {.above = -2.0, .at_most = highest_start_order});
  settings.alpha1 = parameter(request, "alpha1", 0.0);
  settings.alpha2 = parameter(request, "alpha2", 1.0);
  check_range("alpha1", settings.alpha1, {.above = -1e-300});
  check_range("alpha2", settings.alpha2, {.above = -1e-300});
  if (settings.alpha1 == 0.0 && settings.alpha2 == 0.0) {
    throw OptionError(ErrorCode::invalid_option,
                      "The parameters 'alpha1' and 'alpha2' are both 0: nothing would hold the "
                      "constraints.");
  }
  return settings;
}

SrmSettings penalty_settings(const Request& request) {
  return common_settings(request);
}

SrmSettings park_chiou_settings(const Request& request) {
  SrmSettings settings = common_settings(request);
  if (settings.gain == Gain::automatic) settings.gain = Gain::identity;
  if (settings.gain != Gain::inverse && settings.gain != Gain::identity) {
    throw OptionError(ErrorCode::invalid_option,
                      "The method 'park-chiou' takes E = 1, (CB)^-1, and E = 3, I.");
  }
  settings.start_order = 0;
  return settings;
}

std::vector<ParameterInfo> gain_parameters() {
  return {{"epsilon", "regularisation parameter [by the tolerance and the time scale]", chosen},
          {"E", "1: (CB)^-1, 2: (CB)', 3: I, 4: (CB + delta I)^-1, 0: chosen", 0.0},
          {"delta", "of E = 4 [the scale of CB at the start]", chosen},
          {"gamma", "rate of the stable reduction of systems of order above 1", 10.0}};
}

SrmMemory::SrmMemory(std::vector<double>& values, std::size_t n_multipliers, int start_order)
    : values_(values) {
  values_.resize(n_numbers + n_multipliers * static_cast<std::size_t>(start_order + 1));
}

}  // namespace daedal::formulation
