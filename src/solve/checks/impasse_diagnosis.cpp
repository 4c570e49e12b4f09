// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/impasse_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <daedal/error.hpp>
#include <numeric>

#include "analysis/fold_point.hpp"
#include "analysis/structural_report.hpp"
#include "formulation/frame/written_equations.hpp"
#include "linalg/dense/rank.hpp"
#include "model/labels.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

namespace {

using analysis::Fold;
using analysis::FoldSample;

/// The last states of a run are kept, spread evenly over the logarithm of t* − t: so many are at
/// least five a decade. Large models keep fewer, so that memory holds at most `most_numbers`.
constexpr std::size_t most_kept_states = 64;
constexpr std::size_t least_states = 8;
constexpr std::size_t most_numbers = std::size_t{1} << 20;
/// Dense decompositions of larger blocks take seconds.
constexpr std::size_t largest_judged_block = 120;
/// The end of a solution is within this share of the way of the end of the run.
constexpr double small_share = 1e-6;
/// Slopes are fitted on the way to a point at which they are infinite, between these shares of the
/// way. The samples must spread over at least the third number and lie on a line up to the fourth,
/// both in natural logarithms.
constexpr double nearest_share = 1e-9;
constexpr double farthest_share = 1e-2;
constexpr double least_decades = 6.9;
constexpr double largest_misfit = 0.3;
/// Bounds of the exponent of the slopes: 1/2 at a fold, 1 for a logarithm, which is unbounded.
constexpr double least_exponent = 0.4;
constexpr double greatest_exponent = 0.97;
/// Entries of null vectors below this share of the greatest are not named.
constexpr double least_weight_share = 0.1;

/// A point of the run in the variables of the equations as written.
struct Point {
  double t = 0.0;
  std::vector<double> x, xp;
};

/// The blocks of the system Jacobian along the points of a run.
class Blocks {
 public:
  Blocks(const formulation::WrittenEquations& system, analysis::StructuralReport report,
         std::vector<Point> points, Run& modes)
      : system_(system),
        points_(std::move(points)),
        report_(std::move(report)),
        row_of_(to_size(system.size()), -1),
        run_(system.make_run()) {
    auto& own = formulation::run_of<formulation::ModelRun>(*run_);
    own.modes = modes.modes;
    own.discretes = modes.discretes;
    own.pre = modes.discretes;
    own.parameters = parameters_of(modes);
    for (std::size_t i = 0; i < report_.model.equations.size(); ++i) {
      row_of_[to_size(report_.model.equations[i])] = to_index(i);
    }
    find_places();
    complete();
    evaluate();
  }

  [[nodiscard]] bool is_finite() const { return is_finite_; }
  [[nodiscard]] const Model& model() const { return system_.view().model; }
  [[nodiscard]] const analysis::StructuralReport& report() const { return report_; }

  /// J of one block at one point, rows and columns scaled by their size at the first point.
  [[nodiscard]] Matrix matrix(Index block, std::size_t point) const {
    Matrix first = unscaled(block, 0);
    Matrix result = point == 0 ? first : unscaled(block, point);
    for (Index i = 0; i < first.rows(); ++i) {
      const double size = first.row(i).cwiseAbs().maxCoeff();
      if (size == 0.0) continue;
      result.row(i) /= size;
      first.row(i) /= size;
    }
    for (Index j = 0; j < first.cols(); ++j) {
      const double size = first.col(j).cwiseAbs().maxCoeff();
      if (size > 0.0) result.col(j) /= size;
    }
    return result;
  }

 private:
  /// The place of a row or of an unknown in the signature.
  struct Place {
    Index block = -1;
    Index inside = -1;
  };

  void find_places() {
    rows_.resize(report_.model.equations.size());
    columns_.resize(report_.model.unknowns.size());
    variables_.resize(to_size(report_.blocks.n_blocks()));
    for (Index b = 0; b < report_.blocks.n_blocks(); ++b) {
      const auto rows = report_.blocks.rows(b);
      const auto columns = report_.blocks.columns(b);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows_[to_size(rows[i])] = {b, to_index(i)};
        columns_[to_size(columns[i])] = {b, to_index(i)};
      }
    }
    for (std::size_t v = 0; v < report_.model.variables.size(); ++v) {
      const Index block = columns_[to_size(report_.model.variables[v].unknown)].block;
      variables_[to_size(block)].push_back(v);
    }
  }

