// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/function_search.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "solve/watch/solved_unknowns.hpp"

namespace daedal::solve_detail {

namespace {

/// Powers and products of a lower degree are polynomials that any scheme resolves.
constexpr int least_steep_power = 8;

/// Whether the bounds of a leaf within a step are unknown.
bool is_out_of_reach(const Node& node) {
  return node.op == Op::pre_variable || node.op == Op::final_variable ||
         (node.op == Op::variable && node.order > 1);
}

/// Whether the node is a part of a product: what it alone does is polynomial.
bool is_product(const Node& node) {
  return node.op == Op::mul ||
         (node.op == Op::pow_int && node.order > 1 && node.order < least_steep_power);
}

/// The conditions and values that events depend on.
std::vector<NodeId> event_expressions(const Model& model) {
  std::vector<NodeId> roots;
  for (const DiscreteEquation& equation : model.discrete_equations()) {
    roots.push_back(equation.value);
  }
  for (const WhenClause& clause : model.when_clauses()) {
    for (const WhenBranch& branch : clause.branches) roots.push_back(branch.condition);
  }
  for (const Assertion& assertion : model.assertions()) roots.push_back(assertion.condition);
  return roots;
}

std::vector<bool> differential_variables(const Model& model) {
  LeafWalker walker(*model.pool());
  std::vector<bool> result(model.variables().size(), false);
  for (const Equation& equation : model.equations()) {
    const std::array<NodeId, 2> sides{equation.lhs, equation.rhs};
    for (const NodeId leaf : walker.leaves(sides)) {
      const Node& node = (*model.pool())[leaf];
      if (node.op == Op::variable && node.order > 0) result[to_size(node.symbol)] = true;
    }
  }
  return result;
}

/// A branch of a choice within which all users of a node are.
struct Branch {
  NodeId choice = no_node;
  bool is_then = false;
  bool operator==(const Branch&) const = default;
};

/// For every node that the roots need, by its position: the place within which all users of it are.
/// `own` gives the place of an argument of a node, or nothing where it is that of the node itself.
template <class Place, class Own>
std::vector<Place> places_of_use(const Pool& pool, const Reachable& part,
                                 const std::vector<bool>& is_root, const Own& own) {
  std::vector<std::optional<Place>> found(part.size());
  for (std::size_t i = part.size(); i-- > 0;) {
    if (is_root[i]) found[i] = Place{};
    if (!found[i]) continue;
    const NodeId id = part.ids()[i];
    if (is_held(pool[id])) continue;
    int number = 0;
    for (const NodeId argument : arguments(pool[id])) {
      const Place place = own(id, number++).value_or(*found[i]);
      if (argument == no_node) continue;
      auto& of_argument = found[part.position(argument)];
      of_argument = !of_argument || *of_argument == place ? place : Place{};
    }
  }
  std::vector<Place> result;
  for (const auto& place : found) result.push_back(place.value_or(Place{}));
  return result;
}

/// The innermost branch that each node is in.
std::vector<Branch> branches(const Pool& pool, const Reachable& part,
                             const std::vector<bool>& is_root) {
  return places_of_use<Branch>(pool, part, is_root,
                               [&](NodeId id, int argument) -> std::optional<Branch> {
                                 if (pool[id].op != Op::if_else || argument == 0)
                                   return std::nullopt;
                                 return Branch{id, argument == 1};
                               });
}

bool is_positive_power(const Node& node) {
  return node.op == Op::pow_int && node.order > 0;
}

/// The degree of each node as a polynomial in the leaves that vary, by its position.
std::vector<double> degrees(const Pool& pool, const Reachable& part) {
  std::vector<double> result(part.size(), 0.0);
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Node& node = pool[part.ids()[i]];
    if (is_leaf(node.op) || is_held(node)) {
      result[i] = varies(node) ? 1.0 : 0.0;
      continue;
    }
    double sum = 0.0;
    for (const NodeId argument : arguments(node)) {
      if (argument != no_node) sum += result[part.position(argument)];
    }
    const bool is_kept = node.op == Op::mul || node.op == Op::neg;
    result[i] = is_kept ? sum : is_positive_power(node) ? node.order * sum : std::min(sum, 1.0);
  }
  return result;
}

/// The factors of a product that vary, with their powers; `degree` by positions in `part`.
std::vector<std::pair<NodeId, double>> factors(const Pool& pool, NodeId product,
                                               const Reachable& part,
                                               std::span<const double> degree) {
  std::map<NodeId, double, std::greater<>> open{{product, 1.0}};  // users before what they use
  std::vector<std::pair<NodeId, double>> result;
  while (!open.empty()) {
    const auto [id, power] = *open.begin();
    open.erase(open.begin());
    if (degree[part.position(id)] == 0.0) continue;
    const Node& node = pool[id];
    const bool is_power = is_positive_power(node);
    if (is_power || node.op == Op::mul || node.op == Op::neg) {
      open[node.a] += power * (is_power ? node.order : 1);
      if (node.op == Op::mul) open[node.b] += power;
    } else {
      result.emplace_back(id, power);
    }
  }
  return result;
}

/// Whether each node depends on a leaf with a property, by its position.
template <class Property>
std::vector<bool> reach_leaf(const Pool& pool, const Reachable& part, const Property& property) {
  std::vector<bool> result(part.size(), false);
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Node& node = pool[part.ids()[i]];
    result[i] = is_leaf(node.op) ? property(node)
                                 : std::ranges::any_of(arguments(node), [&](NodeId argument) {
                                     return argument != no_node && result[part.position(argument)];
                                   });
  }
  return result;
}

