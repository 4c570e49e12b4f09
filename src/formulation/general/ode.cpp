// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formulation/general/direct.hpp"
#include "formulation/general/explicit_form.hpp"
#include "kernel/jacobian_program.hpp"

namespace daedal::formulation {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct OdeRun final : ModelRun {
  using ModelRun::ModelRun;
  kernel::Workspace rates;
  Evaluator algebraic;
  kernel::JacobianWorkspace jacobian;
  std::vector<double> nonzeros;
};

/// The equations of the model stay at hand in a DirectSystem: it finds the start and compiled the
/// events.
class OdeSystem final : public ExplicitSystem, public StateAccess {
 public:
  OdeSystem(GeneralView view, std::vector<double> parameters)
      : direct_(std::move(view), std::move(parameters)), form_(explicit_form(direct_.view())) {
    rates_ = kernel::Program::compile(*form_.pool, form_.rates, form_.inputs);
    algebraic_ = kernel::Program::compile(*form_.pool, form_.algebraic_values, form_.inputs);
    jacobian_ = kernel::JacobianProgram::compile(
        *form_.pool,
        {.roots = form_.rates, .groups = {form_.state_leaves}, .inputs = form_.inputs});
    position_.assign(direct_.view().x.size(), -1);
    for (std::size_t k = 0; k < form_.states.size(); ++k) {
      const auto i = static_cast<std::size_t>(form_.states[k]);
      position_[i] = to_index(k);
      nominals_.push_back(direct_.nominals()[i]);
    }
  }

  [[nodiscard]] const DirectSystem& direct() const { return direct_; }
  [[nodiscard]] const ExplicitForm& form() const { return form_; }

  [[nodiscard]] std::int64_t size() const override { return to_index(form_.states.size()); }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  [[nodiscard]] std::unique_ptr<Run> make_run() const override {
    auto run = std::make_unique<OdeRun>(direct_.view().model, direct_.parameters());
    direct_.events().prepare(*run);
    run->rates = rates_.make_workspace();
    run->algebraic = Evaluator(algebraic_);
    run->jacobian = jacobian_.make_workspace();
    run->nonzeros.resize(to_size(jacobian_.pattern().nonzeros()));
    return run;
  }

  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override {
    auto& own = static_cast<OdeRun&>(run);
    rates_.evaluate(own.blocks(t, x, {}), xp, own.rates);
    for (std::size_t k = 0; k < xp.size(); ++k) {
      if (std::isfinite(xp[k])) continue;
      run.failure = {Status::non_finite_value, to_index(k),
                     fmt::format("der({}) is not finite at t = {:.12g}.", name(k), t)};
      return Evaluation::recoverable;
    }
    return Evaluation::ok;
  }

  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double t, std::span<const double> x, Run& run,
                      std::span<double> f_x) const override {
    auto& own = static_cast<OdeRun&>(run);
    const std::array<std::span<double>, 1> arrays{own.nonzeros};
    jacobian_.evaluate(own.blocks(t, x, {}), arrays, own.jacobian);
    std::fill(f_x.begin(), f_x.end(), 0.0);
    const auto& pattern = jacobian_.pattern();
    const std::size_t n = form_.states.size();
    for (std::size_t j = 0; j < n; ++j) {
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const double entry = own.nonzeros[to_size(p)];
        const auto row = to_size(pattern.row[to_size(p)]);
        f_x[j * n + row] = entry;
        if (std::isfinite(entry)) continue;
        run.failure = {
            Status::non_finite_value, to_index(row),
            fmt::format("A derivative of der({}) is not finite at t = {:.12g}.", name(row), t)};
        return Evaluation::recoverable;
      }
    }
    return Evaluation::ok;
  }

  [[nodiscard]] std::int64_t n_events() const override { return direct_.n_events(); }
  Evaluation event_functions(double t, std::span<const double> x, std::span<const double> xp,
                             Run& run, std::span<double> values) const override {
    auto& own = static_cast<OdeRun&>(run);
    read(t, x, xp, own, own.values, own.derivatives);
    return direct_.events().event_functions(t, own.values, own.derivatives, own, values);
  }
  [[nodiscard]] double next_time_event(double t, const Run& run) const override {
    return direct_.next_time_event(t, run);
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    return direct_.events().on_event(t, fired, x, xp, static_cast<ModelRun&>(run), *this);
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History&,
                    Run& run) const override {
    if (!direct_.events().has_assertions()) return {};
    auto& own = static_cast<OdeRun&>(run);
    read(t, x, xp, own, own.values, own.derivatives);
    return direct_.events().check_assertions(t, own.values, own.derivatives, own);
  }

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override {
    auto& own = static_cast<OdeRun&>(run);
    const auto algebraic = own.algebraic(own.blocks(t, x, {}));
    for (std::size_t k = 0; k < form_.algebraic.size(); ++k) {
      values[static_cast<std::size_t>(form_.algebraic[k])] = algebraic[k];
      derivatives[static_cast<std::size_t>(form_.algebraic[k])] = not_a_number;
    }
    for (std::size_t k = 0; k < form_.states.size(); ++k) {
      values[static_cast<std::size_t>(form_.states[k])] = x[k];
      derivatives[static_cast<std::size_t>(form_.states[k])] = xp[k];
    }
  }
  bool assign(std::int32_t variable, double value, std::span<double> x) const override {
    const Index k = position_[static_cast<std::size_t>(variable)];
    if (k >= 0) x[to_size(k)] = value;
    return k >= 0;
  }
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override {
    return rhs(t, x, run, xp);
  }

 private:
  [[nodiscard]] std::string name(std::size_t state) const {
    return direct_.unknown_name(form_.states[state]);
  }

  DirectSystem direct_;
  ExplicitForm form_;
  kernel::Program rates_;
  kernel::Program algebraic_;
  kernel::JacobianProgram jacobian_;
  std::vector<Index> position_;  ///< of every variable among the states, or -1
  std::vector<double> nominals_;
};

