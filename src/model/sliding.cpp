// SPDX-License-Identifier: BSD-3-Clause
#include "model/sliding.hpp"

#include <algorithm>
#include <cmath>
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
  /// With the variables written out that equations determine.
  [[nodiscard]] NodeId written_out(NodeId root) const;

 private:
  struct Definition {
    NodeId leaf = no_node;
    NodeId value = no_node;
    std::size_t equation = none;  ///< that determines the variable
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
  };
  void define_conditions();
  void define_variables();
  void define_by_affine_equations(std::vector<bool>& is_taken, std::span<const int> orders);
  /// Which definitions change their value at the surface.
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
  define_by_affine_equations(is_taken, orders);
}

/// Where an equation has one algebraic variable that nothing determines yet, with a number as its
/// factor.
void Equations::define_by_affine_equations(std::vector<bool>& is_taken,
                                           std::span<const int> orders) {
  std::vector<bool> defines(data_.equations.size(), false);
  for (const Definition& definition : definitions_) {
    if (definition.equation != Definition::none) defines[definition.equation] = true;
  }
  for (std::size_t i = 0; i < data_.equations.size(); ++i) {
    if (defines[i]) continue;
    const NodeId residual = pool_.sub(data_.equations[i].lhs, data_.equations[i].rhs);
    NodeId leaf = no_node;
    int n_open = 0;
    for (const NodeId other : dependencies(pool_, std::span(&residual, 1))) {
      const Node& node = pool_[other];
      const auto variable = static_cast<std::size_t>(std::max(node.symbol, 0));
      if (node.op != Op::variable || orders[variable] > 0 || is_taken[variable]) continue;
      leaf = other;
      ++n_open;
    }
    if (n_open != 1) continue;
    const NodeId slope = gradient(pool_, residual, std::span(&leaf, 1)).front();
    if (pool_[slope].op != Op::constant || pool_[slope].value == 0.0) continue;
    const NodeId zero = pool_.constant(0.0);
    const NodeId rest =
        substitute(pool_, std::span(&residual, 1), std::span(&leaf, 1), std::span(&zero, 1))
            .front();
    is_taken[static_cast<std::size_t>(pool_[leaf].symbol)] = true;
    definitions_.push_back({leaf, pool_.div(pool_.neg(rest), slope), i});
  }
}

