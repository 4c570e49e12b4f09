// SPDX-License-Identifier: BSD-3-Clause

// `bdf`: variable-order, variable-step BDF (orders 1 to 5) for F(t, x, x') = 0 by SUNDIALS IDA
// (fixed leading coefficient; Brenan, Campbell & Petzold, chapter 5), with the corrector of
// corrector.hpp in place of IDA's own nonlinear and linear solvers. Takes square and
// overdetermined systems. A step costs one or two residuals and solves; the matrix is factored
// when the step or the order has moved c_j by a quarter.
//
// Parameters:
// - "index_weights": what becomes of unknowns of index 2 and 3 in the error and Newton tests:
//   0 tested like all others, 1 weighed by h and h² (the default), 2 left out (weights.hpp);
// - "corrector" of overdetermined systems: 0 the ssf-iteration (the default), 1 least squares,
//   2 constrained least squares (linalg/overdetermined_solver.hpp).

#include <fmt/format.h>
#include <ida/ida_impl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/driver/step_failure.hpp"
#include "integrate/multistep/corrector.hpp"
#include "integrate/multistep/multistep_stepper.hpp"
#include "integrate/one_step/as_implicit.hpp"
#include "integrate/registry.hpp"

namespace daedal::integration {

namespace {

/// BDF formulas of order six and above are not stable enough for IDA.
constexpr int max_bdf_order = 5;
/// So many steps of order one in succession, each of them after a rejection, are a cycle, and so
/// many of one length lead out of it.
constexpr int steps_of_cycle = 4;
constexpr int steps_of_one_length = 12;
/// Where they do not, errors of steps of order one that add up to so many tolerances are told.
constexpr double first_order_to_tell = 100.0;

// The corrector as IDA's nonlinear solver. IDA has no linear solver of ours to set up: the
// corrector reads predictor and c_j through IDAGetNonlinearSystemData and does the rest itself.

struct BdfChoices {
  IndexWeights index_weighting = IndexWeights::by_step;
  linalg::Corrector corrector = linalg::Corrector::state_space_form;
  linalg::Storage storage = linalg::Storage::automatic;
};

/// What the callback needs; it stays where it is as long as IDA lives.
struct IdaCorrection {
  IdaCorrection(const ImplicitSystem& system, const BdfChoices& choices,
                std::span<const double> shift_of_x)
      : corrector(system, choices.corrector, choices.storage),
        shift(shift_of_x),
        x_predicted(shift_of_x.size()) {}

  Corrector corrector;
  void* ida = nullptr;
  Run* run = nullptr;
  std::span<const double> shift;  ///< x = u + shift (multistep_stepper.hpp)
  std::vector<double> x_predicted;
  std::exception_ptr thrown;  ///< by the system, inside a C frame
};

int correct(IdaCorrection& self, N_Vector correction, N_Vector weights) {
  double t = 0.0;
  double c = 0.0;
  N_Vector x = nullptr;
  N_Vector xp = nullptr;
  N_Vector x_current = nullptr;
  N_Vector xp_current = nullptr;
  N_Vector residual = nullptr;
  void* data = nullptr;
  const int flag = IDAGetNonlinearSystemData(self.ida, &t, &x, &xp, &x_current, &xp_current,
                                             &residual, &c, &data);
  if (flag != IDA_SUCCESS) return SUN_NLS_MEM_FAIL;

  const std::span<const double> predicted = view(x);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    self.x_predicted[i] = predicted[i] + self.shift[i];
  }
  const CorrectorProblem problem{
      .t = t, .c = c, .x = self.x_predicted, .xp = view(xp), .weights = view(weights)};
  switch (self.corrector.solve(problem, *self.run, view(correction))) {
    case Corrector::Outcome::converged:
      return SUN_NLS_SUCCESS;
    case Corrector::Outcome::recoverable:
      return SUN_NLS_CONV_RECVR;
    case Corrector::Outcome::fatal:
      break;
  }
  return IDA_RES_FAIL;
}

int solve(SUNNonlinearSolver solver, N_Vector, N_Vector correction, N_Vector weights, realtype,
          booleantype, void*) noexcept {
  auto& self = *static_cast<IdaCorrection*>(solver->content);
  try {
    return correct(self, correction, weights);
  } catch (...) {
    self.thrown = std::current_exception();
    return IDA_RES_FAIL;
  }
}

SUNNonlinearSolver_Type type(SUNNonlinearSolver) {
  return SUNNONLINEARSOLVER_ROOTFIND;
}

// IDA insists on handing over its residual; the corrector calls the system directly.
int ignore_system_function(SUNNonlinearSolver, SUNNonlinSolSysFn) {
  return SUN_NLS_SUCCESS;
}

int free_shell(SUNNonlinearSolver solver) {
  SUNNonlinSolFreeEmpty(solver);
  return SUN_NLS_SUCCESS;
}

/// A SUNNonlinearSolver that calls `correction`, which must outlive it.
NonlinearSolverOwner make_nonlinear_solver(IdaCorrection& correction, const ContextOwner& context) {
  NonlinearSolverOwner solver(
      require_created(SUNNonlinSolNewEmpty(context.get()), "SUNNonlinSolNewEmpty"));
  solver->content = &correction;
  solver->ops->gettype = type;
  solver->ops->solve = solve;
  solver->ops->setsysfn = ignore_system_function;
  solver->ops->free = free_shell;
  return solver;
}

class IdaStepper final : public MultistepStepper {
 public:
  IdaStepper(const ImplicitSystem& system, const StepOptions& options, const BdfChoices& choices);
  void keep(std::unique_ptr<const ImplicitSystem> adapter) { adapter_ = std::move(adapter); }

