// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Equations that are evaluated often become machine code of x86-64. The values are the same to the
/// last bit; only the time differs.

#include <daedal/export.hpp>

namespace daedal {

/// Whether equations that are compiled from now on may become machine code. Allowed at first,
/// unless the environment has DAEDAL_NATIVE=0.
DAEDAL_EXPORT void set_native_code(bool allowed);

/// Whether they do: allowed, the processor has AVX, and the system grants executable memory.
[[nodiscard]] DAEDAL_EXPORT bool native_code();

}  // namespace daedal
