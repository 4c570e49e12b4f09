// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a model is recognised as: each view is looked for once, when a method first asks for it,
/// and handed to every method after that.

#include <daedal/model.hpp>
#include <span>
#include <vector>

#include "core/lazy.hpp"
#include "model/views/constrained_ode_view.hpp"
#include "model/views/hessenberg_view.hpp"
#include "model/views/mechanical_view.hpp"

namespace daedal::formulation {

class Recognized {
 public:
  /// `parameters`: the values at which the model is looked at.
  Recognized(Model model, std::vector<double> parameters)
      : model_(std::move(model)), parameters_(std::move(parameters)) {}

  [[nodiscard]] const Recognition<MechanicalView>& mechanical() const {
    return mechanical_.get([&] { return count(mechanical_view(model_, parameters_)); });
  }
  [[nodiscard]] const Recognition<ConstrainedOdeView>& constrained() const {
    return constrained_.get([&] { return count(constrained_ode_view(model_, parameters_)); });
  }
  [[nodiscard]] const Recognition<HessenbergView>& hessenberg() const {
    return hessenberg_.get([&] { return count(hessenberg_view(model_, parameters_)); });
  }

  /// Whether the views found so far hold for other values of the parameters: those of mechanics
  /// have constants that were found from numbers.
  [[nodiscard]] bool holds_for(std::span<const double> parameters) const {
    const Recognition<MechanicalView>* found = mechanical_.if_made();
    return found == nullptr || !*found || daedal::holds_for(*found->view, parameters);
  }

  /// How often this thread has looked for a view.
  static std::int64_t& n_recognitions() {
    thread_local std::int64_t count = 0;
    return count;
  }

 private:
  template <class View>
  static Recognition<View> count(Recognition<View> found) {
    ++n_recognitions();
    return found;
  }

  Model model_;
  std::vector<double> parameters_;
  Lazy<Recognition<MechanicalView>> mechanical_;
  Lazy<Recognition<ConstrainedOdeView>> constrained_;
  Lazy<Recognition<HessenbergView>> hessenberg_;
};

}  // namespace daedal::formulation
