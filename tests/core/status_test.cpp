// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <daedal/status.hpp>
#include <set>
#include <string>

namespace daedal {
namespace {

TEST(Status, EveryStatusHasItsOwnKebabCaseName) {
  std::set<std::string> names;
  for (const StatusInfo& entry : all_statuses()) {
    const std::string name(entry.name);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << name;
    EXPECT_EQ(info(entry.status).name, entry.name);
  }
}

TEST(Status, EveryFailureSaysItsCausesAndRemedies) {
  for (const StatusInfo& entry : all_statuses()) {
    EXPECT_FALSE(entry.meaning.empty());
    if (is_success(entry.status)) {
      EXPECT_EQ(entry.exit_code, 0);
      continue;
    }
    EXPECT_NE(entry.exit_code, 0) << entry.name;
    EXPECT_FALSE(entry.causes.empty()) << entry.name;
    EXPECT_FALSE(entry.remedies.empty()) << entry.name;
  }
}

TEST(Error, CarriesCodePlaceAndNames) {
  ModelError error(ErrorCode::unbalanced, "One equation too many.", {"a.mo", 3, 7});
  error.with_equations({"rod"}).with_variables({"x", "y"});
  EXPECT_EQ(to_string(error.code()), "unbalanced");
  EXPECT_EQ(to_string(error.where()), "a.mo:3:7");
  EXPECT_EQ(error.equations().size(), 1U);
  EXPECT_EQ(error.variables().size(), 2U);
}

TEST(ParseError, ShowsItsFirstDiagnosticAndKeepsThemAll) {
  const ParseError error({{ErrorCode::syntax, {"a.mo", 1, 2}, "first"},
                          {ErrorCode::unknown_name, {"a.mo", 4, 5}, "second"}});
  EXPECT_STREQ(error.what(), "first");
  EXPECT_EQ(error.where().line, 1);
  EXPECT_EQ(error.diagnostics().size(), 2U);
}

}  // namespace
}  // namespace daedal
