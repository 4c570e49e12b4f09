// SPDX-License-Identifier: BSD-3-Clause
#include "core/expected.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace daedal {
namespace {

int refuse() {
  throw ModelError(ErrorCode::not_recognized, "The model has no constraints.");
}

TEST(ExpectedTest, HoldsWhatWasMade) {
  const auto seven = Expected<int>::from([] { return 7; });
  ASSERT_TRUE(seven);
  EXPECT_EQ(*seven, 7);
  EXPECT_EQ(seven.get(), 7);
}

TEST(ExpectedTest, HoldsTheErrorAndThrowsItWithItsTypeWhereTheValueIsAskedFor) {
  const auto none = Expected<int>::from(refuse);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.code(), ErrorCode::not_recognized);
  EXPECT_EQ(none.message(), "The model has no constraints.");
  EXPECT_THROW((void)none.get(), ModelError);
  EXPECT_THROW((void)Expected<int>(none).get(), ModelError);
}

TEST(ExpectedTest, LetsOtherExceptionsPass) {
  EXPECT_THROW((void)Expected<int>::from([]() -> int { throw std::logic_error("broken"); }),
               std::logic_error);
}

}  // namespace
}  // namespace daedal