class OdeFormulation final : public Formulation {
 public:
  explicit OdeFormulation(const Request& request)
      : system_(general_view(request.model), request.parameters),
        start_(system_.direct(), request.starts),
        names_(output_names_of(view().model, view().n_given)) {}

  [[nodiscard]] const ExplicitSystem* explicit_system() const override { return &system_; }

  Start start(double t0, Run& run) const override {
    const auto whole = system_.direct().make_run();
    whole->stop = run.stop;
    auto& found = static_cast<ModelRun&>(*whole);
    Start result = start_.find(t0, found, false);
    static_cast<ModelRun&>(run).take_from(found);
    if (result.status != Status::success) return result;
    std::vector<double> x;
    for (const std::int32_t state : system_.form().states)
      x.push_back(result.x[static_cast<std::size_t>(state)]);
    result.x = std::move(x);
    result.xp.resize(result.x.size());
    if (system_.rhs(t0, result.x, run, result.xp) != Evaluation::ok) {
      result.status = run.failure.status;
      result.message = run.failure.detail;
    }
    return result;
  }

  [[nodiscard]] std::span<const std::string> output_names() const override { return names_; }

  void to_model(double t, std::span<const double> x, std::span<const double> xp, Run& run,
                std::span<double> values, std::span<double> derivatives) const override {
    auto& own = static_cast<OdeRun&>(run);
    system_.read(t, x, xp, own, own.values, own.derivatives);
    const Index n = view().n_given;
    std::copy_n(own.values.begin(), n, values.begin());
    std::copy(run.discretes.begin(), run.discretes.end(), values.begin() + n);
    if (!derivatives.empty()) std::copy_n(own.derivatives.begin(), n, derivatives.begin());
  }

  [[nodiscard]] std::string describe_event(std::span<const std::int64_t> fired,
                                           const Change& change, const Run&) const override {
    return system_.direct().events().describe(fired, change);
  }

 private:
  [[nodiscard]] const GeneralView& view() const { return system_.direct().view(); }

  OdeSystem system_;
  GeneralStart start_;
  std::vector<std::string> names_;
};

}  // namespace

MethodInfo explicit_ode_method() {
  return {.name = "ode",
          .summary =
              "x' = f(t, x) with algebraic variables solved in sequence, where the model "
              "can be written so.",
          .paper = "",
          .needs = View::general,
          .yields = Yields::explicit_system,
          .parameters = {},
          .default_integrator = "dop853",
          .make = [](const Request& request) -> std::unique_ptr<Formulation> {
            return std::make_unique<OdeFormulation>(request);
          }};
}

}  // namespace daedal::formulation
