// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/taylor/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <map>

#include "expr/calculus.hpp"
#include "formulation/taylor/series_parts.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

double factorial(int n) {
  double product = 1.0;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

/// Entries below this share of the greatest one of their unknown vanish at a position.
constexpr double vanishing_entry = 1e-3;

double binomial(int n, int k) {
  return std::round(factorial(n) / (factorial(k) * factorial(n - k)));
}

/// ∂roots/∂leaves as a program, with the place of every output.
kernel::Program compile_jacobian(Pool& pool, std::span<const NodeId> roots,
                                 std::span<const TaylorLeaf> leaves,
                                 std::vector<BlockStart::Entry>& entries) {
  std::vector<NodeId> nodes;
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k].own < 0) continue;
    nodes.push_back(leaves[k].node);
    numbers.push_back(k);
  }
  std::vector<NodeId> values;
  for (const JacobianEntry& entry : daedal::jacobian(pool, roots, nodes)) {
    entries.push_back({entry.row, numbers[static_cast<std::size_t>(entry.column)]});
    values.push_back(entry.value);
  }
  return kernel::Program::compile(pool, values, TaylorStructure::inputs(pool, values, leaves));
}

}  // namespace

std::vector<BlockStart> make_block_starts(const GeneralView& view,
                                          const TaylorStructure& structure) {
  std::vector<BlockStart> starts(structure.blocks().size());
  const auto initial = view.model.initial_equations();
  Pool pool(view.pool);
  std::vector<std::vector<NodeId>> roots(starts.size());
  for (std::size_t e = 0; e < initial.size(); ++e) {
    const NodeId root = pool.sub(initial[e].lhs, initial[e].rhs);
    Index last = -1;
    for (const TaylorLeaf& leaf : structure.leaves_of(pool, std::span(&root, 1), -1))
      last = std::max(last, structure.block_of(leaf.unknown));
    if (last < 0) {
      throw ModelError(ErrorCode::not_recognized,
                       fmt::format("The initial equation {} has no variable to determine.",
                                   equation_label(initial[e], to_index(e))));
    }
    starts[to_size(last)].initial.push_back(to_index(e));
    roots[to_size(last)].push_back(root);
  }
  for (std::size_t b = 0; b < starts.size(); ++b) {
    BlockStart& start = starts[b];
    const TaylorBlock& block = structure.blocks()[b];
    std::vector<NodeId> equations;
    for (const Index row : block.rows)
      equations.push_back(view.residuals[to_size(structure.model().equations[to_size(row)])]);
    Pool own(view.pool);
    start.jacobian = compile_jacobian(own, equations, block.leaves, start.entries);
    if (roots[b].empty()) continue;
    start.leaves = structure.leaves_of(pool, roots[b], to_index(b));
    for (const TaylorLeaf& leaf : start.leaves) {
      if (leaf.own < 0 || leaf.order <= block.d[to_size(leaf.own)]) continue;
      throw ModelError(ErrorCode::not_recognized,
                       fmt::format("An initial equation uses {}, a derivative that the equations "
                                   "do not determine at the start.",
                                   structure.unknown_name(leaf.unknown, leaf.order)));
    }
    start.initial_residuals = kernel::Program::compile(
        pool, roots[b], TaylorStructure::inputs(pool, roots[b], start.leaves));
    start.initial_jacobian = compile_jacobian(pool, roots[b], start.leaves, start.initial_entries);
  }
  return starts;
}

BlockConstraints::BlockConstraints(const TaylorStructure& structure, const BlockStart& start,
                                   BlockExpansion& expansion, SeriesState& state, ModelRun& run,
                                   bool with_initial)
    : structure_(structure),
      block_(expansion.block()),
      start_(start),
      expansion_(expansion),
      state_(state),
      run_(run),
      n_initial_(with_initial ? start.initial.size() : 0),
      evaluator_(start.jacobian, block_.max_c),
      initial_residuals_(start.initial_residuals),
      initial_jacobian_(start.initial_jacobian) {
  build();
  series_.resize(start.entries.size() * (to_size(block_.max_c) + 1));
  leaf_series_.resize(block_.leaves.size() * (to_size(block_.max_c) + 1));
  initial_values_.resize(start.leaves.size());
}

