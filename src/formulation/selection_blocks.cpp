// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/selection_blocks.hpp"

#include <algorithm>

namespace daedal::formulation {

namespace {

/// Operations that a look at the choice may cost a step, on average (about 1 ms), and what an
/// elimination takes per entry with its fill-in.
constexpr Index operations_per_step = 1000000;
constexpr Index operations_per_entry = 50;

/// How willingly a variable gives up being a state.
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

class Builder {
 public:
  Builder(const DifferentiatedSystem& system, const SparsityPattern& pattern)
      : system_(system),
        offsets_(system.report().offsets),
        pattern_(pattern),
        row_in_block_(to_size(pattern.rows), -1) {}

  SelectionBlock block(Index number) {
    const auto& blocks = system_.report().blocks;
    const auto rows = blocks.rows(number);
    const auto columns = blocks.columns(number);
    SelectionBlock block;
    block.rows.assign(rows.begin(), rows.end());
    block.columns.assign(columns.begin(), columns.end());
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

}  // namespace

std::vector<SelectionBlock> selection_blocks(const DifferentiatedSystem& system,
                                             const SparsityPattern& pattern) {
  Builder builder(system, pattern);
  std::vector<SelectionBlock> result;
  for (Index b = 0; b < system.report().blocks.n_blocks(); ++b) result.push_back(builder.block(b));
  return result;
}

}  // namespace daedal::formulation