/// The steep function that alone uses a node.
struct User {
  NodeId id = no_node;
  bool operator==(const User&) const = default;
};

/// One pass over the expressions of a model.
class ExpressionScan {
 public:
  ExpressionScan(const Model& model, std::span<const NodeId> roots)
      : pool_(*model.pool()), part_(pool_, with_events(model, roots)) {
    const std::size_t n = part_.size();
    moves_.resize(n);
    is_hidden_.resize(n);
    is_root_.resize(n);
    for (const NodeId root : roots) is_root_[part_.position(root)] = true;
    branch_of_ = branches(pool_, part_, is_root_);
    is_continuous_ = is_root_;
    for (std::size_t i = n; i-- > 0;) {
      const Node& node = pool_[part_.ids()[i]];
      if (!is_continuous_[i] || is_held(node)) continue;
      for_each_argument(node, [&](std::size_t argument) { is_continuous_[argument] = true; });
    }
  }

  [[nodiscard]] std::vector<FoundFunction> run() {
    for (std::size_t i = 0; i < part_.size(); ++i) visit(i);
    find_users();
    return std::move(found_);
  }

 private:
  static std::vector<NodeId> with_events(const Model& model, std::span<const NodeId> roots) {
    std::vector<NodeId> all(roots.begin(), roots.end());
    const std::vector<NodeId> of_events = event_expressions(model);
    all.insert(all.end(), of_events.begin(), of_events.end());
    return all;
  }
  template <class Visit>
  void for_each_argument(const Node& node, const Visit& visit) const {
    for (const NodeId argument : arguments(node)) {
      if (argument != no_node) visit(part_.position(argument));
    }
  }
  [[nodiscard]] bool moves(NodeId id) const { return moves_[part_.position(id)]; }
  /// Whether a relation compares time with what is held: such an event is known in advance.
  [[nodiscard]] bool is_time_threshold(const Node& relation) const {
    return (pool_[relation.a].op == Op::time && !moves(relation.b)) ||
           (pool_[relation.b].op == Op::time && !moves(relation.a));
  }

  void visit(std::size_t i) {
    const NodeId id = part_.ids()[i];
    const Node& node = pool_[id];
    if (is_leaf(node.op)) {
      moves_[i] = varies(node);
      is_hidden_[i] = is_out_of_reach(node);
      return;
    }
    for_each_argument(node, [&](std::size_t argument) {
      moves_[i] = moves_[i] || moves_[argument];
      is_hidden_[i] = is_hidden_[i] || is_hidden_[argument];
    });
    if (is_held(node)) {
      const bool is_order = node.op != Op::equal && node.op != Op::not_equal;
      if (is_order && moves_[i] && !is_hidden_[i] && !is_time_threshold(node)) {
        found_.push_back({Watched::Kind::relation, id, node.a, node.b});
      }
      moves_[i] = is_hidden_[i] = false;
      return;
    }
    if (moves_[i] && !is_hidden_[i] && is_continuous_[i]) classify(i, id, node);
  }

  void classify(std::size_t i, NodeId id, const Node& node) {
    const auto add = [&](Watched::Kind kind, NodeId a, NodeId b = no_node) {
      FoundFunction& function = found_.emplace_back(kind, id, a, b);
      for (Branch branch = branch_of_[i]; branch.choice != no_node;
           branch = branch_of_[part_.position(branch.choice)]) {
        function.choices.push_back({pool_[branch.choice].a, branch.is_then});
      }
    };
    switch (node.op) {
      case Op::div:
        if (moves(node.b)) add(Watched::Kind::steep, node.b);
        break;
      case Op::mul:
      case Op::pow_int:
        add(Watched::Kind::steep, node.a);
        found_.back().is_product = is_product(node);
        break;
      case Op::pow:
      case Op::external:
        add(Watched::Kind::steep, node.a, node.b);
        break;
      case Op::min:
      case Op::max:
        add(Watched::Kind::kink, node.a, node.b);
        break;
      case Op::abs:
        add(Watched::Kind::kink, node.a);
        break;
      case Op::sign:
      case Op::floor:
        add(Watched::Kind::jump, node.a);
        break;
      default:
        if (is_relation(node.op)) {
          add(Watched::Kind::jump, node.a, node.b);
        } else if (is_elementary(node.op)) {
          add(Watched::Kind::steep, node.a);
        }
        break;
    }
  }

