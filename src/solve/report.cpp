// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/solution.hpp>
#include <iterator>

#include "solve/report_lines.hpp"

namespace daedal {

namespace {

std::string describe(const RequestedUsed& choice) {
  if (choice.requested == choice.used || choice.requested.empty()) return choice.used;
  return fmt::format("{} (asked for: {})", choice.used, choice.requested);
}

}  // namespace

std::string Solution::brief_report() const {
  const double end = times.empty() ? 0.0 : times.back();
  return fmt::format("{}: {} at t = {:g}, {} steps, {:.3g} s ({}, {})", model_name,
                     to_string(status), end, statistics.steps, statistics.wall_seconds, method.used,
                     integrator.used);
}

std::string Solution::full_report() const {
  std::string text;
  const auto out = std::back_inserter(text);
  solve_detail::append_outcome(*this, text);
  fmt::format_to(out, "method       {}\n", describe(method));
  fmt::format_to(out, "integrator   {}\n", describe(integrator));
  fmt::format_to(out, "tolerances   rtol {:g}, atol {:g}\n", rtol, atol);
  if (!times.empty()) {
    fmt::format_to(out, "time         {:g} to {:g}, {} output points\n", times.front(),
                   times.back(), times.size());
  }
  const Statistics& s = statistics;
  fmt::format_to(out, "steps        {} accepted, {} rejected\n", s.steps, s.rejected);
  solve_detail::append_work(*this, text);
  if (s.projections > 0) fmt::format_to(out, "projections  {}\n", s.projections);
  if (s.reselections > 0) fmt::format_to(out, "reselections {}\n", s.reselections);
  if (s.events > 0) fmt::format_to(out, "events       {}\n", s.events);
  solve_detail::append_constraints(*this, text);
  solve_detail::append_remarks(*this, text);
  return text;
}

}  // namespace daedal
