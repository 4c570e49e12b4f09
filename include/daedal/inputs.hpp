// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Values for the inputs of a model: `input Real u` in text, ModelBuilder::input() in C++.
///
///     Model driven = with_inputs(model, {{"u", 2.0},
///                                        {"v", "sin(3 * time)"},
///                                        {"w", InputTable{.times = t, .values = y}},
///                                        {"z", Function("z", {f, df, ddf})}});
///     Solution s = solve(driven, {0.0, 10.0});
///
/// What an input is given becomes an equation of the model, so that every method treats it as any
/// other, and models of higher index differentiate it where they must.

#include <daedal/function.hpp>
#include <daedal/model.hpp>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

enum class Interpolation {
  linear,  ///< straight lines between the points
  hold,    ///< the value of a point until the next one, and that of the last from there on
  smooth,  ///< a cubic spline, or cubics with given derivatives at the points
};

/// Points of an input. Two points at one time are a jump. Where the table changes, in a jump or in
/// a kink, the run has an event. A run that begins before the table or ends after it, but for 1e-9
/// of its length, is refused with OptionError; `hold` alone goes on beyond the end.
struct InputTable {
  std::vector<double> times{};
  std::vector<double> values{};
  Interpolation interpolation = Interpolation::linear;
  /// At the points, for `smooth`; empty: those that make the second derivative continuous, too.
  std::vector<double> derivatives{};
};

/// A function of time at the given times, with its derivative: a table of cubics.
DAEDAL_EXPORT InputTable tabulate(const std::function<double(double)>& function,
                                  const std::function<double(double)>& derivative,
                                  std::vector<double> times);

/// A number, an expression of time and parameters as model text writes it, a table, or a function
/// of time (function.hpp) with as many derivatives as the equations need of it. Where it jumps or
/// has a kink, SolveOptions::stop_times spares the steps the search.
using InputValue = std::variant<double, std::string, InputTable, Function>;
using Inputs = std::map<std::string, InputValue>;

/// The model with values for inputs; those that have a default may stay without. Throws OptionError
/// for a name that is no input, an expression that cannot be read, and a table that is no table or
/// is not smooth enough for the derivatives that the equations need of it.
DAEDAL_EXPORT Model with_inputs(const Model& model, const Inputs& inputs);

}  // namespace daedal
