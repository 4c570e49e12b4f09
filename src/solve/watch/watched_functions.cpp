// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/watched_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "expr/external.hpp"
#include "expr/traverse.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"

namespace daedal::solve_detail {

namespace {

using kernel::Interval;

/// How far the argument of a function may go within a step: the function is a gentle curve there,
/// of which the stages or the history of any scheme see enough.
constexpr double gentle_exponent = 4.0;  ///< of exp, tanh, atan, sinh, cosh, of aᵇ as b·log(a)
constexpr double gentle_turn = 1.0;      ///< of atan, in its value
constexpr double gentle_angle = 6.0;     ///< of sin and cos
constexpr double gentle_tangent = 1.5;   ///< of tan
constexpr double gentle_bend = 0.2;      ///< of a function of the user, see bend_of()
constexpr double gentle_ratio = 2.5;     ///< of a divisor or radicand, the logarithm of its change
constexpr double most_turns = 16.0;      ///< of a wave whose every turn is followed
constexpr double smooth_strain = 0.25;   ///< of all that is compared, where samples tell of it
constexpr int least_steep_power = 8;     ///< lower ones are polynomials like any other

/// Arguments beyond these make no difference: exp(-100) and what is divided by its reciprocal are
/// nothing beside what they are at their greatest, and tanh(20) is 1.
constexpr double far_exponent = 100.0;
constexpr double far_tangent = 20.0;
constexpr double nothing_beyond = 1e43;

/// How far a function of the user is from the parabola through its ends and its middle, as a share
/// of its range: a bump between them is all of it.
double bend_of(const Interval& a, double function) {
  if (!std::isfinite(a.width())) return 0.0;
  const auto f = sample_external(a.low, a.high, function);
  const std::size_t last = f.size() - 1;
  const double middle = f[last / 2];
  double low = HUGE_VAL, high = -HUGE_VAL, farthest = 0.0;
  for (std::size_t i = 0; i <= last; ++i) {
    if (!std::isfinite(f[i])) continue;
    const double s = 2.0 * static_cast<double>(i) / static_cast<double>(last) - 1.0;
    const double parabola =
        middle + 0.5 * s * (f[last] - f[0] + s * (f[last] + f[0] - 2.0 * middle));
    farthest = std::max(farthest, std::abs(f[i] - parabola));
    low = std::min(low, f[i]);
    high = std::max(high, f[i]);
  }
  return high > low ? farthest / (high - low) : 0.0;
}

double width_within(const Interval& a, const Interval& range) {
  return std::max(std::min(a.high, range.high) - std::max(a.low, range.low), 0.0);
}

double log_ratio(const Interval& a) {
  if (a.contains(0.0)) return infinity;
  const double ratio = a.low > 0.0 ? a.high / a.low : a.low / a.high;
  // Near 1 its excess is bound enough.
  return ratio < 1.5 ? ratio - 1.0 : std::log(ratio);
}

bool is_integer(const Interval& a) {
  return a.is_point() && a.low == std::nearbyint(a.low);
}

/// Leaves that vary between events.
bool varies(const Node& node) {
  return node.op == Op::time || node.op == Op::variable || node.op == Op::pre_variable ||
         node.op == Op::final_variable;
}

/// Leaves whose bounds within a step are not known.
bool is_out_of_reach(const Node& node) {
  return node.op == Op::pre_variable || node.op == Op::final_variable ||
         (node.op == Op::variable && node.order > 1);
}

bool is_time_threshold(const Pool& pool, const Node& relation, const std::vector<bool>& moves,
                       const Reachable& part) {
  const auto is_moving = [&](NodeId id) { return moves[part.position(id)]; };
  return (pool[relation.a].op == Op::time && !is_moving(relation.b)) ||
         (pool[relation.b].op == Op::time && !is_moving(relation.a));
}

/// Powers that are polynomials like any other, unless they are multiplied.
bool is_product(const Node& node) {
  return node.op == Op::mul ||
         (node.op == Op::pow_int && node.order > 1 && node.order < least_steep_power);
}

bool is_elementary(Op op) {
  return op == Op::sqrt || op == Op::exp || op == Op::log || op == Op::sin || op == Op::cos ||
         op == Op::tan || op == Op::asin || op == Op::acos || op == Op::atan || op == Op::sinh ||
         op == Op::cosh || op == Op::tanh;
}

/// What events read beside the equations.
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

std::vector<bool> differential_variables(const Model& model, LeafWalker& walker) {
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

/// A branch of a choice: all that uses a node stands in it.
struct Branch {
  NodeId choice = no_node;
  bool is_then = false;
  bool operator==(const Branch&) const = default;
};

/// Of every node that the roots need, by its position, where all that uses it stands: `own` gives
/// the place of the arguments of a node, or nothing where it is that of the node itself.
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

/// The innermost branches.
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

/// How many factors that move each node has, by its position.
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

/// What moves and is multiplied in a product, with its power; `degree` by positions in `part`.
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

/// Which nodes depend on a leaf with a property, by their positions.
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

/// A function that alone uses a node.
struct User {
  NodeId id = no_node;
  bool operator==(const User&) const = default;
};

}  // namespace

struct WatchedFunctions::Finding {
  Watched::Kind kind;
  NodeId node, a, b;
  std::vector<Branch> branches = {};
  NodeId user = no_node;
  bool is_product = false;
  bool is_implicit = false;
  std::vector<std::pair<NodeId, double>> factors = {};  ///< of a product, with their powers
};

Interval Watched::difference(std::span<const Interval> bounds) const {
  if (!has_b) return bounds[a];
  return {bounds[a].low - bounds[b].high, bounds[a].high - bounds[b].low};
}

WatchedFunctions::WatchedFunctions(const Model& model, std::span<const NodeId> outputs) {
  std::vector<NodeId> roots(outputs.begin(), outputs.end());
  for (const Equation& equation : model.equations()) {
    roots.push_back(equation.lhs);
    roots.push_back(equation.rhs);
  }
  std::vector<Finding> findings = find(model, roots);
  find_divisors(model, findings);
  Pool pool(model.pool());
  see_through_assignments(model, pool, findings);
  keep(pool, findings);
}

/// Puts functions in terms of what no equation z = f(…) gives a value: within a step z follows f,
/// whatever its values at the ends tell.
void WatchedFunctions::see_through_assignments(const Model& model, Pool& pool,
                                               std::vector<Finding>& findings) {
  const Pool& source = *model.pool();
  LeafWalker walker(source);
  const std::vector<bool> is_differential = differential_variables(model, walker);
  Rewriter rewriter(source, pool);
  for (std::int32_t id = 0; id < source.n_relations(); ++id) {
    rewriter.bind(source.relation_node(id), source.relation_node(id));
  }
  for (const Equation& equation : model.equations()) {
    for (const auto& [variable, value] :
         {std::pair(equation.lhs, equation.rhs), std::pair(equation.rhs, equation.lhs)}) {
      const Node& node = source[variable];
      const bool is_unknown =
          node.op == Op::variable && node.order == 0 && !is_differential[to_size(node.symbol)];
      if (!is_unknown || source[value].op == Op::variable) continue;
      const auto is_hidden = [&](NodeId leaf) { return is_out_of_reach(source[leaf]); };
      if (std::ranges::none_of(walker.leaves(value), is_hidden)) rewriter.define(variable, value);
    }
  }
  // A product within a product is a part of it.
  std::unordered_set<NodeId> inner;
  for (const Finding& finding : findings) {
    if (finding.is_product) inner.insert({source[finding.node].a, source[finding.node].b});
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.is_product && inner.contains(finding.node);
  });
  const auto rewritten = [&](NodeId root) {
    NodeId result = rewriter.rewrite(root);
    while (result == no_node) {
      rewriter.bind(rewriter.cycle().front(), rewriter.cycle().front());
      result = rewriter.rewrite(root);
    }
    return result;
  };
  std::vector<NodeId> products, sides;
  for (Finding& finding : findings) {
    if (finding.kind == Watched::Kind::relation) {
      finding.a = rewritten(finding.a);
      finding.b = rewritten(finding.b);
      sides.insert(sides.end(), {finding.a, finding.b});
    } else if (finding.is_product) {
      finding.node = rewritten(finding.node);
      products.push_back(finding.node);
    } else if (finding.kind != Watched::Kind::divisor) {
      finding.node = rewritten(finding.node);
      finding.a = rewritten(finding.a);
      if (finding.b != no_node) finding.b = rewritten(finding.b);
      if (finding.user != no_node) finding.user = rewritten(finding.user);
    }
  }
  const Reachable of_relations(pool, sides);
  const std::vector<bool> is_implicit = reach_leaf(pool, of_relations, [&](const Node& leaf) {
    return leaf.op == Op::variable && !is_differential[to_size(leaf.symbol)];
  });
  for (Finding& finding : findings) {
    if (finding.kind != Watched::Kind::relation) continue;
    finding.is_implicit = is_implicit[of_relations.position(finding.a)] ||
                          is_implicit[of_relations.position(finding.b)];
  }
  // Of low degree they are polynomials like any other.
  const Reachable part(pool, products);
  const std::vector<double> degree = degrees(pool, part);
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.is_product && degree[part.position(finding.node)] < least_steep_power;
  });
  for (Finding& finding : findings) {
    if (!finding.is_product) continue;
    finding.factors = factors(pool, finding.node, part, degree);
    finding.a = finding.factors.front().first;
  }
}

