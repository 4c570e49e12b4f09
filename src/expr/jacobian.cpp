// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <daedal/error.hpp>
#include <ranges>
#include <tuple>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/chain_rule.hpp"
#include "expr/traverse.hpp"

namespace daedal {

namespace {

/// Forward accumulation carries one tangent per leaf through every node: not for nodes that depend
/// on more leaves than this. (A sum of n terms would cost n².)
constexpr std::int32_t max_forward_leaves = 32;

constexpr std::int32_t no_place = -1;

/// Has ∂node/∂(argument k) a value other than 0 at all? By bits.
unsigned differentiable_arguments(Op op) {
  if (is_logical(op) || (traits_of(op) & traits::flat) != 0) return 0;
  return op == Op::if_else ? 6 : 7;
}

/// The part of a pool that some roots reach, by places: the arguments of each node, and which
/// leaves are columns.
class Graph {
 public:
  Graph(const Pool& pool, std::span<const NodeId> roots, std::span<const NodeId> leaves)
      : part_(pool, roots),
        arguments_(part_.size(), {no_place, no_place, no_place}),
        columns_(part_.size(), no_place) {
    for (std::size_t i = 0; i < part_.size(); ++i) {
      const std::array<NodeId, 3> ids = arguments(pool[part_.ids()[i]]);
      for (std::size_t k = 0; k < 3 && ids[k] != no_node; ++k) arguments_[i][k] = place(ids[k]);
    }
    for (std::size_t j = 0; j < leaves.size(); ++j) {
      const Op op = pool[leaves[j]].op;
      if (!is_leaf(op) || op == Op::constant) {
        throw Error(ErrorCode::internal, "Expressions are differentiated with respect to leaves.");
      }
      if (!part_.contains(leaves[j])) continue;
      std::int32_t& column = columns_[part_.position(leaves[j])];
      if (column != no_place) {
        throw Error(ErrorCode::internal, "A leaf stands twice among the columns of a Jacobian.");
      }
      column = static_cast<std::int32_t>(j);
    }
  }

  [[nodiscard]] std::size_t size() const { return part_.size(); }
  [[nodiscard]] NodeId id(std::size_t i) const { return part_.ids()[i]; }
  [[nodiscard]] std::int32_t place(NodeId id) const {
    return static_cast<std::int32_t>(part_.position(id));
  }
  [[nodiscard]] const std::array<std::int32_t, 3>& arguments_of(std::size_t i) const {
    return arguments_[i];
  }
  /// Of a leaf that is one of the columns; no_place of all other nodes.
  [[nodiscard]] std::int32_t column(std::size_t i) const { return columns_[i]; }

  [[nodiscard]] bool has_columns() const {
    return std::ranges::any_of(columns_, [](std::int32_t column) { return column != no_place; });
  }

  /// Which nodes depend on a column at all.
  [[nodiscard]] std::vector<bool> active(const Pool& pool) const {
    std::vector<bool> result(size());
    for (std::size_t i = 0; i < size(); ++i) {
      unsigned depends = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t j = arguments_[i][k];
        if (j != no_place && result[j]) depends |= 1U << k;
      }
      result[i] = columns_[i] != no_place ||
                  (depends != 0 && (depends & differentiable_arguments(pool[id(i)].op)) != 0);
    }
    return result;
  }

 private:
  Reachable part_;
  std::vector<std::array<std::int32_t, 3>> arguments_;
  std::vector<std::int32_t> columns_;
};

/// The nodes that each root reaches. They are kept as long as rows share few of them.
class Rows {
 public:
  Rows(const Graph& graph, std::span<const NodeId> roots)
      : graph_(&graph), roots_(roots), seen_(graph.size(), no_place) {
    starts_.reserve(roots.size() + 1);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (kept_.size() > most_kept * graph.size()) break;
      walk(i, kept_);
      starts_.push_back(kept_.size());
    }
  }

