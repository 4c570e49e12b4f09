// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/analyze.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/array/array_structure.hpp"
#include "analysis/structural_report.hpp"
#include "formulation/array/system.hpp"
#include "formulation/dummy/selection.hpp"
#include "formulation/frame/registry.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/scaling.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/simplify/simplify.hpp"
#include "model/usage.hpp"
#include "model/views/constrained_view.hpp"
#include "solve/array_findings.hpp"
#include "structure/offsets.hpp"

namespace daedal {

namespace {

using formulation::ArrayRun;
using formulation::ArraySystem;

/// Above this many unknowns the singular values of the array take seconds: first aliases go, then
/// the numerical analysis.
constexpr std::size_t most_unknowns_as_written = 40;
constexpr std::size_t most_listed_unknowns = 120;

std::string times(std::int64_t n) {
  return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
}

/// The blocks, and where in their order the equations contain the unknowns.
void add_blocks(const Model& model, const analysis::StructuralReport& report,
                const std::vector<std::string>& names, StructuralAnalysis& result) {
  std::vector<std::int64_t> place(names.size());  // of each unknown in the order of the blocks
  std::int64_t n_placed = 0;
  for (Index b = 0; b < report.blocks.n_blocks(); ++b) {
    StructuralBlock& block = result.blocks.emplace_back();
    for (const Index i : report.blocks.rows(b))
      block.equations.push_back(equation_label(model, report.model.equations[to_size(i)]));
    for (const Index j : report.blocks.columns(b)) {
      block.unknowns.push_back(names[to_size(j)]);
      place[to_size(j)] = n_placed++;
    }
  }
  const structure::Signature& signature = report.model.signature;
  std::int64_t row = 0;
  for (Index b = 0; b < report.blocks.n_blocks(); ++b) {
    for (const Index i : report.blocks.rows(b)) {
      const auto columns = signature.incidence().row(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto j = to_size(columns[k]);
        const Index highest = report.offsets.d[j] - report.offsets.c[to_size(i)];
        result.incidence.push_back({row, place[j], signature.orders(i)[k] == highest});
      }
      ++row;
    }
  }
}

/// What dummy derivatives work with: blocks, tears and candidates.
void add_reduction(const Model& model, const analysis::StructuralReport& report,
                   StructuralAnalysis& result) {
  const auto names = analysis::highest_derivative_names(model, report);
  add_blocks(model, report, names, result);
  for (std::size_t i = 0; i < report.offsets.c.size(); ++i) {
    if (report.offsets.c[i] == 0) continue;
    result.differentiated.push_back(equation_label(model, report.model.equations[i]) + " " +
                                    times(report.offsets.c[i]));
  }
  for (const Index j : analysis::torn_unknowns(report)) result.torn.push_back(names[to_size(j)]);
  for (std::size_t v = 0; v < report.model.variables.size(); ++v) {
    const analysis::DerivativeOf& variable = report.model.variables[v];
    if (variable.order < report.offsets.d[to_size(variable.unknown)])
      result.possible_states.push_back(model.variables()[v].name);
  }
}

/// Every equation as it is written, der(x) = v among them: the index that the numbers have too.
/// Throws ModelError{structurally_singular}.
StructuralAnalysis structural_analysis(const Model& model) {
  const auto report = analysis::structural_report(model);
  StructuralAnalysis result{.index = report.index, .states = report.n_states};
  add_reduction(model, report, result);
  LeafWalker walker(*model.pool());
  structure::Signature signature(to_index(model.variables().size()));
  for (const Equation& equation : model.equations()) {
    std::vector<structure::SignatureEntry> row;
    const NodeId sides[] = {equation.lhs, equation.rhs};
    for (const NodeId leaf : walker.leaves(sides)) {
      const Node& node = (*model.pool())[leaf];
      if (node.op == Op::variable) row.push_back({node.symbol, node.order});
    }
    signature.add_row(row);
  }
  const auto assignment = structure::highest_value_transversal(signature);
  if (!assignment) return result;
  const auto offsets = structure::canonical_offsets(signature, *assignment);
  result.index = structure::structural_index(offsets);
  result.states = structure::n_states(offsets);
  return result;
}

/// n_q − rank G at the start.
std::optional<std::int64_t> find_mobility(const Model& model, const Analysis& analysis, double t0,
                                          std::span<const double> parameters) {
  const auto recognition = mechanical_view(model, parameters);
  if (!recognition) return {};
  const ConstrainedView& view = *recognition.view;
  Pool pool(view.pool);
  std::vector<NodeId> entries;
  for (const JacobianEntry& entry : view.jacobian) entries.push_back(entry.value);
  const auto program =
      kernel::Program::compile(pool, entries, formulation::model_inputs(view.model, pool));
  formulation::ModelRun run(view.model, parameters);
  const auto variables = view.model.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto found = std::find_if(analysis.start.begin(), analysis.start.end(),
                                    [&](const auto& s) { return s.name == variables[i].name; });
    if (found != analysis.start.end()) run.values[i] = found->value;
  }
  formulation::Evaluator evaluate(program);
  const auto values = evaluate(run.blocks(t0, run.values, run.derivatives));
  Matrix jacobian = Matrix::Zero(to_index(view.levels[0].size()), to_index(view.states[0].size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    jacobian(view.jacobian[k].row, view.jacobian[k].column) = values[k];
  }
  if (!jacobian.allFinite()) return {};
  const Index n_positions = jacobian.cols();
  if (jacobian.rows() == 0) return n_positions;
  linalg::apply(linalg::equilibrate(jacobian), jacobian);
  return n_positions - linalg::decide_rank(jacobian).rank;
}

double smallest_gap(const analysis::NumericalIndex& index) {
  double gap = infinity;
  for (const analysis::ArrayLevel& level : index.levels) {
    gap = std::min({gap, level.derivatives.gap(), level.all.gap()});
  }
  return gap;
}

void add_structure(const ArraySystem& system, double t0, const ArrayRun& run, Analysis& result) {
  const Model& model = system.view().model;
  // Fixed values come first, then differentiated variables: a mechanism is not started by the force
  // in a rod.
  std::vector<int> preference;
  for (const Variable& variable : model.variables()) {
    const bool is_state = std::ranges::find(result.structure.possible_states, variable.name) !=
                          result.structure.possible_states.end();
    preference.push_back(variable.fixed ? 2 : is_state ? 1 : 0);
  }
  const auto found = analysis::find_structure(
      system.solver().array(), system.solver().point(t0, run.base, run), run.level, preference);
  for (const auto& level : found.constraints) {
    ConstraintsOfLevel& added = result.constraints.emplace_back();
    added.level = level.level;
    added.count = level.count;
    for (const Index i : level.equations) added.equations.push_back(equation_label(model, i));
  }
  for (const Index j : found.free) result.free.push_back(model.variables()[to_size(j)].name);
  for (const Index j : found.determined)
    result.determined.push_back(model.variables()[to_size(j)].name);
}

/// A description of the block of the system Jacobian that is singular at the start although its
/// structure is not; empty where there is none. Derivatives without a value take random ones here,
/// so that they do not make the block singular.
std::string singular_block(const ArraySystem& system, double t0, const ArrayRun& run,
                           std::span<const double> x) {
  const formulation::DifferentiatedSystem differentiated(system.view());
  const formulation::DummySelector selector(differentiated);
  formulation::ModelRun own(system.view().model, run.parameters);
  own.modes = run.modes;
  own.discretes = run.discretes;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(0.5, 1.0);
  std::vector<double> places;
  for (const formulation::Place& place : differentiated.places())
    places.push_back(place.variable >= 0 ? x[to_size(place.variable)] : draw(random));
  formulation::Evaluator evaluate(selector.program());
  const auto values = evaluate(own.blocks(t0, places, {}));
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) return {};
  formulation::SelectionWork work;
  const auto blocks = selector.singular_blocks(values, work);
  if (blocks.empty()) return {};
  std::vector<std::string> equations;
  std::vector<std::string> unknowns;
  for (const Index e : blocks.front().equations)
    equations.push_back(differentiated.equation_name(e));
  for (const Index p : blocks.front().places)
    unknowns.push_back("'" + differentiated.place_name(p) + "'");
  return join_words(equations, 8) + ", in " + join_words(unknowns, 8);
}

/// Where, with what and how long a model is looked at.
struct Setting {
  double t0 = 0.0;
  const SolveOptions& options;
  StopSignal stop;
};

void set_start(const Model& model, std::span<const double> x, Analysis& result) {
  const auto variables = model.variables();
  double greatest = 0.0;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    greatest = std::max({greatest, std::abs(x[j]), variables[j].nominal});
  }
  for (std::size_t j = 0; j < variables.size(); ++j) {
    result.start.push_back(
        {variables[j].name, without_round_off(x[j], greatest), variables[j].unit});
  }
}

