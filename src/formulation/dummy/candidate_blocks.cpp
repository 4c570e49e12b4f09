// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/candidate_blocks.hpp"

#include <algorithm>

#include "structure/matching.hpp"

namespace daedal::formulation {

namespace {

/// Operations that a look at the choice may cost a step, on average (about 1 ms), and what an
/// elimination takes per entry with its fill-in.
constexpr Index operations_per_step = 1000000;
constexpr Index operations_per_entry = 50;

/// The preference of a variable to be a dummy instead of a state.
double willingness(StateSelect select) {
  switch (select) {
    case StateSelect::avoid:
      return 10.0;
    case StateSelect::prefer:
      return 0.1;
    case StateSelect::always:
      return 0.0;
    case StateSelect::never:
    case StateSelect::standard:
      break;
  }
  return 1.0;
}

class BlockCollector {
 public:
  BlockCollector(const DifferentiatedSystem& system, const SparsityPattern& pattern)
      : system_(system),
        offsets_(system.report().offsets),
        pattern_(pattern),
        row_in_block_(to_size(pattern.rows), -1) {}

  /// The block of these blocks of the system Jacobian together.
  SelectionBlock block(const std::vector<Index>& numbers) {
    const auto& blocks = system_.report().blocks;
    SelectionBlock block;
    for (const Index number : numbers) {
      const auto own_rows = blocks.rows(number);
      const auto own_columns = blocks.columns(number);
      block.rows.insert(block.rows.end(), own_rows.begin(), own_rows.end());
      block.columns.insert(block.columns.end(), own_columns.begin(), own_columns.end());
    }
    const auto& rows = block.rows;
    const auto& columns = block.columns;
    Index fewest = offsets_.c[to_size(rows.front())];
    Index most = fewest;
    for (const Index i : rows) {
      fewest = std::min(fewest, offsets_.c[to_size(i)]);
      most = std::max(most, offsets_.c[to_size(i)]);
    }
    add_entries(block);
    for (Index s = 1; s <= most; ++s) block.stages.push_back(stage(block, s));
    // What is not to be a state in stage s has to be chosen in the stages before it.
    for (Index s = most; s > 1; --s) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (block.stages[to_size(s - 1)].is_demanded[k])
          block.stages[to_size(s - 2)].is_demanded[k] = true;
    }
    block.has_choice = fewest < most;
    for (const SelectionStage& stage : block.stages) {
      block.has_orders |= std::ranges::find(stage.weight, 0.0) != stage.weight.end();
      block.has_wishes |=
          std::ranges::find(stage.weight, willingness(StateSelect::prefer)) != stage.weight.end();
      block.has_orders |= std::ranges::find(stage.is_demanded, true) != stage.is_demanded.end();
    }
    block.interval =
        1 + operations_per_entry * to_index(block.entries.size()) / operations_per_step;
    return block;
  }

 private:
  void add_entries(SelectionBlock& block) {
    for (std::size_t k = 0; k < block.rows.size(); ++k)
      row_in_block_[to_size(block.rows[k])] = to_index(k);
    const auto variables = system_.view().model.variables();
    for (std::size_t k = 0; k < block.columns.size(); ++k) {
      const Index j = block.columns[k];
      const Index first = system_.report().model.unknowns[to_size(j)];
      block.nominals.push_back(variables[to_size(first)].nominal);
      const auto column = to_size(system_.place(j, offsets_.d[to_size(j)]));
      for (Index p = pattern_.column_start[column]; p < pattern_.column_start[column + 1]; ++p) {
        const Index row = row_in_block_[to_size(pattern_.row[to_size(p)])];
        if (row >= 0) block.entries.push_back({row, to_index(k), p});
      }
    }
    for (const Index i : block.rows) row_in_block_[to_size(i)] = -1;
  }

  [[nodiscard]] SelectionStage stage(const SelectionBlock& block, Index s) const {
    SelectionStage stage;
    for (const Index i : block.rows)
      stage.row.push_back(offsets_.c[to_size(i)] >= s ? stage.n_rows++ : -1);
    const auto variables = system_.view().model.variables();
    for (const Index j : block.columns) {
      const Index order = offsets_.d[to_size(j)] - s;
      const Index place = order >= 0 ? system_.place(j, order) : -1;
      const Index variable = place >= 0 ? system_.places()[to_size(place)].variable : -1;
      const StateSelect select =
          variable >= 0 ? variables[to_size(variable)].state_select : StateSelect::standard;
      stage.place.push_back(place);
      stage.weight.push_back(place >= 0 ? willingness(select) : 1.0);
      stage.is_demanded.push_back(select == StateSelect::never);
    }
    return stage;
  }

