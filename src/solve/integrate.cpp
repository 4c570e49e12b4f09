// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/integrate.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/error.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "core/types.hpp"
#include "integrate/driver/driver.hpp"
#include "integrate/driver/step_failure.hpp"
#include "integrate/registry.hpp"
#include "integrate/weights.hpp"
#include "solve/integrator_choice.hpp"
#include "solve/run/dense.hpp"

namespace daedal {

namespace {

using integration::IntegratorRow;
using integration::StepReport;
using Clock = std::chrono::steady_clock;

SolveOptions as_options(const IntegrateOptions& given) {
  SolveOptions options;
  options.integrator = given.integrator;
  options.rtol = given.rtol;
  options.atol = solve_detail::absolute_tolerance(given.atol, given.rtol);
  options.fixed_step = given.fixed_step;
  options.initial_step = given.initial_step;
  options.max_step = given.max_step;
  options.max_steps = given.max_steps;
  options.time_limit = given.time_limit;
  options.interval = given.interval;
  options.stop_times = given.stop_times;
  options.dense_output = given.dense_output;
  options.cancel = given.cancel;
  options.on_progress = given.on_progress;
  options.log = given.log;
  return options;
}

/// Fills a Solution whose columns are the unknowns. Goes on after what it already holds.
class UnknownRecorder final : public integration::Observer {
 public:
  UnknownRecorder(const System& system, std::shared_ptr<Solution::Dense> dense, Solution& solution)
      : manifold_(nullptr),
        dense_(std::move(dense)),
        solution_(solution),
        is_repeated_(!solution.times.empty()) {
    const auto* with_invariants = dynamic_cast<const ExplicitSystem*>(&system);
    if (with_invariants != nullptr) manifold_ = with_invariants->manifold();
    const int n_levels = manifold_ == nullptr ? 0 : manifold_->n_levels();
    for (auto level = static_cast<int>(solution.constraints.size()); level < n_levels; ++level) {
      solution_.constraints.push_back({level, 0.0});
    }
    if (dense_) dense_->begin_leg(to_size(system.size()));
  }

  void on_output(double t, std::span<const double> x, std::span<const double>, Run& run) override {
    if (std::exchange(is_repeated_, false)) return;
    solution_.times.push_back(t);
    solution_.values.insert(solution_.values.end(), x.begin(), x.end());
    for (ConstraintLevel& level : solution_.constraints) {
      residuals_.resize(to_size(manifold_->n_invariants(level.level)));
      const Evaluation evaluation = manifold_->residual(t, x, level.level, run, residuals_);
      for (const double residual : residuals_) {
        // One that is not a number must not vanish in a comparison.
        const double size = evaluation == Evaluation::ok ? std::abs(residual) : NAN;
        if (!(size <= level.max_residual)) level.max_residual = size;
      }
    }
  }

  void on_step(const StepReport& report, const integration::Stepper& stepper, Run& run) override {
    if (dense_) dense_->add_step(report.t0, report.t1, report.order, stepper, run);
  }

  void on_event(double t, std::span<const std::int64_t> fired, const Change&, Run&) override {
    std::vector<std::string> names;
    names.reserve(fired.size());
    for (const std::int64_t event : fired) {
      names.push_back(fmt::format("event function {}", event + 1));
    }
    solution_.events.push_back(
        {t, names.empty() ? "time event" : fmt::format("{}", fmt::join(names, ", "))});
  }

