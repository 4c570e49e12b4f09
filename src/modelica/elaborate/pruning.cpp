// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/pruning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "expr/calculus.hpp"
#include "model/balance.hpp"
#include "model/leaves.hpp"
#include "modelica/elaborate/components.hpp"
#include "modelica/elaborate/equations/discretes.hpp"
#include "modelica/elaborate/equations/equations.hpp"

namespace daedal::modelica {

namespace {

/// Parameters whose values need undefined functions, by themselves or through others.
std::unordered_set<NodeId> lost_parameters(const Context& context, const Components& components) {
  std::unordered_set<NodeId> lost;
  for (const auto& parameter : components.undefined())
    lost.insert(parameter.leaves.begin(), parameter.leaves.end());
  const auto is_lost = [&](NodeId leaf) { return lost.contains(leaf); };
  const auto uses = components.parameter_uses();
  for (bool changed = !lost.empty(); changed;) {
    changed = false;
    for (const auto& use : uses) {
      if (std::ranges::all_of(use.leaves, is_lost)) continue;
      // A record goes as a whole.
      if (std::ranges::none_of(use.leaves, is_lost) &&
          std::ranges::none_of(dependencies(context.pool, use.values), is_lost)) {
        continue;
      }
      lost.insert(use.leaves.begin(), use.leaves.end());
      changed = true;
    }
  }
  return lost;
}

/// Variables and what determines them: which of them go if some statements do. Continuous variables
/// are columns by their symbols, discrete ones behind them.
class Losses {
 public:
  Losses(const Context& context, const Components& components, const Equations& equations,
         const Discretes& discretes)
      : context_(context),
        components_(components),
        equations_(equations),
        discretes_(discretes),
        walker_(context.pool),
        n_continuous_(static_cast<std::int32_t>(components.n_variables())),
        lost_parameters_(lost_parameters(context, components)),
        lost_(static_cast<std::size_t>(n_continuous_) + discretes.count(), false) {
    for (const Use& use : context.uses)
      if (use.defined != no_node) hidden_.emplace(use.defined, use.node);
    read_equations();
    read_other_units();
    units_of_column_.resize(lost_.size());
    for (auto& [key, unit] : units_)
      for (const std::int32_t column : unit.reads) of(column).push_back(&unit);
    read_components();
  }

  void find() {
    for (std::size_t column = 0; column < lost_.size(); ++column)
      if (!determined_[column]) lose(static_cast<std::int32_t>(column));
    for (const UndefinedUnit& equation : context_.undefined) {
      drop(units_[equation_key(equation.unit)]);
      for (const std::int32_t column : columns(equation.determined)) lose(column);
    }
    for (auto& [key, unit] : units_)
      if (unit.needs_lost_parameter) drop(unit);
    for (const auto& start : components_.start_uses())
      if (start.is_fixed && is_lost(start.value)) lose_component(start.name);
    while (!open_.empty()) {
      const std::int32_t column = open_.back();
      open_.pop_back();
      const auto whole = component_of_.find(column);
      if (whole != component_of_.end())
        for (const std::int32_t other : components_columns_[whole->second]) lose(other);
      for (Unit* unit : of(column)) drop(*unit);
    }
  }

  [[nodiscard]] bool is_everything() const {
    return std::ranges::all_of(component_of_, [&](const auto& entry) {
      return lost_[static_cast<std::size_t>(entry.first)];
    });
  }
  /// Names of the components that go, in the order of the declarations.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> lost;
    for (std::size_t i = 0; i < components_columns_.size(); ++i) {
      const auto& columns = components_columns_[i];
      if (!columns.empty() && lost_[static_cast<std::size_t>(columns.front())])
        lost.push_back(component_names_[i]);
    }
    return lost;
  }
  [[nodiscard]] std::size_t n_components() const { return component_names_.size(); }
  /// Keys of the statements, sections and declarations that go.
  [[nodiscard]] std::vector<std::int64_t> dropped_units() const {
    std::vector<std::int64_t> keys;
    for (const auto& [key, unit] : units_)
      if (unit.is_dropped) keys.push_back(key);
    return keys;
  }
  /// Does an expression of parameters need a lost one?
  [[nodiscard]] bool is_lost(NodeId root) const {
    return std::ranges::any_of(dependencies(context_.pool, std::span(&root, 1)),
                               [&](NodeId leaf) { return lost_parameters_.contains(leaf); });
  }
  [[nodiscard]] bool is_lost_parameter(NodeId leaf) const {
    return lost_parameters_.contains(leaf);
  }

