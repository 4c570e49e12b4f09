// SPDX-License-Identifier: BSD-3-Clause
// Runs by PETSc in several processes: the solutions of mathematics and of the embedded engine
// whatever the number of ranks, refusals by name, and memory that the ranks share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cluster/mpirun.hpp"

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

/// u = exp(-L t) sin(pi i h) sin(pi j h) solves the differences exactly, with h = 1/(n + 1) and
/// L = 8 k/h^2 sin(pi h/2)^2.
constexpr const char* plate = R"(model Plate
  parameter Integer n = 8;
  parameter Real k = 0.05;
  parameter Real pi = 3.14159265358979323846;
  Real u[n,n](start = {{sin(pi*i/(n+1))*sin(pi*j/(n+1)) for j in 1:n} for i in 1:n}, each fixed = true);
equation
  for i in 1:n loop
    for j in 1:n loop
      der(u[i,j]) = k*(n+1)^2*((if i > 1 then u[i-1,j] else 0) + (if i < n then u[i+1,j] else 0)
        + (if j > 1 then u[i,j-1] else 0) + (if j < n then u[i,j+1] else 0) - 4*u[i,j]);
    end for;
  end for;
  annotation(experiment(StopTime = 0.5));
end Plate;
)";

/// y > 0 is the one solution of y + y^3 = x: ln y + 3/2 y^2 + t is constant.
constexpr const char* loops = R"(model Loops
  Real x[6](each start = 2, each fixed = true), y[6](each start = 0.7), rate;
equation
  for i in 1:6 loop
    der(x[i]) = -y[i];
    y[i] + y[i]^3 = x[i];
  end for;
  rate = der(x[4]);
end Loops;
)";

/// A mass on a prescribed path pulls another: index 3. a = sin t, b = cos t for this load.
constexpr const char* pulled = R"(model Pulled
  parameter Real k = 4;
  Real a, va, b(start = 1, fixed = true), vb(start = 0, fixed = true), f;
equation
  a = sin(time);
  der(a) = va;
  der(va) = f - k*(a - b);
  der(b) = vb;
  der(vb) = k*(a - b) - cos(time) - k*(sin(time) - cos(time));
end Pulled;
)";

constexpr const char* pendulum = R"(model Pendulum
  Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), force;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -force*x;
  der(vy) = -force*y - 9.81;
  x^2 + y^2 = 1 "rod";
  annotation(experiment(StopTime = 2));
end Pendulum;
)";

std::string ranks(int n) {
  return "-n " + std::to_string(n);
}

/// "u[2,3]" and all the other columns of a file, row by row, the time first.
struct Table {
  std::string header;
  std::vector<std::vector<double>> rows;
};

Table table(const ScratchFolder& scratch, const std::string& name) {
  std::istringstream in(scratch.read(name));
  Table result;
  std::getline(in, result.header);
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    auto& row = result.rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return result;
}

class PetscEngineOnRanks : public ::testing::TestWithParam<int> {
 protected:
  ProgramResult run(const std::string& text, const std::string& arguments) const {
    const std::string model = scratch_.write("model.mo", text);
    return run_ranks(ranks(GetParam()),
                     "simulate " + model + " --engine petsc --json " + arguments);
  }
  ScratchFolder scratch_;
};

TEST_P(PetscEngineOnRanks, GivesTheSolutionAndTheFileOfTheEmbeddedEngine) {
  const auto result = run(plate, "--interval 0.1 -o " + scratch_.file("petsc.csv"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["status"], "success");
  EXPECT_EQ(json["ranks"].size(), static_cast<std::size_t>(GetParam()));
  const auto embedded = run_program("simulate " + scratch_.file("model.mo") +
                                    " --quiet --interval 0.1 -o " + scratch_.file("embedded.csv"));
  ASSERT_EQ(embedded.exit_code, 0) << embedded.err;
  const Table ours = table(scratch_, "petsc.csv");
  const Table theirs = table(scratch_, "embedded.csv");
  EXPECT_EQ(ours.header, theirs.header);
  ASSERT_EQ(ours.rows.size(), 6U);
  ASSERT_EQ(theirs.rows.size(), 6U);
  const double h = 1.0 / 9.0;
  const double rate = 8.0 * 0.05 / (h * h) * std::pow(std::sin(std::numbers::pi * h / 2.0), 2);
  for (std::size_t r = 0; r < 6; ++r) {
    const double t = ours.rows[r][0];
    EXPECT_DOUBLE_EQ(t, theirs.rows[r][0]);
    for (std::size_t c = 0; c < 64; ++c) {
      const auto i = static_cast<double>(c / 8 + 1);
      const auto j = static_cast<double>(c % 8 + 1);
      const double exact = std::exp(-rate * t) * std::sin(std::numbers::pi * i * h) *
                           std::sin(std::numbers::pi * j * h);
      // The tolerance asked for, 1e-6 of the value and 1e-8.
      EXPECT_NEAR(ours.rows[r][c + 1], exact, 1e-6 * exact + 1e-8) << t << ' ' << c;
      EXPECT_NEAR(ours.rows[r][c + 1], theirs.rows[r][c + 1], 2e-6 * exact + 2e-8);
    }
  }
}

TEST_P(PetscEngineOnRanks, SolvesAlgebraicLoopsAndRates) {
  const auto result = run(loops, "");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto values = result.json()["final"]["values"];
  const double y = values["y[5]"];
  // dy changes the left side by (1/y + 3 y) dy, about 4 dy.
  EXPECT_NEAR(std::log(y) + 1.5 * y * y + 1.0, 1.5, 4e-6);
  EXPECT_NEAR(values["rate"].get<double>(), -values["y[4]"].get<double>(), 2e-6);
}

TEST_P(PetscEngineOnRanks, SolvesAReducedIndex) {
  const auto result = run(pulled, "");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["method"]["used"], "dummy-derivatives");
  const auto values = json["final"]["values"];
  EXPECT_NEAR(values["a"].get<double>(), std::sin(1.0), 2e-6);
  EXPECT_NEAR(values["va"].get<double>(), std::cos(1.0), 2e-6);
  EXPECT_NEAR(values["b"].get<double>(), std::cos(1.0), 2e-6);
  EXPECT_NEAR(values["f"].get<double>(), -std::sin(1.0) + 4.0 * (std::sin(1.0) - std::cos(1.0)),
              1e-5);
}