  void equations_changed() override { correction_.corrector.forget_matrix(); }
  void count(Statistics& statistics) const override;

 private:
  void start_code() override;
  CodeStep step_code(double limit) override;
  StepReport explain(int flag) override;
  StepReport explain_underflow(double h) override;
  int code_derivative(double t, int k, N_Vector out) const override {
    return IDAGetDky(ida_.get(), t, k, out);
  }
  int code_errors(N_Vector out) const override { return IDAGetEstLocalErrors(ida_.get(), out); }

  static int set_weights(N_Vector u, N_Vector weights, void* self) noexcept;
  void configure();
  [[nodiscard]] double first_step();
  void store_corrected();
  void test_algebraic_errors(bool test);
  void leave_first_order(double h, bool was_rejected);
  void tell_first_order();

  const ImplicitSystem& implicit_;
  std::unique_ptr<const ImplicitSystem> adapter_;  ///< keeps implicit_ alive when it is one
  VectorOwner up_, is_differential_;
  IdaCorrection correction_;
  NonlinearSolverOwner nonlinear_solver_;
  IdaOwner ida_;
  double first_step_ = 0.0;
  bool tests_algebraic_errors_ = true;
  int n_rejected_in_turn_ = 0;  ///< steps of order one
  int n_held_ = 0;              ///< steps for which the length is held, still to come
  bool was_held_ = false;
  double sum_of_first_order_ = 0.0;  ///< of the errors of steps of order one since then
};

/// Where constraints hold the states by multipliers or by rows of their own, nothing else keeps the
/// sum of the errors from growing. At index 3 errors do not follow the tolerance as closely.
StepOptions for_constraints(const ImplicitSystem& system, const StepOptions& options) {
  int index = 1;
  for (const UnknownKind& kind : system.kinds()) index = std::max(index, kind.index);
  const bool is_held = index == 2 || (index < 2 && system.n_constraints() > 0);
  return is_held ? against_sums(options) : options;
}

IdaStepper::IdaStepper(const ImplicitSystem& system, const StepOptions& options,
                       const BdfChoices& choices)
    : MultistepStepper(system, for_constraints(system, options), choices.index_weighting),
      implicit_(system),
      up_(make_vector(system.size(), context_)),
      is_differential_(make_vector(system.size(), context_)),
      correction_(system, choices, shift_),
      nonlinear_solver_(make_nonlinear_solver(correction_, context_)),
      ida_(require_created(IDACreate(context_.get()), "IDACreate")) {
  configure();
}

void IdaStepper::configure() {
  void* ida = ida_.get();
  correction_.ida = ida;
  require_success(IDASetErrHandlerFn(ida, forward_to_log, &options_.log), "IDASetErrHandlerFn");
  N_VConst(0.0, up_.get());
  // The corrector evaluates the system itself; IDA's residual is never called.
  const IDAResFn unused = [](realtype, N_Vector, N_Vector, N_Vector, void*) { return -1; };
  require_success(IDAInit(ida, unused, 0.0, u_.get(), up_.get()), "IDAInit");
  require_success(IDASetUserData(ida, this), "IDASetUserData");
  require_success(IDAWFtolerances(ida, set_weights), "IDAWFtolerances");
  require_success(IDASetNonlinearSolver(ida, nonlinear_solver_.get()), "IDASetNonlinearSolver");
  const auto kinds = system_.kinds();
  const auto ids = view(is_differential_);
  std::fill(ids.begin(), ids.end(), 1.0);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (!kinds[i].differential) ids[i] = 0.0;
  require_success(IDASetId(ida, is_differential_.get()), "IDASetId");
  set_limits(ida, {.max_order = IDASetMaxOrd,
                   .max_step = IDASetMaxStep,
                   .max_error_failures = IDASetMaxErrTestFails,
                   .max_corrector_failures = IDASetMaxConvFails});
}

int IdaStepper::set_weights(N_Vector u, N_Vector weights, void* data) noexcept {
  auto& self = *static_cast<IdaStepper*>(data);
  double h = self.first_step_;
  if (self.order_ > 0) IDAGetCurrentStep(self.ida_.get(), &h);
  self.compute_weights(view(u), h, view(weights));
  return 0;
}

// As IDA would choose it, from the derivatives of the differential unknowns alone: those of
// algebraic ones are often guesses.
double IdaStepper::first_step() {
  const double distance = direction_limit_ - t_;
  double h = 1e-3 * std::abs(distance);
  if (options_.initial_step > 0.0) {
    h = std::min(options_.initial_step, std::abs(distance));
  } else {
    const std::span<double> rates = view(u_);
    const std::span<double> weights = view(up_);
    compute_weights(x_, h, weights);
    std::copy(xp_.begin(), xp_.end(), rates.begin());
    const auto kinds = system_.kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (!kinds[i].differential) rates[i] = 0.0;
    }
    const double norm = weighted_rms(rates, weights);
    if (norm * h > 0.5) h = 0.5 / norm;
    h = std::max(h, std::min(std::abs(distance), least_first_step(t_)));
  }
  return std::copysign(std::min(h, options_.max_step), distance);
}

