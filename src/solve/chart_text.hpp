// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A chart given as text: "x = l*sin(angle); y = -l*cos(angle)".

#include <daedal/model.hpp>
#include <optional>
#include <string>

namespace daedal::solve_detail {

/// The equations as a model of their own: `position = expression` as written, and
/// der(coordinate) = 0 for every name that is neither left of an equation, nor a parameter of
/// `model`, nor time. Nothing for an empty text. Throws ParseError, or OptionError naming the part
/// that is no equation.
std::optional<Model> parse_chart(const std::string& text, const Model& model);

}  // namespace daedal::solve_detail
