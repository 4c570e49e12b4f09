// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What every formulation with a state of its own shares: a context that knows how the model's
/// variables follow from that state, a system that leaves its events to the context, and a
/// formulation around both.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulation/events/model_events.hpp"
#include "formulation/frame/formulation.hpp"
#include "formulation/frame/model_run.hpp"
#include "formulation/frame/registry.hpp"

namespace daedal::formulation {

/// The data of one request, shared by a formulation and its system.
class ModelContext : public StateAccess {
 public:
  explicit ModelContext(const Model& model);

  [[nodiscard]] const ModelEvents& events() const { return events_; }
  Evaluation event_functions(double t, std::span<const double> x, std::span<const double> xp,
                             ModelRun& run, std::span<double> values) const;
  /// Assertions of the model, for accepted steps.
  Change check_assertions(double t, std::span<const double> x, std::span<const double> xp,
                          ModelRun& run) const;
  /// Consistent values for the first modes and discrete values: `find` is asked as often as these
  /// change. The state has `size` unknowns.
  [[nodiscard]] Start start(double t0, std::size_t size, ModelRun& run,
                            const std::function<Start()>& find) const;
  void to_model(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
                std::span<double> values, std::span<double> derivatives) const;

 private:
  ModelEvents events_;
};

/// An ExplicitSystem or ImplicitSystem whose events and assertions are those of a context.
template <class Base>
class ContextSystem : public Base {
 public:
  [[nodiscard]] std::int64_t n_events() const override { return model().events().n_events(); }
  Evaluation event_functions(double t, std::span<const double> x, std::span<const double> xp,
                             Run& run, std::span<double> values) const override {
    return model().event_functions(t, x, xp, static_cast<ModelRun&>(run), values);
  }
  [[nodiscard]] double next_time_event(double t, const Run& run) const override {
    return model().events().next_time_event(t, static_cast<const ModelRun&>(run));
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    return model().events().on_event(t, fired, x, xp, static_cast<ModelRun&>(run), model());
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History&,
                    Run& run) const override {
    return model().check_assertions(t, x, xp, static_cast<ModelRun&>(run));
  }

 protected:
  [[nodiscard]] virtual const ModelContext& model() const = 0;
};

class ContextFormulation : public Formulation {
 public:
  /// `view_model` may have more variables than the model of the request: order reduction appends
  /// them.
  ContextFormulation(const Request& request, const Model& view_model);

  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override;
  [[nodiscard]] std::string describe_event(std::span<const std::int64_t> fired,
                                           const Change& change, const Run& run) const override;
  /// A notice about the choice of this formulation: every start repeats it.
  void add_notice(std::string notice) { notices_.push_back(std::move(notice)); }

 protected:
  [[nodiscard]] virtual const ModelContext& model() const = 0;
  [[nodiscard]] std::span<const std::string> notices() const { return notices_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> notices_;
};

/// The greatest magnitude.
double greatest(std::span<const double> values);

}  // namespace daedal::formulation
