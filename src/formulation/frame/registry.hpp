// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The catalogue of methods. A method is a row: its name, its paper, the view it needs, the system
/// it yields, its parameters and how it is made. The command line, `compare` and `auto` read this
/// table and have no list of their own.

#include <daedal/model.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formulation/frame/formulation.hpp"

namespace daedal::formulation {

/// What a method is given.
struct Request {
  Model model;                     ///< simplified
  std::vector<double> parameters;  ///< one number per parameter of the model
  Overrides starts;                ///< start values given for this run: fixed
  MethodParameters method_parameters;
  /// Of user-chart: equations position = expression, and der(coordinate) = 0.
  std::optional<Model> chart = {};
  double rtol = 1e-6;
  double atol = 1e-8;
  double start_time = 0.0;  ///< of the run, for what is chosen by the motion at its start
  double fixed_step = 0.0;  ///< the step, where the integrator has a constant one
  /// The integrator asked for steps implicit systems: methods that have a coupled DAE form beside
  /// an explicit one yield it.
  bool prefers_implicit = false;
  /// Singular positions are looked for on the way; regularising methods do so by themselves.
  bool watch_singularities = false;
  /// The run ends where one is found: another method shall pass it.
  bool stop_at_singularities = false;
  /// The integrator asked for steps explicit systems alone.
  bool prefers_explicit = false;
  /// Nobody asked for this method by name: it takes the view it is best for, and leaves other
  /// models to the methods behind it.
  bool is_automatic = false;
  bool is_backward = false;  ///< the run ends before it starts
  /// What the integrator asked for bears: it steps x' = −λx stably up to this value of λ·step.
  double stability = infinity;
  StopSignal stop = {};  ///< for the run that is made
};

/// What a model must be recognised as: any model, x⁽ᵐ⁾ = f − By with 0 = g(x), constrained
/// mechanics or else x' = f(x, u) with 0 = g(x), constrained mechanics alone.
enum class View { general, hessenberg, constrained, mechanical };
enum class Yields { explicit_system, implicit_system, overdetermined_system };

struct ParameterInfo {
  std::string_view name;
  std::string_view meaning;
  double default_value;  ///< NaN: chosen by the method
};

struct MethodInfo {
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view paper;    ///< "Poell, Hafner 5.1"
  View needs;
  Yields yields;
  std::vector<ParameterInfo> parameters;
  std::string_view default_integrator;
  /// Throws ModelError{not_recognized} when the model has not the shape, OptionError for wrong
  /// parameters.
  std::unique_ptr<Formulation> (*make)(const Request& request);
  /// The integrator projects before and after its step, which takes a symmetric one.
  bool symmetric_projection = false;
  bool takes_chart = false;  ///< needs Request::chart
};

std::span<const MethodInfo> methods();
/// Throws OptionError{unknown_method}, with the names nearest to what was written.
const MethodInfo& find_method(std::string_view name);

}  // namespace daedal::formulation
