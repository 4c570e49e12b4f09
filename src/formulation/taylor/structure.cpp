// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/taylor/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "formulation/frame/model_run.hpp"
#include "model/labels.hpp"
#include "structure/offsets.hpp"

namespace daedal::formulation {

TaylorStructure::TaylorStructure(const GeneralView& view) : view_(view) {
  analysis::StructuralReport report = analysis::structural_report(view.model);
  model_ = std::move(report.model);
  make_blocks(report.transversal);
  make_places();
  count_stages();
}

void TaylorStructure::make_blocks(const structure::Matching& transversal) {
  const structure::Signature& signature = model_.signature;
  const auto form = structure::block_triangular_form(signature.incidence(), transversal);
  block_of_.assign(to_size(n_unknowns()), -1);
  own_.assign(block_of_.size(), -1);
  d_.assign(block_of_.size(), 0);
  for (Index b = 0; b < form.n_blocks(); ++b) {
    TaylorBlock block;
    block.rows.assign(form.rows(b).begin(), form.rows(b).end());
    block.unknowns.assign(form.columns(b).begin(), form.columns(b).end());
    for (std::size_t k = 0; k < block.unknowns.size(); ++k) {
      block_of_[to_size(block.unknowns[k])] = b;
      own_[to_size(block.unknowns[k])] = to_index(k);
    }
    structure::Signature inside(to_index(block.unknowns.size()));
    for (const Index row : block.rows) {
      std::vector<structure::SignatureEntry> entries;
      const auto columns = signature.incidence().row(row);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (block_of_[to_size(columns[k])] == b)
          entries.push_back({own_[to_size(columns[k])], signature.orders(row)[k]});
      }
      inside.add_row(entries);
    }
    // The transversal of the whole is one of every block.
    const auto assignment = structure::highest_value_transversal(inside);
    const structure::Offsets offsets = structure::canonical_offsets(inside, *assignment);
    block.c.assign(offsets.c.begin(), offsets.c.end());
    block.d.assign(offsets.d.begin(), offsets.d.end());
    block.max_c = *std::ranges::max_element(block.c);
    for (std::size_t k = 0; k < block.unknowns.size(); ++k)
      d_[to_size(block.unknowns[k])] = block.d[k];
    compile(block);
    blocks_.push_back(std::move(block));
  }
}

std::vector<TaylorLeaf> TaylorStructure::leaves_of(const Pool& pool, std::span<const NodeId> roots,
                                                   Index block) const {
  std::vector<TaylorLeaf> leaves;
  for (const NodeId id : dependencies(pool, roots)) {
    const Node& node = pool[id];
    if (node.op != Op::variable) continue;
    const auto& variable = model_.variables[static_cast<std::size_t>(node.symbol)];
    const auto unknown = to_size(variable.unknown);
    leaves.push_back({.node = id,
                      .unknown = variable.unknown,
                      .order = static_cast<int>(variable.order + node.order),
                      .own = block_of_[unknown] == block ? own_[unknown] : -1});
  }
  return leaves;
}

std::vector<kernel::Input> TaylorStructure::inputs(const Pool& pool, std::span<const NodeId> roots,
                                                   std::span<const TaylorLeaf> leaves) {
  std::vector<kernel::Input> inputs;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    inputs.push_back({.leaf = leaves[k].node, .block = block_values, .offset = to_index(k)});
  const auto bind = [&](NodeId id, int block) {
    inputs.push_back({.leaf = id, .block = block, .offset = pool[id].symbol});
  };
  const Reachable reachable(pool, roots);
  for (const NodeId id : reachable.ids()) {
    const Node& node = pool[id];
    switch (node.op) {
      case Op::time:
        inputs.push_back({.leaf = id, .block = block_time, .offset = 0});
        break;
      case Op::parameter:
        bind(id, block_parameters);
        break;
      case Op::discrete:
        bind(id, block_discretes);
        break;
      case Op::pre:
        bind(id, block_pre);
        break;
      case Op::pre_variable:
        bind(id, block_pre_values);
        break;
      case Op::sample:
        bind(id, block_samples);
        break;
      case Op::initial:
        inputs.push_back({.leaf = id, .block = block_phase, .offset = 0});
        break;
      case Op::terminal:
        inputs.push_back({.leaf = id, .block = block_phase, .offset = 1});
        break;
      default:
        if (is_relation(node.op) && node.symbol >= 0) bind(id, block_modes);
        break;
    }
  }
  return inputs;
}

