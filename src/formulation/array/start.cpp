// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>

#include "analysis/array/array_constraints.hpp"
#include "analysis/array/array_structure.hpp"
#include "analysis/array/time_scales.hpp"
#include "formulation/frame/start_problem.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using analysis::ArrayPoint;
using analysis::IndexOutcome;
using analysis::Role;

std::vector<std::string> labels(const Model& model, std::span<const Index> equations) {
  std::vector<std::string> result;
  for (const Index i : equations) result.push_back(equation_label(model, i));
  return result;
}

std::vector<std::string> names(const Model& model, std::span<const Index> variables) {
  std::vector<std::string> result;
  for (const Index j : variables) {
    result.push_back("'" + model.variables()[to_size(j)].name + "'");
  }
  return result;
}

}  // namespace

/// The array with the initial equations below it.
class ArrayInitializer::Constraints final : public analysis::ConstraintSet {
 public:
  Constraints(const ArrayInitializer& owner, const ArrayPoint& point, ModelRun& run, int level,
              bool with_initial)
      : owner_(owner),
        array_(owner.view_, owner.array_, point, level),
        run_(run),
        t_(point.t),
        scale_(point.scale),
        n_(owner.array_.n_unknowns()),
        pattern_(array_.pattern()) {
    if (!with_initial || owner.initial_.n_equations() == 0) return;
    residuals_ = Evaluator(owner.initial_.residuals());
    workspace_ = owner.initial_.jacobian().make_workspace();
    entries_.resize(to_size(owner.initial_.jacobian().pattern().nonzeros()));
    xp_.resize(to_size(n_));
    append_initial_rows();
  }

  [[nodiscard]] Index n_unknowns() const override { return pattern_.columns; }
  [[nodiscard]] Index n_equations() const override { return pattern_.rows; }
  [[nodiscard]] const SparsityPattern& pattern() const override { return pattern_; }

  Index residual(std::span<const double> u, std::span<double> values) override {
    const auto n_array = to_size(array_.n_equations());
    const Index bad = array_.residual(u, values.first(n_array));
    if (bad >= 0 || residuals_.program == nullptr) return bad;
    const auto initial = residuals_(blocks(u));
    std::copy(initial.begin(), initial.end(), values.begin() + to_index(n_array));
    return first_bad(initial, to_index(n_array));
  }

  Index jacobian(std::span<const double> u, std::span<double> values) override {
    if (residuals_.program == nullptr) return array_.jacobian(u, values);
    array_values_.resize(to_size(array_.pattern().nonzeros()));
    const Index bad = array_.jacobian(u, array_values_);
    const std::span<double> groups[] = {entries_};
    owner_.initial_.jacobian().evaluate(blocks(u), groups, workspace_);
    for (std::size_t p = 0; p < values.size(); ++p) {
      const Source& source = sources_[p];
      values[p] = source.is_initial ? entries_[to_size(source.position)] * source.factor
                                    : array_values_[to_size(source.position)];
    }
    return bad >= 0 ? bad : first_bad(entries_, array_.n_equations());
  }

  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    return array_.unknown_name(unknown);
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    const Index k = equation - array_.n_equations();
    if (k < 0) return array_.equation_name(equation);
    const Equation& initial = owner_.view_.model.initial_equations()[to_size(k)];
    return (initial.name.empty() ? "initial " : "") + equation_label(initial, k);
  }

 private:
  struct Source {
    bool is_initial = false;
    Index position = 0;
    double factor = 1.0;  ///< x' = X_1 / scale
  };

  void append_initial_rows() {
    const SparsityPattern& array = array_.pattern();
    const SparsityPattern& initial = owner_.initial_.jacobian().pattern();
    pattern_ = {.rows = array.rows + initial.rows,
                .columns = array.columns,
                .column_start = {0},
                .row = {}};
    for (std::size_t j = 0; j < to_size(array.columns); ++j) {
      for (Index p = array.column_start[j]; p < array.column_start[j + 1]; ++p) {
        pattern_.row.push_back(array.row[to_size(p)]);
        sources_.push_back({.position = p});
      }
      // Columns of the initial part: x, then x'.
      for (Index p = j < to_size(2 * n_) ? initial.column_start[j] : 0,
                 end = j < to_size(2 * n_) ? initial.column_start[j + 1] : 0;
           p < end; ++p) {
        pattern_.row.push_back(array.rows + initial.row[to_size(p)]);
        sources_.push_back(
            {.is_initial = true, .position = p, .factor = j < to_size(n_) ? 1.0 : 1.0 / scale_});
      }
      pattern_.column_start.push_back(pattern_.nonzeros());
    }
  }

  std::array<const double*, n_blocks> blocks(std::span<const double> u) {
    for (Index i = 0; i < n_; ++i) xp_[to_size(i)] = u[to_size(n_ + i)] / scale_;
    return run_.blocks(t_, u.first(to_size(n_)), xp_);
  }

  static Index first_bad(std::span<const double> values, Index row) {
    const bool finite =
        std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
    return finite ? -1 : row;
  }

  const ArrayInitializer& owner_;
  analysis::ArrayConstraints array_;
  ModelRun& run_;
  double t_;
  double scale_;
  Index n_;
  SparsityPattern pattern_;
  std::vector<Source> sources_;
  Evaluator residuals_;
  kernel::JacobianWorkspace workspace_;
  std::vector<double> entries_, array_values_, xp_;
};

