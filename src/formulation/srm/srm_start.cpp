// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <daedal/error.hpp>

#include "formulation/srm/srm_context.hpp"
#include "kernel/taylor.hpp"
#include "linalg/dense/rank.hpp"
#include "linalg/dense/spectrum.hpp"

namespace daedal::formulation {

namespace {

/// Taylor coefficients of the solution that tell its time scale.
constexpr int scale_order = 4;
/// Share of the stability interval of an explicit integrator that an automatic ε uses.
constexpr double stability_margin = 0.9;
/// ε is at most this share of the time scale: the theory is asymptotic.
constexpr double largest_gain_share = 0.1;
/// Time scales are guesses from one instant.
constexpr double gain_safety = 0.4;
/// Eigenvalues of the wrong sign below this share of the greatest are round-off.
constexpr double sign_noise = linalg::rank_tolerance;

struct Signs {
  double least = 0.0;
  double greatest = 0.0;
  double size = 0.0;
  [[nodiscard]] bool is_nonnegative() const { return least >= -sign_noise * size; }
  [[nodiscard]] bool is_nonpositive() const { return greatest <= sign_noise * size; }
};

Signs signs_of(const Matrix& a) {
  Signs signs;
  for (const std::complex<double>& value : linalg::eigenvalues(a)) {
    signs.least = std::min(signs.least, value.real());
    signs.greatest = std::max(signs.greatest, value.real());
    signs.size = std::max(signs.size, std::abs(value));
  }
  return signs;
}

void refuse(Start& start, std::string message) {
  start.status = Status::singular_iteration_matrix;
  start.message = std::move(message);
}

}  // namespace

/// Taylor coefficients along the solution: n_states of x and k of y per order.
struct SrmStart::Series {
  int order = 0;
  std::vector<double> x, y;
};

namespace {

/// The time in which the terms of a Taylor series become as large as its beginning,
/// min_j (|c_i|/|c_j|)^(1/(j−i)); the beginning is c_0, or c_1 where c_0 happens to be small.
/// Infinity for a constant. `n` leading entries of each coefficient of `stride` are meant.
double time_scale_of(std::span<const double> series, std::size_t stride, std::size_t n) {
  std::vector<double> size;
  for (std::size_t j = 0; j + stride <= series.size(); j += stride) {
    size.push_back(as_vector(series.subspan(j, n)).norm());
  }
  double scale = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    double own = infinity;
    for (std::size_t j = i + 1; j < size.size(); ++j) {
      if (size[i] == 0.0 || size[j] <= round_off * size[i]) continue;
      own = std::min(own, std::pow(size[i] / size[j], 1.0 / static_cast<double>(j - i)));
    }
    if (std::isfinite(own)) scale = std::max(scale, own);
  }
  return scale > 0.0 ? scale : infinity;
}

}  // namespace

