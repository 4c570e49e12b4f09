// SPDX-License-Identifier: BSD-3-Clause
/// Mistakes and their messages: where, what kind, and the words that help.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <daedal/modelica.hpp>
#include <string>
#include <vector>

namespace daedal {
namespace {

using ::testing::HasSubstr;

struct Mistake {
  std::string text;
  int line;
  int column;
  ErrorCode code;
  std::string phrase;
};

/// A model with the given equation on line 4.
std::string with_equation(const std::string& equation) {
  return "model M\n  Real x;\nequation\n  " + equation + "\nend M;";
}

/// A model with the given declaration on line 2 and an equation for x.
std::string with_declaration(const std::string& declaration) {
  return "model M\n  " + declaration + "\n  Real x;\nequation\n  x = 1;\nend M;";
}

const std::string half_function = "function f\n  input Real u;\n  output Real y;\nalgorithm\n";
const std::string calling_model = "\nend f;\nmodel M\n  Real x;\nequation\n  x = f(1);\nend M;";

std::vector<Mistake> syntax_mistakes() {
  return {
      {"", 1, 1, ErrorCode::syntax, "empty"},
      {"  // only a comment\n", 2, 1, ErrorCode::syntax, "empty"},
      {"hello", 1, 1, ErrorCode::syntax, "Expected 'model'"},
      {"model 5", 1, 7, ErrorCode::syntax, "the name of the definition, but found '5'"},
      {"model M\n  Real x\nequation\n  x = 1;\nend M;", 2, 9, ErrorCode::syntax,
       "Expected ';' after the declaration, but found 'equation'"},
      {with_equation("x = ;"), 4, 7, ErrorCode::syntax, "Expected an expression, but found ';'"},
      {with_equation("x == 1;"), 4, 9, ErrorCode::syntax,
       "Expected '=' after the left side of an equation, but found ';'"},
      {with_equation("x := 1;"), 4, 5, ErrorCode::syntax, "':=' belongs to algorithms"},
      {with_equation("x = (1 + 2;"), 4, 13, ErrorCode::syntax,
       "Expected ')' for the '(' of line 4, column 7, but found ';'"},
      {with_equation("x = sin(1, ;"), 4, 14, ErrorCode::syntax, "Expected an expression"},
      {with_equation("x = {1, 2;"), 4, 12, ErrorCode::syntax,
       "Expected ',' or '}' for the '{' of line 4, column 7"},
      {with_equation("x = 2y;"), 4, 8, ErrorCode::syntax, "as in 2*y"},
      {with_equation("x = 2 ^ 3 ^ 4;"), 4, 13, ErrorCode::syntax, "Powers do not chain"},
      {with_equation("x = if true then 1;"), 4, 21, ErrorCode::syntax, "Expected 'else'"},
      {with_equation("x = 1 @ 2;"), 4, 9, ErrorCode::syntax, "The character '@'"},
      {with_equation("x = if x = 1 then 2 else 3;"), 4, 12, ErrorCode::syntax, "write '=='"},
      {with_equation("x = 1"), 4, 8, ErrorCode::syntax,
       "Expected ';' after the equation, but found 'end'"},
      {with_equation("if x > 1 then x = 1; end for;"), 4, 28, ErrorCode::syntax,
       "Expected 'end if' for the 'if' of line 4"},
      {with_equation("for i in 1:3 loop x = i;"), 5, 5, ErrorCode::syntax,
       "Expected 'end for' for the 'for' of line 4"},
      {with_equation("for 1:3 loop x = 1; end for;"), 4, 7, ErrorCode::syntax,
       "the name of the loop's index"},
      {with_equation("initial x = 1;"), 4, 11, ErrorCode::syntax,
       "Expected 'equation' or 'algorithm' after 'initial'"},
      {"model M\n  Real x;\nequation\n  x = 1;\nend N;", 5, 5, ErrorCode::syntax,
       "expected 'end M;'"},
      {"model M\n  Real x;\nequation\n  x = 1;\n", 5, 1, ErrorCode::syntax,
       "Expected 'end M;', but found the end of the text"},
      {"model M\n  Real x;\nequation\n  x = 1;\nend M", 5, 6, ErrorCode::syntax,
       "Expected ';' after the end of the definition"},
      {"model M\n  Real x \"height;\nequation\n  x = 1;\nend M;", 2, 10, ErrorCode::syntax,
       "This string has no end"},
      {"model M /* here\n Real x;", 1, 9, ErrorCode::syntax, "This comment has no end"},
      {"model M\n  Real 'x;\nend M;", 2, 8, ErrorCode::syntax, "quoted name has no end"},
      {std::string("model M \0 end M;", 16), 1, 9, ErrorCode::syntax, "NUL byte"},
      {"model M \xFF end M;", 1, 9, ErrorCode::syntax, "0xFF is not valid UTF-8"},
      {"model M \xC0\x80 end M;", 1, 9, ErrorCode::syntax, "0xC0 is not valid UTF-8"},
      {"package P\nend P;", 1, 9, ErrorCode::syntax, "no model"},
      {with_declaration("Real y(start 1);"), 2, 16, ErrorCode::syntax,
       "Expected '=' after the attribute 'start'"},
      {with_declaration("annotation(Icon(;"), 2, 13, ErrorCode::syntax, "never closed"},
      {with_equation("x = 1e999;"), 4, 7, ErrorCode::invalid_value, "outside the range"},
  };
}

std::vector<Mistake> unsupported_constructs() {
  return {
      {with_equation("connect(a, b);"), 4, 3, ErrorCode::unsupported, "'connect'"},
      {with_declaration("extends N;"), 2, 3, ErrorCode::unsupported, "extends"},
      {with_declaration("import SI = Modelica.Units.SI;"), 2, 3, ErrorCode::unsupported, "import"},
      {with_declaration("flow Real i;"), 2, 3, ErrorCode::unsupported, "flow"},
      {with_declaration("inner Real i;"), 2, 3, ErrorCode::unsupported, "inner"},
      {with_declaration("replaceable Real i;"), 2, 3, ErrorCode::unsupported, "replaceable"},
      {with_declaration("Real y if true;"), 2, 10, ErrorCode::unsupported, "conditional component"},
      {"connector C\nend C;", 1, 1, ErrorCode::unsupported, "connector"},
      {"partial model M\nend M;", 1, 1, ErrorCode::unsupported, "partial"},
      {"model A\n  Real x;\nequation\n  x = 1;\nend A;\nmodel B\nend B;", 6, 7,
       ErrorCode::unsupported, "A second model 'B'"},
      {with_equation("x = delay(time, time);"), 4, 7, ErrorCode::unsupported, "'delay'"},
      {half_function + "  while u > 0 loop\n    y := u;\n  end while;" + calling_model, 5, 3,
       ErrorCode::unsupported, "'while'"},
      {half_function + "  y := f(u);" + calling_model, 5, 8, ErrorCode::unsupported,
       "The function 'f' calls itself"},
      {"model M\n  Real x;\nalgorithm\n  x := 1;\n  return;\nend M;", 5, 3, ErrorCode::syntax,
       "'return' belongs to functions"},
      {"model M\n  Real x;\nalgorithm\n  break;\n  x := 1;\nend M;", 4, 3, ErrorCode::syntax,
       "'break' belongs to loops"},
      {"model M\n  Real x;\nequation\n  x = 1;\n  return;\nend M;", 5, 3, ErrorCode::syntax,
       "an equation"},
      {"function f\n  input Real u;\n  output Real y;\nexternal \"C\";" + calling_model, 9, 7,
       ErrorCode::unsupported, "The external function 'f'"},
  };
}

std::vector<Mistake> wrong_names() {
  return {
      {"model M\n  Real height;\nequation\n  hieght = 1;\nend M;", 4, 3, ErrorCode::unknown_name,
       "Did you mean 'height'?"},
      {with_equation("x = 2 * zzzzzz;"), 4, 11, ErrorCode::unknown_name,
       "There is no variable or parameter 'zzzzzz'."},
      {with_equation("x = cosine(1);"), 4, 7, ErrorCode::unknown_name,
       "There is no function 'cosine'"},
      {with_equation("x = x(1);"), 4, 7, ErrorCode::type_mismatch,
       "'x' is a variable, not a function"},
      {"model M\n  Rael x;\nequation\n  x = 1;\nend M;", 2, 3, ErrorCode::unknown_name,
       "Did you mean 'Real'?"},
      {with_declaration("Real y(strat = 1) = 2;"), 2, 10, ErrorCode::unknown_name,
       "Did you mean 'start'?"},
      {"model M\n  Real x;\n  Real x;\nequation\n  x = 1;\nend M;", 3, 8, ErrorCode::duplicate_name,
       "first on line 2, column 8"},
      {with_declaration("Real time;"), 2, 8, ErrorCode::duplicate_name, "a word of the language"},
      {"type T = enumeration(a, b);\nmodel M\n  parameter T t = T.c;\nend M;", 3, 19,
       ErrorCode::unknown_name, "no literal 'c'"},
      {"record R\n  Real a;\nend R;\nmodel M\n  R r;\nequation\n  r.b = 1;\nend M;", 7, 3,
       ErrorCode::unknown_name, "no field 'b'"},
      {half_function + "  y := w;" + calling_model, 5, 8, ErrorCode::unknown_name, "'w'"},
  };
}

std::vector<Mistake> wrong_types() {
  return {
      {"model M\n  Real x;\n  Boolean b = true;\nequation\n  x = 1 + b;\nend M;", 5, 11,
       ErrorCode::type_mismatch, "one side is a Boolean"},
      {with_equation("x = if 1 then 2 else 3;"), 4, 10, ErrorCode::type_mismatch,
       "A condition must be a Boolean, not an Integer"},
      {with_equation("x = true;"), 4, 3, ErrorCode::type_mismatch,
       "a Real on the left, a Boolean on the right. Write 'if ... then 1 else 0'"},
      {"model M\n  Integer n;\nequation\n  n = 2.5 * time;\nend M;", 4, 3, ErrorCode::type_mismatch,
       "'n' changes at events only"},
      {with_equation("x = {1, 2};"), 4, 3, ErrorCode::type_mismatch, "of size 2"},
      {with_equation("x = {1, true};"), 4, 7, ErrorCode::type_mismatch, "must have one type"},
      {with_equation("x = sin(1, 2);"), 4, 7, ErrorCode::type_mismatch,
       "'sin' takes 1 argument, but 2 are given"},
      {with_equation("x = sin(\"a\");"), 4, 7, ErrorCode::type_mismatch,
       "'sin' takes numbers, not a String"},
      {with_equation("x = not 1;"), 4, 7, ErrorCode::type_mismatch, "'not' takes a Boolean"},
      {with_equation("x = pre(x + 1);"), 4, 7, ErrorCode::type_mismatch, "takes a variable"},
      {with_equation("x = if x == 1.5 then 1 else 2;"), 4, 12, ErrorCode::type_mismatch,
       "true by chance"},
      {with_equation("x = {1, 2} * {1, 2, 3};"), 4, 16, ErrorCode::type_mismatch,
       "inner sizes differ"},
      {with_equation("x = 1 / {1, 2};"), 4, 11, ErrorCode::type_mismatch, "'/'"},
      {with_equation("x[1] = 1;"), 4, 3, ErrorCode::type_mismatch, "this is a scalar"},
      {with_equation("when x > 1 then x + 1 = 2; end when;"), 4, 19, ErrorCode::type_mismatch,
       "alone on its left side"},
      {with_equation("when x then reinit(x, 1); end when;"), 4, 8, ErrorCode::type_mismatch,
       "The condition of 'when' must be a Boolean, not a Real"},
      {"model M\n  Integer n;\nequation\n  when sample(0, 1) then\n    n = pre(n) / 2;\n  end "
       "when;\n"
       "end M;",
       5, 5, ErrorCode::type_mismatch, "gives an Integer a Real value"},
      {with_declaration("parameter Integer n = 1.5;"), 2, 25, ErrorCode::type_mismatch,
       "The parameter 'n' is an Integer, but this is a Real"},
      {with_declaration("Integer n = 1; Real y = der(n);"), 2, 27, ErrorCode::type_mismatch,
       "no derivative"},
      {with_declaration("Real a[2](start = {1, 2, 3}) = {0, 0};"), 2, 13, ErrorCode::type_mismatch,
       "has size 3"},
      {half_function + "  y := u;\nend f;\nmodel M\n  Real x;\nequation\n  x = f();\nend M;", 10, 7,
       ErrorCode::type_mismatch, "The argument 'u' of function 'f' is missing"},
  };
}

std::vector<Mistake> wrong_values() {
  return {
      {"model M\n  Real x[3];\nequation\n  x[4] = 1;\nend M;", 4, 5, ErrorCode::invalid_value,
       "The subscript 4 is outside 1:3"},
      {"model M\n  Real x[3];\nequation\n  x[1.5] = 1;\nend M;", 4, 5, ErrorCode::type_mismatch,
       "A subscript must be an Integer"},
      {"model M\n  parameter Integer n = -1;\n  Real x[n];\nend M;", 3, 10,
       ErrorCode::invalid_value, "negative"},
      {"model M\n  parameter Integer n;\n  Real x[n];\nend M;", 3, 10, ErrorCode::invalid_value,
       "must follow from constants and parameters"},
      {"model M\n  Real y = 1;\n  Real x[y];\nend M;", 3, 10, ErrorCode::type_mismatch,
       "The size of an array must be an Integer, not a Real"},
      {"model M\n  parameter Integer n = size(a, 1);\n  parameter Real a[n] = {1};\nend M;", 3, 18,
       ErrorCode::invalid_value, "The declaration of 'a' depends on itself"},
      {with_declaration("constant Real c;"), 2, 17, ErrorCode::invalid_value, "has no value"},
      {with_equation("for i in 1:0:3 loop x = i; end for;"), 4, 12, ErrorCode::invalid_value,
       "step of a range is zero"},
      {with_equation("assert(1 > 2, \"no way\"); x = 1;"), 4, 3, ErrorCode::invalid_value,
       "can never hold: no way"},
      {with_equation("reinit(x, 1);"), 4, 3, ErrorCode::syntax, "belongs into a when-clause"},
      {with_equation("when sample(0, -1) then reinit(x, 1); end when; x = 1;"), 4, 8,
       ErrorCode::invalid_value, "must be positive"},
      {with_equation("if x > 1 then x = 1; else x = 2; x = 3; end if;"), 4, 3,
       ErrorCode::unbalanced, "have 1 and 2 equations"},
      {with_declaration("Real y[1000000000000];"), 2, 8, ErrorCode::too_deep, "scalars"},
      {half_function +
           "  if u > 0 then y := 1; end if;\nend f;\nmodel M\n  Real x = f(time);\nend M;",
       3, 15, ErrorCode::invalid_value, "not assigned in every case"},
  };
}

void check(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.text);
    try {
      parse_model(mistake.text, "bad.mo");
      ADD_FAILURE() << "accepted";
    } catch (const ParseError& error) {
      const Diagnostic& first = error.diagnostics().front();
      EXPECT_EQ(first.where.line, mistake.line);
      EXPECT_EQ(first.where.column, mistake.column);
      EXPECT_EQ(first.where.file, "bad.mo");
      EXPECT_EQ(to_string(first.code), to_string(mistake.code));
      EXPECT_THAT(first.message, HasSubstr(mistake.phrase));
      EXPECT_EQ(error.what(), first.message);
    } catch (const ModelError& error) {
      ADD_FAILURE() << "a model error instead: " << error.what();
    }
  }
}

