// SPDX-License-Identifier: BSD-3-Clause
/// The language as exporting tools use it: one small model a construct, its values by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solve/exported_samples.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;
using test::Sample;
using ::testing::HasSubstr;

TEST(ExportedLanguage, AlgorithmSectionsOfTheModel) {
  check({
      {{"Real 'x'(start = 1.0, fixed = true); Real 'y'; equation der('x') = -'y'; algorithm 'y' := "
        "'x'; 'y' := 2.0 * 'y';"},
       {{"x", std::exp(-4.0)}}},
      {{"Real 'y'; algorithm if time < 1.0 then 'y' := 1.0; elseif time < 1.5 then 'y' := 2.0; "
        "else "
        "'y' := 3.0; end if;"},
       {{"y", 3.0}}},
      {{"Real 's'; algorithm 's' := 0.0; for i in 1:4 loop 's' := 's' + i * time; end for;"},
       {{"s", 20.0}}},
      {{"discrete Real 'n'(start = 0.0, fixed = true); algorithm when time > 0.5 then 'n' := "
        "pre('n') + 1.0; elsewhen time > 1.5 then 'n' := pre('n') + 10.0; end when;"},
       {{"n", 11.0}}},
  });
}

// Modelica 3.6, 11.1.2: a continuous variable begins with its start value.
TEST(ExportedLanguage, AVariableOfAnAlgorithmBeginsWithItsStartValue) {
  check({
      {{"Real 'x'(start = 4.0); algorithm if time < 1.0 then 'x' := 5.0; end if;"}, {{"x", 4.0}}},
      {{"Real 'x'(start = 4.0); algorithm 'x' := 'x' + time;"}, {{"x", 6.0}}},
      {{"Real 'x'; algorithm 'x' := 0.0;"}, {{"x", 0.0}}},
      {{"Real 'x'[2]; equation 'x'[2] = 7.0; algorithm 'x'[1] := 3.0;"},
       {{"x[1]", 3.0}, {"x[2]", 7.0}}},
  });
}

TEST(ExportedLanguage, InitialSectionsAndFreeParameters) {
  check({
      {{"Real 'x'; initial algorithm 'x' := 4.0; equation der('x') = -'x';"},
       {{"x", 4.0 * std::exp(-2.0)}}},
      {{"Real 'x'; parameter Real 'p'(fixed = false); initial algorithm 'p' := 2.0; 'x' := 'p' + "
        "1.0; equation der('x') = 'p';"},
       {{"x", 7.0}}},
      {{"parameter Real 'p'(fixed = false, start = 1.0); Real 'x'(start = 1.0, fixed = true); "
        "initial equation der('x') = -3.0; equation der('x') = -'p' * 'x';"},
       {{"x", std::exp(-6.0)}}},
      {{"Real 'x'[2]; parameter Boolean 'steady' = false; initial equation if 'steady' then "
        "der('x') = {0.0, 0.0}; else for i in 1:2 loop 'x'[i] = i; end for; end if; equation "
        "der('x') = {0.0, 1.0};"},
       {{"x[1]", 1.0}, {"x[2]", 4.0}}},
      {{"final parameter Real 'p' = 2.0; Real 'x'[2](each start = 1.0, each fixed = true, each "
        "unit = \"m\"); equation der('x') = {'p', -'p'};"},
       {{"x[1]", 5.0}, {"x[2]", -3.0}}},
  });
}

TEST(ExportedLanguage, StringsBooleansAndEnumerations) {
  const std::string colour = "type 'E' = enumeration('a', 'b', 'c');";
  check({
      {{"parameter String 's' = \"a\" + \"bc\"; Real 'x'; equation 'x' = if 's' == \"abc\" then "
        "1.0 "
        "else 2.0;"},
       {{"x", 1.0}}},
      {{"'E' 'e'(start = 'E'.'a', fixed = true); Real 'x'; equation when time > 1.0 then 'e' = "
        "'E'.'c'; end when; 'x' = Integer('e');",
        colour},
       {{"x", 3.0}}},
      {{"Real 'x'['E']; Real 'y'; equation for e in 'E' loop 'x'[e] = 10.0 * Integer(e); end for; "
        "'y' = 'x'['E'.'b'] + sum(Integer(e) for e in 'E');",
        colour},
       {{"y", 26.0}}},
      {{"Real 'x'[Boolean]; Real 'y'; equation 'x'[false] = 1.0; 'x'[true] = 2.0; 'y' = "
        "'x'[true];"},
       {{"y", 2.0}}},
      {{"parameter 'E' 'e' = 'E'.'b'; Boolean 'b'; Integer 'i'; equation 'b' = 'e' < 'E'.'c' and "
        "not time < 1.0; 'i' = if 'b' then 3 else 2;",
        colour},
       {{"b", 1.0}, {"i", 3.0}}},
  });
}

