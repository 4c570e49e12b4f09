// SPDX-License-Identifier: BSD-3-Clause
/// Ensembles: the numbers of their members, the same results from any number of threads, failures
/// among them, statistics.

#include <daedal/ensemble.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <daedal/error.hpp>
#include <daedal/modelica.hpp>
#include <set>

namespace daedal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Model decay = parse_model(
    "model Decay\n parameter Real k = 1;\n parameter Real b = 0;\n"
    " Real x(start = 1, fixed = true);\nequation\n der(x) = b - k * x;\nend Decay;\n");

Members members_of(const std::vector<MemberAxis>& axes) {
  return grid(axes);
}
Members draws(const std::vector<RandomAxis>& axes, std::size_t n, std::uint64_t seed = 1) {
  return random_members(axes, n, seed);
}

TEST(Members, AGridHasEveryCombination) {
  const Members m = members_of({{.name = "x", .values = {7.0, 8.0}, .is_start_value = true},
                                {.name = "a", .values = {1.0, 2.0, 3.0}}});
  EXPECT_EQ(m.count, 6U);
  EXPECT_THAT(m.parameters, ElementsAre("a"));
  EXPECT_THAT(m.start_values, ElementsAre("x"));
  // The last axis changes fastest; parameters are the first columns.
  EXPECT_THAT(m.row(0), ElementsAre(1.0, 7.0));
  EXPECT_THAT(m.row(1), ElementsAre(2.0, 7.0));
  EXPECT_THAT(m.row(3), ElementsAre(1.0, 8.0));
  const RunValues values = m.run_values(5);
  EXPECT_EQ(values.parameters.at("a"), 3.0);
  EXPECT_EQ(values.start_values.at("x"), 8.0);
}

TEST(Members, AProductJoinsTheColumns) {
  const Members a = members_of({{.name = "a", .values = {1.0, 2.0}},
                                {.name = "x", .values = {5.0}, .is_start_value = true}});
  const Members b = members_of({{.name = "b", .values = {3.0, 4.0}},
                                {.name = "y", .values = {6.0}, .is_start_value = true}});
  const Members both = product(a, b);
  EXPECT_THAT(both.parameters, ElementsAre("a", "b"));
  EXPECT_THAT(both.start_values, ElementsAre("x", "y"));
  EXPECT_THAT(both.row(0), ElementsAre(1.0, 3.0, 5.0, 6.0));
  EXPECT_THAT(both.row(1), ElementsAre(1.0, 4.0, 5.0, 6.0));
  EXPECT_THAT(both.row(2), ElementsAre(2.0, 3.0, 5.0, 6.0));
  EXPECT_THROW((void)product(a, a), OptionError);
  EXPECT_THAT(product(Members{}, b).values, both.count == 4 ? b.values : std::vector<double>{});
}

TEST(Members, DrawsDependOnSeedMemberAndNameAlone) {
  const Members few = draws({{.name = "a", .distribution = "normal(0, 1)"}}, 10);
  const Members many = draws({{.name = "b", .distribution = "uniform(0, 1)"},
                              {.name = "a", .distribution = "normal(0, 1)"}},
                             100);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(few.row(i)[0], many.row(i)[1]);
  EXPECT_NE(few.values, draws({{.name = "a", .distribution = "normal(0, 1)"}}, 10, 2).values);
  EXPECT_NE(few.values, draws({{.name = "c", .distribution = "normal(0, 1)"}}, 10).values);
  const std::set<double> different(many.values.begin(), many.values.end());
  EXPECT_EQ(different.size(), 200U);
}

