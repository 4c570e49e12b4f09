// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "formulation/dummy/start.hpp"
#include "formulation/frame/start_problem.hpp"
#include "model/labels.hpp"
#include "model/variants.hpp"

namespace daedal::formulation {

namespace {

/// Halvings of a step that find the place inside it to rounding.
constexpr int bisections = 50;
/// Constraints whose pivots fall to this share in the middle of a step have lost rank there: what
/// is left is the error of the interpolant.
constexpr double lost_share = 1e-2;

}  // namespace

GeneralView view_for_states(const Model& model, const GeneralView& plain) {
  if (const auto extended = with_derivatives_of_states(model)) {
    const auto report = analysis::find_structural_report(model);
    const auto report_of_extended = analysis::find_structural_report(*extended);
    if (report && report_of_extended && report->n_states == report_of_extended->n_states) {
      GeneralView view = general_view(*extended);
      view.n_given = to_index(model.variables().size());
      return view;
    }
  }
  return plain;
}

DummyContext::DummyContext(const Request& request, const DummyDerivatives& method)
    : DummyContext(request, method, view_for_states(request.model, recognized(request).view())) {}

DummyContext::DummyContext(const Request& request, const DummyDerivatives& method, GeneralView view)
    : ModelContext(view, request.parameters, request.starts),
      system_(std::move(view)),
      selector_(system_),
      settings_{.switch_ratio = method.switch_ratio, .is_fixed = method.fixed},
      traits_(traits_of_places(system_.view().model, system_.report())) {
  if (const auto orders = selector_.impossible_orders(); !orders.empty()) {
    throw ModelError(ErrorCode::unsupported,
                     "No choice of states can obey stateSelect of " + join_words(orders) + ".");
  }
  build_pattern();
  build_targets();
}

void DummyContext::build_pattern() {
  const auto n = to_size(system_.n_places());
  const auto& all = system_.jacobian().pattern;
  std::vector<std::vector<Index>> columns_of(to_size(system_.n_equations()));
  entries_.resize(columns_of.size());
  for (Index j = 0; j < all.columns; ++j) {
    for (Index p = all.column_start[to_size(j)]; p < all.column_start[to_size(j) + 1]; ++p) {
      columns_of[to_size(all.row[to_size(p)])].push_back(j);
      entries_[to_size(all.row[to_size(p)])].push_back(p);
    }
  }
  std::vector<std::vector<Index>> columns(n);  // of each row of the pattern
  for (Index p = 0; p < to_index(n); ++p) {
    columns[to_size(p)].push_back(p);
    if (!system_.places()[to_size(p)].is_highest) columns[to_size(p)].push_back(p + 1);
  }
  hosts_.resize(columns_of.size());
  for (std::size_t e = 0; e < columns_of.size(); ++e) {
    for (const Index place : selector_.possible_places(to_index(e))) {
      auto& row = columns[to_size(place)];
      row.insert(row.end(), columns_of[e].begin(), columns_of[e].end());
      hosts_[e].push_back({place, 0});
    }
  }
  std::vector<std::vector<Index>> rows(n);  // of each column; ascending, as rows are visited so
  for (Index p = 0; p < to_index(n); ++p) {
    auto& row = columns[to_size(p)];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const Index j : row) rows[to_size(j)].push_back(p);
  }
  pattern_.rows = pattern_.columns = to_index(n);
  pattern_.column_start.push_back(0);
  for (const auto& column : rows) {
    pattern_.row.insert(pattern_.row.end(), column.begin(), column.end());
    pattern_.column_start.push_back(pattern_.nonzeros());
  }
}

void DummyContext::build_targets() {
  const auto position = [this](Index row, Index column) {
    const auto begin = pattern_.row.begin() + pattern_.column_start[to_size(column)];
    const auto end = pattern_.row.begin() + pattern_.column_start[to_size(column) + 1];
    return to_index(
        static_cast<std::size_t>(std::lower_bound(begin, end, row) - pattern_.row.begin()));
  };
  const auto& all = system_.jacobian().pattern;
  std::vector<Index> column_of(all.row.size());
  for (Index j = 0; j < all.columns; ++j) {
    for (Index p = all.column_start[to_size(j)]; p < all.column_start[to_size(j) + 1]; ++p)
      column_of[to_size(p)] = j;
  }
  for (std::size_t e = 0; e < hosts_.size(); ++e) {
    for (Host& host : hosts_[e]) {
      host.first_target = to_index(targets_.size());
      for (const Index p : entries_[e])
        targets_.push_back(position(host.place, column_of[to_size(p)]));
    }
  }
  for (Index p = 0; p < system_.n_places(); ++p) {
    const bool is_highest = system_.places()[to_size(p)].is_highest;
    diagonal_.push_back(position(p, p));
    next_.push_back(is_highest ? -1 : position(p, p + 1));
  }
}