  void find_users() {
    std::vector<bool> is_steep(part_.size(), false);
    for (const FoundFunction& function : found_) {
      is_steep[part_.position(function.node)] =
          function.kind == Watched::Kind::steep && !function.is_product;
    }
    const std::vector<User> users =
        places_of_use<User>(pool_, part_, is_root_, [&](NodeId id, int) -> std::optional<User> {
          if (!is_steep[part_.position(id)]) return std::nullopt;
          return User{id};
        });
    for (FoundFunction& function : found_) {
      function.user = users[part_.position(function.node)].id;
    }
  }

  const Pool& pool_;
  Reachable part_;
  // By position in part_.
  std::vector<bool> moves_;      ///< varies between events
  std::vector<bool> is_hidden_;  ///< depends on a leaf that is out of reach
  std::vector<bool> is_root_;
  std::vector<bool> is_continuous_;  ///< the roots depend on it between events
  std::vector<Branch> branch_of_;
  std::vector<FoundFunction> found_;
};

/// Finds g in equations g·y = r in which y is the only unknown without a derivative: y has a pole
/// where g is zero.
void find_divisors(const Model& model, const std::vector<bool>& is_differential, Pool& pool,
                   std::vector<FoundFunction>& functions) {
  LeafWalker walker(*model.pool());
  std::vector<NodeId> residuals, unknowns;
  for (const Equation& equation : model.equations()) {
    NodeId unknown = no_node;
    bool is_alone = true;
    const std::array<NodeId, 2> sides{equation.lhs, equation.rhs};
    for (const NodeId leaf : walker.leaves(sides)) {
      const Node& node = pool[leaf];
      if (node.op != Op::variable || (node.order == 0 && is_differential[to_size(node.symbol)])) {
        continue;
      }
      is_alone = is_alone && node.order == 0 && unknown == no_node;
      unknown = leaf;
    }
    // y = f(x) needs no division.
    if (unknown == no_node || !is_alone || std::ranges::find(sides, unknown) != sides.end()) {
      continue;
    }
    residuals.push_back(pool.sub(equation.lhs, equation.rhs));
    unknowns.push_back(unknown);
  }
  std::ranges::sort(unknowns);
  const auto repeated = std::ranges::unique(unknowns);
  unknowns.erase(repeated.begin(), repeated.end());
  for (const JacobianEntry& entry : jacobian(pool, residuals, unknowns)) {
    const NodeId g = entry.value;
    const std::vector<NodeId> leaves = dependencies(pool, std::span(&g, 1));
    const bool is_linear =
        std::ranges::find(leaves, unknowns[to_size(entry.column)]) == leaves.end();
    const bool is_moving =
        std::ranges::any_of(leaves, [&](NodeId leaf) { return varies(pool[leaf]); });
    if (is_linear && is_moving) {
      functions.push_back({Watched::Kind::divisor, g, g, no_node});
    }
  }
}

/// What has no bounds within a step cannot be compared with a limit there.
void add_bounds(const Model& model, std::span<const ValueLimit> limits, Pool& pool,
                std::vector<FoundFunction>& functions) {
  LeafWalker walker(*model.pool());
  for (std::size_t k = 0; k < limits.size(); ++k) {
    const auto& [value, limit, is_upper] = limits[k];
    const auto leaves = walker.leaves(value);
    const auto has = [&](const auto& property) {
      return std::ranges::any_of(leaves, [&](NodeId leaf) { return property(pool[leaf]); });
    };
    if (!has(varies) || has(is_out_of_reach)) continue;
    const NodeId edge = pool.constant(limit);
    functions.push_back({.kind = Watched::Kind::bound,
                         .node = value,
                         .a = is_upper ? value : edge,
                         .b = is_upper ? edge : value,
                         .limit = k});
  }
}

