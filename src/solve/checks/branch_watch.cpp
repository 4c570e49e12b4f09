// SPDX-License-Identifier: BSD-3-Clause
#include "solve/checks/branch_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/structural_report.hpp"
#include "expr/affine.hpp"
#include "expr/calculus.hpp"
#include "formulation/singular/minimum_scan.hpp"
#include "linalg/dense/rank.hpp"
#include "solve/run/output_map.hpp"

namespace daedal::solve_detail {

namespace {

/// Analysing larger models and computing determinants of larger blocks would slow a run down.
constexpr std::size_t most_variables = 1000;
constexpr std::size_t largest_nonlinear_block = 30;
/// Newton's method only halves the distance to a double root, which rounding errors blur to the
/// square root of the round-off.
constexpr int most_iterations = 60;
constexpr double converged = 1e-13;
constexpr double nearly_converged = 1e-6;
/// The step of second differences, in the sizes of the unknowns.
constexpr double probe = 1e-4;
/// Solutions that are no farther apart than so many tolerances, or than rounding errors leave of a
/// double root, are one.
constexpr double few_tolerances = 10.0;
constexpr double double_root = 1e-7;
/// The greatest distance of the other solution, in the sizes of the unknowns: z and -z are two
/// apart.
constexpr double farthest = 4.0;
/// Each look at the other solution is nearer to the instant by the first factor. Its distance must
/// shrink by at least the second.
constexpr double nearer_look = 0.25;
constexpr double comes_nearer = 0.6;
constexpr double most_calm_steps = 8.0;
constexpr int most_looks = 6;
/// Three samples show a minimum in a step of up to this order. Steps of a higher one are cut.
constexpr int order_of_part = 8;
/// (z⁴)' / (z⁴)'' leads a third of the way from z = 1 to −1.
constexpr std::array multiples = {1.0, 3.0};

/// Every name that the derivative of this order of an unknown goes by.
NonlinearBlock::Unknown names_of(const analysis::StructuralModel& model, Index unknown,
                                 Index order) {
  NonlinearBlock::Unknown result;
  const auto add = [&](Index wanted, std::vector<std::size_t>& names) {
    if (wanted < 0) return;
    const Index v = analysis::nearest_variable(model, {unknown, wanted});
    if (model.variables[to_size(v)].order == wanted) names.push_back(to_size(v));
  };
  add(order, result.variables);
  add(order - 1, result.derivatives);
  return result;
}

struct Source {
  const GeneralView& view;
  Pool& pool;  ///< a child of the view's
  std::span<const kernel::Input> inputs;
};

/// Nothing where the block is linear, or has equations that are differentiated differently often.
std::optional<NonlinearBlock> nonlinear_block(const Source& source,
                                              const analysis::StructuralReport& report,
                                              Index number) {
  const GeneralView& view = source.view;
  const auto rows = report.blocks.rows(number);
  const auto columns = report.blocks.columns(number);
  if (rows.size() > largest_nonlinear_block) return std::nullopt;
  const Index times = report.offsets.c[to_size(rows.front())];
  NonlinearBlock block;
  std::vector<NodeId> roots;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (report.offsets.c[to_size(rows[k])] != times) return std::nullopt;
    roots.push_back(view.residuals[to_size(report.model.equations[to_size(rows[k])])]);
    const Index order = report.offsets.d[to_size(columns[k])] - times;
    if (order < 0) return std::nullopt;
    const auto& unknown = block.unknowns.emplace_back(names_of(report.model, columns[k], order));
    block.n_groups =
        std::max(block.n_groups, unknown.variables.size() + unknown.derivatives.size());
  }
  std::vector<std::vector<NodeId>> groups(block.n_groups,
                                          std::vector<NodeId>(rows.size(), no_node));
  std::vector<NodeId> leaves;
  for (std::size_t k = 0; k < block.unknowns.size(); ++k) {
    std::size_t group = 0;
    for (const std::size_t v : block.unknowns[k].variables) groups[group++][k] = view.x[v];
    for (const std::size_t v : block.unknowns[k].derivatives) groups[group++][k] = view.xp[v];
    for (std::size_t g = 0; g < group; ++g) leaves.push_back(groups[g][k]);
  }
  // Where a relation depends on an unknown, each of its sides may be affine.
  std::ranges::sort(leaves);
  if (view.relations.empty() && std::ranges::all_of(roots, [&](NodeId root) {
        return is_affine(source.pool, root, leaves);
      })) {
    return std::nullopt;
  }
  std::vector<NodeId> slopes;
  for (const auto& entry : daedal::jacobian(source.pool, roots, leaves))
    slopes.push_back(entry.value);
  const bool is_nonlinear = std::ranges::any_of(
      dependencies(source.pool, slopes),
      [&](NodeId leaf) { return std::ranges::find(leaves, leaf) != leaves.end(); });
  if (!is_nonlinear) return std::nullopt;
  block.equations =
      kernel::JacobianProgram::compile(source.pool, {.roots = roots,
                                                     .groups = {groups.begin(), groups.end()},
                                                     .inputs = source.inputs,
                                                     .with_values = true});
  return block;
}

}  // namespace

