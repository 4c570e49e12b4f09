// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `derivative-array-implicit`: the derivative array for stiff problems. The model F(t, x, x') = 0
/// of index k is replaced by one of index 1 with the same solutions,
///
///     Z₁ᵀ F(t, x, x') = 0,     Z₂ᵀ F_k(t, x, ω) = 0  with ω = (x', w) from  Z⊥ᵀ F_k(t, x, ω) = 0,
///
/// which any implicit integrator steps: the projected differential equations, and the constraints
/// on all levels. [Z⊥ Z₂] is the orthogonal factor of [G_x' G_w] at the last accepted point where
/// it was renewed; the columns of Z₁ span F_x' T, T the tangent space of the constraints. Whatever
/// the bases, the second and third equations together say F_k = 0. The bases change equations, not
/// unknowns.

#include <daedal/system.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/array/system.hpp"
#include "formulation/frame/written_equations.hpp"

namespace daedal::formulation {

class ArrayDae final : public ModelSystem<ImplicitSystem, ArrayRun> {
 public:
  ArrayDae(const GeneralView& view, const std::vector<double>& parameters, const Overrides& starts,
           const ArraySettings& settings);

  [[nodiscard]] const std::shared_ptr<const ArraySystem>& array() const { return array_; }
  [[nodiscard]] Start start(double t0, ArrayRun& run) const;
  /// The greatest residual of the constraints of one level.
  [[nodiscard]] double constraint_residual(double t, std::span<const double> x, int level,
                                           ArrayRun& run) const;

  [[nodiscard]] std::int64_t size() const override { return array_->size(); }
  [[nodiscard]] std::span<const double> nominals() const override { return array_->nominals(); }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override;
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *array_; }
  void prepare(ArrayRun& run) const override;
  /// ω for (t, x) by the factors of the run; their constraint part is then that of F_k.
  Evaluation solve(double t, std::span<const double> x, ArrayRun& run) const;
  /// Z₁ at the point, for the constraints of the run.
  Change choose_bases(double t, std::span<const double> x, std::span<const double> xp,
                      ArrayRun& run) const;

  std::shared_ptr<const ArraySystem> array_;
  WrittenEquations written_;
  SparsityPattern pattern_;  ///< full
};

}  // namespace daedal::formulation
