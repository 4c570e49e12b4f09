// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The model text that a command was given, and the place in it that a message is about.

#include <daedal/error.hpp>
#include <daedal/model.hpp>
#include <string>
#include <vector>

namespace daedal::app {

struct LoadedModel {
  Model model;
  std::vector<std::string> warnings;  ///< full sentences, each with its place
  /// Values for the run: of parameters on which the structure of the model does not depend.
  Overrides parameters;
};

/// Reads a model text; "-" is standard input. `assignments`: name=value of parameters, which count
/// for sizes, loops and if-equations, too.
LoadedModel read_model(const std::string& path, const std::vector<std::string>& assignments = {});

/// The text itself, read before.
std::string model_text(const std::string& path);

/// The line of the text with a caret below the column; empty where the text is not at hand.
///
///        7 |   der(x) = -kk*x;
///          |             ^
std::string excerpt(const SourcePosition& where);

}  // namespace daedal::app
