// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_dae.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/calculus.hpp"
#include "formulation/constrained/row_system.hpp"

namespace daedal::formulation {

namespace {

/// Writes the rows of a form.
class RowWriter {
 public:
  RowWriter(const ConstrainedOdeContext& context, const ConstrainedForm& form, Pool& pool)
      : context_(context), view_(context.view()), form_(form), pool_(pool) {}

  SystemRows write() {
    declare_unknowns();
    write_kinetics();
    for (std::size_t i = 0; i < view_.determining.size(); ++i) {
      add_row(determining_row(i), row_name(i, level_of(i)));
    }
    for (const auto& [constraint, level] : below_) {
      add_row(view_.levels[to_size(level)][constraint], row_name(constraint, level));
    }
    return std::move(rows_);
  }

 private:
  /// The level on which a constraint stands for u.
  [[nodiscard]] int level_of(std::size_t constraint) const {
    return std::max(view_.depths[constraint] + 1 - form_.index, 0);
  }
  [[nodiscard]] std::string row_name(std::size_t constraint, int level) const {
    const std::string name = context_.constraint_name(to_index(constraint));
    return level == 0 ? name : fmt::format("time derivative {} of {}", level, name);
  }
  void add_row(NodeId row, std::string name) {
    rows_.rows.push_back(row);
    rows_.row_names.push_back(std::move(name));
  }

  void declare_unknowns() {
    const auto variables = view_.model.variables();
    // In an index-3 form what u drives is of index 2 (Hairer, Wanner VII.6).
    const std::vector<std::int32_t>& states = view_.states[0];
    std::vector<bool> is_driven(states.size(), false);
    for (const std::int32_t variable : view_.algebraic) u_.push_back(pool_.variable(variable));
    for (const JacobianEntry& entry : jacobian(pool_, view_.force, u_)) {
      is_driven[to_size(entry.row)] = true;
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Variable& variable = variables[to_size(states[i])];
      x_.push_back(pool_.variable(states[i]));
      rows_.x.push_back(x_.back());
      rows_.xp.push_back(pool_.variable(states[i], 1));
      rows_.add_unknown(
          variable.name,
          {.differential = true, .index = is_driven[i] ? std::max(form_.index - 1, 1) : 1},
          variable.nominal);
    }
    for (std::size_t i = 0; i < u_.size(); ++i) {
      rows_.x.push_back(u_[i]);
      rows_.xp.push_back(no_node);
      rows_.add_unknown(variables[to_size(view_.algebraic[i])].name,
                        {.differential = false,
                         .index = form_.index,
                         // Where u enters linearly, one iteration of Newton's method finds it.
                         .in_error_test = !view_.is_linear},
                        variables[to_size(view_.algebraic[i])].nominal);
    }
    if (form_.below == ConstrainedForm::Below::dropped) return;
    for (int level = 0; level + 1 < view_.index(); ++level) {
      for (std::size_t i = 0; i < view_.n_constraints(); ++i) {
        if (level < level_of(i)) below_.emplace_back(i, level);
      }
    }
    if (form_.below == ConstrainedForm::Below::held) add_multipliers();
  }

  void add_multipliers() {
    auto symbol = static_cast<SymbolId>(view_.model.variables().size());
    for (const auto& [constraint, level] : below_) {
      mu_.push_back(pool_.variable(symbol++));
      rows_.x.push_back(mu_.back());
      rows_.xp.push_back(no_node);
      rows_.add_unknown(fmt::format("the correction by {}", row_name(constraint, level)),
                        {.differential = false, .index = 2, .in_error_test = false}, 1.0);
    }
  }

  void write_kinetics() {
    std::vector<NodeId> kinetic(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      kinetic[i] = pool_.sub(rows_.xp[i], view_.force[i]);
    }
    if (!mu_.empty()) {
      std::vector<NodeId> held;
      for (const auto& [constraint, level] : below_) {
        held.push_back(view_.levels[to_size(level)][constraint]);
      }
      for (const JacobianEntry& entry : jacobian(pool_, held, x_)) {
        NodeId& target = kinetic[to_size(entry.column)];
        target = pool_.add(target, pool_.mul(entry.value, mu_[to_size(entry.row)]));
      }
    }
    for (std::size_t i = 0; i < kinetic.size(); ++i) {
      add_row(kinetic[i], fmt::format("the equation of der({})", context_.state_name(to_index(i))));
    }
  }

  NodeId determining_row(std::size_t constraint) {
    const int level = level_of(constraint);
    if (level < view_.depths[constraint]) return view_.levels[to_size(level)][constraint];
    NodeId row = view_.determining[constraint];
    const std::vector<double> weights = form_.damping.weights(view_.depths[constraint]);
    for (int j = 0; j < view_.depths[constraint]; ++j) {
      const double weight = weights[to_size(j)];
      if (weight == 0.0) continue;
      const NodeId value = view_.levels[to_size(j)][constraint];
      row = pool_.add(row, pool_.mul(pool_.constant(weight), value));
    }
    return row;
  }

  const ConstrainedOdeContext& context_;
  const ConstrainedView& view_;
  const ConstrainedForm& form_;
  Pool& pool_;
  SystemRows rows_;
  std::vector<NodeId> x_, u_, mu_;
  std::vector<std::pair<std::size_t, int>> below_;  ///< constraint, level
};

CompiledRows compile_rows(const ConstrainedOdeContext& context, const ConstrainedForm& form) {
  Pool pool(context.view().pool);
  return {RowWriter(context, form, pool).write(), pool, context.view().model};
}

class ConstrainedDae final : public RowSystem<ConstrainedRun> {
 public:
  ConstrainedDae(std::shared_ptr<const ConstrainedOdeContext> context, const ConstrainedForm& form)
      : RowSystem(compile_rows(*context, form)), context_(std::move(context)) {}

  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& base) const override {
    auto& run = own(base);
    std::copy_n(x.begin() + context_->n(), context_->m(), run.general.accepted_u.begin());
    run.u = run.general.accepted_u;
    Change change = RowSystem::after_step(t, x, xp, history, run);
    return change.kind == Change::Kind::none ? context_->check_branch(t, x, run) : change;
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    Change change = RowSystem::on_event(t, fired, x, xp, run);
    set_algebraic(own(run), x, xp);
    return change;
  }
  /// u of the last solve behind x; multipliers are zero.
  void set_algebraic(const ConstrainedRun& run, std::span<double> x, std::span<double> xp) const {
    std::fill(x.begin() + context_->n(), x.end(), 0.0);
    std::fill(xp.begin() + context_->n(), xp.end(), 0.0);
    std::copy(run.u.begin(), run.u.end(), x.begin() + context_->n());
  }

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(ConstrainedRun& run) const override {
    context_->prepare(run);
    RowSystem::prepare(run);
  }

  std::shared_ptr<const ConstrainedOdeContext> context_;
};

}  // namespace

Formulation make_constrained_dae(const Request& request, ConstrainedView view,
                                 const ConstrainedForm& form) {
  const auto context =
      std::make_shared<const ConstrainedOdeContext>(request, std::move(view), form.damping);
  const auto system = std::make_shared<const ConstrainedDae>(context, form);
  const auto extend_start = [system](double, ConstrainedRun& run, Start& start) {
    if (start.status != Status::success) return;
    start.x.resize(to_size(system->size()));
    start.xp.resize(start.x.size());
    system->set_algebraic(run, start.x, start.xp);
  };
  Formulation result = constrained_formulation(request, context, {.extend_start = extend_start});
  result.implicit_system = system;
  return result;
}

}  // namespace daedal::formulation
