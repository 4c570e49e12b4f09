// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/bvp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <daedal/error.hpp>
#include <functional>
#include <limits>
#include <random>
#include <utility>

#include "analysis/structural_report.hpp"
#include "bvp/forms/boundary_formulation.hpp"
#include "bvp/forms/boundary_model.hpp"
#include "bvp/forms/boundary_srm.hpp"
#include "bvp/forms/conditions.hpp"
#include "bvp/forms/srm_formulation.hpp"
#include "bvp/mesh.hpp"
#include "bvp/solver.hpp"
#include "core/expected.hpp"
#include "model/simplify/simplify.hpp"
#include "model/usage.hpp"
#include "model/views/constrained_view.hpp"
#include "solve/bvp_output.hpp"
#include "solve/integrator_choice.hpp"
#include "solve/watch/boundary_watch.hpp"

namespace daedal {

namespace {

using Clock = std::chrono::steady_clock;
using solve_detail::BoundaryForm;
using solve_detail::BoundarySystem;

/// Breaks are kept in every mesh with a few intervals between them: of the greatest mesh, at most
/// one in so many.
constexpr std::int64_t most_break_share = 16;

[[noreturn]] void fail(const std::string& text) {
  throw OptionError(ErrorCode::invalid_option, text);
}

void check_options(const TimeSpan& span, const BvpOptions& options) {
  if (!std::isfinite(span.start) || !std::isfinite(span.stop) || !(span.start < span.stop)) {
    fail(fmt::format("The ends of the interval must be finite and ascending (got {} and {}).",
                     span.start, span.stop));
  }
  if (!(*options.rtol > 0.0) || !(options.atol >= 0.0) || !std::isfinite(*options.rtol) ||
      !std::isfinite(options.atol)) {
    fail(fmt::format("The tolerances rtol = {} and atol = {} must be positive.", *options.rtol,
                     options.atol));
  }
  if (options.intervals < 1 || options.max_intervals < options.intervals) {
    fail(
        fmt::format("The number of mesh intervals must be at least 1 and at most max_intervals "
                    "(got {} and {}).",
                    options.intervals, options.max_intervals));
  }
  if (options.max_iterations < 1 || options.output_points < 0 || !(options.time_limit > 0.0)) {
    fail("max_iterations and time_limit must be positive, and output_points must not be negative.");
  }
  if (options.mesh.empty()) return;
  const bool ascends =
      std::ranges::adjacent_find(options.mesh, std::greater_equal<>()) == options.mesh.end();
  if (options.mesh.size() < 2 || !ascends || options.mesh.front() != span.start ||
      options.mesh.back() != span.stop) {
    fail("The mesh must ascend from the beginning to the end of the interval.");
  }
}

bvp::Scheme scheme_of(const std::string& name) {
  for (const bvp::Scheme scheme : {bvp::Scheme::gauss, bvp::Scheme::radau, bvp::Scheme::lobatto}) {
    if (bvp::to_string(scheme) == name) return scheme;
  }
  throw OptionError(
      ErrorCode::unknown_method,
      fmt::format("There is no collocation scheme '{}': use gauss, radau or lobatto.", name));
}

/// A point near the guess in general position, where ranks are what they are almost everywhere.
struct GenericPoint {
  double t;
  std::vector<double> x, xp;
};

GenericPoint generic_point(const bvp::Guess& guess, const TimeSpan& span, std::size_t n) {
  std::mt19937 random(20240229);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  GenericPoint point{span.start + 0.37 * (span.stop - span.start), std::vector<double>(n),
                     std::vector<double>(n)};
  guess(point.t, point.x, point.xp);
  for (std::size_t i = 0; i < n; ++i) {
    point.x[i] += 0.1 * uniform(random) * (1.0 + std::abs(point.x[i]));
    point.xp[i] += 0.1 * uniform(random) * (1.0 + std::abs(point.xp[i]));
  }
  return point;
}

/// A form with its conditions and guess.
struct BvpCandidate {
  std::unique_ptr<const BoundarySystem> system;
  std::unique_ptr<solve_detail::ModelConditions> conditions;
  bvp::Guess guess;
};

class BvpRun {
 public:
  BvpRun(const Model& model, const TimeSpan& span, const BvpOptions& options)
      : span_(span), options_(options), given_(solve_detail::as_boundary_model(model)) {
    options_.atol = solve_detail::absolute_tolerance(options_.atol, *options_.rtol);
    solution_.model_name = model.name();
    solution_.rtol = *options_.rtol;
    solution_.atol = options_.atol;
    solution_.integrator = {
        .requested = options.scheme,
        .used = fmt::format("collocation at {} {} points", options.points, options.scheme)};
    // Every method solves its equations by collocation.
    const std::string& name = options.method.name();
    const bool is_plain = name == Collocation::name;
    solution_.method = {.requested = name,
                        .used = (is_plain ? "" : name + " with ") + solution_.integrator.used};
    solution_.error_estimate = std::numeric_limits<double>::quiet_NaN();
    take_parameters(model);
  }