// The first step predicts algebraic unknowns from derivatives that are guesses: its error says
// nothing of them, and where they change fast no step would be small enough. The corrector finds
// them from the others; from the second step on they have a history of their own.
void IdaStepper::test_algebraic_errors(bool test) {
  if (test == tests_algebraic_errors_) return;
  tests_algebraic_errors_ = test;
  require_success(IDASetSuppressAlg(ida_.get(), test ? SUNFALSE : SUNTRUE), "IDASetSuppressAlg");
}

// Where constraints hold the states, the error of a step of order one has a part across them that
// follows the length of the step alone, not the solution. The code doubles its step, is rejected,
// and returns to the length that it had, without end: it never takes the steps of one length after
// which it would raise its order. A greatest step that is a power of 2 gives it these, to the last
// bit. At order two the differences remember that part of the error for some steps, and the code
// would return to order one because of them: IDA has no call that keeps an order, its memory does.
void IdaStepper::leave_first_order(double h, bool was_rejected) {
  if (n_held_ > 0) {
    auto& memory = *static_cast<IDAMem>(ida_.get());
    memory.ida_kk = std::max(memory.ida_kk, order_);
    if (--n_held_ > 0) return;
    const double most = std::isfinite(options_.max_step) ? options_.max_step : 0.0;
    require_success(IDASetMaxStep(ida_.get(), most), "IDASetMaxStep");
  }
  tell_first_order();
  n_rejected_in_turn_ = order_ == 1 && was_rejected ? n_rejected_in_turn_ + 1 : 0;
  if (n_rejected_in_turn_ < steps_of_cycle) return;
  n_rejected_in_turn_ = 0;
  n_held_ = steps_of_one_length;
  was_held_ = true;
  require_success(IDASetMaxStep(ida_.get(), std::exp2(std::floor(std::log2(std::abs(h))))),
                  "IDASetMaxStep");
}

void IdaStepper::tell_first_order() {
  if (!was_held_ || order_ > 1 || sum_of_first_order_ >= first_order_to_tell) return;
  std::vector<double> error(x_.size());
  if (!local_error(error)) return;
  const auto kinds = system_.kinds();
  const auto nominals = system_.nominals();
  double greatest = 0.0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (i < kinds.size() && !kinds[i].in_error_test) continue;
    // What starts at 0 is held to less than its tolerance while it has no scale.
    const double nominal = i < nominals.size() ? std::abs(nominals[i]) : 1.0;
    const double tolerance = options_.rtol * std::abs(x_[i]) + options_.atol * nominal;
    greatest = std::max(greatest, std::abs(error[i]) / tolerance);
  }
  sum_of_first_order_ += greatest;
  if (sum_of_first_order_ < first_order_to_tell) return;
  run_->warnings.push_back(fmt::format(
      "Up to t = {:.6g} steps of order 1, as no others lasted, have errors that add up to {:.0f} "
      "tolerances. Choose another method or integrator, such as 'radau'.",
      t_, first_order_to_tell));
}

void IdaStepper::start_code() {
  correction_.run = run_;
  correction_.corrector.forget_matrix();
  first_step_ = first_step();
  std::copy(x_.begin(), x_.end(), view(u_).begin());
  std::copy(xp_.begin(), xp_.end(), view(up_).begin());
  require_success(IDAReInit(ida_.get(), t_, u_.get(), up_.get()), "IDAReInit");
  require_success(IDASetInitStep(ida_.get(), first_step_), "IDASetInitStep");
  test_algebraic_errors(false);
}

