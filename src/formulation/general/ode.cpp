// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/general/ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "expr/calculus.hpp"
#include "expr/traverse.hpp"
#include "formulation/frame/general_start.hpp"
#include "formulation/frame/model_run.hpp"
#include "formulation/frame/program_lanes.hpp"
#include "formulation/general/ode_series.hpp"
#include "kernel/program.hpp"
#include "model/labels.hpp"
#include "model/leaves.hpp"
#include "model/rewrite.hpp"
#include "model/views/general_view.hpp"
#include "system/sparse_slopes.hpp"

namespace daedal::formulation {

namespace {

/// x' = f(t, x) from F(t, x, x') = 0, where the equations can be solved one after the other: each
/// is linear in the one unknown (a derivative or an algebraic variable) that those before it leave.
struct ExplicitForm {
  std::shared_ptr<Pool> pool;        ///< a child of the view's, open for derivatives
  std::vector<std::int32_t> states;  ///< numbers of the differential variables
  std::vector<NodeId> state_leaves;  ///< x
  std::vector<NodeId> rates;         ///< f(t, x)
  std::vector<std::int32_t> algebraic;
  std::vector<NodeId> algebraic_values;  ///< y(t, x)
  /// All leaves that remain: states in block_values by their position, the rest as in
  /// model_inputs.
  std::vector<kernel::Input> inputs;
};

class ExplicitFormSolver {
 public:
  explicit ExplicitFormSolver(const GeneralView& view)
      : view_(view), pool_(std::make_shared<Pool>(view.pool)) {
    hold_relations();
    for (std::size_t i = 0; i < view.x.size(); ++i) {
      unknown_of_[view.is_differential[i] ? view.xp[i] : view.x[i]] = i;
    }
    build_incidence();
  }

  ExplicitForm solve() {
    solve_in_sequence();
    ExplicitForm form;
    form.pool = pool_;
    Rewriter rewriter(*pool_, *pool_);
    for (std::size_t i = 0; i < view_.x.size(); ++i) rewriter.define(leaf(i), solution_[i]);
    for (std::size_t i = 0; i < view_.x.size(); ++i) {
      const NodeId value = rewriter.rewrite(leaf(i));
      const auto number = static_cast<std::int32_t>(i);
      if (view_.is_differential[i]) {
        form.states.push_back(number);
        form.state_leaves.push_back(view_.x[i]);
        form.rates.push_back(value);
      } else {
        form.algebraic.push_back(number);
        form.algebraic_values.push_back(value);
      }
    }
    bind_inputs(form);
    return form;
  }

 private:
  [[nodiscard]] NodeId leaf(std::size_t unknown) const {
    return view_.is_differential[unknown] ? view_.xp[unknown] : view_.x[unknown];
  }

  /// A relation is read from the modes: a leaf of its own, whatever unknowns it compares.
  [[nodiscard]] SymbolId placeholder(std::int32_t relation) const {
    return static_cast<SymbolId>(view_.model.discretes().size()) + relation;
  }

  void hold_relations() {
    Rewriter rewriter(*pool_, *pool_);
    for (const std::int32_t id : view_.relations)
      rewriter.bind(pool_->relation_node(id), pool_->discrete(placeholder(id)));
    for (const NodeId root : view_.residuals) residuals_.push_back(rewriter.rewrite(root));
  }

  void build_incidence() {
    LeafWalker walker(*pool_);
    missing_.resize(residuals_.size());
    equations_of_.resize(view_.x.size());
    for (std::size_t e = 0; e < residuals_.size(); ++e) {
      for (const NodeId id : walker.leaves(residuals_[e])) {
        const auto found = unknown_of_.find(id);
        if (found == unknown_of_.end()) continue;
        missing_[e].push_back(found->second);
        equations_of_[found->second].push_back(e);
      }
    }
  }

