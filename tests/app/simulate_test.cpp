// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <fstream>
#include <numbers>

#include "app/program.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

// One rule for what is not given, and one answer.
TEST(Simulate, GivesTheBitsOfTheLibrary) {
  const ScratchFolder scratch;
  const std::string text =
      "model M\n Real x(start = 1e-6, fixed = true), v(start = 0, fixed = true), y;\nequation\n"
      " der(x) = v;\n der(v) = -x;\n y + exp(y) = 1 + x;\nend M;\n";
  const std::string file = scratch.write("m.mo", text);
  for (const std::string& rtol : std::vector<std::string>{"1e-4", "1e-6", "1e-9"}) {
    const std::string rows = scratch.file("rows.csv");
    const auto r =
        run_program("simulate --quiet " + file + " --stop-time 5 --rtol " + rtol + " -o " + rows);
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const Solution s = solve(parse_model(text), {0.0, 5.0}, {.rtol = std::stod(rtol)});
    const std::string all = scratch.read("rows.csv");
    std::istringstream last(all.substr(all.rfind('\n', all.size() - 2) + 1));
    std::string number;
    std::getline(last, number, ',');
    for (const double value : s.row(s.n_rows() - 1)) {
      std::getline(last, number, ',');
      EXPECT_EQ(std::stod(number), value) << rtol;
    }
  }
}

TEST(Simulate, SolvesRobertsonOverElevenDecades) {
  const auto r =
      run_program("simulate " + example("robertson.mo") + " --rtol 1e-8 --atol 1e-14 --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto json = r.json();
  EXPECT_EQ(json["status"], "success");
  // Reference values at t = 4e10: within 100 rtol, relative.
  const double y1 = json["final"]["values"]["y1"];
  const double y2 = json["final"]["values"]["y2"];
  EXPECT_NEAR(y1 / 5.20834518e-8, 1.0, 1e-6);
  EXPECT_NEAR(y2 / 2.08333818e-13, 1.0, 1e-6);
}

TEST(Simulate, TheIndexOnePendulumReachesItsReference) {
  const auto r = run_program("simulate " + example("pendulum.mo") + " --rtol 1e-10 --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto values = r.json()["final"]["values"];
  // Quadruple-precision reference of the index-3 pendulum; this form drifts a little.
  EXPECT_NEAR(values["x"], 0.275087462576116860, 1e-5);
  EXPECT_NEAR(values["y"], -0.961419205099125064, 1e-5);
  EXPECT_NEAR(values["lambda"], 28.2945672060672506, 1e-3);
}

TEST(Simulate, AGlobForAVariableThatIsLeftOutTellsWhy) {
  const ScratchFolder scratch;
  const std::string model = scratch.file("lost.mo");
  std::ofstream(model) << "model Lost\n  Real x, y;\nequation\n  x = time;\n  y = "
                          "Library.lost(x);\nend Lost;\n";
  const auto r = run_program("simulate " + model + " --variables y -o " + scratch.file("out.csv"));
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("'Library.lost' is not defined"));
}

TEST(Simulate, TimingIsTheLeastOfRepeatsThatGiveTheSameValues) {
  const std::string command = "simulate " + example("pendulum.mo") + " --json";
  const auto once = run_program(command);
  const auto often = run_program(command + " --timing --repeat 4");
  ASSERT_EQ(often.exit_code, 0) << often.err;
  const auto json = often.json();
  EXPECT_EQ(json["timing"]["repeats"], 4);
  EXPECT_GT(json["timing"]["setup_s"], 0.0);
  EXPECT_GT(json["timing"]["run_s"], 0.0);
  // A repeat remembers nothing: it takes the same steps and compiles as much as a single run.
  EXPECT_EQ(json["final"], once.json()["final"]);
  EXPECT_EQ(json["statistics"]["steps"], once.json()["statistics"]["steps"]);
  EXPECT_EQ(json["statistics"]["compilations"], once.json()["statistics"]["compilations"]);
  EXPECT_FALSE(once.json().contains("timing"));
}

TEST(Simulate, TimingIsReportedInWordsToo) {
  const auto r = run_program("simulate " + example("rlc.mo") + " --timing --repeat 2");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, HasSubstr("CPU time: set-up"));
  EXPECT_THAT(r.out, HasSubstr("least of 2 runs"));
}

