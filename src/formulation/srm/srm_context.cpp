// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/srm/srm_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/rank.hpp"

namespace daedal::formulation {

namespace {

/// CB counts as singular where its smallest singular value falls below this share of its usual
/// value: there round-off is 1e-3 of it.
constexpr double singular_pivot_share = 1e-13;
void scatter_entries(std::span<const JacobianEntry> entries, std::span<const double> values,
                     Matrix& target) {
  target.setZero();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    target(entries[i].row, entries[i].column) = values[i];
  }
}

/// Where the limits at a singular time are taken, in time scales: the mean of both sides is right
/// to the square of it, and round-off is amplified by its inverse.
constexpr double first_limit_distance = 1e-5;
constexpr double last_limit_distance = 1e-2;

/// Where the smallest singular value of CB is above this share of that at the start, derivatives of
/// the constraints determine y to all digits of the states but three.
constexpr double least_pivot_share = 1e-3;

/// Rates are solved for at the start only, where the constraints hold: any weights do.
HessenbergSettings start_settings() {
  return {.gamma = 0.0, .rule = {Regularization::Rule::truncate, 0.0}};
}

/// (s + γ)ᵐ⁻¹, by its binomial coefficients.
std::vector<double> reduction_weights(int order, double gamma) {
  std::vector<double> weights(to_size(order), 1.0);
  for (int j = 0; j + 1 < order; ++j) {
    double binomial = 1.0;
    for (int i = 1; i <= j; ++i) binomial = binomial * (order - i) / i;
    weights[to_size(j)] = binomial * std::pow(gamma, order - 1 - j);
  }
  return weights;
}

/// One over the unit of time of the nominal values: the geometric mean of those of derivatives over
/// those of their states.
double nominal_rate(const HessenbergContext& context) {
  const auto n = to_size(context.n());
  double sum = 0.0;
  for (std::size_t i = 0; context.order() > 1 && i < n; ++i) {
    sum += std::log(context.nominals()[n + i] / context.nominals()[i]);
  }
  return std::exp(sum / static_cast<double>(std::max<std::size_t>(n, 1)));
}

/// Whether M, B or G is a function of the states.
bool depend_on_states(const ConstrainedView& view) {
  std::vector<NodeId> matrices;
  for (const auto* entries : {&view.mass, &view.coefficient, &view.jacobian}) {
    for (const JacobianEntry& entry : *entries) matrices.push_back(entry.value);
  }
  const std::vector<NodeId> leaves = dependencies(*view.pool, matrices);
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](NodeId leaf) { return (*view.pool)[leaf].op == Op::variable; });
}

}  // namespace

SrmWork::SrmWork(Index n, Index k, Index n_states, Index iterations)
    : b(Matrix::Zero(n, k)),
      g(Matrix::Zero(k, n)),
      a(Matrix::Zero(k, k)),
      free(to_size(n)),
      c(to_size(k)),
      rate(to_size(k)),
      mass(n),
      gain(k),
      implicit(k),
      damped(Matrix::Zero(k, k)),
      y(to_size(k * iterations)),
      motion(2 * to_size(n * iterations)),
      side(motion.size()),
      scratch(to_size(k)),
      top_x(Matrix::Zero(n, n_states)),
      c_x(Matrix::Zero(k, n_states)),
      rate_x(Matrix::Zero(k, n_states)),
      y_x(Matrix::Zero(k, n_states * iterations)) {}

SrmContext::SrmContext(const Request& request, ConstrainedView view, const SrmSettings& settings)
    : SrmContext(
          std::make_shared<const HessenbergContext>(request, std::move(view), start_settings()),
          settings) {}

SrmContext::SrmContext(std::shared_ptr<const HessenbergContext> hessenberg,
                       const SrmSettings& settings)
    : ModelContext(*hessenberg),
      hessenberg_(std::move(hessenberg)),
      settings_(settings),
      n_states_(hessenberg_->n_states()),
      weights_(
          reduction_weights(hessenberg_->order(), settings.gamma * nominal_rate(*hessenberg_))),
      is_state_dependent_(depend_on_states(hessenberg_->view())),
      linearization_(*hessenberg_, weights_) {}

void SrmContext::prepare(SrmRun& run) const {
  hessenberg_->prepare(run);
  run.work =
      std::make_unique<SrmWork>(hessenberg_->n(), n_multipliers(), n_states_, settings_.iterations);
  linearization_.prepare(*run.work);
  (void)memory(run);
}

SrmMemory SrmContext::memory(SrmRun& run) const {
  return {run.memory, to_size(n_multipliers()), settings_.start_order};
}

std::span<const double> SrmContext::last(std::span<const double> x) const {
  return x.subspan(to_size(n_states_ * (settings_.iterations - 1)), to_size(n_states_));
}

