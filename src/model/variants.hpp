// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Models made from a model for another attempt at solving it.

#include <daedal/model.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace daedal {

/// The model whose demands on the choice of states are wishes: StateSelect.always becomes prefer,
/// never becomes avoid. Nothing where the model has neither.
std::optional<Model> softened(const Model& model);

/// The model with a name for the derivative of every variable that is to be a state (always,
/// prefer) and whose derivative no equation contains: der(v) = $der(v), with which v can be one.
/// The new variables follow those of the model. Nothing where there is no such variable.
std::optional<Model> with_derivatives_of_states(const Model& model);

/// The model in which abs(), min() and max() are if-expressions with relations, and with events
/// therefore, in equations that `orders` says are differentiated: derivatives jump at a kink, and
/// what they determine may have to jump with them. Nothing where there is none.
std::optional<Model> with_events_at_kinks(const Model& model,
                                          const std::function<const std::vector<Index>&()>& orders);

// Values that belong to a run become parameters of the model, so that what is made from the model
// (views, programs) serves every run. The new parameters follow those of the model, in the order
// given here.

/// The model with a parameter for the start value of every variable named, which is fixed there.
/// Throws ModelError{unknown_name} for a variable that the model does not have.
Model with_start_parameters(const Model& model, std::span<const std::string> names);

/// The model as it goes on in the middle of a run, for another method: a parameter for the value
/// of every continuous variable, no initial equations. The values are guesses, since what one
/// method has computed to its tolerance another makes consistent.
Model with_restart_parameters(const Model& model);

/// The parameter of models with homotopy(actual, simplified): the share of the actual expressions.
inline constexpr std::string_view homotopy_parameter = "$homotopy";

/// The model with exponentials that become what they are on the way of homotopy(): at its beginning
/// they are nearly straight lines, on it tangents continue them beyond arguments ±L, with L
/// growing. Diodes are resistors there, so that an operating point is found from any guess. The
/// parameter follows those of the model where it has none yet. Nothing where no exponential has an
/// argument that is solved for.
std::optional<Model> with_gradual_exponentials(const Model& model);

/// The model with other guesses: start values of the variables that have no fixed one.
Model with_guesses(const Model& model, std::span<const double> values);

/// Whether it reads what variables were: its runs cannot do without their past.
[[nodiscard]] bool has_delays(const Model& model);

/// False for models whose discrete variables, samplers or when-clauses remember what came before.
bool can_restart(const Model& model);

}  // namespace daedal
