// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// A model whose demands on the choice of states are wishes.

#include <daedal/model.hpp>
#include <optional>

namespace daedal {

/// StateSelect.always becomes prefer, never becomes avoid; nothing where the model has neither.
std::optional<Model> softened(const Model& model);

}  // namespace daedal
