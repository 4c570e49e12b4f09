// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/staged_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <daedal/error.hpp>
#include <utility>

#include "expr/external.hpp"
#include "kernel/compiler/code.hpp"
#include "kernel/taylor.hpp"
#include "kernel/taylor_series.hpp"

namespace daedal::kernel {

namespace {

namespace libm = functions_of_numbers;

/// Whole exponents up to this one are products.
constexpr double largest_product = 32.0;

// The leading coefficient is the operation's own value.
double value_of(Operation operation, double a, double b, double c) {
  constexpr double zero = 0.0;
  constexpr double one = 1.0;
  [[maybe_unused]] const double d = 0.0;
  switch (operation) {
#define DAEDAL_VALUE(name, arity, value, ...) \
  case Operation::name:                       \
    return value;
    DAEDAL_KERNEL_OPERATIONS(DAEDAL_VALUE)
#undef DAEDAL_VALUE
    case Operation::sin_cos:
    case Operation::stop:
      break;
  }
  return 0.0;
}

}  // namespace

/// Turns the instructions of a program, whose registers are used again, into steps with a slot for
/// every value, and fused or elementary operations into the few rules.
class StagedSeries::Lowering {
 public:
  Lowering(StagedSeries& series, const Program::Code& code)
      : series_(series), code_(code), slot_of_(to_size(code.n_registers), -1) {
    for (std::size_t i = 0; i < code.constants.size(); ++i)
      slot_of_[i] = constant(code.constants[i]);
  }

