// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/array/implicit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulation/array/derivative_array.hpp"
#include "formulation/general/direct.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/sparse/sparsity.hpp"

namespace daedal::formulation {

namespace {

constexpr int max_iterations = 12;
/// Iterations above which the factors are renewed after the step.
constexpr int many_iterations = 4;
/// Of the last correction of x' and w, relative to |x| + nominal: constraints are then far below
/// any tolerance of an integrator.
constexpr double tolerance = 1e-10;
constexpr double stagnation = 1e-6;

SparsityPattern full_pattern(Index n) {
  SparsityPattern pattern{.rows = n, .columns = n, .column_start = {0}, .row = {}};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back(pattern.nonzeros());
  }
  return pattern;
}

}  // namespace

struct ArrayDae::DaeRun final : ArrayRun {
  using ArrayRun::ArrayRun;
  std::unique_ptr<Run> direct;
  Matrix z1;           ///< n × states
  Matrix constraints;  ///< Z₂ᵀ G_x
  std::vector<double> f, f_x, f_xp;
  int slowest = 0;  ///< iterations for ω since the last accepted step

  void share_modes() {
    auto& other = static_cast<ModelRun&>(*direct);
    other.parameters = parameters;
    other.modes = modes;
    other.discretes = discretes;
    other.pre = pre;
    other.pre_values = pre_values;
    other.samples = samples;
    other.phase = phase;
  }
};

ArrayDae::ArrayDae(const GeneralView& view, const std::vector<double>& parameters,
                   const Overrides& starts, const ArraySettings& settings)
    : array_(view, parameters, starts, settings),
      direct_(view, parameters),
      pattern_(full_pattern(array_.size())) {}

std::unique_ptr<Run> ArrayDae::make_run() const {
  auto run = std::make_unique<DaeRun>(direct_.view().model, array_.parameters());
  array_.events().prepare(*run);
  run->direct = direct_.make_run();
  run->f.resize(to_size(size()));
  run->f_x.resize(to_size(direct_.pattern().nonzeros()));
  run->f_xp.resize(run->f_x.size());
  return run;
}

Start ArrayDae::start(double t0, Run& base) const {
  auto& run = static_cast<DaeRun&>(base);
  Start start = array_.start(t0, run);
  if (start.status != Status::success) return start;
  const Change change = choose_bases(t0, start.x, start.xp, run);
  if (change.kind == Change::Kind::stop) {
    start.status = change.status;
    start.message = change.message;
  }
  return start;
}

Change ArrayDae::choose_bases(double t, std::span<const double> x, std::span<const double> xp,
                              DaeRun& run) const {
  run.share_modes();
  run.constraints = run.corrector->constraints();
  for (Index j = 0; j < size(); ++j) run.constraints.col(j) /= nominals()[to_size(j)];
  if (direct_.jacobian(t, x, xp, *run.direct, run.f_x, run.f_xp) != Evaluation::ok) {
    return {Change::Kind::stop, Status::non_finite_value, run.direct->failure.detail};
  }
  // T in the units of the unknowns: C N (N⁻¹ δx) = 0 with N the nominal values. The rank of C is
  // known; rows from derivatives may be small as powers of the step length that scales the array.
  const Index states = size() - run.constraints.rows();
  Matrix tangent = run.constraints.rows() == 0
                       ? Matrix(Matrix::Identity(size(), size()))
                       : Matrix(linalg::svd(run.corrector->constraints()).v.rightCols(states));
  for (Index j = 0; j < size(); ++j) tangent.row(j) *= nominals()[to_size(j)];
  const Matrix image = linalg::to_dense(direct_.pattern(), run.f_xp) * tangent;
  if (states == 0) {
    run.z1.resize(size(), 0);
    return {Change::Kind::equations, Status::success, {}};
  }
  const linalg::Svd svd = linalg::svd(image);
  if (linalg::decide_rank(svd.s).rank < states) {
    return {Change::Kind::stop, Status::rank_change,
            fmt::format("At t = {:.12g} the equations do not determine the motion along their "
                        "constraints: the model is singular there{}.",
                        t,
                        run.index.levels.back().depends_on_scale
                            ? ", or its time scales lie too far apart"
                            : "")};
  }
  run.z1 = svd.u.leftCols(states);
  return {Change::Kind::equations, Status::success, {}};
}

