// SPDX-License-Identifier: BSD-3-Clause
/// Names as exporting tools write them: records, scattered vectors, subscripts inside the quotes.

#include <gtest/gtest.h>

#include <daedal/modelica.hpp>

#include "support/exported_model.hpp"

namespace daedal {
namespace {

using test::check;
using test::ExportedModel;

TEST(References, RecordsAreAssignedFieldByField) {
  const std::string record = "record 'R' Real 'a'; Real 'b'; end 'R';";
  check({
      {{"'R' 'r'; algorithm 'r'.'a' := time; 'r'.'b' := 'r'.'a' + 1.0;", record},
       {{"r.a", 2.0}, {"r.b", 3.0}}},
      {{"'R' 'r'; equation 'r' = 'f'(time);",
        record +
            "function 'f' input Real 'u'; output 'R' 'r'; algorithm 'r'.'a' := 'u'; 'r'.'b' := "
            "2.0 * 'u'; end 'f';"},
       {{"r.b", 4.0}}},
      {{"Real 'y'; equation 'y' = 'f'(3.0);",
        record + "function 'f' input Real 'u'; output Real 'y'; protected 'R' 'r'[2]; algorithm "
                 "'r'[1].'a' := 'u'; 'r'[1].'b' := 1.0; 'r'[2] := 'R'('u', 4.0); 'y' := 'r'[1].'a' "
                 "+ 'r'[2].'b' * 'r'[1].'b'; end 'f';"},
       {{"y", 7.0}}},
      {{"'R' 'r'; algorithm when time > 1.0 then 'r'.'a' := 1.0; 'r'.'b' := 2.0; end when;",
        "record 'R' discrete Real 'a'; discrete Real 'b'; end 'R';"},
       {{"r.a", 1.0}, {"r.b", 2.0}}},
      {{"'R' 'r' = 'R'(1.0, 'b' = 4.0); 'R' 'q'; equation 'q' = 'r';", record}, {{"q.b", 4.0}}},
  });
}

// Elements by an expression inside the quotes of the name, escaped or not.
TEST(References, SubscriptsInsideTheQuotesOfAName) {
  const ExportedModel model{
      "Integer 'i'; Real 'x[1]'; Real 'x[2]'; Real 'y'; Real 'z'; Real 'a[1].v'; Real 'a[2].v';\n"
      "Real 'w'; Real 'n'; Boolean 'b[1]'; Boolean 'b[2]'; Boolean 'all'; Boolean 'any';\n"
      "equation\n 'i' = if time < 0.5 then 1 else 2; 'x[1]' = 10.0; 'x[2]' = 20.0;\n"
      "'a[1].v' = 1.0; 'a[2].v' = 2.0;\n"
      "'y' = 'x[\\'i\\']'; 'z' = 'x[3 - 'i']'; 'w' = 'a['i'].v';\n"
      "'n' = sum(if 'b[\\'k\\']' then 1 else 0 for 'k' in 1:size('b', 1));\n"
      "'b[1]' = true; 'b[2]' = time > 0.5; 'all' = min('b'); 'any' = max('b');",
      "", 1.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.at(0.25, "y"), 10.0);
  EXPECT_EQ(solution.at(0.25, "z"), 20.0);
  EXPECT_EQ(solution.at(0.25, "all"), 0.0);
  EXPECT_EQ(solution.at(0.25, "any"), 1.0);
  EXPECT_EQ(solution.final_value("y"), 20.0);
  EXPECT_EQ(solution.final_value("z"), 10.0);
  EXPECT_EQ(solution.final_value("w"), 2.0);
  EXPECT_EQ(solution.final_value("n"), 2.0);
  EXPECT_EQ(solution.final_value("all"), 1.0);
}

// Complex numbers of several names with the same fields, and a constructor without a body.
TEST(References, RecordsWithTheSameFieldsFitEachOther) {
  const char* definitions = R"(
    record 'Complex' Real 're'; Real 'im'; end 'Complex';
    record 'Voltage' Real 're'; Real 'im'; end 'Voltage';
    function 'Complex.\'constructor\'.fromReal'
      input Real 're';
      input Real 'im' = 0.0;
      output 'Complex' 'result';
    algorithm
      annotation(Inline = true);
    end 'Complex.\'constructor\'.fromReal';
    function 'Complex.\'*\'.multiply'
      input 'Complex' 'c1';
      input 'Complex' 'c2';
      output 'Complex' 'c3';
    algorithm
      'c3' := 'Complex'('c1'.'re' * 'c2'.'re' - 'c1'.'im' * 'c2'.'im', 'c1'.'re' * 'c2'.'im' + 'c1'.'im' * 'c2'.'re');
    end 'Complex.\'*\'.multiply';
    function 'abs2'
      input 'Complex' 'c';
      output Real 'result';
    algorithm
      'result' := 'c'.'re' ^ 2.0 + 'c'.'im' ^ 2.0;
    end 'abs2';)";
  const ExportedModel model{
      "Real 'v.re'; Real 'v.im'; Real 'w.re'; Real 'w.im'; Real 'a'; 'Voltage' 'u';\n"
      "equation 'v' = 'Complex.\\'constructor\\'.fromReal'(3.0);\n"
      "'u' = 'Voltage'(1.0, 2.0); 'w' = 'Complex.\\'*\\'.multiply'('u', 'Complex'(0.0, 1.0));\n"
      "'a' = 'abs2'('u') + 'abs2'('v');",
      definitions, 1.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_EQ(solution.final_value("v.re"), 3.0);
  EXPECT_EQ(solution.final_value("v.im"), 0.0);
  EXPECT_EQ(solution.final_value("w.re"), -2.0);  // (1 + 2i)·i
  EXPECT_EQ(solution.final_value("w.im"), 1.0);
  EXPECT_EQ(solution.final_value("a"), 14.0);
}

// A vector of records of which only the scalars are declared, handed to a function, and a table
// with a subscript that is an enumeration known during the run only.
TEST(References, VectorsOfScatteredRecordsAndSubscriptsOfEnumerations) {
  const char* definitions = R"(
    record 'C' Real 're'; Real 'im'; end 'C';
    type 'L' = enumeration('\'U\'', '\'X\'', '\'0\'');
    function 'total'
      input 'C'[:] 'v';
      output 'C' 's';
    algorithm
      's' := 'C'(sum('v'.'re'), sum('v'.'im'));
    end 'total';)";
  const ExportedModel model{
      "Real 'v[1].re'; Real 'v[1].im'; Real 'v[2].re'; Real 'v[2].im'; Real 's.re'; Real 's.im';\n"
      "parameter Real 'table'['L', 'L'] = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}};\n"
      "'L' 'k'(start = 'L'.'\\'U\\''); Real 'y';\n"
      "equation 'v[1].re' = time; 'v[1].im' = 1.0; 'v[2].re' = 2.0; 'v[2].im' = 3.0;\n"
      "'s' = 'total'('v'); 'k' = if time < 0.5 then 'L'.'\\'X\\'' else 'L'.'\\'0\\'';\n"
      "'y' = 'table'['k', 'L'.'\\'X\\''];",
      definitions, 1.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  EXPECT_NEAR(solution.final_value("s.re"), 3.0, 1e-12);
  EXPECT_EQ(solution.final_value("s.im"), 4.0);
  EXPECT_EQ(solution.at(0.25, "y"), 5.0);
  EXPECT_EQ(solution.final_value("y"), 8.0);
}

// Logic with delays by what changes into what, as digital circuits are exported: arrays over an
// enumeration with its literals in the quotes of the names. The signal falls from unknown after
// 0.25, rises 0.5 after t = 1 and falls 0.25 after t = 3.
TEST(References, ArraysOverEnumerationsHaveLiteralsInTheirNames) {
  std::string body;
  const char* literals[] = {"U", "0", "1"};
  const int table[3][3] = {{0, -1, 1}, {1, 0, 1}, {-1, -1, 0}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      body += fmt::format("constant Integer 'd.table['L'.'\\'{}\\'','L'.'\\'{}\\'']' = {};\n",
                          literals[i], literals[j], table[i][j]);
    }
  }
  body +=
      "'L' 'x'(fixed = true, start = 'L'.'\\'U\\''); 'L' 'y'(fixed = true, start = "
      "'L'.'\\'U\\'');\n"
      "discrete Real 't_next'(fixed = true, start = 0.0); Integer 'lh'(fixed = true, start = 0);\n"
      "equation 'x' = if time < 1.0 then 'L'.'\\'0\\'' else if time < 3.0 then 'L'.'\\'1\\'' else "
      "'L'.'\\'0\\'';\n"
      "when {initial(), change('x') and not initial()} then 'lh' = 'd.table[pre('y'),'x']';\n"
      "'t_next' = time + (if 'lh' > 0 then 0.5 else if 'lh' < 0 then 0.25 else 0.0); end when;\n"
      "when time >= 't_next' then 'y' = 'x'; end when;";
  const ExportedModel model{body, "type 'L' = enumeration('\\'U\\'', '\\'0\\'', '\\'1\\'');", 4.0};
  const Solution solution = model.solve();
  ASSERT_EQ(solution.status, Status::success) << solution.message;
  const std::pair<double, double> wanted[] = {{0.2, 1.0}, {0.3, 2.0}, {1.4, 2.0},
                                              {1.6, 3.0}, {3.2, 3.0}, {3.3, 2.0}};
  for (const auto& [t, y] : wanted) EXPECT_EQ(solution.at(t, "y"), y) << t;
}

// Kepler's ellipse from r = (0.6, 0.6), v = (0.6, 0): f and g functions with the eccentric anomaly.
TEST(References, PointGravityFollowsKepler) {
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

}  // namespace
}  // namespace daedal
