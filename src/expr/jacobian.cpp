// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <daedal/error.hpp>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "expr/calculus.hpp"
#include "expr/chain_rule.hpp"
#include "expr/traverse.hpp"

namespace daedal {

namespace {

/// Forward accumulation carries one tangent per leaf through every node: not for nodes that depend
/// on more leaves than this. (A sum of n terms would cost n².)
constexpr std::size_t max_forward_leaves = 32;

using Columns = std::unordered_map<NodeId, std::int32_t>;

Columns columns_of(const Pool& pool, std::span<const NodeId> leaves) {
  Columns columns;
  columns.reserve(leaves.size());
  for (std::size_t j = 0; j < leaves.size(); ++j) {
    const Op op = pool[leaves[j]].op;
    if (!is_leaf(op) || op == Op::constant) {
      throw Error(ErrorCode::internal, "Expressions are differentiated with respect to leaves.");
    }
    if (!columns.emplace(leaves[j], static_cast<std::int32_t>(j)).second) {
      throw Error(ErrorCode::internal, "A leaf stands twice among the columns of a Jacobian.");
    }
  }
  return columns;
}

/// Has ∂node/∂(argument k) a value other than 0 at all?
bool is_differentiable(Op op, std::size_t k) {
  if (is_logical(op) || (traits_of(op) & traits::flat) != 0) return false;
  return op != Op::if_else || k > 0;
}

/// Which nodes depend on a column at all.
std::vector<bool> active_nodes(const Pool& pool, const Reachable& part, const Columns& columns) {
  std::vector<bool> active(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Node& node = pool[part.ids()[i]];
    bool is_active = is_leaf(node.op) && columns.contains(part.ids()[i]);
    for (std::size_t k = 0; k < 3 && !is_active; ++k) {
      const NodeId argument = arguments(node)[k];
      if (argument == no_node || !is_differentiable(node.op, k)) continue;
      is_active = active[part.position(argument)];
    }
    active[i] = is_active;
  }
  return active;
}

/// The derivatives of one row by reverse accumulation: adjoints flow from the root to the leaves,
/// along nodes that depend on a column.
void append_reverse_row(Pool& pool, NodeId root, const Columns& columns, std::int32_t row,
                        std::vector<JacobianEntry>& entries) {
  const Reachable part(pool, std::span(&root, 1));
  const std::vector<bool> active = active_nodes(pool, part, columns);
  std::vector<NodeId> adjoints(part.size(), no_node);
  adjoints.back() = pool.constant(1.0);
  for (std::size_t i = part.size(); i-- > 0;) {
    if (!active[i] || adjoints[i] == no_node) continue;
    const NodeId id = part.ids()[i];
    const Node node = pool[id];
    if (is_leaf(node.op)) {
      entries.push_back({row, columns.at(id), adjoints[i]});
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      const NodeId argument = arguments(node)[k];
      if (argument == no_node) continue;
      const std::size_t j = part.position(argument);
      if (!active[j]) continue;
      const NodeId term = times_partial(pool, id, k, adjoints[i]);
      if (term == no_node) continue;
      adjoints[j] = adjoints[j] == no_node ? term : pool.add(adjoints[j], term);
    }
  }
}

/// Forward accumulation for rows that share their nodes: tangents with respect to every leaf that
/// a node depends on, computed once per node for all rows.
class ForwardSweep {
 public:
  ForwardSweep(const Pool& pool, std::span<const NodeId> roots, const Columns& columns)
      : part_(pool, roots), supports_(part_.size()), n_rows_(part_.size()), needed_(part_.size()) {
    for (std::size_t i = 0; i < part_.size(); ++i) find_support(pool, i, columns);
    for (const NodeId root : roots) {
      if (!is_offered(root)) continue;
      const Reachable row(pool, std::span(&root, 1));
      for (const NodeId id : row.ids()) ++n_rows_[part_.position(id)];
    }
  }

  /// Is forward accumulation cheaper for this row, a node's cost being divided among its rows?
  /// If so, the row's nodes are marked for `run`.
  bool claims(const Pool& pool, NodeId root) {
    if (!is_offered(root)) return false;
    const Reachable row(pool, std::span(&root, 1));
    double forward = 0.0;
    double reverse = 0.0;
    for (const NodeId id : row.ids()) {
      const std::size_t i = part_.position(id);
      if (supports_[i].is_wide) return false;
      if (supports_[i].columns.empty()) continue;
      forward += static_cast<double>(supports_[i].columns.size()) / n_rows_[i];
      reverse += 1.0;
    }
    if (forward > reverse) return false;
    for (const NodeId id : row.ids()) needed_[part_.position(id)] = true;
    return true;
  }

  /// Does the row depend on any column?
  [[nodiscard]] bool has_entries(NodeId root) const {
    const Support& support = supports_[part_.position(root)];
    return support.is_wide || !support.columns.empty();
  }

