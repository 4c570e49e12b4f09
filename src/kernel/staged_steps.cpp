// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/staged_steps.hpp"

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <limits>
#include <utility>

#include "kernel/compiler/code.hpp"

namespace daedal::kernel {

namespace {

/// Whole exponents up to this one are products.
constexpr double largest_product = 32.0;

/// Turns the instructions of a program, whose registers are used again, into steps with a slot for
/// every value, and fused or elementary operations into the few rules.
class Lowering {
 public:
  explicit Lowering(const Program::Code& code)
      : code_(code), slot_of_(to_size(code.n_registers), -1) {
    for (std::size_t i = 0; i < code.constants.size(); ++i)
      slot_of_[i] = constant(code.constants[i]);
  }

  void add_inputs(const std::function<int(int, Index)>& lead_of) {
    std::size_t to = code_.constants.size();
    for (const InputRun& run : code_.inputs) {
      for (Index i = 0; i < run.count; ++i, ++to) {
        const int lead = lead_of(run.block, run.offset + i);
        slot_of_[to] = new_slot(lead);
        steps_.leaves.push_back(
            {.block = run.block, .offset = run.offset + i, .slot = slot_of_[to], .lead = lead});
      }
    }
  }

  void add_instructions() {
    for (const Instruction& i : code_.instructions) {
      if (i.operation == Operation::stop) break;
      if (i.operation == Operation::sin_cos) {
        const auto [sine, cosine] = pair(slot_of_[i.a], Operation::sin, Operation::cos, -1.0);
        slot_of_[i.r] = sine;
        slot_of_[i.d] = cosine;
        continue;
      }
      slot_of_[i.r] = lower(i.operation, slot(i.a), slot(i.b), slot(i.c), slot(i.d));
    }
    for (const OutputCopy& copy : code_.copies) slot_of_[copy.to] = slot_of_[copy.from];
    for (Index i = 0; i < code_.n_outputs; ++i)
      steps_.outputs.push_back(slot_of_[to_size(code_.first_output + i)]);
  }

  [[nodiscard]] StagedSteps take() { return std::move(steps_); }

 private:
  Index slot(std::uint32_t number) const { return slot_of_[number]; }
  Index new_slot(int lead) {
    steps_.leads.push_back(lead);
    return to_index(steps_.leads.size()) - 1;
  }
  Index constant(double value) {
    steps_.constants.emplace_back(new_slot(StagedSteps::held), value);
    return steps_.constants.back().first;
  }
  Index one() {
    if (one_ < 0) one_ = constant(1.0);
    return one_;
  }
  [[nodiscard]] bool is_held(Index slot) const {
    return steps_.leads[to_size(slot)] == StagedSteps::held;
  }
  [[nodiscard]] int lead(Index slot) const { return steps_.leads[to_size(slot)]; }

  /// The number that a slot is, or NaN where it is not known yet.
  [[nodiscard]] double number(Index slot) const {
    for (const auto& [which, value] : steps_.constants)
      if (which == slot) return value;
    return std::numeric_limits<double>::quiet_NaN();
  }

  Index emit(StagedStep step) {
    step.r = new_slot(step.lead);
    steps_.steps.push_back(step);
    return step.r;
  }
  /// Operands that are held make a value that is.
  Index held_value(Operation operation, Index a, Index b, Index c) {
    return emit({.rule = StagedRule::constant,
                 .value = operation,
                 .a = a,
                 .b = b,
                 .c = c,
                 .lead = StagedSteps::held});
  }

