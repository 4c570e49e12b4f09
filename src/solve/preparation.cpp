// SPDX-License-Identifier: BSD-3-Clause
#include "solve/preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/structural_report.hpp"
#include "expr/traverse.hpp"
#include "model/variants.hpp"
#include "model/views/general_view.hpp"
#include "model/views/sample_points.hpp"
#include "solve/settable_inputs.hpp"

namespace daedal::solve_detail {

namespace {

/// A dense Jacobian of this size is factored in a millisecond.
constexpr Index most_integrated_states = 100;
/// Lines of hundreds of segments are not stiff; models of grids, which are, have few unknowns
/// beside their states.
constexpr Index most_explicit_states = 300;
/// Below so many unknowns nothing is saved; with hidden constraints, which cost a selection of
/// states in either form, below a dozen.
constexpr Index fewest_unknowns = 8;
constexpr Index fewest_constrained = 12;

/// Two requests with the same key make the same formulation, unless it depends on start values.
std::string key_of(const formulation::MethodRow& method, const formulation::Request& request) {
  std::string key = fmt::format(
      "{} {}{}{}{}{}{}", request.method.text(), int(request.prefers_implicit),
      int(request.prefers_explicit), int(request.watch_singularities),
      int(request.stop_at_singularities), int(request.is_automatic), int(request.is_backward));
  if (method.depends_on_tolerance) {
    key += fmt::format(" {:a} {:a} {:a} {:a}", request.rtol, request.atol, request.fixed_step,
                       request.stability);
  }
  return key;
}

}  // namespace

PreparedModel::PreparedModel(Model model, std::vector<double> parameters)
    : model_(std::move(model)), parameters_(std::move(parameters)) {}

const std::shared_ptr<const formulation::Recognized>& PreparedModel::recognized() const {
  return recognized_.get(
      [&] { return std::make_shared<const formulation::Recognized>(model_, parameters_); });
}

bool PreparedModel::holds_for(std::span<const double> parameters) const {
  const auto* made = recognized_.if_made();
  return made == nullptr || (*made)->holds_for(parameters);
}

const std::optional<analysis::StructuralReport>& PreparedModel::report() const {
  return report_.get([&] { return analysis::find_structural_report(model_); });
}

PreparedModel::Structure PreparedModel::structure() const {
  if (!report()) return {};  // the start reports that the model is structurally singular
  return {.index = report()->index, .n_states = report()->n_states};
}

bool PreparedModel::has_few_states() const {
  const Index n = to_index(model_.variables().size());
  const Index fewest = structure().index > 1 ? fewest_constrained : fewest_unknowns;
  return n >= fewest && structure().n_states <= most_integrated_states &&
         2 * structure().n_states <= n;
}

const PreparedModel::Making& PreparedModel::making() const {
  return making_.get([&] {
    const GeneralView& view = recognized()->view();
    const Reachable reachable(*view.pool, view.residuals);
    Making making{.n_relations = to_index(view.relations.size())};
    for (const NodeId id : reachable.ids()) {
      const Op op = (*view.pool)[id].op;
      const NodeId divisor = op == Op::div ? (*view.pool)[id].b : no_node;
      const bool varies = divisor != no_node && (*view.pool)[divisor].op != Op::constant &&
                          (*view.pool)[divisor].op != Op::parameter;
      making.has_poles = making.has_poles || varies || op == Op::log;
      const bool has_pieces = op == Op::abs || op == Op::min || op == Op::max || op == Op::sign ||
                              op == Op::floor || is_relation(op);
      making.n_operations += op >= Op::neg ? 1 : 0;
      making.is_smooth = making.is_smooth && !has_pieces && op != Op::external && op != Op::sample;
    }
    const auto n_fixed = std::ranges::count_if(
        model_.variables(), [](const Variable& variable) { return variable.fixed; });
    making.has_states = structure().n_states > 0;
    making.has_start =
        n_fixed + to_index(model_.initial_equations().size()) >= structure().n_states;
    return making;
  });
}

bool PreparedModel::may_be_explicit() const {
  const Index n_states = structure().n_states;
  return n_states <= most_explicit_states && 2 * n_states <= to_index(model_.variables().size());
}

std::shared_ptr<const formulation::WrittenEquations> PreparedModel::written() const {
  return recognized()->written();
}

const std::vector<NonlinearBlock>& PreparedModel::nonlinear_blocks() const {
  return nonlinear_blocks_.get(
      [&] { return solve_detail::nonlinear_blocks(recognized()->view(), report()); });
}

FormulationPtr PreparedModel::formulation(const formulation::MethodRow& method,
                                          const formulation::Request& request) const {
  using Made = Expected<FormulationPtr>;
  const auto make = [&]() -> FormulationPtr {
    return std::make_shared<const formulation::Formulation>(method.make(request));
  };
  if (method.depends_on_start && method.depends_on_start(request.method)) return make();
  std::shared_ptr<Lazy<Made>> made;
  {
    const std::lock_guard lock(mutex_);
    auto& entry = formulations_[key_of(method, request)];
    if (!entry) entry = std::make_shared<Lazy<Made>>();
    made = entry;
  }
  return made->get([&] { return Made::from(make); }).get();
}

const PreparedModel* PreparedModel::relaxed() const {
  return relaxed_
      .get([&]() -> std::unique_ptr<const PreparedModel> {
        std::optional<Model> softer = softened(model_);
        if (!softer) return nullptr;
        return std::make_unique<const PreparedModel>(std::move(*softer), parameters_);
      })
      .get();
}

const PreparedModel& PreparedModel::restarted() const {
  return *restarted_.get([&] {
    std::vector<double> parameters = parameters_;
    const std::vector<double> starts = start_values(model_, parameters_);
    parameters.insert(parameters.end(), starts.begin(),
                      starts.begin() + to_index(model_.variables().size()));
    return std::make_unique<const PreparedModel>(with_restart_parameters(model_),
                                                 std::move(parameters));
  });
}

Preparation::Preparation(Model model, std::vector<double> parameters)
    : model_(std::move(model)), parameters_(std::move(parameters)) {}

const Reading& Preparation::read(const Lazy<std::unique_ptr<const Reading>>& reading,
                                 bool remove_outputs) const {
  return *reading.get([&] {
    const auto with_events = with_events_at_kinks(model_, [&]() -> auto& { return orders(); });
    Simplified simplified =
        simplify(with_events.value_or(model_), {.remove_outputs = remove_outputs});
    Model smaller = simplified.model;
    std::vector<ValueBound> bounds = value_bounds(model_, simplified.recovery.names());
    return std::unique_ptr<const Reading>(
        new Reading{.simplified = std::move(simplified),
                    .prepared = PreparedModel(std::move(smaller), parameters_),
                    .bounds = std::move(bounds)});
  });
}

const Reading& Preparation::shortened() const {
  return read(shortened_, true);
}

const Reading& Preparation::complete() const {
  return read(complete_, false);
}

const std::vector<Index>& Preparation::orders() const {
  return orders_.get([&] { return differentiation_orders(model_); });
}

bool Preparation::holds_for(std::span<const double> parameters) const {
  for (const Lazy<std::unique_ptr<const Reading>>* reading : {&shortened_, &complete_}) {
    const auto* made = reading->if_made();
    if (made != nullptr && !(*made)->prepared.holds_for(parameters)) return false;
  }
  return true;
}

}  // namespace daedal::solve_detail