  void run(Pool& pool) {
    tangents_.resize(part_.size());
    for (std::size_t i = 0; i < part_.size(); ++i) {
      if (!needed_[i]) continue;
      const NodeId id = part_.ids()[i];
      const Node node = pool[id];
      for (const std::int32_t column : supports_[i].columns) {
        tangents_[i].push_back(
            is_leaf(node.op) ? pool.constant(1.0)
                             : tangent(pool, id,
                                       {tangent_of(node.a, column), tangent_of(node.b, column),
                                        tangent_of(node.c, column)}));
      }
    }
  }

  void append_row(NodeId root, std::int32_t row, std::vector<JacobianEntry>& entries) const {
    const std::size_t i = part_.position(root);
    for (std::size_t k = 0; k < supports_[i].columns.size(); ++k) {
      if (tangents_[i][k] == no_node) continue;
      entries.push_back({row, supports_[i].columns[k], tangents_[i][k]});
    }
  }

 private:
  /// May the row be accumulated forward?
  [[nodiscard]] bool is_offered(NodeId root) const {
    return !supports_[part_.position(root)].columns.empty();
  }

  /// The columns that a node depends on, ascending; if too many, only that it is so.
  struct Support {
    std::vector<std::int32_t> columns;
    bool is_wide = false;
  };

  void find_support(const Pool& pool, std::size_t i, const Columns& columns) {
    const Node& node = pool[part_.ids()[i]];
    Support& support = supports_[i];
    if (is_leaf(node.op)) {
      const auto found = columns.find(part_.ids()[i]);
      if (found != columns.end()) support.columns.push_back(found->second);
      return;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const NodeId argument = arguments(node)[k];
      if (argument == no_node || !is_differentiable(node.op, k)) continue;
      const Support& other = supports_[part_.position(argument)];
      support.is_wide = support.is_wide || other.is_wide;
      if (support.is_wide) break;
      std::vector<std::int32_t> merged;
      std::ranges::set_union(support.columns, other.columns, std::back_inserter(merged));
      support.columns = std::move(merged);
      support.is_wide = support.columns.size() > max_forward_leaves;
    }
    if (support.is_wide) support.columns.clear();
  }

  [[nodiscard]] NodeId tangent_of(NodeId id, std::int32_t column) const {
    if (id == no_node) return no_node;
    const std::size_t i = part_.position(id);
    const std::vector<std::int32_t>& columns = supports_[i].columns;
    const auto found = std::ranges::lower_bound(columns, column);
    if (found == columns.end() || *found != column) return no_node;
    return tangents_[i][found - columns.begin()];
  }

  Reachable part_;
  std::vector<Support> supports_;
  std::vector<std::int32_t> n_rows_;  ///< how many rows use a node
  std::vector<bool> needed_;
  std::vector<std::vector<NodeId>> tangents_;  ///< one per column of the support
};

}  // namespace

std::vector<JacobianEntry> jacobian(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> leaves) {
  const Columns columns = columns_of(pool, leaves);
  ForwardSweep forward(pool, roots, columns);
  std::vector<bool> is_forward(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) is_forward[i] = forward.claims(pool, roots[i]);
  forward.run(pool);
  std::vector<JacobianEntry> entries;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    if (is_forward[i]) {
      forward.append_row(roots[i], row, entries);
    } else if (forward.has_entries(roots[i])) {
      append_reverse_row(pool, roots[i], columns, row, entries);
    }
  }
  std::erase_if(entries, [&](const JacobianEntry& entry) {
    return pool[entry.value].op == Op::constant && pool[entry.value].value == 0.0;
  });
  std::ranges::sort(entries, [](const JacobianEntry& x, const JacobianEntry& y) {
    return std::tie(x.column, x.row) < std::tie(y.column, y.row);
  });
  return entries;
}

std::vector<bool> depend_on(const Pool& pool, std::span<const NodeId> roots,
                            std::span<const NodeId> leaves) {
  const Columns columns = columns_of(pool, leaves);
  const Reachable part(pool, roots);
  const std::vector<bool> active = active_nodes(pool, part, columns);
  std::vector<bool> result;
  result.reserve(roots.size());
  for (const NodeId root : roots) result.push_back(active[part.position(root)]);
  return result;
}

std::vector<NodeId> gradient(Pool& pool, NodeId root, std::span<const NodeId> leaves) {
  std::vector<JacobianEntry> entries;
  append_reverse_row(pool, root, columns_of(pool, leaves), 0, entries);
  std::vector<NodeId> result(leaves.size(), pool.constant(0.0));
  for (const JacobianEntry& entry : entries) {
    result[entry.column] = entry.value;
  }
  return result;
}

}  // namespace daedal
