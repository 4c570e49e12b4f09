// SPDX-License-Identifier: BSD-3-Clause
#include "solutions.hpp"

#include <daedal/bvp.hpp>
#include <span>

namespace daedal::python {

namespace {

/// The numbers of a solution without a copy: the array keeps the solution alive.
py::array view(const SolutionHolder& solution, const std::vector<double>& values,
               std::vector<py::ssize_t> shape) {
  py::array_t<double> array(std::move(shape), values.data(), py::cast(solution));
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// Rows of all values at times, by one of the ways to evaluate the dense output.
template <class Evaluate>
Doubles sampled(const Solution& solution, const Doubles& times, Evaluate evaluate) {
  const auto n = solution.names.size();
  const auto n_times = static_cast<std::size_t>(times.size());
  Doubles rows({n_times, n});
  double* out = rows.mutable_data();
  const double* t = times.data();
  const py::gil_scoped_release release;
  for (std::size_t i = 0; i < n_times; ++i) evaluate(t[i], std::span<double>(out + i * n, n));
  return rows;
}

}  // namespace

py::dict constraint_levels(const std::vector<ConstraintLevel>& levels) {
  py::dict by_level;
  for (const ConstraintLevel& level : levels) {
    by_level[py::int_(level.level)] = level.max_residual;
  }
  return by_level;
}

py::dict statistics_dict(const Statistics& s) {
  return py::dict(
      "steps"_a = s.steps, "rejected"_a = s.rejected,
      "residual_evaluations"_a = s.residual_evaluations,
      "jacobian_evaluations"_a = s.jacobian_evaluations, "factorizations"_a = s.factorizations,
      "newton_iterations"_a = s.newton_iterations, "projections"_a = s.projections,
      "reselections"_a = s.reselections, "events"_a = s.events, "restarts"_a = s.restarts,
      "linear_solver"_a = s.linear_solver, "wall_time"_a = s.wall_time);
}

void bind_solutions(py::module_& module) {
  py::class_<Solution, SolutionHolder>(module, "Solution")
      .def_property_readonly("status", [](const Solution& s) { return to_string(s.status); })
      .def_property_readonly("success", [](const Solution& s) { return is_success(s.status); })
      .def_property_readonly("remedies", [](const Solution& s) { return info(s.status).remedies; })
      .def_readonly("message", &Solution::message)
      .def_readonly("warnings", &Solution::warnings)
      .def_readonly("notes", &Solution::notices)
      .def_readonly("model_name", &Solution::model_name)
      .def_property_readonly("method", [](const Solution& s) { return s.method.used; })
      .def_property_readonly("integrator", [](const Solution& s) { return s.integrator.used; })
      .def_readonly("rtol", &Solution::rtol)
      .def_readonly("atol", &Solution::atol)
      .def_property_readonly("constraints",
                             [](const Solution& s) { return constraint_levels(s.constraints); })
      .def_property_readonly("events",
                             [](const Solution& s) {
                               py::list events;
                               for (const EventRecord& event : s.events) {
                                 const py::object row = event.row == EventRecord::no_row
                                                            ? py::object(py::none())
                                                            : py::object(py::int_(event.row));
                                 events.append(py::make_tuple(event.time, event.what, row));
                               }
                               return events;
                             })
      .def_property_readonly("statistics",
                             [](const Solution& s) { return statistics_dict(s.statistics); })
      .def_readonly("names", &Solution::names)
      .def_property_readonly("times",
                             [](const SolutionHolder& s) {
                               return view(s, s->times,
                                           {static_cast<py::ssize_t>(s->times.size())});
                             })
      .def_property_readonly("values",
                             [](const SolutionHolder& s) {
                               return view(s, s->values,
                                           {static_cast<py::ssize_t>(s->times.size()),
                                            static_cast<py::ssize_t>(s->names.size())});
                             })
      .def_property_readonly("has_dense_output", &Solution::has_dense_output)
      .def("at",
           [](const Solution& s, const Doubles& times) {
             return sampled(s, times, [&](double t, std::span<double> row) { s.at(t, row); });
           })
      .def("after",
           [](const Solution& s, const Doubles& times) {
             return sampled(s, times, [&](double t, std::span<double> row) { s.after(t, row); });
           })
      .def("derivative",
           [](const Solution& s, const Doubles& times) {
             return sampled(s, times,
                            [&](double t, std::span<double> row) { s.derivative(t, row); });
           })
      .def("report", &Solution::full_report);

  py::class_<BvpSolution, Solution, std::shared_ptr<BvpSolution>>(module, "BvpSolution")
      .def_readonly("mesh", &BvpSolution::mesh)
      .def_readonly("index", &BvpSolution::index)
      .def_readonly("error_estimate", &BvpSolution::error_estimate)
      .def_readonly("parameters", &BvpSolution::parameters)
      .def_property_readonly(
          "rounds",
          [](const BvpSolution& s) {
            py::list rounds;
            for (const BvpRound& round : s.rounds) {
              rounds.append(py::make_tuple(round.intervals, round.newton_iterations, round.error));
            }
            return rounds;
          })
      .def("report", &BvpSolution::full_report);
}

}  // namespace daedal::python
