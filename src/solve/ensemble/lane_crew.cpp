// SPDX-License-Identifier: BSD-3-Clause
#include "solve/ensemble/lane_crew.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <daedal/error.hpp>
#include <utility>

#include "model/variants.hpp"
#include "solve/problem_impl.hpp"

namespace daedal {

namespace {

using Clock = std::chrono::steady_clock;
using solve_detail::Candidate;
using solve_detail::LaneMember;
using solve_detail::PreparedRun;
using solve_detail::RunContext;

/// After this many members it is decided whether lanes pay. They do while less than
/// `bearable_share` of the members leave them, since those are run twice.
constexpr std::size_t n_tried = 32;
constexpr double bearable_share = 0.3;
/// After this many failures without a search, every start is searched for.
constexpr std::size_t most_searched = 4;

const integration::Tableau* tableau_of(const integration::IntegratorRow& integrator) {
  if (integrator.name == Dop853::name) return &integration::dormand_prince853();
  if (integrator.name == Dopri5::name) return &integration::dormand_prince5();
  return nullptr;
}

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

solve_detail::StartPoint start_of(const RunContext& context) {
  return {&context.reading->prepared, context.parameters, context.span.start};
}

/// The first candidate that fits the model, if what passes over those before it are not numbers:
/// then it is the first one for every member.
std::optional<PreparedRun> first_by_structure(const RunContext& context) {
  const std::size_t n = context.reading->prepared.model().variables().size();
  for (const Candidate& candidate : solve_detail::candidates(
           context.options, context.reading->prepared, context.may_take_series)) {
    if (candidate.is_for_singular || n > candidate.max_unknowns) continue;
    auto run = try_prepare_run(candidate, start_of(context), context);
    if (run) return std::move(*run);
    if (!solve_detail::does_not_fit(run.code())) return std::nullopt;
  }
  return std::nullopt;
}

bool is_ready(const PreparedRun& run, const RunContext& context) {
  return run.start.status == Status::success &&
         !may_hide_mechanics(run, *context.reading, context) && LaneMember::fits(run, context);
}

}  // namespace

Ensemble::LaneCrew::LaneCrew(const Ensemble& ensemble, const EnsembleOptions& options)
    : ensemble_(ensemble), options_(options) {}

LaneReport Ensemble::LaneCrew::report() const {
  RunContext context = ensemble_.context_of(0, options_);
  const auto preparation = ensemble_.problem_.impl_->preparation_for(context);
  context.reading = &preparation->shortened();
  LaneReport report;
  report.has_lanes = make_shared(preparation, context) != nullptr;
  context.may_take_series = true;
  const auto usual = first_by_structure(context);
  report.leaves_out_series =
      usual && usual->integrator->name == TaylorSteps::name && context.is_automatic();
  if (report.leaves_out_series) {
    report.message =
        "Taylor series, which auto takes at this tolerance otherwise, have no lanes: every member "
        "is integrated by another method, the same with and without lanes.";
  }
  if (!report.has_lanes) {
    report.message += fmt::format(
        "{}Every member is run by itself: lanes are for dop853 and dopri5, with error "
        "control, in models without events and delays.",
        report.message.empty() ? "" : " ");
  }
  return report;
}

std::unique_ptr<Ensemble::LaneCrew::Shared> Ensemble::LaneCrew::make_shared(
    const std::shared_ptr<const solve_detail::Preparation>& preparation,
    const RunContext& context) const {
  auto run = first_by_structure(context);
  if (!run || !is_ready(*run, context)) return nullptr;
  const auto* source = dynamic_cast<const LaneSource*>(run->formulation->explicit_system.get());
  const integration::Tableau* tableau = tableau_of(*run->integrator);
  if (source == nullptr || tableau == nullptr) return nullptr;
  auto shared = std::make_unique<Shared>();
  if (has_delays(run->from.model->model())) return nullptr;
  shared->lanes = source->make_lanes();
  if (!shared->lanes) return nullptr;
  shared->preparation = preparation;
  shared->candidate = run->candidate;
  shared->formulation = run->formulation;
  shared->integrator = run->integrator;
  shared->map = std::make_shared<const solve_detail::OutputMap>(
      run->formulation, context.reading->simplified, context.options.columns);
  shared->steps.emplace(*run->formulation->explicit_system, *shared->lanes, *tableau);
  return shared;
}

bool Ensemble::LaneCrew::seat_run(std::size_t member, Seat& seat) {
  auto context = std::make_unique<RunContext>(ensemble_.context_of(member, options_));
  const auto preparation = ensemble_.problem_.impl_->preparation_for(*context);
  if (preparation->parameters() != context->parameters &&
      !preparation->holds_for(context->parameters)) {
    return false;
  }
  context->reading = &preparation->shortened();
  if (!shared_) shared_ = make_shared(preparation, *context);
  if (!shared_ || shared_->preparation != preparation) return false;
  const auto prepare = [&](solve_detail::StartSearch search) {
    return prepare_run(shared_->candidate, start_of(*context), *context, search);
  };
  const bool takes_start = shared_->n_searched < most_searched;
  PreparedRun run =
      prepare(takes_start ? solve_detail::StartSearch::none : solve_detail::StartSearch::full);
  if (takes_start && run.start.status != Status::success) {
    ++shared_->n_searched;
    run = prepare(solve_detail::StartSearch::full);
  }
  return seat_run(std::move(run), std::move(context), seat);
}

bool Ensemble::LaneCrew::seat_run(PreparedRun run, std::unique_ptr<const RunContext> context,
                                  Seat& seat) {
  if (run.formulation != shared_->formulation || run.integrator != shared_->integrator ||
      !is_ready(run, *context)) {
    return false;
  }
  const auto lane = static_cast<std::size_t>(&seat - seats_.data());
  seat.run.emplace(std::move(run), std::move(context), shared_->map,
                   LaneMember::Place{*shared_->steps, lane}, !options_.times.empty());
  return seat.run->state() == LaneMember::State::under_way;
}

bool Ensemble::LaneCrew::seat(std::size_t member, Seat& seat) {
  const auto began = Clock::now();
  seat.result = {.member = member};
  bool is_seated = false;
  try {
    is_seated = seat_run(member, seat);
  } catch (const Error&) {
    // The run by itself says what is wrong.
  }
  if (!is_seated) seat.run.reset();
  seat.result.seconds = seconds_since(began);
  return is_seated;
}

bool Ensemble::LaneCrew::begin_again(Seat& seat) {
  try {
    const Candidate candidate = seat.run->sharper();
    auto context = seat.run->take_context();
    seat.run.reset();
    PreparedRun run = prepare_run(candidate, start_of(*context), *context);
    return seat_run(std::move(run), std::move(context), seat);
  } catch (const Error&) {
    return false;
  }
}

void Ensemble::LaneCrew::finish(Seat& seat) const {
  MemberResult& result = seat.result;
  const double last = ensemble_.span_.stop;
  result.is_success = true;
  result.in_lanes = true;
  result.reason = to_string(Status::success);
  result.message = integration::end_message(last);
  ensemble_.read_values(
      options_, {.last = last, .row = seat.run->values()},
      [&](double t, std::span<double> row) { seat.run->values_at(t, row); }, result);
}

bool Ensemble::LaneCrew::pays() const {
  const std::size_t n = n_done_ + n_left_;
  return options_.engine == EnsembleEngine::lanes || n < n_tried ||
         static_cast<double>(n_left_) < bearable_share * static_cast<double>(n);
}

bool Ensemble::LaneCrew::fill(Seat& one, bool may_wait, const Next& next,
                              const std::function<void(MemberResult)>& take) {
  while (pays()) {
    const auto member = next(may_wait);
    if (!member) return false;
    if (seat(*member, one)) return true;
    ++n_left_;
    take(ensemble_.solve_member(*member, options_));
  }
  return false;
}

/// Where the ensemble is cancelled, those under way are given up.
void Ensemble::LaneCrew::work(const Next& next, const std::function<void(MemberResult)>& take) {
  std::size_t n_seated = 0;
  for (;;) {
    for (Seat& one : seats_) {
      if (one.run) continue;
      if (!fill(one, n_seated == 0, next, take)) break;
      ++n_seated;
    }
    if (n_seated == 0) return;
    const auto began = Clock::now();
    for (Seat& one : seats_) {
      if (one.run) one.run->propose();
    }
    shared_->steps->attempt();
    for (Seat& one : seats_) {
      if (one.run) one.run->judge();
    }
    shared_->steps->project();
    for (Seat& one : seats_) {
      if (one.run) one.run->complete();
    }
    const double share = seconds_since(began) / static_cast<double>(n_seated);
    for (Seat& one : seats_) {
      if (options_.cancel != nullptr && *options_.cancel) return;
      if (!one.run) continue;
      one.result.seconds += share;
      const LaneMember::State state = one.run->state();
      if (state == LaneMember::State::under_way) continue;
      if (state == LaneMember::State::is_long && begin_again(one)) continue;
      --n_seated;
      if (state == LaneMember::State::done) {
        ++n_done_;
        const auto ended = Clock::now();
        finish(one);
        one.run.reset();
        one.result.seconds += seconds_since(ended);
        take(std::move(one.result));
      } else {
        ++n_left_;
        one.run.reset();
        take(ensemble_.solve_member(one.result.member, options_));
      }
    }
  }
}

}  // namespace daedal
