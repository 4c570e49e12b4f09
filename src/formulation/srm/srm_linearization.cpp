// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "formulation/srm/srm_context.hpp"

namespace daedal::formulation {

namespace {

/// c of the states.
std::vector<NodeId> violation(const ConstrainedView& view, std::span<const double> weights,
                              Pool& pool) {
  std::vector<NodeId> c(view.levels.front().size(), pool.constant(0.0));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    for (std::size_t i = 0; i < c.size(); ++i) {
      c[i] = pool.add(c[i], pool.mul(pool.constant(weights[j]), view.levels[j][i]));
    }
  }
  return c;
}

}  // namespace

/// Rows: M x⁽ᵐ⁾ − f + By, c, and ċ with x⁽ᵐ⁾ and y as leaves of their own.
SrmLinearization::SrmLinearization(const HessenbergContext& hessenberg,
                                   std::span<const double> weights)
    : hessenberg_(hessenberg) {
  const ConstrainedView& view = hessenberg_.view();
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
  const std::vector<NodeId> c = violation(view, weights, pool);
  rows.insert(rows.end(), c.begin(), c.end());
  std::vector<NodeId> rate = view.remainder;
  for (std::size_t j = 1; j < weights.size(); ++j) {
    for (std::size_t i = 0; i < rate.size(); ++i) {
      rate[i] = pool.add(rate[i], pool.mul(pool.constant(weights[j - 1]), view.levels[j][i]));
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
  program_ =
      kernel::JacobianProgram::compile(pool, {.roots = rows, .groups = {states}, .inputs = inputs});
}

void SrmLinearization::prepare(SrmWork& work) const {
  work.linearization = program_.make_workspace();
  work.linear_values.resize(to_size(program_.pattern().nonzeros()));
}

Evaluation SrmLinearization::evaluate(double t, std::span<const double> x, SrmRun& run) const {
  SrmWork& work = *run.work;
  const std::span<double> groups[] = {work.linear_values};
  program_.evaluate(hessenberg_.blocks(t, x, run), groups, work.linearization);
  const Index n = hessenberg_.n(), k = hessenberg_.m();
  work.top_x.setZero();
  work.c_x.setZero();
  work.rate_x.setZero();
  const SparsityPattern& pattern = program_.pattern();
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
    return note_failure(Status::non_finite_value, "A derivative of the equations is not finite.",
                        run);
  }
  if (!hessenberg_.view().mass_is_identity) {
    for (Index j = 0; j < work.top_x.cols(); ++j) {
      work.mass.solve({work.top_x.col(j).data(), to_size(n)});
    }
  }
  work.rate_x.noalias() += work.g * work.top_x;
  return Evaluation::ok;
}

}  // namespace daedal::formulation
