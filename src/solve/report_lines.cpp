// SPDX-License-Identifier: BSD-3-Clause
#include "solve/report_lines.hpp"

#include <fmt/format.h>

#include <iterator>

namespace daedal::solve_detail {

void append_outcome(const Solution& solution, std::string& text) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "model        {}\n", solution.model_name);
  fmt::format_to(out, "status       {}: {}\n", to_string(solution.status), solution.message);
  if (is_success(solution.status)) return;
  fmt::format_to(out, "causes       {}\n", info(solution.status).causes);
  fmt::format_to(out, "what to try  {}\n", info(solution.status).remedies);
}

void append_work(const Solution& solution, std::string& text) {
  const Statistics& s = solution.statistics;
  fmt::format_to(std::back_inserter(text),
                 "work         {} evaluations, {} Jacobians, {} factorisations\n",
                 s.residual_evaluations, s.jacobian_evaluations, s.factorizations);
}

void append_constraints(const Solution& solution, std::string& text) {
  for (const ConstraintLevel& level : solution.constraints) {
    fmt::format_to(std::back_inserter(text), "constraints  level {}: at most {:.3g}\n", level.level,
                   level.max_residual);
  }
}

void append_remarks(const Solution& solution, std::string& text) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "wall clock   {:.4g} s\n", solution.statistics.wall_seconds);
  for (const std::string& notice : solution.notices) {
    fmt::format_to(out, "note         {}\n", notice);
  }
  for (const std::string& warning : solution.warnings) {
    fmt::format_to(out, "warning      {}\n", warning);
  }
}

}  // namespace daedal::solve_detail
