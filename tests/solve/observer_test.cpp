// SPDX-License-Identifier: BSD-3-Clause
/// What a run shows on its way: everything that the solution has, in order and once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <daedal/solve.hpp>
#include <stdexcept>

namespace daedal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Model ball = parse_model(R"(
model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Real height_above(max = 0.9) = h;
  discrete Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.9*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;
)");

/// Keeps what it is shown.
struct Watcher {
  std::vector<std::string> names;
  std::vector<double> times, values, event_times;
  std::vector<std::string> events;
  std::vector<std::pair<double, double>> steps;
  int n_rewinds = 0;

  Observer observer() {
    return {.on_begin =
                [this](std::span<const std::string> n) {
                  names.assign(n.begin(), n.end());
                  return Flow::go_on;
                },
            .on_output =
                [this](double t, std::span<const double> row) {
                  times.push_back(t);
                  values.insert(values.end(), row.begin(), row.end());
                  return Flow::go_on;
                },
            .on_step =
                [this](const ObservedStep& step) {
                  steps.emplace_back(step.start, step.end);
                  return Flow::go_on;
                },
            .on_event =
                [this](double t, std::string_view what, std::span<const double>) {
                  event_times.push_back(t);
                  events.emplace_back(what);
                  return Flow::go_on;
                },
            .on_rewind =
                [this](double) {
                  ++n_rewinds;
                  times.clear();
                  values.clear();
                  steps.clear();
                  event_times.clear();
                  return Flow::go_on;
                }};
  }
};

TEST(Observing, ShowsWhatTheSolutionHas) {
  for (const double interval : {0.0, 0.05}) {
    Watcher seen;
    const Solution s = solve(ball, {0.0, 2.0}, {.interval = interval, .observer = seen.observer()});
    ASSERT_TRUE(is_success(s.status));
    EXPECT_EQ(seen.names, s.names);
    EXPECT_EQ(seen.times, s.times);
    EXPECT_EQ(seen.values, s.values);
    ASSERT_EQ(seen.events.size(), s.events.size());
    for (std::size_t i = 0; i < s.events.size(); ++i) {
      EXPECT_EQ(seen.event_times[i], s.events[i].time);
      EXPECT_EQ(seen.events[i], s.events[i].what);
    }
    // The steps follow each other from the start to the end.
    EXPECT_EQ(seen.steps.front().first, 0.0);
    EXPECT_EQ(seen.steps.back().second, 2.0);
    for (std::size_t i = 1; i < seen.steps.size(); ++i) {
      EXPECT_EQ(seen.steps[i].first, seen.steps[i - 1].second);
    }
  }
}

TEST(Observing, KeepsOneRowWhereNoneAreAskedFor) {
  Watcher seen;
  const Solution all = solve(ball, {0.0, 2.0}, {.interval = 0.05});
  const Solution s =
      solve(ball, {0.0, 2.0}, {.interval = 0.05, .keep_rows = false, .observer = seen.observer()});
  EXPECT_EQ(seen.values, all.values);
  ASSERT_EQ(s.n_rows(), 1U);
  EXPECT_EQ(s.times.front(), 2.0);
  EXPECT_EQ(s.final_value("h"), all.final_value("h"));
  EXPECT_TRUE(s.events.empty());  // they were shown
  EXPECT_EQ(seen.event_times.size(), all.events.size());
  EXPECT_FALSE(s.has_dense_output());
  // What the rows would have told is told all the same.
  EXPECT_EQ(s.warnings, all.warnings);
  EXPECT_THAT(s.warnings, ElementsAre(HasSubstr("'height_above' is above its max = 0.9")));
}

TEST(Observing, ColumnsAreChosenByNamesAndPatterns) {
  const Solution all = solve(ball, {0.0, 2.0}, {.interval = 0.5});
  const Solution s =
      solve(ball, {0.0, 2.0}, {.interval = 0.5, .dense_output = true, .columns = {"v", "n"}});
  EXPECT_THAT(s.names, ElementsAre("v", "n"));
  ASSERT_EQ(s.n_rows(), all.n_rows());
  for (std::size_t i = 0; i < s.n_rows(); ++i) {
    EXPECT_EQ(s.row(i)[0], all.row(i)[all.column("v")]);
    EXPECT_EQ(s.row(i)[1], all.row(i)[all.column("n")]);
  }
  EXPECT_EQ(s.at(0.3, "v"), all.at(0.3, "v"));
  EXPECT_EQ(s.warnings, all.warnings);  // also about what is no column
  EXPECT_THAT(solve(ball, {0.0, 0.1}, {.columns = {"h*"}}).names, ElementsAre("h", "height_above"));
  EXPECT_THROW((void)solve(ball, {0.0, 0.1}, {.columns = {"w"}}), OptionError);

  const Solution turned = solve(ball, {0.0, 2.0}, {.interval = 0.5, .columns = {"n", "v", "*"}});
  EXPECT_THAT(turned.names, ElementsAre("n", "v", "h", "height_above"));
  for (std::size_t i = 0; i < turned.n_rows(); ++i) {
    EXPECT_EQ(turned.row(i)[0], all.row(i)[all.column("n")]);
    EXPECT_EQ(turned.row(i)[1], all.row(i)[all.column("v")]);
  }

  Simulation run = prepare(ball).start({0.0, 0.4}, {}, {.columns = {"v"}});
  run.advance(0.3);
  EXPECT_NEAR(run.value("h"), 1.0 - 0.5 * 9.81 * 0.09, 1e-9);  // no column, but at hand
  std::vector<double> row(1);
  run.values(row);
  EXPECT_NEAR(row[0], -9.81 * 0.3, 1e-9);
  EXPECT_EQ(run.values(), row);
  row.clear();
  EXPECT_THROW(run.values(row), OptionError);
}

