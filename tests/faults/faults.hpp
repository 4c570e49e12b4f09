// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>

namespace daedal::test {

/// How many faults a test injects: a few in the suite, DAEDAL_FAULTS of them in `make faults`.
inline int n_faults(int usual) {
  const char* const given = std::getenv("DAEDAL_FAULTS");
  return given == nullptr ? usual : std::atoi(given);
}

}  // namespace daedal::test
