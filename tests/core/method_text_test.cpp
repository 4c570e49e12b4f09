// SPDX-License-Identifier: BSD-3-Clause
#include "core/method_text.hpp"

#include <gtest/gtest.h>

#include <daedal/error.hpp>

namespace daedal {
namespace {

TEST(ChoiceText, ANameAloneHasNoParameters) {
  const NamedChoice choice = parse_choice("ggl");
  EXPECT_EQ(choice.name, "ggl");
  EXPECT_TRUE(choice.parameters.empty());
}

TEST(ChoiceText, ParametersFollowAColon) {
  const NamedChoice choice = parse_choice("baumgarte:alpha=5,beta=-2.5e-1");
  EXPECT_EQ(choice.name, "baumgarte");
  EXPECT_EQ(choice.parameters, (MethodParameters{{"alpha", 5.0}, {"beta", -0.25}}));
}

TEST(ChoiceText, WhatIsNoAssignmentIsRefused) {
  EXPECT_THROW(parse_choice("baumgarte:"), OptionError);
  EXPECT_THROW(parse_choice("baumgarte:alpha"), OptionError);
  EXPECT_THROW(parse_choice("baumgarte:alpha=5,"), OptionError);
  EXPECT_THROW(parse_choice("baumgarte:alpha=five"), OptionError);
  EXPECT_THROW(parse_assignment("=1"), OptionError);
}

TEST(ChoiceText, NamesMayBeQuotedAndHoldEqualSigns) {
  EXPECT_EQ(parse_assignment("'body.m[1]'=2").first, "body.m[1]");
  EXPECT_EQ(parse_assignment("a=b=2").first, "a=b");
}

}  // namespace
}  // namespace daedal