Evaluation SrmContext::point(double t, std::span<const double> x, SrmRun& run) const {
  const HessenbergTerms terms = hessenberg_->terms(t, x, run);
  if (!is_finite(run.dynamics.out())) {
    return note_failure(Status::non_finite_value,
                        fmt::format("The equations are not finite at t = {:.12g}.", t), run);
  }
  const ConstrainedView& view = hessenberg_->view();
  SrmWork& work = *run.work;
  scatter_entries(view.coefficient, terms.coefficient, work.b);
  scatter_entries(view.jacobian, terms.jacobian, work.g);
  std::copy(terms.force.begin(), terms.force.end(), work.free.begin());
  if (!view.mass_is_identity) {
    const auto n = to_size(hessenberg_->n());
    const std::span<double> mass = work.mass.matrix();
    std::fill(mass.begin(), mass.end(), 0.0);
    for (std::size_t i = 0; i < view.mass.size(); ++i) {
      mass[to_size(view.mass[i].column) * n + to_size(view.mass[i].row)] = terms.mass[i];
    }
    const linalg::FactorReport report = work.mass.factor();
    if (!report.ok) {
      return note_failure(
          Status::singular_iteration_matrix,
          fmt::format("At t = {:.12g} the matrix in front of the derivatives is singular.", t),
          run);
    }
    for (Index j = 0; j < work.b.cols(); ++j) work.mass.solve({work.b.col(j).data(), n});
    work.mass.solve(work.free);
  }
  work.a.noalias() = work.g * work.b;

  const auto k = to_size(n_multipliers());
  VectorView c = as_vector(work.c), rate = as_vector(work.rate);
  c.setZero();
  rate = as_vector(terms.remainder);
  rate.noalias() += work.g * as_vector(work.free);
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    c += weights_[j] * as_vector(terms.levels.subspan(j * k, k));
    if (j > 0) rate += weights_[j - 1] * as_vector(terms.levels.subspan(j * k, k));
  }
  return Evaluation::ok;
}

Evaluation SrmContext::prepare_gain(double t, SrmRun& run) const {
  SrmWork& work = *run.work;
  SrmMemory memory = this->memory(run);
  const SrmGain gain = memory.gain();
  work.is_singular = false;
  if (gain == SrmGain::inverse || gain == SrmGain::shifted) {
    std::copy_n(work.a.data(), work.a.size(), work.gain.matrix().begin());
    const double shift = gain == SrmGain::shifted ? memory.sign() * memory.delta() : 0.0;
    for (Index i = 0; i < work.a.rows(); ++i) {
      work.gain.matrix()[to_size(i * (work.a.rows() + 1))] += shift;
    }
    const bool has_factors = work.gain.factor().ok;
    // ‖A⁻¹‖₁ from the condition.
    work.smallest = has_factors ? work.gain.reciprocal_condition() *
                                      work.a.cwiseAbs().colwise().sum().maxCoeff()
                                : 0.0;
    work.is_singular = !has_factors || (gain == SrmGain::inverse &&
                                        !(work.smallest > singular_pivot_share * work.usual));
    if (work.is_singular) {
      return note_failure(
          Status::singular_iteration_matrix,
          fmt::format("At t = {:.12g} the matrix CB is singular, so that E = {} does not "
                      "exist: take E = 2, (CB)', or where CB is symmetric E = 3, I.",
                      t, to_string(gain)),
          run);
    }
  }
  if (settings_.alpha1 == 0.0 || gain == SrmGain::inverse) return Evaluation::ok;
  work.damped = work.a;
  for (Index j = 0; j < work.a.cols(); ++j) {
    apply_gain({work.damped.col(j).data(), to_size(work.a.rows())}, run);
  }
  const double factor = settings_.alpha1 / memory.epsilon();
  for (Index j = 0; j < work.a.cols(); ++j) {
    for (Index i = 0; i < work.a.rows(); ++i) {
      work.implicit.matrix()[to_size(j * work.a.rows() + i)] =
          factor * work.damped(i, j) + (i == j ? 1.0 : 0.0);
    }
  }
  if (work.implicit.factor().ok) return Evaluation::ok;
  return note_failure(
      Status::singular_iteration_matrix,
      fmt::format("At t = {:.12g} the multipliers are not determined by alpha1.", t), run);
}

void SrmContext::apply_gain(std::span<double> r, SrmRun& run) const {
  SrmWork& work = *run.work;
  SrmMemory memory = this->memory(run);
  switch (memory.gain()) {
    case SrmGain::inverse:
    case SrmGain::shifted:
      work.gain.solve(r);
      return;
    case SrmGain::transpose: {
      std::copy(r.begin(), r.end(), work.scratch.begin());
      as_vector(r).noalias() = work.a.transpose() * as_vector(work.scratch);
      return;
    }
    case SrmGain::automatic:
    case SrmGain::identity:
      if (memory.sign() < 0.0) as_vector(r) *= -1.0;
      return;
  }
}

