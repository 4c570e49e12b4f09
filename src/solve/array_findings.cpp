// SPDX-License-Identifier: BSD-3-Clause
#include "solve/array_findings.hpp"

#include <fmt/format.h>

namespace daedal::solve_detail {

namespace {

using analysis::ArrayLevel;
using analysis::IndexOutcome;
using analysis::NumericalIndex;

constexpr const char* derivative_part = "[G_x' G_w]";
constexpr const char* whole = "[G_x' G_w G_x]";

ArrayRank array_rank(const ArrayLevel& level, const linalg::RankDecision& decision,
                     const ArraySize& size) {
  const bool is_whole = &decision == &level.all;
  const double greatest = decision.largest > 0.0 ? decision.largest : 1.0;
  return {.level = level.level,
          .matrix = is_whole ? whole : derivative_part,
          .rows = size.n_equations * (level.level + 1),
          .columns = size.n_unknowns * (level.level + (is_whole ? 2 : 1)),
          .rank = decision.rank,
          .smallest_kept = decision.smallest_kept / greatest,
          .largest_dropped = decision.largest_dropped / greatest,
          .gap = decision.gap(),
          .confidence = std::string(to_string(decision.confidence()))};
}

std::string around(const ArrayLevel& level) {
  if (level.n_around == 0) return ", and no point around it could be evaluated";
  if (!level.has_constant_rank) return ", and the ranks are others at points around it";
  return fmt::format(" and at {} points around it", level.n_around);
}

Assumption smoothness(const NumericalIndex& index, const StartFinding& start) {
  Assumption a{.name = "A1", .statement = "F_k is sufficiently smooth", .finding = {}};
  if (index.outcome == IndexOutcome::not_finite) {
    a.verdict = Verdict::fails;
    a.finding = index.message;
  } else if (start.status == Status::non_finite_value) {
    a.verdict = Verdict::fails;
    a.finding = start.message;
  } else if (index.levels.empty()) {
    a.finding = "No point was found to look at.";
  } else {
    a.verdict = Verdict::holds;
    a.finding = fmt::format("The derivatives of the equations up to order {} are finite.",
                            index.levels.back().level);
  }
  return a;
}

Assumption consistency(const NumericalIndex& index, const StartFinding& start) {
  Assumption a{.name = "A2", .statement = "F_k = 0 can be satisfied", .finding = {}};
  if (start.status == Status::inconsistent_start) {
    a.verdict = Verdict::fails;
    a.finding = start.message;
  } else if (index.levels.empty()) {
    a.finding = "The search for initial values ended before.";
  } else {
    a.verdict = Verdict::holds;
    a.finding = fmt::format("A point with F_{} = 0 was found.", index.levels.back().level);
  }
  return a;
}

/// What the last level shows: the ranks in `finding`, the verdict by the outcome of the search.
Assumption rank_assumption(std::string name, std::string statement, std::string finding,
                           const NumericalIndex& index) {
  Assumption a{.name = std::move(name), .statement = std::move(statement), .finding = {}};
  if (index.levels.empty()) {
    a.finding = "The search for initial values ended before.";
    return a;
  }
  a.finding = std::move(finding);
  if (index.found()) {
    a.verdict = Verdict::holds;
  } else if (index.failed_assumption == a.name) {
    a.verdict = Verdict::fails;
    a.finding += " " + index.message;
  }
  return a;
}

std::string finding_of_one_fullness(const ArrayLevel& level, Index rows) {
  return fmt::format(
      "At level {} {} has rank {} of {} rows ({}) at the start{}; it is {}1-full (x'-part of the "
      "null space {:.1g}).",
      level.level, derivative_part, level.derivatives.rank, rows,
      to_string(level.derivatives.confidence()), around(level), level.is_one_full() ? "" : "not ",
      level.x_prime_part);
}

std::string finding_of_full_rank(const ArrayLevel& level, Index rows) {
  return fmt::format("At level {} {} has rank {} of {} rows ({}) at the start{}.", level.level,
                     whole, level.all.rank, rows, to_string(level.all.confidence()), around(level));
}

}  // namespace

std::vector<ArrayRank> array_ranks(const NumericalIndex& index, const ArraySize& size) {
  std::vector<ArrayRank> ranks;
  for (const ArrayLevel& level : index.levels) {
    ranks.push_back(array_rank(level, level.derivatives, size));
    ranks.push_back(array_rank(level, level.all, size));
  }
  return ranks;
}

std::vector<Assumption> check_assumptions(const NumericalIndex& index, const ArraySize& size,
                                          const StartFinding& start) {
  const ArrayLevel last = index.levels.empty() ? ArrayLevel{} : index.levels.back();
  const Index rows = size.n_equations * (last.level + 1);
  std::vector<Assumption> result{smoothness(index, start), consistency(index, start)};
  result.push_back(rank_assumption("A3", "[G_x' G_w] is 1-full and has constant rank",
                                   finding_of_one_fullness(last, rows), index));
  result.push_back(rank_assumption("A4", "[G_x' G_w G_x] has full row rank",
                                   finding_of_full_rank(last, rows), index));
  // Redundancy shows at any level, and its absence on every level looked at.
  if (result[3].verdict == Verdict::not_checked && !index.levels.empty()) {
    if (last.n_redundant > 0) result[3].verdict = Verdict::fails;
    if (last.n_redundant == 0 && last.has_constant_rank) result[3].verdict = Verdict::holds;
  }
  return result;
}

}  // namespace daedal::solve_detail
