// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "formulation/frame/own_unit.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/scaling.hpp"
#include "model/labels.hpp"
#include "structure/assignment.hpp"
#include "structure/matching.hpp"

namespace daedal::formulation {

namespace {

/// Pivots below this, in rows scaled to a greatest entry of 1, count as zero.
constexpr double dependent_pivot = 1e-10;
/// A choice that must be kept, because it is fixed or because stateSelect demands it, has come to
/// its end when its pivot falls below this share of the best one.
constexpr double exhausted_share = 1e-3;

/// The best choice of a large block is looked for again when its own has lost this share of its
/// smallest pivot, and after so many steps at the latest: that takes longer than the steps.
constexpr double kept_share = 0.95;
constexpr Index longest_rest = 8;

/// Entries that are smaller than others by more decades are the rounding errors of a 0.
constexpr Index rounding_decades = 15;

/// Null spaces are found by dense decompositions.
constexpr std::size_t largest_undetermined = 100;
/// Entries of a null space or an equation below this share of its greatest one are rounding errors.
constexpr double smallest_part = 1e-8;

/// Entries that are rounding errors of a 0 become 0. What is small tells the transversal with the
/// greatest product: its dual variables scale rows and columns so that its entries are 1 and all
/// others at most that, whatever units stand between them.
void clear_rounding_errors(const SelectionBlock& block, std::vector<double>& scaled) {
  constexpr Index lowest = 400;  // orders are decades, and not negative
  const auto decades = [](double value) {
    return std::max(lowest + static_cast<Index>(std::lround(std::log10(std::abs(value)))),
                    Index{0});
  };
  std::vector<std::vector<structure::SignatureEntry>> rows(block.rows.size());
  for (std::size_t k = 0; k < scaled.size(); ++k) {
    if (scaled[k] == 0.0) continue;
    const auto& [row, column, value] = block.entries[k];
    rows[to_size(row)].push_back({column, decades(scaled[k])});
  }
  structure::Signature signature(to_index(block.rows.size()));
  for (const auto& row : rows) signature.add_row(row);
  const auto assignment = structure::highest_value_transversal(signature);
  if (!assignment) return;
  const auto& [c, d] = assignment->duals;
  for (std::size_t k = 0; k < scaled.size(); ++k) {
    if (scaled[k] == 0.0) continue;
    const auto& [row, column, value] = block.entries[k];
    const Index below = d[to_size(column)] - c[to_size(row)] - decades(scaled[k]);
    if (below > rounding_decades) scaled[k] = 0.0;
  }
}

/// All entries of a square block as near to 1 as they can be: whether it is regular is no question
/// of units, those of time included, which a chain of derivatives multiplies.
void balance(const SelectionBlock& block, std::vector<double>& scaled) {
  clear_rounding_errors(block, scaled);
  const Index n = to_index(block.rows.size());
  std::vector<std::size_t> order(scaled.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return block.entries[k].column; });
  SparsityPattern pattern{.rows = n, .columns = n, .column_start = {0}, .row = {}};
  std::vector<double> values;
  for (const std::size_t k : order) {
    const auto& entry = block.entries[k];
    while (to_index(pattern.column_start.size()) <= entry.column) {
      pattern.column_start.push_back(to_index(values.size()));
    }
    pattern.row.push_back(entry.row);
    values.push_back(scaled[k]);
  }
  pattern.column_start.resize(to_size(n) + 1, to_index(values.size()));
  const auto scales = linalg::balance(pattern, values);
  for (std::size_t k = 0; k < scaled.size(); ++k) {
    scaled[k] *= scales.row[block.entries[k].row] * scales.column[block.entries[k].column];
  }
  // Pivots are judged beside 1.
  double most = 0.0;
  for (const double entry : scaled) most = std::max(most, std::abs(entry));
  if (most > 0.0) {
    for (double& entry : scaled) entry /= most;
  }
}

}  // namespace

