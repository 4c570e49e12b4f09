// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "io/embedded.hpp"
#include "result_output.hpp"

namespace daedal::app {

namespace {

struct Starter {
  const char* name;
  const char* what;
  std::string_view (*text)();
};

constexpr std::array<Starter, 6> starters{{
    {"pendulum", "a mechanism with its constraint and an event", &embedded::pendulum},
    {"linkage", "a closed loop with one rod too many", &embedded::linkage},
    {"mechanism", "a four-bar by its energies", &embedded::mechanism},
    {"circuit", "differential and algebraic equations", &embedded::circuit},
    {"ball", "events that change a velocity", &embedded::ball},
    {"path", "conditions at both ends, for solve-bvp", &embedded::path},
}};

std::string list() {
  std::string text;
  for (const Starter& starter : starters) {
    text += fmt::format("  {:<10} {}\n", starter.name, starter.what);
  }
  return text;
}

int write_starter(const std::string& name) {
  std::vector<std::string> names;
  for (const Starter& starter : starters) {
    names.emplace_back(starter.name);
    if (starter.name != name) continue;
    const std::string path = name + ".mo";
    if (std::filesystem::exists(path)) {
      throw OptionError(ErrorCode::file_not_writable,
                        fmt::format("'{}' exists already and stays as it is.", path));
    }
    OutputFile(path, {}).write([&](std::ostream& out) { out << starter.text(); });
    const char* command = name == "path" ? "solve-bvp" : "simulate";
    fmt::print("Wrote {}. Try: daedal {} {} -o {}.csv\n", path, command, path, name);
    return 0;
  }
  const std::string nearest = nearest_name(name, names);
  throw OptionError(
      ErrorCode::unknown_name,
      fmt::format("There is no starter model '{}'.{} These are there:\n{}", name,
                  nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest), list()));
}

}  // namespace

Command add_new(CLI::App& app, Common&) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("new", "Write a starter model");
  command->add_option("name", *name, "Its name; without one, the list");
  return [name] {
    if (!name->empty()) return write_starter(*name);
    fmt::print("Starter models, daedal new NAME:\n{}", list());
    return 0;
  };
}

}  // namespace daedal::app