  const DifferentiatedSystem& system_;
  const structure::Offsets& offsets_;
  const SparsityPattern& pattern_;
  std::vector<Index> row_in_block_;
};

/// Whether every stage finds dummies for its equations among the candidates that give up being
/// states more willingly than this: those that StateSelect.always leaves, or prefer too.
bool can_obey(const SelectionBlock& block, double least_willingness) {
  for (const SelectionStage& stage : block.stages) {
    std::vector<std::vector<Index>> rows(to_size(stage.n_rows));
    for (const SelectionBlock::Entry& entry : block.entries) {
      const Index row = stage.row[to_size(entry.row)];
      const auto k = to_size(entry.column);
      if (row >= 0 && stage.place[k] >= 0 && stage.weight[k] > least_willingness)
        rows[to_size(row)].push_back(entry.column);
    }
    structure::Incidence incidence(to_index(block.columns.size()));
    for (const std::vector<Index>& row : rows) incidence.add_row(row);
    if (structure::maximum_matching(incidence).size < stage.n_rows) return false;
  }
  return true;
}

/// Blocks of the system Jacobian that are chosen from together. Each for itself is enough, but for
/// StateSelect.always and prefer: in s = r, where s is to be a state and r follows from a force
/// alone, the block of the constraint has no candidate but s, and r belongs to another.
class Groups {
 public:
  Groups(const DifferentiatedSystem& system, const SparsityPattern& pattern)
      : system_(&system), pattern_(&pattern) {
    const auto& blocks = system.report().blocks;
    block_of_row_.resize(to_size(pattern.rows));
    for (Index b = 0; b < blocks.n_blocks(); ++b) {
      members_.push_back({b});
      group_.push_back(b);
      for (const Index row : blocks.rows(b)) block_of_row_[to_size(row)] = b;
    }
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& members() const { return members_; }

  /// Takes in the groups of all unknowns in the differentiated equations of the block. False: there
  /// are none.
  bool grow(Index number) {
    const auto& blocks = system_->report().blocks;
    const auto& offsets = system_->report().offsets;
    bool any = false;
    for (Index b = 0; b < blocks.n_blocks(); ++b) {
      if (group_[to_size(b)] == number) continue;
      for (const Index j : blocks.columns(b)) {
        const auto column = to_size(system_->place(j, offsets.d[to_size(j)]));
        for (Index p = pattern_->column_start[column]; p < pattern_->column_start[column + 1];
             ++p) {
          const Index row = pattern_->row[to_size(p)];
          const Index owner = group_[to_size(block_of_row_[to_size(row)])];
          if (owner != number || offsets.c[to_size(row)] == 0) continue;
          merge(number, group_[to_size(b)]);
          any = true;
          break;
        }
        if (group_[to_size(b)] == number) break;
      }
    }
    return any;
  }

 private:
  void merge(Index into, Index other) {
    for (const Index b : members_[to_size(other)]) group_[to_size(b)] = into;
    auto& target = members_[to_size(into)];
    target.insert(target.end(), members_[to_size(other)].begin(), members_[to_size(other)].end());
    std::sort(target.begin(), target.end());
    members_[to_size(other)].clear();
  }

  const DifferentiatedSystem* system_;
  const SparsityPattern* pattern_;
  std::vector<Index> block_of_row_;
  std::vector<Index> group_;                 ///< by block
  std::vector<std::vector<Index>> members_;  ///< by group; empty where it was taken in
};

}  // namespace

std::vector<SelectionBlock> selection_blocks(const DifferentiatedSystem& system,
                                             const SparsityPattern& pattern) {
  BlockCollector builder(system, pattern);
  Groups groups(system, pattern);
  std::vector<SelectionBlock> result(groups.members().size());
  for (Index g = 0; g < to_index(result.size()); ++g) {
    if (groups.members()[to_size(g)].empty()) continue;
    SelectionBlock block = builder.block(groups.members()[to_size(g)]);
    while (block.has_orders && !can_obey(block, 0.0) && groups.grow(g)) {
      block = builder.block(groups.members()[to_size(g)]);
    }
    // Wishes take in other blocks only if that fulfils them.
    const double preferred = willingness(StateSelect::prefer);
    if (block.has_wishes && !can_obey(block, preferred)) {
      Groups wider = groups;
      SelectionBlock wide = block;
      while (wide.has_wishes && !can_obey(wide, preferred) && wider.grow(g)) {
        wide = builder.block(wider.members()[to_size(g)]);
      }
      if (wide.has_wishes && wide.rows.size() > block.rows.size() && can_obey(wide, preferred)) {
        groups = std::move(wider);
        block = std::move(wide);
      }
    }
    result[to_size(g)] = std::move(block);
  }
  std::vector<SelectionBlock> kept;
  for (std::size_t g = 0; g < result.size(); ++g)
    if (!groups.members()[g].empty()) kept.push_back(std::move(result[g]));
  return kept;
}

}  // namespace daedal::formulation
