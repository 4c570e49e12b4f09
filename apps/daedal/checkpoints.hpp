// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Runs that are saved on their way and go on from there, as the command line asks for it.

#include <CLI/CLI.hpp>
#include <chrono>
#include <daedal/problem.hpp>
#include <optional>
#include <string>
#include <vector>

#include "result_output.hpp"

namespace daedal::app {

struct CheckpointArguments {
  std::string file;
  std::string every = "60s";
  std::string resume;
};

void declare_checkpoint_options(CLI::App& command, CheckpointArguments& arguments);

class Checkpoints {
 public:
  /// Throws OptionError before anything is computed for the run.
  Checkpoints(const CheckpointArguments& arguments, const std::string& model);

  /// The run from its start, or from the checkpoint, as `notices` says. Throws OptionError.
  [[nodiscard]] Simulation start(const Problem& problem, const TimeSpan& span,
                                 std::vector<std::string>& notices) const;
  /// Saves the run where it is time to.
  void look_at(Simulation& simulation);
  /// Saves a run that was interrupted or has used up what it was allowed, where it stopped.
  void conclude(Simulation& simulation, std::vector<std::string>& notices);
  /// Why the run could not be saved: the whole time, or where it stopped. Empty when it could.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  /// Whether that was possible.
  bool save(Simulation& simulation);

  using Clock = std::chrono::steady_clock;
  CheckpointArguments arguments_;
  std::optional<OutputFile> file_;
  std::chrono::duration<double> every_{};
  Clock::time_point next_;
  int n_saved_ = 0;
  std::string failure_;
};

}  // namespace daedal::app
