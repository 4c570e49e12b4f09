// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/propagation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/types.hpp"

namespace daedal::analysis {

namespace {

/// A step below this share of |u| + nominal ends the iteration of one equation.
constexpr double propagation_tolerance = 1e-12;
/// This is more than block solutions take, because a step for a scalar equation is cheap.
constexpr int most_propagation_steps = 25;
/// An equation is solved for an unknown only if its entry is not below this share of its greatest:
/// what a small pivot yields is no better than a guess.
constexpr double least_pivot = 1e-3;
/// Entries below this share of the greatest may be the rounding errors of a 0.
constexpr double rounding_share = 1e-13;
/// In each pass this part of the values left is taken for known, so that a large model takes a
/// bounded number of passes.
constexpr Index passes = 64;
/// How far beside the start values, of |u| + nominal, an entry that is 0 at them is looked at
/// again.
constexpr double beside = 1e-3;
/// A number of unknowns greater than that of any equation.
constexpr Index left_out = std::numeric_limits<Index>::max() / 2;
/// Marks the values that an evaluation leaves out behind the first that is not finite.
constexpr double not_evaluated = std::numeric_limits<double>::quiet_NaN();

class Propagation {
 public:
  Propagation(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
              std::span<double> u, const PropagationOptions& options)
      : constraints_(constraints),
        options_(options),
        pattern_(constraints.pattern()),
        unknowns_(unknowns),
        u_(u),
        is_known_(unknowns.size(), false),
        entries_(to_size(pattern_.rows)),
        n_left_(to_size(pattern_.rows), 0),
        r_(to_size(pattern_.rows)),
        jacobian_(to_size(pattern_.nonzeros())) {
    is_zero_ = options.judges_by_values ? find_zeros() : std::vector<bool>(jacobian_.size(), false);
    for (Index j = 0; j < pattern_.columns; ++j) {
      const bool moves = unknowns[j].role != Role::held;
      for (Index p = pattern_.column_start[j]; p < pattern_.column_start[to_size(j) + 1]; ++p) {
        const auto row = to_size(pattern_.row[p]);
        if (is_zero_[to_size(p)]) continue;
        if (moves) ++n_left_[row];
        entries_[row].push_back({j, p});
      }
      is_known_[j] = !moves;
      if (moves) order_.push_back(j);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [this](Index a, Index b) { return wish(a) > wish(b); });
    // What is left out is never ready.
    for (Index i = 0; i < pattern_.rows && !options.rows.empty(); ++i) n_left_[i] += left_out;
    for (const Index i : options.rows) n_left_[i] -= left_out;
    for (Index i = 0; i < pattern_.rows; ++i)
      if (n_left_[i] == 1) ready_.push_back(i);
  }

  void run() {
    for (;;) {
      while (!ready_.empty()) solve_ready();
      if (!take_for_known()) return;
    }
  }

 private:
  struct Entry {
    Index unknown;
    Index position;  ///< in the Jacobian's values
  };
  /// An equation and the only unknown that it has left.
  struct Solve {
    Index row;
    Entry entry;
    double before;
    bool is_done = false;
    bool has_failed = false;
  };

  /// How much the start value of an unknown says.
  [[nodiscard]] double wish(Index j) const {
    const InitialUnknown& unknown = unknowns_[j];
    return unknown.role == Role::guess ? unknown.confidence : 0.0;
  }

  void know(Index j) {
    is_known_[j] = true;
    for (Index p = pattern_.column_start[j]; p < pattern_.column_start[to_size(j) + 1]; ++p) {
      const Index row = pattern_.row[p];
      if (!is_zero_[to_size(p)] && --n_left_[row] == 1) ready_.push_back(row);
    }
  }

  /// Entries that the pattern has for others' sake, as one for x' where x appears: 0 at the start
  /// values and beside them.
  [[nodiscard]] std::vector<bool> find_zeros() {
    std::vector<bool> is_zero(jacobian_.size(), true);
    const std::vector<double> start(u_.begin(), u_.end());
    for (const double share : {0.0, beside}) {
      for (std::size_t j = 0; j < start.size(); ++j)
        u_[j] = start[j] + share * (std::abs(start[j]) + unknowns_[j].nominal);
      std::ranges::fill(jacobian_, not_evaluated);
      constraints_.jacobian(u_, jacobian_);
      for (std::size_t p = 0; p < is_zero.size(); ++p)
        is_zero[p] = is_zero[p] && jacobian_[p] == 0.0;
    }
    std::ranges::copy(start, u_.begin());
    return is_zero;
  }

