// SPDX-License-Identifier: BSD-3-Clause
// Stepping allocates nothing once it has warmed up: every operator new of this program is counted.
#include <gtest/gtest.h>

#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"
#include "support/allocation_count.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::FunctionOde;
using test::In;
using test::Out;

/// Notes the count after the warm-up and at the last step.
class AllocationWatch final : public Observer {
 public:
  static constexpr int n_warm_up_steps = 60;
  int n_steps = 0;
  long after_warm_up = 0;
  long at_the_end = 0;
  void on_output(double, In, In, Run&) override {}
  void on_step(const StepReport&, const Stepper&, Run&) override {
    if (++n_steps == n_warm_up_steps) after_warm_up = test::n_allocations();
    at_the_end = test::n_allocations();
  }
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
};

class Allocation : public testing::TestWithParam<const char*> {};

TEST_P(Allocation, StopsAfterTheWarmUp) {
  // Van der Pol with μ = 5: steps and orders change all along; events and dense output take part.
  FunctionOde system{2, [](double, In x, Out xp) {
                       xp[0] = x[1];
                       xp[1] = 5.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
                     }};
  system.analytic_jacobian = [](double, In x, Out f_x) {
    f_x[0] = 0.0;
    f_x[1] = -10.0 * x[0] * x[1] - 1.0;
    f_x[2] = 1.0;
    f_x[3] = 5.0 * (1.0 - x[0] * x[0]);
  };
  system.events = {.n = 1, .values = [](double, In x, In, Out g) { g[0] = x[0]; }};
  const auto stepper = find_integrator(GetParam()).make_explicit(system, {}, {});
  const auto run = system.make_run();
  AllocationWatch watch;
  const DriveOutcome outcome = drive(system, *stepper, *run, std::vector{2.0, 0.0},
                                     std::vector{0.0, -2.0}, {.t1 = 40.0, .interval = 0.1}, watch);
  ASSERT_EQ(outcome.status, Status::success) << outcome.message;
  ASSERT_GT(outcome.statistics.events, 3);
  ASSERT_GT(watch.n_steps, 2 * AllocationWatch::n_warm_up_steps);
  ASSERT_GT(watch.after_warm_up, 0) << "the counter counts";
  EXPECT_EQ(watch.at_the_end, watch.after_warm_up);
}

INSTANTIATE_TEST_SUITE_P(Stepping, Allocation,
                         testing::Values("bdf", "adams", "cvode-bdf", "dopri5", "radau"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace daedal::integration