TEST(Members, DistributionsHaveTheirMoments) {
  // Means and deviations by their formulas, within five standard errors of 40,000 draws.
  struct Case {
    const char* text;
    double mean, deviation;
  };
  const double e = std::exp(1.0);
  const Case cases[] = {
      {"normal(3, 0.5)", 3.0, 0.5},
      {"uniform(-1, 3)", 1.0, 4.0 / std::sqrt(12.0)},
      {"lognormal(0, 0.5)", std::exp(0.125), std::exp(0.125) * std::sqrt(std::exp(0.25) - 1.0)},
      {"loguniform(1, 2.718281828459045)", e - 1.0,
       std::sqrt((e * e - 1.0) / 2.0 - (e - 1.0) * (e - 1.0))},
      {"triangular(0, 1, 4)", 5.0 / 3.0, std::sqrt((0.0 + 1.0 + 16.0 - 0.0 - 0.0 - 4.0) / 18.0)}};
  constexpr std::size_t n = 40'000;
  for (const Case& one : cases) {
    const Members m = draws({{.name = "a", .distribution = one.text}}, n);
    double sum = 0.0;
    double squares = 0.0;
    for (const double value : m.values) sum += value;
    const double mean = sum / n;
    for (const double value : m.values) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(mean, one.mean, 5.0 * one.deviation / std::sqrt(double(n))) << one.text;
    EXPECT_NEAR(std::sqrt(squares / n), one.deviation, 0.05 * one.deviation) << one.text;
  }
}

TEST(Members, WhatIsNoDistributionIsRefused) {
  for (const char* text :
       {"normal", "normal(1)", "normal(1, 2, 3)", "normal(1, -2)", "normal(1, two)", "normal(1, 2",
        "normal(1, 2) x", "gauss(1, 2)", "uniform(2, 1)", "uniform(1, 1)", "loguniform(0, 1)",
        "loguniform(-1, 1)", "triangular(0, 5, 4)", "triangular(1, 1, 1)", "normal(, )", "",
        "normal(nan, 1)", "normal(0, inf)"}) {
    EXPECT_THROW((void)draws({{.name = "a", .distribution = text}}, 1), OptionError) << text;
  }
  EXPECT_THROW((void)draws({{.name = "a", .distribution = "normal(0, 1)"}}, 0), OptionError);
  EXPECT_THROW((void)members_of({{.name = "a", .values = {}}}), OptionError);
  EXPECT_THROW((void)members_of({{.name = "a", .values = {1.0}}, {.name = "a", .values = {2.0}}}),
               OptionError);
}

TEST(EnsembleRuns, GiveTheSameBitsWithAnyNumberOfThreads) {
  const Members m =
      product(members_of({{.name = "b", .values = {0.0, 1.0}}}),
              draws({{.name = "k", .distribution = "uniform(0.5, 2)"},
                     {.name = "x", .distribution = "normal(1, 0.1)", .is_start_value = true}},
                    50));
  const Ensemble ensemble(prepare(decay, {.rtol = 1e-8}), {0.0, 1.0}, m);
  const EnsembleResult one = ensemble.solve({.run = {.rtol = 1e-8}, .workers = 1});
  const EnsembleResult four = ensemble.solve({.run = {.rtol = 1e-8}, .workers = 4});
  ASSERT_EQ(one.results.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(one.results[i].values, four.results[i].values);
    EXPECT_EQ(one.results[i].reason, "success");
    // x' = b − k x
    const auto row = m.row(i);
    const double exact = row[0] / row[1] + (row[2] - row[0] / row[1]) * std::exp(-row[1]);
    EXPECT_NEAR(one.value(i, 0, 0), exact, 1e-6);
  }
}

TEST(EnsembleRuns, HaveValuesAtTheTimesAskedFor) {
  const Members m = members_of({{.name = "k", .values = {1.0, 2.0}}});
  const Ensemble ensemble(prepare(decay), {0.0, 1.0}, m);
  const EnsembleResult r =
      ensemble.solve({.run = {.rtol = 1e-8, .atol = 1e-10}, .times = {0.0, 0.25, 1.0}});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_NEAR(r.value(i, t, 0), std::exp(-m.row(i)[0] * r.times[t]), 1e-6);
    }
  }
}

