// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse/elimination_order.hpp"

#include <algorithm>
#include <set>

namespace daedal::linalg {

namespace {

/// Eliminated unknowns live on as elements: the cliques of their neighbours.
class QuotientGraph {
 public:
  QuotientGraph(const SparsityPattern& lower, Index first_constraint);
  std::vector<Index> order();

 private:
  void eliminate(Index pivot);
  void collect_clique(Index pivot);
  void absorb_elements(Index pivot);
  void measure_elements(Index pivot);
  void update_degree(Index i, Index newest);
  void release_constraints(Index pivot);
  [[nodiscard]] bool is_permitted(Index i) const { return waits_for_[i] == 0; }
  void set_degree(Index i, Index degree);

  Index n_;
  Index n_left_;
  std::vector<std::vector<Index>> neighbours_;   ///< not yet eliminated, not covered by elements
  std::vector<std::vector<Index>> elements_;     ///< that an unknown belongs to
  std::vector<std::vector<Index>> clique_;       ///< of an element
  std::vector<std::vector<Index>> constraints_;  ///< that touch a coordinate
  std::vector<Index> waits_for_;                 ///< coordinates before a constraint's turn
  std::vector<Index> degree_;
  std::vector<Index> outside_;  ///< |clique of an element minus the newest clique|
  std::vector<Index> measured_at_;
  std::vector<bool> in_clique_;
  std::set<std::pair<Index, Index>> queue_;  ///< (degree, unknown): ties go to the first
};

QuotientGraph::QuotientGraph(const SparsityPattern& lower, Index first_constraint)
    : n_(lower.columns),
      n_left_(n_),
      neighbours_(to_size(n_)),
      elements_(to_size(n_)),
      clique_(to_size(n_)),
      constraints_(to_size(n_)),
      waits_for_(to_size(n_), 0),
      degree_(to_size(n_), 0),
      outside_(to_size(n_), 0),
      measured_at_(to_size(n_), -1),
      in_clique_(to_size(n_), false) {
  for (Index j = 0; j < n_; ++j) {
    for (Index k = lower.column_start[j]; k < lower.column_start[j + 1]; ++k) {
      const Index i = lower.row[k];
      if (i == j) continue;
      neighbours_[i].push_back(j);
      neighbours_[j].push_back(i);
      if (i >= first_constraint && j < first_constraint) {
        constraints_[j].push_back(i);
        ++waits_for_[i];
      }
    }
  }
  for (Index i = 0; i < n_; ++i) {
    degree_[i] = to_index(neighbours_[i].size());
    if (is_permitted(i)) queue_.emplace(degree_[i], i);
  }
}

std::vector<Index> QuotientGraph::order() {
  std::vector<Index> result;
  result.reserve(to_size(n_));
  while (!queue_.empty()) {
    const Index pivot = queue_.begin()->second;
    queue_.erase(queue_.begin());
    eliminate(pivot);
    result.push_back(pivot);
  }
  return result;
}

void QuotientGraph::set_degree(Index i, Index degree) {
  if (is_permitted(i)) {
    queue_.erase({degree_[i], i});
    queue_.emplace(degree, i);
  }
  degree_[i] = degree;
}

void QuotientGraph::eliminate(Index pivot) {
  --n_left_;
  collect_clique(pivot);
  absorb_elements(pivot);
  measure_elements(pivot);
  for (const Index i : clique_[pivot]) update_degree(i, pivot);
  for (const Index i : clique_[pivot]) in_clique_[i] = false;
  release_constraints(pivot);
}

/// The new clique: the pivot's neighbours and the members of its elements, which it absorbs.
void QuotientGraph::collect_clique(Index pivot) {
  auto& clique = clique_[pivot];
  in_clique_[pivot] = true;
  const auto add = [&](Index i) {
    if (in_clique_[i]) return;
    in_clique_[i] = true;
    clique.push_back(i);
  };
  for (const Index i : neighbours_[pivot]) add(i);
  for (const Index e : elements_[pivot]) {
    for (const Index i : clique_[e]) add(i);
    clique_[e].clear();
  }
  in_clique_[pivot] = false;
  neighbours_[pivot].clear();
}

void QuotientGraph::absorb_elements(Index pivot) {
  for (const Index i : clique_[pivot]) {
    std::erase_if(neighbours_[i], [&](Index v) { return v == pivot || in_clique_[v]; });
    std::erase_if(elements_[i], [&](Index e) { return clique_[e].empty(); });
  }
}

void QuotientGraph::measure_elements(Index pivot) {
  for (const Index i : clique_[pivot]) {
    for (const Index e : elements_[i]) {
      if (measured_at_[e] != pivot) {
        measured_at_[e] = pivot;
        outside_[e] = to_index(clique_[e].size());
      }
      --outside_[e];
    }
  }
}

void QuotientGraph::update_degree(Index i, Index newest) {
  auto& elements = elements_[i];
  std::erase_if(elements, [&](Index e) { return outside_[e] == 0; });
  Index degree = to_index(neighbours_[i].size());
  for (const Index e : elements) degree += outside_[e];
  degree += to_index(clique_[newest].size()) - 1;
  elements.push_back(newest);
  set_degree(i, std::min(degree, n_left_ - 1));
}

void QuotientGraph::release_constraints(Index pivot) {
  for (const Index c : constraints_[pivot]) {
    if (--waits_for_[c] == 0) queue_.emplace(degree_[c], c);
  }
}

}  // namespace

std::vector<Index> constrained_minimum_degree(const SparsityPattern& lower,
                                              Index first_constraint) {
  return QuotientGraph(lower, first_constraint).order();
}

}  // namespace daedal::linalg
