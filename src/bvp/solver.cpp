// SPDX-License-Identifier: BSD-3-Clause
#include "bvp/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <daedal/error.hpp>
#include <optional>
#include <utility>

#include "bvp/diagnosis.hpp"
#include "bvp/interval_search.hpp"
#include "bvp/mesh.hpp"
#include "bvp/refinement.hpp"

namespace daedal::bvp {

namespace {

/// The mesh is laid out anew if an interval has more than this many mean shares of the error.
constexpr double allowed_imbalance = 2.5;
constexpr double rough_imbalance = 5.0;
/// Share of the intervals that the density asks for, before all are halved to meet the tolerance.
constexpr double share_before_halving = 0.6;
/// At most so many layouts in a row are made before the error is estimated again.
constexpr int most_layouts = 5;
/// Where no solution was found, singular values below this share of the greatest show that
/// conditions are nearly dependent.
constexpr double nearly_dependent = 1e-6;
/// Meshes up to this size are not made coarser.
constexpr Index small_mesh = 50;
/// At most so many meshes are tried.
constexpr std::size_t most_rounds = 60;
/// So many times the mesh is refined where something was overlooked.
constexpr int most_surprises = 6;
/// If Newton's method fails on the first mesh, the mesh is halved up to so many times.
constexpr int most_first_halvings = 4;

class Adaptation {
 public:
  Adaptation(const Problem& problem, const Layout& layout, const SolverOptions& options)
      : problem_(problem),
        options_(options),
        points_(collocation_points(options.scheme, options.points)),
        layout_(layout),
        equations_(problem, layout, points_, {.projects = options.project, .stop = options.stop}),
        newton_(equations_, {.rtol = options.rtol,
                             .atol = options.atol,
                             .nominals = problem.system.nominals(),
                             .is_free_of_tests = problem.is_free_of_tests,
                             .max_iterations = options.max_iterations,
                             .smallest_damping = 1e-5}),
        refinement_(problem, layout, equations_.run()) {}

  Result solve(const Guess& guess) {
    if (start(guess) && options_.adapt) adapt();
    if (result_.status == Status::newton_failure || result_.status == Status::mesh_limit_reached) {
      look_for_dependence(guess);
    }
    return finish();
  }

 private:
  bool start(const Guess& guess) {
    std::vector<double> mesh = options_.mesh;
    if (options_.adapt && !options_.breaks.empty()) mesh = with_breaks(mesh);
    for (int attempt = 0;; ++attempt) {
      current_ = sample(guess, layout_, points_, mesh, equations_.n_projected());
      equations_.set_mesh(mesh);
      if (attempt == 0) check_number_of_conditions(problem_, equations_, current_);
      if (run_newton(current_)) return true;
      const bool may_help =
          result_.status == Status::newton_failure || result_.status == Status::non_finite_value;
      const bool is_allowed = options_.adapt && attempt < most_first_halvings &&
                              2 * current_.n_intervals() <= options_.max_intervals;
      if (!may_help || !is_allowed || is_stopped()) return false;
      mesh = halved(mesh);
    }
  }

  /// The mesh with the breaks, and with two intervals at least between them.
  [[nodiscard]] std::vector<double> with_breaks(std::span<const double> mesh) const {
    std::vector<double> points;
    double before = mesh.front();
    for (const double t : options_.breaks) {
      points.insert(points.end(), {0.5 * (before + t), t});
      before = t;
    }
    points.push_back(0.5 * (before + mesh.back()));
    return with_points(mesh, points);
  }

  /// On a mesh, conditions that contradict each other do so up to the error of the mesh only, and
  /// the solution is of the size of its inverse instead of not there. At the guess it shows.
  void look_for_dependence(const Guess& guess) {
    const Trajectory u = sample(guess, layout_, points_, options_.mesh, equations_.n_projected());
    equations_.set_mesh(options_.mesh);
    if (!equations_.evaluate(u.values, true).is_ok) return;
    equations_.decide_rank(nearly_dependent);
    if (equations_.rank().rank == 2 * layout_.n_d()) return;
    result_.status = Status::boundary_conditions;
    result_.message = describe_dependence(equations_);
  }

