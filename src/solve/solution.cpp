// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/nearest_name.hpp>
#include <daedal/solution.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/bvp.hpp>
#include <daedal/error.hpp>
#include <iterator>

#include "solve/run/dense.hpp"

namespace daedal {

namespace {

const Solution::Dense& required(const std::shared_ptr<const Solution::Dense>& dense) {
  if (dense) return *dense;
  throw OptionError(ErrorCode::invalid_option,
                    "Dense output was not kept for this solution (SolveOptions::dense_output).");
}

/// One of all values.
template <class Evaluate>
double value_of(const Solution& solution, std::string_view name, Evaluate evaluate) {
  std::vector<double> all(solution.names.size());
  const std::size_t column = solution.column(name);
  evaluate(std::span<double>(all));
  return all[column];
}

// The lines that the reports of all solutions share.

/// Model and status; for a failure what causes it and what to try.
void append_outcome(const Solution& solution, std::string& text) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "model        {}\n", solution.model_name);
  fmt::format_to(out, "status       {}: {}\n", to_string(solution.status), solution.message);
  if (is_success(solution.status)) return;
  fmt::format_to(out, "causes       {}\n", info(solution.status).causes);
  fmt::format_to(out, "what to try  {}\n", info(solution.status).remedies);
}

/// Evaluations, Jacobians and factorisations.
void append_work(const Solution& solution, std::string& text) {
  const Statistics& s = solution.statistics;
  fmt::format_to(std::back_inserter(text),
                 "work         {} evaluations, {} Jacobians, {} factorisations\n",
                 s.residual_evaluations, s.jacobian_evaluations, s.factorizations);
  if (s.linear_solver.empty()) return;
  fmt::format_to(std::back_inserter(text), "matrices     by {}\n", s.linear_solver);
}

void append_constraints(const Solution& solution, std::string& text) {
  for (const ConstraintLevel& level : solution.constraints) {
    fmt::format_to(std::back_inserter(text), "constraints  level {}: at most {:.3g}\n", level.level,
                   level.max_residual);
  }
}

/// Wall clock, notes and warnings.
void append_remarks(const Solution& solution, std::string& text) {
  const auto out = std::back_inserter(text);
  if (std::isfinite(solution.error_growth)) {
    fmt::format_to(out, "errors       can have grown {:.2g} times, by a coarse estimate\n",
                   solution.error_growth);
  }
  fmt::format_to(out, "wall clock   {:.4g} s\n", solution.statistics.wall_time);
  for (const std::string& notice : solution.notices) {
    fmt::format_to(out, "note         {}\n", notice);
  }
  for (const std::string& warning : solution.warnings) {
    fmt::format_to(out, "warning      {}\n", warning);
  }
}

std::string describe(const Choice& choice) {
  if (choice.requested == choice.used || choice.requested.empty()) return choice.used;
  return fmt::format("{} (asked for: {})", choice.used, choice.requested);
}

}  // namespace

std::span<const double> Solution::row(std::size_t i) const {
  return std::span<const double>(values).subspan(i * names.size(), names.size());
}

std::size_t Solution::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::string near = nearest_name(name, names);
    throw OptionError(ErrorCode::unknown_name,
                      fmt::format("The solution of '{}' has no variable '{}'{}", model_name, name,
                                  near.empty() ? "." : fmt::format("; did you mean '{}'?", near)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

double Solution::final_value(std::string_view name) const {
  const std::size_t c = column(name);
  if (n_rows() == 0) {
    throw OptionError(ErrorCode::invalid_option, "The solution is empty: the run did not start.");
  }
  return row(n_rows() - 1)[c];
}

double Solution::at(double t, std::string_view name) const {
  return value_of(*this, name, [&](std::span<double> all) { at(t, all); });
}

void Solution::at(double t, std::span<double> all_values) const {
  required(dense_).evaluate(t, Dense::Side::left, all_values);
}

double Solution::after(double t, std::string_view name) const {
  return value_of(*this, name, [&](std::span<double> all) { after(t, all); });
}

void Solution::after(double t, std::span<double> all_values) const {
  required(dense_).evaluate(t, Dense::Side::right, all_values);
}

double Solution::derivative(double t, std::string_view name) const {
  return value_of(*this, name, [&](std::span<double> all) { derivative(t, all); });
}

void Solution::derivative(double t, std::span<double> all_values) const {
  required(dense_).differentiate(t, all_values);
}

std::string Solution::full_report() const {
  std::string text;
  const auto out = std::back_inserter(text);
  append_outcome(*this, text);
  fmt::format_to(out, "method       {}\n", describe(method));
  fmt::format_to(out, "integrator   {}\n", describe(integrator));
  fmt::format_to(out, "tolerances   rtol {:g}, atol {:g}\n", rtol, atol);
  if (!times.empty()) {
    fmt::format_to(out, "time         {:g} to {:g}, {} output points\n", times.front(),
                   times.back(), times.size());
  }
  const Statistics& s = statistics;
  fmt::format_to(out, "steps        {} accepted, {} rejected\n", s.steps, s.rejected);
  append_work(*this, text);
  if (s.projections > 0) fmt::format_to(out, "projections  {}\n", s.projections);
  if (s.reselections > 0) fmt::format_to(out, "reselections {}\n", s.reselections);
  if (s.events > 0) fmt::format_to(out, "events       {}\n", s.events);
  append_constraints(*this, text);
  append_remarks(*this, text);
  return text;
}

std::string BvpSolution::full_report() const {
  std::string text;
  const auto out = std::back_inserter(text);
  append_outcome(*this, text);
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
  append_work(*this, text);
  append_constraints(*this, text);
  for (const auto& [name, value] : parameters) {
    fmt::format_to(out, "parameter    {} = {:.12g}\n", name, value);
  }
  append_remarks(*this, text);
  return text;
}

}  // namespace daedal
