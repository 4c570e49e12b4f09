// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/solution_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "expr/affine.hpp"
#include "formulation/dummy/torn_block.hpp"
#include "model/rewrite.hpp"

namespace daedal::formulation {

namespace {

class PlanBuilder {
 public:
  PlanBuilder(const DifferentiatedSystem& system, const SolutionData& data)
      : system_(system),
        data_(data),
        expressions_(system),
        parameters_(data.parameters.begin(), data.parameters.end()) {
    const auto parameters = system.view().model.parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (!parameters[k].fixed) parameters_[k] = std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<SolutionStep> run() {
    const auto& c = system_.report().offsets.c;
    const Index deepest = c.empty() ? 0 : *std::ranges::max_element(c);
    for (Index stage = deepest; stage >= 0; --stage) {
      for (Index b = 0; b < system_.report().blocks.n_blocks(); ++b) add(b, stage);
    }
    finish_sequence();
    return std::move(steps_);
  }

 private:
  void add(Index block, Index stage) {
    const auto& report = system_.report();
    SolutionStep step;
    step.block = block;
    step.stage = stage;
    for (const Index i : report.blocks.rows(block)) {
      const Index level = report.offsets.c[to_size(i)] - stage;
      if (level >= 0) step.equations.push_back(system_.equation(i, level));
    }
    if (step.equations.empty()) return;
    // Candidates keep the numbers that they have in the block: -1 for what does not exist.
    for (const Index j : report.blocks.columns(block)) {
      const Index order = report.offsets.d[to_size(j)] - stage;
      step.places.push_back(order >= 0 ? system_.place(j, order) : -1);
    }
    step.has_choice = step.places.size() > step.equations.size();
    step.n_residuals = to_index(step.equations.size());
    if (try_sequence(step)) return;
    finish_sequence();
    step.kind = is_affine_block(step) ? SolutionStep::Kind::affine : SolutionStep::Kind::iterated;
    if (step.has_choice) {
      compile_choice(step);
    } else {
      compile_torn(step);
    }
    steps_.push_back(std::move(step));
  }

  [[nodiscard]] std::vector<NodeId> leaves_of(const SolutionStep& step) const {
    std::vector<NodeId> leaves;
    for (const Index p : step.places)
      if (p >= 0) leaves.push_back(expressions_.leaf(p));
    std::ranges::sort(leaves);
    return leaves;
  }

  [[nodiscard]] bool is_affine_block(const SolutionStep& step) const {
    const auto leaves = leaves_of(step);
    return std::ranges::all_of(step.equations, [&](Index e) {
      return is_affine(expressions_.pool(), expressions_.residual(e), leaves);
    });
  }

  /// A single equation that is affine in its single unknown continues the sequence.
  bool try_sequence(const SolutionStep& step) {
    if (step.places.size() != 1 || !is_affine_block(step)) return false;
    const Index place = step.places.front();
    const Index equation = step.equations.front();
    const auto all = expressions_.derivatives(equation);
    const auto factor = std::ranges::find(all, place, &PlaceExpressions::Derivative::place);
    if (factor == all.end()) return false;
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

  void compile_choice(SolutionStep& step) const {
    std::vector<NodeId> nodes;
    for (const Index e : step.equations) nodes.push_back(expressions_.residual(e));
    std::vector<std::pair<SolutionStep::Entry, NodeId>> entries;
    for (std::size_t i = 0; i < step.equations.size(); ++i) {
      for (const auto& [place, value] : expressions_.derivatives(step.equations[i])) {
        const auto found = std::ranges::find(step.places, place);
        if (found != step.places.end())
          entries.push_back({{to_index(i), found - step.places.begin()}, value});
      }
    }
    std::ranges::sort(entries, {}, [](const auto& entry) {
      return std::pair(entry.first.column, entry.first.row);
    });
    for (const auto& [entry, value] : entries) {
      step.entries.push_back(entry);
      nodes.push_back(value);
    }
    step.full = compile(nodes);
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
    if (torn.followers.empty()) return;
    nodes = torn.residuals;
    nodes.insert(nodes.end(), torn.values.begin(), torn.values.end());
    step.values = compile(nodes);
  }

  [[nodiscard]] kernel::Program compile(std::span<const NodeId> nodes) const {
    return kernel::Program::compile(expressions_.pool(), nodes, expressions_.inputs());
  }

  const DifferentiatedSystem& system_;
  const SolutionData& data_;
  PlaceExpressions expressions_;
  std::vector<double> parameters_;
  std::vector<SolutionStep> steps_;
  SolutionStep sequence_;            ///< under way
  std::vector<NodeId> definitions_;  ///< of its places
};

}  // namespace

std::vector<SolutionStep> solution_steps(const DifferentiatedSystem& system,
                                         const SolutionData& data) {
  return PlanBuilder(system, data).run();
}

}  // namespace daedal::formulation
