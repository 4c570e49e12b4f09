// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// J. Poell, I. Hafner: the seven methods side by side, which the paper leaves for further studies:
/// the pendulum with fixed steps, then pendulum, four-bar, squeezer and a closed chain with error
/// control, over short and long runs.

#include <vector>

#include "study.hpp"

namespace daedal::studies {

std::vector<Entry> poell_hafner();

}  // namespace daedal::studies
