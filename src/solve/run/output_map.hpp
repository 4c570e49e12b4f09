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
  /// `n_continuous`: of the simplified model's variables. `columns`: see SolveOptions.
  OutputMap(std::shared_ptr<const formulation::Formulation> formulation, Recovery recovery,
            std::size_t n_continuous, std::span<const std::string> columns = {});

  [[nodiscard]] const formulation::Formulation& formulation() const { return *formulation_; }
  /// Of the model's variables, then of what the method adds.
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  /// Those of them that are columns of the solution.
  [[nodiscard]] std::vector<std::string> column_names() const;
  /// The values of the columns, from those of all names.
  void pick(std::span<const double> all, std::span<double> row) const;
  [[nodiscard]] std::size_t n_columns() const { return columns_.size(); }

  /// Buffers of one thread.
  struct Workspace {
    std::vector<double> values;
    std::vector<double> derivatives;
    kernel::Workspace recovery;
  };
  [[nodiscard]] Workspace make_workspace() const;

  void evaluate(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> out, Workspace& workspace) const;

 private:
  std::shared_ptr<const formulation::Formulation> formulation_;
  Recovery recovery_;
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;  ///< places of the columns among the names
  std::size_t n_continuous_;
};

}  // namespace daedal::solve_detail
