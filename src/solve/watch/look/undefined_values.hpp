// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where in a step the equations or the outputs have no value: at a pole, or where the argument of
/// a function leaves its domain. A run cannot go beyond an instant at which an equation has no
/// value. Where only an output has none, the run goes on, and the first such place is kept.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solve/watch/look/step_parts.hpp"
#include "solve/watch/suspects.hpp"

namespace daedal::solve_detail {

class UndefinedValues {
 public:
  struct Place {
    double t = 0.0;
    std::string message;  ///< a full sentence
  };

  /// An instant at which a divisor passes zero and nothing seems to grow beyond all bounds.
  struct Passage {
    double t;
    /// What is divided is not zero there: the step leads from a solution on one side of a pole to
    /// one on its other side.
    bool is_leap;
  };

  /// The first place inside the step where the run must end, if there is one. Adds what the step
  /// passes before it.
  [[nodiscard]] std::optional<Place> find_end(SampledStep& step, StepParts& parts,
                                              Suspects& suspects, std::vector<Passage>& passages);
  /// The first place of the run at which an output has no value.
  [[nodiscard]] const std::optional<Place>& of_output() const { return of_output_; }

 private:
  /// A value that does not exist.
  struct Loss {
    double t;
    std::size_t column;   ///< of SampledStep::row()
    std::size_t suspect;  ///< the function that has no value
    std::string_view what;
  };
  /// The place where the run must end, if the value is one of an equation.
  [[nodiscard]] std::optional<Place> judge(const Loss& loss, const SampledStep& step,
                                           Suspects& suspects);

  std::optional<Place> of_output_;
};

}  // namespace daedal::solve_detail