/// Replaces unknowns by what the equations give for them: within a step they follow that, whatever
/// their values at the ends of the step are.
void see_through_equations(const Model& model, const std::vector<bool>& is_differential, Pool& pool,
                           std::vector<FoundFunction>& functions) {
  const Pool& source = *model.pool();
  std::vector<NodeId> roots;
  for (const FoundFunction& function : functions) {
    roots.push_back(function.node);
    for (const FoundFunction::Choice& choice : function.choices) roots.push_back(choice.condition);
  }
  const auto solved = solve_unknowns(model, pool, roots, is_differential, is_out_of_reach);
  Rewriter rewriter(pool, pool);
  for (std::int32_t id = 0; id < source.n_relations(); ++id) {
    rewriter.bind(source.relation_node(id), source.relation_node(id));
  }
  for (const auto& [leaf, value] : solved) rewriter.bind(leaf, rewriter.rewrite(value));
  // A product within a product is a part of the outer one.
  std::unordered_set<NodeId> inner;
  for (const FoundFunction& function : functions) {
    if (function.is_product) inner.insert({source[function.node].a, source[function.node].b});
  }
  std::erase_if(functions, [&](const FoundFunction& function) {
    return function.is_product && inner.contains(function.node);
  });
  std::vector<NodeId> products, sides;
  for (FoundFunction& function : functions) {
    for (FoundFunction::Choice& choice : function.choices) {
      choice.condition = rewriter.rewrite(choice.condition);
    }
    if (function.kind == Watched::Kind::relation) {
      function.a = rewriter.rewrite(function.a);
      function.b = rewriter.rewrite(function.b);
      sides.insert(sides.end(), {function.a, function.b});
    } else if (function.kind == Watched::Kind::bound) {
      NodeId& side = function.a == function.node ? function.a : function.b;
      side = function.node = rewriter.rewrite(function.node);
      sides.push_back(side);
    } else if (function.is_product) {
      function.node = rewriter.rewrite(function.node);
      products.push_back(function.node);
    } else if (function.kind != Watched::Kind::divisor) {
      function.node = rewriter.rewrite(function.node);
      function.a = rewriter.rewrite(function.a);
      if (function.b != no_node) function.b = rewriter.rewrite(function.b);
      if (function.user != no_node) function.user = rewriter.rewrite(function.user);
    }
  }
  const auto is_quotient = [&](const FoundFunction& function) {
    const Node& node = pool[function.node];
    return function.kind == Watched::Kind::steep && !function.is_product &&
           (node.op == Op::div || (node.op == Op::pow_int && node.order < 0));
  };
  for (const FoundFunction& function : functions) {
    if (is_quotient(function)) sides.push_back(function.a);
  }
  const Reachable of_sides(pool, sides);
  const std::vector<bool> reaches_unknown = reach_leaf(pool, of_sides, [&](const Node& leaf) {
    return leaf.op == Op::variable && !is_differential[to_size(leaf.symbol)];
  });
  const auto is_implicit = [&](NodeId side) { return reaches_unknown[of_sides.position(side)]; };
  for (FoundFunction& function : functions) {
    if (function.kind == Watched::Kind::relation) {
      function.is_implicit = is_implicit(function.a) || is_implicit(function.b);
    } else if (function.kind == Watched::Kind::bound) {
      function.is_implicit = is_implicit(function.node);
    } else if (is_quotient(function)) {
      function.may_leap = is_implicit(function.a);
    }
  }
  // Only now is the degree of products known.
  const Reachable part(pool, products);
  const std::vector<double> degree = degrees(pool, part);
  std::erase_if(functions, [&](const FoundFunction& function) {
    return function.is_product && degree[part.position(function.node)] < least_steep_power;
  });
  for (FoundFunction& function : functions) {
    if (!function.is_product) continue;
    function.factors = factors(pool, function.node, part, degree);
    function.a = function.factors.front().first;
  }
}

}  // namespace

bool varies(const Node& node) {
  return node.op == Op::time || node.op == Op::variable || node.op == Op::pre_variable ||
         node.op == Op::final_variable;
}

bool is_elementary(Op op) {
  return op == Op::sqrt || op == Op::exp || op == Op::log || op == Op::sin || op == Op::cos ||
         op == Op::tan || op == Op::asin || op == Op::acos || op == Op::atan || op == Op::sinh ||
         op == Op::cosh || op == Op::tanh;
}

std::vector<FoundFunction> find_functions(const Model& model, const WatchedValues& values,
                                          Pool& pool) {
  std::vector<NodeId> roots(values.outputs.begin(), values.outputs.end());
  for (const Equation& equation : model.equations()) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  std::vector<FoundFunction> functions = ExpressionScan(model, roots).run();
  const std::vector<bool> is_differential = differential_variables(model);
  find_divisors(model, is_differential, pool, functions);
  add_bounds(model, values.limits, pool, functions);
  see_through_equations(model, is_differential, pool, functions);
  return functions;
}

}  // namespace daedal::solve_detail
