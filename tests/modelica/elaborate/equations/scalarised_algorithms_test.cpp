// SPDX-License-Identifier: BSD-3-Clause
/// Algorithms of exported models: scalars 'x[1]', 'x[2]' are declared, and the algorithm speaks of
/// 'x', of 'x[\'i\']' or of a row.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using ::testing::HasSubstr;

TEST(ScalarisedAlgorithms, AssignArraysAsAWholeAndByNumber) {
  check({
      {{"Real 'x[1]'; Real 'x[2]'; Real 'y'; algorithm 'x' := {time, 2.0 * time}; 'y' := 'x[1]' + "
        "'x[2]'; 'x[1]' := 0.0;"},
       {{"x[1]", 0.0}, {"x[2]", 4.0}, {"y", 6.0}}},
      {{"Real 'x[1]'; Real 'x[2]'; Real 'x[3]'; Real 's'; algorithm 's' := 0.0; for 'i' in 1:3 "
        "loop "
        "'x[\\'i\\']' := 'i' * time; 's' := 's' + 'x[\\'i\\']'; end for;"},
       {{"x[3]", 6.0}, {"s", 12.0}}},
      {{"Real 'a[1].x'; Real 'a[2].x'; algorithm for 'i' in 1:2 loop 'a[\\'i\\'].x' := 'i' * time; "
        "end for;"},
       {{"a[1].x", 2.0}, {"a[2].x", 4.0}}},
  });
}

TEST(ScalarisedAlgorithms, AssignTheElementThatTheRunChooses) {
  check({
      {{"Integer 'k'; Real 'x[1]'; Real 'x[2]'; equation 'k' = if time > 1.0 then 2 else 1; "
        "algorithm 'x' := {1.0, 1.0}; 'x[\\'k\\']' := 5.0 * time;"},
       {{"x[1]", 1.0}, {"x[2]", 10.0}}},
      {{"Integer 'k'; Real 'm[1,1]'; Real 'm[1,2]'; Real 'm[2,1]'; Real 'm[2,2]'; Real 'r[1]'; "
        "Real "
        "'r[2]'; equation 'k' = if time > 1.0 then 2 else 1; algorithm 'm' := {{1.0, 2.0}, {3.0, "
        "4.0}}; 'm[\\'k\\',:]' := {7.0, 8.0}; 'r' := 'm[:,2]';"},
       {{"m[1,1]", 1.0}, {"m[2,1]", 7.0}, {"r[1]", 2.0}, {"r[2]", 8.0}}},
      {{"Integer 'k'; Real 'x'[3]; equation 'k' = if time > 1.0 then 2 else 1; algorithm 'x' := "
        "{1.0, 1.0, 1.0}; 'x'['k'] := 5.0;"},
       {{"x[1]", 1.0}, {"x[2]", 5.0}, {"x[3]", 1.0}}},
  });
}

// Every half second the time goes to the next place; the others keep what they have.
TEST(ScalarisedAlgorithms, FillMemoryAtEvents) {
  const ExportedModel model{
      "Integer 'n'(start = 0, fixed = true); Real 'b[1]'; Real 'b[2]'; Real 'b[3]'; Real 'b[4]'; "
      "algorithm when sample(0.5, 0.5) then 'n' := pre('n') + 1; 'b[\\'n\\']' := time; end when;",
      "", 1.75};
  check({{model, {{"n", 3.0}, {"b[1]", 0.5}, {"b[2]", 1.0}, {"b[3]", 1.5}, {"b[4]", 0.0}}}});
}

TEST(ScalarisedAlgorithms, AssignRecordsOfWhichOnlyFieldsAreDeclared) {
  const ExportedModel model{
      "Real 'z.re'; Real 'z.im'; Real 'a'; algorithm 'z' := 'twice'('C'(time, 1.0)); 'a' := 'z.re' "
      "+ "
      "'z.im';",
      "record 'C' Real 're'; Real 'im'; end 'C'; function 'twice' input 'C' 'c'; output 'C' 'd'; "
      "algorithm 'd' := 'C'(2.0 * 'c'.'re', 2.0 * 'c'.'im'); end 'twice';"};
  check({{model, {{"z.re", 4.0}, {"z.im", 2.0}, {"a", 6.0}}}});
}

TEST(ScalarisedAlgorithms, TellOfABreakThatLeavesNothing) {
  std::vector<Diagnostic> warnings;
  const ExportedModel model{
      "Real 'x'; algorithm 'x' := 1.0; if time > 1.0 then break; end if; 'x' := 'x' + 1.0;"};
  parse_model(model.text(), "m.bmo", {.warnings = &warnings});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].message, HasSubstr("'break' outside of a loop"));
  check({{model, {{"x", 2.0}}}});
}

TEST(ScalarisedAlgorithms, MustNameWhatExists) {
  const ExportedModel model{"Real 'x'; algorithm 'x' := 1.0; 'y[\\'k\\']' := 1.0;"};
  EXPECT_THROW(parse_model(model.text()), ParseError);
}

}  // namespace
}  // namespace daedal
