// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <daedal/solution.hpp>
#include <iterator>

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
  fmt::format_to(out, "model        {}\n", model_name);
  fmt::format_to(out, "status       {}: {}\n", to_string(status), message);
  if (!is_success(status)) {
    fmt::format_to(out, "causes       {}\n", info(status).causes);
    fmt::format_to(out, "what to try  {}\n", info(status).remedies);
  }
  fmt::format_to(out, "method       {}\n", describe(method));
  fmt::format_to(out, "integrator   {}\n", describe(integrator));
  fmt::format_to(out, "tolerances   rtol {:g}, atol {:g}\n", rtol, atol);
  if (!times.empty()) {
    fmt::format_to(out, "time         {:g} to {:g}, {} output points\n", times.front(),
                   times.back(), times.size());
  }
  const Statistics& s = statistics;
  fmt::format_to(out, "steps        {} accepted, {} rejected\n", s.steps, s.rejected);
  fmt::format_to(out, "work         {} evaluations, {} Jacobians, {} factorisations\n",
                 s.residual_evaluations, s.jacobian_evaluations, s.factorizations);
  if (s.projections > 0) fmt::format_to(out, "projections  {}\n", s.projections);
  if (s.reselections > 0) fmt::format_to(out, "reselections {}\n", s.reselections);
  if (s.events > 0) fmt::format_to(out, "events       {}\n", s.events);
  for (const ConstraintLevel& level : constraints) {
    fmt::format_to(out, "constraints  level {}: at most {:.3g}\n", level.level, level.max_residual);
  }
  fmt::format_to(out, "wall clock   {:.4g} s\n", s.wall_seconds);
  for (const std::string& notice : notices) fmt::format_to(out, "note         {}\n", notice);
  for (const std::string& warning : warnings) fmt::format_to(out, "warning      {}\n", warning);
  return text;
}

}  // namespace daedal
