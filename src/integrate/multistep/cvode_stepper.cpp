// SPDX-License-Identifier: BSD-3-Clause

// x' = f(t, x) by SUNDIALS CVODE (Hindmarsh et al. 2005):
//
// `adams`      Adams-Moulton of orders 1 to 12 with variable step. The corrector is iterated by
//              substitution (one evaluation an iteration, no matrix), or by Newton's method
//              ("newton" = 1) for mildly stiff systems.
// `cvode-bdf`  BDF of orders 1 to 5 for stiff systems. Invariants are projected inside the step,
//              where the history takes part (Eich 1993); the error estimate is the one before the
//              projection.
//
// Newton's matrix is dense, or banded with "lower_bandwidth" and "upper_bandwidth"; its entries
// are the system's own (dense only) or difference quotients.

#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "core/types.hpp"
#include "integrate/driver/step_failure.hpp"
#include "integrate/multistep/multistep_stepper.hpp"
#include "integrate/registry.hpp"

namespace daedal::integration {

namespace {

struct CvodeMethod {
  int family = CV_ADAMS;
  bool newton = false;
  Index lower_bandwidth = -1;  ///< negative: dense
  Index upper_bandwidth = -1;
};

class CvodeStepper final : public MultistepStepper {
 public:
  CvodeStepper(const ExplicitSystem& system, const StepOptions& options, const CvodeMethod& method);

  [[nodiscard]] bool projects_itself() const override { return projector_ != nullptr; }
  // The right-hand side is evaluated anew in every step, and a stale matrix shows by itself.
  void equations_changed() override {}
  void count(Statistics& statistics) const override;

 private:
  void start_code() override;
  CodeStep step_code(double limit) override;
  StepReport explain(int flag) override;
  StepReport explain_underflow(double h) override;
  int code_derivative(double t, int k, N_Vector out) const override {
    return CVodeGetDky(cvode_.get(), t, k, out);
  }
  int code_errors(N_Vector out) const override { return CVodeGetEstLocalErrors(cvode_.get(), out); }

  void configure(const CvodeMethod& method);
  void attach_newton(const CvodeMethod& method);
  void add_counters(Statistics& statistics) const;

  template <class Callback>
  int guarded(const Callback& callback) noexcept;
  static int right_hand_side(realtype t, N_Vector u, N_Vector rates, void* self) noexcept;
  static int dense_jacobian(realtype t, N_Vector u, N_Vector rates, SUNMatrix matrix, void* self,
                            N_Vector, N_Vector, N_Vector) noexcept;
  static int correct_projection(realtype t, N_Vector u, N_Vector correction, realtype tolerance,
                                N_Vector error, void* self) noexcept;
  static int set_weights(N_Vector u, N_Vector weights, void* self) noexcept;
  std::span<double> shifted(N_Vector u);

