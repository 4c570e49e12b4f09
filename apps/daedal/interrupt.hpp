// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace daedal::app {

/// Catches SIGINT and SIGTERM from now on: the flag becomes true and the run ends in good order,
/// with everything it computed. A second signal ends the program at once.
const std::atomic<bool>& catch_interrupts();

}  // namespace daedal::app
