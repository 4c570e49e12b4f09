// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/structural_report.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "structure/dulmage_mendelsohn.hpp"
#include "structure/offsets.hpp"
#include "structure/tearing.hpp"

namespace daedal::analysis {

namespace {

/// Chains x, v = x', a = v', ... Every variable has at most one derivative and is the derivative
/// of at most one other, so that each place of a chain has one name.
class Chains {
 public:
  explicit Chains(const Model& model)
      : base_(model.variables().size(), -1),
        derivative_(base_.size(), -1),
        is_definition_(model.equations().size(), false) {
    std::vector<std::size_t> definition(base_.size(), 0);  // the equation behind base_[v]
    for (std::size_t i = 0; i < is_definition_.size(); ++i) {
      const Equation& equation = model.equations()[i];
      is_definition_[i] = take(*model.pool(), equation.lhs, equation.rhs) ||
                          take(*model.pool(), equation.rhs, equation.lhs);
      if (!is_definition_[i]) continue;
      for (const NodeId side : {equation.lhs, equation.rhs}) {
        const Node& node = (*model.pool())[side];
        if (node.order == 0) definition[node.symbol] = i;
      }
    }
    release_unused_ends(model, definition);
  }

  [[nodiscard]] bool is_definition(std::size_t equation) const { return is_definition_[equation]; }
  /// The variable that is the derivative of each, or -1.
  [[nodiscard]] const std::vector<Index>& derivatives() const { return derivative_; }
  /// The variable at the beginning of a chain, and the place of `variable` in it.
  [[nodiscard]] std::pair<Index, Index> place(Index variable) const {
    Index order = 0;
    for (; base_[variable] >= 0; ++order) variable = base_[variable];
    return {variable, order};
  }

 private:
  /// left = der(x), right = v.
  bool take(const Pool& pool, NodeId left, NodeId right) {
    const Node& rate = pool[left];
    const Node& name = pool[right];
    if (rate.op != Op::variable || rate.order != 1) return false;
    if (name.op != Op::variable || name.order != 0) return false;
    const auto x = static_cast<std::size_t>(rate.symbol);
    const auto v = static_cast<std::size_t>(name.symbol);
    if (base_[v] >= 0 || derivative_[x] >= 0) return false;
    if (place(to_index(x)).first == to_index(v)) return false;  // der(x) = v, der(v) = x
    base_[v] = to_index(x);
    derivative_[x] = to_index(v);
    return true;
  }

  /// The end of a chain that no other equation uses (a = der(v), only to be looked at) has no place
  /// among the derivatives that the equations need: its definition is an equation like others.
  void release_unused_ends(const Model& model, std::span<const std::size_t> definition) {
    std::vector<bool> is_used(base_.size(), false);
    std::vector<NodeId> sides;
    for (std::size_t i = 0; i < is_definition_.size(); ++i) {
      if (is_definition_[i]) continue;
      sides.push_back(model.equations()[i].lhs);
      sides.push_back(model.equations()[i].rhs);
    }
    for (const NodeId leaf : dependencies(*model.pool(), sides)) {
      const Node& node = (*model.pool())[leaf];
      if (node.op == Op::variable) is_used[node.symbol] = true;
    }
    for (std::size_t v = 0; v < base_.size(); ++v) {
      if (base_[v] < 0 || derivative_[v] >= 0 || is_used[v]) continue;
      is_definition_[definition[v]] = false;
      derivative_[base_[v]] = -1;
      base_[v] = -1;
    }
  }