  void solve_in_sequence() {
    solution_.assign(view_.x.size(), no_node);
    std::vector<std::size_t> ready;
    std::vector<std::size_t> n_missing;
    for (std::size_t e = 0; e < missing_.size(); ++e) {
      n_missing.push_back(missing_[e].size());
      if (n_missing[e] == 1) ready.push_back(e);
    }
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const std::size_t e = ready[k];
      const auto open = std::find_if(missing_[e].begin(), missing_[e].end(),
                                     [&](std::size_t u) { return solution_[u] == no_node; });
      if (open == missing_[e].end() || !solve_for(e, *open)) continue;
      for (const std::size_t other : equations_of_[*open])
        if (--n_missing[other] == 1) ready.push_back(other);
    }
    refuse_unsolved();
  }

  /// residual = c·unknown + rest with c free of the unknown: unknown = −rest/c.
  bool solve_for(std::size_t equation, std::size_t unknown) {
    const NodeId root = residuals_[equation];
    const NodeId variable = leaf(unknown);
    const NodeId coefficient = gradient(*pool_, root, std::span(&variable, 1)).front();
    const auto leaves = dependencies(*pool_, std::span(&coefficient, 1));
    if (std::find(leaves.begin(), leaves.end(), variable) != leaves.end()) return false;
    if ((*pool_)[coefficient].op == Op::constant && (*pool_)[coefficient].value == 0.0)
      return false;
    const NodeId zero = pool_->constant(0.0);
    const NodeId rest =
        substitute(*pool_, std::span(&root, 1), std::span(&variable, 1), std::span(&zero, 1))
            .front();
    solution_[unknown] = pool_->neg(pool_->div(rest, coefficient));
    solved_.push_back(equation);
    return true;
  }

  void refuse_unsolved() const {
    std::vector<std::string> variables;
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      if (solution_[i] != no_node) continue;
      const std::string& name = view_.model.variables()[i].name;
      variables.push_back(view_.is_differential[i] ? "der(" + name + ")" : name);
    }
    if (variables.empty()) return;
    std::vector<std::string> equations;
    for (std::size_t e = 0; e < residuals_.size(); ++e)
      if (std::find(solved_.begin(), solved_.end(), e) == solved_.end())
        equations.push_back(equation_label(view_.model, to_index(e)));
    ModelError error(ErrorCode::not_recognized,
                     "The model cannot be written as x' = f(t, x): " + join_words(equations) +
                         " cannot be solved one after the other for " + join_words(variables) +
                         ". Use the method 'direct'.");
    error.with_equations(equations).with_variables(variables);
    throw error;
  }

  void bind_inputs(ExplicitForm& form) const {
    std::vector<Index> position(view_.x.size(), -1);
    for (std::size_t k = 0; k < form.states.size(); ++k)
      position[static_cast<std::size_t>(form.states[k])] = to_index(k);
    for (const auto& input : model_inputs(view_.model, *pool_)) {
      if (input.block == block_derivatives || input.block == block_modes) continue;
      if (input.block != block_values) {
        form.inputs.push_back(input);
      } else if (position[to_size(input.offset)] >= 0) {
        form.inputs.push_back({input.leaf, block_values, position[to_size(input.offset)]});
      }
    }
    for (const std::int32_t id : view_.relations)
      form.inputs.push_back({pool_->discrete(placeholder(id)), block_modes, id});
  }

  const GeneralView& view_;
  std::shared_ptr<Pool> pool_;
  std::vector<NodeId> residuals_;
  std::unordered_map<NodeId, std::size_t> unknown_of_;
  std::vector<std::vector<std::size_t>> missing_;       ///< unknowns of each equation
  std::vector<std::vector<std::size_t>> equations_of_;  ///< equations of each unknown
  std::vector<NodeId> solution_;
  std::vector<std::size_t> solved_;
};

/// Throws ModelError{not_recognized} naming the equations and variables that form a loop, or that
/// are not linear in what they have to determine.
ExplicitForm explicit_form(const GeneralView& view) {
  return ExplicitFormSolver(view).solve();
}

/// x' of eight runs at once.
class OdeLanes final : public KernelLanes {
 public:
  explicit OdeLanes(const kernel::Program& rates)
      : n_(to_size(rates.n_outputs())), blocks_(n_blocks), rates_(rates) {}

