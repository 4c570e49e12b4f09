// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/ida_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/ida_nonlinear_solver.hpp"
#include "integrate/method_parameters.hpp"
#include "integrate/step_failure.hpp"
#include "integrate/sundials_log.hpp"
#include "integrate/weights.hpp"
#include "system/as_implicit.hpp"

namespace daedal::integrate {

namespace {

constexpr int max_bdf_order = 5;
// Each failure cuts the step to a quarter: 15 of them to 1e-9, enough to leave any bad start.
constexpr int max_failures_per_step = 15;

class IdaStepper final : public Stepper {
 public:
  IdaStepper(const ImplicitSystem& system, const StepOptions& options,
             IndexWeighting index_weighting);
  void keep(std::unique_ptr<const ImplicitSystem> adapter) { adapter_ = std::move(adapter); }

  void start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
             double direction_limit) override;
  StepReport advance(double limit) override;
  [[nodiscard]] double time() const override { return t_; }
  [[nodiscard]] std::span<const double> x() const override { return x_; }
  [[nodiscard]] std::span<const double> xp() const override { return xp_; }
  void interpolate(double t, std::span<double> x, std::span<double> xp) const override;
  void replace_state(std::span<const double> x, std::span<const double> xp) override;
  void equations_changed() override { correction_.corrector.forget_matrix(); }
  void count(Statistics& statistics) const override;
  [[nodiscard]] int max_derivative() const override { return order_; }
  void derivative(double t, int k, std::span<double> out) const override;

 private:
  static int compute_weights(N_Vector x, N_Vector weights, void* self) noexcept;
  [[nodiscard]] double first_step(double t, double direction_limit);
  void accept(double t, bool corrected);
  [[nodiscard]] StepReport explain(int flag);
  [[nodiscard]] StepReport explain_underflow(double h);
  [[nodiscard]] Index worst_unknown();
  void polynomial(double t, int k, std::span<double> out) const;

  const ImplicitSystem& system_;
  std::unique_ptr<const ImplicitSystem> adapter_;  ///< keeps system_ alive when it is one
  StepOptions options_;
  ErrorWeights weights_;
  IdaCorrection correction_;
  ContextOwner context_;
  VectorOwner u_, up_, alias_;
  NonlinearSolverOwner nonlinear_solver_;
  IdaOwner ida_;

  double t_ = 0.0;
  std::vector<double> x_, xp_, scratch_;
  double first_step_ = 0.0;
  double direction_limit_ = 0.0;
  int order_ = 0;  ///< of the last accepted step; 0 before the first
  std::int64_t steps_ = 0;
};

IdaStepper::IdaStepper(const ImplicitSystem& system, const StepOptions& options,
                       IndexWeighting index_weighting)
    : system_(system),
      options_(options),
      weights_(system, {options.rtol, options.atol, index_weighting}),
      correction_(system),
      context_(make_context()),
      u_(make_vector(system.size(), context_)),
      up_(make_vector(system.size(), context_)),
      alias_(make_alias_vector(system.size(), context_)),
      nonlinear_solver_(make_ida_nonlinear_solver(correction_, context_)),
      ida_(require_created(IDACreate(context_.get()), "IDACreate")),
      x_(to_size(system.size())),
      xp_(x_.size()),
      scratch_(x_.size()) {
  void* ida = ida_.get();
  correction_.ida = ida;
  require_success(IDASetErrHandlerFn(ida, forward_to_log, &options_.log), "IDASetErrHandlerFn");
  N_VConst(0.0, u_.get());
  N_VConst(0.0, up_.get());
  // The corrector evaluates the system itself; IDA's residual is never called.
  const IDAResFn unused = [](realtype, N_Vector, N_Vector, N_Vector, void*) { return -1; };
  require_success(IDAInit(ida, unused, 0.0, u_.get(), up_.get()), "IDAInit");
  require_success(IDASetUserData(ida, this), "IDASetUserData");
  require_success(IDAWFtolerances(ida, compute_weights), "IDAWFtolerances");
  require_success(IDASetNonlinearSolver(ida, nonlinear_solver_.get()), "IDASetNonlinearSolver");
  if (options.max_order > 0) require_success(IDASetMaxOrd(ida, options.max_order), "IDASetMaxOrd");
  if (std::isfinite(options.max_step)) {
    require_success(IDASetMaxStep(ida, options.max_step), "IDASetMaxStep");
  }
  require_success(IDASetMaxErrTestFails(ida, max_failures_per_step), "IDASetMaxErrTestFails");
  require_success(IDASetMaxConvFails(ida, max_failures_per_step), "IDASetMaxConvFails");
}

int IdaStepper::compute_weights(N_Vector u, N_Vector weights, void* data) noexcept {
  auto& self = *static_cast<IdaStepper*>(data);
  double h = self.first_step_;
  if (self.order_ > 0) IDAGetCurrentStep(self.ida_.get(), &h);
  const std::span<const double> values = view(u);
  for (std::size_t i = 0; i < values.size(); ++i) {
    self.scratch_[i] = values[i] + self.correction_.shift[i];
  }
  self.weights_.compute(self.scratch_, h, view(weights));
  return 0;
}

// As IDA would choose it, from the derivatives of the differential unknowns alone: those of
// algebraic ones are often guesses.
double IdaStepper::first_step(double t, double direction_limit) {
  const double distance = direction_limit - t;
  double h = 1e-3 * std::abs(distance);
  if (options_.initial_step > 0.0) {
    h = std::min(options_.initial_step, std::abs(distance));
  } else {
    std::vector<double> rates(xp_);
    std::vector<double> weights(xp_.size());
    weights_.compute(x_, h, weights);
    const auto kinds = system_.kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!kinds[i].differential) rates[i] = 0.0;
    }
    const double norm = weighted_rms(rates, weights);
    if (norm * h > 0.5) h = 0.5 / norm;
  }
  return std::copysign(std::min(h, options_.max_step), distance);
}