DummySelector::DummySelector(const DifferentiatedSystem& system) : system_(system) {
  const auto& c = system.report().offsets.c;
  std::vector<NodeId> roots;
  for (std::size_t i = 0; i < c.size(); ++i)
    roots.push_back(system.residual_nodes()[to_size(system.equation(to_index(i), c[i]))]);
  jacobian_ = system.jacobian_of(roots, DifferentiatedSystem::Columns::highest);
  blocks_ = selection_blocks(system, jacobian_.pattern);
  unknowns_of_row_.resize(roots.size());
  block_of_row_.resize(roots.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const SelectionBlock& block = blocks_[b];
    for (const Index row : block.rows) block_of_row_[to_size(row)] = to_index(b);
    for (const SelectionBlock::Entry& entry : block.entries)
      unknowns_of_row_[to_size(block.rows[to_size(entry.row)])].push_back(
          block.columns[to_size(entry.column)]);
    // Where all equations are differentiated equally often, every derivative is a dummy.
    if (block.has_choice) watched_.push_back(to_index(b));
  }
}

std::vector<Index> DummySelector::possible_places(Index equation) const {
  const auto& report = system_.report();
  const DerivedEquation& derived = system_.equations()[to_size(equation)];
  if (derived.is_highest) {
    const Index j = report.transversal.column_of_row[to_size(derived.row)];
    return {system_.place(j, report.offsets.d[to_size(j)])};
  }
  const Index stage = report.offsets.c[to_size(derived.row)] - derived.level;
  std::vector<Index> result;
  for (const Index j : unknowns_of_row_[to_size(derived.row)])
    result.push_back(system_.place(j, report.offsets.d[to_size(j)] - stage));
  return result;
}

bool DummySelector::tells_apart(Index equation) const {
  const DerivedEquation& derived = system_.equations()[to_size(equation)];
  const SelectionBlock& block = blocks_[to_size(block_of_row_[to_size(derived.row)])];
  return !derived.is_highest && block.has_choice && block.interval == 1;
}

void DummySelector::note_sizes(std::span<const double> places, SelectionWork& work) const {
  const bool is_first = work.sizes.empty();
  if (is_first) work.sizes.resize(system_.report().model.unknowns.size(), 0.0);
  for (const Index b : watched_) {
    for (const Index j : blocks_[to_size(b)].columns) {
      double& size = work.sizes[to_size(j)];
      const double now = std::abs(places[to_size(system_.place(j, 0))]);
      if (is_first ? now > smallest_start : size > 0.0) size = std::max(size, now);
    }
  }
}

double DummySelector::unit(const SelectionBlock& block, std::size_t column,
                           const SelectionWork& work) {
  const double size = work.sizes.empty() ? 0.0 : work.sizes[to_size(block.columns[column])];
  return own_unit(block.nominals[column], size);
}

void DummySelector::scale(const SelectionBlock& block, std::span<const double> values,
                          SelectionWork& work, bool with_rows) {
  work.scaled.resize(block.entries.size());
  work.greatest.assign(block.rows.size(), 0.0);
  for (std::size_t k = 0; k < block.entries.size(); ++k) {
    const SelectionBlock::Entry& entry = block.entries[k];
    work.scaled[k] = values[to_size(entry.value)] * unit(block, to_size(entry.column), work);
    double& greatest = work.greatest[to_size(entry.row)];
    greatest = std::max(greatest, std::abs(work.scaled[k]));
  }
  if (!with_rows) return;
  for (std::size_t k = 0; k < block.entries.size(); ++k) {
    const double greatest = work.greatest[to_size(block.entries[k].row)];
    if (greatest > 0.0) work.scaled[k] /= greatest;
  }
}

