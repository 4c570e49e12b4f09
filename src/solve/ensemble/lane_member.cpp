// SPDX-License-Identifier: BSD-3-Clause
#include "solve/ensemble/lane_member.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/checks/lost_digits.hpp"
#include "solve/integrator_choice.hpp"

namespace daedal::solve_detail {

namespace {

integration::StepOptions lane_options(const PreparedRun& run) {
  integration::StepOptions step = step_options(run.options, false);
  step.follows_scales = run.follows_scales;
  return step;
}

}  // namespace

bool LaneMember::fits(const PreparedRun& run, const RunContext& context) {
  const ExplicitSystem* system = run.formulation->explicit_system.get();
  const SolveOptions& options = run.options;
  const bool is_plain = options.fixed_step == 0.0 && options.stop_times.empty() &&
                        std::isinf(options.time_limit) && !options.on_progress && !options.log &&
                        !run.candidate.method->symmetric_projection;
  return is_plain && system != nullptr && !system->has_complete() && system->n_events() == 0 &&
         !run.run->has_end_event && !run.candidate.ignores_scales &&
         context.span.stop != context.span.start &&
         std::isinf(system->next_time_event(context.span.start, *run.run));
}

LaneMember::LaneMember(PreparedRun run, std::unique_ptr<const RunContext> context,
                       std::shared_ptr<const OutputMap> map, const Place& place, bool is_dense)
    : LaneMember(std::move(run), std::move(context), std::move(map), place, is_dense,
                 std::make_unique<integration::LaneScheme>(*run.formulation->explicit_system,
                                                           place.steps, place.lane)) {}

LaneMember::LaneMember(PreparedRun&& run, std::unique_ptr<const RunContext>&& context,
                       std::shared_ptr<const OutputMap>&& map, const Place& place, bool is_dense,
                       std::unique_ptr<integration::LaneScheme> scheme)
    : run_(std::move(run)),
      context_(std::move(context)),
      map_(std::move(map)),
      place_(place),
      system_(*run_.formulation->explicit_system),
      options_(driver_options(run_, *context_)),
      weights_(system_, {.rtol = options_.rtol, .atol = options_.atol}),
      scheme_(scheme.get()),
      stepper_(system_, std::move(scheme), lane_options(run_)),
      check_(make_check(run_, context_->options)),
      watch_(make_watch(run_, *context_, map_)),
      dense_(is_dense ? std::make_shared<Solution::Dense>() : nullptr),
      workspace_(map_->make_workspace()),
      all_(map_->names().size()),
      row_(map_->n_columns()),
      t_(options_.t0),
      x_(run_.start.x),
      xp_(run_.start.xp),
      projection_weights_(x_.size()) {
  if (dense_) dense_->begin_leg(map_);
  if (GrowthEstimate::is_possible(system_)) {
    for (std::size_t j = 0; j < x_.size(); ++j) projection_weights_[j] = std::abs(x_[j]);
    growth_.emplace(system_, projection_weights_);
  }
  read_values();
  stepper_.start(t_, x_, xp_, *run_.run, options_.t1);
  if (run_.follows_scales) {
    carried_.emplace(map_, context_->reading->simplified.model,
                     CarriedError::Options{.rtol = *run_.options.rtol, .atol = run_.options.atol});
    carried_->begin(stepper_, context_->span.stop, *run_.run);
  }
  place_.steps.take(place_.lane, *run_.run);
  if (system_.rhs(t_, x_, *run_.run, xp_) != Evaluation::ok) leave();
}

void LaneMember::propose() {
  place_.steps.set(place_.lane,
                   {.t = t_, .h = stepper_.next_step(options_.t1), .x = x_, .xp = xp_});
}

/// Accepted steps as Drive::complete_step() and Recorder::on_step() have them.
void LaneMember::judge() {
  step_ = stepper_.try_step(options_.t1);
  if (scheme_->has_failed()) return leave();
  if (!step_) return;
  if (!is_success(step_->status)) return leave();
  Run& run = *run_.run;
  const integration::Ray end{step_->t1, stepper_.x(), stepper_.xp()};
  if (watch_ && watch_->inspect({t_, x_, xp_}, end, stepper_, run) != nullptr) return leave();
  ++n_steps_;
  if (dense_) dense_->add_step(step_->t0, step_->t1, step_->order, stepper_, run);
  if (check_) check_->look(*step_, stepper_, *run_.formulation, run);
  if (growth_ && !growth_->follow(*step_, stepper_, run)) return leave();
  t_ = step_->t1;
  std::ranges::copy(stepper_.x(), x_.begin());
  std::ranges::copy(stepper_.xp(), xp_.begin());
  if (system_.manifold() == nullptr) return;
  weights_.compute(x_, 0.0, projection_weights_);
  place_.steps.set_end(place_.lane, {.t = t_, .x = x_, .weights = projection_weights_});
}

void LaneMember::complete() {
  if (!step_ || state_ != State::under_way) return;
  Run& run = *run_.run;
  if (system_.manifold() != nullptr) {
    if (!place_.steps.read_end(place_.lane, x_, xp_)) return leave();
    stepper_.replace_state(x_, xp_);
  }
  if (system_.after_step(t_, x_, xp_, stepper_, run).kind != Change::Kind::none) return leave();
  place_.steps.accept(place_.lane);
  read_values();
  if (carried_) carried_->look(stepper_, run);
  look_ahead();
  if (scheme_->has_failed() || !run.warnings.empty()) leave();
  if (t_ == options_.t1 && state_ == State::under_way) conclude();
}

void LaneMember::read_values() {
  map_->evaluate(t_, x_, xp_, *run_.run, all_, row_, workspace_);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(all_, is_finite)) leave();
}

