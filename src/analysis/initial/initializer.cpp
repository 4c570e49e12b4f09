// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/initial/initializer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/initial/block_solution.hpp"
#include "analysis/initial/move_step.hpp"
#include "analysis/initial/propagation.hpp"
#include "model/labels.hpp"

namespace daedal::analysis {

struct InitializerMemory {
  SparsityPattern pattern;
  std::vector<InitialUnknown> unknowns;  ///< their roles and confidences count
  // Without guesses among the unknowns, and with them.
  std::array<std::shared_ptr<BlockPlan>, 2> plans;
  std::array<std::unique_ptr<MoveStep>, 2> steps;
  std::array<bool, 2> has_step{};

  /// Forgets everything where the set has another shape.
  void take(const SparsityPattern& now, std::span<const InitialUnknown> wishes) {
    const auto is_like = [](const InitialUnknown& a, const InitialUnknown& b) {
      return a.role == b.role && a.confidence == b.confidence;
    };
    if (pattern.rows == now.rows && pattern.column_start == now.column_start &&
        pattern.row == now.row && std::ranges::equal(unknowns, wishes, is_like))
      return;
    *this = {};
    pattern = now;
    unknowns.assign(wishes.begin(), wishes.end());
  }

  /// Null when the numbers of equations and unknowns do not match.
  MoveStep* square_step(bool with_guesses) {
    const std::size_t k = with_guesses ? 1 : 0;
    if (!std::exchange(has_step[k], true))
      steps[k] = make_square_step(pattern, unknowns, with_guesses);
    return steps[k].get();
  }
};

std::shared_ptr<InitializerMemory> make_initializer_memory() {
  return std::make_shared<InitializerMemory>();
}

namespace {

// Which equations cannot be met together, and which fixed values they contradict.
//
// Where Gauss-Newton has come to rest the scaled residual r̂ is a left null vector of the columns
// that may move, Ĵᵀr̂ = 0. Its support are the equations in conflict, and the held unknowns with
// an entry in r̂ᵀJ are the fixed values that take part.

/// Parts of a null vector below this fraction of its greatest one do not count as its support.
constexpr double conflict_fraction = 1e-3;

/// A search in causal order may evaluate so many equations, in about a fifth of a second. Beyond
/// that, one search for all unknowns is cheaper.
constexpr std::size_t most_evaluated = 2'000'000;

struct ConflictPoint {
  std::span<const double> u;
  std::span<const double> residual;
  std::span<const double> jacobian;
  const StepScales& scales;
};

struct Conflict {
  std::vector<Index> equations;
  std::vector<Index> held;
};

/// Six significant digits, as short as they can be written: "0.1", "-9.81", "1e-08".
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::general, 6);
  return {buffer.data(), end};
}

Conflict find_conflict(const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns,
                       const ConflictPoint& point) {
  const std::size_t m = point.residual.size();
  std::vector<double> scaled(m);
  double greatest = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    scaled[i] = point.residual[i] * point.scales.row[i];
    greatest = std::max(greatest, std::abs(scaled[i]));
  }
  Conflict conflict;
  for (std::size_t i = 0; i < m; ++i) {
    if (std::abs(scaled[i]) > conflict_fraction * greatest)
      conflict.equations.push_back(to_index(i));
    else
      scaled[i] = 0.0;
  }
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    if (unknowns[j].role != Role::held) continue;
    double part = 0.0;
    double magnitude = 0.0;
    for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
      const auto row = to_size(pattern.row[p]);
      const double term = scaled[row] * point.jacobian[p] * point.scales.row[row];
      part += term;
      magnitude += std::abs(term);
    }
    // Entries that cancel mean that the value takes no part in the contradiction.
    if (magnitude > 0.0 && std::abs(part) > conflict_fraction * magnitude)
      conflict.held.push_back(to_index(j));
  }
  return conflict;
}