void DummySelector::fill(const SelectionBlock& block, std::size_t stage,
                         std::span<const Index> columns, SelectionWork& work) {
  const SelectionStage& rule = block.stages[stage];
  work.slot.assign(block.columns.size(), -1);
  for (std::size_t k = 0; k < columns.size(); ++k) work.slot[to_size(columns[k])] = to_index(k);
  work.pivoting.start(rule.n_rows, to_index(columns.size()));
  for (std::size_t k = 0; k < block.entries.size(); ++k) {
    const auto& [row, column, value] = block.entries[k];
    const Index i = rule.row[to_size(row)];
    const Index j = work.slot[to_size(column)];
    const bool is_place = rule.place[to_size(column)] >= 0;
    if (i < 0 || j < 0 || !is_place || work.scaled[k] == 0.0) continue;
    const double weight = work.ignores_orders ? 1.0 : rule.weight[to_size(column)];
    if (weight > 0.0) work.pivoting.add(i, j, weight * work.scaled[k]);
  }
}

double DummySelector::best(const SelectionBlock& block, SelectionWork& work) {
  double smallest = infinity;
  work.chosen.resize(std::max(work.chosen.size(), block.stages.size() + 1));
  // Entry s of `chosen` are the candidates of stage s + 1 until they are replaced by its choice.
  work.chosen[0].resize(block.columns.size());
  std::iota(work.chosen[0].begin(), work.chosen[0].end(), Index{0});
  for (std::size_t s = 0; s < block.stages.size(); ++s) {
    auto& candidates = work.chosen[s];
    fill(block, s, candidates, work);
    for (std::size_t k = 0; k < candidates.size() && !work.ignores_orders; ++k)
      if (block.stages[s].is_demanded[to_size(candidates[k])]) work.pivoting.demand(to_index(k));
    const auto report = work.pivoting.run();
    smallest = std::min(smallest, report.smallest_pivot);
    if (!(report.smallest_pivot > 0.0)) return 0.0;
    auto& next = work.chosen[s + 1];
    next.clear();
    for (const Index k : work.pivoting.columns()) next.push_back(candidates[to_size(k)]);
    std::ranges::sort(next);
    candidates = next;
  }
  return smallest;
}

double DummySelector::best_in_any_unit(const SelectionBlock& block, SelectionWork& work) {
  const double pivot = best(block, work);
  if (pivot > dependent_pivot) return pivot;
  balance(block, work.scaled);
  return best(block, work);
}

double DummySelector::quality(const SelectionBlock& block,
                              const std::vector<std::vector<Index>>& columns, SelectionWork& work) {
  double smallest = infinity;
  work.signs.clear();
  for (std::size_t s = 0; s < block.stages.size(); ++s) {
    fill(block, s, columns[s], work);
    const auto report = work.pivoting.run();
    smallest = std::min(smallest, report.smallest_pivot);
    work.signs.push_back(report.sign);
  }
  return smallest;
}

DummySelector::Verdict DummySelector::why_none(const SelectionBlock& block, SelectionWork& work) {
  if (!block.has_orders) return Verdict::singular;
  work.ignores_orders = true;
  const bool is_regular = best(block, work) > dependent_pivot;
  work.ignores_orders = false;
  return is_regular ? Verdict::refused : Verdict::singular;
}

bool DummySelector::is_exhausted(const SelectionBlock& block, double pivot, SelectionWork& work) {
  const auto chosen = work.chosen;
  work.ignores_orders = true;
  const double free = best(block, work);
  work.ignores_orders = false;
  work.chosen = chosen;
  return pivot < exhausted_share * free;
}

void DummySelector::apply(Index number, Selection& selection) const {
  const SelectionBlock& block = blocks_[to_size(number)];
  // The relations der(x) = x' of the block all hold again, then some are given up anew.
  for (const Index j : block.columns) {
    for (Index order = 0; order < system_.report().offsets.d[to_size(j)]; ++order)
      selection.equation_at[to_size(system_.place(j, order))] = -1;
  }
  auto& columns = selection.columns[to_size(number)];
  columns.assign(selection.work.chosen.begin(),
                 selection.work.chosen.begin() + to_index(block.stages.size()));
  quality(block, columns, selection.work);
  selection.signs[to_size(number)] = selection.work.signs;
  for (std::size_t s = 0; s < block.stages.size(); ++s) apply_stage(block, s, selection);
}

