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

#include "analysis/structural_model.hpp"
#include "bvp/mesh.hpp"
#include "bvp/refinement.hpp"
#include "bvp/solver.hpp"
#include "model/hessenberg_view.hpp"
#include "model/simplify.hpp"
#include "model/usage.hpp"
#include "solve/boundary_conditions.hpp"
#include "solve/boundary_formulation.hpp"
#include "solve/boundary_model.hpp"
#include "solve/dense.hpp"
#include "solve/output_map.hpp"

namespace daedal {

namespace {

using Clock = std::chrono::steady_clock;
using solve_detail::BoundaryForm;
using solve_detail::BoundaryFormulation;

[[noreturn]] void fail(const std::string& text) {
  throw OptionError(ErrorCode::invalid_option, text);
}

void check_options(const TimeSpan& span, const BvpOptions& options) {
  if (!std::isfinite(span.start) || !std::isfinite(span.stop) || !(span.start < span.stop)) {
    fail(fmt::format("The interval from {} to {} is not one: its ends must be finite and ascend.",
                     span.start, span.stop));
  }
  if (!(options.rtol > 0.0) || !(options.atol > 0.0) || !std::isfinite(options.rtol) ||
      !std::isfinite(options.atol)) {
    fail(fmt::format("The tolerances rtol = {} and atol = {} must be positive.", options.rtol,
                     options.atol));
  }
  if (options.intervals < 1 || options.max_intervals < options.intervals) {
    fail(fmt::format("{} mesh intervals at first and at most {} make no mesh.", options.intervals,
                     options.max_intervals));
  }
  if (options.max_iterations < 1 || options.output_points < 0 || !(options.time_limit > 0.0)) {
    fail("Limits and numbers of output points must be positive.");
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
      fmt::format("There is no collocation scheme '{}': take gauss, radau or lobatto.", name));
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
struct Candidate {
  std::shared_ptr<const BoundaryFormulation> formulation;
  std::unique_ptr<solve_detail::ModelConditions> conditions;
  bvp::Guess guess;
};

class BvpRun {
 public:
  BvpRun(const Model& model, const TimeSpan& span, const BvpOptions& options)
      : span_(span), options_(options), given_(solve_detail::as_boundary_model(model)) {
    solution_.model_name = model.name();
    solution_.rtol = options.rtol;
    solution_.atol = options.atol;
    solution_.method = {
        .requested = options.scheme,
        .used = fmt::format("collocation at {} {} points", options.points, options.scheme)};
    solution_.integrator = solution_.method;
    solution_.error_estimate = std::numeric_limits<double>::quiet_NaN();
    take_parameters(model);
  }

  BvpSolution solve() {
    const bvp::Scheme scheme = scheme_of(options_.scheme);
    (void)bvp::collocation_points(scheme, options_.points);
    simplified_ = simplify(given_, {.starts = starts_});
    (void)analysis::structural_report(simplified_.model);
    Candidate candidate = choose();
    if (!candidate.formulation) return std::move(solution_);
    run(candidate, scheme);
    return std::move(solution_);
  }

 private:
  /// Overrides of free parameters are guesses of them.
  void take_parameters(const Model& model) {
    Overrides fixed = options_.parameters;
    starts_ = options_.starts;
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

  Candidate make(BoundaryForm form) {
    std::vector<std::string> names;
    for (const Variable& variable : simplified_.model.variables()) names.push_back(variable.name);
    Candidate candidate;
    candidate.formulation =
        std::make_shared<const BoundaryFormulation>(std::move(form), parameters_, std::move(names));
    const auto& system = candidate.formulation->direct();
    candidate.conditions = std::make_unique<solve_detail::ModelConditions>(system, span_.start);
    std::vector<std::string> known;
    for (const Variable& variable : given_.variables()) known.push_back(variable.name);
    BvpGuess guess = options_.guess;
    candidate.guess = solve_detail::make_guess(*candidate.conditions, system.view().model, known,
                                               span_, with_parameters(std::move(guess)));
    return candidate;
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

  [[nodiscard]] bool is_regular(const Candidate& candidate) const {
    const auto& system = candidate.formulation->direct();
    const auto point = generic_point(candidate.guess, span_, to_size(system.size()));
    const auto own = system.make_run();
    return candidate.formulation->is_regular(point.t, point.x, point.xp, *own);
  }

  /// The equations as written where their index is 1 or 2, otherwise reduced.
  Candidate choose() {
    BoundaryForm written = solve_detail::form_as_written(simplified_.model);
    std::string refusal;
    try {
      Candidate candidate = make(std::move(written));
      if (is_regular(candidate)) return candidate;
    } catch (const ModelError& error) {
      // A condition on a variable that is a state in the other form only.
      if (error.code() != ErrorCode::unsupported) throw;
      refusal = error.what();
    }
    const auto found = hessenberg_view(simplified_.model, parameters_);
    if (found) {
      Candidate candidate = make(solve_detail::reduced_form(*found.view));
      if (is_regular(candidate)) {
        if (!candidate.formulation->form().note.empty()) {
          solution_.notices.push_back(candidate.formulation->form().note);
        }
        return candidate;
      }
    } else if (!refusal.empty()) {
      throw ModelError(ErrorCode::unsupported, refusal);
    }
    refuse_index(found ? std::string("its constraints lose rank") : found.reason);
    return {};
  }

  void refuse_index(const std::string& reason) {
    const auto report = analysis::structural_report(simplified_.model);
    solution_.status = Status::index_too_high;
    solution_.message = fmt::format(
        "Collocation takes models of index 1 and 2, and Hessenberg models of any index after a "
        "reduction; this one (structural index {}) is neither: {}. Differentiate constraints by "
        "hand, or write the model with forces or inputs that appear linearly in its highest "
        "derivatives.",
        report.index, reason);
  }

  void run(const Candidate& candidate, bvp::Scheme scheme) {
    const auto& formulation = *candidate.formulation;
    std::vector<bool> is_constraint;
    for (const int level : formulation.form().levels) is_constraint.push_back(level >= 0);
    std::vector<bool> is_free_of_tests(to_size(formulation.direct().size()), false);
    for (auto i = to_size(formulation.form().n_tested); i < is_free_of_tests.size(); ++i) {
      is_free_of_tests[i] = true;
    }
    const bvp::Problem problem{.system = formulation.direct(),
                               .conditions = *candidate.conditions,
                               .is_constraint = std::move(is_constraint),
                               .is_free_of_tests = std::move(is_free_of_tests),
                               .t0 = span_.start,
                               .t1 = span_.stop};
    const bvp::Layout layout(problem);
    solution_.index = layout.n_g() > 0 ? 2 : 1;
    const bvp::SolverOptions solver{
        .scheme = scheme,
        .points = options_.points,
        .rtol = options_.rtol,
        .atol = options_.atol,
        .mesh = options_.mesh.empty()
                    ? bvp::uniform_mesh(span_.start, span_.stop, options_.intervals)
                    : options_.mesh,
        .max_intervals = options_.max_intervals,
        .adapt = options_.adapt,
        .control_algebraic = options_.control_algebraic,
        .project = options_.project,
        .max_iterations = options_.max_iterations,
        .time_limit = options_.time_limit,
        .cancel = options_.cancel};
    bvp::Result result = bvp::solve(problem, layout, candidate.guess, solver);
    record(result);
    write(candidate, problem, result.trajectory);
  }

  void record(const bvp::Result& result) {
    solution_.status = result.status;
    solution_.message = result.message;
    solution_.error_estimate = result.error;
    solution_.mesh = result.trajectory.mesh;
    solution_.statistics.steps = result.trajectory.n_intervals();
    solution_.statistics.residual_evaluations = result.work.residuals;
    solution_.statistics.jacobian_evaluations = result.work.jacobians;
    solution_.statistics.factorizations = result.work.factorizations;
    for (const bvp::Round& round : result.rounds) {
      solution_.rounds.push_back({round.intervals, round.newton_iterations, round.error});
      solution_.statistics.newton_iterations += round.newton_iterations;
    }
  }

  [[nodiscard]] std::vector<double> output_times() const {
    std::vector<double> times = solution_.mesh;
    for (Index i = 0; i < options_.output_points; ++i) {
      const double share =
          options_.output_points == 1
              ? 0.0
              : static_cast<double>(i) / static_cast<double>(options_.output_points - 1);
      times.push_back(std::min(span_.start + share * (span_.stop - span_.start), span_.stop));
    }
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  void write(const Candidate& candidate, const bvp::Problem& problem,
             const bvp::Trajectory& trajectory) {
    const auto map = std::make_shared<const solve_detail::OutputMap>(
        candidate.formulation, std::move(simplified_.recovery),
        simplified_.model.variables().size());
    const auto own = problem.system.make_run();
    bvp::Refinement refinement(problem, *trajectory.layout, *own);
    const auto n = to_size(problem.system.size());
    const auto evaluate = [&](Index interval, double t, std::span<double> x, std::span<double> xp) {
      const double t0 = trajectory.mesh[to_size(interval)];
      const double h = trajectory.mesh[to_size(interval) + 1] - t0;
      trajectory.evaluate(interval, (t - t0) / h, x, xp);
      refinement.refine(t, x, xp);
    };
    solution_.names.assign(map->names().begin(), map->names().end());
    for (int level = 0; level < candidate.formulation->n_levels(); ++level) {
      solution_.constraints.push_back({level, 0.0});
    }
    auto workspace = map->make_workspace();
    std::vector<double> x(n), xp(n);
    const std::size_t width = solution_.names.size();
    solution_.times = output_times();
    solution_.values.resize(solution_.times.size() * width);
    for (std::size_t row = 0; row < solution_.times.size(); ++row) {
      const double t = solution_.times[row];
      evaluate(trajectory.interval_of(t), t, x, xp);
      map->evaluate(t, x, xp, *own, std::span(solution_.values).subspan(row * width, width),
                    workspace);
      for (ConstraintLevel& level : solution_.constraints) {
        const double residual =
            candidate.formulation->constraint_residual(t, x, xp, level.level, *own);
        if (!(residual <= level.max_residual)) level.max_residual = residual;
      }
    }
    auto dense = std::make_shared<Solution::Dense>();
    dense->begin_leg(map);
    for (Index i = 0; i < trajectory.n_intervals(); ++i) {
      dense->add_segment(
          trajectory.mesh[to_size(i)], trajectory.mesh[to_size(i) + 1],
          to_size(trajectory.points->k) + 2,
          [&](double t, std::span<double> at_x, std::span<double> at_xp) {
            evaluate(i, t, at_x, at_xp);
          },
          *own);
    }
    solution_.dense = std::move(dense);
    for (const std::string& name : free_) {
      solution_.found_parameters[name] = solution_.final_value(name);
    }
  }

  TimeSpan span_;
  const BvpOptions& options_;
  Model given_;
  std::vector<double> parameters_;
  Overrides starts_;
  Overrides guessed_;
  std::vector<std::string> free_;
  Simplified simplified_;
  BvpSolution solution_;
};

}  // namespace

BvpSolution solve_bvp(const Model& model, const TimeSpan& span, const BvpOptions& options) {
  const auto begin = Clock::now();
  check_options(span, options);
  BvpSolution solution = BvpRun(model, span, options).solve();
  solution.statistics.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return solution;
}

}  // namespace daedal
