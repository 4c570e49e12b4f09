// SPDX-License-Identifier: BSD-3-Clause
#include "model/views/semi_explicit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/types.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "model/views/linear_terms.hpp"
#include "model/views/order_reduction.hpp"
#include "model/views/sample_points.hpp"

namespace daedal {

namespace {

class FormRecognizer {
 public:
  FormRecognizer(const Model& model, std::span<const double> parameters)
      : parameters_(parameters), walker_(start(model)) {}

  Recognition<SemiExplicitForm> run() {
    find_roles();
    find_pairs();
    collect_chains();
    find_accelerations();
    if (!sort_equations() || !check_counts() || !split_dynamics()) return {{}, reason_};
    write_outputs();
    release_relations();
    pool_->freeze();
    form_.pool = pool_;
    return {std::move(form_), {}};
  }

 private:
  const Pool& start(const Model& model) {
    form_.model = reduce_order(model);
    pool_ = std::make_shared<Pool>(form_.model.pool());
    hold_relations();
    return *pool_;
  }

  /// A relation holds its value between events, whatever it compares: while variables are
  /// substituted a leaf stands for it.
  [[nodiscard]] NodeId placeholder(std::int32_t relation) {
    return pool_->discrete(static_cast<SymbolId>(form_.model.discretes().size()) + relation);
  }
  void hold_relations() {
    const std::int32_t n_relations = pool_->n_relations();
    std::vector<NodeId> leaves;
    for (std::int32_t id = 0; id < n_relations; ++id) leaves.push_back(placeholder(id));
    Rewriter rewriter(*pool_, *pool_);
    for (std::int32_t id = 0; id < n_relations; ++id) {
      rewriter.bind(pool_->relation_node(id), leaves[id]);
    }
    for (const Equation& equation : form_.model.equations()) {
      sides_.push_back({rewriter.rewrite(equation.lhs), rewriter.rewrite(equation.rhs)});
    }
  }
  void release_relations() {
    const std::int32_t n_relations = form_.model.pool()->n_relations();
    if (n_relations == 0) return;
    std::vector<NodeId> leaves;
    for (std::int32_t id = 0; id < n_relations; ++id) leaves.push_back(placeholder(id));
    Rewriter rewriter(*pool_, *pool_);
    for (std::int32_t id = 0; id < n_relations; ++id) {
      rewriter.bind(leaves[id], pool_->relation_node(id));
      rewriter.bind(pool_->relation_node(id), pool_->relation_node(id));
    }
    for (auto* entries : {&form_.mass, &form_.coefficient}) {
      for (JacobianEntry& entry : *entries) entry.value = rewriter.rewrite(entry.value);
    }
    for (auto* nodes : {&form_.force, &form_.free_force, &form_.constraints, &form_.outputs}) {
      for (NodeId& node : *nodes) node = rewriter.rewrite(node);
    }
    form_.energy = rewriter.rewrite(form_.energy);
  }

  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  [[nodiscard]] std::string name(std::int32_t variable) const {
    return fmt::format("'{}'", form_.model.variables()[variable].name);
  }
  [[nodiscard]] std::string label(std::int32_t equation) const {
    return equation_label(form_.model, equation);
  }
  [[nodiscard]] const Node& node(NodeId id) const { return (*pool_)[id]; }

  void find_roles() {
    const std::size_t n = form_.model.variables().size();
    is_differential_.assign(n, false);
    definition_.assign(n, no_node);
    next_.assign(n, -1);
    has_previous_.assign(n, false);
    is_used_.assign(form_.model.equations().size(), false);
    in_plain_equation_.assign(n, false);
    for (const auto& sides : sides_) {
      const auto leaves = walker_.leaves(sides);
      const bool is_plain = std::none_of(leaves.begin(), leaves.end(),
                                         [this](NodeId leaf) { return node(leaf).order > 0; });
      for (const NodeId leaf : leaves) {
        if (node(leaf).op != Op::variable) continue;
        if (node(leaf).order > 0) is_differential_[node(leaf).symbol] = true;
        if (is_plain) in_plain_equation_[node(leaf).symbol] = true;
      }
    }
  }

