// SPDX-License-Identifier: BSD-3-Clause
#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::app {

std::vector<std::size_t> thinned(std::span<const double> column, std::size_t buckets) {
  const std::size_t n = column.size();
  std::vector<std::size_t> kept;
  const auto keep = [&](std::size_t i) {
    if (kept.empty() || kept.back() < i) kept.push_back(i);
  };
  if (n <= 2 * buckets + 2) {
    for (std::size_t i = 0; i < n; ++i) keep(i);
    return kept;
  }
  keep(0);
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t first = b * n / buckets;
    const std::size_t last = (b + 1) * n / buckets;
    std::vector<std::size_t> of_bucket;
    std::size_t least = last;
    std::size_t greatest = last;
    for (std::size_t i = first; i < last; ++i) {
      const bool is_finite = std::isfinite(column[i]);
      if (i > 0 && is_finite != std::isfinite(column[i - 1])) {
        of_bucket.insert(of_bucket.end(), {i - 1, i});
      }
      if (!is_finite) continue;
      if (least == last || column[i] < column[least]) least = i;
      if (greatest == last || column[i] > column[greatest]) greatest = i;
    }
    if (least != last) of_bucket.insert(of_bucket.end(), {least, greatest});
    std::ranges::sort(of_bucket);
    for (const std::size_t i : of_bucket) keep(i);
  }
  keep(n - 1);
  return kept;
}

}  // namespace daedal::app
