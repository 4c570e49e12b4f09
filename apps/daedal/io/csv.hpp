// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Solutions as comma-separated values by RFC 4180: `time` first, then the chosen variables, one
/// record per output point, numbers in the shortest form that reads back to the same bits.

#include <cstddef>
#include <daedal/solution.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::io {

/// The line of names.
std::string csv_header(const Solution& solution, const std::vector<std::size_t>& columns);
/// The rows from number `first` on, in pieces of whole rows.
void write_csv_rows(const Solution& solution, const std::vector<std::size_t>& columns,
                    std::size_t first, const std::function<void(std::string_view)>& write);

/// One field, quoted where RFC 4180 asks for it.
std::string csv_field(std::string_view text);

}  // namespace daedal::io
