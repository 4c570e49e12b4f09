// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <daedal/options.hpp>

namespace daedal::integrate {

/// An error handler for IDA and CVODE: their messages go to the LogSink that `sink` points to.
/// What they call errors are facts for the log; the StepReport says what they mean.
extern "C" void forward_to_log(int code, const char* module, const char* function, char* message,
                               void* sink);

}  // namespace daedal::integrate
