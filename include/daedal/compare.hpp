// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The same model by several methods: error, drift and work side by side.

#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/solution.hpp>
#include <optional>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

struct CompareOptions {
  /// Methods, each as the command line writes it: "ggl", "baumgarte:alpha=5,beta=5", or with its
  /// integrator, "index1+radau:stages=3".
  std::vector<std::string> methods;
  std::vector<double> tolerances = {1e-6};
  /// Everything else of a run; its method and tolerances are overwritten.
  SolveOptions base;
  /// The reference run: `auto`, or a method as above, at this tolerance.
  std::string reference = "auto";
  double reference_rtol = 1e-12;
  /// Points of the grid on which solutions are compared.
  int grid = 200;
  /// A variable whose change over the run is reported as energy drift. Where the model has none of
  /// this name, the energy that it states itself is taken, as every Lagrangian does.
  std::string energy = "energy";
};

struct CompareRow {
  std::string method;
  std::string integrator;
  double rtol = 0.0;
  Status status = Status::success;
  std::string message;
  /// Over grid and variables: the greatest |x − reference| / max|reference| (or absolute, where
  /// the reference is below 1e-6 throughout); NaN for a method that made no rows.
  double error = 0.0;
  std::string worst_variable;
  std::vector<double> times;                 ///< of the rows of the run
  std::vector<ConstraintLevel> constraints;  ///< with residuals at those times
  std::vector<double> energy;                ///< there; empty where none is known
  std::optional<double> energy_drift;
  Statistics statistics;  ///< wall_time: the least of five runs where one takes below 0.1 s
};

struct Comparison {
  std::string model_name;
  Choice reference;  ///< the method of the reference run
  Status reference_status = Status::success;
  std::string reference_message;
  std::vector<CompareRow> rows;
};

/// The energy at every row of a solution: the variable of this name, or else what the model states
/// of itself, as every Lagrangian does. Empty where there is neither. `parameters`: of the run.
DAEDAL_EXPORT std::vector<double> energy_of(const Model& model, const Overrides& parameters,
                                            const Solution& solution,
                                            const std::string& name = "energy");

/// A method that fails, or does not fit the model, is a row with its status and message.
/// Throws OptionError for names that do not exist.
DAEDAL_EXPORT Comparison compare(const Model& model, const TimeSpan& span,
                                 const CompareOptions& options);

}  // namespace daedal