 private:
  struct Unit {
    std::vector<std::int32_t> reads{};
    std::vector<std::int32_t> determines{};
    bool needs_lost_parameter = false;
    bool is_dropped = false;
  };

  std::vector<Unit*>& of(std::int32_t column) {
    return units_of_column_[static_cast<std::size_t>(column)];
  }

  /// The variables that expressions depend on, those of a hidden variable for itself.
  std::vector<std::int32_t> columns(std::span<const NodeId> roots, Unit* unit = nullptr) {
    std::set<std::int32_t> found;
    std::vector<NodeId> open(roots.begin(), roots.end());
    std::unordered_set<NodeId> seen;
    while (!open.empty()) {
      const NodeId root = open.back();
      open.pop_back();
      if (root == no_node || !seen.insert(root).second) continue;
      for (const NodeId leaf : walker_.leaves(root)) {
        const Node node = context_.pool[leaf];
        if (node.op == Op::variable || node.op == Op::pre_variable ||
            node.op == Op::final_variable) {
          found.insert(node.symbol);
        } else if (node.op == Op::discrete || node.op == Op::pre) {
          found.insert(n_continuous_ + node.symbol);
          const auto definition = hidden_.find(context_.pool.discrete(node.symbol));
          if (definition != hidden_.end()) open.push_back(definition->second);
        } else if (unit != nullptr && lost_parameters_.contains(leaf)) {
          unit->needs_lost_parameter = true;
        }
      }
    }
    return {found.begin(), found.end()};
  }

  void note_reads(Position where, std::span<const NodeId> roots) {
    Unit& unit = units_[equation_key(where)];
    const std::vector<std::int32_t> found = columns(roots, &unit);
    unit.reads.insert(unit.reads.end(), found.begin(), found.end());
  }

  /// Equations with the variables that a matching makes them determine.
  void read_equations() {
    daedal::Incidence rows;
    for (const FlatEquation& equation : equations_.equations()) {
      const NodeId sides[] = {equation.lhs, equation.rhs};
      note_reads(equation.unit, sides);
      rows.emplace_back();
      if (discretes_.determines(equation)) {
        for (const SymbolId symbol : discretes_.candidates(equation))
          rows.back().push_back(n_continuous_ + symbol);
        continue;
      }
      for (const std::int32_t column : columns(sides))
        if (column < n_continuous_) rows.back().push_back(column);
    }
    const Matching matching = maximum_matching(rows, static_cast<std::int32_t>(lost_.size()));
    determined_.assign(lost_.size(), false);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int32_t column = matching.column_of_row[i];
      if (column < 0) continue;
      determined_[static_cast<std::size_t>(column)] = true;
      units_[equation_key(equations_.equations()[i].unit)].determines.push_back(column);
    }
  }

  /// Assertions, when-clauses, hidden variables and initial equations.
  void read_other_units() {
    for (const Use& use : context_.uses) {
      note_reads(use.unit, std::span(&use.node, 1));
      if (use.defined != no_node)
        determined_[static_cast<std::size_t>(columns(std::span(&use.defined, 1)).front())] = true;
      if (use.assigned == no_node) continue;
      const Node target = context_.pool[use.assigned];
      const std::int32_t column =
          target.op == Op::discrete ? n_continuous_ + target.symbol : target.symbol;
      if (target.op == Op::discrete) determined_[static_cast<std::size_t>(column)] = true;
      units_[equation_key(use.unit)].determines.push_back(column);
      units_[equation_key(use.unit)].reads.push_back(column);
    }
    for (const FlatEquation& equation : equations_.initial_equations()) {
      const NodeId sides[] = {equation.lhs, equation.rhs};
      note_reads(equation.unit, sides);
      // Whatever it was to determine has no start value without it.
      Unit& unit = units_[equation_key(equation.unit)];
      for (const std::int32_t column : columns(sides)) unit.determines.push_back(column);
    }
    for (std::size_t symbol = 0; symbol < discretes_.count(); ++symbol)
      if (discretes_.name_of(static_cast<SymbolId>(symbol)).empty())
        determined_[static_cast<std::size_t>(n_continuous_) + symbol] = true;
  }

