// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/velocities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "model/views/linear_terms.hpp"

namespace daedal {

namespace {

class Reader {
 public:
  Reader(const Model& model, Elimination& elimination)
      : model_(model),
        elimination_(elimination),
        walker_(elimination.pool()),
        is_differentiated_(model.variables().size(), false) {
    const Pool& pool = elimination.pool();
    for (NodeId id = 0; id < pool.size(); ++id) {
      if (pool[id].op == Op::variable && pool[id].order > 0) {
        is_differentiated_[to_size(root_of(pool[id]).representative)] = true;
      }
    }
  }

  /// Of der(x) = k v, where v is differentiated elsewhere.
  std::optional<ScaledVelocity> read(std::size_t e) {
    const Equation& equation = model_.equations()[e];
    const Pool& pool = elimination_.pool();
    const auto terms = linear_terms(pool, equation.lhs, equation.rhs);
    if (terms.size() != 2) return std::nullopt;
    const bool is_swapped = pool[terms[0].node].order == 0;
    const LinearTerm& rate = terms[is_swapped ? 1 : 0];
    const LinearTerm& value = terms[is_swapped ? 0 : 1];
    const Node& x = pool[rate.node];
    const Node& v = pool[value.node];
    if (x.op != Op::variable || x.order != 1 || v.op != Op::variable || v.order != 0) return {};
    const auto position = root_of(x);
    const auto velocity = root_of(v);
    if (!is_differentiated_[to_size(velocity.representative)] ||
        !is_kept(position.representative) || !is_kept(velocity.representative)) {
      return std::nullopt;
    }
    return ScaledVelocity{e, position.representative, velocity.representative,
                          -value.coefficient / rate.coefficient * position.sign * velocity.sign};
  }

  /// Whether an equation binds differentiated variables to each other, or to the time.
  bool is_constraint(std::size_t e) {
    const Equation& equation = model_.equations()[e];
    bool has_variable = false;
    for (const NodeId side : std::array{equation.lhs, equation.rhs}) {
      for (const NodeId leaf : walker_.leaves(side)) {
        const Node& node = elimination_.pool()[leaf];
        if (node.op != Op::variable) continue;
        has_variable = true;
        if (node.order > 0 || !is_differentiated_[to_size(root_of(node).representative)])
          return false;
      }
    }
    return has_variable;
  }

 private:
  AliasClasses::Member root_of(const Node& node) {
    return elimination_.classes().find(node.symbol);
  }
  bool is_kept(std::int32_t root) { return elimination_.fate(root) == Elimination::Fate::kept; }

  const Model& model_;
  Elimination& elimination_;
  LeafWalker walker_;
  std::vector<bool> is_differentiated_;
};

}  // namespace

std::vector<ScaledVelocity> scaled_velocities(const Model& model, Elimination& elimination) {
  Reader reader(model, elimination);
  std::map<std::int32_t, ScaledVelocity> of_position;
  std::map<std::int32_t, int> n_positions;  // by velocity
  bool has_constraint = false;
  for (std::size_t e = 0; e < model.equations().size(); ++e) {
    if (elimination.is_removed(e)) continue;
    if (const auto found = reader.read(e)) {
      of_position.emplace(found->position, *found);
      ++n_positions[found->velocity];
    }
    has_constraint = has_constraint || reader.is_constraint(e);
  }
  std::vector<ScaledVelocity> result;
  if (!has_constraint) return result;
  for (const auto& [position, found] : of_position) {
    // Chains of derivatives of which one may be in other units than the next are left alone.
    const bool is_in_chain = of_position.contains(found.velocity) || n_positions.contains(position);
    const bool is_usable = found.factor != 1.0 && found.factor != 0.0 &&
                           std::isfinite(found.factor) && std::isfinite(1.0 / found.factor);
    if (is_usable && !is_in_chain && n_positions[found.velocity] == 1) result.push_back(found);
  }
  return result;
}

}  // namespace daedal
