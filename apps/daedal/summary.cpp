// SPDX-License-Identifier: BSD-3-Clause
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

namespace daedal::app {

namespace {

/// Remarks are cut to this length: the first sentence or two say what a remark is about.
constexpr std::size_t most_characters = 320;
/// At most so many values of a start are listed.
constexpr std::size_t most_start_values = 12;

/// The remark with every number replaced by a sign.
std::string pattern(const std::string& remark) {
  std::string text;
  for (const char c : remark) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) text += c;
    if (digit && (text.empty() || text.back() != '#')) text += '#';
  }
  // 1.5 and 15, 1e-8 and 0.3 are alike.
  std::erase_if(text, [](char c) { return c == '.' || c == '-' || c == '+'; });
  std::string alike;
  for (const char c : text) {
    const bool joins = !alike.empty() && alike.back() == '#' && (c == '#' || c == 'e');
    if (!joins) alike += c;
  }
  return alike;
}

std::string cut(const std::string& remark) {
  if (remark.size() <= most_characters) return remark;
  const std::size_t blank = remark.rfind(' ', most_characters);
  return remark.substr(0, blank) + " ...";
}

void append_outcome(const Solution& solution, std::string& text) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "model        {}\n", solution.model_name);
  fmt::format_to(out, "status       {}: {}\n", to_string(solution.status), solution.message);
  if (is_success(solution.status)) return;
  fmt::format_to(out, "causes       {}\n", info(solution.status).causes);
  fmt::format_to(out, "what to try  {}\n", info(solution.status).remedies);
}

void append_constraints(const Solution& solution, std::string& text) {
  if (solution.constraints.empty()) return;
  text += "constraints  ";
  for (const ConstraintLevel& level : solution.constraints) {
    fmt::format_to(std::back_inserter(text), "{}level {}: {:.2g}",
                   &level == &solution.constraints.front() ? "" : ", ", level.level,
                   level.max_residual);
  }
  text += '\n';
}

void append_remarks(const Solution& solution, std::string& text) {
  const auto out = std::back_inserter(text);
  for (const std::string& warning : grouped(solution.warnings)) {
    fmt::format_to(out, "warning      {}\n", warning);
  }
  for (const std::string& notice : grouped(solution.notices)) {
    fmt::format_to(out, "note         {}\n", notice);
  }
}

}  // namespace

std::vector<std::string> grouped(const std::vector<std::string>& remarks) {
  struct Group {
    std::string pattern;
    std::vector<std::string> remarks;
  };
  std::vector<Group> groups;
  for (const std::string& remark : remarks) {
    std::string key = pattern(remark);
    const auto group =
        std::ranges::find_if(groups, [&](const Group& g) { return g.pattern == key; });
    if (group == groups.end()) {
      groups.push_back({std::move(key), {remark}});
    } else if (std::ranges::find(group->remarks, remark) == group->remarks.end()) {
      group->remarks.push_back(remark);
    }
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    lines.push_back(cut(group.remarks.front()));
    if (group.remarks.size() > 1) {
      lines.back() += fmt::format(" (and {} more like it: -v)", group.remarks.size() - 1);
    }
  }
  return lines;
}

std::string summary(const Solution& solution) {
  std::string text;
  const auto out = std::back_inserter(text);
  append_outcome(solution, text);
  const bool chosen = solution.method.requested == "auto" && solution.method.used != "auto";
  fmt::format_to(out, "method       {} with {}{}, rtol {:g}\n", solution.method.used,
                 solution.integrator.used, chosen ? ", chosen by auto" : "", solution.rtol);
  append_constraints(solution, text);
  const Statistics& s = solution.statistics;
  fmt::format_to(out, "work         {} steps, {} rows, {}{:.3g} s\n", s.steps, solution.n_rows(),
                 s.events > 0 ? fmt::format("{} events, ", s.events) : "", s.wall_time);
  append_remarks(solution, text);
  return text;
}

std::string summary(const BvpSolution& solution) {
  std::string text;
  const auto out = std::back_inserter(text);
  append_outcome(solution, text);
  fmt::format_to(out, "method       {}, index {}, rtol {:g}\n", solution.method.used,
                 solution.index, solution.rtol);
  for (const auto& [name, value] : solution.parameters) {
    fmt::format_to(out, "parameter    {} = {:.12g}\n", name, value);
  }
  append_constraints(solution, text);
  fmt::format_to(out, "work         {} meshes, {} rows, {:.3g} s\n", solution.rounds.size(),
                 solution.n_rows(), solution.statistics.wall_time);
  append_remarks(solution, text);
  return text;
}

std::string summary(Analysis analysis) {  // a copy, to be shortened
  std::erase_if(analysis.assumptions,
                [](const Assumption& a) { return a.verdict == Verdict::holds; });
  analysis.ranks.clear();
  if (is_success(analysis.status) && !analysis.assumptions.empty()) {
    std::vector<std::string> names;
    for (const Assumption& a : analysis.assumptions) names.push_back(a.name);
    analysis.notices.push_back(
        fmt::format("Assumptions behind the index that do not hold here: {}. -v says why.",
                    fmt::join(names, ", ")));
    analysis.assumptions.clear();
  }
  analysis.notices = grouped(analysis.notices);
  analysis.warnings = grouped(analysis.warnings);
  if (analysis.start.size() > most_start_values) {
    analysis.notices.push_back(fmt::format("The first {} of {} start values are shown: -v.",
                                           most_start_values, analysis.start.size()));
    analysis.start.resize(most_start_values);
  }
  return analysis.report();
}

}  // namespace daedal::app