std::vector<NonlinearBlock> nonlinear_blocks(
    const GeneralView& view, const std::optional<analysis::StructuralReport>& report) {
  // Unknowns that order reduction has added are in no row.
  const bool is_possible =
      view.n_given == to_index(view.x.size()) && view.x.size() <= most_variables;
  std::vector<NonlinearBlock> blocks;
  if (!is_possible || !report) return blocks;
  Pool pool(view.pool);
  const auto inputs = formulation::model_inputs(view.model, pool);
  for (Index b = 0; b < report->blocks.n_blocks(); ++b)
    if (auto block = nonlinear_block({view, pool, inputs}, *report, b))
      blocks.push_back(std::move(*block));
  return blocks;
}

BranchWatch::BranchWatch(std::shared_ptr<const formulation::WrittenEquations> system,
                         std::span<const NonlinearBlock> blocks, const Tolerances& tolerances)
    : system_(std::move(system)), tolerances_(tolerances), curve_(system_->view().is_differential) {
  if (blocks.empty()) return;
  own_run_ = system_->make_model_run<formulation::ModelRun>();
  x_.resize(to_size(system_->size()));
  xp_.resize(x_.size());
  for (const NonlinearBlock& block : blocks) {
    const Index n = to_index(block.unknowns.size());
    Work& work = works_.emplace_back();
    work.block = &block;
    work.workspace = block.equations.make_workspace();
    work.groups.assign(block.n_groups,
                       std::vector<double>(to_size(block.equations.pattern().nonzeros())));
    work.spans.assign(work.groups.begin(), work.groups.end());
    work.matrix.setZero(n, n);
    work.factors = linalg::DenseLu<double>(n);
    for (auto* each : {&work.residual, &work.size, &work.row_size, &work.correction, &work.kept,
                       &work.before, &work.beyond})
      each->setZero(n);
  }
}

void BranchWatch::forget() {
  last_ = calm_until_ = std::numeric_limits<double>::quiet_NaN();
}

bool BranchWatch::read(double t, const AcceptedStep& step) {
  const bool has_values = curve_.read(t, step, x_, xp_);
  // Most equations do not depend on the derivatives that a method does not give.
  for (double& slope : xp_) slope = std::isfinite(slope) ? slope : 0.0;
  return has_values;
}

double BranchWatch::value(const Work& work, Index unknown) const {
  const auto& names = work.block->unknowns[to_size(unknown)];
  return names.variables.empty() ? xp_[names.derivatives.front()] : x_[names.variables.front()];
}

void BranchWatch::store(const Work& work, Vector& out) const {
  for (Index k = 0; k < out.size(); ++k) out(k) = value(work, k);
}

void BranchWatch::restore(Work& work, const Vector& values) {
  for (Index k = 0; k < values.size(); ++k) {
    const auto& names = work.block->unknowns[to_size(k)];
    for (const std::size_t v : names.variables) x_[v] = values(k);
    for (const std::size_t v : names.derivatives) xp_[v] = values(k);
  }
}

void BranchWatch::move(Work& work, const Vector& by) {
  for (Index k = 0; k < by.size(); ++k) {
    const auto& names = work.block->unknowns[to_size(k)];
    for (const std::size_t v : names.variables) x_[v] += by(k);
    for (const std::size_t v : names.derivatives) xp_[v] += by(k);
  }
}

bool BranchWatch::evaluate(double t, Work& work) {
  const kernel::JacobianProgram& equations = work.block->equations;
  equations.evaluate(own_run_->blocks(t, x_, xp_), work.spans, work.workspace,
                     {work.residual.data(), to_size(work.residual.size())});
  work.matrix.setZero();
  const SparsityPattern& pattern = equations.pattern();
  for (Index j = 0; j < work.matrix.cols(); ++j) {
    for (auto p = to_size(pattern.column_start[to_size(j)]);
         p < to_size(pattern.column_start[to_size(j) + 1]); ++p)
      for (const auto& group : work.groups) work.matrix(pattern.row[p], j) += group[p];
  }
  return work.matrix.allFinite() && work.residual.allFinite();
}

bool BranchWatch::factor(Work& work) {
  std::copy_n(work.matrix.data(), work.matrix.size(), work.factors.matrix().begin());
  return work.factors.factor().ok;
}

