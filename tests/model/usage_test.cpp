// SPDX-License-Identifier: BSD-3-Clause
#include "model/usage.hpp"

#include <gtest/gtest.h>

#include <daedal/error.hpp>

namespace daedal {
namespace {

Model model_with_parameters() {
  ModelBuilder b("Parameters");
  const Expr direct = b.parameter("direct", 1.0);
  const Expr base = b.parameter("base", 2.0);
  const Expr derived = b.parameter("derived", 3 * base);
  const Expr begin = b.parameter("begin", 4.0);
  b.parameter("unused", 5.0);
  const Expr x = b.variable("x", {.start = begin, .fixed = true});
  b.equation(der(x) == -direct * derived * x);
  return b.build();
}

TEST(UsedParameters, AreThoseOfEquationsStartsAndOtherUsedOnes) {
  EXPECT_EQ(used_parameters(model_with_parameters()),
            (std::vector<bool>{true, true, true, true, false}));
}

TEST(UsedParameters, AnOverrideThatChangesNothingIsRefused) {
  const Model model = model_with_parameters();
  EXPECT_NO_THROW(refuse_unused(model, {{"base", 1.0}, {"begin", 2.0}}));
  EXPECT_THROW(refuse_unused(model, {{"unused", 1.0}}), ModelError);
}

}  // namespace
}  // namespace daedal