  /// Unknowns that order reduction added are derivatives of others.
  void complete() {
    const auto& all = report_.model.variables;
    for (auto v = to_size(system_.view().n_given); v < all.size(); ++v) {
      for (const std::size_t u : variables_[to_size(columns_[to_size(all[v].unknown)].block)]) {
        if (all[u].unknown != all[v].unknown || all[u].order + 1 != all[v].order) continue;
        for (Point& point : points_) point.x[v] = point.xp[u];
      }
    }
  }

  void evaluate() {
    const auto nonzeros = to_size(system_.pattern().nonzeros());
    for (const Point& point : points_) {
      values_.emplace_back(nonzeros);
      derivatives_.emplace_back(nonzeros);
      is_finite_ = is_finite_ && system_.jacobian(point.t, point.x, point.xp, *run_, values_.back(),
                                                  derivatives_.back()) == Evaluation::ok;
    }
  }

  /// With the derivatives by all names that the derivative of order d_j − c_i of unknown j has: a
  /// variable, or the derivative of one.
  [[nodiscard]] Matrix unscaled(Index block, std::size_t point) const {
    const auto size = to_index(report_.blocks.rows(block).size());
    Matrix result = Matrix::Zero(size, size);
    const SparsityPattern& pattern = system_.pattern();
    for (const std::size_t v : variables_[to_size(block)]) {
      const auto [unknown, order] = report_.model.variables[v];
      for (auto p = to_size(pattern.column_start[v]); p < to_size(pattern.column_start[v + 1]);
           ++p) {
        const Index equation = row_of_[to_size(pattern.row[p])];
        if (equation < 0 || rows_[to_size(equation)].block != block) continue;
        const Index wanted =
            report_.offsets.d[to_size(unknown)] - report_.offsets.c[to_size(equation)];
        double& entry = result(rows_[to_size(equation)].inside, columns_[to_size(unknown)].inside);
        if (order == wanted) entry += values_[point][p];
        if (order + 1 == wanted) entry += derivatives_[point][p];
      }
    }
    return result;
  }

  const formulation::WrittenEquations& system_;
  std::vector<Point> points_;
  analysis::StructuralReport report_;
  std::vector<Index> row_of_;  ///< of the signature, by equation; −1 for definitions der(x) = v
  std::vector<Place> rows_, columns_;
  std::vector<std::vector<std::size_t>> variables_;  ///< of every block
  std::unique_ptr<Run> run_;
  std::vector<std::vector<double>> values_, derivatives_;  ///< F_x and F_x' at every point
  bool is_finite_ = true;
};

/// With as many digits as the extrapolation and the tolerance of the run leave.
std::string time_text(const Fold& fold, double rtol) {
  const double error = fold.uncertainty / std::max(std::abs(fold.t), fold.uncertainty) + rtol;
  const int digits = static_cast<int>(std::clamp(-std::log10(error), 3.0, 10.0));
  return fmt::format("{:.{}g}", fold.t, digits);
}

template <class Label>
std::string names(const Vector& weights, std::span<const Index> numbers, Label label) {
  const double greatest = weights.cwiseAbs().maxCoeff();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::abs(weights(to_index(i))) >= least_weight_share * greatest) {
      words.push_back(label(numbers[i]));
    }
  }
  return join_words(words);
}

/// Constraints of position that alone determine coordinates: differentiated twice, as accelerations
/// are, and none of their unknowns has a freedom left.
bool is_kinematic(const analysis::StructuralReport& report, Index block) {
  const auto rows = report.blocks.rows(block);
  const auto columns = report.blocks.columns(block);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index c = report.offsets.c[to_size(rows[i])];
    if (c < 2 || report.offsets.d[to_size(columns[i])] != c) return false;
  }
  return true;
}

SolutionEnd::Diagnosis describe(const Blocks& blocks, Index block, const Fold& fold, double rtol) {
  const Model& model = blocks.model();
  const analysis::StructuralReport& report = blocks.report();
  const linalg::Svd svd = linalg::svd(blocks.matrix(block, fold.sample));
  const Index last = svd.s.size() - 1;
  const std::string equations = names(svd.u.col(last), report.blocks.rows(block), [&](Index row) {
    return equation_label(model, report.model.equations[to_size(row)]);
  });
  const std::string unknowns = names(svd.v.col(last), report.blocks.columns(block), [&](Index j) {
    return fmt::format("'{}'", model.variables()[to_size(report.model.unknowns[to_size(j)])].name);
  });
  if (is_kinematic(report, block)) {
    return {Status::lock_up,
            fmt::format("The mechanism locks at t = {}: beyond this time no position satisfies {}, "
                        "and on the way there the velocity of {} grows without bound.",
                        time_text(fold, rtol), equations, unknowns),
            fold.t};
  }
  return {Status::impasse_point,
          fmt::format("The solution ends at t = {}: beyond this time {} cannot be solved for {}, "
                      "which turns back there with an infinite derivative.",
                      time_text(fold, rtol), equations, unknowns),
          fold.t};
}