TEST(Diagnostics, SyntaxMistakesNameTheTokenAndWhatWasExpected) {
  check(syntax_mistakes());
}

TEST(Diagnostics, UnsupportedConstructsAreRefusedByName) {
  check(unsupported_constructs());
}

TEST(Diagnostics, WrongNamesSuggestTheNearest) {
  check(wrong_names());
}

TEST(Diagnostics, WrongTypesSayWhatIsThereAndWhatIsNeeded) {
  check(wrong_types());
}

TEST(Diagnostics, WrongValuesAreFoundBeforeTheRun) {
  check(wrong_values());
}

std::vector<std::pair<int, int>> positions(const std::string& text, const ParseOptions& options) {
  try {
    parse_model(text, "bad.mo", options);
  } catch (const ParseError& error) {
    std::vector<std::pair<int, int>> found;
    for (const Diagnostic& diagnostic : error.diagnostics()) {
      found.emplace_back(diagnostic.where.line, diagnostic.where.column);
    }
    return found;
  }
  return {};
}

TEST(Diagnostics, SeveralSyntaxMistakesAreReportedTogether) {
  const std::string text =
      "model M\n  Real x y;\n  Real z;\nequation\n  x = * 2;\n  z = 1;\n  z + ;\nend M;";
  EXPECT_THAT(positions(text, {}),
              ::testing::ElementsAre(std::pair(2, 10), std::pair(5, 7), std::pair(7, 7)));
}

