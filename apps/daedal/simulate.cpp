// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <daedal/analyze.hpp>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <daedal/output_grid.hpp>
#include <daedal/problem.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "checkpoints.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "io/csv.hpp"
#include "io/rows.hpp"
#include "model_source.hpp"
#include "petsc/engine.hpp"
#include "progress_bar.hpp"
#include "report/report.hpp"
#include "result_output.hpp"
#include "run_options.hpp"
#include "text_plot.hpp"

namespace daedal::app {

namespace {

struct SimulateArguments {
  RunArguments run;
  std::string output;
  std::vector<std::string> variables;
  std::string report;
  std::string animation;
  CheckpointArguments checkpoints;
  std::string engine = "embedded";
  std::string petsc_options;
  int repeats = 1;
  bool has_timing = false;
  bool has_plot = false;
  bool has_chosen_columns = false;  ///< the solution needs those of --variables alone
};

/// Seconds that a report may spend on the structure of the model.
constexpr double analysis_limit = 5.0;

/// What analyze() finds within the limit; nothing where the model cannot be analysed.
std::optional<Analysis> analysis_for_report(const Model& model, const ResolvedRun& run) {
  SolveOptions options = run.options;
  options.on_progress = nullptr;
  options.observer = {};
  options.time_limit = std::min(options.time_limit, analysis_limit);
  try {
    return analyze(model, run.span.start, options);
  } catch (const Error&) {
    return std::nullopt;  // the run itself says what is wrong with the model
  }
}

/// CPU seconds of the process.
double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least CPU seconds of several runs, each from the text on.
struct Timing {
  double setup = std::numeric_limits<double>::infinity();  ///< from the text to the first step
  double run = std::numeric_limits<double>::infinity();    ///< from there to the final values
  int repeats = 0;
};

/// A run and what it was made of.
struct RunFromText {
  LoadedModel loaded;
  ResolvedRun run;
  Solution solution;
  std::vector<double> step_times;  ///< for a report, as the following one
  std::vector<int> step_orders;
  std::string animation;
  std::vector<PetscOutcome::Rank> ranks;
};

/// Ends and orders of the steps, as they count in the end.
void watch_steps(SolveOptions& options, RunFromText& result) {
  result.step_times.push_back(result.run.span.start);
  options.observer.on_step = [&result](const ObservedStep& step) {
    result.step_times.push_back(step.end);
    result.step_orders.push_back(step.order);
    return Flow::go_on;
  };
  options.observer.on_rewind = [&result](double time) {
    const double direction = result.run.span.stop < result.run.span.start ? -1.0 : 1.0;
    while (!result.step_orders.empty() && direction * result.step_times.back() > direction * time) {
      result.step_times.pop_back();
      result.step_orders.pop_back();
    }
    return Flow::go_on;
  };
}

/// Throws OptionError where --variables asks for what the model does not have.
void check_variables(const std::vector<std::string>& globs, const LoadedModel& loaded) {
  try {
    io::check_globs(globs, loaded.model, io::Columns::initial);
  } catch (const OptionError& error) {
    // A variable that is asked for may be one that the text could not determine.
    const auto cause = std::ranges::find_if(loaded.warnings, [](const std::string& warning) {
      return warning.find("are left out") != std::string::npos;
    });
    if (cause == loaded.warnings.end()) throw;
    throw OptionError(error.code(), fmt::format("{} {}", error.what(), *cause));
  }
}

/// One step. Where it throws, as it does when memory runs out, the rows up to there are written.
bool take_step(Simulation& simulation, RowsOutput& rows) {
  try {
    return simulation.step();
  } catch (...) {
    rows.finish(simulation.solution());
    throw;
  }
}

/// Throws OptionError for what the engine of --engine does not do.
void check_engine(const SimulateArguments& arguments) {
  const bool is_petsc = arguments.engine == "petsc";
  if (!is_petsc && arguments.engine != "embedded") {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("There is no engine '{}': --engine takes embedded or petsc.",
                                  arguments.engine));
  }
  if (!is_petsc && !arguments.petsc_options.empty()) {
    throw OptionError(ErrorCode::invalid_option, "--petsc-options needs --engine petsc.");
  }
  if (!is_petsc) return;
  const RunArguments& run = arguments.run;
  const std::pair<bool, const char*> others[] = {
      {!arguments.report.empty(), "--report"},
      {!arguments.checkpoints.file.empty(), "--checkpoint"},
      {!arguments.checkpoints.resume.empty(), "--resume"},
      {arguments.repeats > 1, "--repeat"},
      {run.method != "auto", "--method"},
      {run.integrator != "auto", "--integrator"},
      {!run.chart.empty(), "--chart"},
      {run.step > 0.0, "--step"},
      {run.watch_singularities, "--watch-singularities"}};
  for (const auto& [is_given, name] : others) {
    if (!is_given) continue;
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("{} belongs to the embedded engine. Leave out it or --engine "
                                  "petsc, whose integrator and steps --petsc-options chooses "
                                  "(-ts_type, -ts_dt, -ts_adapt_type).",
                                  name));
  }
}

