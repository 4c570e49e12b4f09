// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/torn_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "expr/affine.hpp"
#include "expr/calculus.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "structure/tearing.hpp"

namespace daedal::formulation {

PlaceExpressions::PlaceExpressions(const DifferentiatedSystem& system)
    : pool_(std::make_shared<Pool>(system.pool())), leaves_(to_size(system.n_places()), no_node) {
  const auto all = system.inputs(*pool_);
  // Discrete variables have numbers up to n_discretes: relations continue after them.
  const auto n_discretes = static_cast<SymbolId>(system.view().model.discretes().size());
  Rewriter rewriter(*pool_, *pool_);
  for (const kernel::Input& input : all) {
    kernel::Input own = input;
    if (input.block == block_modes) {
      const SymbolId symbol = n_discretes + static_cast<SymbolId>(input.offset);
      own.leaf = pool_->discrete(symbol);
      rewriter.bind(input.leaf, own.leaf);
    } else if (input.block == block_values) {
      NodeId& leaf = leaves_[to_size(input.offset)];
      if (leaf != no_node) {
        rewriter.bind(input.leaf, leaf);
        continue;
      }
      leaf = input.leaf;
    }
    inputs_.push_back(own);
  }
  for (const NodeId root : system.residual_nodes()) residuals_.push_back(rewriter.rewrite(root));
  differentiate();
}

void PlaceExpressions::differentiate() {
  std::vector<NodeId> leaves;
  std::vector<Index> places;
  for (std::size_t p = 0; p < leaves_.size(); ++p) {
    if (leaves_[p] == no_node) continue;
    leaves.push_back(leaves_[p]);
    places.push_back(to_index(p));
  }
  derivatives_.resize(residuals_.size());
  for (const JacobianEntry& entry : jacobian(*pool_, residuals_, leaves)) {
    derivatives_[static_cast<std::size_t>(entry.row)].push_back(
        {places[static_cast<std::size_t>(entry.column)], entry.value});
  }
}

namespace {

/// A factor this much smaller than others of its equation is no pivot.
constexpr double pivot_share = 0.1;
/// Errors of the tears may arrive in the last follower this much greater. (One tear for a
/// tridiagonal block is a shooting method.)
constexpr double most_amplification = 1e4;
/// A torn block is evaluated once more, for what follows: the matrix has to become half as wide.
constexpr std::size_t least_reduction = 2;
/// The Jacobian by t tears of a block of n equations has up to n·t nodes in it: beyond this a
/// sparse factorisation of the whole block is the better way.
constexpr std::size_t largest_product = 20000;

class Tearer {
 public:
  Tearer(const PlaceExpressions& expressions, const BlockEquations& block)
      : expressions_(expressions), block_(block), pool_(expressions.pool()) {
    for (std::size_t k = 0; k < block.places.size(); ++k)
      column_of_[expressions.leaf(block.places[k])] = to_index(k);
    find_incidence();
    find_factors();
  }

  TornBlock run() {
    const auto tearing = structure::tear(incidence_, solvable());
    const std::size_t n = block_.places.size();
    const std::size_t n_tears = tearing.tears.size();
    const bool pays = least_reduction * n_tears <= n && n_tears * n <= largest_product &&
                      amplification(tearing) <= most_amplification;
    return pays ? substituted(tearing) : whole();
  }

 private:
  /// All unknowns that an equation depends on in any way.
  void find_incidence() {
    incidence_ = structure::Incidence(to_index(block_.places.size()));
    LeafWalker walker(pool_);
    for (const Index e : block_.equations) {
      std::vector<Index> columns;
      for (const NodeId leaf : walker.leaves(expressions_.residual(e))) {
        const auto found = column_of_.find(leaf);
        if (found != column_of_.end()) columns.push_back(found->second);
      }
      incidence_.add_row(columns);
    }
  }

  [[nodiscard]] NodeId derivative(Index row, Index column) const {
    const auto all = expressions_.derivatives(block_.equations[to_size(row)]);
    const Index place = block_.places[to_size(column)];
    const auto found =
        std::ranges::lower_bound(all, place, {}, &PlaceExpressions::Derivative::place);
    return found != all.end() && found->place == place ? found->value : no_node;
  }

  /// Factors that are numbers once the parameters are: NaN for all others.
  void find_factors() {
    std::vector<NodeId> constant;
    std::vector<std::size_t> entries;
    factors_.assign(to_size(incidence_.n_entries()), std::numeric_limits<double>::quiet_NaN());
    for (Index i = 0; i < incidence_.n_rows(); ++i) {
      const auto columns = incidence_.row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const NodeId factor = derivative(i, columns[k]);
        if (factor == no_node || !is_constant(factor)) continue;
        constant.push_back(factor);
        entries.push_back(to_size(incidence_.row_start(i)) + k);
      }
    }
    const auto program = kernel::Program::compile(pool_, constant, expressions_.inputs());
    Evaluator evaluate(program);
    std::vector<const double*> blocks(n_blocks, nullptr);
    blocks[block_parameters] = block_.parameters.data();
    const auto values = evaluate(blocks);
    for (std::size_t k = 0; k < entries.size(); ++k) factors_[entries[k]] = values[k];
  }