void IdaStepper::start(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                       double direction_limit) {
  t_ = t;
  x_.assign(x.begin(), x.end());
  xp_.assign(xp.begin(), xp.end());
  order_ = 0;
  direction_limit_ = direction_limit;
  correction_.run = &run;
  correction_.corrector.forget_matrix();
  std::fill(correction_.shift.begin(), correction_.shift.end(), 0.0);
  std::copy(x.begin(), x.end(), view(u_).begin());
  std::copy(xp.begin(), xp.end(), view(up_).begin());
  first_step_ = first_step(t, direction_limit);
  require_success(IDAReInit(ida_.get(), t, u_.get(), up_.get()), "IDAReInit");
  require_success(IDASetInitStep(ida_.get(), first_step_), "IDASetInitStep");
}

StepReport IdaStepper::advance(double limit) {
  require_success(IDASetStopTime(ida_.get(), limit), "IDASetStopTime");
  const std::int64_t solves = correction_.corrector.counters().solves;
  const double t0 = t_;
  double t1 = t_;
  const int flag = IDASolve(ida_.get(), direction_limit_, &t1, u_.get(), up_.get(), IDA_ONE_STEP);
  if (correction_.thrown) std::rethrow_exception(std::exchange(correction_.thrown, nullptr));
  if (flag < 0) return explain(flag);

  accept(t1, correction_.corrector.counters().solves > solves);
  const double h = std::abs(t1 - t0);
  if (flag != IDA_TSTOP_RETURN && h <= 4.0 * round_off * std::abs(t1)) return explain_underflow(h);
  return {.status = Status::success, .t0 = t0, .t1 = t1, .order = order_, .message = {}};
}

