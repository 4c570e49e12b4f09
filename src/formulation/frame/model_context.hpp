// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The data of one request that a formulation and its system share, and how the model's variables
/// follow from the state of that system.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formulation/events/model_events.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

class ModelContext : public StateAccess {
 public:
  /// `starts` are held in every run that is not given others. Throws ModelError{unknown_name} for a
  /// variable that does not exist. `events`: those of the view, where they have been made.
  ModelContext(const GeneralView& view, std::vector<double> parameters, const Overrides& starts,
               std::shared_ptr<const ModelEvents> events = nullptr);

  /// The model of first order, whose variables `read` gives.
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] std::span<const double> parameters() const { return parameters_; }
  [[nodiscard]] const ModelEvents& events() const { return *events_; }

  /// A run with parameters, start values and events; the rest is the system's.
  template <class OwnRun>
  [[nodiscard]] std::unique_ptr<OwnRun> make_model_run() const {
    auto run = std::make_unique<OwnRun>(model_, parameters_);
    run->starts = starts_;
    events_->prepare(*run);
    return run;
  }

  /// Consistent values for the first modes and discrete values: `find` is asked as often as these
  /// change. The state has `size` unknowns.
  [[nodiscard]] Start settle_start(double t0, std::size_t size, ModelRun& run,
                                   const std::function<Start()>& find) const;

 protected:
  /// Another state of the same model.
  ModelContext(const ModelContext& other) = default;

 private:
  Model model_;
  std::vector<double> parameters_;
  std::vector<std::optional<double>> starts_;  ///< by variable
  std::shared_ptr<const ModelEvents> events_;
};

/// The first `n_given` variables of the context's model and the discrete ones. Order reduction
/// appends variables that the model of a request does not have.
Outputs model_outputs(std::shared_ptr<const ModelContext> context, Index n_given);

/// The greatest magnitude.
double greatest(std::span<const double> values);

}  // namespace daedal::formulation
