// SPDX-License-Identifier: BSD-3-Clause
#include "solve/rows/row_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "expr/calculus.hpp"
#include "formulation/dummy/sigma_system.hpp"
#include "model/labels.hpp"
#include "model/rewrite.hpp"
#include "structure/assignment.hpp"

namespace daedal::solve_detail {

RowTable::RowTable(GeneralView view) : view_(std::move(view)), walker_(*view_.pool) {
  const auto variables = view_.model.variables();
  structure::Signature signature(to_index(variables.size()));
  std::vector<structure::SignatureEntry> entries;
  for (const NodeId residual : view_.residuals) {
    entries.clear();
    for (const NodeId leaf : walker_.leaves(residual)) {
      const Node& node = (*view_.pool)[leaf];
      if (node.op == Op::variable) entries.push_back({node.symbol, node.order});
    }
    signature.add_row(entries);
  }
  const auto assignment = structure::highest_value_transversal(signature);
  if (!assignment) {
    (void)analysis::structural_report(view_.model);  // which says what is wrong
    throw Error(ErrorCode::internal, "The equations cannot be matched with the variables.");
  }
  for (std::size_t j = 0; j < variables.size(); ++j) {
    sources_.push_back({static_cast<std::int32_t>(assignment->transversal.row_of_column[j]), 0});
    kinds_.push_back({.differential = view_.is_differential[j]});
    nominals_.push_back(variables[j].nominal);
  }
}

RowTable::RowTable(GeneralView view, const analysis::StructuralReport& report)
    : view_(std::move(view)), walker_(*view_.pool) {
  formulation::PlaceTraits traits = formulation::traits_of_places(view_.model, report);
  kinds_ = std::move(traits.kinds);
  nominals_ = std::move(traits.nominals);
  std::vector<Index> first{0};
  const auto& d = report.offsets.d;
  for (std::size_t j = 0; j < d.size(); ++j) {
    for (Index order = 0; order <= d[j]; ++order)
      unknowns_.push_back(
          analysis::derivative_name(view_.model, report.model, {to_index(j), order}));
    first.push_back(first.back() + d[j] + 1);
  }
  for (const analysis::DerivativeOf& variable : report.model.variables)
    places_.push_back(first[to_size(variable.unknown)] + variable.order);
  for (std::size_t i = 0; i < report.offsets.c.size(); ++i) {
    for (Index level = 0; level <= report.offsets.c[i]; ++level)
      equations_.push_back(
          {static_cast<std::int32_t>(report.model.equations[i]), static_cast<std::int32_t>(level)});
  }
}

void RowTable::choose(std::span<const Index> equation_at) {
  if (!is_reduced()) return;
  sources_.clear();
  for (const Index equation : equation_at)
    sources_.push_back(equation < 0 ? Source{} : equations_[to_size(equation)]);
}

std::string RowTable::unknown_name(Index column) const {
  return is_reduced() ? unknowns_[to_size(column)] : view_.model.variables()[to_size(column)].name;
}

std::string RowTable::row_name(Index row) const {
  const auto [equation, level] = sources_[to_size(row)];
  if (equation < 0) return fmt::format("The derivative of '{}'", unknown_name(row));
  const std::string label = equation_label(view_.model, equation);
  return level == 0 ? label : fmt::format("{}, differentiated {} times", label, level);
}

void RowTable::columns_of(Index row, std::vector<Index>& columns) {
  const auto [equation, level] = sources_[to_size(row)];
  columns.assign({row});
  if (equation < 0) {
    columns.push_back(row + 1);
    return;
  }
  for (const NodeId leaf : walker_.leaves(view_.residuals[to_size(equation)])) {
    const Node& node = (*view_.pool)[leaf];
    if (node.op != Op::variable) continue;
    const Index column = column_of(node.symbol);
    for (Index l = 0; l <= (is_reduced() ? node.order + level : 0); ++l)
      columns.push_back(column + l);
  }
  std::ranges::sort(columns);
  columns.erase(std::ranges::unique(columns).begin(), columns.end());
}

std::vector<NodeId> RowTable::residuals(Pool& pool, std::span<const Index> rows) const {
  if (is_reduced()) return differentiated(pool, rows);
  std::vector<NodeId> roots;
  for (const Index row : rows)
    roots.push_back(view_.residuals[to_size(sources_[to_size(row)].equation)]);
  return roots;
}

std::vector<NodeId> RowTable::differentiated(Pool& pool, std::span<const Index> rows) const {
  std::vector<NodeId> result(rows.size(), no_node);
  std::vector<std::size_t> open;
  std::vector<NodeId> roots;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Source& source = sources_[to_size(rows[i])];
    if (source.equation < 0) continue;
    open.push_back(i);
    roots.push_back(view_.residuals[to_size(source.equation)]);
  }
  for (std::int32_t level = 0; !open.empty(); ++level) {
    std::vector<std::size_t> higher;
    std::vector<NodeId> next;
    for (std::size_t k = 0; k < open.size(); ++k) {
      result[open[k]] = roots[k];
      if (sources_[to_size(rows[open[k]])].level == level) continue;
      higher.push_back(open[k]);
      next.push_back(roots[k]);
    }
    roots = total_time_derivative(pool, next);
    open = std::move(higher);
  }
  const auto column = [&pool](Index number, int order) {
    return pool.variable(static_cast<SymbolId>(number), order);
  };
  std::vector<NodeId> written;
  std::ranges::copy_if(result, std::back_inserter(written),
                       [](NodeId id) { return id != no_node; });
  std::vector<std::pair<NodeId, NodeId>> names;
  for (const NodeId leaf : dependencies(pool, written)) {
    const Node node = pool[leaf];
    if (node.op != Op::variable) continue;
    names.emplace_back(leaf,
                       column(places_[static_cast<std::size_t>(node.symbol)] + node.order, 0));
  }
  Rewriter rewriter(pool, pool);
  for (const auto& [leaf, name] : names) rewriter.bind(leaf, name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result[i] = result[i] == no_node ? pool.sub(column(rows[i], 1), column(rows[i] + 1, 0))
                                     : rewriter.rewrite(result[i]);
  }
  return result;
}

}  // namespace daedal::solve_detail