  void take(std::size_t lane, Run& base) override {
    auto& run = run_of<ModelRun>(base);
    blocks_.hold(block_parameters, lane, run.parameters);
    blocks_.hold(block_modes, lane, run.modes);
    blocks_.hold(block_discretes, lane, run.discretes);
    blocks_.hold(block_pre, lane, run.pre);
    blocks_.hold(block_pre_values, lane, run.pre_values);
    blocks_.hold(block_samples, lane, run.samples);
    blocks_.hold(block_phase, lane, run.phase);
  }
  LaneSet rhs(const double* t, const double* x, double* xp, double*) override {
    blocks_.point(block_time, t);
    blocks_.point(block_values, x);
    std::copy_n(rates_(blocks_), lane_count * n_, xp);
    std::array<double, lane_count> check{};
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t l = 0; l < lane_count; ++l) check[l] += 0.0 * xp[lane_count * i + l];
    }
    LaneSet finite = 0;
    for (std::size_t l = 0; l < lane_count; ++l) finite |= (check[l] == 0.0 ? 1U : 0U) << l;
    return finite;
  }

 private:
  std::size_t n_;
  LaneBlocks blocks_;
  ProgramLanes rates_;
};

/// The equations as they are written stay at hand: they find the start and compiled the events.
class OdeSystem final : public ModelSystem<ExplicitSystem, ModelRun>,
                        public ModelContext,
                        public SeriesSource,
                        public SparseSlopes,
                        public LaneSource {
 public:
  explicit OdeSystem(std::shared_ptr<const WrittenEquations> written)
      : ModelContext(*written),
        written_(std::move(written)),
        form_(explicit_form(written_->view())) {
    rates_ = kernel::Program::compile(*form_.pool, form_.rates, form_.inputs);
    algebraic_ = kernel::Program::compile(*form_.pool, form_.algebraic_values, form_.inputs);
    jacobian_ = kernel::JacobianProgram::compile(
        *form_.pool,
        {.roots = form_.rates, .groups = {form_.state_leaves}, .inputs = form_.inputs});
    const Reachable reachable(*form_.pool, form_.rates);
    has_series_ = std::ranges::none_of(
        reachable.ids(), [&](NodeId id) { return (*form_.pool)[id].op == Op::external; });
    position_.assign(written_->view().x.size(), -1);
    for (std::size_t k = 0; k < form_.states.size(); ++k) {
      const auto i = static_cast<std::size_t>(form_.states[k]);
      position_[i] = to_index(k);
      nominals_.push_back(written_->nominals()[i]);
    }
  }

  [[nodiscard]] const WrittenEquations& written() const { return *written_; }
  [[nodiscard]] const ExplicitForm& form() const { return form_; }

  [[nodiscard]] std::int64_t size() const override { return to_index(form_.states.size()); }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }

  Evaluation rhs(double t, std::span<const double> x, Run& base,
                 std::span<double> xp) const override {
    auto& run = own(base);
    rates_.evaluate(run.blocks(t, x, {}), xp, run.equations.residual);
    const Index bad = first_not_finite(xp);
    if (bad < 0) return Evaluation::ok;
    run.failure = {Status::non_finite_value, bad,
                   fmt::format("der({}) is not finite at t = {:.12g}.", name(to_size(bad)), t)};
    return Evaluation::recoverable;
  }

  [[nodiscard]] std::unique_ptr<LaneSystem> make_lanes() const override {
    return std::make_unique<OdeLanes>(rates_);
  }

  [[nodiscard]] bool has_jacobian() const override { return true; }
  Evaluation jacobian(double t, std::span<const double> x, Run& base,
                      std::span<double> f_x) const override {
    std::vector<double>& nonzeros = own(base).equations.nonzeros;
    const Evaluation evaluation = slopes(t, x, base, nonzeros);
    if (evaluation != Evaluation::ok) return evaluation;
    std::fill(f_x.begin(), f_x.end(), 0.0);
    const auto& pattern = jacobian_.pattern();
    const std::size_t n = form_.states.size();
    for (std::size_t j = 0; j < n; ++j) {
      for (Index p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p)
        f_x[j * n + to_size(pattern.row[to_size(p)])] = nonzeros[to_size(p)];
    }
    return Evaluation::ok;
  }
  [[nodiscard]] const SparsityPattern& slopes_pattern() const override {
    return jacobian_.pattern();
  }
  Evaluation slopes(double t, std::span<const double> x, Run& base,
                    std::span<double> entries) const override {
    auto& run = own(base);
    const std::array<std::span<double>, 1> arrays{entries};
    jacobian_.evaluate(run.blocks(t, x, {}), arrays, run.equations.jacobian);
    const Index bad = first_not_finite(entries);
    if (bad < 0) return Evaluation::ok;
    const Index row = jacobian_.pattern().row[to_size(bad)];
    run.failure = {Status::non_finite_value, row,
                   fmt::format("A derivative of der({}) is not finite at t = {:.12g}.",
                               name(to_size(row)), t)};
    return Evaluation::recoverable;
  }

  Evaluation expand(const Point& point, Run& base, std::span<double> coefficients,
                    double& scale) const override {
    auto& run = own(base);
    OdeSeries& series = series_of(run);
    const bool is_good = series.expand(point, run, coefficients);
    scale = series.around().scale;
    if (is_good) return Evaluation::ok;
    run.failure = {
        Status::non_finite_value, -1,
        fmt::format("At t = {:.12g} the series of the solution are not finite.", point.t)};
    return Evaluation::recoverable;
  }
  [[nodiscard]] bool has_series() const override { return has_series_; }
  [[nodiscard]] int best_order(double tolerance) const override {
    const SeriesCost cost{static_cast<double>(rates_.n_operations())};
    return cheapest_order(std::span(&cost, 1), tolerance);
  }
  [[nodiscard]] Index n_switches(const Run& run) const override {
    return static_cast<const OdeSeries&>(*run_of<ModelRun>(run).work).n_switches();
  }
  bool switch_series(Index number, Run& base, std::span<double> out) const override {
    auto& run = own(base);
    OdeSeries& series = series_of(run);
    const auto fill = [&](std::span<const double> states, std::span<double> values) {
      fill_values(states, series.around(), run, values);
    };
    return series.switch_series(number, fill, run, out);
  }

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override {
    const auto algebraic = run.outputs(run.blocks(t, x, {}));
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
    const Evaluation evaluation = rhs(t, x, run, xp);
    return evaluation == Evaluation::ok || diagnose_event(t, x, run) ? evaluation
                                                                     : Evaluation::fatal;
  }

 private:
  /// Where an event has left no x' = f: whether the equations as written have a solution with these
  /// states. False when they have none, with the reason in the run's failure.
  bool diagnose_event(double t, std::span<const double> x, ModelRun& run) const {
    const auto whole = written_->make_run();
    auto& own_run = run_of<ModelRun>(*whole);
    own_run.modes = run.modes;
    own_run.discretes = run.discretes;
    own_run.pre = run.pre;
    own_run.parameters = run.parameters;
    own_run.reinitialized = run.reinitialized;
    own_run.stop = run.stop;
    std::vector<double> values(to_size(written_->size()), 0.0);
    std::vector<double> rates(values.size(), 0.0);
    for (std::size_t k = 0; k < form_.states.size(); ++k) values[to_size(form_.states[k])] = x[k];
    if (written_->make_consistent(t, values, rates, own_run) == Evaluation::ok) return true;
    run.failure = own_run.failure;
    return false;
  }
  [[nodiscard]] const ModelContext& context() const override { return *this; }
  /// Made when a run first asks for series.
  [[nodiscard]] OdeSeries& series_of(ModelRun& run) const {
    if (!run.work) run.work = std::make_unique<OdeSeries>(rates_, *this);
    return static_cast<OdeSeries&>(*run.work);
  }
  /// The series of all variables from those of the states.
  void fill_values(std::span<const double> states, const EventSeries::Around& around, ModelRun& run,
                   std::span<double> values) const {
    const std::size_t n = form_.states.size();
    const std::size_t n_all = position_.size();
    const std::size_t n_coefficients = to_size(around.order) + 1;
    for (std::size_t k = 0; k < n_coefficients; ++k)
      for (std::size_t i = 0; i < n; ++i)
        values[k * n_all + to_size(form_.states[i])] = states[k * n + i];
    if (form_.algebraic.empty()) return;
    const std::array<double, 2> time{around.t, around.scale};
    auto blocks = held_series(run, time);
    blocks[block_values] = {
        .coefficients = states.data(), .stride = to_index(n), .n_coefficients = around.order + 1};
    std::vector<double> algebraic(form_.algebraic.size() * n_coefficients);
    kernel::TaylorEvaluator(algebraic_, around.order).evaluate(around.order, blocks, algebraic);
    for (std::size_t k = 0; k < n_coefficients; ++k)
      for (std::size_t i = 0; i < form_.algebraic.size(); ++i)
        values[k * n_all + to_size(form_.algebraic[i])] = algebraic[k * form_.algebraic.size() + i];
  }
  void prepare(ModelRun& run) const override {
    run.equations.residual = rates_.make_workspace();
    run.equations.jacobian = jacobian_.make_workspace();
    run.equations.nonzeros.resize(to_size(jacobian_.pattern().nonzeros()));
    run.outputs = Evaluator(algebraic_);
  }
  [[nodiscard]] std::string name(std::size_t state) const {
    return written_->unknown_name(form_.states[state]);
  }

  std::shared_ptr<const WrittenEquations> written_;
  ExplicitForm form_;
  kernel::Program rates_;
  kernel::Program algebraic_;
  kernel::JacobianProgram jacobian_;
  bool has_series_ = true;
  std::vector<Index> position_;  ///< of every variable among the states, or -1
  std::vector<double> nominals_;
};