TEST(Simulate, RepeatsReadStandardInputOnce) {
  const auto r = run_command("cat " + example("rlc.mo") + " | " + std::string(DAEDAL_PROGRAM) +
                             " simulate - --repeat 3 --timing --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  EXPECT_EQ(r.json()["timing"]["repeats"], 3);
}

TEST(Simulate, NoRepeatIsMisuse) {
  const auto r = run_program("simulate " + example("rlc.mo") + " --repeat 0");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("--repeat must be at least 1"));
}

TEST(Simulate, VariablesAreTakenOneByOneAndAsLists) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("m.mo",
                                          "model M\n  parameter Real k = 2;\n  Real x(start = 1), "
                                          "y[2,2], 'a,b';\nequation\n  der(x) = -k*x;\n  y = "
                                          "{{x, 2*x}, {3*x, 4*x}};\n  'a,b' = x;\nend M;\n");
  const auto head = [&](const std::string& options) {
    const auto r = run_program("simulate " + model + " --stop-time 1 -o - " + options);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return r.out.substr(0, r.out.find('\n'));
  };
  EXPECT_EQ(head("--variables x --variables k"), "time,x,k");
  EXPECT_EQ(head("--variables 'der(x), y[1,2],k'"), "time,der(x),\"y[1,2]\",k");
  EXPECT_EQ(head("--variables \"x,'a,b'\""), "time,x,\"a,b\"");
}

TEST(Simulate, AWrongGlobIsRefusedBeforeTheRun) {
  const ScratchFolder scratch;
  for (const std::string& command :
       {"simulate " + example("rlc.mo"), "simulate " + example("rlc.mo") + " --stop-time 1e12",
        "solve-bvp " + example("swing_up.mo")}) {
    const auto r = run_program(command + " --variables 'volts*' -o " + scratch.file("out.csv"));
    EXPECT_EQ(r.exit_code, 2) << command;
    EXPECT_THAT(r.err, HasSubstr("No variable of the model matches 'volts*'"));
    EXPECT_FALSE(std::filesystem::exists(scratch.file("out.csv"))) << command;
  }
  EXPECT_THAT(run_program("simulate " + example("rlc.mo") + " --variables u_c -o -").err,
              HasSubstr("Did you mean 'u_C'?"));
}

TEST(Simulate, RowsAreSmoothUnlessAnIntervalIsGiven) {
  const ScratchFolder scratch;
  const std::string model = std::string(DAEDAL_SOURCE_DIR) + "/problems/pendulum.mo";
  const auto n_rows = [&](const std::string& options) {
    EXPECT_EQ(run_program("simulate " + model + " --quiet -o " + scratch.file("rows.csv") + options)
                  .exit_code,
              0);
    return std::ranges::count(scratch.read("rows.csv"), '\n') - 1;
  };
  EXPECT_GT(n_rows(""), 500);
  EXPECT_EQ(n_rows(" --interval 0.5"), 21);
}

// As in C++ the interval of the text is the grid, unless 0 asks for every step.
TEST(Simulate, TheIntervalOfTheTextIsTheOutputGrid) {
  const ScratchFolder scratch;
  const auto n_rows = [&](const std::string& options) {
    EXPECT_EQ(run_program("simulate " + example("rlc.mo") + " --stop-time 1 --quiet -o " +
                          scratch.file("rows.csv") + options)
                  .exit_code,
              0);
    return std::ranges::count(scratch.read("rows.csv"), '\n') - 1;
  };
  EXPECT_EQ(n_rows(""), 51);
  EXPECT_GT(n_rows(" --interval 0"), 500);
}

