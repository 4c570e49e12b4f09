// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formulation/regularized/hessenberg_context.hpp"

namespace daedal::formulation {

Start HessenbergContext::find_start(double t0, HessenbergRun& run) const {
  Start start;
  start.x.resize(to_size(n_ * order()));
  start.xp.resize(start.x.size());
  Evaluator evaluator(start_values_);
  const auto guesses = evaluator(blocks(t0, start.x, run));
  std::copy(guesses.begin(), guesses.end(), start.x.begin());
  ProgramConstraints levels(start_equations_, view_.model, [&](std::span<const double> u) {
    const auto all = blocks(t0, u, run);
    return std::vector<const double*>(all.begin(), all.end());
  });
  if (!meet_start_values(levels, start.x, run.stop, start)) return start;
  if (derivatives(t0, start.x, run, start.xp) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
  }
  return start;
}

}  // namespace daedal::formulation