  template <class Value>
  BvpSolution solve(const Value& method) {
    const bvp::Scheme scheme = scheme_of(options_.scheme);
    (void)bvp::collocation_points(scheme, options_.points);
    simplified_ = simplify(given_, {.starts = starts_});
    (void)analysis::structural_report(simplified_.model);
    run_method(method, scheme);
    return std::move(solution_);
  }

 private:
  void run_method(const Collocation&, bvp::Scheme scheme) {
    if (const BvpCandidate candidate = choose(); candidate.system) run(candidate, scheme);
  }

  void run_method(const BvpBaumgarte& method, bvp::Scheme scheme) {
    // Violations decay within a tenth of the interval.
    const double gamma = method.gamma.value_or(10.0 / (span_.stop - span_.start));
    run(make(solve_detail::damped_form(hessenberg_view_for(BvpBaumgarte::name), gamma)), scheme);
  }

  /// Overrides of free parameters are guesses of them.
  void take_parameters(const Model& model) {
    Overrides fixed = options_.parameters;
    starts_ = options_.start_values;
    for (const Parameter& parameter : model.parameters()) {
      if (parameter.fixed) continue;
      free_.push_back(parameter.name);
      const auto found = fixed.find(parameter.name);
      if (found == fixed.end()) continue;
      guessed_[parameter.name] = found->second;
      fixed.erase(found);
    }
    parameters_ = given_.parameter_values(fixed);
    refuse_unused(given_, fixed);
  }

  BvpCandidate make(BoundaryForm form) {
    BvpCandidate candidate;
    candidate.system = std::make_unique<const BoundarySystem>(std::move(form), parameters_);
    const auto& equations = candidate.system->equations();
    candidate.conditions = std::make_unique<solve_detail::ModelConditions>(
        equations, span_.start, candidate.system->n_levels() == 0);
    candidate.guess = guess_for(*candidate.conditions, equations.model());
    return candidate;
  }

  [[nodiscard]] std::vector<std::string> output_names() const {
    std::vector<std::string> names;
    for (const Variable& variable : simplified_.model.variables()) names.push_back(variable.name);
    return names;
  }

  [[nodiscard]] bvp::Guess guess_for(const solve_detail::ModelConditions& conditions,
                                     const Model& model) const {
    std::vector<std::string> known;
    for (const Variable& variable : given_.variables()) known.push_back(variable.name);
    return solve_detail::make_guess(conditions, model, known, span_,
                                    with_parameters(options_.guess));
  }

  /// The guess with constant columns for free parameters that were given a value.
  [[nodiscard]] BvpGuess with_parameters(BvpGuess guess) const {
    if (guessed_.empty()) return guess;
    if (guess.times.empty()) guess.times = {span_.start, span_.stop};
    const std::size_t width = guess.names.size();
    std::vector<double> values;
    for (std::size_t row = 0; row < guess.times.size(); ++row) {
      for (std::size_t c = 0; c < width; ++c) values.push_back(guess.values[row * width + c]);
      for (const auto& [name, value] : guessed_) values.push_back(value);
    }
    for (const auto& [name, value] : guessed_) guess.names.push_back(name);
    guess.values = std::move(values);
    return guess;
  }

  [[nodiscard]] bool is_regular(const BvpCandidate& candidate) const {
    const auto& equations = candidate.system->equations();
    const auto point = generic_point(candidate.guess, span_, to_size(equations.size()));
    const auto own = equations.make_run();
    return candidate.system->is_regular(point.t, point.x, point.xp, *own);
  }

