// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Expressions as text that the model text reader reads back.

#include <functional>
#include <string>

#include "expr/pool.hpp"

namespace daedal {

/// Gives the name of a leaf of kind parameter, variable, discrete, pre or sample.
using NameOf = std::function<std::string(Op kind, SymbolId symbol)>;

std::string to_string(const Pool& pool, NodeId root, const NameOf& name_of);

}  // namespace daedal
