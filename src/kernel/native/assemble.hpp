// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/compiler/code.hpp"

namespace daedal::kernel {

/// Bytes that run at any address: constants, then from `entry` on a function of
/// (const double* const* blocks, double* out, double* registers).
struct Assembled {
  std::vector<std::uint8_t> bytes;  ///< empty if the program is beyond what the code can address
  std::size_t entry = 0;
};

Assembled assemble(const Program::Code& code);

}  // namespace daedal::kernel