/// Status, message and names of `result` for this conflict.
void describe_conflict(const Conflict& conflict, const ConstraintSet& constraints,
                       std::span<const InitialUnknown> unknowns, InitialValues& result) {
  result.status = Status::inconsistent_start;
  for (const Index i : conflict.equations) result.equations.push_back(constraints.equation_name(i));
  std::vector<std::string> values;
  for (const Index j : conflict.held) {
    result.variables.push_back(constraints.unknown_name(j));
    values.push_back(result.variables.back() + " = " + number_text(unknowns[j].value));
  }
  const bool one = result.equations.size() == 1;
  const std::string which =
      std::string(one ? "the equation " : "the equations ") + join_words(result.equations);
  if (values.empty()) {
    result.message = "No initial values were found for which " + which +
                     (one ? " holds" : " hold together") +
                     "; no fixed value takes part in it. Correct the equations, or give start "
                     "values nearer to a solution.";
    return;
  }
  result.message = "No initial values were found for which " + which +
                   (one ? " holds" : " hold together") + " with the fixed " +
                   (values.size() == 1 ? "value " : "values ") + join_words(values) + ". Free " +
                   (values.size() == 1 ? "it" : "one of them") +
                   " (fixed = false), correct it, or give better start values to the others.";
}

/// A row is met when |r_i| is below this times Σ|J_ij|(|u_j| + nominal_j).
constexpr double residual_tolerance = 1e-9;
/// Rows at the round-off of their own terms cannot be improved.
constexpr double residual_floor = 8.0 * round_off;
/// Eleven halvings; a search that needs shorter steps has stopped making progress.
constexpr double least_damping = 1.0 / 2048.0;
/// Start values at which the Jacobian vanishes (0 in x² + y² = 1) are left by small fixed
/// pseudo-random moves, each attempt farther away.
constexpr int n_attempts = 4;
constexpr double attempt_distance = 0.1;
/// Start values with less confidence than this are defaults.
constexpr double least_given = 0.01;
/// An unknown without a nominal value is small below this.
constexpr double small_value = 1e-2;
constexpr int polishing_steps = 4;
/// Values that follow from each other are computed so many times in a row.
constexpr int most_known_levels = 20;
/// Above this many entries the singular values of the dense road cost seconds.
constexpr Index dense_limit = 40'000;

/// A set that has no values any more once the signal is raised: every search over it ends.
class StoppableSet final : public ConstraintSet {
 public:
  StoppableSet(ConstraintSet& set, const StopSignal& stop) : set_(set), stop_(stop) {}

  [[nodiscard]] Index n_unknowns() const override { return set_.n_unknowns(); }
  [[nodiscard]] Index n_equations() const override { return set_.n_equations(); }
  Index residual(std::span<const double> u, std::span<double> values) override {
    return stop_.is_raised() ? 0 : set_.residual(u, values);
  }
  [[nodiscard]] const SparsityPattern& pattern() const override { return set_.pattern(); }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    return stop_.is_raised() ? 0 : set_.jacobian(u, values);
  }
  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    return set_.unknown_name(unknown);
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    return set_.equation_name(equation);
  }

 private:
  ConstraintSet& set_;
  const StopSignal& stop_;
};

class Search {
 public:
  Search(ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
         const InitializerOptions& options)
      : constraints_(constraints),
        pattern_(constraints.pattern()),
        unknowns_(unknowns.begin(), unknowns.end()),
        options_(options),
        u_(unknowns.size()),
        trial_(unknowns.size()),
        delta_(unknowns.size()),
        probe_(unknowns.size()),
        r_(to_size(constraints.n_equations())),
        trial_r_(r_.size()),
        magnitude_(r_.size()),
        jacobian_(to_size(pattern_.nonzeros())) {
    scales_.row.resize(r_.size());
    for (const auto& unknown : unknowns) {
      origin_.push_back(unknown.value);
      scales_.column.push_back(unknown.role == Role::guess ? unknown.nominal / unknown.confidence
                                                           : unknown.nominal);
    }
    for (std::size_t j = 0; j < options.origin.size(); ++j)
      if (unknowns[j].role != Role::held) origin_[j] = options.origin[j];
  }