 private:
  const Manifold* manifold_;
  std::shared_ptr<Solution::Dense> dense_;
  Solution& solution_;
  std::vector<double> residuals_;
  bool is_repeated_;  ///< the next output is the point at which another stepper ended
};

StepReport inconsistent(std::string message) {
  return {.status = Status::inconsistent_start, .message = std::move(message)};
}

/// Why a function of the system has no value at the start, if it has none.
std::optional<StepReport> failed_at_start(Evaluation evaluation, std::span<const double> values,
                                          const System& system, double t, Run& run) {
  if (evaluation == Evaluation::fatal) return integration::report_fatal(system, t, run);
  if (evaluation == Evaluation::recoverable) return integration::report_not_finite(system, t, run);
  const Index bad = first_not_finite(values);
  if (bad < 0) return std::nullopt;
  run.failure = {Status::non_finite_value, bad, ""};
  return integration::report_not_finite(system, t, run);
}

/// A residual is within the tolerances when they explain it: |F_i| ≤ Σ_j |∂F_i/∂x_j| δ_j +
/// |∂F_i/∂x'_j| δ'_j with δ_j = rtol·|x_j| + atol·nominal_j, and δ'_j likewise from x'_j.
std::optional<StepReport> check_start(const ImplicitSystem& system, const StartValues& start,
                                      double t, const SolveOptions& options, Run& run) {
  const SparsityPattern& pattern = system.pattern();
  std::vector<double> residual(to_size(pattern.rows));
  const Evaluation evaluation = system.residual(t, start.x, start.xp, run, residual);
  if (auto failed = failed_at_start(evaluation, residual, system, t, run)) return failed;
  std::vector<double> f_x(to_size(pattern.nonzeros()));
  std::vector<double> f_xp(f_x.size());
  const Evaluation derivatives = system.jacobian(t, start.x, start.xp, run, f_x, f_xp);
  if (auto failed = failed_at_start(derivatives, {}, system, t, run)) return failed;

  const auto nominals = system.nominals();
  std::vector<double> allowed(residual.size(), 0.0);
  for (std::size_t j = 0; j < start.x.size(); ++j) {
    const double atol = options.atol * (nominals.empty() ? 1.0 : std::abs(nominals[j]));
    const double delta = *options.rtol * std::abs(start.x[j]) + atol;
    const double delta_p = *options.rtol * std::abs(start.xp[j]) + atol;
    for (Index k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      allowed[to_size(pattern.row[to_size(k)])] +=
          std::abs(f_x[to_size(k)]) * delta + std::abs(f_xp[to_size(k)]) * delta_p;
    }
  }
  Index worst = -1;
  double greatest = 1.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double ratio = residual[i] == 0.0 ? 0.0 : std::abs(residual[i]) / allowed[i];
    if (!(ratio > greatest)) continue;
    greatest = ratio;
    worst = to_index(i);
  }
  if (worst < 0) return std::nullopt;
  return inconsistent(fmt::format(
      "The start values do not satisfy {} at t = {:.12g}: its residual is {:.3g}, and the "
      "tolerances allow {:.3g}.",
      system.row_name(worst), t, residual[to_size(worst)], allowed[to_size(worst)]));
}

/// Completes x and evaluates xp. Values off the manifold by more than the tolerances are refused.
std::optional<StepReport> check_start(const ExplicitSystem& system, std::vector<double>& x,
                                      std::vector<double>& xp, double t,
                                      const SolveOptions& options, Run& run) {
  const std::vector<double> given = x;
  if (system.has_complete()) {
    const Evaluation evaluation = system.complete(t, x, run);
    if (auto failed = failed_at_start(evaluation, x, system, t, run)) return failed;
  }
  std::vector<double> moved = x;
  std::vector<double> weights(x.size());
  integration::ErrorWeights(system, {.rtol = *options.rtol, .atol = options.atol})
      .compute(given, 0.0, weights);
  if (const Manifold* manifold = system.manifold()) {
    ++run.projections;
    const Evaluation evaluation = manifold->project(t, moved, weights, run);
    if (auto failed = failed_at_start(evaluation, moved, system, t, run)) return failed;
  }
  std::size_t worst = 0;
  double greatest = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = std::abs(moved[i] - given[i]) * weights[i];
    if (!(size > greatest)) continue;
    greatest = size;
    worst = i;
  }
  if (greatest > 1.0) {
    return inconsistent(fmt::format(
        "The start values do not satisfy the invariants at t = {:.12g}: {} = {:.12g} would have to "
        "be {:.12g}.",
        t, system.unknown_name(to_index(worst)), given[worst], moved[worst]));
  }
  return failed_at_start(system.rhs(t, x, run, xp), xp, system, t, run);
}

