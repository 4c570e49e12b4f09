// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/compiler/lower.hpp"

namespace daedal::kernel {

/// Reorders instructions so that a value is made some instructions before it is used.
///
/// The processor works on about twenty instructions of ours at a time, and passes a value from one
/// to the next through memory; a long chain of dependent instructions in a row leaves it idle.
/// Looks ahead over a small window only, which keeps values short-lived and the cost linear.
void schedule(StaticCode& code);

}  // namespace daedal::kernel
