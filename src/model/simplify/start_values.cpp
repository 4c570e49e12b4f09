// SPDX-License-Identifier: BSD-3-Clause
#include "model/simplify/start_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/labels.hpp"

namespace daedal {

namespace {

/// Two fixed numbers are the same wish when they differ by rounding of their expressions only.
constexpr double same_start = 1e-10;

enum class Agreement { yes, no, unknown };

Agreement agree(const Pool& pool, NodeId a, NodeId b) {
  if (a == b) return Agreement::yes;
  if (pool[a].op != Op::constant || pool[b].op != Op::constant) return Agreement::unknown;
  const double x = pool[a].value;
  const double y = pool[b].value;
  return std::abs(x - y) <= same_start * std::max(std::abs(x), std::abs(y)) ? Agreement::yes
                                                                            : Agreement::no;
}

NodeId signed_node(Pool& pool, NodeId node, int sign) {
  return sign > 0 || node == no_node ? node : pool.neg(node);
}

double number_of(const Pool& pool, const AliasDeclaration& member) {
  return member.start == no_node ? 0.0 : pool[member.start].value;
}

[[noreturn]] void fail_contradiction(const Pool& pool, const AliasDeclaration& a,
                                     const AliasDeclaration& b) {
  ModelError error(
      ErrorCode::invalid_value,
      fmt::format("The fixed start values {} = {} and {} = {} contradict each other: the equations "
                  "of the model make '{}' and '{}{}' the same variable. Fix only one of them.",
                  variable_label(*a.variable), number_of(pool, a), variable_label(*b.variable),
                  number_of(pool, b), a.variable->name, a.sign == b.sign ? "" : "-",
                  b.variable->name),
      b.variable->where);
  error.with_variables({a.variable->name, b.variable->name});
  throw error;
}

NodeId start_or_zero(Pool& pool, const AliasDeclaration& member) {
  return member.start == no_node ? pool.constant(0.0) : member.start;
}

Equation fixed_start_equation(const Variable& variable, NodeId lhs, NodeId rhs) {
  return {lhs, rhs, fmt::format("fixed start of {}", variable.name), variable.where};
}

void narrow_bounds(Variable& merged, const AliasDeclaration& member) {
  const Variable& other = *member.variable;
  const double low = member.sign > 0 ? other.min : -other.max;
  const double high = member.sign > 0 ? other.max : -other.min;
  if (std::max(merged.min, low) > std::min(merged.max, high)) return;
  merged.min = std::max(merged.min, low);
  merged.max = std::min(merged.max, high);
}

}  // namespace

Variable merge_declarations(Pool& pool, std::span<const AliasDeclaration> members,
                            NodeId representative, std::vector<Equation>& initial_equations) {
  Variable merged = *members.front().variable;
  merged.start = members.front().start;
  const AliasDeclaration* fixed = nullptr;
  for (const AliasDeclaration& member : members) {
    const NodeId start = signed_node(pool, member.start, member.sign);
    if (merged.nominal == 1.0) merged.nominal = member.variable->nominal;
    narrow_bounds(merged, member);
    if (!member.variable->fixed) {
      if (merged.start == no_node) merged.start = start;
      continue;
    }
    const NodeId wish = signed_node(pool, start_or_zero(pool, member), member.sign);
    if (fixed == nullptr) {
      fixed = &member;
      merged.fixed = true;
      merged.start = wish;
      continue;
    }
    const Agreement agreement = agree(pool, merged.start, wish);
    if (agreement == Agreement::no) fail_contradiction(pool, *fixed, member);
    if (agreement == Agreement::unknown) {
      initial_equations.push_back(fixed_start_equation(*member.variable, representative, wish));
    }
  }
  return merged;
}

void check_constant_start(Pool& pool, const AliasDeclaration& member, NodeId constant,
                          std::vector<Equation>& initial_equations) {
  if (!member.variable->fixed) return;
  const NodeId wish = start_or_zero(pool, member);
  const NodeId value = signed_node(pool, constant, member.sign);
  const Agreement agreement = agree(pool, value, wish);
  if (agreement == Agreement::unknown) {
    initial_equations.push_back(fixed_start_equation(*member.variable, value, wish));
  }
  if (agreement != Agreement::no) return;
  ModelError error(
      ErrorCode::invalid_value,
      fmt::format("The fixed start value {} = {} contradicts the equations of the model, which "
                  "make it {} at all times.",
                  variable_label(*member.variable), pool[wish].value, pool[value].value),
      member.variable->where);
  error.with_variables({member.variable->name});
  throw error;
}

}  // namespace daedal
