// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/sigma_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "expr/calculus.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

PlaceTraits traits_of_places(const Model& model, const analysis::StructuralReport& report) {
  const auto& d = report.offsets.d;
  std::vector<bool> is_plain(d.size());  // algebraic by itself: no derivatives
  for (Index b = 0; b < report.blocks.n_blocks(); ++b) {
    bool plain = true;
    for (const Index i : report.blocks.rows(b)) plain &= report.offsets.c[to_size(i)] == 0;
    for (const Index j : report.blocks.columns(b)) plain &= d[to_size(j)] == 0;
    for (const Index j : report.blocks.columns(b)) is_plain[to_size(j)] = plain;
  }
  PlaceTraits traits;
  std::vector<Index> first;
  for (std::size_t j = 0; j < d.size(); ++j) {
    first.push_back(to_index(traits.kinds.size()));
    const double nominal = model.variables()[to_size(report.model.unknowns[j])].nominal;
    for (Index order = 0; order <= d[j]; ++order) {
      // Accelerations and multipliers stay out of the error test.
      const bool is_highest = order == d[j];
      traits.kinds.push_back(
          {.differential = !is_highest, .in_error_test = !is_highest || is_plain[j]});
      traits.nominals.push_back(nominal);
    }
  }
  for (std::size_t v = 0; v < report.model.variables.size(); ++v) {
    const auto [unknown, order] = report.model.variables[v];
    traits.nominals[to_size(first[to_size(unknown)] + order)] = model.variables()[v].nominal;
  }
  return traits;
}

DifferentiatedSystem::DifferentiatedSystem(GeneralView view)
    : view_(std::move(view)), report_(analysis::structural_report(view_.model)) {
  make_places();
  differentiate();
  Pool pool(pool_);
  residual_ = kernel::Program::compile(pool, residual_nodes_, inputs(pool));
  jacobian_ = jacobian_of(residual_nodes_, Columns::all);
}

void DifferentiatedSystem::make_places() {
  const auto& d = report_.offsets.d;
  for (std::size_t j = 0; j < d.size(); ++j) {
    first_place_.push_back(n_places());
    for (Index order = 0; order <= d[j]; ++order)
      places_.push_back({.unknown = to_index(j), .order = order, .is_highest = order == d[j]});
  }
  const auto& variables = report_.model.variables;
  for (std::size_t v = 0; v < variables.size(); ++v)
    places_[to_size(place_of(to_index(v)))].variable = to_index(v);
}

Index DifferentiatedSystem::place_of(Index variable) const {
  const auto& derivative = report_.model.variables[to_size(variable)];
  return place(derivative.unknown, derivative.order);
}

Index DifferentiatedSystem::place_of_derivative(Index variable) const {
  const Index value = place_of(variable);
  return places_[to_size(value)].is_highest ? -1 : value + 1;
}

void DifferentiatedSystem::differentiate() {
  const auto& c = report_.offsets.c;
  for (std::size_t i = 0; i < c.size(); ++i) {
    first_equation_.push_back(n_equations());
    for (Index level = 0; level <= c[i]; ++level)
      equations_.push_back({.row = to_index(i), .level = level, .is_highest = level == c[i]});
  }
  residual_nodes_.assign(equations_.size(), no_node);
  auto pool = std::make_shared<Pool>(view_.pool);
  std::vector<Index> rows;
  std::vector<NodeId> roots;
  for (std::size_t i = 0; i < c.size(); ++i) {
    rows.push_back(to_index(i));
    roots.push_back(view_.residuals[to_size(report_.model.equations[i])]);
  }
  for (Index level = 0; !rows.empty(); ++level) {
    std::vector<Index> next_rows;
    std::vector<NodeId> next_roots;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      residual_nodes_[to_size(equation(rows[k], level))] = roots[k];
      if (c[to_size(rows[k])] <= level) continue;
      next_rows.push_back(rows[k]);
      next_roots.push_back(roots[k]);
    }
    roots = total_time_derivative(*pool, next_roots);
    rows = std::move(next_rows);
  }
  for (const Equation& equation : view_.model.initial_equations())
    initial_nodes_.push_back(pool->sub(equation.lhs, equation.rhs));
  pool->freeze();
  pool_ = std::move(pool);
}

