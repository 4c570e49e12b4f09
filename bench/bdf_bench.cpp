// SPDX-License-Identifier: BSD-3-Clause
// What `bdf` costs beside plain IDA: the same hand-written residual and Jacobian, once through
// System, stepper and driver, once through IDA's C interface with its own Newton iteration and
// dense matrix. Both are timed in turn in one run; the counter `ratio` is ours over IDA's.
#include <benchmark/benchmark.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <vector>

#include "integrate/driver/driver.hpp"
#include "integrate/registry.hpp"

namespace daedal {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

/// Dense matrices are column-major; F_x and F_x' are set to 0 beforehand.
struct VanDerPol {
  static constexpr std::size_t n = 2;
  static constexpr double mu = 1e3, t1 = 2000.0, rtol = 1e-6, atol = 1e-8;
  static std::vector<double> x0() { return {2.0, 0.0}; }
  static std::vector<double> xp0() { return {0.0, -2.0}; }
  static void residual(In x, In xp, Out f) {
    f[0] = xp[0] - x[1];
    f[1] = xp[1] - mu * (1.0 - x[0] * x[0]) * x[1] + x[0];
  }
  static void jacobian(In x, Out f_x, Out f_xp) {
    f_xp[0] = f_xp[3] = 1.0;
    f_x[1] = 2.0 * mu * x[0] * x[1] + 1.0;
    f_x[2] = -1.0;
    f_x[3] = -mu * (1.0 - x[0] * x[0]);
  }
};

struct Robertson {
  static constexpr std::size_t n = 3;
  static constexpr double t1 = 4e7, rtol = 1e-6, atol = 1e-12;
  static std::vector<double> x0() { return {1.0, 0.0, 0.0}; }
  static std::vector<double> xp0() { return {-0.04, 0.04, 0.0}; }
  static void residual(In y, In yp, Out f) {
    f[0] = yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
    f[1] = yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
  }
  static void jacobian(In y, Out f_x, Out f_xp) {
    f_xp[0] = f_xp[4] = 1.0;
    f_x[0] = 0.04;
    f_x[1] = -0.04;
    f_x[3] = -1e4 * y[2];
    f_x[4] = 1e4 * y[2] + 6e7 * y[1];
    f_x[6] = -1e4 * y[1];
    f_x[7] = 1e4 * y[1];
    f_x[2] = f_x[5] = f_x[8] = 1.0;
  }
};

/// q' = v, v' = −λq + (0, −g), 0 = |v|² − λ|q|² − g·q₂ (the constraint differentiated twice).
struct PendulumIndexOne {
  static constexpr std::size_t n = 5;
  static constexpr double g = 9.81, t1 = 10.0, rtol = 1e-7, atol = 1e-7;
  static std::vector<double> x0() { return {1.0, 0.0, 0.0, 0.0, 0.0}; }
  static std::vector<double> xp0() { return {0.0, 0.0, 0.0, -g, 0.0}; }
  static void residual(In x, In xp, Out f) {
    f[0] = xp[0] - x[2];
    f[1] = xp[1] - x[3];
    f[2] = xp[2] + x[4] * x[0];
    f[3] = xp[3] + x[4] * x[1] + g;
    f[4] = x[2] * x[2] + x[3] * x[3] - x[4] * (x[0] * x[0] + x[1] * x[1]) - g * x[1];
  }
  static void jacobian(In x, Out f_x, Out f_xp) {
    for (std::size_t i = 0; i < 4; ++i) f_xp[6 * i] = 1.0;
    f_x[5 * 2 + 0] = f_x[5 * 3 + 1] = -1.0;
    f_x[5 * 0 + 2] = f_x[5 * 1 + 3] = x[4];
    f_x[5 * 4 + 2] = x[0];
    f_x[5 * 4 + 3] = x[1];
    f_x[5 * 0 + 4] = -2.0 * x[4] * x[0];
    f_x[5 * 1 + 4] = -2.0 * x[4] * x[1] - g;
    f_x[5 * 2 + 4] = 2.0 * x[2];
    f_x[5 * 3 + 4] = 2.0 * x[3];
    f_x[5 * 4 + 4] = -(x[0] * x[0] + x[1] * x[1]);
  }
};

struct Work {
  double seconds = 0.0;
  double steps = 0.0;
  double residuals = 0.0;
  double factorizations = 0.0;
  double last = 0.0;  ///< the first unknown at the end
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Problem>
class HandWritten final : public ImplicitSystem {
 public:
  HandWritten() {
    for (std::int64_t j = 0; j < pattern_.columns; ++j) {
      for (std::int64_t i = 0; i < pattern_.rows; ++i) pattern_.row.push_back(i);
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }
  [[nodiscard]] std::int64_t size() const override { return Problem::n; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }
  Evaluation residual(double, In x, In xp, Run&, Out f) const override {
    Problem::residual(x, xp, f);
    return Evaluation::ok;
  }
  Evaluation jacobian(double, In x, In, Run&, Out f_x, Out f_xp) const override {
    std::fill(f_x.begin(), f_x.end(), 0.0);
    std::fill(f_xp.begin(), f_xp.end(), 0.0);
    Problem::jacobian(x, f_x, f_xp);
    return Evaluation::ok;
  }

 private:
  SparsityPattern pattern_{Problem::n, Problem::n, {0}, {}};
};

class Silent final : public integration::Observer {
 public:
  double last = 0.0;
  void on_output(double, In x, In, Run&) override { last = x[0]; }
  void on_step(const integration::StepReport&, const integration::Stepper&, Run&) override {}
  void on_event(double, std::span<const std::int64_t>, const Change&, Run&) override {}
};

template <class Problem>
Work run_ours(const HandWritten<Problem>& system) {
  const auto start = std::chrono::steady_clock::now();
  const auto stepper = integration::find_integrator("bdf").make_implicit(
      system, {.rtol = Problem::rtol, .atol = Problem::atol}, {});
  const auto run = system.make_run();
  Silent silent;
  const integration::DriveOutcome outcome = integration::drive(
      system, *stepper, *run, Problem::x0(), Problem::xp0(), {.t1 = Problem::t1}, silent);
  const Statistics& counted = outcome.statistics;
  return {seconds_since(start), static_cast<double>(counted.steps),
          static_cast<double>(counted.residual_evaluations),
          static_cast<double>(counted.factorizations), silent.last};
}

template <class Problem>
int ida_residual(realtype, N_Vector x, N_Vector xp, N_Vector f, void*) {
  Problem::residual({NV_DATA_S(x), Problem::n}, {NV_DATA_S(xp), Problem::n},
                    {NV_DATA_S(f), Problem::n});
  return 0;
}

template <class Problem>
int ida_jacobian(realtype, realtype c, N_Vector x, N_Vector, N_Vector, SUNMatrix matrix, void*,
                 N_Vector, N_Vector, N_Vector) {
  double f_xp[Problem::n * Problem::n] = {};
  SUNMatZero(matrix);
  const Out f_x(SM_DATA_D(matrix), Problem::n * Problem::n);
  Problem::jacobian({NV_DATA_S(x), Problem::n}, f_x, f_xp);
  for (std::size_t k = 0; k < f_x.size(); ++k) f_x[k] += c * f_xp[k];
  return 0;
}

template <class Problem>
Work run_ida() {
  const auto start = std::chrono::steady_clock::now();
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector x = N_VNew_Serial(Problem::n, context);
  N_Vector xp = N_VNew_Serial(Problem::n, context);
  const auto x0 = Problem::x0();
  const auto xp0 = Problem::xp0();
  std::copy(x0.begin(), x0.end(), NV_DATA_S(x));
  std::copy(xp0.begin(), xp0.end(), NV_DATA_S(xp));
  void* ida = IDACreate(context);
  IDAInit(ida, ida_residual<Problem>, 0.0, x, xp);
  IDASStolerances(ida, Problem::rtol, Problem::atol);
  SUNMatrix matrix = SUNDenseMatrix(Problem::n, Problem::n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(x, matrix, context);
  IDASetLinearSolver(ida, solver, matrix);
  IDASetJacFn(ida, ida_jacobian<Problem>);
  IDASetMaxNumSteps(ida, -1);
  IDASetStopTime(ida, Problem::t1);
  double t = 0.0;
  while (IDASolve(ida, Problem::t1, &t, x, xp, IDA_ONE_STEP) == IDA_SUCCESS) {
  }
  long steps = 0;
  long residuals = 0;
  long setups = 0;
  IDAGetNumSteps(ida, &steps);
  IDAGetNumResEvals(ida, &residuals);
  IDAGetNumLinSolvSetups(ida, &setups);
  const double last = NV_DATA_S(x)[0];
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(x);
  N_VDestroy(xp);
  SUNContext_Free(&context);
  return {seconds_since(start), static_cast<double>(steps), static_cast<double>(residuals),
          static_cast<double>(setups), last};
}

template <class Problem>
void bdf_beside_ida(benchmark::State& state) {
  const HandWritten<Problem> system;
  Work ours;
  Work plain;
  double ours_seconds = 0.0;
  double plain_seconds = 0.0;
  for (auto _ : state) {
    ours = run_ours(system);
    plain = run_ida<Problem>();
    ours_seconds += ours.seconds;
    plain_seconds += plain.seconds;
  }
  state.counters["ratio"] = ours_seconds / plain_seconds;
  state.counters["ratio_per_step"] = (ours_seconds / ours.steps) / (plain_seconds / plain.steps);
  state.counters["steps"] = ours.steps;
  state.counters["ida_steps"] = plain.steps;
  state.counters["residuals"] = ours.residuals;
  state.counters["ida_residuals"] = plain.residuals;
  state.counters["factorizations"] = ours.factorizations;
  state.counters["ida_factorizations"] = plain.factorizations;
  state.counters["difference"] = ours.last - plain.last;
}

BENCHMARK(bdf_beside_ida<VanDerPol>)->Name("bdf/van_der_pol");
BENCHMARK(bdf_beside_ida<Robertson>)->Name("bdf/robertson");
BENCHMARK(bdf_beside_ida<PendulumIndexOne>)->Name("bdf/pendulum_index_1");

}  // namespace
}  // namespace daedal
