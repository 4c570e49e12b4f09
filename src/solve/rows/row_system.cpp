// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <daedal/error.hpp>
#include <daedal/rows.hpp>
#include <limits>
#include <utility>

#include "analysis/structural_report.hpp"
#include "expr/calculus.hpp"
#include "formulation/dummy/context.hpp"
#include "formulation/dummy/dummy_derivatives.hpp"
#include "formulation/frame/start_problem.hpp"
#include "formulation/frame/written_equations_at.hpp"
#include "formulation/general/direct.hpp"
#include "model/labels.hpp"
#include "solve/problem_impl.hpp"
#include "solve/rows/compiled_rows.hpp"
#include "solve/run/output_map.hpp"

namespace daedal {

RowPart::~RowPart() = default;
RowSystem::~RowSystem() = default;

namespace solve_detail {
namespace {

using namespace formulation;

/// States are kept until others are so many times better: they cannot be exchanged, and no choice
/// stays the very best one.
constexpr double last_ratio = 0.1;

/// What happens at events is for one process.
void refuse_events(const Model& model) {
  std::string what;
  SourcePosition where;
  if (!model.when_clauses().empty()) {
    where = model.when_clauses().front().where;
    what = fmt::format("the when-clause{}", place_suffix(where));
  } else if (!model.discretes().empty()) {
    where = model.discretes().front().where;
    what = fmt::format("the discrete variable {}", variable_label(model.discretes().front()));
  } else if (const auto relations = general_view(model).relations; !relations.empty()) {
    what = fmt::format(
        "the relation '{}', at which its equations change",
        expression_text(model, *model.pool(), model.pool()->relation_node(relations.front())));
  } else if (!model.assertions().empty()) {
    where = model.assertions().front().where;
    what = fmt::format("the assertion '{}'{}", model.assertions().front().message,
                       place_suffix(where));
  } else {
    return;
  }
  throw ModelError(
      ErrorCode::unsupported,
      fmt::format("Equations that processes share take no events, and model '{}' has {}. Solve it "
                  "in one process (the embedded engine), or write noEvent(...) around relations at "
                  "which nothing jumps.",
                  model.name(), what),
      where);
}

class SharedRows final : public RowSystem {
 public:
  SharedRows(RunContext context, std::shared_ptr<const Preparation> preparation)
      : context_(std::move(context)),
        preparation_(std::move(preparation)),
        simplified_(preparation_->shortened().simplified),
        table_(make_table()),
        run_(simplified_.model, context_.parameters) {
    make_outputs();
  }

  [[nodiscard]] Index size() const override { return table_.size(); }
  [[nodiscard]] std::string_view method() const override {
    return table_.is_reduced() ? DummyDerivatives::name : Direct::name;
  }
  [[nodiscard]] std::span<const UnknownKind> kinds() const override { return table_.kinds(); }
  [[nodiscard]] std::span<const double> nominals() const override { return table_.nominals(); }
  [[nodiscard]] std::string unknown_name(Index column) const override {
    return table_.unknown_name(column);
  }

  [[nodiscard]] std::optional<RowStart> given_start() const override;
  [[nodiscard]] RowStart find_start() override;
  void begin(const RowStart& start) override {
    table_.choose(start.choice);
    run_.parameters = start.parameters;
  }

  void columns_of(Index row, std::vector<Index>& columns) override {
    table_.columns_of(row, columns);
  }
  [[nodiscard]] std::unique_ptr<RowPart> compile(std::span<const Index> rows) override {
    return std::make_unique<CompiledRows>(table_, rows, run_.parameters);
  }

  [[nodiscard]] bool has_choice() const override {
    return chooser_ != nullptr && chooser_->selector().has_choice();
  }
  std::string look_at_choice(double t, std::span<const double> x) override;

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }
  [[nodiscard]] bool needs_rates() const override { return needs_rates_; }
  void read(double t, std::span<const double> x, std::span<const double> xp,
            std::span<double> row) override {
    outputs_->evaluate(t, x, xp, run_, all_, row, workspace_);
  }

 private:
  [[nodiscard]] RowTable make_table() const;
  void make_outputs();
  [[nodiscard]] bool has_rates(const std::string& column) const;

