// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "formulation/srm/srm_system.hpp"

namespace daedal::formulation {

namespace {

/// The state is (x, y); one iterate of SrmContext gives every matrix.
class ParkChiouContext final : public ModelContext {
 public:
  ParkChiouContext(const Request& request, const HessenbergView& view, const SrmSettings& settings)
      : ModelContext(view.model), one_(request, view, settings) {}

  [[nodiscard]] const SrmContext& one() const { return one_; }
  [[nodiscard]] Index size() const { return one_.n_states() + one_.n_multipliers(); }
  [[nodiscard]] std::span<const double> states(std::span<const double> x) const {
    return x.first(to_size(one_.n_states()));
  }

  /// Negative backwards in time, so that y decays to its equilibrium.
  [[nodiscard]] double epsilon(SrmRun& run) const {
    return one_.settings().direction * one_.memory(run).epsilon();
  }
  /// run.top = M⁻¹f − M⁻¹By for the y of the state.
  Evaluation solve(double t, std::span<const double> x, SrmRun& run) const {
    const Evaluation found = one_.point(t, states(x), run);
    std::ranges::copy(x.last(to_size(one_.n_multipliers())), run.multiplier.begin());
    as_vector(run.top) = as_vector(run.work->free);
    as_vector(run.top).noalias() -= run.work->b * as_vector(run.multiplier);
    return found;
  }

  /// Ascher, Lin (3.7): ε y' = E (ċ|_{y=0} − CB y), the derivative of y = E c / ε without E'.
  Evaluation derivatives(double t, std::span<const double> x, SrmRun& run,
                         std::span<double> xp) const {
    Evaluation found = solve(t, x, run);
    if (found == Evaluation::ok) found = one_.prepare_gain(t, run);
    if (found != Evaluation::ok) return found;
    const Index n = one_.hessenberg().n(), n_states = one_.n_states();
    std::copy(x.begin() + n, x.begin() + n_states, xp.begin());
    std::ranges::copy(run.top, xp.begin() + n_states - n);
    const std::span<double> rate = xp.last(to_size(one_.n_multipliers()));
    as_vector(rate) = as_vector(run.work->rate);
    as_vector(rate).noalias() -= run.work->a * as_vector(run.multiplier);
    one_.apply_gain(rate, run);
    as_vector(rate) /= epsilon(run);
    return Evaluation::ok;
  }

  Evaluation jacobian(double t, std::span<const double> x, SrmRun& run,
                      std::span<double> f_x) const {
    Evaluation found = solve(t, x, run);
    if (found == Evaluation::ok) found = one_.prepare_gain(t, run);
    if (found == Evaluation::ok) found = one_.linearize(t, states(x), run);
    if (found != Evaluation::ok) return found;
    const SrmWork& work = *run.work;
    const Index n = one_.hessenberg().n(), n_states = one_.n_states(), k = one_.n_multipliers();
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
      one_.apply_gain(column, run);
      jacobian.col(j).tail(k) = as_vector(column);
    }
    return Evaluation::ok;
  }

  [[nodiscard]] Start find_start(double t0, SrmRun& run) const {
    Start start = one_.find_start(t0, run);
    start.x.resize(to_size(size()));
    start.xp.resize(start.x.size());
    if (start.status != Status::success) return start;
    std::ranges::copy(one_.memory(run).coefficients(), start.x.begin() + one_.n_states());
    if (derivatives(t0, start.x, run, start.xp) != Evaluation::ok) {
      start.status = run.failure.status;
      start.message = run.failure.detail;
    }
    return start;
  }

  void read(double t, std::span<const double> x, std::span<const double>, ModelRun& base,
            std::span<double> values, std::span<double> derivatives) const override {
    auto& run = static_cast<SrmRun&>(base);
    solve(t, x, run);
    one_.hessenberg().write_outputs(t, states(x), run, values, derivatives);
  }
  bool assign(std::int32_t variable, double value, std::span<double> x) const override {
    return one_.hessenberg().assign(variable, value, x.first(to_size(one_.n_states())));
  }
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& base) const override {
    auto& run = static_cast<SrmRun&>(base);
    const auto n_states = to_size(one_.n_states());
    const Evaluation found = one_.restart(t, x.first(n_states), xp.first(n_states), run);
    if (found != Evaluation::ok) return found;
    std::ranges::copy(one_.memory(run).coefficients(), x.begin() + one_.n_states());
    return derivatives(t, x, run, xp);
  }

