// SPDX-License-Identifier: BSD-3-Clause
/// Random generators, bit for bit, against tests/oracles/xorshift.py.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::ExportedModel;

/// Three numbers, at 0, 1 and 2 s, from a state that only the run knows.
Solution three_numbers(const std::string& generator, const std::string& state, int length) {
  const ExportedModel model{fmt::format(
      "discrete Real 'r'(start = 0.0, fixed = true); Integer 's'[{1}](start = {2}, each fixed = "
      "true); algorithm when sample(0.0, 1.0) then ('r', 's') := "
      "'Modelica.Math.Random.Generators.{0}.random'(pre('s')); end when;",
      generator, length, state)};
  return model.solve();
}

TEST(RandomNumbers, AreThoseOfXorshift64StarBitForBit) {
  const Solution solution = three_numbers("Xorshift64star", "{-139195358, -797266357}", 2);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("r"), 0.04244575388960031);
  EXPECT_EQ(solution.final_value("s[1]"), -816480869.0);
  EXPECT_EQ(solution.final_value("s[2]"), -1965180524.0);
}

TEST(RandomNumbers, AreThoseOfXorshift128PlusBitForBit) {
  const Solution solution =
      three_numbers("Xorshift128plus", "{-139195358, -797266357, -1912715464, -800614040}", 4);
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("r"), 0.9192264762816789);
  EXPECT_EQ(solution.final_value("s[1]"), -1100492182.0);
  EXPECT_EQ(solution.final_value("s[4]"), 1800564005.0);
}

// 17 numbers pass the end of the ring of 16 words.
TEST(RandomNumbers, AreThoseOfXorshift1024StarBitForBit) {
  const ExportedModel model{
      "discrete Real 'r'(start = 0.0, fixed = true); Integer 's'[33](start = cat(1, 1:32, {-2}), "
      "each fixed = true); algorithm when sample(0.0, 0.125) then ('r', 's') := "
      "'Modelica.Math.Random.Generators.Xorshift1024star.random'(pre('s')); end when;"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("r"), 0.5228228389028831);
  EXPECT_EQ(solution.final_value("s[31]"), -2141143521.0);
  EXPECT_EQ(solution.final_value("s[32]"), -1025482958.0);
  EXPECT_EQ(solution.final_value("s[33]"), 15.0);
}

TEST(RandomNumbers, BeginTenNumbersAfterTheSeeds) {
  const ExportedModel model{
      "parameter Integer 'seed'(fixed = false); Integer 's'[2]; Integer 'n'[3]; initial equation "
      "'seed' = 67867967; equation 's' = "
      "'Modelica.Math.Random.Generators.Xorshift64star.initialState'(10, 67867967); 'n' = "
      "'Modelica.Math.Random.Utilities.initialStateWithXorshift64star'(10, 'seed', 3);"};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("s[1]"), -1673359383.0);
  EXPECT_EQ(solution.final_value("s[2]"), -248632645.0);
  EXPECT_EQ(solution.final_value("n[1]"), -1673359383.0);
  EXPECT_EQ(solution.final_value("n[2]"), -248632645.0);
}

const std::string impure_functions =
    "function 'Modelica.Math.Random.Utilities.impureRandom' input Integer 'id'; output Real "
    "'y'; external \"C\" 'y' = ModelicaRandom_impureRandom_xorshift1024star('id'); end "
    "'Modelica.Math.Random.Utilities.impureRandom'; "
    "function 'Modelica.Math.Random.Utilities.initializeImpureRandom' input Integer 'seed'; output "
    "Integer 'id'; Integer 's'[33]; algorithm 's' := "
    "'Modelica.Math.Random.Utilities.initialStateWithXorshift64star'(715827883, 'seed', 33); 'id' "
    ":= 715827883; 'Modelica.Math.Random.Utilities.initializeImpureRandom.setInternalState'('s', "
    "'id'); end 'Modelica.Math.Random.Utilities.initializeImpureRandom';";

// The numbers 1, 2, 3 and so on of the sequence (tests/oracles/xorshift.py), two at each instant.
TEST(RandomNumbers, AreDrawnFromAStateOfTheModel) {
  const ExportedModel model{
      "parameter Integer 'seed'(fixed = false); parameter Integer 'id'(fixed = false); Real 'a'; "
      "Real 'b'; Real 'sum'(start = 0, fixed = true); initial equation 'seed' = 67867967; 'id' = "
      "'Modelica.Math.Random.Utilities.initializeImpureRandom'('seed'); equation when {initial(), "
      "sample(0.5, 0.5)} then 'a' = 'Modelica.Math.Random.Utilities.impureRandom'('id'); 'b' = "
      "'Modelica.Math.Random.Utilities.impureRandom'('id'); end when; der('sum') = 'a';",
      impure_functions, 1.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  // 'a' is the first number until t = 0.5 and the third until t = 1, where it is the fifth.
  EXPECT_NEAR(solution.final_value("sum"), 0.5 * (0.018660680846204425 + 0.3416579889994176), 1e-9);
  EXPECT_DOUBLE_EQ(solution.final_value("a"), 0.3697653509174629);
  EXPECT_DOUBLE_EQ(solution.final_value("b"), 0.86830181307418);
}

TEST(RandomNumbers, AreDrawnInOneWhenClauseOnly) {
  const std::string draw = "'Modelica.Math.Random.Utilities.impureRandom'('id')";
  const std::string start =
      "parameter Integer 'id'(fixed = false); Real 'a'; Real 'b'; initial equation 'id' = "
      "'Modelica.Math.Random.Utilities.initializeImpureRandom'(1); equation ";
  const ExportedModel continuous{start + "'a' = " + draw + "; 'b' = 1;", impure_functions};
  EXPECT_THROW(parse_model(continuous.text()), ParseError);
  const ExportedModel twice{start + "when time > 0.1 then 'a' = " + draw +
                                "; end when; when time > 0.2 then 'b' = " + draw + "; end when;",
                            impure_functions};
  EXPECT_THROW(parse_model(twice.text()), ParseError);
}

TEST(RandomNumbers, TakeAStateOfTheRightLength) {
  const ExportedModel model{
      "Real 'r'; equation 'r' = 'Modelica.Math.Random.Generators.Xorshift64star.random'({1, 2, "
      "3});"};
  EXPECT_THROW(parse_model(model.text()), ParseError);
}

}  // namespace
}  // namespace daedal
