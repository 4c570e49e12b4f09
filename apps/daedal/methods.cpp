// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/methods.hpp>
#include <daedal/nearest_name.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "io/json.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;

/// When to take a method, in the words of docs/which-method.md.
constexpr std::pair<std::string_view, std::string_view> uses[] = {
    {"direct", "index 0 and 1, stiff or large"},
    {"ode", "index 0 and 1 without stiffness: explicit, of high order, nothing to solve in a step"},
    {"dummy-derivatives", "any index whose structure shows it, thousands of equations"},
    {"states-only", "component models with hundreds of algebraic unknowns and few states"},
    {"index3", "positions alone; its error test does not see velocities and forces"},
    {"index2", "short runs and comparison: positions drift off the constraints"},
    {"index1", "short runs without singular positions, and comparison: it drifts"},
    {"baumgarte", "a fixed step in real time: the same work in every step"},
    {"ggl", "mechanisms with stiff forces: position and velocity constraints are both kept"},
    {"stabilized-index1", "as ggl, where forces must fit the accelerations too"},
    {"overdetermined-index1", "mechanisms with stiff forces, all levels kept by projection"},
    {"overdetermined-index2", "the same without the level of accelerations"},
    {"orthogonal-projection", "mechanisms with constraints: the first choice without stiffness"},
    {"symmetric-projection",
     "conservative motion over a very long time, with the integrator gauss"},
    {"coordinate-partitioning", "mechanisms whose independent coordinates matter by themselves"},
    {"tangent-space", "mechanisms with few degrees of freedom: only these are integrated"},
    {"user-chart", "angles or other coordinates that you know"},
    {"least-squares-completion", "comparison: it leaves the constraints"},
    {"derivative-array", "an index that counting gets wrong, up to about 150 unknowns"},
    {"derivative-array-implicit", "the same where it is stiff"},
    {"taylor", "more than ten digits, or an index above 4"},
    {"trust-region", "redundant constraints, or singular positions on the way"},
    {"direct-regularization", "redundant constraints without singular positions"},
    {"srm", "constraints singular for good, multipliers that become infinite"},
    {"penalty", "comparison with what is usual in animation: stiff, and never exact"},
    {"park-chiou", "comparison with penalty, whose drift it reduces"},
};