  void read_components() {
    for (auto& [name, leaves] : components_.variable_uses()) {
      component_names_.push_back(name);
      components_columns_.emplace_back();
      for (const std::int32_t column : columns(leaves)) {
        components_columns_.back().push_back(column);
        component_of_[column] = components_columns_.size() - 1;
      }
    }
  }

  void lose(std::int32_t column) {
    if (lost_[static_cast<std::size_t>(column)]) return;
    lost_[static_cast<std::size_t>(column)] = true;
    open_.push_back(column);
  }
  void lose_component(const std::string& name) {
    const auto found = std::ranges::find(component_names_, name);
    if (found == component_names_.end()) return;
    for (const std::int32_t column :
         components_columns_[static_cast<std::size_t>(found - component_names_.begin())])
      lose(column);
  }
  void drop(Unit& unit) {
    if (std::exchange(unit.is_dropped, true)) return;
    for (const std::int32_t column : unit.determines) lose(column);
  }

  const Context& context_;
  const Components& components_;
  const Equations& equations_;
  const Discretes& discretes_;
  LeafWalker walker_;
  std::int32_t n_continuous_;
  std::unordered_set<NodeId> lost_parameters_;
  std::unordered_map<NodeId, NodeId> hidden_;  ///< discrete variables that no text declares
  std::map<std::int64_t, Unit> units_;
  std::vector<bool> determined_;
  std::vector<bool> lost_;
  std::vector<std::int32_t> open_;  ///< lost, with consequences not yet drawn
  std::vector<std::vector<Unit*>> units_of_column_;
  std::vector<std::string> component_names_;
  std::vector<std::vector<std::int32_t>> components_columns_;
  std::unordered_map<std::int32_t, std::size_t> component_of_;
};

void report_calls(const Context& context, const Components& components) {
  for (const UndefinedUnit& equation : context.undefined) {
    context.diagnostics.report(
        ErrorCode::unknown_name, equation.call,
        fmt::format("{} Line {} needs it, and every variable of the model depends on that.",
                    equation.message, equation.unit.line));
  }
  for (const auto& parameter : components.undefined()) {
    context.diagnostics.report(
        ErrorCode::unknown_name, parameter.call,
        fmt::format("{} The parameter '{}' needs it, and every variable of the model depends on "
                    "that.",
                    parameter.message, parameter.name));
  }
}

/// "'a', 'b', 'c' and 17 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

void leave_out_parameters(Context& context, const Components& components, const Losses& losses) {
  for (const auto& start : components.start_uses()) {
    if (start.is_fixed || !losses.is_lost(start.value)) continue;
    if (!context.pruning.starts.insert(start.name).second) continue;
    context.diagnostics.warn(
        ErrorCode::unknown_name, start.where,
        fmt::format("The start value of '{}', a guess, is left out: it needs a function that the "
                    "text does not define.",
                    start.name));
  }
  for (const auto& use : components.parameter_uses()) {
    if (use.leaves.empty() || !losses.is_lost_parameter(use.leaves.front())) continue;
    context.pruning.variables.insert(use.name);
    context.diagnostics.warn(
        ErrorCode::unknown_name, use.where,
        fmt::format("The parameter '{}' is left out: it needs a function that the text does not "
                    "define.",
                    use.name));
  }
}

}  // namespace

void prune_undefined(Context& context, const Components& components, const Equations& equations,
                     const Discretes& discretes) {
  Losses losses(context, components, equations, discretes);
  losses.find();
  const std::vector<std::string> names = losses.names();
  if (!names.empty() && losses.is_everything()) return report_calls(context, components);
  leave_out_parameters(context, components, losses);
  const std::vector<std::int64_t> units = losses.dropped_units();
  context.pruning.units.insert(units.begin(), units.end());
  context.pruning.variables.insert(names.begin(), names.end());
  if (names.empty()) return;
  std::map<std::string, Position> calls;
  for (const UndefinedUnit& equation : context.undefined)
    calls.emplace(equation.message, equation.call);
  for (const auto& parameter : components.undefined())
    calls.emplace(parameter.message, parameter.call);
  for (const auto& [message, where] : calls) {
    context.diagnostics.warn(
        ErrorCode::unknown_name, where,
        fmt::format("{} {} of {} variables need it, or another one like it, and are left out: {}.",
                    message, names.size(), losses.n_components(), listed(names)));
  }
}

}  // namespace daedal::modelica
