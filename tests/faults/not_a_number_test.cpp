// SPDX-License-Identifier: BSD-3-Clause
/// A function that has no value at a random call: a step is tried again, or the run ends and says
/// so; no NaN and no wrong number is a result.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <daedal/model.hpp>
#include <daedal/solve.hpp>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <tuple>

#include "faults/faults.hpp"

namespace daedal::test {
namespace {

std::atomic<long> n_calls{0};
std::atomic<long> first_failure{0};
std::atomic<long> n_failures{0};  ///< in succession

constexpr double half_pi = std::numbers::pi / 2.0;
/// A hundred times the tolerance of a run, for what its errors add up to.
constexpr double tolerance = 1e-4;

double failing(double value) {
  const long call = ++n_calls;
  const bool fails = call >= first_failure && call - first_failure < n_failures;
  return fails ? std::numeric_limits<double>::quiet_NaN() : value;
}

struct Case {
  const char* name;
  std::function<void(ModelBuilder& b, const Function& f)> add;
  std::function<double(double t)> x, y;  ///< the solution
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};

const Case cases[] = {
    {"Ode",
     [](ModelBuilder& b, const Function& f) {
       const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
       const Expr y = b.variable("y", {.start = 0.0, .fixed = true});
       b.equation(der(x) == f(b.time()));
       b.equation(der(y) == 2.0 * x * f(b.time()));
     },
     [](double t) { return std::sin(t); }, [](double t) { return std::pow(std::sin(t), 2); }},
    {"Index1",
     [](ModelBuilder& b, const Function& f) {
       const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
       const Expr y = b.variable("y");
       b.equation(der(x) == f(b.time()));
       b.equation(y + y * y * y == x + x * x * x);
     },
     [](double t) { return std::sin(t); }, [](double t) { return std::sin(t); }},
    {"Index2",
     [](ModelBuilder& b, const Function& f) {
       const Expr x = b.variable("x");
       const Expr y = b.variable("y");
       b.equation(der(x) == y);
       b.equation(x == f(b.time()));
     },
     [](double t) { return std::cos(t); }, [](double t) { return -std::sin(t); }},
    {"Event",
     [](ModelBuilder& b, const Function& f) {
       const Expr x = b.variable("x", {.start = 0.0, .fixed = true});
       const Expr y = b.variable("y", {.start = 1.0, .fixed = true});
       b.equation(der(x) == 1.0);
       b.equation(der(y) == -y);
       b.when(f(b.time()) < 0.0, {reinit(x, Expr(0.0))});
     },
     [](double t) { return t < half_pi ? t : t - half_pi; }, [](double t) { return std::exp(-t); }},
};

class NotANumber : public testing::TestWithParam<std::tuple<Case, const char*>> {
 protected:
  /// Whether the run succeeded; what it has computed is right.
  bool is_right(long call, long count) {
    const auto& [form, integrator] = GetParam();
    n_calls = 0;
    first_failure = call;
    n_failures = count;
    const Solution s = solve(model_, {0.0, 3.0}, {.integrator = Integrator(integrator)});
    for (std::size_t i = 0; i < s.n_rows(); ++i) {
      const double t = s.times[i];
      // At the instant of the event there are rows before and after it.
      if (std::abs(t - half_pi) < 1e-6) continue;
      EXPECT_NEAR(s.row(i)[s.column("x")], form.x(t), tolerance)
          << to_string(s.status) << " t = " << t;
      EXPECT_NEAR(s.row(i)[s.column("y")], form.y(t), tolerance)
          << to_string(s.status) << " t = " << t;
    }
    EXPECT_TRUE(is_success(s.status) || !s.message.empty());
    return is_success(s.status);
  }

  Model model_ = [] {
    ModelBuilder b("Failing");
    const auto derivative = [](int order) {
      return [order](double u) { return failing(std::cos(u + order * half_pi)); };
    };
    std::get<0>(GetParam())
        .add(b, b.function("f", derivative(0), derivative(1), derivative(2), derivative(3)));
    return b.build();
  }();
};

TEST_P(NotANumber, IsNeverAResult) {
  ASSERT_TRUE(is_right(0, 0));
  const long n = n_calls;
  std::mt19937_64 random(1);
  for (int trial = 0; trial < n_faults(30) && !HasFailure(); ++trial) {
    const long call = std::uniform_int_distribution(1L, n)(random);
    // One call, a few in succession, and all that follow.
    const long count = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 10 : std::numeric_limits<long>::max();
    SCOPED_TRACE(testing::Message() << count << " calls from " << call << " of " << n << " on");
    (void)is_right(call, count);
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, NotANumber,
                         testing::Combine(testing::ValuesIn(cases),
                                          testing::Values("auto", "dop853", "radau", "bdf")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" +
                                  std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace daedal::test
