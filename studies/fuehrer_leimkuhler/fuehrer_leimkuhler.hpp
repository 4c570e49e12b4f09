// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// C. Fuehrer, B. Leimkuhler: Tables 1 to 3, and the pendulum with a period of two seconds.

#include <vector>

#include "study.hpp"

namespace daedal::studies {

std::vector<Entry> fuehrer_leimkuhler();

}  // namespace daedal::studies