  /// Where the search begins, for later attempts with a move of `attempt` tenths of the nominal
  /// values.
  void place(int attempt) {
    std::minstd_rand random(static_cast<unsigned>(1 + attempt));
    for (std::size_t j = 0; j < u_.size(); ++j) {
      u_[j] = origin_[j];
      const double draw = static_cast<double>(random()) / std::minstd_rand::max() - 0.5;
      if (unknowns_[j].role != Role::held)
        u_[j] += attempt * attempt_distance * 2.0 * draw * unknowns_[j].nominal;
    }
  }

  [[nodiscard]] bool is_causal() const { return options_.by_blocks; }
  [[nodiscard]] bool is_near() const { return options_.is_near; }
  [[nodiscard]] bool is_in_domain() { return evaluate() && linearize(); }

  /// Begins where values that follow from known ones are computed, not guessed, in later attempts
  /// with those that had to be guessed moved a little. False where that is outside the domain of
  /// the equations.
  bool propagate(int attempt) {
    place(attempt);
    propagate_known_values(constraints_, unknowns_, u_);
    if (!is_in_domain()) return false;
    origin_ = u_;
    return true;
  }
  void begin_at(const std::vector<double>& origin) { origin_ = origin; }
  [[nodiscard]] const std::vector<double>& origin() const { return origin_; }

  /// Replaces start values that are defaults by what follows from given ones: a mass of 0 says
  /// nothing where a level and a density determine the mass.
  void derive_defaults() {
    const auto is_default = [](const InitialUnknown& unknown) {
      return unknown.role == Role::guess && unknown.confidence < least_given;
    };
    if (!options_.derives_defaults || std::ranges::none_of(unknowns_, is_default)) return;
    place(0);
    propagate_known_values(constraints_, unknowns_, u_, {.judges_by_values = true});
    for (std::size_t j = 0; j < u_.size(); ++j)
      if (is_default(unknowns_[j]) && std::isfinite(u_[j])) unknowns_[j].value = origin_[j] = u_[j];
  }

  /// Begins where the equations were solved block by block. False when they could not be.
  bool solve_blocks() {
    place(0);
    const auto plan = plan_blocks(pattern_, unknowns_);
    if (!solve_block_by_block(*plan, constraints_, unknowns_, u_) || !is_in_domain()) return false;
    origin_ = u_;
    return true;
  }

  /// Solves for as many unknowns as there are equations: those that are free, or guesses too.
  /// True when every equation is met at the end.
  bool solve_causally(bool with_guesses, InitializerMemory& memory) {
    std::vector<InitialUnknown> roles(unknowns_.begin(), unknowns_.end());
    for (InitialUnknown& unknown : roles)
      if (unknown.role == Role::guess && !with_guesses) unknown.role = Role::held;
    const auto n = std::ranges::count_if(roles, [](const auto& u) { return u.role != Role::held; });
    if (n != constraints_.n_equations()) return false;
    place(0);
    auto& plan = memory.plans[with_guesses ? 1 : 0];
    if (!plan) plan = plan_blocks(pattern_, roles);
    if (!solve_block_by_block(*plan, constraints_, roles, u_, most_evaluated, true) || !evaluate())
      return false;
    // An infinite slope, of a root at 0, is no matter where the equation holds.
    constraints_.jacobian(u_, jacobian_);
    for (double& entry : jacobian_)
      if (!std::isfinite(entry)) entry = 0.0;
    weigh();
    return is_met();
  }

