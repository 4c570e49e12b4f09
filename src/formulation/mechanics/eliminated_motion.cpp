// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/eliminated_motion.hpp"

#include <algorithm>
#include <map>

namespace daedal::formulation {

namespace {

/// Multiply-subtracts of one factorisation: more than these make a program that no longer fits
/// where the caches are fast.
constexpr Index most_operations = 1000;

/// A greater loss needs pivoting.
constexpr double largest_loss = 1.0 / linalg::SaddlePointOptions{}.pivot_tolerance;

/// Sums in which no term is 0 + x.
NodeId plus(Pool& pool, NodeId sum, NodeId term) {
  return sum == no_node ? term : pool.add(sum, term);
}

class Elimination {
 public:
  Elimination(Pool& pool, const ConstrainedView& view, const linalg::SaddlePointSolver& solver)
      : pool_(pool), view_(view), solver_(solver), n_(solver.n_coordinates()) {
    const auto size = to_size(n_ + solver.n_constraints());
    position_.resize(size);
    for (std::size_t k = 0; k < size; ++k) position_[to_size(order(k))] = to_index(k);
    with_sign_.assign(size, no_node);
    against_.assign(size, no_node);
    inverse_.assign(size, no_node);
    columns_.resize(size);
  }

  /// Nothing where a constraint has no coordinates.
  std::vector<NodeId> run() {
    read_matrix();
    read_right_side();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (!eliminate(k)) return {};
    }
    substitute_backward();
    std::vector<NodeId> result(columns_.size());
    for (std::size_t k = 0; k < columns_.size(); ++k) result[to_size(order(k))] = right_[k];
    append_squared_rows(result);
    result.push_back(pool_.if_else(is_safe_, pool_.div(pool_.constant(1.0), greatest_loss_),
                                   pool_.constant(0.0)));
    return result;
  }

 private:
  [[nodiscard]] Index order(std::size_t k) const { return solver_.order()[k]; }
  [[nodiscard]] bool is_coordinate(std::size_t k) const { return order(k) < n_; }

  void read_matrix() {
    const SparsityPattern& lower = solver_.lower();
    const auto n_mass = to_index(view_.mass.size());
    const auto n_jacobian = to_index(view_.jacobian.size());
    std::size_t p = 0;
    for (std::size_t j = 0; j < to_size(lower.columns); ++j) {
      for (; p < to_size(lower.column_start[j + 1]); ++p) {
        const Index source = solver_.source()[p];
        if (source >= n_mass + n_jacobian) continue;  // the zeros of the diagonal
        const NodeId value = source < n_mass ? view_.mass[to_size(source)].value
                                             : view_.jacobian[to_size(source - n_mass)].value;
        const auto a = to_size(position_[j]);
        const auto b = to_size(position_[to_size(lower.row[p])]);
        if (a == b) {
          with_sign_[a] = value;
        } else {
          columns_[std::min(a, b)][std::max(a, b)] = value;
        }
      }
    }
  }

  void read_right_side() {
    right_.resize(columns_.size());
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto unknown = to_size(order(k));
      right_[k] = is_coordinate(k) ? view_.force[unknown]
                                   : pool_.neg(view_.remainder[unknown - to_size(n_)]);
    }
  }

  /// target − s·amount, where s is the sign of the pivot k.
  NodeId subtract(std::size_t k, NodeId target, NodeId amount) {
    if (target == no_node) return is_coordinate(k) ? pool_.neg(amount) : amount;
    return is_coordinate(k) ? pool_.sub(target, amount) : pool_.add(target, amount);
  }

  /// The pivot is s(p − q) with sums p and q of terms that should be positive.
  bool eliminate(std::size_t k) {
    const NodeId p = with_sign_[k];
    const NodeId q = against_[k];
    if (p == no_node) return false;
    const NodeId pivot = q == no_node ? p : pool_.sub(p, q);
    inverse_[k] = pool_.div(pool_.constant(1.0), pivot);
    if (q == no_node) {
      demand(Op::greater, pivot, 0.0);
    } else {
      // Σ|terms| / pivot: at least 1 where the sign is right.
      const NodeId loss = pool_.mul(pool_.add(p, q), inverse_[k]);
      demand(Op::greater, loss, 0.0);
      demand(Op::less, loss, largest_loss);
      greatest_loss_ = pool_.binary(Op::max, greatest_loss_, loss);
    }
    for (auto row = columns_[k].begin(); row != columns_[k].end(); ++row) {
      const std::size_t i = row->first;
      const NodeId multiple = pool_.mul(row->second, inverse_[k]);
      const NodeId square = pool_.mul(row->second, multiple);
      NodeId& sum = is_coordinate(i) == is_coordinate(k) ? against_[i] : with_sign_[i];
      sum = plus(pool_, sum, square);
      right_[i] = subtract(k, right_[i], pool_.mul(right_[k], multiple));
      for (auto below = std::next(row); below != columns_[k].end(); ++below) {
        const auto [entry, is_new] = columns_[i].try_emplace(below->first, no_node);
        entry->second = subtract(k, entry->second, pool_.mul(below->second, multiple));
      }
    }
    return true;
  }

  void append_squared_rows(std::vector<NodeId>& result) {
    const std::size_t first = result.size();
    result.resize(first + to_size(solver_.n_constraints()), no_node);
    for (const JacobianEntry& entry : view_.jacobian) {
      NodeId& sum = result[first + to_size(entry.row)];
      sum = plus(pool_, sum, pool_.mul(entry.value, entry.value));
    }
  }

  /// Comparisons with what is not a number are false.
  void demand(Op op, NodeId value, double bound) {
    const NodeId is_met = pool_.immediate_relation(op, value, pool_.constant(bound));
    is_safe_ = pool_.binary(Op::logical_and, is_safe_, is_met);
  }

  void substitute_backward() {
    for (std::size_t k = columns_.size(); k-- > 0;) {
      NodeId sum = right_[k];
      for (const auto& [i, value] : columns_[k]) {
        sum = pool_.sub(sum, pool_.mul(value, right_[i]));
      }
      right_[k] = pool_.mul(sum, inverse_[k]);
      if (!is_coordinate(k)) right_[k] = pool_.neg(right_[k]);
    }
  }

  Pool& pool_;
  const ConstrainedView& view_;
  const linalg::SaddlePointSolver& solver_;
  Index n_;
  std::vector<Index> position_;
  std::vector<NodeId> with_sign_, against_, inverse_;
  NodeId is_safe_ = pool_.constant(1.0);
  NodeId greatest_loss_ = pool_.constant(1.0);
  std::vector<NodeId> right_;                           ///< then the solution
  std::vector<std::map<std::size_t, NodeId>> columns_;  ///< below the diagonal, by positions
};

}  // namespace

std::vector<NodeId> eliminate_motion(Pool& pool, const ConstrainedView& view,
                                     const linalg::SaddlePointSolver& solver) {
  if (solver.n_operations() > most_operations) return {};
  return Elimination(pool, view, solver).run();
}

}  // namespace daedal::formulation
