// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/frame/general_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/index_check.hpp"
#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

using analysis::Role;

/// How far from a point that may be singular by itself others are looked at, in nominal values.
constexpr double nearby = 1e-3;
/// Decompositions of larger matrices take long.
constexpr Index largest_passage = 200;

std::vector<std::string> names_of(const WrittenEquations& system, std::span<const Index> numbers,
                                  bool rows) {
  std::vector<std::string> names;
  for (const Index i : numbers)
    names.push_back(rows ? system.row_name(i) : "'" + system.unknown_name(i) + "'");
  return names;
}

}  // namespace

GeneralStart::GeneralStart(const WrittenEquations& system)
    : system_(system), start_values_(system.model()), initial_(system.view()) {}

StartWishes GeneralStart::wishes(ModelRun& run, const SystemConstraints& constraints) const {
  StartWishes result = start_values_.wishes(run);
  const std::size_t n = result.unknowns.size();
  result.unknowns.resize(to_size(constraints.n_unknowns()));
  // Where a state has no start value, those of variables that were to be states say where it is.
  bool has_bare_state = false;
  for (std::size_t j = 0; j < n; ++j)
    has_bare_state |= system_.view().is_differential[j] && !result.is_given[j];
  for (std::size_t j = 0; j < n; ++j) {
    analysis::InitialUnknown& unknown = result.unknowns[j];
    const bool is_wanted = has_bare_state && result.is_given[j] &&
                           system_.model().variables()[j].state_select >= StateSelect::prefer;
    const bool is_state = system_.view().is_differential[j] || is_wanted;
    if (unknown.role == Role::guess && !is_state) unknown.role = Role::free;
    if (const Index k = constraints.derivative_column(to_index(j)); k >= 0)
      result.unknowns[to_size(k)] = {.role = Role::free, .nominal = unknown.nominal};
  }
  const auto free = initial_.free_parameters();
  for (std::size_t k = 0; k < free.size(); ++k)
    result.unknowns[to_size(constraints.parameter_column(k))] = {.value = run.parameters[free[k]],
                                                                 .role = Role::free};
  return result;
}

Start GeneralStart::find(double t0, ModelRun& run, bool check_index) const {
  const auto n = to_size(system_.size());
  SystemConstraints constraints(system_.view(), system_, t0, run, &initial_);
  const StartProblem problem{constraints, wishes(run, constraints),
                             homotopy_share(system_.model(), run)};
  for (std::size_t j = 0; j < n; ++j) run.values[j] = problem.wishes.unknowns[j].value;
  analysis::InitialValues found;
  Start now;
  now.x.resize(n);
  now.xp.resize(n);
  Start start = system_.settle_start(t0, n, run, [&] {
    found = problem.solve(run.stop, now, run.start_goes_on);
    constraints.unpack(found.values, now.x, now.xp);
    if (found.status == Status::success) system_.complete_derivatives(t0, now.x, now.xp, run);
    return now;
  });
  if (run.stop.is_raised()) return start;
  // A higher index is the better explanation of a start that cannot be found.
  if (check_index && start.status != Status::non_finite_value) refuse_index(t0, run, start);
  if (start.status == Status::success) problem.add_notices(found, start);
  return start;
}

std::vector<double> GeneralStart::fixed_states(ModelRun& run) const {
  if (!initial_.is_empty() || homotopy_share(system_.model(), run) != nullptr) return {};
  const StartWishes wishes = start_values_.wishes(run);
  std::vector<double> states;
  for (std::size_t j = 0; j < wishes.unknowns.size(); ++j) {
    const bool is_state = system_.view().is_differential[j];
    if (is_state != (wishes.unknowns[j].role == Role::held)) return {};
    if (is_state) states.push_back(wishes.unknowns[j].value);
  }
  return states;
}