  /// True when every equation is met at the end.
  bool newton(MoveStep& step) {
    if (!evaluate()) return false;
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (!linearize()) return false;
      if (at_floor()) return true;
      if (!step.factor(jacobian_, scales_)) return false;
      ++iterations_;
      step.normal(r_, delta_);
      const bool last = is_small(delta_, options_.tolerance);
      if (!advance(step)) break;
      if (last) break;
    }
    return linearize() && is_met();
  }

  /// Whether unknowns without a nominal value are far below 1: the tests above then check few of
  /// their digits.
  [[nodiscard]] bool has_small() const {
    for (std::size_t j = 0; j < u_.size(); ++j) {
      const double size = std::abs(u_[j]);
      const bool is_known = unknowns_[j].nominal != 1.0 || unknowns_[j].role == Role::held;
      if (!is_known && size > 0.0 && size < small_value) return true;
    }
    return false;
  }

  /// A few steps more, as long as they converge, for the digits of small unknowns.
  void polish(MoveStep& step) {
    for (int k = 0; k < polishing_steps; ++k) {
      if (!evaluate() || !linearize() || !step.factor(jacobian_, scales_)) return;
      step.normal(r_, delta_);
      double greatest = 0.0;
      for (std::size_t j = 0; j < u_.size(); ++j) {
        if (u_[j] != 0.0) greatest = std::max(greatest, std::abs(delta_[j] / u_[j]));
      }
      if (greatest <= options_.tolerance || !advance(step)) return;
    }
  }

  /// What follows from held values one after the other, as from time, has these values without the
  /// rounding errors of solving for all unknowns together: whether two are equal may decide.
  void settle_known() {
    std::vector<std::vector<std::pair<Index, Index>>> row(r_.size());  // column, entry
    std::vector<int> level(u_.size(), most_known_levels);
    for (std::size_t j = 0; j < u_.size(); ++j) {
      if (unknowns_[j].role == Role::held) level[j] = -1;
      for (Index p = pattern_.column_start[j]; p < pattern_.column_start[j + 1]; ++p)
        row[pattern_.row[p]].emplace_back(to_index(j), p);
    }
    bool has_moved = true;
    for (int k = 0; k < most_known_levels && has_moved && evaluate() && linearize(); ++k) {
      has_moved = false;
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::erase_if(row[i], [&](const auto& place) { return level[place.first] < k; });
        if (row[i].size() != 1 || level[row[i].front().first] <= k) continue;
        const auto [j, p] = row[i].front();
        const double step = r_[i] / jacobian_[p];
        if (!(std::abs(step) <= residual_floor * (std::abs(u_[j]) + unknowns_[j].nominal)))
          continue;
        u_[j] -= step;
        level[j] = k;
        has_moved = true;
      }
    }
  }

  /// Moves along the equations while that brings the guesses nearer to where they came from.
  void bring_back(MoveStep& step) {
    double length = 1.0;
    double distance = guess_distance();
    std::vector<double> best = u_;
    for (int k = 0; k < options_.max_iterations && length > 1e-3 && distance > 0.0; ++k) {
      if (!linearize() || !step.factor(jacobian_, scales_)) break;
      for (std::size_t j = 0; j < u_.size(); ++j) probe_[j] = u_[j] - unknowns_[j].value;
      step.tangent(probe_, delta_);
      if (is_small(delta_, options_.tolerance)) break;
      for (std::size_t j = 0; j < u_.size(); ++j) u_[j] += length * delta_[j];
      const bool met = newton(step);
      const double reached = guess_distance();
      if (met && reached < distance) {
        const bool settled = distance - reached < 1e-12 * distance;
        distance = reached;
        best = u_;
        length = std::min(1.0, 1.5 * length);
        if (settled) break;
      } else {
        u_ = best;
        length *= 0.5;
      }
    }
    u_ = best;
    evaluate();
  }

  [[nodiscard]] Index bad_row() const { return bad_row_; }
  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] const std::vector<double>& u() const { return u_; }
  void return_to(const std::vector<double>& u) { u_ = u; }
  /// How far the guesses have moved, in nominal values.
  [[nodiscard]] double guess_distance() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < u_.size(); ++j)
      if (unknowns_[j].role == Role::guess)
        sum += std::pow((u_[j] - unknowns_[j].value) / scales_.column[j], 2);
    return std::sqrt(sum);
  }

  /// What stands in the way at the current point.
  void explain(InitialValues& result) {
    result.values = u_;
    if (result.left_domain < 0 && is_in_domain()) {
      const ConflictPoint point{.u = u_, .residual = r_, .jacobian = jacobian_, .scales = scales_};
      describe_conflict(find_conflict(pattern_, unknowns_, point), constraints_, unknowns_, result);
      return;
    }
    const Index bad = result.left_domain >= 0 ? result.left_domain : bad_row_;
    result.status = Status::non_finite_value;
    result.equations = {constraints_.equation_name(bad)};
    result.message = "The equation " + result.equations.front() +
                     " is not finite at the start values. Look for divisions by zero, roots and "
                     "logarithms there, and give start values inside their domain.";
  }

  [[nodiscard]] bool is_met() const { return worst_row() <= residual_tolerance; }
  bool check() { return evaluate() && linearize() && is_met(); }

 private:
  bool evaluate() {
    bad_row_ = constraints_.residual(u_, r_);
    return bad_row_ < 0;
  }

  /// What is held does not move: a slope along it, infinite for the root of a fixed 0, is not
  /// needed. False where another one is not finite.
  bool forget_held_slopes() {
    bad_row_ = -1;
    for (std::size_t j = 0; j < u_.size(); ++j) {
      for (Index p = pattern_.column_start[j]; p < pattern_.column_start[j + 1]; ++p) {
        double& entry = jacobian_[p];
        if (std::isfinite(entry)) continue;
        if (unknowns_[j].role == Role::held) {
          entry = 0.0;
        } else {
          bad_row_ = pattern_.row[p];
          return false;
        }
      }
    }
    return true;
  }

  bool linearize() {
    bad_row_ = constraints_.jacobian(u_, jacobian_);
    if (bad_row_ >= 0 && !forget_held_slopes()) return false;
    weigh();
    return true;
  }

  /// The scales and sizes of the rows, from jacobian_.
  void weigh() {
    std::vector<double> moving(r_.size(), 0.0);
    std::vector<double> any(r_.size(), 0.0);
    std::fill(magnitude_.begin(), magnitude_.end(), 0.0);
    for (std::size_t j = 0; j < u_.size(); ++j) {
      for (Index p = pattern_.column_start[j]; p < pattern_.column_start[j + 1]; ++p) {
        const auto i = to_size(pattern_.row[p]);
        const double entry = std::abs(jacobian_[p]);
        magnitude_[i] += entry * (std::abs(u_[j]) + unknowns_[j].nominal);
        auto& greatest = unknowns_[j].role == Role::held ? any[i] : moving[i];
        greatest = std::max(greatest, entry * scales_.column[j]);
      }
    }
    for (std::size_t i = 0; i < r_.size(); ++i) {
      const double greatest = moving[i] > 0.0 ? moving[i] : any[i];
      scales_.row[i] = greatest > 0.0 ? 1.0 / greatest : 1.0;
    }
  }

  /// One damped step along delta_: accepted when the residual or the simplified Newton correction
  /// shrinks (Deuflhard's natural monotonicity test).
  bool advance(MoveStep& step) {
    const double merit = norm(r_);
    const double length = step_norm(delta_);
    for (double damping = 1.0; damping >= least_damping; damping *= 0.5) {
      for (std::size_t j = 0; j < u_.size(); ++j) trial_[j] = u_[j] + damping * delta_[j];
      if (constraints_.residual(trial_, trial_r_) >= 0) continue;
      bool better = norm(trial_r_) <= (1.0 - 0.1 * damping) * merit;
      if (!better) {
        step.normal(trial_r_, probe_);
        better = step_norm(probe_) <= (1.0 - 0.25 * damping) * length;
      }
      if (!better) continue;
      u_.swap(trial_);
      r_.swap(trial_r_);
      return true;
    }
    return false;
  }

  [[nodiscard]] double norm(std::span<const double> r) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += std::pow(r[i] * scales_.row[i], 2);
    return std::sqrt(sum);
  }

  [[nodiscard]] double step_norm(std::span<const double> delta) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < delta.size(); ++j) sum += std::pow(delta[j] / scales_.column[j], 2);
    return std::sqrt(sum);
  }

  [[nodiscard]] bool is_small(std::span<const double> delta, double tolerance) const {
    for (std::size_t j = 0; j < delta.size(); ++j)
      if (std::abs(delta[j]) > tolerance * (std::abs(u_[j]) + unknowns_[j].nominal)) return false;
    return true;
  }

  [[nodiscard]] double worst_row() const {
    double worst = 0.0;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      if (r_[i] == 0.0) continue;
      worst = std::max(worst, magnitude_[i] > 0.0 ? std::abs(r_[i]) / magnitude_[i] : infinity);
    }
    return worst;
  }

  [[nodiscard]] bool at_floor() const { return worst_row() <= residual_floor; }

  ConstraintSet& constraints_;
  const SparsityPattern& pattern_;
  std::vector<InitialUnknown> unknowns_;
  InitializerOptions options_;
  std::vector<double> origin_;  ///< where every attempt begins
  std::vector<double> u_, trial_, delta_, probe_;
  std::vector<double> r_, trial_r_, magnitude_;
  std::vector<double> jacobian_;
  StepScales scales_;
  Index bad_row_ = -1;
  int iterations_ = 0;
};

