// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Attributes of declarations: start, fixed, nominal, min, max, unit, stateSelect, ...

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modelica/elaborate/class_table.hpp"
#include "modelica/elaborate/context.hpp"

namespace daedal::modelica {

/// How one component, or one field of a record component, is to be made.
struct ComponentSpec {
  const Declaration* declaration = nullptr;
  std::string name{};
  ResolvedType type{};
  Shape shape{};
  Variability variability = Variability::continuous;
  bool is_final = false;
  /// Modifier lists that apply, the strongest first.
  std::vector<const std::vector<Modifier>*> modifiers{};
};

/// Reads the attributes of element number i, in row-major order, of a component.
class Attributes {
 public:
  Attributes(Context& context, Structure& structure, Expressions& expressions)
      : context_(context), structure_(structure), expressions_(expressions) {}

  /// Fails for a name that is no attribute.
  void check(const ComponentSpec& spec) const;
  /// The readers below change `target` only if the attribute is given.
  void read_number(const ComponentSpec& spec, std::string_view name, std::size_t i, double& target);
  void read_text(const ComponentSpec& spec, std::string_view name, std::size_t i,
                 std::string& target);
  bool read_fixed(const ComponentSpec& spec, std::size_t i, bool otherwise);
  std::optional<Expr> read_start(const ComponentSpec& spec, std::size_t i);
  /// A start value that is a guess only: the run can do without it, and does if it needs a function
  /// that the text does not define.
  std::optional<Expr> read_guess(const ComponentSpec& spec, std::size_t i);
  StateSelect read_state_select(const ComponentSpec& spec, std::size_t i);

  /// To be called between components: values are kept while one component's elements are made.
  void forget() { values_.clear(); }

 private:
  [[nodiscard]] const Modifier* find(const ComponentSpec& spec, std::string_view name) const;
  Value value(const ComponentSpec& spec, const Modifier& modifier, std::size_t i);

  Context& context_;
  Structure& structure_;
  Expressions& expressions_;
  std::unordered_map<const Modifier*, Value> values_;
};

}  // namespace daedal::modelica