/// One call of integrate(): everything but the two kinds of systems.
class NativeRun {
 public:
  NativeRun(const System& system, const TimeSpan& span, const IntegrateOptions& given);

  [[nodiscard]] Run& run() { return *run_; }
  [[nodiscard]] const SolveOptions& options() const { return options_; }
  [[nodiscard]] Solution& solution() { return solution_; }
  [[nodiscard]] integration::StepOptions step_options() const {
    return solve_detail::step_options(options_, symmetric_projection_);
  }
  /// The integrator of a name; throws OptionError where `can_step` or the options exclude it.
  const IntegratorRow& choose(std::string_view name, bool (*can_step)(const Capabilities&)) const;
  struct Point {
    double t = 0.0;
    std::span<const double> x, xp;
  };
  /// Runs to the end, or to where the system turns out to be stiff.
  integration::DriveOutcome drive(const IntegratorRow& integrator, integration::Stepper& stepper,
                                  const Point& start, bool stop_when_stiff);
  /// The Solution; with a report, that of a run that never started.
  Solution finish(const std::optional<StepReport>& failed = std::nullopt);

 private:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - began_).count();
  }

  Clock::time_point began_ = Clock::now();
  const System& system_;
  TimeSpan span_;
  SolveOptions options_;
  bool symmetric_projection_;
  std::unique_ptr<Run> run_;
  std::shared_ptr<Solution::Dense> dense_;
  Solution solution_;
};

NativeRun::NativeRun(const System& system, const TimeSpan& span, const IntegrateOptions& given)
    : system_(system),
      span_(span),
      options_(as_options(given)),
      symmetric_projection_(given.symmetric_projection),
      run_(system.make_run()),
      dense_(given.dense_output ? std::make_shared<Solution::Dense>() : nullptr) {
  solve_detail::check_options(span_, options_);
  run_->stop = StopSignal::after(options_.time_limit, began_, options_.cancel);
  solution_.model_name = "system";
  solution_.method.used = "as given";
  solution_.integrator.requested = options_.integrator.name();
  solution_.rtol = *options_.rtol;
  solution_.atol = options_.atol;
  solution_.set_dense_output(dense_);
  for (Index j = 0; j < system.size(); ++j) solution_.names.push_back(system.unknown_name(j));
}

const IntegratorRow& NativeRun::choose(std::string_view name,
                                       bool (*can_step)(const Capabilities&)) const {
  const IntegratorRow& integrator = integration::find_integrator(name);
  solve_detail::check_steps(integrator, options_);
  integrator.check(options_.integrator);
  std::vector<std::string_view> able;
  for (const IntegratorRow& row : integration::integrator_rows()) {
    if (can_step(row.can)) able.push_back(row.name);
  }
  if (!can_step(integrator.can)) {
    throw OptionError(ErrorCode::illegal_combination,
                      fmt::format("The integrator '{}' cannot step this system; these can: {}.",
                                  name, fmt::join(able, ", ")));
  }
  if (symmetric_projection_ && !integrator.can.symmetric) {
    throw OptionError(
        ErrorCode::illegal_combination,
        fmt::format(
            "A symmetric projection needs a symmetric integrator, and '{}' is not symmetric.",
            name));
  }
  return integrator;
}

integration::DriveOutcome NativeRun::drive(const IntegratorRow& integrator,
                                           integration::Stepper& stepper, const Point& start,
                                           bool stop_when_stiff) {
  solution_.integrator.used = integrator.name;
  UnknownRecorder recorder(system_, dense_, solution_);
  integration::DriverOptions driver = solve_detail::driver_options(span_, options_);
  driver.origin = span_.start;
  driver.t0 = start.t;
  driver.steps_before = solution_.statistics.steps;
  driver.seconds_before = seconds();
  driver.stop_when_stiff = stop_when_stiff;
  integration::DriveOutcome outcome =
      integration::drive(system_, stepper, *run_, start.x, start.xp, driver, recorder);
  solution_.status = outcome.status;
  solution_.message = outcome.message;
  solution_.statistics += outcome.statistics;
  return outcome;
}

