// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/native/micro_code.hpp"

#include <cmath>

#include "expr/external.hpp"

namespace daedal::kernel {

namespace {

/// Notes operations, each once within an instruction.
class Recorder {
 public:
  explicit Recorder(const Program::Code& code) : code_(code) {
    micro_.first_input = static_cast<std::uint32_t>(code.constants.size());
    micro_.zero = static_cast<std::uint32_t>(code.first_output);
    value_in_.resize(to_size(code.n_registers), no_micro);
    for (std::uint32_t i = 0; i < micro_.zero; ++i) value_in_[i] = i;
    micro_.operations.reserve(2 * code.instructions.size());
  }

  std::uint32_t note(Micro kind, std::array<std::uint32_t, 3> operands,
                     const void* function = nullptr) {
    for (std::size_t i = first_; i < micro_.operations.size(); ++i) {
      const MicroOperation& known = micro_.operations[i];
      if (known.kind == kind && known.operands == operands && known.function == function) {
        return known.result;
      }
    }
    MicroOperation operation{.kind = kind, .operands = operands, .function = function};
    operation.result = make_value();
    micro_.operations.push_back(operation);
    return operation.result;
  }

  /// `mask ? x : y` cannot be overloaded. A formula is run for each outcome of its masks, by this
  /// answer to what each of them is, and the results are selected from.
  bool decide(std::uint32_t mask) {
    if (n_decided_ == outcomes_.size()) {
      outcomes_.push_back(true);
      masks_.push_back(mask);
    }
    return outcomes_[n_decided_++];
  }

  template <class Formula>
  std::uint32_t merge_outcomes(const Formula& formula, std::size_t n_fixed = 0) {
    outcomes_.resize(n_fixed);
    masks_.resize(n_fixed);
    n_decided_ = 0;
    const std::uint32_t result = formula();
    if (outcomes_.size() == n_fixed) return result;
    const std::uint32_t mask = masks_[n_fixed];
    const std::uint32_t if_true =
        outcomes_.size() == n_fixed + 1 ? result : merge_outcomes(formula, n_fixed + 1);
    outcomes_.resize(n_fixed);
    outcomes_.push_back(false);
    masks_.resize(n_fixed + 1);
    const std::uint32_t if_false = merge_outcomes(formula, n_fixed + 1);
    return note(Micro::select, {mask, if_true, if_false});
  }

  MicroCode run();

 private:
  void record(const Instruction& instruction);

  std::uint32_t make_value() {
    micro_.register_of.push_back(no_micro);
    return micro_.n_values() - 1;
  }

  void place(std::uint32_t value, std::uint32_t in_register) {
    micro_.register_of[value - micro_.first_computed()] = in_register;
    value_in_[in_register] = value;
  }

  void find_uses();

