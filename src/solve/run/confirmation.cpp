// SPDX-License-Identifier: BSD-3-Clause
#include "solve/run/confirmation.hpp"

#include <algorithm>
#include <utility>

#include "model/usage.hpp"
#include "solve/checks/lost_digits.hpp"
#include "solve/run/segmented_run.hpp"

namespace daedal::solve_detail {

namespace {

/// The factor of a fixed step in the run that shows whether the step is short enough.
constexpr double shorter_step = 0.5;
constexpr double sharpest_rtol = 1e-14;

enum class Purpose { replace, compare };

/// The same problem from the start, with tolerances that are sharper by a factor.
Solution run_again(const FinishedRun& first, double sharper, Purpose purpose) {
  RunContext context = first.context;
  context.is_confirmation = true;
  context.dense.reset();
  context.row_checks = nullptr;
  context.bound_checks = nullptr;
  SolveOptions& options = context.options;
  if (purpose == Purpose::compare) {
    // A run that replaces the first one has to tell how its result came about; this one has not.
    context.proven = first.last_from_start;
    options.dense_output = false;
  }
  options.on_progress = {};
  options.log = {};
  options.observer = {};
  if (options.fixed_step > 0.0) {
    options.fixed_step *= shorter_step;
  } else {
    options.rtol = std::max(sharper * *options.rtol, sharpest_rtol);
    options.atol *= sharper;
  }
  SegmentedRun run(first.preparation, std::move(context));
  while (run.segment() != nullptr) run.advance();
  return std::move(run.solution());
}

/// A state that grows again after it was below its absolute tolerance then lacks digits. The run is
/// replaced by one with tolerances that follow the state down.
void follow_regrown(const FinishedRun& first) {
  RunRecord& record = first.record;
  const Status status = record.solution.status;
  const bool has_ended = status == Status::success || info(status).may_be_singularity;
  if (!has_ended || !record.misses_digits() || !record.can_be_replaced() ||
      !first.context.follows_scales) {
    return;
  }
  auto again = Expected<Solution>::from([&] { return run_again(first, 1.0, Purpose::replace); });
  if (!again || again->status != Status::success) return;
  again->notices.push_back(
      "A state that has decayed grows again: the run was made once more, with tolerances that "
      "follow it.");
  record.replace(std::move(*again));
}

}  // namespace

void confirm(const FinishedRun& first) {
  // A second run must not call code of the user again.
  if (first.context.is_confirmation || first.context.stop.is_raised() ||
      has_action(first.preparation->model(), WhenAction::Kind::call)) {
    return;
  }
  follow_regrown(first);
  if (first.record.solution.status != Status::success || first.context.stop.is_raised()) return;
  const Doubt doubt{.size = first.record.doubt(),
                    .is_of_step = first.context.options.fixed_step > 0.0};
  tell_lost_digits(
      doubt, first.preparation->model(),
      [&](double sharper) { return run_again(first, sharper, Purpose::compare); },
      first.record.solution);
}

}  // namespace daedal::solve_detail
