// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/error.hpp>
#include <limits>

#include "formulation/charts/user_chart.hpp"
#include "formulation/frame/model_system.hpp"

namespace daedal::formulation {

namespace {

class UserChartOde final : public ModelSystem<ExplicitSystem, UserChartRun> {
 public:
  explicit UserChartOde(std::shared_ptr<const UserChartContext> context)
      : context_(std::move(context)) {}

  [[nodiscard]] std::int64_t size() const override { return 2 * context_->chart().n_coordinates(); }
  Evaluation rhs(double t, std::span<const double> z, Run& run,
                 std::span<double> zp) const override {
    return context_->rates(t, z, own(run), zp);
  }
  Change after_step(double t, std::span<double> z, std::span<double> zp, const History& history,
                    Run& run) const override {
    Change change = context_->check_edge(t, z, own(run));
    return change.kind == Change::Kind::none ? ModelSystem::after_step(t, z, zp, history, run)
                                             : change;
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> z,
                  std::span<double> zp, Run& run) const override {
    Change change = ModelSystem::on_event(t, fired, z, zp, run);
    context_->remember(t, z, own(run));
    return change;
  }

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(UserChartRun& run) const override { context_->prepare(run); }

  std::shared_ptr<const UserChartContext> context_;
};

double constraint_residual(const UserChartContext& context, double t, std::span<const double> z,
                           int level, UserChartRun& run) {
  const Mechanics& mechanics = context.mechanical();
  std::vector<double>& values = run.work.bottom;
  if (!context.lift(t, z, run) ||
      mechanics.residual(mechanics.point(t, run.x), level, run, values) != Evaluation::ok) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return greatest(values);
}

}  // namespace

Formulation make_user_chart(const daedal::UserChart&, const Request& request) {
  if (!request.chart) {
    throw OptionError(ErrorCode::illegal_combination,
                      "The method 'user-chart' needs a chart: every position by coordinates of "
                      "your own, as in \"x = sin(angle); y = -cos(angle)\".");
  }
  const auto context = std::make_shared<const UserChartContext>(
      request, std::make_shared<const Mechanics>(request, mechanical_view(request)));
  Formulation result;
  result.explicit_system = std::make_shared<const UserChartOde>(context);
  result.find_start = [context](double t0, Run& base) {
    auto& run = run_of<UserChartRun>(base);
    return context->settle_start(t0, 2 * to_size(context->chart().n_coordinates()), run,
                                 [&] { return context->find_start(t0, run); });
  };
  result.outputs = model_outputs(context, to_index(request.model.variables().size()));
  result.levels.n = 2;
  result.levels.residual = [context](double t, std::span<const double> z, std::span<const double>,
                                     int level, Run& run) {
    return constraint_residual(*context, t, z, level, run_of<UserChartRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
