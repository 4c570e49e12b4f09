// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <daedal/error.hpp>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "io/json.hpp"
#include "study.hpp"

namespace daedal::app {

namespace {

using nlohmann::ordered_json;
using studies::Entry;
using studies::Study;

std::vector<const Study*> select(const std::string& name) {
  std::vector<const Study*> chosen;
  std::string known;
  for (const Study& study : studies::all_studies()) {
    if (name.empty() || study.name == name) chosen.push_back(&study);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", study.name);
  }
  if (chosen.empty()) {
    throw OptionError(ErrorCode::unknown_name,
                      fmt::format("There is no paper '{}' to reproduce; there are: {}.", name,
                                  known.empty() ? "none" : known));
  }
  return chosen;
}

void print_entry(const Entry& e) {
  const std::string paper = e.paper ? fmt::format("{:.3g}", *e.paper) : "-";
  fmt::print("  {:<12} {:<44} {:<22} {:>11} {:>11.3g}  {}\n", e.table, e.row, e.column, paper,
             e.ours, e.note);
}

int reproduce(const std::string& name, const Common& common) {
  ordered_json list = ordered_json::array();
  for (const Study* study : select(name)) {
    const std::vector<Entry> entries = study->run();
    if (!common.json) {
      fmt::print("{}\n  {:<12} {:<44} {:<22} {:>11} {:>11}\n", study->paper, "table", "row",
                 "column", "paper", "ours");
    }
    for (const Entry& e : entries) {
      if (!common.json) {
        print_entry(e);
        continue;
      }
      list.push_back({{"table", e.table},
                      {"row", e.row},
                      {"column", e.column},
                      {"paper", e.paper ? io::number(*e.paper) : ordered_json()},
                      {"ours", io::number(e.ours)}});
      if (!e.note.empty()) list.back()["note"] = e.note;
    }
  }
  if (common.json) fmt::print("{}\n", list.dump(2));
  return 0;
}

}  // namespace

Command add_reproduce(CLI::App& app, Common& common) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("reproduce", "The papers' tables, ours beside theirs");
  command->add_option("paper", *name, "The paper [all]");
  command->add_flag("--json", common.json, "Print a JSON list of table, row, column, paper, ours");
  return [name, &common] { return reproduce(*name, common); };
}

}  // namespace daedal::app