std::string_view use_of(std::string_view method) {
  const auto* const found =
      std::ranges::find(uses, method, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(uses) ? std::string_view() : found->second;
}

/// A field as its row of the catalogue says it.
ordered_json to_json(const FieldInfo& field) {
  ordered_json json{
      {"name", field.name},
      {"meaning", field.meaning},
      {"default", field.default_value ? io::number(*field.default_value) : ordered_json()},
      {"kind", to_string(field.kind)}};
  if (std::isfinite(field.range.minimum)) {
    json[field.range.excludes_minimum ? "above" : "minimum"] = field.range.minimum;
  }
  if (std::isfinite(field.range.maximum)) json["maximum"] = field.range.maximum;
  if (!field.choices.empty()) json["choices"] = field.choices;
  return json;
}

ordered_json to_json(std::span<const FieldInfo> fields) {
  ordered_json json = ordered_json::array();
  for (const FieldInfo& field : fields) json.push_back(to_json(field));
  return json;
}

ordered_json to_json(const MethodInfo& method) {
  return {{"name", method.name},
          {"summary", method.summary},
          {"use", use_of(method.name)},
          {"paper", method.paper},
          {"needs", to_string(method.needs)},
          {"yields", to_string(method.yields)},
          {"integrator", method.default_integrator},
          {"parameters", to_json(method.fields)}};
}

ordered_json to_json(const IntegratorInfo& integrator) {
  const Capabilities& can = integrator.can;
  ordered_json names = ordered_json::array();
  for (const FieldInfo& field : integrator.fields) names.push_back(field.name);
  return {{"name", integrator.name},
          {"summary", integrator.summary},
          {"explicit", can.explicit_systems},
          {"implicit", can.implicit_systems},
          {"overdetermined", can.overdetermined_systems},
          {"error_controlled", can.error_controlled},
          {"fixed_step", can.fixed_step},
          {"symmetric", can.symmetric},
          {"parameters", std::move(names)},
          {"fields", to_json(integrator.fields)}};
}

ordered_json to_json(const BvpMethodInfo& method) {
  return {{"name", method.name},
          {"summary", method.summary},
          {"paper", method.paper},
          {"parameters", to_json(method.fields)}};
}

template <class Info>
ordered_json to_json(const std::vector<Info>& rows) {
  ordered_json json = ordered_json::array();
  for (const Info& row : rows) json.push_back(to_json(row));
  return json;
}

void print_json() {
  ordered_json json = io::document();
  json["methods"] = to_json(methods());
  json["integrators"] = to_json(integrators());
  json["bvp_methods"] = to_json(bvp_methods());
  fmt::print("{}\n", json.dump(2));
}

void print_fields(std::span<const FieldInfo> fields) {
  for (const FieldInfo& field : fields) {
    std::string usual =
        field.default_value ? fmt::format("{:g}", *field.default_value) : "automatic";
    if (field.default_value && !field.choices.empty()) {
      usual = field.choices[static_cast<std::size_t>(*field.default_value)];
    }
    fmt::print("  {:<28} {} [{}]: {}\n", "", field.name, usual, field.meaning);
  }
}

void print_row(const MethodInfo& method) {
  fmt::print("  {:<28} {}\n", method.name, method.summary);
  fmt::print("  {:<28} For {}.\n", "", use_of(method.name));
  fmt::print("  {:<28} {}{}takes {} models, yields an {} system; default integrator {}\n", "",
             method.paper, method.paper.empty() ? "" : "; ", to_string(method.needs),
             to_string(method.yields), method.default_integrator);
  print_fields(method.fields);
}

template <class Info>
void print_row(const Info& info) {
  fmt::print("  {:<28} {}\n", info.name, info.summary);
  print_fields(info.fields);
}

void print_text() {
  fmt::print("Methods (--method NAME[:parameter=value,...])\n\n");
  for (const MethodInfo& method : methods()) print_row(method);
  fmt::print("\nIntegrators (--integrator NAME[:parameter=value,...])\n\n");
  for (const IntegratorInfo& integrator : integrators()) print_row(integrator);
  fmt::print("\nBoundary value problems (solve-bvp --method NAME[:parameter=value,...])\n\n");
  for (const BvpMethodInfo& method : bvp_methods()) print_row(method);
}

/// The rows of one name: a method and an integrator may share it.
void print_one(const std::string& name, bool as_json) {
  ordered_json json = io::document();
  std::vector<std::string> known;
  bool is_found = false;
  const auto look = [&](const char* kind, const auto& rows) {
    for (const auto& row : rows) {
      known.emplace_back(row.name);
      if (row.name != name) continue;
      is_found = true;
      if (as_json) {
        json[kind] = ordered_json::array({to_json(row)});
      } else {
        print_row(row);
      }
    }
  };
  look("methods", methods());
  look("integrators", integrators());
  look("bvp_methods", bvp_methods());
  if (!is_found) {
    const std::string nearest = nearest_name(name, known);
    throw OptionError(ErrorCode::unknown_method,
                      fmt::format("There is no method or integrator '{}'.{}", name,
                                  nearest.empty() ? " 'daedal methods' lists all."
                                                  : fmt::format(" Did you mean '{}'?", nearest)));
  }
  if (as_json) fmt::print("{}\n", json.dump(2));
}

}  // namespace

Command add_methods(CLI::App& app, Common& common) {
  CLI::App* command = app.add_subcommand("methods", "The catalogue of methods and integrators");
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "One method or integrator alone");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  return [name, &common] {
    if (!name->empty()) {
      print_one(*name, common.json);
    } else {
      common.json ? print_json() : print_text();
    }
    return 0;
  };
}

}  // namespace daedal::app
