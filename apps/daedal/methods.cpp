// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "commands.hpp"
#include "formulation/frame/registry.hpp"
#include "integrate/registry.hpp"
#include "io/json.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

std::string_view name_of(formulation::View view) {
  switch (view) {
    case formulation::View::general:
      return "general";
    case formulation::View::hessenberg:
      return "hessenberg";
    case formulation::View::constrained:
      return "constrained";
    case formulation::View::mechanical:
      return "mechanical";
  }
  return "";
}

std::string_view name_of(formulation::Yields yields) {
  switch (yields) {
    case formulation::Yields::explicit_system:
      return "explicit";
    case formulation::Yields::implicit_system:
      return "implicit";
    case formulation::Yields::overdetermined_system:
      return "overdetermined";
  }
  return "";
}

void print_json() {
  ordered_json json = io::document();
  json["methods"] = ordered_json::array();
  for (const auto& method : formulation::methods()) {
    ordered_json parameters = ordered_json::array();
    for (const auto& p : method.parameters) {
      parameters.push_back(
          {{"name", p.name}, {"meaning", p.meaning}, {"default", io::number(p.default_value)}});
    }
    json["methods"].push_back({{"name", method.name},
                               {"summary", method.summary},
                               {"paper", method.paper},
                               {"needs", name_of(method.needs)},
                               {"yields", name_of(method.yields)},
                               {"integrator", method.default_integrator},
                               {"parameters", std::move(parameters)}});
  }
  json["integrators"] = ordered_json::array();
  for (const auto& integrator : integration::integrators()) {
    const auto& can = integrator.can;
    json["integrators"].push_back({{"name", integrator.name},
                                   {"summary", integrator.summary},
                                   {"explicit", can.explicit_systems},
                                   {"implicit", can.implicit_systems},
                                   {"overdetermined", can.overdetermined_systems},
                                   {"error_controlled", can.error_controlled},
                                   {"fixed_step", can.fixed_step},
                                   {"symmetric", can.symmetric},
                                   {"parameters", integrator.parameters}});
  }
  fmt::print("{}\n", json.dump(2));
}

void print_text() {
  fmt::print("Methods (--method NAME[:parameter=value,...])\n\n");
  for (const auto& method : formulation::methods()) {
    fmt::print("  {:<28} {}\n", method.name, method.summary);
    fmt::print("  {:<28} {}; takes {} models, yields an {} system; default integrator {}\n", "",
               method.paper, name_of(method.needs), name_of(method.yields),
               method.default_integrator);
    for (const auto& p : method.parameters) {
      fmt::print("  {:<28} {} [{}]: {}\n", "", p.name,
                 std::isnan(p.default_value) ? "automatic" : fmt::format("{:g}", p.default_value),
                 p.meaning);
    }
  }
  fmt::print("\nIntegrators (--integrator NAME[:parameter=value,...])\n\n");
  for (const auto& integrator : integration::integrators()) {
    fmt::print("  {:<28} {}\n", integrator.name, integrator.summary);
  }
}

}  // namespace

Command add_methods(CLI::App& app, Common& common) {
  CLI::App* command = app.add_subcommand("methods", "The catalogue of methods and integrators");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  return [&common] {
    common.json ? print_json() : print_text();
    return 0;
  };
}

}  // namespace daedal::app
