// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/solution_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "expr/affine.hpp"
#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "structure/block_triangular.hpp"

namespace daedal::formulation {

namespace {

class PlanBuilder {
 public:
  PlanBuilder(const DifferentiatedSystem& system, const PlaceExpressions& expressions,
              const SolutionData& data)
      : system_(system),
        data_(data),
        expressions_(expressions),
        parameters_(data.parameters.begin(), data.parameters.end()) {
    const auto parameters = system.view().model.parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (!parameters[k].fixed) parameters_[k] = std::numeric_limits<double>::quiet_NaN();
  }

  SolutionPlan run() {
    find_blocks();
    find_signed_leaves();
    const std::vector<bool> is_needed = needed_blocks();
    SolutionPlan plan;
    for (const bool for_rates : {true, false}) {
      for (Index b = 0; b < blocks_.n_blocks(); ++b)
        if (is_needed[to_size(b)] == for_rates) add(b);
      finish_sequence();
      if (for_rates) plan.n_for_rates = steps_.size();
    }
    plan.steps = std::move(steps_);
    return plan;
  }

 private:
  /// The equations in the unknowns that they are matched to: both have the numbers of equations.
  void find_blocks() {
    const Index n = system_.n_equations();
    std::unordered_map<NodeId, Index> number;
    owner_.assign(to_size(system_.n_places()), -1);
    for (Index e = 0; e < n; ++e) {
      owner_[to_size(data_.place_of[to_size(e)])] = e;
      number[expressions_.leaf(data_.place_of[to_size(e)])] = e;
    }
    incidence_ = structure::Incidence(n);
    auto matching = structure::empty_matching(n, n);
    LeafWalker walker(expressions_.pool());
    for (Index e = 0; e < n; ++e) {
      std::vector<Index> unknowns;
      for (const NodeId leaf : walker.leaves(expressions_.residual(e))) {
        const auto found = number.find(leaf);
        if (found != number.end()) unknowns.push_back(found->second);
      }
      incidence_.add_row(unknowns);
      matching.column_of_row[to_size(e)] = matching.row_of_column[to_size(e)] = e;
    }
    matching.size = n;
    blocks_ = structure::block_triangular_form(incidence_, matching);
  }

  /// Blocks that the rates of the states depend on, and nonlinear ones, whose roots every step
  /// follows; each has unknowns of earlier blocks alone.
  [[nodiscard]] std::vector<bool> needed_blocks() const {
    std::vector<bool> is_needed(to_size(system_.n_equations()), false);
    for (Index p = 0; p < system_.n_places(); ++p) {
      if (owner_[to_size(p)] >= 0) continue;
      const Index rate = owner_[to_size(p) + 1];
      if (rate >= 0) is_needed[to_size(rate)] = true;
    }
    std::vector<bool> result(to_size(blocks_.n_blocks()), false);
    for (Index b = blocks_.n_blocks() - 1; b >= 0; --b) {
      const auto rows = blocks_.rows(b);
      result[to_size(b)] = !is_affine_block(b) || std::ranges::any_of(rows, [&](Index e) {
        return is_needed[to_size(e)];
      });
      if (!result[to_size(b)]) continue;
      for (const Index e : rows)
        for (const Index unknown : incidence_.row(e)) is_needed[to_size(unknown)] = true;
    }
    return result;
  }

  void add(Index block) {
    SolutionStep step;
    for (const Index e : blocks_.rows(block)) {
      step.equations.push_back(e);
      step.places.push_back(data_.place_of[to_size(e)]);
    }
    if (try_sequence(step, block)) return;
    finish_sequence();
    step.kind = is_affine_block(block) ? SolutionStep::Kind::affine : SolutionStep::Kind::iterated;
    compile_torn(step);
    steps_.push_back(std::move(step));
  }

  [[nodiscard]] bool is_affine_block(Index block) const {
    const auto rows = blocks_.rows(block);
    std::vector<NodeId> leaves;
    for (const Index e : rows) leaves.push_back(expressions_.leaf(data_.place_of[to_size(e)]));
    std::ranges::sort(leaves);
    return std::ranges::all_of(rows, [&](Index e) {
      return is_affine(expressions_.pool(), expressions_.residual(e), leaves);
    });
  }

  /// Factors that vary may vanish at an instant, where the unknown keeps its value.
  [[nodiscard]] bool may_vanish(NodeId factor) const {
    const auto leaves = dependencies(expressions_.pool(), std::span(&factor, 1));
    return std::ranges::any_of(leaves, [&](NodeId leaf) {
      const Op op = expressions_.pool()[leaf].op;
      return op == Op::variable || op == Op::time;
    });
  }

  /// A single equation that is affine in its single unknown continues the sequence.
  bool try_sequence(const SolutionStep& step, Index block) {
    if (step.places.size() != 1 || !is_affine_block(block)) return false;
    const Index place = step.places.front();
    const Index equation = step.equations.front();
    const auto all = expressions_.derivatives(equation);
    const auto factor = std::ranges::find(all, place, &PlaceExpressions::Derivative::place);
    if (factor == all.end() || may_vanish(factor->value)) return false;
    sequence_.equations.push_back(equation);
    sequence_.places.push_back(place);
    definitions_.push_back(solved_for(expressions_, equation, place, factor->value));
    return true;
  }