/// Redundant constraints leave multipliers undetermined, which the derivative array refuses. A
/// mechanism moves none the less: its freedoms are those of position and velocity.
void analyze_redundant_mechanics(const Model& model, const Setting& at, Analysis& result) {
  if (result.status != Status::no_unique_solution && result.status != Status::rank_change) return;
  formulation::Request request;
  // Multipliers that one equation of motion alone has are no outputs to be taken out with it.
  request.model =
      simplify(model, {.remove_outputs = false, .starts = at.options.start_values}).model;
  request.parameters = request.model.parameter_values(at.options.parameters);
  if (!mechanical_view(request.model, request.parameters)) return;
  const auto mechanics = formulation::find_method("trust-region").make(request);
  const auto run = mechanics.system().make_run();
  run->stop = at.stop;
  const formulation::Start start = mechanics.start(at.t0, *run);
  if (start.status != Status::success) {
    result.status = start.status;
    result.message = start.message;
    return;
  }
  std::vector<double> values(mechanics.outputs.names.size());
  mechanics.outputs.to_model(at.t0, start.x, start.xp, *run, values, {});
  set_start(request.model, values, result);
  result.mobility = find_mobility(request.model, result, at.t0, request.parameters);
  if (!result.mobility) return;
  if (result.status == Status::rank_change) {
    result.warnings.emplace_back(
        "The ranks around the start are others, as where constraints are redundant only while they "
        "are met, and where the start is a singular position: then index, states and mobility hold "
        "there alone.");
  }
  result.status = Status::success;
  result.message.clear();
  result.consistent_start = true;
  result.index = 3;
  result.states = 2 * *result.mobility;
  result.notices.insert(result.notices.end(), start.notices.begin(), start.notices.end());
}

