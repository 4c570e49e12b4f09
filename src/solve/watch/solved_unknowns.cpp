// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/solved_unknowns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "expr/affine.hpp"
#include "expr/calculus.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "structure/block_triangular.hpp"
#include "structure/tearing.hpp"

namespace daedal::solve_detail {

namespace {

/// Blocks of more unknowns are not solved symbolically: expressions fill in, and along a chain of
/// equations, each solved for its least unknown, bounds may grow beyond all measure.
constexpr Index largest_solved_block = 8;

/// An unknown that is a sum with more open ones is no better known by these: of what is left of
/// large concentrations bounds tell nothing.
constexpr std::size_t most_open = 1;

/// A difference of two numbers is zero below this share of them.
constexpr double cancelled_share = 1e-12;

/// How little is known of a factor before the run. Factors that are no numbers may be zero.
enum class Certainty { number, parameter, held, moving };

/// Affine equations in some unknowns, at least as many: A·unknowns = b, solved by elimination with
/// pivots that are known best, for as many unknowns as there are equations.
class AffineBlock {
 public:
  AffineBlock(Pool& pool, LeafWalker& walker, std::span<const NodeId> residuals,
              std::span<const NodeId> unknowns)
      : pool_(pool),
        walker_(walker),
        n_rows_(residuals.size()),
        n_(unknowns.size()),
        a_(n_rows_ * n_, no_node) {
    for (const JacobianEntry& entry : jacobian(pool, residuals, unknowns)) {
      at(to_size(entry.row), to_size(entry.column)) = entry.value;
    }
    const std::vector<NodeId> zeros(n_, pool.constant(0.0));
    b_ = substitute_held(pool, residuals, unknowns, zeros);
    for (NodeId& side : b_) side = pool.neg(side);
  }

  /// The values of the unknowns by those that stay open; no_node for these. Those for which
  /// `is_wanted` holds are solved for first.
  [[nodiscard]] std::vector<NodeId> solve(std::span<const NodeId> unknowns,
                                          const std::vector<bool>& is_wanted) {
    std::vector<std::pair<std::size_t, std::size_t>> pivots;
    std::vector<bool> has_row(n_rows_, false), has_column(n_, false);
    NodeId is_regular = no_node;
    while (const auto pivot = next_pivot(has_row, has_column, is_wanted)) {
      const auto [row, column, certainty] = *pivot;
      if (certainty != Certainty::number) {
        const NodeId condition =
            pool_.immediate_relation(Op::not_equal, at(row, column), pool_.constant(0.0));
        is_regular = is_regular == no_node ? condition
                                           : pool_.binary(Op::logical_and, is_regular, condition);
      }
      has_row[row] = has_column[column] = true;
      eliminate(row, column, has_row);
      pivots.emplace_back(row, column);
    }
    std::vector<NodeId> x(unknowns.begin(), unknowns.end());
    for (const auto& [row, column] : pivots | std::views::reverse) {
      NodeId sum = b_[row];
      for (std::size_t j = 0; j < n_; ++j) {
        if (j == column || at(row, j) == no_node) continue;
        sum = pool_.sub(sum, pool_.mul(at(row, j), x[j]));
      }
      x[column] = pool_.div(sum, at(row, column));
    }
    for (std::size_t j = 0; j < n_; ++j) {
      if (!has_column[j]) {
        x[j] = no_node;
      } else if (is_regular != no_node) {
        x[j] = pool_.if_else(is_regular, x[j], unknowns[j]);
      }
    }
    return x;
  }

 private:
  struct Pivot {
    std::size_t row, column;
    Certainty certainty;
  };
  [[nodiscard]] NodeId& at(std::size_t row, std::size_t column) { return a_[row * n_ + column]; }

  [[nodiscard]] Certainty certainty_of(NodeId factor) {
    auto result = Certainty::number;
    for (const NodeId leaf : walker_.leaves_between_events(factor)) {
      const Op op = pool_[leaf].op;
      result = std::max(result, op == Op::parameter                    ? Certainty::parameter
                                : op == Op::time || op == Op::variable ? Certainty::moving
                                                                       : Certainty::held);
    }
    if (result < Certainty::held && walker_.has_held_relation(std::span(&factor, 1))) {
      result = Certainty::held;
    }
    return result;
  }