  void evaluate() {
    std::fill(r_.begin(), r_.end(), not_evaluated);
    std::fill(jacobian_.begin(), jacobian_.end(), not_evaluated);
    constraints_.residual(u_, r_);
    constraints_.jacobian(u_, jacobian_);
  }

  bool is_finite() {
    return constraints_.residual(u_, r_) < 0 && constraints_.jacobian(u_, jacobian_) < 0;
  }

  /// Newton's method for every equation that is ready, all at once: they do not depend on each
  /// other's unknowns, save where several have the same one. Then the first that can be solved
  /// counts.
  void solve_ready() {
    std::vector<Solve> solves;
    for (const Index row : ready_) {
      const auto& entries = entries_[row];
      const auto left = std::find_if(entries.begin(), entries.end(), [this](const Entry& entry) {
        return !is_known_[entry.unknown];
      });
      if (left == entries.end()) continue;
      solves.push_back({row, *left, u_[left->unknown]});
    }
    ready_.clear();
    std::stable_sort(solves.begin(), solves.end(), [](const Solve& a, const Solve& b) {
      return a.entry.unknown < b.entry.unknown;
    });
    for (int k = 0; k < most_propagation_steps; ++k)
      if (!step_all(solves)) break;
    for (const Solve& solve : solves)
      if (solve.is_done && !is_known_[solve.entry.unknown]) know(solve.entry.unknown);
  }

  /// Whether an equation needs another step.
  bool step_all(std::vector<Solve>& solves) {
    evaluate();
    bool wants_more = false;
    Index last = -1;
    for (Solve& solve : solves) {
      const Index j = solve.entry.unknown;
      if (solve.has_failed || j == last) continue;
      last = j;
      if (solve.is_done) continue;
      double& value = u_[j];
      const double delta = -r_[solve.row] / jacobian_[solve.entry.position];
      value += delta;
      if (!std::isfinite(delta) || is_weak(solve)) {
        solve.has_failed = true;
        value = solve.before;
        last = -1;
        wants_more = true;  // for the next equation with this unknown
        continue;
      }
      const double size = std::abs(value) + unknowns_[j].nominal;
      solve.is_done = std::abs(delta) <= propagation_tolerance * size;
      wants_more |= !solve.is_done;
    }
    return wants_more;
  }

  /// The unknown says next to nothing in its equation.
  [[nodiscard]] bool is_weak(const Solve& solve) const {
    const auto is_below = [&](double share, const auto& size_of) {
      double greatest = 0.0;
      for (const Entry& entry : entries_[solve.row])
        greatest = std::max(greatest, std::abs(jacobian_[entry.position]) * size_of(entry.unknown));
      return std::abs(jacobian_[solve.entry.position]) * size_of(solve.entry.unknown) <
             share * greatest;
    };
    const auto nominal = [&](Index j) { return unknowns_[j].nominal; };
    const auto size = [&](Index j) { return std::abs(u_[j]) + unknowns_[j].nominal; };
    return is_below(options_.judges_by_values ? rounding_share : least_pivot, nominal) ||
           (options_.judges_by_values && is_below(least_pivot, nominal) &&
            is_below(least_pivot, size));
  }

  /// False when nothing is left to take: free unknowns, most of them linear, only as long as the
  /// equations are not finite.
  bool take_for_known() {
    order_.erase(
        std::remove_if(order_.begin(), order_.end(), [this](Index j) { return is_known_[j]; }),
        order_.end());
    if (order_.empty()) return false;
    if (unknowns_[order_.front()].role == Role::free && is_finite()) return false;
    const Index n = 1 + to_index(order_.size()) / passes;
    for (Index k = 0; k < n; ++k) know(order_[k]);
    return true;
  }

  ConstraintSet& constraints_;
  PropagationOptions options_;
  const SparsityPattern& pattern_;
  std::span<const InitialUnknown> unknowns_;
  std::span<double> u_;
  std::vector<bool> is_known_;
  std::vector<Index> order_;   ///< of unknowns that are not known, the most wished first
  std::vector<bool> is_zero_;  ///< per entry of the pattern
  std::vector<std::vector<Entry>> entries_;
  std::vector<Index> n_left_;
  std::vector<Index> ready_;
  std::vector<double> r_, jacobian_;
};

}  // namespace

void propagate_known_values(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
                            std::span<double> u, const PropagationOptions& options) {
  Propagation(constraints, unknowns, u, options).run();
}

}  // namespace daedal::analysis
