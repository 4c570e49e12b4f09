// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The loop that runs a program, for one number per register or for several lanes.
///
/// Included once by the source file of each back end, after that has defined, in an unnamed
/// namespace inside daedal::kernel,
///
///     V               double, or a vector of doubles
///     chunks          how many V make one register
///     sqrt, exp, ...  the functions of operations.hpp on V
///     sin_cos         (V a, V& sine, V& cosine)
///
/// Everything here has internal linkage and uses no library template: source files compiled for
/// different instruction sets must not share inline functions, or the linker could keep the copy
/// that the machine at hand cannot run.

#include "kernel/operations.hpp"

namespace daedal::kernel {
namespace {

/// Doubles per register.
constexpr std::size_t stride = chunks * sizeof(V) / sizeof(double);

inline V load(const double* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(double* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// Labels as values: each operation ends in a jump of its own, which the processor predicts by
// what usually follows that operation.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/// Runs instructions until `stop`.
void interpret(const Instruction* ip, double* registers) {
  static const void* const labels[] = {
#define DAEDAL_LABEL(name, arity, formula, taylor) &&op_##name,
      DAEDAL_KERNEL_OPERATIONS(DAEDAL_LABEL)
#undef DAEDAL_LABEL
          && op_sin_cos,
      &&op_stop};
  const V zero{};
  const V one = zero + 1.0;
#define DAEDAL_NEXT goto* labels[static_cast<std::uint32_t>((++ip)->operation)]
#define DAEDAL_OPERAND(name, i) \
  [[maybe_unused]] const V name = load(registers + ip->name * stride + i * (stride / chunks))
#define DAEDAL_RULE(name, arity, formula, taylor)                   \
  op_##name : {                                                     \
    for (std::size_t i = 0; i < chunks; ++i) {                      \
      DAEDAL_OPERAND(a, i);                                         \
      DAEDAL_OPERAND(b, i);                                         \
      DAEDAL_OPERAND(c, i);                                         \
      DAEDAL_OPERAND(d, i);                                         \
      V r;                                                          \
      formula;                                                      \
      store(registers + ip->r * stride + i * (stride / chunks), r); \
    }                                                               \
    DAEDAL_NEXT;                                                    \
  }
  --ip;
  DAEDAL_NEXT;
  DAEDAL_KERNEL_OPERATIONS(DAEDAL_RULE)
op_sin_cos:
  for (std::size_t i = 0; i < chunks; ++i) {
    DAEDAL_OPERAND(a, i);
    V sine;
    V cosine;
    sin_cos(a, sine, cosine);
    store(registers + ip->r * stride + i * (stride / chunks), sine);
    store(registers + ip->d * stride + i * (stride / chunks), cosine);
  }
  DAEDAL_NEXT;
op_stop:
  return;
#undef DAEDAL_RULE
#undef DAEDAL_OPERAND
#undef DAEDAL_NEXT
}

#pragma GCC diagnostic pop

}  // namespace
}  // namespace daedal::kernel
