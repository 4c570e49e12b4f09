// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equations of an implicit system at one instant as a constraint set for the initialiser:
/// F(t, x, x') = 0 in the unknowns x, the derivatives that appear, and parameters to be found,
/// with initial equations below.

#include <daedal/model.hpp>
#include <daedal/system.hpp>
#include <optional>
#include <span>
#include <vector>

#include "analysis/initial/initializer.hpp"
#include "formulation/frame/model_run.hpp"
#include "kernel/jacobian_program.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

/// Initial equations, and the derivatives of all equations by the parameters that they determine
/// (fixed = false): what the start needs beyond the system itself.
class InitialPart {
 public:
  explicit InitialPart(const GeneralView& view);

  [[nodiscard]] bool is_empty() const { return residuals_.n_outputs() == 0 && free_.empty(); }
  [[nodiscard]] Index n_equations() const { return residuals_.n_outputs(); }
  [[nodiscard]] std::span<const std::size_t> free_parameters() const { return free_; }
  [[nodiscard]] const kernel::Program& residuals() const { return residuals_; }
  /// Rows: initial equations; columns: x, x', free parameters.
  [[nodiscard]] const kernel::JacobianProgram& jacobian() const { return jacobian_; }
  /// Rows: equations; columns: free parameters.
  [[nodiscard]] const kernel::JacobianProgram& by_parameters() const { return by_parameters_; }

 private:
  std::vector<std::size_t> free_;
  kernel::Program residuals_;
  kernel::JacobianProgram jacobian_;
  kernel::JacobianProgram by_parameters_;
};

class SystemConstraints final : public analysis::ConstraintSet {
 public:
  /// `initial` may be null: the equations of the system alone.
  SystemConstraints(const GeneralView& view, const ImplicitSystem& system, double t, ModelRun& run,
                    const InitialPart* initial);

  [[nodiscard]] Index n_unknowns() const override { return pattern_.columns; }
  [[nodiscard]] Index n_equations() const override { return pattern_.rows; }
  Index residual(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Index jacobian(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] std::string unknown_name(Index unknown) const override;
  [[nodiscard]] std::string equation_name(Index equation) const override;

  /// Number of the column of x'_j, or -1.
  [[nodiscard]] Index derivative_column(Index j) const { return derivative_[to_size(j)]; }
  [[nodiscard]] Index parameter_column(std::size_t k) const {
    return n_ + n_derivatives_ + to_index(k);
  }
  /// Copies unknowns to x, x' and the run's parameters.
  void unpack(std::span<const double> u, std::span<double> x, std::span<double> xp);

 private:
  /// Where an entry of the whole Jacobian comes from.
  struct Source {
    enum class From { f_x, f_xp, initial, parameters } from;
    Index position;
  };
  void build_pattern();

  const GeneralView& view_;
  const ImplicitSystem& system_;
  double t_;
  ModelRun& run_;
  const InitialPart* initial_;
  Index n_;
  Index n_derivatives_ = 0;
  std::vector<Index> derivative_;
  std::vector<Index> differential_;  ///< unknown of each derivative column
  SparsityPattern pattern_;
  std::vector<Source> sources_;
  std::vector<double> x_, xp_, f_x_, f_xp_, initial_values_, parameter_values_;
  std::optional<Evaluator> initial_residuals_;
  kernel::JacobianWorkspace initial_workspace_, parameter_workspace_;
};

}  // namespace daedal::formulation
