// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/regularized/hessenberg_monitor.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "linalg/dense/rank.hpp"

namespace daedal::formulation {

namespace {

/// A step that the error test accepts is looked at in so many parts.
constexpr int n_parts = 4;

}  // namespace

HessenbergMonitor::HessenbergMonitor(const HessenbergContext& context, double t0,
                                     std::span<const double> x, HessenbergRun& run)
    : context_(context), state_(x.size()) {
  if (!context_.product(t0, x, run)) return;
  const linalg::RankDecision decision = linalg::decide_rank(run.solver.front().product());
  rank_ = decision.rank;
  if (decision.largest > 0.0) scale_ = decision.largest;
  last_ = {t0, measure(t0, x, run)};
}

double HessenbergMonitor::measure(double t, std::span<const double> x, HessenbergRun& run) {
  if (!context_.product(t, x, run)) return std::numeric_limits<double>::quiet_NaN();
  return linalg::svd(run.solver.front().product()).s(rank_ - 1) / scale_;
}

void HessenbergMonitor::after_step(double t, std::span<const double> x, const History& history,
                                   HessenbergRun& run) {
  if (rank_ == 0 || t == last_.t) return;
  const NearZeroScan::Sample begin = last_;
  last_ = {t, measure(t, x, run)};
  if (std::isnan(begin.square) || std::isnan(last_.square)) return;
  const auto square = [&](double at) {
    history.derivative(at, 0, state_);
    return measure(at, state_, run);
  };
  for (const double at : scan_.find(begin, last_, n_parts, square)) {
    run.warnings.push_back(fmt::format(
        "A singularity was passed at t = {:.8g}: the rank of GB, which determines the algebraic "
        "variables, drops there below {}. The run continued on the smooth solution; the algebraic "
        "variables may be unbounded there.",
        at, rank_));
  }
}

}  // namespace daedal::formulation
