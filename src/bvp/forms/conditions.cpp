// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/forms/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <daedal/nearest_name.hpp>
#include <limits>

#include "formulation/frame/start_problem.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"

namespace daedal::solve_detail {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

bool is_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

}  // namespace

ModelConditions::ModelConditions(const formulation::WrittenEquations& system, double t0,
                                 bool algebraic)
    : system_(system), t0_(t0), run_(system.make_model_run<formulation::ModelRun>()) {
  Pool pool(system.view().pool);
  collect(pool);
  check_leaves(pool, algebraic);
  const Model& model = system.view().model;
  auto inputs = formulation::model_inputs(model, pool);
  std::vector<NodeId> last_leaves;
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    last_leaves.push_back(pool.final_variable(static_cast<SymbolId>(i)));
    inputs.push_back(
        {.leaf = last_leaves.back(), .block = formulation::n_blocks, .offset = to_index(i)});
  }
  program_ = kernel::Program::compile(pool, residuals_, inputs);
  jacobian_ = kernel::JacobianProgram::compile(
      pool, {.roots = residuals_, .groups = {system.view().x, last_leaves}, .inputs = inputs});
  workspace_ = program_.make_workspace();
  jacobian_workspace_ = jacobian_.make_workspace();
  by_first_.resize(to_size(jacobian_.pattern().nonzeros()));
  by_last_.resize(by_first_.size());
  read_values(pool);
}

void ModelConditions::collect(Pool& pool) {
  const Model& model = system_.view().model;
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    const Variable& variable = model.variables()[i];
    if (!variable.fixed) continue;
    residuals_.push_back(
        pool.sub(pool.variable(static_cast<SymbolId>(i)), formulation::start_node(variable, pool)));
    names_.push_back(fmt::format("the fixed start value of {}", variable_label(variable)));
    where_.push_back(variable.where);
  }
  for (const auto equations : {model.initial_equations(), model.boundary_equations()}) {
    Index number = 0;
    for (const Equation& equation : equations) {
      residuals_.push_back(pool.sub(equation.lhs, equation.rhs));
      names_.push_back(equation_label(equation, number++));
      where_.push_back(equation.where);
    }
  }
}

void ModelConditions::check_leaves(const Pool& pool, bool algebraic) {
  LeafWalker walker(pool);
  const Model& model = system_.view().model;
  for (std::size_t row = 0; row < residuals_.size(); ++row) {
    for (const NodeId leaf : walker.leaves(residuals_[row])) {
      const Node& node = pool[leaf];
      if (node.op != Op::variable && node.op != Op::final_variable) continue;
      const auto symbol = to_size(node.symbol);
      const bool is_state = node.order == 0 && system_.view().is_differential[symbol];
      if (is_state) continue;
      if (algebraic && node.order == 0) {
        uses_algebraic_ = true;
        continue;
      }
      const std::string what =
          node.order > 0
              ? fmt::format("the derivative of '{}'", model.variables()[symbol].name)
              : fmt::format("the algebraic variable '{}'", model.variables()[symbol].name);
      throw ModelError(
          ErrorCode::unsupported,
          fmt::format("The boundary condition {} contains {}: conditions are on variables "
                      "whose derivatives appear. Write it by those.",
                      names_[row], what),
          where_[row]);
    }
  }
}

std::vector<const double*> ModelConditions::blocks(std::span<const double> first,
                                                   std::span<const double> last) const {
  const auto usual = run_->blocks(t0_, first, run_->derivatives);
  std::vector<const double*> all(usual.begin(), usual.end());
  all.push_back(last.data());
  return all;
}

Evaluation ModelConditions::residual(std::span<const double> first, std::span<const double> last,
                                     std::span<double> values) const {
  program_.evaluate(blocks(first, last), values, workspace_);
  return is_finite(values) ? Evaluation::ok : Evaluation::recoverable;
}

Evaluation ModelConditions::jacobian(std::span<const double> first, std::span<const double> last,
                                     Matrix& by_first, Matrix& by_last) const {
  const std::array<std::span<double>, 2> arrays{by_first_, by_last_};
  jacobian_.evaluate(blocks(first, last), arrays, jacobian_workspace_);
  const SparsityPattern& pattern = jacobian_.pattern();
  by_first.setZero(size(), pattern.columns);
  by_last.setZero(size(), pattern.columns);
  for (Index column = 0; column < pattern.columns; ++column) {
    for (Index p = pattern.column_start[to_size(column)];
         p < pattern.column_start[to_size(column) + 1]; ++p) {
      by_first(pattern.row[to_size(p)], column) = by_first_[to_size(p)];
      by_last(pattern.row[to_size(p)], column) = by_last_[to_size(p)];
    }
  }
  return is_finite(by_first_) && is_finite(by_last_) ? Evaluation::ok : Evaluation::recoverable;
}

