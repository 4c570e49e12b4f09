// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/checks/lost_digits.hpp"
#include "solve/method_choice.hpp"

namespace daedal::solve_detail {

namespace {

/// exp() of more is infinite.
constexpr double greatest_log = 700.0;

/// How far from its start a run has come.
double reach(const Solution& solution, const TimeSpan& span) {
  return solution.times.empty() ? 0.0 : std::abs(solution.times.back() - span.start);
}

Solution begun(const Model& model, const SolveOptions& options) {
  Solution solution;
  solution.model_name = model.name();
  for (const auto& variables : {model.variables(), model.discretes()}) {
    for (const Variable& variable : variables) {
      if (variable.causality == Causality::input) solution.inputs.push_back(variable.name);
      if (variable.causality == Causality::output) solution.outputs.push_back(variable.name);
    }
  }
  solution.rtol = *options.rtol;
  solution.atol = options.atol;
  solution.method.requested = options.method.name();
  solution.integrator.requested = options.integrator.name();
  return solution;
}

}  // namespace

RunRecord::RunRecord(std::shared_ptr<const Preparation> preparation, RunContext& context,
                     Solution begun)
    : solution(std::move(begun)),
      preparation_(std::move(preparation)),
      context_(context),
      recognitions_before_(formulation::Recognized::n_recognitions()),
      compilations_before_(kernel::Program::n_compilations()) {
  const Observer& o = context_.options.observer;
  if (o.on_begin || o.on_output || o.on_step || o.on_event || o.on_rewind) feed_.emplace(o);
  context_.feed = feed_ ? &*feed_ : nullptr;
  make_dense();
}

RunRecord::RunRecord(std::shared_ptr<const Preparation> preparation, RunContext& context)
    : RunRecord(preparation, context, begun(preparation->model(), context.options)) {}

RunRecord::RunRecord(std::shared_ptr<const Preparation> preparation, RunContext& context,
                     Checkpoint& checkpoint)
    : RunRecord(std::move(preparation), context, std::move(checkpoint.solution)) {
  log_growth_ = checkpoint.log_growth;
  neglected_ = checkpoint.neglected;
}

void RunRecord::make_dense() {
  const bool is_kept = context_.options.dense_output.value_or(context_.keeps_all());
  context_.dense = is_kept ? std::make_shared<Solution::Dense>() : nullptr;
  solution.set_dense_output(context_.dense);
}

void RunRecord::note_start(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    if (std::ranges::find(solution.notices, sentence) == solution.notices.end()) note(sentence);
  }
}

void RunRecord::begin_rows() {
  const bool has_bounds = !context_.reading->bounds.empty();
  if (!context_.keeps_all() || has_bounds) make_row_checks();
  context_.row_checks = context_.keeps_all() ? nullptr : &*row_checks_;
  context_.bound_checks = has_bounds ? &row_checks_->bounds() : nullptr;
}

void RunRecord::make_row_checks() {
  if (!row_checks_) row_checks_.emplace(*context_.reading, context_.parameters, solution.rtol);
}

void RunRecord::tell_rows() {
  if (!row_checks_) return;
  for (std::string& sentence : row_checks_->sentences()) {
    solution.warnings.push_back(std::move(sentence));
  }
  row_checks_.reset();
}

void RunRecord::add_growth(const GrowthEstimate& growth) {
  log_growth_ += growth.log_growth();
  neglected_ += growth.neglected();
  has_decayed_ = has_decayed_ || growth.has_decayed();
  has_regrown_ = has_regrown_ || growth.has_regrown();
  // std::min would take the place of a NaN.
  solution.error_growth = std::exp(log_growth_ > greatest_log ? greatest_log : log_growth_);
}

void RunRecord::start_again() {
  const bool is_furthest =
      !set_aside_ || reach(solution, context_.span) > reach(*set_aside_, context_.span);
  if (is_furthest) set_aside_ = solution;
  solution.times.clear();
  solution.values.clear();
  solution.events.clear();
  solution.constraints.clear();
  solution.warnings.clear();
  log_growth_ = 0.0;
  neglected_ = 0.0;
  has_decayed_ = has_regrown_ = false;
  row_checks_.reset();
  rewind(context_.span.start);
  make_dense();
}

