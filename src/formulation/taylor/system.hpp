// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// `taylor`: a DAE of any structural index as a source of Taylor series. The state holds every
/// unknown with its derivatives below the offset d_j, and those that the model names; each
/// expansion moves it onto all constraints, hidden ones too, block after block (expansion.hpp).

#include <daedal/system.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formulation/frame/model_system.hpp"
#include "formulation/frame/start_problem.hpp"
#include "formulation/taylor/series_parts.hpp"
#include "formulation/taylor/start.hpp"
#include "system/series_source.hpp"

namespace daedal::formulation {

/// The mutable side: the series around the last instant.
struct TaylorWork final : MethodWork {
  SeriesState state;
  SeriesScale scale;
  int order = 0;  ///< of the last expansion
  std::vector<BlockExpansion> blocks;
  std::vector<double> sizes;
  std::vector<double> best_conditions;  ///< per block, reciprocal
  std::vector<double> greatest;  ///< per row of the signature: entries of the system Jacobian
  std::optional<EventSeries> events;
  std::unique_ptr<MethodWork> beside;  ///< another one, for slopes between the steps
};

class TaylorSystem final : public ModelSystem<ExplicitSystem, ModelRun>,
                           public ModelContext,
                           public SeriesSource {
 public:
  /// Throws ModelError{structurally_singular}, and {not_recognized} for initial equations that the
  /// series do not reach. `is_cautious`: another method knows more of singular positions, so that
  /// runs end near one, and starts that are singular are refused.
  TaylorSystem(GeneralView view, std::vector<double> parameters, const Overrides& starts,
               bool is_cautious);

  [[nodiscard]] const GeneralView& view() const { return view_; }
  [[nodiscard]] Start start(double t0, ModelRun& run) const;
  /// The greatest residual of the constraints as they are written.
  double constraint_residual(double t, std::span<const double> x, std::span<const double> xp,
                             ModelRun& run) const;
  /// After a failure near (t, x): what has become singular there.
  std::string describe(double t, ModelRun& run) const;

  [[nodiscard]] std::int64_t size() const override { return to_index(nominals_.size()); }
  [[nodiscard]] std::span<const double> nominals() const override { return nominals_; }
  [[nodiscard]] std::string unknown_name(std::int64_t column) const override;
  Evaluation rhs(double t, std::span<const double> x, Run& run,
                 std::span<double> xp) const override;

  Evaluation expand(const Point& point, Run& run, std::span<double> coefficients,
                    double& scale) const override;
  [[nodiscard]] int best_order(double tolerance) const override;
  Change after_step(double t, std::span<double> x, std::span<double> xp, const History& history,
                    Run& run) const override;
  [[nodiscard]] bool is_state(Index unknown) const override {
    return structure_.places()[to_size(unknown)].is_state;
  }
  [[nodiscard]] Index n_switches(const Run& run) const override;
  bool switch_series(Index number, Run& run, std::span<double> out) const override;

  void read(double t, std::span<const double> x, std::span<const double> xp, ModelRun& run,
            std::span<double> values, std::span<double> derivatives) const override;
  bool assign(std::int32_t variable, double value, std::span<double> x) const override;
  Evaluation make_consistent(double t, std::span<double> x, std::span<double> xp,
                             ModelRun& run) const override;

 private:
  [[nodiscard]] const ModelContext& context() const override { return *this; }
  void prepare(ModelRun& run) const override;
  [[nodiscard]] std::unique_ptr<MethodWork> make_work() const;
  [[nodiscard]] static TaylorWork& work_of(ModelRun& run);

  /// Solves the constraints of a block and its highest derivatives.
  using Settle = std::function<Evaluation(std::size_t block, TaylorWork& work)>;
  /// All blocks, one after the other, up to an order; `settle` finds the coefficients up to d_j.
  Evaluation expand_blocks(double t, double direction, int order, ModelRun& run,
                           const Settle& settle) const;
  Evaluation report(std::size_t block, BlockOutcome outcome, double t, ModelRun& run) const;
  void load(std::size_t block, std::span<const double> x, std::span<const double> xp,
            TaylorWork& work) const;
  /// Numbers for the derivatives 0..d_j of the unknowns of a block, by `find`.
  using Find = std::function<analysis::InitialValues(BlockConstraints& constraints)>;
  Evaluation search(std::size_t block, bool with_initial, const Find& find, ModelRun& run) const;
  [[nodiscard]] StartWishes start_wishes(std::size_t block, const StartWishes& variables) const;
  struct EventWishes {
    std::vector<analysis::InitialUnknown> unknowns;
    std::vector<bool> may_move;  ///< states, should no values hold all of them
  };
  [[nodiscard]] EventWishes event_wishes(std::size_t block, std::span<const double> x,
                                         std::span<const double> xp, const ModelRun& run) const;
  /// Values that moved from their guesses by as little as the root of the round-off were found
  /// where two solutions meet, as far as that goes.
  void refuse_singular_start(const StartWishes& variables, Start& start) const;
  [[nodiscard]] bool is_near_singular(TaylorWork& work) const;
  void check_fixed_values(const StartWishes& variables, Start& start) const;
  void note_greatest(TaylorWork& work) const;
  /// Values and rates of the state from the series.
  void unload(const TaylorWork& work, std::span<double> x, std::span<double> xp) const;
  [[nodiscard]] std::string block_name(std::size_t block) const;
  [[nodiscard]] std::string cancelling_sums(std::size_t block, double t, ModelRun& run) const;

  GeneralView view_;
  TaylorStructure structure_;
  std::vector<BlockStart> starts_;
  StartValues start_values_;
  std::vector<double> nominals_;
  bool is_cautious_;
};

}  // namespace daedal::formulation