TEST(Diagnostics, SeveralWrongNamesAreReportedTogether) {
  const std::string text =
      "model M\n  Real x = a;\n  Real z;\nequation\n  z = b + c;\n  z = d;\nend M;";
  EXPECT_THAT(positions(text, {}),
              ::testing::ElementsAre(std::pair(2, 12), std::pair(5, 7), std::pair(6, 7)));
}

TEST(Diagnostics, TheNumberOfMessagesIsLimited) {
  std::string text = "model M\n  Real x;\nequation\n";
  for (int i = 0; i < 50; ++i) text += "  x = ;\n";
  EXPECT_EQ(positions(text + "end M;", {.max_diagnostics = 7}).size(), 7U);
}

TEST(Diagnostics, DeepNestingIsRefusedWithoutExhaustingTheStack) {
  for (const char* open : {"(", "{", "sin(", "-(", "not (", "if true then ", "x["}) {
    SCOPED_TRACE(open);
    std::string text = "model M\n  Real x;\nequation\n  x = ";
    for (int i = 0; i < 100'000; ++i) text += open;
    try {
      parse_model(text, "deep.mo");
      ADD_FAILURE() << "accepted";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.code(), ErrorCode::too_deep);
      EXPECT_EQ(error.where().line, 4);
    }
  }
}

TEST(Diagnostics, LimitsOfWorkAreReported) {
  const std::string text =
      "model M\n  Real x;\nequation\n  x = sum(i * j for i in 1:200, j in 1:200);\nend M;";
  EXPECT_NO_THROW(parse_model(text));
  EXPECT_THROW(parse_model(text, "slow.mo", {.max_operations = 10'000}), ParseError);
}

TEST(Diagnostics, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(parse_model("model M end M;", "m", {.max_nesting = 0}), OptionError);
  EXPECT_THROW(parse_model("model M end M;", "m", {.max_nesting = 100'000}), OptionError);
  EXPECT_THROW(parse_model("model M end M;", "m", {.max_diagnostics = 0}), OptionError);
}

}  // namespace
}  // namespace daedal