  /// Newton's method on the mesh of `u`, which the equations have.
  bool run_newton(Trajectory& u) {
    const NewtonResult newton = newton_.solve(u);
    result_.status = newton.status;
    result_.message = newton.message;
    result_.rounds.push_back(
        {.intervals = u.n_intervals(), .newton_iterations = newton.iterations});
    const bool is_singular =
        equations_.rank().rank < 2 * layout_.n_d() && newton.status != Status::non_finite_value;
    if (is_singular && equations_.evaluate(u.values, true).is_ok &&
        equations_.rank().rank < 2 * layout_.n_d()) {
      result_.status = Status::boundary_conditions;
      result_.message = describe_dependence(equations_);
    }
    return result_.status == Status::success;
  }

  /// The solution on another mesh, from the current one; false leaves the current one.
  std::optional<Trajectory> solve_on(std::vector<double> mesh) {
    const Guess from_here = [this](double t, std::span<double> x, std::span<double> xp) {
      current_.at(t, x, xp);
    };
    Trajectory next = sample(from_here, layout_, points_, mesh, equations_.n_projected());
    equations_.set_mesh(std::move(mesh));
    if (!run_newton(next)) return std::nullopt;
    return next;
  }

  void adapt() {
    int n_layouts = 0;
    while (true) {
      if (is_stopped()) return;
      measure();
      if (result_.rounds.size() >= most_rounds) return give_up_adapting();
      const Density density = density_of(current_, weights_, counts_algebraic(), options_.breaks);
      const Index n = current_.n_intervals();
      const double wanted = std::max(share_before_halving * density.n_needed, least_intervals_);
      const double share = wanted / static_cast<double>(n);
      const bool fits = density.imbalance <= allowed_imbalance && share <= 1.5 &&
                        (share >= 0.4 || n <= small_mesh);
      const bool is_full = n_layouts > 0 && 2 * n >= options_.max_intervals - 1;
      if (!fits && !is_full && n_layouts < most_layouts) {
        ++n_layouts;
        if (!lay_out(density)) return;
        continue;
      }
      if (2 * n > options_.max_intervals) return give_up(density);
      if (!halve()) return;
      if (result_.error <= 1.0) {
        IntervalSearch search(problem_, refinement_, equations_.run(), options_.lookout, current_,
                              weights_);
        const std::vector<double> times = search.overlooked();
        const std::vector<double> hidden = search.hidden();
        if (times.empty() && hidden.empty()) return succeed();
        const double where = times.empty() ? hidden.front() : times.front();
        if (++n_surprises_ > most_surprises) return give_up_at(where);
        kept_.insert(kept_.end(), hidden.begin(), hidden.end());
        std::ranges::sort(kept_);
        if (!insert(times, where)) return;
        best_error_ = infinity;
        n_layouts = 0;
        continue;
      }
      const bool is_largest = 20 * current_.n_intervals() > 19 * options_.max_intervals;
      if (is_largest && ++n_failures_on_largest_ > 1) return give_up(density);
      n_layouts = 0;
      measure();
      if (!lay_out_for_error()) return;
    }
  }

  /// A mesh by equal shares. How many intervals are needed is known only where the mesh fits the
  /// solution: there it may become coarser; where it fits halfway, finer.
  bool lay_out(const Density& density) {
    const auto n = static_cast<double>(current_.n_intervals());
    const double least = density.imbalance > allowed_imbalance ? n : std::ceil(0.25 * n);
    const double most = density.imbalance > rough_imbalance ? n : 4.0 * n;
    const double wanted = std::ceil(share_before_halving * density.n_needed);
    return move_to(density, std::clamp(std::max(wanted, least_intervals_), least, most));
  }

  /// After an estimate above the tolerance: as many intervals as its order asks for, where the mesh
  /// fits the solution; otherwise the estimate says nothing of their number.
  bool lay_out_for_error() {
    const Density density = density_of(current_, weights_, counts_algebraic(), options_.breaks);
    const auto n = static_cast<double>(current_.n_intervals());
    if (density.imbalance > allowed_imbalance) return move_to(density, std::ceil(0.7 * n));
    const double growth = std::pow(std::min(result_.error, 1e12), 1.0 / lowest_order());
    // The estimate holds for this mesh; the next one will be halved before it is judged.
    const double by_error = 0.55 * n * std::max(growth, 1.05);
    const double wanted = std::max(by_error, share_before_halving * density.n_needed);
    least_intervals_ = std::clamp(std::ceil(by_error), std::ceil(0.5 * n), 4.0 * n);
    return move_to(density, std::clamp(std::ceil(wanted), least_intervals_, 4.0 * n));
  }

