// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/view_choice.hpp"

#include <fmt/format.h>

#include <daedal/error.hpp>

#include "formulation/frame/parameters.hpp"

namespace daedal::formulation {

std::unique_ptr<Formulation> mechanical_or_general(const Request& request,
                                                   MakeMechanical mechanical, MakeGeneral general) {
  try {
    return mechanical(request);
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized || request.is_automatic) throw;
    Recognition<ConstrainedOdeView> found = constrained_ode_view(request.model, request.parameters);
    if (found) return general(request, std::move(*found.view));
    throw ModelError(
        ErrorCode::not_recognized,
        fmt::format("{} Nor is it x' = f(x, u), 0 = g(x): {}.", error.what(), found.reason));
  }
}

void refuse_mechanical_parameter(const Request& request, std::string_view name) {
  if (!has_parameter(request, name)) return;
  throw OptionError(ErrorCode::invalid_option,
                    fmt::format("The parameter '{}' is for mechanical systems only, and '{}' is "
                                "recognised in the general form x' = f(x, u), 0 = g(x).",
                                name, request.model.name()));
}

}  // namespace daedal::formulation
