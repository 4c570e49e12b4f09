// SPDX-License-Identifier: BSD-3-Clause
/// Statements of functions that only the run can decide: loops, subscripts, Strings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using ::testing::HasSubstr;

const std::string search =
    "function 'search' input Real 'table'[:]; input Real 'x'; input Integer 'from'; output Integer "
    "'k'; algorithm 'k' := 'from'; while 'k' < size('table', 1) and 'x' >= 'table'['k'] loop 'k' "
    ":= "
    "'k' + 1; end while; end 'search';\n";

// The first of 1, 2, 4, 8 above x, searched from the start and from where the last search ended.
TEST(RunTimeStatements, WhileSearchesATable) {
  check({
      {{"Real 'y'; equation 'y' = 'search'({1.0, 2.0, 4.0, 8.0}, 1.5 * time, 1);", search},
       {{"y", 3.0}}},
      {{"Integer 'k'(start = 1, fixed = true); algorithm when sample(0.5, 0.5) then 'k' := "
        "'search'({1.0, 2.0, 4.0, 8.0}, 2.5 * time, pre('k')); end when;",
        search},
       {{"k", 4.0}}},
  });
}

// The sum of 1/n² up to the first term below 1/time⁴ = 1/16: 1 + 1/4 + 1/9 + 1/16.
TEST(RunTimeStatements, WhileEndsByItsConditionOrABreak) {
  const std::string by_condition =
      "function 'f' input Real 'e'; output Real 's'; Integer 'n'; algorithm 's' := 0.0; 'n' := 0; "
      "while 1.0 > 'e' * 'n' ^ 2 loop 'n' := 'n' + 1; 's' := 's' + 1.0 / 'n' ^ 2; end while; end "
      "'f';";
  const std::string by_break =
      "function 'f' input Real 'e'; output Real 's'; Integer 'n'; algorithm 's' := 0.0; 'n' := 0; "
      "while 'n' < 20 loop 'n' := 'n' + 1; 's' := 's' + 1.0 / 'n' ^ 2; if 1.0 <= 'e' * 'n' ^ 2 "
      "then "
      "break; end if; end while; end 'f';";
  const double sum = 1.0 + 1.0 / 4.0 + 1.0 / 9.0 + 1.0 / 16.0;
  check({{{"Real 's'; equation 's' = 'f'(1.0 / time ^ 4);", by_condition}, {{"s", sum}}},
         {{"Real 's'; equation 's' = 'f'(1.0 / time ^ 4);", by_break}, {{"s", sum}}}});
}

TEST(RunTimeStatements, AWhileThatGoesOnAndOnFailsTheRun) {
  const ExportedModel model{"Real 'n'; equation 'n' = 'f'(500.0 * time);",
                            "function 'f' input Real 'x'; output Real 'n'; algorithm 'n' := 0.0; "
                            "while 'n' < 'x' loop 'n' "
                            ":= 'n' + 1.0; end while; end 'f';"};
  const Solution solution = model.solve();
  EXPECT_NE(solution.status, Status::success);
  EXPECT_THAT(solution.message, HasSubstr("more rounds than were foreseen"));
}

TEST(RunTimeStatements, AssignAnElementThatTheArgumentsChoose) {
  const ExportedModel model{
      "Real 'y'; Real 'z'; equation 'y' = 'f'(if time > 1.0 then 2 else 3); 'z' = 'g'(time);",
      "function 'f' input Integer 'k'; output Real 'y'; Real 'v'[3]; algorithm 'v' := {1.0, 2.0, "
      "3.0}; 'v'['k'] := 10.0; 'y' := 'v'[1] + 10.0 * 'v'[2] + 100.0 * 'v'[3]; end 'f';\n"
      "function 'g' input Real 'x'; output Real 'y'; Real 'm'[2, 2]; Integer 'i'; algorithm 'i' := "
      "if 'x' > 1.0 then 2 else 1; 'm' := {{1.0, 2.0}, {3.0, 4.0}}; 'm'['i', :] := {5.0, 6.0}; 'y' "
      ":= 'm'[1, 1] + 10.0 * 'm'[2, 1] + 100.0 * 'm'['i', 'i']; end 'g';"};
  check({{model, {{"y", 1.0 + 100.0 + 300.0}, {"z", 1.0 + 50.0 + 600.0}}}});
}

TEST(RunTimeStatements, StringsUnderAConditionServeMessages) {
  const std::string function =
      "function 'f' input Real 'x'; output Real 'y'; String 's'; algorithm 's' := \"small\"; if "
      "'x' "
      "> 3.0 then 's' := \"large\"; 'Modelica.Utilities.Streams.error'(\"x is \" + 's'); end if; "
      "'y' "
      ":= 2.0 * 'x'; end 'f';";
  check({{{"Real 'y'; equation 'y' = 'f'(time);", function}, {{"y", 4.0}}}});
  const Solution solution =
      ExportedModel{"Real 'y'; equation 'y' = 'f'(2.0 * time);", function}.solve();
  EXPECT_NE(solution.status, Status::success);
  EXPECT_THAT(solution.message, HasSubstr("x is large"));
}

TEST(RunTimeStatements, StringsUnderAConditionCannotBeCompared) {
  const ExportedModel model{"Real 'y'; equation 'y' = 'f'(time);",
                            "function 'f' input Real 'x'; output Real 'y'; String 's'; algorithm "
                            "'s' := \"small\"; if 'x' "
                            "> 3.0 then 's' := \"large\"; end if; 'y' := if 's' == \"large\" then "
                            "1.0 else 0.0; end 'f';"};
  EXPECT_THROW(parse_model(model.text()), ParseError);
}

// Exporting tools write promote(v, 2) for the column of a vector, and #EMPTY# for a field that
// nothing sets.
TEST(RunTimeStatements, WordsOfExportingTools) {
  check({{{"Real 'm'[3, 3]; equation 'm' = promote({1.0, 2.0, 3.0}, 2) * transpose(promote({1.0, "
           "2.0, time}, 2));"},
          {{"m[2,1]", 2.0}, {"m[3,3]", 6.0}}},
         {{"Real 'y'; equation 'y' = 'f'('R'(2.0, #EMPTY#));",
           "record 'R' Real 'a'; Real 'b'; end 'R'; function 'f' input 'R' 'r'; output Real 'y'; "
           "algorithm 'y' := 'r'.'a'; end 'f';"},
          {{"y", 2.0}}}});
  const ExportedModel unset{
      "Real 'y'; equation 'y' = 'f'('R'(2.0, #EMPTY#));",
      "record 'R' Real 'a'; Real 'b'; end 'R'; function 'f' input 'R' 'r'; output Real 'y'; "
      "algorithm 'y' := 'r'.'b'; end 'f';"};
  EXPECT_THROW(parse_model(unset.text()), ParseError);
}

TEST(RunTimeStatements, PartialFunctionsThatNothingCompletesAreLeftAside) {
  const ExportedModel model{
      "Real 'x'; Real 'y'; equation 'x' = time; 'y' = 'solve'(function 'Lib.lost'(a = 1.0), 2.0);",
      "partial function 'Interface' input Real 'u'; output Real 'y'; end 'Interface';\nfunction "
      "'solve' input 'Interface' 'f'; input Real 'u'; output Real 'y'; algorithm 'y' := 'f'('u'); "
      "end 'solve';"};
  const Model parsed = parse_model(model.text());
  ASSERT_EQ(parsed.variables().size(), 1U);
  EXPECT_EQ(parsed.variables()[0].name, "x");
}

}  // namespace
}  // namespace daedal