  struct Pair {
    std::int32_t differentiated = -1;
    std::int32_t other = -1;
    double factor = 0.0;  ///< der(differentiated) = factor · other
  };
  /// An equation der(u) = ± w.
  [[nodiscard]] Pair pair_of(std::size_t equation) const {
    const auto terms = linear_terms(*pool_, sides_[equation][0], sides_[equation][1]);
    if (terms.size() != 2) return {};
    for (int first = 0; first < 2; ++first) {
      const LinearTerm& derivative = terms[first];
      const LinearTerm& other = terms[1 - first];
      const Node& a = node(derivative.node);
      const Node& b = node(other.node);
      if (a.op != Op::variable || a.order != 1 || b.op != Op::variable || b.order != 0) continue;
      return {a.symbol, b.symbol, -other.coefficient / derivative.coefficient};
    }
    return {};
  }

  void find_pairs() {
    for (std::size_t e = 0; e < form_.model.equations().size(); ++e) {
      const Pair pair = pair_of(e);
      if (pair.differentiated < 0 || pair.factor != 1.0 || pair.differentiated == pair.other)
        continue;
      if (!is_differential_[pair.other]) continue;
      if (next_[pair.differentiated] >= 0 || has_previous_[pair.other]) continue;
      if (closes_circle(pair)) continue;
      next_[pair.differentiated] = pair.other;
      has_previous_[pair.other] = true;
      is_used_[e] = true;
    }
  }

  [[nodiscard]] bool closes_circle(const Pair& pair) const {
    std::int32_t end = pair.other;
    while (next_[end] >= 0) end = next_[end];
    return end == pair.differentiated;
  }

  void collect_chains() {
    for (std::size_t i = 0; i < is_differential_.size(); ++i) {
      if (!is_differential_[i] || has_previous_[i]) continue;
      std::vector<std::int32_t> chain{static_cast<std::int32_t>(i)};
      while (next_[chain.back()] >= 0) chain.push_back(next_[chain.back()]);
      form_.chains.push_back(std::move(chain));
    }
  }

  /// a = der(v), where a stands in equations without derivatives: those are the dynamics. (When a
  /// stands in no such equation it is a force, and der(v) = a is the dynamics.)
  void find_accelerations() {
    for (std::size_t e = 0; e < form_.model.equations().size(); ++e) {
      if (is_used_[e]) continue;
      const Pair pair = pair_of(e);
      if (pair.differentiated < 0 || is_differential_[pair.other]) continue;
      if (!in_plain_equation_[pair.other] || definition_[pair.other] != no_node) continue;
      Pool& pool = *pool_;
      definition_[pair.other] =
          pool.mul(pool.constant(1.0 / pair.factor), pool.variable(pair.differentiated, 1));
      is_used_[e] = true;
    }
  }

  /// lhs − rhs with everything substituted that is defined so far.
  NodeId substituted(std::size_t equation) {
    NodeId residual = pool_->sub(sides_[equation][0], sides_[equation][1]);
    while (true) {
      std::vector<NodeId> from, to;
      for (const NodeId leaf : walker_.leaves(residual)) {
        const Node& symbol = node(leaf);
        if (symbol.op != Op::variable) continue;
        if (symbol.order == 0 && definition_[symbol.symbol] != no_node) {
          from.push_back(leaf);
          to.push_back(definition_[symbol.symbol]);
        } else if (symbol.order == 1 && next_[symbol.symbol] >= 0) {
          from.push_back(leaf);
          to.push_back(no_node);
        }
      }
      if (from.empty()) return residual;
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (to[i] == no_node) to[i] = pool_->variable(next_[node(from[i]).symbol]);
      }
      residual = substitute(*pool_, std::span(&residual, 1), from, to)[0];
    }
  }