  [[nodiscard]] std::optional<Pivot> next_pivot(const std::vector<bool>& has_row,
                                                const std::vector<bool>& has_column,
                                                const std::vector<bool>& is_wanted) {
    const auto rank = [&](const Pivot& pivot) {
      return std::tuple(pivot.certainty >= Certainty::held, !is_wanted[pivot.column],
                        pivot.certainty);
    };
    std::optional<Pivot> best;
    for (std::size_t i = 0; i < n_rows_; ++i) {
      for (std::size_t j = 0; j < n_ && !has_row[i]; ++j) {
        if (has_column[j] || at(i, j) == no_node) continue;
        const Pivot pivot{i, j, certainty_of(at(i, j))};
        if (!best || rank(pivot) < rank(*best)) best = pivot;
      }
    }
    return best;
  }

  void eliminate(std::size_t row, std::size_t column, const std::vector<bool>& has_row) {
    for (std::size_t i = 0; i < n_rows_; ++i) {
      if (has_row[i] || at(i, column) == no_node) continue;
      const NodeId factor = pool_.div(at(i, column), at(row, column));
      at(i, column) = no_node;
      for (std::size_t j = 0; j < n_; ++j) {
        if (j == column || at(row, j) == no_node) continue;
        const NodeId change = pool_.mul(factor, at(row, j));
        at(i, j) = at(i, j) == no_node ? pool_.neg(change) : pool_.sub(at(i, j), change);
        if (is_nothing(at(i, j), change)) at(i, j) = no_node;
      }
      b_[i] = pool_.sub(b_[i], pool_.mul(factor, b_[row]));
    }
  }

  /// Whether only rounding errors are left where a number was subtracted.
  [[nodiscard]] bool is_nothing(NodeId left, NodeId subtracted) const {
    if (pool_[left].op != Op::constant || pool_[subtracted].op != Op::constant) return false;
    return std::abs(pool_[left].value) <= cancelled_share * std::abs(pool_[subtracted].value);
  }

  Pool& pool_;
  LeafWalker& walker_;
  std::size_t n_rows_, n_;
  std::vector<NodeId> a_;  ///< by rows; no_node: zero
  std::vector<NodeId> b_;
};

class UnknownSolver {
 public:
  UnknownSolver(const Model& model, Pool& pool, const std::vector<bool>& is_differential,
                bool (*is_hidden)(const Node&))
      : pool_(pool), walker_(pool), is_hidden_(is_hidden) {
    for (const Equation& equation : model.equations()) add_row(equation, is_differential);
    find_blocks();
  }

  [[nodiscard]] std::vector<SolvedUnknown> run(std::span<const NodeId> roots) {
    std::vector<bool> is_needed(leaves_.size(), false);
    for (const NodeId leaf : walker_.leaves(roots)) {
      const auto found = column_of_.find(leaf);
      if (found != column_of_.end()) is_needed[to_size(found->second)] = true;
    }
    std::vector<Index> needed;
    for (Index b = blocks_.n_blocks() - 1; b >= 0; --b) {
      const auto columns = blocks_.columns(b);
      if (std::ranges::none_of(columns, [&](Index j) { return is_needed[to_size(j)]; })) continue;
      for (const Index row : blocks_.rows(b)) {
        for (const Index column : incidence_.row(row)) is_needed[to_size(column)] = true;
      }
      if (to_size(blocks_.rows(b).front()) < sides_.size()) needed.push_back(b);
    }
    for (const Index b : needed | std::views::reverse) solve(b);
    return std::move(solved_);
  }

 private:
  void add_row(const Equation& equation, const std::vector<bool>& is_differential) {
    const NodeId residual = pool_.sub(equation.lhs, equation.rhs);
    std::vector<NodeId> unknowns;
    for (const NodeId leaf : walker_.leaves_between_events(residual)) {
      const Node& node = pool_[leaf];
      if (is_hidden_(node)) return;
      if (node.op != Op::variable) continue;
      if (node.order > 0 || !is_differential[to_size(node.symbol)]) unknowns.push_back(leaf);
    }
    for (const NodeId leaf : unknowns) {
      if (column_of_.emplace(leaf, to_index(leaves_.size())).second) leaves_.push_back(leaf);
    }
    residuals_.push_back(residual);
    sides_.push_back({equation.lhs, equation.rhs});
    unknowns_.push_back(std::move(unknowns));
  }

