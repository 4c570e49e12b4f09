// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Exporting tools declare the scalars 'a.r[1]', 'a.r[2]', ... and then refer to the whole 'a.r',
/// or to the row 'a.r[2,:]', or declare 'a' as an array and refer to 'a[2]' as if it were a name.

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "modelica/elaborate/expressions/value.hpp"

namespace daedal::modelica {

class ScatteredNames {
 public:
  /// The value of a declared name, or null.
  using Find = std::function<const Value*(const std::string& name)>;

  explicit ScatteredNames(Find find) : find_(std::move(find)) {}

  /// Notes a declared name.
  void file(const std::string& name);
  /// The whole of which only scalars are declared, or an element of a declared array. Null if there
  /// is nothing of the kind.
  const Value* gather(const std::string& name);
  /// The declared names that begin so.
  [[nodiscard]] std::span<const std::string> with_prefix(const std::string& prefix) const;
  /// Does a declared name begin so?
  [[nodiscard]] bool has_prefix(const std::string& prefix) const;

 private:
  const Value* gather_whole(const std::string& name, const std::vector<std::string>& scalars);
  const Value* gather_element(const std::string& name);

  Find find_;
  mutable std::vector<std::string> names_;
  mutable bool is_sorted_ = true;
  /// Scalars declared under names such as 'a.r[1,2]', by the name before the bracket.
  std::unordered_map<std::string, std::vector<std::string>> scalars_;
  std::unordered_map<std::string, Value> gathered_;
};

}  // namespace daedal::modelica