  void add_inputs(const std::function<int(int, Index)>& lead_of) {
    std::size_t to = code_.constants.size();
    for (const InputRun& run : code_.inputs) {
      for (Index i = 0; i < run.count; ++i, ++to) {
        const int lead = lead_of(run.block, run.offset + i);
        slot_of_[to] = new_slot(lead);
        series_.leaves_.push_back(
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
      series_.outputs_.push_back(slot_of_[to_size(code_.first_output + i)]);
  }

  [[nodiscard]] const std::vector<std::pair<Index, double>>& constants() const {
    return constants_;
  }

 private:
  Index slot(std::uint32_t number) const { return slot_of_[number]; }
  Index new_slot(int lead) {
    series_.leads_.push_back(lead);
    return to_index(series_.leads_.size()) - 1;
  }
  Index constant(double value) {
    constants_.emplace_back(new_slot(held), value);
    return constants_.back().first;
  }
  Index one() {
    if (one_ < 0) one_ = constant(1.0);
    return one_;
  }
  [[nodiscard]] bool is_held(Index slot) const { return series_.leads_[to_size(slot)] == held; }
  [[nodiscard]] int lead(Index slot) const { return series_.leads_[to_size(slot)]; }

  /// The number that a slot is, or NaN where it is not known yet.
  [[nodiscard]] double number(Index slot) const {
    for (const auto& [which, value] : constants_)
      if (which == slot) return value;
    return std::numeric_limits<double>::quiet_NaN();
  }

  Index emit(Step step) {
    step.r = new_slot(step.lead);
    series_.steps_.push_back(step);
    return step.r;
  }
  /// Operands that are held make a value that is.
  Index held_value(Operation operation, Index a, Index b, Index c) {
    return emit({.rule = Rule::constant, .value = operation, .a = a, .b = b, .c = c, .lead = held});
  }

  Index linear(Operation operation, Index a, Index b, double factor_a, double factor_b) {
    if (is_held(a) && is_held(b)) return held_value(operation, a, b, a);
    return emit({.rule = Rule::linear,
                 .value = operation,
                 .a = a,
                 .b = b,
                 .factor_a = factor_a,
                 .factor_b = factor_b,
                 .lead = std::min(lead(a), factor_b == 0.0 ? held : lead(b))});
  }
  Index add(Index a, Index b) { return linear(Operation::add, a, b, 1.0, 1.0); }
  Index sub(Index a, Index b) { return linear(Operation::sub, a, b, 1.0, -1.0); }
  Index neg(Index a) { return linear(Operation::neg, a, a, -1.0, 0.0); }
  Index mul(Index a, Index b) {
    if (is_held(a) && is_held(b)) return held_value(Operation::mul, a, b, a);
    if (is_held(a)) std::swap(a, b);
    const Rule rule = is_held(b) ? Rule::scaled : (a == b ? Rule::square : Rule::product);
    return emit({.rule = rule,
                 .value = Operation::mul,
                 .a = a,
                 .b = b,
                 .lead = std::min(lead(a), lead(b))});
  }
  Index div(Index a, Index b) {
    if (is_held(a) && is_held(b)) return held_value(Operation::div, a, b, a);
    return emit({.rule = Rule::quotient,
                 .value = Operation::div,
                 .a = a,
                 .b = b,
                 .lead = std::min(lead(a), lead(b))});
  }
  Index root(Index a) {
    if (is_held(a)) return held_value(Operation::sqrt, a, a, a);
    return emit({.rule = Rule::root, .value = Operation::sqrt, .a = a, .lead = lead(a)});
  }
  /// r' = factor·g·a', with g to be given where it is −1.
  Index primitive(Operation operation, Index a, Index g, double factor = 1.0) {
    return emit({.rule = Rule::primitive,
                 .value = operation,
                 .a = a,
                 .b = a,
                 .g = g,
                 .factor_a = factor,
                 .lead = lead(a)});
  }
  void set_slope(Index r, Index g) {
    for (auto step = series_.steps_.rbegin(); step != series_.steps_.rend(); ++step) {
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
    const Index first = emit({.rule = Rule::primitive,
                              .value = Operation::atan2,
                              .a = y,
                              .b = x,
                              .g = by_y,
                              .lead = std::min(lead(y), lead(x))});
    const Index second = emit({.rule = Rule::primitive,
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
    return emit({.rule = Rule::power, .value = Operation::pow, .a = a, .b = b, .lead = lead(a)});
  }

  Index piece(Operation operation, Index a, Index b, Index c) {
    return emit({.rule = Rule::piece,
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
        series_.switches_.push_back({a, b});
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
        if (!is_held(a) || !is_held(b)) series_.switches_.push_back({a, b});
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
    return emit({.rule = Rule::linear,
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
        series_.switches_.push_back({a, -1});
        return piece(operation, a, a, a);
      case Operation::sign:
      case Operation::floor:
        series_.switches_.push_back({a, -1, operation == Operation::floor});
        return constant_piece(operation, a, a);
      default:
        return emit(
            {.rule = Rule::whole, .value = operation, .a = a, .b = a, .c = a, .lead = lead(a)});
    }
  }

  StagedSeries& series_;
  const Program::Code& code_;
  std::vector<Index> slot_of_;  ///< per register, as the instructions stand
  std::vector<std::pair<Index, double>> constants_;
  Index one_ = -1;
};

StagedSeries::StagedSeries(const Program& program, const std::function<int(int, Index)>& lead_of,
                           std::span<const int> output_leads, int last_stage, SeriesSweep sweep)
    : sweep_(sweep) {
  Lowering lowering(*this, *program.code());
  lowering.add_inputs(lead_of);
  lowering.add_instructions();

  // What a slot can have at a stage, and what the others read of it: the less of the two. A slope
  // is read one coefficient behind.
  const std::vector<int> can = leads_;
  std::vector<int> read(leads_.size(), 0);
  const auto reads = [&](Index slot, int lead) {
    read[to_size(slot)] = std::max(read[to_size(slot)], lead);
  };
  for (std::size_t i = 0; i < outputs_.size(); ++i) reads(outputs_[i], output_leads[i]);
  // A slope may come after what it is the slope of: twice through all steps is enough.
  for (int pass = 0; pass < 2; ++pass) {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      const int lead = std::min(can[to_size(step->r)], read[to_size(step->r)]);
      for (const Index operand : {step->a, step->b, step->c}) reads(operand, lead);
      if (step->rule == Rule::primitive) reads(step->g, lead);
    }
  }
  int greatest = 0;
  for (std::size_t i = 0; i < leads_.size(); ++i) {
    const bool is_free = can[i] >= known;
    leads_[i] = is_free ? read[i] : std::min(can[i], read[i]);
    greatest = std::max(greatest, is_free ? read[i] : can[i]);
  }
  const auto feels = [&](Index slot, int lead) {
    const auto i = to_size(slot);
    return can[i] < known && leads_[i] == can[i] && leads_[i] == lead;
  };
  for (Step& step : steps_) {
    step.lead = leads_[to_size(step.r)];
    step.feels_a = feels(step.a, step.lead);
    step.feels_b = feels(step.b, step.lead);
  }
  for (Leaf& leaf : leaves_)
    if (leaf.lead == known) leaf.lead = leads_[to_size(leaf.slot)];
  // A vector may be read beyond the last series, too.
  constexpr int padding = SeriesStep::padding;
  stride_ = to_size((2 * padding + last_stage + greatest) / padding * padding);
  data_.assign(stride_ * leads_.size() + to_size(padding), 0.0);
  changes_.assign(leads_.size() + 1, 0.0);
  scratch_.assign(3 * stride_, 0.0);
  constants_ = lowering.constants();
  clear();
  list();
}

void StagedSeries::clear() {
  std::ranges::fill(data_, 0.0);
  for (const auto& [slot, value] : constants_) series(slot)[0] = value;
}

/// What is done again and again, without what is done once.
void StagedSeries::list() {
  const auto place = [&](Index slot) {
    return static_cast<std::int32_t>(series(std::max(slot, Index{0})) - data_.data());
  };
  // The last one of the changes stays 0.
  const auto felt = [&](bool feels, Index slot) { return feels ? slot : to_index(leads_.size()); };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.feels_a || step.feels_b) {
      corrections_.push_back({.step = to_index(i),
                              .r = step.r,
                              .a = felt(step.feels_a, step.a),
                              .b = felt(step.feels_b, step.b),
                              .place = place(step.r) + step.lead,
                              .is_piece = step.rule == Rule::piece});
    }
    if (step.rule == Rule::constant) continue;
    sweep_steps_.push_back({.rule = step.sweep_rule(),
                            .lead = step.lead,
                            .r = place(step.r),
                            .a = place(step.a),
                            .b = place(step.b),
                            .g = place(step.g),
                            .factor_a = step.factor_a,
                            .factor_b = step.factor_b});
    sweep_numbers_.push_back(i);
  }
}

SeriesStep::Rule StagedSeries::Step::sweep_rule() const {
  switch (rule) {
    case Rule::linear:
      return SeriesStep::Rule::linear;
    case Rule::scaled:
      return SeriesStep::Rule::scaled;
    case Rule::product:
      return SeriesStep::Rule::product;
    case Rule::square:
      return SeriesStep::Rule::square;
    case Rule::quotient:
      return SeriesStep::Rule::quotient;
    case Rule::root:
      return SeriesStep::Rule::root;
    case Rule::power:
      return SeriesStep::Rule::power;
    case Rule::primitive:
      return SeriesStep::Rule::primitive;
    default:
      return SeriesStep::Rule::other;
  }
}

void StagedSeries::stage(int s) {
  if (s < 1) return first_stage(s);
  const SeriesStep* const begin = sweep_steps_.data();
  const SeriesStep* const end = begin + sweep_steps_.size();
  for (const SeriesStep* step = begin; (step = sweep_(step, end, data_.data(), s)) != end; ++step)
    compute(steps_[sweep_numbers_[to_size(step - begin)]], s + step->lead);
}

/// Of stages up to 0, where operations begin.
void StagedSeries::first_stage(int s) {
  std::size_t next = 0;  // of the steps that are swept
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const bool is_swept = step.rule != Rule::constant;
    const SeriesStep* const swept = is_swept ? &sweep_steps_[next++] : nullptr;
    const int q = s + step.lead;
    if (q == 0) {
      start(step);
    } else if (q > 0 && is_swept && sweep_(swept, swept + 1, data_.data(), s) == swept) {
      compute(step, q);
    }
  }
}

void StagedSeries::start(Step& step) {
  const double a = series(step.a)[0];
  double* const r = series(step.r);
  if (step.rule == Rule::piece && step.value == Operation::if_else) {
    r[0] = value_of(step.value, series(step.c)[0], a, series(step.b)[0]);
  } else {
    r[0] = value_of(step.value, a, series(step.b)[0], series(step.c)[0]);
  }
  if (step.rule == Rule::piece) choose(step, 0);
  if (step.rule != Rule::whole) return;
  std::array<double, 4> line{a, 1.0, 0.0, 0.0};
  std::array<double, 6> work{};
  const std::array<int, 2> degrees{1, 0};
  run_operation({.operation = step.value, .r = 1}, 1, {line.data(), 2, degrees}, work);
  step.factor_a = line[3];
}

/// The first coefficient that decides does; until then all pieces are the same.
bool StagedSeries::is_undecided(const Step& step, int q) const {
  if (step.value == Operation::if_else) return false;
  const double* const a = series(step.a);
  const double* const b = series(step.b);
  for (int k = 0; k < q; ++k)
    if (step.value == Operation::abs ? a[k] != 0.0 : a[k] != b[k]) return false;
  return true;
}

void StagedSeries::choose(Step& step, int q) {
  const double* const a = series(step.a);
  const double* const b = series(step.b);
  bool takes_a = true;
  double sign = 1.0;
  switch (step.value) {
    case Operation::abs:
      sign = a[q] < 0.0 ? -1.0 : 1.0;
      break;
    case Operation::min:
      takes_a = a[q] < b[q];
      break;
    case Operation::max:
      takes_a = a[q] > b[q];
      break;
    default:
      takes_a = series(step.c)[0] != 0.0;
      break;
  }
  step.factor_a = takes_a ? sign : 0.0;
  step.factor_b = takes_a ? 0.0 : 1.0;
}

/// What no sweep does.
void StagedSeries::compute(Step& step, int q) {
  if (step.rule != Rule::piece) {
    series(step.r)[q] = whole_coefficient(step, q);
    return;
  }
  if (is_undecided(step, q)) choose(step, q);
  series(step.r)[q] = step.factor_a * series(step.a)[q] + step.factor_b * series(step.b)[q];
}

double StagedSeries::whole_coefficient(const Step& step, int q) {
  const std::size_t size = to_size(q) + 1;
  std::vector<double> registers(3 * size, 0.0);
  std::copy_n(series(step.a), size, registers.begin());
  registers[size] = series(step.b)[0];
  const std::array<int, 3> degrees{q, step.value == Operation::pow ? 0 : q, 0};
  if (step.value != Operation::pow) std::copy_n(series(step.b), size, registers.begin() + q + 1);
  run_operation({.operation = step.value, .r = 2, .a = 0, .b = 1}, q,
                {registers.data(), size, degrees}, scratch_);
  return registers[3 * size - 1];
}

/// The derivatives of an operation at the values of its operands.
void StagedSeries::differentiate(Correction& correction) const {
  const Step& step = steps_[to_size(correction.step)];
  const double a0 = series(step.a)[0];
  const double b0 = series(step.b)[0];
  const double r0 = series(step.r)[0];
  double& by_a = correction.by_a;
  double& by_b = correction.by_b;
  by_a = by_b = 0.0;
  switch (step.rule) {
    case Rule::constant:
      break;
    case Rule::piece:
    case Rule::linear:
      by_a = step.factor_a;
      by_b = step.factor_b;
      break;
    case Rule::scaled:
      by_a = b0;
      break;
    case Rule::product:
      by_a = b0;
      by_b = a0;
      break;
    case Rule::square:
      by_a = 2.0 * a0;
      break;
    case Rule::quotient:
      by_a = 1.0 / b0;
      by_b = -r0 / b0;
      break;
    case Rule::root:
      by_a = 1.0 / (2.0 * r0);
      break;
    case Rule::power:
      by_a = a0 == 0.0 ? (b0 == 1.0 ? 1.0 : 0.0) : b0 * r0 / a0;
      break;
    case Rule::primitive:
      by_a = step.factor_a * series(step.g)[0];
      break;
    case Rule::whole:
      by_a = step.factor_a;
      break;
  }
}

void StagedSeries::correct(int s, std::span<const double> changes) {
  for (std::size_t i = 0; i < leaves_.size(); ++i) changes_[to_size(leaves_[i].slot)] = changes[i];
  if (s == 1) {
    for (Correction& correction : corrections_) differentiate(correction);
  }
  for (Correction& correction : corrections_) {
    if (correction.is_piece) decide(correction, s);
    const double change = correction.by_a * changes_[to_size(correction.a)] +
                          correction.by_b * changes_[to_size(correction.b)];
    changes_[to_size(correction.r)] = change;
    data_[to_size(correction.place + s)] += change;
  }
}

/// Until the first coefficient that decides all pieces are the same.
void StagedSeries::decide(Correction& correction, int s) {
  Step& step = steps_[to_size(correction.step)];
  const int q = s + step.lead;
  if (is_undecided(step, q)) {
    choose(step, q);
    series(step.r)[q] = 0.0;
  }
  differentiate(correction);
}

void StagedSeries::switch_series(Index number, int s, std::span<double> out) const {
  const Switch& which = switches_[to_size(number)];
  const auto known_of = [&](Index slot) { return to_size(s + leads_[to_size(slot)] + 1); };
  const std::size_t n =
      std::min({out.size(), known_of(which.a), which.b < 0 ? out.size() : known_of(which.b)});
  std::ranges::fill(out, 0.0);
  const double* const a = series(which.a);
  double greatest = 0.0;
  double difference = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double b = which.b < 0 ? 0.0 : series(which.b)[k];
    out[k] = a[k] - b;
    difference = std::max(difference, std::abs(out[k]));
    greatest = std::max({greatest, std::abs(a[k]), std::abs(b)});
  }
  // Rounding errors of two that are the same are no switch.
  if (which.b >= 0 && difference <= 64.0 * round_off * greatest) std::ranges::fill(out, 0.0);
  if (!which.has_steps || n == 0) return;
  // Of a step of floor(a) both ends: 1/4 − (a − ⌊a_0⌋ − 1/2)².
  std::vector<double> shifted(a, a + n);
  shifted[0] -= std::floor(a[0]) + 0.5;
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = k == 0 ? 0.25 : 0.0;
    for (std::size_t j = 0; j <= k; ++j) out[k] -= shifted[j] * shifted[k - j];
  }
}

}  // namespace daedal::kernel
