// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/jacobian_program.hpp"

#include <algorithm>
#include <daedal/error.hpp>

namespace daedal::kernel {

namespace {

/// One group's entries with the column numbers of the whole.
std::vector<JacobianEntry> group_entries(Pool& pool, std::span<const NodeId> roots,
                                         std::span<const NodeId> group) {
  std::vector<NodeId> leaves;
  std::vector<std::int32_t> column;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] == no_node) continue;
    leaves.push_back(group[i]);
    column.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<JacobianEntry> entries = jacobian(pool, roots, leaves);
  for (JacobianEntry& entry : entries) {
    entry.column = column[entry.column];
  }
  return entries;
}

using Place = std::pair<std::int32_t, std::int32_t>;  ///< column, row

Place place_of(const JacobianEntry& entry) {
  return {entry.column, entry.row};
}

SparsityPattern make_pattern(std::size_t rows, std::size_t columns, std::span<const Place> places) {
  SparsityPattern pattern;
  pattern.rows = to_index(rows);
  pattern.columns = to_index(columns);
  pattern.column_start.assign(columns + 1, 0);
  for (const auto& [column, row] : places) {
    ++pattern.column_start[static_cast<std::size_t>(column) + 1];
    pattern.row.push_back(row);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    pattern.column_start[j + 1] += pattern.column_start[j];
  }
  return pattern;
}

}  // namespace

JacobianProgram JacobianProgram::compile(Pool& pool, const JacobianRequest& request) {
  const std::size_t columns = request.groups.empty() ? 0 : request.groups.front().size();
  std::vector<std::vector<JacobianEntry>> entries;
  std::vector<Place> places;
  for (const std::span<const NodeId> group : request.groups) {
    if (group.size() != columns) {
      throw Error(ErrorCode::internal, "The groups of a Jacobian differ in their columns.");
    }
    entries.push_back(request.known.empty()
                          ? group_entries(pool, request.roots, group)
                          : std::vector(request.known.begin(), request.known.end()));
    for (const JacobianEntry& entry : entries.back()) places.push_back(place_of(entry));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());

  JacobianProgram result;
  result.pattern_ = make_pattern(request.roots.size(), columns, places);
  std::vector<NodeId> outputs;
  if (request.with_values) outputs.assign(request.roots.begin(), request.roots.end());
  for (const std::vector<JacobianEntry>& group : entries) {
    result.first_output_.push_back(to_index(outputs.size()));
    std::vector<Index>& positions = result.positions_.emplace_back();
    for (const JacobianEntry& entry : group) {
      outputs.push_back(entry.value);
      const auto at = std::lower_bound(places.begin(), places.end(), place_of(entry));
      positions.push_back(at - places.begin());
    }
  }
  result.program_ = Program::compile(pool, outputs, request.inputs);
  return result;
}

JacobianWorkspace JacobianProgram::make_workspace() const {
  return {.registers = program_.make_workspace(),
          .outputs = std::vector<double>(to_size(program_.n_outputs()))};
}

void JacobianProgram::evaluate(std::span<const double* const> blocks,
                               std::span<const std::span<double>> nonzeros,
                               JacobianWorkspace& workspace, std::span<double> values) const {
  program_.evaluate(blocks, workspace.outputs, workspace.registers);
  const double* const outputs = workspace.outputs.data();
  if (!values.empty()) std::copy_n(outputs, values.size(), values.begin());
  for (std::size_t g = 0; g < nonzeros.size(); ++g) {
    const std::span<double> target = nonzeros[g];
    if (target.empty()) continue;
    const std::vector<Index>& positions = positions_[g];
    const double* from = outputs + first_output_[g];
    if (positions.size() < target.size()) std::fill(target.begin(), target.end(), 0.0);
    for (const Index position : positions) target[position] = *from++;
  }
}

}  // namespace daedal::kernel
