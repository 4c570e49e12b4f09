// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Whether a run is stuck on a surface at which its equations jump (model/sliding.hpp).

#include <daedal/model.hpp>
#include <span>
#include <vector>

#include "formulation/frame/model_run.hpp"
#include "model/sliding.hpp"

namespace daedal::solve_detail {

/// Where a run stands.
struct JumpPlace {
  double t = 0.0;
  std::vector<double> values;  ///< of the model's variables
  std::vector<double> rates;   ///< their derivatives
  double span = 0.0;           ///< of time, of the whole run
};

class Jumps {
 public:
  explicit Jumps(const Model& model);

  [[nodiscard]] bool empty() const { return surfaces_.empty(); }

  /// g = left − right of every surface.
  [[nodiscard]] std::vector<double> differences(const JumpPlace& place,
                                                formulation::ModelRun& run) const;
  /// Bands around the surfaces that the run is on; they are narrow compared with the scales of the
  /// values on both sides. `largest`: the greatest magnitudes of the variables so far.
  struct Tolerances {
    double rtol, atol;
  };
  [[nodiscard]] std::vector<Band> bands(const JumpPlace& place, std::span<const double> largest,
                                        const Tolerances& tolerances,
                                        formulation::ModelRun& run) const;

 private:
  struct Slope {
    std::size_t surface;
    std::size_t variable;
  };
  std::vector<JumpSurface> surfaces_;
  std::vector<Slope> slopes_;
  kernel::Program differences_;
  kernel::Program sizes_;  ///< rates of the differences, then slopes
};

}  // namespace daedal::solve_detail
