// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/recognized.hpp"

#include "formulation/frame/written_equations.hpp"

namespace daedal::formulation {

namespace {

/// Why methods cannot meet the initial equations of a model by the states of a view.
std::string unfit_initial_equation(const ConstrainedView& view) {
  if (view.model.initial_equations().empty()) return {};
  Pool pool(view.pool);
  return initial_residuals(view, pool).reason;
}

}  // namespace

std::int64_t& Recognized::n_recognitions() {
  thread_local std::int64_t count = 0;
  return count;
}

const Recognition<SemiExplicitForm>& Recognized::form() const {
  return form_.get([&] {
    ++n_recognitions();
    return semi_explicit_form(view().model, parameters_);
  });
}

const LinearReading& Recognized::linear() const {
  return linear_.get([&] {
    LinearReading reading = read_linear(form(), parameters_);
    if (!reading.view) return reading;
    const std::string reason = unfit_initial_equation(*reading.view);
    if (reading.not_mechanical.empty()) reading.not_mechanical = reason;
    if (reading.not_hessenberg.empty()) reading.not_hessenberg = reason;
    return reading;
  });
}

Recognized::Answer Recognized::mechanical() const {
  if (!linear().not_mechanical.empty()) return {nullptr, linear().not_mechanical};
  return {&*linear().view};
}

Recognized::Answer Recognized::hessenberg() const {
  if (!linear().not_hessenberg.empty()) return {nullptr, linear().not_hessenberg};
  return {&*linear().view};
}

Recognized::Answer Recognized::general() const {
  const auto& found = general_.get([&]() -> Recognition<ConstrainedView> {
    Recognition<ConstrainedView> reading = read_general(form(), parameters_);
    if (reading) reading.reason = unfit_initial_equation(*reading.view);
    return reading;
  });
  if (!found.reason.empty()) return {nullptr, found.reason};
  return {&*found.view};
}

const GeneralView& Recognized::view() const {
  return view_.get([&] { return general_view(model_); });
}

std::shared_ptr<const ModelEvents> Recognized::events() const {
  return events_.get([&] { return std::make_shared<const ModelEvents>(view()); });
}

std::shared_ptr<const WrittenEquations> Recognized::written() const {
  return written_.get([&] {
    return std::make_shared<const WrittenEquations>(view(), parameters_, Overrides{}, events());
  });
}

bool Recognized::holds_for(std::span<const double> parameters) const {
  const LinearReading* found = linear_.if_made();
  return found == nullptr || !found->view || daedal::holds_for(*found->view, parameters);
}

}  // namespace daedal::formulation
