// SPDX-License-Identifier: BSD-3-Clause
#include "solve/watch/watched_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/types.hpp"
#include "expr/external.hpp"
#include "solve/watch/function_search.hpp"

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

}  // namespace

Interval Watched::difference(std::span<const Interval> bounds) const {
  if (!has_b) return bounds[a];
  return {bounds[a].low - bounds[b].high, bounds[a].high - bounds[b].low};
}

WatchedFunctions::WatchedFunctions(const Model& model, std::span<const NodeId> outputs,
                                   std::span<const ValueLimit> limits) {
  Pool pool(model.pool());
  keep(pool, find_functions(model, {outputs, limits}, pool));
}

void WatchedFunctions::keep(const Pool& pool, std::span<const FoundFunction> found) {
  std::vector<NodeId> roots;
  for (const FoundFunction& one : found) {
    roots.insert(roots.end(), {one.node, one.a});
    if (one.b != no_node) roots.push_back(one.b);
    for (const FoundFunction::Choice& choice : one.choices) roots.push_back(choice.condition);
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
  for (const FoundFunction& one : found) {
    Watched function{.kind = one.kind, .place = enclosure_.place(one.node)};
    function.limit = one.limit;
    function.is_implicit = one.is_implicit;
    function.may_leap = one.may_leap;
    function.a = enclosure_.place(one.a);
    function.has_b = one.b != no_node;
    if (function.has_b) function.b = enclosure_.place(one.b);
    function.is_of_time =
        one.factors.empty() ? is_of_time[function.a] && (!function.has_b || is_of_time[function.b])
                            : is_of_time[function.place];
    auto& guards = guards_.emplace_back();
    for (const FoundFunction::Choice& choice : one.choices) {
      guards.push_back({enclosure_.place(choice.condition), choice.is_then});
      inner.push_back(guards.back().condition);
    }
    inner.push_back(function.a);
    if (function.has_b) inner.push_back(function.b);
    for (const auto& [factor, power] : one.factors) {
      function.factors.push_back({enclosure_.place(factor), power});
      inner.push_back(function.factors.back().place);
    }
    watched_.push_back(std::move(function));
  }
  std::unordered_map<NodeId, std::size_t> number;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (watched_[i].kind == Watched::Kind::steep) number.emplace(found[i].node, i);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto user = number.find(found[i].user);
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

bool WatchedFunctions::is_calm(const Watched& function, std::span<const Interval> bounds,
                               double strain_of_exponentials) const {
  if (function.has_sides()) return !is_open(function, bounds);
  const bool is_exponential = enclosure_[function.place].op == Op::exp && !function.is_implicit;
  return strain(function, bounds) <= (is_exponential ? strain_of_exponentials : 1.0);
}

bool WatchedFunctions::is_fast_wave(const Watched& function,
                                    std::span<const Interval> bounds) const {
  const Op op = enclosure_[function.place].op;
  return function.kind == Watched::Kind::steep && (op == Op::sin || op == Op::cos) &&
         strain(function, bounds) > most_turns;
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

bool WatchedFunctions::is_infinite(const Watched& function,
                                   std::span<const Interval> bounds) const {
  const Node& node = enclosure_[function.place];
  if (node.op == Op::div) return !bounds[to_size(node.a)].contains(0.0);
  return node.op == Op::pow_int && node.order < 0;
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