  [[nodiscard]] std::size_t size() const { return roots_.size(); }
  [[nodiscard]] NodeId root(std::size_t row) const { return roots_[row]; }
  /// Their places, ascending; valid until the next call.
  std::span<const std::int32_t> places(std::size_t row) {
    if (row + 1 < starts_.size())
      return std::span(kept_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
    scratch_.clear();
    walk(row, scratch_);
    return scratch_;
  }

 private:
  static constexpr std::size_t most_kept = 8;  ///< times the nodes of the graph

  void walk(std::size_t row, std::vector<std::int32_t>& list) {
    ++stamp_;
    const auto first = list.size();
    const auto add = [&](std::int32_t i) {
      if (i == no_place || seen_[i] == stamp_) return;
      seen_[i] = stamp_;
      list.push_back(i);
    };
    add(graph_->place(roots_[row]));
    for (std::size_t next = first; next < list.size(); ++next) {
      for (const std::int32_t i : graph_->arguments_of(list[next])) add(i);
    }
    std::sort(list.begin() + static_cast<std::ptrdiff_t>(first), list.end());
  }

  const Graph* graph_;
  std::span<const NodeId> roots_;
  std::vector<std::int32_t> seen_;  ///< the last walk that met a node
  std::int32_t stamp_ = no_place;
  std::vector<std::int32_t> kept_, scratch_;
  std::vector<std::size_t> starts_{0};
};

/// The derivatives of rows by reverse accumulation: adjoints flow from the root to the leaves,
/// along nodes that depend on a column.
class ReverseSweep {
 public:
  ReverseSweep(const Pool& pool, const Graph& graph)
      : graph_(&graph), active_(graph.active(pool)), adjoints_(graph.size(), no_node) {}

  [[nodiscard]] bool has_entries(NodeId root) const { return active_[graph_->place(root)]; }

  void append_row(Pool& pool, std::span<const std::int32_t> places, std::int32_t row,
                  std::vector<JacobianEntry>& entries) {
    adjoints_[places.back()] = pool.constant(1.0);
    for (const std::int32_t i : std::views::reverse(places)) {
      const NodeId adjoint = std::exchange(adjoints_[i], no_node);
      if (!active_[i] || adjoint == no_node) continue;
      if (graph_->column(i) != no_place) {
        entries.push_back({row, graph_->column(i), adjoint});
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t j = graph_->arguments_of(i)[k];
        if (j == no_place || !active_[j]) continue;
        const NodeId term = times_partial(pool, graph_->id(i), static_cast<int>(k), adjoint);
        if (term == no_node) continue;
        adjoints_[j] = adjoints_[j] == no_node ? term : pool.add(adjoints_[j], term);
      }
    }
  }

 private:
  const Graph* graph_;
  std::vector<bool> active_;
  std::vector<NodeId> adjoints_;  ///< none between rows
};

/// Forward accumulation for rows that share their nodes: tangents with respect to every leaf that
/// a node depends on, computed once per node for all rows.
class ForwardSweep {
 public:
  ForwardSweep(const Pool& pool, const Graph& graph, Rows& rows)
      : graph_(&graph),
        supports_(graph.size()),
        n_rows_(graph.size()),
        first_tangents_(graph.size(), no_place) {
    for (std::size_t i = 0; i < graph.size(); ++i) supports_[i] = find_support(pool, i);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (!is_offered(rows.root(row))) continue;
      for (const std::int32_t i : rows.places(row)) ++n_rows_[i];
    }
  }

  /// Is forward accumulation cheaper for this row, a node's cost being divided among its rows?
  /// If so, the row's nodes are marked for `run`.
  bool claims(std::size_t row, Rows& rows) {
    if (!is_offered(rows.root(row))) return false;
    const std::span<const std::int32_t> places = rows.places(row);
    double forward = 0.0;
    double reverse = 0.0;
    for (const std::int32_t i : places) {
      if (supports_[i].is_wide()) return false;
      if (supports_[i].size == 0) continue;
      forward += static_cast<double>(supports_[i].size) / n_rows_[i];
      reverse += 1.0;
    }
    if (forward > reverse) return false;
    for (const std::int32_t i : places) first_tangents_[i] = 0;
    return true;
  }

  void run(Pool& pool) {
    for (std::size_t i = 0; i < graph_->size(); ++i) {
      if (first_tangents_[i] == no_place) continue;
      first_tangents_[i] = static_cast<std::int32_t>(tangents_.size());
      const auto& [a, b, c] = graph_->arguments_of(i);
      const bool is_column = graph_->column(i) != no_place;
      for (const std::int32_t column : columns_of(supports_[i])) {
        tangents_.push_back(is_column ? pool.constant(1.0)
                                      : tangent(pool, graph_->id(i),
                                                {tangent_of(a, column), tangent_of(b, column),
                                                 tangent_of(c, column)}));
      }
    }
  }