TEST(Simulate, ParametersOfTheStructureAreGivenAsOthers) {
  const auto values = [](const std::string& options) {
    const auto r = run_program("simulate " + example("heat.mo") + " --json " + options);
    EXPECT_EQ(r.exit_code, 0) << r.out;
    return r.json()["final"]["values"];
  };
  const auto coarse = values("-p n=9");
  EXPECT_EQ(coarse.size(), 11U);
  // The middle of the grid follows exp(-4/h^2 sin^2(pi h/2) t) of the differences, h = 1/10.
  const double rate = 400.0 * std::pow(std::sin(0.05 * 3.14159265358979323846), 2);
  EXPECT_NEAR(coarse["u[5]"].get<double>(), std::exp(-0.1 * rate), 1e-6);
  EXPECT_EQ(run_program("analyze " + example("heat.mo") + " -p n=9 --structure --json")
                .json()["variables"],
            11);
  EXPECT_THAT(run_program("simulate " + example("heat.mo") + " -p n=2.5").err,
              HasSubstr("'n' is declared as Integer, and 2.5 is given"));
  // A sweep has one structure for all members.
  EXPECT_THAT(run_program("sweep " + example("heat.mo") + " -p n=9,19").err,
              HasSubstr("its value is given when the text is read"));
}

TEST(Simulate, ParametersAndDerivativesAreColumns) {
  const ScratchFolder scratch;
  const std::string model = std::string(DAEDAL_SOURCE_DIR) + "/problems/pendulum.mo";
  const std::string command =
      "simulate " + model + " --stop-time 0.1 --variables g --variables 'der(y)' --variables y";
  EXPECT_EQ(run_program(command + " -o " + scratch.file("out.csv")).exit_code, 0);
  EXPECT_THAT(scratch.read("out.csv"), testing::StartsWith("time,g,der(y),y\n0,9.81,0,0\n"));
  // A document and a report are about all variables; the file is not.
  const auto json = run_program(command + " --json -o " + scratch.file("all.json"));
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto values = json.json()["final"]["values"];
  EXPECT_EQ(values["g"], 9.81);
  EXPECT_TRUE(values.contains("lambda"));
  const auto rows = nlohmann::json::parse(scratch.read("all.json"))["columns"];
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows["g"].back(), 9.81);
  EXPECT_EQ(run_program(command + " --quiet --report " + scratch.file("run.html")).exit_code, 0);
  EXPECT_THAT(scratch.read("run.html"), HasSubstr("der(y)"));
  const auto refused =
      run_program("simulate " + model + " --variables 'der(lambda)' -o " + scratch.file("no.csv"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("no equation of the model contains it"));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("no.csv")));
}

TEST(Simulate, RowsAtGivenTimesPassSingularPositions) {
  // The cranks turn as one while the linkage is a parallelogram: 2 th'' = 0.5, so that
  // th = -0.8 + 2 t + t^2/8, flat where th is a multiple of pi.
  const std::string model = std::string(DAEDAL_SOURCE_DIR) + "/problems/parallelogram.mo";
  for (const std::string interval : {"0.01", "0.02", "0.05"}) {
    const ScratchFolder scratch;
    const auto r = run_program("simulate " + model + " --interval " + interval + " --quiet -o " +
                               scratch.file("out.json"));
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const auto columns = nlohmann::json::parse(scratch.read("out.json"))["columns"];
    for (std::size_t i = 0; i < columns["time"].size(); ++i) {
      const double t = columns["time"][i];
      EXPECT_NEAR(columns["th1"][i].get<double>(), -0.8 + 2.0 * t + 0.125 * t * t, 1e-6) << t;
      EXPECT_NEAR(columns["th2"][i].get<double>(), -0.8 + 2.0 * t + 0.125 * t * t, 1e-6) << t;
    }
  }
}

