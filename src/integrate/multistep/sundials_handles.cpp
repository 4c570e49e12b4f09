// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/multistep/sundials_handles.hpp"

#include <fmt/format.h>

namespace daedal::integration {

extern "C" void forward_to_log(int code, const char* module, const char* function, char* message,
                               void* sink) {
  const auto& log = *static_cast<const LogSink*>(sink);
  if (!log) return;
  try {
    log(code > 0 ? LogLevel::debug : LogLevel::info,
        fmt::format("{} {}: {}", module, function, message));
  } catch (...) {
    // A log that throws must not unwind through C frames; the run itself is not affected.
    return;
  }
}

}  // namespace daedal::integration
