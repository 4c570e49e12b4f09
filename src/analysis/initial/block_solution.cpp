// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/block_solution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/initial/propagation.hpp"
#include "linalg/line_search.hpp"
#include "linalg/linear_solver.hpp"
#include "linalg/newton_watch.hpp"
#include "structure/block_triangular.hpp"

namespace daedal::analysis {

namespace {

using Verdict = linalg::NewtonWatch::Verdict;

/// A step below this share of |u| + nominal ends Newton's method, which converges quadratically.
constexpr double step_tolerance = 1e-10;
/// Ten corrections that square the error reach any accuracy from an error of 1; more would show
/// that the start was too far away, and continuation is cheaper.
constexpr int most_iterations = 12;
/// Rows at the round-off of their own terms cannot be improved: what is left of them is noise,
/// unless it is so much of an unknown that nothing determines it.
constexpr double rounding_of_rows = 8.0 * round_off;
constexpr double greatest_noise = 1e-3;
/// Continuation: first and smallest increase of s, and how it grows after a success.
constexpr double first_increase = 0.25;
constexpr double least_increase = 1e-4;
constexpr double growth = 2.0;
/// A small move, as a share of the size of an unknown: far above rounding errors, and near enough
/// not to cross a threshold of the equations.
constexpr double nearby = 1e-6;
/// Start values that put an equation outside its domain are given up so often.
constexpr int most_retreats = 6;
/// Distances from a start value, in its own size or nominal value, at which a single equation is
/// looked at: powers of 4 from the squares of round-off up; and halvings of what was found.
constexpr double first_reach = 0x1p-80;
constexpr double last_reach = 0x1p80;
constexpr double reach_growth = 4.0;
constexpr int most_halvings = 40;
constexpr double largest_retreat = 0x1p16;
/// Distances of two solutions from the start values that differ by less are the same.
constexpr double same_distance = 1e-6;
/// Steps of a search for smaller residuals.
constexpr int most_descents = 100;

/// The equations that are matched, as a square system of their own numbers.
struct Square {
  std::vector<Index> rows;     ///< of the constraint set
  std::vector<Index> columns;  ///< that each is matched to
  structure::Incidence own{0};
  structure::BlockTriangularForm blocks;
};

/// Entries that vanish where the conditions of the equations are as they are now: a brake that
/// holds does not say how much. Looked at where the unknowns are and a little way off.
std::vector<bool> vanishing_entries(ConstraintSet& constraints,
                                    std::span<const InitialUnknown> unknowns,
                                    std::span<const double> u) {
  const std::size_t n = to_size(constraints.pattern().nonzeros());
  std::vector<double> values(n);
  std::vector<bool> result(n, true);
  std::vector<double> point(u.begin(), u.end());
  for (int k = 0; k < 2; ++k) {
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    constraints.jacobian(point, values);
    for (std::size_t e = 0; e < n; ++e) result[e] = result[e] && values[e] == 0.0;
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double share = nearby * (1.0 + static_cast<double>(j % 7));  // no two alike, almost
      if (unknowns[j].role != Role::held)
        point[j] += share * std::max(std::abs(point[j]), unknowns[j].nominal);
    }
  }
  return result;
}

/// Without the entries that vanish, if any are given.
structure::Incidence incidence_of(const SparsityPattern& pattern, const std::vector<bool>& is_open,
                                  const std::vector<bool>& vanishes) {
  std::vector<std::vector<Index>> columns(to_size(pattern.rows));
  for (Index j = 0; j < pattern.columns; ++j) {
    if (!is_open[j]) continue;
    for (Index p = pattern.column_start[j]; p < pattern.column_start[to_size(j) + 1]; ++p)
      if (vanishes.empty() || !vanishes[p]) columns[pattern.row[p]].push_back(j);
  }
  structure::Incidence incidence(pattern.columns);
  for (const auto& row : columns) incidence.add_row(row);
  return incidence;
}

/// What was matched stays matched when more unknowns are allowed: the dear ones come last.
structure::Matching cheapest_matching(const SparsityPattern& pattern,
                                      std::span<const InitialUnknown> unknowns,
                                      const std::vector<bool>& vanishes) {
  auto matching = structure::empty_matching(pattern.rows, pattern.columns);
  std::vector<bool> is_open(unknowns.size());
  std::vector<double> prices{0.0};
  const auto price = [](const InitialUnknown& unknown) {
    return unknown.role == Role::free ? 0.0 : unknown.confidence;
  };
  for (const InitialUnknown& unknown : unknowns)
    if (unknown.role == Role::guess) prices.push_back(price(unknown));
  std::ranges::sort(prices);
  prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
  for (const double limit : prices) {
    for (std::size_t j = 0; j < unknowns.size(); ++j)
      is_open[j] = unknowns[j].role != Role::held && price(unknowns[j]) <= limit;
    structure::extend_to_maximum(incidence_of(pattern, is_open, vanishes), matching);
  }
  return matching;
}

Square find_square(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns,
                   const std::vector<bool>& vanishes) {
  const auto matching = cheapest_matching(pattern, unknowns, vanishes);
  Square square;
  std::vector<Index> number(unknowns.size(), -1);
  for (Index i = 0; i < pattern.rows; ++i) {
    const Index j = matching.column_of_row[i];
    if (j == structure::unmatched) continue;
    number[j] = to_index(square.rows.size());
    square.rows.push_back(i);
    square.columns.push_back(j);
  }
  const Index n = to_index(square.rows.size());
  std::vector<bool> is_open(unknowns.size());
  for (const Index j : square.columns) is_open[j] = true;
  const auto all = incidence_of(pattern, is_open, vanishes);
  structure::Incidence& own = square.own;
  own = structure::Incidence(n);
  auto identity = structure::empty_matching(n, n);
  for (Index k = 0; k < n; ++k) {
    std::vector<Index> columns;
    for (const Index j : all.row(square.rows[k])) columns.push_back(number[j]);
    own.add_row(columns);
    identity.column_of_row[k] = identity.row_of_column[k] = k;
  }
  identity.size = n;
  square.blocks = structure::block_triangular_form(own, identity);
  return square;
}

/// One block in the numbering of the constraint set, and its matrix.
struct BlockShape {
  std::vector<Index> rows, columns;
  std::vector<Index> entries;  ///< of the whole Jacobian that are in the block's
  std::unique_ptr<linalg::RealSolver> solver;

