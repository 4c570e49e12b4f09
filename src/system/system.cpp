// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/system.hpp>

#include <daedal/error.hpp>
#include <limits>
#include <utility>

#include "system/differences.hpp"

namespace daedal {

Run::~Run() = default;
History::~History() = default;
System::~System() = default;
Manifold::~Manifold() = default;

std::unique_ptr<Run> System::make_run() const {
  return std::make_unique<Run>();
}
std::span<const UnknownKind> System::kinds() const {
  return {};
}
std::span<const double> System::nominals() const {
  return {};
}
std::string System::unknown_name(std::int64_t column) const {
  return "x[" + std::to_string(column + 1) + "]";
}
std::int64_t System::n_events() const {
  return 0;
}
std::span<const Crossing> System::crossings() const {
  return {};
}

Evaluation System::event_functions(double, std::span<const double>, std::span<const double>, Run&,
                                   std::span<double>) const {
  return Evaluation::ok;
}

bool System::is_smooth_event(double, const Run&) const {
  return false;
}

double System::next_time_event(double, const Run&) const {
  return std::numeric_limits<double>::infinity();
}

Change System::on_event(double, std::span<const std::int64_t>, std::span<double>, std::span<double>,
                        Run&) const {
  return {};
}

Change System::on_stuck(double, std::span<double>, std::span<double>, Run&) const {
  return {};
}

Change System::after_step(double, std::span<double>, std::span<double>, const History&,
                          Run&) const {
  return {};
}

std::string ImplicitSystem::row_name(std::int64_t row) const {
  return "equation " + std::to_string(row + 1);
}

const SparsityPattern& ImplicitSystem::pattern() const {
  const std::lock_guard lock(full_pattern_mutex_);
  if (!full_pattern_) {
    SparsityPattern full;
    full.rows = size() + n_constraints();
    full.columns = size();
    for (std::int64_t j = 0; j <= full.columns; ++j) full.column_start.push_back(j * full.rows);
    for (std::int64_t k = 0; k < full.rows * full.columns; ++k) full.row.push_back(k % full.rows);
    full_pattern_ = std::move(full);
  }
  return *full_pattern_;
}

Evaluation ImplicitSystem::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                                    Run& run, std::span<double> f_x, std::span<double> f_xp) const {
  Differences& differences = differences_of(run, pattern());
  const Evaluation evaluation = differences.evaluate(
      x, nominals(),
      [&](std::span<const double> moved, std::span<double> values) {
        return residual(t, moved, xp, run, values);
      },
      run, f_x);
  if (evaluation != Evaluation::ok) return evaluation;
  return differences.evaluate(
      xp, nominals(),
      [&](std::span<const double> moved, std::span<double> values) {
        return residual(t, x, moved, run, values);
      },
      run, f_xp);
}

Evaluation Manifold::add_normal(double, std::span<const double>, std::span<const double>,
                                std::span<double>, Run&) const {
  throw Error(ErrorCode::internal,
              "A manifold without add_normal() was given to a symmetric projection.");
}

Evaluation ExplicitSystem::jacobian(double, std::span<const double>, Run&,
                                    std::span<double>) const {
  throw Error(ErrorCode::internal,
              "An explicit system without an analytic Jacobian was asked for it.");
}

Evaluation ExplicitSystem::complete(double, std::span<double>, Run&) const {
  return Evaluation::ok;
}

}  // namespace daedal