// The corrected x' satisfies the equations; IDA returns the derivative of its interpolant, which
// does so only up to the truncation error.
void IdaStepper::accept(double t, bool corrected) {
  t_ = t;
  IDAGetLastOrder(ida_.get(), &order_);
  if (corrected) {
    ++steps_;
    const Corrector& corrector = correction_.corrector;
    std::copy(corrector.x().begin(), corrector.x().end(), x_.begin());
    std::copy(corrector.xp().begin(), corrector.xp().end(), xp_.begin());
    return;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = view(u_)[i] + correction_.shift[i];
  std::copy(view(up_).begin(), view(up_).end(), xp_.begin());
}

Index IdaStepper::worst_unknown() {
  N_Vector errors = up_.get();
  N_Vector weights = u_.get();
  if (IDAGetEstLocalErrors(ida_.get(), errors) < 0) return -1;
  if (IDAGetErrWeights(ida_.get(), weights) < 0) return -1;
  N_VProd(errors, weights, errors);
  N_VAbs(errors, errors);
  const auto values = view(errors);
  return std::max_element(values.begin(), values.end()) - values.begin();
}

StepReport IdaStepper::explain_underflow(double h) {
  // Steps also shrink towards a point beyond which the equations have no value.
  const CorrectorFailure& failure = correction_.corrector.failure();
  const bool is_close = std::abs(failure.t - t_) <= 10.0 * h + 1e-10 * std::abs(t_);
  if (failure.cause != CorrectorFailure::Cause::none && is_close) {
    return report_corrector_failure(system_, failure, *correction_.run);
  }
  return report_underflow(system_, t_, h, worst_unknown());
}

StepReport IdaStepper::explain(int flag) {
  double h = 0.0;
  IDAGetCurrentStep(ida_.get(), &h);
  StepReport report;
  switch (flag) {
    case IDA_TOO_MUCH_ACC:
      report.status = Status::step_size_underflow;
      report.message = with_remedy(report.status,
                                   "The tolerance is below what double precision can "
                                   "resolve for the values of the solution.");
      break;
    case IDA_ERR_FAIL:
      report = explain_underflow(std::abs(h));
      break;
    default:
      report = report_corrector_failure(system_, correction_.corrector.failure(), *correction_.run);
      break;
  }
  report.t0 = report.t1 = t_;
  return report;
}

void IdaStepper::polynomial(double t, int k, std::span<double> out) const {
  N_VSetArrayPointer(out.data(), alias_.get());
  require_success(IDAGetDky(ida_.get(), t, k, alias_.get()), "IDAGetDky");
}

void IdaStepper::interpolate(double t, std::span<double> x, std::span<double> xp) const {
  if (order_ == 0) {
    std::copy(x_.begin(), x_.end(), x.begin());
    if (!xp.empty()) std::copy(xp_.begin(), xp_.end(), xp.begin());
    return;
  }
  derivative(t, 0, x);
  if (!xp.empty()) polynomial(t, 1, xp);
}

void IdaStepper::derivative(double t, int k, std::span<double> out) const {
  polynomial(t, k, out);
  if (k > 0) return;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += correction_.shift[i];
}

void IdaStepper::replace_state(std::span<const double> x, std::span<const double> xp) {
  for (std::size_t i = 0; i < x_.size(); ++i) correction_.shift[i] += x[i] - x_[i];
  std::copy(x.begin(), x.end(), x_.begin());
  std::copy(xp.begin(), xp.end(), xp_.begin());
}

void IdaStepper::count(Statistics& statistics) const {
  const CorrectorCounters& counters = correction_.corrector.counters();
  statistics.steps += steps_;
  statistics.rejected += counters.solves - steps_;
  statistics.residual_evaluations += counters.residuals;
  statistics.jacobian_evaluations += counters.jacobians;
  statistics.factorizations += counters.factorizations;
  statistics.newton_iterations += counters.iterations;
}

std::unique_ptr<IdaStepper> make(const ImplicitSystem& system, const StepOptions& options,
                                 IndexWeighting index_weighting) {
  if (options.fixed_step > 0.0) {
    throw OptionError(ErrorCode::invalid_option,
                      "The integrator 'bdf' chooses its steps itself: leave fixed_step at 0, or "
                      "use 'bdf-fixed'.");
  }
  if (options.max_order < 0 || options.max_order > max_bdf_order) {
    throw OptionError(ErrorCode::invalid_option, "The order of 'bdf' is at most 5.");
  }
  return std::make_unique<IdaStepper>(system, options, index_weighting);
}

IndexWeighting index_weighting(const MethodParameters& parameters) {
  const int choice = integer_parameter(
      parameters, {.name = "index_weights", .fallback = 0, .minimum = 0, .maximum = 2});
  return static_cast<IndexWeighting>(choice);
}

std::unique_ptr<Stepper> make_implicit(const ImplicitSystem& system, const StepOptions& options,
                                       const MethodParameters& parameters) {
  return make(system, options, index_weighting(parameters));
}

std::unique_ptr<Stepper> make_explicit(const ExplicitSystem& system, const StepOptions& options,
                                       const MethodParameters& parameters) {
  auto adapter = as_implicit(system);
  auto stepper = make(*adapter, options, index_weighting(parameters));
  stepper->keep(std::move(adapter));
  return stepper;
}

}  // namespace

std::vector<IntegratorInfo> ida_integrators() {
  return {{.name = "bdf",
           .summary = "BDF of orders 1 to 5 with variable step, for stiff and algebraic equations",
           .can = {.explicit_systems = true,
                   .implicit_systems = true,
                   .overdetermined_systems = true,
                   .projects = true,
                   .keeps_history = true,
                   .max_index = 3},
           .parameters = {"index_weights"},
           .make_implicit = make_implicit,
           .make_explicit = make_explicit}};
}

}  // namespace daedal::integrate
