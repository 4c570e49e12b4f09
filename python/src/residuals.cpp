// SPDX-License-Identifier: BSD-3-Clause
/// A residual that stays a Python function and is called in the step loop.

#include <daedal/integrate.hpp>
#include <string>

#include "solutions.hpp"
#include "waiting.hpp"

namespace daedal::python {

namespace {

struct ResidualPlan {
  py::function residual;                ///< F(t, y, yp), checked by the caller to return n numbers
  py::object events = py::none();       ///< g(t, y, yp) of the terminal events, all at once
  std::vector<int> directions{};        ///< of the terminal events: -1, 0, 1
  std::vector<int> remaining{};         ///< occurrences after which each of them ends the run
  std::vector<std::string> messages{};  ///< of the terminal events
  std::vector<std::string> names{};     ///< of the unknowns
  std::vector<int> index{};             ///< of the unknowns; empty: all 1
  std::vector<double> nominals{};
};

/// How often each terminal event happened belongs to the run.
class ResidualRun final : public Run {
 public:
  std::vector<int> remaining{};
};

class PythonResidual final : public ImplicitSystem {
 public:
  PythonResidual(ResidualPlan plan, RunState& state) : plan_(std::move(plan)), state_(state) {
    for (const int index : plan_.index) kinds_.push_back({.index = index});
    for (const int direction : plan_.directions) {
      crossings_.push_back(direction > 0   ? Crossing::rising
                           : direction < 0 ? Crossing::falling
                                           : Crossing::both);
    }
  }

  [[nodiscard]] const py::object& interruption() const { return interruption_; }

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(plan_.names.size());
  }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override {
    auto run = std::make_unique<ResidualRun>();
    run->remaining = plan_.remaining;
    return run;
  }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return kinds_; }
  [[nodiscard]] std::span<const double> nominals() const override { return plan_.nominals; }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return plan_.names[static_cast<std::size_t>(column)];
  }
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return "F[" + std::to_string(row) + "]";
  }

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run&,
                      std::span<double> values) const override {
    return call(plan_.residual, {.t = t, .x = x, .xp = xp}, values);
  }

  [[nodiscard]] std::int64_t n_events() const override {
    return static_cast<std::int64_t>(crossings_.size());
  }
  [[nodiscard]] std::span<const Crossing> crossings() const override { return crossings_; }
  Evaluation event_functions(double t, std::span<const double> x, std::span<const double> xp, Run&,
                             std::span<double> values) const override {
    return call(plan_.events, {.t = t, .x = x, .xp = xp}, values);
  }
  Change on_event(double, std::span<const std::int64_t> fired, std::span<double>, std::span<double>,
                  Run& run) const override {
    auto& counts = static_cast<ResidualRun&>(run).remaining;
    for (const std::int64_t event : fired) {
      if (--counts[static_cast<std::size_t>(event)] > 0) continue;
      return {.kind = Change::Kind::stop,
              .status = Status::event_stop,
              .message = plan_.messages[static_cast<std::size_t>(event)]};
    }
    return {};
  }

 private:
  struct Point {
    double t;
    std::span<const double> x;
    std::span<const double> xp;
  };

  static Doubles copy(std::span<const double> values) {
    return Doubles(static_cast<py::ssize_t>(values.size()), values.data());
  }

  Evaluation call(const py::object& function, const Point& point, std::span<double> values) const {
    const py::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const auto result = function(point.t, copy(point.x), copy(point.xp)).cast<Doubles>();
      std::copy(result.data(), result.data() + values.size(), values.begin());
    } catch (py::error_already_set& raised) {
      // Ctrl-C ends the run and keeps what it has; everything else is the caller's.
      if (!raised.matches(PyExc_KeyboardInterrupt)) throw;
      interruption_ = raised.value();
      state_.cancel = true;
      return Evaluation::fatal;
    }
    return Evaluation::ok;
  }

  ResidualPlan plan_;
  RunState& state_;
  std::vector<UnknownKind> kinds_;
  std::vector<Crossing> crossings_;
  mutable py::object interruption_ = py::none();
};

py::tuple integrate_residual(const ResidualPlan& plan, const std::vector<double>& y,
                             const std::vector<double>& yp, const TimeSpan& span,
                             IntegrateOptions options) {
  RunState state;
  const PythonResidual system(plan, state);
  options.cancel = &state.cancel;
  auto solution = std::make_shared<Solution>();
  {
    const py::gil_scoped_release release;
    *solution = integrate(system, StartValues{.x = y, .xp = yp}, span, options);
  }
  return py::make_tuple(solution, system.interruption());
}

}  // namespace

void bind_residuals(py::module_& module) {
  py::class_<ResidualPlan>(module, "ResidualPlan")
      .def(py::init(
          [](py::function residual) { return ResidualPlan{.residual = std::move(residual)}; }))
      .def_readwrite("events", &ResidualPlan::events)
      .def_readwrite("directions", &ResidualPlan::directions)
      .def_readwrite("remaining", &ResidualPlan::remaining)
      .def_readwrite("messages", &ResidualPlan::messages)
      .def_readwrite("names", &ResidualPlan::names)
      .def_readwrite("index", &ResidualPlan::index)
      .def_readwrite("nominals", &ResidualPlan::nominals);
  py::class_<IntegrateOptions>(module, "IntegrateOptions")
      .def(py::init<>())
      .def("set_integrator",
           [](IntegrateOptions& o, const std::string& text) { o.integrator = Integrator(text); })
      .def_readwrite("rtol", &IntegrateOptions::rtol)
      .def_readwrite("atol", &IntegrateOptions::atol)
      .def_readwrite("fixed_step", &IntegrateOptions::fixed_step)
      .def_readwrite("initial_step", &IntegrateOptions::initial_step)
      .def_readwrite("max_step", &IntegrateOptions::max_step)
      .def_readwrite("max_steps", &IntegrateOptions::max_steps)
      .def_readwrite("time_limit", &IntegrateOptions::time_limit)
      .def_readwrite("stop_times", &IntegrateOptions::stop_times);
  module.def("integrate_residual", &integrate_residual);
}

}  // namespace daedal::python
