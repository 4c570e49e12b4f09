// SPDX-License-Identifier: BSD-3-Clause
#include "structure/block_triangular.hpp"

#include <algorithm>
#include <daedal/error.hpp>
#include <limits>

namespace daedal::structure {

namespace {

/// Tarjan's algorithm on the rows: row i needs the rows that its columns are matched to. Components
/// come out after all they need.
class Components {
 public:
  Components(const Incidence& incidence, const Matching& matching)
      : incidence_(incidence),
        matching_(matching),
        number_(to_size(incidence.n_rows()), unvisited),
        low_(to_size(incidence.n_rows())),
        next_(to_size(incidence.n_rows())) {}

  /// Calls `emit` with the rows of each component.
  template <class Emit>
  void run(const Emit& emit) {
    for (Index i = 0; i < incidence_.n_rows(); ++i) {
      if (number_[i] == unvisited) search(i, emit);
    }
  }

 private:
  static constexpr Index unvisited = -1;
  static constexpr Index finished = std::numeric_limits<Index>::max();

  void enter(Index i) {
    number_[i] = low_[i] = counter_++;
    path_.push_back(i);
    stack_.push_back(i);
  }

  template <class Emit>
  void search(Index root, const Emit& emit) {
    enter(root);
    while (!path_.empty()) {
      const Index i = path_.back();
      const auto columns = incidence_.row(i);
      if (next_[i] < columns.size()) {
        const Index needed = matching_.row_of_column[columns[next_[i]++]];
        if (number_[needed] == unvisited) {
          enter(needed);
        } else {
          low_[i] = std::min(low_[i], number_[needed]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        Index& low = low_[path_.back()];
        low = std::min(low, low_[i]);
      }
      if (low_[i] == number_[i]) close(i, emit);
    }
  }

  /// Takes the component with root i from the stack. Its numbers no longer count as reachable.
  template <class Emit>
  void close(Index i, const Emit& emit) {
    const auto begin = std::find(stack_.rbegin(), stack_.rend(), i).base() - 1;
    for (auto row = begin; row != stack_.end(); ++row) number_[*row] = finished;
    emit(std::span<const Index>(begin, stack_.end()));
    stack_.erase(begin, stack_.end());
  }

  const Incidence& incidence_;
  const Matching& matching_;
  std::vector<Index> number_;
  std::vector<Index> low_;
  std::vector<std::size_t> next_;
  std::vector<Index> path_;
  std::vector<Index> stack_;
  Index counter_ = 0;
};

}  // namespace

BlockTriangularForm block_triangular_form(const Incidence& incidence, const Matching& matching) {
  if (!matching.is_perfect()) {
    throw Error(ErrorCode::internal, "A block triangular form needs a perfect matching.");
  }
  BlockTriangularForm form;
  Components(incidence, matching).run([&](std::span<const Index> rows) {
    const auto begin = form.rows_.insert(form.rows_.end(), rows.begin(), rows.end());
    std::sort(begin, form.rows_.end());
    for (auto i = begin; i != form.rows_.end(); ++i) {
      form.columns_.push_back(matching.column_of_row[*i]);
    }
    form.starts_.push_back(to_index(form.rows_.size()));
  });
  return form;
}

}  // namespace daedal::structure