void BlockConstraints::build() {
  Index n = 0;
  for (const int d : block_.d) {
    first_column_.push_back(n);
    n += d + 1;
  }
  pattern_.columns = n;
  n = 0;
  for (const int c : block_.c) {
    first_row_.push_back(n);
    n += c + 1;
  }
  const Index first_initial = n;
  pattern_.rows = n + to_index(n_initial_);
  // f^(m) by x^(l): Σ binom(m, q) D^(m−q) ∂f/∂x^(l−q), over the derivatives of x in f.
  std::map<std::pair<Index, Index>, std::vector<Term>> entries;
  for (std::size_t e = 0; e < start_.entries.size(); ++e) {
    const auto [row, number] = start_.entries[e];
    const TaylorLeaf& leaf = block_.leaves[number];
    for (int m = 0; m <= block_.c[to_size(row)]; ++m) {
      for (int q = 0; q <= m; ++q) {
        const int l = leaf.order + q;
        if (l > block_.d[to_size(leaf.own)]) break;
        entries[{column(leaf.own, l), first_row_[to_size(row)] + m}].push_back(
            {.position = 0,
             .entry = e,
             .degree = m - q,
             .factor = binomial(m, q) * factorial(m - q)});
      }
    }
  }
  for (std::size_t e = 0; n_initial_ > 0 && e < start_.initial_entries.size(); ++e) {
    const auto [row, number] = start_.initial_entries[e];
    const TaylorLeaf& leaf = start_.leaves[number];
    entries[{column(leaf.own, leaf.order), first_initial + row}].push_back(
        {.position = 0, .entry = start_.entries.size() + e, .degree = 0, .factor = 1.0});
  }
  pattern_.column_start.assign(to_size(pattern_.columns) + 1, 0);
  for (auto& [key, terms] : entries) {
    for (Term& term : terms) {
      term.position = to_index(pattern_.row.size());
      terms_.push_back(term);
    }
    ++pattern_.column_start[to_size(key.first) + 1];
    pattern_.row.push_back(key.second);
  }
  for (std::size_t j = 0; j < to_size(pattern_.columns); ++j)
    pattern_.column_start[j + 1] += pattern_.column_start[j];
}

void BlockConstraints::unpack(std::span<const double> u) {
  std::size_t k = 0;
  for (std::size_t j = 0; j < block_.unknowns.size(); ++j) {
    auto& x = state_.x[to_size(block_.unknowns[j])];
    double factor = 1.0;
    for (int l = 0; l <= block_.d[j]; ++l) {
      x[to_size(l)] = u[k++] * factor;
      factor *= state_.scale / (l + 1);
    }
  }
}

std::span<const double> BlockConstraints::initial_leaves() {
  for (std::size_t k = 0; k < initial_values_.size(); ++k) {
    const TaylorLeaf& leaf = start_.leaves[k];
    initial_values_[k] = state_.x[to_size(leaf.unknown)][to_size(leaf.order)] *
                         factorial(leaf.order) / std::pow(state_.scale, leaf.order);
  }
  return initial_values_;
}

Index BlockConstraints::residual(std::span<const double> u, std::span<double> values) {
  unpack(u);
  expansion_.residuals(state_, values);
  if (n_initial_ > 0) {
    const auto found = initial_residuals_(run_.blocks(state_.t, initial_leaves(), {}));
    std::ranges::copy(found, values.end() - to_index(n_initial_));
  }
  return first_not_finite(values);
}

Index BlockConstraints::jacobian(std::span<const double> u, std::span<double> values) {
  unpack(u);
  const int order = block_.max_c;
  const std::size_t n = block_.leaves.size();
  for (std::size_t k = 0; k < n; ++k) {
    const TaylorLeaf& leaf = block_.leaves[k];
    const auto& x = state_.x[to_size(leaf.unknown)];
    // Beyond d_j nothing is known yet, and nothing is asked for.
    const int highest = leaf.own < 0 ? leaf.order + order : block_.d[to_size(leaf.own)];
    for (int q = 0; q <= order; ++q) {
      const int l = leaf.order + q;
      leaf_series_[to_size(q) * n + k] = l > highest ? 0.0
                                                     : x[to_size(l)] * factorial(l) / factorial(q) /
                                                           std::pow(state_.scale, leaf.order);
    }
  }
  const std::array<double, 2> time{state_.t, state_.scale};
  auto blocks = held_series(run_, time);
  blocks[block_values] = {
      .coefficients = leaf_series_.data(), .stride = to_index(n), .n_coefficients = order + 1};
  evaluator_.evaluate(order, blocks, series_);
  std::span<const double> initial;
  if (n_initial_ > 0) initial = initial_jacobian_(run_.blocks(state_.t, initial_leaves(), {}));
  std::ranges::fill(values, 0.0);
  const std::size_t n_entries = start_.entries.size();
  for (const Term& term : terms_) {
    const double value = term.entry >= n_entries
                             ? initial[term.entry - n_entries]
                             : series_[to_size(term.degree) * n_entries + term.entry] /
                                   std::pow(state_.scale, term.degree);
    values[to_size(term.position)] += term.factor * value;
  }
  const Index bad = first_not_finite(values);
  return bad < 0 ? -1 : pattern_.row[to_size(bad)];
}