Start find_start(const OdeSystem& system, const GeneralStart& start, double t0, ModelRun& run) {
  const auto whole = system.written().make_run();
  auto& found = run_of<ModelRun>(*whole);
  found.stop = run.stop;
  found.parameters = run.parameters;
  found.starts = run.starts;
  found.resumed = run.resumed;
  Start result = start.find(t0, found, false);
  run.take_from(found);
  if (result.status != Status::success) return result;
  std::vector<double> x;
  for (const std::int32_t state : system.form().states)
    x.push_back(result.x[static_cast<std::size_t>(state)]);
  result.x = std::move(x);
  result.xp.resize(result.x.size());
  if (system.rhs(t0, result.x, run, result.xp) != Evaluation::ok) {
    result.status = run.failure.status;
    result.message = run.failure.detail;
  }
  return result;
}

Start take_start(const OdeSystem& system, const GeneralStart& start, double t0, ModelRun& run) {
  return system.settle_start(t0, to_size(system.size()), run, [&] {
    Start found;
    found.x = start.fixed_states(run);
    found.xp.resize(found.x.size());
    const bool is_known = to_index(found.x.size()) == system.size() &&
                          system.rhs(t0, found.x, run, found.xp) == Evaluation::ok;
    if (!is_known) found.status = Status::newton_failure;
    return found;
  });
}

}  // namespace

Formulation make_ode(const Ode&, const Request& request) {
  const auto written = written_equations(request);
  const auto system = std::make_shared<const OdeSystem>(written);
  Formulation result;
  result.explicit_system = system;
  const auto start = std::make_shared<const GeneralStart>(*written);
  result.find_start = [system, start](double t0, Run& run) {
    return find_start(*system, *start, t0, run_of<ModelRun>(run));
  };
  result.take_start = [system, start](double t0, Run& run) {
    return take_start(*system, *start, t0, run_of<ModelRun>(run));
  };
  result.outputs = model_outputs(system, written->view().n_given);
  return result;
}

}  // namespace daedal::formulation