  [[nodiscard]] bool is_constant(NodeId factor) const {
    const auto leaves = dependencies(pool_, std::span(&factor, 1));
    return std::ranges::all_of(leaves,
                               [&](NodeId leaf) { return pool_[leaf].op == Op::parameter; });
  }

  /// The k-th factor of a row in the unknown's own scale; NaN where it is no number.
  [[nodiscard]] double size(Index row, std::size_t k) const {
    const Index place = block_.places[to_size(incidence_.row(row)[k])];
    return std::abs(factors_[to_size(incidence_.row_start(row)) + k]) *
           block_.nominals[to_size(place)];
  }

  [[nodiscard]] std::vector<bool> solvable() const {
    std::vector<bool> result(factors_.size(), false);
    for (Index i = 0; i < incidence_.n_rows(); ++i) {
      const auto columns = incidence_.row(i);
      const auto first = to_size(incidence_.row_start(i));
      double greatest = 0.0;
      for (std::size_t k = 0; k < columns.size(); ++k) greatest = std::max(greatest, size(i, k));
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (!(size(i, k) >= pivot_share * greatest) || !(size(i, k) > 0.0)) continue;
        const NodeId leaf = expressions_.leaf(block_.places[to_size(columns[k])]);
        result[first + k] = is_affine(pool_, expressions_.residual(block_.equations[to_size(i)]),
                                      std::span(&leaf, 1));
      }
    }
    return result;
  }

  /// How much greater than those of the tears errors can become on the way through the sequence.
  /// Factors that are no numbers count as much as the one divided by.
  [[nodiscard]] double amplification(const structure::Tearing& tearing) const {
    std::vector<double> errors(block_.places.size(), 1.0);
    double greatest = 1.0;
    for (const structure::TearingStep& step : tearing.sequence) {
      const auto columns = incidence_.row(step.row);
      const auto first = to_size(incidence_.row_start(step.row));
      double sum = 0.0;
      double divisor = 1.0;
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (columns[k] == step.column) divisor = size(step.row, k);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] == step.column) continue;
        const bool is_number = std::isfinite(factors_[first + k]);
        sum += (is_number ? size(step.row, k) / divisor : 1.0) * errors[to_size(columns[k])];
      }
      errors[to_size(step.column)] = sum;
      greatest = std::max(greatest, sum);
    }
    return greatest;
  }

  [[nodiscard]] TornBlock whole() const {
    TornBlock result;
    result.tears.assign(block_.places.begin(), block_.places.end());
    for (const Index e : block_.equations) result.residuals.push_back(expressions_.residual(e));
    for (std::size_t i = 0; i < block_.equations.size(); ++i) {
      for (const auto& [place, value] : expressions_.derivatives(block_.equations[i])) {
        const auto found = column_of_.find(expressions_.leaf(place));
        if (found != column_of_.end())
          result.entries.push_back({to_index(i), found->second, value});
      }
    }
    std::ranges::sort(result.entries, {}, [](const TornBlock::Entry& entry) {
      return std::pair(entry.column, entry.row);
    });
    return result;
  }

  [[nodiscard]] TornBlock substituted(const structure::Tearing& tearing) const {
    TornBlock result;
    std::vector<std::pair<NodeId, NodeId>> definitions;
    for (const structure::TearingStep& step : tearing.sequence) {
      const Index place = block_.places[to_size(step.column)];
      const Index equation = block_.equations[to_size(step.row)];
      const NodeId factor = derivative(step.row, step.column);
      definitions.emplace_back(expressions_.leaf(place),
                               solved_for(expressions_, equation, place, factor));
      result.followers.push_back(place);
    }
    Rewriter rewriter(pool_, pool_);
    for (const auto& [leaf, value] : definitions) rewriter.define(leaf, value);
    for (const auto& definition : definitions)
      result.values.push_back(rewriter.rewrite(definition.first));
    std::vector<NodeId> leaves;
    for (const Index column : tearing.tears) {
      result.tears.push_back(block_.places[to_size(column)]);
      leaves.push_back(expressions_.leaf(result.tears.back()));
    }
    for (const Index row : tearing.residuals)
      result.residuals.push_back(
          rewriter.rewrite(expressions_.residual(block_.equations[to_size(row)])));
    for (const JacobianEntry& entry : jacobian(pool_, result.residuals, leaves))
      result.entries.push_back({entry.row, entry.column, entry.value});
    return result;
  }

  const PlaceExpressions& expressions_;
  const BlockEquations& block_;
  Pool& pool_;
  std::unordered_map<NodeId, Index> column_of_;
  structure::Incidence incidence_;
  std::vector<double> factors_;  ///< entry by entry of the incidence
};

}  // namespace

TornBlock tear_block(const PlaceExpressions& expressions, const BlockEquations& block) {
  return Tearer(expressions, block).run();
}

NodeId solved_for(const PlaceExpressions& expressions, Index equation, Index place, NodeId factor) {
  Pool& pool = expressions.pool();
  const NodeId root = expressions.residual(equation);
  const NodeId leaf = expressions.leaf(place);
  const NodeId zero = pool.constant(0.0);
  const NodeId rest =
      substitute(pool, std::span(&root, 1), std::span(&leaf, 1), std::span(&zero, 1)).front();
  return pool.neg(pool.div(rest, factor));
}

}  // namespace daedal::formulation