void DummySelector::apply_stage(const SelectionBlock& block, std::size_t stage,
                                Selection& selection) const {
  const auto& offsets = system_.report().offsets;
  const SelectionStage& rule = block.stages[stage];
  const auto& chosen = selection.work.chosen[stage];
  const Index s = to_index(stage) + 1;
  // Every equation takes a place that it can be solved for: fill-in must not decide.
  auto& slot = selection.work.slot;
  slot.assign(block.columns.size(), -1);
  for (std::size_t k = 0; k < chosen.size(); ++k) slot[to_size(chosen[k])] = to_index(k);
  std::vector<std::vector<Index>> nonzero(to_size(rule.n_rows));
  for (std::size_t k = 0; k < block.entries.size(); ++k) {
    const auto& [row, column, value] = block.entries[k];
    const Index i = rule.row[to_size(row)];
    if (i >= 0 && slot[to_size(column)] >= 0 && selection.work.scaled[k] != 0.0)
      nonzero[to_size(i)].push_back(slot[to_size(column)]);
  }
  structure::Incidence incidence(to_index(chosen.size()));
  for (const auto& row : nonzero) incidence.add_row(row);
  const auto matching = structure::maximum_matching(incidence);
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    if (rule.row[i] < 0) continue;
    const Index column = chosen[to_size(matching.column_of_row[to_size(rule.row[i])])];
    const Index place = rule.place[to_size(column)];
    const Index row = block.rows[i];
    const Index equation = system_.equation(row, offsets.c[to_size(row)] - s);
    selection.place_of[to_size(equation)] = place;
    selection.equation_at[to_size(place)] = equation;
  }
}

std::vector<DummySelector::SingularBlock> DummySelector::singular_blocks(
    std::span<const double> values, SelectionWork& work) const {
  std::vector<SingularBlock> result;
  const auto& offsets = system_.report().offsets;
  for (const SelectionBlock& block : blocks_) {
    scale(block, values, work);
    const auto pivots = [&] {
      const Index n = to_index(block.rows.size());
      work.pivoting.start(n, n);
      for (std::size_t k = 0; k < block.entries.size(); ++k)
        work.pivoting.add(block.entries[k].row, block.entries[k].column, work.scaled[k]);
      return work.pivoting.run();
    };
    const auto report = pivots();
    if (report.smallest_pivot > dependent_pivot) continue;
    balance(block, work.scaled);
    if (pivots().smallest_pivot > dependent_pivot) continue;
    SingularBlock found;
    found.number = &block - blocks_.data();
    for (const Index row : block.rows)
      found.equations.push_back(system_.equation(row, offsets.c[to_size(row)]));
    for (const Index j : block.columns)
      found.places.push_back(system_.place(j, offsets.d[to_size(j)]));
    if (report.dependent_row >= 0) found.dependent = found.equations[to_size(report.dependent_row)];
    result.push_back(std::move(found));
  }
  return result;
}

