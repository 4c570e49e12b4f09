// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Keeps the past of the signals that a model reads with a delay, and what its flows carry: after
/// every step what they were in it goes to the run's SignalHistory.

#include <memory>
#include <vector>

#include "integrate/stepper.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

class DelayedSignals {
 public:
  DelayedSignals(std::shared_ptr<const OutputMap> map, const Model& model);

  void on_step(const integration::StepReport& report, const integration::Stepper& stepper,
               Run& run);
  void on_event(Run& run);

 private:
  struct Signal {
    std::size_t schedule;
    std::size_t name;  ///< its place among those of the map
    // For a flow, the next two signals are what enters at its other end and how far it has come.
    bool is_carried;
  };
  /// The k-th signal at t, in the last step.
  double value(std::size_t k, double t, const integration::Stepper& stepper, Run& run);
  void find_tolerances(const integration::Stepper& stepper, Run& run);
  void add_flow(std::size_t k, const integration::StepReport& report,
                const integration::Stepper& stepper, Run& run);

  std::shared_ptr<const OutputMap> map_;
  std::vector<Signal> signals_;
  OutputMap::Workspace workspace_;
  std::vector<double> x_, xp_, all_;
  std::vector<double> tolerances_;  ///< of the signals in the last step, where they matter
  /// Instants of the last step, ascending, most of which the signals share, and where the values of
  /// all begin.
  struct Known {
    double t = 0.0;
    std::size_t row = 0;
  };
  std::vector<Known> known_;
  std::vector<double> values_;
  bool has_warned_ = false;
};

}  // namespace daedal::solve_detail
