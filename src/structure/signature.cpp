// SPDX-License-Identifier: BSD-3-Clause
#include "structure/signature.hpp"

#include <algorithm>
#include <daedal/error.hpp>

namespace daedal::structure {

void Signature::add_row(std::span<const SignatureEntry> entries) {
  std::vector<SignatureEntry> sorted(entries.begin(), entries.end());
  // The highest order of a column first: it is the one that stays.
  std::ranges::sort(sorted, [](const SignatureEntry& x, const SignatureEntry& y) {
    return x.column != y.column ? x.column < y.column : x.order > y.order;
  });
  std::vector<Index> columns;
  std::vector<Index> orders;
  for (const SignatureEntry& entry : sorted) {
    if (entry.order < 0) {
      throw Error(ErrorCode::internal, "A derivative cannot have a negative order.");
    }
    if (!columns.empty() && columns.back() == entry.column) continue;
    columns.push_back(entry.column);
    orders.push_back(entry.order);
  }
  incidence_.add_row(columns);
  orders_.insert(orders_.end(), orders.begin(), orders.end());
}

Index Signature::order(Index i, Index j) const {
  const auto columns = incidence_.row(i);
  const auto found = std::ranges::lower_bound(columns, j);
  if (found == columns.end() || *found != j) return -1;
  return orders(i)[found - columns.begin()];
}

}  // namespace daedal::structure
