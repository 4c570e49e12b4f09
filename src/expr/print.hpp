// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions as text that the model text reader reads back.
///
/// Derivatives are der(x), der(der(x)), ...; a relation that follows its arguments is
/// noEvent(a < b); numbers have the fewest digits that read back to the same value. Shared
/// subexpressions are written out wherever they occur: the text can be longer than the graph.

#include <cstddef>
#include <functional>
#include <limits>
#include <string>

#include "expr/pool.hpp"

namespace daedal {

/// Gives the text of a leaf of kind parameter, variable, discrete, pre, pre_variable,
/// final_variable or sample:
/// the name, quoted where the language requires it. Of `pre` and `pre_variable` the name alone
/// (pre() is written around it), of `sample` the whole call, "sample(0, 0.1)".
using NameOf = std::function<std::string(Op kind, SymbolId symbol)>;

struct PrintOptions {
  /// Print numbers as true and false where the root itself is one.
  bool is_logical = false;
  /// A longer text is cut off here and ends with "...": for messages.
  std::size_t max_length = std::numeric_limits<std::size_t>::max();
};

std::string to_string(const Pool& pool, NodeId root, const NameOf& name_of,
                      const PrintOptions& options = {});

}  // namespace daedal