  BlockShape(const SparsityPattern& all, const Square& square, Index number) {
    for (const Index k : square.blocks.rows(number)) rows.push_back(square.rows[k]);
    for (const Index k : square.blocks.columns(number)) columns.push_back(square.columns[k]);
    std::vector<Index> row_of(to_size(all.rows), -1);
    for (std::size_t i = 0; i < rows.size(); ++i) row_of[rows[i]] = to_index(i);
    SparsityPattern pattern;
    pattern.rows = pattern.columns = to_index(rows.size());
    pattern.column_start.push_back(0);
    for (const Index j : columns) {
      std::vector<std::pair<Index, Index>> column;  // row, entry
      for (Index p = all.column_start[j]; p < all.column_start[to_size(j) + 1]; ++p) {
        const Index i = row_of[all.row[p]];
        if (i >= 0) column.emplace_back(i, p);
      }
      std::ranges::sort(column);
      for (const auto& [i, p] : column) {
        pattern.row.push_back(i);
        entries.push_back(p);
      }
      pattern.column_start.push_back(pattern.nonzeros());
    }
    solver = linalg::make_real_solver(pattern);
  }
};

class BlockSearch {
 public:
  BlockSearch(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
              BlockShape& shape)
      : constraints_(constraints),
        unknowns_(unknowns),
        rows_(shape.rows),
        columns_(shape.columns),
        entries_(shape.entries),
        solver_(*shape.solver),
        residual_(to_size(constraints.n_equations())),
        jacobian_(to_size(constraints.pattern().nonzeros())),
        offset_(rows_.size()),
        correction_(rows_.size()),
        values_(entries_.size()) {}

  bool solve(std::span<double> u) {
    const std::vector<double> start = taken_from(u);
    // Positions that follow from angles with start values, 1/G at G = 0: what follows from the
    // guesses of the block is computed, not guessed.
    if ((is_guided() || !evaluate(u)) && columns_.size() > 1) {
      propagate(u);
      if (newton(u, 0.0)) return true;
      put(start, u);
    }
    if (newton(u, 0.0)) return true;
    put(start, u);
    if (!evaluate(u)) propagate(u);
    if (!evaluate(u)) retreat(start, u);
    const std::vector<double> inside = taken_from(u);
    if (follow(u)) return true;
    put(inside, u);
    if (descend(u)) return true;
    put(start, u);
    if (columns_.size() == 1 && (scan(u, start[0]) || scan(u, 0.0))) return true;
    put(start, u);
    return false;
  }

