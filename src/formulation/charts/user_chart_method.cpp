// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/error.hpp>
#include <limits>

#include "formulation/charts/user_chart.hpp"
#include "formulation/mechanics/mechanical_methods.hpp"

namespace daedal::formulation {

namespace {

class UserChartOde final : public ContextSystem<ExplicitSystem> {
 public:
  explicit UserChartOde(std::shared_ptr<const UserChartContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const override { return 2 * context_->chart().n_coordinates(); }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override { return context_->make_run(); }
  Evaluation rhs(double t, std::span<const double> z, Run& run,
                 std::span<double> zp) const override {
    return context_->rates(t, z, static_cast<UserChartRun&>(run), zp);
  }

  Change after_step(double t, std::span<double> z, std::span<double> zp, const History& history,
                    Run& run) const override {
    Change change = context_->check_edge(t, z, static_cast<UserChartRun&>(run));
    return change.kind == Change::Kind::none ? ContextSystem::after_step(t, z, zp, history, run)
                                             : change;
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> z,
                  std::span<double> zp, Run& run) const override {
    Change change = ContextSystem::on_event(t, fired, z, zp, run);
    context_->remember(t, z, static_cast<UserChartRun&>(run));
    return change;
  }

 private:
  [[nodiscard]] const ModelContext& model() const override { return *context_; }
  std::shared_ptr<const UserChartContext> context_;
};

class UserChartFormulation final : public ContextFormulation {
 public:
  explicit UserChartFormulation(const Request& request)
      : UserChartFormulation(request,
                             std::make_shared<const UserChartContext>(
                                 request, std::make_shared<const MechanicalContext>(request))) {}

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }
  Start start(double t0, Run& base) const override {
    auto& run = static_cast<UserChartRun&>(base);
    return context_->start(t0, to_size(system_.size()), run,
                           [&] { return context_->find_start(t0, run); });
  }
  [[nodiscard]] int n_levels() const override { return 2; }
  double constraint_residual(double t, std::span<const double> z, std::span<const double>,
                             int level, Run& base) const override {
    auto& run = static_cast<UserChartRun&>(base);
    const Mechanics& mechanics = context_->mechanical().mechanics();
    std::vector<double>& values = run.work.bottom;
    if (!context_->lift(t, z, run) ||
        mechanics.residual(mechanics.point(t, run.x), level, run, values) != Evaluation::ok) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return greatest(values);
  }

 private:
  UserChartFormulation(const Request& request, std::shared_ptr<const UserChartContext> context)
      : ContextFormulation(request, context->mechanical().mechanics().view().model),
        context_(std::move(context)),
        system_(context_) {}
  [[nodiscard]] const ModelContext& model() const override { return *context_; }

  std::shared_ptr<const UserChartContext> context_;
  UserChartOde system_;
};

std::unique_ptr<Formulation> make(const Request& request) {
  if (!request.chart) {
    throw OptionError(ErrorCode::invalid_option,
                      "The method 'user-chart' needs a chart: every position by coordinates of "
                      "your own, as in \"x = sin(angle); y = -cos(angle)\".");
  }
  return std::make_unique<UserChartFormulation>(request);
}

}  // namespace

MethodInfo user_chart_method() {
  return {.name = "user-chart",
          .summary = "Local coordinates that you give: positions as expressions of them (--chart).",
          .paper = "Poell, Hafner 7, (39), (40)",
          .needs = View::mechanical,
          .yields = Yields::explicit_system,
          .parameters = {},
          .default_integrator = "dop853",
          .make = make,
          .takes_chart = true};
}

}  // namespace daedal::formulation
