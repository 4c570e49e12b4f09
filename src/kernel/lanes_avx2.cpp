// SPDX-License-Identifier: BSD-3-Clause
#define DAEDAL_VECTOR_WIDTH 4
#include "kernel/backends.hpp"
#include "kernel/lane_backend.hpp"
// The interpreter is made from the definitions above it.
#include "kernel/interpreter.hpp"

namespace daedal::kernel {

void interpret_lanes_avx2(const Instruction* instructions, double* registers) {
  interpret(instructions, registers);
}

}  // namespace daedal::kernel