TEST(Observing, StopEndsTheRun) {
  SolveOptions options{.interval = 0.01};
  options.observer.on_output = [](double t, std::span<const double>) {
    return t >= 0.3 ? Flow::stop : Flow::go_on;
  };
  const Solution s = solve(ball, {0.0, 2.0}, options);
  EXPECT_EQ(s.status, Status::event_stop);
  EXPECT_THAT(s.message, HasSubstr("The observer ended the run at t = 0.3"));
  EXPECT_NEAR(s.times.back(), 0.3, 1e-12);

  options.observer = {.on_event = [](double, std::string_view, std::span<const double> after) {
    return after[1] > 0.0 ? Flow::stop : Flow::go_on;
  }};
  // sqrt(2/9.81), when the ball touches the ground.
  EXPECT_NEAR(solve(ball, {0.0, 2.0}, options).times.back(), std::sqrt(2.0 / 9.81), 1e-9);
}

TEST(Observing, MayEndARunBeforeItBegins) {
  SolveOptions options;
  int n_outputs = 0;
  options.observer.on_begin = [](std::span<const std::string>) { return Flow::stop; };
  options.observer.on_output = [&](double, std::span<const double>) {
    ++n_outputs;
    return Flow::go_on;
  };
  const Solution s = solve(ball, {0.0, 2.0}, options);
  EXPECT_EQ(s.status, Status::event_stop);
  EXPECT_THAT(s.message, HasSubstr("The observer ended the run at t = 0"));
  EXPECT_EQ(n_outputs, 0);
}

TEST(Observing, EventsThatNobodyIsShownAreKept) {
  const Solution all = solve(ball, {0.0, 2.0});
  const Solution s = solve(ball, {0.0, 2.0}, {.keep_rows = false});
  ASSERT_EQ(s.n_rows(), 1U);
  ASSERT_EQ(s.events.size(), all.events.size());
  for (std::size_t i = 0; i < s.events.size(); ++i) {
    EXPECT_EQ(s.events[i].time, all.events[i].time);
    EXPECT_EQ(s.events[i].what, all.events[i].what);
    EXPECT_EQ(s.events[i].row, EventRecord::no_row);
  }
}

TEST(Observing, ExceptionsPassThroughAndKeepWhatWasComputed) {
  SolveOptions options;
  options.observer.on_step = [](const ObservedStep& step) -> Flow {
    if (step.end > 1.0) throw std::runtime_error("enough");
    return Flow::go_on;
  };
  EXPECT_THROW((void)solve(ball, {0.0, 2.0}, options), std::runtime_error);
  Simulation run = prepare(ball).start({0.0, 2.0}, {}, options);
  EXPECT_THROW(while (run.step()){}, std::runtime_error);
  EXPECT_TRUE(run.is_over());
  EXPECT_FALSE(run.step());
  EXPECT_EQ(run.solution().status, Status::cancelled);
  EXPECT_GT(run.solution().n_rows(), 5U);
  EXPECT_LE(run.solution().times.back(), 1.0);
}

// A mechanism that turns out stiff, with memory, so that `auto` begins anew with another method.
TEST(Observing, SaysWhenARunBeginsAnew) {
  const Model model = parse_model(R"(
    model Creeping
      Real x(start = 0.6, fixed = true), y(start = -0.8), u, v, lambda;
      discrete Integer n(start = 0, fixed = true);
    equation
      der(x) = u;
      der(y) = v;
      der(u) = -lambda*x - 1e4*x - 1e4*u;
      der(v) = -lambda*y - 9.81;
      x^2 + y^2 = 1;
      when time > 0.01 then
        n = pre(n) + 1;
      end when;
    end Creeping;)");
  Watcher seen;
  const Solution s = solve(model, {0.0, 3.0}, {.observer = seen.observer()});
  ASSERT_TRUE(is_success(s.status)) << s.message;
  EXPECT_GT(seen.n_rewinds, 0);
  EXPECT_EQ(seen.times, s.times);
  EXPECT_EQ(seen.values, s.values);
}

TEST(Observer, CannotAdvanceItsOwnRun) {
  const Problem problem =
      prepare(parse_model("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;"));
  SolveOptions options;
  Simulation* own = nullptr;
  options.observer.on_output = [&](double, std::span<const double>) {
    if (own != nullptr) own->advance(0.9);
    return Flow::go_on;
  };
  Simulation run = problem.start({0.0, 1.0}, {}, options);
  own = &run;
  EXPECT_THROW(run.advance(0.5), OptionError);
}

TEST(Simulation, RefusesATimeThatIsNoNumber) {
  const Problem problem =
      prepare(parse_model("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;"));
  Simulation run = problem.start({0.0, 1.0});
  EXPECT_THROW(run.advance(std::nan("")), OptionError);
  EXPECT_TRUE(run.advance(0.5));
}

}  // namespace
}  // namespace daedal