NodeId Equations::written_out(NodeId root) const {
  Rewriter rewriter(pool_, pool_);
  for (const Definition& definition : definitions_) {
    const Node& node = pool_[definition.leaf];
    if (node.op == Op::variable && node.order == 0) {
      rewriter.define(definition.leaf, definition.value);
    }
  }
  const NodeId found = rewriter.rewrite(root);
  return found == no_node ? root : found;
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
  const NodeId turned = pool_.neg(surface.left);
  Rewriter rewriter(pool_, pool_);
  for (const NodeId id : nodes_) {
    const Node node = pool_[id];
    if (surface_of(pool_, id) == surface) {
      rewriter.bind(id, pool_.constant(value_beside(node, surface, side)));
    } else if (node.op == Op::abs && JumpSurface{node.a, no_node, {}} == surface) {
      rewriter.define(id, side > 0.0 ? surface.left : turned);
    }
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

/// Across a band.
class ChangeOver {
 public:
  ChangeOver(const Band& band, const Equations& equations, Pool& pool)
      : pool_(pool),
        below_(equations.beside(band.surface, -1.0)),
        above_(equations.beside(band.surface, 1.0)),
        g_(band.surface.difference(pool)) {
    extend_roots();
    const NodeId g = equations.written_out(g_);
    const NodeId width = width_of(band, g);
    share_ = pool.add(pool.constant(0.5), pool.div(g_, pool.mul(pool.constant(2.0), width)));
    const NodeId down = rate(g, below_);
    const NodeId up = rate(g, above_);
    const bool has_rates = down != no_node && up != no_node;
    // A solution that is about to leave comes to |g| = w just when the surface ceases to attract:
    // the edges, at which it is left, lie beyond.
    const NodeId edge = has_rates ? pool.mul(pool.constant(2.0), width) : width;
    is_above_ = pool.relation(Op::greater, g_, edge);
    is_below_ = pool.relation(Op::less, g_, pool.neg(edge));
    if (!has_rates) return;
    leads_down_ = pool.relation(Op::less, down, pool.constant(0.0));
    leads_up_ = pool.relation(Op::greater, up, pool.constant(0.0));
    const NodeId mean = pool.add(down, pool.mul(share_, pool.sub(up, down)));
    mean_leads_up_ = pool.immediate_relation(Op::greater, mean, pool.constant(0.0));
  }

  /// The equation with this number.
  [[nodiscard]] Equations::Sides operator()(std::size_t i) const {
    const auto& [lhs, rhs] = below_[i];
    if (lhs == above_[i].lhs) return {lhs, between(rhs, above_[i].rhs)};
    return {between(pool_.sub(lhs, rhs), pool_.sub(above_[i].lhs, above_[i].rhs)),
            pool_.constant(0.0)};
  }
  [[nodiscard]] NodeId is_above() const { return is_above_; }

 private:
  /// Roots that one side alone has may have no value on the other, of which the band has a part:
  /// there they go on as those of the magnitude.
  void extend_roots() {
    const auto roots_of = [](const std::vector<Equations::Sides>& side) {
      std::vector<NodeId> all;
      for (const auto& [lhs, rhs] : side) all.insert(all.end(), {lhs, rhs});
      return all;
    };
    const std::vector<NodeId> below = roots_of(below_);
    const std::vector<NodeId> above = roots_of(above_);
    const Reachable in_below(pool_, below);
    const Reachable in_above(pool_, above);
    const NodeId zero = pool_.constant(0.0);
    const auto extend = [&](std::span<const NodeId> roots, const Reachable& other, Op own_side,
                            std::vector<Equations::Sides>& side) {
      const NodeId is_own = pool_.immediate_relation(own_side, g_, zero);
      const auto extended = rewrite(pool_, roots, [&](NodeId id, const Node& node) {
        const NodeId same = rebuild(pool_, id, node);
        if (!is_root(node) || std::ranges::find(other.ids(), id) != other.ids().end()) return same;
        Node beyond = node;
        beyond.a = pool_.unary(Op::abs, node.a);
        return pool_.if_else(is_own, same, build(pool_, beyond));
      });
      for (std::size_t i = 0; i < side.size(); ++i)
        side[i] = {extended[2 * i], extended[2 * i + 1]};
    };
    extend(below, in_above, Op::less, below_);
    extend(above, in_below, Op::greater, above_);
  }
  [[nodiscard]] bool is_root(const Node& node) const {
    if (node.op == Op::sqrt) return true;
    if (node.op != Op::pow) return false;
    const Node& exponent = pool_[node.b];
    return exponent.op == Op::constant && exponent.value > 0.0 &&
           exponent.value != std::floor(exponent.value);
  }
  /// Whether the rate of a variable is known to be the same on both sides.
  [[nodiscard]] bool has_one_rate(const Band::Scale& scale) const {
    const NodeId leaf = pool_.variable(static_cast<SymbolId>(scale.variable), 1);
    const auto below = std::ranges::find(below_, leaf, &Equations::Sides::lhs);
    const auto above = std::ranges::find(above_, leaf, &Equations::Sides::lhs);
    return below != below_.end() && above != above_.end() && *below == *above;
  }

  /// w = Σ |∂g/∂x_j|·w_j: as g gets steeper or flatter, the band stays as wide in the variables
  /// that are kept in it. One that is not, as the factor y of g = x·y, may become smaller than any
  /// width.
  [[nodiscard]] NodeId width_of(const Band& band, NodeId g) const {
    constexpr double least = 1e-12;  // where g is flat
    const auto is_carried = [&](const Band::Scale& scale) { return has_one_rate(scale); };
    const bool has_kept = !std::ranges::all_of(band.scales, is_carried);
    NodeId width = pool_.constant(least * band.width);
    for (const Band::Scale& scale : band.scales) {
      if (has_kept && is_carried(scale)) continue;
      const NodeId leaf = pool_.variable(static_cast<SymbolId>(scale.variable));
      const NodeId slope = gradient(pool_, g, std::span(&leaf, 1)).front();
      width = pool_.add(width, pool_.mul(pool_.constant(scale.width), pool_.unary(Op::abs, slope)));
    }
    return width;
  }

  /// dg/dt on a side, where its equations have the derivatives of all variables in it.
  [[nodiscard]] NodeId rate(NodeId g, std::span<const Equations::Sides> side) const {
    const NodeId total = total_time_derivative(pool_, std::span(&g, 1)).front();
    std::vector<NodeId> from;
    std::vector<NodeId> to;
    for (const NodeId leaf : dependencies(pool_, std::span(&total, 1))) {
      if (pool_[leaf].op != Op::variable || pool_[leaf].order == 0) continue;
      const auto found = std::ranges::find(side, leaf, &Equations::Sides::lhs);
      if (found == side.end()) return no_node;
      from.push_back(leaf);
      to.push_back(found->rhs);
    }
    return substitute(pool_, std::span(&total, 1), from, to).front();
  }

  [[nodiscard]] NodeId between(NodeId below, NodeId above) const {
    if (below == above) return below;
    NodeId inside = pool_.add(below, pool_.mul(share_, pool_.sub(above, below)));
    if (leads_up_ != no_node) {
      // From a surface that leads away to both sides it goes to where the mean of them leads.
      const NodeId own = pool_.if_else(mean_leads_up_, above, below);
      inside = pool_.if_else(leads_up_, pool_.if_else(leads_down_, own, above),
                             pool_.if_else(leads_down_, below, inside));
    }
    return pool_.if_else(is_above_, above, pool_.if_else(is_below_, below, inside));
  }

  Pool& pool_;
  std::vector<Equations::Sides> below_, above_;
  NodeId g_, share_, is_above_, is_below_;
  NodeId leads_down_ = no_node, leads_up_ = no_node, mean_leads_up_ = no_node;
};

/// In conditions that are read at events only, the surface is the upper edge of the band: within it
/// they do not change.
void move_conditions(Model::Data& data, Pool& pool, const JumpSurface& surface, NodeId is_above) {
  Rewriter rewriter(pool, pool);
  for (std::int32_t id = 0; id < pool.n_relations(); ++id) {
    const NodeId relation = pool.relation_node(id);
    if (surface_of(pool, relation) != surface) {
      rewriter.bind(relation, relation);
      continue;
    }
    const bool holds = value_beside(pool[relation], surface, 1.0) != 0.0;
    rewriter.bind(relation, holds ? is_above : pool.unary(Op::logical_not, is_above));
  }
  for (DiscreteEquation& equation : data.discrete_equations) {
    equation.value = rewriter.rewrite(equation.value);
  }
  for (WhenClause& clause : data.when_clauses) {
    for (WhenBranch& branch : clause.branches)
      branch.condition = rewriter.rewrite(branch.condition);
  }
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
    // Equations that define each other in a circle have no form of their own on either side.
    const auto is_open = [&](double side) { return equations.beside(*surface, side).empty(); };
    if (is_open(-1.0) || is_open(1.0)) continue;
    surface->text = expression_text(model, pool, id);
    found.push_back(std::move(*surface));
  }
  return found;
}

NodeId difference_in_states(const Model& model, Pool& pool, const JumpSurface& surface) {
  const Model::Data data = copy_of(model);
  return Equations(data, pool).written_out(surface.difference(pool));
}

Model with_bands(const Model& model, std::span<const Band> bands, std::span<const double> scales) {
  auto data = std::make_shared<Model::Data>(copy_of(model));
  const auto set = [&](std::size_t variable, double nominal) {
    // 1 is that of variables without one.
    constexpr double not_one = 0.999;
    data->variables[variable].nominal = nominal == 1.0 ? not_one : nominal;
  };
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (data->variables[i].nominal == 1.0 && scales[i] > 0.0) set(i, scales[i]);
  }
  auto pool = std::make_shared<Pool>(model.pool());
  for (const Band& band : bands) {
    const ChangeOver change_over(band, Equations(*data, *pool), *pool);
    for (std::size_t i = 0; i < data->equations.size(); ++i) {
      const auto [lhs, rhs] = change_over(i);
      data->equations[i].lhs = lhs;
      data->equations[i].rhs = rhs;
    }
    move_conditions(*data, *pool, band.surface, change_over.is_above());
    for (const Band::Scale& scale : band.scales) {
      const double given = std::abs(model.variables()[scale.variable].nominal);
      set(scale.variable, given == 1.0 ? scale.nominal : std::min(given, scale.nominal));
    }
  }
  pool->freeze();
  data->pool = std::move(pool);
  return Model(std::move(data));
}

}  // namespace daedal
