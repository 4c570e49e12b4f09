// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Eigenvalues of small general matrices.

#include <complex>
#include <vector>

#include "core/types.hpp"

namespace daedal::linalg {

/// Eigenvalues of a square matrix with their multiplicities, in no order; empty when an entry is
/// not finite or the iteration did not converge.
std::vector<std::complex<double>> eigenvalues(const Matrix& a);

}  // namespace daedal::linalg
