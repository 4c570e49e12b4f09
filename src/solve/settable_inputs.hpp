// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Inputs that a run may change on its way.

#include <daedal/model.hpp>
#include <daedal/run_control.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace daedal {

/// The place of an input in the model's list. Throws OptionError where it has none of this name.
std::size_t find_input(const Model& model, const std::string& name);
/// Throws OptionError for what is no finite number, or no value for a Boolean or an Integer.
void check_input_value(const ModelInput& input, const Variable& variable, double value);

/// Throws OptionError for a run that leaves the table of an input.
void check_covered(const Schedule& table, const TimeSpan& span);

/// The name of the parameter that an input is in with_input_parameters().
std::string input_parameter(std::string_view input);
[[nodiscard]] bool is_input_parameter(const Parameter& parameter);
/// The model in which inputs that are numbers, or expressions of parameters, are parameters.
Model with_input_parameters(const Model& model);

/// How often each equation of the model is differentiated on the way to its solution; empty where
/// its structure is singular.
std::vector<Index> differentiation_orders(const Model& model);

}  // namespace daedal