  /// The equations as written where their index is 1 or 2, otherwise reduced.
  BvpCandidate choose() {
    BoundaryForm form = solve_detail::form_as_written(simplified_.model);
    auto written = Expected<BvpCandidate>::from([&] { return make(std::move(form)); });
    // A condition may be on a variable that is a state in the other form only.
    const bool may_be_condition = !written && written.code() == ErrorCode::unsupported;
    if (!may_be_condition && is_regular(written.get())) return std::move(*written);
    const auto found = hessenberg_view(simplified_.model, parameters_);
    if (found) {
      BvpCandidate candidate = make(solve_detail::reduced_form(*found.view));
      if (is_regular(candidate)) {
        if (!candidate.system->form().note.empty()) {
          solution_.notices.push_back(candidate.system->form().note);
        }
        return candidate;
      }
    } else {
      (void)written.get();
    }
    refuse_index(found ? std::string("its constraints lose rank") : found.reason);
    return {};
  }

  void refuse_index(const std::string& reason) {
    const auto report = analysis::structural_report(simplified_.model);
    solution_.status = Status::index_too_high;
    solution_.message = fmt::format(
        "Collocation supports models of index 1 and 2, and Hessenberg models of any index after a "
        "reduction; this one (structural index {}) is neither: {}. Differentiate constraints by "
        "hand, or write the model with forces or inputs that appear linearly in its highest "
        "derivatives.",
        report.index, reason);
  }

  [[nodiscard]] bvp::SolverOptions solver_options(bvp::Scheme scheme) const {
    return {
        .scheme = scheme,
        .points = options_.points,
        .rtol = *options_.rtol,
        .atol = options_.atol,
        .mesh = options_.mesh.empty()
                    ? bvp::uniform_mesh(span_.start, span_.stop, options_.intervals)
                    : options_.mesh,
        .max_intervals = options_.max_intervals,
        .adapt = options_.adapt,
        .control_algebraic = options_.control_algebraic,
        .project = options_.project,
        .max_iterations = options_.max_iterations,
        .stop = StopSignal::after(options_.time_limit, StopSignal::Clock::now(), options_.cancel)};
  }

  void run(const BvpCandidate& candidate, bvp::Scheme scheme) {
    const BoundarySystem& system = *candidate.system;
    std::vector<bool> is_constraint;
    for (const int level : system.form().levels) is_constraint.push_back(level >= 0);
    std::vector<bool> is_free_of_tests(to_size(system.equations().size()), false);
    for (auto i = to_size(system.form().n_tested); i < is_free_of_tests.size(); ++i) {
      is_free_of_tests[i] = true;
    }
    const bvp::Problem problem{.system = system.equations(),
                               .conditions = *candidate.conditions,
                               .is_constraint = std::move(is_constraint),
                               .is_free_of_tests = std::move(is_free_of_tests),
                               .t0 = span_.start,
                               .t1 = span_.stop};
    const bvp::Layout layout(problem);
    solution_.index = layout.n_g() > 0 ? 2 : 1;
    bvp::SolverOptions solver = solver_options(scheme);
    solve_detail::BoundaryWatch watch(system.equations().model(), parameters_, *options_.rtol);
    solver.breaks =
        watch.switches(span_.start, span_.stop, to_size(options_.max_intervals / most_break_share));
    solver.lookout = &watch;
    bvp::Result result = bvp::solve(problem, layout, candidate.guess, solver);
    solve_detail::record(result, solution_);
    solve_detail::write_solution({.formulation = system.make_formulation(output_names()),
                                  .trajectory = result.trajectory,
                                  .problem = &problem,
                                  .recovery = std::move(simplified_.recovery),
                                  .n_variables = simplified_.model.variables().size(),
                                  .n_points = options_.output_points,
                                  .free_parameters = free_},
                                 solution_);
  }

  [[nodiscard]] ConstrainedView hessenberg_view_for(std::string_view method) const {
    auto found = hessenberg_view(simplified_.model, parameters_);
    if (found) return std::move(*found.view);
    throw ModelError(
        ErrorCode::not_recognized,
        fmt::format("The method '{}' needs a Hessenberg system x' = f − By, 0 = g: {}.", method,
                    found.reason));
  }