/// Tries a step solver from the start values and from points around them.
bool attempt_all(Search& search, MoveStep& step) {
  for (int attempt = 0; attempt < n_attempts; ++attempt) {
    search.place(attempt);
    if (search.newton(step)) return true;
  }
  return false;
}

void list_moves(const ConstraintSet& constraints, std::span<const InitialUnknown> unknowns,
                InitialValues& result) {
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const auto& unknown = unknowns[j];
    if (unknown.role != Role::guess) continue;
    const double move = std::abs(result.values[j] - unknown.value);
    if (move <= residual_tolerance * (std::abs(unknown.value) + unknown.nominal)) continue;
    result.moved.push_back({.unknown = to_index(j),
                            .name = constraints.unknown_name(to_index(j)),
                            .from = unknown.value,
                            .to = result.values[j]});
  }
}

std::unique_ptr<MoveStep> make_general_step(const SparsityPattern& pattern,
                                            std::span<const InitialUnknown> unknowns) {
  if (pattern.rows * pattern.columns <= dense_limit) return make_dense_step(pattern, unknowns);
  return make_sparse_step(pattern, unknowns);
}

/// If given values have to move by more than this, in nominal values, other units are tried. They
/// are better if the values then move by less than the second share of that.
constexpr double visible_move = 1e-3;
constexpr double much_nearer = 0.5;

