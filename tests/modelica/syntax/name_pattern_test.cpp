// SPDX-License-Identifier: BSD-3-Clause
/// Names with subscripts inside their quotes.

#include "modelica/syntax/name_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::modelica {
namespace {

using ::testing::ElementsAre;

/// The name with a '?' at the place of every mark.
std::string shown(NamePattern pattern) {
  for (char& c : pattern.name) c = c == subscript_mark ? '?' : c;
  return pattern.name;
}

TEST(NamePattern, AnOrdinaryNameIsNone) {
  EXPECT_FALSE(split_pattern("'a.x[2].y'"));
}

TEST(NamePattern, AQuoteOutsideOfBracketsIsPartOfTheName) {
  EXPECT_FALSE(split_pattern(R"('it\'s[1]')"));
}

TEST(NamePattern, SubscriptsThatAreExpressionsLeaveMarks) {
  const auto pattern = split_pattern(R"('a.x[\'i\' + 1,2].y[\'j\']')");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(shown(*pattern), "a.x[?,2].y[?]");
  EXPECT_THAT(pattern->subscripts, ElementsAre("'i' + 1", "'j'"));
}

TEST(NamePattern, EscapesMayBeMissing) {
  const auto pattern = split_pattern("'a['E'.'second']'");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(shown(*pattern), "a[?]");
  EXPECT_THAT(pattern->subscripts, ElementsAre("'E'.'second'"));
}

TEST(NamePattern, ACommaInsideInnerQuotesSeparatesNothing) {
  const auto pattern = split_pattern(R"('a[\'n,m\']')");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(shown(*pattern), "a[?]");
  EXPECT_THAT(pattern->subscripts, ElementsAre("'n,m'"));
}

}  // namespace
}  // namespace daedal::modelica