  /// Sequential regularisation, with shooting back (Ascher, Lin 4.1).
  void run_method(const BvpSrm& method, bvp::Scheme scheme) {
    const auto settings =
        solve_detail::srm_settings(method, *options_.rtol, span_.stop - span_.start);
    const auto forward = std::make_shared<solve_detail::BoundarySrm>(hessenberg_view_for("srm"),
                                                                     settings, 1.0, parameters_);
    const solve_detail::ModelConditions conditions(forward->system(), span_.start, false);
    const bvp::Guess guess = guess_for(conditions, forward->system().view().model);
    const bvp::SolverOptions solver = solver_options(scheme);
    const bvp::Forcing zero(std::vector<double>(to_size(forward->n_rows()), 0.0));
    auto iterates = forward->run(conditions, zero, guess, solver);
    if (settings.shoots_back && iterates.back().result.status == Status::success) {
      iterates = forward->shoot_back(conditions, std::move(iterates), solver);
    }
    finish_srm(settings, forward, iterates);
  }

  void finish_srm(const solve_detail::BoundarySrmSettings& settings,
                  const std::shared_ptr<solve_detail::BoundarySrm>& srm,
                  std::vector<solve_detail::SrmIterate>& iterates) {
    solution_.index = 2;
    for (const auto& iterate : iterates) solve_detail::record(iterate.result, solution_);
    if (solution_.status == Status::success) {
      const double change = solve_detail::last_change(iterates, *options_.rtol, options_.atol);
      solution_.error_estimate = change;
      solution_.message = fmt::format(
          "Solved on {} intervals by {} iterations with epsilon = {:g}; the last one "
          "changed the solution by {:.2g} of the tolerance.",
          solution_.mesh.size() - 1, settings.iterations, settings.epsilon, change);
      if (change > 1.0) {
        solution_.warnings.push_back(
            "The iteration did not reach the tolerance: take a smaller epsilon or more "
            "iterations.");
      }
    }
    solve_detail::write_solution({.formulation = solve_detail::srm_formulation(
                                      srm, parameters_, output_names(), iterates.back().by),
                                  .trajectory = iterates.back().result.trajectory,
                                  .problem = nullptr,
                                  .recovery = std::move(simplified_.recovery),
                                  .n_variables = simplified_.model.variables().size(),
                                  .n_points = options_.output_points,
                                  .free_parameters = free_},
                                 solution_);
  }

  TimeSpan span_;
  BvpOptions options_;
  Model given_;
  std::vector<double> parameters_;
  Overrides starts_;
  Overrides guessed_;
  std::vector<std::string> free_;
  Simplified simplified_;
  BvpSolution solution_;
};

/// A row of the catalogue with what makes it work.
struct BvpMethodRow : BvpMethodInfo {
  BvpSolution (*solve)(const Model& model, const TimeSpan& span, const BvpOptions& options);
};

template <class Value>
BvpMethodRow bvp_row(std::string_view summary, std::string_view paper) {
  BvpMethodRow row;
  row.name = Value::name;
  row.summary = summary;
  row.paper = paper;
  row.fields = describe_fields<Value>();
  row.solve = [](const Model& model, const TimeSpan& span, const BvpOptions& options) {
    return BvpRun(model, span, options).solve(options.method.as<Value>());
  };
  return row;
}

const std::vector<BvpMethodRow>& bvp_rows() {
  static const std::vector<BvpMethodRow> rows{
      bvp_row<Collocation>("Collocation of the equations as written where their index is 1 or 2, "
                           "otherwise after a stable reduction.",
                           "Ascher, Lin 4"),
      bvp_row<BvpSrm>("Sequential regularisation, for constraints that become singular.",
                      "Ascher, Lin (3.3), 4.1"),
      bvp_row<BvpBaumgarte>("The constraints damped at one rate: for comparison.",
                            "Ascher, Lin 2")};
  return rows;
}

const BvpMethodRow& find_bvp_method(const std::string& name) {
  for (const BvpMethodRow& row : bvp_rows()) {
    if (row.name == name) return row;
  }
  throw OptionError(ErrorCode::unknown_method,
                    fmt::format("There is no method '{}' for boundary value problems: use "
                                "collocation, srm or baumgarte.",
                                name));
}

}  // namespace

std::vector<BvpMethodInfo> bvp_methods() {
  return {bvp_rows().begin(), bvp_rows().end()};
}

BvpSolution solve_bvp(const Model& model, const TimeSpan& span, const BvpOptions& given) {
  const auto begin = Clock::now();
  BvpOptions options = given;
  options.rtol = given.rtol.value_or(model.experiment().default_rtol());
  check_options(span, options);
  refuse_open_inputs(model);
  BvpSolution solution = find_bvp_method(options.method.name()).solve(model, span, options);
  solution.statistics.wall_time = std::chrono::duration<double>(Clock::now() - begin).count();
  return solution;
}

}  // namespace daedal