  /// Which kinds of leaves an expression has.
  struct Content {
    bool has_derivative = false;
    std::vector<std::int32_t> algebraic;
  };
  Content content(NodeId residual) {
    Content found;
    for (const NodeId leaf : walker_.leaves(residual)) {
      const Node& symbol = node(leaf);
      if (symbol.op != Op::variable) continue;
      if (symbol.order > 0) {
        found.has_derivative = true;
      } else if (!is_differential_[symbol.symbol]) {
        found.algebraic.push_back(symbol.symbol);
      }
    }
    return found;
  }

  /// Equations that define nothing wait until others have defined what they contain.
  bool sort_equations() {
    std::vector<std::int32_t> open;
    for (std::size_t e = 0; e < form_.model.equations().size(); ++e) {
      if (!is_used_[e]) open.push_back(static_cast<std::int32_t>(e));
    }
    while (!open.empty()) {
      const std::size_t n_before = open.size();
      std::erase_if(open, [this](std::int32_t equation) { return finds_place(equation); });
      if (open.size() < n_before) continue;
      const Content found = content(substituted(to_size(open.front())));
      return fail(fmt::format("{} determines {} only implicitly", label(open.front()),
                              name(found.algebraic.front())));
    }
    return true;
  }

  bool finds_place(std::int32_t equation) {
    const NodeId residual = substituted(to_size(equation));
    const Content found = content(residual);
    if (found.has_derivative) {
      form_.rows.push_back(equation);
      return true;
    }
    if (!found.algebraic.empty()) return define_one(equation, residual, found.algebraic);
    form_.constraint_rows.push_back(equation);
    form_.constraints.push_back(residual);
    return true;
  }

  /// Solves the equation for one of its algebraic variables, the one that stands alone on a side
  /// if there is one, where its factor is a nonzero number or parameter.
  bool define_one(std::int32_t equation, NodeId residual, std::vector<std::int32_t> candidates) {
    const auto& sides = sides_[equation];
    const auto rank = [&](std::int32_t variable) {
      const NodeId leaf = pool_->variable(variable);
      return std::pair(sides[0] == leaf ? 0 : (sides[1] == leaf ? 1 : 2), variable);
    };
    std::sort(candidates.begin(), candidates.end(),
              [&](std::int32_t a, std::int32_t b) { return rank(a) < rank(b); });
    for (const std::int32_t variable : candidates) {
      const NodeId leaf = pool_->variable(variable);
      const NodeId factor = gradient(*pool_, residual, std::span(&leaf, 1))[0];
      if (!is_nonzero_parameter(factor)) continue;
      const NodeId zero = pool_->constant(0.0);
      const NodeId rest =
          substitute(*pool_, std::span(&residual, 1), std::span(&leaf, 1), std::span(&zero, 1))[0];
      definition_[variable] = pool_->neg(pool_->div(rest, factor));
      return true;
    }
    return false;
  }

  bool is_nonzero_parameter(NodeId factor) {
    for (const NodeId leaf : walker_.leaves(factor)) {
      if (node(leaf).op != Op::parameter) return false;
    }
    const double value = parameter_expression(*pool_, parameters_, factor);
    return std::isfinite(value) && value != 0.0;
  }

  bool check_counts() {
    for (std::size_t i = 0; i < is_differential_.size(); ++i) {
      if (!is_differential_[i] && definition_[i] == no_node) {
        form_.algebraic.push_back(static_cast<std::int32_t>(i));
      }
    }
    if (form_.rows.size() < form_.chains.size()) {
      return fail(fmt::format("there are {} differential equations for {} derivatives",
                              form_.rows.size(), form_.chains.size()));
    }
    if (form_.rows.size() > form_.chains.size()) {
      return fail(fmt::format("{} is one differential equation more than there are derivatives",
                              label(form_.rows[form_.chains.size()])));
    }
    if (form_.constraints.size() != form_.algebraic.size()) {
      return fail(fmt::format("there are {} constraints for {} algebraic variables",
                              form_.constraints.size(), form_.algebraic.size()));
    }
    return true;
  }