ArrayInitializer::ArrayInitializer(const GeneralView& view, const analysis::DerivativeArray& array)
    : view_(view), array_(array), start_values_(view.model), initial_(view) {
  refuse_free_parameters(view.model, "derivative arrays");
  find_definitions();
}

void ArrayInitializer::find_definitions() {
  Pool pool(view_.pool);
  std::vector<NodeId> expressions;
  const auto equations = view_.model.equations();
  for (std::size_t e = 0; e < equations.size(); ++e) {
    for (const auto& [side, other] : {std::pair(equations[e].lhs, equations[e].rhs),
                                      std::pair(equations[e].rhs, equations[e].lhs)}) {
      const Node& node = (*view_.pool)[side];
      if (node.op != Op::variable || node.order != 0) continue;
      const auto variable = static_cast<std::size_t>(node.symbol);
      const bool has_start = view_.model.variables()[variable].start != no_node;
      if (view_.is_differential[variable] || has_start) continue;
      definitions_.push_back({e, variable});
      expressions.push_back(other);
    }
  }
  definition_values_ = kernel::Program::compile(pool, expressions, model_inputs(view_.model, pool));
}

std::vector<std::size_t> ArrayInitializer::choose_definitions(const ModelRun& run) const {
  std::vector<std::size_t> chosen;
  std::vector<bool> is_defined(view_.x.size(), false);
  for (std::size_t k = 0; k < definitions_.size(); ++k) {
    const auto& [equation, variable] = definitions_[k];
    const bool is_used = !chosen.empty() && definitions_[chosen.back()].equation == equation;
    if (is_used || is_defined[variable] || run.starts[variable].has_value()) continue;
    is_defined[variable] = true;
    chosen.push_back(k);
  }
  return chosen;
}

void ArrayInitializer::follow_definitions(double t, ModelRun& run, StartWishes& wishes) const {
  Evaluator evaluate(definition_values_);
  for (std::size_t j = 0; j < wishes.unknowns.size(); ++j) {
    run.values[j] = wishes.unknowns[j].value;
  }
  const std::vector<std::size_t> chosen = choose_definitions(run);
  // Each sweep settles at least one more of a chain of definitions.
  bool has_changed = !chosen.empty();
  for (std::size_t sweep = 0; sweep < chosen.size() && has_changed; ++sweep) {
    has_changed = false;
    const auto values = evaluate(run.blocks(t, run.values, run.derivatives));
    for (const std::size_t k : chosen) {
      double& value = run.values[definitions_[k].variable];
      if (!std::isfinite(values[k]) || values[k] == value) continue;
      value = values[k];
      has_changed = true;
    }
  }
  for (const std::size_t k : chosen) {
    const std::size_t j = definitions_[k].variable;
    wishes.unknowns[j].value = run.values[j];
  }
}