TEST(ExportedLanguage, ArraysOfAnyRankAndTheirFunctions) {
  check({
      {{"Real 'a'[2,3,2]; Real 'b'[3]; equation 'a' = fill(time, 2, 3, 2); 'b' = 'a'[2,:,1];"},
       {{"a[2,3,1]", 2.0}, {"b[3]", 2.0}}},
      {{"Real 'a'[3,3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}; Real 'b'[2,2] = 'a'[{1, 3},{1, 3}]; "
        "Real "
        "'c'[2] = 'a'[end, end - 1:end]; Real 'd'[4]; equation 'd'[1:2] = {1.0, 2.0}; 'd'[3:4] = "
        "'b'[:,2];"},
       {{"b[2,1]", 7.0}, {"c[1]", 8.0}, {"d[4]", 9.0}}},
      {{"Real 'z'[2,2] = zeros(2, 2) + ones(2, 2); Real 't'[2,3] = transpose([1, 2; 3, 4; 5, 6]); "
        "Real 'c'[3] = cross({1, 0, 0}, {0, time, 0}); Real 's' = sum({1, 2, 3}) + product({2, "
        "3}); "
        "Real 'm' = max({1, time, 0}) - min(3, time); Integer 'n' = size([1, 2; 3, 4; 5, 6], 1);"},
       {{"z[2,1]", 1.0}, {"t[2,3]", 6.0}, {"c[3]", 2.0}, {"s", 12.0}, {"m", 0.0}, {"n", 3.0}}},
      {{"Real 'y'[2] = [1, 2; 3, 4] * {1, 1}; Real 'q' = {1, 2} * {3, 4}; Real 'e'[2] = {1, 2} .* "
        "{3, 4} ./ {2, 2}; Real 'p'[2,2] = [1, 1; 0, 1] ^ 3;"},
       {{"y[2]", 7.0}, {"q", 11.0}, {"e[2]", 4.0}, {"p[1,2]", 3.0}}},
      {{"Real 's' = sum(i ^ 2 for i in 1:3); Real 'p' = product(i for i in 1:4); Real 'm' = max(i "
        "* "
        "(3 - i) for i in 1:3); Real 'r'[2,3] = {10 * i + j for j in 1:3, i in 1:2};"},
       {{"s", 14.0}, {"p", 24.0}, {"m", 2.0}, {"r[2,3]", 23.0}}},
  });
}

TEST(ExportedLanguage, FunctionsAreExecuted) {
  const std::string powers =
      "function 'f' input Real 'u'; output Real 'y'; output Real 'z'; algorithm 'y' := 'u' ^ 2; "
      "'z' "
      ":= 'u' ^ 3; end 'f';";
  check({
      {{"Real 'a'; Real 'b'; equation ('a', 'b') = 'f'(time);", powers}, {{"a", 4.0}, {"b", 8.0}}},
      {{"Real 'b'; equation (, 'b') = 'f'(time);", powers}, {{"b", 8.0}}},
      {{"Real 'y'; equation 'y' = ('f'(time))[2] + 'f'(time)[1];",
        "function 'f' input Real 'u'; output Real 'y'[2]; algorithm 'y' := {'u', 'u' ^ 2}; end "
        "'f';"},
       {{"y", 6.0}}},
      {{"Real 'y'; equation 'y' = 'f'({1.0, 2.0, time});",
        "function 'f' input Real 'u'[:]; input Real 'k' = 2.0; output Real 'y'; algorithm 'y' := "
        "0.0; for i in 1:size('u', 1) loop if 'u'[i] > 1.0 then 'y' := 'y' + 'k' * 'u'[i]; end if; "
        "end for; end 'f';"},
       {{"y", 8.0}}},
  });
}

