// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Solutions as comma-separated values by RFC 4180: `time` first, then the chosen variables, one
/// record per output point, numbers in the shortest form that reads back to the same bits.

#include <cstddef>
#include <daedal/solution.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::io {

/// Columns of `solution` whose names match one of the globs (`*` and `?`), in the solution's
/// order; all columns when there is no glob. Throws OptionError{unknown_name} for a glob that
/// matches nothing.
std::vector<std::size_t> select_columns(const Solution& solution,
                                        const std::vector<std::string>& globs);

/// The line of names.
std::string csv_header(const Solution& solution, const std::vector<std::size_t>& columns);
/// The rows from number `first` on.
std::string csv_rows(const Solution& solution, const std::vector<std::size_t>& columns,
                     std::size_t first);

/// One field, quoted where RFC 4180 asks for it.
std::string csv_field(std::string_view text);

bool matches_glob(std::string_view text, std::string_view glob);

}  // namespace daedal::io
