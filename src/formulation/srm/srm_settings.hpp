// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The parameters of the sequential regularisation and its relatives, as they are given and as
/// they are chosen.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

/// The matrix E in y_s = y_{s−1} + (1/ε) E (α₁ċ + α₂c), with A = GM⁻¹B (CB in the paper).
std::string_view to_string(SrmGain gain);

struct SrmSettings {
  SrmGain gain = SrmGain::automatic;
  double epsilon = 0.0;  ///< NaN: by the tolerance
  int iterations = 1;
  /// M of H4: the starting iterate has the exact derivatives of y at the start up to this order;
  /// −1: it is zero.
  int start_order = -1;
  double alpha1 = 0.0;
  double alpha2 = 1.0;
  double delta = 0.0;  ///< NaN: the scale of A at the start
  /// −1 backwards in time: there the violation, not its derivative, changes its sign.
  double direction = 1.0;
  /// Rate of the stable reduction of systems of order m > 1, (d/dt + γ)ᵐ⁻¹ g = 0.
  double gamma = 10.0;
  double rtol = 1e-6;
  double fixed_step = 0.0;
  double stability = infinity;  ///< greatest rate·step of the integrator
};

/// The settings of each method for a request. Throws OptionError for contradictory fields.
SrmSettings srm_settings(const Srm& method, const Request& request);
/// One iteration from zero.
SrmSettings penalty_settings(const Penalty& method, const Request& request);
/// E is A⁻¹ or I.
SrmSettings park_chiou_settings(const ParkChiou& method, const Request& request);

/// What a start has decided, kept in ModelRun::memory so that dense output has it too: some
/// numbers, then the Taylor coefficients of the starting iterate, one vector of y after the other.
class SrmMemory {
 public:
  SrmMemory(std::vector<double>& values, std::size_t n_multipliers, int start_order);

  [[nodiscard]] SrmGain gain() const { return static_cast<SrmGain>(values_[0]); }
  void set_gain(SrmGain gain) { values_[0] = static_cast<double>(gain); }
  [[nodiscard]] double& epsilon() { return values_[1]; }
  [[nodiscard]] double& sign() {
    return values_[2];
  }  ///< of E, −1 where A is negative semidefinite
  [[nodiscard]] double& delta() { return values_[3]; }
  [[nodiscard]] double& start_time() { return values_[4]; }
  /// Beyond this distance from the start its Taylor polynomial is not trusted.
  [[nodiscard]] double& reach() { return values_[5]; }
  [[nodiscard]] double& time_scale() { return values_[6]; }
  /// The smallest singular value of A; 0 where its rank is not full.
  [[nodiscard]] double& least() { return values_[7]; }
  [[nodiscard]] std::span<double> coefficients() { return std::span(values_).subspan(n_numbers); }

 private:
  static constexpr std::size_t n_numbers = 8;  ///< in front of the coefficients
  std::vector<double>& values_;
};

}  // namespace daedal::formulation
