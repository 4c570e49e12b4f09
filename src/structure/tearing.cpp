// SPDX-License-Identifier: BSD-3-Clause
#include "structure/tearing.hpp"

#include <daedal/error.hpp>
#include <queue>
#include <tuple>

namespace daedal::structure {

namespace {

class Tearer {
 public:
  Tearer(const Incidence& block, const std::vector<bool>& is_solvable)
      : block_(block),
        rows_of_column_(block.transposed()),
        is_solvable_(is_solvable),
        is_known_(to_size(block.n_columns())),
        is_used_(to_size(block.n_rows())),
        n_unknowns_(to_size(block.n_rows())),
        n_completed_(to_size(block.n_columns())) {}

  Tearing run() {
    for (Index j = 0; j < block_.n_columns(); ++j) offer(j);
    for (Index i = 0; i < block_.n_rows(); ++i) {
      n_unknowns_[i] = to_index(block_.row(i).size());
      if (n_unknowns_[i] == 1) ready_.push_back(i);
      if (n_unknowns_[i] == 2) credit(i);
    }
    solve_what_is_ready();
    while (!candidates_.empty()) {
      const auto [n_completed, degree, minus_j] = candidates_.top();
      candidates_.pop();
      const Index j = -minus_j;
      // An offer is out of date once the count has changed; a newer one is in the queue then.
      if (is_known_[j] || n_completed != n_completed_[j]) continue;
      result_.tears.push_back(j);
      learn(j);
      solve_what_is_ready();
    }
    for (Index i = 0; i < block_.n_rows(); ++i) {
      if (!is_used_[i]) result_.residuals.push_back(i);
    }
    return std::move(result_);
  }

 private:
  void offer(Index j) {
    candidates_.emplace(n_completed_[j], to_index(rows_of_column_.row(j).size()), -j);
  }

  void solve_what_is_ready() {
    while (!ready_.empty()) {
      const Index i = ready_.back();
      ready_.pop_back();
      const auto columns = block_.row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (is_known_[columns[k]] || !can_solve(i, k)) continue;
        is_used_[i] = true;
        result_.sequence.push_back({i, columns[k]});
        learn(columns[k]);
        break;
      }
    }
  }

  /// Whether row i can be solved for its k-th entry.
  [[nodiscard]] bool can_solve(Index i, std::size_t k) const {
    return is_solvable_.empty() || is_solvable_[to_size(block_.row_start(i)) + k];
  }

  void learn(Index j) {
    is_known_[j] = true;
    for (const Index i : rows_of_column_.row(j)) {
      const Index n = --n_unknowns_[i];
      if (n == 2) credit(i);
      if (n == 1) {
        take_back(i, j);
        ready_.push_back(i);
      }
    }
  }

  /// A row with two unknowns left would be solved if either were known and the row can be solved
  /// for the other.
  void credit(Index i) {
    const auto columns = block_.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (is_known_[columns[k]] || !can_solve(i, k)) continue;
      for (const Index other : columns) {
        if (other != columns[k] && !is_known_[other]) count_completion(other, 1);
      }
    }
  }

  /// Row i is ready, since `learned` is known: what was credited to the other unknown for it.
  void take_back(Index i, Index learned) {
    const auto columns = block_.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] != learned || !can_solve(i, k)) continue;
      for (const Index other : columns) {
        if (!is_known_[other]) count_completion(other, -1);
      }
    }
  }

  void count_completion(Index j, Index change) {
    n_completed_[j] += change;
    offer(j);
  }

  const Incidence& block_;
  const Incidence rows_of_column_;
  const std::vector<bool>& is_solvable_;
  Tearing result_;
  std::vector<bool> is_known_;
  std::vector<bool> is_used_;
  std::vector<Index> n_unknowns_;   ///< of each row
  std::vector<Index> n_completed_;  ///< rows that would be solved if the column were known
  std::vector<Index> ready_;
  /// Equations completed, occurrences, minus the column (the first column wins a tie).
  std::priority_queue<std::tuple<Index, Index, Index>> candidates_;
};

}  // namespace

Tearing tear(const Incidence& block, const std::vector<bool>& is_solvable) {
  if (!is_solvable.empty() && to_index(is_solvable.size()) != block.n_entries()) {
    throw Error(ErrorCode::internal,
                "Tearing needs to know of every entry whether it is solvable.");
  }
  return Tearer(block, is_solvable).run();
}

}  // namespace daedal::structure
