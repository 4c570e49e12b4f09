// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/compiler/code.hpp"
#include "kernel/compiler/lower.hpp"

namespace daedal::kernel {

/// Gives every value a register by one linear scan: outputs have registers of their own,
/// temporaries share theirs as soon as the last use is past. A result never takes a register of
/// its own operands, since lanes and Taylor series write results piece by piece.
Program::Code allocate_registers(StaticCode ssa);

}  // namespace daedal::kernel
