// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The derivative array of one level as a constraint set for the initialiser: F_k = 0 in the
/// unknowns X_0, ..., X_(k+1) (Campbell, Moore 4: z = (x, x', w)). All constraints on x that show
/// within k differentiations are in it, hidden or not.

#include <string>
#include <vector>

#include "analysis/array/array_jacobian.hpp"
#include "analysis/array/derivative_array.hpp"
#include "analysis/initial/initializer.hpp"

namespace daedal::analysis {

/// "the second time derivative of equation 3" for order 2.
std::string differentiated(const std::string& equation, int order);

class ArrayConstraints final : public ConstraintSet {
 public:
  /// `point` gives all but the series. View and array must outlive the set.
  ArrayConstraints(const GeneralView& view, const DerivativeArray& array, const ArrayPoint& point,
                   int level);

  [[nodiscard]] Index n_unknowns() const override { return pattern().columns; }
  [[nodiscard]] Index n_equations() const override { return pattern().rows; }
  Index residual(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return jacobian_.pattern(); }
  Index jacobian(std::span<const double> u, std::span<double> values) override;
  [[nodiscard]] std::string unknown_name(Index unknown) const override;
  [[nodiscard]] std::string equation_name(Index equation) const override;

 private:
  const GeneralView& view_;
  const DerivativeArray& array_;
  ArrayPoint point_;
  int level_;
  ArrayJacobian jacobian_;
  DerivativeArray::Workspace workspace_;
  std::vector<double> r_;
};

}  // namespace daedal::analysis
