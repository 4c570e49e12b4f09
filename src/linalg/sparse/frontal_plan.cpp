// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/frontal_plan.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace daedal::linalg {

namespace {

using Place = FrontalPlan::Place;

/// Lists of places, one after the other.
struct Lists {
  std::vector<Place> start, item;
  [[nodiscard]] std::span<const Place> operator[](Place k) const {
    return {item.data() + start[to_size(k)], item.data() + start[to_size(k) + 1]};
  }
};

/// From pairs: the items of each key, in the order of the pairs.
template <class Pairs, class Key, class Item>
Lists list(const Pairs& pairs, Place n, Key key, Item item) {
  Lists lists;
  lists.start.assign(to_size(n) + 1, 0);
  for (const auto& pair : pairs) ++lists.start[to_size(key(pair)) + 1];
  std::partial_sum(lists.start.begin(), lists.start.end(), lists.start.begin());
  lists.item.resize(to_size(lists.start.back()));
  std::vector<Place> next(lists.start.begin(), lists.start.end() - 1);
  for (const auto& pair : pairs) lists.item[to_size(next[to_size(key(pair))]++)] = item(pair);
  return lists;
}

Lists earlier_neighbours(std::span<const FrontalPlan::Entry> entries, Place n) {
  return list(
      entries, n, [](const auto& e) { return std::max(e.row, e.column); },
      [](const auto& e) { return std::min(e.row, e.column); });
}

/// The elimination tree of a symmetric pattern (Liu 1986): the parent of a column is the first one
/// that its elimination changes.
std::vector<Place> elimination_tree(const Lists& earlier, Place n) {
  std::vector<Place> parent(to_size(n), -1), ancestor(to_size(n), -1);
  for (Place k = 0; k < n; ++k) {
    for (Place i : earlier[k]) {
      while (i != -1 && i < k) {
        const Place next = std::exchange(ancestor[to_size(i)], k);
        if (next == -1) parent[to_size(i)] = k;
        i = next;
      }
    }
  }
  return parent;
}

/// Entries in each column of the factor, the diagonal with them: row k of it has those columns that
/// lie on the ways from its neighbours up to k.
std::vector<Place> column_counts(const Lists& earlier, std::span<const Place> parent) {
  const auto n = static_cast<Place>(parent.size());
  std::vector<Place> count(parent.size(), 1), mark(parent.size(), -1);
  for (Place k = 0; k < n; ++k) {
    mark[to_size(k)] = k;
    for (Place i : earlier[k]) {
      for (; mark[to_size(i)] != k; i = parent[to_size(i)]) {
        mark[to_size(i)] = k;
        ++count[to_size(i)];
      }
    }
  }
  return count;
}

/// Children before parents, those with the longest columns last: next to the parents that they may
/// be joined with.
std::vector<Place> post_order(std::span<const Place> parent, std::span<const Place> count) {
  const auto n = static_cast<Place>(parent.size());
  std::vector<Place> by_count(parent.size());
  std::iota(by_count.begin(), by_count.end(), 0);
  std::ranges::stable_sort(by_count, {}, [&](Place k) { return -count[to_size(k)]; });
  std::vector<Place> first(parent.size(), -1), next(parent.size(), -1);
  for (const Place k : by_count) {
    const Place up = parent[to_size(k)];
    if (up == -1) continue;
    next[to_size(k)] = first[to_size(up)];
    first[to_size(up)] = k;
  }
  std::vector<Place> order, stack;
  for (Place root = 0; root < n; ++root) {
    if (parent[to_size(root)] != -1) continue;
    for (stack.push_back(root); !stack.empty();) {
      const Place k = stack.back();
      const Place child = first[to_size(k)];
      if (child == -1) {
        order.push_back(k);
        stack.pop_back();
      } else {
        first[to_size(k)] = next[to_size(child)];
        stack.push_back(child);
      }
    }
  }
  return order;
}

/// Columns of equal structure, and neighbours in the tree for whose joining few zeros are paid
/// (Ashcraft, Grimes 1989; limits as in Chen, Davis, Hager, Rajamanickam, ACM Trans. Math. Softw.
/// 35 (2008) 22, but for the smallest: their zeros would cost solutions more than they save).
class Joining {
 public:
  Joining(std::span<const Place> parent, std::span<const Place> count)
      : parent_(parent), count_(count) {
    const auto n = static_cast<Place>(parent.size());
    for (Place k = 0; k < n; ++k) {
      const bool is_equal =
          k > 0 && parent[to_size(k) - 1] == k && count[to_size(k)] == count[to_size(k) - 1] - 1;
      if (!is_equal) start_.push_back(k);
    }
    start_.push_back(n);
    join();
  }
  /// First columns of the fronts, and n.
  [[nodiscard]] const std::vector<Place>& starts() const { return start_; }

