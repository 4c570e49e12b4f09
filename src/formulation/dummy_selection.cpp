// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>

#include "linalg/pivot_columns.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

/// On rows scaled to greatest entry 1: what is below counts as singular (design: rank decisions).
constexpr double singular_pivot = 1e-10;
/// A fixed choice whose pivot falls below this share of the best one has run into its end.
constexpr double exhausted_share = 1e-3;

/// Pivoting in a block of n equations takes n³ operations and n² numbers.
constexpr Index largest_block = 2000;
/// Operations that a look at the choice may cost a step, on average (about 1 ms).
constexpr Index operations_per_step = 1000000;
constexpr Index infinite_level = std::numeric_limits<Index>::max();

/// How willingly a variable gives up being a state. The outer ones are orders, not wishes, but a
/// singular choice helps nobody.
double willingness(StateSelect select) {
  switch (select) {
    case StateSelect::never:
      return 1e4;
    case StateSelect::avoid:
      return 10.0;
    case StateSelect::prefer:
      return 0.1;
    case StateSelect::always:
      return 1e-4;
    case StateSelect::standard:
      break;
  }
  return 1.0;
}

}  // namespace

DummySelector::DummySelector(const DifferentiatedSystem& system) : system_(system) {
  const auto& c = system.report().offsets.c;
  std::vector<NodeId> roots;
  for (std::size_t i = 0; i < c.size(); ++i)
    roots.push_back(system.residual_nodes()[to_size(system.equation(to_index(i), c[i]))]);
  jacobian_ = system.jacobian_of(roots, DifferentiatedSystem::Columns::highest);
  unknowns_of_row_.resize(roots.size());
  add_blocks();
}

