// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What every mechanical method shares: recognition of the view, consistent start values, events,
/// the way back to the model's variables (multipliers recomputed from the accelerations), and the
/// constraint levels. The state of every method begins with x = (q, v).

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/model_context.hpp"
#include "formulation/frame/registry.hpp"
#include "formulation/mechanics/mechanical_manifold.hpp"
#include "formulation/mechanics/mechanical_start.hpp"
#include "formulation/mechanics/mechanics.hpp"

namespace daedal::formulation {

/// The mechanical data of one request, shared by a formulation and its system.
class MechanicalContext final : public ModelContext {
 public:
  MechanicalContext(const Request& request, ConstrainedView view);

  [[nodiscard]] const Mechanics& mechanics() const { return mechanics_; }
  /// The consistent x = (q, v) nearest to the start values, for the modes of `run`.
  [[nodiscard]] Start find_start(double t0, MechanicalRun& run) const {
    return start_.find(t0, run);
  }
  /// Nominal values of q, then of v.
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }
  void prepare(MechanicalRun& run) const;

  // Events read and write x = (q, v, ...).
  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  /// Projects positions and velocities with what reinit gave held, and solves a and λ.
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;
  /// After an accepted step: reports singular positions on the way, where they are watched for, and
  /// ends the run there when the request says so.
  Change watch(double t, std::span<const double> x, const History& history,
               MechanicalRun& run) const;
  /// For methods that drift: stops where the drift is no longer small against the distance to a
  /// singular position, because there it decides which branch the motion takes.
  Change check_branch(double t, std::span<const double> x, MechanicalRun& run) const;
  /// A sentence about a singular position near x, empty when there is none.
  [[nodiscard]] std::string describe_singularity(double t, std::span<const double> x,
                                                 MechanicalRun& run) const;

 private:
  Mechanics mechanics_;
  MechanicalManifold manifold_{mechanics_, Metric::mass};
  MechanicalStart start_;
  std::vector<double> nominals_;
  bool stops_at_singularities_;
};

/// The context of a request with its mechanical view.
std::shared_ptr<const MechanicalContext> mechanical_context(const Request& request,
                                                            const ConstrainedView& view);

/// From x = (q, v), x' = (v, a) and the multipliers of the run to the unknowns of a method.
using ExtendMechanicalStart = std::function<void(double t0, MechanicalRun& run, Start& start)>;

struct MechanicalParts {
  bool watches = false;  ///< for singular positions on the way
  ExtendMechanicalStart extend_start{};
};
/// Everything but the system.
Formulation mechanical_formulation(const Request& request,
                                   const std::shared_ptr<const MechanicalContext>& context,
                                   const MechanicalParts& parts);

}  // namespace daedal::formulation