 private:
  /// Columns from start on, of so many rows, of whose entries so many are needless zeros.
  struct Group {
    Place start;
    double rows, zeros;
  };

  void join() {
    // The last ones first. A group is joined with the one after it, where that is its parent.
    std::vector<Group> groups;
    std::vector<Place> ends;
    for (std::size_t s = start_.size() - 1; s-- > 0;) {
      Group own{start_[s], static_cast<double>(count_[to_size(start_[s])]), 0.0};
      const Place up = parent_[to_size(start_[s + 1]) - 1];
      if (!groups.empty() && up != -1 && up < ends.back() &&
          is_worth_joining(own, groups.back(), ends.back())) {
        groups.back() = own;
      } else {
        groups.push_back(own);
        ends.push_back(start_[s + 1]);
      }
    }
    start_ = {start_.back()};
    for (const Group& group : groups) start_.push_back(group.start);
    std::ranges::reverse(start_);
  }
  /// If so, `own` becomes both.
  static bool is_worth_joining(Group& own, const Group& above, Place end) {
    const double n_own = above.start - own.start;
    const double columns = end - own.start;
    const double rows = n_own + above.rows;
    const double extra = n_own * (rows - own.rows);
    const double zeros = above.zeros + extra;
    const double share = zeros / (columns * (columns + 1.0) / 2.0 + columns * (rows - columns));
    if (extra > 0.0 && share >= (columns <= 16.0 ? 0.2 : columns <= 48.0 ? 0.1 : 0.05)) {
      return false;
    }
    own.rows = rows;
    own.zeros = zeros;
    return true;
  }

  std::span<const Place> parent_, count_;
  std::vector<Place> start_;
};

/// The matrix in an order: entries within blocks, and between them.
struct OrderedEntries {
  std::vector<FrontalPlan::Entry> within, between;

  OrderedEntries(const SparsityPattern& pattern, const BlockOrder& order) {
    const std::size_t n = order.row.size();
    std::vector<Place> row(n), column(n), block(n);
    for (std::size_t k = 0; k < n; ++k) {
      row[to_size(order.row[k])] = static_cast<Place>(k);
      column[to_size(order.column[k])] = static_cast<Place>(k);
    }
    for (std::size_t b = 0; b + 1 < order.block_start.size(); ++b) {
      for (Index k = order.block_start[b]; k < order.block_start[b + 1]; ++k) {
        block[to_size(k)] = static_cast<Place>(b);
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const FrontalPlan::Entry entry{static_cast<Place>(p), row[to_size(pattern.row[to_size(p)])],
                                       column[j]};
        const bool is_within = block[to_size(entry.row)] == block[to_size(entry.column)];
        (is_within ? within : between).push_back(entry);
      }
    }
  }
  void renumber(std::span<const Place> place) {
    for (auto* const entries : {&within, &between}) {
      for (auto& entry : *entries) {
        entry.row = place[to_size(entry.row)];
        entry.column = place[to_size(entry.column)];
      }
    }
  }
};

}  // namespace