  std::vector<Index> base_;        ///< the variable that this one is the derivative of
  std::vector<Index> derivative_;  ///< the variable that is the derivative of this one
  std::vector<bool> is_definition_;
};

struct Named {
  std::vector<std::string> labels;
  std::vector<std::string> names;
};

Named named_equations(const Model& model, const StructuralModel& structural,
                      const std::vector<Index>& rows) {
  Named named;
  for (const Index row : rows) {
    const Index i = structural.equations[row];
    const Equation& equation = model.equations()[i];
    named.labels.push_back(equation_label(model, i));
    named.names.push_back(equation.name.empty() ? named.labels.back() : equation.name);
  }
  return named;
}

Named named_unknowns(const Model& model, const StructuralModel& structural,
                     const std::vector<Index>& columns) {
  Named named;
  for (const Index column : columns) {
    const Variable& variable = model.variables()[structural.unknowns[column]];
    named.labels.push_back(variable_label(variable));
    named.names.push_back(variable.name);
  }
  return named;
}

/// "... have only 'x' and 'y' to determine."
std::string surplus_text(const Named& equations, const Named& unknowns) {
  const char* has = equations.names.size() == 1 ? "has" : "have";
  const std::string rest = unknowns.names.empty()
                               ? "no unknown"
                               : "only " + join_words(unknowns.labels) + " to determine";
  return fmt::format("{} {} {}", join_words(equations.labels), has, rest);
}

/// "... occurs in no equation."
std::string loose_text(const Named& unknowns, const Named& equations) {
  const char* occurs = unknowns.names.size() == 1 ? "occurs" : "occur";
  const std::string where =
      equations.names.empty() ? "in no equation" : "only in " + join_words(equations.labels);
  return fmt::format("{} {} {}", join_words(unknowns.labels), occurs, where);
}

/// As many equations as unknowns: where there is a surplus, something else is left undetermined.
[[noreturn]] void refuse_singular(const Model& model, const StructuralModel& structural) {
  const auto& incidence = structural.signature.incidence();
  const auto matching = structure::maximum_matching(incidence);
  const structure::Part surplus = structure::surplus_equations(incidence, matching);
  const structure::Part loose = structure::undetermined_unknowns(incidence, matching);
  const Named equations = named_equations(model, structural, surplus.rows);
  const Named unknowns = named_unknowns(model, structural, loose.columns);
  const Index first = structural.equations[surplus.rows.front()];
  ModelError error(
      ErrorCode::structurally_singular,
      fmt::format(
          "The model is structurally singular for all values of its parameters: {}, while {}. "
          "Correct one of these equations so that it determines what is missing.",
          surplus_text(equations, named_unknowns(model, structural, surplus.columns)),
          loose_text(unknowns, named_equations(model, structural, loose.rows))),
      model.equations()[first].where);
  error.with_equations(equations.names).with_variables(unknowns.names);
  throw error;
}

}  // namespace

StructuralModel structural_model(const Model& model) {
  const Chains chains(model);
  StructuralModel result;
  result.derivatives = chains.derivatives();
  std::vector<Index> unknown_of(model.variables().size(), -1);
  for (std::size_t j = 0; j < unknown_of.size(); ++j) {
    if (chains.place(to_index(j)).second > 0) continue;
    unknown_of[j] = to_index(result.unknowns.size());
    result.unknowns.push_back(to_index(j));
  }
  for (std::size_t j = 0; j < unknown_of.size(); ++j) {
    const auto [first, order] = chains.place(to_index(j));
    result.variables.push_back({unknown_of[first], order});
  }
  result.signature = structure::Signature(to_index(result.unknowns.size()));
  LeafWalker walker(*model.pool());
  std::vector<structure::SignatureEntry> entries;
  for (std::size_t i = 0; i < model.equations().size(); ++i) {
    if (chains.is_definition(i)) continue;
    const NodeId sides[2] = {model.equations()[i].lhs, model.equations()[i].rhs};
    entries.clear();
    for (const NodeId leaf : walker.leaves(sides)) {
      const Node& node = (*model.pool())[leaf];
      if (node.op != Op::variable) continue;
      const DerivativeOf& variable = result.variables[node.symbol];
      entries.push_back({variable.unknown, variable.order + node.order});
    }
    result.equations.push_back(to_index(i));
    result.signature.add_row(entries);
  }
  return result;
}

std::optional<StructuralReport> find_structural_report(const Model& model) {
  StructuralReport report;
  report.model = structural_model(model);
  const auto assignment = structure::highest_value_transversal(report.model.signature);
  if (!assignment) return std::nullopt;
  report.transversal = assignment->transversal;
  report.offsets = structure::canonical_offsets(report.model.signature, *assignment);
  report.index = structure::structural_index(report.offsets);
  report.n_states = structure::n_states(report.offsets);
  report.blocks = structure::block_triangular_form(
      structure::system_jacobian_pattern(report.model.signature, report.offsets),
      report.transversal);
  return report;
}

StructuralReport structural_report(const Model& model) {
  std::optional<StructuralReport> report = find_structural_report(model);
  if (!report) refuse_singular(model, structural_model(model));
  return std::move(*report);
}

std::vector<Index> torn_unknowns(const StructuralReport& report) {
  const auto pattern = structure::system_jacobian_pattern(report.model.signature, report.offsets);
  std::vector<Index> place_in_block(report.model.unknowns.size(), -1);
  std::vector<Index> torn;
  for (Index b = 0; b < report.blocks.n_blocks(); ++b) {
    const auto columns = report.blocks.columns(b);
    if (columns.size() == 1) continue;
    for (std::size_t k = 0; k < columns.size(); ++k) place_in_block[columns[k]] = to_index(k);
    structure::Incidence block(to_index(columns.size()));
    for (const Index row : report.blocks.rows(b)) {
      std::vector<Index> inside;
      for (const Index j : pattern.row(row))
        if (place_in_block[j] >= 0) inside.push_back(place_in_block[j]);
      block.add_row(inside);
    }
    for (const Index k : structure::tear(block).tears) torn.push_back(columns[k]);
    for (const Index j : columns) place_in_block[j] = -1;
  }
  return torn;
}

namespace {

/// A derivative by the variable `nearest`, which is a lower one of the same unknown.
std::string name_by(const Model& model, const StructuralModel& structural, std::size_t nearest,
                    Index derivative) {
  const std::string& name = model.variables()[nearest].name;
  const Index order = derivative - structural.variables[nearest].order;
  if (order == 0) return name;
  return order == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, order);
}

}  // namespace

Index nearest_variable(const StructuralModel& structural, const DerivativeOf& derivative) {
  Index nearest = structural.unknowns[to_size(derivative.unknown)];
  for (Index order = 0; order < derivative.order; ++order) {
    const Index next = structural.derivatives[to_size(nearest)];
    if (next < 0) break;
    nearest = next;
  }
  return nearest;
}

std::string derivative_name(const Model& model, const StructuralModel& structural,
                            const DerivativeOf& derivative) {
  const Index nearest = nearest_variable(structural, derivative);
  return name_by(model, structural, to_size(nearest), derivative.order);
}

std::vector<std::string> highest_derivative_names(const Model& model,
                                                  const StructuralReport& report) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < report.offsets.d.size(); ++j) {
    names.push_back(derivative_name(model, report.model, {to_index(j), report.offsets.d[j]}));
  }
  return names;
}

}  // namespace daedal::analysis