  Index linear(Operation operation, Index a, Index b, double factor_a, double factor_b) {
    if (is_held(a) && is_held(b)) return held_value(operation, a, b, a);
    return emit({.rule = StagedRule::linear,
                 .value = operation,
                 .a = a,
                 .b = b,
                 .factor_a = factor_a,
                 .factor_b = factor_b,
                 .lead = std::min(lead(a), factor_b == 0.0 ? StagedSteps::held : lead(b))});
  }
  Index add(Index a, Index b) { return linear(Operation::add, a, b, 1.0, 1.0); }
  Index sub(Index a, Index b) { return linear(Operation::sub, a, b, 1.0, -1.0); }
  Index neg(Index a) { return linear(Operation::neg, a, a, -1.0, 0.0); }
  Index mul(Index a, Index b) {
    if (is_held(a) && is_held(b)) return held_value(Operation::mul, a, b, a);
    if (is_held(a)) std::swap(a, b);
    const StagedRule rule =
        is_held(b) ? StagedRule::scaled : (a == b ? StagedRule::square : StagedRule::product);
    return emit({.rule = rule,
                 .value = Operation::mul,
                 .a = a,
                 .b = b,
                 .lead = std::min(lead(a), lead(b))});
  }
  Index div(Index a, Index b) {
    if (is_held(a) && is_held(b)) return held_value(Operation::div, a, b, a);
    return emit({.rule = is_held(b) ? StagedRule::divided : StagedRule::quotient,
                 .value = Operation::div,
                 .a = a,
                 .b = b,
                 .lead = std::min(lead(a), lead(b))});
  }
  Index root(Index a) {
    if (is_held(a)) return held_value(Operation::sqrt, a, a, a);
    return emit({.rule = StagedRule::root, .value = Operation::sqrt, .a = a, .lead = lead(a)});
  }
  /// r' = factor·g·a', with g to be given where it is −1.
  Index primitive(Operation operation, Index a, Index g, double factor = 1.0) {
    return emit({.rule = StagedRule::primitive,
                 .value = operation,
                 .a = a,
                 .b = a,
                 .g = g,
                 .factor_a = factor,
                 .lead = lead(a)});
  }
  void set_slope(Index r, Index g) {
    for (auto step = steps_.steps.rbegin(); step != steps_.steps.rend(); ++step) {
      if (step->r != r) continue;
      step->g = g;
      return;
    }
  }
  /// s' = c·a', c' = sign·s·a'.
  std::pair<Index, Index> pair(Index a, Operation s, Operation c, double sign) {
    if (is_held(a)) return {held_value(s, a, a, a), held_value(c, a, a, a)};
    const Index sine = primitive(s, a, -1);
    const Index cosine = primitive(c, a, sine, sign);
    set_slope(sine, cosine);
    return {sine, cosine};
  }
  Index logarithm(Index a) { return primitive(Operation::log, a, div(one(), a)); }
  Index exponential(Index a) {
    const Index r = primitive(Operation::exp, a, -1);
    set_slope(r, r);
    return r;
  }
  /// r' = (1 + sign·r²)·a'.
  Index riccati(Operation operation, Index a, double sign) {
    const Index r = primitive(operation, a, -1);
    const Index square = mul(r, r);
    set_slope(r, sign > 0.0 ? add(one(), square) : sub(one(), square));
    return r;
  }
  Index arc_tangent(Index y, Index x) {
    const Index size = add(mul(y, y), mul(x, x));
    const Index by_y = div(x, size);
    const Index by_x = div(y, size);
    const Index first = emit({.rule = StagedRule::primitive,
                              .value = Operation::atan2,
                              .a = y,
                              .b = x,
                              .g = by_y,
                              .lead = std::min(lead(y), lead(x))});
    const Index second = emit({.rule = StagedRule::primitive,
                               .value = Operation::stop,
                               .a = x,
                               .b = y,
                               .g = by_x,
                               .factor_a = -1.0,
                               .lead = std::min(lead(y), lead(x))});
    return add(first, second);
  }

  Index power(Index a, Index b) {
    if (!is_held(b)) return exponential(mul(b, logarithm(a)));
    const double p = number(b);
    if (std::abs(p) == 0.5) return p > 0.0 ? root(a) : div(one(), root(a));
    if (p == std::floor(p) && std::abs(p) >= 1.0 && std::abs(p) <= largest_product) {
      Index result = -1;
      Index factor = a;
      for (int n = static_cast<int>(std::abs(p)); n > 0; n /= 2) {
        if (n % 2 == 1) result = result < 0 ? factor : mul(result, factor);
        if (n > 1) factor = mul(factor, factor);
      }
      return p > 0.0 ? result : div(one(), result);
    }
    return emit(
        {.rule = StagedRule::power, .value = Operation::pow, .a = a, .b = b, .lead = lead(a)});
  }

  Index piece(Operation operation, Index a, Index b, Index c) {
    return emit({.rule = StagedRule::piece,
                 .value = operation,
                 .a = a,
                 .b = b,
                 .c = c,
                 .lead = std::min({lead(a), lead(b), lead(c)})});
  }

