// SPDX-License-Identifier: BSD-3-Clause
#include "ascher_lin/ascher_lin.hpp"

namespace daedal::studies {

std::vector<Entry> ascher_lin() {
  std::vector<Entry> entries;
  add_boundary_value_tables(entries);
  add_initial_value_tables(entries);
  return entries;
}

}  // namespace daedal::studies
