// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forcing.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace daedal::bvp {

Forcing::Forcing(const Points& points, std::vector<double> mesh, std::vector<double> values)
    : points_(&points), mesh_(std::move(mesh)), values_(std::move(values)) {
  const Index n_points = (to_index(mesh_.size()) - 1) * points.k;
  n_ = to_index(values_.size()) / n_points;
}

std::span<const double> Forcing::at_point(Index interval, Index j) const {
  const Index number = points_ == nullptr ? 0 : interval * points_->k + j;
  return std::span(values_).subspan(to_size(number * n_), to_size(n_));
}

void Forcing::at(double t, std::span<double> out) const {
  if (points_ == nullptr) {
    std::ranges::copy(values_, out.begin());
    return;
  }
  const auto end = std::lower_bound(mesh_.begin() + 1, mesh_.end() - 1, t);
  const Index interval = end - mesh_.begin() - 1;
  const double h = mesh_[to_size(interval) + 1] - mesh_[to_size(interval)];
  std::array<double, 5> ell{};
  std::array<double, 5> unused{};
  points_->evaluate((t - mesh_[to_size(interval)]) / h, ell, unused);
  std::ranges::fill(out, 0.0);
  for (Index j = 0; j < points_->k; ++j) {
    const auto values = at_point(interval, j);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += ell[to_size(j)] * values[i];
  }
}

Evaluation ForcedSystem::residual(double t, std::span<const double> x, std::span<const double> xp,
                                  Run& run, std::span<double> values) const {
  const Evaluation result = system_.residual(t, x, xp, run, values);
  if (forcing_ == nullptr) return result;
  forcing_->at(t, buffer_);
  for (std::size_t i = 0; i < rows_.size(); ++i) values[to_size(rows_[i])] += buffer_[i];
  return result;
}

}  // namespace daedal::bvp
