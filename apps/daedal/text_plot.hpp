// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Plots for terminals, drawn with braille characters: two by four dots each.

#include <daedal/model.hpp>
#include <daedal/solution.hpp>
#include <string>
#include <vector>

namespace daedal::app {

/// The columns over time, one below the other. No extreme is lost: a column of dots spans all
/// values of its stretch of time. Units are those of the model.
std::string text_plot(const Model& model, const Solution& solution,
                      const std::vector<std::size_t>& columns);

}  // namespace daedal::app
