// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/initializer.hpp"
#include "formulation/hessenberg_context.hpp"
#include "formulation/start_notices.hpp"

namespace daedal::formulation {

using analysis::Role;

/// All levels of the constraints in all states, as the initialiser sees them.
class HessenbergContext::Levels final : public analysis::ConstraintSet {
 public:
  Levels(const HessenbergContext& owner, double t, HessenbergRun& run)
      : owner_(owner), t_(t), run_(run), workspace_(owner.start_jacobian_.make_workspace()) {}

  [[nodiscard]] Index n_unknowns() const override { return owner_.n_ * owner_.order(); }
  [[nodiscard]] Index n_equations() const override {
    return owner_.n_constraints_ * owner_.order();
  }
  Index residual(std::span<const double> u, std::span<double> values) override {
    const auto out = run_.levels(owner_.blocks(t_, u, run_));
    std::copy(out.begin(), out.end(), values.begin());
    return first_non_finite(values);
  }
  [[nodiscard]] const SparsityPattern& pattern() const override {
    return owner_.start_jacobian_.pattern();
  }
  Index jacobian(std::span<const double> u, std::span<double> values) override {
    const std::span<double> groups[] = {values};
    owner_.start_jacobian_.evaluate(owner_.blocks(t_, u, run_), groups, workspace_);
    return first_non_finite(values) < 0 ? -1 : 0;
  }
  [[nodiscard]] std::string unknown_name(Index unknown) const override {
    const auto n = owner_.n_;
    const std::int32_t variable = owner_.view_.states[to_size(unknown / n)][to_size(unknown % n)];
    return owner_.view_.model.variables()[to_size(variable)].name;
  }
  [[nodiscard]] std::string equation_name(Index equation) const override {
    const Index level = equation / owner_.n_constraints_;
    const std::string name = owner_.constraint_name(equation % owner_.n_constraints_);
    return level == 0 ? name : fmt::format("time derivative {} of {}", level, name);
  }

 private:
  static Index first_non_finite(std::span<const double> values) {
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](double value) { return !std::isfinite(value); });
    return bad == values.end() ? -1 : bad - values.begin();
  }

  const HessenbergContext& owner_;
  double t_;
  HessenbergRun& run_;
  kernel::JacobianWorkspace workspace_;
};

Start HessenbergContext::find_start(double t0, HessenbergRun& run) const {
  Start start;
  start.x.resize(to_size(n_ * order()));
  start.xp.resize(start.x.size());
  Evaluator evaluator(start_values_);
  const auto guesses = evaluator(blocks(t0, start.x, run));
  std::vector<analysis::InitialUnknown> wishes;
  std::vector<bool> is_given;
  for (std::size_t i = 0; i < start.x.size(); ++i) {
    const std::int32_t name = view_.states[i / to_size(n_)][i % to_size(n_)];
    const Variable& variable = view_.model.variables()[to_size(name)];
    const bool given = variable.start != no_node || variable.fixed;
    is_given.push_back(given);
    wishes.push_back({.value = guesses[i],
                      .role = variable.fixed ? Role::held : Role::guess,
                      .nominal = variable.nominal,
                      .confidence = given ? 1.0 : confidence_of_default});
  }
  Levels levels(*this, t0, run);
  const analysis::InitialValues found = analysis::find_initial_values(levels, wishes);
  std::copy(found.values.begin(), found.values.end(), start.x.begin());
  if (found.status != Status::success) {
    start.status = found.status;
    start.message = found.message;
    return start;
  }
  add_start_notices(found, levels, is_given, start);
  if (derivatives(t0, start.x, run, start.xp) != Evaluation::ok) {
    start.status = run.failure.status;
    start.message = run.failure.detail;
  }
  return start;
}

}  // namespace daedal::formulation