bool DummySelector::is_idle(const SingularBlock& singular, std::span<const double> values,
                            SelectionWork& work) const {
  const SelectionBlock& block = blocks_[to_size(singular.number)];
  const Index n = to_index(block.rows.size());
  if (block.rows.size() > largest_undetermined) return false;
  scale(block, values, work);
  balance(block, work.scaled);
  Matrix matrix = Matrix::Zero(n, n);
  for (std::size_t k = 0; k < block.entries.size(); ++k)
    matrix(block.entries[k].row, block.entries[k].column) += work.scaled[k];
  const Matrix null = linalg::null_space(matrix, dependent_pivot);
  if (null.cols() == 0 || !null.allFinite()) return false;
  // What depends on them in other blocks is as undetermined.
  const SparsityPattern& pattern = jacobian_.pattern;
  std::vector<double> greatest(to_size(pattern.rows), 0.0);
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    greatest[to_size(pattern.row[k])] =
        std::max(greatest[to_size(pattern.row[k])], std::abs(values[k]));
  std::vector<bool> is_open(blocks_.size(), false);
  is_open[to_size(singular.number)] = true;
  std::vector<Index> open;
  for (Index k = 0; k < n; ++k) {
    if (null.row(k).cwiseAbs().maxCoeff() > smallest_part)
      open.push_back(block.columns[to_size(k)]);
  }
  for (std::size_t next = 0; next < open.size(); ++next) {
    const Index order = system_.report().offsets.d[to_size(open[next])];
    if (order > 0) return false;
    const auto place = to_size(system_.place(open[next], order));
    for (Index k = pattern.column_start[place]; k < pattern.column_start[place + 1]; ++k) {
      const auto row = to_size(pattern.row[to_size(k)]);
      const auto b = to_size(block_of_row_[row]);
      if (is_open[b] || !(std::abs(values[to_size(k)]) > smallest_part * greatest[row])) continue;
      is_open[b] = true;
      open.insert(open.end(), blocks_[b].columns.begin(), blocks_[b].columns.end());
    }
  }
  return true;
}

DummySelector::Outcome DummySelector::choose(std::span<const double> values,
                                             Selection& selection) const {
  selection.columns.assign(blocks_.size(), {});
  selection.signs.assign(blocks_.size(), {});
  selection.quality.assign(blocks_.size(), {});
  selection.place_of.assign(to_size(system_.n_equations()), -1);
  selection.equation_at.assign(to_size(system_.n_places()), -1);
  for (Index e = 0; e < system_.n_equations(); ++e) {
    if (!system_.equations()[to_size(e)].is_highest) continue;
    const Index place = possible_places(e).front();
    selection.place_of[to_size(e)] = place;
    selection.equation_at[to_size(place)] = e;
  }
  for (Index b = 0; b < to_index(blocks_.size()); ++b) {
    const SelectionBlock& block = blocks_[to_size(b)];
    if (block.stages.empty()) continue;
    scale(block, values, selection.work);
    if (!(best_in_any_unit(block, selection.work) > dependent_pivot))
      return {why_none(block, selection.work), b};
    apply(b, selection);
  }
  return {Verdict::changed, -1};
}

double DummySelector::measure(Index number, Selection& selection) const {
  Selection::Quality& kept = selection.quality[to_size(number)];
  kept.now = quality(blocks_[to_size(number)], selection.columns[to_size(number)], selection.work);
  kept.is_approximate = selection.work.pivoting.is_approximate();
  return kept.now;
}

bool DummySelector::is_due(Selection::Quality& quality) {
  const bool is_kept = quality.now >= kept_share * quality.compared;
  if (quality.is_approximate && is_kept && ++quality.n_looks < longest_rest) return false;
  quality.compared = quality.now;
  quality.n_looks = 0;
  return true;
}

DummySelector::Outcome DummySelector::watch(std::span<const double> values,
                                            const Settings& settings, Selection& selection) const {
  Outcome outcome;
  SelectionWork& work = selection.work;
  ++selection.n_watched;
  for (const Index b : watched_) {
    const SelectionBlock& block = blocks_[to_size(b)];
    if (selection.n_watched % block.interval != 0) continue;
    scale(block, values, work);
    Selection::Quality& known = selection.quality[to_size(b)];
    if (!std::exchange(known.is_known, false)) measure(b, selection);
    if (!settings.is_fixed && !is_due(known)) continue;
    double now = known.now;
    double better = best(block, work);
    if (!(better > dependent_pivot)) {
      better = best_in_any_unit(block, work);
      now = measure(b, selection);
    }
    if (!(better > dependent_pivot)) return {why_none(block, work), b};
    if (block.has_orders && is_exhausted(block, better, work)) return {Verdict::refused, b};
    if (settings.is_fixed) {
      const bool has_turned = work.signs != selection.signs[to_size(b)];
      if (has_turned || now < exhausted_share * better) return {Verdict::passed, b};
    } else if (now < settings.switch_ratio * better * (known.is_approximate ? 0.5 : 1.0)) {
      // (Pivots of large blocks are known within a factor of 2.)
      apply(b, selection);
      known.compared = infinity;
      outcome = {Verdict::changed, b};
    }
  }
  return outcome;
}