// Order by order: Σ_j M_j a_{k−j} = f_k − Σ_j B_j y_{k−j} and Σ_j G_j a_{k−j} = −remainder_k are
// linear in a_k and y_k with the matrices of order 0, and x_{k+1} follows from a_k.
bool SrmStart::expand(double t0, std::span<const double> x, SrmRun& run, Series& series) const {
  const ConstrainedView& view = hessenberg_.view();
  const Index n = hessenberg_.n();
  const auto n_out = to_size(hessenberg_.dynamics().n_outputs());
  const auto size = to_size(n), k = to_size(context_.n_multipliers()),
             states = to_size(context_.n_states());
  const auto orders = to_size(series.order) + 1;
  series.x.assign(states * (orders + 1), 0.0);
  series.y.assign(k * orders, 0.0);
  std::copy(x.begin(), x.end(), series.x.begin());
  std::vector<double> a(size * orders), out(n_out * orders);
  kernel::TaylorEvaluator dynamics(hessenberg_.dynamics(), series.order);
  const std::array<double, 2> time{t0, 1.0};
  std::vector<kernel::SeriesBlock> blocks{
      {time.data(), 1, 2},
      {run.u.data(), to_index(k), 1},
      {run.top.data(), n, 1},
      {run.parameters.data(), to_index(run.parameters.size()), 1},
      {run.modes.data(), to_index(run.modes.size()), 1},
      {run.discretes.data(), to_index(run.discretes.size()), 1},
      {run.pre.data(), to_index(run.pre.size()), 1},
  };
  blocks.resize(HessenbergContext::first_state_block + view.states.size());
  RegularSolver& solver = run.solver.front();
  for (std::size_t order = 0; order < orders; ++order) {
    const int known = static_cast<int>(order) + 1;
    for (std::size_t j = 0; j < view.states.size(); ++j) {
      blocks[HessenbergContext::first_state_block + j] = {series.x.data() + j * size,
                                                          context_.n_states(), known};
    }
    dynamics.evaluate(static_cast<int>(order), blocks, std::span(out).first(n_out * (order + 1)));
    const HessenbergTerms now = hessenberg_.split(std::span(out).subspan(order * n_out, n_out));
    const std::span<double> top(a.data() + order * size, size);
    const std::span<double> y(series.y.data() + order * k, k);
    std::ranges::copy(now.force, top.begin());
    as_vector(y) = -as_vector(now.remainder);
    for (std::size_t j = 1; j <= order; ++j) {
      const HessenbergTerms part = hessenberg_.split(std::span(out).subspan(j * n_out, n_out));
      const double* a_before = a.data() + (order - j) * size;
      const double* y_before = series.y.data() + (order - j) * k;
      for (std::size_t e = 0; e < view.mass.size(); ++e) {
        top[to_size(view.mass[e].row)] -= part.mass[e] * a_before[view.mass[e].column];
      }
      for (std::size_t e = 0; e < view.coefficient.size(); ++e) {
        const JacobianEntry& entry = view.coefficient[e];
        top[to_size(entry.row)] -= part.coefficient[e] * y_before[entry.column];
      }
      for (std::size_t e = 0; e < view.jacobian.size(); ++e) {
        y[to_size(view.jacobian[e].row)] -= part.jacobian[e] * a_before[view.jacobian[e].column];
      }
    }
    if (!as_vector(top).allFinite() || !as_vector(y).allFinite()) return false;
    if (order == 0) {
      Eigen::Map<Matrix> mass(solver.mass().data(), n, n);
      mass.setZero();
      for (std::size_t e = 0; e < view.mass.size(); ++e) {
        mass(view.mass[e].row, view.mass[e].column) = now.mass[e];
      }
      solver.coefficient().setZero();
      for (std::size_t e = 0; e < view.coefficient.size(); ++e) {
        solver.coefficient()(view.coefficient[e].row, view.coefficient[e].column) =
            now.coefficient[e];
      }
      for (std::size_t e = 0; e < view.jacobian.size(); ++e) {
        solver.jacobian()(view.jacobian[e].row, view.jacobian[e].column) = now.jacobian[e];
      }
      if (!solver.factor({Regularization::Rule::truncate, 0.0}).ok()) return false;
    }
    solver.solve(top, y);
    const double* from = series.x.data() + order * states;
    double* to = series.x.data() + (order + 1) * states;
    for (std::size_t i = 0; i < states; ++i) {
      const double derivative = i + size < states ? from[i + size] : top[i + size - states];
      to[i] = derivative / static_cast<double>(order + 1);
    }
  }
  return true;
}

void SrmStart::choose_gain(double t0, SrmRun& run, Start& start) const {
  SrmWork& work = *run.work;
  SrmMemory memory = context_.memory(run);
  const Signs signs = signs_of(work.a);
  const bool is_regular = linalg::decide_rank(work.a).rank == work.a.rows();
  const bool has_sign = signs.is_nonnegative() || signs.is_nonpositive();
  memory.least() = is_regular ? linalg::svd(work.a).s.minCoeff() : 0.0;
  memory.sign() = signs.is_nonnegative() ? 1.0 : -1.0;
  memory.delta() = std::isnan(settings_.delta) ? std::max(signs.size, round_off) : settings_.delta;
  SrmGain gain = settings_.gain;
  if (gain == SrmGain::automatic) {
    if (is_regular && (!context_.is_state_dependent() || !has_sign)) {
      gain = SrmGain::inverse;
    } else {
      gain = has_sign ? SrmGain::shifted : SrmGain::transpose;
    }
  }
  memory.set_gain(gain);
  if (gain == SrmGain::inverse && !is_regular) {
    refuse(start, fmt::format("At the start, t = {:.12g}, the matrix CB is singular, so that E = "
                              "(CB)^-1 does not exist: the constraints are redundant, or the "
                              "position is singular. Take E = 2, (CB)', or where CB is symmetric "
                              "E = 3, I.",
                              t0));
  }
  if ((gain == SrmGain::identity || gain == SrmGain::shifted) && !has_sign) {
    refuse(start,
           fmt::format("CB has eigenvalues of both signs at the start: with E = {} some violations "
                       "of the constraints would grow. Take E = 1, (CB)^-1, or E = 2, (CB)'.",
                       to_string(gain)));
  }
}