Evaluation ArrayDae::solve(double t, std::span<const double> x, DaeRun& run) const {
  array_.predict(t, x, run);
  const auto n = x.size();
  double before = infinity;
  for (int i = 1; i <= max_iterations; ++i) {
    run.slowest = std::max(run.slowest, i);
    if (!run.corrector->evaluate(array_.point(t, run.series, run))) break;
    run.corrector->correct(run.delta);
    double size = 0.0;
    for (std::size_t j = n; j < run.series.size(); ++j) {
      run.series[j] += run.delta[j];
      const double scale = std::abs(run.series[j]) +
                           run.order_weights[j / n] * (std::abs(x[j % n]) + nominals()[j % n]);
      size = std::max(size, std::abs(run.delta[j]) / scale);
    }
    if (!std::isfinite(size)) break;
    if (size <= tolerance || (size <= stagnation && size >= 0.5 * before)) return Evaluation::ok;
    before = size;
  }
  run.failure = {Status::newton_failure, -1,
                 fmt::format("The higher derivatives could not be solved at t = {:.12g}.", t)};
  return Evaluation::recoverable;
}

Evaluation ArrayDae::residual(double t, std::span<const double> x, std::span<const double> xp,
                              Run& base, std::span<double> values) const {
  auto& run = static_cast<DaeRun&>(base);
  const Evaluation evaluation = direct_.residual(t, x, xp, *run.direct, run.f);
  if (evaluation != Evaluation::ok) {
    run.failure = run.direct->failure;
    return evaluation;
  }
  const Index states = run.z1.cols();
  for (Index i = 0; i < states; ++i) {
    values[to_size(i)] = run.z1.col(i).dot(as_vector(std::span<const double>(run.f)));
  }
  const Evaluation solved = solve(t, x, run);
  if (solved != Evaluation::ok) return solved;
  const auto constraints = run.corrector->constraint_residual();
  std::copy(constraints.begin(), constraints.end(), values.begin() + states);
  return Evaluation::ok;
}

Evaluation ArrayDae::jacobian(double t, std::span<const double> x, std::span<const double> xp,
                              Run& base, std::span<double> f_x, std::span<double> f_xp) const {
  auto& run = static_cast<DaeRun&>(base);
  const Evaluation evaluation = direct_.jacobian(t, x, xp, *run.direct, run.f_x, run.f_xp);
  if (evaluation != Evaluation::ok) {
    run.failure = run.direct->failure;
    return evaluation;
  }
  std::fill(f_x.begin(), f_x.end(), 0.0);
  std::fill(f_xp.begin(), f_xp.end(), 0.0);
  const Index states = run.z1.cols();
  const SparsityPattern& entries = direct_.pattern();
  for (Index j = 0; j < size(); ++j) {
    for (Index p = entries.column_start[to_size(j)]; p < entries.column_start[to_size(j + 1)];
         ++p) {
      for (Index i = 0; i < states; ++i) {
        const double weight = run.z1(entries.row[to_size(p)], i);
        f_x[to_size(j * size() + i)] += weight * run.f_x[to_size(p)];
        f_xp[to_size(j * size() + i)] += weight * run.f_xp[to_size(p)];
      }
    }
    for (Index i = states; i < size(); ++i) {
      f_x[to_size(j * size() + i)] = run.constraints(i - states, j);
    }
  }
  return Evaluation::ok;
}

double ArrayDae::constraint_residual(double t, std::span<const double> x, int level,
                                     Run& base) const {
  auto& run = static_cast<DaeRun&>(base);
  if (solve(t, x, run) != Evaluation::ok) return NAN;
  return array_.solved_constraint_residual(t, x, level, run);
}

