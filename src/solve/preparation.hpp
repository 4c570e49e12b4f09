// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What is made from a model once and serves every run: its simplification, what it is recognised
/// as, and the formulations of the methods that were tried on it. Everything is made when it is
/// first needed, and may be asked for by several threads.

#include <algorithm>
#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/expected.hpp"
#include "core/lazy.hpp"
#include "formulation/frame/registry.hpp"
#include "formulation/frame/written_equations.hpp"
#include "model/simplify/simplify.hpp"
#include "solve/checks/branch_watch.hpp"
#include "solve/jumps.hpp"
#include "solve/watch/value_bounds.hpp"
#include "solve/watch/watched_functions.hpp"

namespace daedal::solve_detail {

using FormulationPtr = std::shared_ptr<const formulation::Formulation>;

/// One model as formulations see it.
class PreparedModel {
 public:
  /// `parameters`: the values at which the model is recognised.
  PreparedModel(Model model, std::vector<double> parameters);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  [[nodiscard]] const std::shared_ptr<const formulation::Recognized>& recognized() const;
  /// Whether what was recognised so far holds for other values of the parameters.
  [[nodiscard]] bool holds_for(std::span<const double> parameters) const;
  /// The index by the structure alone; 0 where the structure is singular. Above 1, constraints
  /// between differential variables are hidden.
  [[nodiscard]] Index structural_index() const { return structure().index; }
  /// Its free initial values are few beside its unknowns: x' = f(t, x) with all else solved for
  /// inside f is small, and its Jacobian dense.
  [[nodiscard]] bool has_few_states() const;
  /// What its equations are made of, as far as Taylor series mind.
  struct Making {
    Index n_operations = 0;
    Index n_relations = 0;   ///< of its events, too
    bool is_smooth = true;   ///< they have no kink and no jump, and every derivative
    bool has_poles = false;  ///< quotients with divisors that vary, or logarithms
    bool has_states = true;
    bool has_start = false;  ///< fixed values and initial equations leave nothing to choose
  };
  [[nodiscard]] const Making& making() const;
  /// Most unknowns follow from the states, and these are no more than an explicit scheme of a model
  /// of components takes.
  [[nodiscard]] bool may_be_explicit() const;
  /// The equations as written, for checks.
  [[nodiscard]] std::shared_ptr<const formulation::WrittenEquations> written() const;
  /// The blocks of these equations of which a run may follow one solution or another.
  [[nodiscard]] const std::vector<NonlinearBlock>& nonlinear_blocks() const;
  /// The formulation of a method for this model. Throws what its making throws, each time.
  /// Formulations that depend on tolerance or step are made once for each, those that depend on
  /// start values for each run.
  [[nodiscard]] FormulationPtr formulation(const formulation::MethodRow& method,
                                           const formulation::Request& request) const;
  /// Demands on the choice of states (always, never) made wishes; null where there are none.
  [[nodiscard]] const PreparedModel* relaxed() const;
  /// The model that continues from values in the middle of a run (model/run_values.hpp).
  [[nodiscard]] const PreparedModel& restarted() const;

 private:
  /// The defaults stand for a singular structure, where neither is known.
  struct Structure {
    Index index = 0;
    Index n_states = std::numeric_limits<Index>::max();
  };
  [[nodiscard]] Structure structure() const;
  [[nodiscard]] const std::optional<analysis::StructuralReport>& report() const;

  Model model_;
  std::vector<double> parameters_;
  Lazy<std::shared_ptr<const formulation::Recognized>> recognized_;
  Lazy<std::optional<analysis::StructuralReport>> report_;
  Lazy<Making> making_;
  Lazy<std::vector<NonlinearBlock>> nonlinear_blocks_;
  Lazy<std::unique_ptr<const PreparedModel>> relaxed_;
  Lazy<std::unique_ptr<const PreparedModel>> restarted_;
  mutable std::mutex mutex_;  ///< of the map; its entries have their own
  mutable std::map<std::string, std::shared_ptr<Lazy<Expected<FormulationPtr>>>> formulations_;
};

/// A simplification of the user's model with the way back.
struct Reading {
  Simplified simplified;
  PreparedModel prepared;
  Lazy<WatchedFunctions> watched{};
  Lazy<Jumps> jumps{};
  const Reading* base = nullptr;  ///< of a reading with bands (model/sliding.hpp): the one without
  std::vector<Band> bands{};
  std::vector<ValueBound> bounds{};

  /// Where something may happen unseen within a step.
  [[nodiscard]] const WatchedFunctions& watched_functions() const {
    return watched.get([this] {
      const std::span<const NodeId> values = simplified.recovery.expressions();
      std::vector<ValueLimit> limits;
      for (const ValueBound& bound : bounds) {
        limits.push_back({values[bound.column], bound.value, bound.sign > 0.0});
      }
      return WatchedFunctions(simplified.model, values, limits);
    });
  }
  [[nodiscard]] bool has_band(const JumpSurface& surface) const {
    return std::ranges::find(bands, surface, &Band::surface) != bands.end();
  }
  /// Where the equations jump.
  [[nodiscard]] const Jumps& jump_surfaces() const {
    if (base != nullptr) return base->jump_surfaces();
    return jumps.get([this] { return Jumps(simplified.model); });
  }
};

/// The user's model with the start values of a run as parameters.
class Preparation {
 public:
  Preparation(Model model, std::vector<double> parameters);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  /// Without variables that nothing needs.
  [[nodiscard]] const Reading& shortened() const;
  /// With all variables: an equation that only determines a force may be one of motion, without
  /// which no mechanism is recognised.
  [[nodiscard]] const Reading& complete() const;
  /// Whether what was recognised so far holds for other values of the parameters.
  [[nodiscard]] bool holds_for(std::span<const double> parameters) const;
  /// See differentiation_orders().
  [[nodiscard]] const std::vector<Index>& orders() const;

 private:
  [[nodiscard]] const Reading& read(const Lazy<std::unique_ptr<const Reading>>& reading,
                                    bool remove_outputs) const;

  Model model_;
  std::vector<double> parameters_;
  Lazy<std::unique_ptr<const Reading>> shortened_;
  Lazy<std::unique_ptr<const Reading>> complete_;
  Lazy<std::vector<Index>> orders_;
};

}  // namespace daedal::solve_detail
