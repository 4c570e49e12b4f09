// SPDX-License-Identifier: BSD-3-Clause
// What a person sees at a terminal: a short summary, everything with -v, plots, and shapes of
// animations that are checked before the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string problem(const std::string& name) {
  return std::string(DAEDAL_SOURCE_DIR) + "/problems/" + name;
}

std::size_t n_lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Terminal, ShowsASummaryAndTheRestOnRequest) {
  const ProgramResult brief = run_program("simulate --rtol 1e-7 " + problem("pendulum.mo"));
  const ProgramResult whole = run_program("simulate --rtol 1e-7 -v " + problem("pendulum.mo"));
  ASSERT_EQ(brief.exit_code, 0) << brief.err;
  EXPECT_THAT(brief.out, HasSubstr("orthogonal-projection with dop853, chosen by auto"));
  EXPECT_THAT(brief.out, HasSubstr("level 2: "));
  // Model, status, method, constraints and work; what follows are notes.
  EXPECT_EQ(n_lines(brief.out.substr(0, brief.out.find("\nnote ") + 1)), 5U) << brief.out;
  EXPECT_GT(n_lines(whole.out), n_lines(brief.out));
  EXPECT_THAT(whole.out, HasSubstr("factorisations"));
}

TEST(Terminal, CountsRemarksThatDifferInNumbersAlone) {
  // The slider crank passes its singular position every half period: five times in ten seconds.
  const std::string run =
      "simulate " + problem("slider_crank.mo") + " --stop-time 10 --method trust-region";
  const auto warnings = run_program(run + " --json").json()["warnings"];
  ASSERT_GT(warnings.size(), 1U);
  const ProgramResult brief = run_program(run);
  EXPECT_THAT(brief.out, HasSubstr("A singular position was passed at t = 1.03126"));
  EXPECT_THAT(brief.out, HasSubstr(" more like it: -v)"));
  EXPECT_THAT(brief.out, Not(HasSubstr("was passed at t = 3.09")));
  EXPECT_THAT(run_program(run + " -v").out, HasSubstr("was passed at t = 3.09"));
}

/// What the program writes to a terminal, by script(1).
std::string in_terminal(const std::string& environment, const std::string& arguments) {
  return run_command(environment + " script -qec '" + DAEDAL_PROGRAM + " " + arguments +
                     "' /dev/null < /dev/null")
      .out;
}

TEST(Terminal, ColoursAreForTerminals) {
  const std::string run = "simulate " + problem("pendulum.mo");
  const std::string green = "\033[32msuccess\033[0m";
  const std::string settings = "env -u NO_COLOR TERM=xterm";
  EXPECT_THAT(in_terminal(settings, run), HasSubstr(green));
  EXPECT_THAT(in_terminal(settings, run + " --color never"), Not(HasSubstr("\033[32m")));
  EXPECT_THAT(in_terminal("env NO_COLOR=1 TERM=xterm", run), Not(HasSubstr("\033[32m")));
  EXPECT_THAT(in_terminal("env NO_COLOR= TERM=xterm", run), HasSubstr(green));
  EXPECT_THAT(in_terminal("env -u NO_COLOR TERM=dumb", run), Not(HasSubstr("\033[32m")));
  EXPECT_THAT(in_terminal("env NO_COLOR=1", run + " --color=always"), HasSubstr(green));
  EXPECT_THAT(in_terminal(settings, "simulate none.mo"), HasSubstr("\033[1;31merror:\033[0m"));
}

TEST(Terminal, PipesAndFilesHaveColoursOnRequestAlone) {
  const ScratchFolder scratch;
  const std::string run = "simulate " + problem("pendulum.mo") + " -o " + scratch.file("run.csv");
  const ProgramResult plain = run_program(run);
  EXPECT_THAT(plain.out, Not(HasSubstr("\033")));
  const ProgramResult always = run_program(run + " --color always");
  EXPECT_THAT(always.out, HasSubstr("\033[32msuccess\033[0m"));
  EXPECT_THAT(always.out, HasSubstr("\033[36mnote\033[0m"));
  // What is no page for people has none.
  EXPECT_THAT(scratch.read("run.csv"), Not(HasSubstr("\033")));
  EXPECT_THAT(run_program(run + " --color always --json").out, Not(HasSubstr("\033")));
  // The same words without their colours.
  std::string words;
  for (std::size_t i = 0; i < always.out.size(); ++i) {
    if (always.out[i] == '\033')
      i = always.out.find('m', i);
    else
      words += always.out[i];
  }
  const auto without_seconds = [](const std::string& text) {
    return text.substr(0, text.find("work ")) + text.substr(text.find("note "));
  };
  EXPECT_EQ(without_seconds(words), without_seconds(plain.out));
  EXPECT_THAT(run_program("simulate none.mo --color always").err,
              HasSubstr("\033[1;31merror:\033[0m"));
}

TEST(Terminal, AnUnknownWhenOfColoursIsMisuse) {
  const ProgramResult r = run_program("info " + problem("pendulum.mo") + " --color sometimes");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("{auto,always,never}"));
  EXPECT_THAT(run_program("info --colour never x.mo").err, HasSubstr("Did you mean '--color'?"));
}

