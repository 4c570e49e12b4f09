// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Variables that nothing needs. An exported model may determine a variable (an angle that only a
/// display shows) by a function that the text does not define. If no other equation depends on it
/// but for further variables of the kind, they are left out together with their equations.

#include <string>
#include <unordered_set>
#include <vector>

#include "modelica/elaborate/equations.hpp"

namespace daedal::modelica {

/// What a second elaboration leaves out.
struct Pruning {
  std::unordered_set<std::string> variables{};
  std::unordered_set<std::int64_t> equations{};  ///< by Equations::key
  std::unordered_set<std::string> starts{};      ///< variables whose start values are left out
};

/// Adds to `pruning` what can be left out so that no undefined function is called. Reports the
/// calls that a needed variable depends on, and warns of what is left out.
void prune_undefined(Elaborator& hub, Pruning& pruning);

/// The same for parameters whose values call undefined functions, with those that depend on them.
void prune_undefined_parameters(Elaborator& hub, Pruning& pruning);

}  // namespace daedal::modelica
