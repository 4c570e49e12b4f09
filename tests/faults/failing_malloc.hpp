// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A heap that runs out of memory at a chosen call.

namespace daedal::test {

/// Calls that may fail since the last call of this function or of fail_allocation(); the first call
/// of it begins to count.
long restart_allocation_count();

enum class Failing { once, from_then_on };

/// Lets the n-th call from now fail, the first being 1, and those after it where they shall.
void fail_allocation(long n, Failing failing);
/// No call fails any more.
void heal_allocation();

}  // namespace daedal::test