/// PETSc for one command: all ranks leave it together. All but the first are silent.
class PetscRanks {
 public:
  explicit PetscRanks(const SimulateArguments& arguments) {
    if (arguments.engine != "petsc") return;
    engine_ = open_petsc(arguments.petsc_options);
    if (!is_first() && std::freopen("/dev/null", "w", stdout) == nullptr) std::fclose(stdout);
  }
  PetscRanks(const PetscRanks&) = delete;
  PetscRanks& operator=(const PetscRanks&) = delete;
  ~PetscRanks() {
    if (engine_) engine_->close();
  }
  [[nodiscard]] PetscEngine* engine() const { return engine_.get(); }
  [[nodiscard]] bool is_first() const { return !engine_ || engine_->rank() == 0; }

 private:
  std::unique_ptr<PetscEngine> engine_;
};

/// One run from the text to its solution; nothing of an earlier one is left.
RunFromText solve_from_text(const SimulateArguments& arguments, PetscEngine* engine,
                            ProgressBar& bar, RowsOutput& rows, Timing& timing) {
  const double before = cpu_seconds();
  LoadedModel loaded = read_model(arguments.run.model, arguments.run.parameters);
  check_variables(arguments.variables, loaded);
  ResolvedRun run = resolve(arguments.run, loaded);
  loaded.model = give_inputs(arguments.run.inputs, loaded.model, run.span, run.notices);
  RunFromText result{std::move(loaded), std::move(run), {}, {}, {}, {}, {}};
  Checkpoints checkpoints(arguments.checkpoints, arguments.run.model);
  const bool has_report = !arguments.report.empty();
  SolveOptions& options = result.run.options;
  if (has_report) {
    result.animation = animation_of(arguments.animation, result.loaded.model);
    options.dense_output = true;  // curves between the steps
    watch_steps(options, result);
  }
  options.interval = output_interval(options.interval, result.loaded.model.experiment());
  if (options.interval == 0.0) options.interval = every_step;
  if (options.interval == every_step && (!arguments.output.empty() || arguments.has_plot)) {
    options.interval = std::abs(result.run.span.stop - result.run.span.start) /
                       static_cast<double>(points_of_rows);
    options.has_step_rows = true;
  }
  options.columns = arguments.variables;
  // A report and a JSON document are about all variables, and what is asked for beside them.
  if ((has_report || !arguments.has_chosen_columns) && !options.columns.empty()) {
    options.columns.insert(options.columns.begin(), "*");
  }
  options.cancel = &catch_interrupts();
  if (bar.is_active()) {
    options.on_progress = [&bar](const Progress& progress) { bar.update(progress); };
  }
  if (engine != nullptr) {
    PetscRun done = solve_by_petsc(*engine, result.loaded.model, result.run.span, options,
                                   [&](const Solution& so_far) { rows.follow(so_far); });
    result.solution = std::move(done.solution);
    result.ranks = std::move(done.ranks);
    timing = {.setup = 0.0, .run = cpu_seconds() - before, .repeats = 1};
    return result;
  }
  Simulation simulation =
      checkpoints.start(prepare(result.loaded.model, options), result.run.span, result.run.notices);
  const double ready = cpu_seconds();
  while (take_step(simulation, rows)) {
    rows.follow(simulation.solution());
    checkpoints.look_at(simulation);
  }
  checkpoints.conclude(simulation, result.run.notices);
  result.solution = simulation.take_solution();
  if (!checkpoints.failure().empty()) {
    result.solution.warnings.push_back(checkpoints.failure());
  }
  timing.setup = std::min(timing.setup, ready - before);
  timing.run = std::min(timing.run, cpu_seconds() - ready);
  ++timing.repeats;
  return result;
}

void print_timing(const Timing& timing, std::FILE* out) {
  fmt::print(out, "CPU time: set-up {:.4g} s, run {:.4g} s", timing.setup, timing.run);
  if (timing.repeats > 1) fmt::print(out, " (least of {} runs)", timing.repeats);
  fmt::print(out, "\n");
}

void write_report_of(const RunFromText& done, const SimulateArguments& arguments,
                     OutputFile& file) {
  file.write([&](std::ostream& out) {
    write_report(out, {.model = done.loaded.model,
                       .solution = done.solution,
                       .parameters = done.run.options.parameters,
                       .step_times = done.step_times,
                       .step_orders = done.step_orders,
                       .analysis = analysis_for_report(done.loaded.model, done.run),
                       .globs = arguments.variables,
                       .animation = done.animation});
  });
}

