// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A point from which a run can continue: everything that the rest of the run depends on, so that
/// its results are the same wherever it is computed. A run that is saved continues from its own
/// checkpoint, just as a restored one does.

#include <cstdint>
#include <daedal/run_control.hpp>
#include <daedal/solution.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formulation/frame/model_run.hpp"
#include "solve/run/prepared_run.hpp"

namespace daedal::solve_detail {

struct Checkpoint {
  std::string problem{};  ///< what must be the same, in words (see describe())
  TimeSpan span{};
  std::vector<std::string> parameter_names{}, start_names{};  ///< what the run was given
  std::vector<double> parameter_values{}, start_values{};
  bool is_exact = false;     ///< the model was prepared for the values of this run alone
  bool is_changed = false;   ///< inputs or parameters were set on the way
  bool is_complete = false;  ///< which reading of the model the method was chosen on
  // How it is solved.
  std::string method{};
  std::string integrator{};
  double tolerance_factor = 1.0;
  bool is_sharpened = false;
  bool has_successors = false;
  // Where it is.
  double t = 0.0;
  double last_step = 0.0;
  std::vector<double> values{};      ///< of the simplified model's variables
  std::vector<double> parameters{};  ///< with those that the start has found
  formulation::EventState events{};
  double log_growth = 0.0, neglected = 0.0;  ///< of perturbations, see RunRecord
  Solution solution{};                       ///< what was computed so far, without dense output
};

/// Model, values and options, as far as the solution depends on them.
std::string describe(const Model& model, const RunContext& context);

std::string to_bytes(Checkpoint checkpoint);
/// Throws OptionError for bytes that are no checkpoint, or a damaged one.
Checkpoint checkpoint_from(std::string_view bytes);

}  // namespace daedal::solve_detail
