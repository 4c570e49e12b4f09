// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What happens between the points of a mesh, where no equation was evaluated.

#include <span>
#include <vector>

#include "bvp/lookout.hpp"
#include "bvp/problem.hpp"
#include "bvp/refinement.hpp"
#include "bvp/trajectory.hpp"

namespace daedal::bvp {

/// So many residuals are computed in an interval: they are equally dense in long ones.
[[nodiscard]] Index looks_in(const Trajectory& solution, Index interval);

/// Looks through the intervals of one solution.
class IntervalSearch {
 public:
  /// `weights`: one over the tolerance, by place. `lookout` may be null. All must outlive the
  /// search.
  IntervalSearch(const Problem& problem, Refinement& refinement, Run& run, Lookout* lookout,
                 const Trajectory& solution, std::span<const double> weights)
      : problem_(problem),
        refinement_(refinement),
        run_(run),
        lookout_(lookout),
        solution_(solution),
        layout_(*solution.layout),
        weights_(weights) {}

  /// Where the polynomials leave the equations by more than the tolerance though the points of the
  /// mesh do not show it: a bump between them.
  [[nodiscard]] std::vector<double> overlooked();
  /// Points for intervals within which the equations do something that matters, however short it
  /// is: an interval is halved again and again until each part is a gentle curve.
  [[nodiscard]] std::vector<double> hidden();

 private:
  [[nodiscard]] bool is_gentle(Index interval, double begin, double end);
  [[nodiscard]] bool hides(Index interval, std::span<const double> ends);
  [[nodiscard]] bool matters(Index interval, double theta, double length);

  const Problem& problem_;
  Refinement& refinement_;
  Run& run_;
  Lookout* lookout_;
  const Trajectory& solution_;
  const Layout& layout_;
  std::span<const double> weights_;
};

}  // namespace daedal::bvp