 private:
  SrmContext one_;
};

class ParkChiouOde final : public ContextSystem<ExplicitSystem> {
 public:
  explicit ParkChiouOde(std::shared_ptr<const ParkChiouContext> context)
      : context_(std::move(context)), nominals_(context_->one().hessenberg().nominals()) {
    const HessenbergView& view = context_->one().hessenberg().view();
    for (const std::int32_t variable : view.algebraic) {
      nominals_.push_back(view.model.variables()[to_size(variable)].nominal);
    }
  }

  [[nodiscard]] std::int64_t size() const override { return context_->size(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override {
    auto run = context_->one().make_run();
    context_->events().prepare(*run);
    return run;
  }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override {
    return context_->derivatives(t, x, static_cast<SrmRun&>(run), xp);
  }
  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double t, std::span<const double> x, Run& run,
                      std::span<double> f_x) const override {
    return context_->jacobian(t, x, static_cast<SrmRun&>(run), f_x);
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& base) const override {
    auto& run = static_cast<SrmRun&>(base);
    run.work->usual = std::max(run.work->usual, run.work->smallest);
    return ContextSystem::after_step(t, x, xp, history, run);
  }

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }

  std::shared_ptr<const ParkChiouContext> context_;
  std::vector<double> nominals_;
};

class ParkChiouFormulation final : public ContextFormulation {
 public:
  ParkChiouFormulation(const Request& request, const HessenbergView& view,
                       const SrmSettings& settings)
      : ContextFormulation(request, view.model),
        context_(std::make_shared<const ParkChiouContext>(request, view, settings)),
        system_(context_),
        extra_names_(multiplier_term_names(view)) {}

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  Start start(double t0, Run& base) const override {
    auto& run = static_cast<SrmRun&>(base);
    return context_->start(t0, to_size(context_->size()), run,
                           [&] { return context_->find_start(t0, run); });
  }
  [[nodiscard]] std::span<const std::string> extra_names() const override { return extra_names_; }
  void extra_values(double t, std::span<const double> x, std::span<const double>, Run& base,
                    std::span<double> values) const override {
    auto& run = static_cast<SrmRun&>(base);
    std::vector<double> by(run.top.size(), std::numeric_limits<double>::quiet_NaN());
    if (context_->solve(t, x, run) == Evaluation::ok) {
      as_vector(by) = run.work->b * as_vector(run.multiplier);
    }
    copy_multiplier_terms(context_->one().hessenberg().view(), by, values);
  }
  [[nodiscard]] int n_levels() const override { return context_->one().hessenberg().order(); }
  double constraint_residual(double t, std::span<const double> x, std::span<const double>,
                             int level, Run& base) const override {
    auto& run = static_cast<SrmRun&>(base);
    std::vector<double> values(to_size(context_->one().n_multipliers()));
    if (!context_->one().hessenberg().level(t, context_->states(x), level, run, values)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return greatest(values);
  }

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }

  std::shared_ptr<const ParkChiouContext> context_;
  ParkChiouOde system_;
  std::vector<std::string> extra_names_;
};

}  // namespace

// Ascher, Lin (3.7): the staggered stabilisation of Park and Chiou (E = I) and of Kalachev and
// O'Malley (E = (CB)⁻¹), solved coupled.
MethodInfo park_chiou_method() {
  return {.name = "park-chiou",
          .summary =
              "The penalty method's multipliers by their own differential equation: for "
              "comparison.",
          .paper = "Ascher, Lin (3.7)",
          .needs = View::hessenberg,
          .yields = Yields::explicit_system,
          .parameters = gain_parameters(),
          .default_integrator = "radau",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<ParkChiouFormulation>(request, recognize_hessenberg(request),
                                                          park_chiou_settings(request));
          }};
}

}  // namespace daedal::formulation
