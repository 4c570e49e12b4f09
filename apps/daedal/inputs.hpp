// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Values for the inputs of a model, as the command line gives them.

#include <CLI/CLI.hpp>
#include <daedal/model.hpp>
#include <daedal/run_control.hpp>
#include <string>
#include <vector>

namespace daedal::app {

struct InputArguments {
  std::vector<std::string> texts;  ///< name=value, name=expression, or the path of a CSV file
  std::string interpolation = "linear";
};

void declare_input_options(CLI::App& command, InputArguments& arguments);

/// The model with these inputs; columns of a file that are no inputs are named in `notices`. Throws
/// OptionError, with the place in the file that is wrong.
Model give_inputs(const InputArguments& arguments, const Model& model, const TimeSpan& span,
                  std::vector<std::string>& notices);

}  // namespace daedal::app