void DummySelector::add_blocks() {
  const auto& report = system_.report();
  const auto& pattern = jacobian_.pattern;
  std::vector<Index> place_in_block(unknowns_of_row_.size(), -1);
  for (Index b = 0; b < report.blocks.n_blocks(); ++b) {
    const auto rows = report.blocks.rows(b);
    const auto columns = report.blocks.columns(b);
    Block block{{rows.begin(), rows.end()}, {columns.begin(), columns.end()}};
    Index fewest = infinite_level;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      place_in_block[to_size(rows[k])] = to_index(k);
      block.n_stages = std::max(block.n_stages, level(block, to_index(k)));
      fewest = std::min(fewest, level(block, to_index(k)));
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Index j = columns[k];
      const auto column = to_size(system_.place(j, report.offsets.d[to_size(j)]));
      for (Index p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
        const auto row = to_size(pattern.row[to_size(p)]);
        if (place_in_block[row] < 0) continue;
        block.entries.push_back({place_in_block[row], to_index(k), p});
        unknowns_of_row_[row].push_back(j);
      }
    }
    for (const Index row : rows) place_in_block[to_size(row)] = -1;
    const Index n = to_index(rows.size());
    if (n > largest_block) {
      throw ModelError(
          ErrorCode::not_recognized,
          fmt::format("{} equations depend on each other at once, {} among them: "
                      "states are selected in blocks of at most {}.",
                      n, system_.equation_name(system_.equation(rows[0], 0)), largest_block));
    }
    block.interval = 1 + n * n * n / operations_per_step;
    // Where all equations are differentiated equally often, every derivative is a dummy.
    if (fewest < block.n_stages) watched_.push_back(b);
    blocks_.push_back(std::move(block));
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

Matrix DummySelector::unscaled(const Block& block, std::span<const double> values) const {
  const Index n = to_index(block.rows.size());
  Matrix a = Matrix::Zero(n, n);
  const auto variables = system_.view().model.variables();
  for (const Block::Entry& entry : block.entries) {
    const Index unknown = block.columns[to_size(entry.column)];
    const Index first = system_.report().model.unknowns[to_size(unknown)];
    a(entry.row, entry.column) = values[to_size(entry.value)] * variables[to_size(first)].nominal;
  }
  return a;
}

Matrix DummySelector::scaled(const Block& block, std::span<const double> values) const {
  Matrix a = unscaled(block, values);
  for (Index i = 0; i < a.rows(); ++i) {
    const double greatest = a.row(i).cwiseAbs().maxCoeff();
    if (greatest > 0.0) a.row(i) /= greatest;
  }
  return a;
}

double DummySelector::weight(Index unknown, Index order) const {
  const Index variable = system_.places()[to_size(system_.place(unknown, order))].variable;
  if (variable < 0) return 1.0;
  return willingness(system_.view().model.variables()[to_size(variable)].state_select);
}

Matrix DummySelector::stage(const Block& block, const Matrix& a, Index s,
                            std::span<const Index> columns) const {
  std::vector<Index> rows;
  for (Index i = 0; i < a.rows(); ++i)
    if (level(block, i) >= s) rows.push_back(i);
  Matrix result(to_index(rows.size()), to_index(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Index unknown = block.columns[to_size(columns[k])];
    const Index order = system_.report().offsets.d[to_size(unknown)] - s;
    const double factor = order >= 0 ? weight(unknown, order) : 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      result(to_index(i), to_index(k)) = factor * a(rows[i], columns[k]);
  }
  return result;
}

DummySelector::Quality DummySelector::best(const Block& block, const Matrix& a) const {
  Quality result{.smallest_pivot = infinity, .columns = {}};
  std::vector<Index> candidates(block.columns.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k] = to_index(k);
  for (Index s = 1; s <= block.n_stages; ++s) {
    const auto pivots = linalg::choose_pivot_columns(stage(block, a, s, candidates));
    result.smallest_pivot = std::min(result.smallest_pivot, pivots.smallest_pivot);
    std::vector<Index> chosen;
    for (const Index k : pivots.columns) chosen.push_back(candidates[to_size(k)]);
    std::sort(chosen.begin(), chosen.end());
    result.columns.push_back(chosen);
    candidates = std::move(chosen);
  }
  return result;
}

double DummySelector::quality(const Block& block, const Matrix& a,
                              const std::vector<std::vector<Index>>& columns) const {
  double smallest = infinity;
  for (Index s = 1; s <= block.n_stages; ++s) {
    const auto pivots = linalg::choose_pivot_columns(stage(block, a, s, columns[to_size(s - 1)]));
    smallest = std::min(smallest, pivots.smallest_pivot);
  }
  return smallest;
}

void DummySelector::apply(const Choice& choice, Selection& selection) const {
  const Block& block = blocks_[to_size(choice.block)];
  // The relations der(x) = x' of the block all hold again, then some are given up anew.
  for (const Index j : block.columns) {
    for (Index order = 0; order < system_.report().offsets.d[to_size(j)]; ++order)
      selection.equation_at[to_size(system_.place(j, order))] = -1;
  }
  selection.columns[to_size(choice.block)] = choice.columns;
  selection.signs[to_size(choice.block)].clear();
  for (Index s = 1; s <= block.n_stages; ++s) apply_stage(choice, s, selection);
}

void DummySelector::apply_stage(const Choice& choice, Index s, Selection& selection) const {
  const Block& block = blocks_[to_size(choice.block)];
  const Matrix& a = choice.scaled;
  const auto& offsets = system_.report().offsets;
  const auto& chosen = choice.columns[to_size(s - 1)];
  selection.signs[to_size(choice.block)].push_back(
      linalg::determinant_sign(stage(block, a, s, chosen)));
  // Every equation takes a place that it can be solved for: fill-in must not decide.
  std::vector<Index> rows;
  structure::Incidence incidence(to_index(chosen.size()));
  for (Index i = 0; i < a.rows(); ++i) {
    if (level(block, i) < s) continue;
    rows.push_back(i);
    std::vector<Index> nonzero;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (a(i, chosen[k]) != 0.0) nonzero.push_back(to_index(k));
    incidence.add_row(nonzero);
  }
  const auto matching = structure::maximum_matching(incidence);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index row = block.rows[to_size(rows[i])];
    const Index j = block.columns[to_size(chosen[to_size(matching.column_of_row[i])])];
    const Index place = system_.place(j, offsets.d[to_size(j)] - s);
    const Index equation = system_.equation(row, offsets.c[to_size(row)] - s);
    selection.place_of[to_size(equation)] = place;
    selection.equation_at[to_size(place)] = equation;
  }
}

std::vector<DummySelector::SingularBlock> DummySelector::singular_blocks(
    std::span<const double> values) const {
  std::vector<SingularBlock> result;
  const auto& offsets = system_.report().offsets;
  for (const Block& block : blocks_) {
    const auto pivots = linalg::choose_pivot_columns(scaled(block, values));
    if (pivots.smallest_pivot > singular_pivot) continue;
    SingularBlock found;
    for (const Index row : block.rows)
      found.equations.push_back(system_.equation(row, offsets.c[to_size(row)]));
    for (const Index j : block.columns)
      found.places.push_back(system_.place(j, offsets.d[to_size(j)]));
    if (pivots.dependent_row >= 0) found.dependent = found.equations[to_size(pivots.dependent_row)];
    result.push_back(std::move(found));
  }
  return result;
}

std::optional<Selection> DummySelector::choose(std::span<const double> values) const {
  Selection selection;
  selection.columns.resize(blocks_.size());
  selection.signs.resize(blocks_.size());
  selection.place_of.assign(to_size(system_.n_equations()), -1);
  selection.equation_at.assign(to_size(system_.n_places()), -1);
  for (Index e = 0; e < system_.n_equations(); ++e) {
    if (!system_.equations()[to_size(e)].is_highest) continue;
    const Index place = possible_places(e).front();
    selection.place_of[to_size(e)] = place;
    selection.equation_at[to_size(place)] = e;
  }
  for (Index b = 0; b < to_index(blocks_.size()); ++b) {
    const Block& block = blocks_[to_size(b)];
    if (block.n_stages == 0) continue;
    const Matrix a = scaled(block, values);
    const Quality found = best(block, a);
    if (!(found.smallest_pivot > singular_pivot)) return std::nullopt;
    apply({b, a, found.columns}, selection);
  }
  return selection;
}

DummySelector::Outcome DummySelector::watch(std::span<const double> values,
                                            const Settings& settings, Selection& selection) const {
  Outcome outcome;
  ++selection.n_watched;
  for (const Index b : watched_) {
    const Block& block = blocks_[to_size(b)];
    if (selection.n_watched % block.interval != 0) continue;
    const Matrix a = scaled(block, values);
    const auto& columns = selection.columns[to_size(b)];
    const Quality better = best(block, a);
    if (!(better.smallest_pivot > singular_pivot)) return {Verdict::singular, b};
    const double now = quality(block, a, columns);
    if (settings.is_fixed) {
      bool has_passed = now < exhausted_share * better.smallest_pivot;
      for (Index s = 1; s <= block.n_stages; ++s) {
        const int sign = linalg::determinant_sign(stage(block, a, s, columns[to_size(s - 1)]));
        has_passed |= sign != selection.signs[to_size(b)][to_size(s - 1)];
      }
      if (has_passed) return {Verdict::passed, b};
    } else if (now < settings.switch_ratio * better.smallest_pivot) {
      apply({b, a, better.columns}, selection);
      outcome = {Verdict::changed, b};
    }
  }
  return outcome;
}

std::vector<int> DummySelector::signs_of(Index number, std::span<const double> values,
                                         const std::vector<std::vector<Index>>& columns) const {
  const Block& block = blocks_[to_size(number)];
  const Matrix a = scaled(block, values);
  std::vector<int> signs;
  for (Index s = 1; s <= block.n_stages; ++s)
    signs.push_back(linalg::determinant_sign(stage(block, a, s, columns[to_size(s - 1)])));
  return signs;
}

bool DummySelector::has_signs_of(Index block, std::span<const double> values,
                                 const Selection& selection) const {
  return signs_of(block, values, selection.columns[to_size(block)]) ==
         selection.signs[to_size(block)];
}

Index DummySelector::sign_change(std::span<const double> values, const Selection& selection) const {
  for (const Index b : watched_) {
    if (blocks_[to_size(b)].interval == 1 && !has_signs_of(b, values, selection)) return b;
  }
  return -1;
}

void DummySelector::store_signs(Index block, std::span<const double> values,
                                Selection& selection) const {
  selection.signs[to_size(block)] = signs_of(block, values, selection.columns[to_size(block)]);
}

double DummySelector::strength(Index number, std::span<const double> values) const {
  const Block& block = blocks_[to_size(number)];
  return best(block, unscaled(block, values)).smallest_pivot;
}

std::string DummySelector::block_name(Index number) const {
  const Block& block = blocks_[to_size(number)];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    if (level(block, to_index(i)) == 0) continue;
    names.push_back(system_.equation_name(system_.equation(block.rows[i], 0)));
  }
  return join_words(names);
}

std::string DummySelector::dummy_names(Index number, const Selection& selection) const {
  const Block& block = blocks_[to_size(number)];
  std::vector<std::string> names;
  for (const Index k : selection.columns[to_size(number)].front()) {
    const Index j = block.columns[to_size(k)];
    names.push_back("'" + system_.place_name(system_.place(j, 0)) + "'");
  }
  return join_words(names);
}

std::vector<std::string> DummySelector::violations(const Selection& selection) const {
  std::vector<std::string> names;
  for (Index p = 0; p < system_.n_places(); ++p) {
    const Place& place = system_.places()[to_size(p)];
    if (place.variable < 0) continue;
    const StateSelect select =
        system_.view().model.variables()[to_size(place.variable)].state_select;
    const bool is_state = !place.is_highest && selection.equation_at[to_size(p)] < 0;
    if ((select == StateSelect::never && is_state) || (select == StateSelect::always && !is_state))
      names.push_back("'" + system_.place_name(p) + "'");
  }
  return names;
}

}  // namespace daedal::formulation
