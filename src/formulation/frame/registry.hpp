// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How methods are made. A method is a row of the catalogue (daedal/methods.hpp) with the function
/// that makes its formulation from the typed value and a request. The command line, `compare` and
/// `auto` read this table and have no list of their own.

#include <daedal/methods.hpp>
#include <daedal/model.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "formulation/frame/formulation.hpp"
#include "formulation/frame/recognized.hpp"

namespace daedal::formulation {

/// What a method is given.
struct Request {
  Model model;                     ///< simplified
  std::vector<double> parameters;  ///< one number per parameter of the model
  Overrides starts = {};           ///< start values by variable name, which are fixed
  /// What the model was recognised as; null: it is looked at when a method first asks.
  mutable std::shared_ptr<const Recognized> recognized = nullptr;
  Method method = {};
  /// For user-chart: equations position = expression, and der(coordinate) = 0.
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
  /// The method was not asked for by name: it takes the view it is best for, and leaves other
  /// models to the methods after it.
  bool is_automatic = false;
  bool is_backward = false;  ///< the run ends before it starts
  /// What the integrator asked for bears: it steps x' = −λx stably up to this value of λ·step.
  double stability = infinity;
  StopSignal stop = {};  ///< for the run that is made
};

/// What the model of a request is recognised as.
const Recognized& recognized(const Request& request);
/// The equations of a request as written, shared where the request gives no values of its own.
std::shared_ptr<const WrittenEquations> written_equations(const Request& request);
/// The view of a request that one kind of methods takes. Throws ModelError{not_recognized} with the
/// reason when the model has none.
const ConstrainedView& mechanical_view(const Request& request);
const ConstrainedView& hessenberg_view(const Request& request);
/// The mechanical view, for its cheaper linear algebra, else the general one unless the method was
/// chosen automatically.
const ConstrainedView& constrained_view(const Request& request);

struct MethodRow : MethodInfo {
  /// Throws ModelError{not_recognized} when the model has not the shape, OptionError for wrong
  /// parameters.
  Formulation (*make)(const Request& request) = nullptr;
  /// Throws OptionError for fields that the method does not have, or values out of range.
  void (*check)(const Method& method) = nullptr;
  /// The integrator projects before and after its step, which takes a symmetric one.
  bool symmetric_projection = false;
  bool takes_chart = false;  ///< needs Request::chart
  /// What it makes depends on tolerance and step of the run, and serves runs with the same ones.
  bool depends_on_tolerance = false;
  /// Whether what it makes depends on the start values of the run, and serves that run alone; null:
  /// it never does.
  bool (*depends_on_start)(const Method& method) = nullptr;
};

/// The row of the method `Value`, made by `make`; `about` needs neither name nor fields.
template <class Value, Formulation (*make)(const Value& value, const Request& request)>
MethodRow method_row(MethodInfo about) {
  MethodRow row{std::move(about)};
  row.name = Value::name;
  row.fields = describe_fields<Value>();
  row.make = [](const Request& request) { return make(request.method.as<Value>(), request); };
  row.check = [](const Method& method) { (void)method.as<Value>(); };
  return row;
}

// The rows of each family, in its folder's methods.cpp.
std::vector<MethodRow> general_methods();
std::vector<MethodRow> dummy_methods();
std::vector<MethodRow> constrained_methods();
std::vector<MethodRow> chart_methods();
std::vector<MethodRow> array_methods();
std::vector<MethodRow> taylor_methods();
std::vector<MethodRow> regularized_methods();
std::vector<MethodRow> srm_methods();

/// Throws OptionError{unknown_method}, with the names nearest to what was written.
const MethodRow& find_method(std::string_view name);
/// Adds a method to the catalogue. Not to be called while other threads use it.
void add_method(MethodRow row);

}  // namespace daedal::formulation