  /// Whether the equation is written as an assignment to the unknown.
  [[nodiscard]] bool is_assigned(Index row, NodeId unknown) const {
    return std::ranges::find(sides_[to_size(row)], unknown) != sides_[to_size(row)].end();
  }

  [[nodiscard]] std::vector<Index> columns_of(std::size_t row) const {
    std::vector<Index> columns;
    for (const NodeId leaf : unknowns_[row]) columns.push_back(column_of_.at(leaf));
    return columns;
  }

  /// The matching prefers what is written as an assignment: where the equations are of a higher
  /// index the choice is free. Equations without an unknown of their own are left out, and unknowns
  /// without an equation of their own get an empty one.
  void find_blocks() {
    const Index n = to_index(leaves_.size());
    structure::Incidence all(n);
    for (std::size_t row = 0; row < sides_.size(); ++row) all.add_row(columns_of(row));
    auto matching = structure::empty_matching(all.n_rows(), n);
    for (Index row = 0; row < all.n_rows(); ++row) {
      for (const Index column : all.row(row)) {
        if (matching.row_of_column[to_size(column)] != structure::unmatched ||
            !is_assigned(row, leaves_[to_size(column)])) {
          continue;
        }
        matching.column_of_row[to_size(row)] = column;
        matching.row_of_column[to_size(column)] = row;
        ++matching.size;
        break;
      }
    }
    structure::extend_to_maximum(all, matching);

    std::size_t kept = 0;
    incidence_ = structure::Incidence(n);
    auto perfect = structure::empty_matching(n, n);
    const auto match = [&](Index column) {
      perfect.column_of_row[to_size(incidence_.n_rows())] = column;
      perfect.row_of_column[to_size(column)] = incidence_.n_rows();
    };
    for (std::size_t row = 0; row < sides_.size(); ++row) {
      const Index column = matching.column_of_row[row];
      if (column == structure::unmatched) continue;
      match(column);
      incidence_.add_row(all.row(to_index(row)));
      sides_[kept] = sides_[row];
      residuals_[kept++] = residuals_[row];
    }
    sides_.resize(kept);
    residuals_.resize(kept);
    for (Index column = 0; column < n; ++column) {
      if (matching.row_of_column[to_size(column)] != structure::unmatched) continue;
      match(column);
      incidence_.add_row(std::span(&column, 1));
    }
    perfect.size = n;
    blocks_ = structure::block_triangular_form(incidence_, perfect);
  }

  /// False where the equation is not written as an assignment to the unknown of other leaves.
  bool take_assignment(Index row, NodeId unknown) {
    const auto& [left, right] = sides_[to_size(row)];
    if (left != unknown && right != unknown) return false;
    const NodeId value = left == unknown ? right : left;
    const auto leaves = walker_.leaves_between_events(value);
    if (std::ranges::binary_search(leaves, unknown)) return false;
    solved_.push_back({unknown, value});
    return true;
  }

  /// Affine equations of a small block are solved first, above all for the unknowns that others are
  /// not affine in: v + w = u gives the argument of exp(v), and i = exp(v) leaves i open. What
  /// stays open of a block may follow from its other equations, one after the other.
  void solve(Index block) {
    const auto columns = blocks_.columns(block);
    if (columns.size() == 1 &&
        take_assignment(blocks_.rows(block).front(), leaves_[to_size(columns.front())])) {
      return;
    }
    std::vector<NodeId> unknowns;
    for (const Index column : columns) unknowns.push_back(leaves_[to_size(column)]);
    std::ranges::sort(unknowns);
    const bool is_small = to_index(unknowns.size()) <= largest_solved_block;
    std::vector<NodeId> affine;
    std::vector<Index> others;
    std::vector<bool> is_wanted(unknowns.size(), false);
    for (const Index row : blocks_.rows(block)) {
      const NodeId residual = residuals_[to_size(row)];
      if (is_small && is_affine(pool_, residual, unknowns)) {
        affine.push_back(residual);
        continue;
      }
      others.push_back(row);
      for (std::size_t j = 0; j < unknowns.size() && is_small; ++j) {
        is_wanted[j] = is_wanted[j] || !is_affine(pool_, residual, std::span(&unknowns[j], 1));
      }
    }
    std::vector<NodeId> values(unknowns.size(), no_node);
    if (!affine.empty()) {
      values = AffineBlock(pool_, walker_, affine, unknowns).solve(unknowns, is_wanted);
    }
    tear(others, unknowns, values, is_small);
  }

