// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// U. Ascher, P. Lin: Tables 5.1 to 5.7.

#include <vector>

#include "study.hpp"

namespace daedal::studies {

std::vector<Entry> ascher_lin();

/// Tables 5.1 and 5.2: a boundary value problem.
void add_boundary_value_tables(std::vector<Entry>& entries);
/// Tables 5.3 to 5.7: initial value problems.
void add_initial_value_tables(std::vector<Entry>& entries);

}  // namespace daedal::studies
