// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Explicit systems that know which entries of ∂f/∂x are not 0.

#include <daedal/system.hpp>
#include <span>

namespace daedal {

class SparseSlopes {
 public:
  virtual ~SparseSlopes() = default;

  [[nodiscard]] virtual const SparsityPattern& slopes_pattern() const = 0;
  /// ∂f/∂x on the pattern.
  virtual Evaluation slopes(double t, std::span<const double> x, Run& run,
                            std::span<double> entries) const = 0;
};

}  // namespace daedal
