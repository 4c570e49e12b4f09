// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/force_matching.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/scaling.hpp"
#include "model/views/row_placement.hpp"

namespace daedal {

namespace {

/// Components of null vectors below this share of the greatest are rounding errors.
constexpr double open_share = 1e-6;

/// A sparse vector at several points: coordinate → values.
struct SampledVector {
  std::vector<std::int32_t> coordinates;  ///< ascending
  Matrix values;                          ///< points × coordinates
};

/// Rows or columns of a sampled matrix, as vectors over coordinates.
std::vector<SampledVector> gather(const SampledMatrix& matrix, std::int32_t n_vectors,
                                  auto vector_and_coordinate) {
  std::vector<std::vector<std::pair<std::int32_t, std::size_t>>> entries(to_size(n_vectors));
  for (std::size_t k = 0; k < matrix.at.size(); ++k) {
    const auto [vector, coordinate] = vector_and_coordinate(matrix.at[k]);
    entries[vector].emplace_back(coordinate, k);
  }
  std::vector<SampledVector> vectors(to_size(n_vectors));
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    std::sort(entries[v].begin(), entries[v].end());
    vectors[v].values.resize(matrix.values.rows(), to_index(entries[v].size()));
    for (std::size_t i = 0; i < entries[v].size(); ++i) {
      vectors[v].coordinates.push_back(entries[v][i].first);
      vectors[v].values.col(to_index(i)) = matrix.values.col(to_index(entries[v][i].second));
    }
  }
  return vectors;
}

/// Stacks vectors on a common list of coordinates: points·coordinates rows, one column each. Each
/// coordinate is multiplied by its unit, so that a misfit in one of them is seen whatever the
/// units.
Matrix stack(const std::vector<const SampledVector*>& vectors,
             const std::vector<std::int32_t>& coordinates, std::span<const double> units) {
  const Index n_points = vectors.front()->values.rows();
  Matrix stacked = Matrix::Zero(n_points * to_index(coordinates.size()), to_index(vectors.size()));
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    for (std::size_t i = 0; i < vectors[v]->coordinates.size(); ++i) {
      const auto place =
          std::lower_bound(coordinates.begin(), coordinates.end(), vectors[v]->coordinates[i]);
      const Index row = to_index(static_cast<std::size_t>(place - coordinates.begin()));
      stacked.block(row * n_points, to_index(v), n_points, 1) =
          units[to_size(vectors[v]->coordinates[i])] * vectors[v]->values.col(to_index(i));
    }
  }
  return stacked;
}

std::vector<std::int32_t> united_coordinates(const std::vector<const SampledVector*>& vectors) {
  std::set<std::int32_t> all;
  for (const SampledVector* vector : vectors) {
    all.insert(vector->coordinates.begin(), vector->coordinates.end());
  }
  return {all.begin(), all.end()};
}

class Matcher {
 public:
  Matcher(std::vector<SampledVector> gradients, std::vector<SampledVector> forces,
          std::int32_t n_coordinates)
      : gradients_(std::move(gradients)),
        forces_(std::move(forces)),
        constraints_of_(to_size(n_coordinates)),
        units_(to_size(n_coordinates), 0.0) {
    for (const SampledVector& gradient : gradients_) {
      for (std::size_t i = 0; i < gradient.coordinates.size(); ++i) {
        double& size = units_[to_size(gradient.coordinates[i])];
        size = std::max(size, gradient.values.col(to_index(i)).cwiseAbs().maxCoeff());
      }
    }
    for (double& unit : units_) unit = linalg::reciprocal_power_of_two(unit);
    for (std::size_t c = 0; c < gradients_.size(); ++c) {
      for (const std::int32_t coordinate : gradients_[c].coordinates) {
        constraints_of_[coordinate].push_back(static_cast<std::int32_t>(c));
      }
    }
  }