Change ArrayDae::after_step(double t, std::span<double> x, std::span<double> xp, const History&,
                            Run& base) const {
  auto& run = static_cast<DaeRun&>(base);
  if (array_.events().has_assertions()) {
    const Change change = array_.events().check_assertions(t, x, xp, run);
    if (change.kind != Change::Kind::none) return change;
  }
  if (solve(t, x, run) != Evaluation::ok) {
    return {Change::Kind::stop, run.failure.status, run.failure.detail};
  }
  const bool is_slow = run.slowest > many_iterations;
  run.slowest = 0;
  array_.renew_base(t, run);
  if (!is_slow) return {};
  if (run.corrector->factor(array_.point(t, run.base, run)) !=
      analysis::ArrayCorrector::Outcome::ok) {
    return {Change::Kind::stop, Status::rank_change,
            fmt::format("The rank of the derivative array changes at t = {:.12g}: the solution "
                        "has come to a singular point.",
                        t)};
  }
  return choose_bases(t, x, xp, run);
}

std::string ArrayDae::row_name(std::int64_t row) const {
  return fmt::format("projected equation {}", row + 1);
}

std::string ArrayDae::unknown_name(std::int64_t column) const {
  return direct_.unknown_name(column);
}

Evaluation ArrayDae::event_functions(double t, std::span<const double> x,
                                     std::span<const double> xp, Run& run,
                                     std::span<double> values) const {
  return array_.event_functions(t, x, xp, run, values);
}

double ArrayDae::next_time_event(double t, const Run& run) const {
  return array_.next_time_event(t, run);
}

Change ArrayDae::on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                          std::span<double> xp, Run& run) const {
  const Change change = array_.on_event(t, fired, x, xp, run);
  if (change.kind == Change::Kind::stop) return change;
  const Change bases = choose_bases(t, x, xp, static_cast<DaeRun&>(run));
  return bases.kind == Change::Kind::stop ? bases : change;
}

namespace {

class ArrayDaeFormulation final : public Formulation {
 public:
  ArrayDaeFormulation(const Request& request, const ArraySettings& settings)
      : system_(general_view(request.model), request.parameters, request.starts, settings),
        names_(output_names_of(view().model, view().n_given)) {}

  [[nodiscard]] const ImplicitSystem* implicit_system() const override { return &system_; }
  Start start(double t0, Run& run) const override { return system_.start(t0, run); }
  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }
  void to_model(double, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override {
    copy_to_model(view(), {x, xp}, run, values, derivatives);
  }
  [[nodiscard]] std::string describe_event(std::span<const std::int64_t> fired,
                                           const Change& change, const Run&) const override {
    return system_.array().events().describe(fired, change);
  }
  [[nodiscard]] int n_levels() const override { return 1; }
  [[nodiscard]] int n_levels_of(const Run& run) const override {
    return system_.array().n_constraint_levels(static_cast<const ArrayRun&>(run));
  }
  double constraint_residual(double t, std::span<const double> x, std::span<const double>,
                             int level, Run& run) const override {
    return system_.constraint_residual(t, x, level, run);
  }

 private:
  [[nodiscard]] const GeneralView& view() const { return system_.array().view(); }

  ArrayDae system_;
  std::vector<std::string> names_;
};

}  // namespace

MethodInfo derivative_array_implicit_method() {
  return {.name = "derivative-array-implicit",
          .summary =
              "Any index, stiff: the projected differential equations with the constraints on all "
              "levels, for implicit integrators.",
          .paper = "after Campbell, Moore; Kunkel, Mehrmann: Differential-Algebraic Equations, 6.2",
          .needs = View::general,
          .yields = Yields::implicit_system,
          .parameters = {{"max_index", "differentiations that are tried", 6.0}},
          .default_integrator = "bdf",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<ArrayDaeFormulation>(
                request, read_array_settings(request, ArrayForm::completion));
          }};
}

}  // namespace daedal::formulation
