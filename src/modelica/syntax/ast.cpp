// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/syntax/ast.hpp"

#include <utility>

namespace daedal::modelica {

namespace {

template <class T>
std::int32_t append(std::vector<T>& items, std::span<const T> more) {
  const auto first = static_cast<std::int32_t>(items.size());
  items.insert(items.end(), more.begin(), more.end());
  return first;
}

template <class T>
std::int32_t number_of(const std::vector<T>& items) {
  return static_cast<std::int32_t>(items.size());
}

}  // namespace

TextId Ast::intern(std::string_view text) {
  const auto known = ids_.find(text);
  if (known != ids_.end()) return known->second;
  const auto entry = ids_.emplace(text, number_of(texts_)).first;
  texts_.push_back(&entry->first);
  return entry->second;
}

ExprId Ast::add(ExprNode node, std::span<const std::int32_t> children_of_node,
                std::span<const RefPart> parts_of_node) {
  node.first_child = append(children, children_of_node);
  node.n_children = static_cast<std::int32_t>(children_of_node.size());
  node.first_part = append(parts, parts_of_node);
  node.n_parts = static_cast<std::int32_t>(parts_of_node.size());
  expressions.push_back(node);
  return number_of(expressions) - 1;
}

StatementId Ast::add(Statement statement) {
  statements.push_back(std::move(statement));
  return number_of(statements) - 1;
}

ClassId Ast::add(ClassDefinition definition) {
  classes.push_back(std::move(definition));
  return number_of(classes) - 1;
}

void Ast::set_subscripts(RefPart& part, const std::vector<ExprId>& subscripts) {
  part.first_subscript = append(children, std::span(subscripts));
  part.n_subscripts = number_of(subscripts);
}

std::string Ast::joined_name(const ExprNode& reference) const {
  std::string name;
  for (const RefPart& part : parts_of(reference)) {
    if (part.text != none) name += (name.empty() ? "" : ".") + text(part.text);
  }
  return name;
}

}  // namespace daedal::modelica
