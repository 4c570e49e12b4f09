// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/formulation.hpp"

namespace daedal::formulation {

const System& Formulation::system() const {
  if (const auto* implicit = implicit_system()) return *implicit;
  return *explicit_system();
}

std::string Formulation::describe_event(std::span<const std::int64_t> fired, const Change& change,
                                        const Run&) const {
  if (!change.message.empty()) return change.message;
  if (fired.empty()) return "time event";
  std::string text = "event function";
  for (const std::int64_t number : fired) text += " " + std::to_string(number + 1);
  return text;
}

void Formulation::extra_values(double, std::span<const double>, std::span<const double>, Run&,
                               std::span<double>) const {}

double Formulation::constraint_residual(double, std::span<const double>, std::span<const double>,
                                        int, Run&) const {
  return 0.0;
}

}  // namespace daedal::formulation
