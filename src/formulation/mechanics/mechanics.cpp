// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/mechanics/mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/short_copy.hpp"
#include "formulation/constrained/manifold_newton.hpp"
#include "formulation/mechanics/eliminated_motion.hpp"
#include "formulation/mechanics/mechanical_manifold.hpp"
#include "formulation/mechanics/motion_lanes.hpp"
#include "formulation/regularized/refinement.hpp"
#include "formulation/singular/distance.hpp"
#include "formulation/singular/redundancy.hpp"
#include "formulation/singular/singularity.hpp"
#include "kernel/compiler/code.hpp"
#include "model/labels.hpp"

namespace daedal::formulation {

namespace {

SparsityPattern to_pattern(Index rows, Index columns, std::span<const JacobianEntry> entries) {
  SparsityPattern pattern;
  pattern.rows = rows;
  pattern.columns = columns;
  pattern.column_start.assign(to_size(columns) + 1, 0);
  for (const JacobianEntry& entry : entries) {
    ++pattern.column_start[to_size(entry.column) + 1];
    pattern.row.push_back(entry.row);
  }
  for (std::size_t j = 0; j < to_size(columns); ++j) {
    pattern.column_start[j + 1] += pattern.column_start[j];
  }
  return pattern;
}

void append_nodes(std::vector<NodeId>& nodes, std::span<const NodeId> more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

/// Multipliers so near to a singular position, as the square of a sine, are rounding errors.
constexpr double no_multipliers = 1e-12;

}  // namespace

Mechanics::Mechanics(const Request& request, ConstrainedView given)
    : ConstrainedContext(request, std::move(given), Meeting::by_levels),
      mass_pattern_(to_pattern(n(), n(), view().mass)),
      jacobian_pattern_(to_pattern(m(), n(), view().jacobian)),
      stops_at_singularities_(request.stop_at_singularities) {
  Pool pool(view().pool);
  const std::vector<kernel::Input> bound = inputs(pool);
  const auto compile = [&](const std::vector<NodeId>& nodes) {
    return kernel::Program::compile(pool, nodes, bound);
  };
  std::vector<NodeId> nodes;
  append_values(nodes, view().mass);
  mass_ = compile(nodes);
  nodes = view().levels[0];
  append_values(nodes, view().jacobian);
  position_ = compile(nodes);
  nodes = view().levels[1];
  append_nodes(nodes, view().levels[0]);
  append_nodes(nodes, view().remainder);
  append_values(nodes, view().jacobian);
  velocity_ = compile(nodes);
  nodes = eliminate_motion(pool, view(), {mass_pattern_, jacobian_pattern_});
  is_eliminated_ = !nodes.empty();
  motion_ = compile(nodes);
  is_motion_pure_ = std::ranges::none_of(motion_.code()->inputs, [](const auto& input) {
    return input.block != time_block && input.block != parameter_block &&
           input.block < first_state_block;
  });
}

Evaluator& Mechanics::further(Further part, MechanicalRun& run) const {
  const auto number = to_size(static_cast<int>(part));
  Evaluator& evaluator = run.work.further[number];
  if (evaluator.program != nullptr) return evaluator;
  const auto compile = [&] {
    Pool pool(view().pool);
    const std::vector<kernel::Input> bound = inputs(pool);
    std::vector<NodeId> nodes;
    append_values(nodes, view().mass);
    append_nodes(nodes, view().force);
    append_values(nodes, view().jacobian);
    append_nodes(nodes, view().remainder);
    if (part == Further::stabilized) {
      append_nodes(nodes, view().levels[1]);
      append_nodes(nodes, view().levels[0]);
    }
    return kernel::Program::compile(pool, nodes, bound);
  };
  evaluator = Evaluator(further_[number].get(compile));
  return evaluator;
}

void Mechanics::prepare_accelerations(bool damped, MechanicalRun& run) const {
  if (damped || !is_eliminated_)
    (void)further(damped ? Further::stabilized : Further::dynamics, run);
}

void Mechanics::prepare(MechanicalRun& run) const {
  ConstrainedContext::prepare(run);
  MechanicsWork& work = run.work;
  work.motion = Evaluator(motion_);
  work.further = {};
  work.position = Evaluator(position_);
  work.velocity = Evaluator(velocity_);
  work.mass = Evaluator(mass_);
  work.acceleration.assign(to_size(n()), 0.0);
  work.multipliers.assign(to_size(m()), 0.0);
  work.bottom.assign(to_size(m()), 0.0);
  work.moved_t = NAN;
  work.moved_x.assign(2 * to_size(n()), 0.0);
  work.solver.clear();
  work.solver.emplace_back(mass_pattern_, jacobian_pattern_);
  work.mass_is_factored = false;
  work.regular.reset();
  work.monitor.reset();
  work.conditioning.reset();
  work.at_ends.reset();
  MechanicalManifold(*this, Metric::mass).prepare(run);
}

std::span<const double*> Mechanics::blocks(const MechanicalPoint& at, MechanicalRun& run) const {
  const auto all = held_blocks(at.t, run);
  all[first_state_block] = at.q.data();
  all[first_state_block + 1] = at.v.data();
  return all;
}

Evaluation Mechanics::solve(double t, std::span<const double> x, ConstrainedRun& base) const {
  auto& run = run_of<MechanicalRun>(base);
  MechanicsWork& work = run.work;
  if (t == work.moved_t && std::equal(work.moved_x.begin(), work.moved_x.end(), x.begin())) {
    const double* const moved = work.motion.out().data();
    std::copy_n(moved, n(), work.acceleration.begin());
    std::copy_n(moved + n(), m(), work.multipliers.begin());
  } else if (const auto solved = accelerations(point(t, x), {}, run); solved != Evaluation::ok) {
    return solved;
  }
  if (work.solver.front().regularization() > 0.0 && !work.regular) refine_multipliers(work);
  multipliers_of_model(view(), run.work.multipliers, run.u);
  run.top = run.work.acceleration;
  return Evaluation::ok;
}

/// Ga − ελ = c was solved, where Ga = c is wished: −ελ is left, and then −ε times the last change.
void Mechanics::refine_multipliers(MechanicsWork& work) {
  const linalg::SaddlePointSolver& solver = work.solver.front();
  std::vector<double> last = work.multipliers;
  refine(work.acceleration, work.multipliers,
         [&](std::span<double> change_of_a, std::span<double> change) {
           std::ranges::fill(change_of_a, 0.0);
           as_vector(change) = -solver.regularization() * as_vector(std::span<const double>(last));
           solver.solve(change_of_a, change);
           last.assign(change.begin(), change.end());
         });
}

Mechanics::Dynamics Mechanics::dynamics(const MechanicalPoint& at, MechanicalRun& run) const {
  const std::span<const double> out = further(Further::dynamics, run)(blocks(at, run));
  const std::size_t n_mass = view().mass.size();
  const std::size_t n_jacobian = view().jacobian.size();
  return {out.first(n_mass), out.subspan(n_mass, to_size(n())),
          out.subspan(n_mass + to_size(n()), n_jacobian), out.last(to_size(m()))};
}

Evaluation Mechanics::factor_regular(std::span<const double> mass, std::span<const double> jacobian,
                                     double t, MechanicalRun& run,
                                     RegularConstraints::Purpose purpose) const {
  MechanicsWork& work = run.work;
  const RegularReport report = work.regular->factor(mass, jacobian, purpose, work.solver.front());
  if (report.ok()) return Evaluation::ok;
  if (!report.is_finite) {
    return note_failure(Status::non_finite_value,
                        fmt::format("The equations of motion are not finite at t = {:.12g}.", t),
                        run);
  }
  return note_failure(
      Status::singular_iteration_matrix,
      fmt::format("At t = {:.12g} the masses do not determine the acceleration of '{}': "
                  "the mass matrix is singular. The parameter singular_mass may help.",
                  t, coordinate_name(std::max<Index>(report.massless, 0))),
      run);
}

void Mechanics::solve(std::span<double> top, std::span<double> bottom, MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  if (work.regular) {
    work.regular->solve(top, bottom, work.solver.front());
  } else {
    work.solver.front().solve(top, bottom);
  }
}

Evaluation Mechanics::factor(std::span<const double> mass, std::span<const double> jacobian,
                             double t, MechanicalRun& run,
                             RegularConstraints::Purpose purpose) const {
  MechanicsWork& work = run.work;
  if (work.regular) return factor_regular(mass, jacobian, t, run, purpose);
  linalg::SaddlePointSolver& solver = work.solver.front();
  const bool reuse = view().mass_is_constant && work.mass_is_factored;
  return judge(reuse ? solver.factor(jacobian) : solver.factor(mass, jacobian), t, run);
}

Evaluation Mechanics::judge(const linalg::SaddlePointReport& report, double t,
                            MechanicalRun& run) const {
  run.work.mass_is_factored = report.ok;
  if (report.ok) return Evaluation::ok;
  if (report.singular_constraint >= 0) {
    return note_failure(Status::singular_iteration_matrix,
                        fmt::format("At t = {:.12g} the constraint {} depends on the others: it is "
                                    "redundant, or the position is singular.",
                                    t, constraint_name(report.singular_constraint)),
                        run, report.singular_constraint);
  }
  return note_failure(
      Status::singular_iteration_matrix,
      fmt::format("At t = {:.12g} neither the masses nor the constraints determine the "
                  "acceleration of '{}'.",
                  t, coordinate_name(std::max<Index>(report.singular_coordinate, 0))),
      run);
}

Evaluation Mechanics::accelerations(const MechanicalPoint& at, const Damping& damping,
                                    MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  const bool damped = !damping.is_zero();
  if (const double* const moved =
          !damped && damping.has_curvature ? move_by_program(at, run) : nullptr) {
    std::copy_n(moved, n(), work.acceleration.begin());
    std::copy_n(moved + n(), m(), work.multipliers.begin());
    return Evaluation::ok;
  }
  const std::span<const double> out =
      further(damped ? Further::stabilized : Further::dynamics, run)(blocks(at, run));
  const std::size_t n_mass = view().mass.size();
  const std::size_t first_jacobian = n_mass + to_size(n());
  const std::size_t first_curvature = first_jacobian + view().jacobian.size();
  std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(n_mass), n(), work.acceleration.begin());
  for (std::size_t i = 0; i < to_size(m()); ++i) {
    double right = damping.has_curvature ? -out[first_curvature + i] : 0.0;
    if (damped) {
      right -= damping.velocity * out[first_curvature + to_size(m()) + i] +
               damping.position * out[first_curvature + 2 * to_size(m()) + i];
    }
    work.multipliers[i] = right;
  }
  return factor_and_solve(out.first(n_mass), out.subspan(first_jacobian, view().jacobian.size()),
                          at.t, run);
}

Evaluation Mechanics::motion(const double& t, std::span<const double> x, MechanicalRun& run,
                             std::span<double> xp) const {
  MechanicsWork& work = run.work;
  const MechanicalPoint at = point(t, x);
  const double* moved = move_by_program(at, run);
  if (moved == nullptr) {
    const Evaluation solved = accelerations(at, {}, run);
    if (solved != Evaluation::ok) return solved;
    moved = work.acceleration.data();
  } else if (is_motion_pure_) {
    work.moved_t = t;
    copy_short(x.data(), work.moved_x.size(), work.moved_x.data());
  }
  copy_short(moved, at.v.size(), copy_short(at.v.data(), at.v.size(), xp.data()));
  return Evaluation::ok;
}

const double* Mechanics::move_by_program(const MechanicalPoint& at, MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  work.moved_t = NAN;
  if (!is_eliminated_ || work.regular || work.solver.front().regularization() != 0.0)
    return nullptr;
  const std::span<const double> out = work.motion(blocks(at, run));
  const std::size_t n_rows = to_size(m());
  const std::size_t n_solution = to_size(n()) + n_rows;
  const double pivot_ratio = out.back();
  if (pivot_ratio == 0.0) return nullptr;
  if (work.conditioning) {
    work.conditioning->take_pivots(out.subspan(n_solution, n_rows), pivot_ratio);
  }
  return out.data();
}

Evaluation Mechanics::factor_and_solve(std::span<const double> mass,
                                       std::span<const double> jacobian, double t,
                                       MechanicalRun& run) const {
  MechanicsWork& work = run.work;
  if (work.regular) {
    const Evaluation factored =
        factor_regular(mass, jacobian, t, run, RegularConstraints::Purpose::motion);
    if (factored == Evaluation::ok) solve(work.acceleration, work.multipliers, run);
    return factored;
  }
  const bool reuse = view().mass_is_constant && work.mass_is_factored;
  const linalg::SaddlePointReport report = work.solver.front().factor_and_solve(
      reuse ? std::span<const double>{} : mass, jacobian, {work.acceleration, work.multipliers});
  if (work.conditioning) {
    work.conditioning->measure_rows(jacobian);
    work.conditioning->take(report);
  }
  return judge(report, t, run);
}

bool Mechanics::position_level(const MechanicalPoint& at, MechanicalRun& run, std::span<double> g,
                               std::span<double> jacobian) const {
  const std::span<const double> out = run.work.position(blocks(at, run));
  std::copy_n(out.begin(), m(), g.begin());
  std::copy_n(out.begin() + m(), jacobian.size(), jacobian.begin());
  return is_finite(out);
}

bool Mechanics::velocity_level(const MechanicalPoint& at, MechanicalRun& run,
                               std::span<double> rate, std::span<double> jacobian) const {
  const std::span<const double> out = run.work.velocity(blocks(at, run));
  std::copy_n(out.begin(), m(), rate.begin());
  std::copy_n(out.begin() + 3 * m(), jacobian.size(), jacobian.begin());
  return is_finite(out);
}

bool Mechanics::mass(const MechanicalPoint& at, MechanicalRun& run,
                     std::span<double> values) const {
  const std::span<const double> out = run.work.mass(blocks(at, run));
  std::copy(out.begin(), out.end(), values.begin());
  return is_finite(out);
}

Evaluation Mechanics::residual(const MechanicalPoint& at, int level, MechanicalRun& run,
                               std::span<double> values) const {
  bool finite = true;
  if (level == 0) {
    finite = position_level(at, run, values, {});
  } else if (level == 1) {
    finite = velocity_level(at, run, values, {});
  } else {
    const Dynamics d = dynamics(at, run);
    std::copy(d.curvature.begin(), d.curvature.end(), values.begin());
    add_product(d.jacobian, run.work.acceleration.data(), values);
    finite = is_finite(values);
  }
  if (finite) return Evaluation::ok;
  return note_failure(Status::non_finite_value,
                      fmt::format("A constraint is not finite at t = {:.12g}.", at.t), run);
}

std::unique_ptr<LaneSystem> Mechanics::make_lanes(const MechanicalManifold* manifold) const {
  if (!is_eliminated_) return nullptr;
  // What a solve leaves in the run belongs to one run.
  for (const kernel::Program* program : {&motion_, &position_, &velocity_, &mass_}) {
    for (const kernel::InputRun& input : program->code()->inputs) {
      if (input.block == algebraic_block || input.block == top_block) return nullptr;
    }
  }
  return std::make_unique<MotionLanes>(*this, Programs{motion_, position_, velocity_, mass_},
                                       manifold);
}

bool Mechanics::meet_velocities(double t, std::span<double> x, ConstrainedRun& base) const {
  if (m() == 0) return false;
  auto& run = run_of<MechanicalRun>(base);
  const MechanicalPoint at = point(t, x);
  std::vector<double> rate(to_size(m()));
  std::vector<double> jacobian(jacobian_pattern_.row.size());
  std::vector<double> masses(mass_pattern_.row.size());
  if (!velocity_level(at, run, rate, jacobian) || !mass(at, run, masses)) return false;
  const Failure before = run.failure;
  if (factor(masses, jacobian, t, run, RegularConstraints::Purpose::projection) != Evaluation::ok) {
    run.failure = before;
    return false;
  }
  for (double& value : rate) value = -value;
  std::vector<double> change(to_size(n()), 0.0);
  solve(change, rate, run);
  for (std::size_t i = 0; i < change.size(); ++i) x[change.size() + i] += change[i];
  return true;
}

bool Mechanics::meet_levels(double t, std::span<double> x, ConstrainedRun& base) const {
  if (m() == 0) return true;
  auto& run = run_of<MechanicalRun>(base);
  const MechanicalManifold manifold(*this, Metric::mass);
  if (run.projection.mass.empty()) manifold.prepare(run);
  return manifold.project(t, x, result_weights(run), run) == Evaluation::ok;
}

double Mechanics::level_residual(double t, std::span<const double> x, std::span<const double> xp,
                                 int level, ConstrainedRun& base) const {
  auto& run = run_of<MechanicalRun>(base);
  if (level == 2) std::copy_n(xp.begin() + n(), n(), run.work.acceleration.begin());
  if (residual(point(t, x), level, run, run.work.bottom) != Evaluation::ok) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return greatest(run.work.bottom);
}

void Mechanics::add_product(std::span<const double> jacobian, const double* a,
                            std::span<double> values) const {
  const Index* const row = jacobian_pattern_.row.data();
  const Index* const start = jacobian_pattern_.column_start.data();
  for (Index j = 0; j < n(); ++j) {
    for (Index p = start[j]; p < start[j + 1]; ++p) {
      values[to_size(row[p])] += jacobian[to_size(p)] * a[j];
    }
  }
}

void Mechanics::level_residuals(double t, std::span<const double> x, std::span<const double> xp,
                                ConstrainedRun& base, std::span<double> residuals) const {
  auto& run = run_of<MechanicalRun>(base);
  const std::span<const double> out = run.work.velocity(blocks(point(t, x), run));
  const auto n_rows = to_size(m());
  std::copy_n(out.begin() + 2 * m(), m(), run.work.bottom.begin());
  add_product(out.subspan(3 * n_rows), xp.data() + n(), run.work.bottom);
  residuals[0] = greatest(out.subspan(n_rows, n_rows));
  residuals[1] = greatest(out.first(n_rows));
  residuals[2] = greatest(run.work.bottom);
  if (is_finite(out)) return;
  std::ranges::fill(residuals, std::numeric_limits<double>::quiet_NaN());
}

Change Mechanics::watch(double t, std::span<const double> x, const History& history,
                        MechanicalRun& run) const {
  if (!run.work.monitor) return {};
  const std::size_t n_warnings = run.warnings.size();
  Change change = run.work.monitor->after_step(t, x, history, run);
  if (run.work.conditioning) run.work.conditioning->accept();
  if (stops_at_singularities_ && run.warnings.size() > n_warnings) {
    return {Change::Kind::stop, Status::rank_change, run.warnings.back()};
  }
  return change;
}

Change Mechanics::check_regular(double t, std::span<const double> x, MechanicalRun& run) const {
  if (m() == 0) return {};
  auto& [mass_values, jacobian, values, correction, trial, own_solver] = run.projection;
  const MechanicalPoint at = point(t, x);
  if (!position_level(at, run, run.work.bottom, jacobian) || !mass(at, run, mass_values)) return {};
  const linalg::SaddlePointReport report = run.work.solver.front().factor(mass_values, jacobian);
  if (!run.work.at_ends) run.work.at_ends.emplace(jacobian_pattern_);
  ConstraintConditioning& here = *run.work.at_ends;
  here.measure_rows(jacobian);
  here.accept();
  here.take(report);
  if (here.newest() > no_multipliers) return {};
  const Index weakest = std::max(report.singular_constraint, report.weakest_constraint);
  return {Change::Kind::stop, Status::bifurcation,
          fmt::format("At t = {:.12g} the constraint {} nearly depends on the others or vanishes: "
                      "the position is singular, and the multipliers have no value there.",
                      t, constraint_name(weakest >= 0 ? weakest : here.shortest_constraint()))};
}

Change Mechanics::check_branch(double t, std::span<const double> x, MechanicalRun& run) const {
  if (m() == 0) return {};
  const double contraction =
      MechanicalManifold(*this, Metric::mass).contraction(t, x.first(2 * to_size(n())), run);
  if (contraction <= projection::largest_contraction) return {};
  if (!std::isfinite(contraction)) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  std::vector<double>& values = run.work.bottom;
  residual(point(t, x), 0, run, values);
  const auto worst = std::max_element(values.begin(), values.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  return {
      Change::Kind::stop, Status::bifurcation,
      fmt::format("Near t = {:.12g} the motion has drifted off {} by {:.3g}, which is not small "
                  "against the distance to a singular position: the drift would decide how "
                  "the motion continues. Use a method that holds the constraints of position.",
                  t, constraint_name(worst - values.begin()), *worst)};
}

std::string Mechanics::describe_singularity(double t, std::span<const double> x,
                                            ConstrainedRun& base) const {
  auto& run = run_of<MechanicalRun>(base);
  // Regularising methods have words of their own, and no factors of the constraints.
  if (m() == 0 || run.work.regular) return {};
  const MechanicalPoint at = point(t, x);
  std::vector<double> masses(mass_pattern().row.size());
  std::vector<double> jacobian(jacobian_pattern().row.size());
  CurvatureWork work;
  work.resize(to_size(n()), to_size(m()));
  if (!position_level(at, run, work.base, jacobian) || !mass(at, run, masses)) {
    return {};
  }
  if (factor(masses, jacobian, t, run) != Evaluation::ok) return run.failure.detail;
  for (std::size_t p = 0; p < jacobian.size(); ++p) {
    double& row = work.rows[to_size(jacobian_pattern().row[p])];
    row = std::max(row, std::abs(jacobian[p]));
  }
  for (std::size_t i = 0; i < work.rows.size(); ++i) work.rows[i] *= uneven_share(i);
  const auto correct = [&](std::span<double> top, std::span<double> bottom) {
    solve(top, bottom, run);
  };
  const auto evaluate = [&](std::span<const double> q, std::span<double> values) {
    return position_level({t, q, at.v}, run, values, {});
  };
  const Curvature found = CurvatureProbe{
      at.q, std::span<const double>(nominals()).first(at.q.size()), correct, evaluate}(work);
  if (!is_near_singularity(found)) return {};
  return singularity_text(constraint_name(std::max<Index>(found.weakest, 0)), 1.0 / found.bend);
}

Formulation mechanical_formulation(const Request& request,
                                   const std::shared_ptr<const Mechanics>& mechanics,
                                   const ConstrainedParts& parts) {
  const auto extend = [mechanics, parts](double t0, ConstrainedRun& base, Start& start) {
    auto& run = run_of<MechanicalRun>(base);
    if (start.status == Status::inconsistent_start) report_redundancy(*mechanics, t0, run, start);
    if (start.status == Status::success && parts.extend_start) parts.extend_start(t0, run, start);
    if (start.status == Status::success && parts.watches) {
      run.work.monitor = std::make_shared<SingularityMonitor>(*mechanics, t0, start.x, run);
      if (!run.work.regular) run.work.conditioning.emplace(mechanics->jacobian_pattern());
    }
  };
  return constrained_formulation(request, mechanics,
                                 {.watches = parts.watches, .extend_start = extend});
}

}  // namespace daedal::formulation
