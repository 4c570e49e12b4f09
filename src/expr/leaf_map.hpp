// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "expr/node.hpp"

namespace daedal {

/// What leaves are replaced by; others stay as they are.
class LeafMap {
 public:
  LeafMap(std::span<const NodeId> from, std::span<const NodeId> to) {
    for (std::size_t i = 0; i < from.size(); ++i) pairs_.emplace_back(from[i], to[i]);
    std::ranges::sort(pairs_);
  }
  [[nodiscard]] NodeId operator()(NodeId leaf) const {
    const auto found =
        std::ranges::lower_bound(pairs_, leaf, {}, &std::pair<NodeId, NodeId>::first);
    return found != pairs_.end() && found->first == leaf ? found->second : leaf;
  }

 private:
  std::vector<std::pair<NodeId, NodeId>> pairs_;
};

}  // namespace daedal