void DummyContext::prepare(DummyRun& run) const {
  run.residuals = Evaluator(system_.residual());
  run.jacobian = Evaluator(system_.jacobian().program);
  run.system_jacobian = Evaluator(selector_.program());
}

Evaluation DummyContext::residual(double t, std::span<const double> x, DummyRun& run,
                                  std::span<double> rows) const {
  const auto values = run.residuals(run.blocks(t, x, {}));
  if (const Index bad = first_not_finite(values); bad >= 0) {
    run.failure = {Status::non_finite_value, run.selection.place_of[to_size(bad)],
                   fmt::format("{} is not finite at t = {:.12g}.", system_.equation_name(bad), t)};
    return Evaluation::recoverable;
  }
  for (std::size_t e = 0; e < values.size(); ++e)
    rows[to_size(run.selection.place_of[e])] = values[e];
  return Evaluation::ok;
}

Evaluation DummyContext::jacobian(double t, std::span<const double> x, DummyRun& run,
                                  std::span<double> values) const {
  const auto all = run.jacobian(run.blocks(t, x, {}));
  if (const Index bad = first_not_finite(all); bad >= 0) {
    const Index equation = system_.jacobian().pattern.row[to_size(bad)];
    run.failure = {Status::non_finite_value, run.selection.place_of[to_size(equation)],
                   fmt::format("The derivative of {} is not finite at t = {:.12g}.",
                               system_.equation_name(equation), t)};
    return Evaluation::recoverable;
  }
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Index* target = targets_.data() + run.targets[e];
    for (const Index p : entries_[e]) values[to_size(*target++)] = all[to_size(p)];
  }
  return Evaluation::ok;
}

void DummyContext::aim(DummyRun& run) const {
  run.targets.resize(hosts_.size());
  for (std::size_t e = 0; e < hosts_.size(); ++e) {
    const Index place = run.selection.place_of[e];
    const auto host = std::find_if(hosts_[e].begin(), hosts_[e].end(),
                                   [&](const Host& h) { return h.place == place; });
    run.targets[e] = host->first_target;
  }
}

bool DummyContext::is_singular(double t, std::span<const double> x, DummyRun& run) const {
  const auto values = run.system_jacobian(run.blocks(t, x, {}));
  return first_not_finite(values) < 0 &&
         !selector_.singular_blocks(values, run.selection.work).empty();
}

bool DummyContext::is_singular_around(double t, std::span<const double> x, DummyRun& run) const {
  std::vector<double> near(x.begin(), x.end());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(0.05, 0.1);
  for (std::size_t p = 0; p < near.size(); ++p)
    near[p] += draw(random) * (nominals()[p] + std::abs(near[p]));
  return is_singular(t, near, run);
}

