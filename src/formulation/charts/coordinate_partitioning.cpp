// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "formulation/charts/charted_system.hpp"
#include "formulation/charts/user_chart.hpp"
#include "formulation/constrained/constrained_ode.hpp"
#include "formulation/constrained/methods.hpp"
#include "formulation/mechanics/mechanical_ode.hpp"

namespace daedal::formulation {

namespace {

/// Mechanics in local coordinates of the constraint manifold (local_charts.hpp): positions and
/// velocities are both solved along the directions N of one chart,
///
///     g(q̂ + N s, t) = 0,     G (v̂ + N r) + g_t = 0.
class LocalCoordinatesSystem final : public ChartedSystem<MechanicalOde, MechanicalRun> {
 public:
  LocalCoordinatesSystem(std::shared_ptr<const Mechanics> context, const ChartSettings& settings)
      : ChartedSystem(settings, std::move(context), MechanicalOde::Settings{}) {}

  [[nodiscard]] int n_levels() const override { return 2; }
  [[nodiscard]] std::int64_t n_invariants(int) const override { return context().m(); }
  Evaluation residual(double t, std::span<const double> x, int level, Run& run,
                      std::span<double> values) const override {
    const Mechanics& mechanics = context();
    return mechanics.residual(mechanics.point(t, x), level, own(run), values);
  }

 private:
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return context().jacobian_pattern();
  }
  Evaluation constraint_jacobian(double t, std::span<const double> x, Run& base,
                                 std::span<double> values) const override {
    const Mechanics& mechanics = context();
    auto& run = own(base);
    if (mechanics.position_level(mechanics.point(t, x), run, run.work.bottom, values)) {
      return Evaluation::ok;
    }
    run.failure = {Status::non_finite_value, -1,
                   fmt::format("A constraint is not finite at t = {:.12g}.", t)};
    return Evaluation::recoverable;
  }
  [[nodiscard]] std::string constraint_name(Index constraint) const override {
    return context().constraint_name(constraint);
  }
  [[nodiscard]] std::string coordinate_name(Index coordinate) const override {
    return context().coordinate_name(coordinate);
  }
};

Formulation make_mechanical(const Request& request, const ConstrainedView& view,
                            const ChartSettings& settings) {
  const auto context = std::make_shared<const Mechanics>(request, view);
  const auto system = std::make_shared<const LocalCoordinatesSystem>(context, settings);
  const auto extend_start = [system](double t0, ConstrainedRun& run, Start& start) {
    system->start_chart(t0, run, start);
  };
  Formulation result = mechanical_formulation(
      request, context, {.watches = request.watch_singularities, .extend_start = extend_start});
  result.explicit_system = system;
  return result;
}

Formulation make(const Request& request, const ChartSettings& settings) {
  const ConstrainedView& view = constrained_view(request);
  return view.is_mechanical() ? make_mechanical(request, view, settings)
                              : make_constrained_ode(request, view, {.chart = settings});
}

Formulation make_coordinate_partitioning(const CoordinatePartitioning& method,
                                         const Request& request) {
  return make(
      request,
      {.chart = Chart::partition, .switch_ratio = method.switch_ratio, .is_fixed = method.fixed});
}

Formulation make_tangent_space(const TangentSpace& method, const Request& request) {
  return make(
      request,
      {.chart = Chart::tangent, .switch_ratio = method.switch_ratio, .is_fixed = method.fixed});
}

}  // namespace

std::vector<MethodRow> chart_methods() {
  std::vector<MethodRow> rows{
      method_row<CoordinatePartitioning, make_coordinate_partitioning>(
          {.summary = "Independent coordinates integrated, dependent ones solved from the "
                      "constraints; re-selected during the run.",
           .paper = "Poell, Hafner 7; Fuehrer, Leimkuhler 2.2",
           .needs = RequiredView::constrained,
           .yields = SystemKind::explicit_system,
           .default_integrator = "dop853"}),
      method_row<TangentSpace, make_tangent_space>(
          {.summary = "Local coordinates on the tangent space of the constraints; the base point "
                      "is renewed during the run.",
           .paper = "Poell, Hafner 7",
           .needs = RequiredView::constrained,
           .yields = SystemKind::explicit_system,
           .default_integrator = "dop853"}),
      method_row<daedal::UserChart, make_user_chart>(
          {.summary = "Local coordinates that you give: positions as expressions of them "
                      "(--chart).",
           .paper = "Poell, Hafner 7, (39), (40)",
           .needs = RequiredView::mechanical,
           .yields = SystemKind::explicit_system,
           .default_integrator = "dop853"})};
  rows.back().takes_chart = true;
  rows.back().depends_on_tolerance = true;
  return rows;
}

}  // namespace daedal::formulation