/// Values that are given, and meet the equations, stay as they are.
bool hold_guesses(Search& search, const SparsityPattern& pattern,
                  std::span<const InitialUnknown> unknowns) {
  std::vector<InitialUnknown> held(unknowns.begin(), unknowns.end());
  for (InitialUnknown& unknown : held) {
    if (unknown.role == Role::guess) unknown.role = Role::held;
  }
  search.place(0);
  return search.newton(*make_dense_step(pattern, held, Units::balanced));
}

void move_less(Search& search, const SparsityPattern& pattern,
               std::span<const InitialUnknown> unknowns) {
  if (pattern.rows * pattern.columns > dense_limit) return;
  const std::vector<double> found = search.u();
  if (hold_guesses(search, pattern, unknowns)) return;
  search.return_to(found);
  const double distance = search.guess_distance();
  const auto balanced = make_dense_step(pattern, unknowns, Units::balanced);
  if (attempt_all(search, *balanced)) {
    search.bring_back(*balanced);
    if (search.guess_distance() < much_nearer * distance) return;
  }
  search.return_to(found);
}

bool solve_from_origin(Search& search, const SparsityPattern& pattern,
                       std::span<const InitialUnknown> unknowns, InitializerMemory& memory) {
  for (const bool with_guesses : {false, true})
    if (MoveStep* const square = memory.square_step(with_guesses))
      if (attempt_all(search, *square)) return true;
  search.derive_defaults();
  const auto general = make_general_step(pattern, unknowns);
  if (attempt_all(search, *general)) {
    if (search.guess_distance() > 0.0) search.bring_back(*general);
    if (search.guess_distance() > visible_move) move_less(search, pattern, unknowns);
    return true;
  }
  // The point of rest nearest to the start values is the one to explain.
  search.place(0);
  search.newton(*general);
  return false;
}

