// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The mechanical ordinary differential equation of the regularising methods: it reports redundant
/// constraints at the start and watches for singular positions on the way.

#include <memory>

#include "formulation/mechanical_ode.hpp"
#include "formulation/singularity.hpp"

namespace daedal::formulation {

class RegularMechanicalOde final : public MechanicalOde {
 public:
  using MechanicalOde::MechanicalOde;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
};

class RegularMechanicalFormulation final : public MechanicalFormulation {
 public:
  struct Watch {
    bool singularities = true;
  };
  RegularMechanicalFormulation(const Request& request, const MechanicalOde::Settings& settings,
                               Watch watch)
      : MechanicalFormulation(request),
        system_(shared_context(), settings),
        watch_(watch),
        has_singular_mass_(settings.regular && settings.regular->mass_shift > 0.0) {}

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  Start start(double t0, Run& run) const override;

 private:
  RegularMechanicalOde system_;
  Watch watch_;
  bool has_singular_mass_;
};

}  // namespace daedal::formulation
