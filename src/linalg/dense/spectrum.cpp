// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/dense/spectrum.hpp"

#include <Eigen/Eigenvalues>

namespace daedal::linalg {

std::vector<std::complex<double>> eigenvalues(const Matrix& a) {
  if (a.size() == 0 || !a.allFinite()) return {};
  const Eigen::EigenSolver<Matrix> solver(a, false);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

}  // namespace daedal::linalg