  /// Multiplies the rows of the forces by factors per coordinate.
  void scale_forces(const std::vector<double>& factor_of_coordinate) {
    for (SampledVector& force : forces_) {
      for (std::size_t i = 0; i < force.coordinates.size(); ++i) {
        force.values.col(to_index(i)) *= factor_of_coordinate[force.coordinates[i]];
      }
    }
  }

  /// Finds S column by column. The multiplier without a column is the return value, −1 if none.
  std::int32_t find_scale(std::vector<SparseEntry>& scale) const {
    scale.clear();
    std::vector<bool> is_taken(gradients_.size(), false);
    std::vector<std::int32_t> remaining;
    for (std::size_t l = 0; l < forces_.size(); ++l) {
      if (!match_one(static_cast<std::int32_t>(l), is_taken, scale)) {
        remaining.push_back(static_cast<std::int32_t>(l));
      }
    }
    for (const std::int32_t l : remaining) {
      if (!match_several(l, scale)) return l;
    }
    return -1;
  }

  /// Factors of components of coordinates that let the forces match, spread from multiplier to
  /// multiplier; 1 where nothing decides.
  [[nodiscard]] std::vector<double> component_factors(const Placement& placement) const;

 private:
  [[nodiscard]] std::vector<std::pair<std::int32_t, double>> demanded_factors(
      std::int32_t l, const Placement& placement) const;

  [[nodiscard]] std::vector<std::int32_t> neighbours(std::int32_t l) const {
    std::set<std::int32_t> found;
    for (const std::int32_t coordinate : forces_[l].coordinates) {
      found.insert(constraints_of_[coordinate].begin(), constraints_of_[coordinate].end());
    }
    return {found.begin(), found.end()};
  }

  /// One constraint, not yet taken, whose gradient is the force up to a factor: the l-th if it is,
  /// else the first.
  bool match_one(std::int32_t l, std::vector<bool>& is_taken,
                 std::vector<SparseEntry>& scale) const {
    std::vector<std::int32_t> candidates = neighbours(l);
    const auto same = std::find(candidates.begin(), candidates.end(), l);
    if (same != candidates.end()) std::rotate(candidates.begin(), same, same + 1);
    for (const std::int32_t c : candidates) {
      if (is_taken[c]) continue;
      const std::vector<const SampledVector*> both{&gradients_[c], &forces_[l]};
      const Matrix stacked = stack(both, united_coordinates(both), units_);
      const Vector gradient = stacked.col(0);
      const Vector force = stacked.col(1);
      const double factor = gradient.dot(force) / gradient.squaredNorm();
      if (!std::isfinite(factor) || factor == 0.0) continue;
      if ((force - factor * gradient).norm() > same_value * force.norm()) continue;
      is_taken[c] = true;
      scale.push_back({c, l, tidy(factor)});
      return true;
    }
    return false;
  }

  bool match_several(std::int32_t l, std::vector<SparseEntry>& scale) const {
    const std::vector<std::int32_t> candidates = neighbours(l);
    if (candidates.empty()) return false;
    std::vector<const SampledVector*> vectors;
    for (const std::int32_t c : candidates) vectors.push_back(&gradients_[c]);
    vectors.push_back(&forces_[l]);
    const Matrix stacked = stack(vectors, united_coordinates(vectors), units_);
    const Index n = to_index(candidates.size());
    const Vector force = stacked.col(n);
    if (force.norm() == 0.0) return false;
    const Vector column = linalg::min_norm_least_squares(stacked.leftCols(n), force);
    const double misfit = (stacked.leftCols(n) * column - force).norm();
    if (!(misfit <= same_value * force.norm())) return false;
    const double largest = column.cwiseAbs().maxCoeff();
    for (Index i = 0; i < n; ++i) {
      if (std::abs(column[i]) <= same_value * largest) continue;
      scale.push_back({candidates[i], l, tidy(column[i])});
    }
    return true;
  }