/// A slope that is infinite at the very start, as that of y³ = sin(t), is a matter of this point:
/// on both sides of it, along the direction v that the equations leave open here, what they say of
/// it, uᵀMv, has the same sign. At a fold, as that of y² = sin(t), it changes, and two solutions
/// begin.
bool GeneralStart::is_passage(double t0, ModelRun& run, const Start& start) const {
  const Index n = system_.size();
  if (n > largest_passage) return false;
  const SparsityPattern& pattern = system_.pattern();
  std::vector<double> f_x(to_size(pattern.nonzeros()));
  std::vector<double> f_xp(f_x.size());
  Vector nominal(n);
  for (Index j = 0; j < n; ++j) nominal(j) = system_.view().model.variables()[to_size(j)].nominal;
  // The equations of rates where they have some, and the others as they are, in nominal values.
  const auto matrix_at = [&](const std::vector<double>& x) {
    Matrix matrix = Matrix::Zero(n, n);
    if (system_.jacobian(t0, x, start.xp, run, f_x, f_xp) != Evaluation::ok) return matrix;
    std::vector<bool> has_rate(to_size(n), false);
    for (std::size_t p = 0; p < f_xp.size(); ++p)
      if (f_xp[p] != 0.0) has_rate[to_size(pattern.row[p])] = true;
    for (Index j = 0; j < n; ++j) {
      for (Index p = pattern.column_start[to_size(j)]; p < pattern.column_start[to_size(j) + 1];
           ++p) {
        const Index i = pattern.row[to_size(p)];
        matrix(i, j) = (has_rate[to_size(i)] ? f_xp : f_x)[to_size(p)] * nominal(j);
      }
    }
    return matrix;
  };
  const linalg::Svd svd = linalg::svd(matrix_at(start.x));
  const Vector v = svd.v.col(n - 1);
  const auto determined = [&](double distance) {
    std::vector<double> x = start.x;
    for (Index j = 0; j < n; ++j) x[to_size(j)] += distance * v(j) * nominal(j);
    const Matrix there = matrix_at(x);
    const double value = svd.u.col(n - 1).dot(there * v);
    return std::abs(value) > linalg::rank_tolerance * there.norm() ? value : 0.0;
  };
  const bool is_alone = n == 1 || svd.s(n - 2) > linalg::rank_tolerance * svd.s(0);
  return is_alone && determined(nearby) * determined(-nearby) > 0.0;
}

void GeneralStart::refuse_index(double t0, ModelRun& run, Start& start) const {
  using Outcome = analysis::IndexCheck::Outcome;
  std::vector<double> f_x(to_size(system_.pattern().nonzeros()));
  std::vector<double> f_xp(f_x.size());
  if (system_.jacobian(t0, start.x, start.xp, run, f_x, f_xp) != Evaluation::ok) {
    if (start.status != Status::success) return;
    start.status = Status::non_finite_value;
    start.message = run.failure.detail;
    return;
  }
  const auto check = analysis::check_index({system_.pattern(), f_x, f_xp});
  if (!check.is_clear)
    start.notices.emplace_back(
        "The index of the model is not clear at the start values: some numbers lie around the "
        "tolerance of the rank decision.");
  if (check.outcome == Outcome::at_most_one) return;
  const std::string equations = join_words(names_of(system_, check.equations, true));
  const std::string unknowns = join_words(names_of(system_, check.unknowns, false));
  const bool one = check.equations.size() == 1;
  if (check.outcome == Outcome::higher) {
    start.status = Status::index_too_high;
    start.message = fmt::format(
        "The index of the model is above 1, which the method 'direct' does not take: {} {} "
        "differential variables alone and {} not determine {} without being differentiated. Use "
        "a method for higher index (--method auto), or differentiate {}.",
        equations, one ? "constrains" : "constrain", one ? "does" : "do", unknowns,
        one ? "it" : "them");
    return;
  }
  // Equations that cannot be met at all are not redundant: what the search said stands.
  if (start.status == Status::inconsistent_start) return;
  if (start.status == Status::success && is_passage(t0, run, start)) return;
  start.status = Status::no_unique_solution;
  start.message = fmt::format(
      "The equations do not determine the solution: {} {} nothing that the other equations do not "
      "say already, and {} undetermined. Add the missing equation.",
      equations, one ? "says" : "say", unknowns + (check.unknowns.size() == 1 ? " is" : " are"));
}

}  // namespace daedal::formulation