TEST(Terminal, AnalyzeKeepsItsLongListsForVerbose) {
  const ProgramResult brief = run_program("analyze " + problem("squeezer.mo"));
  EXPECT_THAT(brief.out, HasSubstr("index        3"));
  EXPECT_THAT(brief.out, Not(HasSubstr("ranks")));
  EXPECT_THAT(brief.out, HasSubstr("The first 12 of 26 start values are shown"));
}

TEST(Terminal, AnalyzeShowsWhatIsKnownAndNoRoundOff) {
  // At rest with the rod level: y and vy can be given, every velocity and the force are 0.
  const ProgramResult pendulum = run_program("analyze " + example("limited_pendulum.mo"));
  EXPECT_THAT(pendulum.out, HasSubstr("free         y and vy\n"));
  EXPECT_THAT(pendulum.out, HasSubstr("lambda = 0\n"));
  EXPECT_THAT(pendulum.out, HasSubstr("completed: lambda = 0."));
  // A redundant rod: no set is known, and the assumptions are told on demand.
  const ProgramResult linkage = run_program("analyze " + example("linkage.mo"));
  EXPECT_THAT(linkage.out, HasSubstr("2 free initial values"));
  EXPECT_THAT(linkage.out, Not(HasSubstr("free         none")));
  EXPECT_THAT(linkage.out, Not(HasSubstr("1-full")));
  EXPECT_THAT(linkage.out, HasSubstr("that do not hold here: A3, A4. -v says why."));
  EXPECT_THAT(run_program("analyze -v " + example("linkage.mo")).out, HasSubstr("1-full"));
}

TEST(Terminal, PlotsHaveUnits) {
  const ProgramResult r = run_program("simulate " + example("linkage.mo") +
                                      " --plot --variables xA --variables vxA --variables left");
  EXPECT_THAT(r.out, HasSubstr("\nxA [m]\n"));
  EXPECT_THAT(r.out, HasSubstr("\nvxA [m/s]\n"));
  EXPECT_THAT(r.out, HasSubstr("\nleft\n"));
}

TEST(Terminal, PlotsTheVariablesThatAreChosen) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("ramp.mo", R"(
    model Ramp
      Real x(start = 0, fixed = true), y;
    equation
      der(x) = 1;
      y = 7;
      annotation(experiment(StopTime = 8));
    end Ramp;)");
  const ProgramResult r = run_program("simulate " + model + " --plot --variables x");
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const std::string plot = r.out.substr(r.out.find("\nx\n") + 3);
  EXPECT_THAT(plot, Not(HasSubstr("y\n")));
  // Four lines of 60 characters of three bytes behind the scale; a ramp is empty at the upper left
  // and full nowhere, and its last character has its uppermost dot.
  const std::string first = plot.substr(0, plot.find('\n'));
  EXPECT_EQ(first.substr(0, 12), "          8 ");
  EXPECT_EQ(first.size(), 12U + 3U * 60U);
  EXPECT_EQ(first.substr(12, 3), "\u2800");
  EXPECT_NE(first.substr(first.size() - 3), "\u2800");
  EXPECT_THAT(plot, HasSubstr("          0 "));
  EXPECT_THAT(plot, HasSubstr("time 0"));
}

struct Malformed {
  const char* shapes;
  const char* phrase;
};

void PrintTo(const Malformed& malformed, std::ostream* out) {
  *out << malformed.shapes;
}

class MalformedAnimation : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedAnimation, IsRefusedBeforeTheRun) {
  const ScratchFolder scratch;
  const ProgramResult r =
      run_program("simulate " + problem("pendulum.mo") + " --stop-time 1e12 --report " +
                  scratch.file("run.html") + " --animate \"" + GetParam().shapes + "\"");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr(GetParam().phrase));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("run.html")));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MalformedAnimation,
    ::testing::Values(Malformed{"circle(x,y)", "rod(...), body(...), point(...) or trace(...)"},
                      Malformed{"rod(0,0; x)", "the second coordinate of a point"},
                      Malformed{"rod(0,0; x,y",
                                "';' and another point, or ')' is expected at the "
                                "end"},
                      Malformed{"rod(0,0; x,,y)", "a number, a name or '(' is expected at ',y)'"},
                      Malformed{"rod()", "a number, a name or '('"},
                      Malformed{"body(x, sin(y)", "';' and another point"},
                      Malformed{"body(x, 1e)", "the exponent of a number"},
                      Malformed{"body(x, lamda)", "Did you mean 'lambda'?"},
                      Malformed{"x,y", "rod(...), body(...)"}));

TEST(Animation, OfTheDocumentedFormIsTaken) {
  const ScratchFolder scratch;
  const ProgramResult r = run_program(
      "simulate " + problem("pendulum.mo") + " --report " + scratch.file("run.html") +
      " --animate \"rod(0,0; x,y), body(-x*2^2/4, .5*(y + 1e-3), time) ; trace('x', sqrt(y^2))\"");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(std::filesystem::exists(scratch.file("run.html")));
}

}  // namespace
}  // namespace daedal::test