  Index lower(Operation operation, Index a, Index b, Index c, Index d) {
    switch (operation) {
      case Operation::neg:
        return neg(a);
      case Operation::add:
        return add(a, b);
      case Operation::sub:
        return sub(a, b);
      case Operation::mul:
        return mul(a, b);
      case Operation::div:
        return div(a, b);
      case Operation::add_add:
        return add(add(a, b), c);
      case Operation::mul_mul:
        return mul(mul(a, b), c);
      case Operation::mul_add:
        return add(mul(a, b), c);
      case Operation::mul_sub:
        return sub(mul(a, b), c);
      case Operation::neg_mul_add:
        return sub(c, mul(a, b));
      case Operation::mul_add_mul:
        return add(mul(a, b), mul(c, d));
      case Operation::mul_sub_mul:
        return sub(mul(a, b), mul(c, d));
      case Operation::atan2:
        if (is_held(a) && is_held(b)) return held_value(operation, a, b, a);
        return arc_tangent(a, b);
      case Operation::external:
        if (is_held(a)) return held_value(operation, a, b, a);
        throw ModelError(ErrorCode::unsupported,
                         "Taylor series need every derivative: they take no functions of C++.");
      case Operation::pow:
        if (is_held(a) && is_held(b)) return held_value(operation, a, b, a);
        return power(a, b);
      case Operation::min:
      case Operation::max:
        if (is_held(a) && is_held(b)) return held_value(operation, a, b, a);
        steps_.switches.push_back({a, b});
        return piece(operation, a, b, b);
      case Operation::if_else:
        if (is_held(a) && is_held(b) && is_held(c)) return held_value(operation, a, b, c);
        return piece(operation, b, c, a);
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal:
      case Operation::equal:
      case Operation::not_equal:
        if (!is_held(a) || !is_held(b)) steps_.switches.push_back({a, b});
        return constant_piece(operation, a, b);
      case Operation::logical_and:
      case Operation::logical_or:
      case Operation::logical_not:
        return constant_piece(operation, a, operation == Operation::logical_not ? a : b);
      default:
        return is_held(a) ? held_value(operation, a, a, a) : lower_function(operation, a);
    }
  }

  /// The value at τ = 0 stands.
  Index constant_piece(Operation operation, Index a, Index b) {
    if (is_held(a) && is_held(b)) return held_value(operation, a, b, a);
    return emit({.rule = StagedRule::linear,
                 .value = operation,
                 .a = a,
                 .b = b,
                 .factor_a = 0.0,
                 .factor_b = 0.0,
                 .lead = std::min(lead(a), lead(b))});
  }

  Index lower_function(Operation operation, Index a) {
    switch (operation) {
      case Operation::sqrt:
        return root(a);
      case Operation::exp:
        return exponential(a);
      case Operation::log:
        return logarithm(a);
      case Operation::sin:
        return pair(a, Operation::sin, Operation::cos, -1.0).first;
      case Operation::cos:
        return pair(a, Operation::sin, Operation::cos, -1.0).second;
      case Operation::sinh:
        return pair(a, Operation::sinh, Operation::cosh, 1.0).first;
      case Operation::cosh:
        return pair(a, Operation::sinh, Operation::cosh, 1.0).second;
      case Operation::tan:
        return riccati(operation, a, 1.0);
      case Operation::tanh:
        return riccati(operation, a, -1.0);
      case Operation::asin:
      case Operation::acos:
        return primitive(operation, a, div(one(), root(sub(one(), mul(a, a)))),
                         operation == Operation::asin ? 1.0 : -1.0);
      case Operation::atan:
        return primitive(operation, a, div(one(), add(one(), mul(a, a))));
      case Operation::abs:
        steps_.switches.push_back({a, -1});
        return piece(operation, a, a, a);
      case Operation::sign:
      case Operation::floor:
        steps_.switches.push_back({a, -1, operation == Operation::floor});
        return constant_piece(operation, a, a);
      default:
        return emit({.rule = StagedRule::whole,
                     .value = operation,
                     .a = a,
                     .b = a,
                     .c = a,
                     .lead = lead(a)});
    }
  }

  const Program::Code& code_;
  StagedSteps steps_;
  std::vector<Index> slot_of_;  ///< per register, as the instructions stand
  Index one_ = -1;
};

}  // namespace

StagedSteps list_steps(const Program& program, const std::function<int(int, Index)>& lead_of) {
  Lowering lowering(*program.code());
  lowering.add_inputs(lead_of);
  lowering.add_instructions();
  return lowering.take();
}

}  // namespace daedal::kernel
