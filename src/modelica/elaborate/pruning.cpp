// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/pruning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/calculus.hpp"
#include "model/leaves.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/equations.hpp"

namespace daedal::modelica {

namespace {

/// Equations as rows, continuous unknowns as columns.
class Incidence {
 public:
  Incidence(Context& context, const Equations& equations)
      : context_(context), equations_(equations), walker_(context.pool) {
    for (const FlatEquation& equation : equations.equations()) {
      add_row({equation.lhs, equation.rhs}, equation.where);
    }
    n_defined_ = rows_.size();
    for (const UndefinedEquation& equation : equations.undefined()) {
      add_row(equation.determined, equation.where);
    }
    for (const NodeId use : context.other_uses) count_other_use(use);
  }

  /// Removes, again and again, an equation with a variable that appears nowhere else: it only
  /// determines that variable. What was removed is in the answer, the variable by row.
  std::vector<SymbolId> remove_outputs() {
    std::vector<SymbolId> output(rows_.size(), -1);
    std::vector<SymbolId> queue;
    for (const auto& entry : uses_) queue.push_back(entry.first);
    std::sort(queue.begin(), queue.end());
    while (!queue.empty()) {
      const SymbolId variable = queue.back();
      queue.pop_back();
      if (uses_[variable].size() != 1 || *uses_[variable].begin() < 0) continue;
      const auto row = static_cast<std::size_t>(*uses_[variable].begin());
      output[row] = variable;
      for (const SymbolId other : rows_[row]) {
        uses_[other].erase(static_cast<std::int64_t>(row));
        queue.push_back(other);
      }
    }
    return output;
  }

  [[nodiscard]] const std::vector<std::vector<SymbolId>>& rows() const { return rows_; }
  [[nodiscard]] Position where(std::size_t row) const { return where_[row]; }
  [[nodiscard]] bool is_undefined(std::size_t row) const { return row >= n_defined_; }
  [[nodiscard]] const UndefinedEquation& undefined(std::size_t row) const {
    return equations_.undefined()[row - n_defined_];
  }

 private:
  std::vector<SymbolId> variables(std::span<const NodeId> roots) {
    std::vector<SymbolId> found;
    for (const NodeId leaf : walker_.leaves(roots)) {
      const Node node = context_.pool[leaf];
      if (node.op == Op::variable || node.op == Op::pre_variable || node.op == Op::final_variable)
        found.push_back(node.symbol);
      // A variable with a derivative has a history of its own: it is always needed.
      if (node.op == Op::variable && node.order > 0) uses_[node.symbol].insert(-1);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void add_row(const std::vector<NodeId>& roots, Position where) {
    const auto row = std::ssize(rows_);
    rows_.push_back(variables(roots));
    where_.push_back(where);
    for (const SymbolId variable : rows_.back()) uses_[variable].insert(row);
  }

  void count_other_use(NodeId root) {
    for (const SymbolId variable : variables(std::span(&root, 1))) uses_[variable].insert(-1);
  }

  Context& context_;
  const Equations& equations_;
  LeafWalker walker_;
  std::vector<std::vector<SymbolId>> rows_;
  std::vector<Position> where_;
  std::unordered_map<SymbolId, std::unordered_set<std::int64_t>> uses_;  ///< -1: not an equation
  std::size_t n_defined_ = 0;
};

}  // namespace

void prune_undefined(Context& context, const Components& components, const Equations& equations) {
  if (equations.undefined().empty()) return;
  Incidence incidence(context, equations);
  const std::vector<SymbolId> output = incidence.remove_outputs();
  std::unordered_set<SymbolId> lost;
  std::vector<bool> left_out(output.size(), false);
  for (std::size_t row = 0; row < output.size(); ++row) {
    if (!incidence.is_undefined(row)) continue;
    const UndefinedEquation& equation = incidence.undefined(row);
    if (output[row] < 0 || incidence.rows()[row].size() != 1) {
      context.diagnostics.report(
          ErrorCode::unknown_name, equation.call,
          fmt::format("{} The equation on line {} needs it for a variable that others depend on.",
                      equation.message, equation.where.line));
    }
    lost.insert(output[row]);
    left_out[row] = true;
  }
  // What depends on a lost variable is lost as well.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t row = 0; row < output.size(); ++row) {
      const auto& variables = incidence.rows()[row];
      const bool affected = std::any_of(variables.begin(), variables.end(),
                                        [&](SymbolId v) { return lost.contains(v); });
      if (left_out[row] || output[row] < 0 || !affected) continue;
      left_out[row] = true;
      lost.insert(output[row]);
      changed = true;
    }
  }
  for (std::size_t row = 0; row < output.size(); ++row) {
    if (!left_out[row] || output[row] < 0) continue;
    context.pruning.equations.insert(equation_key(incidence.where(row)));
    const std::string name = components.variable_name(output[row]);
    context.pruning.variables.insert(name);
    context.diagnostics.warn(
        ErrorCode::unknown_name, incidence.where(row),
        fmt::format("The variable '{}' is left out: it needs a function that the text does not "
                    "define.",
                    name));
  }
}

void prune_undefined_parameters(Context& context, const Components& components,
                                const Equations& equations) {
  const Pool& pool = context.pool;
  std::unordered_set<NodeId> lost;
  for (const auto& parameter : components.undefined())
    lost.insert(parameter.leaves.begin(), parameter.leaves.end());
  const auto is_lost = [&](NodeId leaf) { return lost.contains(leaf); };
  const auto depends = [&](std::span<const NodeId> roots) {
    const std::vector<NodeId> found = dependencies(pool, roots);
    return std::any_of(found.begin(), found.end(), is_lost);
  };
  const auto uses = components.parameter_uses();
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& use : uses) {
      if (std::all_of(use.leaves.begin(), use.leaves.end(), is_lost)) continue;
      // A record goes as a whole.
      if (!std::any_of(use.leaves.begin(), use.leaves.end(), is_lost) && !depends(use.values))
        continue;
      lost.insert(use.leaves.begin(), use.leaves.end());
      changed = true;
    }
  }
  std::vector<NodeId> needed = equations.all_uses();
  for (const auto& start : components.start_uses())
    if (start.is_fixed) needed.push_back(start.value);
  if (depends(needed)) {
    for (const auto& parameter : components.undefined()) {
      context.diagnostics.report(
          ErrorCode::unknown_name, parameter.call,
          fmt::format("{} The parameter '{}' needs it.", parameter.message, parameter.name));
    }
    return;
  }
  for (const auto& start : components.start_uses()) {
    if (start.is_fixed || !depends(std::span(&start.value, 1))) continue;
    if (!context.pruning.starts.insert(start.name).second) continue;
    context.diagnostics.warn(
        ErrorCode::unknown_name, start.where,
        fmt::format("The start value of '{}', a guess, is left out: it needs a function that the "
                    "text does not define.",
                    start.name));
  }
  for (const auto& use : uses) {
    if (use.leaves.empty() || !is_lost(use.leaves.front())) continue;
    context.pruning.variables.insert(use.name);
    context.diagnostics.warn(
        ErrorCode::unknown_name, use.where,
        fmt::format("The parameter '{}' is left out: it needs a function that the text does not "
                    "define.",
                    use.name));
  }
}

}  // namespace daedal::modelica