  bool split_dynamics() {
    Pool& pool = *pool_;
    std::vector<NodeId> unknowns;
    for (const auto& chain : form_.chains) unknowns.push_back(pool.variable(chain.back(), 1));
    const std::size_t n = unknowns.size();
    for (const std::int32_t u : form_.algebraic) unknowns.push_back(pool.variable(u));
    std::vector<NodeId> residuals;
    for (const std::int32_t row : form_.rows) {
      residuals.push_back(substituted(to_size(row)));
    }
    for (const JacobianEntry& entry : jacobian(pool, residuals, unknowns)) {
      const bool is_of_mass = to_size(entry.column) < n;
      if (!check_affine(entry, unknowns, is_of_mass)) return false;
      if (is_of_mass) {
        form_.mass.push_back(entry);
      } else {
        form_.coefficient.push_back(
            {entry.row, entry.column - static_cast<std::int32_t>(n), entry.value});
      }
    }
    form_.force = without(residuals, std::span(unknowns).first(n));
    if (form_.not_linear.empty()) {
      form_.free_force = without(residuals, unknowns);
    } else {
      form_.coefficient.clear();
    }
    return true;
  }

  /// −residual with zeros for the unknowns.
  std::vector<NodeId> without(std::span<const NodeId> residuals, std::span<const NodeId> unknowns) {
    const std::vector<NodeId> zeros(unknowns.size(), pool_->constant(0.0));
    std::vector<NodeId> rest = substitute(*pool_, residuals, unknowns, zeros);
    for (NodeId& node : rest) node = pool_->neg(node);
    return rest;
  }

  /// False where an equation is not linear in derivatives; u need not enter linearly.
  bool check_affine(const JacobianEntry& entry, std::span<const NodeId> unknowns, bool is_of_mass) {
    for (const NodeId leaf : walker_.leaves(entry.value)) {
      const Node& symbol = node(leaf);
      const bool is_derivative = symbol.op == Op::variable && symbol.order > 0;
      const bool is_u =
          symbol.op == Op::variable && !is_derivative && !is_differential_[symbol.symbol];
      if (!is_derivative && !is_u) continue;
      std::string reason = fmt::format("{} is not linear in {}", label(form_.rows[entry.row]),
                                       leaf_label(unknowns[entry.column]));
      if (is_derivative && is_of_mass) return fail(std::move(reason));
      if (form_.not_linear.empty()) form_.not_linear = std::move(reason);
    }
    return true;
  }

  [[nodiscard]] std::string leaf_label(NodeId leaf) const {
    const std::string plain = name(node(leaf).symbol);
    return node(leaf).order == 0 ? plain
                                 : fmt::format("der({})", plain.substr(1, plain.size() - 2));
  }

  void write_outputs() {
    for (std::size_t i = 0; i < definition_.size(); ++i) {
      form_.outputs.push_back(pool_->variable(static_cast<SymbolId>(i)));
    }
    Rewriter rewriter(*pool_, *pool_);
    for (std::size_t i = 0; i < definition_.size(); ++i) {
      if (definition_[i] != no_node) rewriter.define(form_.outputs[i], definition_[i]);
    }
    for (NodeId& output : form_.outputs) output = rewriter.rewrite(output);
    for (std::int32_t id = 0; id < form_.model.pool()->n_relations(); ++id) {
      rewriter.bind(pool_->relation_node(id), placeholder(id));
    }
    form_.energy = rewriter.rewrite(form_.model.energy());
  }

  SemiExplicitForm form_;
  std::shared_ptr<Pool> pool_;                ///< of the form, open
  std::vector<std::array<NodeId, 2>> sides_;  ///< of the equations
  std::span<const double> parameters_;
  LeafWalker walker_;
  std::string reason_;
  std::vector<bool> is_differential_;
  std::vector<bool> in_plain_equation_;
  std::vector<bool> has_previous_;
  std::vector<bool> is_used_;
  std::vector<std::int32_t> next_;  ///< of a chain: der(u) = next
  std::vector<NodeId> definition_;  ///< of substituted algebraic variables
};

}  // namespace

Recognition<SemiExplicitForm> semi_explicit_form(const Model& model,
                                                 std::span<const double> parameters) {
  return FormRecognizer(model, parameters).run();
}

}  // namespace daedal