bool DummyContext::select(double t, std::span<const double> x, DummyRun& run) const {
  selector_.note_sizes(x, run.selection.work);
  const auto given = run.system_jacobian(run.blocks(t, x, {}));
  std::vector<double> values(given.begin(), given.end());
  // What depends on the root of something that is 0 is determined by the rest, or not at all.
  const bool is_finite = first_not_finite(values) < 0;
  for (double& value : values)
    if (!std::isfinite(value)) value = 0.0;
  auto singular = selector_.singular_blocks(values, run.selection.work);
  if (!singular.empty() && !is_singular_around(t, x, run)) {
    // At this very point alone: the enthalpy of a flow that rests has no value, and keeps its last.
    singular.clear();
  }
  const bool are_idle = !singular.empty() && std::ranges::all_of(singular, [&](const auto& block) {
    return selector_.is_idle(block, values, run.selection.work);
  });
  if (are_idle && run.keeps_undetermined) singular.clear();
  const auto outcome =
      singular.empty() ? selector_.choose(values, run.selection) : DummySelector::Outcome{};
  if (outcome.verdict == DummySelector::Verdict::changed) {
    run.last_time = t;
    aim(run);
    return true;
  }
  if (outcome.verdict == DummySelector::Verdict::refused) {
    run.failure = {Status::inconsistent_start, -1, refusal(t, outcome.block)};
    return false;
  }
  if (!is_finite) {
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A derivative of the equations is not finite at t = {:.12g}.", t)};
    return false;
  }
  std::vector<std::string> equations;
  std::vector<std::string> unknowns;
  if (!singular.empty()) {
    for (const Index e : singular.front().equations) equations.push_back(system_.equation_name(e));
    for (const Index p : singular.front().places)
      unknowns.push_back("'" + system_.place_name(p) + "'");
  }
  if (are_idle) {
    run.failure = {Status::no_unique_solution, -1,
                   fmt::format("At t = {:.12g} the equations {} repeat each other and do not "
                               "determine {}, which no state feels: 'states-only' keeps the values "
                               "of such unknowns.",
                               t, join_words(equations), join_words(unknowns))};
    return false;
  }
  run.failure = {Status::index_too_high, -1,
                 fmt::format("At t = {:.12g} the differentiated equations do not determine the "
                             "highest derivatives: their Jacobian is singular in the block of {}, "
                             "in the unknowns {}. Either equations there repeat each other, or "
                             "the structure does not show the true index: use "
                             "'derivative-array'.",
                             t, join_words(equations), join_words(unknowns))};
  return false;
}

std::string DummyContext::refusal(double t, Index block) const {
  return fmt::format(
      "At t = {:.12g} the constraints {} leave no states that obey stateSelect ({}). "
      "Use prefer and avoid for wishes.",
      t, selector_.block_name(block), selector_.orders(block));
}

void DummyContext::report_crossing(double t, Index block, const PlacesAt& inside,
                                   DummyRun& run) const {
  double before = run.last_time;
  double after = t;
  const double strength_after =
      selector_.strength(block, run.system_jacobian.out(), run.selection.work);
  std::vector<double> x(to_size(system_.n_places()));
  for (int k = 0; k < bisections; ++k) {
    const double middle = 0.5 * (before + after);
    inside(middle, x);
    const auto values = run.system_jacobian(run.blocks(middle, x, {}));
    if (first_not_finite(values) >= 0) return;
    (selector_.has_signs_of(block, values, run.selection) ? before : after) = middle;
  }
  // Another selection was regular there: the step was long, no more.
  if (selector_.strength(block, run.system_jacobian.out(), run.selection.work) >
      lost_share * strength_after)
    return;
  run.warnings.push_back(
      fmt::format("At t = {:.9g} the constraints {} lost rank: a singular position, where the "
                  "motion may branch. The run went on by one of the branches.",
                  after, selector_.block_name(block)));
}

Change DummyContext::watch(double t, std::span<const double> x, const PlacesAt& inside,
                           DummyRun& run) const {
  using Verdict = DummySelector::Verdict;
  if (!selector_.has_choice()) return {};
  const auto values = run.system_jacobian(run.blocks(t, x, {}));
  if (first_not_finite(values) >= 0) return {};  // the integrator meets it in its next step
  const Index crossed = settings_.is_fixed ? -1 : selector_.sign_change(values, run.selection);
  if (crossed >= 0 && selector_.has_orders(crossed)) {
    // The choice was singular inside the step and had to be kept: the sign of what it determines is
    // a guess from there on.
    return {Change::Kind::stop, Status::singular_iteration_matrix, refusal(t, crossed)};
  }
  if (crossed >= 0) {
    report_crossing(t, crossed, inside, run);
    run.system_jacobian(run.blocks(t, x, {}));
    selector_.store_signs(crossed, values, run.selection);
  }
  run.last_time = t;
  selector_.note_sizes(x, run.selection.work);
  const auto outcome = selector_.watch(values, settings_, run.selection);
  switch (outcome.verdict) {
    case Verdict::keep:
      return {};
    case Verdict::changed:
      aim(run);
      ++run.reselections;
      return {Change::Kind::equations, Status::success, {}};
    case Verdict::singular:
      return {Change::Kind::stop, Status::rank_change,
              fmt::format("The constraints became dependent at t = {:.12g}: {} no longer determine "
                          "their unknowns, whichever are selected.",
                          t, selector_.block_name(outcome.block))};
    case Verdict::refused:
      return {Change::Kind::stop, Status::singular_iteration_matrix, refusal(t, outcome.block)};
    case Verdict::passed:
      break;
  }
  return {Change::Kind::stop, Status::singular_iteration_matrix,
          fmt::format("The fixed selection is singular at t = {:.12g}: {} can no longer be solved "
                      "for {}. Let the selection change (fixed=0).",
                      t, selector_.block_name(outcome.block),
                      selector_.dummy_names(outcome.block, run.selection))};
}