// The table and its functions are of another language; what runs does not need them.
TEST(ExportedLanguage, ExternalObjectsAreCarriedAndNeverCalled) {
  const std::string table =
      "class 'T' extends ExternalObject; function constructor input String 'n'; output 'T' 't'; "
      "external \"C\" 't' = table_init('n') annotation(Library = {\"tables\"}); end constructor; "
      "function destructor input 'T' 't'; external \"C\" table_close('t'); end destructor; end "
      "'T'; function 'Lib.value' input 'T' 't'; input Real 'u'; output Real 'y'; external \"C\" "
      "'y' "
      "= table_value('t', 'u'); annotation(derivative(order = 1) = 'Lib.der_value'); end "
      "'Lib.value';";
  const ExportedModel unused{
      "parameter 'T' 'id' = 'T'(\"none\"); Real 'x'(start = 1.0, fixed = true); Real 'shown' = "
      "'Lib.value'('id', 'x'); equation der('x') = -'x';",
      table};
  check({{unused, {{"x", std::exp(-2.0)}}}});
  std::vector<Diagnostic> warnings;
  parse_model(unused.text(), "P.bmo", {.warnings = &warnings});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings.front().message, HasSubstr("'shown' is left out"));

  const ExportedModel used{
      "parameter 'T' 'id' = 'T'(\"none\"); Real 'x'(start = 1.0, fixed = true); equation der('x') "
      "= "
      "'Lib.value'('id', 'x');",
      table};
  try {
    parse_model(used.text());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("external function 'Lib.value' cannot be called"));
    EXPECT_GT(error.where().line, 0);
  }
}

TEST(ExportedLanguage, ParametersOfUndefinedFunctionsAreLeftOutIfNothingNeedsThem) {
  const std::string parameters =
      "parameter Real 'p' = 'Lib.largest'(2.0); parameter Real 'q' = 2.0 * 'p'; parameter Real 'k' "
      "= 3.0; Real 'x'(start = 1.0, fixed = true); equation ";
  const ExportedModel unused{parameters + "der('x') = 'k';"};
  check({{unused, {{"x", 7.0}}}});
  std::vector<Diagnostic> warnings;
  const Model model = parse_model(unused.text(), "P.bmo", {.warnings = &warnings});
  EXPECT_EQ(warnings.size(), 2U);
  EXPECT_EQ(model.parameters().size(), 1U);
  try {
    parse_model(ExportedModel{parameters + "der('x') = 'q';"}.text());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'Lib.largest' is not defined"));
    EXPECT_THAT(error.what(), HasSubstr("The parameter 'p' needs it"));
  }
}

// Kepler's ellipse from r = (0.6, 0.6), v = (0.6, 0): f and g functions with the eccentric anomaly.
TEST(ExportedLanguage, PointGravityFollowsKepler) {
  const ExportedModel model{
      "Real 'r[1]'(start = 0.6, fixed = true); Real 'r[2]'(start = 0.6, fixed = true); Real "
      "'v[1]'(start = 0.6, fixed = true); Real 'v[2]'(start = 0.0, fixed = true); Real 'g[1]'; "
      "Real "
      "'g[2]'; equation 'v[1]' = der('r[1]'); 'v[2]' = der('r[2]'); der('v[1]') = 'g[1]'; "
      "der('v[2]') = 'g[2]'; 'g[1]' = (-'r[1]' / ('r' * 'r')) * (1.0 / sqrt('r' * 'r')); 'g[2]' = "
      "(-'r[2]' / ('r' * 'r')) * (1.0 / sqrt('r' * 'r'));",
      "", 3.75};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const double t = 3.75;
  const double r = std::hypot(0.6, 0.6);
  const double a = 1.0 / (2.0 / r - 0.36);
  const double n = std::sqrt(1.0 / (a * a * a));
  const double s = 0.36 / std::sqrt(a);
  const double c = 1.0 - r / a;
  double e = n * t;
  for (int k = 0; k < 50; ++k)
    e -= (e - c * std::sin(e) + s * (1.0 - std::cos(e)) - n * t) /
         (1.0 - c * std::cos(e) + s * std::sin(e));
  const double f = 1.0 - a / r * (1.0 - std::cos(e));
  const double g = t + (std::sin(e) - e) / n;
  // Three close passages amplify the errors of the run (1e-9) some ten thousandfold.
  EXPECT_NEAR(solution.final_value("r[1]"), 0.6 * f + 0.6 * g, 1e-4);
  EXPECT_NEAR(solution.final_value("r[2]"), 0.6 * f, 1e-4);
}

