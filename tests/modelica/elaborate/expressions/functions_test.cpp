// SPDX-License-Identifier: BSD-3-Clause
/// Functions of the text and of other languages, against values and equations by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/modelica.hpp>

#include "modelica/same_equations.hpp"
#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::expect_same;
using test::ExportedModel;
using test::final_value;
using ::testing::HasSubstr;

TEST(Functions, FunctionsAreExecutedSymbolically) {
  expect_same(R"(
    function weighted "several results, loops and cases"
      input Real x[:];
      input Real w = 2;
      output Real total;
      output Real largest;
    protected
      Real term;
    algorithm
      total := 0;
      largest := x[1];
      for i in 1:size(x, 1) loop
        term := w * x[i];
        total := total + term;
        if x[i] > largest then
          largest := x[i];
        end if;
      end for;
    end weighted;
    model M
      Real a, b, c;
    equation
      (a, b) = weighted({time, b, 3});
      c = weighted(w = 5, x = {a, 1});
    end M;)",
              R"(
    model M
      Real a, b, c;
    equation
      a = 2 * time + 2 * b + 2 * 3;
      b = noEvent(if 3 > (if b > time then b else time) then 3
                  else if b > time then b else time);
      c = 5 * a + 5;
    end M;)");
}

// Each execution takes at least 5000 operations, a few for each round of the loop: 22 of them would
// be too many, two are not.
TEST(Functions, TheSameCallIsExecutedOnce) {
  std::string text = R"(
    function slow
      input Real x;
      input Real w = 1;
      output Real y;
    algorithm
      y := 0;
      for i in 1:1000 loop
        y := y + w * x;
      end for;
    end slow;
    model M
      Real a, b, c[20];
    equation
      a = slow(time);
      b = slow(time, 2);)";
  for (int i = 1; i <= 20; ++i) text += fmt::format(" c[{}] = slow(time) + {};", i, i);
  text += " end M;";
  const Model model = parse_model(text, "slow.mo", {.max_operations = 100'000});
  const Solution solution = solve(model, {0.0, 1.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("a"), 1000.0, 1e-6);
  EXPECT_NEAR(solution.final_value("b"), 2000.0, 1e-6);
  EXPECT_NEAR(solution.final_value("c[20]"), 1020.0, 1e-6);
}

TEST(Functions, FunctionsAreExecuted) {
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

// The place of the first true element, the greatest power of 2 below n, and a sum up to a limit.
TEST(Functions, FunctionsReturnBreakAndLoopWhile) {
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

TEST(Functions, AFunctionWithoutStatementsKeepsTheBindingOfItsResult) {
  const char* definitions = R"(
    record 'C' Real 're'; Real 'im'; end 'C';
    function 'bound' input Real 're'; output 'C' 'c' = 'C'(2.0 * 're', 1.0); end 'bound';
    function 'lost' input Real 're'; input Real 'im' = 0.0; output 'C' 'c'; end 'lost';)";
  const ExportedModel model{
      "Real 'v.re'; Real 'v.im'; Real 'w.re'; Real 'w.im';\n"
      "equation 'v' = 'bound'(3.0); 'w' = 'lost'(3.0);",
      definitions, 1.0};
  std::vector<Diagnostic> warnings;
  const Solution solution =
      solve(parse_model(model.text(), "m.bmo", {.warnings = &warnings}), {0.0, 1.0});
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("v.re"), 6.0);
  EXPECT_EQ(solution.final_value("v.im"), 1.0);
  EXPECT_EQ(solution.final_value("w.re"), 3.0);
  ASSERT_EQ(warnings.size(), 1U) << "once for each function";
  EXPECT_NE(warnings[0].message.find("'lost' has no statements"), std::string::npos);
}

// The table and its functions are of another language; what runs does not need them.
TEST(Functions, ExternalObjectsAreCarriedAndNeverCalled) {
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
  EXPECT_THAT(warnings.front().message, HasSubstr("are left out: 'shown'"));

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

// What a call only prints or writes is no part of the model; the rest of it runs.
TEST(Functions, CallsThatActOutsideTheModelAreLeftOut) {
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

// f_k(x) = f_(k-1)(f_(k-1)(x)) executes 2^k functions of the lowest level: at 30 levels a billion.
// Counted in the text, that takes no time.
TEST(Functions, AreCountedBeforeTheyAreExpanded) {
  const auto nested = [](int levels) {
    std::string text =
        "function f0\n  input Real x;\n  output Real y;\nalgorithm\n  y := x/2 + 1;\nend f0;\n";
    for (int k = 1; k <= levels; ++k) {
      const std::string own = "f" + std::to_string(k);
      const std::string below = "f" + std::to_string(k - 1);
      text += "function " + own +
              "\n  input Real x;\n  output Real y;\nalgorithm\n  y := " + below + "(" + below +
              "(x));\nend " + own + ";\n";
    }
    const std::string top = "f" + std::to_string(levels);
    return text + "model M\n  Real x;\nequation\n  x = " + top + "(time);\nend M;\n";
  };
  EXPECT_NO_THROW(parse_model(nested(10)));
  try {
    parse_model(nested(30));
    FAIL() << "a billion functions were expanded";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_deep);
    EXPECT_THAT(error.what(), HasSubstr("'f30'"));
  }
}

}  // namespace
}  // namespace daedal
