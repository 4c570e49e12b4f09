// SPDX-License-Identifier: BSD-3-Clause
/// The constrained view as x' = f(x, u, t), 0 = g(x, t).

#include "model/views/constrained_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/types.hpp"
#include "expr/calculus.hpp"
#include "linalg/dense/independent_columns.hpp"
#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "model/symbolic_solve.hpp"
#include "model/views/sample_points.hpp"

namespace daedal {

namespace {

/// Ranks are decided at so many random points. With more unknowns than the second number they are
/// left to the monitors of the methods.
constexpr Index n_samples = 3;
constexpr std::size_t most_sampled_unknowns = 200;

/// Entries with one row of sampled values, the first of them at column `first`.
Matrix dense(std::span<const JacobianEntry> entries, const Vector& values, Index first,
             std::pair<Index, Index> size) {
  Matrix matrix = Matrix::Zero(size.first, size.second);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    matrix(entries[i].row, entries[i].column) = values(first + to_index(i));
  }
  return matrix;
}

class GeneralBuilder {
 public:
  GeneralBuilder(const SemiExplicitForm& form, std::span<const double> parameters)
      : form_(form),
        own_pool_(std::make_shared<Pool>(form.pool)),
        pool_(*own_pool_),
        parameters_(parameters),
        walker_(pool_) {}

  Recognition<ConstrainedView> run() {
    collect_variables();
    if (!solve_for_rates() || !find_levels() || !check_determining()) return {{}, reason_};
    view_.model = form_.model;
    view_.constraint_equations = form_.constraint_rows;
    view_.outputs = form_.outputs;
    view_.energy = form_.energy;
    pool_.freeze();
    view_.pool = own_pool_;
    return {std::move(view_), {}};
  }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  [[nodiscard]] std::string label(std::size_t constraint) const {
    return equation_label(form_.model, form_.constraint_rows[constraint]);
  }
  /// One column per entry of `a`, then of `b`.
  [[nodiscard]] Matrix sampled(std::span<const JacobianEntry> a,
                               std::span<const JacobianEntry> b = {}) const {
    std::vector<NodeId> values;
    for (const auto entries : {a, b}) {
      for (const JacobianEntry& entry : entries) values.push_back(entry.value);
    }
    return PointSampler(form_.model, pool_, values)(parameters_, n_samples);
  }

  void collect_variables() {
    std::vector<std::int32_t>& states = view_.states.emplace_back();
    for (const auto& chain : form_.chains) states.insert(states.end(), chain.begin(), chain.end());
    std::ranges::sort(states);
    for (const std::int32_t variable : states) {
      x_.push_back(pool_.variable(variable));
      x_prime_.push_back(pool_.variable(variable, 1));
    }
    view_.algebraic = form_.algebraic;
    for (const std::int32_t variable : view_.algebraic) u_.push_back(pool_.variable(variable));
  }

  /// The next member of the chain, or the solution of M x' = f for the last members, with the rows
  /// in the order that a random point suggests.
  bool solve_for_rates() {
    const Matrix values = sampled(form_.mass);
    if (values.rows() == 0) return fail("its equations have no finite value near the start values");
    const Vector first = values.row(0);
    const auto order =
        pivot_order(form_.mass, {first.data(), to_size(first.size())}, form_.chains.size());
    if (order.empty()) return fail("its equations do not determine all derivatives");
    std::vector<std::int32_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::int32_t>(k);
    std::vector<JacobianEntry> mass = form_.mass;
    for (JacobianEntry& entry : mass) entry.row = place[entry.row];
    std::vector<NodeId> force(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) force[k] = form_.force[order[k]];
    const auto solved = solve_symbolically(pool_, mass, std::move(force));
    if (!solved) return fail("its equations do not determine all derivatives");
    std::vector<NodeId> rate_of(form_.model.variables().size(), no_node);
    for (std::size_t c = 0; c < form_.chains.size(); ++c) {
      const auto& chain = form_.chains[c];
      for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
        rate_of[chain[k]] = pool_.variable(chain[k + 1]);
      }
      rate_of[chain.back()] = (*solved)[c];
    }
    for (const std::int32_t state : view_.states.front()) view_.force.push_back(rate_of[state]);
    return true;
  }

