// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "formulation/srm/srm_system.hpp"

namespace daedal::formulation {

namespace {

/// The state is (x, y); one iterate of SrmContext gives every matrix.
class ParkChiouContext final : public ModelContext {
 public:
  explicit ParkChiouContext(std::shared_ptr<const SrmContext> one)
      : ModelContext(*one), one_(std::move(one)) {}

  [[nodiscard]] const SrmContext& one() const { return *one_; }
  [[nodiscard]] Index size() const { return one_->n_states() + one_->n_multipliers(); }
  [[nodiscard]] std::span<const double> states(std::span<const double> x) const {
    return x.first(to_size(one_->n_states()));
  }

  /// Negative backwards in time, so that y decays to its equilibrium.
  [[nodiscard]] double epsilon(SrmRun& run) const {
    return one_->settings().direction * one_->memory(run).epsilon();
  }
  /// run.top = M⁻¹f − M⁻¹By for the y of the state.
  Evaluation solve(double t, std::span<const double> x, SrmRun& run) const {
    const Evaluation found = one_->point(t, states(x), run);
    std::ranges::copy(x.last(to_size(one_->n_multipliers())), run.u.begin());
    as_vector(run.top) = as_vector(run.work->free);
    as_vector(run.top).noalias() -= run.work->b * as_vector(run.u);
    return found;
  }

  /// Ascher, Lin (3.7): ε y' = E (ċ|_{y=0} − CB y), the derivative of y = E c / ε without E'.
  Evaluation derivatives(double t, std::span<const double> x, SrmRun& run,
                         std::span<double> xp) const {
    Evaluation found = solve(t, x, run);
    if (found == Evaluation::ok) found = one_->prepare_gain(t, run);
    if (found != Evaluation::ok) return found;
    const Index n = one_->hessenberg().n(), n_states = one_->n_states();
    std::copy(x.begin() + n, x.begin() + n_states, xp.begin());
    std::ranges::copy(run.top, xp.begin() + n_states - n);
    const std::span<double> rate = xp.last(to_size(one_->n_multipliers()));
    as_vector(rate) = as_vector(run.work->rate);
    as_vector(rate).noalias() -= run.work->a * as_vector(run.u);
    one_->apply_gain(rate, run);
    as_vector(rate) /= epsilon(run);
    return Evaluation::ok;
  }

  Evaluation jacobian(double t, std::span<const double> x, SrmRun& run,
                      std::span<double> f_x) const {
    Evaluation found = solve(t, x, run);
    if (found == Evaluation::ok) found = one_->prepare_gain(t, run);
    if (found == Evaluation::ok) found = one_->linearization().evaluate(t, states(x), run);
    if (found != Evaluation::ok) return found;
    const SrmWork& work = *run.work;
    const Index n = one_->hessenberg().n(), n_states = one_->n_states(), k = one_->n_multipliers();
    Eigen::Map<Matrix> jacobian(f_x.data(), size(), size());
    jacobian.setZero();
    for (Index i = 0; i + n < n_states; ++i) jacobian(i, i + n) = 1.0;
    jacobian.block(n_states - n, 0, n, n_states) = work.top_x;
    jacobian.block(n_states - n, n_states, n, k) = -work.b;
    jacobian.block(n_states, 0, k, n_states) = work.rate_x / epsilon(run);
    jacobian.block(n_states, n_states, k, k) = -work.a / epsilon(run);
    std::vector<double>& column = run.work->c;
    for (Index j = 0; j < size(); ++j) {
      as_vector(column) = jacobian.col(j).tail(k);
      one_->apply_gain(column, run);
      jacobian.col(j).tail(k) = as_vector(column);
    }
    return Evaluation::ok;
  }

  [[nodiscard]] Start find_start(double t0, SrmRun& run) const {
    Start start = SrmStart(*one_).find(t0, run);
    start.x.resize(to_size(size()));
    start.xp.resize(start.x.size());
    if (start.status != Status::success) return start;
    std::ranges::copy(one_->memory(run).coefficients(), start.x.begin() + one_->n_states());
    if (derivatives(t0, start.x, run, start.xp) != Evaluation::ok) {
      start.status = run.failure.status;
      start.message = run.failure.detail;
    }
    return start;
  }

