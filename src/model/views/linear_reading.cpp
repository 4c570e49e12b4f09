// SPDX-License-Identifier: BSD-3-Clause
/// The constrained view with u entering linearly, and its properties "Hessenberg" and "mechanical".

#include "model/views/constrained_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/types.hpp"
#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "model/views/sample_points.hpp"

namespace daedal {

namespace {

/// A constant S fits every point. Five points rule out that it fits by chance, and three suffice
/// where others have no values.
constexpr Index n_sample_points = 5;
constexpr Index fewest_sample_points = 3;
/// Where forces vanish around the start, points are taken so many nominal values away from it.
constexpr double far_spread = 8.0;
/// Factors found from samples at other parameters are the same when they differ by round-off only.
constexpr double same_factor = 1e-12;
/// GM⁻¹B is computed up to this size. Beyond it its rank is left to the monitors of the methods.
constexpr std::size_t most_checked_unknowns = 200;

/// Some expression is zero at all points.
bool vanishes(const Matrix& samples) {
  for (Index j = 0; j < samples.cols(); ++j) {
    if (samples.col(j).isZero(0.0)) return true;
  }
  return false;
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= same_factor * std::max(std::abs(a), std::abs(b));
}

bool are_near(std::span<const SparseEntry> a, std::span<const SparseEntry> b) {
  return std::ranges::equal(a, b, [](const SparseEntry& x, const SparseEntry& y) {
    return x.row == y.row && x.column == y.column && is_near(x.value, y.value);
  });
}

}  // namespace

/// M, B and G compiled to be sampled, and the constants that were found in them.
class MatchedForces {
 public:
  MatchedForces(const SemiExplicitForm& form, const Pool& pool,
                const std::vector<JacobianEntry>& jacobian)
      : places_{places(form.mass), places(form.coefficient), places(jacobian)},
        size_{static_cast<std::int32_t>(form.chains.size()),
              static_cast<std::int32_t>(form.constraints.size())},
        sampler_(form.model, pool, values(form, jacobian)) {
    for (const NodeId leaf : dependencies(pool, values(form, jacobian))) {
      const Node& node = pool[leaf];
      if (node.op == Op::parameter) parameters_.push_back(node.symbol);
    }
  }

  /// None where the entries have no finite values.
  [[nodiscard]] std::optional<ForceMatching> match(std::span<const double> parameters) const {
    Matrix samples = sampler_(parameters, n_sample_points);
    if (samples.rows() < fewest_sample_points) return std::nullopt;
    ForceMatching matching = match(samples);
    if (!matching.ok && vanishes(samples)) {
      // A constraint that sets in on the way says nothing of its forces before.
      samples = sampler_(parameters, n_sample_points, far_spread);
      if (samples.rows() >= fewest_sample_points) matching = match(samples);
    }
    return matching;
  }

  void keep(const ForceMatching& matching, std::span<const double> parameters) {
    kept_ = matching;
    kept_at_.assign(parameters.begin(), parameters.end());
  }

  [[nodiscard]] bool holds_for(std::span<const double> parameters) const {
    const bool is_same = std::ranges::all_of(
        parameters_, [&](std::int32_t symbol) { return kept_at_[symbol] == parameters[symbol]; });
    if (is_same) return true;
    const std::optional<ForceMatching> found = match(parameters);
    return found && found->ok && found->is_symmetric == kept_.is_symmetric &&
           found->coordinate_of_row == kept_.coordinate_of_row &&
           std::ranges::equal(found->factor_of_row, kept_.factor_of_row, is_near) &&
           are_near(found->scale, kept_.scale);
  }

 private:
  using Places = std::vector<std::pair<std::int32_t, std::int32_t>>;

  static Places places(const std::vector<JacobianEntry>& entries) {
    Places result;
    for (const JacobianEntry& entry : entries) result.emplace_back(entry.row, entry.column);
    return result;
  }
  static std::vector<NodeId> values(const SemiExplicitForm& form,
                                    const std::vector<JacobianEntry>& jacobian) {
    std::vector<NodeId> result;
    for (const auto* list : {&form.mass, &form.coefficient, &jacobian}) {
      for (const JacobianEntry& entry : *list) result.push_back(entry.value);
    }
    return result;
  }