  bool move_to(const Density& density, double wanted) {
    const Index most = std::max<Index>(options_.max_intervals / 2, 1);
    const Index n_next = std::clamp<Index>(static_cast<Index>(wanted), 1, most);
    if (auto next =
            solve_on(keep(equidistributed(current_.mesh, density, n_next, options_.breaks)))) {
      current_ = std::move(*next);
      return true;
    }
    // From the solution on this mesh its halves are the safer way.
    if (is_stopped()) return false;
    if (2 * current_.n_intervals() > options_.max_intervals) return false;
    auto next = solve_on(halved(current_.mesh));
    if (!next) return false;
    current_ = std::move(*next);
    return true;
  }

  /// Solves on the halved mesh and estimates the error there.
  bool halve() {
    auto fine = solve_on(halved(current_.mesh));
    if (!fine) return false;
    result_.error = estimate(current_, *fine);
    result_.rounds.back().error = result_.error;
    current_ = std::move(*fine);
    keep_best();
    return true;
  }

  /// The error of `fine` from its difference to `coarse`, in units of the tolerance.
  double estimate(const Trajectory& coarse, const Trajectory& fine) {
    constexpr std::array<double, 6> looked_at = {1.0 / 6, 1.0 / 3, 0.5, 2.0 / 3, 5.0 / 6, 1.0};
    const auto n = to_size(layout_.n);
    std::vector<double> a(n), b(n), slopes(n);
    const double of_x = 1.0 / (std::pow(2.0, points_.uniform_order) - 1.0);
    const double of_y = layout_.n_g() == 0 ? of_x : 1.0 / (std::pow(2.0, points_.k) - 1.0);
    double greatest = 0.0;
    for (Index i = 0; i < coarse.n_intervals(); ++i) {
      for (const double theta : looked_at) {
        const double t = coarse.mesh[to_size(i)] +
                         theta * (coarse.mesh[to_size(i) + 1] - coarse.mesh[to_size(i)]);
        coarse.evaluate(i, theta, a, slopes);
        refinement_.refine(t, a, slopes);
        const bool is_second = theta > 0.5;
        fine.evaluate(2 * i + (is_second ? 1 : 0), is_second ? 2.0 * theta - 1.0 : 2.0 * theta, b,
                      slopes);
        refinement_.refine(t, b, slopes);
        for (std::size_t u = 0; u < n; ++u) {
          const Index place = layout_.place[u];
          const bool is_algebraic = place >= layout_.n_d();
          if (is_algebraic && layout_.n_g() > 0 && !options_.control_algebraic) continue;
          const double error =
              std::abs(a[u] - b[u]) * weights_[to_size(place)] * (is_algebraic ? of_y : of_x);
          if (!(error <= greatest)) greatest = error;
        }
      }
    }
    return greatest;
  }

  /// Short intervals about these times.
  bool insert(const std::vector<double>& times, double where) {
    std::vector<double> points;
    for (const double t : times) {
      const auto end = std::ranges::upper_bound(current_.mesh, t);
      const double h = (*end - *(end - 1)) /
                       static_cast<double>(looks_in(current_, end - current_.mesh.begin() - 1));
      for (const double offset : {-8.0, -2.0, -0.5, 0.5, 2.0, 8.0}) {
        const double place = t + offset * h;
        if (place > *(end - 1) && place < *end) points.push_back(place);
      }
    }
    std::ranges::sort(points);
    std::vector<double> mesh = keep(with_points(current_.mesh, points));
    if (to_index(mesh.size()) - 1 > options_.max_intervals) {
      give_up_at(where);
      return false;
    }
    auto next = solve_on(std::move(mesh));
    if (!next) return false;
    current_ = std::move(*next);
    return true;
  }

  /// The mesh with the points about all that was hidden: they would be lost where it weighs little
  /// before it is resolved.
  [[nodiscard]] std::vector<double> keep(std::vector<double> mesh) const {
    if (kept_.empty()) return mesh;
    return with_points(with_points(mesh, kept_), options_.breaks);
  }

  void give_up_at(double t) {
    result_.status = Status::mesh_limit_reached;
    result_.message = fmt::format(
        "The equations change near t = {:.6g} within a small part of an interval of the mesh, "
        "which "
        "finer meshes did not resolve. Give a mesh with points there.",
        t);
  }