FrontalPlan::FrontalPlan(const SparsityPattern& pattern, const BlockOrder& order)
    : block_start(order.block_start.begin(), order.block_start.end()) {
  const auto n = static_cast<Place>(order.row.size());
  OrderedEntries matrix(pattern, order);
  std::vector<Place> parent, count;
  {
    const Lists earlier = earlier_neighbours(matrix.within, n);
    const std::vector<Place> up = elimination_tree(earlier, n);
    const std::vector<Place> lengths = column_counts(earlier, up);
    const std::vector<Place> visited = post_order(up, lengths);
    std::vector<Place> place(to_size(n));
    for (Place k = 0; k < n; ++k) place[to_size(visited[to_size(k)])] = k;
    for (const Place k : visited) {
      row_of.push_back(static_cast<Place>(order.row[to_size(k)]));
      column_of.push_back(static_cast<Place>(order.column[to_size(k)]));
      parent.push_back(up[to_size(k)] == -1 ? -1 : place[to_size(up[to_size(k)])]);
      count.push_back(lengths[to_size(k)]);
    }
    matrix.renumber(place);
  }

  const std::vector<Place> starts = Joining(parent, count).starts();
  const auto n_fronts = static_cast<Place>(starts.size()) - 1;
  fronts.resize(to_size(n_fronts));
  std::vector<Place> front_of(to_size(n));
  std::size_t block = 0;
  for (Place s = 0; s < n_fronts; ++s) {
    Front& front = fronts[to_size(s)];
    front.first = starts[to_size(s)];
    front.n_pivots = starts[to_size(s) + 1] - front.first;
    while (block < block_start.size() && block_start[block] == front.first) {
      front_start.push_back(s);
      ++block;
    }
    std::fill_n(front_of.begin() + front.first, front.n_pivots, s);
  }
  front_start.push_back(n_fronts);

  // The structure of a front: of its own entries, and of what its children leave.
  const auto front_of_entry = [&](const Entry& e) {
    return front_of[to_size(std::min(e.row, e.column))];
  };
  {
    std::vector<Place> numbers(matrix.within.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    const Lists by_front = list(
        numbers, n_fronts, [&](Place p) { return front_of_entry(matrix.within[to_size(p)]); },
        [](Place p) { return p; });
    entries.reserve(matrix.within.size());
    for (const Place p : by_front.item) entries.push_back(matrix.within[to_size(p)]);
    for (Place s = 0; s < n_fronts; ++s) {
      fronts[to_size(s)].entry = by_front.start[to_size(s)];
      fronts[to_size(s)].n_entries = static_cast<Place>(by_front[s].size());
    }
  }
  std::vector<Place> mark(to_size(n), -1), waiting, found;  // waiting: fronts without a parent yet
  for (Place s = 0; s < n_fronts; ++s) {
    Front& front = fronts[to_size(s)];
    const Place end = front.first + front.n_pivots;
    found.clear();
    const auto add = [&](Place k) {
      if (k < end || mark[to_size(k)] == s) return;
      mark[to_size(k)] = s;
      found.push_back(k);
    };
    for (Place e = front.entry; e < front.entry + front.n_entries; ++e) {
      add(std::max(entries[to_size(e)].row, entries[to_size(e)].column));
    }
    for (; !waiting.empty(); waiting.pop_back(), ++front.n_children) {
      Front& child = fronts[to_size(waiting.back())];
      if (rest[to_size(child.rest)] >= end) break;
      child.is_root = false;
      for (Place k = 0; k < child.n_rest; ++k) add(rest[to_size(child.rest + k)]);
    }
    std::ranges::sort(found);
    front.rest = static_cast<Place>(rest.size());
    front.n_rest = static_cast<Place>(found.size());
    rest.insert(rest.end(), found.begin(), found.end());
    if (front.n_rest > 0) waiting.push_back(s);
  }

  between = std::move(matrix.between);
  std::ranges::stable_sort(between, {}, &Entry::column);
  between_start.assign(to_size(n) + 1, 0);
  for (const Entry& e : between) ++between_start[to_size(e.column) + 1];
  std::partial_sum(between_start.begin(), between_start.end(), between_start.begin());
}

}  // namespace daedal::linalg