 private:
  /// Somebody gave a start value for some unknown.
  [[nodiscard]] bool is_guided() const {
    return std::ranges::any_of(columns_, [&](Index j) {
      return unknowns_[j].role == Role::guess && unknowns_[j].confidence >= 1.0;
    });
  }

  /// Where an equation is outside its domain afterwards, as 1/G is for G = 0, the start values of
  /// its unknowns are the last to be taken: they may follow from others.
  void propagate(std::span<double> u) {
    std::vector<InitialUnknown> roles(unknowns_.begin(), unknowns_.end());
    for (InitialUnknown& unknown : roles) unknown.role = Role::held;
    for (const Index j : columns_) roles[j].role = unknowns_[j].role;
    const std::vector<double> start = taken_from(u);
    for (int k = 0; k < most_retreats; ++k) {
      put(start, u);
      propagate_known_values(constraints_, roles, u, {.rows = rows_});
      if (evaluate(u)) return;
      const SparsityPattern& all = constraints_.pattern();
      std::vector<bool> is_outside(to_size(all.rows));
      for (const Index i : rows_) is_outside[i] = !std::isfinite(residual_[i]);
      for (const Index j : columns_) {
        for (Index p = all.column_start[j]; p < all.column_start[to_size(j) + 1]; ++p)
          if (is_outside[all.row[p]])
            roles[j] = {roles[j].value, Role::guess, roles[j].nominal, -1.0};
      }
    }
  }

  /// Start values at which an exponential overflows come nearer to 0; where that does not help, as
  /// for a logarithm of 0, all unknowns are of one size and sign.
  void retreat(std::vector<double> start, std::span<double> u) {
    for (int k = 0; k < most_halvings; ++k) {
      for (double& value : start) value *= 0.5;
      put(start, u);
      if (evaluate(u)) return;
    }
    for (double size = 1.0; size <= largest_retreat; size *= reach_growth) {
      for (const double factor : {size, -size, 1.0 / size, -1.0 / size}) {
        for (const Index j : columns_) u[j] = factor * unknowns_[j].nominal;
        if (evaluate(u)) return;
      }
    }
  }

  [[nodiscard]] std::vector<double> taken_from(std::span<const double> u) const {
    std::vector<double> own;
    for (const Index j : columns_) own.push_back(u[j]);
    return own;
  }