/// The first block in the order of solution: blocks after it fail only because of it.
std::optional<SolutionEnd::Diagnosis> fold_of_blocks(const Blocks& blocks,
                                                     const std::vector<Point>& points,
                                                     double rtol) {
  for (Index b = 0; b < blocks.report().blocks.n_blocks(); ++b) {
    if (blocks.report().blocks.rows(b).size() > largest_judged_block) continue;
    std::vector<FoldSample> samples;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Matrix matrix = blocks.matrix(b, k);
      const double least = matrix.size() == 1 ? matrix(0, 0) : linalg::svd(matrix).s.minCoeff();
      samples.push_back({points[k].t, least * least});
    }
    // Singular from the beginning: the structure does not show the index, or the numbers do not.
    if (samples.front().q <= linalg::rank_tolerance * linalg::rank_tolerance) continue;
    if (const auto fold = analysis::find_fold(samples)) return describe(blocks, b, *fold, rtol);
  }
  return std::nullopt;
}

std::optional<SolutionEnd::Diagnosis> fold_of_solution(const Model& model,
                                                       const std::vector<Point>& points,
                                                       double rtol) {
  std::optional<Fold> found;
  std::vector<std::string> words;
  for (std::size_t j = 0; j < points.front().xp.size(); ++j) {
    std::vector<FoldSample> samples;
    for (const Point& point : points) {
      if (point.xp[j] != 0.0) samples.push_back({point.t, 1.0 / (point.xp[j] * point.xp[j])});
    }
    const auto fold = analysis::find_fold(samples);
    if (!fold) continue;
    if (!found) found = fold;
    words.push_back(fmt::format("'{}'", model.variables()[j].name));
  }
  if (!found) return std::nullopt;
  return SolutionEnd::Diagnosis{
      Status::impasse_point,
      fmt::format("The solution ends at t = {}: the derivative of {} grows there without bound, as "
                  "where a curve turns back.",
                  time_text(*found, rtol), join_words(words)),
      found->t};
}

/// The slope of log|y'| over log(t* − t) at `end` = t*, along points whose distances from it are
/// shares of the way between the two bounds; 0 where they lie on no line.
double exponent_of_slope(const std::vector<Point>& points, std::size_t variable, double end) {
  const double way = std::abs(end - points.front().t);
  std::vector<double> u, v;
  for (const Point& point : points) {
    const double left = std::abs(end - point.t);
    const double slope = std::abs(point.xp[variable]);
    if (!(slope > 0.0) || left < nearest_share * way || left > farthest_share * way) continue;
    u.push_back(std::log(left));
    v.push_back(std::log(slope));
  }
  const auto n = static_cast<double>(u.size());
  if (u.size() < least_states || u.front() - u.back() < least_decades) return 0.0;
  const double mean_u = std::accumulate(u.begin(), u.end(), 0.0) / n;
  const double mean_v = std::accumulate(v.begin(), v.end(), 0.0) / n;
  double uu = 0.0;
  double uv = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    uu += (u[i] - mean_u) * (u[i] - mean_u);
    uv += (u[i] - mean_u) * (v[i] - mean_v);
  }
  const double exponent = uv / uu;
  for (std::size_t i = 0; i < u.size(); ++i)
    if (std::abs(v[i] - mean_v - exponent * (u[i] - mean_u)) > largest_misfit) return 0.0;
  return exponent;
}

/// An algebraic variable like the fifth root of time at 0: its slope grows like (t* − t)^(−4/5),
/// faster than at a fold, and it stays bounded. The run has crawled up to t* itself.
std::optional<SolutionEnd::Diagnosis> root_of_solution(const GeneralView& view,
                                                       const std::vector<Point>& points, double end,
                                                       double rtol) {
  for (std::size_t j = 0; j < to_size(view.n_given); ++j) {
    if (view.is_differential[j]) continue;
    const double exponent = exponent_of_slope(points, j, end);
    if (!(exponent < -least_exponent && exponent > -greatest_exponent)) continue;
    return SolutionEnd::Diagnosis{
        Status::impasse_point,
        fmt::format("The solution ends at t = {}: the derivative of '{}' grows there without "
                    "bound, as that of a root at 0.",
                    time_text({.t = end}, rtol), view.model.variables()[j].name),
        end};
  }
  return std::nullopt;
}

}  // namespace

