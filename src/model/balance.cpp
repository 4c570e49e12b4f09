// SPDX-License-Identifier: BSD-3-Clause
#include "model/balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "model/labels.hpp"
#include "model/leaves.hpp"

namespace daedal {

namespace {

/// Which continuous variables are inputs that must be given.
std::vector<bool> open_inputs(const Model::Data& model) {
  std::vector<bool> is_open(model.variables.size(), false);
  for (const ModelInput& input : model.inputs) {
    if (!input.is_discrete && input.default_equation < 0) is_open[input.variable] = true;
  }
  return is_open;
}

Incidence unknowns_of_equations(const Model::Data& model, const std::vector<bool>& is_open) {
  Incidence rows(model.equations.size());
  LeafWalker walker(*model.pool);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const NodeId sides[2] = {model.equations[i].lhs, model.equations[i].rhs};
    for (const NodeId leaf : walker.leaves(sides)) {
      const Node& node = (*model.pool)[leaf];
      if (node.op == Op::variable && !is_open[node.symbol]) rows[i].push_back(node.symbol);
    }
    std::sort(rows[i].begin(), rows[i].end());
    rows[i].erase(std::unique(rows[i].begin(), rows[i].end()), rows[i].end());
  }
  return rows;
}

/// Depth-first search for an augmenting path from one row, its path on an explicit stack.
class Augmenter {
 public:
  Augmenter(const Incidence& rows, Matching& matching)
      : rows_(rows), matching_(matching), next_(rows.size(), 0), seen_(rows.size(), -1) {}

  bool augment(std::int32_t start) {
    path_.assign(1, start);
    seen_[start] = start;
    next_[start] = 0;
    while (!path_.empty()) {
      if (const std::int32_t column = free_column(path_.back()); column >= 0) {
        flip(column);
        return true;
      }
      if (!descend(start)) path_.pop_back();
    }
    return false;
  }

 private:
  /// Looking ahead for a free column before going deeper keeps most paths short.
  [[nodiscard]] std::int32_t free_column(std::int32_t row) const {
    for (const std::int32_t column : rows_[row]) {
      if (matching_.row_of_column[column] < 0) return column;
    }
    return -1;
  }

  bool descend(std::int32_t start) {
    const auto row = static_cast<std::size_t>(path_.back());
    while (next_[row] < rows_[row].size()) {
      const std::int32_t column = rows_[row][next_[row]++];
      const std::int32_t other = matching_.row_of_column[column];
      if (seen_[other] == start) continue;
      seen_[other] = start;
      next_[other] = 0;
      path_.push_back(other);
      return true;
    }
    return false;
  }

  /// Each row on the path gives its column to the row above it; the last takes the free one.
  void flip(std::int32_t column) {
    for (std::size_t i = path_.size(); i-- > 0;) {
      const auto row = static_cast<std::size_t>(path_[i]);
      const std::int32_t released = matching_.column_of_row[row];
      matching_.column_of_row[row] = column;
      matching_.row_of_column[column] = path_[i];
      column = released;
    }
  }

