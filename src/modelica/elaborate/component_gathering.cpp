// SPDX-License-Identifier: BSD-3-Clause
/// Exporting tools declare the scalars 'a.r[1]', 'a.r[2]', ... and then speak of the whole 'a.r'.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "modelica/elaborate/elaborator.hpp"

namespace daedal::modelica {

namespace {

/// The numbers of "[1,2]", or nothing if it is anything else.
std::optional<Shape> parse_subscripts(std::string_view text) {
  Shape subscripts;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 1 || number > 1'000'000'000) return std::nullopt;
    subscripts.push_back(number);
    at = rest;
    if (at < end && *at++ != ',') return std::nullopt;
  }
  return subscripts.empty() ? std::nullopt : std::optional(subscripts);
}

std::int64_t offset_of(const Shape& subscripts, const Shape& shape) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + subscripts[d] - 1;
  return offset;
}

/// The smallest shape that holds all subscripts; nothing if they are not one complete array.
std::optional<Shape> common_shape(const std::vector<Shape>& all) {
  Shape shape = all.front();
  for (const Shape& subscripts : all) {
    if (subscripts.size() != shape.size()) return std::nullopt;
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], subscripts[d]);
  }
  std::int64_t total = 1;
  for (const std::int64_t length : shape) {
    total *= length;
    if (total > static_cast<std::int64_t>(all.size())) return std::nullopt;
  }
  return total == static_cast<std::int64_t>(all.size()) ? std::optional(shape) : std::nullopt;
}

}  // namespace

const Value* Components::gather(const std::string& name) {
  const auto known = gathered_.find(name);
  if (known != gathered_.end()) return &known->second;
  if (const auto scalars = scattered_.find(name); scalars != scattered_.end()) {
    std::vector<Shape> subscripts;
    for (const std::string& scalar : scalars->second) {
      const auto parsed = parse_subscripts(std::string_view(scalar).substr(name.size()));
      if (!parsed) return nullptr;
      subscripts.push_back(*parsed);
    }
    const std::optional<Shape> shape = common_shape(subscripts);
    if (!shape) return nullptr;
    std::vector<Value> elements(subscripts.size());
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      const Value* scalar = find(scalars->second[i]);
      if (!scalar->is_scalar()) return nullptr;
      elements[static_cast<std::size_t>(offset_of(subscripts[i], *shape))] = *scalar;
    }
    return &(gathered_[name] = assemble(*shape, std::move(elements)));
  }
  const std::size_t bracket = name.back() == ']' ? name.rfind('[') : std::string::npos;
  if (bracket == std::string::npos || bracket == 0) return nullptr;
  const Value* whole = find(name.substr(0, bracket));
  const auto subscripts = parse_subscripts(std::string_view(name).substr(bracket));
  if (whole == nullptr || !subscripts || subscripts->size() != whole->shape.size()) return nullptr;
  for (std::size_t d = 0; d < subscripts->size(); ++d) {
    if ((*subscripts)[d] > whole->shape[d]) return nullptr;
  }
  return &(gathered_[name] = element(*whole, offset_of(*subscripts, whole->shape)));
}

Value Components::gather_record(const std::string& prefix, ClassId definition, Position where) {
  const Deeper deeper(hub_.context, where);
  Value record{.type = Type::record, .definition = definition};
  for (const Declaration& field : hub_.context.ast.definition(definition).declarations) {
    const std::string name = prefix + '.' + hub_.context.ast.text(field.name);
    const Value* value = find(name);
    if (value == nullptr) value = gather(name);
    if (value != nullptr) {
      record.parts.push_back(*value);
      continue;
    }
    const ResolvedType type = hub_.classes.resolve(field.type, field.type_where);
    if (type.type != Type::record) {
      hub_.context.fail(
          ErrorCode::unknown_name, where,
          fmt::format("'{}' is needed as a record '{}', but no variable '{}' is "
                      "declared.",
                      prefix, hub_.context.ast.text(hub_.context.ast.definition(definition).name),
                      name));
    }
    record.parts.push_back(gather_record(name, type.definition, where));
  }
  return record;
}

}  // namespace daedal::modelica
