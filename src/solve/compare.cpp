// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/compare.hpp>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/solve.hpp>
#include <limits>

#include "expr/calculus.hpp"
#include "kernel/program.hpp"

namespace daedal {

namespace {

/// Below this a reference signal has no scale of its own, and errors are absolute.
constexpr double smallest_scale = 1e-6;

/// "method[:...][+integrator[:...]]" into options.
void apply_choice(const std::string& text, SolveOptions& options) {
  const auto plus = text.find('+');
  options.method = Method(text.substr(0, plus));
  if (plus != std::string::npos) options.integrator = Integrator(text.substr(plus + 1));
}

/// Solves on the comparison grid. A method that does not fit the model is a row with that status.
Solution solve_on_grid(const Model& model, const TimeSpan& span, const CompareOptions& compare,
                       const std::string& choice, double rtol) {
  SolveOptions options = compare.base;
  apply_choice(choice, options);
  // A chart is for the methods that take one.
  if (options.method.is_automatic() || options.method.name() != UserChart::name) options.chart = {};
  options.rtol = rtol;
  options.atol = rtol * (compare.base.atol / compare.base.rtol);
  options.interval = std::abs(span.stop - span.start) / compare.grid;
  options.dense_output = false;
  try {
    return solve(model, span, options);
  } catch (const Error& error) {
    const bool is_unfit =
        error.code() == ErrorCode::not_recognized || error.code() == ErrorCode::illegal_combination;
    if (!is_unfit) throw;
    Solution failed;
    failed.status = Status::method_does_not_fit;
    failed.message = error.what();
    failed.method = {options.method.name(), options.method.name()};
    return failed;
  }
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

/// Values over the rows of a solution, and how far they go from the first.
template <class ValueOf>
double greatest_change(const Solution& solution, ValueOf value_of) {
  const double first = value_of(0);
  double change = 0.0;
  for (std::size_t i = 1; i < solution.n_rows(); ++i) {
    change = std::max(change, std::abs(value_of(i) - first));
  }
  return change;
}

/// The energy that the model states of itself (a Lagrangian does), of variables, parameters and t.
std::optional<double> stated_energy_drift(const Model& model, const Overrides& overrides,
                                          const Solution& solution) {
  const NodeId energy = model.energy();
  if (energy == no_node) return std::nullopt;
  enum Block : int { time_block, variable_block, parameter_block };
  const Pool& pool = *model.pool();
  std::vector<kernel::Input> inputs;
  std::vector<std::size_t> columns;  // of the variables
  for (const NodeId leaf : dependencies(pool, std::span(&energy, 1))) {
    const Node& node = pool[leaf];
    if (node.op == Op::time) inputs.push_back({leaf, time_block, 0});
    if (node.op == Op::parameter) inputs.push_back({leaf, parameter_block, node.symbol});
    if (node.op != Op::variable) continue;
    const std::string& name = model.variables()[to_size(node.symbol)].name;
    const auto found = std::find(solution.names.begin(), solution.names.end(), name);
    if (node.order > 0 || found == solution.names.end()) return std::nullopt;
    inputs.push_back({leaf, variable_block, to_index(columns.size())});
    columns.push_back(to_size(found - solution.names.begin()));
  }
  const auto program = kernel::Program::compile(pool, std::span(&energy, 1), inputs);
  kernel::Workspace workspace = program.make_workspace();
  const std::vector<double> parameters = model.parameter_values(overrides);
  std::vector<double> variables(columns.size());
  return greatest_change(solution, [&](std::size_t row) {
    for (std::size_t k = 0; k < columns.size(); ++k) variables[k] = solution.row(row)[columns[k]];
    const double* const blocks[] = {&solution.times[row], variables.data(), parameters.data()};
    double value = 0.0;
    program.evaluate(blocks, std::span(&value, 1), workspace);
    return value;
  });
}

std::optional<double> energy_drift(const Model& model, const CompareOptions& options,
                                   const Solution& solution) {
  if (solution.n_rows() == 0) return std::nullopt;
  const auto found = std::find(solution.names.begin(), solution.names.end(), options.energy);
  if (found == solution.names.end()) {
    return stated_energy_drift(model, options.base.parameters, solution);
  }
  const auto column = to_size(found - solution.names.begin());
  return greatest_change(solution, [&](std::size_t row) { return solution.row(row)[column]; });
}

}  // namespace

Comparison compare(const Model& model, const TimeSpan& span, const CompareOptions& options) {
  if (options.methods.empty()) {
    throw OptionError(ErrorCode::invalid_option, "There is no method to compare.");
  }
  if (options.grid < 1) {
    throw OptionError(ErrorCode::invalid_option,
                      "The comparison grid needs at least one interval.");
  }
  const Solution reference =
      solve_on_grid(model, span, options, options.reference, options.reference_rtol);
  Comparison comparison;
  comparison.model_name = model.name();
  comparison.reference = reference.method;
  comparison.reference_status = reference.status;
  comparison.reference_message = reference.message;
  for (const std::string& method : options.methods) {
    for (const double rtol : options.tolerances) {
      const Solution solution = solve_on_grid(model, span, options, method, rtol);
      // What never ran, or has nothing to be compared with, has no error.
      const bool is_comparable = solution.n_rows() > 0 && reference.n_rows() > 0;
      const WorstError worst = is_comparable
                                   ? worst_error(solution, reference)
                                   : WorstError{std::numeric_limits<double>::quiet_NaN(), {}};
      comparison.rows.push_back({.method = method,
                                 .integrator = solution.integrator.used,
                                 .rtol = rtol,
                                 .status = solution.status,
                                 .message = solution.message,
                                 .error = worst.error,
                                 .worst_variable = worst.variable,
                                 .constraints = solution.constraints,
                                 .energy_drift = energy_drift(model, options, solution),
                                 .statistics = solution.statistics});
    }
  }
  return comparison;
}

}  // namespace daedal
