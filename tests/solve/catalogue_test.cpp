// SPDX-License-Identifier: BSD-3-Clause
/// The public catalogue: every row can be built from its name and values, and every default lies in
/// its own range.

#include <gtest/gtest.h>

#include <daedal/methods.hpp>
#include <set>
#include <string>

namespace daedal {
namespace {

template <class Info>
void expect_sound(const std::vector<Info>& rows) {
  std::set<std::string_view> names;
  for (const Info& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " appears twice";
    EXPECT_FALSE(row.summary.empty()) << row.name;
    for (const FieldInfo& field : row.fields) {
      EXPECT_FALSE(field.meaning.empty()) << row.name << ' ' << field.name;
      EXPECT_EQ(field.kind == FieldKind::choice, !field.choices.empty()) << field.name;
      if (!field.default_value) continue;
      EXPECT_EQ(selection_detail::checked(row.name, field, *field.default_value),
                *field.default_value)
          << row.name << ' ' << field.name;
    }
  }
}

TEST(Catalogue, HasSoundRows) {
  expect_sound(methods());
  expect_sound(integrators());
  expect_sound(bvp_methods());
  EXPECT_GE(methods().size(), 25U);  // tests may have added some
  EXPECT_EQ(integrators().size(), 13U);
  EXPECT_EQ(bvp_methods().size(), 3U);
}

TEST(Catalogue, ShowsTheDefaultsOfTheTypedValues) {
  for (const MethodInfo& method : methods()) {
    if (method.name != DerivativeArray::name) continue;
    ASSERT_EQ(method.fields.size(), 3U);
    EXPECT_EQ(method.fields[0].name, "max_index");
    EXPECT_EQ(method.fields[0].kind, FieldKind::integer);
    EXPECT_EQ(method.fields[0].default_value, DerivativeArray{}.max_index);
  }
}

}  // namespace
}  // namespace daedal