TEST(EnsembleRuns, FailuresAreResults) {
  // x' = a·x² has a pole at t = 1/a.
  const Model model = parse_model(
      "model Pole\n parameter Real a(min = 0) = 1;\n Real x(start = 1, fixed = true);\nequation\n"
      " der(x) = a * x^2;\nend Pole;\n");
  const Ensemble ensemble(prepare(model), {0.0, 1.0},
                          members_of({{.name = "a", .values = {0.5, 2.0, std::nan(""), 0.25}}}));
  const EnsembleResult r = ensemble.solve({.workers = 2});
  EXPECT_TRUE(r.results[0].is_success);
  EXPECT_FALSE(r.results[1].is_success);
  EXPECT_FALSE(r.results[1].message.empty());
  EXPECT_EQ(r.results[2].reason, "invalid-value");
  EXPECT_THAT(r.results[2].message, HasSubstr("'a'"));
  EXPECT_NEAR(r.value(0, 0, 0), 2.0, 1e-4);
  EXPECT_TRUE(std::isnan(r.value(1, 0, 0)));
  const auto list = statistics(r);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].sorted.size(), 2U);
}

TEST(EnsembleRuns, MembersThatAreDoneAreLeftOut) {
  const Ensemble ensemble(prepare(decay), {0.0, 1.0},
                          members_of({{.name = "k", .values = {1.0, 2.0, 3.0}}}));
  std::set<std::size_t> seen;
  ensemble.run({.workers = 2, .is_done = [](std::size_t i) { return i == 1; }},
               [&](const MemberResult& result) { seen.insert(result.member); });
  EXPECT_THAT(seen, ElementsAre(0, 2));
}

TEST(EnsembleRuns, EndWhenTheyAreCancelled) {
  std::atomic<bool> cancel{false};
  const Ensemble ensemble(prepare(decay), {0.0, 1.0},
                          draws({{.name = "k", .distribution = "uniform(1, 2)"}}, 1000));
  std::size_t n = 0;
  ensemble.run({.workers = 2, .cancel = &cancel}, [&](const MemberResult&) {
    if (++n == 10) cancel = true;
  });
  EXPECT_LE(n, 12U);
  // What the caller throws ends them as well.
  EXPECT_THROW(ensemble.run({.workers = 2}, [](const MemberResult&) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(EnsembleRuns, NamesThatNoRunCouldTakeAreRefused) {
  const Problem problem = prepare(decay);
  const TimeSpan span{0.0, 1.0};
  EXPECT_THROW(Ensemble(problem, span, members_of({{.name = "z", .values = {1.0}}})), ModelError);
  EXPECT_THROW(
      Ensemble(problem, span, members_of({{.name = "z", .values = {1.0}, .is_start_value = true}})),
      ModelError);
  EXPECT_THROW(Ensemble(problem, span, Members{.parameters = {"k"}, .values = {}}), OptionError);
  // Options that are wrong for one run are wrong for all.
  const Ensemble good(problem, span, members_of({{.name = "k", .values = {1.0, 2.0}}}));
  EXPECT_THROW((void)good.solve({.run = {.rtol = -1.0}}), OptionError);
}

TEST(Statistics, AreThoseOfTheFormulas) {
  EnsembleResult r{.names = {"x"}, .times = {1.0}};
  for (const double value : {4.0, 1.0, std::nan(""), 3.0, 2.0}) {
    r.results.push_back({.is_success = true, .values = {value}});
  }
  r.results.push_back({.is_success = false, .values = {1e9}});
  const VariableStatistics s = statistics(r).front();
  EXPECT_EQ(s.mean, 2.5);
  EXPECT_NEAR(s.deviation, std::sqrt(5.0 / 3.0), 1e-15);
  EXPECT_EQ(s.quantile(0.0), 1.0);
  EXPECT_EQ(s.quantile(0.5), 2.5);
  EXPECT_EQ(s.quantile(1.0), 4.0);
  EXPECT_NEAR(s.quantile(0.25), 1.75, 1e-15);
}

}  // namespace
}  // namespace daedal
