// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/analyze.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/labels.hpp"

namespace daedal {

namespace {

std::string dropped(const ArrayRank& rank) {
  if (rank.rank == std::min(rank.rows, rank.columns)) return "full rank";
  if (!std::isfinite(rank.gap)) return "the rest zero";
  return fmt::format("dropped {:.1e}, gap {:.1e}", rank.largest_dropped, rank.gap);
}

void add_assumptions(const Analysis& analysis, std::string& text) {
  const auto out = std::back_inserter(text);
  const char* title = "assumptions";
  for (const Assumption& a : analysis.assumptions) {
    fmt::format_to(out, "{:13}{} ({}) {}: {}\n", title, a.name, a.statement, to_string(a.verdict),
                   a.finding);
    title = "";
  }
  title = "ranks";
  for (const ArrayRank& rank : analysis.ranks) {
    fmt::format_to(out, "{:13}level {} {:15} {:>4} of {}x{}, kept {:.1e}, {}: {}\n", title,
                   rank.level, rank.matrix, rank.rank, rank.rows, rank.columns, rank.smallest_kept,
                   dropped(rank), rank.confidence);
    title = "";
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "fails";
    case Verdict::not_checked:
      break;
  }
  return "not checked";
}

std::int64_t StructuralAnalysis::largest_block() const {
  std::size_t largest = 0;
  for (const StructuralBlock& block : blocks) largest = std::max(largest, block.equations.size());
  return static_cast<std::int64_t>(largest);
}

std::string Analysis::report() const {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "model        {}: {} variables, {} equations\n", model_name, variables,
                 equations);
  fmt::format_to(out, "structure    index at most {}, {} states\n", structure.index,
                 structure.states);
  if (!structure.differentiated.empty()) {
    fmt::format_to(out, "             to be differentiated: {}\n",
                   join_words(structure.differentiated, 8));
  }
  const std::int64_t largest = structure.largest_block();
  fmt::format_to(out, "             {} block{}, the largest of {} equation{}{}\n",
                 structure.blocks.size(), structure.blocks.size() == 1 ? "" : "s", largest,
                 largest == 1 ? "" : "s",
                 structure.torn.empty() ? "" : ", torn at " + join_words(structure.torn, 8));
  if (!structure.possible_states.empty()) {
    fmt::format_to(out, "             possible states: {}\n",
                   join_words(structure.possible_states, 20));
  }
  if (index) fmt::format_to(out, "index        {}\n", *index);
  if (states) fmt::format_to(out, "states       {} free initial values\n", *states);
  if (mobility) fmt::format_to(out, "mobility     {}\n", *mobility);
  for (const ConstraintsOfLevel& level : constraints) {
    fmt::format_to(out, "constraints  level {}: {} from {}\n", level.level, level.count,
                   join_words(level.equations, 8));
  }
  // The free initial values are not known where constraints are redundant.
  if (index && (!free.empty() || states == 0)) {
    fmt::format_to(out, "free         {}\n", free.empty() ? "none" : join_words(free, 20));
    fmt::format_to(out, "determined   {}\n",
                   determined.empty() ? "none" : join_words(determined, 20));
  }
  add_assumptions(*this, text);
  if (index || !is_success(status)) {
    fmt::format_to(out, "start        {}\n",
                   consistent_start ? "consistent initial values were found" : "not found");
  }
  for (const StartValue& value : start) {
    fmt::format_to(out, "             {} = {:.12g}{}{}\n", value.name, value.value,
                   value.unit.empty() ? "" : " ", value.unit);
  }
  if (!is_success(status)) {
    fmt::format_to(out, "status       {}: {}\n", to_string(status), message);
    fmt::format_to(out, "what to try  {}\n", info(status).remedies);
  }
  for (const std::string& notice : notices) fmt::format_to(out, "note         {}\n", notice);
  for (const std::string& warning : warnings) fmt::format_to(out, "warning      {}\n", warning);
  return text;
}

}  // namespace daedal
