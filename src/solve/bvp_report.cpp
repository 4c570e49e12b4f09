// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <daedal/bvp.hpp>
#include <iterator>

namespace daedal {

std::string BvpSolution::full_report() const {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "model        {}\n", model_name);
  fmt::format_to(out, "status       {}: {}\n", to_string(status), message);
  if (!is_success(status)) {
    fmt::format_to(out, "causes       {}\n", info(status).causes);
    fmt::format_to(out, "what to try  {}\n", info(status).remedies);
  }
  fmt::format_to(out, "method       {}, index {}\n", method.used, index);
  fmt::format_to(out, "tolerances   rtol {:g}, atol {:g}\n", rtol, atol);
  if (std::isfinite(error_estimate)) {
    fmt::format_to(out, "error        {:.3g} of the tolerance, estimated\n", error_estimate);
  }
  if (!mesh.empty()) {
    fmt::format_to(out, "interval     {:g} to {:g}, {} output points\n", mesh.front(), mesh.back(),
                   times.size());
  }
  for (const BvpRound& round : rounds) {
    fmt::format_to(out, "mesh         {} intervals, {} Newton iteration{}{}\n", round.intervals,
                   round.newton_iterations, round.newton_iterations == 1 ? "" : "s",
                   std::isfinite(round.error) ? fmt::format(", error {:.3g}", round.error) : "");
  }
  const Statistics& s = statistics;
  fmt::format_to(out, "work         {} evaluations, {} Jacobians, {} factorisations\n",
                 s.residual_evaluations, s.jacobian_evaluations, s.factorizations);
  for (const ConstraintLevel& level : constraints) {
    fmt::format_to(out, "constraints  level {}: at most {:.3g}\n", level.level, level.max_residual);
  }
  for (const auto& [name, value] : found_parameters) {
    fmt::format_to(out, "parameter    {} = {:.12g}\n", name, value);
  }
  fmt::format_to(out, "wall clock   {:.4g} s\n", s.wall_seconds);
  for (const std::string& notice : notices) fmt::format_to(out, "note         {}\n", notice);
  for (const std::string& warning : warnings) fmt::format_to(out, "warning      {}\n", warning);
  return text;
}

}  // namespace daedal