TEST(Simulate, AnInterruptKeepsWhatWasComputed) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("endless.mo", R"(
    model Endless
      Real x(start = 1, fixed = true);
      Real v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = -x;
      annotation(experiment(StopTime = 1e9, Interval = 1e3));
    end Endless;)");
  const auto r = run_command(
      "timeout --signal=INT --preserve-status 2 " + std::string(DAEDAL_PROGRAM) + " simulate " +
      model + " --integrator dop853 --max-steps 1000000000 --json -o " + scratch.file("out.csv"));
  EXPECT_EQ(r.exit_code, 130) << r.err;
  const auto json = r.json();
  EXPECT_EQ(json["status"], "cancelled");
  EXPECT_THAT(scratch.read("out.csv"), HasSubstr("\n1000,"));
  EXPECT_GT(json["final"]["time"], 1000.0);
}

TEST(Simulate, TheCircuitFollowsItsExactSolution) {
  const auto r = run_program("simulate " + example("rlc.mo") + " --rtol 1e-9 --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto values = r.json()["final"]["values"];
  // L C u'' + R C u' + u = sin 2t: 0.02 u'' + 0.1 u' + u = sin 2t, at rest at t = 0.
  // Steady part: amplitude with D = 1 - 0.02*4 = 0.92, E = 0.1*2 = 0.2.
  const double d = 0.92;
  const double e = 0.2;
  const double m = d * d + e * e;
  const auto steady = [&](double t) { return (d * std::sin(2 * t) - e * std::cos(2 * t)) / m; };
  // Transient: roots -2.5 ± i w, w = sqrt(50 - 6.25).
  const double w = std::sqrt(43.75);
  const double a = e / m;
  const double b = (2.5 * a - 2 * d / m) / w;
  const double t = 10.0;
  const double exact = steady(t) + std::exp(-2.5 * t) * (a * std::cos(w * t) + b * std::sin(w * t));
  EXPECT_NEAR(values["u_C"], exact, 1e-7);
  EXPECT_NEAR(values["u"], std::sin(20.0), 1e-12);
}

TEST(Simulate, TheHeatEquationConvergesWithTheSquareOfTheMesh) {
  // The semi-discrete solution is exp(-s t) sin(pi x), s = 4 sin(pi h/2)^2 / h^2: the spatial error
  // at the middle is exp(-s t) - exp(-pi^2 t), of order h^2.
  const ScratchFolder scratch;
  std::ostringstream text;
  text << std::ifstream(example("heat.mo")).rdbuf();
  const auto error = [&](int n) {
    std::string model = text.str();
    model.replace(model.find("n = 999"), 7, "n = " + std::to_string(n));
    const auto r =
        run_program("simulate " + scratch.write("heat.mo", model) + " --rtol 1e-9 --json");
    EXPECT_EQ(r.exit_code, 0) << r.out;
    const double middle = r.json()["final"]["values"]["u[" + std::to_string((n + 1) / 2) + "]"];
    return std::abs(middle - std::exp(-0.1 * std::numbers::pi * std::numbers::pi));
  };
  const double order = std::log2(error(9) / error(39)) / 2.0;
  EXPECT_NEAR(order, 2.0, 0.1);
  EXPECT_LT(error(999), 1e-6);
}

TEST(Simulate, TheBallBouncesAtItsExactTimes) {
  const auto r = run_program("simulate " + example("bouncing_ball.mo") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto events = r.json()["events"];
  ASSERT_EQ(events.size(), 6U);
  // Free fall from 1 m: sqrt(2/g); every flight lasts 0.8 times the one before.
  double impact = std::sqrt(2.0 / 9.81);
  double flight = 2.0 * impact;
  for (const auto& event : events) {
    EXPECT_NEAR(event["time"], impact, 1e-8);
    flight *= 0.8;
    impact += flight;
  }
  EXPECT_EQ(r.json()["final"]["values"]["impacts"], 6);
}

TEST(Simulate, ThePendulumBouncesOffItsWallAndKeepsItsEnergy) {
  const auto r = run_program("simulate " + example("limited_pendulum.mo") + " --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto json = r.json();
  const auto values = json["final"]["values"];
  const double vx = values["vx"];
  const double vy = values["vy"];
  const double y = values["y"];
  // Elastic impacts: v²/2 + g y stays 0 as at the start.
  EXPECT_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * y, 0.0, 1e-5);
  EXPECT_GE(values["x"].get<double>(), -0.5);
  EXPECT_GE(json["events"].size(), 3U);
}

TEST(Simulate, AutoTakesAMethodForMechanismsAndSaysSo) {
  // At the model's own tolerance of 1e-8 Taylor series are the fastest.
  const auto r = run_program("simulate " + std::string(DAEDAL_SOURCE_DIR) +
                             "/problems/pendulum.mo --rtol 1e-7 --json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  const auto json = r.json();
  EXPECT_EQ(json["method"]["requested"], "auto");
  EXPECT_EQ(json["method"]["used"], "orthogonal-projection");
  // The reference in quadruple precision; 100 times the tolerance.
  EXPECT_NEAR(json["final"]["values"]["x"], 0.275087462576116860, 1e-5);
  EXPECT_LE(json["constraints"]["0"].get<double>(), 1e-12);
  EXPECT_LE(json["constraints"]["1"].get<double>(), 1e-12);
}

TEST(Simulate, WritesTimeFirstThenTheChosenVariables) {
  const ScratchFolder scratch;
  const auto r = run_program("simulate " + example("pendulum.mo") +
                             " --stop-time 1 --interval 0.25 --variables 'v*' --variables x -o " +
                             scratch.file("p.csv"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const std::string csv = scratch.read("p.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "time,vx,vy,x");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);  // header and t = 0, .25, ..., 1
}

TEST(Simulate, ReadsStandardInputAndWritesStandardOutput) {
  const auto r = run_program("simulate - -o - --quiet < " + example("rlc.mo"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("time,"));
}

TEST(Simulate, ParametersAndStartsCanBeGiven) {
  const ScratchFolder scratch;
  const std::string model = scratch.write(
      "decay.mo",
      "model Decay\n parameter Real k = 1;\n Real x(start = 1, fixed = true);\nequation\n"
      " der(x) = -k*x;\nend Decay;\n");
  const auto r =
      run_program("simulate " + model + " -p k=2 --start x=3 --stop-time 1 --rtol 1e-9 --json");
  ASSERT_EQ(r.exit_code, 0) << r.out;
  EXPECT_NEAR(r.json()["final"]["values"]["x"], 3.0 * std::exp(-2.0), 1e-7);
}

TEST(Simulate, WatchesForSingularPositionsWhenAsked) {
  const std::string model = std::string(DAEDAL_SOURCE_DIR) + "/problems/parallelogram.mo";
  const std::string run = "simulate " + model + " --method index1 --stop-time 0.6 --json";
  const auto plain = run_program(run);
  ASSERT_EQ(plain.exit_code, 0) << plain.out << plain.err;
  EXPECT_TRUE(plain.json()["warnings"].empty());
  const auto watched = run_program(run + " --watch-singularities");
  ASSERT_EQ(watched.exit_code, 0) << watched.out << watched.err;
  ASSERT_EQ(watched.json()["warnings"].size(), 1U);
  EXPECT_THAT(std::string(watched.json()["warnings"][0]), HasSubstr("singular position"));
  // A method that does not see them says so.
  EXPECT_EQ(
      run_program("simulate " + model + " --method dummy-derivatives --watch-singularities --json")
          .exit_code,
      2);
}

}  // namespace
}  // namespace daedal::test