  void append_row(NodeId root, std::int32_t row, std::vector<JacobianEntry>& entries) const {
    const std::int32_t i = graph_->place(root);
    const std::span<const std::int32_t> columns = columns_of(supports_[i]);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const NodeId value = tangents_[first_tangents_[i] + k];
      if (value != no_node) entries.push_back({row, columns[k], value});
    }
  }

 private:
  /// The columns that a node depends on, ascending, as a part of a list that nodes share; if too
  /// many, only that it is so.
  struct Support {
    std::int32_t first = 0;
    std::int32_t size = 0;

    static constexpr std::int32_t wide = -1;
    [[nodiscard]] bool is_wide() const { return size == wide; }
  };

  [[nodiscard]] std::span<const std::int32_t> columns_of(const Support& support) const {
    if (support.is_wide()) return {};
    return std::span(columns_).subspan(support.first, support.size);
  }

  /// May the row be accumulated forward?
  [[nodiscard]] bool is_offered(NodeId root) const {
    return supports_[graph_->place(root)].size > 0;
  }

  [[nodiscard]] Support find_support(const Pool& pool, std::size_t i) {
    if (graph_->column(i) != no_place) {
      columns_.push_back(graph_->column(i));
      return {static_cast<std::int32_t>(columns_.size()) - 1, 1};
    }
    Support support;
    unsigned arguments = 7;
    for (std::size_t k = 0; k < 3 && !support.is_wide(); ++k) {
      const std::int32_t j = graph_->arguments_of(i)[k];
      if (j == no_place || supports_[j].size == 0) continue;
      if (support.size == 0) arguments = differentiable_arguments(pool[graph_->id(i)].op);
      if ((arguments >> k & 1U) != 0) support = merged(support, supports_[j]);
    }
    return support;
  }

  [[nodiscard]] Support merged(const Support& x, const Support& y) {
    if (x.size == 0 || y.is_wide()) return y;
    if (x.first == y.first && x.size == y.size) return x;
    std::array<std::int32_t, 2 * max_forward_leaves> both{};
    const auto last = std::ranges::set_union(columns_of(x), columns_of(y), both.begin()).out;
    const auto size = static_cast<std::int32_t>(last - both.begin());
    if (size == x.size) return x;
    if (size == y.size) return y;
    if (size > max_forward_leaves) return {0, Support::wide};
    columns_.insert(columns_.end(), both.begin(), last);
    return {static_cast<std::int32_t>(columns_.size()) - size, size};
  }

  [[nodiscard]] NodeId tangent_of(std::int32_t i, std::int32_t column) const {
    if (i == no_place) return no_node;
    const std::span<const std::int32_t> columns = columns_of(supports_[i]);
    const auto found = std::ranges::lower_bound(columns, column);
    if (found == columns.end() || *found != column) return no_node;
    return tangents_[first_tangents_[i] + (found - columns.begin())];
  }

  const Graph* graph_;
  std::vector<std::int32_t> columns_;  ///< of all supports
  std::vector<Support> supports_;
  std::vector<std::int32_t> n_rows_;          ///< how many rows use a node
  std::vector<std::int32_t> first_tangents_;  ///< of nodes that are needed
  std::vector<NodeId> tangents_;              ///< one per column of the support
};

}  // namespace

std::vector<JacobianEntry> jacobian(Pool& pool, std::span<const NodeId> roots,
                                    std::span<const NodeId> leaves) {
  const Graph graph(pool, roots, leaves);
  if (!graph.has_columns()) return {};
  Rows rows(graph, roots);
  ForwardSweep forward(pool, graph, rows);
  ReverseSweep reverse(pool, graph);
  std::vector<bool> is_forward(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) is_forward[i] = forward.claims(i, rows);
  forward.run(pool);
  std::vector<JacobianEntry> entries;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    if (is_forward[i]) {
      forward.append_row(roots[i], row, entries);
    } else if (reverse.has_entries(roots[i])) {
      reverse.append_row(pool, rows.places(i), row, entries);
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
  const Graph graph(pool, roots, leaves);
  const std::vector<bool> active = graph.active(pool);
  std::vector<bool> result;
  result.reserve(roots.size());
  for (const NodeId root : roots) result.push_back(active[graph.place(root)]);
  return result;
}

std::vector<NodeId> gradient(Pool& pool, NodeId root, std::span<const NodeId> leaves) {
  std::vector<JacobianEntry> entries;
  const Graph graph(pool, std::span(&root, 1), leaves);
  Rows rows(graph, std::span(&root, 1));
  ReverseSweep(pool, graph).append_row(pool, rows.places(0), 0, entries);
  std::vector<NodeId> result(leaves.size(), pool.constant(0.0));
  for (const JacobianEntry& entry : entries) {
    result[entry.column] = entry.value;
  }
  return result;
}

}  // namespace daedal
