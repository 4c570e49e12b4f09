// SPDX-License-Identifier: BSD-3-Clause
#include "solve/rows/compiled_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "expr/calculus.hpp"

namespace daedal::solve_detail {

using namespace formulation;

namespace {

/// Where each column that the leaves name is found: the own ones first, then the ghosts.
std::map<Index, Index> locate(const Pool& pool, std::span<const NodeId> leaves,
                              std::vector<Index>& columns) {
  std::map<Index, Index> places;
  for (const Index own : columns) places.emplace(own, to_index(places.size()));
  std::vector<Index> ghosts;
  for (const NodeId leaf : leaves) {
    const Node& node = pool[leaf];
    if (node.op == Op::variable && !places.contains(node.symbol)) ghosts.push_back(node.symbol);
  }
  std::ranges::sort(ghosts);
  for (const Index ghost : ghosts) {
    if (places.emplace(ghost, to_index(columns.size())).second) columns.push_back(ghost);
  }
  return places;
}

}  // namespace

CompiledRows::CompiledRows(const RowTable& table, std::span<const Index> rows,
                           std::span<const double> parameters)
    : table_(table),
      parameters_(parameters),
      columns_(rows.begin(), rows.end()),
      n_rows_(rows.size()) {
  Pool pool(table.view().pool);
  const std::vector<NodeId> roots = table.residuals(pool, rows);
  const std::vector<NodeId> leaves = dependencies(pool, roots);
  const std::map<Index, Index> places = locate(pool, leaves, columns_);
  std::vector<NodeId> x(columns_.size(), no_node);
  std::vector<NodeId> xp(columns_.size(), no_node);
  std::vector<kernel::Input> inputs{{pool.time(), block_time, 0},
                                    {pool.initial(), block_phase, 0},
                                    {pool.terminal(), block_phase, 1}};
  for (const NodeId leaf : leaves) {
    const Node node = pool[leaf];
    if (node.op == Op::variable) {
      const Index place = places.at(node.symbol);
      (node.order == 0 ? x : xp)[to_size(place)] = leaf;
      inputs.push_back({leaf, node.order == 0 ? block_values : block_derivatives, place});
    } else if (node.op == Op::parameter) {
      inputs.push_back({leaf, block_parameters, node.symbol});
    }
  }
  residual_ = kernel::Program::compile(pool, roots, inputs);
  jacobian_ =
      kernel::JacobianProgram::compile(pool, {.roots = roots, .groups = {x, xp}, .inputs = inputs});
  registers_ = residual_.make_workspace();
  workspace_ = jacobian_.make_workspace();
  sort_by_rows();
}

void CompiledRows::sort_by_rows() {
  const SparsityPattern& pattern = jacobian_.pattern();
  const std::size_t n = pattern.row.size();
  entries_x_.resize(n);
  entries_xp_.resize(n);
  std::vector<Index> column_of(n);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    std::fill(column_of.begin() + pattern.column_start[j],
              column_of.begin() + pattern.column_start[j + 1], to_index(j));
  }
  by_columns_.resize(n);
  std::iota(by_columns_.begin(), by_columns_.end(), Index{0});
  std::ranges::stable_sort(by_columns_, {},
                           [&](Index entry) { return pattern.row[to_size(entry)]; });
  row_start_.assign(n_rows_ + 1, 0);
  for (const Index entry : by_columns_) {
    column_.push_back(column_of[to_size(entry)]);
    ++row_start_[to_size(pattern.row[to_size(entry)]) + 1];
  }
  std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
}

std::span<const double* const> CompiledRows::blocks(const double& t, std::span<const double> x,
                                                    std::span<const double> xp) {
  pointers_[block_time] = &t;
  pointers_[block_values] = x.data();
  pointers_[block_derivatives] = xp.data();
  pointers_[block_parameters] = parameters_.data();
  pointers_[block_phase] = phase_.data();
  return pointers_;
}

Evaluation CompiledRows::fail(Index row, const char* what, double t) {
  failure_ = fmt::format("{}{} is not finite at t = {:.12g}.", what,
                         table_.row_name(columns_[to_size(row)]), t);
  return Evaluation::recoverable;
}

Evaluation CompiledRows::residual(double t, std::span<const double> x, std::span<const double> xp,
                                  std::span<double> values) {
  residual_.evaluate(blocks(t, x, xp), values, registers_);
  const Index bad = first_not_finite(values);
  return bad < 0 ? Evaluation::ok : fail(bad, "", t);
}

Evaluation CompiledRows::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                                  std::span<double> f_x, std::span<double> f_xp) {
  const std::array<std::span<double>, 2> entries{entries_x_, entries_xp_};
  jacobian_.evaluate(blocks(t, x, xp), entries, workspace_);
  for (std::size_t k = 0; k < by_columns_.size(); ++k) {
    f_x[k] = entries_x_[to_size(by_columns_[k])];
    f_xp[k] = entries_xp_[to_size(by_columns_[k])];
  }
  for (const std::span<double> values : entries) {
    const Index bad = first_not_finite(values);
    if (bad >= 0) return fail(jacobian_.pattern().row[to_size(bad)], "The derivative of ", t);
  }
  return Evaluation::ok;
}

}  // namespace daedal::solve_detail
