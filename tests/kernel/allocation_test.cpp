// SPDX-License-Identifier: BSD-3-Clause
// Counts the allocations of this program to show that evaluations make none.
#include <gtest/gtest.h>

#include <array>

#include "kernel/fixture.hpp"
#include "kernel/jacobian_program.hpp"
#include "kernel/taylor.hpp"
#include "support/allocation_count.hpp"
#include "support/random_graph.hpp"

namespace daedal::kernel {
namespace {

class Allocation : public testing::Test {
 protected:
  Allocation() {
    test::RandomGraph graph(v_.pool, v_.ids, 1, {.n_steps = 300, .smooth = false});
    roots_ = graph.roots(8);
    program_ = v_.compile(roots_);
  }

  template <class Action>
  static long allocations_of(Action action) {
    const long before = test::n_allocations();
    for (int i = 0; i < 3; ++i) action();
    return test::n_allocations() - before;
  }

  test::Variables v_{4};
  std::vector<NodeId> roots_;
  Program program_;
  std::array<double, 4 * 8> x_{};
};

TEST_F(Allocation, IsCounted) {
  EXPECT_GT(allocations_of([&] { (void)program_.make_workspace(); }), 0);
  EXPECT_GT(allocations_of([&] { (void)program_.make_lane_workspace(); }), 0);
}

TEST_F(Allocation, HasNoPlaceInEvaluation) {
  Workspace workspace = program_.make_workspace();
  std::vector<double> out(8);
  const double* block = x_.data();
  EXPECT_EQ(allocations_of([&] { program_.evaluate({&block, 1}, out, workspace); }), 0);
}

TEST_F(Allocation, HasNoPlaceInLanes) {
  LaneWorkspace workspace = program_.make_lane_workspace();
  std::vector<double> out(64);
  const double* block = x_.data();
  EXPECT_EQ(allocations_of([&] { program_.evaluate_lanes({&block, 1}, out, workspace); }), 0);
}

TEST_F(Allocation, HasNoPlaceInTaylorSeriesUpToTheWorkspacesOrder) {
  TaylorEvaluator series(program_, 7);
  std::vector<double> out(64);
  const SeriesBlock block{x_.data(), 4, 8};
  EXPECT_EQ(allocations_of([&] {
              series.evaluate(7, {&block, 1}, out);
              series.evaluate(3, {&block, 1}, std::span(out).first(32));
            }),
            0);
}

TEST_F(Allocation, HasNoPlaceInJacobians) {
  const JacobianProgram jacobian =
      JacobianProgram::compile(v_.pool, {.roots = std::span<const NodeId>(roots_).first(1),
                                         .groups = {v_.ids},
                                         .inputs = v_.inputs,
                                         .with_values = true});
  JacobianWorkspace workspace = jacobian.make_workspace();
  std::vector<double> nonzeros(static_cast<std::size_t>(jacobian.pattern().nonzeros()));
  std::vector<double> values(1);
  const std::array<std::span<double>, 1> arrays{nonzeros};
  const double* block = x_.data();
  EXPECT_EQ(allocations_of([&] { jacobian.evaluate({&block, 1}, arrays, workspace, values); }), 0);
}

}  // namespace
}  // namespace daedal::kernel
