// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/elaborate/scattered_names.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace daedal::modelica {

namespace {

/// Stands for ':' among subscripts.
constexpr std::int64_t whole_dimension = 0;

/// The numbers of "[1,2]" or "[1,:]", or nothing if it is anything else.
std::optional<Shape> parse_subscripts(std::string_view text) {
  Shape subscripts;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    std::int64_t number = whole_dimension;
    if (*at == ':') {
      ++at;
    } else {
      const auto [rest, error] = std::from_chars(at, end, number);
      if (error != std::errc() || number < 1 || number > 1'000'000'000) return std::nullopt;
      at = rest;
    }
    subscripts.push_back(number);
    if (at < end && *at++ != ',') return std::nullopt;
  }
  return subscripts.empty() ? std::nullopt : std::optional(subscripts);
}

std::size_t offset_of(const Shape& subscripts, const Shape& shape) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + subscripts[d] - 1;
  return static_cast<std::size_t>(offset);
}

/// The places in row-major order that subscripts select.
std::vector<std::size_t> selected(const Shape& subscripts, const Shape& shape) {
  std::vector<std::size_t> places{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::size_t> finer;
    const bool is_whole = subscripts[d] == whole_dimension;
    for (const std::size_t place : places) {
      for (std::int64_t i = is_whole ? 1 : subscripts[d]; i <= shape[d]; ++i) {
        finer.push_back(place * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(i) -
                        1);
        if (!is_whole) break;
      }
    }
    places = std::move(finer);
  }
  return places;
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
    if (total > std::ssize(all)) return std::nullopt;
  }
  return total == std::ssize(all) ? std::optional(shape) : std::nullopt;
}

/// 'a.r[1,2]' → 'a.r'; "" if the name does not end with a bracket.
std::string name_before_bracket(const std::string& name) {
  if (name.size() < 4 || name.back() != ']') return {};
  const std::size_t open = name.rfind('[');
  return open == std::string::npos ? std::string() : name.substr(0, open);
}

}  // namespace

void ScatteredNames::file(const std::string& name) {
  names_.push_back(name);
  is_sorted_ = false;
  const std::string base = name_before_bracket(name);
  if (!base.empty()) scalars_[base].push_back(name);
}

std::span<const std::string> ScatteredNames::with_prefix(const std::string& prefix) const {
  if (!is_sorted_) std::sort(names_.begin(), names_.end());
  is_sorted_ = true;
  const auto first = std::lower_bound(names_.begin(), names_.end(), prefix);
  const auto last = std::find_if_not(
      first, names_.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  return {first, last};
}

bool ScatteredNames::has_prefix(const std::string& prefix) const {
  if (!is_sorted_) return !with_prefix(prefix).empty();
  const auto first = std::lower_bound(names_.begin(), names_.end(), prefix);
  return first != names_.end() && first->starts_with(prefix);
}

const Value* ScatteredNames::gather(const std::string& name) {
  const auto known = gathered_.find(name);
  if (known != gathered_.end()) return &known->second;
  const auto scalars = scalars_.find(name);
  return scalars != scalars_.end() ? gather_whole(name, scalars->second) : gather_element(name);
}

const Value* ScatteredNames::gather_whole(const std::string& name,
                                          const std::vector<std::string>& scalars) {
  std::vector<Shape> subscripts;
  for (const std::string& scalar : scalars) {
    const auto parsed = parse_subscripts(std::string_view(scalar).substr(name.size()));
    if (!parsed || std::ranges::find(*parsed, whole_dimension) != parsed->end()) return nullptr;
    subscripts.push_back(*parsed);
  }
  const std::optional<Shape> shape = common_shape(subscripts);
  if (!shape) return nullptr;
  std::vector<Value> elements(subscripts.size());
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    const Value* scalar = find_(scalars[i]);
    if (!scalar->is_scalar()) return nullptr;
    elements[offset_of(subscripts[i], *shape)] = *scalar;
  }
  return &(gathered_[name] = assemble(*shape, std::move(elements)));
}

const Value* ScatteredNames::gather_element(const std::string& name) {
  const std::size_t bracket = name.back() == ']' ? name.rfind('[') : std::string::npos;
  if (bracket == std::string::npos || bracket == 0) return nullptr;
  const std::string base = name.substr(0, bracket);
  const Value* whole = find_(base);
  if (whole == nullptr) whole = gather(base);
  const auto subscripts = parse_subscripts(std::string_view(name).substr(bracket));
  if (whole == nullptr || !subscripts || subscripts->size() != whole->shape.size()) return nullptr;
  Shape shape;
  for (std::size_t d = 0; d < subscripts->size(); ++d) {
    if ((*subscripts)[d] > whole->shape[d]) return nullptr;
    if ((*subscripts)[d] == whole_dimension) shape.push_back(whole->shape[d]);
  }
  std::vector<Value> elements;
  for (const std::size_t place : selected(*subscripts, whole->shape))
    elements.push_back(element(*whole, place));
  if (shape.empty()) return &(gathered_[name] = std::move(elements.front()));
  return &(gathered_[name] = assemble(shape, std::move(elements)));
}

}  // namespace daedal::modelica