  /// Halves, wholes and their like without the rounding of the fit.
  static double tidy(double value) {
    // A power of two, so that multiples of 1/1024 are exact; coarser than any rounding of the fit.
    constexpr double grid = 1024.0;
    const double near = std::round(value * grid) / grid;
    return std::abs(near - value) <= 1e-13 * std::abs(value) ? near : value;
  }

  std::vector<SampledVector> gradients_;
  std::vector<SampledVector> forces_;
  std::vector<std::vector<std::int32_t>> constraints_of_;
  std::vector<double> units_;  ///< of the coordinates: one over their greatest entry in G
};

/// The factors that one multiplier demands of the components it acts on, up to a common one:
/// Σ_c S_cl G_c − Σ_k factor_k · (force on component k) = 0 has one solution when it decides them.
std::vector<std::pair<std::int32_t, double>> Matcher::demanded_factors(
    std::int32_t l, const Placement& placement) const {
  const SampledVector& force = forces_[l];
  std::map<std::int32_t, SampledVector> parts;
  for (std::size_t i = 0; i < force.coordinates.size(); ++i) {
    SampledVector& part = parts[placement.component[force.coordinates[i]]];
    if (part.coordinates.empty()) part.values.resize(force.values.rows(), 0);
    part.coordinates.push_back(force.coordinates[i]);
    part.values.conservativeResize(Eigen::NoChange, part.values.cols() + 1);
    part.values.rightCols(1) = force.values.col(to_index(i));
  }
  std::vector<const SampledVector*> vectors;
  for (const auto& [component, part] : parts) vectors.push_back(&part);
  for (const std::int32_t c : neighbours(l)) vectors.push_back(&gradients_[c]);
  Matrix stacked = stack(vectors, united_coordinates(vectors), units_);
  const Vector sizes = stacked.colwise().norm().transpose();
  for (Index k = 0; k < sizes.size(); ++k)
    if (sizes[k] > 0.0) stacked.col(k) /= sizes[k];
  const Matrix null = linalg::null_space(stacked, same_value);
  std::vector<std::pair<std::int32_t, double>> factors;
  if (null.cols() == 0) return factors;
  // Constraints that repeat each other leave their shares in S open, which are no matter here.
  const linalg::Svd svd = linalg::svd(null.topRows(to_index(parts.size())));
  const bool is_unique = svd.s.size() == 1 || svd.s(1) <= open_share * svd.s(0);
  if (!(svd.s(0) > open_share) || !is_unique) return factors;
  for (const auto& [component, part] : parts) {
    const Index k = to_index(factors.size());
    factors.emplace_back(component, sizes[k] > 0.0 ? svd.u(k, 0) / sizes[k] : 0.0);
  }
  return factors;
}

std::vector<double> Matcher::component_factors(const Placement& placement) const {
  std::vector<std::vector<std::int32_t>> multipliers_of(to_size(placement.n_components));
  for (std::size_t l = 0; l < forces_.size(); ++l) {
    for (const std::int32_t i : forces_[l].coordinates) {
      auto& list = multipliers_of[placement.component[i]];
      const auto multiplier = static_cast<std::int32_t>(l);
      if (list.empty() || list.back() != multiplier) list.push_back(multiplier);
    }
  }
  std::vector<double> factor(multipliers_of.size(), 0.0);
  std::vector<bool> is_used(forces_.size(), false);
  for (std::size_t start = 0; start < factor.size(); ++start) {
    if (factor[start] != 0.0) continue;
    factor[start] = 1.0;
    std::vector<std::int32_t> queue{static_cast<std::int32_t>(start)};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::int32_t decided = queue[next];
      for (const std::int32_t l : multipliers_of[decided]) {
        if (is_used[l]) continue;
        is_used[l] = true;
        const auto demanded = demanded_factors(l, placement);
        const auto own = std::find_if(demanded.begin(), demanded.end(),
                                      [&](const auto& f) { return f.first == decided; });
        if (own == demanded.end() || own->second == 0.0) continue;
        for (const auto& [component, value] : demanded) {
          if (factor[component] != 0.0 || value == 0.0) continue;
          factor[component] = factor[decided] * value / own->second;
          queue.push_back(component);
        }
      }
    }
  }
  return factor;
}