  void put(std::span<const double> values, std::span<double> u) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) u[columns_[k]] = values[k];
  }

  /// The residuals of the block at u; false where one is not finite.
  bool evaluate(std::span<const double> u) {
    constraints_.residual(u, residual_);
    return std::ranges::all_of(rows_, [&](Index i) { return std::isfinite(residual_[i]); });
  }

  /// correction_, the right side, is no more than the rounding errors of its rows' terms.
  [[nodiscard]] bool is_rounding(std::span<const double> u) const {
    const SparsityPattern& all = constraints_.pattern();
    std::vector<double> terms(to_size(all.rows), 0.0);
    for (Index j = 0; j < all.columns; ++j) {
      for (Index p = all.column_start[j]; p < all.column_start[to_size(j) + 1]; ++p)
        terms[all.row[p]] += std::abs(jacobian_[p] * u[j]);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!(std::abs(correction_[i]) <= rounding_of_rows * terms[rows_[i]])) return false;
    return true;
  }

  /// Factors the matrix at u, where the residuals have been evaluated; correction_ becomes r(u) -
  /// share·offset_.
  bool linearize(std::span<const double> u, double share) {
    constraints_.jacobian(u, jacobian_);
    for (std::size_t e = 0; e < entries_.size(); ++e) values_[e] = jacobian_[entries_[e]];
    for (std::size_t i = 0; i < rows_.size(); ++i)
      correction_[i] = residual_[rows_[i]] - share * offset_[i];
    return solver_.factor(values_).ok;
  }

  /// Where the equations have no value, as a power of −1e-20 has none: what is 0 but for the errors
  /// of a correction becomes 0. False where that does not help.
  bool round_to_zero(std::span<double> u) {
    for (const Index j : columns_)
      if (std::abs(u[j]) < step_tolerance * unknowns_[j].nominal) u[j] = 0.0;
    return evaluate(u);
  }

  /// Solves r(u) = share·offset_.
  bool newton(std::span<double> u, double share) {
    linalg::NewtonWatch watch({.tolerance = step_tolerance, .remainder = 0.0, .noise = 0.0});
    bool has_noise = false;
    for (int k = 0; k < most_iterations; ++k) {
      if (!evaluate(u)) {
        has_noise = true;
        if (!round_to_zero(u)) return false;
      }
      if (!linearize(u, share)) return false;
      const bool is_exact = is_rounding(u);
      solver_.solve(correction_);
      double greatest = 0.0;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto j = to_size(columns_[i]);
        const double size = std::abs(u[j]) + unknowns_[j].nominal;
        const double moved = std::abs(correction_[i]) / size;
        if (!(moved <= greatest)) greatest = moved;
        u[j] -= correction_[i];
      }
      const bool is_met = is_exact && greatest <= greatest_noise;
      const Verdict verdict = is_met ? Verdict::converged : watch.judge(greatest);
      if (verdict == Verdict::contracting) continue;
      return verdict == Verdict::converged && (!has_noise || round_to_zero(u));
    }
    return false;
  }

  /// How large every residual is where its own unknowns alone change by their sizes.
  [[nodiscard]] std::vector<double> row_sizes(std::span<const double> u) const {
    std::vector<double> sizes(residual_.size(), 0.0);
    const SparsityPattern& all = constraints_.pattern();
    for (const Index j : columns_) {
      const double size = std::abs(u[j]) + unknowns_[j].nominal;
      for (Index p = all.column_start[j]; p < all.column_start[to_size(j) + 1]; ++p)
        sizes[all.row[p]] = std::max(sizes[all.row[p]], std::abs(jacobian_[p]) * size);
    }
    return sizes;
  }

  /// Newton's method with steps of lengths that make the residuals less: shorter ones where an
  /// exponential would overshoot, longer ones where one shrinks by the same factor in every step.
  bool descend(std::span<double> u) {
    if (!evaluate(u)) return false;
    for (int k = 0; k < most_descents; ++k) {
      if (!linearize(u, 0.0)) return false;
      const bool is_exact = is_rounding(u);
      const std::vector<double> sizes = row_sizes(u);
      const auto merit = [&] {
        double sum = 0.0;
        for (const Index i : rows_)
          if (sizes[i] > 0.0) sum += std::pow(residual_[i] / sizes[i], 2);
        return std::isfinite(sum) ? sum : infinity;
      };
      const std::vector<double> from = taken_from(u);
      const auto at = [&](double length) {
        for (std::size_t i = 0; i < columns_.size(); ++i)
          u[columns_[i]] = from[i] - length * correction_[i];
        return evaluate(u) ? merit() : infinity;
      };
      const double before = merit();
      solver_.solve(correction_);
      double greatest = 0.0;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto j = to_size(columns_[i]);
        const double moved = std::abs(correction_[i]) / (std::abs(u[j]) + unknowns_[j].nominal);
        if (!(moved <= greatest)) greatest = moved;
      }
      if (!std::isfinite(greatest)) return false;
      if (greatest <= step_tolerance || (is_exact && greatest <= greatest_noise)) {
        at(1.0);
        return true;
      }
      const double length = linalg::line_search(before, at);
      if (length == 0.0) return false;
      at(length);
    }
    return false;
  }

  /// One equation with one unknown, as 1/g = r from g = 0: a change of sign is looked for at
  /// growing distances from `start`, and Newton's method begins where it was found.
  bool scan(std::span<double> u, double start) {
    const auto j = to_size(columns_[0]);
    const double unit = std::max(std::abs(start), unknowns_[j].nominal);
    const auto value = [&](double at) {
      u[j] = at;
      return evaluate(u) ? residual_[rows_[0]] : std::numeric_limits<double>::quiet_NaN();
    };
    std::array<double, 2> last{};  // on either side of the start value
    std::array<double, 2> last_value{value(start), value(start)};
    if (last_value[0] == 0.0) return false;  // a double root, which others hold as it is
    for (double reach = first_reach; reach <= last_reach; reach *= reach_growth) {
      for (const std::size_t side : {0U, 1U}) {
        double a = last[side];
        double b = (side == 0 ? reach : -reach) * unit;
        const double value_a = std::exchange(last_value[side], value(start + b));
        last[side] = b;
        if (!(value_a * last_value[side] <= 0.0)) continue;
        for (int k = 0; k < most_halvings; ++k) {
          const double middle = 0.5 * (a + b);
          const double there = value(start + middle);
          if (std::isnan(there)) break;
          (value_a * there > 0.0 ? a : b) = middle;
        }
        // At a pole the sign changes, too, and the values grow.
        if (!(std::abs(value(start + b)) <= std::abs(value_a))) continue;
        if (newton(u, 0.0)) return true;
      }
    }
    return false;
  }

  bool follow(std::span<double> u) {
    if (!evaluate(u)) return false;
    for (std::size_t i = 0; i < rows_.size(); ++i) offset_[i] = residual_[rows_[i]];
    double s = 0.0;
    double increase = first_increase;
    while (s < 1.0) {
      const std::vector<double> reached = taken_from(u);
      const double next = std::min(1.0, s + increase);
      if (newton(u, 1.0 - next)) {
        s = next;
        increase *= growth;
        continue;
      }
      put(reached, u);
      increase *= 0.5;
      if (increase < least_increase) return false;
    }
    return true;
  }

  ConstraintSet& constraints_;
  std::span<const InitialUnknown> unknowns_;
  const std::vector<Index>&rows_, &columns_, &entries_;
  linalg::RealSolver& solver_;
  std::vector<double> residual_, jacobian_;
  std::vector<double> offset_, correction_, values_;
};

