// SPDX-License-Identifier: BSD-3-Clause
/// HTML reports: the pages of the program (apps/daedal/report), which are written on public
/// headers.

#include "report/report.hpp"

#include <daedal/error.hpp>
#include <fstream>

#include "solutions.hpp"

namespace daedal::python {

namespace {

template <class... Arguments>
void write(const std::string& path, const Arguments&... arguments) {
  std::ofstream out(path, std::ios::binary);
  app::write_report(out, arguments...);
  out.flush();
  if (!out) throw Error(ErrorCode::file_not_writable, "The file '" + path + "' cannot be written.");
}

}  // namespace

void bind_reports(py::module_& module) {
  module.def("write_run_report",
             [](const std::string& path, const Model& model, const Solution& solution,
                const Overrides& parameters, const std::string& animation) {
               // Every accepted step is a row, as the package asks for its runs.
               write(path, app::RunReport{.model = model,
                                          .solution = solution,
                                          .parameters = parameters,
                                          .step_times = solution.times,
                                          .analysis = analyze_structure(model),
                                          .animation = app::animation_of(animation, model)});
             });
  module.def("write_analysis_report",
             [](const std::string& path, const Model& model, const Analysis& analysis) {
               write(path, model, analysis);
             });
  module.def("write_comparison_report",
             [](const std::string& path, const Model& model, const Comparison& comparison) {
               write(path, model, comparison);
             });
}

}  // namespace daedal::python