/// The value that a condition on one variable alone gives, where it is linear in it.
double ModelConditions::single_value(std::size_t row, const Node& variable) const {
  std::vector<double> zeros(system_.view().x.size(), 0.0);
  std::vector<double> ends(zeros);
  std::vector<double> values(residuals_.size());
  std::array<double, 3> at{};
  for (std::size_t k = 0; k < at.size(); ++k) {
    ends[to_size(variable.symbol)] = static_cast<double>(k);
    const bool is_first = variable.op == Op::variable;
    program_.evaluate(is_first ? blocks(ends, zeros) : blocks(zeros, ends), values, workspace_);
    at[k] = values[row];
  }
  const double slope = at[1] - at[0];
  const bool is_linear = std::abs(at[2] - at[0] - 2.0 * slope) <= 1e-12 * std::abs(slope);
  return is_linear && slope != 0.0 ? -at[0] / slope : not_known;
}

void ModelConditions::read_values(Pool& pool) {
  const Model& model = system_.view().model;
  const std::size_t n = model.variables().size();
  first_.assign(n, not_known);
  last_.assign(n, not_known);
  starts_.assign(n, not_known);
  LeafWalker walker(pool);
  for (std::size_t row = 0; row < residuals_.size(); ++row) {
    std::vector<NodeId> of_variables;
    for (const NodeId leaf : walker.leaves(residuals_[row])) {
      const Op op = pool[leaf].op;
      if (op == Op::variable || op == Op::final_variable) of_variables.push_back(leaf);
    }
    if (of_variables.size() != 1) continue;
    const Node node = pool[of_variables.front()];
    (node.op == Op::variable ? first_ : last_)[to_size(node.symbol)] = single_value(row, node);
  }
  const auto wishes = formulation::StartValues(model).wishes(*run_);
  for (std::size_t i = 0; i < n; ++i) {
    if (model.variables()[i].start != no_node) starts_[i] = wishes.unknowns[i].value;
  }
}

namespace {

void check_guess(const BvpGuess& guess, const std::vector<std::string>& known) {
  const auto fail = [](const std::string& text) {
    throw OptionError(ErrorCode::invalid_option, text);
  };
  if (guess.names.empty() && guess.times.empty()) return;
  if (guess.times.empty()) fail("The guess of the solution has no row.");
  if (guess.values.size() != guess.times.size() * guess.names.size()) {
    fail(fmt::format("The guess of the solution has {} numbers for {} times and {} variables.",
                     guess.values.size(), guess.times.size(), guess.names.size()));
  }
  if (!is_finite(guess.times) || !is_finite(guess.values)) {
    fail("The guess of the solution has a number that is not finite.");
  }
  if (!std::ranges::is_sorted(guess.times)) {
    fail("The times of the guess of the solution do not ascend.");
  }
  for (const std::string& name : guess.names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = nearest_name(name, known);
    throw OptionError(
        ErrorCode::unknown_name,
        fmt::format("The guess of the solution names '{}', which the model does not "
                    "have.{}",
                    name, nearest.empty() ? "" : fmt::format(" Did you mean '{}'?", nearest)));
  }
}

/// Piecewise linear values of one variable.
struct Curve {
  std::size_t unknown = 0;
  std::size_t column = 0;
};

}  // namespace

bvp::Guess make_guess(const ModelConditions& conditions, const Model& model,
                      const std::vector<std::string>& known_names, const TimeSpan& span,
                      const BvpGuess& given) {
  check_guess(given, known_names);
  const std::size_t n = model.variables().size();
  std::vector<double> from(n);
  std::vector<double> slope(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double first = conditions.first_values()[i];
    const double last = conditions.last_values()[i];
    const double start = conditions.starts()[i];
    const double otherwise = std::isfinite(start) ? start : 0.0;
    from[i] = std::isfinite(first)                           ? first
              : std::isfinite(last) && !std::isfinite(start) ? last
                                                             : otherwise;
    const double to = std::isfinite(last) ? last : from[i];
    slope[i] = (to - from[i]) / (span.stop - span.start);
  }
  std::vector<Curve> curves;
  for (std::size_t c = 0; c < given.names.size(); ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      if (model.variables()[i].name == given.names[c]) curves.push_back({i, c});
    }
  }
  return [from = std::move(from), slope = std::move(slope), curves = std::move(curves), given,
          t0 = span.start](double t, std::span<double> x, std::span<double> xp) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = from[i] + slope[i] * (t - t0);
      xp[i] = slope[i];
    }
    if (curves.empty()) return;
    const auto& times = given.times;
    const auto next = std::upper_bound(times.begin(), times.end(), t);
    const std::size_t width = given.names.size();
    for (const Curve& curve : curves) {
      const auto value = [&](std::size_t row) { return given.values[row * width + curve.column]; };
      xp[curve.unknown] = 0.0;
      if (next == times.begin() || next == times.end()) {
        x[curve.unknown] = value(next == times.begin() ? 0 : times.size() - 1);
        continue;
      }
      const auto row = static_cast<std::size_t>(next - times.begin());
      const double rate = (value(row) - value(row - 1)) / (times[row] - times[row - 1]);
      x[curve.unknown] = value(row - 1) + rate * (t - times[row - 1]);
      xp[curve.unknown] = rate;
    }
  };
}

}  // namespace daedal::solve_detail
