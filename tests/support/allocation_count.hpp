// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace daedal::test {

/// Calls of operator new in this program so far. Test programs that link allocation_count.cpp
/// (see tests/CMakeLists.txt) replace the global operators to count them.
long n_allocations();

}  // namespace daedal::test