  /// Tolerances by the greatest magnitude of each unknown.
  void measure() {
    std::vector<double> size(to_size(layout_.n), 0.0);
    const auto look = [&](std::span<const double> values, std::size_t period) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        size[i % period] = std::max(size[i % period], std::abs(values[i]));
      }
    };
    look(current_.values.nodes, to_size(std::max<Index>(layout_.n_d(), 1)));
    for (Index i = 0; i < current_.n_intervals() * points_.k; ++i) {
      const auto stage =
          std::span(current_.values.stages).subspan(to_size(i * layout_.n), to_size(layout_.n));
      for (std::size_t place = to_size(layout_.n_d()); place < stage.size(); ++place) {
        size[place] = std::max(size[place], std::abs(stage[place]));
      }
    }
    weights_.resize(size.size());
    const auto nominals = problem_.system.nominals();
    for (std::size_t u = 0; u < size.size(); ++u) {
      const auto place = to_size(layout_.place[u]);
      const double nominal = nominals.empty() ? 1.0 : nominals[u];
      const bool counts = problem_.is_free_of_tests.empty() || !problem_.is_free_of_tests[u];
      weights_[place] =
          counts ? 1.0 / (options_.rtol * size[place] + options_.atol * nominal) : 0.0;
    }
  }

  void keep_best() {
    if (best_error_ <= result_.error) return;
    best_error_ = result_.error;
    best_ = current_;
  }

  void succeed() {
    result_.status = Status::success;
    result_.message = fmt::format(
        "Solved on {} intervals; the estimated error is {:.2g} of the "
        "tolerance.",
        current_.n_intervals(), result_.error);
  }

  void give_up(const Density& density) {
    result_.status = Status::mesh_limit_reached;
    const std::string estimate =
        std::isfinite(best_error_)
            ? fmt::format("the best solution has an estimated error of {:.3g} times the tolerance",
                          best_error_)
            : std::string("the error of the solution on this mesh is not known");
    result_.message =
        fmt::format("The tolerance asks for about {:.3g} intervals, {} are allowed; {}.",
                    std::max(density.n_needed, static_cast<double>(2 * current_.n_intervals())),
                    options_.max_intervals, estimate);
    take_best();
  }

  /// Estimates that do not fall with finer meshes: the tolerance is below what rounding allows, or
  /// the solution is not smooth.
  void give_up_adapting() {
    result_.status = Status::mesh_limit_reached;
    result_.message = fmt::format(
        "{} meshes did not bring the estimated error below the tolerance: it is near the limit of "
        "the arithmetic, or the solution is not smooth.",
        result_.rounds.size());
    take_best();
  }

  void take_best() {
    if (!std::isfinite(best_error_)) return;
    current_ = std::move(best_);
    result_.error = best_error_;
  }

  bool is_stopped() {
    if (!options_.stop.is_raised()) return false;
    result_.status = options_.stop.reason();
    result_.message = options_.stop.message("the solution on a mesh");
    return true;
  }

  [[nodiscard]] bool counts_algebraic() const {
    return layout_.n_g() > 0 && layout_.n_y() > 0 && options_.control_algebraic;
  }
  [[nodiscard]] double lowest_order() const {
    return counts_algebraic() ? std::min(points_.k, points_.uniform_order) : points_.uniform_order;
  }

  Result finish() {
    if (result_.status == Status::success && result_.message.empty()) {
      result_.message = fmt::format("Solved on {} intervals; the error was not estimated.",
                                    current_.n_intervals());
    }
    result_.trajectory = std::move(current_);
    result_.work = equations_.work();
    return std::move(result_);
  }

  const Problem& problem_;
  const SolverOptions& options_;
  const Points& points_;
  const Layout& layout_;
  Discretization equations_;
  Newton newton_;
  Refinement refinement_;
  Trajectory current_;
  Trajectory best_;
  double best_error_ = infinity;
  int n_failures_on_largest_ = 0;
  int n_surprises_ = 0;           ///< meshes on which something was overlooked
  double least_intervals_ = 1.0;  ///< that the last estimate above the tolerance asks for
  std::vector<double> weights_;
  std::vector<double> kept_;  ///< points about what was hidden in an interval, ascending
  Result result_;
};

}  // namespace

Result solve(const Problem& problem, const Layout& layout, const Guess& guess,
             const SolverOptions& options) {
  if (layout.n_d() == 0) {
    throw ModelError(ErrorCode::not_recognized,
                     "The model has no derivative of a variable: a boundary value problem needs a "
                     "differential equation.");
  }
  if (options.scheme == Scheme::lobatto && layout.n_g() > 0) {
    throw OptionError(ErrorCode::illegal_combination,
                      "Lobatto points need problems of index 1; this one has constraints on its "
                      "differential variables. Use gauss or radau.");
  }
  return Adaptation(problem, layout, options).solve(guess);
}

}  // namespace daedal::bvp
