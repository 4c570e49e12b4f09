// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Runs an integrator of the registry through the driver and keeps everything it reports.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"

namespace daedal::test {

class CollectingObserver final : public integration::Observer {
 public:
  struct Event {
    double t = 0.0;
    std::vector<std::int64_t> fired;
  };
  std::vector<double> times;
  std::vector<std::vector<double>> states;
  std::vector<Event> events;
  std::vector<integration::StepReport> steps;

  void on_output(double t, std::span<const double> x, std::span<const double>, Run&) override {
    times.push_back(t);
    states.emplace_back(x.begin(), x.end());
  }
  void on_step(const integration::StepReport& report, const integration::Stepper&, Run&) override {
    steps.push_back(report);
  }
  void on_event(double t, std::span<const std::int64_t> fired, const Change&, Run&) override {
    events.push_back({t, {fired.begin(), fired.end()}});
  }
};

struct Drive {
  std::string_view integrator = "bdf";
  double tolerance = 1e-6;  ///< relative, and absolute when `atol` is not given
  double atol = 0.0;
  int max_order = 0;
  FieldValues parameters = {};
  std::vector<double> x0 = {};
  std::vector<double> xp0 = {};  ///< empty for an explicit system: its right-hand side
  integration::DriverOptions options = {};
};

struct Driven {
  integration::DriveOutcome outcome;
  CollectingObserver seen;
  [[nodiscard]] const std::vector<double>& last() const { return seen.states.back(); }
};

inline integration::StepOptions step_options(const Drive& drive) {
  integration::StepOptions options;
  options.rtol = drive.tolerance;
  options.atol = drive.atol > 0.0 ? drive.atol : drive.tolerance;
  options.max_order = drive.max_order;
  return options;
}

inline Driven run_driver(const ImplicitSystem& system, const Drive& drive) {
  const auto& info = integration::find_integrator(drive.integrator);
  const auto stepper = info.make_implicit(system, step_options(drive),
                                          Integrator(drive.integrator, drive.parameters));
  const auto run = system.make_run();
  Driven driven;
  driven.outcome =
      integration::drive(system, *stepper, *run, drive.x0, drive.xp0, drive.options, driven.seen);
  return driven;
}

inline Driven run_driver(const ExplicitSystem& system, const Drive& drive) {
  const auto& info = integration::find_integrator(drive.integrator);
  const auto stepper = info.make_explicit(system, step_options(drive),
                                          Integrator(drive.integrator, drive.parameters));
  const auto run = system.make_run();
  std::vector<double> xp(drive.x0.size());
  static_cast<void>(system.rhs(drive.options.t0, drive.x0, *run, xp));
  Driven driven;
  driven.outcome =
      integration::drive(system, *stepper, *run, drive.x0, xp, drive.options, driven.seen);
  return driven;
}

}  // namespace daedal::test
