// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/array_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/labels.hpp"

namespace daedal::analysis {

std::string differentiated(const std::string& equation, int order) {
  static constexpr std::array<const char*, 4> words{"first ", "second ", "third ", "fourth "};
  if (order == 0) return equation;
  if (order == 1) return "the time derivative of " + equation;
  const auto number = static_cast<std::size_t>(order - 1);
  const std::string word = number < words.size() ? words[number] : fmt::format("{}th ", order);
  return "the " + word + "time derivative of " + equation;
}

ArrayConstraints::ArrayConstraints(const GeneralView& view, const DerivativeArray& array,
                                   const ArrayPoint& point, int level)
    : view_(view),
      array_(array),
      point_(point),
      level_(level),
      jacobian_(array, level),
      workspace_(array.make_workspace()),
      r_(to_size(pattern().rows)) {}

Index ArrayConstraints::residual(std::span<const double> u, std::span<double> values) {
  point_.series = u;
  return array_.residual(point_, level_, values, workspace_) ? -1 : first_not_finite(values);
}

Index ArrayConstraints::jacobian(std::span<const double> u, std::span<double> values) {
  point_.series = u;
  const bool is_finite = array_.linearize(point_, level_, r_, workspace_);
  jacobian_.assemble(workspace_, values);
  if (is_finite) return -1;
  const Index bad = first_not_finite(values);
  return bad < 0 ? std::max<Index>(first_not_finite(r_), 0) : pattern().row[bad];
}

std::string ArrayConstraints::unknown_name(Index unknown) const {
  const Index order = unknown / array_.n_unknowns();
  const std::string& name = view_.model.variables()[unknown % array_.n_unknowns()].name;
  if (order == 0) return name;
  return order == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, order);
}

std::string ArrayConstraints::equation_name(Index equation) const {
  return differentiated(equation_label(view_.model, equation % array_.n_equations()),
                        static_cast<int>(equation / array_.n_equations()));
}

}  // namespace daedal::analysis
