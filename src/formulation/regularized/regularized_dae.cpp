// SPDX-License-Identifier: BSD-3-Clause
/// The regularisations of Petzold, Ren and Maly in the coupled form: the equations of motion
/// together with those of the algebraic variables, as a DAE of index 1 for implicit schemes. With
///
///     s = Σ weights[j] g⁽ʲ⁾ + G x⁽ᵐ⁾ + remainder          the damped constraint
///     M x⁽ᵐ⁾ = f − B y
///
/// direct regularisation (2.12), (GB + εI) y = r, is s − ε y = 0, because s = r − GM⁻¹B y. The
/// trust region (2.10), (GB)ᵀ(r − GB y) = ε y, needs the auxiliary p:
///
///     Mᵀ p − Gᵀ s = 0,     Bᵀ p − ε y = 0.
///
/// Nothing is inverted, and no matrix is squared. The paper found this form "much more robust" for
/// Baumgarte's method, (2.1a) with (2.5), which it contains for ε = 0.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formulation/constrained/row_system.hpp"
#include "formulation/regularized/hessenberg_monitor.hpp"
#include "formulation/regularized/hessenberg_ode.hpp"
#include "linalg/dense/lu.hpp"

namespace daedal::formulation {

namespace {

using Row = std::vector<NodeId>;
using Rule = Regularization::Rule;

/// Writes the rows of the coupled form.
class RowWriter {
 public:
  RowWriter(const HessenbergContext& context, Pool& pool)
      : context_(context), view_(context.view()), settings_(context.settings()), pool_(pool) {}

  SystemRows write() {
    declare();
    write_states();
    const Row s = damped_constraint();
    if (settings_.rule.rule == Rule::shift) {
      for (std::size_t i = 0; i < s.size(); ++i) {
        add_row(pool_.sub(s[i], scaled(y_[i])), constraint_name(i));
      }
      return std::move(rows_);
    }
    Row balance(p_.size(), pool_.constant(0.0));
    add(view_.mass, p_, balance, true);
    Row push(p_.size(), pool_.constant(0.0));
    add(view_.jacobian, s, push, true);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      add_row(pool_.sub(balance[i], push[i]), fmt::format("the auxiliary equation {}", i + 1));
    }
    Row share(y_.size(), pool_.constant(0.0));
    add(view_.coefficient, p_, share, true);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      add_row(pool_.sub(share[i], scaled(y_[i])), constraint_name(i));
    }
    return std::move(rows_);
  }

 private:
  void add_row(NodeId row, std::string name) {
    rows_.rows.push_back(row);
    rows_.row_names.push_back(std::move(name));
  }
  [[nodiscard]] std::string constraint_name(std::size_t i) const {
    return "the regularised " + context_.constraint_name(to_index(i));
  }
  [[nodiscard]] NodeId scaled(NodeId node) const {
    return pool_.mul(pool_.constant(settings_.rule.amount), node);
  }
  /// y += A x or Aᵀ x.
  void add(std::span<const JacobianEntry> a, const Row& x, Row& y, bool is_transposed) const {
    for (const JacobianEntry& entry : a) {
      NodeId& target = y[to_size(is_transposed ? entry.column : entry.row)];
      const NodeId factor = x[to_size(is_transposed ? entry.row : entry.column)];
      target = pool_.add(target, pool_.mul(entry.value, factor));
    }
  }

  void declare() {
    const auto variables = view_.model.variables();
    for (const auto& level : view_.states) {
      for (const std::int32_t state : level) {
        rows_.x.push_back(pool_.variable(state));
        rows_.xp.push_back(pool_.variable(state, 1));
        const Variable& variable = variables[to_size(state)];
        rows_.add_unknown(variable.name, {.differential = true}, variable.nominal);
      }
    }
    const UnknownKind algebraic{.differential = false, .index = 1, .in_error_test = false};
    const auto add_algebraic = [&](NodeId leaf, std::string name) {
      rows_.x.push_back(leaf);
      rows_.xp.push_back(no_node);
      rows_.add_unknown(std::move(name), algebraic, 1.0);
      return leaf;
    };
    for (const std::int32_t variable : view_.algebraic) {
      y_.push_back(add_algebraic(pool_.variable(variable), variables[to_size(variable)].name));
    }
    if (settings_.rule.rule == Rule::shift) return;
    auto symbol = static_cast<SymbolId>(variables.size());
    for (Index i = 0; i < context_.n(); ++i) {
      p_.push_back(add_algebraic(pool_.variable(symbol++), fmt::format("auxiliary {}", i + 1)));
    }
  }