  const Program::Code& code_;
  MicroCode micro_;
  std::vector<std::uint32_t> value_in_;  ///< by register of the program
  std::size_t first_ = 0;                ///< operation of the current instruction
  std::vector<bool> outcomes_;
  std::vector<std::uint32_t> masks_;
  std::size_t n_decided_ = 0;
};

struct Mask {
  Recorder* recorder;
  std::uint32_t value;
  explicit operator bool() const { return recorder->decide(value); }
};

struct Symbol {
  Recorder* recorder;
  std::uint32_t value;
};

#define DAEDAL_BINARY(sign, kind, Argument, Result)                                   \
  [[maybe_unused]] Result operator sign(Argument a, Argument b) {                     \
    return {a.recorder, a.recorder->note(Micro::kind, {a.value, b.value, no_micro})}; \
  }
DAEDAL_BINARY(+, add, Symbol, Symbol)
DAEDAL_BINARY(-, sub, Symbol, Symbol)
DAEDAL_BINARY(*, mul, Symbol, Symbol)
DAEDAL_BINARY(/, div, Symbol, Symbol)
DAEDAL_BINARY(<, less, Symbol, Mask)
DAEDAL_BINARY(<=, less_equal, Symbol, Mask)
DAEDAL_BINARY(>, greater, Symbol, Mask)
DAEDAL_BINARY(>=, greater_equal, Symbol, Mask)
DAEDAL_BINARY(==, equal, Symbol, Mask)
DAEDAL_BINARY(!=, not_equal, Symbol, Mask)
DAEDAL_BINARY(&, both, Mask, Mask)
DAEDAL_BINARY(|, either, Mask, Mask)
#undef DAEDAL_BINARY

Symbol unary(Micro kind, Symbol a) {
  return {a.recorder, a.recorder->note(kind, {a.value, no_micro, no_micro})};
}
Symbol operator-(Symbol a) {
  return unary(Micro::negate, a);
}

/// The functions of the scalar interpreter: one instruction, or a call of the C library.
namespace libm {

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);

#define DAEDAL_CALL_1(Argument, name)                                                \
  Symbol name(Argument a) {                                                          \
    const Function1 function = std::name;                                            \
    return {a.recorder, a.recorder->note(Micro::call, {a.value, no_micro, no_micro}, \
                                         reinterpret_cast<const void*>(function))};  \
  }
#define DAEDAL_CALL_libmvec(name) DAEDAL_CALL_1(Symbol, name)
#define DAEDAL_CALL_2(name)                                                         \
  Symbol name(Symbol a, Symbol b) {                                                 \
    const Function2 function = functions_of_numbers::name;                          \
    return {a.recorder, a.recorder->note(Micro::call, {a.value, b.value, no_micro}, \
                                         reinterpret_cast<const void*>(function))}; \
  }
#define DAEDAL_CALL_given(name)
// A template, which gives way to the instruction that some of them have below.
#define DAEDAL_CALL_each_lane(name) \
  template <class Argument>         \
  DAEDAL_CALL_1(Argument, name)
#define DAEDAL_CALL(name, arity, value, taylor, slope, lanes, ...) DAEDAL_CALL_##lanes(name)
DAEDAL_ELEMENTARY_FUNCTIONS(DAEDAL_CALL)
DAEDAL_CALL_2(pow)
DAEDAL_CALL_2(atan2)
DAEDAL_CALL_2(external)
#undef DAEDAL_CALL
#undef DAEDAL_CALL_each_lane
#undef DAEDAL_CALL_given
#undef DAEDAL_CALL_2
#undef DAEDAL_CALL_libmvec
#undef DAEDAL_CALL_1

Symbol sqrt(Symbol a) {
  return unary(Micro::square_root, a);
}
Symbol abs(Symbol a) {
  return unary(Micro::absolute, a);
}
Symbol floor(Symbol a) {
  return unary(Micro::round_down, a);
}

}  // namespace libm

void Recorder::record(const Instruction& instruction) {
  first_ = micro_.operations.size();
  const auto symbol = [&](std::uint32_t number) { return Symbol{this, value_in_[number]}; };
  const Symbol a = symbol(instruction.a);
  [[maybe_unused]] const Symbol b = symbol(instruction.b);
  [[maybe_unused]] const Symbol c = symbol(instruction.c);
  [[maybe_unused]] const Symbol d = symbol(instruction.d);
  const Symbol zero{this, micro_.zero};
  const Symbol one{this, micro_.zero + 1};
  std::uint32_t result = no_micro;
  switch (instruction.operation) {
#define DAEDAL_RULE(name, arity, formula, ...)                      \
  case Operation::name:                                             \
    result = merge_outcomes([&] { return Symbol(formula).value; }); \
    break;
    DAEDAL_KERNEL_OPERATIONS(DAEDAL_RULE)
#undef DAEDAL_RULE
    case Operation::sin_cos:
      result = note(Micro::sin_cos, {a.value, no_micro, no_micro});
      micro_.operations.back().cosine = make_value();
      place(micro_.operations.back().cosine, instruction.d);
      break;
    case Operation::stop:
      return;
  }
  place(result, instruction.r);
}

/// From the end: what is used later. Operations without use and without output are dropped.
void Recorder::find_uses() {
  std::vector<std::uint32_t> next(micro_.n_values(), no_micro);
  const std::uint32_t computed = micro_.first_computed();
  const auto is_output = [&](std::uint32_t value) {
    const std::uint32_t at = micro_.register_of[value - computed];
    return at != no_micro && at >= code_.first_output && at < code_.first_output + code_.n_outputs;
  };
  micro_.first_use.assign(micro_.register_of.size(), no_micro);
  const auto is_wanted = [&](std::uint32_t value) {
    return value != no_micro && (next[value] != no_micro || is_output(value));
  };
  for (std::size_t i = micro_.operations.size(); i-- > 0;) {
    MicroOperation& operation = micro_.operations[i];
    if (!is_wanted(operation.result) && !is_wanted(operation.cosine)) {
      operation.result = operation.cosine = no_micro;
      continue;
    }
    micro_.first_use[operation.result - computed] = next[operation.result];
    if (operation.cosine != no_micro) {
      micro_.first_use[operation.cosine - computed] = next[operation.cosine];
    }
    for (std::size_t k = 0; k < 3 && operation.operands[k] != no_micro; ++k) {
      operation.next_use[k] = next[operation.operands[k]];
    }
    for (std::size_t k = 0; k < 3 && operation.operands[k] != no_micro; ++k) {
      next[operation.operands[k]] = static_cast<std::uint32_t>(i);
    }
  }
}

MicroCode Recorder::run() {
  for (const Instruction& instruction : code_.instructions) record(instruction);
  find_uses();
  return std::move(micro_);
}

}  // namespace

MicroCode take_apart(const Program::Code& code) {
  return Recorder(code).run();
}

}  // namespace daedal::kernel
