// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

namespace daedal::formulation {

namespace {

/// Taylor coefficients of higher order are lost in round-off.
constexpr int highest_start_order = 8;

/// ε is a share rtol^(1/S) of the time scale. Every iteration costs, but explicit integrators pay
/// 1/ε in steps, and implicit ones need good predictors where ε is far below their step: on the
/// pendulum their steps are those of the tolerance down to a share of 1e-2.
int automatic_iterations(const Request& request) {
  const double digits = -std::log10(request.rtol);
  const double per_iteration = request.prefers_explicit ? 1.5 : 2.0;
  return static_cast<int>(std::clamp(std::ceil(digits / per_iteration), 2.0, 6.0));
}

/// What the three methods share.
template <class Method>
SrmSettings common_settings(const Method& method, const Request& request) {
  if (method.delta && method.gain != SrmGain::shifted) {
    throw OptionError(ErrorCode::invalid_option,
                      "The parameter 'delta' belongs to E = 4, (CB + delta I)^-1.");
  }
  constexpr double chosen = std::numeric_limits<double>::quiet_NaN();
  return {.gain = method.gain,
          .epsilon = method.epsilon.value_or(chosen),
          .delta = method.delta.value_or(chosen),
          .direction = request.is_backward ? -1.0 : 1.0,
          .gamma = method.gamma,
          .rtol = request.rtol,
          .fixed_step = request.fixed_step,
          .stability = request.stability};
}

}  // namespace

std::string_view to_string(SrmGain gain) {
  constexpr std::array<std::string_view, 5> names{"chosen", "(CB)^-1", "(CB)'", "I",
                                                  "(CB + delta I)^-1"};
  return names[static_cast<std::size_t>(gain)];
}

SrmSettings srm_settings(const Srm& method, const Request& request) {
  SrmSettings settings = common_settings(method, request);
  settings.iterations = method.iterations.value_or(automatic_iterations(request));
  // Ascher, Lin, Theorem 3.1: from M = S − 1 on no iterate has an initial layer.
  settings.start_order =
      method.start_order.value_or(std::min(settings.iterations - 1, highest_start_order));
  settings.alpha1 = method.alpha1;
  settings.alpha2 = method.alpha2;
  if (settings.alpha1 == 0.0 && settings.alpha2 == 0.0) {
    throw OptionError(ErrorCode::invalid_option,
                      "The parameters 'alpha1' and 'alpha2' are both 0: nothing would hold the "
                      "constraints.");
  }
  return settings;
}

SrmSettings penalty_settings(const Penalty& method, const Request& request) {
  return common_settings(method, request);
}

SrmSettings park_chiou_settings(const ParkChiou& method, const Request& request) {
  SrmSettings settings = common_settings(method, request);
  if (settings.gain == SrmGain::automatic) settings.gain = SrmGain::identity;
  if (settings.gain != SrmGain::inverse && settings.gain != SrmGain::identity) {
    throw OptionError(ErrorCode::invalid_option,
                      "The method 'park-chiou' takes E = 1, (CB)^-1, and E = 3, I.");
  }
  settings.start_order = 0;
  return settings;
}

SrmMemory::SrmMemory(std::vector<double>& values, std::size_t n_multipliers, int start_order)
    : values_(values) {
  values_.resize(n_numbers + n_multipliers * static_cast<std::size_t>(start_order + 1));
}

}  // namespace daedal::formulation