Solution NativeRun::finish(const std::optional<StepReport>& failed) {
  if (failed) {
    solution_.status = failed->status;
    solution_.message = failed->message;
  }
  solution_.warnings.insert(solution_.warnings.end(), run_->warnings.begin(), run_->warnings.end());
  solution_.statistics.wall_time = seconds();
  return std::move(solution_);
}

void require_size(const System& system, std::string_view what, std::size_t size) {
  if (size == to_size(system.size())) return;
  throw OptionError(ErrorCode::invalid_option,
                    fmt::format("The start gives {} values of {}, and the system has {} unknowns.",
                                size, what, system.size()));
}

/// The local errors of bdf add up along the constraints of systems of index 2 and 3, for each
/// oscillation some; radau controls them at the ends of its steps.
std::string_view usual_integrator(const ImplicitSystem& system) {
  const auto is_of_higher_index = [](const UnknownKind& kind) { return kind.index > 1; };
  const bool takes_radau =
      system.n_constraints() == 0 && std::ranges::any_of(system.kinds(), is_of_higher_index);
  return takes_radau ? Radau::name : Bdf::name;
}

}  // namespace

Solution integrate(const ImplicitSystem& system, const StartValues& start, const TimeSpan& span,
                   const IntegrateOptions& options) {
  require_size(system, "x", start.x.size());
  require_size(system, "x'", start.xp.size());
  NativeRun native(system, span, options);
  const IntegratorRow& integrator = native.choose(
      options.integrator.is_automatic() ? usual_integrator(system)
                                        : std::string_view(options.integrator.name()),
      system.n_constraints() > 0
          ? [](const Capabilities& can) { return can.overdetermined_systems; }
          : [](const Capabilities& can) { return can.implicit_systems; });
  const auto stepper = integrator.make_implicit(system, native.step_options(), options.integrator);
  if (auto failed = check_start(system, start, span.start, native.options(), native.run())) {
    return native.finish(failed);
  }
  native.drive(integrator, *stepper, {span.start, start.x, start.xp}, false);
  return native.finish();
}

Solution integrate(const ExplicitSystem& system, const std::vector<double>& start,
                   const TimeSpan& span, const IntegrateOptions& options) {
  require_size(system, "x", start.size());
  NativeRun native(system, span, options);
  const bool is_automatic = options.integrator.is_automatic();
  const auto can_step = [](const Capabilities& can) {
    return can.explicit_systems && !can.needs_series;
  };
  const IntegratorRow& integrator = native.choose(
      is_automatic ? Dop853::name : std::string_view(options.integrator.name()), can_step);
  auto stepper = integrator.make_explicit(system, native.step_options(), options.integrator);
  std::vector<double> x = start;
  std::vector<double> xp(x.size());
  if (auto failed = check_start(system, x, xp, span.start, native.options(), native.run())) {
    return native.finish(failed);
  }
  integration::DriveOutcome outcome =
      native.drive(integrator, *stepper, {span.start, x, xp}, is_automatic);
  Solution& solution = native.solution();
  const bool stopped = outcome.status == Status::success && outcome.t != span.stop;
  if (stopped) {
    const IntegratorRow& stiff = native.choose("bdf", can_step);
    solution.notices.push_back(
        fmt::format("At t = {:.6g} the system turned out to be stiff for '{}': from there on '{}'.",
                    outcome.t, integrator.name, stiff.name));
    stepper = stiff.make_explicit(system, native.step_options(), options.integrator);
    native.drive(stiff, *stepper, {outcome.t, outcome.x, outcome.xp}, false);
  } else if (outcome.is_stiff) {
    solution.warnings.push_back(solve_detail::stiffness_warning(integrator));
  }
  return native.finish();
}

}  // namespace daedal
