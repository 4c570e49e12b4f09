// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/ensemble.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/output_grid.hpp>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "model/usage.hpp"
#include "model/variants.hpp"
#include "solve/ensemble/lane_crew.hpp"
#include "solve/problem_impl.hpp"

namespace daedal {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Names that no run could take are refused before the first one.
void check_names(const Model& model, const std::vector<std::string>& parameters,
                 const std::vector<std::string>& start_values) {
  for (const std::string& name : parameters) {
    const auto is_it = [&](const Parameter& parameter) { return parameter.name == name; };
    const auto found = std::ranges::find_if(model.parameters(), is_it);
    const bool is_free = found != model.parameters().end() && !found->constant;
    if (!is_free) (void)model.parameter_values({{name, 0.0}});  // says why not
    refuse_unused(model, {{name, 0.0}});
  }
  (void)with_start_parameters(model, start_values);
}

std::vector<std::string> names_in(const Overrides& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

void check_members(const Members& members) {
  if (members.values.size() != members.count * members.n_columns()) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("{} members of {} columns have {} values, not {}.", members.count,
                                  members.n_columns(), members.count * members.n_columns(),
                                  members.values.size()));
  }
}

}  // namespace

Ensemble::Ensemble(Problem problem, const TimeSpan& span, Members members)
    : problem_(std::move(problem)), span_(span), members_(std::move(members)) {
  const Model& model = problem_.model();
  check_members(members_);
  check_names(model, members_.parameters, members_.start_values);
  const SolveOptions& fixed = problem_.options();
  check_names(model, names_in(fixed.parameters), names_in(fixed.start_values));
  for (const auto& variables : {model.variables(), model.discretes()}) {
    for (const Variable& variable : variables) {
      // Hidden memory variables are not results.
      if (!variable.name.starts_with('$')) names_.push_back(variable.name);
    }
  }
}

EnsembleEngine ensemble_engine(const std::string& name) {
  if (name == "auto") return EnsembleEngine::automatic;
  if (name == "threads") return EnsembleEngine::threads;
  if (name == "lanes") return EnsembleEngine::lanes;
  throw OptionError(
      ErrorCode::invalid_option,
      fmt::format("There is no engine '{}' of ensembles: use auto, threads or lanes.", name));
}

SolveOptions Ensemble::member_options(const EnsembleOptions& options) {
  SolveOptions run = options.run;
  run.cancel = options.cancel;
  run.dense_output = !options.times.empty();
  run.columns.clear();  // names_ are those of all
  run.keep_rows = true;
  run.interval = every_step;
  run.observer = {};  // it would be called by several threads
  return run;
}

/// NaN where the run did not get.
void Ensemble::read_values(const EnsembleOptions& options, const End& end,
                           const std::function<void(double t, std::span<double> row)>& at,
                           MemberResult& result) const {
  const std::size_t n_times = options.times.empty() ? 1 : options.times.size();
  result.values.assign(n_times * names_.size(), nan);
  const double direction = span_.stop < span_.start ? -1.0 : 1.0;
  for (std::size_t i = 0; i < n_times && !end.row.empty(); ++i) {
    const double t = options.times.empty() ? span_.stop : options.times[i];
    // A run that its model has ended has its values there.
    const bool is_end = t == end.last || (options.times.empty() && result.is_success);
    const std::span<double> row(result.values.data() + i * names_.size(), names_.size());
    if (is_end) {
      std::ranges::copy(end.row, row.begin());
    } else if (direction * (t - end.last) < 0.0) {
      at(t, row);
    } else {
      break;
    }
  }
}

solve_detail::RunContext Ensemble::context_of(std::size_t member,
                                              const EnsembleOptions& options) const {
  solve_detail::RunContext context =
      problem_.impl_->context_of(span_, members_.run_values(member), member_options(options));
  context.may_take_series = options.engine != EnsembleEngine::lanes;
  return context;
}

LaneReport Ensemble::lane_report(const EnsembleOptions& options) const {
  if (members_.count == 0) return {};
  EnsembleOptions asked = options;
  asked.engine = EnsembleEngine::lanes;
  try {
    return LaneCrew(*this, asked).report();
  } catch (const OptionError&) {
    throw;
  } catch (const Error&) {
    return {};  // the member says what is wrong with it
  }
}