/// What makes the driver and a segment think of another method, or another tolerance.
void LaneMember::look_ahead() {
  const double left = std::abs(options_.t1 - t_);
  const auto n = static_cast<double>(n_steps_);
  bool is_long = n_steps_ >= options_.max_steps || n > run_.candidate.most_steps;
  if (n_steps_ == integration::pilot_steps) {
    projected_steps_ = n * (options_.t1 - options_.t0) / (t_ - options_.t0);
    step_room_ = static_cast<double>(options_.max_steps - n_steps_) / projected_steps_;
    if (projected_steps_ > options_.max_projected_steps && step_room_ >= integration::least_room) {
      state_ = State::is_long;
    }
  }
  if (n_steps_ % steps_per_settled_look == 0) {
    const double way = std::abs(t_ - std::exchange(time_of_look_, t_));
    is_long = is_long || !std::isinf(options_.max_steps_left) ||
              left / way * static_cast<double>(steps_per_settled_look) > most_steps_left;
  }
  const bool is_stiff = stepper_.is_stiff() && options_.stop_when_stiff &&
                        left / std::abs(step_->t1 - step_->t0) >= options_.steps_worth_a_change;
  if (is_long || is_stiff) leave();
}

Candidate LaneMember::sharper() const {
  return sharpened(run_.candidate, projected_steps_, step_room_);
}

/// If this run has something to report at its end, the run that it stands for is made instead.
void LaneMember::conclude() {
  if (check_) check_->finish(stepper_, *run_.formulation, *run_.run);
  const bool is_doubted = check_ && (!check_->verdict().message.empty() || !check_->jump().empty());
  const bool is_undefined = watch_ && watch_->undefined_output();
  const bool has_lost_digits =
      growth_ && std::exp(growth_->log_growth()) * *context_->options.rtol > smallest_doubt;
  state_ = is_doubted || is_undefined || has_lost_digits ? State::has_left : State::done;
}

void LaneMember::values_at(double t, std::span<double> row) const {
  dense_->evaluate(t, Solution::Dense::Side::right, row);
}

}  // namespace daedal::solve_detail
