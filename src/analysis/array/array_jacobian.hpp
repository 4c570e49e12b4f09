// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The Jacobian of a derivative array in sparse form, ∂R_i/∂X_j = A_(i−j) + (j/h)·E_(i−j+1): one
/// table says for every entry which two coefficients it is made of.
///
/// Many rows and columns of an array cannot matter: where a higher derivative appears in one
/// equation alone, with a constant coefficient, it can always satisfy that equation, which then
/// does not restrict x and x'. Such pairs are found by repeated peeling and never formed.

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/array/derivative_array.hpp"
#include "core/types.hpp"

namespace daedal::analysis {

/// Rows and columns of the whole array that are formed, ascending.
struct ArrayPart {
  std::vector<Index> rows;
  std::vector<Index> columns;
};
ArrayPart whole_array(const DerivativeArray& array, int level);

class ArrayJacobian {
 public:
  ArrayJacobian(const DerivativeArray& array, int level);
  ArrayJacobian(const DerivativeArray& array, int level, const ArrayPart& part);

  [[nodiscard]] const SparsityPattern& pattern() const { return pattern_; }
  /// Writes the values of the last linearisation in `workspace`, in the order of the pattern.
  void assemble(const DerivativeArray::Workspace& workspace, std::span<double> values) const;
  /// Whether the two coefficients of an entry were constant along the series linearised at.
  [[nodiscard]] bool is_constant(const DerivativeArray& array,
                                 const DerivativeArray::Workspace& workspace, std::size_t p) const;
  /// One of them.
  [[nodiscard]] double value(const DerivativeArray::Workspace& workspace, std::size_t p) const {
    const double* const outputs = workspace.outputs.data();
    return outputs[a_[p]] + factor_[p] / workspace.scale * outputs[e_[p]];
  }

 private:
  SparsityPattern pattern_;
  std::vector<std::int32_t> a_;  ///< outputs of A; the zero behind them where there is none
  std::vector<std::int32_t> e_;
  std::vector<double> factor_;  ///< j
};

/// A higher derivative that one equation determines and no other contains.
struct PeeledPair {
  Index row = 0;
  Index column = 0;
  double value = 0.0;
};
struct ReducedArray {
  ArrayPart part;
  std::vector<PeeledPair> peeled;
};
/// What is left of the whole array after peeling columns of X_2, X_3, .... Coefficients count as
/// constant when all their Taylor coefficients of the last linearisation say so; what is left stays
/// valid while the values of the peeled pairs stay away from zero.
ReducedArray reduce_array(const DerivativeArray& array, const ArrayJacobian& whole,
                          const DerivativeArray::Workspace& workspace);

}  // namespace daedal::analysis
