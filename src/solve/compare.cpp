// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/compare.hpp>

#include <algorithm>
#include <cmath>
#include <daedal/solve.hpp>
#include <limits>

#include "core/expected.hpp"
#include "expr/calculus.hpp"
#include "kernel/program.hpp"
#include "solve/run/prepared_run.hpp"

namespace daedal {

namespace {

/// Below this a reference signal has no scale of its own, and errors are absolute.
constexpr double smallest_scale = 1e-6;

/// Seconds of the wall clock that other work on the machine disturbs: such runs are made again.
constexpr double short_run = 0.1;
constexpr int most_runs = 5;

/// "method[:...][+integrator[:...]]" into options.
void apply_choice(const std::string& text, SolveOptions& options) {
  const auto plus = text.find('+');
  options.method = Method(text.substr(0, plus));
  if (plus != std::string::npos) options.integrator = Integrator(text.substr(plus + 1));
}

struct RunOnGrid {
  std::string choice;
  double rtol;
  int most_runs = 1;  ///< for the least time of short ones
};

/// Solves on the comparison grid. A method that does not fit the model is a row with that status.
Solution solve_on_grid(const Model& model, const TimeSpan& span, const CompareOptions& compare,
                       const RunOnGrid& run) {
  SolveOptions options = compare.base;
  apply_choice(run.choice, options);
  // A chart is for the methods that take one.
  if (options.method.is_automatic() || options.method.name() != UserChart::name) options.chart = {};
  options.rtol = run.rtol;
  const double base = compare.base.rtol.value_or(model.experiment().default_rtol());
  options.atol = run.rtol * (compare.base.atol / base);
  options.interval = std::abs(span.stop - span.start) / compare.grid;
  options.dense_output = false;
  auto solution = Expected<Solution>::from([&] {
    const Problem problem = prepare(model, options);
    Solution first = problem.solve(span);
    double& least = first.statistics.wall_time;
    for (int n = 1; n < run.most_runs && is_success(first.status) && least < short_run; ++n) {
      const Solution again = problem.solve(span);
      if (!is_success(again.status)) break;  // it was stopped
      least = std::min(least, again.statistics.wall_time);
    }
    return first;
  });
  if (solution || !solve_detail::does_not_fit(solution.code())) return std::move(solution).get();
  Solution unfit;
  unfit.status = Status::method_does_not_fit;
  unfit.message = solution.message();
  unfit.method = {options.method.name(), options.method.name()};
  return unfit;
}

struct WorstError {
  double error = 0.0;
  std::string variable;
};

/// Compares row by row; both runs write the same grid as far as they came. At events a grid may
/// have doubled points, so that rows are matched by time.
WorstError worst_error(const Solution& solution, const Solution& reference) {
  WorstError worst;
  for (std::size_t j = 0; j < solution.names.size(); ++j) {
    double scale = 0.0;
    for (std::size_t i = 0; i < reference.n_rows(); ++i) {
      scale = std::max(scale, std::abs(reference.row(i)[j]));
    }
    if (scale < smallest_scale) scale = 1.0;
    std::size_t k = 0;
    for (std::size_t i = 0; i < solution.n_rows(); ++i) {
      while (k < reference.n_rows() && reference.times[k] < solution.times[i]) ++k;
      if (k == reference.n_rows()) break;
      if (reference.times[k] != solution.times[i]) continue;
      const double error = std::abs(solution.row(i)[j] - reference.row(k)[j]) / scale;
      if (!(error <= worst.error)) worst = {error, solution.names[j]};
    }
  }
  return worst;
}

/// How far values go from the first; nothing without values.
std::optional<double> greatest_change(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double change = 0.0;
  for (const double value : values) change = std::max(change, std::abs(value - values.front()));
  return change;
}

/// The energy that the model states of itself, of variables, parameters and t.
std::vector<double> stated_energy(const Model& model, const Overrides& overrides,
                                  const Solution& solution) {
  const NodeId energy = model.energy();
  if (energy == no_node) return {};
  enum Block : int { time_block, variable_block, parameter_block };
  const Pool& pool = *model.pool();
  std::vector<kernel::Input> inputs;
  std::vector<std::size_t> columns;  // of the variables
  for (const NodeId leaf : dependencies(pool, std::span(&energy, 1))) {
    const Node& node = pool[leaf];
    if (node.op == Op::time) inputs.push_back({leaf, time_block, 0});
    if (node.op == Op::parameter) inputs.push_back({leaf, parameter_block, node.symbol});
    if (node.op == Op::time || node.op == Op::parameter) continue;
    if (node.op != Op::variable) return {};
    const std::string& name = model.variables()[to_size(node.symbol)].name;
    const auto found = std::find(solution.names.begin(), solution.names.end(), name);
    if (node.order > 0 || found == solution.names.end()) return {};
    inputs.push_back({leaf, variable_block, to_index(columns.size())});
    columns.push_back(to_size(found - solution.names.begin()));
  }
  const auto program = kernel::Program::compile(pool, std::span(&energy, 1), inputs);
  kernel::Workspace workspace = program.make_workspace();
  const std::vector<double> parameters = model.parameter_values(overrides);
  std::vector<double> variables(columns.size());
  std::vector<double> values(solution.n_rows());
  for (std::size_t row = 0; row < values.size(); ++row) {
    for (std::size_t k = 0; k < columns.size(); ++k) variables[k] = solution.row(row)[columns[k]];
    const double* const blocks[] = {&solution.times[row], variables.data(), parameters.data()};
    program.evaluate(blocks, std::span(&values[row], 1), workspace);
  }
  return values;
}

}  // namespace

std::vector<double> energy_of(const Model& model, const Overrides& parameters,
                              const Solution& solution, const std::string& name) {
  const auto found = std::find(solution.names.begin(), solution.names.end(), name);
  if (found == solution.names.end()) return stated_energy(model, parameters, solution);
  const auto column = to_size(found - solution.names.begin());
  std::vector<double> values;
  for (std::size_t row = 0; row < solution.n_rows(); ++row) {
    values.push_back(solution.row(row)[column]);
  }
  return values;
}

Comparison compare(const Model& model, const TimeSpan& span, const CompareOptions& options) {
  if (options.methods.empty()) {
    throw OptionError(ErrorCode::invalid_option, "There is no method to compare.");
  }
  if (options.grid < 1) {
    throw OptionError(ErrorCode::invalid_option,
                      "The comparison grid needs at least one interval.");
  }
  const Solution reference =
      solve_on_grid(model, span, options, {options.reference, options.reference_rtol});
  Comparison comparison;
  comparison.model_name = model.name();
  comparison.reference = reference.method;
  comparison.reference_status = reference.status;
  comparison.reference_message = reference.message;
  for (const std::string& method : options.methods) {
    for (const double rtol : options.tolerances) {
      const Solution solution = solve_on_grid(model, span, options, {method, rtol, most_runs});
      // What never ran, or has nothing to be compared with, has no error.
      const bool is_comparable = solution.n_rows() > 0 && reference.n_rows() > 0;
      const WorstError worst = is_comparable
                                   ? worst_error(solution, reference)
                                   : WorstError{std::numeric_limits<double>::quiet_NaN(), {}};
      std::vector<double> energy =
          energy_of(model, options.base.parameters, solution, options.energy);
      const std::optional<double> drift = greatest_change(energy);
      comparison.rows.push_back({.method = method,
                                 .integrator = solution.integrator.used,
                                 .rtol = rtol,
                                 .status = solution.status,
                                 .message = solution.message,
                                 .error = worst.error,
                                 .worst_variable = worst.variable,
                                 .times = solution.times,
                                 .constraints = solution.constraints,
                                 .energy = std::move(energy),
                                 .energy_drift = drift,
                                 .statistics = solution.statistics});
    }
  }
  return comparison;
}

}  // namespace daedal