INSTANTIATE_TEST_SUITE_P(Ranks, PetscEngineOnRanks, ::testing::Values(1, 2, 4));

class PetscEngineRefuses : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& text, const std::string& arguments) const {
    return run_ranks(ranks(2), "simulate " + scratch_.write("model.mo", text) + " " + arguments);
  }
  ScratchFolder scratch_;
};

TEST_F(PetscEngineRefuses, EventsByName) {
  const auto result = run(
      "model Ball\n  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\nequation\n"
      "  der(h) = v;\n  der(v) = -9.81;\n  when h < 0 then\n    reinit(v, -pre(v));\n  end when;\n"
      "end Ball;\n",
      "--engine petsc");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("the when-clause (line 6)"));
  EXPECT_THAT(result.err, HasSubstr("the embedded engine"));
}

TEST_F(PetscEngineRefuses, ToExchangeStates) {
  const auto result = run(pendulum, "--engine petsc --json");
  const auto json = result.json();
  EXPECT_EQ(json["status"], "method-does-not-fit");
  // The rod is vertical at a quarter of the period, t = 0.592: x = 0, and y no longer says which
  // side it is on.
  EXPECT_LT(json["final"]["time"], 0.592);
  EXPECT_GT(json["final"]["time"], 0.5);
  EXPECT_THAT(json["message"], HasSubstr("in the place of 'y' and 'vy'"));
  EXPECT_THAT(json["message"], HasSubstr("embedded engine"));
}

TEST_F(PetscEngineRefuses, OptionsThatPetscDoesNotKnow) {
  const auto misspelt = run(plate, "--engine petsc --petsc-options '-pc_typ lu'");
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("'-pc_typ'"));
  const auto unknown = run(plate, "--engine petsc --petsc-options '-pc_type lux'");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("Unable to find requested PC type lux"));
  const auto word = run(plate, "--engine petsc --petsc-options 'pc_type lu'");
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_THAT(word.err, HasSubstr("'pc_type', where an option of PETSc should stand"));
  const auto constant = run(plate, "--engine petsc --petsc-options '-ts_type beuler'");
  EXPECT_EQ(constant.exit_code, 2);
  EXPECT_THAT(constant.err, HasSubstr("'-ts_dt 0.01'"));
  const auto alone = run_program("simulate " + scratch_.file("model.mo") + " --petsc-options -x");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--petsc-options needs --engine petsc"));
  const auto other = run_program("simulate " + scratch_.file("model.mo") + " --engine petsk");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("There is no engine 'petsk'"));
}

TEST(PetscEngine, TakesPreconditionersOfPetsc) {
  const ScratchFolder scratch;
  const auto result = run_ranks(
      ranks(2), "simulate " + scratch.write("model.mo", plate) +
                    " --engine petsc --json --petsc-options '-ts_type rosw -pc_type hypre'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["integrator"]["used"], "petsc rosw");
  EXPECT_THAT(json["statistics"]["linear_solver"], HasSubstr("with hypre"));
  const double rate = 8.0 * 0.05 * 81.0 * std::pow(std::sin(std::numbers::pi / 18.0), 2);
  const double exact = std::exp(-0.5 * rate) * std::pow(std::sin(std::numbers::pi / 9.0), 2);
  EXPECT_NEAR(json["final"]["values"]["u[1,1]"].get<double>(), exact, 2e-6 * exact + 1e-8);
}

/// Every rank has the text and the table of the rows; programs, matrices and factors are shared.
TEST(PetscEngine, NeedsLessMemoryOnMoreRanks) {
  const ScratchFolder scratch;
  const std::string model = scratch.write("model.mo", plate);
  const auto most = [&](int n) {
    const auto result = run_ranks(ranks(n), "simulate " + model +
                                                " -p n=100 --stop-time 1e-7 --variables 'u[1,1]' "
                                                "--engine petsc --json");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::int64_t greatest = 0;
    std::int64_t rows = 0;
    const auto json = result.json();
    for (const auto& rank : json["ranks"]) {
      greatest = std::max(greatest, rank["memory_bytes"].get<std::int64_t>());
      rows += rank["rows"].get<std::int64_t>();
    }
    EXPECT_EQ(rows, 10000);
    return static_cast<double>(greatest);
  };
  const double one = most(1);
  const double two = most(2);
  const double four = most(4);
  // A third of what one rank takes is PETSc's own: 35, 26 and 20 MB were measured.
  EXPECT_LT(two, 0.85 * one);
  EXPECT_LT(four, 0.7 * one);
}

}  // namespace
}  // namespace daedal::test
