// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constrained/constrained_dae.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <utility>

#include "expr/calculus.hpp"
#include "formulation/constrained/row_system.hpp"
#include "model/labels.hpp"
#include "model/symbolic_solve.hpp"

namespace daedal::formulation {

namespace {

using Below = ConstrainedForm::Below;

std::vector<JacobianEntry> transposed(std::vector<JacobianEntry> entries) {
  for (JacobianEntry& entry : entries) std::swap(entry.row, entry.column);
  return entries;
}

/// Writes the rows of a form.
class FormRows {
 public:
  FormRows(const ConstrainedContext& context, const ConstrainedForm& form, Pool& pool)
      : context_(context),
        view_(context.view()),
        form_(form),
        pool_(pool),
        forces_(view_.is_mechanical() ? transposed(view_.jacobian) : view_.coefficient) {}

  SystemRows write() {
    collect_below();
    declare_states();
    declare_multipliers();
    write_kinetics();
    const std::vector<NodeId> top = highest_level();
    for (std::size_t i = 0; i < view_.n_constraints(); ++i) {
      const int level = level_of(i);
      const bool is_lower = level < view_.depths[i];
      add_row(is_lower ? view_.levels[to_size(level)][i] : damped(top[i], i), row_name(i, level));
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
    if (level < 2) return level == 0 ? name : "the time derivative of " + name;
    return fmt::format("time derivative {} of {}", level, name);
  }
  void add_row(NodeId row, std::string name) {
    rows_.rows.push_back(row);
    rows_.row_names.push_back(std::move(name));
  }

  void collect_below() {
    if (form_.below == Below::dropped) return;
    for (int level = 0; level + 1 < view_.index(); ++level) {
      for (std::size_t i = 0; i < view_.n_constraints(); ++i) {
        if (level < level_of(i)) below_.emplace_back(i, level);
      }
    }
  }

  /// In an index-3 form what u drives is of index 2 (Hairer, Wanner VII.6): through M, all of it.
  [[nodiscard]] std::vector<bool> driven_states() {
    std::vector<bool> is_driven(to_size(context_.n_states()), false);
    if (!view_.mass.empty()) {
      std::fill(is_driven.end() - context_.n(), is_driven.end(), true);
      return is_driven;
    }
    for (const JacobianEntry& entry : jacobian(pool_, view_.force, u_)) {
      is_driven[to_size(entry.row)] = true;
    }
    return is_driven;
  }

  /// The index of u; a form of a higher one than the model's leaves it as it is.
  [[nodiscard]] int index() const { return std::min(form_.index, view_.index()); }

  void declare_states() {
    for (const std::int32_t variable : view_.algebraic) u_.push_back(pool_.variable(variable));
    const std::vector<bool> is_driven = driven_states();
    for (const auto& states : view_.states) {
      for (const std::int32_t state : states) {
        const int index = is_driven[x_.size()] ? std::max(this->index() - 1, 1) : 1;
        const Variable& variable = view_.model.variables()[to_size(state)];
        x_.push_back(pool_.variable(state));
        rows_.xp.push_back(pool_.variable(state, 1));
        rows_.add_unknown(variable.name, {.differential = true, .index = index}, variable.nominal);
      }
    }
    rows_.x = x_;
  }

  void declare_multipliers() {
    const auto add = [&](NodeId leaf, std::string name, const UnknownKind& kind, double nominal) {
      rows_.x.push_back(leaf);
      rows_.xp.push_back(no_node);
      rows_.add_unknown(std::move(name), kind, nominal);
    };
    for (std::size_t i = 0; i < u_.size(); ++i) {
      const Variable& variable = view_.model.variables()[to_size(view_.algebraic[i])];
      // Where u enters linearly, one iteration of Newton's method finds it.
      add(u_[i], variable.name,
          {.differential = false, .index = index(), .in_error_test = !view_.is_linear},
          variable.nominal);
    }
    if (form_.below != Below::held) return;
    // Multipliers of their own are symbols beyond the model's variables.
    auto symbol = static_cast<SymbolId>(view_.model.variables().size());
    for (const auto& [constraint, level] : below_) {
      mu_.push_back(pool_.variable(symbol++));
      add(mu_.back(), "the correction by " + row_name(constraint, level),
          {.differential = false, .index = 2, .in_error_test = false}, 1.0);
    }
  }

  /// y += A x.
  void add_product(std::span<const JacobianEntry> a, std::span<const NodeId> x,
                   std::vector<NodeId>& y) {
    for (const JacobianEntry& entry : a) {
      NodeId& target = y[to_size(entry.row)];
      target = pool_.add(target, pool_.mul(entry.value, x[to_size(entry.column)]));
    }
  }
  /// x⁽ᵐ⁾.
  [[nodiscard]] std::span<const NodeId> highest_derivative() const {
    return std::span(rows_.xp).subspan(x_.size() - view_.force.size(), view_.force.size());
  }

  void write_kinetics() {
    const auto n = view_.force.size();
    std::vector<NodeId> rows;
    for (std::size_t i = 0; i + n < x_.size(); ++i) {
      rows.push_back(pool_.sub(rows_.xp[i], x_[i + n]));
    }
    std::vector<NodeId> last(n, pool_.constant(0.0));
    if (view_.mass.empty()) {
      std::ranges::copy(highest_derivative(), last.begin());
    } else {
      add_product(view_.mass, highest_derivative(), last);
    }
    for (std::size_t i = 0; i < n; ++i) last[i] = pool_.sub(last[i], view_.force[i]);
    add_product(forces_, u_, last);
    rows.insert(rows.end(), last.begin(), last.end());
    if (!mu_.empty()) {
      std::vector<NodeId> held;
      for (const auto& [constraint, level] : below_) {
        held.push_back(view_.levels[to_size(level)][constraint]);
      }
      // The correction is the shortest one, measured by the masses or in nominal values.
      const Index first_with_mass = context_.n_states() - (view_.mass.empty() ? 0 : context_.n());
      for (const JacobianEntry& entry : jacobian(pool_, held, x_)) {
        const double unit =
            entry.column < first_with_mass ? context_.nominals()[to_size(entry.column)] : 1.0;
        const NodeId scaled = pool_.mul(pool_.constant(unit * unit), entry.value);
        NodeId& target = rows[to_size(entry.column)];
        target = pool_.add(target, pool_.mul(scaled, mu_[to_size(entry.row)]));
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) add_row(rows[i], kinetic_name(i));
  }

  [[nodiscard]] std::string kinetic_name(std::size_t state) const {
    const std::string& name = context_.state_name(to_index(state));
    const std::size_t first = x_.size() - view_.force.size();
    if (state < first) {
      const Index next = to_index(state + view_.force.size());
      return fmt::format("der({}) = {}", name, context_.state_name(next));
    }
    const std::int32_t equation =
        view_.dynamic_equations.empty() ? -1 : view_.dynamic_equations[state - first];
    return equation < 0 ? fmt::format("the equation of der({})", name)
                        : equation_label(view_.model, equation);
  }

  /// gᵢ⁽ʳⁱ⁾; empty where no row has it.
  std::vector<NodeId> highest_level() {
    if (form_.index > 1 || !view_.determining.empty()) return view_.determining;
    std::vector<NodeId> rows = view_.remainder;
    if (!form_.has_remainder) rows.assign(rows.size(), pool_.constant(0.0));
    if (form_.is_coupled) {
      add_product(view_.jacobian, highest_derivative(), rows);
      return rows;
    }
    std::vector<NodeId> force(view_.force.size(), pool_.constant(0.0));
    add_product(forces_, u_, force);
    for (std::size_t i = 0; i < force.size(); ++i) force[i] = pool_.sub(view_.force[i], force[i]);
    const auto solved = solve_symbolically(pool_, view_.mass, std::move(force));
    if (!solved) {
      throw ModelError(ErrorCode::not_recognized,
                       "The mass matrix is singular: the multipliers cannot be given in closed "
                       "form, which this method needs.");
    }
    add_product(view_.jacobian, *solved, rows);
    return rows;
  }

  NodeId damped(NodeId row, std::size_t constraint) {
    const std::vector<double> weights =
        form_.weights.empty() ? form_.damping.weights(view_.depths[constraint]) : form_.weights;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] == 0.0) continue;
      const NodeId level = view_.levels[j][constraint];
      row = pool_.add(row, pool_.mul(pool_.constant(weights[j]), level));
    }
    return row;
  }

