// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/expressions/value.hpp"

#include <fmt/format.h>

namespace daedal::modelica {

std::int64_t count(const Shape& shape) {
  std::int64_t n = 1;
  for (const std::int64_t length : shape) n *= length;
  return n;
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const std::int64_t length : shape) {
    text += fmt::format("{}{}", text.empty() ? "" : " by ", length);
  }
  return text;
}

std::string_view type_name(Type type) {
  switch (type) {
    case Type::real:
      return "Real";
    case Type::integer:
      return "Integer";
    case Type::boolean:
      return "Boolean";
    case Type::string:
      return "String";
    case Type::enumeration:
      return "enumeration";
    case Type::record:
      return "record";
    case Type::function:
      return "function";
    case Type::external:
      return "external object";
    case Type::scattered:
      return "group of variables";
    case Type::unset:
      return "missing value";
  }
  return "value";
}

std::string describe(const Value& value) {
  const std::string_view name = type_name(value.type);
  if (!value.is_scalar()) {
    return fmt::format("an array of {} of size {}", name, to_string(value.shape));
  }
  const bool vowel = name.front() == 'I' || name.front() == 'e';
  return fmt::format("{} {}", vowel ? "an" : "a", name);
}

std::vector<NodeId*> leaves(Value& value) {
  std::vector<NodeId*> found;
  for (NodeId& node : value.nodes) found.push_back(&node);
  for (Value& part : value.parts) {
    const std::vector<NodeId*> inner = leaves(part);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

std::vector<NodeId> leaves(const Value& value) {
  std::vector<NodeId> found = value.nodes;
  for (const Value& part : value.parts) {
    const std::vector<NodeId> inner = leaves(part);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

Value element(const Value& array, std::size_t i) {
  if (array.type == Type::record) return array.is_scalar() ? array : array.parts[i];
  Value result{.type = array.type, .definition = array.definition};
  if (!array.strings.empty()) result.strings = {array.strings[i]};
  if (!array.nodes.empty()) result.nodes = {array.nodes[i]};
  return result;
}

Value assemble(const Shape& shape, std::vector<Value> elements) {
  Value result{.shape = shape};
  if (!elements.empty()) {
    result.type = elements.front().type;
    result.definition = elements.front().definition;
  }
  for (Value& item : elements) {
    if (result.type == Type::integer && item.type == Type::real) result.type = Type::real;
    if (item.type == Type::record) {
      result.parts.push_back(std::move(item));
      continue;
    }
    result.nodes.insert(result.nodes.end(), item.nodes.begin(), item.nodes.end());
    result.strings.insert(result.strings.end(), item.strings.begin(), item.strings.end());
  }
  return result;
}

std::string subscript_text(const Shape& shape, std::size_t i) {
  if (shape.empty()) return {};
  std::vector<std::size_t> subscripts(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto length = static_cast<std::size_t>(shape[d]);
    subscripts[d] = i % length + 1;
    i /= length;
  }
  return fmt::format("[{}]", fmt::join(subscripts, ","));
}

}  // namespace daedal::modelica