void TaylorStructure::compile(TaylorBlock& block) const {
  Pool pool(view_.pool);
  std::vector<NodeId> roots;
  for (const Index row : block.rows)
    roots.push_back(view_.residuals[to_size(model_.equations[to_size(row)])]);
  block.leaves = leaves_of(pool, roots, block_of_[to_size(block.unknowns.front())]);
  block.residuals = kernel::Program::compile(pool, roots, inputs(pool, roots, block.leaves));

  // ∂f_i/∂x_j^(d_j − c_i). One derivative may have several names in the equations, x' and v.
  std::vector<NodeId> nodes;
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < block.leaves.size(); ++k) {
    if (block.leaves[k].own < 0) continue;
    nodes.push_back(block.leaves[k].node);
    numbers.push_back(k);
  }
  std::map<std::pair<Index, Index>, NodeId> entries;  // by column, then row
  for (const JacobianEntry& entry : daedal::jacobian(pool, roots, nodes)) {
    const TaylorLeaf& leaf = block.leaves[numbers[static_cast<std::size_t>(entry.column)]];
    const int c = block.c[static_cast<std::size_t>(entry.row)];
    if (leaf.order != block.d[to_size(leaf.own)] - c) continue;
    const auto [found, is_new] = entries.emplace(std::pair{leaf.own, entry.row}, entry.value);
    if (!is_new) found->second = pool.add(found->second, entry.value);
  }
  SparsityPattern& pattern = block.pattern;
  pattern.rows = pattern.columns = to_index(block.rows.size());
  pattern.column_start.assign(block.rows.size() + 1, 0);
  std::vector<NodeId> values;
  for (const auto& [key, node] : entries) {
    ++pattern.column_start[to_size(key.first) + 1];
    pattern.row.push_back(key.second);
    values.push_back(node);
    block.is_diagonal = block.is_diagonal && key.first == key.second;
  }
  for (std::size_t j = 0; j < block.rows.size(); ++j)
    pattern.column_start[j + 1] += pattern.column_start[j];
  // A matched entry that cancels in the expression leaves a hole: a singular Jacobian.
  block.is_diagonal = block.is_diagonal && values.size() == block.rows.size();
  for (const TaylorLeaf& leaf : leaves_of(pool, values, block_of_[to_size(block.unknowns.front())]))
    if (leaf.own >= 0 && leaf.order == block.d[to_size(leaf.own)]) block.is_quasilinear = false;
  block.jacobian = kernel::Program::compile(pool, values, inputs(pool, values, block.leaves));
}

void TaylorStructure::make_places() {
  n_places_.resize(to_size(n_unknowns()));
  for (std::size_t j = 0; j < n_places_.size(); ++j) n_places_[j] = std::max(d_[j], 1);
  for (const analysis::DerivativeOf& variable : model_.variables) {
    int& n = n_places_[to_size(variable.unknown)];
    n = std::max(n, static_cast<int>(variable.order) + 1);
  }
  for (std::size_t j = 0; j < n_places_.size(); ++j) {
    first_place_.push_back(to_index(places_.size()));
    for (int order = 0; order < n_places_[j]; ++order)
      places_.push_back({.unknown = to_index(j), .order = order, .is_state = order < d_[j]});
  }
  for (std::size_t v = 0; v < model_.variables.size(); ++v)
    places_[to_size(place_of(to_index(v)))].variable = to_index(v);
}

Index TaylorStructure::place_of(Index variable) const {
  const analysis::DerivativeOf& derivative = model_.variables[to_size(variable)];
  return first_place(derivative.unknown) + derivative.order;
}

void TaylorStructure::count_stages() {
  const structure::Signature& signature = model_.signature;
  std::vector<int> extra(to_size(n_unknowns()));  // coefficients beyond order + d_j
  for (std::size_t j = 0; j < extra.size(); ++j) extra[j] = n_places_[j] - 1 - d_[j];
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    int& stages = block->extra_stages;
    for (const Index j : block->unknowns) stages = std::max(stages, extra[to_size(j)]);
    // Fewer stages than the order gain nothing: the last coefficients decide on the step.
    for (std::size_t i = 0; i < block->rows.size(); ++i) {
      const auto columns = signature.incidence().row(block->rows[i]);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto j = to_size(columns[k]);
        const int needed =
            stages + block->c[i] + static_cast<int>(signature.orders(block->rows[i])[k]) - d_[j];
        extra[j] = std::max(extra[j], needed);
      }
    }
  }
}

std::string TaylorStructure::equation_name(Index row, int level) const {
  const std::string label = equation_label(view_.model, model_.equations[to_size(row)]);
  if (level == 0) return label;
  return fmt::format("{}, differentiated {} time{}", label, level, level == 1 ? "" : "s");
}

std::string TaylorStructure::unknown_name(Index unknown, int order) const {
  return analysis::derivative_name(view_.model, model_, {unknown, order});
}

}  // namespace daedal::formulation
