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
};

/// Reads a model text; "-" is standard input.
LoadedModel read_model(const std::string& path);

/// The text itself, read before.
std::string model_text(const std::string& path);

/// The line of the text with a caret below the column; empty where the text is not at hand.
///
///        7 |   der(x) = -kk*x;
///          |             ^
std::string excerpt(const SourcePosition& where);

}  // namespace daedal::app
