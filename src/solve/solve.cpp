// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/solve.hpp>

namespace daedal {

Solution solve(const Model& model, const TimeSpan& span, const SolveOptions& options) {
  return prepare(model, options).solve(span);
}

}  // namespace daedal
