// SPDX-License-Identifier: BSD-3-Clause
#include "integrate/one_step/as_implicit.hpp"

#include <algorithm>

#include "core/types.hpp"
#include "system/differences.hpp"

namespace daedal::integration {

AsImplicit::AsImplicit(const ExplicitSystem& system)
    : system_(system),
      sparse_(system.has_complete() ? nullptr : dynamic_cast<const SparseSlopes*>(&system)) {
  if (sparse_ == nullptr) return;
  const SparsityPattern& slopes = sparse_->slopes_pattern();
  pattern_ = {.rows = slopes.rows, .columns = slopes.columns, .column_start = {0}, .row = {}};
  for (Index j = 0; j < slopes.columns; ++j) {
    bool has_diagonal = false;
    const auto add_diagonal = [&] {
      has_diagonal = true;
      diagonal_.push_back(pattern_.row.size());
      pattern_.row.push_back(j);
    };
    for (Index p = slopes.column_start[to_size(j)]; p < slopes.column_start[to_size(j) + 1]; ++p) {
      const Index row = slopes.row[to_size(p)];
      if (row > j && !has_diagonal) add_diagonal();
      place_.push_back(pattern_.row.size());
      if (row == j) {
        add_diagonal();
      } else {
        pattern_.row.push_back(row);
      }
    }
    if (!has_diagonal) add_diagonal();
    pattern_.column_start.push_back(pattern_.nonzeros());
  }
}

Evaluation AsImplicit::rhs(double t, std::span<const double> x, Run& run,
                           std::span<double> f) const {
  if (!system_.has_complete()) return system_.rhs(t, x, run, f);
  const std::span<double> completed = differences_of(run, pattern()).point();
  std::ranges::copy(x, completed.begin());
  const auto evaluation = system_.complete(t, completed, run);
  return evaluation == Evaluation::ok ? system_.rhs(t, completed, run, f) : evaluation;
}

Evaluation AsImplicit::residual(double t, std::span<const double> x, std::span<const double> xp,
                                Run& run, std::span<double> values) const {
  const auto evaluation = rhs(t, x, run, values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = xp[i] - values[i];
  return evaluation;
}

Evaluation AsImplicit::jacobian(double t, std::span<const double> x, std::span<const double>,
                                Run& run, std::span<double> f_x, std::span<double> f_xp) const {
  if (sparse_ != nullptr) return sparse_jacobian(t, x, run, f_x, f_xp);
  const std::size_t n = x.size();
  std::ranges::fill(f_xp, 0.0);
  for (std::size_t i = 0; i < n; ++i) f_xp[i * n + i] = 1.0;
  const auto evaluation = system_.has_jacobian() && !system_.has_complete()
                              ? system_.jacobian(t, x, run, f_x)
                              : differences_of(run, pattern())
                                    .evaluate(
                                        x, nominals(),
                                        [&](std::span<const double> moved, std::span<double> f) {
                                          return rhs(t, moved, run, f);
                                        },
                                        run, f_x);
  for (double& entry : f_x) entry = -entry;
  return evaluation;
}

Evaluation AsImplicit::sparse_jacobian(double t, std::span<const double> x, Run& run,
                                       std::span<double> f_x, std::span<double> f_xp) const {
  // The other array holds the slopes for a moment.
  const std::span<double> slopes = f_xp.first(place_.size());
  const auto evaluation = sparse_->slopes(t, x, run, slopes);
  std::ranges::fill(f_x, 0.0);
  for (std::size_t k = 0; k < place_.size(); ++k) f_x[place_[k]] = -slopes[k];
  std::ranges::fill(f_xp, 0.0);
  for (const std::size_t p : diagonal_) f_xp[p] = 1.0;
  return evaluation;
}

}  // namespace daedal::integration