  const ConstrainedContext& context_;
  const ConstrainedView& view_;
  const ConstrainedForm& form_;
  Pool& pool_;
  std::vector<JacobianEntry> forces_;  ///< B, and Gᵀ of a mechanical system, whose unknowns are Su
  SystemRows rows_;
  std::vector<NodeId> x_, u_, mu_;
  std::vector<std::pair<std::size_t, int>> below_;  ///< constraint, level
};

CompiledRows compile_form(const ConstrainedContext& context, const ConstrainedForm& form) {
  Pool pool(context.view().pool);
  return {FormRows(context, form, pool).write(), pool, context.view().model};
}

template <class Context, class OwnRun>
class ConstrainedDae final : public RowSystem<OwnRun> {
 public:
  using Base = RowSystem<OwnRun>;
  ConstrainedDae(std::shared_ptr<const Context> context, const ConstrainedForm& form)
      : Base(compile_form(*context, form)),
        context_(std::move(context)),
        checks_branch_(!context_->view().is_mechanical() ||
                       (form.below == Below::dropped && form.index < context_->view().index())) {}

  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& base) const override {
    auto& run = this->own(base);
    Change change = context_->watch(t, x, history, run);
    if (change.kind == Change::Kind::none) change = Base::after_step(t, x, xp, history, run);
    if (change.kind == Change::Kind::none && checks_branch_) {
      change = context_->check_branch(t, x, run);
    }
    if (change.kind != Change::Kind::none) return change;
    return context_->check_regular(t, x, run);
  }
  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    Change change = Base::on_event(t, fired, x, xp, run);
    set_algebraic(this->own(run), x, xp);
    return change;
  }
  /// u of the last solve behind the states; multipliers are zero.
  void set_algebraic(const OwnRun& run, std::span<double> x, std::span<double> xp) const {
    std::fill(x.begin() + context_->n_states(), x.end(), 0.0);
    std::fill(xp.begin() + context_->n_states(), xp.end(), 0.0);
    std::ranges::copy(context_->multipliers(run), x.begin() + context_->n_states());
  }

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(OwnRun& run) const override {
    context_->prepare(run);
    Base::prepare(run);
  }

  std::shared_ptr<const Context> context_;
  bool checks_branch_;  ///< nothing holds the positions of a mechanism, or it is none
};

