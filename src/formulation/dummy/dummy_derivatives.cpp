// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/dummy/dummy_derivatives.hpp"

#include <algorithm>

#include "formulation/dummy/start.hpp"
#include "formulation/dummy/states_only.hpp"
#include "formulation/frame/model_system.hpp"

namespace daedal::formulation {

namespace {

/// For implicit integrators: a sparse system of index 1 whose rows change with the selection while
/// its unknowns and its pattern stay.
class DummyDerivativesSystem final : public ModelSystem<ImplicitSystem, DummyRun> {
 public:
  explicit DummyDerivativesSystem(std::shared_ptr<const DummyContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const override { return context_->system().n_places(); }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return context_->kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return context_->nominals(); }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> values) const override;
  [[nodiscard]] const SparsityPattern& pattern() const override { return context_->pattern(); }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                      std::span<double> f_x, std::span<double> f_xp) const override;
  [[nodiscard]] std::string row_name(std::int64_t row) const override {
    return context_->row_name(row);
  }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override {
    return context_->system().place_name(column);
  }

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(DummyRun& run) const override { context_->prepare(run); }

  std::shared_ptr<const DummyContext> context_;
};

Evaluation DummyDerivativesSystem::residual(double t, std::span<const double> x,
                                            std::span<const double> xp, Run& run,
                                            std::span<double> values) const {
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p)
    if (equation_at[p] < 0) values[p] = xp[p] - x[p + 1];
  return context_->residual(t, x, own(run), values);
}

Evaluation DummyDerivativesSystem::jacobian(double t, std::span<const double> x,
                                            std::span<const double>, Run& run,
                                            std::span<double> f_x, std::span<double> f_xp) const {
  std::fill(f_xp.begin(), f_xp.end(), 0.0);
  const Evaluation evaluation = context_->jacobian(t, x, own(run), f_x);
  const auto& equation_at = own(run).selection.equation_at;
  for (std::size_t p = 0; p < x.size(); ++p) {
    if (equation_at[p] >= 0) continue;
    f_xp[to_size(context_->diagonal(to_index(p)))] = 1.0;
    f_x[to_size(context_->next(to_index(p)))] = -1.0;
  }
  return evaluation;
}

Change DummyDerivativesSystem::on_event(double t, std::span<const std::int64_t> fired,
                                        std::span<double> x, std::span<double> xp, Run& run) const {
  return context_->select_after(ModelSystem::on_event(t, fired, x, xp, run), t, x, own(run));
}

Change DummyDerivativesSystem::after_step(double t, std::span<double> x, std::span<double> xp,
                                          const History& history, Run& run) const {
  return context_->watch_after(ModelSystem::after_step(t, x, xp, history, run), t, x, history,
                               own(run));
}

Formulation with_levels(const DummyContext& context) {
  Formulation result;
  for (const Index c : context.system().report().offsets.c)
    if (c > 0) result.levels.n = std::max(result.levels.n, static_cast<int>(c) + 1);
  return result;
}

}  // namespace

Formulation make_dummy_derivatives(const std::shared_ptr<const DummyContext>& context,
                                   bool is_explicit) {
  Formulation result = with_levels(*context);
  result.find_start = [context, start = std::make_shared<const DummyStart>(*context)](
                          double t0, Run& run) { return start->find(t0, run_of<DummyRun>(run)); };
  result.outputs = model_outputs(context, context->system().view().n_given);
  result.levels.residual = [context](double t, std::span<const double> x, std::span<const double>,
                                     int level, Run& run) {
    return context->constraint_residual(t, x, level, run_of<DummyRun>(run));
  };
  if (!is_explicit) {
    result.implicit_system = std::make_shared<const DummyDerivativesSystem>(context);
    return result;
  }
  const auto ode = std::make_shared<const DummyDerivativesOde>(context);
  result.explicit_system = ode;
  result.outputs.to_model = [ode](double t, std::span<const double> x, std::span<const double>,
                                  Run& run, std::span<double> values,
                                  std::span<double> derivatives) {
    ode->to_model(t, x, run_of<DummyRun>(run), values, derivatives);
  };
  return result;
}

Formulation make_states_only(const std::shared_ptr<const DummyContext>& context) {
  Formulation result = with_levels(*context);
  const auto system = std::make_shared<const StatesOnlySystem>(context);
  result.explicit_system = system;
  result.find_start = [system, start = std::make_shared<const DummyStart>(*context)](double t0,
                                                                                     Run& base) {
    auto& run = run_of<DummyRun>(base);
    return system->begin(t0, start->find(t0, run), run);
  };
  result.outputs = model_outputs(system, context->system().view().n_given);
  result.levels.residual = [system](double t, std::span<const double> x, std::span<const double>,
                                    int level, Run& run) {
    return system->constraint_residual(t, x, level, run_of<DummyRun>(run));
  };
  return result;
}

namespace {

Formulation make(const DummyDerivatives& method, const Request& request) {
  return make_dummy_derivatives(std::make_shared<const DummyContext>(request, method),
                                request.prefers_explicit);
}

Formulation make(const StatesOnly& method, const Request& request) {
  return make_states_only(std::make_shared<const DummyContext>(
      request, DummyDerivatives{.switch_ratio = method.switch_ratio, .fixed = method.fixed}));
}

}  // namespace

std::vector<MethodRow> dummy_methods() {
  return {
      method_row<DummyDerivatives, make>(
          {.summary =
               "Equations differentiated as the structure demands, as many derivatives replaced "
               "by algebraic unknowns; states re-selected during the run.",
           .paper = "Poell, Hafner 5.3; Mattsson, Soederlind",
           .needs = RequiredView::general,
           .yields = SystemKind::implicit_system,
           .default_integrator = "bdf"}),
      method_row<StatesOnly, make>(
          {.summary = "x' = f(t, x) in the states that dummy derivatives leave; everything else is "
                      "solved for block by block wherever it is needed.",
           .paper = "Poell, Hafner 5.3; Mattsson, Soederlind; Elmqvist, Otter: tearing",
           .needs = RequiredView::general,
           .yields = SystemKind::explicit_system,
           .default_integrator = "cvode-bdf"})};
}

}  // namespace daedal::formulation
