// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// How messages name the parts of a model: "equation 3 (line 12)", "'rod' (line 12)".

#include <daedal/model.hpp>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace daedal {

class Pool;

/// " (line 12)", or nothing when the place is unknown.
std::string place_suffix(const SourcePosition& where);

/// "'rod' (line 12)" for a named equation, "equation 3 (line 12)" for the third one without a name.
std::string equation_label(const Equation& equation, Index index);
std::string equation_label(const Model& model, Index index);
/// "'x' (line 4)".
std::string variable_label(const Variable& variable);
/// The name of a leaf for messages and for printing: "x", "der(x)", "der(x, 2)", "pre(n)", "time".
std::string leaf_name(const Model& model, NodeId leaf);
/// An expression of the model's pool, or of a child of it, cut off where it is long.
std::string expression_text(const Model& model, const Pool& pool, NodeId root);

/// "a", "a and b", "a, b and c"; beyond `most` items "a, b and 7 more".
std::string join_words(const std::vector<std::string>& words, std::size_t most = 5);

/// A value as texts show it among others, the greatest of which is `greatest`: round-off of
/// round-off, which iterations leave where 0 is meant, is 0.
double without_round_off(double value, double greatest);

}  // namespace daedal
