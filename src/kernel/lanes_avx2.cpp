// SPDX-License-Identifier: BSD-3-Clause
#define DAEDAL_VECTOR_WIDTH 4
#include "kernel/backends.hpp"
#include "kernel/lane_backend.hpp"
// The interpreter is made from the definitions above it.
#include "kernel/interpreter.hpp"

namespace daedal::kernel {

extern const Backend lanes_avx2{"avx2", interpret<NarrowInstruction>, interpret<WideInstruction>};

}  // namespace daedal::kernel
