// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/boundary_formulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/dense/lu.hpp"
#include "model/views/general_view.hpp"

namespace daedal::solve_detail {

BoundaryFormulation::BoundaryFormulation(BoundaryForm form, std::vector<double> parameters,
                                         std::vector<std::string> names)
    : form_(std::move(form)),
      system_(general_view(form_.model), std::move(parameters)),
      names_(std::move(names)) {
  for (const int level : form_.levels) n_levels_ = std::max(n_levels_, level + 1);
  if (form_.outputs.empty()) return;
  Pool pool(form_.pool);
  outputs_ = kernel::Program::compile(pool, std::span(form_.outputs).first(names_.size()),
                                      formulation::model_inputs(form_.model, pool));
}

formulation::Start BoundaryFormulation::start(double, Run&) const {
  return {};
}

void BoundaryFormulation::to_model(double t, std::span<const double> x, std::span<const double> xp,
                                   Run& run, std::span<double> values,
                                   std::span<double> derivatives) const {
  if (form_.outputs.empty()) {
    std::copy_n(x.begin(), names_.size(), values.begin());
    if (!derivatives.empty()) std::copy_n(xp.begin(), names_.size(), derivatives.begin());
    return;
  }
  auto workspace = outputs_.make_workspace();
  outputs_.evaluate(static_cast<formulation::ModelRun&>(run).blocks(t, x, xp), values, workspace);
  std::ranges::fill(derivatives, std::numeric_limits<double>::quiet_NaN());
}

double BoundaryFormulation::constraint_residual(double t, std::span<const double> x,
                                                std::span<const double> xp, int level,
                                                Run& run) const {
  std::vector<double> values(form_.levels.size());
  system_.residual(t, x, xp, run, values);
  double greatest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (form_.levels[i] == level && !(std::abs(values[i]) <= greatest)) {
      greatest = std::abs(values[i]);
    }
  }
  return greatest;
}

bool BoundaryFormulation::is_regular(double t, std::span<const double> x,
                                     std::span<const double> xp, Run& run) const {
  const SparsityPattern& pattern = system_.pattern();
  std::vector<double> f_x(to_size(pattern.nonzeros()));
  std::vector<double> f_xp(f_x.size());
  if (system_.jacobian(t, x, xp, run, f_x, f_xp) != Evaluation::ok) return true;
  const Index n = system_.size();
  linalg::DenseLu<double> lu(n);
  auto matrix = lu.matrix();
  std::ranges::fill(matrix, 0.0);
  for (Index column = 0; column < n; ++column) {
    const bool is_differential = system_.kinds()[to_size(column)].differential;
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      const Index row = pattern.row[to_size(p)];
      const bool by_x = !is_differential || form_.levels[to_size(row)] >= 0;
      matrix[to_size(column * n + row)] = by_x ? f_x[to_size(p)] : f_xp[to_size(p)];
    }
  }
  return lu.factor().ok && lu.reciprocal_condition() > 1e-14;
}

}  // namespace daedal::solve_detail
