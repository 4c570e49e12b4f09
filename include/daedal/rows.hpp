// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The equations of a model row by row, for programs that solve them in several processes:
///
///     auto rows = share_rows(model, {0.0, 10.0}, options);  // in every process
///     RowStart start = rows->find_start();                  // in one, sent to the others
///     rows->begin(start);                                   // in every process
///     auto part = rows->compile(own_rows);                  // its own rows alone
///     part->residual(t, x, xp, values);                     // x: its own columns and its ghosts
///
/// The rows are F(t, x, x') = 0 of index 1: the equations as they are written, or, where hidden
/// constraints raise the index, differentiated as the structure demands, with the states that are
/// chosen at the start (dummy derivatives). Row i has an entry in column i.

#include <cstdint>
#include <daedal/model.hpp>
#include <daedal/options.hpp>
#include <daedal/run_control.hpp>
#include <daedal/status.hpp>
#include <daedal/system.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <daedal/export.hpp>

namespace daedal {

/// Where the rows begin. Plain data: one process finds it, and the others are sent it.
struct RowStart {
  Status status = Status::success;
  std::string message{};               ///< a full sentence, where there is no start
  std::vector<std::string> notices{};  ///< what was completed or moved
  /// False: x holds the states and guesses of the algebraic unknowns. These and x' are those for
  /// which F(t, x, x') = 0, and are still to be solved for.
  bool is_complete = true;
  std::vector<double> x{};
  std::vector<double> xp{};
  std::vector<double> parameters{};    ///< with those that initial equations determine
  std::vector<std::int64_t> choice{};  ///< which states were chosen; empty: equations as written
};

/// Some rows, compiled. Used by one thread at a time; nothing is allocated by an evaluation.
class DAEDAL_EXPORT RowPart {
 public:
  RowPart() = default;
  RowPart(const RowPart&) = delete;
  RowPart& operator=(const RowPart&) = delete;
  virtual ~RowPart();

  /// The columns that the rows depend on, by their numbers in the whole: those with the numbers of
  /// the rows, in their order, then the others, ascending. x and x' have one value for each.
  [[nodiscard]] virtual std::span<const std::int64_t> columns() const = 0;
  /// Compressed rows of the common pattern of F_x and F_x': columns by their places in columns().
  [[nodiscard]] virtual std::span<const std::int64_t> row_start() const = 0;
  [[nodiscard]] virtual std::span<const std::int64_t> column() const = 0;

  virtual Evaluation residual(double t, std::span<const double> x, std::span<const double> xp,
                              std::span<double> values) = 0;
  virtual Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xp,
                              std::span<double> f_x, std::span<double> f_xp) = 0;
  /// Which equation made the last evaluation fail, in a sentence.
  [[nodiscard]] virtual const std::string& failure() const = 0;
};

class DAEDAL_EXPORT RowSystem {
 public:
  RowSystem() = default;
  RowSystem(const RowSystem&) = delete;
  RowSystem& operator=(const RowSystem&) = delete;
  virtual ~RowSystem();

  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// "direct", or "dummy-derivatives" where the index was reduced.
  [[nodiscard]] virtual std::string_view method() const = 0;
  [[nodiscard]] virtual std::span<const UnknownKind> kinds() const = 0;
  [[nodiscard]] virtual std::span<const double> nominals() const = 0;
  [[nodiscard]] virtual std::string unknown_name(std::int64_t column) const = 0;

  /// The start where it needs no search over all equations; nothing elsewhere.
  [[nodiscard]] virtual std::optional<RowStart> given_start() const = 0;
  /// Compiles and solves all equations in this process. What is not found is in its status.
  [[nodiscard]] virtual RowStart find_start() = 0;
  /// Takes over parameters and choice of the start.
  virtual void begin(const RowStart& start) = 0;

  // After begin().
  /// The columns of one row, for those that distribute the rows: ascending, few too many at most.
  virtual void columns_of(std::int64_t row, std::vector<std::int64_t>& columns) = 0;
  [[nodiscard]] virtual std::unique_ptr<RowPart> compile(std::span<const std::int64_t> rows) = 0;

  /// The process that has found the start looks at the choice of states after every step: a
  /// sentence where others would have to be chosen, which rows that are shared cannot; empty: the
  /// run may go on.
  [[nodiscard]] virtual bool has_choice() const = 0;
  virtual std::string look_at_choice(double t, std::span<const double> x) = 0;

  // From the unknowns to the columns of a Solution (SolveOptions::columns).
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// Some column needs x'.
  [[nodiscard]] virtual bool needs_rates() const = 0;
  virtual void read(double t, std::span<const double> x, std::span<const double> xp,
                    std::span<double> row) = 0;
};

/// Throws ModelError for models that processes cannot share, such as those with events, and what
/// solve() throws for wrong models and options. Time span, tolerances and limits are the caller's.
DAEDAL_EXPORT std::unique_ptr<RowSystem> share_rows(const Model& model, const TimeSpan& span,
                                                    const SolveOptions& options = {});

}  // namespace daedal