/// How many blocks lie on the longest way to each block.
std::vector<std::size_t> levels_of(const Square& square) {
  std::vector<Index> block_of(square.rows.size(), -1);  // columns have the numbers of their rows
  for (Index b = 0; b < square.blocks.n_blocks(); ++b)
    for (const Index k : square.blocks.columns(b)) block_of[k] = b;
  std::vector<std::vector<Index>> needs(to_size(square.blocks.n_blocks()));
  for (Index b = 0; b < square.blocks.n_blocks(); ++b)
    for (const Index k : square.blocks.rows(b))
      for (const Index j : square.own.row(k))
        if (block_of[j] != b) needs[b].push_back(block_of[j]);
  std::vector<std::size_t> level(needs.size(), 0);
  for (std::size_t b = 0; b < needs.size(); ++b)
    for (const Index other : needs[b]) level[b] = std::max(level[b], level[other] + 1);
  return level;
}

/// Newton's method for many equations with one unknown each that do not depend on each other: they
/// share their evaluations. What is left over are the blocks that it does not reach.
class Scalars {
 public:
  Scalars(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns)
      : constraints_(constraints),
        unknowns_(unknowns),
        residual_(to_size(constraints.n_equations())),
        jacobian_(to_size(constraints.pattern().nonzeros())) {}

  void solve(const Square& square, std::vector<Index>& blocks, std::span<double> u) {
    std::vector<Open> open;
    for (const Index b : blocks) {
      const Index row = square.rows[square.blocks.rows(b)[0]];
      const Index column = square.columns[square.blocks.columns(b)[0]];
      open.push_back({b, row, column, entry_of(row, column), u[column]});
    }
    blocks.clear();
    for (int k = 0; k < most_iterations && !open.empty(); ++k) {
      constraints_.residual(u, residual_);
      constraints_.jacobian(u, jacobian_);
      std::erase_if(open, [&](const Open& one) {
        if (jacobian_[one.entry] == 0.0 && is_met(one.row, u) && vanishes(one.entry, u)) {
          has_kept_guess_ = true;
          return true;
        }
        const double step = residual_[one.row] / jacobian_[one.entry];
        if (!std::isfinite(step)) {
          u[one.column] = one.start;
          blocks.push_back(one.block);
          return true;
        }
        const double size = std::abs(u[one.column]) + unknowns_[one.column].nominal;
        u[one.column] -= step;
        return std::abs(step) <= step_tolerance * size;
      });
    }
    for (const Open& one : open) {
      u[one.column] = one.start;
      blocks.push_back(one.block);
    }
  }

  /// An unknown that its equation does not determine was left at its guess.
  [[nodiscard]] bool has_kept_guess() const { return has_kept_guess_; }

 private:
  struct Open {
    Index block, row, column, entry;
    double start;
  };

  /// Not at this point alone, where the slope of a square may be 0.
  bool vanishes(Index entry, std::span<const double> u) {
    if (vanishing_.empty()) vanishing_ = vanishing_entries(constraints_, unknowns_, u);
    return vanishing_[entry];
  }

  /// Where another unknown says already what the equation says in its present mode, as of a bearing
  /// that sticks at an acceleration of 0 that is given, the unknown stays at its guess.
  [[nodiscard]] bool is_met(Index row, std::span<const double> u) const {
    const SparsityPattern& pattern = constraints_.pattern();
    double size = 0.0;
    for (std::size_t j = 0; j < u.size(); ++j)
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
        if (pattern.row[p] == row)
          size += std::abs(jacobian_[p]) * (std::abs(u[j]) + unknowns_[j].nominal);
    return std::abs(residual_[row]) <= step_tolerance * size;
  }