  const ExplicitSystem& explicit_;
  const Manifold* projector_ = nullptr;
  VectorOwner work_;
  MatrixOwner matrix_;
  LinearSolverOwner linear_solver_;
  NonlinearSolverOwner nonlinear_solver_;
  CvodeOwner cvode_;
  std::vector<double> point_;
  std::exception_ptr thrown_;
  double failed_at_ = 0.0;   ///< where the last evaluation was not ok
  bool has_failed_ = false;  ///< since the last start
  std::int64_t evaluations_ = 0;
  Statistics before_;  ///< counters of the runs before the last restart
};

CvodeStepper::CvodeStepper(const ExplicitSystem& system, const StepOptions& options,
                           const CvodeMethod& method)
    : MultistepStepper(system, method.family == CV_BDF ? against_sums(options) : options,
                       IndexWeights::none),
      explicit_(system),
      projector_(method.family == CV_BDF ? system.manifold() : nullptr),
      work_(make_vector(system.size(), context_)),
      cvode_(require_created(CVodeCreate(method.family, context_.get()), "CVodeCreate")),
      point_(x_.size()) {
  configure(method);
}

void CvodeStepper::configure(const CvodeMethod& method) {
  void* cvode = cvode_.get();
  require_success(CVodeSetErrHandlerFn(cvode, forward_to_log, &options_.log),
                  "CVodeSetErrHandlerFn");
  require_success(CVodeInit(cvode, right_hand_side, 0.0, u_.get()), "CVodeInit");
  require_success(CVodeSetUserData(cvode, this), "CVodeSetUserData");
  require_success(CVodeWFtolerances(cvode, set_weights), "CVodeWFtolerances");
  if (method.newton) {
    attach_newton(method);
  } else {
    constexpr int no_acceleration = 0;
    nonlinear_solver_.reset(
        require_created(SUNNonlinSol_FixedPoint(u_.get(), no_acceleration, context_.get()),
                        "SUNNonlinSol_FixedPoint"));
    require_success(CVodeSetNonlinearSolver(cvode, nonlinear_solver_.get()),
                    "CVodeSetNonlinearSolver");
  }
  if (projector_ != nullptr) {
    require_success(CVodeSetProjFn(cvode, correct_projection), "CVodeSetProjFn");
    require_success(CVodeSetProjErrEst(cvode, SUNFALSE), "CVodeSetProjErrEst");
  }
  set_limits(cvode, {.max_order = CVodeSetMaxOrd,
                     .max_step = CVodeSetMaxStep,
                     .max_error_failures = CVodeSetMaxErrTestFails,
                     .max_corrector_failures = CVodeSetMaxConvFails});
}

void CvodeStepper::attach_newton(const CvodeMethod& method) {
  const Index n = system_.size();
  SUNContext context = context_.get();
  const bool is_dense = method.lower_bandwidth < 0;
  if (is_dense) {
    matrix_.reset(require_created(SUNDenseMatrix(n, n, context), "SUNDenseMatrix"));
    linear_solver_.reset(
        require_created(SUNLinSol_Dense(u_.get(), matrix_.get(), context), "SUNLinSol_Dense"));
  } else {
    matrix_.reset(require_created(SUNBandMatrix(n, std::min(method.upper_bandwidth, n - 1),
                                                std::min(method.lower_bandwidth, n - 1), context),
                                  "SUNBandMatrix"));
    linear_solver_.reset(
        require_created(SUNLinSol_Band(u_.get(), matrix_.get(), context), "SUNLinSol_Band"));
  }
  require_success(CVodeSetLinearSolver(cvode_.get(), linear_solver_.get(), matrix_.get()),
                  "CVodeSetLinearSolver");
  if (is_dense && explicit_.has_jacobian()) {
    require_success(CVodeSetJacFn(cvode_.get(), dense_jacobian), "CVodeSetJacFn");
  }
}

std::span<double> CvodeStepper::shifted(N_Vector u) {
  const std::span<const double> values = view(u);
  for (std::size_t i = 0; i < values.size(); ++i) point_[i] = values[i] + shift_[i];
  return point_;
}

/// Runs what may throw inside a C frame, and turns an Evaluation into CVODE's code.
template <class Callback>
int CvodeStepper::guarded(const Callback& callback) noexcept {
  try {
    switch (callback()) {
      case Evaluation::ok:
        return 0;
      case Evaluation::recoverable:
        has_failed_ = true;
        return 1;
      case Evaluation::fatal:
        has_failed_ = true;
        return -1;
    }
  } catch (...) {
    thrown_ = std::current_exception();
  }
  return -1;
}

int CvodeStepper::right_hand_side(realtype t, N_Vector u, N_Vector rates, void* data) noexcept {
  auto& self = *static_cast<CvodeStepper*>(data);
  return self.guarded([&] {
    ++self.evaluations_;
    const std::span<double> x = self.shifted(u);
    Evaluation evaluation = Evaluation::ok;
    if (self.explicit_.has_complete()) evaluation = self.explicit_.complete(t, x, *self.run_);
    if (evaluation == Evaluation::ok) {
      evaluation = self.explicit_.rhs(t, x, *self.run_, view(rates));
    }
    // CVODE itself does not notice a NaN.
    const Index bad = evaluation == Evaluation::ok ? first_not_finite(view(rates)) : -1;
    if (bad >= 0) {
      self.run_->failure = {Status::non_finite_value, bad, ""};
      evaluation = Evaluation::recoverable;
    }
    if (evaluation != Evaluation::ok) self.failed_at_ = t;
    return evaluation;
  });
}

int CvodeStepper::dense_jacobian(realtype t, N_Vector u, N_Vector, SUNMatrix matrix, void* data,
                                 N_Vector, N_Vector, N_Vector) noexcept {
  auto& self = *static_cast<CvodeStepper*>(data);
  return self.guarded([&] {
    const std::span<double> entries(SM_DATA_D(matrix), self.x_.size() * self.x_.size());
    const Evaluation evaluation = self.explicit_.jacobian(t, self.shifted(u), *self.run_, entries);
    if (evaluation != Evaluation::ok) self.failed_at_ = t;
    return evaluation;
  });
}

int CvodeStepper::correct_projection(realtype t, N_Vector u, N_Vector correction, realtype,
                                     N_Vector, void* data) noexcept {
  auto& self = *static_cast<CvodeStepper*>(data);
  return self.guarded([&] {
    const std::span<double> x = self.shifted(u);
    self.weights_.compute(x, 0.0, view(self.work_));
    ++self.run_->projections;
    const Evaluation evaluation = self.projector_->project(t, x, view(self.work_), *self.run_);
    if (evaluation != Evaluation::ok) self.failed_at_ = t;
    const std::span<const double> before = view(u);
    const std::span<double> moves = view(correction);
    for (std::size_t i = 0; i < x.size(); ++i) moves[i] = x[i] - (before[i] + self.shift_[i]);
    return evaluation;
  });
}

int CvodeStepper::set_weights(N_Vector u, N_Vector weights, void* data) noexcept {
  auto& self = *static_cast<CvodeStepper*>(data);
  self.compute_weights(view(u), 0.0, view(weights));
  return 0;
}

void CvodeStepper::start_code() {
  add_counters(before_);
  evaluations_ = 0;
  steps_ = 0;
  has_failed_ = false;
  std::copy(x_.begin(), x_.end(), view(u_).begin());
  require_success(CVodeReInit(cvode_.get(), t_, u_.get()), "CVodeReInit");
  const double h =
      std::min({options_.initial_step, options_.max_step, std::abs(direction_limit_ - t_)});
  require_success(CVodeSetInitStep(cvode_.get(), std::copysign(h, direction_limit_ - t_)),
                  "CVodeSetInitStep");
}

MultistepStepper::CodeStep CvodeStepper::step_code(double limit) {
  require_success(CVodeSetStopTime(cvode_.get(), limit), "CVodeSetStopTime");
  CodeStep step;
  step.flag = CVode(cvode_.get(), direction_limit_, u_.get(), &step.t, CV_ONE_STEP);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (step.flag < 0) return step;
  step.has_landed = step.flag == CV_TSTOP_RETURN;
  CVodeGetLastOrder(cvode_.get(), &step.order);
  ++steps_;
  read_state();
  // The derivative in CVODE's history is the one that its corrector has converged to.
  read_derivative(step.t, 1, xp_);
  if (explicit_.has_complete() && explicit_.complete(step.t, x_, *run_) != Evaluation::ok) {
    failed_at_ = step.t;
    step.flag = CV_RHSFUNC_FAIL;
  }
  return step;
}

StepReport CvodeStepper::explain_underflow(double h) {
  if (has_failed_ && is_near(failed_at_, h)) return report_not_finite(system_, failed_at_, *run_);
  const bool are_known = CVodeGetEstLocalErrors(cvode_.get(), u_.get()) == CV_SUCCESS &&
                         CVodeGetErrWeights(cvode_.get(), work_.get()) == CV_SUCCESS;
  return report_underflow(system_, t_, h, are_known ? worst(view(u_), view(work_)) : -1);
}

StepReport CvodeStepper::explain(int flag) {
  double h = 0.0;
  CVodeGetCurrentStep(cvode_.get(), &h);
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      return report_too_much_accuracy(t_);
    case CV_ERR_FAILURE:
      return explain_underflow(std::abs(h));
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return report_not_finite(system_, failed_at_, *run_);
    case CV_RHSFUNC_FAIL:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR:
      return report_fatal(system_, failed_at_, *run_);
    default:
      return report_no_convergence(t_);
  }
}

void CvodeStepper::add_counters(Statistics& statistics) const {
  long error_failures = 0;
  long solve_failures = 0;
  long iterations = 0;
  CVodeGetNumErrTestFails(cvode_.get(), &error_failures);
  CVodeGetNumStepSolveFails(cvode_.get(), &solve_failures);
  CVodeGetNumNonlinSolvIters(cvode_.get(), &iterations);
  statistics.steps += steps_;
  statistics.rejected += error_failures + solve_failures;
  statistics.newton_iterations += iterations;
  statistics.residual_evaluations += evaluations_;
  if (linear_solver_ == nullptr) return;
  long jacobians = 0;
  long setups = 0;
  CVodeGetNumJacEvals(cvode_.get(), &jacobians);
  CVodeGetNumLinSolvSetups(cvode_.get(), &setups);
  statistics.jacobian_evaluations += jacobians;
  statistics.factorizations += setups;
}

void CvodeStepper::count(Statistics& statistics) const {
  add_counters(statistics);
  statistics += before_;
}

/// Bandwidths of the Jacobian; a matrix is full unless both are given.
template <class Value>
void take_bandwidths(const Value& value, CvodeMethod& method) {
  if (value.lower_bandwidth.has_value() != value.upper_bandwidth.has_value()) {
    throw OptionError(ErrorCode::invalid_option,
                      "A banded matrix needs both 'lower_bandwidth' and 'upper_bandwidth'.");
  }
  method.lower_bandwidth = value.lower_bandwidth.value_or(-1);
  method.upper_bandwidth = value.upper_bandwidth.value_or(-1);
}

std::unique_ptr<Stepper> make_adams(const ExplicitSystem& system, const StepOptions& options,
                                    const Adams& adams) {
  require_variable_step(Adams::name, options, 12);
  CvodeMethod method{.family = CV_ADAMS, .newton = adams.newton};
  take_bandwidths(adams, method);
  return std::make_unique<CvodeStepper>(system, options, method);
}

std::unique_ptr<Stepper> make_bdf(const ExplicitSystem& system, const StepOptions& options,
                                  const CvodeBdf& bdf) {
  require_variable_step(CvodeBdf::name, options, 5);
  CvodeMethod method{.family = CV_BDF, .newton = true};
  take_bandwidths(bdf, method);
  return std::make_unique<CvodeStepper>(system, options, method);
}

}  // namespace

std::vector<IntegratorRow> cvode_integrators() {
  const Capabilities can{.explicit_systems = true, .projects = true, .keeps_history = true};
  return {integrator_row<Adams, make_adams>(
              "Adams-Moulton of orders 1 to 12 with variable step, for smooth systems", can),
          integrator_row<CvodeBdf, make_bdf>(
              "BDF of orders 1 to 5 for stiff explicit systems, projecting inside the step", can)};
}

}  // namespace daedal::integration
