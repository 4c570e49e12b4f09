// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Linear systems with the matrices γ E + A for a few numbers γ, one of them real: those of the
/// modes of a collocation rule. Matrices with the same pattern and of about the same size, so that
/// those of small systems are factored and solved all at once.

#include <complex>
#include <daedal/sparsity.hpp>
#include <memory>
#include <span>
#include <string>

#include "core/types.hpp"
#include "linalg/linear_solver.hpp"

namespace daedal::linalg {

/// The γ of a family of matrices.
struct PencilFactors {
  bool has_real = true;
  double real = 0.0;
  std::span<const std::complex<double>> others;
};

class PencilSolver {
 public:
  virtual ~PencilSolver() = default;
  /// E and A on the pattern given at construction.
  virtual FactorReport factor(std::span<const double> e, std::span<const double> a,
                              const PencilFactors& gammas) = 0;
  /// Solves in place: columns of n numbers each for the real γ where `has_real`, then real and
  /// imaginary parts for every other one.
  virtual void solve(double* columns, bool has_real) = 0;
  /// With the matrix of the real γ alone.
  virtual void solve_real(std::span<double> rhs) = 0;
  /// As of LinearSolver.
  [[nodiscard]] virtual std::string description() const { return {}; }
};

std::unique_ptr<PencilSolver> make_pencil_solver(const SparsityPattern& pattern, int most_others,
                                                 Storage storage = Storage::automatic);

}  // namespace daedal::linalg
