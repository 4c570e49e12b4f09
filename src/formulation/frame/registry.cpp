// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <deque>

#include "formulation/frame/written_equations.hpp"

namespace daedal {

namespace formulation {

namespace {

/// Rows stay where they are when others are added.
std::deque<MethodRow>& table() {
  static std::deque<MethodRow> rows = [] {
    std::deque<MethodRow> all;
    for (const auto family : {general_methods, dummy_methods, constrained_methods, chart_methods,
                              array_methods, taylor_methods, regularized_methods, srm_methods}) {
      for (MethodRow& row : family()) all.push_back(std::move(row));
    }
    return all;
  }();
  return rows;
}

/// A name that was given up and is still understood.
std::string_view current_name(std::string_view name) {
  return name == "stabilized-index2" ? Ggl::name : name;
}

}  // namespace

const Recognized& recognized(const Request& request) {
  if (!request.recognized) {
    request.recognized = std::make_shared<const Recognized>(request.model, request.parameters);
  }
  return *request.recognized;
}

std::shared_ptr<const WrittenEquations> written_equations(const Request& request) {
  const Recognized& known = recognized(request);
  if (request.starts.empty() && request.parameters == known.parameters()) return known.written();
  return std::make_shared<const WrittenEquations>(known.view(), request.parameters, request.starts,
                                                  known.events());
}

namespace {

std::string not_mechanical(const Request& request, const Recognized::Answer& found) {
  return fmt::format(
      "The model '{}' is not recognised as a mechanical system M v' = f - G'lambda, 0 = g(q): {}.",
      request.model.name(), found.reason);
}

}  // namespace

const ConstrainedView& mechanical_view(const Request& request) {
  const Recognized::Answer found = recognized(request).mechanical();
  if (found) return *found.view;
  throw ModelError(ErrorCode::not_recognized, not_mechanical(request, found));
}

const ConstrainedView& hessenberg_view(const Request& request) {
  const Recognized::Answer found = recognized(request).hessenberg();
  if (found) return *found.view;
  throw ModelError(ErrorCode::not_recognized,
                   fmt::format("The model '{}' is not recognised as a Hessenberg system x^(m) = f "
                               "- By, 0 = g(x): {}.",
                               request.model.name(), found.reason));
}

const ConstrainedView& constrained_view(const Request& request) {
  const Recognized::Answer mechanical = recognized(request).mechanical();
  if (mechanical) return *mechanical.view;
  if (request.is_automatic) return mechanical_view(request);
  const Recognized::Answer general = recognized(request).general();
  if (general) return *general.view;
  throw ModelError(ErrorCode::not_recognized,
                   fmt::format("{} Nor is it x' = f(x, u), 0 = g(x): {}.",
                               not_mechanical(request, mechanical), general.reason));
}

const MethodRow& find_method(std::string_view name) {
  std::vector<std::string> names;
  for (const MethodRow& method : table()) {
    if (method.name == current_name(name)) return method;
    names.emplace_back(method.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw OptionError(ErrorCode::unknown_method,
                    fmt::format("There is no method '{}'.{} There are: {}.", name,
                                nearest.empty() ? "" : " Did you mean '" + nearest + "'?",
                                fmt::join(names, ", ")));
}

void add_method(MethodRow row) {
  table().push_back(std::move(row));
}

}  // namespace formulation

std::vector<MethodInfo> methods() {
  return {formulation::table().begin(), formulation::table().end()};
}

std::string_view to_string(RequiredView view) {
  constexpr std::string_view names[] = {"general", "hessenberg", "constrained", "mechanical"};
  return names[static_cast<std::size_t>(view)];
}

std::string_view to_string(SystemKind kind) {
  constexpr std::string_view names[] = {"explicit", "implicit", "overdetermined"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace daedal
