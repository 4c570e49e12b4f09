// SPDX-License-Identifier: BSD-3-Clause
#include "model/sliding.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "model/labels.hpp"
#include "model/model_data.hpp"
#include "model/rewrite.hpp"

namespace daedal {

namespace {

/// What a relation compares, or the argument of sign(); nothing of other nodes.
std::optional<JumpSurface> surface_of(const Pool& pool, NodeId id) {
  const Node& node = pool[id];
  if (node.op == Op::sign) return JumpSurface{node.a, no_node, {}};
  if (!is_relation(node.op) || node.op == Op::equal || node.op == Op::not_equal) {
    return std::nullopt;
  }
  const auto is_zero = [&](NodeId side) {
    return pool[side].op == Op::constant && pool[side].value == 0.0;
  };
  // a < b and b < a are at one surface, and x > 0 is at that of sign(x).
  if (is_zero(node.b)) return JumpSurface{node.a, no_node, {}};
  if (is_zero(node.a)) return JumpSurface{node.b, no_node, {}};
  return JumpSurface{std::max(node.a, node.b), std::min(node.a, node.b), {}};
}

/// The value of such a node on a side of its surface: 1 is that where left > right.
double value_beside(const Node& node, const JumpSurface& surface, double side) {
  if (node.op == Op::sign) return side;
  const bool rises = node.op == Op::greater || node.op == Op::greater_equal;
  return (rises == (node.a == surface.left)) == (side > 0.0) ? 1.0 : 0.0;
}

/// The equations of a model with what stands behind the names in them: algebraic variables that an
/// equation determines, discrete ones that stand for a condition (Boolean b = x > 1).
class Equations {
 public:
  Equations(const Model::Data& data, Pool& pool);

  [[nodiscard]] std::span<const NodeId> nodes() const { return nodes_; }

  struct Sides {
    NodeId lhs = no_node;
    NodeId rhs = no_node;
    bool operator==(const Sides&) const = default;
  };
  /// The equations on a side of the surface. Variables that jump there are written out: the mean of
  /// what follows from them is not what follows from their mean. Where they determine each other,
  /// they stay.
  [[nodiscard]] std::vector<Sides> beside(const JumpSurface& surface, double side) const;

 private:
  struct Definition {
    NodeId leaf = no_node;
    NodeId value = no_node;
    std::size_t equation = none;  ///< that determines the variable
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
  };
  void define_conditions();
  void define_variables();
  /// Of the definitions: those whose value changes at the surface.
  [[nodiscard]] std::vector<bool> jumping(const JumpSurface& surface) const;
  [[nodiscard]] std::vector<Sides> beside(const JumpSurface& surface, double side,
                                          bool writes_out_variables) const;

