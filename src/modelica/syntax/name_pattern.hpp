// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Exporting tools write the element number i of 'a.x' as 'a.x[\'i\']', some without the escapes:
/// a subscript that is no number stands inside the quotes of the name.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::modelica {

/// Stands in a name for a subscript that is an expression.
inline constexpr char subscript_mark = '\x1f';

/// A name with a mark at the place of every subscript that is an expression.
struct NamePattern {
  std::string name;
  std::vector<std::string> subscripts;  ///< as texts, in order
};

/// Splits a quoted identifier, its quotes included. Nothing for an ordinary name, without such
/// subscripts.
std::optional<NamePattern> split_pattern(std::string_view quoted);

}  // namespace daedal::modelica