std::vector<WatchedFunctions::Finding> WatchedFunctions::find(const Model& model,
                                                              std::span<const NodeId> roots) {
  std::vector<Finding> findings;
  const Pool& pool = *model.pool();
  std::vector<NodeId> all(roots.begin(), roots.end());
  const std::vector<NodeId> of_events = event_expressions(model);
  all.insert(all.end(), of_events.begin(), of_events.end());
  const Reachable part(pool, all);
  const std::size_t n = part.size();
  std::vector<bool> moves(n, false);
  std::vector<bool> is_hidden(n, false);
  std::vector<bool> is_root(n, false);
  for (const NodeId root : roots) is_root[part.position(root)] = true;
  const std::vector<Branch> branch_of = branches(pool, part, is_root);
  // What the equations and outputs themselves need between events.
  std::vector<bool> is_continuous = is_root;
  for (std::size_t i = n; i-- > 0;) {
    const Node& node = pool[part.ids()[i]];
    if (!is_continuous[i] || is_held(node)) continue;
    for (const NodeId argument : daedal::arguments(node)) {
      if (argument != no_node) is_continuous[part.position(argument)] = true;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const NodeId id = part.ids()[i];
    const Node& node = pool[id];
    if (is_leaf(node.op)) {
      moves[i] = varies(node);
      is_hidden[i] = is_out_of_reach(node);
      continue;
    }
    for (const NodeId argument : daedal::arguments(node)) {
      if (argument == no_node) continue;
      const std::size_t place = part.position(argument);
      moves[i] = moves[i] || moves[place];
      is_hidden[i] = is_hidden[i] || is_hidden[place];
    }
    if (is_held(node)) {
      const bool is_order = node.op != Op::equal && node.op != Op::not_equal;
      if (is_order && moves[i] && !is_hidden[i] && !is_time_threshold(pool, node, moves, part)) {
        findings.push_back({Watched::Kind::relation, id, node.a, node.b});
      }
      moves[i] = is_hidden[i] = false;
      continue;
    }
    if (!moves[i] || is_hidden[i] || !is_continuous[i]) continue;
    const auto add = [&](Watched::Kind kind, NodeId a, NodeId b = no_node) {
      Finding& finding = findings.emplace_back(kind, id, a, b);
      for (Branch branch = branch_of[i]; branch.choice != no_node;
           branch = branch_of[part.position(branch.choice)]) {
        finding.branches.push_back({pool[branch.choice].a, branch.is_then});
      }
    };
    switch (node.op) {
      case Op::div:
        if (moves[part.position(node.b)]) add(Watched::Kind::steep, node.b);
        break;
      case Op::mul:
      case Op::pow_int:
        add(Watched::Kind::steep, node.a);
        findings.back().is_product = is_product(node);
        break;
      case Op::pow:
        add(Watched::Kind::steep, node.a, node.b);
        break;
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
  std::vector<bool> is_steep(n, false);
  for (const Finding& finding : findings) {
    is_steep[part.position(finding.node)] =
        finding.kind == Watched::Kind::steep && !finding.is_product;
  }
  const std::vector<User> users =
      places_of_use<User>(pool, part, is_root, [&](NodeId id, int) -> std::optional<User> {
        if (!is_steep[part.position(id)]) return std::nullopt;
        return User{id};
      });
  for (Finding& finding : findings) finding.user = users[part.position(finding.node)].id;
  return findings;
}

/// g·y = r where y is the only unknown without a derivative: y has a pole where g is 0.
void WatchedFunctions::find_divisors(const Model& model, std::vector<Finding>& findings) {
  const Pool& pool = *model.pool();
  LeafWalker walker(pool);
  const auto leaves_of = [&](const Equation& equation) {
    const std::array<NodeId, 2> sides{equation.lhs, equation.rhs};
    return walker.leaves(sides);
  };
  const std::vector<bool> is_differential = differential_variables(model, walker);
  for (const Equation& equation : model.equations()) {
    std::optional<NodeId> unknown;
    bool is_alone = true;
    for (const NodeId leaf : leaves_of(equation)) {
      const Node& node = pool[leaf];
      if (node.op != Op::variable || (node.order == 0 && is_differential[to_size(node.symbol)])) {
        continue;
      }
      is_alone = is_alone && node.order == 0 && !unknown;
      unknown = leaf;
    }
    if (!unknown || !is_alone) continue;
    const std::array<NodeId, 2> sides{equation.lhs, equation.rhs};
    const Reachable part(pool, sides);
    for (const NodeId id : part.ids()) {
      const Node& node = pool[id];
      if (node.op != Op::mul || (node.a != *unknown && node.b != *unknown)) continue;
      const NodeId factor = node.a == *unknown ? node.b : node.a;
      const auto leaves = walker.leaves(factor);
      const bool is_moving = std::ranges::any_of(
          leaves, [&](NodeId leaf) { return leaf != *unknown && varies(pool[leaf]); });
      const bool is_free = std::ranges::find(leaves, *unknown) == leaves.end();
      if (is_moving && is_free) {
        findings.push_back({Watched::Kind::divisor, id, factor, no_node});
      }
    }
  }
}

void WatchedFunctions::keep(const Pool& pool, std::span<const Finding> findings) {
  std::vector<NodeId> roots;
  for (const Finding& finding : findings) {
    roots.insert(roots.end(), {finding.node, finding.a});
    if (finding.b != no_node) roots.push_back(finding.b);
    for (const Branch& branch : finding.branches) roots.push_back(branch.choice);
  }
  enclosure_ = kernel::Enclosure(pool, roots, varies);
  std::vector<bool> is_of_time(enclosure_.size());
  for (std::size_t place = 0; place < enclosure_.size(); ++place) {
    const Node& node = enclosure_[place];
    is_of_time[place] = !enclosure_.is_moving(place) || node.op == Op::time ||
                        (!enclosure_.is_input(place) &&
                         std::ranges::all_of(daedal::arguments(node), [&](NodeId argument) {
                           return argument == no_node || is_of_time[to_size(argument)];
                         }));
  }
  std::vector<std::size_t> inner;
  for (const Finding& finding : findings) {
    Watched function{.kind = finding.kind, .place = enclosure_.place(finding.node)};
    function.is_implicit = finding.is_implicit;
    function.a = enclosure_.place(finding.a);
    function.has_b = finding.b != no_node;
    if (function.has_b) function.b = enclosure_.place(finding.b);
    function.is_of_time = finding.factors.empty() ? is_of_time[function.a] &&
                                                        (!function.has_b || is_of_time[function.b])
                                                  : is_of_time[function.place];
    auto& guards = guards_.emplace_back();
    for (const Branch& branch : finding.branches) {
      guards.push_back({enclosure_.place(branch.choice), branch.is_then});
      inner.push_back(guards.back().condition);
    }
    inner.push_back(function.a);
    if (function.has_b) inner.push_back(function.b);
    for (const auto& [factor, power] : finding.factors) {
      function.factors.push_back({enclosure_.place(factor), power});
      inner.push_back(function.factors.back().place);
    }
    watched_.push_back(std::move(function));
  }
  std::unordered_map<NodeId, std::size_t> number;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (watched_[i].kind == Watched::Kind::steep) number.emplace(findings[i].node, i);
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto user = number.find(findings[i].user);
    if (watched_[i].kind != Watched::Kind::steep || user == number.end()) continue;
    watched_[i].is_covered = true;
    watched_[i].cover = user->second;
  }
  arguments_ = enclosure_.needed_by(inner);
}

std::vector<std::size_t> WatchedFunctions::needed_for(std::span<const std::size_t> numbers) const {
  std::vector<std::size_t> places;
  for (std::size_t number : numbers) {
    for (;; number = watched_[number].cover) {
      const Watched& function = watched_[number];
      places.insert(places.end(), {function.place, function.a});
      if (function.has_b) places.push_back(function.b);
      for (const Watched::Factor& factor : function.factors) places.push_back(factor.place);
      for (const Guard& guard : guards_[number]) places.push_back(guard.condition);
      if (!function.is_covered) break;
    }
  }
  return enclosure_.needed_by(places);
}

bool WatchedFunctions::is_chosen(std::size_t number, std::span<const Interval> bounds) const {
  return std::ranges::none_of(guards_[number], [&](const Guard& guard) {
    const Interval& condition = bounds[guard.condition];
    const bool is_false = condition.low == 0.0 && condition.high == 0.0;
    return guard.is_then ? is_false : !condition.contains(0.0);
  });
}

double WatchedFunctions::strain(const Watched& function, std::span<const Interval> bounds) const {
  const Node& node = enclosure_[function.place];
  const Interval& a = bounds[function.a];
  if (function.kind == Watched::Kind::divisor) return a.contains(0.0) ? infinity : 0.0;
  if (!function.factors.empty()) {
    double change = 0.0;
    for (const Watched::Factor& factor : function.factors) {
      const Interval& base = bounds[factor.place];
      if (base.magnitude() > 0.0) change += factor.power * base.width() / base.magnitude();
    }
    return change / gentle_exponent;
  }
  switch (node.op) {
    case Op::exp:
      return width_within(a, {-far_exponent, HUGE_VAL}) / gentle_exponent;
    case Op::tanh:
      return width_within(a, {-far_tangent, far_tangent}) / gentle_exponent;
    case Op::sinh:
    case Op::cosh:
      return width_within(a, {-far_exponent, far_exponent}) / gentle_exponent;
    case Op::atan:
      return (std::atan(a.high) - std::atan(a.low)) / gentle_turn;
    case Op::external:
      return bend_of(a, bounds[function.b].low) / gentle_bend;
    case Op::sin:
    case Op::cos:
      return a.width() / gentle_angle;
    case Op::sqrt:
    case Op::log:
      return a.high <= 0.0 ? 0.0 : log_ratio({std::max(a.low, 0.0), a.high}) / gentle_ratio;
    case Op::asin:
    case Op::acos: {
      const Interval inside{std::max(a.low, -1.0), std::min(a.high, 1.0)};
      if (!(inside.low < inside.high)) return 0.0;
      return std::max(log_ratio({1.0 - inside.high, 1.0 - inside.low}),
                      log_ratio({1.0 + inside.low, 1.0 + inside.high})) /
             gentle_exponent;
    }
    case Op::tan:
      return kernel::enclose(node, a, a, a).high == HUGE_VAL ? infinity
                                                             : a.width() / gentle_tangent;
    case Op::div: {
      const bool is_nothing =
          std::min(std::abs(a.low), std::abs(a.high)) > nothing_beyond && !a.contains(0.0);
      return is_nothing ? 0.0 : log_ratio(a) / gentle_ratio;
    }
    case Op::pow_int:
      if (node.order < 0) return -node.order * log_ratio(a) / gentle_exponent;
      return a.magnitude() == 0.0 ? 0.0 : node.order * a.width() / a.magnitude() / gentle_exponent;
    case Op::pow: {
      const Interval& b = bounds[function.b];
      const auto size_of_log = [](double base) { return std::abs(std::log(std::max(base, 0.0))); };
      const double by_exponent =
          b.is_point() ? 0.0 : b.width() * std::max(size_of_log(a.low), size_of_log(a.high));
      if (a.magnitude() == 0.0) return 0.0;
      // A root has a bend where its argument is least, like sqrt(u² + 1).
      if (b.low > 0.0 && b.high < 1.0)
        return by_exponent / gentle_exponent + log_ratio(a) / gentle_ratio;
      const double by_base =
          b.low >= 0.0 ? b.high * a.width() / a.magnitude() : b.magnitude() * log_ratio(a);
      return (by_exponent + by_base) / gentle_exponent;
    }
    default:
      return 0.0;
  }
}

bool WatchedFunctions::is_open(const Watched& function, std::span<const Interval> bounds) const {
  const Interval difference = function.difference(bounds);
  if (enclosure_[function.place].op == Op::floor) {
    const double jumps = std::floor(difference.high) - std::floor(difference.low);
    return jumps > 0.0 && jumps <= most_turns;
  }
  return difference.low < 0.0 && difference.high > 0.0;
}

bool WatchedFunctions::is_calm(const Watched& function, std::span<const Interval> bounds) const {
  const bool has_sides =
      function.kind != Watched::Kind::steep && function.kind != Watched::Kind::divisor;
  return has_sides ? !is_open(function, bounds) : strain(function, bounds) <= 1.0;
}

bool WatchedFunctions::is_fast_wave(const Watched& function,
                                    std::span<const Interval> bounds) const {
  const Op op = enclosure_[function.place].op;
  return (op == Op::sin || op == Op::cos) && strain(function, bounds) > most_turns;
}

bool WatchedFunctions::is_smooth(const Watched& function, std::span<const Interval> bounds) const {
  const std::array<std::size_t, 2> sides{function.a, function.has_b ? function.b : function.a};
  return std::ranges::all_of(enclosure_.needed_by(sides), [&](std::size_t place) {
    const Node& node = enclosure_[place];
    switch (node.op) {
      case Op::add:
      case Op::sub:
      case Op::neg:
      case Op::mul:
      case Op::abs:
      case Op::min:
      case Op::max:
        return true;
      case Op::div:
        return strain({.place = place, .a = to_size(node.b)}, bounds) <= smooth_strain;
      case Op::pow:
        return strain({.place = place, .a = to_size(node.a), .b = to_size(node.b)}, bounds) <=
               smooth_strain;
      default:
        if (is_leaf(node.op)) return true;
        return (is_elementary(node.op) || node.op == Op::pow_int) &&
               strain({.place = place, .a = to_size(node.a)}, bounds) <= smooth_strain;
    }
  });
}

double WatchedFunctions::beyond_domain(const Watched& function,
                                       std::span<const Interval> bounds) const {
  const Interval& a = bounds[function.a];
  switch (enclosure_[function.place].op) {
    case Op::sqrt:
    case Op::log:
      return -a.low;
    case Op::pow:
      return is_integer(bounds[function.b]) ? 0.0 : -a.low;
    case Op::asin:
    case Op::acos:
      return std::max(a.high - 1.0, -1.0 - a.low);
    default:
      return 0.0;
  }
}

bool WatchedFunctions::is_undefined(const Watched& function,
                                    std::span<const Interval> bounds) const {
  const Interval& a = bounds[function.a];
  switch (enclosure_[function.place].op) {
    case Op::sqrt:
    case Op::log:
      return a.high < 0.0;
    case Op::pow:
      return a.high < 0.0 && !is_integer(bounds[function.b]);
    case Op::asin:
    case Op::acos:
      return a.low > 1.0 || a.high < -1.0;
    default:
      return false;
  }
}

bool WatchedFunctions::has_pole(const Watched& function) const {
  const Node& node = enclosure_[function.place];
  return function.kind == Watched::Kind::divisor || node.op == Op::div || node.op == Op::tan ||
         node.op == Op::pow || (node.op == Op::pow_int && node.order < 0);
}

bool WatchedFunctions::is_flat(std::size_t number, std::span<const Interval> bounds,
                               std::span<const double> greatest, double share) const {
  for (;;) {
    const Watched& function = watched_[number];
    // Two infinities of one sign are the same value.
    if (!(bounds[function.place].width() > share * greatest[number])) return true;
    if (!function.is_covered) return false;
    number = function.cover;
  }
}

std::vector<double> WatchedFunctions::greatest(std::span<const Interval> bounds) const {
  std::vector<double> result;
  for (const Watched& function : watched_) {
    const double size = bounds[function.place].magnitude();
    result.push_back(std::isfinite(size) ? size : 0.0);
  }
  return result;
}

std::string_view WatchedFunctions::name(const Watched& function) const {
  switch (enclosure_[function.place].op) {
    case Op::sqrt:
      return "sqrt";
    case Op::log:
      return "log";
    case Op::asin:
      return "asin";
    case Op::acos:
      return "acos";
    case Op::tan:
      return "tan";
    case Op::pow:
    case Op::pow_int:
      return "a power";
    default:
      return "a quotient";
  }
}

}  // namespace daedal::solve_detail
