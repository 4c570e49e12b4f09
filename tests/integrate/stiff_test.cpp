// SPDX-License-Identifier: BSD-3-Clause
// Stiff problems of the Test Set for Initial Value Problem Solvers (Mazzia & Magherini 2008), with
// the end values published there.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/collecting_observer.hpp"
#include "support/function_systems.hpp"

namespace daedal::integration {
namespace {

using test::Driven;
using test::FunctionDae;
using test::FunctionOde;
using test::In;
using test::Out;
using test::run_driver;

class VanDerPol : public testing::TestWithParam<const char*> {};

TEST_P(VanDerPol, EndsAtTheReferenceValues) {
  constexpr double epsilon = 1e-6;
  FunctionOde system{2, [](double, In y, Out yp) {
                       yp[0] = y[1];
                       yp[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
                     }};
  system.analytic_jacobian = [](double, In y, Out f_y) {
    f_y[0] = 0.0;
    f_y[1] = (-2.0 * y[0] * y[1] - 1.0) / epsilon;
    f_y[2] = 1.0;
    f_y[3] = (1.0 - y[0] * y[0]) / epsilon;
  };
  constexpr double rtol = 1e-7;
  const Driven driven = run_driver(
      system,
      {.integrator = GetParam(), .tolerance = rtol, .x0 = {2.0, 0.0}, .options = {.t1 = 2.0}});
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  EXPECT_NEAR(driven.last()[0], 1.706167732170483, 100.0 * rtol * 1.7);
  EXPECT_NEAR(driven.last()[1], -0.8928097010247975, 100.0 * rtol * 0.9);
}

INSTANTIATE_TEST_SUITE_P(Stiff, VanDerPol, testing::Values("bdf", "cvode-bdf"),
                         [](const auto& row) {
                           return std::string(row.param) == "bdf" ? "Bdf" : "CvodeBdf";
                         });

TEST(ChemicalAkzoNobel, EndsAtTheReferenceValues) {
  constexpr double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, k_equilibrium = 34.4, k_la = 3.3,
                   k_s = 115.83, pressure = 0.9, henry = 737.0;
  const FunctionDae system{6, [](double, In y, In yp, Out f) {
                             const double root = std::sqrt(y[1]);
                             const double r1 = k1 * std::pow(y[0], 4) * root;
                             const double r2 = k2 * y[2] * y[3];
                             const double r3 = k2 / k_equilibrium * y[0] * y[4];
                             const double r4 = k3 * y[0] * y[3] * y[3];
                             const double r5 = k4 * y[5] * y[5] * root;
                             const double inflow = k_la * (pressure / henry - y[1]);
                             f[0] = yp[0] + 2.0 * r1 - r2 + r3 + r4;
                             f[1] = yp[1] + 0.5 * r1 + r4 + 0.5 * r5 - inflow;
                             f[2] = yp[2] - r1 + r2 - r3;
                             f[3] = yp[3] + r2 - r3 + 2.0 * r4;
                             f[4] = yp[4] - r2 + r3 - r5;
                             f[5] = k_s * y[0] * y[3] - y[5];
                           }};
  const std::vector<double> y0{0.444, 0.00123, 0.0, 0.007, 0.0, k_s * 0.444 * 0.007};
  // With y' = 0 the residual of the differential rows is −y'.
  std::vector<double> yp0(6);
  std::vector<double> residual(6);
  const auto run = system.make_run();
  ASSERT_EQ(system.residual(0.0, y0, yp0, *run, residual), Evaluation::ok);
  for (std::size_t i = 0; i < 5; ++i) yp0[i] = -residual[i];
  yp0[5] = k_s * (yp0[0] * y0[3] + y0[0] * yp0[3]);

  constexpr double rtol = 1e-8;
  const Driven driven = run_driver(
      system, {.tolerance = rtol, .atol = 1e-10, .x0 = y0, .xp0 = yp0, .options = {.t1 = 180.0}});
  ASSERT_EQ(driven.outcome.status, Status::success) << driven.outcome.message;
  const std::vector<double> reference{0.1150794920661702,    0.1203831471567715e-2,
                                      0.1611562887407974,    0.3656156421249283e-3,
                                      0.1708010885264404e-1, 0.4873531310307455e-2};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(driven.last()[i], reference[i], 100.0 * (rtol * reference[i] + 1e-10)) << i;
  }
}

}  // namespace
}  // namespace daedal::integration
