// SPDX-License-Identifier: BSD-3-Clause
#include "core/short_copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace daedal {
namespace {

TEST(ShortCopy, CopiesAsManyNumbersAsItIsTold) {
  // Odd and even numbers, with and without the call for many.
  for (std::size_t n = 0; n <= 20; ++n) {
    std::vector<double> from, to(n + 2, -1.0);
    for (std::size_t i = 0; i < n; ++i) from.push_back(1.0 + static_cast<double>(i));
    EXPECT_EQ(copy_short(from.data(), n, to.data() + 1), to.data() + 1 + n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(to[i + 1], from[i]);
    EXPECT_EQ(to.front(), -1.0);
    EXPECT_EQ(to.back(), -1.0);
  }
}

}  // namespace
}  // namespace daedal
