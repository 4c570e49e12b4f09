// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/error.hpp>
#include <set>

namespace daedal::integration {
namespace {

TEST(IntegratorRegistry, SuggestsTheNearestName) {
  try {
    find_integrator("bfd");
    FAIL() << "an unknown integrator must be refused";
  } catch (const OptionError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_method);
    EXPECT_THAT(error.what(), testing::HasSubstr("Did you mean 'bdf'?"));
  }
}

TEST(IntegratorRegistry, NamesAreUniqueAndFactoriesMatchCapabilities) {
  std::set<std::string_view> names;
  for (const IntegratorRow& row : integrator_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(row.make_implicit != nullptr, row.can.implicit_systems) << row.name;
    EXPECT_EQ(row.make_explicit != nullptr, row.can.explicit_systems) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
}

}  // namespace
}  // namespace daedal::integration