// The place of the first true element, the greatest power of 2 below n, and a sum up to a limit.
TEST(ExportedLanguage, FunctionsReturnBreakAndLoopWhile) {
  const char* functions = R"(
    function 'first'
      input Boolean[:] 'b';
      output Integer 'index';
    algorithm
      'index' := 0;
      for 'i' in 1:size('b', 1) loop
        if 'b'['i'] then
          'index' := 'i';
          return;
        end if;
      end for;
    end 'first';
    function 'power'
      input Integer 'n';
      output Integer 'p';
    algorithm
      'p' := 1;
      while 2 * 'p' < 'n' loop
        'p' := 2 * 'p';
      end while;
    end 'power';
    function 'sumUpTo'
      input Real 'limit';
      output Real 's';
    algorithm
      's' := 0.0;
      for 'i' in 1:10 loop
        if 's' + 'i' > 'limit' then
          break;
        end if;
        's' := 's' + 'i';
      end for;
      's' := 's' + 0.5;
    end 'sumUpTo';)";
  const ExportedModel model{
      "Integer 'k'; Real 'p'; Real 's'; equation\n"
      "'k' = 'first'({time > 1.5, time > 0.5, true}); 'p' = 'power'(100); 's' = 'sumUpTo'(11.0 + "
      "time);",
      functions, 1.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.at(0.25, "k"), 3.0);
  EXPECT_EQ(solution.final_value("k"), 2.0);
  EXPECT_EQ(solution.final_value("p"), 64.0);
  EXPECT_EQ(solution.final_value("s"), 10.5);  // 1 + 2 + 3 + 4, and not 5 more
}

TEST(ExportedLanguage, ElseifTrueIsAnElse) {
  const ExportedModel model{
      "Real 'x'; Real 'y'; equation if time < 0.5 then 'x' = 1.0; 'y' = 2.0; elseif true then 'y' "
      "= 'x'; 'x' = 3.0; end if;",
      "", 1.0};
  EXPECT_EQ(final_value(model, "y"), 3.0);
}

// A guess may need a function that the text does not define; a fixed start value may not.
TEST(ExportedLanguage, GuessesOfUndefinedFunctionsAreLeftOut) {
  const auto text = [](const std::string& fixed) {
    return ExportedModel{"parameter Real 'p' = 'Lib.g'(1.0); Real 'x'(start = 'Lib.f'(2.0)" +
                             fixed + "); Real 'y'(start = 'p'); equation 'x' = 2.0; 'y' = 'x';",
                         "", 1.0}
        .text();
  };
  std::vector<Diagnostic> warnings;
  ParseOptions options;
  options.warnings = &warnings;
  const Model model = parse_model(text(""), "m.mo", options);
  EXPECT_EQ(model.variables().size(), 2U);
  EXPECT_EQ(warnings.size(), 3U);  // both guesses and the parameter
  EXPECT_THROW(parse_model(text(", fixed = true")), Error);
}

// sample() with a start that initial equations find: 0.25, 0.75, 1.25, 1.75.
TEST(ExportedLanguage, SamplersMayStartAtAFreeParameter) {
  const ExportedModel model{
      "parameter Real 't0'(fixed = false); discrete Real 'n'(start = 0.0, fixed = true);\n"
      "initial equation 't0' = time; equation when sample('t0' + 0.25, 0.5) then 'n' = pre('n') + "
      "1.0; end when;"};
  EXPECT_EQ(final_value(model, "n"), 4.0);
}

// What a call only prints or writes is no part of the model; the rest of it runs.
TEST(ExportedLanguage, CallsThatActOutsideTheModelAreLeftOut) {
  const ExportedModel model{
      "Real 'x'(start = 0.0, fixed = true); discrete Real 'n'(start = 0.0, fixed = true);\n"
      "equation der('x') = 1.0; when 'x' > 0.5 then 'Streams.print'(\"x\"); 'n' = 1.0; end when;\n"
      "when terminal() then 'Modelica.Utilities.Files.remove'(\"file\"); end when;",
      "function 'Streams.print' input String 's'; external \"C\" print('s'); end 'Streams.print';",
      1.0};
  std::vector<Diagnostic> warnings;
  ParseOptions options;
  options.warnings = &warnings;
  parse_model(model.text(), "m.mo", options);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[0].message, ::testing::HasSubstr("'Streams.print' is left out"));
  EXPECT_EQ(final_value(model, "n"), 1.0);
}

}  // namespace
}  // namespace daedal