void SrmStart::choose_epsilon(SrmRun& run, Start& start) const {
  SrmWork& work = *run.work;
  SrmMemory memory = context_.memory(run);
  memory.epsilon() = 1.0;  // any value: E does not know it
  if (context_.prepare_gain(memory.start_time(), run) != Evaluation::ok) {
    refuse(start, run.failure.detail);
    return;
  }
  Matrix damped = work.a;
  for (Index j = 0; j < damped.cols(); ++j) {
    context_.apply_gain({damped.col(j).data(), to_size(damped.rows())}, run);
  }
  double least = infinity, greatest = 0.0;
  for (const std::complex<double>& value : linalg::eigenvalues(damped)) {
    greatest = std::max(greatest, std::abs(value));
  }
  for (const std::complex<double>& value : linalg::eigenvalues(damped)) {
    if (std::abs(value) > sign_noise * greatest) least = std::min(least, std::abs(value));
  }
  if (!(greatest > 0.0)) least = greatest = 1.0;
  // Violations of the constraints decay at the rates α₂μ/(ε + α₁μ), μ the eigenvalues of EA.
  const double bound = stability_margin * settings_.stability;
  const double shortest =
      settings_.fixed_step * settings_.alpha2 * greatest / bound - settings_.alpha1 * greatest;
  const bool is_given = !std::isnan(settings_.epsilon);
  if (!is_given) {
    const double share =
        gain_safety *
        std::min(std::pow(settings_.rtol, 1.0 / settings_.iterations), largest_gain_share);
    const double unit = settings_.alpha1 > 0.0 ? settings_.alpha1 : memory.time_scale();
    memory.epsilon() = std::max(share * unit * least, shortest);
  } else {
    memory.epsilon() = settings_.epsilon;
    if (settings_.epsilon < shortest * stability_margin) {
      throw OptionError(
          ErrorCode::illegal_combination,
          fmt::format(
              "With epsilon = {:g} violations of the constraints decay at the rate {:.3g}: "
              "the explicit integrator is unstable with steps of {:g}. It bears epsilon "
              ">= {:.3g}, or steps up to {:.3g}; or take an implicit integrator.",
              settings_.epsilon,
              settings_.alpha2 * greatest / (settings_.epsilon + settings_.alpha1 * greatest),
              settings_.fixed_step, shortest * stability_margin,
              settings_.stability * (settings_.epsilon + settings_.alpha1 * greatest) /
                  (settings_.alpha2 * greatest)));
    }
  }
  start.notices.push_back(fmt::format(
      "Regularisation: E = {}{}, epsilon = {:.3g}{}, {} iteration{}, starting iterate "
      "{}{}.",
      memory.sign() < 0.0 && memory.gain() != SrmGain::inverse &&
              memory.gain() != SrmGain::transpose
          ? "-"
          : "",
      to_string(memory.gain()), memory.epsilon(), is_given ? "" : " by the tolerance",
      settings_.iterations, settings_.iterations == 1 ? "" : "s",
      settings_.start_order < 0
          ? "zero"
          : fmt::format("exact to order {} at the start", settings_.start_order),
      hessenberg_.order() > 1
          ? fmt::format(", constraints reduced at the rate gamma = {:g}", settings_.gamma)
          : ""));
}

Evaluation SrmStart::expand_start(double t0, std::span<const double> x, SrmRun& run) const {
  SrmMemory memory = context_.memory(run);
  Series series{.order = std::max(settings_.start_order, scale_order), .x = {}, .y = {}};
  if (!expand(t0, x, run, series)) {
    return note_failure(
        Status::non_finite_value,
        fmt::format("The equations, or derivatives of them, are not finite at t = {:.12g}.", t0),
        run);
  }
  const std::span<double> coefficients = memory.coefficients();
  std::copy_n(series.y.begin(), coefficients.size(), coefficients.begin());
  memory.start_time() = t0;
  const auto k = to_size(context_.n_multipliers());
  const double of_y = time_scale_of(series.y, k, k);
  const double of_x =
      time_scale_of(series.x, to_size(context_.n_states()), to_size(hessenberg_.n()));
  const double scale = std::min(of_x, of_y);
  memory.time_scale() = std::isfinite(scale) ? scale : 1.0;
  memory.reach() = std::isfinite(of_y) ? of_y : memory.time_scale();
  return Evaluation::ok;
}

Start SrmStart::find(double t0, SrmRun& run) const {
  Start start = hessenberg_.find_start(t0, run);
  const auto stop = [&] {
    start.status = run.failure.status;
    start.message = run.failure.detail;
  };
  const std::vector<double> one = start.x;
  start.x.resize(to_size(context_.n_states() * settings_.iterations));
  start.xp.resize(start.x.size());
  std::ranges::copy(one, start.x.end() - context_.n_states());
  if (start.status != Status::success) return start;
  if (context_.point(t0, one, run) != Evaluation::ok ||
      expand_start(t0, one, run) != Evaluation::ok) {
    stop();
    return start;
  }
  choose_gain(t0, run, start);
  if (start.status != Status::success) return start;
  choose_epsilon(run, start);
  run.work->usual = run.work->smallest;
  if (restart(t0, start.x, start.xp, run) != Evaluation::ok) stop();
  return start;
}

Evaluation SrmStart::restart(double t, std::span<double> x, std::span<double> xp,
                             SrmRun& run) const {
  const auto last = x.last(to_size(context_.n_states()));
  for (Index s = 0; s + 1 < settings_.iterations; ++s) {
    std::ranges::copy(last, x.begin() + s * context_.n_states());
  }
  const Evaluation expanded = expand_start(t, last, run);
  return expanded == Evaluation::ok ? context_.derivatives(t, x, run, xp) : expanded;
}

}  // namespace daedal::formulation