  void write_states() {
    const auto n = to_size(context_.n());
    const auto variables = view_.model.variables();
    for (std::size_t k = 0; k + 1 < view_.states.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        add_row(
            pool_.sub(rows_.xp[k * n + i], rows_.x[(k + 1) * n + i]),
            fmt::format("the equation of der({})", variables[to_size(view_.states[k][i])].name));
      }
    }
    top_.assign(rows_.xp.begin() + static_cast<std::ptrdiff_t>((view_.states.size() - 1) * n),
                rows_.xp.begin() + static_cast<std::ptrdiff_t>(view_.states.size() * n));
    Row dynamic(n, pool_.constant(0.0));
    add(view_.mass, top_, dynamic, false);
    add(view_.coefficient, y_, dynamic, false);
    for (std::size_t i = 0; i < n; ++i) {
      add_row(
          pool_.sub(dynamic[i], view_.force[i]),
          fmt::format("the equation of der({})", variables[to_size(view_.states.back()[i])].name));
    }
  }

  /// s; the published formulas (4.4)-(4.8) leave the remainder out.
  Row damped_constraint() {
    Row s = view_.remainder;
    if (settings_.is_paper) s.assign(s.size(), pool_.constant(0.0));
    add(view_.jacobian, top_, s, false);
    const std::vector<double> weights = settings_.weights(context_.order(), settings_.gamma);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      for (std::size_t i = 0; i < s.size(); ++i) {
        const NodeId term = pool_.mul(pool_.constant(weights[j]), view_.levels[j][i]);
        s[i] = pool_.add(s[i], term);
      }
    }
    return s;
  }

  const HessenbergContext& context_;
  const ConstrainedView& view_;
  const HessenbergSettings& settings_;
  Pool& pool_;
  SystemRows rows_;
  Row y_, p_, top_;
};

CompiledRows compile_rows(const HessenbergContext& context) {
  Pool pool(context.view().pool);
  return {RowWriter(context, pool).write(), pool, context.view().model};
}

class RegularDae final : public RowSystem<HessenbergRun> {
 public:
  explicit RegularDae(std::shared_ptr<const HessenbergContext> context)
      : RowSystem(compile_rows(*context)), context_(std::move(context)) {}

  Change on_event(double t, std::span<const std::int64_t> fired, std::span<double> x,
                  std::span<double> xp, Run& run) const override {
    Change change = RowSystem::on_event(t, fired, x, xp, run);
    if (change.kind != Change::Kind::stop) complete(t, x, xp, own(run));
    return change;
  }
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& base) const override {
    auto& run = own(base);
    if (run.monitor) run.monitor->after_step(t, x, history, run);
    return RowSystem::after_step(t, x, xp, history, run);
  }
  /// y and p behind the states, from the solution of the states' equations in `run`.
  void complete(double t, std::span<double> x, std::span<double> xp, HessenbergRun& run) const;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *context_; }
  void prepare(HessenbergRun& run) const override {
    context_->prepare(run);
    RowSystem::prepare(run);
  }

  std::shared_ptr<const HessenbergContext> context_;
};

void RegularDae::complete(double t, std::span<double> x, std::span<double> xp,
                          HessenbergRun& run) const {
  const auto n_states = to_size(context_->n_states());
  const auto n = to_size(context_->n());
  std::fill(x.begin() + static_cast<std::ptrdiff_t>(n_states), x.end(), 0.0);
  std::fill(xp.begin() + static_cast<std::ptrdiff_t>(n_states), xp.end(), 0.0);
  std::copy(run.u.begin(), run.u.end(), x.begin() + static_cast<std::ptrdiff_t>(n_states));
  const std::size_t first = n_states + run.u.size();
  if (x.size() == first) return;
  // With p = 0 the rows of p are −Gᵀs, and they are linear in p with the matrix Mᵀ.
  std::vector<double> values(x.size());
  std::vector<double> f_x(to_size(pattern().nonzeros())), f_xp(f_x.size());
  if (residual(t, x, xp, run, values) != Evaluation::ok) return;
  if (jacobian(t, x, xp, run, f_x, f_xp) != Evaluation::ok) return;
  linalg::DenseLu<double> mass(context_->n());
  for (std::size_t j = 0; j < n; ++j) {
    for (auto k = to_size(pattern().column_start[first + j]);
         k < to_size(pattern().column_start[first + j + 1]); ++k) {
      const auto row = to_size(pattern().row[k]);
      if (row >= n_states && row < n_states + n) mass.matrix()[j * n + row - n_states] = f_x[k];
    }
  }
  const std::span<double> p = x.subspan(first, n);
  if (!mass.factor().ok) return;
  for (std::size_t i = 0; i < n; ++i) p[i] = -values[n_states + i];
  mass.solve(p);
}

Start find_start(const HessenbergContext& context, const RegularDae& system, bool watches,
                 double t0, HessenbergRun& run) {
  Start found = find_hessenberg_start(context, t0, run);
  if (found.status != Status::success) return found;
  if (run.sign < 0.0) {
    found.status = Status::singular_iteration_matrix;
    found.message =
        "GB is negative semidefinite: change the sign of the algebraic variables, or use the form "
        "in the states alone, which does so by itself.";
    return found;
  }
  found.x.resize(to_size(system.size()));
  found.xp.resize(found.x.size());
  system.complete(t0, found.x, found.xp, run);
  if (watches) run.monitor = std::make_shared<HessenbergMonitor>(context, t0, found.x, run);
  return found;
}

}  // namespace

Formulation make_regularized_dae(const Request& request, ConstrainedView view,
                                 HessenbergSettings settings) {
  // The monitor looks at the whole system, not at the states alone.
  const bool watches = std::exchange(settings.watches, false);
  const auto context =
      std::make_shared<const HessenbergContext>(request, std::move(view), std::move(settings));
  const auto system = std::make_shared<const RegularDae>(context);
  Formulation result = constrained_formulation(request, context, {.watches = watches});
  result.implicit_system = system;
  result.find_start = [context, system, watches](double t0, Run& run) {
    return find_start(*context, *system, watches, t0, run_of<HessenbergRun>(run));
  };
  return result;
}

}  // namespace daedal::formulation