MultistepStepper::CodeStep IdaStepper::step_code(double limit) {
  require_success(IDASetStopTime(ida_.get(), limit), "IDASetStopTime");
  const std::int64_t solves = correction_.corrector.counters().solves;
  CodeStep step;
  step.flag = IDASolve(ida_.get(), direction_limit_, &step.t, u_.get(), up_.get(), IDA_ONE_STEP);
  if (correction_.thrown) std::rethrow_exception(std::exchange(correction_.thrown, nullptr));
  if (step.flag < 0) return step;
  step.has_landed = step.flag == IDA_TSTOP_RETURN;
  IDAGetLastOrder(ida_.get(), &step.order);
  if (correction_.corrector.counters().solves > solves) {
    ++steps_;
    test_algebraic_errors(true);
    store_corrected();
    order_ = step.order;
    leave_first_order(step.t - t_, correction_.corrector.counters().solves > solves + 1);
  } else {
    // The limit lies within round-off of where IDA stands: it interpolated.
    read_state();
    std::copy(view(up_).begin(), view(up_).end(), xp_.begin());
  }
  return step;
}

// The corrected x' satisfies the equations; IDA returns the derivative of its interpolant, which
// does so only up to the truncation error.
void IdaStepper::store_corrected() {
  const Corrector& corrector = correction_.corrector;
  std::copy(corrector.x().begin(), corrector.x().end(), x_.begin());
  std::copy(corrector.xp().begin(), corrector.xp().end(), xp_.begin());
}

StepReport IdaStepper::explain_underflow(double h) {
  // Steps also shrink towards a point beyond which the equations have no value.
  const CorrectorFailure& failure = correction_.corrector.failure();
  if (failure.cause != CorrectorFailure::Cause::none && is_near(failure.t, h)) {
    return report_corrector_failure(implicit_, failure, *run_);
  }
  const bool are_known = IDAGetEstLocalErrors(ida_.get(), up_.get()) == IDA_SUCCESS &&
                         IDAGetErrWeights(ida_.get(), u_.get()) == IDA_SUCCESS;
  return report_underflow(system_, t_, h, are_known ? worst(view(up_), view(u_)) : -1);
}

StepReport IdaStepper::explain(int flag) {
  if (flag == IDA_TOO_MUCH_ACC) return report_too_much_accuracy(t_);
  double h = 0.0;
  IDAGetCurrentStep(ida_.get(), &h);
  if (flag == IDA_ERR_FAIL) return explain_underflow(std::abs(h));
  return report_corrector_failure(implicit_, correction_.corrector.failure(), *run_);
}

void IdaStepper::count(Statistics& statistics) const {
  const CorrectorCounters& counters = correction_.corrector.counters();
  statistics.steps += steps_;
  statistics.rejected += counters.solves - steps_;
  statistics.residual_evaluations += counters.residuals;
  statistics.jacobian_evaluations += counters.jacobians;
  statistics.factorizations += counters.factorizations;
  statistics.newton_iterations += counters.iterations;
  statistics.linear_solver = correction_.corrector.linear_solver();
}

std::unique_ptr<IdaStepper> make(const ImplicitSystem& system, const StepOptions& options,
                                 const Bdf& bdf) {
  require_variable_step(Bdf::name, options, max_bdf_order);
  return std::make_unique<IdaStepper>(system, options,
                                      BdfChoices{.index_weighting = bdf.index_weights,
                                                 .corrector = bdf.corrector,
                                                 .storage = linalg::storage_of(bdf.linear_solver)});
}

std::unique_ptr<Stepper> make_implicit(const ImplicitSystem& system, const StepOptions& options,
                                       const Bdf& bdf) {
  return make(system, options, bdf);
}

std::unique_ptr<Stepper> make_explicit(const ExplicitSystem& system, const StepOptions& options,
                                       const Bdf& bdf) {
  auto adapter = std::make_unique<AsImplicit>(system);
  auto stepper = make(*adapter, options, bdf);
  stepper->keep(std::move(adapter));
  return stepper;
}

}  // namespace

std::vector<IntegratorRow> ida_integrators() {
  return {integrator_row<Bdf, make_explicit, make_implicit>(
      "BDF of orders 1 to 5 with variable step, for stiff and algebraic equations",
      {.explicit_systems = true,
       .implicit_systems = true,
       .overdetermined_systems = true,
       .projects = true,
       .keeps_history = true,
       .max_index = 3})};
}

}  // namespace daedal::integration