MemberResult Ensemble::solve_member(std::size_t member, const EnsembleOptions& options) const {
  const auto began = std::chrono::steady_clock::now();
  MemberResult result{.member = member};
  try {
    const auto simulation = problem_.impl_->start(context_of(member, options));
    while (simulation->step()) {
    }
    const Solution solution = simulation->take_solution();
    result.is_success = daedal::is_success(solution.status);
    result.reason = to_string(solution.status);
    result.message = solution.message;
    const End end = solution.n_rows() == 0
                        ? End{}
                        : End{solution.times.back(), solution.row(solution.n_rows() - 1)};
    read_values(
        options, end, [&](double t, std::span<double> row) { solution.after(t, row); }, result);
  } catch (const OptionError&) {
    throw;  // no other member would fare better
  } catch (const Error& error) {
    read_values(options, {}, {}, result);
    result.reason = to_string(error.code());
    result.message = error.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

void Ensemble::work(const EnsembleOptions& options, const Next& next,
                    const std::function<void(MemberResult)>& take) const {
  // Fewer members do not fill the lanes.
  constexpr std::size_t fewest_members = 16;
  const bool tries_lanes = options.engine == EnsembleEngine::automatic
                               ? members_.count >= fewest_members
                               : options.engine == EnsembleEngine::lanes;
  if (tries_lanes) LaneCrew(*this, options).work(next, take);
  while (const auto member = next(true)) take(solve_member(*member, options));
}

void Ensemble::run(const EnsembleOptions& given,
                   const std::function<void(MemberResult)>& take) const {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> cancel{false};
  EnsembleOptions options = given;
  if (options.cancel == nullptr) options.cancel = &cancel;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto next_member = [&](bool) -> std::optional<std::size_t> {
    for (std::size_t i = next++; i < members_.count && !cancel; i = next++) {
      if (!options.is_done || !options.is_done(i)) return i;
    }
    return std::nullopt;
  };
  const auto take_one = [&](MemberResult result) {
    const std::lock_guard lock(mutex);
    take(std::move(result));
    if (*options.cancel) cancel = true;
  };
  const auto work_on = [&] {
    try {
      work(options, next_member, take_one);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      cancel = true;
    }
  };
  const unsigned available = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted =
      options.workers > 0 ? static_cast<std::size_t>(options.workers) : available;
  const std::size_t n_threads = std::min(wanted, std::max<std::size_t>(1, members_.count));
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < n_threads; ++i) threads.emplace_back(work_on);
  } catch (const std::exception&) {
    // The system gives no more of them: those that there are do the work.
  }
  work_on();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

EnsembleResult Ensemble::solve(const EnsembleOptions& options) const {
  EnsembleResult result{.members = members_,
                        .names = names_,
                        .times = options.times.empty() ? std::vector{span_.stop} : options.times};
  result.results.resize(members_.count);
  for (std::size_t i = 0; i < members_.count; ++i) {
    result.results[i] = {.member = i,
                         .reason = std::string(to_string(Status::cancelled)),
                         .message = "The ensemble was cancelled before this run.",
                         .values = std::vector<double>(result.times.size() * names_.size(), nan)};
  }
  run(options, [&](MemberResult one) {
    const std::size_t member = one.member;
    result.results[member] = std::move(one);
  });
  return result;
}

std::vector<VariableStatistics> statistics(const EnsembleResult& result) {
  std::vector<VariableStatistics> list;
  for (std::size_t t = 0; t < result.times.size(); ++t) {
    for (std::size_t v = 0; v < result.names.size(); ++v) {
      VariableStatistics one{.name = result.names[v], .time = result.times[t]};
      for (std::size_t m = 0; m < result.results.size(); ++m) {
        const double value = result.value(m, t, v);
        if (result.results[m].is_success && std::isfinite(value)) one.sorted.push_back(value);
      }
      std::ranges::sort(one.sorted);
      const auto n = static_cast<double>(one.sorted.size());
      // From the least value on, so that equal values have themselves as their mean.
      double above = 0.0;
      for (const double value : one.sorted) above += value - one.sorted.front();
      one.mean = one.sorted.empty() ? nan : one.sorted.front() + above / n;
      double squares = 0.0;
      for (const double value : one.sorted) squares += (value - one.mean) * (value - one.mean);
      one.deviation = one.sorted.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0;
      list.push_back(std::move(one));
    }
  }
  return list;
}

double VariableStatistics::quantile(double p) const {
  if (sorted.empty()) return nan;
  const double place = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  if (i + 1 >= sorted.size()) return sorted.back();
  return sorted[i] + (place - static_cast<double>(i)) * (sorted[i + 1] - sorted[i]);
}

}  // namespace daedal