bool DummySelector::has_signs_of(Index number, std::span<const double> values,
                                 Selection& selection) const {
  scale(blocks_[to_size(number)], values, selection.work);
  measure(number, selection);
  return selection.work.signs == selection.signs[to_size(number)];
}

Index DummySelector::sign_change(std::span<const double> values, Selection& selection) const {
  for (const Index b : watched_) {
    if (blocks_[to_size(b)].interval != 1) continue;
    if (!has_signs_of(b, values, selection)) return b;
    selection.quality[to_size(b)].is_known = true;
  }
  return -1;
}

void DummySelector::store_signs(Index block, std::span<const double> values,
                                Selection& selection) const {
  (void)has_signs_of(block, values, selection);
  selection.signs[to_size(block)] = selection.work.signs;
}

double DummySelector::strength(Index number, std::span<const double> values,
                               SelectionWork& work) const {
  const SelectionBlock& block = blocks_[to_size(number)];
  scale(block, values, work, false);
  return best(block, work);
}

std::string DummySelector::block_name(Index number) const {
  const SelectionBlock& block = blocks_[to_size(number)];
  std::vector<std::string> names;
  for (const Index row : block.rows) {
    if (system_.report().offsets.c[to_size(row)] == 0) continue;
    names.push_back(system_.equation_name(system_.equation(row, 0)));
  }
  return join_words(names);
}

std::string DummySelector::dummy_names(Index number, const Selection& selection) const {
  const SelectionBlock& block = blocks_[to_size(number)];
  std::vector<std::string> names;
  for (const Index k : selection.columns[to_size(number)].front()) {
    const Index j = block.columns[to_size(k)];
    names.push_back("'" + system_.place_name(system_.place(j, 0)) + "'");
  }
  return join_words(names);
}

std::string DummySelector::orders(Index number) const {
  const SelectionBlock& block = blocks_[to_size(number)];
  std::vector<std::string> always;
  std::vector<std::string> never;
  const auto variables = system_.view().model.variables();
  for (const SelectionStage& stage : block.stages) {
    for (const Index place : stage.place) {
      const Index variable = place >= 0 ? system_.places()[to_size(place)].variable : -1;
      if (variable < 0) continue;
      const std::string name = "'" + system_.place_name(place) + "'";
      const StateSelect select = variables[to_size(variable)].state_select;
      if (select == StateSelect::always) always.push_back(name);
      if (select == StateSelect::never) never.push_back(name);
    }
  }
  std::string text;
  if (!always.empty()) text = "always for " + join_words(always);
  if (!never.empty()) text += (text.empty() ? "" : ", ") + ("never for " + join_words(never));
  return text;
}

std::vector<std::string> DummySelector::impossible_orders() const {
  std::vector<std::string> result;
  std::vector<bool> is_candidate(to_size(system_.n_places()), false);
  for (const SelectionBlock& block : blocks_)
    for (const SelectionStage& stage : block.stages)
      for (const Index place : stage.place)
        if (place >= 0) is_candidate[to_size(place)] = true;
  for (Index p = 0; p < system_.n_places(); ++p) {
    const Place& place = system_.places()[to_size(p)];
    if (place.variable < 0) continue;
    const StateSelect select =
        system_.view().model.variables()[to_size(place.variable)].state_select;
    const std::string name = "'" + system_.place_name(p) + "'";
    if (select == StateSelect::always && place.is_highest)
      result.push_back(name + " (always), whose derivative no equation contains");
    if (select == StateSelect::never && !place.is_highest && !is_candidate[to_size(p)])
      result.push_back(name + " (never), which no constraint determines");
  }
  return result;
}

}  // namespace daedal::formulation