  /// ∂/∂u of the derivative of `levels` is ∂level/∂x · ∂f/∂u: which of them are not zero?
  [[nodiscard]] std::vector<bool> meets_algebraic(std::span<const NodeId> levels) {
    const auto by_x = jacobian(pool_, levels, x_);
    std::vector<bool> meets(levels.size(), false);
    const Matrix samples = x_.size() > most_sampled_unknowns ? Matrix() : sampled(by_x, f_u_);
    if (samples.rows() == 0) {
      // A product of entries that are there is taken not to cancel.
      std::vector<bool> is_driven(x_.size(), false);
      for (const JacobianEntry& entry : f_u_) is_driven[entry.row] = true;
      for (const JacobianEntry& entry : by_x) {
        if (is_driven[entry.column]) meets[entry.row] = true;
      }
      return meets;
    }
    const Index n_x = to_index(x_.size());
    for (Index p = 0; p < samples.rows(); ++p) {
      const Vector values = samples.row(p);
      const Matrix g_x = dense(by_x, values, 0, {to_index(levels.size()), n_x});
      const Matrix f_u = dense(f_u_, values, to_index(by_x.size()), {n_x, to_index(u_.size())});
      // Each product against its own terms: cancellation, not units, decides.
      const Matrix product = g_x * f_u;
      const Matrix terms = g_x.cwiseAbs() * f_u.cwiseAbs();
      for (Index i = 0; i < product.rows(); ++i) {
        for (Index j = 0; j < product.cols(); ++j) {
          if (std::abs(product(i, j)) > linalg::rank_tolerance * terms(i, j)) {
            meets[i] = true;
          }
        }
      }
    }
    return meets;
  }

  bool find_levels() {
    f_u_ = jacobian(pool_, view_.force, u_);
    const std::vector<NodeId> no_u(u_.size(), pool_.constant(0.0));
    const std::size_t m = form_.constraints.size();
    view_.determining.assign(m, no_node);
    view_.depths.assign(m, 0);
    std::vector<std::size_t> open(m);  // constraints that have not met u yet
    std::iota(open.begin(), open.end(), std::size_t{0});
    view_.levels.push_back(form_.constraints);
    while (true) {
      std::vector<NodeId> values;
      for (const std::size_t i : open) values.push_back(view_.levels.back()[i]);
      const std::vector<bool> meets = meets_algebraic(values);
      const auto derivatives =
          substitute_held(pool_, total_time_derivative(pool_, values), x_prime_, view_.force);
      std::vector<NodeId> level(m, no_node);
      std::vector<std::size_t> still_open;
      for (std::size_t k = 0; k < open.size(); ++k) {
        const std::size_t i = open[k];
        ++view_.depths[i];
        if (meets[k]) {
          view_.determining[i] = derivatives[k];
          continue;
        }
        // u cancels, though it may be written: any value of it will do.
        level[i] = substitute_held(pool_, std::span(&derivatives[k], 1), u_, no_u).front();
        still_open.push_back(i);
      }
      open = std::move(still_open);
      if (open.empty()) return true;
      if (view_.levels.size() > x_.size()) {
        return fail(
            fmt::format("{} does not meet the algebraic variables, however often it is "
                        "differentiated",
                        label(open.front())));
      }
      view_.levels.push_back(std::move(level));
    }
  }

  bool check_determining() {
    const auto by_u = jacobian(pool_, view_.determining, u_);
    for (const JacobianEntry& entry : by_u) {
      for (const NodeId leaf : walker_.leaves(entry.value)) {
        if (std::find(u_.begin(), u_.end(), leaf) != u_.end()) view_.is_linear = false;
      }
    }
    if (x_.size() > most_sampled_unknowns) return true;
    const Matrix values = sampled(by_u);
    const Index m = to_index(u_.size());
    Index dependent = -1;
    for (Index p = 0; p < values.rows(); ++p) {
      Matrix matrix = dense(by_u, values.row(p), 0, {m, m});
      for (Index i = 0; i < m; ++i) matrix.row(i) /= std::max(matrix.row(i).norm(), 1e-300);
      const linalg::PivotColumns pivots = linalg::choose_pivot_columns(matrix);
      if (pivots.dependent_row < 0 && pivots.smallest_pivot > linalg::rank_tolerance) return true;
      dependent = std::max<Index>(pivots.dependent_row, 0);
    }
    if (dependent < 0) return true;
    return fail(
        fmt::format("the derivatives of its constraints do not determine the algebraic "
                    "variables one for one: {} depends on the others, or further "
                    "derivatives of combinations are needed (see the methods "
                    "'dummy-derivatives' and 'derivative-array')",
                    label(to_size(dependent))));
  }

  const SemiExplicitForm& form_;
  std::shared_ptr<Pool> own_pool_;
  Pool& pool_;
  std::span<const double> parameters_;
  LeafWalker walker_;
  ConstrainedView view_;
  std::vector<NodeId> x_, x_prime_, u_;
  std::vector<JacobianEntry> f_u_;
  std::string reason_;
};

}  // namespace

Recognition<ConstrainedView> read_general(const Recognition<SemiExplicitForm>& form,
                                          std::span<const double> parameters) {
  if (!form) return {{}, form.reason};
  if (form.view->chains.empty()) return {{}, "the model has no differential equation"};
  if (form.view->constraints.empty()) return {{}, "the model has no constraint"};
  return GeneralBuilder(*form.view, parameters).run();
}

}  // namespace daedal
