// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Model text: flat Modelica as a person writes it, and Base Modelica as tools export it.
///
///     model Pendulum
///       parameter Real g = 9.81;
///       Real x(start = 1, fixed = true), y, lambda;
///     equation
///       der(der(x)) = -lambda * x;
///       der(der(y)) = -lambda * y - g;
///       x ^ 2 + y ^ 2 = 1;
///     end Pendulum;
///
/// Arrays become scalars named `x[1]`, for-equations are unrolled, functions are executed
/// symbolically. What the language has and Daedal does not take is refused by name and position.

#include <cstdint>
#include <daedal/error.hpp>
#include <daedal/model.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

struct ParseOptions {
  /// Brackets, calls and control structures inside each other. Recursion is bounded by it, so that
  /// no text can exhaust the stack.
  int max_nesting = 200;
  /// After so many messages the rest of the text is not looked at.
  int max_diagnostics = 20;
  /// Scalars that the declared arrays may expand to: a slip such as `Real x[1000000000]` is
  /// reported instead of filling the memory.
  std::int64_t max_elements = 20'000'000;
  /// Operations that unrolling loops and executing functions may take, for the same reason.
  std::int64_t max_operations = 500'000'000;
  /// Functions that one call may execute, directly and through others: each is expanded.
  std::int64_t max_calls = 100'000;
  /// Values for parameters by name, instead of those in the text: for sizes of arrays, ranges of
  /// loops and conditions of if-equations, which a run can no longer change. What is no parameter
  /// of the text, or final, or found at the start, is passed over.
  Overrides parameters{};
  /// Where remarks go that are no errors: variables left out because they need a function that
  /// the text does not define, ... Null: they are dropped.
  std::vector<Diagnostic>* warnings = nullptr;
};

/// The model that `text` states. Throws ParseError with every mistake found, each with its
/// position, or ModelError when the text is right but the model is not (unbalanced, ...).
DAEDAL_EXPORT Model parse_model(std::string_view text, const std::string& file_name = "model text",
                                const ParseOptions& options = {});

/// The model of a file. Throws Error{file_not_readable} as well.
DAEDAL_EXPORT Model load_model(const std::filesystem::path& path, const ParseOptions& options = {});

/// A chart for the method user-chart (SolveOptions::chart) from equations of model text, "x =
/// l*sin(angle); y = -l*cos(angle)": positions of `model` by coordinates. What is no position,
/// parameter or time is a coordinate. Throws OptionError and ParseError.
DAEDAL_EXPORT Model parse_chart(const std::string& text, const Model& model);

}  // namespace daedal
