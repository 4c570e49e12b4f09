// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/array/array_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/sparse/sparsity.hpp"

namespace daedal::analysis {

namespace {

/// A pair is peeled where its entry is at least this share of the greatest in its row.
constexpr double safe_share = 1e-2;

/// The place of every number among the chosen ones, -1 for the others.
std::vector<Index> places_of(std::span<const Index> chosen, Index n) {
  std::vector<Index> places(to_size(n), -1);
  for (std::size_t k = 0; k < chosen.size(); ++k) places[chosen[k]] = to_index(k);
  return places;
}

}  // namespace

ArrayPart whole_array(const DerivativeArray& array, int level) {
  ArrayPart part{.rows = std::vector<Index>(to_size(array.n_equations() * (level + 1))),
                 .columns = std::vector<Index>(to_size(array.n_unknowns() * (level + 2)))};
  std::iota(part.rows.begin(), part.rows.end(), Index{0});
  std::iota(part.columns.begin(), part.columns.end(), Index{0});
  return part;
}

ArrayJacobian::ArrayJacobian(const DerivativeArray& array, int level)
    : ArrayJacobian(array, level, whole_array(array, level)) {}

ArrayJacobian::ArrayJacobian(const DerivativeArray& array, int level, const ArrayPart& part)
    : pattern_{.rows = to_index(part.rows.size()),
               .columns = to_index(part.columns.size()),
               .column_start = {0},
               .row = {}} {
  const Index m = array.n_equations();
  const Index n = array.n_unknowns();
  const auto row_place = places_of(part.rows, m * (level + 1));
  const Index zero = array.n_outputs() * (array.max_level() + 1);
  const auto entries = array.entries();
  for (const Index number : part.columns) {
    const Index j = number / n;
    const auto own =
        std::ranges::equal_range(entries, number % n, {}, &DerivativeArray::Entry::column);
    for (Index i = std::max<Index>(j - 1, 0); i <= level; ++i) {
      for (const DerivativeArray::Entry& entry : own) {
        const bool has_a = entry.a >= 0 && i >= j;
        const bool has_e = entry.e >= 0 && j > 0;
        const Index row = row_place[i * m + entry.row];
        if (row < 0 || !(has_a || has_e)) continue;
        pattern_.row.push_back(row);
        const auto source = [&](bool has, Index order, Index output) {
          return static_cast<std::int32_t>(has ? order * array.n_outputs() + output : zero);
        };
        a_.push_back(source(has_a, i - j, entry.a));
        e_.push_back(source(has_e, i - j + 1, entry.e));
        factor_.push_back(static_cast<double>(j));
      }
    }
    pattern_.column_start.push_back(pattern_.nonzeros());
  }
}

void ArrayJacobian::assemble(const DerivativeArray::Workspace& workspace,
                             std::span<double> values) const {
  const double* const outputs = workspace.outputs.data();
  const double per_scale = 1.0 / workspace.scale;
  for (std::size_t p = 0; p < values.size(); ++p) {
    values[p] = outputs[a_[p]] + factor_[p] * per_scale * outputs[e_[p]];
  }
}

bool ArrayJacobian::is_constant(const DerivativeArray& array,
                                const DerivativeArray::Workspace& workspace, std::size_t p) const {
  const Index n_outputs = array.n_outputs();
  const Index zero = n_outputs * (array.max_level() + 1);
  for (const std::int32_t source : {a_[p], e_[p]}) {
    for (Index i = source % n_outputs + n_outputs; source < zero && i < zero; i += n_outputs) {
      if (workspace.outputs[i] != 0.0) return false;
    }
  }
  return true;
}

ReducedArray reduce_array(const DerivativeArray& array, const ArrayJacobian& whole,
                          const DerivativeArray::Workspace& workspace) {
  const SparsityPattern& pattern = whole.pattern();
  std::vector<double> values(to_size(pattern.nonzeros()));
  whole.assemble(workspace, values);
  // Of changes by the nominal values.
  std::vector<double> sizes(values.size());
  std::vector<double> row_max(to_size(pattern.rows), 0.0);
  for (Index j = 0; j < pattern.columns; ++j) {
    const double unit = array.nominals()[to_size(j % array.n_unknowns())];
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      sizes[p] = std::abs(unit * values[p]);
      double& greatest = row_max[pattern.row[p]];
      greatest = std::max(greatest, sizes[p]);
    }
  }
  const linalg::TransposedPattern by_row = linalg::transpose(pattern);
  std::vector<bool> has_row(to_size(pattern.rows), true);
  std::vector<bool> has_column(to_size(pattern.columns), true);
  std::vector<Index> count(to_size(pattern.columns));
  std::vector<Index> waiting;
  const Index first = 2 * array.n_unknowns();  // x and x' are what is wanted
  const auto look_at = [&](Index j) {
    if (j < first || count[j] > 1) return;
    if (count[j] == 0) has_column[j] = false;
    waiting.push_back(j);
  };
  for (Index j = 0; j < pattern.columns; ++j) {
    count[j] = pattern.column_start[j + 1] - pattern.column_start[j];
    look_at(j);
  }
  ReducedArray result;
  while (!waiting.empty()) {
    const Index j = waiting.back();
    waiting.pop_back();
    if (!has_column[j] || count[j] != 1) continue;
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const Index i = pattern.row[p];
      if (!has_row[i] || !(sizes[p] >= safe_share * row_max[i]) ||
          !whole.is_constant(array, workspace, to_size(p))) {
        continue;
      }
      has_row[i] = has_column[j] = false;
      result.peeled.push_back({i, j, values[p]});
      const auto& rows = by_row.pattern;
      for (Index q = rows.column_start[i]; q < rows.column_start[i + 1]; ++q) {
        const Index other = rows.row[q];
        --count[other];
        if (has_column[other]) look_at(other);
      }
    }
  }
  for (Index i = 0; i < pattern.rows; ++i) {
    if (has_row[i]) result.part.rows.push_back(i);
  }
  for (Index j = 0; j < pattern.columns; ++j) {
    if (has_column[j]) result.part.columns.push_back(j);
  }
  return result;
}

}  // namespace daedal::analysis
