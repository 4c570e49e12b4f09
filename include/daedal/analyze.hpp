// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a model is, before anything is solved: its index, how many initial values are free, which
/// equations hide constraints, and whether a consistent start exists.

#include <cstdint>
#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/status.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// Constraints on the variables alone that appear with one more differentiation of the equations.
/// Level 0 are those visible in the equations as written, the others are hidden.
struct ConstraintsOfLevel {
  int level = 0;
  std::int64_t count = 0;
  std::vector<std::string> equations;  ///< that have to be differentiated `level` times
};

/// Equations that are solved together, and what for.
struct StructuralBlock {
  std::vector<std::string> equations{};  ///< "'rod' (line 12)"
  std::vector<std::string> unknowns{};   ///< "der(v)", each matched to the equation at its place
};

/// An unknown in an equation, both counted from 0 through the blocks in their order.
struct Incidence {
  std::int64_t equation = 0;
  std::int64_t unknown = 0;
  /// Its highest derivative, which has to be solved for; otherwise lower ones that are known by
  /// then.
  bool is_highest = false;
};

/// Results of counting and matching alone (Σ-method): the same for all parameters and start values.
struct StructuralAnalysis {
  std::int64_t index = 0;                      ///< an upper bound where no terms cancel
  std::int64_t states = 0;                     ///< free initial values
  std::vector<StructuralBlock> blocks{};       ///< in the order in which they are solved
  std::vector<std::string> differentiated{};   ///< "'rod' (line 12) twice"
  std::vector<std::string> torn{};             ///< given these, all others follow one by one
  std::vector<std::string> possible_states{};  ///< as many of them as there are states are chosen
  std::vector<Incidence> incidence{};          ///< which equation contains which unknown

  /// The equations of the largest block.
  [[nodiscard]] DAEDAL_EXPORT std::int64_t largest_block() const;
};

/// One rank that was decided on the way to the index. G = F_k are the equations with their first k
/// derivatives, as functions of x, x' and w, the higher derivatives (Campbell, Moore 4).
struct ArrayRank {
  int level = 0;       ///< k
  std::string matrix;  ///< "[G_x' G_w]", or "[G_x' G_w G_x]" that has the columns of x too
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t rank = 0;
  double smallest_kept = 0.0;    ///< singular value above the tolerance 1e-10, the greatest being 1
  double largest_dropped = 0.0;  ///< below it; 0 where none is dropped
  double gap = 0.0;              ///< their ratio; infinite where none is dropped
  /// "certain" (six decades, three on each side of the tolerance), "clear" (three decades, one on
  /// each side) or "weak".
  std::string confidence;
};

enum class Verdict { holds, fails, not_checked };
/// "holds", "fails", "not checked".
DAEDAL_EXPORT std::string_view to_string(Verdict verdict);

/// What the theory of derivative arrays requires of a model (Campbell, Moore 4).
struct Assumption {
  std::string name;       ///< "A1" to "A4"
  std::string statement;  ///< "F is sufficiently smooth"
  Verdict verdict = Verdict::not_checked;
  std::string finding;  ///< a full sentence: what was seen at the start and around it
};

struct StartValue {
  std::string name;
  double value = 0.0;
  std::string unit{};
};

struct Analysis {
  std::string model_name;
  std::int64_t variables = 0;
  std::int64_t equations = 0;
  /// success, or why the numbers are missing: inconsistent start, index beyond the limit, missing
  /// equation, singular point.
  Status status = Status::success;
  std::string message;                ///< a full sentence
  std::vector<std::string> warnings;  ///< full sentences
  std::vector<std::string> notices;   ///< what was completed or moved to find the start
  StructuralAnalysis structure;

  // From the derivative array at the consistent start; empty where it was not found.
  std::optional<int> index;
  std::optional<std::int64_t> states;    ///< dimension of the solution manifold
  std::optional<std::int64_t> mobility;  ///< of a mechanism: coordinates less rank of constraints
  std::vector<ConstraintsOfLevel> constraints;
  std::vector<std::string> free;        ///< one set of variables that can be given together
  std::vector<std::string> determined;  ///< variables that the equations leave no choice
  /// A1 to A4, with the decisions behind them; as far as they were looked at.
  std::vector<Assumption> assumptions;
  std::vector<ArrayRank> ranks;
  double confidence = 0.0;  ///< the smallest gap of singular values in a rank decision; ≥ 1000 is
                            ///< clear
  bool consistent_start = false;
  std::vector<StartValue> start;

  [[nodiscard]] DAEDAL_EXPORT std::string report() const;
};

/// What counting and matching say alone, for models of any size: everything numerical stays empty.
/// Throws ModelError for a structurally singular model.
DAEDAL_EXPORT Analysis analyze_structure(const Model& model);

/// Analyses a model at a time, with the parameters, start values, time limit and cancel flag of
/// `options`; what was found before an early end is kept. Throws ModelError
/// for a structurally singular model; everything numerical is in the status.
DAEDAL_EXPORT Analysis analyze(const Model& model, double t0, const SolveOptions& options = {});

}  // namespace daedal
