// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The loop that runs a program, for one number per register or for several lanes.
///
/// Included once by the source file of each back end, after that has defined, in an unnamed
/// namespace inside daedal::kernel,
///
///     V               double, or a vector of doubles
///     chunks          how many V make one register
///     libm            the namespace of the functions of operations.hpp on V
///     sin_cos         (V a, V& sine, V& cosine)
///     two_sin_cos     (const V* a, V* sine, V* cosine), of two arguments
///
/// Everything here has internal linkage and uses no library template: source files compiled for
/// different instruction sets must not share inline functions, or the linker could keep the copy
/// that the machine at hand cannot run.

#include <cstddef>

#include "kernel/compiler/encoding.hpp"

namespace daedal::kernel {
namespace {

/// Doubles per V, and per register. V is double itself in the scalar back end.
constexpr std::size_t v_size = sizeof(V) / sizeof(double);  // NOLINT(bugprone-sizeof-expression)
constexpr std::size_t stride = chunks * v_size;

inline V load(const double* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(double* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// The values of the table as functions formula_add, formula_mul, ...
#define DAEDAL_FORMULA(name, arity, value, ...)                                                \
  [[gnu::always_inline]] inline V formula_##name([[maybe_unused]] V a, [[maybe_unused]] V b,   \
                                                 [[maybe_unused]] V c, [[maybe_unused]] V d) { \
    [[maybe_unused]] const V zero{};                                                           \
    [[maybe_unused]] const V one = zero + 1.0;                                                 \
    return value;                                                                              \
  }
DAEDAL_KERNEL_OPERATIONS(DAEDAL_FORMULA)
#undef DAEDAL_FORMULA

/// One instruction. Operands that a formula does not use are never loaded: it is inlined.
template <V (*formula)(V, V, V, V), class I>
[[gnu::always_inline]] inline void step(const I& instruction, double* registers) {
  const double* const a = registers + instruction.a();
  const double* const b = registers + instruction.b();
  const double* const c = registers + instruction.c();
  const double* const d = registers + instruction.d();
  double* const r = registers + instruction.r();
  for (std::size_t i = 0; i < stride; i += v_size) {
    store(r + i, formula(load(a + i), load(b + i), load(c + i), load(d + i)));
  }
}

template <class I>
[[gnu::always_inline]] inline void step_sin_cos(const I& instruction, double* registers) {
  const double* const a = registers + instruction.a();
  double* const d = registers + instruction.d();
  double* const r = registers + instruction.r();
  for (std::size_t i = 0; i < stride; i += v_size) {
    V sine;
    V cosine;
    sin_cos(load(a + i), sine, cosine);
    store(r + i, sine);
    store(d + i, cosine);
  }
}

/// Two neighbours, of which the second does not use the first.
template <class I>
[[gnu::always_inline]] inline void step_two_sin_cos(const I* ip, double* registers) {
  for (std::size_t i = 0; i < stride; i += v_size) {
    const V a[2] = {load(registers + ip[0].a() + i), load(registers + ip[1].a() + i)};
    V sine[2];
    V cosine[2];
    two_sin_cos(a, sine, cosine);
    for (int k = 0; k < 2; ++k) {
      store(registers + ip[k].r() + i, sine[k]);
      store(registers + ip[k].d() + i, cosine[k]);
    }
  }
}

// Labels as values: each operation ends in a jump of its own, which the processor predicts by
// what usually follows that operation.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/// Runs instructions until `stop`.
template <class I>
void interpret(const I* ip, double* registers) {
#define DAEDAL_LABEL(name, ...) &&op_##name,
#define DAEDAL_PAIR_LABEL(first, second) &&op_##first##_then_##second,
#define DAEDAL_PAIR_LABELS(first) DAEDAL_KERNEL_PAIRED_AFTER(DAEDAL_PAIR_LABEL, first)
  // clang-format off
  static const void* const labels[] = {DAEDAL_KERNEL_OPERATIONS(DAEDAL_LABEL)
                                       &&op_sin_cos,
                                       &&op_stop,
                                       DAEDAL_KERNEL_PAIRED(DAEDAL_PAIR_LABELS)
                                       &&op_two_sin_cos};
  // clang-format on
#define DAEDAL_DISPATCH goto* labels[ip->opcode]
#define DAEDAL_RULE(name, ...)                      \
  op_##name : step<formula_##name>(*ip, registers); \
  ip += 1;                                          \
  DAEDAL_DISPATCH;
#define DAEDAL_PAIR(first, second)                                    \
  op_##first##_then_##second : step<formula_##first>(*ip, registers); \
  step<formula_##second>(*(ip + 1), registers);                       \
  ip += 2;                                                            \
  DAEDAL_DISPATCH;
#define DAEDAL_PAIRS(first) DAEDAL_KERNEL_PAIRED_AFTER(DAEDAL_PAIR, first)

  DAEDAL_DISPATCH;
  DAEDAL_KERNEL_OPERATIONS(DAEDAL_RULE)
  DAEDAL_KERNEL_PAIRED(DAEDAL_PAIRS)
op_sin_cos:
  step_sin_cos(*ip, registers);
  ip += 1;
  DAEDAL_DISPATCH;
op_two_sin_cos:
  step_two_sin_cos(ip, registers);
  ip += 2;
  DAEDAL_DISPATCH;
op_stop:
  return;

#undef DAEDAL_PAIRS
#undef DAEDAL_PAIR
#undef DAEDAL_RULE
#undef DAEDAL_DISPATCH
#undef DAEDAL_PAIR_LABELS
#undef DAEDAL_PAIR_LABEL
#undef DAEDAL_LABEL
}

#pragma GCC diagnostic pop

}  // namespace
}  // namespace daedal::kernel