Change DummyContext::select_after(Change change, double t, std::span<const double> x,
                                  DummyRun& run) const {
  if (change.kind == Change::Kind::stop || change.kind == Change::Kind::none) return change;
  if (select(t, x, run)) return change;
  return {Change::Kind::stop, run.failure.status, run.failure.detail};
}

Change DummyContext::watch_after(Change change, double t, std::span<const double> x,
                                 const History& history, DummyRun& run) const {
  if (change.kind == Change::Kind::stop) return change;
  const auto inside = [&](double at, std::span<double> places) {
    history.derivative(at, 0, places);
  };
  return watch(t, x, inside, run);
}

double DummyContext::constraint_residual(double t, std::span<const double> x, int level,
                                         DummyRun& run) const {
  const auto values = run.residuals(run.blocks(t, x, {}));
  const auto& c = system_.report().offsets.c;
  double greatest = 0.0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const DerivedEquation& equation = system_.equations()[e];
    if (equation.level != level || c[to_size(equation.row)] == 0) continue;
    if (!(std::abs(values[e]) <= greatest)) greatest = std::abs(values[e]);
  }
  return greatest;
}

void DummyContext::set_rates(std::span<const double> x, std::span<double> xp) const {
  const auto places = system_.places();
  for (std::size_t p = 0; p < places.size(); ++p)
    if (!places[p].is_highest) xp[p] = x[p + 1];
}

std::string DummyContext::row_name(Index number) const {
  const Place& place = system_.places()[to_size(number)];
  if (!place.is_highest) return fmt::format("the equation for '{}'", system_.place_name(number));
  const auto& report = system_.report();
  const Index row = report.transversal.row_of_column[to_size(place.unknown)];
  return system_.equation_name(system_.equation(row, report.offsets.c[to_size(row)]));
}

void DummyContext::read(double, std::span<const double> x, std::span<const double> xp, ModelRun&,
                        std::span<double> values, std::span<double> derivatives) const {
  for (std::size_t v = 0; v < values.size(); ++v) {
    const auto place = to_size(system_.place_of(to_index(v)));
    const Index next = system_.place_of_derivative(to_index(v));
    values[v] = x[place];
    derivatives[v] = next >= 0 ? x[to_size(next)] : xp[place];
  }
}

bool DummyContext::assign(std::int32_t variable, double value, std::span<double> x) const {
  const auto place = to_size(system_.place_of(variable));
  x[place] = value;
  return !system_.places()[place].is_highest;
}

Evaluation DummyContext::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                         ModelRun& run) const {
  using analysis::Role;
  DummyConstraints constraints(*this, t, run, nullptr);
  std::vector<analysis::InitialUnknown> unknowns(x.size());
  // The states of the selection have the row der(x) = x'; before the first selection there are
  // none.
  const std::vector<Index>& equation_at = run_of<DummyRun>(run).selection.equation_at;
  const auto is_selected = [&](std::size_t p) {
    return p < equation_at.size() && equation_at[p] < 0;
  };
  for (std::size_t p = 0; p < x.size(); ++p) {
    const Place& place = system_.places()[p];
    const bool is_kept = !place.is_highest && place.variable >= 0;
    const bool is_state = is_kept && is_selected(p);
    unknowns[p] = {.value = x[p],
                   .role = is_state  ? Role::held
                           : is_kept ? Role::guess
                                     : Role::free,
                   .nominal = nominals()[p]};
  }
  std::vector<bool> is_reset(x.size(), false);
  for (const std::int32_t variable : run.reinitialized) {
    is_reset[to_size(system_.place_of(variable))] = true;
    unknowns[to_size(system_.place_of(variable))].role = Role::held;
  }
  const auto found = find_after_event(constraints, std::move(unknowns), run, [&](std::size_t p) {
    return is_selected(p) && !is_reset[p];
  });
  if (found.status != Status::success) {
    run.failure = {found.status, -1,
                   fmt::format("After the event at t = {:.12g}: {}", t, found.message)};
    return Evaluation::fatal;
  }
  constraints.unpack(found.values, x);
  set_rates(x, xp);
  return Evaluation::ok;
}

}  // namespace daedal::formulation
