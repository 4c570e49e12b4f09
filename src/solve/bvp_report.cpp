// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <daedal/bvp.hpp>
#include <iterator>

#include "solve/report_lines.hpp"

namespace daedal {

std::string BvpSolution::full_report() const {
  std::string text;
  const auto out = std::back_inserter(text);
  solve_detail::append_outcome(*this, text);
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
  solve_detail::append_work(*this, text);
  solve_detail::append_constraints(*this, text);
  for (const auto& [name, value] : found_parameters) {
    fmt::format_to(out, "parameter    {} = {:.12g}\n", name, value);
  }
  solve_detail::append_remarks(*this, text);
  return text;
}

}  // namespace daedal
