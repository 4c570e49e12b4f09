// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/mechanical_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/types.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/views/constraint_levels.hpp"
#include "model/views/held_substitution.hpp"
#include "model/views/sample_points.hpp"

namespace daedal {

namespace {

/// A constant S fits every point: five leave no room for chance, three are enough to tell.
constexpr Index n_sample_points = 5;
constexpr Index fewest_sample_points = 3;
/// Where forces vanish around the start: so many nominal values away from it.
constexpr double far_spread = 8.0;
/// Factors found from samples at other parameters are the same when they differ by round-off only.
constexpr double same_factor = 1e-12;

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
  MatchedForces(const SemiExplicitForm& form, const std::vector<JacobianEntry>& jacobian)
      : places_{places(form.mass), places(form.coefficient), places(jacobian)},
        size_{static_cast<std::int32_t>(form.chains.size()),
              static_cast<std::int32_t>(form.constraints.size())},
        sampler_(form.model, *form.pool, values(form, jacobian)) {
    for (const NodeId leaf : dependencies(*form.pool, values(form, jacobian))) {
      const Node& node = (*form.pool)[leaf];
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
    const bool is_same = std::ranges::all_of(parameters_, [&](std::int32_t symbol) {
      return kept_at_[to_size(symbol)] == parameters[to_size(symbol)];
    });
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

class Recognizer {
 public:
  Recognizer(SemiExplicitForm form, std::span<const double> parameters)
      : form_(std::move(form)), parameters_(parameters), walker_(*form_.pool) {}

  Recognition<MechanicalView> run() {
    if (!take_coordinates() || !check_constraints() || !check_mass()) return {{}, reason_};
    ConstraintLevels levels =
        constraint_levels(*form_.pool, form_.constraints, {view_.positions, view_.velocities});
    view_.jacobian = std::move(levels.jacobian);
    view_.velocity_level = std::move(levels.levels[1]);
    view_.curvature = std::move(levels.remainder);
    if (!take_forces()) return {{}, reason_};
    finish();
    return {std::move(view_), {}};
  }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  [[nodiscard]] const std::string& name(std::int32_t variable) const {
    return form_.model.variables()[variable].name;
  }

  bool take_coordinates() {
    is_position_.assign(form_.model.variables().size(), false);
    for (const auto& chain : form_.chains) {
      if (chain.size() != 2) {
        return fail(fmt::format("'{}' is differentiated but is neither a position nor a velocity",
                                name(chain.front())));
      }
      view_.positions.push_back(chain[0]);
      view_.velocities.push_back(chain[1]);
      is_position_[chain[0]] = true;
    }
    if (form_.chains.empty()) return fail("the model has no positions and velocities");
    view_.multipliers = form_.algebraic;
    return true;
  }

  /// The first variable of an expression that is no position, or −1.
  std::int32_t stranger(NodeId expression) {
    for (const NodeId leaf : walker_.leaves(expression)) {
      const Node& node = (*form_.pool)[leaf];
      if (node.op == Op::variable && !is_position_[node.symbol]) return node.symbol;
    }
    return -1;
  }

  bool check_constraints() {
    for (std::size_t i = 0; i < form_.constraints.size(); ++i) {
      const std::int32_t velocity = stranger(form_.constraints[i]);
      if (velocity < 0) continue;
      return fail(fmt::format("{} is a constraint on the velocity '{}', not on positions alone",
                              equation_label(form_.model, form_.constraint_rows[i]),
                              name(velocity)));
    }
    return true;
  }

  bool check_mass() {
    for (const JacobianEntry& entry : form_.mass) {
      const std::int32_t velocity = stranger(entry.value);
      if (velocity >= 0) {
        return fail(fmt::format("in {} the mass depends on the velocity '{}'",
                                equation_label(form_.model, form_.rows[entry.row]),
                                name(velocity)));
      }
      for (const NodeId leaf : walker_.leaves(entry.value)) {
        if ((*form_.pool)[leaf].op != Op::parameter) view_.mass_is_constant = false;
      }
    }
    return true;
  }

  bool take_forces() {
    MatchedForces forces(form_, view_.jacobian);
    const std::optional<ForceMatching> found = forces.match(parameters_);
    if (!found) {
      return fail("masses and constraint forces have no finite values around the start values");
    }
    const ForceMatching& matching = *found;
    if (!matching.ok) return fail_matching(matching);
    forces.keep(matching, parameters_);
    view_.forces = std::make_shared<const MatchedForces>(std::move(forces));
    view_.scale = matching.scale;
    view_.inverse_scale = matching.inverse_scale;
    view_.mass_is_symmetric = matching.is_symmetric;
    place_rows(matching);
    return true;
  }

  bool fail_matching(const ForceMatching& matching) {
    if (matching.failed_multiplier < 0) {
      return fail(
          "the mass matrix is structurally singular, or the multipliers are not independent");
    }
    return fail(
        fmt::format("the forces of '{}' are not those of the constraints (Gᵀ times a constant "
                    "factor)",
                    name(form_.algebraic[matching.failed_multiplier])));
  }

  void place_rows(const ForceMatching& matching) {
    Pool& pool = *form_.pool;
    const std::size_t n = form_.rows.size();
    view_.force.resize(n);
    view_.dynamic_equations.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
      const std::size_t i = to_size(matching.coordinate_of_row[r]);
      view_.force[i] = pool.mul(pool.constant(matching.factor_of_row[r]), form_.force[r]);
      view_.dynamic_equations[i] = form_.rows[r];
    }
    for (const JacobianEntry& entry : form_.mass) {
      const double factor = matching.factor_of_row[entry.row];
      view_.mass.push_back({matching.coordinate_of_row[entry.row], entry.column,
                            pool.mul(pool.constant(factor), entry.value)});
    }
    std::sort(view_.mass.begin(), view_.mass.end(),
              [](const JacobianEntry& x, const JacobianEntry& y) {
                return std::pair(x.column, x.row) < std::pair(y.column, y.row);
              });
  }

  void finish() {
    Pool& pool = *form_.pool;
    std::vector<NodeId> velocities;
    for (const std::int32_t v : view_.velocities) velocities.push_back(pool.variable(v));
    const std::vector<NodeId> zeros(velocities.size(), pool.constant(0.0));
    view_.rate = substitute_held(pool, view_.velocity_level, velocities, zeros);
    view_.constraints = std::move(form_.constraints);
    view_.constraint_equations = std::move(form_.constraint_rows);
    view_.outputs = std::move(form_.outputs);
    pool.freeze();
    view_.pool = std::move(form_.pool);
    view_.model = std::move(form_.model);
    view_.energy = form_.energy;
  }

  SemiExplicitForm form_;
  std::span<const double> parameters_;
  LeafWalker walker_;
  MechanicalView view_;
  std::vector<bool> is_position_;
  std::string reason_;
};

}  // namespace

bool holds_for(const MechanicalView& view, std::span<const double> parameters) {
  return view.forces->holds_for(parameters);
}

Recognition<MechanicalView> mechanical_view(const Model& model,
                                            std::span<const double> parameters) {
  auto form = semi_explicit_form(model, parameters, {.chains = true});
  if (!form) return {{}, form.reason};
  return Recognizer(std::move(*form.view), parameters).run();
}

void multipliers_of_model(const MechanicalView& view, std::span<const double> ours,
                          std::span<double> model) {
  std::fill(model.begin(), model.end(), 0.0);
  for (const SparseEntry& entry : view.inverse_scale) {
    model[entry.row] += entry.value * ours[entry.column];
  }
}

}  // namespace daedal
