// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What an input of a model is given in text: "2 * sin(k * time)".

#include <daedal/model.hpp>
#include <string>

namespace daedal {

/// A model of one variable with the name and the type of `input`, which equals the expression of
/// time and of parameters of `model`; those that it uses are parameters of the result, with the
/// values of `model` where they have some. Throws OptionError.
Model parse_input_expression(const std::string& text, const Variable& input, const Model& model);

}  // namespace daedal