double BranchWatch::log_determinant(double t, Work& work) {
  if (!evaluate(t, work)) return std::numeric_limits<double>::quiet_NaN();
  const auto nominals = system_->nominals();
  for (Index k = 0; k < work.size.size(); ++k) {
    const auto& names = work.block->unknowns[to_size(k)];
    const double least =
        names.variables.empty() || nominals.empty() ? 0.0 : nominals[names.variables.front()];
    const bool has_nominal = least != 1.0 && least != 0.0;
    work.size(k) = std::max({work.size(k), std::abs(value(work, k)), has_nominal ? least : 0.0});
  }
  for (Index j = 0; j < work.matrix.cols(); ++j) {
    const double size = work.size(j) > 0.0 ? work.size(j) : 1.0;
    work.row_size = work.row_size.cwiseMax(size * work.matrix.col(j).cwiseAbs());
  }
  const double log = factor(work) ? work.factors.log_determinant() : -infinity;
  work.usual = std::max(work.usual, log);
  return log;
}

/// Interpolants round off kinks: the equations themselves tell where the solution is.
double BranchWatch::log_determinant_inside(double t, Work& work) {
  store(work, work.before);
  if (!solve(t, work)) restore(work, work.before);
  return log_determinant(t, work);
}

bool BranchWatch::sample(double t, const AcceptedStep& step, double Work::* place) {
  if (!read(t, step)) return false;
  for (Work& work : works_)
    work.*place =
        place == &Work::middle ? log_determinant_inside(t, work) : log_determinant(t, work);
  return true;
}

bool BranchWatch::solve(double t, Work& work) {
  double last = infinity;
  for (int k = 0; k < most_iterations; ++k) {
    if (!evaluate(t, work)) return false;
    if (work.residual.isZero(0.0)) return true;
    if (!factor(work)) return last < nearly_converged;
    work.correction = -work.residual;
    work.factors.solve({work.correction.data(), to_size(work.correction.size())});
    move(work, work.correction);
    double moved = 0.0;
    for (Index j = 0; j < work.size.size(); ++j)
      if (work.size(j) > 0.0) moved = std::max(moved, std::abs(work.correction(j)) / work.size(j));
    if (moved <= converged) return true;
    last = moved;
  }
  return last < nearly_converged;
}

/// F(w + αv) = α σ u + α² c u + …: besides at 0 it vanishes near α = −σ/c.
std::optional<BranchWatch::Expected> BranchWatch::expected(double t, Work& work) {
  if (!evaluate(t, work)) return std::nullopt;
  Matrix scaled = work.matrix * work.size.asDiagonal();
  for (Index i = 0; i < scaled.rows(); ++i)
    if (work.row_size(i) > 0.0) scaled.row(i) /= work.row_size(i);
  const linalg::Svd svd = linalg::svd(scaled);
  const Index last = scaled.cols() - 1;
  if (!svd.s.allFinite()) return std::nullopt;
  Expected result{.direction = svd.v.col(last)};
  const Vector way = work.size.cwiseProduct(result.direction) * probe;
  Vector bend = -2.0 * work.residual;
  store(work, work.kept);
  for (const double side : {1.0, -1.0}) {
    move(work, side * way);
    const bool is_finite = evaluate(t, work);
    restore(work, work.kept);
    if (!is_finite) return std::nullopt;
    bend += work.residual;
  }
  for (Index i = 0; i < bend.size(); ++i)
    if (work.row_size(i) > 0.0) bend(i) /= work.row_size(i);
  const double curvature = svd.u.col(last).dot(bend) / (2.0 * probe * probe);
  if (curvature == 0.0) return std::nullopt;
  result.distance = -svd.s(last) / curvature;
  return result;
}

std::optional<double> BranchWatch::distance(double t, const AcceptedStep& step, Work& work) {
  if (!read(t, step) || !solve(t, work)) return std::nullopt;
  store(work, work.before);
  const auto other = expected(t, work);
  if (!other || !(std::abs(other->distance) < farthest)) return std::nullopt;
  for (const double multiple : multiples) {
    restore(work, work.before);
    move(work, work.size.cwiseProduct(other->direction) * (multiple * other->distance));
    if (!solve(t, work)) continue;
    store(work, work.beyond);
    double apart = 0.0;
    for (Index k = 0; k < work.size.size(); ++k)
      if (work.size(k) > 0.0)
        apart = std::max(apart, std::abs(work.beyond(k) - work.before(k)) / work.size(k));
    // Newton's method may lead back to where it was, or to a third solution.
    const double foreseen =
        multiple * std::abs(other->distance) * other->direction.cwiseAbs().maxCoeff();
    if (apart > 0.5 * foreseen && apart < 2.0 * foreseen) return apart;
  }
  return std::nullopt;
}

