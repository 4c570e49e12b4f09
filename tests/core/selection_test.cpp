// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/selection.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <daedal/methods.hpp>

namespace daedal {
namespace {

using testing::HasSubstr;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const OptionError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Selection, IsAutomaticUnlessAnotherNameIsGiven) {
  EXPECT_TRUE(Method().is_automatic());
  EXPECT_EQ(Method("ggl").name(), "ggl");
  EXPECT_TRUE(Method("ggl").values().empty());
}

TEST(Selection, ReadsFieldsBehindAColon) {
  const Method method("baumgarte:alpha=5,beta=+2.5e-1,paper=true");
  const auto value = method.as<Baumgarte>();
  EXPECT_EQ(value.alpha, 5.0);
  EXPECT_EQ(value.beta, 0.25);
  EXPECT_FALSE(value.gamma.has_value());
  EXPECT_EQ(value.paper, true);
}

TEST(Selection, OfATypedValueIsTheSameAsItsText) {
  const Method typed = TrustRegion{.gamma = 1e3, .watch = false};
  EXPECT_EQ(typed.text(), "trust-region:gamma=1000,watch=0");
  const auto back = Method(typed.text()).as<TrustRegion>();
  EXPECT_EQ(back.gamma, 1e3);
  EXPECT_FALSE(back.watch);
  EXPECT_FALSE(back.epsilon.has_value());
}

TEST(Selection, ReadsChoicesByWordAndByNumber) {
  EXPECT_EQ(Method("srm:E=transpose").as<Srm>().gain, SrmGain::transpose);
  EXPECT_EQ(Method("srm:E=2").as<Srm>().gain, SrmGain::transpose);
  EXPECT_THAT(message_of([] { (void)Method("srm:E=upside").as<Srm>(); }),
              HasSubstr("one of automatic, inverse, transpose"));
}

TEST(Selection, RefusesTextsOfAnotherForm) {
  for (const char* text : {"baumgarte:", "baumgarte:alpha", "baumgarte:alpha=5,", "ggl:=1"}) {
    EXPECT_THROW(Method{text}, OptionError) << text;
  }
  EXPECT_THROW((void)Method("baumgarte:alpha=five").as<Baumgarte>(), OptionError);
}

TEST(Selection, RefusesUnknownFieldsAndNamesTheNearest) {
  EXPECT_THAT(message_of([] { (void)Method("baumgarte:alhpa=5").as<Baumgarte>(); }),
              HasSubstr("Did you mean 'alpha'?"));
  EXPECT_THAT(message_of([] { (void)Method("ggl:alpha=5").as<Ggl>(); }),
              HasSubstr("'ggl' has no parameters"));
}

TEST(Selection, RefusesValuesOutOfTheirRange) {
  EXPECT_THAT(message_of([] { (void)Method("baumgarte:alpha=0").as<Baumgarte>(); }),
              HasSubstr("greater than 0 (got 0)"));
  EXPECT_THAT(message_of([] { (void)Integrator("bdf-fixed:order=7").as<BdfFixed>(); }),
              HasSubstr("a whole number, at least 1 and at most 6 (got 7)"));
  EXPECT_THROW((void)Integrator("bdf-fixed:order=1.5").as<BdfFixed>(), OptionError);
  EXPECT_THROW((void)Method("dummy-derivatives:fixed=2").as<DummyDerivatives>(), OptionError);
  EXPECT_THROW((void)Method("trust-region:gamma=inf").as<TrustRegion>(), OptionError);
}

TEST(Selection, IsReadAsTheTypeOfItsNameAlone) {
  EXPECT_THROW((void)Method("ggl").as<Baumgarte>(), OptionError);
}

}  // namespace
}  // namespace daedal