/// By Newton's method from the guesses alone.
bool solve_near(Search& search, const SparsityPattern& pattern,
                std::span<const InitialUnknown> unknowns, InitializerMemory& memory) {
  for (const bool with_guesses : {false, true}) {
    MoveStep* const square = memory.square_step(with_guesses);
    if (square != nullptr && search.newton(*square)) return true;
    search.place(0);
  }
  return search.newton(*make_general_step(pattern, unknowns));
}

bool solve_from_known(Search& search, const SparsityPattern& pattern,
                      std::span<const InitialUnknown> unknowns, InitializerMemory& memory,
                      bool is_outside) {
  const std::vector<double> origin = search.origin();
  int attempt = 0;
  while (attempt < n_attempts && !search.propagate(attempt)) ++attempt;
  if (attempt < n_attempts && solve_from_origin(search, pattern, unknowns, memory)) return true;
  if (search.solve_blocks() && solve_from_origin(search, pattern, unknowns, memory)) return true;
  while (is_outside && ++attempt < n_attempts) {
    search.begin_at(origin);
    if (search.propagate(attempt) && solve_from_origin(search, pattern, unknowns, memory))
      return true;
  }
  return false;
}

void polish(Search& search, const SparsityPattern& pattern,
            std::span<const InitialUnknown> unknowns, InitializerMemory& memory) {
  if (!search.has_small()) return;
  for (const bool with_guesses : {false, true})
    if (MoveStep* const square = memory.square_step(with_guesses)) return search.polish(*square);
  if (pattern.rows * pattern.columns > dense_limit) return;
  search.polish(*make_dense_step(pattern, unknowns, Units::balanced));
}

bool solve(Search& search, const SparsityPattern& pattern, std::span<const InitialUnknown> unknowns,
           InitializerMemory& memory, InitialValues& result) {
  search.place(0);
  const bool movable = std::any_of(unknowns.begin(), unknowns.end(),
                                   [](const auto& u) { return u.role != Role::held; });
  if (!movable || pattern.rows == 0) return search.check();
  if (search.is_causal() &&
      (search.solve_causally(false, memory) || search.solve_causally(true, memory)))
    return true;
  search.place(0);
  if (search.is_near()) return solve_near(search, pattern, unknowns, memory);
  if (!search.is_in_domain()) {
    result.left_domain = search.bad_row();
    return solve_from_known(search, pattern, unknowns, memory, true);
  }
  if (solve_from_origin(search, pattern, unknowns, memory)) return true;
  const std::vector<double> rest = search.u();
  if (solve_from_known(search, pattern, unknowns, memory, false)) return true;
  search.return_to(rest);
  return false;
}

}  // namespace

InitialValues find_initial_values(ConstraintSet& constraints,
                                  std::span<const InitialUnknown> unknowns,
                                  const InitializerOptions& options) {
  InitialValues result;
  StoppableSet stoppable(constraints, options.stop);
  Search search(stoppable, unknowns, options);
  InitializerMemory own;
  InitializerMemory& memory = options.memory != nullptr ? *options.memory : own;
  memory.take(constraints.pattern(), unknowns);
  if (solve(search, constraints.pattern(), unknowns, memory, result)) {
    polish(search, constraints.pattern(), unknowns, memory);
    search.settle_known();
    result.values = search.u();
    list_moves(constraints, unknowns, result);
  } else if (options.stop.is_raised()) {
    result.status = options.stop.reason();
    result.message = options.stop.message("the search for consistent values");
    result.values = search.u();
  } else {
    search.explain(result);
  }
  result.iterations = search.iterations();
  return result;
}

}  // namespace daedal::analysis
