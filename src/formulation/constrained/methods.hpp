// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Methods of constrained mechanics that also take the general form x' = f(x, u), 0 = g(x): the
/// mechanical view where the model has it, for its cheaper linear algebra, else the general one.

#include <string_view>

#include "formulation/frame/registry.hpp"
#include "model/views/constrained_ode_view.hpp"

namespace daedal::formulation {

/// The formulation of the view that the model has. `mechanical(request)` may still find that the
/// model is no mechanism; `general(request, view)` is then asked. Throws ModelError{not_recognized}
/// with the reasons of both when the model has neither shape.
template <class Mechanical, class General>
Formulation mechanical_or_general(const Request& request, Mechanical mechanical, General general);

/// Why a model is neither a mechanism nor of the general form.
[[noreturn]] void refuse_both(std::string_view mechanical, std::string_view general);
/// For a parameter that has a meaning for mechanics alone.
[[noreturn]] void refuse_mechanical_parameter(const Request& request, std::string_view name);

Formulation make_baumgarte(const Baumgarte& method, const Request& request);

template <class Mechanical, class General>
Formulation mechanical_or_general(const Request& request, Mechanical mechanical, General general) {
  std::string reason;
  try {
    return mechanical(request);
  } catch (const ModelError& error) {
    if (error.code() != ErrorCode::not_recognized || request.is_automatic) throw;
    reason = error.what();
  }
  const Recognition<ConstrainedOdeView>& found = recognized(request).constrained();
  if (!found) refuse_both(reason, found.reason);
  return general(request, *found.view);
}

}  // namespace daedal::formulation
