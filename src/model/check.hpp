// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What must hold of every declaration before a model is frozen.

#include "model/model_data.hpp"

namespace daedal {

/// Start values, parameter values and sampling times are expressions of parameters alone; nominal
/// values and bounds make sense. Throws ModelError{invalid_value} naming the declaration.
void check_declarations(const Model::Data& model);

/// Every action has a target that exists and of the right kind, every branch a condition.
/// Throws ModelError{type_mismatch}.
void check_when_clauses(const Model::Data& model);

}  // namespace daedal
