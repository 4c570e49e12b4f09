// SPDX-License-Identifier: BSD-3-Clause
/// Problems, runs step by step, many runs at once, boundary value problems, comparisons.

#include <algorithm>
#include <daedal/analyze.hpp>
#include <daedal/bvp.hpp>
#include <daedal/compare.hpp>
#include <daedal/ensemble.hpp>
#include <daedal/problem.hpp>
#include <functional>
#include <utility>

#include "solutions.hpp"
#include "waiting.hpp"

namespace daedal::python {

namespace {

/// A run reports where it is to `state`, and asks it whether to go on.
void watch(SolveOptions& options, RunState& state) {
  options.cancel = &state.cancel;
  options.on_progress = [&state](const Progress& progress) {
    state.fraction = progress.fraction;
    state.time = progress.time;
    state.steps = progress.steps;
  };
}

/// A function of Python that is shown every output point, and what it has raised. Both are touched
/// while the interpreter lock is held.
struct Callback {
  py::object function;
  py::object raised = py::none();

  void observe(SolveOptions& options) {
    if (function.is_none()) return;
    options.observer.on_output = [this](double t, std::span<const double> row) {
      const py::gil_scoped_acquire acquire;
      try {
        const py::object answer =
            function(t, Doubles(static_cast<py::ssize_t>(row.size()), row.data()));
        return answer.is_none() || !py::bool_(answer) ? Flow::go_on : Flow::stop;
      } catch (py::error_already_set& error) {
        raised = error.value();
        return Flow::stop;
      }
    };
  }
};

/// The solution and what interrupted it, or None.
py::tuple solve(const Problem& problem, const TimeSpan& span, SolveOptions options,
                const py::object& tick, const py::object& function) {
  RunState state;
  watch(options, state);
  Callback callback{function};
  callback.observe(options);
  auto solution = std::make_shared<Solution>();
  py::object raised =
      run_in_thread([&] { *solution = problem.solve(span, {}, options); }, state, tick);
  return py::make_tuple(solution, raised.is_none() ? callback.raised : raised);
}

py::tuple analyze_model(const Model& model, double t0, SolveOptions options) {
  RunState state;
  watch(options, state);
  auto analysis = std::make_unique<Analysis>();
  py::object raised =
      run_in_thread([&] { *analysis = analyze(model, t0, options); }, state, py::none());
  return py::make_tuple(std::move(analysis), raised);
}

/// A run that advances step by step, with the state that it was told to watch.
class Stepper {
 public:
  Stepper(SolveOptions options, const py::object& function,
          const std::function<Simulation(const SolveOptions&)>& start)
      : state_(std::make_unique<RunState>()), callback_(new Callback{function}) {
    watch(options, *state_);
    callback_->observe(options);
    raised_ = run_in_thread([&] { simulation_ = std::make_unique<Simulation>(start(options)); },
                            *state_, py::none());
    if (raised_.is_none()) raised_ = std::exchange(callback_->raised, py::none());
  }
  [[nodiscard]] const py::object& raised() const { return raised_; }
  /// Whether the run goes on, and what interrupted it.
  py::tuple step() {
    bool goes_on = false;
    {
      const py::gil_scoped_release release;
      goes_on = simulation_->step();
    }
    return py::make_tuple(goes_on, std::exchange(callback_->raised, py::none()));
  }
  py::tuple advance(double t) {
    bool goes_on = false;
    py::object raised =
        run_in_thread([&] { goes_on = simulation_->advance(t); }, *state_, py::none());
    if (raised.is_none()) raised = std::exchange(callback_->raised, py::none());
    return py::make_tuple(goes_on, raised);
  }
  void set(const std::string& kind, const std::string& name, double value) {
    const py::gil_scoped_release release;  // another thread may be in the middle of a step
    if (kind == "input") {
      simulation_->set_input(name, value);
    } else {
      simulation_->set_parameter(name, value);
    }
  }
  py::bytes save() {
    std::string bytes;
    {
      const py::gil_scoped_release release;
      bytes = simulation_->save();
    }
    return bytes;
  }
  [[nodiscard]] bool is_over() const {
    const py::gil_scoped_release release;
    return simulation_->is_over();
  }
  [[nodiscard]] double time() const {
    const py::gil_scoped_release release;
    return simulation_->time();
  }
  [[nodiscard]] double value(const std::string& name) const {
    const py::gil_scoped_release release;
    return simulation_->value(name);
  }
  [[nodiscard]] Doubles values() const {
    std::vector<double> row;
    {
      const py::gil_scoped_release release;
      row = simulation_->values();
    }
    return Doubles(static_cast<py::ssize_t>(row.size()), row.data());
  }
  [[nodiscard]] SolutionHolder solution() const {
    const py::gil_scoped_release release;
    return std::make_shared<Solution>(simulation_->copy_solution());
  }