  [[nodiscard]] Index entry_of(Index row, Index column) const {
    const SparsityPattern& pattern = constraints_.pattern();
    Index p = pattern.column_start[column];
    while (pattern.row[p] != row) ++p;
    return p;
  }

  ConstraintSet& constraints_;
  std::span<const InitialUnknown> unknowns_;
  std::vector<double> residual_, jacobian_;
  std::vector<bool> vanishing_;  ///< entries, once they are asked for
  bool has_kept_guess_ = false;
};

/// How far start values other than 0 were moved, which exporting tools write to every variable.
double distance_from_given(std::span<const InitialUnknown> unknowns, std::span<const double> u) {
  double sum = 0.0;
  for (std::size_t j = 0; j < u.size(); ++j) {
    const InitialUnknown& unknown = unknowns[j];
    if (unknown.role == Role::guess && unknown.confidence >= 1.0 && unknown.value != 0.0)
      sum += std::pow((u[j] - unknown.value) / unknown.nominal, 2);
  }
  return sum;
}

}  // namespace

struct BlockPlan {
  Square square;
  std::vector<std::vector<Index>> single, larger;  ///< blocks of one and of more unknowns, by level
  std::size_t n_passes = 0;                        ///< evaluations of all equations, at least
  bool has_kept_guess = false;                     ///< see Scalars, of the last solution
  std::vector<std::unique_ptr<BlockShape>> shapes;  ///< of the blocks that were needed

  BlockPlan(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns,
            const std::vector<bool>& vanishes)
      : square(find_square(pattern, unknowns, vanishes)) {
    const auto level = levels_of(square);
    for (std::size_t b = 0; b < level.size(); ++b) {
      single.resize(std::max(single.size(), level[b] + 1));
      larger.resize(single.size());
      auto& list = square.blocks.rows(to_index(b)).size() == 1 ? single : larger;
      list[level[b]].push_back(to_index(b));
    }
    n_passes = single.size();
    for (const auto& blocks : larger) n_passes += blocks.size();
    shapes.resize(level.size());
  }

  bool solve(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
             std::span<double> u, std::size_t most_evaluated) {
    if (n_passes * to_size(constraints.n_equations()) > most_evaluated) return false;
    Scalars scalars(constraints, unknowns);
    const auto is_solved = [&](Index b) {
      auto& shape = shapes[to_size(b)];
      if (!shape) shape = std::make_unique<BlockShape>(constraints.pattern(), square, b);
      return BlockSearch(constraints, unknowns, *shape).solve(u);
    };
    for (std::size_t k = 0; k < single.size(); ++k) {
      std::vector<Index> left = single[k];
      if (!left.empty()) scalars.solve(square, left, u);
      if (!std::ranges::all_of(left, is_solved) || !std::ranges::all_of(larger[k], is_solved))
        return false;
    }
    has_kept_guess = scalars.has_kept_guess();
    return !single.empty();
  }
};

std::shared_ptr<BlockPlan> plan_blocks(const SparsityPattern& pattern,
                                       std::span<const InitialUnknown> unknowns) {
  return std::make_shared<BlockPlan>(pattern, unknowns, std::vector<bool>{});
}

bool solve_block_by_block(BlockPlan& plan, ConstraintSet& constraints,
                          std::span<const InitialUnknown> unknowns, std::span<double> u,
                          std::size_t most_evaluated, bool asks_modes) {
  const std::vector<double> start(u.begin(), u.end());
  const bool is_solved = plan.solve(constraints, unknowns, u, most_evaluated);
  if (!asks_modes || (is_solved && !plan.has_kept_guess)) return is_solved;
  // What the equations of this mode leave open may be one unknown or another: a brake that holds at
  // an acceleration of 0 that is given, or the current that it holds against. Start values other
  // than 0 decide, and else the order in which the equations of all modes are solved.
  const std::vector<double> reached(u.begin(), u.end());
  std::ranges::copy(start, u.begin());
  BlockPlan present(constraints.pattern(), unknowns, vanishing_entries(constraints, unknowns, u));
  if (present.solve(constraints, unknowns, u, most_evaluated) &&
      (!is_solved || distance_from_given(unknowns, u) <
                         (1.0 - same_distance) * distance_from_given(unknowns, reached)))
    return true;
  std::ranges::copy(reached, u.begin());
  return is_solved;
}

}  // namespace daedal::analysis