void analyze_numbers(const Model& model, const Setting& at, Analysis& result) {
  const std::vector<double> parameters = model.parameter_values(at.options.parameters);
  const ArraySystem system(general_view(model), parameters, at.options.start_values, {});
  const auto base = system.make_run();
  auto& run = formulation::run_of<ArrayRun>(*base);
  run.stop = at.stop;
  const formulation::Start start = system.start(at.t0, run);
  result.status = start.status;
  result.message = start.message;
  result.notices.insert(result.notices.end(), start.notices.begin(), start.notices.end());
  const solve_detail::ArraySize size{.n_equations = system.solver().array().n_equations(),
                                     .n_unknowns = system.solver().array().n_unknowns()};
  result.ranks = solve_detail::array_ranks(run.index, size);
  result.assumptions = solve_detail::check_assumptions(
      run.index, size, {.status = start.status, .message = start.message});
  if (start.status != Status::success) return;
  result.consistent_start = true;
  result.index = run.index.index;
  result.states = run.index.n_states;
  result.confidence = smallest_gap(run.index);
  set_start(system.view().model, start.x, result);
  add_structure(system, at.t0, run, result);
  result.mobility = find_mobility(model, result, at.t0, parameters);
  if (*result.index != result.structure.index || *result.states != result.structure.states) {
    const std::string block = singular_block(system, at.t0, run, start.x);
    result.notices.push_back(fmt::format(
        "Structure and numbers differ (index {} and {}, states {} and {}): {}",
        result.structure.index, *result.index, result.structure.states, *result.states,
        block.empty() ? "terms cancel or vanish, which counting does not see."
                      : "terms cancel or repeat each other, which counting does not see. The "
                        "Jacobian by the highest "
                        "derivatives is singular in " +
                            block + "."));
  }
}

}  // namespace

Analysis analyze_structure(const Model& model) {
  refuse_open_inputs(model);
  Analysis result;
  result.model_name = model.name();
  result.variables = to_index(model.variables().size());
  result.equations = to_index(model.equations().size());
  result.structure = structural_analysis(model);
  return result;
}

Analysis analyze(const Model& model, double t0, const SolveOptions& options) {
  const Setting at{
      .t0 = t0,
      .options = options,
      .stop = StopSignal::after(options.time_limit, StopSignal::Clock::now(), options.cancel)};
  Analysis result = analyze_structure(model);
  if (model.variables().size() <= most_unknowns_as_written) {
    analyze_numbers(model, at, result);
    analyze_redundant_mechanics(model, at, result);
    return result;
  }
  const Simplified simplified = simplify(model, {.starts = options.start_values});
  if (simplified.model.variables().size() > most_listed_unknowns) {
    result.warnings.push_back(fmt::format(
        "The model has {} unknowns after simplification; its derivative array is formed for at "
        "most {}. Only the structure was analysed.",
        simplified.model.variables().size(), most_listed_unknowns));
    return result;
  }
  result.notices.push_back(
      fmt::format("The numerical analysis is of the simplified model with {} of the {} variables.",
                  simplified.model.variables().size(), result.variables));
  SolveOptions own = options;
  own.start_values.clear();  // they are in the simplified model
  analyze_numbers(simplified.model, {.t0 = t0, .options = own, .stop = at.stop}, result);
  analyze_redundant_mechanics(model, at, result);
  return result;
}

}  // namespace daedal