  /// Some of the unknowns that are open give the others; `values` are those of the unknowns that
  /// are not.
  void tear(std::span<const Index> rows, std::span<const NodeId> unknowns,
            std::vector<NodeId>& values, bool is_small) {
    std::unordered_map<NodeId, Index> number;
    for (const NodeId unknown : unknowns) number.emplace(unknown, to_index(number.size()));
    const auto open_in = [&](NodeId root) {
      std::vector<Index> found;
      for (const NodeId leaf : walker_.leaves_between_events(root)) {
        const auto unknown = number.find(leaf);
        if (unknown != number.end()) found.push_back(unknown->second);
      }
      return found;
    };
    std::vector<std::vector<Index>> needs(unknowns.size());
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
      if (values[j] == no_node) continue;
      needs[j] = open_in(values[j]);
      std::erase_if(needs[j], [&](Index need) { return values[to_size(need)] != no_node; });
    }
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
      if (needs[j].size() <= most_open) continue;
      values[j] = no_node;
      needs[j].clear();
    }
    structure::Incidence part(to_index(unknowns.size()));
    std::vector<bool> is_solvable;
    for (const Index row : rows) {
      std::vector<Index> all, indirect;
      for (const Index j : open_in(residuals_[to_size(row)])) {
        const auto& of_value = needs[to_size(j)];
        if (values[to_size(j)] == no_node) all.push_back(j);
        indirect.insert(indirect.end(), of_value.begin(), of_value.end());
      }
      all.insert(all.end(), indirect.begin(), indirect.end());
      part.add_row(all);
      for (const Index j : part.row(part.n_rows() - 1)) {
        is_solvable.push_back(std::ranges::find(indirect, j) == indirect.end() &&
                              can_be_solved(row, unknowns[to_size(j)], is_small));
      }
    }
    const auto tearing = structure::tear(part, is_solvable);
    std::vector<bool> is_known(unknowns.size(), true);
    for (const auto& step : tearing.sequence) is_known[to_size(step.column)] = false;
    const auto add_values = [&] {
      for (std::size_t j = 0; j < unknowns.size(); ++j) {
        const auto is_ready = [&](Index need) { return is_known[to_size(need)]; };
        if (values[j] == no_node || !std::ranges::all_of(needs[j], is_ready)) continue;
        solved_.push_back({unknowns[j], std::exchange(values[j], no_node)});
      }
    };
    add_values();
    for (const auto& [row, column] : tearing.sequence) {
      const NodeId residual = residuals_[to_size(rows[to_size(row)])];
      const NodeId unknown = unknowns[to_size(column)];
      const auto value =
          AffineBlock(pool_, walker_, std::span(&residual, 1), std::span(&unknown, 1))
              .solve(std::span(&unknown, 1), {true});
      solved_.push_back({unknown, value.front()});
      is_known[to_size(column)] = true;
      add_values();
    }
  }

  /// Whether an equation gives an open unknown by a factor that is a number.
  [[nodiscard]] bool can_be_solved(Index row, NodeId unknown, bool is_small) {
    const NodeId residual = residuals_[to_size(row)];
    if (!is_small && !is_assigned(row, unknown)) return false;
    if (!is_affine(pool_, residual, std::span(&unknown, 1))) return false;
    const auto entries = jacobian(pool_, std::span(&residual, 1), std::span(&unknown, 1));
    return !entries.empty() && pool_[entries.front().value].op == Op::constant;
  }

  Pool& pool_;
  LeafWalker walker_;
  bool (*is_hidden_)(const Node&);
  std::vector<NodeId> leaves_;  ///< the unknowns
  std::unordered_map<NodeId, Index> column_of_;
  std::vector<NodeId> residuals_;  ///< by row, as sides_ and unknowns_
  std::vector<std::array<NodeId, 2>> sides_;
  std::vector<std::vector<NodeId>> unknowns_;
  structure::Incidence incidence_;
  structure::BlockTriangularForm blocks_;
  std::vector<SolvedUnknown> solved_;
};

}  // namespace

std::vector<SolvedUnknown> solve_unknowns(const Model& model, Pool& pool,
                                          std::span<const NodeId> roots,
                                          const std::vector<bool>& is_differential,
                                          bool (*is_hidden)(const Node&)) {
  return UnknownSolver(model, pool, is_differential, is_hidden).run(roots);
}

}  // namespace daedal::solve_detail
