// SPDX-License-Identifier: BSD-3-Clause
/// Names with subscripts inside their quotes.

#include "modelica/syntax/name_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::modelica {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The name with a '?' at the place of every mark.
std::string shown(NamePattern pattern) {
  for (char& c : pattern.name) c = c == subscript_mark ? '?' : c;
  return pattern.name;
}

TEST(NamePattern, AnOrdinaryNameLosesItsQuotesOnly) {
  const NamePattern plain = split_pattern("'a.x[2].y'");
  EXPECT_EQ(plain.name, "a.x[2].y");
  EXPECT_THAT(plain.subscripts, IsEmpty());
}

TEST(NamePattern, AQuoteOutsideOfBracketsIsPartOfTheName) {
  const NamePattern plain = split_pattern(R"('it\'s[1]')");
  EXPECT_EQ(plain.name, "it's[1]");
  EXPECT_THAT(plain.subscripts, IsEmpty());
}

TEST(NamePattern, SubscriptsThatAreExpressionsLeaveMarks) {
  const NamePattern pattern = split_pattern(R"('a.x[\'i\' + 1,2].y[\'j\']')");
  EXPECT_EQ(shown(pattern), "a.x[?,2].y[?]");
  EXPECT_THAT(pattern.subscripts, ElementsAre("'i' + 1", "'j'"));
}

TEST(NamePattern, EscapesMayBeMissing) {
  const NamePattern pattern = split_pattern("'a['E'.'second']'");
  EXPECT_EQ(shown(pattern), "a[?]");
  EXPECT_THAT(pattern.subscripts, ElementsAre("'E'.'second'"));
}

TEST(NamePattern, ACommaInsideInnerQuotesSeparatesNothing) {
  const NamePattern pattern = split_pattern(R"('a[\'n,m\']')");
  EXPECT_EQ(shown(pattern), "a[?]");
  EXPECT_THAT(pattern.subscripts, ElementsAre("'n,m'"));
}

}  // namespace
}  // namespace daedal::modelica