void SrmContext::starting_iterate(double t, SrmRun& run, std::span<double> y) const {
  SrmMemory memory = this->memory(run);
  std::fill(y.begin(), y.end(), 0.0);
  const double distance = t - memory.start_time();
  const int order = settings_.start_order;
  // A clock that agrees with time up to the order M of the polynomial and stops at `reach`: far
  // from the start the polynomial would grow without bound.
  const double clock =
      order < 1 ? 0.0
                : distance / std::pow(1.0 + std::pow(std::abs(distance) / memory.reach(), order),
                                      1.0 / order);
  for (int j = order; j >= 0; --j) {
    const auto coefficient = memory.coefficients().subspan(to_size(j) * y.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = coefficient[i] + clock * y[i];
  }
}

// (3.15), solved for y_s: (I + (α₁/ε)EA) y_s = y_{s−1} + (1/ε) E (α₁ċ|_{y=0} + α₂c). Backwards in
// time, with f, B and d/dt of the other sign, it is −α₂.
Evaluation SrmContext::update_multiplier(double t, SrmRun& run, std::span<double> y) const {
  const Evaluation ready = prepare_gain(t, run);
  if (ready != Evaluation::ok) return ready;
  SrmWork& work = *run.work;
  SrmMemory memory = this->memory(run);
  VectorView r = as_vector(work.c);
  r *= settings_.direction * settings_.alpha2;
  if (settings_.alpha1 != 0.0) r += settings_.alpha1 * as_vector(work.rate);
  apply_gain(work.c, run);
  as_vector(y) += r / memory.epsilon();
  if (settings_.alpha1 == 0.0) return Evaluation::ok;
  if (memory.gain() == SrmGain::inverse) {
    as_vector(y) /= 1.0 + settings_.alpha1 / memory.epsilon();
  } else {
    work.implicit.solve(y);
  }
  return Evaluation::ok;
}

Evaluation SrmContext::chain_at(double t, std::span<const double> x, SrmRun& run) const {
  SrmWork& work = *run.work;
  const auto n_states = to_size(n_states_);
  for (Index s = 0; s < settings_.iterations; ++s) {
    const Evaluation evaluated = point(t, x.subspan(to_size(s) * n_states, n_states), run);
    if (evaluated != Evaluation::ok) return evaluated;
    const std::span<double> y = work.multiplier(s);
    if (s == 0) {
      starting_iterate(t, run, y);
    } else {
      std::ranges::copy(work.multiplier(s - 1), y.begin());
    }
    const Evaluation updated = update_multiplier(t, run, y);
    if (updated != Evaluation::ok) return updated;
    as_vector(work.by(s)).noalias() = work.b * as_vector(y);
    as_vector(work.top(s)) = as_vector(work.free) - as_vector(work.by(s));
  }
  return Evaluation::ok;
}

template <class Evaluate>
Evaluation SrmContext::at_or_around(double t, SrmRun& run, std::span<double> values,
                                    std::span<double> side, Evaluate&& evaluate) const {
  const Evaluation here = evaluate(t);
  if (here == Evaluation::ok || !run.work->is_singular || is_state_dependent_) return here;
  const double scale = memory(run).time_scale();
  for (double distance = first_limit_distance; distance <= last_limit_distance; distance *= 10.0) {
    if (evaluate(t - distance * scale) != Evaluation::ok) continue;
    std::copy(values.begin(), values.end(), side.begin());
    if (evaluate(t + distance * scale) != Evaluation::ok) continue;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * (values[i] + side[i]);
    run.work->is_singular = true;
    run.failure = {};
    return Evaluation::ok;
  }
  run.work->is_singular = true;
  return here;
}

Evaluation SrmContext::chain(double t, std::span<const double> x, SrmRun& run) const {
  SrmWork& work = *run.work;
  const Evaluation found = at_or_around(t, run, work.motion, work.side,
                                        [&](double time) { return chain_at(time, x, run); });
  if (found == Evaluation::ok && work.is_singular) {
    std::fill(work.y.begin(), work.y.end(), std::numeric_limits<double>::quiet_NaN());
  }
  return found;
}

Evaluation SrmContext::derivatives(double t, std::span<const double> x, SrmRun& run,
                                   std::span<double> xp) const {
  const Evaluation found = chain(t, x, run);
  if (found != Evaluation::ok) return found;
  const auto n = hessenberg_->n();
  for (Index s = 0; s < settings_.iterations; ++s) {
    const auto begin = x.begin() + s * n_states_;
    std::copy(begin + n, begin + n_states_, xp.begin() + s * n_states_);
    std::ranges::copy(run.work->top(s), xp.begin() + (s + 1) * n_states_ - n);
  }
  return Evaluation::ok;
}

// δy_s = L⁻¹(δy_{s−1} + (1/ε) E (α₁ δċ|_y + α₂ δc)), L = I + (α₁/ε)EA, and δx_s⁽ᵐ⁾ follows.
Evaluation SrmContext::jacobian_at(double t, std::span<const double> x, SrmRun& run,
                                   std::span<double> f_x) const {
  const Evaluation solved = chain_at(t, x, run);
  if (solved != Evaluation::ok) return solved;
  SrmWork& work = *run.work;
  const double epsilon = memory(run).epsilon();
  const Index n = hessenberg_->n(), all = n_states_ * settings_.iterations;
  Eigen::Map<Matrix> jacobian(f_x.data(), all, all);
  jacobian.setZero();
  for (Index s = 0; s < settings_.iterations; ++s) {
    const Index first = s * n_states_;
    const auto state = x.subspan(to_size(first), to_size(n_states_));
    Evaluation ready = point(t, state, run);
    if (ready == Evaluation::ok) ready = prepare_gain(t, run);
    std::ranges::copy(work.top(s), run.top.begin());
    std::ranges::copy(work.multiplier(s), run.u.begin());
    if (ready == Evaluation::ok) ready = linearization_.evaluate(t, state, run);
    if (ready != Evaluation::ok) return ready;
    auto own = work.y_x.middleCols(first, n_states_);
    own = (settings_.direction * settings_.alpha2 / epsilon) * work.c_x;
    if (settings_.alpha1 != 0.0) own += (settings_.alpha1 / epsilon) * work.rate_x;
    const auto k = to_size(n_multipliers());
    for (Index j = 0; j < first + n_states_; ++j) {
      const std::span<double> column(work.y_x.col(j).data(), k);
      if (j >= first) apply_gain(column, run);
      if (settings_.alpha1 == 0.0) continue;
      if (memory(run).gain() == SrmGain::inverse) {
        as_vector(column) /= 1.0 + settings_.alpha1 / epsilon;
      } else {
        work.implicit.solve(column);
      }
    }
    const Index bottom = first + n_states_ - n;
    jacobian.block(bottom, 0, n, first + n_states_).noalias() =
        -work.b * work.y_x.leftCols(first + n_states_);
    jacobian.block(bottom, first, n, n_states_) += work.top_x;
    for (Index i = first; i < bottom; ++i) jacobian(i, i + n) = 1.0;
  }
  return Evaluation::ok;
}

Evaluation SrmContext::jacobian(double t, std::span<const double> x, SrmRun& run,
                                std::span<double> f_x) const {
  std::vector<double>& side = run.work->jacobian_side;
  if (side.empty()) side.resize(f_x.size());
  return at_or_around(t, run, f_x, side,
                      [&](double time) { return jacobian_at(time, x, run, f_x); });
}

bool SrmContext::is_regular(double t, std::span<const double> x, SrmRun& run) const {
  const double least = least_pivot_share * memory(run).least();
  return least > 0.0 && point(t, x, run) == Evaluation::ok &&
         linalg::svd(run.work->a).s.minCoeff() >= least;
}

void SrmContext::read(double t, std::span<const double> x, std::span<const double>, ModelRun& base,
                      std::span<double> values, std::span<double> derivatives) const {
  auto& run = run_of<SrmRun>(base);
  const Evaluation found = chain(t, x, run);
  const Index s = settings_.iterations - 1;
  std::ranges::copy(run.work->top(s), run.top.begin());
  std::ranges::copy(run.work->multiplier(s), run.u.begin());
  if (found != Evaluation::ok) {
    std::ranges::fill(run.u, std::numeric_limits<double>::quiet_NaN());
  } else if (is_regular(t, last(x), run)) {
    // y_S is off by what the next iteration would change, and has a layer at the start.
    (void)hessenberg_->solve(t, last(x), run);
  }
  hessenberg_->write_outputs(t, last(x), run, values, derivatives);
}

bool SrmContext::assign(std::int32_t variable, double value, std::span<double> x) const {
  bool is_state = false;
  for (Index s = 0; s < settings_.iterations; ++s) {
    is_state =
        hessenberg_->assign(variable, value, x.subspan(to_size(s * n_states_), to_size(n_states_)));
  }
  return is_state;
}

Evaluation SrmContext::make_consistent(double t, std::span<double> x, std::span<double> xp,
                                       ModelRun& run) const {
  return SrmStart(*this).restart(t, x, xp, run_of<SrmRun>(run));
}

}  // namespace daedal::formulation