/// S⁻¹ block by block of the bipartite graph of S; empty when S is singular.
std::vector<SparseEntry> inverse_of(const std::vector<SparseEntry>& scale, std::int32_t m) {
  std::vector<std::int32_t> parent(2 * to_size(m));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const SparseEntry& entry : scale) parent[root(entry.row)] = root(m + entry.column);
  struct Block {
    std::vector<std::int32_t> rows, columns;
    std::vector<SparseEntry> entries;
  };
  std::vector<Block> blocks(2 * to_size(m));
  std::vector<Index> place(2 * to_size(m));
  for (std::int32_t i = 0; i < 2 * m; ++i) {
    Block& block = blocks[root(i)];
    auto& list = i < m ? block.rows : block.columns;
    place[i] = to_index(list.size());
    list.push_back(i < m ? i : i - m);
  }
  for (const SparseEntry& entry : scale) blocks[root(entry.row)].entries.push_back(entry);

  std::vector<SparseEntry> inverse;
  for (const Block& block : blocks) {
    const Index n = to_index(block.rows.size());
    if (block.columns.size() != block.rows.size()) return {};
    if (n == 0) continue;
    Matrix dense = Matrix::Zero(n, n);
    for (const SparseEntry& entry : block.entries) {
      dense(place[entry.row], place[m + entry.column]) = entry.value;
    }
    if (linalg::decide_rank(dense).rank < n) return {};
    for (Index c = 0; c < n; ++c) {
      const Vector column = linalg::min_norm_least_squares(dense, Vector::Unit(n, c));
      for (Index l = 0; l < n; ++l) {
        if (column[l] == 0.0) continue;
        inverse.push_back({block.columns[l], block.rows[c], column[l]});
      }
    }
  }
  return inverse;
}

}  // namespace

ForceMatching match_forces(const SampledMatrix& mass, const SampledMatrix& coefficient,
                           const SampledMatrix& jacobian,
                           std::pair<std::int32_t, std::int32_t> size) {
  const auto [n, m] = size;
  ForceMatching result;
  for (const Placement& placement : candidate_placements(mass, n)) {
    const auto& coordinate_of = placement.coordinate_of_row;
    std::vector<double> factor(to_size(n), 1.0);
    for (std::size_t r = 0; r < coordinate_of.size(); ++r) {
      factor[coordinate_of[r]] = placement.factor_of_row[r];
    }
    Matcher matcher(
        gather(jacobian, m, [](auto entry) { return entry; }),
        gather(coefficient, m,
               [&](auto entry) { return std::pair(entry.second, coordinate_of[entry.first]); }),
        n);
    matcher.scale_forces(factor);
    std::int32_t failed = matcher.find_scale(result.scale);
    if (failed >= 0) {
      const std::vector<double> component = matcher.component_factors(placement);
      std::vector<double> more(to_size(n));
      for (std::size_t i = 0; i < more.size(); ++i) more[i] = component[placement.component[i]];
      matcher.scale_forces(more);
      failed = matcher.find_scale(result.scale);
      for (std::size_t i = 0; i < more.size(); ++i) factor[i] *= more[i];
    }
    result.inverse_scale = failed < 0 ? inverse_of(result.scale, m) : std::vector<SparseEntry>();
    result.ok = failed < 0 && (m == 0 || !result.inverse_scale.empty());
    if (!result.ok) {
      if (result.failed_multiplier < 0) result.failed_multiplier = failed;
      continue;
    }
    result.coordinate_of_row = coordinate_of;
    for (const std::int32_t coordinate : coordinate_of) {
      result.factor_of_row.push_back(factor[coordinate]);
    }
    result.is_symmetric = placement.is_symmetric;
    result.failed_multiplier = -1;
    return result;
  }
  return result;
}

}  // namespace daedal