  RunContext context_;
  std::shared_ptr<const Preparation> preparation_;
  const Simplified& simplified_;
  RowTable table_;
  ModelRun run_;  ///< for outputs
  std::shared_ptr<const DummyContext> chooser_;
  std::unique_ptr<Run> choice_;  ///< of states
  std::unique_ptr<OutputMap> outputs_;
  OutputMap::Workspace workspace_;
  std::vector<double> all_;
  std::vector<std::string> names_;
  bool needs_rates_ = false;
};

RowTable SharedRows::make_table() const {
  refuse_events(simplified_.model);
  if (preparation_->shortened().prepared.structural_index() <= 1) {
    return RowTable(general_view(simplified_.model));
  }
  GeneralView view = view_for_states(simplified_.model, general_view(simplified_.model));
  const auto report = analysis::structural_report(view.model);
  return RowTable(std::move(view), report);
}

/// The columns as those of every other run: only where the variables are is another matter.
void SharedRows::make_outputs() {
  auto formulation = std::make_shared<Formulation>();
  for (const Variable& variable : simplified_.model.variables())
    formulation->outputs.names.push_back(variable.name);
  formulation->outputs.to_model = [this](double, std::span<const double> x,
                                         std::span<const double> xp, Run&, std::span<double> values,
                                         std::span<double> rates) {
    for (std::size_t v = 0; v < values.size(); ++v) {
      const auto column = to_size(table_.column_of(to_index(v)));
      values[v] = x[column];
      const bool is_state = table_.kinds()[column].differential;
      rates[v] = !table_.is_reduced() ? (xp.empty() ? 0.0 : xp[column])
                 : is_state           ? x[column + 1]
                                      : std::numeric_limits<double>::quiet_NaN();
    }
  };
  outputs_ = std::make_unique<OutputMap>(formulation, simplified_, context_.options.columns);
  workspace_ = outputs_->make_workspace();
  all_.resize(outputs_->names().size());
  names_ = outputs_->column_names();
  needs_rates_ = !table_.is_reduced() &&
                 std::ranges::any_of(names_, [&](const auto& name) { return has_rates(name); });
}

bool SharedRows::has_rates(const std::string& column) const {
  const auto names = simplified_.recovery.names();
  const auto found = std::ranges::find(names, column);
  if (found == names.end()) return column.starts_with("der(");
  const Pool& pool = *simplified_.model.pool();
  const NodeId root = simplified_.recovery.expressions()[to_size(found - names.begin())];
  return std::ranges::any_of(dependencies(pool, std::span(&root, 1)), [&](NodeId leaf) {
    return pool[leaf].op == Op::variable && pool[leaf].order > 0;
  });
}

std::optional<RowStart> SharedRows::given_start() const {
  const GeneralView& view = table_.view();
  ModelRun run(view.model, context_.parameters);
  if (table_.is_reduced() || !InitialPart(view).is_empty() ||
      homotopy_share(view.model, run) != nullptr) {
    return {};
  }
  RowStart start{.is_complete = false, .parameters = context_.parameters};
  const StartWishes wishes = formulation::StartValues(view.model).wishes(run);
  std::vector<std::string> assumed;
  for (std::size_t j = 0; j < wishes.unknowns.size(); ++j) {
    const bool is_held = wishes.unknowns[j].role == analysis::Role::held;
    if (is_held && !view.is_differential[j]) return {};
    start.x.push_back(wishes.unknowns[j].value);
    if (view.is_differential[j] && !wishes.is_given[j])
      assumed.push_back(fmt::format("'{}' = {}", table_.unknown_name(to_index(j)), start.x[j]));
  }
  if (!assumed.empty())
    start.notices.push_back(
        fmt::format("Start values that were not given: {}.", join_words(assumed)));
  start.xp.assign(start.x.size(), 0.0);
  return start;
}

RowStart SharedRows::find_start() {
  const SolveOptions& options = context_.options;
  const Request request{.model = simplified_.model,
                        .parameters = context_.parameters,
                        .rtol = *options.rtol,
                        .atol = options.atol,
                        .start_time = context_.span.start,
                        .stop = context_.stop};
  Formulation formulation;
  if (table_.is_reduced()) {
    chooser_ = std::make_shared<const DummyContext>(request, DummyDerivatives{});
    formulation = make_dummy_derivatives(chooser_, false);
  } else {
    formulation = make_direct(Direct{}, request);
  }
  choice_ = formulation.system().make_run();
  choice_->stop = context_.stop;
  Start found = formulation.start(context_.span.start, *choice_);
  RowStart start{.status = found.status,
                 .message = std::move(found.message),
                 .notices = std::move(found.notices),
                 .x = std::move(found.x),
                 .xp = std::move(found.xp),
                 .parameters = run_of<ModelRun>(*choice_).parameters};
  if (table_.is_reduced()) start.choice = run_of<DummyRun>(*choice_).selection.equation_at;
  if (!has_choice()) {
    choice_.reset();
    chooser_.reset();
  }
  return start;
}

std::string SharedRows::look_at_choice(double t, std::span<const double> x) {
  using Verdict = DummySelector::Verdict;
  auto& run = run_of<DummyRun>(*choice_);
  const auto values = run.system_jacobian(run.blocks(t, x, {}));
  if (first_not_finite(values) >= 0) return {};  // the next step meets it
  const DummySelector& selector = chooser_->selector();
  Index block = selector.sign_change(values, run.selection);
  std::string dummies = block >= 0 ? selector.dummy_names(block, run.selection) : "";
  if (block < 0) {
    const std::vector<Index> before = run.selection.equation_at;
    const auto outcome = selector.watch(values, {.switch_ratio = last_ratio}, run.selection);
    if (outcome.verdict == Verdict::keep) return {};
    block = outcome.block;
    std::vector<std::string> names;
    for (std::size_t p = 0; p < before.size(); ++p) {
      if (before[p] < 0 && run.selection.equation_at[p] >= 0)
        names.push_back("'" + table_.unknown_name(to_index(p)) + "'");
    }
    dummies = join_words(names);
  }
  return fmt::format(
      "At t = {:.9g} other states would have to be chosen{}: rows that processes share keep those "
      "of their start. Solve the model in one process (the embedded engine), which exchanges them.",
      t, dummies.empty() ? "" : fmt::format(", in the place of {}", dummies));
}

}  // namespace
}  // namespace solve_detail

std::unique_ptr<RowSystem> share_rows(const Model& model, const TimeSpan& span,
                                      const SolveOptions& options) {
  const Problem::Impl problem(model, options);
  solve_detail::RunContext context = problem.context_of(span, {}, options);
  auto preparation = problem.preparation_for(context);
  return std::make_unique<solve_detail::SharedRows>(std::move(context), std::move(preparation));
}

}  // namespace daedal
