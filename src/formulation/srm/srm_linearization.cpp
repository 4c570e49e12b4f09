// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formulation/srm/srm_context.hpp"

namespace daedal::formulation {

std::vector<NodeId> SrmContext::violation(Pool& pool) const {
  const HessenbergView& view = hessenberg_.view();
  std::vector<NodeId> c(view.levels.front().size(), pool.constant(0.0));
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    for (std::size_t i = 0; i < c.size(); ++i) {
      c[i] = pool.add(c[i], pool.mul(pool.constant(weights_[j]), view.levels[j][i]));
    }
  }
  return c;
}

/// Rows: M x⁽ᵐ⁾ − f + By, c, and ċ with x⁽ᵐ⁾ and y as leaves of their own.
void SrmContext::compile_linearization() {
  const HessenbergView& view = hessenberg_.view();
  Pool pool(view.pool);
  std::vector<NodeId> rows;
  for (const NodeId force : view.force) rows.push_back(pool.neg(force));
  const auto top = [&](std::int32_t i) { return pool.variable(view.states.back()[to_size(i)], 1); };
  for (const JacobianEntry& m : view.mass) {
    rows[to_size(m.row)] = pool.add(rows[to_size(m.row)], pool.mul(m.value, top(m.column)));
  }
  for (const JacobianEntry& b : view.coefficient) {
    const NodeId y = pool.variable(view.algebraic[to_size(b.column)]);
    rows[to_size(b.row)] = pool.add(rows[to_size(b.row)], pool.mul(b.value, y));
  }
  const std::vector<NodeId> c = violation(pool);
  rows.insert(rows.end(), c.begin(), c.end());
  std::vector<NodeId> rate = view.remainder;
  for (std::size_t j = 1; j < weights_.size(); ++j) {
    for (std::size_t i = 0; i < rate.size(); ++i) {
      rate[i] = pool.add(rate[i], pool.mul(pool.constant(weights_[j - 1]), view.levels[j][i]));
    }
  }
  for (const JacobianEntry& g : view.jacobian) {
    rate[to_size(g.row)] = pool.add(rate[to_size(g.row)], pool.mul(g.value, top(g.column)));
  }
  rows.insert(rows.end(), rate.begin(), rate.end());
  std::vector<NodeId> states;
  for (const auto& level : view.states) {
    for (const std::int32_t variable : level) states.push_back(pool.variable(variable));
  }
  const std::vector<kernel::Input> inputs = hessenberg_.inputs(pool);
  linearization_ =
      kernel::JacobianProgram::compile(pool, {.roots = rows, .groups = {states}, .inputs = inputs});
}

Evaluation SrmContext::linearize(double t, std::span<const double> x, SrmRun& run) const {
  SrmWork& work = *run.work;
  const std::span<double> groups[] = {work.linear_values};
  linearization_.evaluate(hessenberg_.blocks(t, x, run), groups, work.linearization);
  const Index n = hessenberg_.n(), k = n_multipliers();
  work.top_x.setZero();
  work.c_x.setZero();
  work.rate_x.setZero();
  const SparsityPattern& pattern = linearization_.pattern();
  for (Index j = 0; j < pattern.columns; ++j) {
    for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j + 1)];
         ++p) {
      const Index row = pattern.row[to_size(p)];
      const double value = work.linear_values[to_size(p)];
      if (row < n) {
        work.top_x(row, j) = -value;
      } else if (row < n + k) {
        work.c_x(row - n, j) = value;
      } else {
        work.rate_x(row - n - k, j) = value;
      }
    }
  }
  if (!work.top_x.allFinite() || !work.c_x.allFinite() || !work.rate_x.allFinite()) {
    return fail(Status::non_finite_value, "A derivative of the equations is not finite.", run);
  }
  if (!hessenberg_.view().mass_is_identity) {
    for (Index j = 0; j < work.top_x.cols(); ++j) {
      work.mass.solve({work.top_x.col(j).data(), to_size(n)});
    }
  }
  work.rate_x.noalias() += work.g * work.top_x;
  return Evaluation::ok;
}

// δy_s = L⁻¹(δy_{s−1} + (1/ε) E (α₁ δċ|_y + α₂ δc)), L = I + (α₁/ε)EA, and δx_s⁽ᵐ⁾ follows.
Evaluation SrmContext::jacobian_at(double t, std::span<const double> x, SrmRun& run,
                                   std::span<double> f_x) const {
  const Evaluation solved = chain_at(t, x, run);
  if (solved != Evaluation::ok) return solved;
  SrmWork& work = *run.work;
  const double epsilon = memory(run).epsilon();
  const Index n = hessenberg_.n(), all = n_states_ * settings_.iterations;
  Eigen::Map<Matrix> jacobian(f_x.data(), all, all);
  jacobian.setZero();
  for (Index s = 0; s < settings_.iterations; ++s) {
    const Index first = s * n_states_;
    const auto state = x.subspan(to_size(first), to_size(n_states_));
    Evaluation ready = point(t, state, run);
    if (ready == Evaluation::ok) ready = prepare_gain(t, run);
    std::ranges::copy(work.top(s), run.top.begin());
    std::ranges::copy(work.multiplier(s), run.multiplier.begin());
    if (ready == Evaluation::ok) ready = linearize(t, state, run);
    if (ready != Evaluation::ok) return ready;
    auto own = work.y_x.middleCols(first, n_states_);
    own = (settings_.direction * settings_.alpha2 / epsilon) * work.c_x;
    if (settings_.alpha1 != 0.0) own += (settings_.alpha1 / epsilon) * work.rate_x;
    const auto k = to_size(n_multipliers());
    for (Index j = 0; j < first + n_states_; ++j) {
      const std::span<double> column(work.y_x.col(j).data(), k);
      if (j >= first) apply_gain(column, run);
      if (settings_.alpha1 == 0.0) continue;
      if (memory(run).gain() == Gain::inverse) {
        as_vector(column) /= 1.0 + settings_.alpha1 / epsilon;
      } else {
        work.implicit.solve(column);
      }
    }
    const Index bottom = first + n_states_ - n;
    jacobian.block(bottom, 0, n, first + n_states_).noalias() =
        -work.b * work.y_x.leftCols(first + n_states_);
    jacobian.block(bottom, first, n, n_states_) += work.top_x;
    for (Index i = first; i < bottom; ++i) jacobian(i, i + n) = 1.0;
  }
  return Evaluation::ok;
}

Evaluation SrmContext::jacobian(double t, std::span<const double> x, SrmRun& run,
                                std::span<double> f_x) const {
  std::vector<double>& side = run.work->jacobian_side;
  if (side.empty()) side.resize(f_x.size());
  return at_or_around(t, run, f_x, side,
                      [&](double time) { return jacobian_at(time, x, run, f_x); });
}

}  // namespace daedal::formulation