  /// Later values of a sequence are functions of what was known before it.
  void finish_sequence() {
    if (sequence_.places.empty()) return;
    Rewriter rewriter(expressions_.pool(), expressions_.pool());
    for (std::size_t k = 0; k < definitions_.size(); ++k)
      rewriter.define(expressions_.leaf(sequence_.places[k]), definitions_[k]);
    std::vector<NodeId> values;
    for (const Index place : sequence_.places)
      values.push_back(rewriter.rewrite(expressions_.leaf(place)));
    sequence_.values = compile(values);
    steps_.push_back(std::exchange(sequence_, {}));
    definitions_.clear();
  }

  void compile_torn(SolutionStep& step) const {
    const TornBlock torn = tear_block(expressions_, {.equations = step.equations,
                                                     .places = step.places,
                                                     .nominals = data_.nominals,
                                                     .parameters = parameters_});
    step.places = torn.tears;
    step.followers = torn.followers;
    step.n_residuals = to_index(torn.residuals.size());
    std::vector<NodeId> nodes = torn.residuals;
    for (const auto& [row, column, value] : torn.entries) {
      step.entries.push_back({row, column});
      nodes.push_back(value);
    }
    step.full = compile(nodes);
    if (step.kind == SolutionStep::Kind::iterated)
      step.signed_values = compile(signed_values(torn));
    if (torn.followers.empty()) return;
    nodes = torn.residuals;
    nodes.insert(nodes.end(), torn.values.begin(), torn.values.end());
    step.values = compile(nodes);
  }

  /// What a pole lies at zero of: divisors and arguments of logarithms.
  [[nodiscard]] static NodeId signed_part(const Pool& pool, const Node& node) {
    const NodeId part = node.op == Op::div ? node.b : node.op == Op::log ? node.a : no_node;
    return part == no_node || pool[part].op == Op::constant ? no_node : part;
  }

  /// Unknowns that stand alone where a pole lies, in whatever equation.
  void find_signed_leaves() {
    const Pool& pool = expressions_.pool();
    std::vector<NodeId> roots;
    for (Index e = 0; e < system_.n_equations(); ++e) roots.push_back(expressions_.residual(e));
    const Reachable reached(pool, roots);
    for (const NodeId id : reached.ids()) {
      const NodeId part = signed_part(pool, pool[id]);
      if (part != no_node) signed_.insert(part);
    }
  }

  /// The factors of a product that is a constant other than zero, as [H+][OH-] = K.
  void add_factors(NodeId residual, std::vector<NodeId>& result) const {
    const Pool& pool = expressions_.pool();
    const auto is_number = [&](NodeId id) {
      const Node& node = pool[id];
      return (node.op == Op::constant && node.value != 0.0) ||
             (node.op == Op::parameter && std::abs(parameters_[to_size(node.symbol)]) > 0.0);
    };
    const Node& sum = pool[residual];
    if (sum.op != Op::sub && sum.op != Op::add) return;
    const bool is_swapped = is_number(sum.a);
    if (!is_swapped && !is_number(sum.b)) return;
    std::vector<NodeId> open{is_swapped ? sum.b : sum.a};
    if (pool[open.front()].op != Op::mul) return;
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (pool[id].op == Op::mul) {
        open.insert(open.end(), {pool[id].a, pool[id].b});
      } else if (pool[id].op != Op::constant && pool[id].op != Op::parameter) {
        result.push_back(id);
      }
    }
  }

  [[nodiscard]] std::vector<NodeId> signed_values(const TornBlock& torn) const {
    const Pool& pool = expressions_.pool();
    std::vector<NodeId> result, tears, roots = torn.residuals;
    for (const NodeId residual : torn.residuals) add_factors(residual, result);
    for (const Index place : torn.tears) tears.push_back(expressions_.leaf(place));
    for (std::size_t f = 0; f < torn.followers.size(); ++f) {
      roots.push_back(torn.values[f]);
      if (signed_.contains(expressions_.leaf(torn.followers[f]))) result.push_back(torn.values[f]);
    }
    for (const NodeId tear : tears)
      if (signed_.contains(tear)) result.push_back(tear);
    const Reachable reached(pool, roots);
    std::vector<bool> depends(reached.size(), false);
    for (std::size_t k = 0; k < reached.size(); ++k) {
      const NodeId id = reached.ids()[k];
      const Node& node = pool[id];
      depends[k] = std::ranges::find(tears, id) != tears.end() ||
                   std::ranges::any_of(arguments(node), [&](NodeId part) {
                     return part != no_node && depends[reached.position(part)];
                   });
      const NodeId part = signed_part(pool, node);
      if (part != no_node && depends[reached.position(part)]) result.push_back(part);
    }
    std::ranges::sort(result);
    result.erase(std::ranges::unique(result).begin(), result.end());
    return result;
  }

  [[nodiscard]] kernel::Program compile(std::span<const NodeId> nodes) const {
    return kernel::Program::compile(expressions_.pool(), nodes, expressions_.inputs());
  }

  const DifferentiatedSystem& system_;
  const SolutionData& data_;
  const PlaceExpressions& expressions_;
  std::vector<double> parameters_;
  std::vector<Index> owner_;  ///< per place: the equation that determines it; -1: a state
  std::unordered_set<NodeId> signed_;
  structure::Incidence incidence_;
  structure::BlockTriangularForm blocks_;
  std::vector<SolutionStep> steps_;
  SolutionStep sequence_;            ///< under way
  std::vector<NodeId> definitions_;  ///< of its places
};

}  // namespace

SolutionPlan plan_solution(const DifferentiatedSystem& system, const PlaceExpressions& expressions,
                           const SolutionData& data) {
  return PlanBuilder(system, expressions, data).run();
}

}  // namespace daedal::formulation
