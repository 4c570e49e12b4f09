// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// F(t, x, x') = 0 as an implicit system: the equations of a model as they are written, residual
/// and both Jacobians by kernel programs on one pattern.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/lazy.hpp"
#include "formulation/frame/model_system.hpp"
#include "kernel/jacobian_program.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

class WrittenEquations final : public ModelSystem<ImplicitSystem, ModelRun>, public ModelContext {
 public:
  WrittenEquations(GeneralView view, std::vector<double> parameters, const Overrides& starts = {},
                   std::shared_ptr<const ModelEvents> events = nullptr);

  [[nodiscard]] const GeneralView& view() const { return view_; }
  /// Rows without a derivative in them: the algebraic equations.
  [[nodiscard]] const std::vector<bool>& is_algebraic_row() const { return is_algebraic_row_; }
  /// Whether each equation has a part in giving x' and the algebraic unknowns. Where the index is
  /// above 1 most often not all have.
  [[nodiscard]] bool gives_rates_by_each() const;
  /// Makes the workspaces of a run, which may be that of another system of the same model.
  void prepare(ModelRun& run) const override;

  [[nodiscard]] std::int64_t size() const override { return to_index(view_.x.size()); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return derivatives().pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override;
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override;

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;
  /// Derivatives of the algebraic unknowns too: [E; A_a] x' = [E x'; −F_t], where the algebraic
  /// rows A_a are differentiated. x' stays as it is where that matrix is singular.
  void complete_derivatives(double t, std::span<const double> x, std::span<double> xp,
                            ModelRun& run) const;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *this; }
  /// ∂F/∂t of the rows with explicit time.
  struct ByTime {
    std::vector<Index> rows;
    kernel::Program program;
  };
  /// Both are made at their first use, for a run of an explicit system may need neither.
  [[nodiscard]] const kernel::JacobianProgram& derivatives() const;
  [[nodiscard]] const ByTime& by_time() const;

  GeneralView view_;
  std::vector<UnknownKind> kinds_;
  std::vector<double> nominals_;
  kernel::Program residual_;
  std::vector<bool> is_algebraic_row_;
  Lazy<kernel::JacobianProgram> derivatives_;
  Lazy<ByTime> by_time_;
};

}  // namespace daedal::formulation
