// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From the integrator's state to every variable of the user's model: the formulation's map back
/// to the simplified model, then the recovery of what simplification removed.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/formulation.hpp"
#include "model/simplify/simplify.hpp"

namespace daedal::solve_detail {

/// The numbers of the parameters in a run: those found by initial equations are known only there.
std::vector<double>& parameters_of(Run& run);
/// What a method's way back to the model needs beyond them (ModelRun::memory).
std::vector<double>& memory_of(Run& run);

class OutputMap {
 public:
  /// `n_continuous`: of the simplified model's variables. All variables are columns.
  OutputMap(std::shared_ptr<const formulation::Formulation> formulation, Recovery recovery,
            std::size_t n_continuous);
  /// `columns`: see SolveOptions. Throws OptionError{unknown_name} for one that there is not.
  OutputMap(std::shared_ptr<const formulation::Formulation> formulation,
            const Simplified& simplified, std::span<const std::string> columns);

  [[nodiscard]] const formulation::Formulation& formulation() const { return *formulation_; }
  /// The names of the model's variables, followed by those of the variables that the method adds.
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  /// The names of the columns of the solution: some of names(), parameters and derivatives.
  [[nodiscard]] std::vector<std::string> column_names() const;
  [[nodiscard]] std::size_t n_columns() const { return columns_.size(); }

  /// Buffers of one thread.
  struct Workspace {
    std::vector<double> values;
    std::vector<double> derivatives;
    std::vector<double> further;
    kernel::Workspace recovery;
    kernel::Workspace further_recovery;
  };
  [[nodiscard]] Workspace make_workspace() const;

  /// One value per name.
  void evaluate(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> all, Workspace& workspace) const;
  /// Computes one value per column.
  void evaluate(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> all, std::span<double> row, Workspace& workspace) const;

 private:
  [[nodiscard]] RecoveryInput point(double t, Run& run, const Workspace& workspace) const;

  std::shared_ptr<const formulation::Formulation> formulation_;
  Recovery recovery_;
  Recovery further_;  ///< columns that are no names: parameters and derivatives
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;  ///< places among the names, then among the further ones
  std::size_t n_continuous_;
};

}  // namespace daedal::solve_detail