/// A long step may end where the other solution is far from what the curvature tells.
bool BranchWatch::comes_near(const Sides& at, const AcceptedStep& step, Work& work) {
  double way = at.way;
  auto far = distance(at.t + way, step, work);
  for (int k = 0; k < most_looks; ++k) {
    const auto near = distance(at.t + nearer_look * way, step, work);
    if (far && near) return *near < comes_nearer * *far;
    way *= nearer_look;
    far = near;
  }
  return false;
}

void BranchWatch::examine(const Part& part, const AcceptedStep& step, Work& work) {
  using Scan = formulation::NearZeroScan;
  const auto square = [&](double log) { return std::exp(2.0 * (log - work.usual)); };
  const auto look = [&](double t) {
    return read(t, step) ? square(log_determinant_inside(t, work))
                         : std::numeric_limits<double>::quiet_NaN();
  };
  const double half = part.t0 + 0.5 * (part.t1 - part.t0);
  const auto least = Scan::least_inside({part.t0, square(work.begin)}, {half, square(work.middle)},
                                        {part.t1, square(work.end)}, look);
  if (!least) return;
  // Where the two are one, or as near to each other as the tolerance is wide.
  if (!read(least->t, step)) return;
  (void)solve(least->t, work);
  const auto here = expected(least->t, work);
  if (!here) return;
  double tolerance = tolerances_.rtol;
  Index named = 0;
  here->direction.cwiseAbs().maxCoeff(&named);
  if (work.size(named) > 0.0) tolerance += tolerances_.atol / work.size(named);
  if (std::abs(here->distance) > std::max(few_tolerances * tolerance, double_root)) return;
  const bool is_early = std::abs(part.t1 - least->t) > std::abs(least->t - part.t0);
  const double way = (is_early ? part.t1 : part.t0) - least->t;
  if (!comes_near({.t = least->t, .way = way}, step, work)) return;
  const auto& names = work.block->unknowns[to_size(named)];
  const std::string name =
      names.variables.empty()
          ? fmt::format("der({})", system_->unknown_name(to_index(names.derivatives.front())))
          : system_->unknown_name(to_index(names.variables.front()));
  sentence_ = fmt::format(
      "At t = {:.9g} two solutions for '{}' meet, or come as near to each other as the tolerance "
      "is wide, with no event: from there on both satisfy the equations, and which of them the run "
      "has followed is a matter of chance. An equation or a condition that tells them apart is "
      "missing.",
      least->t, name);
}

double BranchWatch::calm_steps() const {
  double steps = most_calm_steps;
  for (const Work& work : works_) {
    const double unit = std::max({work.begin, work.middle, work.end});
    const double begin = std::exp(work.begin - unit);
    const double middle = std::exp(work.middle - unit);
    const double end = std::exp(work.end - unit);
    const double slope = std::abs(3.0 * end - 4.0 * middle + begin);
    const double bend = 4.0 * std::abs(end - 2.0 * middle + begin);
    while (steps >= 1.0 && !(end > 2.0 * steps * (slope + bend * steps))) steps *= 0.5;
  }
  return steps >= 1.0 ? steps : 0.0;
}

void BranchWatch::look(const integration::StepReport& report, const AcceptedStep& step) {
  if (works_.empty() || !sentence_.empty() || report.t1 == report.t0) return;
  if ((calm_until_ - report.t1) / (report.t1 - report.t0) >= 0.0) return;
  Run& run = step.run;
  own_run_->modes = run.modes;
  own_run_->discretes = run.discretes;
  own_run_->pre = run.discretes;
  own_run_->parameters = parameters_of(run);
  const Failure before = run.failure;
  const int n_parts = std::max(1, (report.order + order_of_part - 1) / order_of_part);
  const double length = (report.t1 - report.t0) / n_parts;
  for (int k = 1; k <= n_parts; ++k) {
    const double end = k == n_parts ? report.t1 : report.t0 + k * length;
    look_into({.t0 = report.t0 + (k - 1) * length, .t1 = end}, step);
  }
  run.failure = before;
}

void BranchWatch::look_into(const Part& part, const AcceptedStep& step) {
  const double length = part.t1 - part.t0;
  if ((calm_until_ - part.t1) / length >= 0.0) return;
  const bool is_known = last_ == part.t0;
  for (Work& work : works_) work.begin = work.end;
  bool is_read = is_known || sample(part.t0, step, &Work::begin);
  is_read = is_read && sample(part.t0 + 0.5 * length, step, &Work::middle) &&
            sample(part.t1, step, &Work::end);
  forget();
  if (!is_read) return;
  last_ = part.t1;
  for (Work& work : works_)
    if (sentence_.empty()) examine(part, step, work);
  calm_until_ = part.t1 + calm_steps() * length;
}

}  // namespace daedal::solve_detail