  const Model::Data& data_;
  Pool& pool_;
  std::vector<Definition> definitions_;
  std::vector<NodeId> nodes_;
};

Equations::Equations(const Model::Data& data, Pool& pool) : data_(data), pool_(pool) {
  define_conditions();
  define_variables();
  std::vector<NodeId> roots;
  for (const Equation& equation : data.equations) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  for (const Definition& definition : definitions_) roots.push_back(definition.value);
  const Reachable part(pool, roots);
  nodes_.assign(part.ids().begin(), part.ids().end());
}

void Equations::define_conditions() {
  for (const DiscreteEquation& equation : data_.discrete_equations) {
    const auto remembers = [&](NodeId leaf) {
      const Op op = pool_[leaf].op;
      return op == Op::pre || op == Op::pre_variable || op == Op::sample;
    };
    if (std::ranges::any_of(dependencies(pool_, std::span(&equation.value, 1)), remembers)) {
      continue;
    }
    definitions_.push_back({pool_.discrete(equation.discrete), equation.value});
  }
}

void Equations::define_variables() {
  std::vector<NodeId> roots;
  for (const Equation& equation : data_.equations) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  // der(x) may stand for what an equation determines, x itself then does not.
  std::vector<int> orders(data_.variables.size(), 0);
  for (const NodeId leaf : dependencies(pool_, roots)) {
    const Node& node = pool_[leaf];
    if (node.op != Op::variable) continue;
    int& order = orders[static_cast<std::size_t>(node.symbol)];
    order = std::max(order, static_cast<int>(node.order));
  }
  std::vector<bool> is_taken(data_.variables.size(), false);
  const auto define = [&](std::size_t equation, NodeId side, NodeId other) {
    const bool is_negative = pool_[side].op == Op::neg;
    const NodeId leaf = is_negative ? pool_[side].a : side;
    const Node node = pool_[leaf];
    const auto i = static_cast<std::size_t>(node.symbol);
    if (node.op != Op::variable || node.order != orders[i] || is_taken[i]) return false;
    const auto leaves = dependencies(pool_, std::span(&other, 1));
    if (std::ranges::find(leaves, leaf) != leaves.end()) return false;
    is_taken[i] = true;
    definitions_.push_back({leaf, is_negative ? pool_.neg(other) : other, equation});
    return true;
  };
  for (std::size_t i = 0; i < data_.equations.size(); ++i) {
    const Equation& equation = data_.equations[i];
    (void)(define(i, equation.lhs, equation.rhs) || define(i, equation.rhs, equation.lhs));
  }
}

std::vector<bool> Equations::jumping(const JumpSurface& surface) const {
  std::vector<bool> jumps(definitions_.size(), false);
  for (bool grows = true; std::exchange(grows, false);) {
    std::vector<bool> does_node(to_size(pool_.size()), false);
    for (const NodeId id : nodes_) {
      const Node& node = pool_[id];
      bool does = surface_of(pool_, id) == surface;
      for (const NodeId argument : arguments(node)) {
        does = does || (argument != no_node && does_node[to_size(argument)]);
      }
      for (std::size_t k = 0; k < jumps.size() && !does; ++k) {
        does = jumps[k] && definitions_[k].leaf == id;
      }
      does_node[to_size(id)] = does;
    }
    for (std::size_t k = 0; k < jumps.size(); ++k) {
      if (jumps[k] || !does_node[to_size(definitions_[k].value)]) continue;
      jumps[k] = grows = true;
    }
  }
  return jumps;
}

std::vector<Equations::Sides> Equations::beside(const JumpSurface& surface, double side,
                                                bool writes_out_variables) const {
  Rewriter rewriter(pool_, pool_);
  for (const NodeId id : nodes_) {
    if (surface_of(pool_, id) != surface) continue;
    rewriter.bind(id, pool_.constant(value_beside(pool_[id], surface, side)));
  }
  std::vector<NodeId> leaves(data_.equations.size(), no_node);  // that equations determine
  const std::vector<bool> jumps = jumping(surface);
  for (std::size_t k = 0; k < jumps.size(); ++k) {
    const Definition& definition = definitions_[k];
    const bool is_condition = definition.equation == Definition::none;
    if (!jumps[k] || (!is_condition && !writes_out_variables)) continue;
    rewriter.define(definition.leaf, definition.value);
    if (!is_condition) leaves[definition.equation] = definition.leaf;
  }
  std::vector<Sides> found;
  for (std::size_t i = 0; i < data_.equations.size(); ++i) {
    const Equation& equation = data_.equations[i];
    const NodeId leaf = leaves[i];
    if (leaf == no_node) {
      found.push_back({rewriter.rewrite(equation.lhs), rewriter.rewrite(equation.rhs)});
    } else {
      found.push_back({leaf, rewriter.rewrite(leaf)});
    }
    if (found.back().lhs == no_node || found.back().rhs == no_node) return {};
  }
  return found;
}

std::vector<Equations::Sides> Equations::beside(const JumpSurface& surface, double side) const {
  std::vector<Sides> found = beside(surface, side, true);
  return found.empty() ? beside(surface, side, false) : found;
}

/// The change from one value to another across a band.
NodeId change_over(Pool& pool, const Band& band, NodeId below, NodeId above) {
  if (below == above) return below;
  const NodeId g = band.surface.difference(pool);
  const NodeId share = pool.add(pool.constant(0.5), pool.mul(pool.constant(0.5 / band.width), g));
  const NodeId mean = pool.add(below, pool.mul(share, pool.sub(above, below)));
  const NodeId is_above = pool.relation(Op::greater, g, pool.constant(band.width));
  const NodeId is_below = pool.relation(Op::less, g, pool.constant(-band.width));
  return pool.if_else(is_above, above, pool.if_else(is_below, below, mean));
}

}  // namespace

std::vector<JumpSurface> jump_surfaces(const Model& model) {
  const Model::Data data = copy_of(model);
  Pool pool(model.pool());
  const Equations equations(data, pool);
  std::vector<JumpSurface> found;
  for (const NodeId id : equations.nodes()) {
    auto surface = surface_of(pool, id);
    if (!surface || std::ranges::find(found, *surface) != found.end()) continue;
    const NodeId g = surface->difference(pool);
    const auto leaves = dependencies(pool, std::span(&g, 1));
    const auto is_variable = [&](NodeId leaf) { return pool[leaf].op == Op::variable; };
    const auto is_rate = [&](NodeId leaf) { return is_variable(leaf) && pool[leaf].order > 0; };
    if (std::ranges::none_of(leaves, is_variable) || std::ranges::any_of(leaves, is_rate)) continue;
    surface->text = expression_text(model, pool, id);
    found.push_back(std::move(*surface));
  }
  return found;
}

Model with_bands(const Model& model, std::span<const Band> bands, std::span<const double> scales) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  for (std::size_t i = 0; i < data->variables.size(); ++i) {
    double& nominal = data->variables[i].nominal;
    if (nominal == 1.0 && scales[i] > 0.0) nominal = scales[i];
  }
  auto pool = std::make_shared<Pool>(model.pool());
  for (const Band& band : bands) {
    const Equations equations(*data, *pool);
    const auto below = equations.beside(band.surface, -1.0);
    const auto above = equations.beside(band.surface, 1.0);
    for (std::size_t i = 0; i < below.size(); ++i) {
      Equation& equation = data->equations[i];
      if (below[i].lhs == above[i].lhs) {
        equation.lhs = below[i].lhs;
        equation.rhs = change_over(*pool, band, below[i].rhs, above[i].rhs);
      } else {
        equation.lhs = change_over(*pool, band, pool->sub(below[i].lhs, below[i].rhs),
                                   pool->sub(above[i].lhs, above[i].rhs));
        equation.rhs = pool->constant(0.0);
      }
    }
  }
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

}  // namespace daedal