void SolutionEnd::forget() {
  std::ranges::move(states_, std::back_inserter(spare_));
  states_.clear();
}

void SolutionEnd::remember(const integration::StepReport& report,
                           const integration::Stepper& stepper, Run& run) {
  if (report.t1 != stepper.time()) return;
  const std::size_t room =
      std::clamp(most_numbers / (2 * stepper.x().size() + 1), least_states, most_kept_states);
  // In bulk: one at a time each step would look at all.
  if (states_.size() == room + room / 2) thin_out(room, report.t1);
  if (spare_.empty()) spare_.emplace_back();
  State& state = states_.emplace_back(std::move(spare_.back()));
  spare_.pop_back();
  state.t = report.t1;
  state.x_and_xp.resize(2 * stepper.x().size());
  std::ranges::copy(stepper.xp(), std::ranges::copy(stepper.x(), state.x_and_xp.begin()).out);
  state.memory = memory_of(run);
}

void SolutionEnd::thin_out(std::size_t room, double end) {
  while (states_.size() > room) {
    // How near the neighbours of a state are to each other, seen from the end of the run.
    std::vector<std::pair<double, std::size_t>> gaps;
    for (std::size_t i = 1; i + 1 < states_.size(); ++i) {
      gaps.emplace_back(
          std::abs(states_[i + 1].t - states_[i - 1].t) / std::abs(end - states_[i - 1].t), i);
    }
    std::ranges::sort(gaps);
    std::vector<bool> goes(states_.size(), false);
    std::size_t n_left = states_.size();
    for (const auto& [gap, i] : gaps) {
      if (n_left == room) break;
      if (goes[i - 1] || goes[i + 1]) continue;
      goes[i] = true;
      --n_left;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!goes[i]) std::swap(states_[kept++], states_[i]);
    }
    std::move(states_.begin() + static_cast<std::ptrdiff_t>(kept), states_.end(),
              std::back_inserter(spare_));
    states_.resize(kept);
  }
}

std::optional<SolutionEnd::Diagnosis> SolutionEnd::diagnose(
    Status status, const PreparedModel& model, const formulation::Formulation& formulation,
    double rtol, Run& run) const {
  if (!info(status).may_be_impasse || states_.size() < 3) return std::nullopt;
  const formulation::WrittenEquations& system = *model.written();
  const auto n = to_size(system.size());
  const auto n_given = to_size(system.view().n_given);
  std::vector<Point> points;
  std::vector<double> values(formulation.outputs.names.size());
  for (const State& state : states_) {
    Point point{.t = state.t, .x = std::vector<double>(n), .xp = std::vector<double>(n_given)};
    memory_of(run) = state.memory;
    const std::span<const double> numbers = state.x_and_xp;
    formulation.outputs.to_model(state.t, numbers.first(numbers.size() / 2),
                                 numbers.last(numbers.size() / 2), run, values, point.xp);
    std::copy_n(values.begin(), n_given, point.x.begin());
    point.xp.resize(n);
    // Most equations do not depend on the derivatives that a method does not give.
    for (double& value : point.xp) value = std::isfinite(value) ? value : 0.0;
    points.push_back(std::move(point));
  }
  std::optional<Diagnosis> found;
  if (auto report = analysis::find_structural_report(system.view().model)) {
    const Blocks blocks(system, std::move(*report), points, run);
    if (blocks.is_finite()) found = fold_of_blocks(blocks, points, rtol);
  }
  const double end = points.back().t;
  const double first = points.front().t;
  if (!found) {
    found = fold_of_solution(system.view().model, points, rtol);
    // Up to a fold values are finite, and steps are possible. What ends a run short of it is
    // another cause, as log(x) at x = 0.
    const bool goes_to_the_end =
        status == Status::non_finite_value || status == Status::step_size_underflow;
    const bool is_short = found && std::abs(found->t - end) > small_share * std::abs(end - first);
    if (goes_to_the_end && is_short) found.reset();
  }
  // What was passed was no fold.
  if (found && (found->t - first) / (end - first) > 1.0 - small_share) return found;
  const auto root = root_of_solution(system.view(), points, end, rtol);
  return root ? root : found;
}

}  // namespace daedal::solve_detail
