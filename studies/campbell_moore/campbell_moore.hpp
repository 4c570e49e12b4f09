// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// S. L. Campbell, E. Moore: the torus (36)-(39), Tables 1 to 5.

#include <vector>

#include "study.hpp"

namespace daedal::studies {

std::vector<Entry> campbell_moore();

}  // namespace daedal::studies