  [[nodiscard]] ForceMatching match(const Matrix& samples) const {
    std::array<SampledMatrix, 3> parts;
    Index first = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Index n = to_index(places_[k].size());
      parts[k] = {places_[k], samples.middleCols(first, n)};
      first += n;
    }
    return match_forces(parts[0], parts[1], parts[2], size_);
  }

  std::array<Places, 3> places_;  ///< of the entries of M, B and G
  std::pair<std::int32_t, std::int32_t> size_;
  PointSampler sampler_;
  std::vector<std::int32_t> parameters_;  ///< that the entries depend on
  ForceMatching kept_;
  std::vector<double> kept_at_;
};

namespace {

void sort_by_columns(std::vector<JacobianEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const JacobianEntry& x, const JacobianEntry& y) {
    return std::pair(x.column, x.row) < std::pair(y.column, y.row);
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

/// Whether u enters the m-th derivative of g at all, at a random point.
bool reaches_algebraic(const ConstrainedView& view, std::span<const double> parameters) {
  std::vector<NodeId> entries;
  for (const auto* list : {&view.mass, &view.coefficient, &view.jacobian}) {
    for (const JacobianEntry& entry : *list) entries.push_back(entry.value);
  }
  const Matrix samples = PointSampler(view.model, *view.pool, entries)(parameters, 1);
  if (samples.rows() == 0) return true;
  const Index n = to_index(view.force.size());
  const Index n_u = to_index(view.algebraic.size());
  const Index n_mass = to_index(view.mass.size());
  const Matrix mass = dense(view.mass, samples, 0, {n, n});
  const Matrix b = dense(view.coefficient, samples, n_mass, {n, n_u});
  const Matrix g =
      dense(view.jacobian, samples, n_mass + to_index(view.coefficient.size()), {n_u, n});
  Matrix m_inverse_b(n, n_u);
  for (Index j = 0; j < n_u; ++j) {
    m_inverse_b.col(j) = linalg::min_norm_least_squares(mass, b.col(j));
  }
  const double scale = g.norm() * m_inverse_b.norm();
  return (g * m_inverse_b).norm() > linalg::rank_tolerance * scale;
}

/// The row of M that each dynamic equation becomes, and its factor.
struct RowPlaces {
  std::vector<std::int32_t> row;
  std::vector<double> factor;
};

class LinearBuilder {
 public:
  LinearBuilder(const SemiExplicitForm& form, std::span<const double> parameters)
      : form_(form),
        parameters_(parameters),
        pool_(std::make_shared<Pool>(form.pool)),
        walker_(*pool_),
        is_head_(form.model.variables().size(), false) {
    for (const auto& chain : form_.chains) is_head_[chain.front()] = true;
  }

  LinearReading run() {
    if (form_.chains.empty()) return {{}, "the model has no differential equation", no_motion()};
    const bool keeps_chains = has_equal_chains() && constrains_heads_only();
    collect_states(keeps_chains);
    differentiate_constraints();
    std::string not_mechanical = match_forces();
    place_rows(keeps_chains);
    finish();
    LinearReading reading{std::move(view_), {}, std::move(not_mechanical)};
    reading.not_hessenberg = not_hessenberg(*reading.view);
    return reading;
  }

 private:
  [[nodiscard]] static std::string no_motion() {
    return "the model has no positions and velocities";
  }
  [[nodiscard]] const std::string& name(std::int32_t variable) const {
    return form_.model.variables()[variable].name;
  }

  [[nodiscard]] bool has_equal_chains() const {
    return std::ranges::all_of(form_.chains, [&](const auto& chain) {
      return chain.size() == form_.chains.front().size();
    });
  }

  /// The first variable of an expression that is not the head of a chain, or −1.
  std::int32_t stranger(NodeId expression) {
    for (const NodeId leaf : walker_.leaves(expression)) {
      const Node& node = (*pool_)[leaf];
      if (node.op == Op::variable && !is_head_[node.symbol]) return node.symbol;
    }
    return -1;
  }
  bool constrains_heads_only() {
    return std::ranges::all_of(form_.constraints, [&](NodeId g) { return stranger(g) < 0; });
  }

  void collect_states(bool keeps_chains) {
    view_.states.resize(keeps_chains ? form_.chains.front().size() : 1);
    for (const auto& chain : form_.chains) {
      for (std::size_t k = 0; k < chain.size(); ++k) {
        view_.states[keeps_chains ? k : 0].push_back(chain[k]);
      }
    }
    if (!keeps_chains) std::ranges::sort(view_.states.front());
  }

  /// Total derivatives along the chains: d/dt makes der(x) of every state x, the next member of the
  /// chain, or zero for the last, whose derivative enters g⁽ᵐ⁾ through G x⁽ᵐ⁾ alone.
  void differentiate_constraints() {
    const auto& states = view_.states;
    std::vector<NodeId> from, to;
    for (std::size_t k = 0; k < states.size(); ++k) {
      for (std::size_t i = 0; i < states[k].size(); ++i) {
        from.push_back(pool_->variable(states[k][i], 1));
        to.push_back(k + 1 < states.size() ? pool_->variable(states[k + 1][i])
                                           : pool_->constant(0.0));
      }
    }
    view_.levels.push_back(form_.constraints);
    for (std::size_t k = 0; k < states.size(); ++k) {
      const auto derivative = total_time_derivative(*pool_, view_.levels.back());
      auto level = substitute_held(*pool_, derivative, from, to);
      if (k + 1 < states.size()) {
        view_.levels.push_back(std::move(level));
      } else {
        view_.remainder = std::move(level);
      }
    }
    std::vector<NodeId> x;
    for (const std::int32_t variable : states.front()) x.push_back(pool_->variable(variable));
    view_.jacobian = jacobian(*pool_, form_.constraints, x);
    view_.depths.assign(form_.constraints.size(), view_.order());
  }

  /// Sets view_.forces, or says why the system is not mechanical.
  std::string match_forces() {
    for (const auto& chain : form_.chains) {
      if (chain.size() != 2) {
        return fmt::format("'{}' is differentiated but is neither a position nor a velocity",
                           name(chain.front()));
      }
    }
    for (std::size_t i = 0; i < form_.constraints.size(); ++i) {
      const std::int32_t velocity = stranger(form_.constraints[i]);
      if (velocity < 0) continue;
      return fmt::format("{} is a constraint on the velocity '{}', not on positions alone",
                         equation_label(form_.model, form_.constraint_rows[i]), name(velocity));
    }
    for (const JacobianEntry& entry : form_.mass) {
      const std::int32_t velocity = stranger(entry.value);
      if (velocity < 0) continue;
      return fmt::format("in {} the mass depends on the velocity '{}'",
                         equation_label(form_.model, form_.rows[entry.row]), name(velocity));
    }
    MatchedForces forces(form_, *pool_, view_.jacobian);
    const std::optional<ForceMatching> found = forces.match(parameters_);
    if (!found) return "masses and constraint forces have no finite values around the start values";
    if (!found->ok && found->failed_multiplier < 0) {
      return "the mass matrix is structurally singular, or the multipliers are not independent";
    }
    if (!found->ok) {
      return fmt::format(
          "the forces of '{}' are not those of the constraints (Gᵀ times a constant factor)",
          name(form_.algebraic[found->failed_multiplier]));
    }
    if (!found->is_symmetric) return "the mass matrix is not symmetric";
    forces.keep(*found, parameters_);
    places_ = {found->coordinate_of_row, found->factor_of_row};
    view_.forces = {found->scale, found->inverse_scale,
                    std::make_shared<const MatchedForces>(std::move(forces))};
    return {};
  }

  /// The rows of the dynamics in the order of the chains that they determine, where M is a permuted
  /// diagonal matrix; otherwise as they stand.
  [[nodiscard]] RowPlaces natural_places() const {
    const std::size_t n = form_.rows.size();
    RowPlaces places{std::vector<std::int32_t>(n, -1), std::vector<double>(n, 1.0)};
    std::vector<std::int32_t> count(n, 0);
    for (const JacobianEntry& entry : form_.mass) {
      places.row[entry.row] = entry.column;
      ++count[entry.row];
    }
    const bool is_permutation =
        form_.mass.size() == n && std::ranges::count(count, 1) == to_index(n);
    for (std::size_t i = 0; i < n && !is_permutation; ++i) {
      places.row[i] = static_cast<std::int32_t>(i);
    }
    return places;
  }

  /// Without chains the rows of x₁' = x₂ come first, and M x' those of the last members.
  void place_rows(bool keeps_chains) {
    if (!view_.forces) places_ = natural_places();
    const std::size_t n = view_.states.front().size();
    view_.force.resize(n);
    view_.dynamic_equations.assign(n, -1);
    std::vector<std::int32_t> column(form_.chains.size());  // of each chain's last member
    if (keeps_chains) {
      for (std::size_t i = 0; i < n; ++i) column[i] = static_cast<std::int32_t>(i);
    } else {
      link_chains(column);
    }
    // Row i of M belongs to the last member of chain i.
    const auto row = [&](std::int32_t r) { return column[places_.row[r]]; };
    const auto scaled = [&](NodeId node, std::int32_t r) {
      return pool_->mul(pool_->constant(places_.factor[r]), node);
    };
    for (std::size_t i = 0; i < form_.rows.size(); ++i) {
      const auto r = static_cast<std::int32_t>(i);
      view_.force[row(r)] = scaled(form_.free_force[r], r);
      view_.dynamic_equations[row(r)] = form_.rows[r];
    }
    for (const JacobianEntry& entry : form_.mass) {
      view_.mass.push_back({row(entry.row), column[entry.column], scaled(entry.value, entry.row)});
    }
    for (const JacobianEntry& entry : form_.coefficient) {
      view_.coefficient.push_back({row(entry.row), entry.column, scaled(entry.value, entry.row)});
    }
    sort_by_columns(view_.mass);
    sort_by_columns(view_.coefficient);
  }

  void link_chains(std::vector<std::int32_t>& column) {
    std::vector<std::int32_t> place(form_.model.variables().size(), -1);
    for (std::size_t i = 0; i < view_.states.front().size(); ++i) {
      place[view_.states.front()[i]] = static_cast<std::int32_t>(i);
    }
    for (std::size_t c = 0; c < form_.chains.size(); ++c) {
      const auto& chain = form_.chains[c];
      column[c] = place[chain.back()];
      for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
        const std::int32_t row = place[chain[k]];
        view_.force[row] = pool_->variable(chain[k + 1]);
        view_.mass.push_back({row, row, pool_->constant(1.0)});
      }
    }
  }

  void finish() {
    for (const JacobianEntry& entry : view_.mass) {
      const Node& node = (*pool_)[entry.value];
      const bool is_one = node.op == Op::constant && node.value == 1.0;
      if (entry.row != entry.column || !is_one) view_.mass_is_identity = false;
      for (const NodeId leaf : walker_.leaves(entry.value)) {
        if ((*pool_)[leaf].op != Op::parameter) view_.mass_is_constant = false;
      }
    }
    view_.model = form_.model;
    view_.algebraic = form_.algebraic;
    view_.constraint_equations = form_.constraint_rows;
    view_.outputs = form_.outputs;
    view_.energy = form_.energy;
    pool_->freeze();
    view_.pool = pool_;
  }

  [[nodiscard]] std::string not_hessenberg(const ConstrainedView& view) const {
    if (view.n_constraints() == 0) return "the model has no constraint";
    // GM⁻¹B of a mechanical system is GM⁻¹GᵀS.
    if (view.is_mechanical() || view.force.size() > most_checked_unknowns ||
        reaches_algebraic(view, parameters_)) {
      return {};
    }
    return fmt::format(
        "the constraints must be differentiated more than {} times before {} appears, though the "
        "equations are of order {}",
        view.order(), variable_label(view.model.variables()[view.algebraic.front()]), view.order());
  }

  const SemiExplicitForm& form_;
  std::span<const double> parameters_;
  std::shared_ptr<Pool> pool_;
  LeafWalker walker_;
  std::vector<bool> is_head_;  ///< of a chain, by variable
  ConstrainedView view_;
  RowPlaces places_;
};

}  // namespace

LinearReading read_linear(const Recognition<SemiExplicitForm>& form,
                          std::span<const double> parameters) {
  const std::string& reason = form ? form.view->not_linear : form.reason;
  if (!reason.empty()) return {{}, reason, reason};
  return LinearBuilder(*form.view, parameters).run();
}

bool holds_for(const ConstrainedView& view, std::span<const double> parameters) {
  return !view.forces || view.forces->matched->holds_for(parameters);
}

void multipliers_of_model(const ConstrainedView& view, std::span<const double> ours,
                          std::span<double> model) {
  std::fill(model.begin(), model.end(), 0.0);
  for (const SparseEntry& entry : view.forces->inverse_scale) {
    model[entry.row] += entry.value * ours[entry.column];
  }
}

}  // namespace daedal
