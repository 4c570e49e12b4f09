// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Long series made short enough for a page without losing what the eye would see.

#include <cstddef>
#include <span>
#include <vector>

namespace daedal::app {

/// Rows of a column to keep: the first, the last, and in each of `buckets` stretches of rows those
/// of the least and of the greatest value, so that every extreme stays. Values that are not finite
/// are kept where they begin and end. Ascending; all rows when there are few.
std::vector<std::size_t> thinned(std::span<const double> column, std::size_t buckets);

}  // namespace daedal::app