 private:
  std::unique_ptr<RunState> state_;
  std::unique_ptr<Callback> callback_;
  std::unique_ptr<Simulation> simulation_;
  py::object raised_;
};

// ---------------------------------------------------------------------------------- many runs

struct SweepPlan {
  std::vector<std::string> parameters;  ///< the first columns of `values`
  std::vector<std::string> starts;      ///< the columns after them
  Doubles values;                       ///< members × names
  Doubles times;                        ///< where the solutions are asked for; empty: at the end
  std::int64_t workers = 1;
  std::string engine = "auto";
};

/// Values (members × times × variables, NaN where a run did not get), reasons, messages and names,
/// and what interrupted them, or None.
py::tuple sweep(const Problem& problem, const TimeSpan& span, const SolveOptions& options,
                const SweepPlan& plan, const py::object& tick) {
  const Ensemble ensemble(problem, span,
                          {.parameters = plan.parameters,
                           .start_values = plan.starts,
                           .values = {plan.values.data(), plan.values.data() + plan.values.size()},
                           .count = static_cast<std::size_t>(plan.values.shape(0))});
  RunState state;
  const EnsembleOptions given{.run = options,
                              .times = {plan.times.data(), plan.times.data() + plan.times.size()},
                              .workers = static_cast<int>(plan.workers),
                              .engine = ensemble_engine(plan.engine),
                              .cancel = &state.cancel};
  const std::size_t n_members = ensemble.members().count;
  const std::size_t n_times = std::max<std::size_t>(1, given.times.size());
  Doubles values({n_members, n_times, ensemble.names().size()});
  double* const out = values.mutable_data();
  std::fill(out, out + values.size(), std::nan(""));
  std::vector<std::string> reasons(n_members, std::string(to_string(Status::cancelled)));
  std::vector<std::string> messages(n_members, "The sweep was cancelled before this run.");
  std::size_t n_done = 0;
  const auto take = [&](const MemberResult& result) {
    std::ranges::copy(result.values, out + result.member * n_times * ensemble.names().size());
    reasons[result.member] = result.reason;
    messages[result.member] = result.message;
    state.fraction = static_cast<double>(++n_done) / static_cast<double>(n_members);
  };
  py::object raised = run_in_thread([&] { ensemble.run(given, take); }, state, tick);
  return py::make_tuple(py::make_tuple(values, reasons, messages, ensemble.names()), raised);
}

// ------------------------------------------------------------- boundary values and comparisons

py::tuple solve_boundary_values(const Model& model, const TimeSpan& span, BvpOptions options) {
  RunState state;
  options.cancel = &state.cancel;
  auto solution = std::make_shared<BvpSolution>();
  py::object raised =
      run_in_thread([&] { *solution = solve_bvp(model, span, options); }, state, py::none());
  return py::make_tuple(solution, raised);
}

py::tuple compare_methods(const Model& model, const TimeSpan& span, CompareOptions options) {
  RunState state;
  options.base.cancel = &state.cancel;
  auto comparison = std::make_shared<Comparison>();
  py::object raised =
      run_in_thread([&] { *comparison = compare(model, span, options); }, state, py::none());
  py::list rows;
  for (const CompareRow& row : comparison->rows) {
    rows.append(py::dict(
        "method"_a = row.method, "integrator"_a = row.integrator, "rtol"_a = row.rtol,
        "status"_a = to_string(row.status), "message"_a = row.message, "error"_a = row.error,
        "worst_variable"_a = row.worst_variable,
        "constraints"_a = constraint_levels(row.constraints), "energy_drift"_a = row.energy_drift,
        "statistics"_a = statistics_dict(row.statistics)));
  }
  return py::make_tuple(
      py::dict("model_name"_a = comparison->model_name, "reference"_a = comparison->reference.used,
               "reference_status"_a = to_string(comparison->reference_status),
               "reference_message"_a = comparison->reference_message, "rows"_a = rows,
               "comparison"_a = comparison),
      raised);
}

void bind_options(py::module_& module) {
  py::class_<TimeSpan>(module, "TimeSpan").def(py::init([](double start, double stop) {
    return TimeSpan{start, stop};
  }));
  py::class_<SolveOptions>(module, "SolveOptions")
      .def(py::init<>())
      .def(py::init<const SolveOptions&>())
      .def("set_method", [](SolveOptions& o, const std::string& text) { o.method = Method(text); })
      .def("set_integrator",
           [](SolveOptions& o, const std::string& text) { o.integrator = Integrator(text); })
      .def_readwrite("chart", &SolveOptions::chart)
      .def_readwrite("watch_singularities", &SolveOptions::watch_singularities)
      .def_readwrite("rtol", &SolveOptions::rtol)
      .def_readwrite("atol", &SolveOptions::atol)
      .def_readwrite("fixed_step", &SolveOptions::fixed_step)
      .def_readwrite("initial_step", &SolveOptions::initial_step)
      .def_readwrite("max_step", &SolveOptions::max_step)
      .def_readwrite("max_steps", &SolveOptions::max_steps)
      .def_readwrite("time_limit", &SolveOptions::time_limit)
      .def_readwrite("interval", &SolveOptions::interval)
      .def_readwrite("stop_times", &SolveOptions::stop_times)
      .def_readwrite("dense_output", &SolveOptions::dense_output)
      .def_readwrite("columns", &SolveOptions::columns)
      .def_readwrite("keep_rows", &SolveOptions::keep_rows)
      .def_readwrite("parameters", &SolveOptions::parameters)
      .def_readwrite("start_values", &SolveOptions::start_values);
  py::class_<BvpGuess>(module, "BvpGuess")
      .def(py::init<>())
      .def_readwrite("names", &BvpGuess::names)
      .def_readwrite("times", &BvpGuess::times)
      .def_readwrite("values", &BvpGuess::values);
  py::class_<BvpOptions>(module, "BvpOptions")
      .def(py::init<>())
      .def("set_method", [](BvpOptions& o, const std::string& text) { o.method = BvpMethod(text); })
      .def_readwrite("scheme", &BvpOptions::scheme)
      .def_readwrite("points", &BvpOptions::points)
      .def_readwrite("rtol", &BvpOptions::rtol)
      .def_readwrite("atol", &BvpOptions::atol)
      .def_readwrite("intervals", &BvpOptions::intervals)
      .def_readwrite("max_intervals", &BvpOptions::max_intervals)
      .def_readwrite("adapt", &BvpOptions::adapt)
      .def_readwrite("max_iterations", &BvpOptions::max_iterations)
      .def_readwrite("parameters", &BvpOptions::parameters)
      .def_readwrite("start_values", &BvpOptions::start_values)
      .def_readwrite("guess", &BvpOptions::guess)
      .def_readwrite("output_points", &BvpOptions::output_points)
      .def_readwrite("time_limit", &BvpOptions::time_limit);
  py::class_<CompareOptions>(module, "CompareOptions")
      .def(py::init<>())
      .def_readwrite("methods", &CompareOptions::methods)
      .def_readwrite("tolerances", &CompareOptions::tolerances)
      .def_readwrite("base", &CompareOptions::base)
      .def_readwrite("reference", &CompareOptions::reference)
      .def_readwrite("reference_rtol", &CompareOptions::reference_rtol)
      .def_readwrite("grid", &CompareOptions::grid)
      .def_readwrite("energy", &CompareOptions::energy);
}

}  // namespace

void bind_runs(py::module_& module) {
  bind_options(module);
  py::class_<Problem>(module, "Problem")
      .def_property_readonly("model", &Problem::model)
      .def("solve", &solve, "span"_a, "options"_a, "tick"_a = py::none(), "callback"_a = py::none())
      .def(
          "start",
          [](const Problem& problem, const TimeSpan& span, const SolveOptions& options,
             const py::object& callback) {
            return std::make_unique<Stepper>(options, callback, [&](const SolveOptions& o) {
              return problem.start(span, {}, o);
            });
          },
          "span"_a, "options"_a, "callback"_a = py::none())
      .def(
          "restore",
          [](const Problem& problem, const std::string& bytes, const SolveOptions& options,
             const py::object& callback) {
            return std::make_unique<Stepper>(options, callback, [&](const SolveOptions& o) {
              return problem.restore(bytes, o);
            });
          },
          "checkpoint"_a, "options"_a, "callback"_a = py::none())
      .def("sweep", &sweep);
  module.def("prepare", &prepare, py::call_guard<py::gil_scoped_release>());
  py::class_<SweepPlan>(module, "SweepPlan")
      .def(py::init<>())
      .def_readwrite("parameters", &SweepPlan::parameters)
      .def_readwrite("starts", &SweepPlan::starts)
      .def_readwrite("values", &SweepPlan::values)
      .def_readwrite("times", &SweepPlan::times)
      .def_readwrite("workers", &SweepPlan::workers)
      .def_readwrite("engine", &SweepPlan::engine);
  py::class_<Stepper>(module, "Stepper")
      .def_property_readonly("raised", &Stepper::raised)
      .def("step", &Stepper::step)
      .def("advance", &Stepper::advance)
      .def("set", &Stepper::set)
      .def("save", &Stepper::save)
      .def_property_readonly("is_over", &Stepper::is_over)
      .def_property_readonly("time", &Stepper::time)
      .def("value", &Stepper::value)
      .def("values", &Stepper::values)
      .def("solution", &Stepper::solution);
  py::class_<Comparison, std::shared_ptr<Comparison>>(module, "Comparison");
  module.def("analyze", &analyze_model);
  module.def("solve_bvp", &solve_boundary_values);
  module.def("compare", &compare_methods);
}

}  // namespace daedal::python