void RunRecord::rewind(double t) {
  if (feed_) feed_->rewind(t);
}

void RunRecord::replace(Solution other) {
  const Statistics work = solution.statistics;
  solution = std::move(other);
  solution.statistics = work;
  set_aside_.reset();
  if (!feed_) return;
  rewind(context_.span.start);
  for (std::size_t k = 0; k < solution.n_rows(); ++k) {
    feed_->output(solution.times[k], solution.row(k));
  }
}

bool RunRecord::can_be_replaced() const {
  return context_.keeps_all() && !(feed_ && feed_->wants_more_than_rows());
}

void RunRecord::doubt_length(double n_steps, double factor) {
  if (long_run_excess(n_steps, factor) <= bearable_excess) return;
  length_doubt_ = {length_warning(n_steps), factor};
  solution.warnings.push_back(length_doubt_.warning);
}

/// A run that begins with short steps seems to be longer than it turns out to be.
void RunRecord::take_back_length_warning() {
  const auto n_steps = static_cast<double>(solution.statistics.steps);
  if (long_run_excess(n_steps, length_doubt_.factor) > bearable_excess) return;
  std::erase(solution.warnings, length_doubt_.warning);
}

void RunRecord::remember_stop() {
  stop_ = {.n_warnings = solution.warnings.size(), .n_notices = solution.notices.size()};
}

Solution RunRecord::before_stop() const {
  Solution computed = stop_->is_set_aside ? *set_aside_ : solution;
  computed.status = Status::success;
  computed.message.clear();
  computed.notices.resize(std::min(computed.notices.size(), stop_->n_notices));
  // What rows told that are not kept cannot be told again.
  if (context_.keeps_all()) {
    computed.warnings.resize(std::min(computed.warnings.size(), stop_->n_warnings));
  }
  return computed;
}

bool RunRecord::misses_digits() const {
  return has_regrown_ || (has_decayed_ && doubt() > smallest_doubt);
}

double RunRecord::doubt() const {
  // What has grown again are errors, unless another run tells otherwise.
  if (has_regrown_) return 1.0;
  return context_.options.fixed_step > 0.0 ? neglected_ : solution.error_growth * solution.rtol;
}

void RunRecord::finish() {
  keep_the_longest();
  if (context_.keeps_all()) {
    make_row_checks();
    row_checks_->look(solution);
  }
  tell_rows();
  take_back_length_warning();
}

void RunRecord::finish_counts() {
  Statistics& statistics = solution.statistics;
  statistics.recognitions = formulation::Recognized::n_recognitions() - recognitions_before_;
  statistics.compilations = kernel::Program::n_compilations() - compilations_before_;
  statistics.wall_time = context_.seconds();
}

/// When the last segment failed short of what an earlier one had reached: that one's values. What
/// the last one computed stays aside where a run can go on from there.
void RunRecord::keep_the_longest() {
  if (is_success(solution.status) || !set_aside_) return;
  Solution& aside = *set_aside_;
  if (aside.status == Status::impasse_point || aside.status == Status::impulse) {
    // No method got past the fold or the event, so this is reported.
    constexpr double same_place = 1e-3;
    const double here = reach(aside, context_.span);
    if (std::abs(reach(solution, context_.span) - here) <= same_place * here) {
      solution.status = aside.status;
      solution.message = aside.message;
    }
  }
  if (reach(aside, context_.span) <= reach(solution, context_.span)) return;
  note(fmt::format(
      "'{}' stopped sooner than '{}' with '{}' before it, which came to t = {:.6g}: the values are "
      "those of the latter.",
      solution.method.used, aside.method.used, aside.integrator.used, aside.times.back()));
  aside.status = solution.status;
  aside.message = solution.message;
  aside.notices = solution.notices;
  aside.statistics = solution.statistics;
  std::swap(solution, aside);
  if (stop_) {
    stop_->is_set_aside = true;
  } else {
    set_aside_.reset();
  }
}

}  // namespace daedal::solve_detail
