// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/hessenberg_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/views/constraint_levels.hpp"
#include "model/views/sample_points.hpp"

namespace daedal {

namespace {

/// GM⁻¹B is looked at numerically up to this size; beyond, the methods' own monitors must do.
constexpr std::size_t most_sampled_unknowns = 200;

bool has_equal_chains(const SemiExplicitForm& form) {
  return std::all_of(form.chains.begin(), form.chains.end(),
                     [&](const auto& chain) { return chain.size() == form.chains.front().size(); });
}

bool depends_on_heads_only(const SemiExplicitForm& form) {
  std::vector<bool> is_head(form.model.variables().size(), false);
  for (const auto& chain : form.chains) is_head[chain.front()] = true;
  for (const NodeId leaf : dependencies(*form.pool, form.constraints)) {
    const Node& node = (*form.pool)[leaf];
    if (node.op == Op::variable && !is_head[node.symbol]) return false;
  }
  return true;
}

bool is_identity(const Pool& pool, const std::vector<JacobianEntry>& mass) {
  return std::all_of(mass.begin(), mass.end(), [&](const JacobianEntry& entry) {
    const Node& node = pool[entry.value];
    return entry.row == entry.column && node.op == Op::constant && node.value == 1.0;
  });
}

Matrix dense(const std::vector<JacobianEntry>& entries, const Matrix& samples, Index first,
             std::pair<Index, Index> size) {
  Matrix matrix = Matrix::Zero(size.first, size.second);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    matrix(entries[i].row, entries[i].column) = samples(0, first + to_index(i));
  }
  return matrix;
}

/// Whether y enters the m-th derivative of g at all, at a random point.
bool reaches_algebraic(const HessenbergView& view, std::span<const double> parameters) {
  std::vector<NodeId> entries;
  for (const auto* list : {&view.mass, &view.coefficient, &view.jacobian}) {
    for (const JacobianEntry& entry : *list) entries.push_back(entry.value);
  }
  const Matrix samples = PointSampler(view.model, *view.pool, entries)(parameters, 1);
  if (samples.rows() == 0) return true;
  const Index n = to_index(view.force.size());
  const Index n_y = to_index(view.algebraic.size());
  const Index n_mass = to_index(view.mass.size());
  const Matrix mass = dense(view.mass, samples, 0, {n, n});
  const Matrix b = dense(view.coefficient, samples, n_mass, {n, n_y});
  const Matrix g =
      dense(view.jacobian, samples, n_mass + to_index(view.coefficient.size()), {n_y, n});
  Matrix m_inverse_b(n, n_y);
  for (Index j = 0; j < n_y; ++j) {
    m_inverse_b.col(j) = linalg::min_norm_least_squares(mass, b.col(j));
  }
  const double scale = g.norm() * m_inverse_b.norm();
  return (g * m_inverse_b).norm() > linalg::rank_tolerance * scale;
}

/// The rows of the dynamics in the order of the chains that they determine, where M is a permuted
/// diagonal matrix; otherwise as they stand.
std::vector<std::int32_t> row_order(const SemiExplicitForm& form) {
  const std::size_t n = form.rows.size();
  std::vector<std::int32_t> place(n, -1), count(n, 0);
  for (const JacobianEntry& entry : form.mass) {
    place[entry.row] = entry.column;
    ++count[entry.row];
  }
  const bool is_permutation = form.mass.size() == n &&
                              std::all_of(count.begin(), count.end(), [](int c) { return c == 1; });
  for (std::size_t i = 0; i < n && !is_permutation; ++i) place[i] = static_cast<std::int32_t>(i);
  return place;
}

void sort_by_columns(std::vector<JacobianEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const JacobianEntry& x, const JacobianEntry& y) {
    return std::pair(x.column, x.row) < std::pair(y.column, y.row);
  });
}

HessenbergView assemble(SemiExplicitForm form) {
  HessenbergView view;
  view.model = form.model;
  view.order = static_cast<int>(form.chains.front().size());
  view.states.resize(form.chains.front().size());
  for (const auto& chain : form.chains) {
    for (std::size_t k = 0; k < chain.size(); ++k) view.states[k].push_back(chain[k]);
  }
  view.algebraic = form.algebraic;
  const std::vector<std::int32_t> place = row_order(form);
  view.mass = form.mass;
  view.coefficient = form.coefficient;
  for (JacobianEntry& entry : view.mass) entry.row = place[entry.row];
  for (JacobianEntry& entry : view.coefficient) entry.row = place[entry.row];
  sort_by_columns(view.mass);
  sort_by_columns(view.coefficient);
  view.force.resize(form.force.size());
  for (std::size_t i = 0; i < place.size(); ++i) view.force[place[i]] = form.force[i];

  ConstraintLevels levels = constraint_levels(*form.pool, form.constraints, view.states);
  view.levels = std::move(levels.levels);
  view.remainder = std::move(levels.remainder);
  view.jacobian = std::move(levels.jacobian);
  view.constraint_equations = form.constraint_rows;
  view.outputs = form.outputs;
  view.mass_is_identity = is_identity(*form.pool, view.mass);
  form.pool->freeze();
  view.pool = form.pool;
  return view;
}

}  // namespace

Recognition<HessenbergView> hessenberg_view(const Model& model,
                                            std::span<const double> parameters) {
  auto form = semi_explicit_form(model, parameters, {.chains = true});
  const bool has_chains = form && !form.view->chains.empty() && has_equal_chains(*form.view) &&
                          depends_on_heads_only(*form.view);
  if (!has_chains) form = semi_explicit_form(model, parameters, {});
  if (!form) return {{}, form.reason};
  if (form.view->chains.empty()) return {{}, "the model has no differential equation"};
  if (form.view->constraints.empty()) return {{}, "the model has no constraint"};
  HessenbergView view = assemble(std::move(*form.view));
  if (view.force.size() <= most_sampled_unknowns && !reaches_algebraic(view, parameters)) {
    const std::int32_t y = view.algebraic.front();
    return {{},
            fmt::format("the constraints must be differentiated more than {} times before {} "
                        "appears, though the equations are of order {}",
                        view.order, variable_label(view.model.variables()[y]), view.order)};
  }
  return {std::move(view), {}};
}

}  // namespace daedal
