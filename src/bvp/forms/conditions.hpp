// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The boundary conditions of a model: fixed start values, initial equations, boundary equations;
/// and the first guess of a solution that they and the start values give.

#include <daedal/bvp.hpp>
#include <daedal/model.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bvp/problem.hpp"
#include "formulation/frame/written_equations.hpp"
#include "kernel/jacobian_program.hpp"

namespace daedal::solve_detail {

class ModelConditions final : public bvp::BoundaryConditions {
 public:
  /// `algebraic`: conditions on algebraic variables are taken (index 1). Throws
  /// ModelError{unsupported} naming a condition on one otherwise, or on a derivative.
  ModelConditions(const formulation::WrittenEquations& system, double t0, bool algebraic);

  [[nodiscard]] Index size() const override { return to_index(names_.size()); }
  Evaluation residual(std::span<const double> first, std::span<const double> last,
                      std::span<double> values) const override;
  Evaluation jacobian(std::span<const double> first, std::span<const double> last, Matrix& by_first,
                      Matrix& by_last) const override;
  [[nodiscard]] std::string name(Index row) const override { return names_[to_size(row)]; }
  [[nodiscard]] bool uses_algebraic() const override { return uses_algebraic_; }

  /// Values that single conditions x(startTime) = number and x(finalTime) = number give, or NaN.
  [[nodiscard]] const std::vector<double>& first_values() const { return first_; }
  [[nodiscard]] const std::vector<double>& last_values() const { return last_; }
  /// Start values of the variables; NaN where none is given.
  [[nodiscard]] const std::vector<double>& starts() const { return starts_; }

 private:
  void collect(Pool& pool);
  void check_leaves(const Pool& pool, bool algebraic);
  [[nodiscard]] double single_value(std::size_t row, const Node& variable) const;
  void read_values(Pool& pool);
  [[nodiscard]] std::vector<const double*> blocks(std::span<const double> first,
                                                  std::span<const double> last) const;

  const formulation::WrittenEquations& system_;
  double t0_;
  bool uses_algebraic_ = false;
  std::vector<NodeId> residuals_;
  std::vector<std::string> names_;
  std::vector<SourcePosition> where_;
  std::unique_ptr<formulation::ModelRun> run_;
  kernel::Program program_;
  kernel::JacobianProgram jacobian_;
  mutable kernel::Workspace workspace_;
  mutable kernel::JacobianWorkspace jacobian_workspace_;
  mutable std::vector<double> by_first_, by_last_;
  std::vector<double> first_, last_, starts_;
};

/// Linear between the values that conditions give at both ends, constant at the value of one, start
/// values otherwise; where the user's guess names a variable, that.
/// Throws OptionError for a guess that is not one.
bvp::Guess make_guess(const ModelConditions& conditions, const Model& model,
                      const std::vector<std::string>& known_names, const TimeSpan& span,
                      const BvpGuess& given);

}  // namespace daedal::solve_detail
