// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a model is recognised as: it is read once, when a method first asks, and the views are
/// handed to every method after that.

#include <daedal/model.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/lazy.hpp"
#include "model/views/constrained_view.hpp"
#include "model/views/general_view.hpp"

namespace daedal::formulation {

class ModelEvents;
class WrittenEquations;

class Recognized {
 public:
  /// `parameters`: the values at which the model is looked at.
  Recognized(Model model, std::vector<double> parameters)
      : model_(std::move(model)), parameters_(std::move(parameters)) {}

  /// A view for one kind of methods, or a clause that says why there is none.
  struct Answer {
    const ConstrainedView* view = nullptr;
    std::string reason{};
    [[nodiscard]] explicit operator bool() const { return view != nullptr; }
  };
  [[nodiscard]] Answer mechanical() const;
  [[nodiscard]] Answer hessenberg() const;
  [[nodiscard]] Answer general() const;

  /// The values at which the model is looked at.
  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  /// The equations, whose model of first order the other views have, too.
  [[nodiscard]] const GeneralView& view() const;
  [[nodiscard]] std::shared_ptr<const ModelEvents> events() const;
  /// The equations as written, for all who step, read or check them.
  [[nodiscard]] std::shared_ptr<const WrittenEquations> written() const;

  /// Whether the views found so far hold for other values of the parameters: those of mechanics
  /// have constants that were found from numbers.
  [[nodiscard]] bool holds_for(std::span<const double> parameters) const;

  /// How often this thread has looked for a view.
  static std::int64_t& n_recognitions();

 private:
  [[nodiscard]] const Recognition<SemiExplicitForm>& form() const;
  [[nodiscard]] const LinearReading& linear() const;

  Model model_;
  std::vector<double> parameters_;
  Lazy<Recognition<SemiExplicitForm>> form_;
  Lazy<LinearReading> linear_;
  Lazy<Recognition<ConstrainedView>> general_;
  Lazy<GeneralView> view_;
  Lazy<std::shared_ptr<const ModelEvents>> events_;
  Lazy<std::shared_ptr<const WrittenEquations>> written_;
};

}  // namespace daedal::formulation
