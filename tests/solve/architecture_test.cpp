// SPDX-License-Identifier: BSD-3-Clause
/// The tables at the end of ARCHITECTURE.md list what the catalogue lists, and the places exist.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/methods.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "places.hpp"

namespace daedal {
namespace {

const std::filesystem::path root = DAEDAL_SOURCE_DIR;

/// The rows "| `name` | place |" below a heading.
std::map<std::string, std::string> table(const std::string& heading) {
  std::ifstream file(root / "ARCHITECTURE.md");
  std::map<std::string, std::string> rows;
  const std::regex row(R"(\| `([\w-]+)` \| (\S+) \|)");
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) is_inside = line == "## " + heading;
    std::smatch match;
    if (is_inside && std::regex_match(line, match, row)) rows[match[1]] = match[2];
  }
  return rows;
}

template <class Info>
void expect_listed(const std::vector<Info>& catalogue,
                   const std::map<std::string, std::string>& rows) {
  for (const Info& info : catalogue) {
    if (info.name.starts_with("test-")) continue;  // added by a test
    EXPECT_TRUE(rows.contains(std::string(info.name))) << info.name << " is missing";
  }
  for (const auto& [name, place] : rows) {
    EXPECT_TRUE(std::filesystem::exists(root / place)) << name << ": " << place;
    EXPECT_THAT(catalogue, testing::Contains(testing::Field(&Info::name, name)));
  }
}

TEST(Architecture, ListsEveryMethodWithItsFolder) {
  expect_listed(methods(), table("Methods and their folders"));
}

TEST(Architecture, ListsEveryIntegratorWithItsFile) {
  expect_listed(integrators(), table("Integrators and their files"));
}

}  // namespace
}  // namespace daedal