StartWishes ArrayInitializer::wishes(double t, ModelRun& run) const {
  StartWishes result = start_values_.wishes(run);
  for (std::size_t j = 0; j < result.unknowns.size(); ++j) {
    // Any variable may be a state of such a DAE, so that a given start value counts as a guess
    // even where no derivative of the variable appears.
    analysis::InitialUnknown& unknown = result.unknowns[j];
    const bool is_wished = result.is_given[j] || view_.is_differential[j];
    if (unknown.role == Role::guess && !is_wished) unknown.role = Role::free;
  }
  follow_definitions(t, run, result);
  return result;
}

StartWishes ArrayInitializer::wishes(std::span<const double> x, const ModelRun& run) const {
  StartWishes result;
  for (std::size_t j = 0; j < x.size(); ++j) {
    result.is_given.push_back(true);
    result.unknowns.push_back({.value = x[j],
                               .role = view_.is_differential[j] ? Role::guess : Role::free,
                               .nominal = view_.model.variables()[j].nominal});
  }
  for (const std::int32_t variable : run.reinitialized) {
    result.unknowns[static_cast<std::size_t>(variable)].role = Role::held;
  }
  return result;
}

void ArrayInitializer::hold_met_levels(double t, ModelRun& run, StartWishes& wishes) const {
  const auto n = to_size(array_.n_unknowns());
  std::vector<analysis::InitialUnknown> unknowns = wishes.unknowns;
  for (auto& unknown : unknowns) {
    if (unknown.role == Role::guess) unknown.role = Role::held;
  }
  std::size_t n_constrained = 0;
  for (int level = 0; level <= array_.max_level(); ++level) {
    for (std::size_t j = unknowns.size(); j < n * static_cast<std::size_t>(level + 2); ++j) {
      unknowns.push_back({.role = Role::free, .nominal = unknowns[j % n].nominal});
    }
    ArrayPoint at = array_point(t, run);
    analysis::ArrayConstraints constraints(view_, array_, at, level);
    const auto found = analysis::find_initial_values(constraints, unknowns, {.stop = run.stop});
    if (found.status != Status::success) return;
    at.series = found.values;
    const auto constrained = analysis::constrained_unknowns(array_, at, level);
    if (level > 0 && constrained.size() == n_constrained) return;
    n_constrained = constrained.size();
    for (const Index j : constrained) {
      if (wishes.unknowns[to_size(j)].role == Role::guess) {
        wishes.unknowns[to_size(j)].role = Role::held;
      }
    }
    for (std::size_t j = 0; j < unknowns.size(); ++j) unknowns[j].value = found.values[j];
  }
}

ArrayStart ArrayInitializer::restore(double t, std::span<const double> x, ModelRun& run) const {
  const StartWishes plain = wishes(x, run);
  StartWishes held = plain;
  hold_met_levels(t, run, held);
  ArrayStart found = find(t, run, held, false);
  if (found.status == Status::success || run.stop.is_raised()) return found;
  return find(t, run, plain, false);
}

ArrayPoint array_point(double t, const ModelRun& run) {
  return {.t = t,
          .scale = 1.0,
          .series = {},
          .parameters = run.parameters,
          .modes = run.modes,
          .discretes = run.discretes,
          .pre = run.pre,
          .pre_values = run.pre_values,
          .samples = run.samples,
          .phase = run.phase};
}