/// The middle one of the ratios of the highest derivatives to the lowest over the equations that
/// have both; 1 where none has. An entry that is far below the others of its unknown vanishes at
/// this position only, as that of a multiplier does where its constraint has an extreme: it tells
/// nothing of times.
double BlockConstraints::time_scale(std::span<const analysis::InitialUnknown> unknowns) {
  std::vector<double> u, values(pattern_.row.size());
  for (const analysis::InitialUnknown& unknown : unknowns) u.push_back(unknown.value);
  if (jacobian(u, values) >= 0) return 1.0;
  std::vector<std::map<int, double>> sizes(first_row_.size());  // by equation and order
  std::vector<double> greatest(first_row_.size(), 0.0);         // by equation
  const auto for_each = [&](auto&& visit) {
    for (std::size_t j = 0; j < block_.d.size(); ++j) {
      const double nominal = unknowns[to_size(first_column_[j])].nominal;
      for (int l = 0; l <= block_.d[j]; ++l) {
        const auto k = to_size(first_column_[j] + l);
        for (auto p = to_size(pattern_.column_start[k]); p < to_size(pattern_.column_start[k + 1]);
             ++p) {
          const auto row = std::ranges::lower_bound(first_row_, pattern_.row[p]);
          if (row == first_row_.end() || *row != pattern_.row[p]) continue;
          visit(k, l, to_size(row - first_row_.begin()), std::abs(nominal * values[p]));
        }
      }
    }
  };
  std::vector<double> best(to_size(pattern_.columns), 0.0);  // share of its equation, by unknown
  for_each([&](std::size_t, int, std::size_t row, double size) {
    greatest[row] = std::max(greatest[row], size);
  });
  for_each([&](std::size_t k, int, std::size_t row, double size) {
    if (size > 0.0) best[k] = std::max(best[k], size / greatest[row]);
  });
  for_each([&](std::size_t k, int l, std::size_t row, double size) {
    if (!(size > vanishing_entry * best[k] * greatest[row])) return;
    double& of_order = sizes[row][l];
    of_order = std::max(of_order, size);
  });
  std::vector<double> ratios;
  for (const std::map<int, double>& of_equation : sizes) {
    if (of_equation.size() < 2) continue;
    const auto& [lowest, value] = *of_equation.begin();
    const auto& [highest, derivative] = *of_equation.rbegin();
    const double ratio = std::pow(derivative / value, 1.0 / (highest - lowest));
    if (ratio > 0.0 && std::isfinite(ratio)) ratios.push_back(ratio);
  }
  if (ratios.empty()) return 1.0;
  const auto middle = ratios.begin() + to_index(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

void BlockConstraints::scale_derivatives(std::span<analysis::InitialUnknown> unknowns) {
  unit_ = time_scale(unknowns);
  for (std::size_t j = 0; j < block_.d.size(); ++j) {
    const auto first = to_size(first_column_[j]);
    for (int l = 1; l <= block_.d[j]; ++l) {
      unknowns[first + to_size(l)].nominal = unknowns[first].nominal / std::pow(unit_, l);
    }
  }
}

std::string BlockConstraints::unknown_name(Index unknown) const {
  const auto next = std::ranges::upper_bound(first_column_, unknown);
  const auto own = to_size(next - first_column_.begin() - 1);
  return structure_.unknown_name(block_.unknowns[own],
                                 static_cast<int>(unknown - first_column_[own]));
}

std::string BlockConstraints::equation_name(Index equation) const {
  const Index n = pattern_.rows - to_index(n_initial_);
  if (equation >= n) {
    return fmt::format("initial equation {}", start_.initial[to_size(equation - n)] + 1);
  }
  const auto next = std::ranges::upper_bound(first_row_, equation);
  const auto i = to_size(next - first_row_.begin() - 1);
  return structure_.equation_name(block_.rows[i], static_cast<int>(equation - first_row_[i]));
}

}  // namespace daedal::formulation
