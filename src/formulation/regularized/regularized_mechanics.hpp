// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The mechanical ordinary differential equation of the regularising methods: it reports redundant
/// constraints at the start and watches for singular positions on the way.

#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

class RegularMechanicalFormulation final : public MechanicalFormulation {
 public:
  /// Reads the parameter `watch`.
  RegularMechanicalFormulation(const Request& request, const MechanicalOde::Settings& settings);

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  Start start(double t0, Run& run) const override;

 private:
  MechanicalOde system_;
  bool has_singular_mass_;
};

}  // namespace daedal::formulation
