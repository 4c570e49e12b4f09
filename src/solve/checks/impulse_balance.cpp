// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/impulse_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/dense/rank.hpp"

namespace daedal::solve_detail {

namespace {

/// A dense least-squares problem of larger models would be seen in the time of a run.
constexpr std::int64_t most_unknowns_in_balance = 60;
/// A remainder of a balance above this share of the greatest impulse is more than the errors of
/// the jumps.
constexpr double broken_share = 1e-2;

}  // namespace

bool ImpulseBalance::is_possible(const formulation::WrittenEquations& system) {
  return system.size() <= most_unknowns_in_balance && system.view().n_given == system.size();
}

ImpulseBalance::ImpulseBalance(const formulation::WrittenEquations& system,
                               std::span<const double> parameters)
    : system_(system),
      is_set_(to_size(system.size()), false),
      run_(system.make_model_run<formulation::ModelRun>()) {
  const GeneralView& view = system_.view();
  for (const WhenClause& clause : view.model.when_clauses())
    for (const WhenBranch& branch : clause.branches)
      for (const WhenAction& action : branch.actions)
        if (action.kind == WhenAction::Kind::reinit) is_set_[to_size(action.target)] = true;
  run_->parameters.assign(parameters.begin(), parameters.end());
  Pool pool(view.pool);
  // Rows do not tell the modes of relations: they follow from the values.
  auto inputs = formulation::model_inputs(view.model, pool);
  std::erase_if(inputs,
                [](const kernel::Input& input) { return input.block == formulation::block_modes; });
  std::vector<NodeId> algebraic = view.x;
  std::vector<NodeId> derivatives = view.xp;
  for (std::size_t j = 0; j < algebraic.size(); ++j)
    (view.is_differential[j] ? algebraic : derivatives)[j] = no_node;
  slopes_ = kernel::JacobianProgram::compile(
      pool, {.roots = view.residuals, .groups = {algebraic, derivatives}, .inputs = inputs});
  workspace_ = slopes_.make_workspace();
}

std::optional<std::string> ImpulseBalance::broken_equation(const Jumps& event) {
  const auto n = to_size(system_.size());
  const std::vector<double> rates(n, 0.0);
  run_->discretes.assign(event.discretes.begin(), event.discretes.end());
  run_->pre = run_->discretes;
  const SparsityPattern& pattern = slopes_.pattern();
  std::vector<double> by_algebraic(to_size(pattern.nonzeros()));
  std::vector<double> by_rates(by_algebraic.size());
  const std::array<std::span<double>, 2> arrays{by_algebraic, by_rates};
  slopes_.evaluate(run_->blocks(event.t, event.values, rates), arrays, workspace_);
  Matrix matrix = Matrix::Zero(to_index(n), to_index(n));
  Vector known = Vector::Zero(to_index(n));
  Vector scale = Vector::Zero(to_index(n));
  std::vector<bool> has_jump(n, false);
  const GeneralView& view = system_.view();
  for (std::size_t j = 0; j < n; ++j) {
    const bool is_differential = view.is_differential[j];
    const double size = event.sizes[j] > 0.0 ? event.sizes[j] : 1.0;
    for (auto p = to_size(pattern.column_start[j]); p < to_size(pattern.column_start[j + 1]); ++p) {
      const Index i = pattern.row[p];
      const double slope = (is_differential ? by_rates[p] : by_algebraic[p]) * size;
      if (!std::isfinite(slope)) return std::nullopt;
      scale(i) = std::max(scale(i), std::abs(slope));
      if (!is_differential || is_set_[j]) {
        matrix(i, to_index(j)) = slope;
      } else {
        known(i) -= slope * event.jumps[j] / size;
        has_jump[to_size(i)] = has_jump[to_size(i)] || (slope != 0.0 && event.jumps[j] != 0.0);
      }
    }
  }
  for (Index i = 0; i < matrix.rows(); ++i) {
    if (scale(i) == 0.0) continue;
    matrix.row(i) /= scale(i);
    known(i) /= scale(i);
  }
  const Vector left = matrix * linalg::min_norm_least_squares(matrix, known) - known;
  const double most = broken_share * known.cwiseAbs().maxCoeff();
  Index worst = -1;
  for (Index i = 0; i < left.size(); ++i) {
    if (!(std::abs(left(i)) > most)) continue;
    // The equation of what should jump, rather than of what does.
    const bool is_better = worst < 0 || (has_jump[to_size(worst)] && !has_jump[to_size(i)]) ||
                           (has_jump[to_size(worst)] == has_jump[to_size(i)] &&
                            std::abs(left(i)) > std::abs(left(worst)));
    if (is_better) worst = i;
  }
  if (worst < 0) return std::nullopt;
  return system_.row_name(worst);
}

}  // namespace daedal::solve_detail