  const Incidence& rows_;
  Matching& matching_;
  std::vector<std::size_t> next_;
  std::vector<std::int32_t> seen_;
  std::vector<std::int32_t> path_;
};

std::string counted(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

struct Names {
  std::vector<std::string> labels;
  std::vector<std::string> names;
  SourcePosition first;
};

Names undetermined_variables(const Model::Data& model, const Matching& matching,
                             const std::vector<bool>& is_open) {
  Names found;
  for (std::size_t j = 0; j < model.variables.size(); ++j) {
    if (matching.row_of_column[j] >= 0 || is_open[j]) continue;
    if (found.names.empty()) found.first = model.variables[j].where;
    found.labels.push_back(variable_label(model.variables[j]));
    found.names.push_back(model.variables[j].name);
  }
  return found;
}

Names surplus_equations(const Model::Data& model, const Matching& matching) {
  Names found;
  for (std::size_t i = 0; i < model.equations.size(); ++i) {
    if (matching.column_of_row[i] >= 0) continue;
    if (found.names.empty()) found.first = model.equations[i].where;
    found.labels.push_back(equation_label(model.equations[i], to_index(i)));
    found.names.push_back(model.equations[i].name.empty() ? found.labels.back()
                                                          : model.equations[i].name);
  }
  return found;
}

}  // namespace

Matching maximum_matching(const Incidence& rows, std::int32_t n_columns) {
  Matching matching{std::vector<std::int32_t>(rows.size(), -1),
                    std::vector<std::int32_t>(static_cast<std::size_t>(n_columns), -1)};
  Augmenter augmenter(rows, matching);
  for (std::size_t i = 0; i < rows.size(); ++i) augmenter.augment(static_cast<std::int32_t>(i));
  return matching;
}

void find_inputs(Model::Data& model) {
  std::unordered_map<NodeId, std::size_t> place;  // in the list, by the leaf of the variable
  const auto collect = [&](const std::vector<Variable>& variables, bool is_discrete) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].causality != Causality::input) continue;
      const auto id = static_cast<std::int32_t>(i);
      place.emplace(is_discrete ? model.open_pool->discrete(id) : model.open_pool->variable(id),
                    model.inputs.size());
      model.inputs.push_back({.variable = id, .is_discrete = is_discrete});
    }
  };
  collect(model.variables, false);
  collect(model.discretes, true);
  if (model.inputs.empty()) return;
  // The value of a declaration stands where the declaration does.
  const auto read_default = [&](NodeId leaf, const SourcePosition& where, std::size_t equation) {
    const auto found = place.find(leaf);
    if (found == place.end()) return true;
    ModelInput& input = model.inputs[found->second];
    const auto& variables = input.is_discrete ? model.discretes : model.variables;
    if (!where.known() || where != variables[input.variable].where) return false;
    input.default_equation = static_cast<std::int32_t>(equation);
    return true;
  };
  std::vector<bool> is_assigned(model.discretes.size(), false);
  for (std::size_t i = 0; i < model.equations.size(); ++i) {
    read_default(model.equations[i].lhs, model.equations[i].where, i);
  }
  for (std::size_t i = 0; i < model.discrete_equations.size(); ++i) {
    const DiscreteEquation& equation = model.discrete_equations[i];
    if (!read_default(model.open_pool->discrete(equation.discrete), equation.where, i)) {
      is_assigned[equation.discrete] = true;
    }
  }
  for (const WhenClause& clause : model.when_clauses) {
    for (const WhenBranch& branch : clause.branches) {
      for (const WhenAction& action : branch.actions) {
        if (action.kind == WhenAction::Kind::assign) is_assigned[action.target] = true;
      }
    }
  }
  const bool is_balanced = model.equations.size() == model.variables.size();
  std::erase_if(model.inputs, [&](const ModelInput& input) {
    if (input.default_equation >= 0) return false;
    return input.is_discrete ? bool(is_assigned[input.variable]) : is_balanced;
  });
}

void check_balance(const Model::Data& model) {
  const std::size_t n_equations = model.equations.size();
  const std::vector<bool> is_open = open_inputs(model);
  const std::size_t n_unknowns =
      model.variables.size() - static_cast<std::size_t>(std::ranges::count(is_open, true));
  if (n_equations == n_unknowns) return;
  const Matching matching = maximum_matching(unknowns_of_equations(model, is_open),
                                             static_cast<std::int32_t>(model.variables.size()));
  const Names missing = undetermined_variables(model, matching, is_open);
  const Names surplus = surplus_equations(model, matching);

  std::string text = fmt::format("The model has {} for {}:", counted(n_equations, "equation"),
                                 counted(n_unknowns, "unknown"));
  if (!missing.labels.empty()) {
    text += fmt::format(" nothing determines {}", join_words(missing.labels));
  }
  if (!surplus.labels.empty()) {
    text += fmt::format("{} {} {} no unknown left to determine", missing.labels.empty() ? "" : ",",
                        join_words(surplus.labels), surplus.labels.size() == 1 ? "has" : "have");
  }
  text += n_equations < n_unknowns
              ? ". Add the missing equations, or declare as parameters what is not unknown."
              : ". Remove the surplus equations, or declare the unknowns that they determine.";
  ModelError error(ErrorCode::unbalanced, text,
                   n_equations < n_unknowns ? missing.first : surplus.first);
  error.with_equations(surplus.names).with_variables(missing.names);
  throw error;
}

void check_discrete_assignments(const Model::Data& model) {
  struct Owner {
    std::int64_t section = -1;
    SourcePosition where;
  };
  std::vector<Owner> owners(model.discretes.size());
  const auto claim = [&](std::int32_t discrete, std::int64_t section, const SourcePosition& where) {
    Owner& owner = owners[discrete];
    if (owner.section >= 0 && owner.section != section) {
      const std::string& name = model.discretes[discrete].name;
      ModelError error(
          ErrorCode::unbalanced,
          fmt::format("The discrete variable '{}' is determined twice{}{}: exactly one equation or "
                      "when-clause may assign it. Merge the clauses with elsewhen.",
                      name, place_suffix(owner.where),
                      where.known() ? " and again" + place_suffix(where) : std::string()),
          where);
      error.with_variables({name});
      throw error;
    }
    owner = {section, where};
  };
  std::int64_t section = 0;
  for (const DiscreteEquation& equation : model.discrete_equations) {
    claim(equation.discrete, section++, equation.where);
  }
  std::int32_t last_algorithm = -1;
  for (const WhenClause& clause : model.when_clauses) {
    if (clause.is_initial) continue;
    if (clause.algorithm < 0 || clause.algorithm != last_algorithm) ++section;
    last_algorithm = clause.algorithm;
    for (const WhenBranch& branch : clause.branches) {
      for (const WhenAction& action : branch.actions) {
        if (action.kind == WhenAction::Kind::assign) claim(action.target, section, action.where);
      }
    }
  }
}

}  // namespace daedal
