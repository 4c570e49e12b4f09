// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Exporting tools write the element number i of 'a.x' as 'a.x[\'i\']', some without the escapes:
/// a subscript that is no number stands inside the quotes of the name.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace daedal::modelica {

/// Stands in a name for a subscript that is an expression.
inline constexpr char subscript_mark = '\x1f';

/// A name with a mark at the place of every subscript that is an expression.
struct NamePattern {
  std::string name;
  std::vector<std::string> subscripts;  ///< as texts, in order
};

/// Does a name have that form, with numbers in the place of the marks?
bool matches_pattern(std::string_view name, std::string_view pattern);

/// Names as they stand on the left of assignments, some with marks.
class AssignedNames {
 public:
  void insert(const std::string& name);
  /// Is a declared name assigned, by itself or as a part of what is assigned?
  [[nodiscard]] bool contains(const std::string& name) const;

 private:
  std::unordered_set<std::string> names_;
  std::vector<std::string> patterns_;
};

/// Splits a quoted identifier, its quotes included. Nothing for an ordinary name, without such
/// subscripts.
std::optional<NamePattern> split_pattern(std::string_view quoted);

}  // namespace daedal::modelica
