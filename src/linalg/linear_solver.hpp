// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Square linear systems behind one small interface: dense LU for full ones, a list of operations
/// for small sparse ones, KLU for large ones, fronts for those whose factors fill up.
/// Analyse once, factor and solve many times, no allocation after the first factorisation.

#include <complex>
#include <daedal/methods.hpp>
#include <daedal/sparsity.hpp>
#include <memory>
#include <span>
#include <string>

#include "core/types.hpp"

namespace daedal::linalg {

struct FactorReport {
  bool ok = true;
  /// When not ok: the column without a pivot, or the first with a value that is not finite, in the
  /// numbering of the given pattern.
  Index singular_column = -1;
  double growth = 1.0;  ///< reciprocal pivot growth monitor: near 0 means unreliable
};

template <class Scalar>
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// Values on the pattern given at construction.
  virtual FactorReport factor(std::span<const Scalar> values) = 0;
  /// Solves in place with the last factorisation, which must have been ok.
  virtual void solve(std::span<Scalar> rhs) const = 0;
  /// Reciprocal condition estimate of the last factorisation (1-norm).
  [[nodiscard]] virtual double reciprocal_condition() const = 0;

  /// Which solver was chosen for a large system, and why.
  [[nodiscard]] virtual std::string description() const { return {}; }
};

using RealSolver = LinearSolver<double>;
using ComplexSolver = LinearSolver<std::complex<double>>;

using daedal::SparseSolver;
enum class Storage { automatic, dense, listed, sparse, frontal };

/// By size, density and expected fill as measured by bench/linalg: the pattern decides, never a
/// value. Fronts that many columns without pivots blow up are left for KLU on the way.
std::unique_ptr<RealSolver> make_real_solver(const SparsityPattern& pattern,
                                             Storage storage = Storage::automatic);
std::unique_ptr<ComplexSolver> make_complex_solver(const SparsityPattern& pattern,
                                                   Storage storage = Storage::automatic);
/// What a user asks for.
Storage storage_of(SparseSolver choice);

}  // namespace daedal::linalg