  void read(double t, std::span<const double> x, std::span<const double>, ModelRun& base,
            std::span<double> values, std::span<double> derivatives) const override {
    auto& run = run_of<SrmRun>(base);
    solve(t, x, run);
    one_->hessenberg().write_outputs(t, states(x), run, values, derivatives);
  }
  bool assign(std::int32_t variable, double value, std::span<double> x) const override {
    return one_->hessenberg().assign(variable, value, x.first(to_size(one_->n_states())));
  }
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& base) const override {
    auto& run = run_of<SrmRun>(base);
    const auto n_states = to_size(one_->n_states());
    const Evaluation found = SrmStart(*one_).restart(t, x.first(n_states), xp.first(n_states), run);
    if (found != Evaluation::ok) return found;
    std::ranges::copy(one_->memory(run).coefficients(), x.begin() + one_->n_states());
    return derivatives(t, x, run, xp);
  }

 private:
  std::shared_ptr<const SrmContext> one_;
};

class ParkChiouOde final : public ModelSystem<ExplicitSystem, SrmRun> {
 public:
  explicit ParkChiouOde(std::shared_ptr<const ParkChiouContext> context)
      : context_(std::move(context)), nominals_(context_->one().hessenberg().nominals()) {
    const ConstrainedView& view = context_->one().hessenberg().view();
    for (const std::int32_t variable : view.algebraic) {
      nominals_.push_back(view.model.variables()[to_size(variable)].nominal);
    }
  }

  [[nodiscard]] std::int64_t size() const override { return context_->size(); }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override {
    return context_->derivatives(t, x, own(run), xp);
  }
  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double t, std::span<const double> x, Run& run,
                      std::span<double> f_x) const override {
    return context_->jacobian(t, x, own(run), f_x);
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& base) const override {
    auto& run = own(base);
    run.work->usual = std::max(run.work->usual, run.work->smallest);
    return ModelSystem::after_step(t, x, xp, history, run);
  }

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(SrmRun& run) const override { context_->one().prepare(run); }

  std::shared_ptr<const ParkChiouContext> context_;
  std::vector<double> nominals_;
};

void multiplier_terms(const ParkChiouContext& context, double t, std::span<const double> x,
                      SrmRun& run, std::span<double> values) {
  std::vector<double> by(run.top.size(), std::numeric_limits<double>::quiet_NaN());
  if (context.solve(t, x, run) == Evaluation::ok) {
    as_vector(by) = run.work->b * as_vector(run.u);
  }
  copy_multiplier_terms(context.one().hessenberg().view(), by, values);
}

}  // namespace

// Ascher, Lin (3.7): the staggered stabilisation of Park and Chiou (E = I) and of Kalachev and
// O'Malley (E = (CB)⁻¹), solved coupled.
Formulation make_park_chiou(const ParkChiou& method, const Request& request) {
  ConstrainedView view = hessenberg_view(request);
  const auto context = std::make_shared<const ParkChiouContext>(std::make_shared<const SrmContext>(
      request, std::move(view), park_chiou_settings(method, request)));
  Formulation result;
  result.explicit_system = std::make_shared<const ParkChiouOde>(context);
  result.find_start = [context](double t0, Run& base) {
    auto& run = run_of<SrmRun>(base);
    return context->settle_start(t0, to_size(context->size()), run,
                                 [&] { return context->find_start(t0, run); });
  };
  result.outputs = model_outputs(context, to_index(request.model.variables().size()));
  result.outputs.extra_names = multiplier_term_names(context->one().hessenberg().view());
  result.outputs.extra_values = [context](double t, std::span<const double> x,
                                          std::span<const double>, Run& run,
                                          std::span<double> values) {
    multiplier_terms(*context, t, x, run_of<SrmRun>(run), values);
  };
  result.levels.n = context->one().hessenberg().order();
  result.levels.residual = [context](double t, std::span<const double> x, std::span<const double>,
                                     int level, Run& run) {
    return context->one().hessenberg().level_residual(t, context->states(x), {}, level,
                                                      run_of<SrmRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
