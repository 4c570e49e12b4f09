// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Random expression graphs whose values stay finite for every finite value of the leaves: a bound
/// is kept with each node, and what grows too large is wrapped in a bounded function.

#include <array>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "expr/pool.hpp"

namespace daedal::test {

struct GraphOptions {
  int n_steps = 60;               ///< random operations
  bool smooth = true;             ///< only functions that are differentiable everywhere
  bool cosines = true;            ///< else sines in their place: no sin and cos of one argument
  double leaf_bound = 2.0;        ///< |leaf| is at most this
  double largest_allowed = 10.0;  ///< nodes above are wrapped
};

class RandomGraph {
 public:
  RandomGraph(Pool& pool, std::span<const NodeId> leaves, unsigned seed, GraphOptions options = {})
      : pool_(pool), options_(options), random_(seed) {
    for (const NodeId leaf : leaves) nodes_.push_back({leaf, options.leaf_bound});
    for (const double c : {0.5, -1.25, 3.0}) nodes_.push_back({pool.constant(c), std::abs(c)});
    for (int i = 0; i < options.n_steps; ++i) step();
  }

  /// `n` random nodes, the most recent first among them.
  std::vector<NodeId> roots(int n) {
    std::vector<NodeId> result{nodes_.back().id};
    while (static_cast<int>(result.size()) < n) result.push_back(pick().id);
    return result;
  }

 private:
  struct Bounded {
    NodeId id;
    double bound;
  };

  Bounded pick() {
    // Recent nodes are preferred: deep graphs, and plenty of values used only once.
    const int n = static_cast<int>(nodes_.size());
    const int span = integer(0, 1) == 0 ? n : std::min(n, 8);
    return nodes_[static_cast<std::size_t>(n - 1 - integer(0, span - 1))];
  }

  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void push(NodeId id, double bound) {
    if (bound > options_.largest_allowed) {
      const std::array wraps{Op::sin, cosine(), Op::atan, Op::tanh};
      id = pool_.unary(wraps[static_cast<std::size_t>(integer(0, 3))], id);
      bound = 1.6;
    }
    nodes_.push_back({id, bound});
  }

  [[nodiscard]] Op cosine() const { return options_.cosines ? Op::cos : Op::sin; }
  /// 1.5 + sin(a): between 0.5 and 2.5.
  NodeId positive(NodeId a) { return pool_.add(pool_.constant(1.5), pool_.unary(Op::sin, a)); }
  NodeId one_plus_square(NodeId a) { return pool_.add(pool_.constant(1.0), pool_.mul(a, a)); }
  /// 0.9·sin(a)
  NodeId inside_unit(NodeId a) { return pool_.mul(pool_.constant(0.9), pool_.unary(Op::sin, a)); }

  void step() {
    const auto [a, ba] = pick();
    const auto [b, bb] = pick();
    const int kind = integer(0, options_.smooth ? 13 : 19);
    if (kind <= 5) {
      arithmetic(kind, {a, ba}, {b, bb});
    } else if (kind <= 13) {
      function(kind, {a, ba}, {b, bb});
    } else {
      piecewise(kind, {a, ba}, {b, bb});
    }
  }

  void arithmetic(int kind, Bounded a, Bounded b) {
    switch (kind) {
      case 0:
        return push(pool_.add(a.id, b.id), a.bound + b.bound);
      case 1:
        return push(pool_.sub(a.id, b.id), a.bound + b.bound);
      case 2:
      case 3:
        return push(pool_.mul(a.id, b.id), a.bound * b.bound);
      case 4:
        return push(pool_.div(a.id, positive(b.id)), a.bound / 0.5);
      default:
        return push(pool_.neg(a.id), a.bound);
    }
  }

  void function(int kind, Bounded a, Bounded b) {
    switch (kind) {
      case 6:
        return push(pool_.unary(Op::sqrt, one_plus_square(a.id)), 1.0 + a.bound);
      case 7:
        return push(pool_.unary(Op::log, one_plus_square(a.id)), 1.0 + a.bound);
      case 8:
        return push(pool_.unary(Op::exp, pool_.unary(cosine(), a.id)), 2.72);
      case 9:
        return push(pool_.unary(integer(0, 1) == 0 ? Op::asin : Op::acos, inside_unit(a.id)), 3.2);
      case 10:
        return push(pool_.unary(integer(0, 1) == 0 ? Op::sinh : Op::cosh, inside_unit(a.id)), 1.5);
      case 11:
        return push(pool_.binary(Op::atan2, a.id, positive(b.id)), 1.6);
      case 12:
        if (integer(0, 1) == 0) return push(pool_.unary(Op::tan, inside_unit(a.id)), 1.3);
        return push(pool_.binary(Op::pow, positive(a.id), inside_unit(b.id)), 2.5);
      default:
        return power(a, integer(2, 5));
    }
  }

  void power(Bounded a, int n) { push(pool_.power(a.id, n), std::pow(a.bound, n)); }

  void piecewise(int kind, Bounded a, Bounded b) {
    constexpr std::array relations{Op::less,          Op::less_equal, Op::greater,
                                   Op::greater_equal, Op::equal,      Op::not_equal};
    const Op relation = relations[static_cast<std::size_t>(integer(0, 5))];
    switch (kind) {
      case 14:
        return push(pool_.unary(Op::abs, a.id), a.bound);
      case 15:
        return push(pool_.binary(integer(0, 1) == 0 ? Op::min : Op::max, a.id, b.id),
                    std::max(a.bound, b.bound));
      case 16:
        return push(pool_.unary(integer(0, 1) == 0 ? Op::sign : Op::floor, a.id), a.bound + 1.0);
      case 17:
        return push(pool_.immediate_relation(relation, a.id, b.id), 1.0);
      case 18: {
        const NodeId first = pool_.immediate_relation(relation, a.id, b.id);
        const NodeId second = pool_.immediate_relation(Op::less, b.id, pick().id);
        const Op logic = integer(0, 1) == 0 ? Op::logical_and : Op::logical_or;
        return push(pool_.unary(Op::logical_not, pool_.binary(logic, first, second)), 1.0);
      }
      default:
        return push(pool_.if_else(pool_.immediate_relation(relation, a.id, b.id), a.id, b.id),
                    std::max(a.bound, b.bound));
    }
  }

  Pool& pool_;
  GraphOptions options_;
  std::mt19937 random_;
  std::vector<Bounded> nodes_;
};

}  // namespace daedal::test
