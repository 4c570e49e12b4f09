// SPDX-License-Identifier: BSD-3-Clause
/// The extension module daedal._core, on the public headers of the library alone. The package
/// around it is Python (python/daedal).

#include <daedal/version.hpp>

#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace daedal::python;
  module.doc() = "The C++ side of daedal; use the package, not this module.";
  module.attr("version") = DAEDAL_VERSION;
  bind_errors(module);
  bind_expressions(module);
  bind_models(module);
  bind_solutions(module);
  bind_runs(module);
  bind_residuals(module);
  bind_reports(module);
}
