// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/system.hpp>
#include <limits>

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

double System::next_time_event(double, const Run&) const {
  return std::numeric_limits<double>::infinity();
}

Change System::on_event(double, std::span<const std::int64_t>, std::span<double>, std::span<double>,
                        Run&) const {
  return {};
}

Change System::after_step(double, std::span<double>, std::span<double>, const History&,
                          Run&) const {
  return {};
}

std::string ImplicitSystem::row_name(std::int64_t row) const {
  return "equation " + std::to_string(row + 1);
}

std::string ImplicitSystem::unknown_name(std::int64_t column) const {
  return "unknown " + std::to_string(column + 1);
}

Evaluation Manifold::add_normal(double, std::span<const double>, std::span<const double>,
                                std::span<double>, Run& run) const {
  run.failure = {Status::check_failed, -1, "This manifold has no normal directions."};
  return Evaluation::fatal;
}

Evaluation ExplicitSystem::jacobian(double, std::span<const double>, Run& run,
                                    std::span<double>) const {
  run.failure = {Status::check_failed, -1, "This system has no analytic Jacobian."};
  return Evaluation::fatal;
}

Evaluation ExplicitSystem::complete(double, std::span<double>, Run&) const {
  return Evaluation::ok;
}

}  // namespace daedal