ArrayStart ArrayInitializer::find(double t, ModelRun& run, const StartWishes& wishes,
                                  bool with_initial_equations) const {
  const auto n = to_size(array_.n_unknowns());
  ArrayStart start;
  ArrayPoint at = array_point(t, run);
  start.series.resize(2 * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) start.series[j] = wishes.unknowns[j].value;
  at.series = start.series;
  at.scale = start.scale = analysis::natural_scale(array_, at);
  while (start.index.outcome == IndexOutcome::undecided) {
    const int level = static_cast<int>(start.index.levels.size());
    std::vector<analysis::InitialUnknown> unknowns = wishes.unknowns;
    start.series.resize(n * static_cast<std::size_t>(level + 2), 0.0);
    for (std::size_t j = 0; j < start.series.size(); ++j) {
      if (j >= n) {
        unknowns.push_back(
            {.value = start.series[j], .role = Role::free, .nominal = unknowns[j % n].nominal});
      } else if (unknowns[j].role == Role::free) {
        unknowns[j].value = start.series[j];  // where the level before left it
      }
    }
    Constraints constraints(*this, at, run, level, with_initial_equations);
    start.values = analysis::find_initial_values(constraints, unknowns, {.stop = run.stop});
    start.series = start.values.values;
    at.series = start.series;
    if (start.values.status != Status::success) {
      start.status = start.values.status;
      start.message = fmt::format("At t = {:.12g}: {}", t, start.values.message);
      if (start.status == Status::inconsistent_start &&
          analysis::are_distant(analysis::candidate_scales(array_, at))) {
        start.message +=
            " The time scales of the model lie far apart: the search may have failed for that.";
      }
      return start;
    }
    analysis::add_level(start.index, array_, at,
                        {.max_level = array_.max_level(), .stop = run.stop});
    if (start.index.outcome == IndexOutcome::stopped) {
      start.status = run.stop.reason();
      start.message = start.index.message;
      return start;
    }
  }
  if (!start.index.found()) refuse(at, start);
  return start;
}

std::string ArrayInitializer::undetermined(const ArrayPoint& point, int level) const {
  const auto missing = analysis::find_deficiency(array_, point, level);
  std::string text;
  if (!missing.equations.empty()) {
    text += fmt::format(" {} {} nothing that the other equations do not say already.",
                        join_words(labels(view_.model, missing.equations)),
                        missing.equations.size() == 1 ? "says" : "say");
    text[1] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[1])));
  }
  if (!missing.unknowns.empty()) {
    text += fmt::format(" Undetermined: {}.", join_words(names(view_.model, missing.unknowns)));
  }
  return text;
}

void ArrayInitializer::refuse(const ArrayPoint& point, ArrayStart& start) const {
  const int level = start.index.levels.empty() ? 0 : start.index.levels.back().level;
  switch (start.index.outcome) {
    case IndexOutcome::not_finite:
      start.status = Status::non_finite_value;
      start.message = fmt::format("At t = {:.12g}: {}", point.t, start.index.message);
      return;
    case IndexOutcome::redundant:
      start.status = Status::no_unique_solution;
      start.message = fmt::format(
          "At t = {:.12g} the equations do not determine the solution.{} Add the missing equation.",
          point.t, undetermined(point, level));
      return;
    case IndexOutcome::unclear:
      start.status = Status::rank_change;
      start.message = fmt::format(
          "{} At t = {:.12g} the model is next to a singular one, or its time scales lie too far "
          "apart.{} Start at another point, or write the fast equations as constraints.",
          start.index.message, point.t, undetermined(point, level));
      return;
    case IndexOutcome::rank_changes:
      start.status = Status::rank_change;
      start.message = fmt::format(
          "At t = {:.12g} the model is singular: the rank of its equations and their derivatives "
          "(level {}) differs there from the rank around it.{}{}",
          point.t, level, undetermined(point, level),
          start.index.has_distant_scales
              ? " Or its time scales lie too far apart to tell: write the fast equations as "
                "constraints."
              : " Start at another point, or choose other equations.");
      return;
    default:
      start.status = Status::index_too_high;
      start.message = fmt::format(
          "At t = {:.12g} the index of the model is above {}, the limit, or an equation is "
          "missing: differentiated {} times the equations do not determine all derivatives.{} "
          "Raise the limit (max_index) or look at these variables.",
          point.t, level, level, undetermined(point, level));
      return;
  }
}

void ArrayInitializer::add_notices(const ArrayStart& found, const StartWishes& wishes,
                                   Start& start) const {
  analysis::ArrayConstraints constraints(view_, array_, {}, 0);
  StartProblem{constraints, wishes}.add_notices(found.values, start);
}

}  // namespace daedal::formulation