std::vector<kernel::Input> DifferentiatedSystem::inputs(Pool& pool) const {
  std::vector<kernel::Input> result = model_inputs(view_.model, pool);
  std::erase_if(result, [](const kernel::Input& input) {
    return input.block == block_values || input.block == block_derivatives;
  });
  const auto& variables = report_.model.variables;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Index highest = report_.offsets.d[to_size(variables[v].unknown)];
    for (Index k = 0; variables[v].order + k <= highest; ++k) {
      result.push_back({.leaf = pool.variable(static_cast<SymbolId>(v), static_cast<int>(k)),
                        .block = block_values,
                        .offset = place_of(to_index(v)) + k});
    }
  }
  return result;
}

SparseProgram DifferentiatedSystem::jacobian_of(std::span<const NodeId> roots, Columns which,
                                                std::span<const std::size_t> parameters) const {
  Pool pool(pool_);
  // One place may have several names in the equations, x' and v: their derivatives add up.
  std::vector<NodeId> leaves;
  std::vector<Index> columns;
  for (const NodeId leaf : dependencies(pool, roots)) {
    const Node& node = pool[leaf];
    if (node.op != Op::variable) continue;
    const auto& variable = report_.model.variables[static_cast<std::size_t>(node.symbol)];
    const Index order = variable.order + node.order;
    const Index highest = report_.offsets.d[to_size(variable.unknown)];
    if (which == Columns::highest && order < highest) continue;
    if (order > highest) {
      throw ModelError(
          ErrorCode::not_recognized,
          fmt::format("An initial equation uses {}, a derivative that the equations of the model "
                      "do not determine in structure.",
                      leaf_name(view_.model, leaf)));
    }
    leaves.push_back(leaf);
    columns.push_back(place(variable.unknown, order));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    leaves.push_back(pool.parameter(static_cast<SymbolId>(parameters[k])));
    columns.push_back(n_places() + to_index(k));
  }
  std::map<std::pair<Index, Index>, NodeId> entries;  // by column, then row
  for (const JacobianEntry& entry : daedal::jacobian(pool, roots, leaves)) {
    const std::pair<Index, Index> key{columns[static_cast<std::size_t>(entry.column)], entry.row};
    const auto [found, is_new] = entries.emplace(key, entry.value);
    if (!is_new) found->second = pool.add(found->second, entry.value);
  }
  SparseProgram result;
  auto& pattern = result.pattern;
  pattern.rows = to_index(roots.size());
  pattern.columns = n_places() + to_index(parameters.size());
  pattern.column_start.assign(to_size(pattern.columns) + 1, 0);
  std::vector<NodeId> nodes;
  for (const auto& [key, node] : entries) {
    ++pattern.column_start[to_size(key.first) + 1];
    pattern.row.push_back(key.second);
    nodes.push_back(node);
  }
  for (std::size_t j = 0; j < to_size(pattern.columns); ++j)
    pattern.column_start[j + 1] += pattern.column_start[j];
  result.program = kernel::Program::compile(pool, nodes, inputs(pool));
  return result;
}

std::string DifferentiatedSystem::equation_name(Index number) const {
  const DerivedEquation& equation = equations_[to_size(number)];
  const Index i = report_.model.equations[to_size(equation.row)];
  const std::string label = equation_label(view_.model, i);
  if (equation.level == 0) return label;
  if (equation.level == 1) return label + ", differentiated once";
  if (equation.level == 2) return label + ", differentiated twice";
  return fmt::format("{}, differentiated {} times", label, equation.level);
}

std::string DifferentiatedSystem::place_name(Index number) const {
  // By the nearest lower place that has a name.
  Index nearest = number;
  while (places_[to_size(nearest)].variable < 0) --nearest;
  const std::string& name =
      view_.model.variables()[to_size(places_[to_size(nearest)].variable)].name;
  const Index order = number - nearest;
  if (order == 0) return name;
  return order == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, order);
}

}  // namespace daedal::formulation