template <class OwnRun, class System>
std::function<void(double, ConstrainedRun&, Start&)> extension(
    std::shared_ptr<const System> system) {
  return [system](double, ConstrainedRun& run, Start& start) {
    if (start.status != Status::success) return;
    start.x.resize(to_size(system->size()));
    start.xp.resize(start.x.size());
    system->set_algebraic(run_of<OwnRun>(run), start.x, start.xp);
  };
}

}  // namespace

bool has_inverse_mass(const ConstrainedView& view) {
  Pool pool(view.pool);
  std::vector<NodeId> zeros(view.force.size(), pool.constant(0.0));
  return solve_symbolically(pool, view.mass, std::move(zeros)).has_value();
}

Formulation make_constrained_dae(const Request& request, const ConstrainedView& view,
                                 const ConstrainedForm& form) {
  Formulation result;
  const auto made = [&](auto context) {
    if (form.below == Below::dropped && form.index > 1) context->meet_levels_of(form.index);
    return std::shared_ptr<const typename decltype(context)::element_type>(std::move(context));
  };
  if (view.is_mechanical()) {
    const auto mechanics = made(std::make_shared<Mechanics>(request, view));
    const auto system =
        std::make_shared<const ConstrainedDae<Mechanics, MechanicalRun>>(mechanics, form);
    result = mechanical_formulation(
        request, mechanics,
        {.watches = request.watch_singularities, .extend_start = extension<MechanicalRun>(system)});
    result.implicit_system = system;
    return result;
  }
  const auto context = made(std::make_shared<ConstrainedOdeContext>(request, view, form.damping));
  const auto system =
      std::make_shared<const ConstrainedDae<ConstrainedOdeContext, ConstrainedRun>>(context, form);
  result = constrained_formulation(request, context,
                                   {.extend_start = extension<ConstrainedRun>(system)});
  result.implicit_system = system;
  return result;
}

}  // namespace daedal::formulation
