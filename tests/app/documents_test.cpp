// SPDX-License-Identifier: BSD-3-Clause
// The documents say what the tables of the program say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/status.hpp>
#include <fstream>
#include <sstream>

#include "places.hpp"

namespace daedal {
namespace {

std::string document(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(DAEDAL_SOURCE_DIR) + "/" + name).rdbuf();
  return text.str();
}

TEST(StatusesDocument, ListsEveryStatusAsTheTableHasIt) {
  const std::string text = document("docs/statuses.md");
  for (const StatusInfo& s : all_statuses()) {
    std::ostringstream row;
    row << "| `" << s.name << "` | " << s.exit_code << " | " << s.meaning << " | " << s.causes
        << " | " << s.remedies << " |";
    EXPECT_THAT(text, ::testing::HasSubstr(row.str()));
  }
}

}  // namespace
}  // namespace daedal
