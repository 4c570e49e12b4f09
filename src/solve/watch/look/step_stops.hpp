// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Chooses the instants at which steps must end for the scheme to see what a look has found in a
/// step: the ends of the parts in which something changes, and the kinks. If the defect of the
/// interpolant shows that the scheme has seen enough of it, there are none.

#include <optional>
#include <span>
#include <vector>

#include "integrate/driver/defect.hpp"
#include "integrate/driver/step_inspector.hpp"
#include "solve/watch/look/step_parts.hpp"
#include "solve/watch/look/undefined_values.hpp"
#include "solve/watch/watch_options.hpp"

namespace daedal::solve_detail {

class StepStops {
 public:
  using Stop = integration::Inspection::Stop;
  struct Choice {
    std::vector<Stop> stops;
    bool is_significant = false;  ///< what was found changes the solution by some tolerances
  };

  explicit StepStops(const WatchOptions& options) : options_(options) {}

  /// `passages` are further instants at which the solution is not smooth; `end` is the place where
  /// the run must end, if there is one in the step.
  [[nodiscard]] Choice choose(SampledStep& step, StepParts& parts,
                              std::span<const UndefinedValues::Passage> passages,
                              const std::optional<UndefinedValues::Place>& end);

 private:
  [[nodiscard]] double defect_of(std::span<const integration::Part> parts, SampledStep& step);

  WatchOptions options_;
  std::optional<integration::Defect> defect_;
};

}  // namespace daedal::solve_detail
