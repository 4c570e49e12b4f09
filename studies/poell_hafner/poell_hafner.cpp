// SPDX-License-Identifier: BSD-3-Clause
#include "poell_hafner/poell_hafner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/compare.hpp>
#include <daedal/solve.hpp>
#include <limits>
#include <numbers>

#include "problems/problems.hpp"

namespace daedal::studies {

namespace {

constexpr double step = 0.01;
constexpr double gravity = 9.81;

/// m = l = 1, g(p) = (p·p − 1)/2, released at rest from (1, 0).
Model pendulum() {
  ModelBuilder b("Pendulum");
  const Expr x = b.variable("x", {.start = 1.0});
  const Expr y = b.variable("y", {.start = 0.0});
  const Expr vx = b.variable("vx", {.start = 0.0});
  const Expr vy = b.variable("vy", {.start = 0.0});
  const Expr lambda = b.variable("lambda");
  b.equation(der(x) == vx);
  b.equation(der(y) == vy);
  b.equation(der(vx) == -lambda * x);
  b.equation(der(vy) == -lambda * y - gravity);
  b.equation((x * x + y * y - 1.0) / 2.0 == 0.0);
  return b.build();
}

/// The angle from the vertical at every step.
std::vector<double> reference_angles(double duration) {
  ModelBuilder b("PendulumInItsAngle");
  const Expr angle = b.variable("angle", {.start = std::numbers::pi / 2.0, .fixed = true});
  const Expr rate = b.variable("rate", {.start = 0.0, .fixed = true});
  b.equation(der(angle) == rate);
  b.equation(der(rate) == -gravity * sin(angle));
  const Solution s = solve(b.build(), {0.0, duration},
                           {.method = "direct",
                            .integrator = "radau",
                            .rtol = 1e-13,
                            .atol = 1e-13,
                            .interval = step,
                            .dense_output = false});
  std::vector<double> angles;
  for (std::size_t i = 0; i < s.n_rows(); ++i) angles.push_back(s.row(i)[s.column("angle")]);
  return angles;
}

struct Measured {
  double position = 0.0;
  double energy = 0.0;
};

Measured measure(const Solution& s, const std::vector<double>& angles) {
  const std::array columns{s.column("x"), s.column("y"), s.column("vx"), s.column("vy")};
  Measured worst;
  for (std::size_t i = 0; i < std::min(s.n_rows(), angles.size()); ++i) {
    const auto row = s.row(i);
    const double x = row[columns[0]];
    const double y = row[columns[1]];
    const double vx = row[columns[2]];
    const double vy = row[columns[3]];
    worst.position =
        std::max(worst.position, std::hypot(x - std::sin(angles[i]), y + std::cos(angles[i])));
    worst.energy = std::max(worst.energy, std::abs(0.5 * (vx * vx + vy * vy) + gravity * y));
  }
  return worst;
}

void add_fixed_steps(std::vector<Entry>& entries) {
  struct Row {
    const char* method;
    FieldValues parameters;
    const char* integrator;
    FieldValues integrator_parameters;
    const char* name;
  };
  const Row rows[] = {
      {"index1", {}, "rk4", {}, "index1, RK4"},
      {"baumgarte", {{"alpha", 5}, {"beta", 5}}, "rk4", {}, "baumgarte 5 5, RK4"},
      {"orthogonal-projection", {}, "rk4", {}, "orthogonal-projection, RK4"},
      {"orthogonal-projection", {}, "gauss", {{"stages", 1}}, "orthogonal-projection, midpoint"},
      {"symmetric-projection", {}, "gauss", {{"stages", 1}}, "symmetric-projection, midpoint"},
      {"symmetric-projection", {}, "gauss", {{"stages", 2}}, "symmetric-projection, Gauss 4"},
      {"coordinate-partitioning", {}, "rk4", {}, "coordinate-partitioning, RK4"},
      {"tangent-space", {}, "rk4", {}, "tangent-space, RK4"},
      {"ggl", {}, "bdf-fixed", {{"order", 2}}, "ggl, BDF2"},
      {"ggl", {}, "bdf-fixed", {{"order", 5}}, "ggl, BDF5"},
      {"ggl", {}, "radau", {{"stages", 3}}, "ggl, Radau 5"}};
  const Model model = pendulum();
  for (const double duration : {10.0, 100.0}) {
    const std::vector<double> angles = reference_angles(duration);
    const std::string table = fmt::format("h=.01 {} s", duration);
    for (const Row& row : rows) {
      const Solution s = solve(model, {0.0, duration},
                               {.method = Method(row.method, row.parameters),
                                .integrator = Integrator(row.integrator, row.integrator_parameters),
                                .fixed_step = step,
                                .dense_output = false});
      const Measured worst = measure(s, angles);
      const std::string note = s.status == Status::success ? "" : s.message;
      const auto add = [&](const char* column, double value) {
        entries.push_back({table, row.name, column, std::nullopt, value, note});
      };
      add("|g|", s.constraints[0].max_residual);
      add("|Gv|", s.constraints[1].max_residual);
      add("energy error", worst.energy);
      add("position error", worst.position);
    }
  }
}

void add_controlled_steps(std::vector<Entry>& entries) {
  struct Task {
    const char* name;
    problems::Problem problem;
    double short_run;
    double long_run;
  };
  const Task tasks[] = {{"pendulum", problems::pendulum(), 10.0, 100.0},
                        {"four-bar", problems::four_bar(), 2.0, 20.0},
                        {"squeezer", problems::squeezer(), 0.03, 0.1},
                        {"chain of 10", problems::closed_chain(10), 0.5, 2.0}};
  for (const Task& task : tasks) {
    for (const double duration : {task.short_run, task.long_run}) {
      CompareOptions options;
      options.methods = {"index1",
                         "index2",
                         "index3",
                         "baumgarte",
                         "ggl",
                         "stabilized-index1",
                         "overdetermined-index1",
                         "overdetermined-index2",
                         "orthogonal-projection",
                         "symmetric-projection",
                         "coordinate-partitioning",
                         "tangent-space"};
      options.tolerances = {1e-6};
      options.reference = "orthogonal-projection+dop853";
      const Comparison compared = compare(task.problem.model, {0.0, duration}, options);
      const std::string table = fmt::format("{} {} s", task.name, duration);
      for (const CompareRow& row : compared.rows) {
        const std::string name = fmt::format("{}, {}", row.method, row.integrator);
        const std::string note = row.status == Status::success ? "" : row.message;
        const auto add = [&](const char* column, double value) {
          entries.push_back({table, name, column, std::nullopt, value, note});
        };
        const bool has_run = row.constraints.size() > 1;
        add("error", row.error);
        add("|g|",
            has_run ? row.constraints[0].max_residual : std::numeric_limits<double>::quiet_NaN());
        add("|Gv|",
            has_run ? row.constraints[1].max_residual : std::numeric_limits<double>::quiet_NaN());
        add("steps", static_cast<double>(row.statistics.steps));
        add("evaluations", static_cast<double>(row.statistics.residual_evaluations));
        add("milliseconds", 1e3 * row.statistics.wall_time);
      }
    }
  }
}

}  // namespace

std::vector<Entry> poell_hafner() {
  std::vector<Entry> entries;
  add_fixed_steps(entries);
  add_controlled_steps(entries);
  return entries;
}

}  // namespace daedal::studies