int simulate(const SimulateArguments& arguments, const PetscRanks& ranks, const Common& common) {
  if (arguments.repeats < 1) {
    throw OptionError(ErrorCode::invalid_option,
                      fmt::format("--repeat must be at least 1 (got {}).", arguments.repeats));
  }
  if (!arguments.checkpoints.resume.empty() && !arguments.report.empty()) {
    throw OptionError(ErrorCode::invalid_option,
                      "--report needs the whole run, which --resume does not compute.");
  }
  const CheckpointArguments& saved = arguments.checkpoints;
  for (const NamedFile& checkpoint :
       {NamedFile{"--checkpoint", saved.file}, NamedFile{"--resume", saved.resume}}) {
    check_distinct({{"-o", arguments.output}, {"--report", arguments.report}, checkpoint});
  }
  RowsOutput rows(ranks.is_first() ? arguments.output : "", arguments.run.model,
                  arguments.variables, common);
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) report.emplace(report_file(arguments.report, arguments.run.model));
  std::optional<RunFromText> done;
  Timing timing;
  {
    ProgressBar bar(!common.json && !common.quiet && ranks.engine() == nullptr);
    do {
      done = solve_from_text(arguments, ranks.engine(), bar, rows, timing);
    } while (timing.repeats < arguments.repeats && !catch_interrupts());
  }
  Solution& solution = done->solution;
  const std::vector<std::string>& completed = done->run.notices;
  const std::vector<std::string>& doubts = done->loaded.warnings;
  solution.notices.insert(solution.notices.begin(), completed.begin(), completed.end());
  solution.warnings.insert(solution.warnings.begin(), doubts.begin(), doubts.end());

  rows.finish(solution);
  if (report) {
    write_report_of(*done, arguments, *report);
    if (!common.json && !common.quiet && !rows.is_standard()) {
      fmt::print("Report: {}\n\n", arguments.report);
    }
  }
  nlohmann::ordered_json more = nlohmann::ordered_json::object();
  if (arguments.has_timing) {
    more["timing"] = {
        {"setup_s", timing.setup}, {"run_s", timing.run}, {"repeats", timing.repeats}};
  }
  for (const PetscOutcome::Rank& rank : done->ranks) {
    more["ranks"].push_back({{"rows", rank.n_rows}, {"memory_bytes", rank.memory}});
  }
  const int code = print_result(solution, common, rows, more);
  if (arguments.has_plot && !common.json) {
    fmt::print(rows.is_standard() ? stderr : stdout, "\n{}",
               text_plot(done->loaded.model, solution,
                         select_columns(solution.names, arguments.variables)));
  }
  if (arguments.has_timing && !common.json) {
    print_timing(timing, rows.is_standard() ? stderr : stdout);
  }
  return code;
}

int simulate(const SimulateArguments& arguments, const Common& common) {
  check_engine(arguments);
  const PetscRanks ranks(arguments);
  if (ranks.is_first()) return simulate(arguments, ranks, common);
  // The first rank says what is wrong and ends with its code. mpirun ends all ranks where another
  // one does so before it.
  try {
    (void)simulate(arguments, ranks, common);
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace

Command add_simulate(CLI::App& app, Common& common) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App* command = app.add_subcommand("simulate", "Solve an initial value problem");
  declare_run_options(*command, arguments->run);
  command->add_option("-o,--output", arguments->output,
                      "Write the rows: .csv, .json or .mat (- for standard output)");
  declare_variables_option(*command, arguments->variables,
                           "Variables, parameters and der(x) for file, plot and report, as globs; "
                           "repeatable [all variables]");
  command->add_option("--report", arguments->report,
                      "Write a report with plots, one HTML file that needs no network");
  command
      ->add_option("--animate", arguments->animation,
                   "Shapes of the report's animation: \"rod(0,0; x,y) body(x,y) trace(x,y)\" "
                   "[recognised from names and distances]")
      ->needs("--report");
  command->add_flag("--plot", arguments->has_plot, "Draw the variables in the terminal");
  declare_checkpoint_options(*command, arguments->checkpoints);
  command
      ->add_option("--engine", arguments->engine,
                   "embedded, or petsc: PETSc's integrators and solvers, under mpirun in several "
                   "processes")
      ->capture_default_str();
  command->add_option("--petsc-options", arguments->petsc_options,
                      "For the engine petsc: \"-ts_type bdf -pc_type hypre\"");
  command->add_option("--repeat", arguments->repeats, "Solve so often, each time from the text on")
      ->capture_default_str();
  command->add_flag("--timing", arguments->has_timing,
                    "Report CPU seconds of set-up and of the run, the least of the repeats");
  command->add_flag("--json", common.json, "Print one JSON document and nothing else");
  command->add_flag("--quiet", common.quiet, "Print errors only");
  command->add_flag("-v,--verbose", common.verbose, "Print everything about the run");
  return [arguments, &common] {
    arguments->has_chosen_columns = !common.json;
    return simulate(*arguments, common);
  };
}

}  // namespace daedal::app
