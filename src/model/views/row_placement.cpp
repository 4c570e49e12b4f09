// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/row_placement.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/types.hpp"
#include "model/balance.hpp"

namespace daedal {

namespace {

bool is_close(double a, double b) {
  return std::abs(a - b) <= same_value * std::max(std::abs(a), std::abs(b));
}

/// Sums of squares of every row and of every column, points × n each. A symmetric matrix has equal
/// ones, whatever the order of its rows.
struct Norms {
  Matrix rows;
  Matrix columns;
  Norms(const SampledMatrix& mass, std::int32_t n)
      : rows(Matrix::Zero(mass.values.rows(), n)), columns(Matrix::Zero(mass.values.rows(), n)) {
    for (std::size_t k = 0; k < mass.at.size(); ++k) {
      const auto squares = mass.values.col(to_index(k)).array().square().matrix();
      rows.col(mass.at[k].first) += squares;
      columns.col(mass.at[k].second) += squares;
    }
  }
  [[nodiscard]] bool agree(std::int32_t row, std::int32_t column) const {
    for (Index p = 0; p < rows.rows(); ++p) {
      if (!is_close(rows(p, row), columns(p, column))) return false;
    }
    return true;
  }
};

/// An entry that may become a diagonal one.
struct Candidate {
  std::int32_t coordinate;
  double magnitude;
};
using Candidates = std::vector<std::vector<Candidate>>;
enum class Prefer { magnitude, own_number };

/// A placement by matching over the candidates of every row; empty if incomplete. Where masses
/// repeat, the preference decides: the greatest entry of a row (a positive definite matrix has it
/// on the diagonal where diagonals are equal), or the coordinate with the row's own number.
std::vector<std::int32_t> place_rows(const Candidates& candidates, Prefer prefer) {
  Incidence allowed;
  for (std::size_t row = 0; row < candidates.size(); ++row) {
    std::vector<Candidate> list = candidates[row];
    std::stable_sort(list.begin(), list.end(), [&](const Candidate& x, const Candidate& y) {
      const auto own = static_cast<std::int32_t>(row);
      return prefer == Prefer::magnitude ? x.magnitude > y.magnitude
                                         : (x.coordinate == own) > (y.coordinate == own);
    });
    auto& columns = allowed.emplace_back();
    for (const Candidate& candidate : list) columns.push_back(candidate.coordinate);
  }
  Matching matching = maximum_matching(allowed, static_cast<std::int32_t>(allowed.size()));
  const bool is_complete = std::none_of(matching.column_of_row.begin(),
                                        matching.column_of_row.end(), [](auto c) { return c < 0; });
  return is_complete ? std::move(matching.column_of_row) : std::vector<std::int32_t>();
}

/// The placed matrix, entries by (coordinate, coordinate).
using PlacedEntries = std::map<std::pair<std::int32_t, std::int32_t>, std::size_t>;

/// Row factors that make the placed matrix symmetric, d_i M_ij = d_j M_ji, found by spreading from
/// one coordinate of each connected component; diagonal entries come out positive.
class Symmetrizer {
 public:
  Symmetrizer(const SampledMatrix& mass, Placement& placement)
      : mass_(mass), placement_(placement), neighbours_(placement.coordinate_of_row.size()) {
    for (std::size_t k = 0; k < mass.at.size(); ++k) {
      const std::int32_t i = placement.coordinate_of_row[mass.at[k].first];
      entries_[{i, mass.at[k].second}] = k;
      if (i == mass.at[k].second) continue;
      neighbours_[i].push_back(mass.at[k].second);
      neighbours_[mass.at[k].second].push_back(i);
    }
    row_of_.resize(neighbours_.size());
    for (std::size_t r = 0; r < row_of_.size(); ++r) {
      row_of_[placement.coordinate_of_row[r]] = r;
    }
  }

  void run() {
    const std::size_t n = neighbours_.size();
    placement_.factor_of_row.assign(n, 1.0);
    placement_.component.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
      if (placement_.component[i] < 0) spread(static_cast<std::int32_t>(i));
    }
    placement_.is_symmetric = is_symmetric();
    if (placement_.is_symmetric) return;
    placement_.factor_of_row.assign(n, 1.0);
    placement_.component.assign(n, 0);
    placement_.n_components = 1;
  }

 private:
  [[nodiscard]] const double* value(std::int32_t i, std::int32_t j) const {
    const auto found = entries_.find({i, j});
    return found == entries_.end() ? nullptr : mass_.values.col(to_index(found->second)).data();
  }
  double& factor(std::int32_t coordinate) { return placement_.factor_of_row[row_of_[coordinate]]; }

  void spread(std::int32_t start) {
    std::vector<std::int32_t> queue{start};
    const double* diagonal = value(start, start);
    factor(start) = diagonal != nullptr && *diagonal < 0.0 ? -1.0 : 1.0;
    placement_.component[start] = placement_.n_components;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::int32_t i = queue[next];
      for (const std::int32_t j : neighbours_[i]) {
        if (placement_.component[j] >= 0) continue;
        const double* here = value(i, j);
        const double* there = value(j, i);
        if (here == nullptr || there == nullptr || *there == 0.0) continue;
        factor(j) = factor(i) * *here / *there;
        // Equal up to rounding means equal: no factor is invented where none is needed.
        if (is_close(std::abs(factor(j)), 1.0)) factor(j) = std::copysign(1.0, factor(j));
        placement_.component[j] = placement_.n_components;
        queue.push_back(j);
      }
    }
    ++placement_.n_components;
  }

  bool is_symmetric() {
    for (const auto& [place, k] : entries_) {
      const auto [i, j] = place;
      if (i == j) continue;
      const double* there = value(j, i);
      const double* here = value(i, j);
      for (Index p = 0; p < mass_.values.rows(); ++p) {
        const double mirrored = there == nullptr ? 0.0 : factor(j) * there[p];
        if (!is_close(factor(i) * here[p], mirrored)) return false;
      }
    }
    return true;
  }

  const SampledMatrix& mass_;
  Placement& placement_;
  PlacedEntries entries_;
  std::vector<std::vector<std::int32_t>> neighbours_;
  std::vector<std::size_t> row_of_;
};

}  // namespace

std::vector<Placement> candidate_placements(const SampledMatrix& mass, std::int32_t n) {
  const Norms norms(mass, n);
  Candidates present(to_size(n)), by_norm(to_size(n));
  for (std::size_t k = 0; k < mass.at.size(); ++k) {
    const auto [row, column] = mass.at[k];
    const double magnitude = mass.values.col(to_index(k)).cwiseAbs().maxCoeff();
    if (magnitude == 0.0) continue;
    present[row].push_back({column, magnitude});
    if (norms.agree(row, column)) by_norm[row].push_back({column, magnitude});
  }
  std::vector<Placement> candidates;
  const auto propose = [&](const Candidates& entries, Prefer prefer) {
    std::vector<std::int32_t> places = place_rows(entries, prefer);
    if (places.size() != to_size(n)) return;
    for (const Placement& other : candidates) {
      if (other.coordinate_of_row == places) return;
    }
    Placement& placement = candidates.emplace_back();
    placement.coordinate_of_row = std::move(places);
    Symmetrizer(mass, placement).run();
  };
  propose(by_norm, Prefer::magnitude);
  propose(by_norm, Prefer::own_number);
  propose(present, Prefer::own_number);
  propose(present, Prefer::magnitude);
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Placement& a, const Placement& b) { return a.is_symmetric && !b.is_symmetric; });
  return candidates;
}

}  // namespace daedal
